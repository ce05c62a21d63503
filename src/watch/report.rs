//! The reports for watchers.

use std::{path::PathBuf, sync::Arc, time::Duration};

use jiff::Timestamp;

use kyomi_csa::MoveEvent;
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::clock::Clocks;
use kyomi_shogi::{Color, Game, GameEnd};

use super::{SleepReason, Snapshot};

/// An event for watchers. Reports are sent in the order in which they happen.
///
/// Texts are untrusted (from engines, servers, opponents): remove control characters before printing them.
#[derive(Debug, Clone)]
pub enum Report {
    /// The whole current state. It is the first report of a watcher, and the next one after reports were lost.
    Snapshot {
        /// The current state.
        snapshot: Box<Snapshot>,
        /// Number of reports lost before it.
        missed: u64,
    },
    /// An engine is being started, or started again.
    EngineStarting {
        /// Name of the player it thinks for.
        player: String,
    },
    /// An engine can play.
    EngineReady {
        /// Name of the player it thinks for.
        player: String,
        /// The engine's own name.
        engine: String,
    },
    /// An engine has failed.
    EngineFailed {
        /// Name of the player it thinks for.
        player: String,
        /// What happened, and what follows.
        text: String,
        /// Whether it is started again; otherwise it makes no more moves in this game.
        restarted: bool,
    },
    /// The client is connecting to a server.
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
    /// The client is logged in and has had no game for another hour.
    NoPairing {
        /// How long it has been waiting.
        waited: Duration,
    },
    /// The client is logged out and begins no game for a known reason.
    Sleeping {
        /// When it continues; `None`: never.
        until: Option<Timestamp>,
        /// The reason.
        reason: SleepReason,
    },
    /// A window of the schedule is open: games may begin.
    ScheduleOpen {
        /// When it ends; `None`: not within a week.
        until: Option<Timestamp>,
    },
    /// The connection was lost in a game, which may be resumed.
    Disconnected {
        /// Number of the game.
        number: u64,
        /// The reason.
        reason: String,
    },
    /// The server has suspended the game, which may be resumed.
    Suspended {
        /// Number of the game.
        number: u64,
    },
    /// A game that stood still goes on, over a new connection if its connection was lost.
    Resumed {
        /// Number of the game.
        number: u64,
        /// Both clocks as the server states them.
        clocks: Clocks,
    },
    /// A game begins.
    GameStarted {
        /// The number of the game in this run, from 1; all later reports of the game contain it.
        number: u64,
        /// The server's id of the game.
        game_id: String,
        /// Black's and white's name.
        names: [String; 2],
        /// The side of the configured `[engine]`; `None` on a server.
        own: Option<Color>,
        /// Start position, with the moves already made.
        game: Arc<Game>,
        /// The times of these moves, as far as they are known.
        move_times: Vec<Option<Duration>>,
        /// Both clocks at the beginning.
        clocks: Clocks,
        /// Whether an earlier process began it.
        continued: bool,
    },
    /// A report of a player's search, in the latest game. Some are dropped if a watcher is slow.
    Thinking {
        /// The side of the player.
        color: Color,
        /// The game whose last position is searched. While pondering, the expected reply is its last move.
        game: Arc<Game>,
        /// The report. Scores are for the side to move in `game`.
        info: Box<SearchInfo>,
    },
    /// A move was made and confirmed by the server.
    Moved {
        /// Number of the game.
        number: u64,
        /// The move, with time and analysis; in a local game the analysis of both sides.
        event: Box<MoveEvent>,
        /// Both clocks after it.
        clocks: Clocks,
    },
    /// A game is over.
    GameEnded {
        /// Number of the game.
        number: u64,
        /// Who won, and why.
        end: GameEnd,
        /// The path of its record; `None` if none is written or writing failed.
        record: Option<PathBuf>,
    },
    /// The client tries again after a pause.
    Pausing {
        /// The length of the pause.
        pause: Duration,
        /// The reason.
        reason: String,
    },
    /// An answer, a chat message or a notice of the server (`##[TOPIC] text`), without its `##`.
    ServerSaid(String),
    /// A warning; the run continues.
    Warning(String),
}
