//! Whether a move forces the other side to answer.

use crate::eval::piece_class;
use crate::search::see::{is_good, kind_after};
use kyomi_shogi::{Move, Piece, PieceKind, Position, attacks};

/// Whether a legal move is a good capture, or newly attacks a piece of class silver or major (silver or dearer) that is
/// dearer than the moved piece or unguarded. Checks are forcing as well, but a side in check always answers.
pub(crate) fn is_forcing(position: &Position, mv: Move) -> bool {
    if position.is_capture(mv) && is_good(position, mv) {
        return true;
    }
    let us = position.side_to_move();
    let mut occupied = position.occupied();
    if let Some(from) = mv.from() {
        occupied = occupied.without(from);
    }
    let kind = kind_after(position, mv);
    let mut new_attacks = attacks(kind, us, mv.to(), occupied) & position.of_color(!us);
    if let Some(from) = mv.from()
        && let Some(piece) = position.piece_on(from)
    {
        new_attacks &= !attacks(piece.kind(), us, from, position.occupied());
    }
    new_attacks.iter().any(|square| {
        let victim = position.piece_on(square).map(Piece::kind);
        victim.is_some_and(|victim| {
            let class = piece_class(victim);
            victim != PieceKind::King
                && class >= 2
                && (class > piece_class(kind)
                    || !position.is_attacked(square, !us, position.occupied()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn captures_that_lose_nothing_and_threats_force() {
        let position = Position::from_sfen("4k4/9/9/2s3g2/2p6/2P6/9/7R1/4K4 b P 1").unwrap();
        let forces = |text: &str| is_forcing(&position, parse_move(text).unwrap());
        assert!(forces("7f7e"), "takes a pawn and attacks the silver");
        assert!(forces("P*3e"), "attacks the gold");
        assert!(forces("2h3h"), "a rook at an unguarded gold");
        assert!(!forces("2h2g") && !forces("P*5e") && !forces("5i5h"));
    }

    #[test]
    fn a_capture_that_loses_more_does_not_force() {
        let position = Position::from_sfen("4k4/9/7l1/9/7p1/9/9/7R1/4K4 b - 1").unwrap();
        assert!(!is_forcing(&position, parse_move("2h2e").unwrap()));
    }
}
