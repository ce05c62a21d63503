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
    let reached = attacks::king(from) & targets;
    if reached.is_empty() {
        return;
    }
    let without = position.occupied().without(from);
    let safe = reached & !position.steps(!us);
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
    // A loop for each kind, so that each is compiled for its kind.
    macro_rules! moves_of {
        ($($kind:ident: $pieces:expr),*) => {
            $(for from in $pieces & !pinned {
                from_square(position, PieceKind::$kind, from, targets, sink);
            })*
        };
    }
    moves_of!(
        Gold: position.golds(us),
        Silver: position.pieces(us, PieceKind::Silver),
        Knight: position.pieces(us, PieceKind::Knight),
        Lance: position.pieces(us, PieceKind::Lance),
        Bishop: position.pieces(us, PieceKind::Bishop),
        Rook: position.pieces(us, PieceKind::Rook),
        Horse: position.pieces(us, PieceKind::Horse),
        Dragon: position.pieces(us, PieceKind::Dragon)
    );
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
