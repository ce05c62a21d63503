//! Moves on the board.

use super::sink::Sink;
use crate::{Bitboard, PieceKind, Position, attacks, line};

/// The squares that pieces may go to: `plain` without promotion, `promoting` with promotion.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    pub(super) plain: Bitboard,
    pub(super) promoting: Bitboard,
}

/// The king's moves within `targets`, to squares that are not attacked after it has left its own.
#[inline(always)]
pub(super) fn king(position: &Position, targets: Bitboard, sink: &mut impl Sink) {
    let us = position.side_to_move();
    let Some(from) = position.king_square(us) else { return };
    let without = position.occupied().without(from);
    let safe = attacks::king(from) & targets & !position.steps(!us);
    let safe = safe.iter().filter(|&to| !position.is_aimed_at(to, !us, without)).collect();
    sink.moves(from, safe, false);
}

/// The moves of all pieces except the king within `targets`.
#[inline(always)]
pub(super) fn pieces(position: &Position, targets: Targets, sink: &mut impl Sink) {
    let us = position.side_to_move();
    let answers = position.answers();
    if answers.is_empty() {
        return;
    }
    let targets =
        Targets { plain: targets.plain & answers, promoting: targets.promoting & answers };
    let pinned = position.pinned(us);
    pawns(position, position.pieces(us, PieceKind::Pawn) & !pinned, targets, sink);
    // Written out, so that each is compiled for its kind.
    for from in position.golds(us) & !pinned {
        from_square(position, PieceKind::Gold, from, targets, sink);
    }
    for from in position.pieces(us, PieceKind::Silver) & !pinned {
        from_square(position, PieceKind::Silver, from, targets, sink);
    }
    for from in position.pieces(us, PieceKind::Knight) & !pinned {
        from_square(position, PieceKind::Knight, from, targets, sink);
    }
    for from in position.pieces(us, PieceKind::Lance) & !pinned {
        from_square(position, PieceKind::Lance, from, targets, sink);
    }
    for from in position.pieces(us, PieceKind::Bishop) & !pinned {
        from_square(position, PieceKind::Bishop, from, targets, sink);
    }
    for from in position.pieces(us, PieceKind::Rook) & !pinned {
        from_square(position, PieceKind::Rook, from, targets, sink);
    }
    for from in position.pieces(us, PieceKind::Horse) & !pinned {
        from_square(position, PieceKind::Horse, from, targets, sink);
    }
    for from in position.pieces(us, PieceKind::Dragon) & !pinned {
        from_square(position, PieceKind::Dragon, from, targets, sink);
    }
    if pinned.any() && !position.in_check() {
        let Some(king) = position.king_square(us) else { return };
        for from in pinned {
            let Some(piece) = position.piece_on(from) else { continue };
            let line = line(king, from);
            let targets =
                Targets { plain: targets.plain & line, promoting: targets.promoting & line };
            from_square(position, piece.kind(), from, targets, sink);
        }
    }
}

/// The moves of these pawns, all at once.
#[inline(always)]
fn pawns(position: &Position, pawns: Bitboard, targets: Targets, sink: &mut impl Sink) {
    let us = position.side_to_move();
    let ahead = pawns.forward(us);
    sink.pushes(us, ahead & targets.promoting & Bitboard::camp_against(us), true);
    sink.pushes(us, ahead & targets.plain & !Bitboard::far_ranks(us, 1), false);
}

/// The moves of one piece within `targets`, with and without promotion.
#[inline(always)]
pub(super) fn from_square(
    position: &Position,
    kind: PieceKind,
    from: crate::Square,
    targets: Targets,
    sink: &mut impl Sink,
) {
    let us = position.side_to_move();
    let attacked = attacks(kind, us, from, position.occupied());
    let mut plain = attacked & targets.plain;
    if kind.promoted().is_some() {
        let promoting = attacked & targets.promoting & attacks::promoting_from(us, from);
        sink.moves(from, promoting, true);
        plain &= !Bitboard::far_ranks(us, kind.dead_ranks());
    }
    sink.moves(from, plain, false);
}
