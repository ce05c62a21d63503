//! The numbers of the weights of learned move probabilities.
//!
//! Squares are seen from the side of the king named: the board is turned for white, and mirrored if that king is on its
//! files 6 to 9, as for the evaluation.

use kyomi_shogi::{Color, Position, Square};

/// Squares of a king on a mirrored board.
pub(super) const KINGS: usize = 45;
/// Classes of moves: the kind after a move on the board, or 14 and the kind dropped.
pub(in crate::search::interest) const CLASSES: usize = 21;
/// Kinds of pieces.
pub(super) const KINDS: usize = 14;
pub(super) const SQUARES: usize = 81;

/// `[own, enemy][king][class][target]`.
const TARGET: usize = 0;
/// `[own, enemy][king][kind][origin]`.
const ORIGIN: usize = TARGET + 2 * KINGS * CLASSES * SQUARES;
/// `[kind][promotes]`.
pub(in crate::search::interest) const PROMOTION: usize = ORIGIN + 2 * KINGS * KINDS * SQUARES;
/// `[kind][attacked, guarded]`: the piece before the move.
pub(in crate::search::interest) const SAFETY: usize = PROMOTION + KINDS * 2;
/// `[victim][kind]`.
pub(in crate::search::interest) const CAPTURE: usize = SAFETY + KINDS * 4;
/// `[kind]`: takes the piece that has just moved.
pub(in crate::search::interest) const RECAPTURE: usize = CAPTURE + KINDS * KINDS;
/// `[class]`: gives check.
pub(in crate::search::interest) const CHECK: usize = RECAPTURE + KINDS;
/// `[class]`: the other side attacks the target.
pub(in crate::search::interest) const ATTACKED: usize = CHECK + CLASSES;
/// `[class][captures]`: loses by exchange.
pub(in crate::search::interest) const BAD: usize = ATTACKED + CLASSES;
/// The number of weights in the file.
pub(in crate::search::interest) const WEIGHTS: usize = BAD + CLASSES * 2;

/// The view of a side with its king on a square.
#[derive(Debug, Clone, Copy)]
pub(super) struct KingView {
    pub(super) color: Color,
    pub(super) mirrored: bool,
    /// Its file and its rank in the view, from 0.
    pub(super) file: usize,
    pub(super) rank: usize,
}

impl KingView {
    /// A missing king counts as on its first square.
    pub(super) fn new(color: Color, king: Option<Square>) -> Self {
        let plain = Self { color, mirrored: false, file: 4, rank: 8 };
        let Some(king) = king else { return plain };
        let (file, rank) = plain.place(king);
        let mirrored = file > 4;
        Self { color, mirrored, file: if mirrored { 8 - file } else { file }, rank }
    }

    /// File and rank of a square in the view, from 0.
    fn place(self, square: Square) -> (usize, usize) {
        let rank = usize::from(square.rank_for(self.color) - 1);
        let file = match self.color {
            Color::Black => usize::from(square.file() - 1),
            Color::White => usize::from(9 - square.file()),
        };
        (if self.mirrored { 8 - file } else { file }, rank)
    }

    pub(super) const fn king(self) -> usize {
        self.file * 9 + self.rank
    }

    /// The number of a square in the view, and that of its place relative to the king.
    pub(super) fn seen(self, square: Square) -> (usize, usize) {
        let (file, rank) = self.place(square);
        (file * 9 + rank, (file + 8 - self.file) * 17 + rank + 8 - self.rank)
    }
}

pub(super) const fn target(side: usize, king: usize, class: usize, square: usize) -> usize {
    TARGET + ((side * KINGS + king) * CLASSES + class) * SQUARES + square
}

pub(super) const fn origin(side: usize, king: usize, kind: usize, square: usize) -> usize {
    ORIGIN + ((side * KINGS + king) * KINDS + kind) * SQUARES + square
}

/// The number of the weight of a target, or of an origin, of a move of a side. `own` is whether it is seen from the
/// king of that side.
pub(super) fn square_weight(
    mover: Color,
    own: bool,
    king: Square,
    class: Class,
    square: Square,
) -> usize {
    let view = KingView::new(if own { mover } else { !mover }, Some(king));
    let (side, (square, _)) = (usize::from(!own), view.seen(square));
    match class {
        Class::Target(class) => target(side, view.king(), class, square),
        Class::Origin(kind) => origin(side, view.king(), kind, square),
    }
}

/// A class of targets, or a kind of origins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Class {
    Target(usize),
    Origin(usize),
}

/// The numbers of the views of both kings, for the side to move: `[mover][own, enemy][king]`. A missing king counts as
/// on its first square.
#[inline]
pub(in crate::search::interest) fn real_views(position: &Position) -> [usize; 2] {
    let us = position.side_to_move();
    let king = |color: Color| {
        position.king_square(color).map_or_else(|| HOME[color.index()], Square::index)
    };
    let first = us.index() * 2 * Square::COUNT;
    [first + king(us), first + Square::COUNT + king(!us)]
}

/// The index of the first square of each king: 5i and 5a.
const HOME: [usize; 2] = [4 * 9 + 8, 4 * 9];
