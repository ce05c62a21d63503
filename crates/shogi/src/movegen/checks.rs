//! Moves that give check.

use super::board::{self, Targets};
use super::drops;
use super::sink::Sink;
use crate::{Bitboard, Color, MoveList, PieceKind, Position, Square, attacks, line};

/// The legal moves that give direct or discovered check.
pub(crate) fn checks(position: &Position, list: &mut MoveList) {
    chosen(position, list, Bitboard::EMPTY, &|_, _, squares| squares);
}

/// Lists checks. Direct checks are listed only if their target is among the squares that `choose` returns. `choose`
/// gets the kind that checks after the move, whether that piece is dropped, and the squares from which it checks.
/// Checks by the pieces in `free` and discovered checks are always listed.
#[inline]
pub(crate) fn chosen(
    position: &Position,
    list: &mut MoveList,
    free: Bitboard,
    choose: &impl Fn(PieceKind, bool, Bitboard) -> Bitboard,
) {
    let us = position.side_to_move();
    let Some(king) = position.king_square(!us) else { return };
    if position.is_exposed() {
        // Only in set-up positions: nearly every move leaves the other king in check.
        list.extend(position.legal_moves().into_iter().filter(|&mv| position.gives_check(mv)));
        return;
    }
    let checking = Checking::new(position, king);
    let discoverers = position.discoverers(us);
    let enterable = position.enterable();
    if let Some(own) = position.king_square(us)
        && discoverers.contains(own)
    {
        board::king(position, enterable & !line(king, own), list);
    }
    let answers = position.answers();
    board_checks(position, list, enterable & answers, &checking, free | discoverers, choose);
    let empty = !position.occupied() & answers;
    let hand = position.hand(us);
    for kind in PieceKind::HAND {
        if hand.has(kind) {
            let mut targets = empty & choose(kind, true, checking.from(kind));
            targets = match kind {
                PieceKind::Pawn => drops::pawn_targets(position, targets),
                _ => targets & !Bitboard::far_ranks(us, kind.dead_ranks()),
            };
            list.drops(kind, targets);
        }
    }
}

/// The squares from which the side to move checks a king.
struct Checking {
    us: Color,
    king: Square,
    /// The squares that a bishop and a rook would attack from the king's square.
    bishop: Bitboard,
    rook: Bitboard,
}

impl Checking {
    fn new(position: &Position, king: Square) -> Self {
        let occupied = position.occupied();
        let [bishop, rook] = [attacks::bishop(king, occupied), attacks::rook(king, occupied)];
        Self { us: position.side_to_move(), king, bishop, rook }
    }

    /// The squares from which a piece of this kind checks: those that it would attack from the king's square.
    #[inline]
    fn from(&self, kind: PieceKind) -> Bitboard {
        let (them, king) = (!self.us, self.king);
        match kind {
            PieceKind::Lance => self.rook & attacks::lance_ray(them, king),
            PieceKind::Bishop => self.bishop,
            PieceKind::Rook => self.rook,
            PieceKind::Horse => self.bishop | attacks::king(king),
            PieceKind::Dragon => self.rook | attacks::king(king),
            kind => attacks(kind, them, king, Bitboard::EMPTY),
        }
    }
}

fn board_checks(
    position: &Position,
    list: &mut MoveList,
    targets: Bitboard,
    checking: &Checking,
    free: Bitboard,
    choose: &impl Fn(PieceKind, bool, Bitboard) -> Bitboard,
) {
    if targets.is_empty() {
        return;
    }
    let us = position.side_to_move();
    let king = checking.king;
    let (discoverers, pinned) = (position.discoverers(us), position.pinned(us));
    for kind in PieceKind::ALL {
        let pieces = position.pieces(us, kind) & (attacks::may_check(kind, us, king) | discoverers);
        if kind == PieceKind::King || pieces.is_empty() {
            continue;
        }
        // All squares, and those that are chosen.
        let by_kind = |kind: PieceKind| {
            let squares = checking.from(kind);
            [squares, choose(kind, false, squares)]
        };
        let plain = by_kind(kind);
        let promoting = kind.promoted().map_or([Bitboard::EMPTY; 2], by_kind);
        for from in pieces {
            let which = usize::from(!free.contains(from));
            let (plain, promoting) = (plain[which], promoting[which]);
            let mut within = targets;
            if pinned.contains(from) {
                match position.king_square(us) {
                    Some(own) if !position.in_check() => within &= line(own, from),
                    _ => continue,
                }
            }
            let discovered =
                if discoverers.contains(from) { !line(king, from) } else { Bitboard::EMPTY };
            let targets = Targets {
                plain: (plain | discovered) & within,
                promoting: (promoting | discovered) & within,
            };
            if (targets.plain | targets.promoting).any() {
                board::from_square(position, kind, from, targets, list);
            }
        }
    }
}
