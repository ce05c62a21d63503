//! What watchers get to see of a run: one stream of reports, whatever it is shown on.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::mpsc;

use crate::{
    clock::Clocks,
    csa::MoveEvent,
    engine::SearchInfo,
    shogi::{Color, Game, GameEnd},
};

/// Something that watchers should know, in the order in which it happens.
///
/// Texts come from anywhere (engines, servers, opponents): whoever prints them strips control
/// characters first.
#[derive(Debug, Clone)]
pub enum Report {
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
    /// We are logged in and wait for a game.
    Waiting {
        /// The name we are logged in under.
        name: String,
    },
    /// A game begins.
    GameStarted {
        /// Which one of this run, from 1 on.
        number: u32,
        /// The server's name for it.
        game_id: String,
        /// Black's and white's name.
        names: [String; 2],
        /// The side of our own `[engine]`.
        own: Color,
        /// Start position, with the moves that are made already.
        game: Arc<Game>,
        /// Both clocks at the beginning.
        clocks: Clocks,
    },
    /// A player's search speaks. Some are left out when the watcher does not keep up.
    Thinking {
        /// Whose search.
        color: Color,
        /// The game that it thinks about; for a pondering one the expected reply is its last move.
        game: Arc<Game>,
        /// What it says; scores from the view of the side to move in `game`.
        info: Box<SearchInfo>,
    },
    /// A move was made and confirmed by the server.
    Moved {
        /// The move, with time and analysis; in a local game the analysis of both sides.
        event: Box<MoveEvent>,
        /// Both clocks after it.
        clocks: Clocks,
    },
    /// The game is over.
    GameEnded {
        /// Which one of this run.
        number: u32,
        /// Who won, and why.
        end: GameEnd,
        /// Where its record is; `None` when it could not be written.
        record: Option<PathBuf>,
    },
    /// We try again after a pause.
    Pausing {
        /// For so long.
        pause: std::time::Duration,
        /// Why.
        reason: String,
    },
    /// Something went wrong or looks wrong; the run goes on.
    Warning(String),
}

/// Where reports go. Clones speak to the same watcher.
#[derive(Debug, Clone)]
pub struct Watcher {
    sender: mpsc::UnboundedSender<Report>,
    waiting_thoughts: Arc<AtomicUsize>,
    /// Speaks for the other side of a local game, of whose reports most would come twice.
    opponent: bool,
}

/// Where reports come out.
#[derive(Debug)]
pub struct Reports {
    receiver: mpsc::UnboundedReceiver<Report>,
    waiting_thoughts: Arc<AtomicUsize>,
}

/// A watcher and the stream of what it is told.
pub fn watch() -> (Watcher, Reports) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let waiting_thoughts = Arc::new(AtomicUsize::new(0));
    let watcher =
        Watcher { sender, waiting_thoughts: Arc::clone(&waiting_thoughts), opponent: false };
    (watcher, Reports { receiver, waiting_thoughts })
}

impl Watcher {
    /// Tells the watcher, without ever waiting for it. Nobody listening is as well.
    pub fn report(&self, report: Report) {
        let thinking = matches!(report, Report::Thinking { .. });
        let of_engine =
            matches!(report, Report::EngineStarting { .. } | Report::EngineReady { .. });
        if self.opponent && !thinking && !of_engine && !matches!(report, Report::Warning(_)) {
            return;
        }
        if thinking {
            // Relaxed: the number only limits a queue, nothing is published through it.
            if self.waiting_thoughts.load(Ordering::Relaxed) >= MOST_WAITING_THOUGHTS {
                return;
            }
            self.waiting_thoughts.fetch_add(1, Ordering::Relaxed);
        }
        let _ = self.sender.send(report);
    }

    /// The same watcher for the other side of a local game.
    pub(super) fn for_opponent(&self) -> Self {
        Self { opponent: true, ..self.clone() }
    }

    /// The same for a warning, which goes to the log as well.
    pub(crate) fn warn(&self, text: String) {
        tracing::warn!("{text}");
        self.report(Report::Warning(text));
    }
}

impl Reports {
    /// The next report; `None` when the run is over. Cancel-safe.
    pub async fn next(&mut self) -> Option<Report> {
        let report = self.receiver.recv().await;
        self.count_off(report)
    }

    /// The same for a plain thread.
    pub fn blocking_next(&mut self) -> Option<Report> {
        let report = self.receiver.blocking_recv();
        self.count_off(report)
    }

    fn count_off(&self, report: Option<Report>) -> Option<Report> {
        if matches!(report, Some(Report::Thinking { .. })) {
            self.waiting_thoughts.fetch_sub(1, Ordering::Relaxed);
        }
        report
    }
}

/// Unread thoughts beyond this many are dropped; all other reports are few.
const MOST_WAITING_THOUGHTS: usize = 64;
