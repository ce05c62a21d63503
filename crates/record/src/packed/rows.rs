//! Converts rows of position, move, score and result to records and back.
//!
//! Consecutive rows are one record if the move of one leads to the position of the next, with the next move number
//! (where the format has numbers) and the same result. Any other row begins a new record. Of the end of a game only
//! the winner is kept.

use super::layout::{Fields, MOVE_AT, RowLayout};
use super::position::{BYTES, pack, unpack};
use crate::fault::Warnings;
use crate::main_line::omit_all_but_scores;
use crate::{
    Analysis, End, EndKind, Header, Omission, Omissions, Place, ReadRecord, Record, RecordError,
    RecordFault, RecordMove, Winner,
};
use kyomi_shogi::{Color, Move, Position, PositionBuilder, Score};

/// The records of a file, read one by one.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'a> {
    layout: &'static RowLayout,
    rest: &'a [u8],
    /// The number of rows read.
    number: usize,
    /// The record that the next row may continue.
    open: Option<OpenGame>,
    /// The error of the row after the last record returned.
    error: Option<RecordError>,
}

/// A record that may continue.
#[derive(Clone, Debug)]
struct OpenGame {
    /// The number of its first row.
    number: usize,
    record: Record,
    /// The position after its last move.
    position: Position,
    packed: Option<[u8; BYTES]>,
    winner: Winner,
}

/// A row whose fields were decoded.
struct Row {
    position: Position,
    mv: Move,
    score: Score,
    winner: Winner,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(layout: &'static RowLayout, bytes: &'a [u8]) -> Self {
        let expected = RecordFault::NoGame { expected: layout.expected };
        let error = bytes.is_empty().then(|| Place::row(1, 1).error(expected));
        Self { layout, rest: bytes, number: 0, open: None, error }
    }

    fn row(&self, bytes: &[u8]) -> Result<Row, RecordError> {
        let layout = self.layout;
        let fault = |byte: usize, fault| Place::row(self.number, byte + 1).error(fault);
        let (Some(packed), Some(fields)) = (bytes.first_chunk::<BYTES>(), layout.read(bytes))
        else {
            let cut = RecordFault::CutRow { length: bytes.len(), expected: layout.length() };
            return Err(fault(bytes.len(), cut));
        };
        // Most rows continue the record, and their position need not be unpacked.
        let expected = self.open.as_ref().filter(|open| open.packed.as_ref() == Some(packed));
        let position = match expected {
            Some(open) if !layout.has_ply || open.position.ply() == fields.ply => {
                open.position.clone()
            }
            _ => unpack(layout.codes, packed, fields.ply)
                .map_err(|bad| fault(bad.byte(), RecordFault::Packed(bad)))?,
        };
        let side = position.side_to_move();
        let mv = layout.move_bits.read(fields.mv).filter(|mv| position.is_legal(*mv)).ok_or_else(
            || {
                let found = match layout.move_bits.read(fields.mv) {
                    Some(mv) => mv.to_string(),
                    None => format!("{:#06x}", fields.mv),
                };
                fault(MOVE_AT, RecordFault::RowMove { found })
            },
        )?;
        let winner = layout.result.read(fields.result, side).ok_or_else(|| {
            let (found, expected) = (fields.result, layout.result.expected());
            fault(layout.result_at(), RecordFault::RowResult { found, expected })
        })?;
        Ok(Row { position, mv, score: read_score(fields.score, side), winner })
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<ReadRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(error) = self.error.take() {
                return Some(Err(error));
            }
            if self.rest.is_empty() {
                return self.open.take().map(|open| Ok(open.finish()));
            }
            let (bytes, rest) = self.rest.split_at(self.layout.length().min(self.rest.len()));
            self.rest = rest;
            self.number += 1;
            match self.row(bytes) {
                Ok(row) => match &mut self.open {
                    Some(open) if open.continues_with(self.layout, &row) => {
                        open.push(self.layout, &row);
                    }
                    open => {
                        if let Some(done) =
                            open.replace(OpenGame::new(self.layout, &row, self.number))
                        {
                            return Some(Ok(done.finish()));
                        }
                    }
                },
                Err(error) => {
                    self.error = Some(error);
                    if let Some(done) = self.open.take() {
                        return Some(Ok(done.finish()));
                    }
                }
            }
        }
    }
}

impl OpenGame {
    fn new(layout: &RowLayout, row: &Row, number: usize) -> Self {
        let mut start = row.position.clone();
        if !layout.has_ply && start.ply() != 1 {
            // The position is that of the open record, with its number, but the result is another one.
            start = numbered(&start, 1).unwrap_or(start);
        }
        let record = Record::new(Header::default(), start.clone());
        let mut open = Self { record, position: start, packed: None, winner: row.winner, number };
        open.push(layout, row);
        open
    }

    fn continues_with(&self, layout: &RowLayout, row: &Row) -> bool {
        let is_same = if layout.has_ply || row.position.ply() == self.position.ply() {
            row.position == self.position
        } else {
            self.position.key() == row.position.key()
                && numbered(&row.position, self.position.ply()).as_ref() == Some(&self.position)
        };
        is_same && self.winner == row.winner
    }

    fn push(&mut self, layout: &RowLayout, row: &Row) {
        let analysis = Analysis { score: Some(row.score), ..Analysis::default() };
        self.record.moves.push(RecordMove { analysis: Some(analysis), ..RecordMove::new(row.mv) });
        self.position.do_move(row.mv);
        self.packed = pack(layout.codes, &self.position).ok();
    }

    fn finish(self) -> ReadRecord {
        let mut record = self.record;
        record.end = Some(End::new(EndKind::Decided(self.winner)));
        let mut warnings = Warnings::default();
        warnings.add_start(Place::row(self.number, 1), &record.start);
        let (fault, warnings) = (None, warnings.kept);
        ReadRecord { record, fault, warnings, more_warnings: 0, version: None, encoding: None }
    }
}

/// The same position with this number of its next move.
fn numbered(position: &Position, ply: u16) -> Option<Position> {
    PositionBuilder::from(position).set_ply(ply).build().ok()
}

/// Writes the rows of the main line. Only moves, scores and the winner are kept. A game that starts without a king
/// is omitted as a whole, because such positions cannot be packed.
pub(crate) fn write(layout: &RowLayout, record: &Record, omissions: &mut Omissions) -> Vec<u8> {
    omit_all_but_scores(record, omissions);
    let has_word = |end: &End| !matches!(end.kind, EndKind::Decided(_));
    omissions.add_many(Omission::End, usize::from(record.end.as_ref().is_some_and(has_word)));
    let start = &record.start;
    if record.moves.is_empty() || Color::ALL.iter().any(|c| start.king_square(*c).is_none()) {
        omissions.add(Omission::Start);
        omissions.add_many(Omission::Moves, record.moves.len());
        return Vec::new();
    }
    if !layout.has_ply && start.ply() != 1 {
        omissions.add(Omission::Header("move number".to_owned()));
    }
    let winner = record.winner().unwrap_or_else(|| {
        omissions.add(Omission::NoResult);
        Winner::Draw
    });
    let mut rows = Vec::with_capacity(record.moves.len() * layout.length());
    let mut position = start.clone();
    for made in &record.moves {
        let Ok(packed) = pack(layout.codes, &position) else { break };
        let side = position.side_to_move();
        let score = made.analysis.as_ref().and_then(|analysis| analysis.score);
        rows.extend_from_slice(&packed);
        layout.write(
            &mut rows,
            Fields {
                score: write_score(score, side, omissions),
                mv: layout.move_bits.write(made.mv),
                ply: position.ply(),
                result: layout.result.write(winner, side),
            },
        );
        position.do_move(made.mv);
    }
    rows
}

/// The score of a mate in no plies. A mate in `n` plies is `n` less, as in engines.
const MATE: i32 = 32_000;
/// Scores from this one on are mates.
const WON: i32 = 30_000;

/// The score of a row, which is for the side to move: from 30000 on it is a mate in 32000 - score plies, at 32000
/// and beyond a mate of unknown length.
fn read_score(score: i16, side: Color) -> Score {
    let for_black = if side == Color::Black { i32::from(score) } else { -i32::from(score) };
    if for_black.abs() < WON {
        return Score::Cp(for_black);
    }
    let plies = u32::try_from(MATE - for_black.abs()).ok().filter(|plies| *plies > 0);
    if for_black < 0 { Score::Loss(plies) } else { Score::Win(plies) }
}

fn write_score(score: Option<Score>, side: Color, omissions: &mut Omissions) -> i16 {
    let for_black = match score {
        None => {
            omissions.add(Omission::NoScore);
            0
        }
        Some(Score::Cp(cp)) => {
            omissions.add_many(Omission::Scores, usize::from(cp.unsigned_abs() >= WON as u32));
            cp.clamp(1 - WON, WON - 1)
        }
        Some(mate @ (Score::Win(plies) | Score::Loss(plies))) => {
            let most = (MATE - WON) as u32;
            omissions.add_many(
                Omission::MateLengths,
                usize::from(plies.is_some_and(|plies| plies > most || plies == 0)),
            );
            let score = MATE - plies.unwrap_or(0).min(most) as i32;
            if matches!(mate, Score::Win(_)) { score } else { -score }
        }
    };
    // The value is within ±32000 here.
    (if side == Color::Black { for_black } else { -for_black }) as i16
}
