//! The interface between a player and its owner, which runs the game.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use kyomi_engine::search::SharedEntry;
use kyomi_record::book::{BookAnswer, BookMove};
use kyomi_shogi::clock::Clocks;
use kyomi_shogi::{Color, EnteringKingRule, EnteringKingWin, Finding, Game, Move, Outcome};

use super::{EngineOption, HelpCounts, SearchInfo};

/// A command to a player.
#[derive(Debug, Clone)]
pub enum PlayerCommand {
    /// A game begins. The player may forget the previous one.
    NewGame(GameInfo),
    /// Find a move. If its game equals the one being pondered on, this is the ponder hit. Any other running request
    /// ends without an answer.
    Think(ThinkRequest),
    /// Think on the opponent's time; the expected reply is the last move of the game. No answer is
    /// given before a `Think`.
    Ponder(ThinkRequest),
    /// Stop the running request; no answer is sent.
    Stop,
    /// Entries of other machines' transposition tables, for players that search as those machines do. The player
    /// answers with [`PlayerEvent::Entries`] if it has new ones itself. Other players ignore it.
    ShareEntries {
        /// The number of this machine's first thread among those of all machines, from 0. Threads with different
        /// numbers search in different orders.
        first_thread: u32,
        /// The entries.
        entries: Vec<SharedEntry>,
    },
    /// The game is over, with this result for the player.
    GameOver(Outcome),
    /// Stop the search and end the player. The handle's events end after it.
    Quit,
}

/// The data of a game that a player needs before its first move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameInfo {
    /// The side it plays.
    pub color: Color,
    /// How an entered king wins.
    pub entering_king: EnteringKingRule,
    /// The number of moves after which the game ends; `None`: no limit.
    pub max_moves: Option<u32>,
}

/// A request for a move.
#[derive(Debug, Clone)]
pub struct ThinkRequest {
    /// Its number, which is unique for the player.
    pub id: u64,
    /// Start position and all moves. The side to move at its end is the player's own.
    pub game: Game,
    /// Both clocks as of the last move, without the time of the current turn, and the network delay. For `Ponder` the
    /// clocks are those if the reply came immediately.
    pub clocks: Clocks,
    /// When the current turn began, by the local clock.
    pub turn_started: Instant,
    /// The limit that replaces the clocks; `None`: the clocks apply.
    pub limit: Option<MoveLimit>,
}

/// A limit of one move that is not a clock.
///
/// It is not enforced. A USI engine may not support it, since USI itself has only clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveLimit {
    /// Number of positions to search, over all threads.
    Nodes(u64),
    /// Nominal depth in plies.
    Depth(u32),
    /// Time from the start of the turn.
    Time(Duration),
}

/// An event of a player.
#[derive(Debug)]
pub enum PlayerEvent {
    /// The player is ready. Repeated after each restart.
    Ready {
        /// The name of the player; untrusted text.
        name: String,
    },
    /// A USI engine has stated its name and its options (`usiok`); [`PlayerEvent::Ready`] follows. Before the first
    /// `Ready` after a start only.
    Identified,
    /// [`PlayerCommand::NewGame`] has been carried out: the next `Think` starts immediately.
    Prepared,
    /// The state of its search. Some are dropped if the owner is slow.
    Info {
        /// Number of the request that it belongs to.
        id: u64,
        /// The state.
        info: Box<SearchInfo>,
    },
    /// New entries of its transposition table for other machines, after [`PlayerCommand::ShareEntries`].
    Entries(Vec<SharedEntry>),
    /// What the workers have done for the player in this game so far. Comes before each answer of a player with
    /// workers.
    Helped(HelpCounts),
    /// Its answer to a `Think`.
    Answer {
        /// Number of the request that it belongs to.
        id: u64,
        /// The answer.
        answer: Answer,
    },
    /// The engine failed and was restarted; it continues with the pending request.
    Restarted(EngineError),
    /// One of several engines failed in a game. The game continues.
    EngineFailure {
        /// The failure, and which engine plays on.
        text: String,
        /// Whether the engine is restarted; otherwise it does not play in this game any more.
        restarted: bool,
    },
    /// The engine is restarted between games; [`PlayerEvent::Ready`] follows.
    NotReady,
    /// A USI engine has shown nothing for long and was sent `stop`. It may have hung.
    Silent {
        /// Number of the request that it belongs to.
        id: u64,
    },
    /// A warning for the user; the player continues.
    Warning(String),
    /// The engine failed too often in this game: the player answers every request by a resignation. After
    /// [`PlayerCommand::GameOver`] it is restarted and sends `Ready` again.
    GaveUp(EngineError),
    /// The player cannot play any more. The last event.
    Failed(EngineError),
}

/// A player's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The choice.
    pub choice: Choice,
    /// The reply named for pondering.
    pub ponder: Option<Move>,
    /// What was found, with the score for the side to move. The line begins with the chosen move.
    pub finding: Finding,
    /// The entry of the opening book if the move came from there, without a search.
    pub book: Option<BookMove>,
    /// Why this resignation must not be sent: it is too early by the [`ResignRule`] of a USI engine.
    pub resign_fault: Option<&'static str>,
}

impl Answer {
    /// An answer without a finding.
    pub fn plain(choice: Choice) -> Self {
        Self { choice, ponder: None, finding: Finding::default(), book: None, resign_fault: None }
    }

    /// A move from the opening book; the reply is the one to ponder on. There is no score: that of a book may stand for
    /// results of games.
    pub fn of_book(chosen: &BookAnswer) -> Self {
        let pv = [chosen.mv].into_iter().chain(chosen.reply).collect();
        Self {
            ponder: chosen.reply,
            finding: Finding { pv, from_book: true, ..Finding::default() },
            book: Some(chosen.entry),
            ..Self::plain(Choice::Move(chosen.mv))
        }
    }
}

/// The choices of a player in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Play this move.
    Move(Move),
    /// Resign.
    Resign,
    /// Declare a win by the entered king.
    Declare,
}

impl From<EnteringKingWin> for Choice {
    fn from(win: EnteringKingWin) -> Self {
        match win {
            EnteringKingWin::Declaration => Self::Declare,
            EnteringKingWin::Try(mv) => Self::Move(mv),
        }
    }
}

/// Why a player cannot play.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The program could not be started.
    #[error("cannot start the engine {}: {source}; check engine.path and engine.working_dir", path.display())]
    Start {
        /// The program as configured.
        path: PathBuf,
        /// The operating system's error.
        source: Arc<std::io::Error>,
    },
    /// The engine did not send an expected line in time.
    #[error("the engine {engine} sent no '{expected}' within {} s{}", limit.as_secs(), last_line(stderr))]
    Silent {
        /// The program.
        engine: String,
        /// The expected line.
        expected: &'static str,
        /// The time limit.
        limit: Duration,
        /// Its last lines on standard error.
        stderr: Vec<String>,
    },
    /// The engine ended unexpectedly.
    #[error("the engine {engine} ended unexpectedly ({status}){}", last_line(stderr))]
    Ended {
        /// The program.
        engine: String,
        /// Exit code or signal, in words.
        status: String,
        /// Its last lines on standard error.
        stderr: Vec<String>,
    },
    /// The engine answered with an illegal move.
    #[error("the engine {engine} answered '{answer}', which is not legal{}", last_line(stderr))]
    Illegal {
        /// The program.
        engine: String,
        /// Its answer.
        answer: String,
        /// Its last lines on standard error.
        stderr: Vec<String>,
    },
    /// The built-in search failed.
    #[error("the built-in engine failed: {reason}")]
    Builtin {
        /// What is known about the failure.
        reason: String,
    },
    /// A player of any kind failed in another way.
    #[error("the player failed: {reason}")]
    Player {
        /// What is known about the failure.
        reason: String,
    },
}

fn last_line(stderr: &[String]) -> String {
    match stderr.last() {
        Some(line) => format!("; its last line on standard error: {line}"),
        None => String::new(),
    }
}

/// When the built-in engine resigns, and from when on a USI engine may resign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignRule {
    /// A score of the side to move at or below this counts towards resigning, in centipawns.
    pub score: i32,
    /// Number of such moves in a row after which to resign, or to let a USI engine resign; 0: never.
    pub moves: u32,
}

/// The owner's side of a player.
///
/// Dropping it acts as [`PlayerCommand::Quit`], without waiting for the end.
#[derive(Debug)]
pub struct PlayerHandle {
    commands: mpsc::UnboundedSender<PlayerCommand>,
    events: mpsc::UnboundedReceiver<PlayerEvent>,
    waiting_infos: Arc<AtomicUsize>,
}

impl PlayerHandle {
    /// Sends a command. It has no effect if the player has ended; [`PlayerHandle::event`] reports the end.
    pub fn send(&self, command: PlayerCommand) {
        let _ = self.commands.send(command);
    }

    /// The next event; `None` when the player has ended. Cancel-safe.
    pub async fn event(&mut self) -> Option<PlayerEvent> {
        let event = self.events.recv().await;
        if matches!(event, Some(PlayerEvent::Info { .. })) {
            self.waiting_infos.fetch_sub(1, Ordering::Relaxed);
        }
        event
    }

    /// Waits until the player is ready and returns its name; earlier events are logged.
    ///
    /// # Errors
    /// The player cannot play.
    pub async fn ready(&mut self) -> Result<String, EngineError> {
        loop {
            match self.event().await {
                Some(PlayerEvent::Ready { name }) => return Ok(name),
                Some(PlayerEvent::Failed(error)) => return Err(error),
                Some(PlayerEvent::Warning(text)) => tracing::warn!("{text}"),
                Some(_) => {}
                None => {
                    let reason = "it ended before it was ready".to_owned();
                    return Err(EngineError::Player { reason });
                }
            }
        }
    }

    /// Ends the player and waits for its end, including its process, for a limited time.
    pub async fn quit(mut self) {
        self.send(PlayerCommand::Quit);
        let all = async { while self.event().await.is_some() {} };
        if tokio::time::timeout(QUIT_LIMIT, all).await.is_err() {
            tracing::warn!("a player did not end in time");
        }
    }
}

/// The player's side of the channels, for a task or a thread.
#[derive(Debug)]
pub struct PlayerPort {
    /// The commands; `None` means the same as [`PlayerCommand::Quit`].
    pub commands: mpsc::UnboundedReceiver<PlayerCommand>,
    /// The sender of events.
    pub events: EventSender,
}

/// Sends events to the owner; can be cloned.
#[derive(Debug, Clone)]
pub struct EventSender {
    sender: mpsc::UnboundedSender<PlayerEvent>,
    waiting_infos: Arc<AtomicUsize>,
}

impl EventSender {
    /// Sends an event. Never blocks. Infos are dropped while 64 of them are unread.
    pub fn send(&self, event: PlayerEvent) {
        if matches!(event, PlayerEvent::Info { .. }) {
            // Relaxed: the number only limits a queue and synchronizes no other data.
            if self.waiting_infos.load(Ordering::Relaxed) >= MAX_WAITING_INFOS {
                return;
            }
            self.waiting_infos.fetch_add(1, Ordering::Relaxed);
        }
        let _ = self.sender.send(event);
    }
}

/// A connected pair of a handle and a port.
pub fn pair() -> (PlayerHandle, PlayerPort) {
    let (command_sender, commands) = mpsc::unbounded_channel();
    let (sender, events) = mpsc::unbounded_channel();
    let waiting_infos = Arc::new(AtomicUsize::new(0));
    let handle = PlayerHandle {
        commands: command_sender,
        events,
        waiting_infos: Arc::clone(&waiting_infos),
    };
    (handle, PlayerPort { commands, events: EventSender { sender, waiting_infos } })
}

/// Infos are dropped while this number of them is unread.
const MAX_WAITING_INFOS: usize = 64;

/// A USI engine has five seconds for `stop` and two for `quit` before it is killed, and two more until it is reaped.
const QUIT_LIMIT: Duration = Duration::from_secs(10);
/// The settings of the random player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RandomSpec {
    /// The seed of the random numbers; `None`: a different one in every run.
    pub seed: Option<u64>,
}

impl RandomSpec {
    /// Reads the option `Seed`; other options are ignored.
    pub fn new(options: &[EngineOption]) -> Self {
        let seed = options.iter().find(|option| option.name.eq_ignore_ascii_case("seed"));
        Self { seed: seed.and_then(|option| option.value.trim().parse().ok()) }
    }
}
