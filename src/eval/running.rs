//! The sum over pieces, carried along from move to move.

use crate::shogi::{Color, Move, Piece, PieceKind, Position, Square};

use super::{board_value, hand_value, piece_square, relations};

/// Material, piece-square values and relations to both kings, from black's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Running {
    /// Material on the board and in hand, and piece-square values.
    base: i32,
    /// Relations of all pieces to each side's king, `[color]`.
    king: [i32; 2],
}

impl Running {
    /// The sum of a position.
    pub fn of(position: &Position) -> Self {
        let mut base = 0;
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                base += on_board(piece, square);
            }
        }
        for (color, sign) in [(Color::Black, 1), (Color::White, -1)] {
            for (kind, count) in position.hand(color).iter() {
                base += sign * hand_value(kind) * i32::from(count);
            }
        }
        Self { base, king: Color::ALL.map(|color| around_king(position, color)) }
    }

    /// The sum after a legal move, of which the position before it and the one after it are given.
    #[inline]
    #[must_use]
    pub fn after(mut self, mv: Move, captured: Option<Piece>, after: &Position) -> Self {
        let mover = !after.side_to_move();
        let sign = sign(mover);
        let to = mv.to();
        let Some(piece) = after.piece_on(to) else { return self };
        if let Some(captured) = captured {
            self.base -= on_board(captured, to);
            self.base += sign * hand_value(captured.kind().unpromoted());
            self.change_relations(after, captured, to, -1);
        }
        self.base += on_board(piece, to);
        match mv.from() {
            None => {
                self.base -= sign * hand_value(piece.kind());
                self.change_relations(after, piece, to, 1);
            }
            Some(from) => {
                let before = if mv.is_promotion() {
                    Piece::new(mover, piece.kind().unpromoted())
                } else {
                    piece
                };
                self.base -= on_board(before, from);
                if piece.kind() == PieceKind::King {
                    self.king[mover.index()] = around_king(after, mover);
                } else {
                    self.change_relations(after, before, from, -1);
                    self.change_relations(after, piece, to, 1);
                }
            }
        }
        self
    }

    /// All together, from black's view.
    #[inline]
    pub fn total(&self) -> i32 {
        self.base + self.king[0] + self.king[1]
    }

    #[inline]
    fn change_relations(&mut self, position: &Position, piece: Piece, square: Square, times: i32) {
        if piece.kind() == PieceKind::King {
            return;
        }
        for color in Color::ALL {
            if let Some(king) = position.king_square(color) {
                self.king[color.index()] += times * relations::bonus(piece, square, color, king);
            }
        }
    }
}

/// What a piece on a square adds, from black's view; relations to both kings included.
pub(super) fn piece_total(position: &Position, piece: Piece, square: Square) -> i32 {
    let mut sum = on_board(piece, square);
    if piece.kind() != PieceKind::King {
        for color in Color::ALL {
            if let Some(king) = position.king_square(color) {
                sum += relations::bonus(piece, square, color, king);
            }
        }
    }
    sum
}

#[inline]
fn on_board(piece: Piece, square: Square) -> i32 {
    let (kind, color) = (piece.kind(), piece.color());
    sign(color) * (board_value(kind) + piece_square::bonus(kind, color, square))
}

/// Relations of all pieces to one king; 0 where that king is missing.
fn around_king(position: &Position, color: Color) -> i32 {
    let Some(king) = position.king_square(color) else { return 0 };
    let mut sum = 0;
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square)
            && piece.kind() != PieceKind::King
        {
            sum += relations::bonus(piece, square, color, king);
        }
    }
    sum
}

const fn sign(color: Color) -> i32 {
    match color {
        Color::Black => 1,
        Color::White => -1,
    }
}
