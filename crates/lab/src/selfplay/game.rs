//! The stored form of a game, and its validity checks.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | seed |
//! | 8 to 11 | number, from 1 |
//! | 12 to 43 | start position, packed as in [psv](kyomi_record::psv) |
//! | 44, 45 | number of the first move |
//! | 46 | source of the opening: 0 built in, 1 a record |
//! | 47 | number of random plies before the start |
//! | 48 | result: 0 drawn, 1 black won, 2 white won |
//! | 49 | kind of end: 0 mate, 1 scores that agree, 2 declaration, 3 sennichite, 4 perpetual check, 5 move limit |
//! | 50 to 57 | time of the end, in seconds since 1970 |
//! | 58 to 61 | duration in milliseconds, including the choice of the start |
//! | 62, 63 | number of moves |
//! | from 64 | for each move: its bits ([`Move::to_bits`]), score for the side to move, limit reached; two bytes each |

use kyomi_record::{Analysis, End, Header, PackedFault, Record, RecordMove, psv};
use kyomi_shogi::{
    Adjudicator, Color, EndReason, Game, GameEnd, Move, Position, Score, Unplayable, Winner,
};

/// A finished game.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfplayGame {
    /// The seed from which it follows.
    pub seed: u64,
    /// Its number among the games of the seed, from 1.
    pub number: u32,
    /// The start position, after the opening and the random plies.
    pub start: Position,
    /// The source of the opening.
    pub source: OpeningSource,
    /// The number of random plies after the opening.
    pub random_plies: u8,
    /// The result.
    pub winner: Winner,
    /// The kind of end.
    pub end: EndReason,
    /// The time of the end, in seconds since 1970.
    pub ended: u64,
    /// The duration in milliseconds, including the choice of the start.
    pub took_ms: u32,
    /// The moves.
    pub moves: Vec<PlayedMove>,
}

/// A move with the result of its search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// The score for the side to move in centipawns; a mate is `±(32000 − plies)`.
    pub score: i16,
    /// The limit that the search reached, in hundredths of a nominal ply.
    pub limit: u16,
}

/// The source of an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpeningSource {
    /// The built-in lines.
    BuiltIn,
    /// A recorded game.
    Record,
}

/// The kinds of ends in the order of their numbers in the file, with their names in reports.
pub(super) const ENDS: [(EndReason, &str); 6] = [
    (EndReason::Mate, "mate"),
    (EndReason::AgreedWin, "score"),
    (EndReason::Declaration, "declaration"),
    (EndReason::Sennichite, "sennichite"),
    (EndReason::PerpetualCheck, "perpetual check"),
    (EndReason::MaxMoves, "move limit"),
];

/// The name of an end in reports.
pub(super) fn end_name(end: &EndReason) -> &'static str {
    ENDS.iter().find_map(|(known, name)| (known == end).then_some(*name)).unwrap_or("none")
}

/// The reason bytes are not a valid game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameFault {
    /// The number of bytes does not match the number of moves.
    #[error("a game of {moves} moves has {expected} bytes, not {found}")]
    Length {
        /// The stated number of moves.
        moves: usize,
        /// The number of bytes for this number of moves.
        expected: usize,
        /// The number of bytes present.
        found: usize,
    },
    /// The start position cannot be decoded.
    #[error("the start: {0}")]
    Start(#[from] PackedFault),
    /// No game can be played from the start.
    #[error("the start: {0}")]
    Unplayable(#[from] Unplayable),
    /// A number without a meaning.
    #[error("{what} {found}; expected a number up to {most}")]
    Number {
        /// The field.
        what: &'static str,
        /// The number.
        found: u8,
        /// The largest number with a meaning.
        most: u8,
    },
    /// Bits that do not encode a move.
    #[error("move {number}: the bits {bits:#06x} are not a move")]
    Bits {
        /// The number of the move, from 1.
        number: usize,
        /// The bits.
        bits: u16,
    },
}

/// A contradiction between a game and the rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    /// A move is not legal.
    #[error("move {number}: {mv} is not legal")]
    Illegal {
        /// The number of the move, from 1.
        number: usize,
        /// The move.
        mv: Move,
    },
    /// The game was over before its last move.
    #[error("after move {number} the game was over by {}", end_name(end))]
    Over {
        /// The number of the move, from 1; 0 for the start.
        number: usize,
        /// The kind of end.
        end: EndReason,
    },
    /// The game did not end in the stated way.
    #[error("it did not end by {}", end_name(.0))]
    End(EndReason),
    /// The stated winner is wrong.
    #[error("by {} another result follows", end_name(.0))]
    Winner(EndReason),
}

impl SelfplayGame {
    /// Appends the bytes of the game.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let moves = &self.moves[..self.moves.len().min(MOST_MOVES)];
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&self.number.to_le_bytes());
        // A start without a king, which cannot occur, is written as an unreadable one.
        bytes.extend_from_slice(&psv::pack(&self.start).unwrap_or_default());
        bytes.extend_from_slice(&self.start.ply().to_le_bytes());
        bytes.push(match self.source {
            OpeningSource::BuiltIn => 0,
            OpeningSource::Record => 1,
        });
        bytes.push(self.random_plies);
        bytes.push(match self.winner {
            Winner::Draw => 0,
            Winner::Side(Color::Black) => 1,
            Winner::Side(Color::White) => 2,
        });
        let number = ENDS.iter().position(|(end, _)| *end == self.end);
        bytes.push(number.unwrap_or_default() as u8);
        bytes.extend_from_slice(&self.ended.to_le_bytes());
        bytes.extend_from_slice(&self.took_ms.to_le_bytes());
        bytes.extend_from_slice(&(moves.len() as u16).to_le_bytes());
        for PlayedMove { mv, score, limit } in moves {
            bytes.extend_from_slice(&mv.to_bits().to_le_bytes());
            bytes.extend_from_slice(&score.to_le_bytes());
            bytes.extend_from_slice(&limit.to_le_bytes());
        }
    }

    /// Reads a game from its bytes. The moves are well formed; [`SelfplayGame::replay`] checks that they are legal.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, GameFault> {
        let mut fields = Fields { rest: bytes, found: bytes.len() };
        let seed = u64::from_le_bytes(fields.take()?);
        let number = u32::from_le_bytes(fields.take()?);
        let packed: [u8; 32] = fields.take()?;
        let ply = u16::from_le_bytes(fields.take()?);
        let [source, random_plies, result, end] = fields.take()?;
        let ended = u64::from_le_bytes(fields.take()?);
        let took_ms = u32::from_le_bytes(fields.take()?);
        let count = usize::from(u16::from_le_bytes(fields.take()?));
        let (moves, rest) = fields.rest.as_chunks::<MOVE>();
        if moves.len() != count || !rest.is_empty() {
            let expected = FIXED + count * MOVE;
            return Err(GameFault::Length { moves: count, expected, found: bytes.len() });
        }
        let start = psv::unpack(&packed, ply)?;
        start.check_playable()?;
        let fault = |what, found, most| GameFault::Number { what, found, most };
        let source = match source {
            0 => OpeningSource::BuiltIn,
            1 => OpeningSource::Record,
            other => return Err(fault("opening", other, 1)),
        };
        let winner = match result {
            0 => Winner::Draw,
            1 => Winner::Side(Color::Black),
            2 => Winner::Side(Color::White),
            other => return Err(fault("result", other, 2)),
        };
        let (end, _) = ENDS.get(usize::from(end)).cloned().ok_or_else(|| fault("end", end, 5))?;
        let played = |(index, [m0, m1, s0, s1, l0, l1]): (usize, &[u8; MOVE])| {
            let bits = u16::from_le_bytes([*m0, *m1]);
            let mv = Move::from_bits(bits).ok_or(GameFault::Bits { number: index + 1, bits })?;
            let score = i16::from_le_bytes([*s0, *s1]);
            Ok(PlayedMove { mv, score, limit: u16::from_le_bytes([*l0, *l1]) })
        };
        let moves = moves.iter().enumerate().map(played).collect::<Result<_, GameFault>>()?;
        Ok(Self { seed, number, start, source, random_plies, winner, end, ended, took_ms, moves })
    }

    /// The moves as a game.
    ///
    /// # Errors
    /// The first move that is not legal.
    pub fn replay(&self) -> Result<Game, RuleFault> {
        let mut game = Game::new(self.start.clone());
        for (PlayedMove { mv, .. }, number) in self.moves.iter().zip(1..) {
            game.push(*mv).map_err(|_| RuleFault::Illegal { number, mv: *mv })?;
        }
        Ok(game)
    }

    /// Checks that all moves are legal, that the game was not over before its end, and that it ended as stated.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check(&self) -> Result<(), RuleFault> {
        let mut game = Game::new(self.start.clone());
        for (PlayedMove { mv, .. }, number) in self.moves.iter().zip(1..) {
            if let Some((end, _)) = over(&game) {
                return Err(RuleFault::Over { number: number - 1, end });
            }
            game.push(*mv).map_err(|_| RuleFault::Illegal { number, mv: *mv })?;
        }
        let by_rule = over(&game);
        match &self.end {
            EndReason::AgreedWin | EndReason::MaxMoves => match by_rule {
                // A declaration would have been the next turn.
                None | Some((EndReason::Declaration, _)) => {}
                Some((end, _)) => {
                    return Err(RuleFault::Over { number: self.moves.len(), end });
                }
            },
            end => match by_rule {
                Some((found, winner)) if found == *end => {
                    return if winner == self.winner {
                        Ok(())
                    } else {
                        Err(RuleFault::Winner(found))
                    };
                }
                _ => return Err(RuleFault::End(end.clone())),
            },
        }
        let is_drawn = self.winner == Winner::Draw;
        if is_drawn == (self.end == EndReason::MaxMoves) {
            Ok(())
        } else {
            Err(RuleFault::Winner(self.end.clone()))
        }
    }

    /// The side that makes the move of this index.
    pub fn side_to_move(&self, index: usize) -> Color {
        let first = self.start.side_to_move();
        if index.is_multiple_of(2) { first } else { !first }
    }

    /// The game as a record, for other formats.
    pub fn record(&self) -> Record {
        let header = Header {
            event: Some(format!("kyomi self-play, seed {}, game {}", self.seed, self.number)),
            ..Header::default()
        };
        let mut record = Record::new(header, self.start.clone());
        record.moves = (0..)
            .zip(&self.moves)
            .map(|(index, played)| {
                let analysis = Analysis {
                    score: Some(record_score(played.score, self.side_to_move(index))),
                    depth: Some((u32::from(played.limit) + LIMIT_OF_A_PLY / 2) / LIMIT_OF_A_PLY),
                    ..Analysis::default()
                };
                RecordMove { analysis: Some(analysis), ..RecordMove::new(played.mv) }
            })
            .collect();
        let to_move = self.side_to_move(self.moves.len());
        let end =
            GameEnd { winner: Some(self.winner), reason: self.end.clone(), side_to_move: to_move };
        record.end = Some(End::of(&end));
        record
    }
}

/// The kind of end and the result if the game is over by the rules.
pub(super) fn over(game: &Game) -> Option<(EndReason, Winner)> {
    let rules = Adjudicator::default();
    let end = rules.end(game).or_else(|| {
        Some(rules.declared(game)).filter(|end| end.reason == EndReason::Declaration)
    })?;
    Some((end.reason, end.winner?))
}

/// A score from black's view. Scores beyond 30000 that are no mates become 29999.
fn record_score(score: i16, side: Color) -> Score {
    let score = i32::from(score);
    if score.abs() >= LEAST_MATE {
        let plies = u32::try_from(MATE - score.abs()).ok().filter(|plies| *plies > 0);
        let is_blacks = (score > 0) == (side == Color::Black);
        return if is_blacks { Score::Win(plies) } else { Score::Loss(plies) };
    }
    let score = score.clamp(-29_999, 29_999);
    Score::Cp(if side == Color::Black { score } else { -score })
}

/// The bytes that are not read yet.
struct Fields<'a> {
    rest: &'a [u8],
    found: usize,
}

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], GameFault> {
        let short = GameFault::Length { moves: 0, expected: FIXED, found: self.found };
        let (field, rest) = self.rest.split_first_chunk::<N>().ok_or(short)?;
        self.rest = rest;
        Ok(*field)
    }
}

/// The score of a mate in 0 plies.
const MATE: i32 = 32_000;
/// The least score that is a mate.
const LEAST_MATE: i32 = 31_872;
/// The number of bytes of the longest game.
pub(super) const MOST_BYTES: usize = 65_535;
/// The number of bytes before the moves.
const FIXED: usize = 64;
/// The number of bytes of a move.
const MOVE: usize = 6;
/// The largest number of moves that are kept.
pub(super) const MOST_MOVES: usize = (MOST_BYTES - FIXED) / MOVE;
/// The limit of one nominal ply.
const LIMIT_OF_A_PLY: u32 = 100;
