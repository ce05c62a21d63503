//! The words of a move: square, piece, words that distinguish it from others, promotion.

use kyomi_shogi::{Color, PieceKind, Square};

use super::numerals::{arabic, digit, is_blank};

/// A move as it is written, not yet found on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrittenMove {
    /// The side by its mark, if there is one.
    pub(super) mark: Option<Color>,
    /// The target square; `None` for `同`, the target square of the move before.
    pub(super) to: Option<Square>,
    /// The piece before the move.
    pub(super) kind: PieceKind,
    /// Where the piece is, relative to the others.
    pub(super) relative: Option<Relative>,
    /// In which direction it moves.
    pub(super) motion: Option<Motion>,
    /// Whether it promotes; `None` if there is no word for it.
    pub(super) promote: Option<bool>,
    /// Whether it is written as a drop.
    pub(super) is_drop: bool,
    /// The square it comes from.
    pub(super) from: Option<Square>,
}

/// Where a piece is, as its side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relative {
    /// `左`
    Left,
    /// `右`
    Right,
    /// `直`: straight after the target square.
    Straight,
}

/// The direction of a move, as its side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// `上`
    Forward,
    /// `寄`
    Sideways,
    /// `引`
    Backward,
}

/// The mark of a side: `▲`, `☗`, `▼` (black), `△`, `☖`, `▽` (white).
pub(super) fn side_mark(c: char) -> Option<Color> {
    match c {
        '▲' | '☗' | '▼' | '⛊' => Some(Color::Black),
        '△' | '☖' | '▽' | '⛉' => Some(Color::White),
        _ => None,
    }
}

/// The name of a piece within a move, as Kifu for Windows writes it: `歩`, `成香`, `龍`.
pub(crate) const fn piece_word(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::ProLance => "成香",
        PieceKind::ProKnight => "成桂",
        PieceKind::ProSilver => "成銀",
        _ => board_word(kind),
    }
}

/// The name of a piece in one character: `歩`, `杏`, `龍`.
pub(super) const fn board_word(kind: PieceKind) -> &'static str {
    match kind {
        // Some readers know only this character for the dragon.
        PieceKind::Dragon => "龍",
        _ => kyomi_shogi::notation::japanese::piece_name(kind),
    }
}

/// The piece of a one-character name.
pub(super) fn board_piece(c: char) -> Option<PieceKind> {
    Some(match c {
        '歩' => PieceKind::Pawn,
        '香' => PieceKind::Lance,
        '桂' => PieceKind::Knight,
        '銀' => PieceKind::Silver,
        '金' => PieceKind::Gold,
        '角' => PieceKind::Bishop,
        '飛' => PieceKind::Rook,
        '王' | '玉' => PieceKind::King,
        'と' => PieceKind::ProPawn,
        '杏' => PieceKind::ProLance,
        '圭' => PieceKind::ProKnight,
        '全' => PieceKind::ProSilver,
        '馬' => PieceKind::Horse,
        '龍' | '竜' => PieceKind::Dragon,
        _ => return None,
    })
}

/// Whether a line begins with the mark of a side, as lines of moves in KI2 do.
pub(crate) fn begins_with_mark(line: &str) -> bool {
    line.starts_with(['▲', '△', '▼', '▽', '☗', '☖'])
}

/// Whether a move may begin with this character.
pub(crate) fn begins_move(c: char) -> bool {
    side_mark(c).is_some() || arabic(c).is_some() || matches!(c, '同' | '仝')
}

/// Reads the move at the beginning of a text, and returns it with its length in bytes.
pub(super) fn scan(text: &str) -> Option<(WrittenMove, usize)> {
    let mut words = Words { text, at: 0 };
    let mark = words.take(side_mark);
    if mark.is_some() {
        words.skip_blanks();
    }
    let mut to = None;
    if !words.take_same() {
        let file = words.take(arabic)?;
        let rank = words.take(digit)?;
        to = Some(Square::new(file, rank)?);
        // Newspapers repeat the square at the head of a column: ５四同歩.
        words.take_same();
    }
    let kind = words.take_piece()?;
    let mut written = WrittenMove {
        mark,
        to,
        kind,
        relative: None,
        motion: None,
        promote: None,
        is_drop: false,
        from: None,
    };
    words.take_details(&mut written);
    if let Some((file, rank)) = words.take_origin() {
        written.from = Square::new(file, rank);
        // Some programs write a drop so.
        written.is_drop |= (file, rank) == (0, 0);
        if written.from.is_none() && !written.is_drop {
            return None;
        }
    }
    Some((written, words.at))
}

struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl Words<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take<T>(&mut self, read: impl Fn(char) -> Option<T>) -> Option<T> {
        let c = self.peek()?;
        let value = read(c)?;
        self.at += c.len_utf8();
        Some(value)
    }

    fn skip_blanks(&mut self) {
        while self.take(|c| is_blank(c).then_some(())).is_some() {}
    }

    fn take_same(&mut self) -> bool {
        let is_same = self.take(|c| matches!(c, '同' | '仝').then_some(())).is_some();
        if is_same {
            self.skip_blanks();
        }
        is_same
    }

    fn take_piece(&mut self) -> Option<PieceKind> {
        if self.take(|c| (c == '成').then_some(())).is_some() {
            return self.take(|c| match c {
                '香' => Some(PieceKind::ProLance),
                '桂' => Some(PieceKind::ProKnight),
                '銀' => Some(PieceKind::ProSilver),
                _ => None,
            });
        }
        self.take(board_piece)
    }

    /// The words between the piece and the square it comes from.
    fn take_details(&mut self, written: &mut WrittenMove) {
        loop {
            let rest = self.rest();
            // Some programs leave a space for a second character of the piece.
            let blanks = rest.len() - rest.trim_start_matches('　').len();
            let mut coming = rest[blanks..].chars();
            let Some(c) = coming.next() else { return };
            let mut length = c.len_utf8();
            match c {
                '成' => {
                    written.promote = Some(true);
                    if coming.next() == Some('り') {
                        length += 'り'.len_utf8();
                    }
                }
                '不' => {
                    written.promote = Some(false);
                    if coming.next() == Some('成') {
                        length += '成'.len_utf8();
                    }
                }
                '生' => written.promote = Some(false),
                '打' => written.is_drop = true,
                _ if blanks > 0 => return,
                '左' => written.relative = Some(Relative::Left),
                '右' => written.relative = Some(Relative::Right),
                '直' => written.relative = Some(Relative::Straight),
                '上' | '行' | '入' => written.motion = Some(Motion::Forward),
                '寄' => written.motion = Some(Motion::Sideways),
                '引' | '下' => written.motion = Some(Motion::Backward),
                _ => return,
            }
            self.at += blanks + length;
        }
    }

    /// Reads `(77)`, with or without spaces before it. Exactly two digits in brackets are never a time.
    fn take_origin(&mut self) -> Option<(u8, u8)> {
        let text = self.rest();
        let mut rest = text.trim_start_matches(is_blank).chars();
        rest.next().filter(|c| matches!(c, '(' | '（'))?;
        let (file, rank) = (rest.next()?, rest.next()?);
        rest.next().filter(|c| matches!(c, ')' | '）'))?;
        let square = (arabic(file)?, arabic(rank)?);
        self.at += text.len() - rest.as_str().len();
        Some(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_understood_in_all_scripts() {
        let square = |file, rank| Square::new(file, rank);
        for text in [
            "７六歩(77)",
            "76歩(77)",
            "７6歩（７７）",
            "▲７六歩(77)",
            "☗ ７六歩(77)",
            "７六歩 (77)",
            "７六歩　（77）",
        ] {
            let (written, length) = scan(text).unwrap();
            assert_eq!((written.to, written.kind), (square(7, 6), PieceKind::Pawn), "{text}");
            assert_eq!((written.from, length), (square(7, 7), text.len()));
        }
        let (written, _) = scan("△同　成銀左引(31)").unwrap();
        assert_eq!((written.mark, written.to), (Some(Color::White), None));
        assert_eq!(written.kind, PieceKind::ProSilver);
        assert_eq!(
            (written.relative, written.motion),
            (Some(Relative::Left), Some(Motion::Backward))
        );
        let (written, length) = scan("▲２二角　不成　▲").unwrap();
        assert_eq!((written.promote, length), (Some(false), "▲２二角　不成".len()));
        for text in ["２二角成り(88)", "２二角成 (88)", "２二角　成り　（８８）"]
        {
            let (written, length) = scan(text).unwrap();
            assert_eq!(
                (written.promote, written.from, length),
                (Some(true), square(8, 8), text.len())
            );
        }
        assert!(scan("５五角打").unwrap().0.is_drop);
        assert!(scan("５五角(00)").unwrap().0.is_drop);
        assert_eq!(scan("５四同竜").unwrap().0.to, square(5, 4));
        for text in ["", "▲", "７", "７六", "７十歩", "０六歩", "７六成歩", "投了", "７六歩(70)"]
        {
            assert_eq!(scan(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_no_square() {
        let (written, length) = scan("７六歩( 0:16/00:00:16)").unwrap();
        assert_eq!((written.from, length), (None, "７六歩".len()));
    }
}
