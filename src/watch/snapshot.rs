//! The current state: connection, engines, games. Views read it instead of following the reports themselves.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;

use kyomi_csa::MoveEvent;
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::clock::Clocks;
use kyomi_shogi::{Color, Game, GameEnd};

use super::SleepReason;

/// The whole current state, with which a watcher can start at any time.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The connection of the client; a server has none.
    pub connection: Connection,
    /// Since when the connection has been in this state.
    pub connection_since: Option<Instant>,
    /// The id of the game that the client has agreed to, until it starts, and since when.
    pub agreed: Option<(String, Instant)>,
    /// Since when an engine has been starting that the client needs; `None` if all are ready.
    pub engine_starting: Option<Instant>,
    /// The engines, in the order in which they were first started.
    pub engines: Vec<LiveEngine>,
    /// Running games and those that ended last, in the order in which they began.
    pub games: Vec<LiveGame>,
    /// The number of games that have ended, including those that are no longer in `games`.
    pub ended_games: u64,
}

/// An engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveEngine {
    /// The player it thinks for.
    pub player: String,
    /// Its own name; `None` until it is ready.
    pub name: Option<String>,
    /// What has happened to it since it was last started or ready.
    pub failure: Option<String>,
}

/// The connection of the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Connection {
    /// No connection yet.
    #[default]
    None,
    /// The client is connecting.
    Connecting {
        /// `host:port`.
        server: String,
    },
    /// The client is logged in and waits for a game.
    Waiting {
        /// The name it is logged in under.
        name: String,
        /// The time between two pairings, which are counted from the full hour, if the server pairs at fixed times.
        pairing: Option<Duration>,
    },
    /// The client is logged out and begins no game for a known reason.
    Sleeping {
        /// When it continues; `None`: never.
        until: Option<Timestamp>,
        /// The reason.
        reason: SleepReason,
    },
    /// A game is played over it.
    Playing,
    /// The client is logged in and waits until the server resumes the game that it has suspended.
    Suspended,
    /// The connection was lost in a game, which may be resumed.
    Lost {
        /// The reason.
        reason: String,
    },
    /// The client tries again after a pause.
    Pausing {
        /// When it tries again.
        until: Option<Instant>,
        /// The reason.
        reason: String,
    },
}

/// A game with its current state.
#[derive(Debug, Clone)]
pub struct LiveGame {
    /// The number of the game in this run.
    pub number: u64,
    /// The server's id of the game.
    pub game_id: String,
    /// Black's and white's name.
    pub names: [String; 2],
    /// The side of the configured engine; `None` on a server.
    pub own: Option<Color>,
    /// Whether an earlier process began it.
    pub continued: bool,
    /// Start position, with the moves that were already made.
    pub start: Arc<Game>,
    /// The times of these moves, as far as they are known.
    pub move_times: Vec<Option<Duration>>,
    /// Both clocks at the beginning.
    pub start_clocks: Clocks,
    /// The moves since the beginning.
    pub moves: Vec<LiveMove>,
    /// Both clocks as of the last move, without the current turn.
    pub clocks: Clocks,
    /// When the current turn began.
    pub turn_began: Instant,
    /// The last search report of black and of white.
    pub lines: [Option<Line>; 2],
    /// The end of the game, and the path of its record.
    pub end: Option<(GameEnd, Option<PathBuf>)>,
}

/// A move with the clocks after it.
#[derive(Debug, Clone)]
pub struct LiveMove {
    /// The move.
    pub event: MoveEvent,
    /// Both clocks after the move.
    pub clocks: Clocks,
}

/// A search report.
#[derive(Debug, Clone)]
pub struct Line {
    /// The game whose last position is searched.
    pub game: Arc<Game>,
    /// The report. Scores are for the side to move in `game`.
    pub info: Box<SearchInfo>,
}
