//! A game on record: start position, moves, end.

use std::time::Duration;

use crate::shogi::{Color, Game, IllegalMove, Move, Position, Score};

use super::fault::MOST_WARNINGS;
use super::{Decoded, Encoding, Header, RecordError, Warning};

/// A game on record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Names, event, times, controls.
    pub header: Header,
    /// The position before the first move.
    pub start: Position,
    /// The moves of the game, all legal one after the other.
    pub moves: Vec<RecordMove>,
    /// How it ended; `None` when the record breaks off.
    pub end: Option<End>,
    /// What might have been played instead, see [`Record::sort_variations`] for the order.
    pub variations: Vec<Variation>,
}

/// A record that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRecord {
    /// The game, up to the first move that cannot be played.
    pub record: Record,
    /// The move that cannot be played, if there is one.
    pub fault: Option<RecordError>,
    /// What was passed over; at most a hundred are kept.
    pub warnings: Vec<Warning>,
    /// How many warnings more there were.
    pub more_warnings: usize,
    /// The version that the file tells of its format (`2.2` for `V2.2`).
    pub version: Option<String>,
    /// The encoding of the file; `None` of a binary one.
    pub encoding: Option<Encoding>,
}

impl ReadRecord {
    /// Warns of bytes that are no characters, once for a file: in the first game that was read to their line.
    pub(super) fn warn_of_broken_bytes(&mut self, file: &mut Decoded, last_line: usize) {
        let Some(place) = file.broken.take_if(|place| place.line() <= last_line) else { return };
        let text = format!("a character that is not {}, read as �", file.encoding);
        self.warnings.insert(0, Warning { place, text });
        if self.warnings.len() > MOST_WARNINGS {
            self.warnings.truncate(MOST_WARNINGS);
            self.more_warnings += 1;
        }
    }
}

impl Record {
    /// A record without moves.
    pub fn new(header: Header, start: Position) -> Self {
        Self { header, start, moves: Vec::new(), end: None, variations: Vec::new() }
    }

    /// The moves as a game.
    ///
    /// # Errors
    /// If a move is illegal where it stands.
    pub fn game(&self) -> Result<Game, IllegalMove> {
        let mut game = Game::new(self.start.clone());
        for record_move in &self.moves {
            game.push(record_move.mv)?;
        }
        Ok(game)
    }

    /// The side to move after the last move.
    pub fn side_to_move(&self) -> Color {
        let first = self.start.side_to_move();
        if self.moves.len().is_multiple_of(2) { first } else { !first }
    }

    /// Who won, as the end word tells; `None` without an end, or where the word leaves it open.
    pub fn winner(&self) -> Option<Winner> {
        self.end.as_ref()?.kind.winner(self.side_to_move())
    }
}

/// One move of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordMove {
    /// The move.
    pub mv: Move,
    /// The time it cost by the server's count, in milliseconds at best.
    pub time: Option<Duration>,
    /// What the player who made it thought of it.
    pub analysis: Option<Analysis>,
    /// Comments that follow it, without the leading `'`.
    pub comments: Vec<String>,
}

impl RecordMove {
    /// A move with nothing else.
    pub const fn new(mv: Move) -> Self {
        Self { mv, time: None, analysis: None, comments: Vec::new() }
    }

    /// A move with its time.
    pub const fn timed(mv: Move, time: Duration) -> Self {
        Self { mv, time: Some(time), analysis: None, comments: Vec::new() }
    }
}

/// What an engine said with a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The score from black's side.
    pub score: Option<Score>,
    /// The expected continuation after the move, which itself is not part of it.
    pub pv: Vec<Move>,
    /// What of the written continuation is no legal move: passes, end words, or rubbish.
    pub pv_rest: String,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Depth reached, in plies.
    pub depth: Option<u32>,
}

/// A line that leaves the game, or another variation, with a move of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The line it leaves: `None` is the main line, else the index of an earlier variation.
    pub parent: Option<usize>,
    /// Which move of the game its first move would be, counted from 1 at the start position: it
    /// stands instead of the parent's move of that number, or behind the parent's last.
    pub ply: usize,
    /// Its moves, all legal one after the other.
    pub moves: Vec<RecordMove>,
    /// How it ended, if it did.
    pub end: Option<End>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The end word.
    pub kind: EndKind,
    /// The time of the last turn.
    pub time: Option<Duration>,
    /// Comments that follow, without the leading `'`.
    pub comments: Vec<String>,
}

impl End {
    /// An end with nothing else.
    pub const fn new(kind: EndKind) -> Self {
        Self { kind, time: None, comments: Vec::new() }
    }
}

/// The end words of the CSA record format.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EndKind {
    /// `%TORYO`: the side to move resigned.
    Resign,
    /// `%CHUDAN`: interrupted.
    Interrupted,
    /// `%SENNICHITE`: drawn by repetition.
    Sennichite,
    /// `%TIME_UP`: the side to move lost on time.
    TimeUp,
    /// `%ILLEGAL_MOVE`: the side to move made an illegal move and lost.
    IllegalMove,
    /// `%+ILLEGAL_ACTION`, `%-ILLEGAL_ACTION`: this side offended and lost; also perpetual check.
    IllegalAction(Color),
    /// `%JISHOGI`: drawn with both kings entered.
    Jishogi,
    /// `%KACHI`: the side to move won by declaration.
    Declaration,
    /// `%HIKIWAKE`: drawn by declaration.
    DrawDeclared,
    /// `%MATTA`: a move taken back (not in 3.0).
    TakeBack,
    /// `%TSUMI`: the side to move is mated.
    Mate,
    /// `%FUZUMI`: the problem has no mate.
    NoMate,
    /// `%MAX_MOVES`: drawn at the move limit.
    MaxMoves,
    /// `%ERROR`: something went wrong.
    Error,
    /// Won or drawn, without a word how: all that formats for training keep.
    Decided(Winner),
    /// A word that no version knows, without the `%`.
    Unknown(String),
}

/// The result of a game with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// This side won.
    Side(Color),
    /// Drawn.
    Draw,
}

impl EndKind {
    /// Who won if the game ended so with `to_move` to move; `None` where the word leaves it open.
    pub fn winner(&self, to_move: Color) -> Option<Winner> {
        match self {
            Self::Resign | Self::TimeUp | Self::IllegalMove | Self::Mate => {
                Some(Winner::Side(!to_move))
            }
            Self::IllegalAction(offender) => Some(Winner::Side(!*offender)),
            Self::Declaration => Some(Winner::Side(to_move)),
            Self::Sennichite | Self::Jishogi | Self::DrawDeclared | Self::MaxMoves => {
                Some(Winner::Draw)
            }
            Self::Decided(winner) => Some(*winner),
            Self::Interrupted | Self::TakeBack | Self::NoMate | Self::Error | Self::Unknown(_) => {
                None
            }
        }
    }

    /// The end word without its `%`; empty for [`EndKind::Decided`], for which there is none.
    pub fn word(&self) -> &str {
        match self {
            Self::Resign => "TORYO",
            Self::Interrupted => "CHUDAN",
            Self::Sennichite => "SENNICHITE",
            Self::TimeUp => "TIME_UP",
            Self::IllegalMove => "ILLEGAL_MOVE",
            Self::IllegalAction(Color::Black) => "+ILLEGAL_ACTION",
            Self::IllegalAction(Color::White) => "-ILLEGAL_ACTION",
            Self::Jishogi => "JISHOGI",
            Self::Declaration => "KACHI",
            Self::DrawDeclared => "HIKIWAKE",
            Self::TakeBack => "MATTA",
            Self::Mate => "TSUMI",
            Self::NoMate => "FUZUMI",
            Self::MaxMoves => "MAX_MOVES",
            Self::Error => "ERROR",
            Self::Decided(_) => "",
            Self::Unknown(word) => word,
        }
    }

    /// The end with this word (without its `%`); [`EndKind::Unknown`] for any other.
    pub fn from_word(word: &str) -> Self {
        KNOWN
            .into_iter()
            .find(|kind| kind.word() == word)
            .unwrap_or_else(|| Self::Unknown(word.to_owned()))
    }
}

const KNOWN: [EndKind; 15] = [
    EndKind::Resign,
    EndKind::Interrupted,
    EndKind::Sennichite,
    EndKind::TimeUp,
    EndKind::IllegalMove,
    EndKind::IllegalAction(Color::Black),
    EndKind::IllegalAction(Color::White),
    EndKind::Jishogi,
    EndKind::Declaration,
    EndKind::DrawDeclared,
    EndKind::TakeBack,
    EndKind::Mate,
    EndKind::NoMate,
    EndKind::MaxMoves,
    EndKind::Error,
];
