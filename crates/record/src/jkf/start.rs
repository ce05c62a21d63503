//! The start position: a handicap by its name in JKF, or board, hands and side to move.

use std::fmt::Write as _;

use crate::fault::clip;
use crate::japanese;
use crate::{RecordError, RecordFault};
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, HANDICAPS, Piece, PieceKind, Position, PositionBuilder, Square};

use super::json::Node;

/// The names of the handicaps, in the order of [`HANDICAPS`].
const PRESETS: [&str; HANDICAPS.len()] =
    ["HIRATE", "KY", "KY_R", "KA", "HI", "HIKY", "2", "3", "4", "5", "5_L", "6", "8", "10"];

/// Further handicaps of JKF, which are read only.
const MORE: [(&str, &str); 2] = [
    ("7_L", "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("7_R", "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
];

/// What is wrong with a value. Its place takes time to compute, so that is left for the moment it is reported.
#[derive(Debug)]
pub(super) struct NodeFault<'d> {
    pub(super) at: Node<'d>,
    pub(super) fault: RecordFault,
}

impl From<NodeFault<'_>> for RecordError {
    fn from(bad: NodeFault<'_>) -> Self {
        bad.at.place().error(bad.fault)
    }
}

/// Reads `initial`. Without it the game begins with the handicap that the headers name, else it is even.
pub(super) fn read(
    initial: Option<Node<'_>>,
    handicap: Option<(Node<'_>, String)>,
) -> Result<Position, RecordError> {
    let Some(initial) = initial else {
        let Some((at, name)) = handicap else { return Ok(Position::startpos()) };
        return match japanese::handicap(&name) {
            Some(handicap) => Ok(handicap.position()),
            None => Err(at.place().error(RecordFault::Handicap { found: clip(&name) })),
        };
    };
    let [preset, data] = initial.get(["preset", "data"]);
    // One program names the even game beside any position, so the position has priority.
    if let Some(data) = data {
        return read_data(data);
    }
    let Some(preset) = preset else { return Ok(Position::startpos()) };
    let name = preset.text().unwrap_or_else(|| preset.raw().into());
    let known = PRESETS.iter().position(|known| *known == name).map(|at| HANDICAPS[at].sfen);
    let more = || MORE.into_iter().find(|(known, _)| *known == name).map(|(_, sfen)| sfen);
    known.or_else(more).and_then(|sfen| Position::from_sfen(sfen).ok()).ok_or_else(|| {
        let found = clip(&name);
        preset.place().error(RecordFault::Word { found, expected: PRESET })
    })
}

fn read_data(data: Node<'_>) -> Result<Position, RecordError> {
    let [board, hands, color] = data.get(["board", "hands", "color"]);
    let mut builder = PositionBuilder::new();
    let board = board.ok_or_else(|| unexpected(data, BOARD))?;
    if board.items().count() != 9 {
        return Err(unexpected(board, BOARD).into());
    }
    for (squares, file) in board.items().zip(1..) {
        if squares.items().count() != 9 {
            return Err(unexpected(squares, BOARD).into());
        }
        for (square, rank) in squares.items().zip(1..) {
            let at = Square::new(file, rank).filter(|_| square.is_object() || square.is_null());
            let at = at.ok_or_else(|| unexpected(square, BOARD))?;
            let [kind, color] = square.get(["kind", "color"]);
            if let Some(kind) = kind {
                builder.put(at, Piece::new(read_color(color, square)?, read_kind(kind)?));
            }
        }
    }
    for (color, hand) in Color::ALL.into_iter().zip(hands.into_iter().flat_map(Node::items)) {
        for (key, count) in hand.fields() {
            let kind = csa::word_piece(&key).filter(|kind| kind.is_droppable());
            let number = count.integer().filter(|number| *number >= 0);
            let (Some(kind), Some(number)) = (kind, number) else {
                return Err(unexpected(count, HAND).into());
            };
            builder.set_hand(color, kind, u8::try_from(number).unwrap_or(u8::MAX));
        }
    }
    builder.set_side(match color {
        None => Color::Black,
        color => read_color(color, data)?,
    });
    builder.build().map_err(|source| data.place().error(RecordFault::Setup(source)))
}

/// `0` is black. The first version of the format had `true` for black.
pub(super) fn read_color<'d>(
    color: Option<Node<'d>>,
    of: Node<'d>,
) -> Result<Color, NodeFault<'d>> {
    let Some(color) = color else { return Err(unexpected(of, COLOR)) };
    match (color.integer(), color.bool()) {
        (Some(0), _) | (_, Some(true)) => Ok(Color::Black),
        (Some(1), _) | (_, Some(false)) => Ok(Color::White),
        _ => Err(unexpected(color, COLOR)),
    }
}

pub(super) fn read_kind(kind: Node<'_>) -> Result<PieceKind, NodeFault<'_>> {
    kind_of(kind).ok_or_else(|| unexpected(kind, KIND))
}

/// The piece of a word, if it is one.
pub(super) fn kind_of(kind: Node<'_>) -> Option<PieceKind> {
    csa::word_piece(&kind.text()?)
}

/// The fault that a value is not what is expected.
pub(super) fn unexpected<'d>(found: Node<'d>, expected: &'static str) -> NodeFault<'d> {
    let text = found.text().unwrap_or_else(|| found.raw().into());
    NodeFault { at: found, fault: RecordFault::Word { found: clip(&text), expected } }
}

/// Writes `initial`.
pub(super) fn write(text: &mut String, start: &Position) {
    let numbered = PositionBuilder::from(start).set_ply(1).build();
    let numbered = numbered.as_ref().unwrap_or(start);
    let is_same = |handicap: &kyomi_shogi::Handicap| handicap.position() == *numbered;
    if let Some(at) = HANDICAPS.iter().position(is_same) {
        let _ = write!(text, r#"{{"preset":"{}"}}"#, PRESETS[at]);
        return;
    }
    let _ = write!(
        text,
        r#"{{"preset":"OTHER","data":{{"color":{},"board":["#,
        start.side_to_move().index()
    );
    for file in 1..=9 {
        text.push_str(if file == 1 { "\n[" } else { ",\n[" });
        for (square, rank) in (1..=9).filter_map(|rank| Square::new(file, rank)).zip(0..) {
            if rank > 0 {
                text.push(',');
            }
            match start.piece_on(square) {
                None => text.push_str("{}"),
                Some(piece) => {
                    let (color, kind) = (piece.color().index(), csa::piece_word(piece.kind()));
                    let _ = write!(text, r#"{{"color":{color},"kind":"{kind}"}}"#);
                }
            }
        }
        text.push(']');
    }
    text.push_str("],\"hands\":[");
    for color in Color::ALL {
        text.push_str(if color == Color::Black { "\n{" } else { ",\n{" });
        for (kind, number) in PieceKind::HAND.into_iter().zip(0..) {
            if number > 0 {
                text.push(',');
            }
            let count = start.hand(color).count(kind);
            let _ = write!(text, r#""{}":{count}"#, csa::piece_word(kind));
        }
        text.push('}');
    }
    text.push_str("]}}");
}

const PRESET: &str =
    "handicap (HIRATE KY KY_R KA HI HIKY 2 3 4 5 5_L 6 7_L 7_R 8 10, or OTHER with data)";
const BOARD: &str = "board (nine lists of nine squares, file 1 first)";
const HAND: &str = "count of FU KY KE GI KI KA or HI in hand";
pub(super) const COLOR: &str = "side (0 is black, 1 is white)";
const KIND: &str = "piece (FU KY KE GI KI KA HI OU TO NY NK NG UM RY)";
