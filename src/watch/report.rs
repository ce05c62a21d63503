//! What watchers are told.

use std::{path::PathBuf, sync::Arc, time::Duration};

use crate::{
    clock::Clocks,
    csa::MoveEvent,
    search::SearchInfo,
    shogi::{Color, Game, GameEnd},
};

use super::Snapshot;

/// Something that watchers should know, in the order in which it happens.
///
/// Texts come from anywhere (engines, servers, opponents): whoever prints them strips control characters first.
#[derive(Debug, Clone)]
pub enum Report {
    /// All that stands: the first report of a watcher, and the next one after reports were lost.
    Snapshot {
        /// What stands.
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
        /// What the engine calls itself.
        engine: String,
    },
    /// A connection is being made.
    Connecting {
        /// `host:port`.
        server: String,
    },
    /// The client is logged in and waits for a game.
    Waiting {
        /// The name it is logged in under.
        name: String,
    },
    /// The connection was lost in a game, which may go on.
    Suspended {
        /// Which game.
        number: u64,
        /// Why.
        reason: String,
    },
    /// The game goes on over a new connection.
    Resumed {
        /// Which game.
        number: u64,
        /// Both clocks as the server states them.
        clocks: Clocks,
    },
    /// A game begins.
    GameStarted {
        /// Which one of this run, from 1 on; every later report of the game has it.
        number: u64,
        /// The server's name for it.
        game_id: String,
        /// Black's and white's name.
        names: [String; 2],
        /// The side of the own `[engine]`; `None` where others play, as on a server.
        own: Option<Color>,
        /// Start position, with the moves that are made already.
        game: Arc<Game>,
        /// Both clocks at the beginning.
        clocks: Clocks,
    },
    /// A player's search reports, in the game that began last. Some are left out when a watcher does not keep up.
    Thinking {
        /// Whose search.
        color: Color,
        /// The game that it thinks about; for a pondering one the expected reply is its last move.
        game: Arc<Game>,
        /// What it reports; scores from the view of the side to move in `game`.
        info: Box<SearchInfo>,
    },
    /// A move was made and confirmed by the server.
    Moved {
        /// In which game.
        number: u64,
        /// The move, with time and analysis; in a local game the analysis of both sides.
        event: Box<MoveEvent>,
        /// Both clocks after it.
        clocks: Clocks,
    },
    /// A game is over.
    GameEnded {
        /// Which one.
        number: u64,
        /// Who won, and why.
        end: GameEnd,
        /// Where its record is; `None` when none is kept or it could not be written.
        record: Option<PathBuf>,
    },
    /// The client tries again after a pause.
    Pausing {
        /// How long.
        pause: Duration,
        /// Why.
        reason: String,
    },
    /// Something went wrong or looks wrong; the run goes on.
    Warning(String),
}
