//! Mate in one.

use kyomi_shogi::{
    Bitboard, Closing, Move, MoveList, PieceKind, Position, Square, aiming_near, attacks, line,
};

use super::attack_maps::SideAttacks;
use super::see::kind_after;

/// Returns a move that mates at once, if one exists. A pawn drop never mates, since such a drop is illegal.
pub fn find_mate_in_one(position: &mut Position) -> Option<Move> {
    let us = position.side_to_move();
    let king = position.king_square(!us)?;
    let lines = lines_near(position, king, position.occupied());
    mate(position, king, position.steps(us) | lines, lines)
}

/// The same with the attacks of the side to move.
pub(crate) fn mate_in_one(position: &mut Position, own: &SideAttacks) -> Option<Move> {
    let king = position.king_square(!position.side_to_move())?;
    mate(position, king, own.all, own.along_lines)
}

/// The squares that sliders of the side to move attack, except sliders that can attack neither this king nor a square next to it.
fn lines_near(position: &Position, king: Square, occupied: Bitboard) -> Bitboard {
    use PieceKind::{Bishop, Dragon, Horse, Lance, Rook};
    let us = position.side_to_move();
    let mut reached = Bitboard::EMPTY;
    for kind in [Lance, Bishop, Rook, Horse, Dragon] {
        for from in position.pieces(us, kind) & aiming_near(kind, us, king) {
            reached |= attacks(kind, us, from, occupied);
        }
    }
    reached
}

/// Finds a mate, given the squares that the side to move attacks, and those among them along lines. Attacks of squares
/// that are neither the king's nor next to it may be left out, and so may all lines of sliders that do not aim there.
/// Only checks after which the king has no square to go to are tried on the board.
fn mate(position: &mut Position, king: Square, reached: Bitboard, lines: Bitboard) -> Option<Move> {
    let checks = MatingChecks::new(position, king, reached, lines);
    if checks.are_none() {
        return None;
    }
    let mut list = MoveList::new();
    checks.list(&mut list);
    let (free, openers) = (checks.free, checks.openers);
    for &mv in &list {
        if leaves_a_way_out(position, openers, mv, king, free) {
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

/// Finds the checks that might mate, by the square from which they check alone.
struct MatingChecks<'a> {
    position: &'a Position,
    /// Squares that the king can go to before the move. A mate has to cover all of them.
    free: Bitboard,
    /// Squares next to the king that the side to move attacks.
    reached: Bitboard,
    /// Own pieces that block own sliders; none if no line behind them reaches a further square next to the king.
    openers: Bitboard,
    closing: Closing,
    /// The squares further away from which a slider attacks all free squares along the line of its check.
    afar: Bitboard,
}

impl<'a> MatingChecks<'a> {
    fn new(position: &'a Position, king: Square, reached: Bitboard, lines: Bitboard) -> Self {
        let us = position.side_to_move();
        let around = attacks(PieceKind::King, !us, king, Bitboard::EMPTY);
        // In a mate problem the king may already be in check, on a line that continues behind it; then every check is
        // tried on the board.
        let free = if reached.contains(king) {
            Bitboard::EMPTY
        } else {
            around & !position.of_color(!us) & !reached
        };
        let afar = match free.first().map(|square| line(king, square)) {
            None => !around,
            Some(line) if (free & !line).is_empty() => line & !around,
            Some(_) => Bitboard::EMPTY,
        };
        let mut openers = lines & position.of_color(us);
        // Opened lines continue behind the king.
        let left = position.occupied().without(king) & !openers;
        let opened = lines_near(position, king, left);
        if (opened & around & !reached).is_empty() {
            openers = Bitboard::EMPTY;
        }
        let (reached, closing) = (around & reached, Closing::new(us, king, free));
        Self { position, free, reached, openers, closing, afar }
    }

    /// Whether there are none. Not all positions without one are found.
    fn are_none(&self) -> bool {
        use PieceKind::{Bishop, Dragon, Horse, Rook};
        let (position, us) = (self.position, self.position.side_to_move());
        let of = |kind: PieceKind| position.pieces(us, kind);
        let (rooks, hand) = (of(Rook) | of(Dragon), position.hand(us));
        let great = (rooks | of(Bishop) | of(Horse)).any() || hand.has(Bishop) || hand.has(Rook);
        let beside = self.closing.beside_by_any(great) & self.reached & !position.of_color(us);
        (beside | self.afar | self.openers | position.discoverers(us)).is_empty()
            // A dragon in front of the king is the one check from afar that covers squares beside its line.
            && !rooks.iter().any(|from| {
                let reached = attacks(Dragon, us, from, position.occupied());
                (reached & self.closing.by_dragon_in_front()).any()
            })
    }

    fn list(&self, list: &mut MoveList) {
        self.position.chosen_checks(list, self.openers, |kind, dropped, squares| match kind {
            // A dropped pawn never mates.
            PieceKind::Pawn if dropped => Bitboard::EMPTY,
            kind => self.closing(kind, squares),
        });
    }

    /// The squares from which a piece of this kind leaves the king no way out except to capture it. Next to the king
    /// the piece must be guarded: the square must have been attacked before the move.
    #[inline]
    fn closing(&self, kind: PieceKind, squares: Bitboard) -> Bitboard {
        let afar = match kind {
            PieceKind::Dragon => self.afar | self.closing.by_dragon_in_front(),
            _ => self.afar,
        };
        squares & (self.closing.beside(kind) & self.reached | afar)
    }
}

/// Whether the king of the other side has a square to go to after a check, including that of the checking piece.
/// Squares that only the check itself opens to the king are not examined, so `false` does not mean mate.
fn leaves_a_way_out(
    position: &Position,
    openers: Bitboard,
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
    // A piece that moves may open the line of another piece of its side.
    if let Some(from) = mv.from().filter(|&from| uncovered.any() && openers.contains(from)) {
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
        assert_eq!(find_mate_in_one(&mut position), found);
        assert_eq!(position, before);
        found.map(|mv| mv.to_string())
    }

    #[test]
    fn it_finds_a_mate_exactly_where_there_is_one() {
        let (mut mates, mut others) = (0, 0);
        for seed in 0..60 {
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
                let own = SideAttacks::of(&position, position.side_to_move());
                let found = mate_in_one(&mut position, &own);
                assert_eq!(found.is_some(), wanted, "{position:?}");
                assert_eq!(find_mate_in_one(&mut position), found, "{position:?}");
                *(if wanted { &mut mates } else { &mut others }) += 1;
                position.do_move(moves[random.usize(..moves.len())]);
            }
        }
        assert!(mates > 150 && others > 4_000, "{mates} {others}");
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
