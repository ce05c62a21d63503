//! The board as lines of text, with the last move marked. Pieces have Japanese names, white's preceded by `v`, or SFEN
//! letters.

use crate::report::Script;
use kyomi_shogi::{
    Color, Move, Position, Square,
    notation::{japanese, sfen},
};

use super::style::{Line, Style};

/// The width of the Japanese board in columns, with frame and edge. The board with letters is narrower.
pub(super) const WIDTH: usize = 2 + 9 * 4 + 2;

/// The board as twelve lines: files, frame, nine ranks, frame. Black plays upwards.
///
/// The last move's piece is followed by `]`; the square it left is enclosed in `(` and `)`.
pub(crate) fn draw(position: &Position, last: Option<Move>, script: Script) -> Vec<Line> {
    let mut lines = Vec::with_capacity(12);
    let (files, square_width) = match script {
        Script::Japanese => ((1..=9).rev().map(japanese::file).collect::<Vec<_>>().join("  "), 4),
        Script::Letters => ("9  8  7  6  5  4  3  2  1".to_owned(), 3),
    };
    lines.push(Line::styled(Style::Faint, format!("  {files}")));
    let frame = || Line::styled(Style::Faint, format!("+{}+", "-".repeat(9 * square_width)));
    lines.push(frame());
    for rank in 1..=9 {
        let mut line = Line::styled(Style::Faint, "|");
        for file in (1..=9).rev() {
            if let Some(square) = Square::new(file, rank) {
                push_square(&mut line, position, square, last, script);
            }
        }
        let edge = match script {
            Script::Japanese => japanese::rank(rank).to_owned(),
            Script::Letters => char::from(b'a' - 1 + rank).to_string(),
        };
        line.push(Style::Faint, format!("|{edge}"));
        lines.push(line);
    }
    lines.push(frame());
    lines
}

fn push_square(
    line: &mut Line,
    position: &Position,
    square: Square,
    last: Option<Move>,
    script: Script,
) {
    let moved_here = last.is_some_and(|mv| mv.to() == square);
    let left = last.and_then(Move::from) == Some(square);
    let Some(piece) = position.piece_on(square) else {
        let empty = match script {
            Script::Japanese => '・',
            Script::Letters => '.',
        };
        if left {
            line.push(Style::Marked, format!("({empty})"));
        } else {
            line.push(Style::Faint, format!(" {empty} "));
        }
        return;
    };
    let style = match piece.color() {
        Color::Black => Style::Plain,
        Color::White => Style::Other,
    };
    // One column for a sign, often blank, then the name.
    let text = match script {
        Script::Japanese => {
            let sign = if piece.color() == Color::White { 'v' } else { ' ' };
            format!("{sign}{}", japanese::piece_name(piece.kind()))
        }
        Script::Letters => format!("{:>2}", sfen::piece_letters(piece)),
    };
    if moved_here {
        let open = text.replacen(' ', "[", 1);
        line.push(Style::Marked, format!("{open}]"));
    } else {
        line.push(style, format!("{text} "));
    }
}

/// A text in which of a board only the ranks with a mark are left.
#[cfg(test)]
pub(super) fn marked_ranks_only(text: &str) -> String {
    let is_board = |line: &str| line.trim_start().starts_with(['|', '+', '９', '9']);
    let is_plain = |line: &str| is_board(line) && !line.contains(['[', ']', '(']);
    text.split_inclusive('\n').filter(|line| !is_plain(line)).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use kyomi_shogi::{Game, notation::usi};

    use super::{super::style::Paint, *};

    fn check_japanese(line: &str, expected: &Expect) {
        check(line, Script::Japanese, expected);
    }

    fn check(line: &str, script: Script, expected: &Expect) {
        let game: Game = usi::parse_position_line(line).unwrap();
        let lines = draw(game.position(), game.moves().last().copied(), script);
        let text: Vec<_> = lines.iter().map(|line| line.render(80, Paint::Plain)).collect();
        assert!(lines.iter().all(|line| line.width() <= WIDTH + 1));
        expected.assert_eq(&text.join("\n"));
    }

    #[test]
    fn the_start_position() {
        check_japanese(
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
        check_japanese(
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
        check_japanese(
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

    #[test]
    fn letters_are_those_of_sfen() {
        check(
            "position startpos moves 7g7f 3c3d 8h2b+",
            Script::Letters,
            &expect![[r#"
              9  8  7  6  5  4  3  2  1
            +---------------------------+
            | l  n  s  g  k  g  s  n  l |a
            | .  r  .  .  .  .  . +B] . |b
            | p  p  p  p  p  p  .  p  p |c
            | .  .  .  .  .  .  p  .  . |d
            | .  .  .  .  .  .  .  .  . |e
            | .  .  P  .  .  .  .  .  . |f
            | P  P  .  P  P  P  P  P  P |g
            | . (.) .  .  .  .  .  R  . |h
            | L  N  S  G  K  G  S  N  L |i
            +---------------------------+"#]],
        );
    }
}
