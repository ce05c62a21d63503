//! Rows of position, move, score and result to records and back.
//!
//! Rows that follow on from each other (the move of one leads to the position of the next, whose number
//! is one higher if the form has numbers, with the same result) are one record. Any other row begins a
//! new one. Who won is all that is kept of an end.

use super::code::Dialect;
use super::position::{BYTES, pack, unpack};
use crate::record::bare::lose_all_but_scores;
use crate::record::{
    Analysis, End, EndKind, Header, Losses, LostPart, Place, ReadRecord, Record, RecordError,
    RecordFault, RecordMove, Winner,
};
use crate::shogi::{Color, Move, PieceKind, Position, PositionBuilder, Score};

/// A binary form of one row a position.
pub(in crate::record) trait RowForm {
    /// The codes of its positions.
    const DIALECT: Dialect;
    /// Bytes of a row; the first 32 are the position.
    const LENGTH: usize;
    /// The byte of the move and that of the result, counted from 0.
    const MOVE: usize;
    const RESULT: usize;
    /// Whether its rows have the number of the move.
    const HAS_PLY: bool;
    /// What a file of it has.
    const EXPECTED: &'static str;
    /// What a result may be.
    const RESULTS: &'static str;

    /// What stands behind the position of a row; `None` for a row of another length.
    fn fields(row: &[u8]) -> Option<Fields>;
    /// Writes what stands behind the position.
    fn push(rows: &mut Vec<u8>, fields: Fields);
    /// The move of these bits.
    fn read_move(bits: u16) -> Option<Move>;
    fn write_move(mv: Move) -> u16;
    /// Who won, by the result for the side to move.
    fn read_result(result: i8, side: Color) -> Option<Winner>;
    fn write_result(winner: Winner, side: Color) -> i8;
}

/// What stands behind the position of a row, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::record) struct Fields {
    /// For the side to move.
    pub(in crate::record) score: i16,
    pub(in crate::record) mv: u16,
    /// The number of the move; 1 where the form has none.
    pub(in crate::record) ply: u16,
    pub(in crate::record) result: i8,
}

/// The kinds in the order in which both forms number those that are dropped.
pub(in crate::record) const DROPS: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Gold,
];

/// The records of a file, read as they are asked for.
#[derive(Clone, Debug)]
pub(in crate::record) struct Rows<'a, F> {
    rest: &'a [u8],
    /// How many rows were read.
    number: usize,
    /// The record that the next row may go on with.
    open: Option<Open>,
    /// Of the row behind the record given out last.
    error: Option<RecordError>,
    form: std::marker::PhantomData<F>,
}

/// A record in the making.
#[derive(Clone, Debug)]
struct Open {
    record: Record,
    /// The position after its last move.
    position: Position,
    packed: Option<[u8; BYTES]>,
    winner: Winner,
}

/// A row understood.
struct Row {
    position: Position,
    mv: Move,
    score: Score,
    winner: Winner,
}

impl<'a, F: RowForm> Rows<'a, F> {
    pub(in crate::record) fn new(bytes: &'a [u8]) -> Self {
        let expected = RecordFault::NoGame { expected: F::EXPECTED };
        let error = bytes.is_empty().then(|| Place::row(1, 1).error(expected));
        Self { rest: bytes, number: 0, open: None, error, form: std::marker::PhantomData }
    }

    fn row(&self, bytes: &[u8]) -> Result<Row, RecordError> {
        let fault = |byte: usize, fault| Place::row(self.number, byte + 1).error(fault);
        let (Some(packed), Some(fields)) = (bytes.first_chunk::<BYTES>(), F::fields(bytes)) else {
            let cut = RecordFault::CutRow { length: bytes.len(), expected: F::LENGTH };
            return Err(fault(bytes.len(), cut));
        };
        // The usual row is what was expected, and need not be taken apart.
        let expected = self.open.as_ref().filter(|open| open.packed.as_ref() == Some(packed));
        let position = match expected {
            Some(open) if !F::HAS_PLY || open.position.ply() == fields.ply => open.position.clone(),
            _ => unpack(F::DIALECT, packed, fields.ply)
                .map_err(|bad| fault(bad.byte(), RecordFault::Packed(bad)))?,
        };
        let side = position.side_to_move();
        let mv = F::read_move(fields.mv).filter(|mv| position.is_legal(*mv)).ok_or_else(|| {
            let found = match F::read_move(fields.mv) {
                Some(mv) => mv.to_string(),
                None => format!("{:#06x}", fields.mv),
            };
            fault(F::MOVE, RecordFault::RowMove { found })
        })?;
        let winner = F::read_result(fields.result, side).ok_or_else(|| {
            let (found, expected) = (fields.result, F::RESULTS);
            fault(F::RESULT, RecordFault::RowResult { found, expected })
        })?;
        Ok(Row { position, mv, score: read_score(fields.score, side), winner })
    }
}

impl<F: RowForm> Iterator for Rows<'_, F> {
    type Item = Result<ReadRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(error) = self.error.take() {
                return Some(Err(error));
            }
            if self.rest.is_empty() {
                return self.open.take().map(|open| Ok(open.finish()));
            }
            let (bytes, rest) = self.rest.split_at(F::LENGTH.min(self.rest.len()));
            self.rest = rest;
            self.number += 1;
            match self.row(bytes) {
                Ok(row) => match &mut self.open {
                    Some(open) if open.goes_on_with::<F>(&row) => open.push::<F>(&row),
                    open => {
                        if let Some(done) = open.replace(Open::new::<F>(&row)) {
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

impl Open {
    fn new<F: RowForm>(row: &Row) -> Self {
        let mut start = row.position.clone();
        if !F::HAS_PLY && start.ply() != 1 {
            // The position was the expected one, with a number of its own, but the result is not.
            start = numbered(&start, 1).unwrap_or(start);
        }
        let record = Record::new(Header::default(), start.clone());
        let mut open = Self { record, position: start, packed: None, winner: row.winner };
        open.push::<F>(row);
        open
    }

    fn goes_on_with<F: RowForm>(&self, row: &Row) -> bool {
        let is_same = if F::HAS_PLY || row.position.ply() == self.position.ply() {
            row.position == self.position
        } else {
            self.position.key() == row.position.key()
                && numbered(&row.position, self.position.ply()).as_ref() == Some(&self.position)
        };
        is_same && self.winner == row.winner
    }

    fn push<F: RowForm>(&mut self, row: &Row) {
        let analysis = Analysis { score: Some(row.score), ..Analysis::default() };
        self.record.moves.push(RecordMove { analysis: Some(analysis), ..RecordMove::new(row.mv) });
        self.position.do_move(row.mv);
        self.packed = pack(F::DIALECT, &self.position).ok();
    }

    fn finish(self) -> ReadRecord {
        let mut record = self.record;
        record.end = Some(End::new(EndKind::Decided(self.winner)));
        let (fault, warnings) = (None, Vec::new());
        ReadRecord { record, fault, warnings, more_warnings: 0, version: None, encoding: None }
    }
}

/// The same position with this number of its next move.
fn numbered(position: &Position, ply: u16) -> Option<Position> {
    PositionBuilder::from(position).set_ply(ply).build().ok()
}

/// The rows of the main line. Lost is all but the moves, their scores and who won; a game that starts
/// without a king is lost as a whole, since such positions cannot be packed.
pub(in crate::record) fn write<F: RowForm>(record: &Record, losses: &mut Losses) -> Vec<u8> {
    lose_all_but_scores(record, losses);
    let has_word = |end: &End| !matches!(end.kind, EndKind::Decided(_));
    losses.add_many(LostPart::End, usize::from(record.end.as_ref().is_some_and(has_word)));
    let start = &record.start;
    if record.moves.is_empty() || Color::ALL.iter().any(|c| start.king_square(*c).is_none()) {
        losses.add(LostPart::Start);
        losses.add_many(LostPart::Moves, record.moves.len());
        return Vec::new();
    }
    if !F::HAS_PLY && start.ply() != 1 {
        losses.add(LostPart::Header("move number".to_owned()));
    }
    let winner = record.winner().unwrap_or_else(|| {
        losses.add(LostPart::NoResult);
        Winner::Draw
    });
    let mut rows = Vec::with_capacity(record.moves.len() * F::LENGTH);
    let mut position = start.clone();
    for made in &record.moves {
        let Ok(packed) = pack(F::DIALECT, &position) else { break };
        let side = position.side_to_move();
        let score = made.analysis.as_ref().and_then(|analysis| analysis.score);
        rows.extend_from_slice(&packed);
        F::push(
            &mut rows,
            Fields {
                score: write_score(score, side, losses),
                mv: F::write_move(made.mv),
                ply: position.ply(),
                result: F::write_result(winner, side),
            },
        );
        position.do_move(made.mv);
    }
    rows
}

/// A mate in no plies: one in `n` plies is that much closer to zero, as engines have it.
const MATE: i32 = 32_000;
/// Scores from here on are mates.
const WON: i32 = 30_000;

/// The score of a row, which is for the side to move: from 30000 on a mate, 32000 less the plies it is
/// away; from 32000 on one of unknown length.
fn read_score(score: i16, side: Color) -> Score {
    let for_black = if side == Color::Black { i32::from(score) } else { -i32::from(score) };
    if for_black.abs() < WON {
        return Score::Cp(for_black);
    }
    let plies = u32::try_from(MATE - for_black.abs()).ok().filter(|plies| *plies > 0);
    if for_black < 0 { Score::Loss(plies) } else { Score::Win(plies) }
}

fn write_score(score: Option<Score>, side: Color, losses: &mut Losses) -> i16 {
    let for_black = match score {
        None => {
            losses.add(LostPart::NoScore);
            0
        }
        Some(Score::Cp(cp)) => {
            losses.add_many(LostPart::Scores, usize::from(cp.unsigned_abs() >= WON as u32));
            cp.clamp(1 - WON, WON - 1)
        }
        Some(mate @ (Score::Win(plies) | Score::Loss(plies))) => {
            let most = (MATE - WON) as u32;
            losses.add_many(
                LostPart::MateLengths,
                usize::from(plies.is_some_and(|plies| plies > most || plies == 0)),
            );
            let score = MATE - plies.unwrap_or(0).min(most) as i32;
            if matches!(mate, Score::Win(_)) { score } else { -score }
        }
    };
    // Within ±32000 by now.
    (if side == Color::Black { for_black } else { -for_black }) as i16
}
