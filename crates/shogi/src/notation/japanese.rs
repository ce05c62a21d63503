//! Sides, pieces, squares, hands and moves in Japanese.

use std::fmt::Write as _;

use crate::{Color, Hand, Move, Piece, PieceKind, Position, Square};

/// The one-character name of a kind, as on the boards of KIF files: `歩`, `と`, `竜`.
pub const fn piece_name(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Pawn => "歩",
        PieceKind::Lance => "香",
        PieceKind::Knight => "桂",
        PieceKind::Silver => "銀",
        PieceKind::Gold => "金",
        PieceKind::Bishop => "角",
        PieceKind::Rook => "飛",
        PieceKind::King => "玉",
        PieceKind::ProPawn => "と",
        PieceKind::ProLance => "杏",
        PieceKind::ProKnight => "圭",
        PieceKind::ProSilver => "全",
        PieceKind::Horse => "馬",
        PieceKind::Dragon => "竜",
    }
}

/// `▲` for black (sente), `△` for white (gote).
pub const fn side_mark(color: Color) -> &'static str {
    match color {
        Color::Black => "▲",
        Color::White => "△",
    }
}

/// `先手` and `後手`. In a handicap game `下手` and `上手`, of which `上手` gives the handicap.
pub const fn side_name(color: Color, is_handicap: bool) -> &'static str {
    match (color, is_handicap) {
        (Color::Black, false) => "先手",
        (Color::White, false) => "後手",
        (Color::Black, true) => "下手",
        (Color::White, true) => "上手",
    }
}

/// A rank, 1 to 9, as the character at the board's edge: `一`.
pub fn rank(rank: u8) -> &'static str {
    ["一", "二", "三", "四", "五", "六", "七", "八", "九"]
        .get(usize::from(rank).wrapping_sub(1))
        .copied()
        .unwrap_or("？")
}

/// A file, 1 to 9, as the full-width digit above the board: `１`.
pub fn file(file: u8) -> &'static str {
    ["１", "２", "３", "４", "５", "６", "７", "８", "９"]
        .get(usize::from(file).wrapping_sub(1))
        .copied()
        .unwrap_or("？")
}

/// A count below 100 in numerals: `二`, `十`, `十八`.
pub fn count(count: u8) -> String {
    let mut text = String::new();
    let tens = count / 10 % 10;
    if tens > 1 {
        text.push_str(rank(tens));
    }
    if tens > 0 {
        text.push('十');
    }
    if !count.is_multiple_of(10) {
        text.push_str(rank(count % 10));
    }
    text
}

/// `飛 角 歩三`, dearest first, or `なし` for an empty hand.
pub fn hand(hand: Hand) -> String {
    let mut text = String::new();
    for (kind, held) in hand.iter().rev() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(piece_name(kind));
        if held > 1 {
            text.push_str(&count(held));
        }
    }
    if text.is_empty() { "なし".to_owned() } else { text }
}

/// A move made in `position`: `▲７六歩(77)`, `△同　角成(88)`, `▲５五角打`.
///
/// `before` is the square of the move before it. A move that does not fit the position is written in USI.
pub fn move_text(position: &Position, mv: Move, before: Option<Square>) -> String {
    let mut text = side_mark(position.side_to_move()).to_owned();
    let moved = match mv.from() {
        Some(from) => position.piece_on(from).map(Piece::kind),
        None => mv.dropped(),
    };
    let Some(kind) = moved else {
        let _ = write!(text, "{mv}");
        return text;
    };
    if before == Some(mv.to()) {
        text.push_str("同　");
    } else {
        text.push_str(file(mv.to().file()));
        text.push_str(rank(mv.to().rank()));
    }
    text.push_str(piece_name(kind));
    match mv.from() {
        None => text.push('打'),
        Some(from) => {
            if mv.is_promotion() {
                text.push('成');
            }
            let _ = write!(text, "({}{})", from.file(), from.rank());
        }
    }
    text
}

/// A line of moves from `position` on, as far as they can be made.
pub fn line(position: &Position, moves: &[Move], before: Option<Square>) -> String {
    let mut position = position.clone();
    let mut before = before;
    let mut text = String::new();
    for &it in moves {
        if !position.is_legal(it) {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&move_text(&position, it, before));
        before = Some(it.to());
        position.do_move(it);
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::notation::usi;

    use super::*;

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).unwrap()
    }

    fn moves(words: &str) -> Vec<Move> {
        words.split(' ').map(|word| usi::parse_move(word).unwrap()).collect()
    }

    #[test]
    fn a_line_of_moves_reads_like_a_record() {
        let line = line(&Position::startpos(), &moves("7g7f 3c3d 8h2b+ 3a2b B*5e 9a9i"), None);
        assert_eq!(line, "▲７六歩(77) △３四歩(33) ▲２二角成(88) △同　銀(31) ▲５五角打");
    }

    #[test]
    fn hands_count_in_japanese() {
        let both = position("4k4/9/9/9/9/9/9/9/4K4 b R2B18P 1");
        assert_eq!(hand(both.hand(Color::Black)), "飛 角二 歩十八");
        assert_eq!(hand(both.hand(Color::White)), "なし");
        let ten = position("4k4/9/9/9/9/9/9/9/4K4 b 10P 1");
        assert_eq!(hand(ten.hand(Color::Black)), "歩十");
        assert_eq!(
            [0, 1, 10, 11, 18, 20, 99].map(count),
            ["", "一", "十", "十一", "十八", "二十", "九十九"]
        );
    }
}
