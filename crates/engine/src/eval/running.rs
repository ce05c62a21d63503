//! The sum over pieces, which is updated from move to move.

use kyomi_shogi::{Color, Move, Piece, PieceKind, Position, Square};

use super::{
    layout::View,
    pairs, progress,
    weights::TaperedWeight,
    weights::{Sink, Sum},
};

/// The running sum: the values of pieces on the board and in hand, which depend on the squares of the kings, and the
/// progress of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RunningSum {
    /// The sum from the view of each side, `[color]`. It counts for that side.
    sides: [TaperedWeight; 2],
    /// The sum over pairs of pieces near each other, from black's view.
    pairs: TaperedWeight,
    /// The sum over pieces of [`progress`].
    progress: i32,
}

impl RunningSum {
    /// The sum of a position.
    pub(super) fn of(position: &Position) -> Self {
        Self {
            sides: Color::ALL.map(|color| of_side(position, color)),
            pairs: pairs::of(position),
            progress: progress::sum(position),
        }
    }

    /// The sum after a legal move. `captured` is the piece it captured, `after` the position after it.
    #[inline]
    #[must_use]
    pub(super) fn after(mut self, mv: Move, captured: Option<Piece>, after: &Position) -> Self {
        let mover = !after.side_to_move();
        let to = mv.to();
        let Some(piece) = after.piece_on(to) else { return self };
        let moved = match mv.from() {
            None => Moved::Dropped,
            Some(from) if mv.is_promotion() => {
                Moved::From(from, Piece::new(mover, piece.kind().unpromoted()))
            }
            Some(from) => Moved::From(from, piece),
        };
        self.progress += progress::on_board(piece, to)
            - match moved {
                Moved::Dropped => progress::in_hand(piece.kind()),
                Moved::From(from, before) => progress::on_board(before, from),
            };
        self.pairs += pairs::sum_with_neighbors(after, (piece, to), to);
        if let Moved::From(from, before) = moved {
            self.pairs -= pairs::sum_with_neighbors(after, (before, from), to);
            if let Some(captured) = captured {
                self.pairs -= pairs::pair_weight((before, from), (captured, to));
            }
        }
        if let Some(captured) = captured {
            self.pairs -= pairs::sum_with_neighbors(after, (captured, to), to);
            self.progress +=
                progress::in_hand(captured.kind().unpromoted()) - progress::on_board(captured, to);
        }
        for color in Color::ALL {
            if piece.kind() == PieceKind::King && color == mover {
                self.sides[color.index()] = of_side(after, color);
                continue;
            }
            let view = View::new(color, after.king_square(color));
            let side = &mut self.sides[color.index()];
            *side += TaperedWeight::of(view.piece(piece, to));
            let hand = |kind: PieceKind| after.hand(mover).count(kind);
            match moved {
                Moved::Dropped => {
                    let count = hand(piece.kind());
                    *side += TaperedWeight::of(view.hand(mover, piece.kind(), count));
                    *side -= TaperedWeight::of(view.hand(mover, piece.kind(), count + 1));
                }
                Moved::From(from, before) => {
                    *side -= TaperedWeight::of(view.piece(before, from));
                }
            }
            if let Some(captured) = captured {
                let kind = captured.kind().unpromoted();
                let count = hand(kind);
                *side -= TaperedWeight::of(view.piece(captured, to));
                *side += TaperedWeight::of(view.hand(mover, kind, count));
                *side -= TaperedWeight::of(view.hand(mover, kind, count.saturating_sub(1)));
            }
        }
        self
    }

    /// The total from black's view.
    #[inline]
    pub(super) fn total(&self) -> TaperedWeight {
        self.sides[0] - self.sides[1] + self.pairs
    }

    /// The progress of the game, 0 ..= [`progress::WHOLE`].
    #[inline]
    pub(super) fn progress(&self) -> i32 {
        progress::of_sum(self.progress)
    }
}

/// How a piece came to its square.
#[derive(Clone, Copy)]
enum Moved {
    Dropped,
    /// From a square, on which it was this piece.
    From(Square, Piece),
}

fn of_side(position: &Position, color: Color) -> TaperedWeight {
    let mut sum = Sum::default();
    add_king_relative(position, color, &mut sum);
    sum.0
}

/// Puts the features of all pieces from the view of a side into `sink`.
pub(super) fn add_king_relative<S: Sink>(position: &Position, color: Color, sink: &mut S) {
    let view = View::new(color, position.king_square(color));
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            sink.add_king_relative(view.piece(piece, square));
        }
    }
    for side in Color::ALL {
        for (kind, count) in position.hand(side).iter() {
            sink.add_king_relative(view.hand(side, kind, count));
        }
    }
}
