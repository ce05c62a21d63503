//! Moves that give check.

use super::board::{self, Targets};
use super::drops;
use super::sink::Sink;
use crate::shogi::{Bitboard, MoveList, PieceKind, Position, attacks, line};

/// The legal moves that give check, direct ones and discovered ones.
pub(in crate::shogi) fn checks(position: &Position, list: &mut MoveList) {
    let us = position.side_to_move();
    let Some(king) = position.king_square(!us) else { return };
    if position.is_exposed() {
        // Set up by hand: nearly every move leaves the other king in check.
        list.extend(position.legal_moves().into_iter().filter(|&mv| position.gives_check(mv)));
        return;
    }
    let occupied = position.occupied();
    // From where a piece of each kind checks the king: the squares it would attack from the king's.
    let checking = |kind: PieceKind| attacks(kind, !us, king, occupied);
    let discoverers = position.discoverers(us);
    let free = position.enterable();
    let off_line = |from| !line(king, from);

    if let Some(own) = position.king_square(us)
        && discoverers.contains(own)
    {
        board::king(position, free & off_line(own), list);
    }
    board_checks(position, list, free, &checking, discoverers, &off_line);
    let empty = !occupied & position.answers();
    let hand = position.hand(us);
    for kind in PieceKind::HAND {
        if hand.has(kind) {
            let mut targets = empty & checking(kind);
            targets = match kind {
                PieceKind::Pawn => drops::pawn_targets(position, targets),
                _ => targets & !Bitboard::far_ranks(us, kind.dead_ranks()),
            };
            list.drops(kind, targets);
        }
    }
}

fn board_checks(
    position: &Position,
    list: &mut MoveList,
    free: Bitboard,
    checking: &impl Fn(PieceKind) -> Bitboard,
    discoverers: Bitboard,
    off_line: &impl Fn(crate::shogi::Square) -> Bitboard,
) {
    let us = position.side_to_move();
    let answers = position.answers();
    if answers.is_empty() {
        return;
    }
    let pinned = position.pinned(us);
    for kind in PieceKind::ALL {
        let pieces = position.pieces(us, kind);
        if kind == PieceKind::King || pieces.is_empty() {
            continue;
        }
        let plain = checking(kind);
        let promoting = kind.promoted().map_or(Bitboard::EMPTY, checking);
        for from in pieces {
            let mut within = free & answers;
            if pinned.contains(from) {
                match position.king_square(us) {
                    Some(king) if !position.in_check() => within &= line(king, from),
                    _ => continue,
                }
            }
            let discovered =
                if discoverers.contains(from) { off_line(from) } else { Bitboard::EMPTY };
            let targets = Targets {
                plain: (plain | discovered) & within,
                promoting: (promoting | discovered) & within,
            };
            board::from_square(position, kind, from, targets, list);
        }
    }
}
