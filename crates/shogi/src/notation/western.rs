//! Moves as readers of English know them (`P7g-7f`, `R2dx2c+`, `B*5e`), for output only.

use super::sfen;
use crate::{Color, Move, Piece, Position};

/// A move made in `position`. A move that does not fit the position is written in USI.
///
/// The letter of the piece is followed by the square it leaves, `-` or for a capture `x`, the square it goes to, and
/// `+` for a promotion. A drop has `*` instead.
pub fn move_text(position: &Position, mv: Move) -> String {
    let Some(from) = mv.from() else { return mv.to_string() };
    let Some(piece) = position.piece_on(from) else { return mv.to_string() };
    let letters = sfen::piece_letters(Piece::new(Color::Black, piece.kind()));
    let sign = if position.is_capture(mv) { 'x' } else { '-' };
    let promotes = if mv.is_promotion() { "+" } else { "" };
    format!("{letters}{from}{sign}{}{promotes}", mv.to())
}

/// A line of moves from `position` on, as far as they can be made.
pub fn line(position: &Position, moves: &[Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        words.push(move_text(&position, mv));
        position.do_move(mv);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::usi;

    #[test]
    fn moves_captures_promotions_and_drops() {
        let game = usi::parse_position_line("startpos moves 7g7f 3c3d").unwrap();
        let text = |position: &Position, text| move_text(position, usi::parse_move(text).unwrap());
        assert_eq!(text(game.start(), "7g7f"), "P7g-7f");
        assert_eq!(text(game.position(), "8h2b+"), "B8hx2b+");
        assert_eq!(text(game.position(), "B*5e"), "B*5e");
        assert_eq!(text(game.position(), "5e5d"), "5e5d");
    }

    #[test]
    fn a_line_ends_before_a_move_that_cannot_be_made() {
        let game = usi::parse_position_line("startpos").unwrap();
        let moves = ["7g7f", "3c3d", "8h2b+", "7g7f"].map(|it| usi::parse_move(it).unwrap());
        assert_eq!(line(game.position(), &moves), "P7g-7f P3c-3d B8hx2b+");
    }
}
