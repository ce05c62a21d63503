//! The codes of the pieces in packed positions.

use std::sync::LazyLock;

use kyomi_shogi::{Color, Piece, PieceKind};

/// A set of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeSet {
    /// `YaneuraOu`'s `PackedSfen`.
    Psv,
    /// Apery's `HuffmanCodedPos`.
    Hcp,
}

/// The bits of a code, the first one in the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) bits: u8,
    pub(super) length: u8,
}

impl Code {
    /// From binary digits, the first bit first.
    fn new(digits: &str) -> Self {
        let set = digits.bytes().zip(0..).filter(|(digit, _)| *digit == b'1');
        Self { bits: set.map(|(_, at)| 1 << at).sum(), length: digits.len() as u8 }
    }
}

/// A piece that is not on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OffBoard {
    /// In hand.
    Hand(Color, PieceKind),
    /// In neither hand: not in the game.
    Boxed(PieceKind),
}

/// A set of codes, as tables for writing and for reading.
#[derive(Debug)]
pub(super) struct Tables {
    /// The code of an empty square.
    pub(super) empty: Code,
    /// The codes of pieces on the board, by [`Piece::index`].
    pub(super) board: [Code; Piece::COUNT],
    /// The codes of pieces in hand, `[color][kind]`.
    pub(super) hand: [[Code; 7]; 2],
    /// The codes of pieces that are not in the game, by kind.
    pub(super) boxed: [Code; 7],
    /// By the next eight bits: the content of the square, and the length of its code.
    pub(super) on_board: [Option<(Option<Piece>, u8)>; 256],
    /// By the next eight bits: the piece, and the length of its code.
    pub(super) off_board: [Option<(OffBoard, u8)>; 256],
}

impl CodeSet {
    pub(super) fn tables(self) -> &'static Tables {
        static PSV: LazyLock<Tables> = LazyLock::new(|| Tables::new(CodeSet::Psv));
        static HCP: LazyLock<Tables> = LazyLock::new(|| Tables::new(CodeSet::Hcp));
        match self {
            Self::Psv => &PSV,
            Self::Hcp => &HCP,
        }
    }

    /// The beginning of the code of each kind on the board, in the order of [`PieceKind::HAND`].
    const fn on_board(self) -> [&'static str; 7] {
        match self {
            Self::Psv => ["10", "1100", "1101", "1110", "11110", "111110", "111111"],
            Self::Hcp => ["10", "1100", "1110", "1101", "11110", "111110", "111111"],
        }
    }

    /// The code of each kind in hand, without the bit of the side.
    const fn in_hand(self) -> [&'static str; 7] {
        match self {
            Self::Psv => ["00", "1000", "1010", "1100", "1110", "111100", "111110"],
            Self::Hcp => ["00", "1000", "1100", "1010", "1110", "111110", "111111"],
        }
    }

    /// The code of each kind that is not in the game.
    const fn in_box(self) -> [&'static str; 7] {
        match self {
            Self::Psv => ["010", "10010", "10110", "11010", "11011", "1111010", "1111110"],
            Self::Hcp => ["010", "10010", "11010", "10110", "10111", "1111000", "1111010"],
        }
    }
}

impl Tables {
    fn new(codes: CodeSet) -> Self {
        let mut tables = Self {
            empty: Code::new("0"),
            board: [Code::default(); Piece::COUNT],
            hand: [[Code::default(); 7]; 2],
            boxed: codes.in_box().map(Code::new),
            on_board: [None; 256],
            off_board: [None; 256],
        };
        fill(&mut tables.on_board, tables.empty, None);
        for (kind, beginning) in PieceKind::HAND.into_iter().zip(codes.on_board()) {
            for color in Color::ALL {
                let side = color.index();
                let mut add = |kind: PieceKind, flags: String| {
                    let code = Code::new(&format!("{beginning}{flags}"));
                    let piece = Piece::new(color, kind);
                    tables.board[piece.index()] = code;
                    fill(&mut tables.on_board, code, Some(piece));
                };
                let Some(promoted) = kind.promoted() else {
                    add(kind, side.to_string());
                    continue;
                };
                for (kind, promoted) in [(kind, 0), (promoted, 1)] {
                    add(
                        kind,
                        match codes {
                            CodeSet::Psv => format!("{promoted}{side}"),
                            CodeSet::Hcp => format!("{side}{promoted}"),
                        },
                    );
                }
            }
        }
        for (kind, beginning) in PieceKind::HAND.into_iter().zip(codes.in_hand()) {
            for color in Color::ALL {
                let code = Code::new(&format!("{beginning}{}", color.index()));
                tables.hand[color.index()][kind.index()] = code;
                fill(&mut tables.off_board, code, OffBoard::Hand(color, kind));
            }
            fill(&mut tables.off_board, tables.boxed[kind.index()], OffBoard::Boxed(kind));
        }
        tables
    }
}

/// Enters a code for all bytes that begin with it.
fn fill<T: Copy>(table: &mut [Option<(T, u8)>; 256], code: Code, what: T) {
    for (byte, entry) in table.iter_mut().enumerate() {
        if byte & ((1 << code.length) - 1) == usize::from(code.bits) {
            debug_assert!(entry.is_none(), "no code begins another");
            *entry = Some((what, code.length));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_begins_another_and_a_piece_off_the_board_is_one_bit_shorter() {
        for codes in [CodeSet::Psv, CodeSet::Hcp] {
            let tables = codes.tables();
            assert!(tables.on_board.iter().all(Option::is_some));
            for kind in PieceKind::HAND {
                for color in Color::ALL {
                    let on_board = tables.board[Piece::new(color, kind).index()].length;
                    assert_eq!(tables.hand[color.index()][kind.index()].length + 1, on_board);
                    assert_eq!(tables.boxed[kind.index()].length + 1, on_board);
                }
            }
        }
    }
}
