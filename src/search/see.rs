//! Static exchange evaluation: what a move gains if both sides then take back on its square as long as it pays.
//!
//! Gains are swings (board value and hand value of what is taken). Pieces behind the ones that have taken join in,
//! a king takes only what is not guarded, the promotion of the move itself counts, later ones do not, and a piece
//! pinned to its king takes only along the line of the pin.

use arrayvec::ArrayVec;

use crate::{
    eval::swing,
    shogi::{Bitboard, Color, Move, Piece, PieceKind, Position, Square, line},
};

/// What a legal move gains at once, in swings: the piece taken and its own promotion.
pub(crate) fn gain(position: &Position, mv: Move) -> i32 {
    let captured = position.piece_on(mv.to()).map_or(0, |piece| swing(piece.kind()));
    captured + promotion_gain(position, mv)
}

/// What the mover is worth more by promoting with this move.
pub(crate) fn promotion_gain(position: &Position, mv: Move) -> i32 {
    if !mv.is_promotion() {
        return 0;
    }
    let kind = mv.from().and_then(|from| position.piece_on(from)).map(Piece::kind);
    match kind.map(|kind| (kind, kind.promoted())) {
        Some((kind, Some(promoted))) => swing(promoted) - swing(kind),
        _ => 0,
    }
}

/// The kind that stands on the target square after a legal move.
pub(crate) fn kind_after(position: &Position, mv: Move) -> PieceKind {
    match (mv.dropped(), mv.from().and_then(|from| position.piece_on(from))) {
        (Some(kind), _) => kind,
        (None, Some(piece)) if mv.is_promotion() => {
            piece.kind().promoted().unwrap_or_else(|| piece.kind())
        }
        (None, Some(piece)) => piece.kind(),
        (None, None) => PieceKind::Pawn,
    }
}

/// The exchange value of a legal move for its side.
pub(crate) fn see(position: &Position, mv: Move) -> i32 {
    let to = mv.to();
    let us = position.side_to_move();
    let mut occupied = match mv.from() {
        Some(from) => position.occupied().without(from).with(to),
        None => position.occupied().with(to),
    };
    // gains[i]: what the i-th taker has gained in all if the taking ends with it.
    let mut gains: ArrayVec<i32, 40> = ArrayVec::new();
    gains.push(gain(position, mv));
    let mut prey = swing(kind_after(position, mv));
    let mut side = !us;
    while let Some((kind, square)) = cheapest_taker(position, side, to, occupied) {
        let last = gains[gains.len() - 1];
        if gains.try_push(prey - last).is_err() {
            break;
        }
        prey = swing(kind);
        occupied = occupied.without(square);
        side = !side;
    }
    // Backwards: each taker after the move itself may also leave it.
    let mut best = gains.pop().unwrap_or(0);
    while let Some(before) = gains.pop() {
        best = before.min(-best);
    }
    best
}

/// Whether the exchange value of a legal move is at least 0; cheaper than [`see`] where it is plain.
pub(crate) fn is_good(position: &Position, mv: Move) -> bool {
    let first = gain(position, mv);
    if first >= swing(kind_after(position, mv)) {
        return true;
    }
    see(position, mv) >= 0
}

/// The cheapest piece of a side that can take on a square, were just `occupied` on the board.
fn cheapest_taker(
    position: &Position,
    side: Color,
    to: Square,
    occupied: Bitboard,
) -> Option<(PieceKind, Square)> {
    let mut takers = position.attackers_of(side, to, occupied) & occupied;
    let pinned = takers & position.pinned(side);
    if pinned.any()
        && let Some(king) = position.king_square(side)
    {
        for square in pinned {
            if !line(king, square).contains(to) {
                takers = takers.without(square);
            }
        }
    }
    for kind in BY_SWING {
        let found = takers & position.of_kind(kind);
        if let Some(square) = found.first() {
            if kind == PieceKind::King
                && (position.attackers_of(!side, to, occupied) & occupied).any()
            {
                return None;
            }
            return Some((kind, square));
        }
    }
    None
}

/// Cheapest first.
const BY_SWING: [PieceKind; PieceKind::COUNT] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::ProPawn,
    PieceKind::Knight,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::Silver,
    PieceKind::ProSilver,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Horse,
    PieceKind::Rook,
    PieceKind::Dragon,
    PieceKind::King,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::notation::usi;

    fn value(sfen: &str, mv: &str) -> i32 {
        let position = Position::from_sfen(sfen).unwrap();
        let mv = usi::parse_move(mv).unwrap();
        assert!(position.is_legal(mv));
        let value = see(&position, mv);
        assert_eq!(is_good(&position, mv), value >= 0);
        value
    }

    #[test]
    fn a_free_pawn_is_its_swing() {
        assert_eq!(value("4k4/9/9/9/4p4/4L4/9/9/4K4 b - 1", "5f5e"), 210);
    }

    #[test]
    fn a_guarded_pawn_costs_the_lance() {
        assert_eq!(value("4k4/9/9/5g3/4p4/4L4/9/9/4K4 b - 1", "5f5e"), 210 - 580);
    }

    #[test]
    fn a_rook_behind_a_lance_joins_in() {
        let (lone, backed) =
            ("4k4/9/9/4p4/4n4/4L4/9/9/4K4 b - 1", "4k4/9/9/4p4/4n4/4L4/4R4/9/4K4 b - 1");
        assert_eq!(value(lone, "5f5e"), 620 - 580);
        assert_eq!(value(backed, "5f5e"), 620 - 580 + 210);
    }

    #[test]
    fn a_king_takes_only_what_is_not_guarded() {
        assert_eq!(value("9/9/9/4k4/4p4/4L4/9/9/4K4 b - 1", "5f5e"), 210 - 580);
        assert_eq!(value("9/9/9/4k4/4p4/4L4/4R4/9/4K4 b - 1", "5f5e"), 210);
    }

    #[test]
    fn promotion_counts_for_the_move_itself() {
        // The pawn promotes unguarded: a promoted pawn less a pawn.
        assert_eq!(value("k8/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+"), 590 - 210);
        // Guarded by a gold: the promoted pawn is lost.
        assert_eq!(value("k8/4g4/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+"), 590 - 210 - 590);
    }

    #[test]
    fn a_drop_gains_nothing_and_may_lose() {
        assert_eq!(value("4k4/9/9/9/4p4/9/9/9/4K4 b G 1", "G*5g"), 0);
        assert_eq!(value("4k4/9/9/9/4p4/9/9/9/4K4 b G 1", "G*5f"), -1030);
    }

    #[test]
    fn a_pinned_guard_does_not_take() {
        // The gold on 5b is pinned by the lance on 5h and cannot take on 4c.
        assert_eq!(value("4k4/4g4/5p3/9/5L3/9/9/4L4/K8 b - 1", "4e4c+"), 210 + 770 - 580);
        // Without the pin it takes.
        assert_eq!(value("4k4/4g4/5p3/9/5L3/9/9/9/K8 b - 1", "4e4c+"), 210 + 190 - 770);
    }
}
