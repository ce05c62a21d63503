//! Mate in one.

use std::cell::Cell;

use kyomi_shogi::{Bitboard, Color, Move, MoveList, PieceKind, Position, Square, attacks, line};

use super::attack_maps::SideAttacks;
use super::see::kind_after;

/// Returns a move that mates at once, if one exists. A pawn drop never mates, since such a drop is illegal.
pub fn find_mate_in_one(position: &mut Position) -> Option<Move> {
    let own = SideAttacks::of(position, position.side_to_move());
    mate_in_one(position, &own)
}

/// Returns a move that mates at once, if one exists. `own` are the attacks of the side to move. Only checks after which
/// the king has no square to go to are tried on the board.
pub(crate) fn mate_in_one(position: &mut Position, own: &SideAttacks) -> Option<Move> {
    let us = position.side_to_move();
    let king = position.king_square(!us)?;
    let around = attacks(PieceKind::King, !us, king, Bitboard::EMPTY);
    // The squares that the king can go to before the move. A mate has to cover all of them. In a mate problem the king
    // may already be in check, on a line that continues behind it; then every check is tried on the board.
    let free = if own.all.contains(king) {
        Bitboard::EMPTY
    } else {
        around & !position.of_color(!us) & !own.all
    };
    if free.count() > MOST_FROM_AFAR && is_far(position, own, around) {
        return None;
    }
    let mut checks = MoveList::new();
    MatingChecks::new(position, own, king, around, free).checks(&mut checks);
    for &mv in &checks {
        if leaves_a_way_out(position, own, mv, king, free) {
            continue;
        }
        let undo = position.do_move(mv);
        let mated = !position.has_legal_move();
        position.undo_move(mv, undo);
        if mated {
            return Some(mv);
        }
    }
    None
}

/// The most squares next to the king that a piece covers by a check from further away: a dragon in front of it.
const MOST_FROM_AFAR: u32 = 4;

/// Whether the side to move attacks no square next to the king, and would attack none if any of its pieces left the line
/// of another. Then a piece next to the king has no guard, and a check from afar is the only one that could mate.
fn is_far(position: &Position, own: &SideAttacks, around: Bitboard) -> bool {
    if (around & own.all).any() {
        return false;
    }
    let us = position.side_to_move();
    let left = position.occupied() & !(own.along_lines & position.of_color(us));
    let sliders = PieceKind::ALL.into_iter().filter(|kind| kind.slides());
    sliders
        .flat_map(|kind| position.pieces(us, kind).iter().map(move |from| (kind, from)))
        .all(|(kind, from)| (attacks(kind, us, from, left) & around).is_empty())
}

/// Finds the checks that might mate, by the square from which they check alone.
struct MatingChecks<'a> {
    position: &'a Position,
    us: Color,
    king: Square,
    around: Bitboard,
    /// Squares that the king can go to.
    free: Bitboard,
    /// Squares that the side to move attacks.
    reached: Bitboard,
    /// Own pieces that block own sliders: when they move, the sliders may cover more.
    openers: Bitboard,
    /// Pieces that block lines. They exclude the king, since lines continue behind it, and own sliders, since one of
    /// them may be the piece that moves.
    blockers: Bitboard,
    /// The squares from which a gold, or a piece that moves as one, might mate; `None` until it is computed.
    golds: Cell<Option<Bitboard>>,
}

impl<'a> MatingChecks<'a> {
    fn new(
        position: &'a Position,
        own: &SideAttacks,
        king: Square,
        around: Bitboard,
        free: Bitboard,
    ) -> Self {
        let us = position.side_to_move();
        let sliders = PieceKind::ALL.into_iter().filter(|kind| kind.slides());
        let sliders = sliders.fold(Bitboard::EMPTY, |all, kind| all | position.pieces(us, kind));
        Self {
            position,
            us,
            king,
            around,
            free,
            reached: own.all,
            openers: own.along_lines & position.of_color(us),
            blockers: position.occupied().without(king) & !sliders,
            golds: Cell::new(None),
        }
    }

    fn checks(&self, list: &mut MoveList) {
        self.position.chosen_checks(list, self.openers, |kind, dropped, squares| match kind {
            // A dropped pawn never mates.
            PieceKind::Pawn if dropped => Bitboard::EMPTY,
            kind if kind.moves_as_gold() => self.golds.get().unwrap_or_else(|| {
                let golds = self.closing(kind, squares);
                self.golds.set(Some(golds));
                golds
            }),
            kind => self.closing(kind, squares),
        });
    }

    /// The squares from which a piece of this kind leaves the king no way out except to capture it. Next to the king
    /// the piece must be guarded, or the square must have been attacked before the move.
    fn closing(&self, kind: PieceKind, squares: Bitboard) -> Bitboard {
        let mut squares = squares & (!self.around | self.reached);
        for free in self.free {
            if squares.is_empty() {
                break;
            }
            squares &= self.covering(kind, free).with(free);
        }
        squares
    }

    /// The squares from which a check by a piece of this kind covers a square next to the king.
    #[inline]
    fn covering(&self, kind: PieceKind, square: Square) -> Bitboard {
        // In reverse from the square, with the steps of the other side.
        let found = attacks(kind, !self.us, square, self.blockers);
        match kind {
            // From a distance they cover only the line itself next to the king.
            PieceKind::Lance | PieceKind::Bishop | PieceKind::Rook => {
                found & self.around | line(self.king, square) & !self.around
            }
            _ => found,
        }
    }
}

/// Whether the king of the other side has a square to go to after a check, including that of the checking piece.
/// Squares that only the check itself opens to the king are not examined, so `false` does not mean mate.
fn leaves_a_way_out(
    position: &Position,
    own: &SideAttacks,
    mv: Move,
    king: Square,
    free: Bitboard,
) -> bool {
    let us = position.side_to_move();
    let to = mv.to();
    // Lines continue through the square that the king leaves.
    let open = position.occupied().without(king).with(to);
    let open = mv.from().map_or(open, |from| open.without(from));
    let covered = attacks(kind_after(position, mv), us, to, open);
    let mut uncovered = free.without(to) & !covered;
    // A piece that moves may open the line of another piece of its side. That piece then attacks the square it leaves.
    if let Some(from) = mv.from().filter(|&from| uncovered.any() && own.all.contains(from)) {
        uncovered =
            uncovered.iter().filter(|&square| !attacked(position, square, from, open)).collect();
    }
    if uncovered.any() {
        return true;
    }
    // The moved piece must be guarded if it is next to the king.
    let beside = attacks(PieceKind::King, us, king, Bitboard::EMPTY).contains(to);
    beside
        && !mv.from().map_or_else(
            || position.is_attacked(to, us, open),
            |from| attacked(position, to, from, open),
        )
}

/// Whether the side to move attacks a square with a piece other than the one that leaves `from`.
fn attacked(position: &Position, square: Square, from: Square, occupied: Bitboard) -> bool {
    position.attackers_of(position.side_to_move(), square, occupied).without(from).any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(sfen: &str) -> Option<String> {
        let mut position = Position::from_sfen(sfen).unwrap();
        let own = SideAttacks::of(&position, position.side_to_move());
        let before = position.clone();
        let found = mate_in_one(&mut position, &own);
        assert_eq!(position, before);
        found.map(|mv| mv.to_string())
    }

    #[test]
    fn it_finds_a_mate_exactly_where_there_is_one() {
        let (mut mates, mut others) = (0, 0);
        for seed in 0..150 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut position = Position::startpos();
            for _ in 0..300 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mut mating = moves.iter().copied().filter(|&mv| {
                    let mut after = position.clone();
                    after.do_move(mv);
                    after.in_check() && !after.has_legal_move()
                });
                let wanted = mating.next().is_some();
                assert_eq!(find_mate_in_one(&mut position).is_some(), wanted, "{position:?}");
                *(if wanted { &mut mates } else { &mut others }) += 1;
                position.do_move(moves[random.usize(..moves.len())]);
            }
        }
        assert!(mates > 500 && others > 10_000, "{mates} {others}");
    }

    #[test]
    fn a_gold_on_the_head_mates() {
        assert_eq!(find("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").as_deref(), Some("G*5b"));
    }

    #[test]
    fn an_unguarded_gold_does_not() {
        assert_eq!(find("4k4/9/9/9/9/9/9/9/4K4 b G 1"), None);
    }

    #[test]
    fn a_pawn_drop_is_never_the_mate() {
        assert_eq!(find("3nkn3/3g1g3/4S4/9/9/9/9/9/4K4 b P 1"), None);
        // P*1b would mate, but other moves mate as well.
        let found = find("8k/6G2/7S1/9/9/9/9/9/4K4 b P 1").unwrap();
        assert!(!found.starts_with("P*"), "{found}");
    }
}
