//! The board as lines of text: Japanese pieces, white's marked `v`, the last move marked.

use crate::shogi::{Color, Move, Position, Square, notation::japanese};

use super::style::{Line, Style};

/// Columns of the board with its frame and edge.
pub(super) const WIDTH: usize = 2 + 9 * 4 + 2;

/// Twelve lines: files, frame, nine ranks, frame. Black plays upwards.
///
/// The piece that has just moved stands before a `]`, the square that it left between `(` and `)`.
pub(super) fn draw(position: &Position, last: Option<Move>) -> Vec<Line> {
    let mut lines = Vec::with_capacity(12);
    let files: Vec<_> = (1..=9).rev().map(japanese::file).collect();
    lines.push(Line::styled(Style::Faint, format!("  {}", files.join("  "))));
    let frame = || Line::styled(Style::Faint, format!("+{}+", "-".repeat(9 * 4)));
    lines.push(frame());
    for rank in 1..=9 {
        let mut line = Line::styled(Style::Faint, "|");
        for file in (1..=9).rev() {
            if let Some(square) = Square::new(file, rank) {
                square_into(&mut line, position, square, last);
            }
        }
        line.push(Style::Faint, format!("|{}", japanese::rank(rank)));
        lines.push(line);
    }
    lines.push(frame());
    lines
}

fn square_into(line: &mut Line, position: &Position, square: Square, last: Option<Move>) {
    let moved_here = last.is_some_and(|mv| mv.to() == square);
    let left = last.and_then(Move::from) == Some(square);
    let Some(piece) = position.piece_on(square) else {
        let (style, empty) = if left { (Style::Marked, "(・)") } else { (Style::Faint, " ・ ") };
        line.push(style, empty);
        return;
    };
    let name = japanese::piece_name(piece.kind());
    let (style, sign) = match piece.color() {
        Color::Black => (Style::Plain, ' '),
        Color::White => (Style::Other, 'v'),
    };
    if moved_here {
        let open = if sign == 'v' { 'v' } else { '[' };
        line.push(Style::Marked, format!("{open}{name}]"));
    } else {
        line.push(style, format!("{sign}{name} "));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::shogi::{Game, notation::usi};

    use super::{super::style::Paint, *};

    fn drawn(line: &str, expected: &Expect) {
        let game: Game = usi::parse_position_line(line).unwrap();
        let lines = draw(game.position(), game.moves().last().copied());
        let text: Vec<_> = lines.iter().map(|line| line.render(80, Paint::Plain)).collect();
        assert!(lines.iter().all(|line| line.width() <= WIDTH + 1));
        expected.assert_eq(&text.join("\n"));
    }

    #[test]
    fn the_start_position() {
        drawn(
            "position startpos",
            &expect![[r#"
              ９  ８  ７  ６  ５  ４  ３  ２  １
            +------------------------------------+
            |v香 v桂 v銀 v金 v玉 v金 v銀 v桂 v香 |一
            | ・ v飛  ・  ・  ・  ・  ・ v角  ・ |二
            |v歩 v歩 v歩 v歩 v歩 v歩 v歩 v歩 v歩 |三
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |四
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |五
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |六
            | 歩  歩  歩  歩  歩  歩  歩  歩  歩 |七
            | ・  角  ・  ・  ・  ・  ・  飛  ・ |八
            | 香  桂  銀  金  玉  金  銀  桂  香 |九
            +------------------------------------+"#]],
        );
    }

    #[test]
    fn the_last_move_is_marked() {
        drawn(
            "position startpos moves 7g7f 3c3d 8h2b+",
            &expect![[r#"
              ９  ８  ７  ６  ５  ４  ３  ２  １
            +------------------------------------+
            |v香 v桂 v銀 v金 v玉 v金 v銀 v桂 v香 |一
            | ・ v飛  ・  ・  ・  ・  ・ [馬] ・ |二
            |v歩 v歩 v歩 v歩 v歩 v歩  ・ v歩 v歩 |三
            | ・  ・  ・  ・  ・  ・ v歩  ・  ・ |四
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |五
            | ・  ・  歩  ・  ・  ・  ・  ・  ・ |六
            | 歩  歩  ・  歩  歩  歩  歩  歩  歩 |七
            | ・ (・) ・  ・  ・  ・  ・  飛  ・ |八
            | 香  桂  銀  金  玉  金  銀  桂  香 |九
            +------------------------------------+"#]],
        );
    }

    #[test]
    fn a_drop_leaves_no_square() {
        drawn(
            "position sfen 4k4/9/9/9/9/9/9/1+R7/4K4 w g2P 1 moves G*5h",
            &expect![[r#"
              ９  ８  ７  ６  ５  ４  ３  ２  １
            +------------------------------------+
            | ・  ・  ・  ・ v玉  ・  ・  ・  ・ |一
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |二
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |三
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |四
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |五
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |六
            | ・  ・  ・  ・  ・  ・  ・  ・  ・ |七
            | ・  竜  ・  ・ v金] ・  ・  ・  ・ |八
            | ・  ・  ・  ・  玉  ・  ・  ・  ・ |九
            +------------------------------------+"#]],
        );
    }
}
