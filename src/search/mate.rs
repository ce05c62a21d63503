//! Mate in one.

use std::cell::Cell;

use crate::shogi::{Bitboard, Color, Move, MoveList, PieceKind, Position, Square, attacks, line};

use super::attack_maps::AttackMaps;
use super::see::kind_after;

/// A move that mates at once, if there is one. Every such move is looked for; a pawn drop never is one.
pub fn find_mate_in_one(position: &mut Position) -> Option<Move> {
    let maps = AttackMaps::of(position);
    mate_in_one(position, &maps)
}

/// A move that mates at once, if there is one. Only checks that leave the king nowhere to go are tried on the board.
pub(crate) fn mate_in_one(position: &mut Position, maps: &AttackMaps) -> Option<Move> {
    let us = position.side_to_move();
    let king = position.king_square(!us)?;
    let around = attacks(PieceKind::King, !us, king, Bitboard::EMPTY);
    // Where the king could go as things are; a mate has to cover all of it. In problems it may stand in check
    // already, on a line that goes on behind it: then each check is tried on the board.
    let free = if maps.us.all.contains(king) {
        Bitboard::EMPTY
    } else {
        around & !position.of_color(!us) & !maps.us.all
    };
    let mut checks = MoveList::new();
    Net::new(position, maps, king, around, free).checks(&mut checks);
    for &mv in &checks {
        if leaves_a_way_out(position, maps, mv, king, free) {
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

/// Finds the checks that might mate, by the squares they come from alone.
struct Net<'a> {
    position: &'a Position,
    us: Color,
    king: Square,
    around: Bitboard,
    /// Squares that the king can go to.
    free: Bitboard,
    /// What the side to move attacks.
    reached: Bitboard,
    /// Own pieces before own sliders: when they go the sliders may cover more.
    openers: Bitboard,
    /// What can stand in the way of lines: neither the king, which they run on behind, nor own sliders, one of which may
    /// be the piece that moves.
    blockers: Bitboard,
    /// From where a gold, and all that moves as one, might mate, once that is known.
    golds: Cell<Option<Bitboard>>,
}

impl<'a> Net<'a> {
    fn new(
        position: &'a Position,
        maps: &AttackMaps,
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
            reached: maps.us.all,
            openers: maps.us.along_lines & position.of_color(us),
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

    /// Those of the squares from which a piece of this kind leaves the king no way out but to take it. Next to the king
    /// it must be guarded, or have attacked the square before it went there.
    fn closing(&self, kind: PieceKind, squares: Bitboard) -> Bitboard {
        let squares = squares & (!self.around | self.reached);
        if self.free.is_empty() {
            return squares;
        }
        squares.iter().filter(|&to| self.closes(kind, to)).collect()
    }

    fn closes(&self, kind: PieceKind, to: Square) -> bool {
        let covered = match kind {
            // From afar they cover nothing next to the king but the line itself.
            PieceKind::Lance | PieceKind::Bishop | PieceKind::Rook if !self.around.contains(to) => {
                line(self.king, to)
            }
            kind => attacks(kind, self.us, to, self.blockers),
        };
        (self.free.without(to) & !covered).is_empty()
    }
}

/// Whether a check leaves the king of the other side a square to go to, the checking piece's own among them. Squares
/// the king could only reach by the check itself are not looked at: `false` does not mean mate.
fn leaves_a_way_out(
    position: &Position,
    maps: &AttackMaps,
    mv: Move,
    king: Square,
    free: Bitboard,
) -> bool {
    let us = position.side_to_move();
    let to = mv.to();
    // Lines run on through the square that the king leaves.
    let open = position.occupied().without(king).with(to);
    let open = mv.from().map_or(open, |from| open.without(from));
    let covered = attacks(kind_after(position, mv), us, to, open);
    let mut uncovered = free.without(to) & !covered;
    // A piece that goes may let one of its own side through; without an attack on its square there is none.
    if let Some(from) = mv.from().filter(|&from| uncovered.any() && maps.us.all.contains(from)) {
        uncovered =
            uncovered.iter().filter(|&square| !attacked(position, square, from, open)).collect();
    }
    if uncovered.any() {
        return true;
    }
    // The piece itself, next to the king, must be guarded.
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
        let maps = AttackMaps::of(&position);
        let before = position.clone();
        let found = mate_in_one(&mut position, &maps);
        assert_eq!(position, before);
        found.map(|mv| mv.to_string())
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
        // P*1b would mate; there are other ways.
        let found = find("8k/6G2/7S1/9/9/9/9/9/4K4 b P 1").unwrap();
        assert!(!found.starts_with("P*"), "{found}");
    }
}
