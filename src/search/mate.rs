//! Mate in one.

use crate::shogi::{Bitboard, Move, MoveList, PieceKind, Position, attacks};

use super::attack_maps::AttackMaps;
use super::see::kind_after;

/// A move that mates at once, if one is found: what is found is certain, some rare mates by discovery are not.
pub fn find_mate_in_one(position: &mut Position) -> Option<Move> {
    let maps = AttackMaps::of(position);
    mate_in_one(position, &maps)
}

/// A move that mates at once, if one is found; the side to move is not in check. What is found is certain, some
/// rare mates by discovery are not.
pub(crate) fn mate_in_one(position: &mut Position, maps: &AttackMaps) -> Option<Move> {
    let us = position.side_to_move();
    let king = position.king_square(!us)?;
    let occupied = position.occupied();
    let around = attacks(PieceKind::King, !us, king, Bitboard::EMPTY);
    // Where the king could go as things are; the checking piece must cover all of it.
    let free = around & !position.of_color(!us) & !maps.us.all;
    if free.count() > 5 {
        return None;
    }
    let mut checks = MoveList::new();
    position.checks(&mut checks);
    let open = occupied.without(king);
    for &mv in &checks {
        let (to, kind) = (mv.to(), kind_after(position, mv));
        let covered = attacks(kind, us, to, open);
        if (free.without(to) & !covered).any() && covered.contains(king) {
            continue;
        }
        // A piece next to the king must be guarded, or the king takes it.
        if around.contains(to) && covered.contains(king) {
            let without = mv.from().map_or(occupied, |from| occupied.without(from));
            let mut guards = position.attackers_of(us, to, without.with(to));
            if let Some(from) = mv.from() {
                guards = guards.without(from);
            }
            if guards.is_empty() {
                continue;
            }
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
