//! Drops.

use super::sink::Sink;
use crate::{Bitboard, PieceKind, Position, attacks};

/// The drops on `targets`, which must be empty squares.
#[inline(always)]
pub(super) fn to(position: &Position, targets: Bitboard, sink: &mut impl Sink) {
    let hand = position.hand(position.side_to_move());
    if hand.is_empty() {
        return;
    }
    let targets = targets & position.answers();
    if targets.is_empty() {
        return;
    }
    if hand.has(PieceKind::Pawn) {
        sink.drops(PieceKind::Pawn, pawn_targets(position, targets));
    }
    let us = position.side_to_move();
    for kind in &PieceKind::HAND[1..] {
        if hand.has(*kind) {
            sink.drops(*kind, targets & !Bitboard::far_ranks(us, kind.dead_ranks()));
        }
    }
}

/// The squares of `targets` on which a pawn may be dropped: not on the last rank, not on a file with an own pawn, and
/// not with mate.
#[inline(always)]
pub(super) fn pawn_targets(position: &Position, targets: Bitboard) -> Bitboard {
    let us = position.side_to_move();
    let files = position.pieces(us, PieceKind::Pawn).free_files();
    let targets = targets & files & !Bitboard::far_ranks(us, 1);
    // The one square from which a pawn gives check.
    let Some(king) = position.king_square(!us) else { return targets };
    match attacks::pawn(!us, king).first() {
        Some(head) if targets.contains(head) && position.is_pawn_drop_mate(head) => {
            targets.without(head)
        }
        _ => targets,
    }
}
