//! The record of a game: header, start position, moves, end, variations.

use std::time::Duration;

use kyomi_shogi::notation::csa::RawMove;
use kyomi_shogi::{Color, Finding, Game, IllegalMove, Move, Position, Score, Winner};

use super::fault::MOST_WARNINGS;
use super::{Decoded, Encoding, Header, RecordError, Warning};

/// The record of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Names, event, times, controls.
    pub header: Header,
    /// The position before the first move.
    pub start: Position,
    /// The moves of the game, all legal one after the other.
    pub moves: Vec<RecordMove>,
    /// The end; `None` if the record does not state it.
    pub end: Option<End>,
    /// Moves that were not played, see [`Record::sort_variations`] for the order.
    pub variations: Vec<Variation>,
}

/// A record as it was read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRecord {
    /// The game, up to the first move that cannot be played.
    pub record: Record,
    /// The move that cannot be played, if there is one.
    pub fault: Option<RecordError>,
    /// What was unusual and was ignored; at most a hundred warnings are kept.
    pub warnings: Vec<Warning>,
    /// The number of further warnings.
    pub more_warnings: usize,
    /// The version of the format that the file names (`2.2` for `V2.2`).
    pub version: Option<String>,
    /// The encoding of the file; `None` for a binary file.
    pub encoding: Option<Encoding>,
}

impl ReadRecord {
    /// Adds the warning about invalid bytes of the file, once: to the first game that was read to their line.
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
    /// If a move is illegal.
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

    /// Who won, by the end word; `None` without an end, or if the word leaves it open.
    pub fn winner(&self) -> Option<Winner> {
        self.end.as_ref()?.kind.winner(self.side_to_move())
    }
}

/// One move of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordMove {
    /// The move.
    pub mv: Move,
    /// The time used for it as the server counts it, in milliseconds at best.
    pub time: Option<Duration>,
    /// What the player who made it reported of its search.
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

/// What an engine reported with a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The score from black's side.
    pub score: Option<Score>,
    /// The expected continuation after the move, without the move itself.
    pub pv: Vec<Move>,
    /// The rest of the written continuation, from the first word that is not a legal move: a pass, an end word, or
    /// anything else.
    pub pv_rest: String,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Depth reached, in plies.
    pub depth: Option<u32>,
}

impl From<Finding> for Analysis {
    /// What was found about a move, with the score from black's view and the line after the move.
    fn from(found: Finding) -> Self {
        let Finding { score, pv, depth, nodes, from_book: _ } = found;
        Self { score, pv, pv_rest: String::new(), nodes, depth }
    }
}

impl From<Analysis> for Finding {
    fn from(written: Analysis) -> Self {
        let Analysis { score, pv, pv_rest: _, nodes, depth } = written;
        Self { score, pv, depth, nodes, from_book: false }
    }
}

/// The comment of a move that came from an opening book.
pub const BOOK_MOVE: &str = "book";

/// A line that leaves the game, or another variation, with a different move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The line it leaves: `None` for the main line, else the index of an earlier variation.
    pub parent: Option<usize>,
    /// The ply of its first move, counted from 1 at the start position. The variation replaces the parent's move of
    /// that ply, or follows the parent's last move.
    pub ply: usize,
    /// Its moves, all legal one after the other.
    pub moves: Vec<RecordMove>,
    /// How it ended, if the record says it.
    pub end: Option<End>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The end word.
    pub kind: EndKind,
    /// The time used in the last turn.
    pub time: Option<Duration>,
    /// Comments that follow, without the leading `'`.
    pub comments: Vec<String>,
    /// The illegal move that ended the game. The kind is [`EndKind::IllegalMove`] then, or the offence of its side if
    /// it was made out of turn.
    pub foul: Option<Box<Foul>>,
}

impl End {
    /// An end with nothing else.
    pub const fn new(kind: EndKind) -> Self {
        Self { kind, time: None, comments: Vec::new(), foul: None }
    }

    /// The end by this illegal move with `to_move` to move, without a time or comments of its own.
    pub fn by_foul(foul: Foul, to_move: Color) -> Self {
        let side = foul.mv.color;
        let kind =
            if side == to_move { EndKind::IllegalMove } else { EndKind::IllegalAction(side) };
        Self { foul: Some(Box::new(foul)), ..Self::new(kind) }
    }

    /// The kind as it is seen after the illegal move, when it is the other side's turn.
    pub(super) fn kind_after_foul(&self) -> EndKind {
        let foul = self.foul.as_ref();
        foul.map_or_else(|| self.kind.clone(), |foul| EndKind::IllegalAction(foul.mv.color))
    }
}

/// The illegal move that ended a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foul {
    /// The move as it was written.
    pub mv: RawMove,
    /// The time used for it.
    pub time: Option<Duration>,
    /// Comments that follow it, without the leading `'`.
    pub comments: Vec<String>,
}

impl Foul {
    /// A move with nothing else.
    pub const fn new(mv: RawMove) -> Self {
        Self { mv, time: None, comments: Vec::new() }
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
    /// `%+ILLEGAL_ACTION`, `%-ILLEGAL_ACTION`: this side committed an offence and lost; also for perpetual check.
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
    /// Won or drawn, without a reason: all that formats for training keep.
    Decided(Winner),
    /// An end word that no version has, without the `%`.
    Unknown(String),
}

impl EndKind {
    /// Who won a game that ended in this way with `to_move` to move; `None` where the word does not say it.
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

    /// The end word without its `%`; empty for [`EndKind::Decided`], which has none.
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

    /// All ends that have a word of CSA.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.into_iter()
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
