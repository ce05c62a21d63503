//! Start positions: handicaps by name, or a diagram of the board with both hands.

use std::fmt::Write as _;

use crate::fault::clip;
use crate::{Place, RecordError, RecordFault};
use kyomi_shogi::notation::japanese::{count, file, rank, side_name};
use kyomi_shogi::{Color, HANDICAPS, Handicap, PieceKind, Position, PositionBuilder, Square};

use super::numerals::{arabic, is_blank, number, trim};
use super::words::{board_piece, board_word};

/// The start position as far as it was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Setup {
    board: PositionBuilder,
    /// The number of ranks read from the diagram, and the place of the first.
    ranks: u8,
    first: Option<Place>,
    last_mover: Option<Color>,
    handicap: Option<Handicap>,
    /// A handicap that is not known, and its place.
    unnamed: Option<(Place, String)>,
    side: Option<Color>,
    /// The number of moves before the start position, from `手数＝`.
    before: Option<u64>,
    /// The side that holds all remaining pieces.
    rest: Option<Color>,
}

impl Setup {
    /// The value of `手合割`.
    pub(super) fn handicap(&mut self, place: Place, value: &str) {
        match handicap(value) {
            Some(handicap) => self.handicap = Some(handicap),
            None => self.unnamed = Some((place, clip(value))),
        }
    }

    /// Whether a diagram of a board was read.
    pub(super) fn has_board(&self) -> bool {
        self.first.is_some()
    }

    /// The side to move.
    pub(super) fn side(&mut self, side: Color) {
        self.side = Some(side);
    }

    /// The value of `手数＝`: the number of moves before the start position.
    pub(super) fn moves_before(&mut self, number: u64) {
        self.before = Some(number);
    }

    /// A row of the diagram, `|v香v桂 ・…|一`.
    pub(super) fn row(&mut self, place: Place, line: &str) -> Result<(), RecordError> {
        self.first.get_or_insert(place);
        let inner = line.strip_prefix('|').unwrap_or(line);
        let inner = inner.split('|').next().unwrap_or_default();
        self.ranks = self.ranks.saturating_add(1);
        let (mut at, mut color) = (9, Color::Black);
        for c in inner.chars() {
            let square = match c {
                'v' | 'V' | 'ｖ' | '△' | '▽' | '☖' => {
                    color = Color::White;
                    continue;
                }
                '^' | '▲' | '▼' | '☗' => continue,
                c if is_blank(c) => continue,
                _ => Square::new(at, self.ranks),
            };
            let square = square.ok_or_else(|| place.error(RecordFault::LargeBoard))?;
            at -= 1;
            if matches!(c, '・' | '･' | '．' | '.' | '*' | '＊' | '·') {
                self.board.clear(square);
            } else if let Some(kind) = board_piece(c) {
                self.board.put(square, kyomi_shogi::Piece::new(color, kind));
            } else {
                return Err(place.error(RecordFault::Word {
                    found: c.to_string(),
                    expected: "piece of a board; expected 歩香桂銀金角飛玉と杏圭全馬龍 or ・",
                }));
            }
            color = Color::Black;
        }
        if at > 0 {
            return Err(place.error(RecordFault::SmallRank(self.ranks)));
        }
        Ok(())
    }

    /// A hand: `飛　角二　歩十八`, with or without spaces, or `なし`.
    pub(super) fn hand(
        &mut self,
        place: Place,
        color: Color,
        value: &str,
    ) -> Result<(), RecordError> {
        let mut rest = trim(value);
        if rest.starts_with("残り") {
            self.rest = Some(color);
            return Ok(());
        }
        if matches!(rest, "なし" | "無し" | "無" | "") {
            return Ok(());
        }
        loop {
            rest = rest.trim_start_matches(|c: char| is_blank(c) || "、,・".contains(c));
            let Some(c) = rest.chars().next() else { return Ok(()) };
            let kind = board_piece(c).filter(|kind| kind.is_droppable()).ok_or_else(|| {
                place.error(RecordFault::Word {
                    found: c.to_string(),
                    expected: "piece of a hand; expected 飛角金銀桂香歩 or なし",
                })
            })?;
            rest = &rest[c.len_utf8()..];
            let (many, length) = number(rest).unwrap_or((1, 0));
            rest = &rest[length..];
            let many = u8::try_from(many).unwrap_or(u8::MAX);
            let held = self.board.hand_count(color, kind).saturating_add(many);
            self.board.set_hand(color, kind, held);
        }
    }

    /// The place of the first line of a board.
    pub(super) fn place(&self) -> Option<Place> {
        self.first
    }

    /// The side that made the last move before the start position. It counts where no line names the side to move.
    pub(super) fn last_mover(&mut self, side: Color) {
        self.last_mover = Some(side);
    }

    /// The start position.
    ///
    /// # Errors
    /// If the board does not have nine ranks, if the position is against the rules, or if a handicap is not known
    /// and there is no board.
    pub(super) fn position(&self, line: usize) -> Result<Position, RecordError> {
        let Some(place) = self.first else {
            if let Some((place, name)) = &self.unnamed {
                return Err(place.error(RecordFault::Handicap { found: name.clone() }));
            }
            let handicap = self.handicap.unwrap_or(Handicap::EVEN);
            let mut builder = PositionBuilder::from(&handicap.position());
            return self
                .finish(&mut builder, None)
                .map_err(|fault| Place::text(line, 1).error(fault));
        };
        if self.ranks != 9 {
            let fault = match self.ranks {
                9.. => RecordFault::LargeBoard,
                ranks => RecordFault::MissingRank(ranks + 1),
            };
            return Err(place.error(fault));
        }
        let given = self.handicap.filter(|handicap| *handicap != Handicap::EVEN);
        let side = given.map_or(Color::Black, |_| Color::White);
        self.finish(&mut self.board.clone(), Some(side)).map_err(|fault| place.error(fault))
    }

    fn finish(
        &self,
        builder: &mut PositionBuilder,
        side: Option<Color>,
    ) -> Result<Position, RecordFault> {
        let after_last_move = self.last_mover.map(|side| !side);
        if let Some(side) = self.side.or(after_last_move).or(side) {
            builder.set_side(side);
        }
        if let Some(before) = self.before {
            builder.set_ply(u16::try_from(before.saturating_add(1)).unwrap_or(u16::MAX));
        }
        if let Some(color) = self.rest {
            for kind in PieceKind::HAND {
                builder.set_hand(color, kind, 0);
                let left = u32::from(kind.total()).saturating_sub(builder.count(kind));
                builder.set_hand(color, kind, left as u8);
            }
        }
        builder.build().map_err(RecordFault::from)
    }
}

/// Further handicaps of some programs. They are read by name and written as a board.
const MORE: [Handicap; 3] = [
    Handicap {
        name: "left-seven-pieces",
        japanese: "左七枚落ち",
        sfen: "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    },
    Handicap {
        name: "right-seven-pieces",
        japanese: "右七枚落ち",
        sfen: "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    },
    // White has only rook and bishop besides king and pawns.
    Handicap {
        name: "dragonfly",
        japanese: "トンボ",
        sfen: "4k4/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    },
];

/// The handicap of a name as people write it: `二枚落ち`, `2枚落`, `飛落ち`. `七枚落ち` without a side is taken as the one with
/// the right silver, as `五枚落ち` is the one with the right knight.
pub(super) fn handicap(name: &str) -> Option<Handicap> {
    let plain: String = trim(name)
        .chars()
        .take(20)
        .filter(|c| !is_blank(*c))
        .map(|c| match arabic(c) {
            Some(digit @ 1..=9) => rank(digit).chars().next().unwrap_or(c),
            _ => c,
        })
        .collect();
    let plain = plain.trim_end_matches('ち').trim_end_matches(['落', 'お']);
    let plain = match plain {
        "飛" => "飛車",
        "左香" => "香",
        "七枚" => "右七枚",
        "右五枚" => "五枚",
        "飛車香" => "飛香",
        "一〇枚" | "一0枚" | "一０枚" => "十枚",
        other => other,
    };
    let mut all = HANDICAPS.into_iter().chain(MORE);
    all.find(|handicap| handicap.japanese.trim_end_matches("落ち") == plain)
}

/// Writes a start position: the name of a handicap, or the diagram.
pub(super) fn write(text: &mut String, position: &Position) {
    let named = HANDICAPS.into_iter().find(|handicap| handicap.position() == *position);
    if let Some(handicap) = named {
        let _ = writeln!(text, "手合割：{}", handicap.japanese);
        return;
    }
    let _ = writeln!(text, "後手の持駒：{}", hand(position, Color::White));
    text.push(' ');
    for number in (1..=9).rev() {
        let _ = write!(text, " {}", file(number));
    }
    let _ = writeln!(text, "\n{FRAME}");
    for number in 1..=9 {
        text.push('|');
        for file in (1..=9).rev() {
            let piece = Square::new(file, number).and_then(|square| position.piece_on(square));
            let (sign, word) = match piece {
                None => (' ', "・"),
                Some(piece) => (
                    if piece.color() == Color::White { 'v' } else { ' ' },
                    board_word(piece.kind()),
                ),
            };
            text.push(sign);
            text.push_str(word);
        }
        let _ = writeln!(text, "|{}", rank(number));
    }
    let _ = writeln!(text, "{FRAME}\n先手の持駒：{}", hand(position, Color::Black));
    if position.ply() > 1 {
        let _ = writeln!(text, "手数＝{}", position.ply() - 1);
    }
    if position.side_to_move() == Color::White {
        let _ = writeln!(text, "{}番", side_name(Color::White, false));
    }
}

/// Whether a line is part of the frame of a board: a border, or the numbers of the files.
pub(super) fn is_frame(text: &str) -> bool {
    let is_border = text.starts_with('+') && text.bytes().all(|byte| matches!(byte, b'+' | b'-'));
    let is_files = |c| is_blank(c) || arabic(c).is_some();
    is_border
        || text.chars().filter(|c| arabic(*c).is_some()).take(10).count() == 9
            && text.chars().all(is_files)
}

fn hand(position: &Position, color: Color) -> String {
    let mut text = String::new();
    for (kind, held) in position.hand(color).iter().rev() {
        text.push_str(board_word(kind));
        if held > 1 {
            text.push_str(&count(held));
        }
        text.push('　');
    }
    if text.is_empty() { "なし".to_owned() } else { text }
}

const FRAME: &str = "+---------------------------+";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handicaps_are_recognised_by_all_their_names() {
        for (text, name) in [
            ("平手", "even"),
            ("香落ち", "lance"),
            ("香落", "lance"),
            ("飛落ち", "rook"),
            ("飛車落ち　", "rook"),
            ("２枚落ち", "two-pieces"),
            ("2枚落", "two-pieces"),
            ("右香落ち", "right-lance"),
            ("十枚落ち", "ten-pieces"),
            ("１０枚落ち", "ten-pieces"),
            ("右五枚落ち", "five-pieces"),
            ("左七枚落ち", "left-seven-pieces"),
            ("右7枚落ち", "right-seven-pieces"),
            ("七枚落ち", "right-seven-pieces"),
            ("トンボ", "dragonfly"),
        ] {
            assert_eq!(handicap(text).map(|handicap| handicap.name), Some(name), "{text}");
        }
        for handicap in MORE {
            assert_eq!(handicap.position().to_sfen(), handicap.sfen);
        }
        assert_eq!(handicap("その他"), None);
        assert_eq!(handicap(""), None);
    }
}
