//! The contract between a player and whoever owns the game.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use crate::{
    clock::Clocks,
    config::EngineOption,
    shogi::{Color, Game, Move, Outcome},
};

use super::{Score, SearchInfo};

/// What a player is told.
#[derive(Debug, Clone)]
pub enum PlayerCommand {
    /// A game begins; nothing learnt in the one before need be kept.
    NewGame(GameInfo),
    /// Find a move. If its game equals the one being pondered on, this is the ponder hit. Any
    /// other request under way ends without an answer.
    Think(ThinkRequest),
    /// Think on the opponent's time; the expected reply is the last move of the game. No answer is
    /// given before a `Think`.
    Ponder(ThinkRequest),
    /// Drop what is under way; no answer is wanted.
    Stop,
    /// The game is over, with this result for the player.
    GameOver(Outcome),
    /// End: stop the search, let the process go. The handle's events end after it.
    Quit,
}

/// What a player should know of a game before its first move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameInfo {
    /// The side it plays.
    pub color: Color,
    /// Whether a king that entered may be declared a win by the 27-point rule.
    pub declaration: bool,
    /// The game ends at so many moves; `None`: no limit.
    pub max_moves: Option<u32>,
}

/// One question to a player.
#[derive(Debug, Clone)]
pub struct ThinkRequest {
    /// Its number; never used twice for one player.
    pub id: u64,
    /// Start position and all moves. The side to move at its end is the player's own.
    pub game: Game,
    /// Both clocks as the server left them, without the time of the running turn; with them what
    /// the network may eat of a turn. For `Ponder`: as they would stand if the reply came at once.
    pub clocks: Clocks,
    /// When the running turn began, as far as we can see.
    pub turn_started: Instant,
    /// What ends the search in place of the clocks; `None`: the clocks do.
    pub limit: Option<MoveLimit>,
}

/// A limit of one move that is not a clock.
///
/// It is a wish: a USI engine may not know the word for it (USI itself has only clocks), and nobody
/// here sees to it that it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveLimit {
    /// Positions to look at, over all threads.
    Nodes(u64),
    /// Nominal depth in plies.
    Depth(u32),
    /// Time from the start of the turn.
    Time(Duration),
}

/// What a player says.
#[derive(Debug)]
pub enum PlayerEvent {
    /// It can play. Comes before anything else, and again after each new start.
    Ready {
        /// What it calls itself, as it said it: may hold anything.
        name: String,
    },
    /// It has done what [`PlayerCommand::NewGame`] asked for: when told to think, it begins at once.
    Prepared,
    /// The state of its search. May be missing when the owner does not keep up.
    Info {
        /// Number of the request that it belongs to.
        id: u64,
        /// The state.
        info: Box<SearchInfo>,
    },
    /// Its answer to a `Think`.
    Answer {
        /// Number of the request that it belongs to.
        id: u64,
        /// The answer.
        answer: Answer,
    },
    /// It broke down and has been started again; it goes on with what it had to do.
    Restarted(EngineError),
    /// Something the user should know; it goes on.
    Warning(String),
    /// It broke down once too often in this game: whatever it is asked, it resigns. After
    /// [`PlayerCommand::GameOver`] it is started anew and says `Ready` again.
    GaveUp(EngineError),
    /// It cannot play, now or later. Nothing follows.
    Failed(EngineError),
}

/// A player's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What to do.
    pub choice: Choice,
    /// Its evaluation, from the view of the side to move.
    pub score: Option<Score>,
    /// The expected line, beginning with the chosen move; empty when it is not known.
    pub pv: Vec<Move>,
    /// The reply that it names to ponder on.
    pub ponder: Option<Move>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Positions looked at.
    pub nodes: Option<u64>,
}

impl Answer {
    /// An answer without anything about how it was found.
    pub fn plain(choice: Choice) -> Self {
        Self { choice, score: None, pv: Vec::new(), ponder: None, depth: None, nodes: None }
    }
}

/// What a player can do in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Play this move.
    Move(Move),
    /// Give up.
    Resign,
    /// Declare a win by the entered king.
    Declare,
}

/// Why a player cannot play, or not any more.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The program could not be started.
    #[error("cannot start the engine {}: {source}; check engine.path and engine.working_dir", path.display())]
    Start {
        /// The program as configured.
        path: PathBuf,
        /// The system's reason.
        source: Arc<std::io::Error>,
    },
    /// It said nothing for too long.
    #[error("the engine {engine} sent no '{expected}' within {} s{}", limit.as_secs(), last_words(stderr))]
    Silent {
        /// The program.
        engine: String,
        /// The word that was waited for.
        expected: &'static str,
        /// How long.
        limit: Duration,
        /// Its last lines on standard error.
        stderr: Vec<String>,
    },
    /// It ended by itself.
    #[error("the engine {engine} ended by itself ({status}){}", last_words(stderr))]
    Ended {
        /// The program.
        engine: String,
        /// Exit code or signal, in words.
        status: String,
        /// Its last lines on standard error.
        stderr: Vec<String>,
    },
    /// It answered what the rules forbid.
    #[error("the engine {engine} answered '{answer}', which is not legal{}", last_words(stderr))]
    Illegal {
        /// The program.
        engine: String,
        /// Its answer.
        answer: String,
        /// Its last lines on standard error.
        stderr: Vec<String>,
    },
    /// The built-in search broke down.
    #[error("the built-in engine broke down: {reason}")]
    Builtin {
        /// What is known of it.
        reason: String,
    },
}

fn last_words(stderr: &[String]) -> String {
    match stderr.last() {
        Some(line) => format!("; its last words: {line}"),
        None => String::new(),
    }
}

/// When the built-in engine gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignRule {
    /// A score of the side to move at or below this counts towards resigning, in centipawns.
    pub score: i32,
    /// So many such moves in a row resign; 0: never.
    pub moves: u32,
}

/// The owner's end of a player.
///
/// Dropping it is a [`PlayerCommand::Quit`] that nobody waits for.
#[derive(Debug)]
pub struct PlayerHandle {
    commands: mpsc::UnboundedSender<PlayerCommand>,
    events: mpsc::UnboundedReceiver<PlayerEvent>,
    waiting_infos: Arc<AtomicUsize>,
}

impl PlayerHandle {
    /// Tells the player something. A player that has ended hears nothing; its events say so.
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

    /// Waits until the player is ready and says its name; what comes before goes to the log.
    ///
    /// # Errors
    /// It cannot play.
    pub async fn ready(&mut self) -> Result<String, EngineError> {
        loop {
            match self.event().await {
                Some(PlayerEvent::Ready { name }) => return Ok(name),
                Some(PlayerEvent::Failed(error)) => return Err(error),
                Some(PlayerEvent::Warning(text)) => tracing::warn!("{text}"),
                Some(_) => {}
                None => {
                    let reason = "it ended before it was ready".to_owned();
                    return Err(EngineError::Builtin { reason });
                }
            }
        }
    }

    /// Ends the player and waits until it is gone, its process too, but not for ever.
    pub async fn quit(mut self) {
        self.send(PlayerCommand::Quit);
        let all = async { while self.event().await.is_some() {} };
        if tokio::time::timeout(PATIENCE_AT_THE_END, all).await.is_err() {
            tracing::warn!("a player did not end in time");
        }
    }
}

/// The player's end. Works in a task and on a plain thread alike.
#[derive(Debug)]
pub struct PlayerPort {
    /// What to do next; `None` means the same as [`PlayerCommand::Quit`].
    pub commands: mpsc::UnboundedReceiver<PlayerCommand>,
    /// Where to say things.
    pub events: EventSender,
}

/// A player's voice; clones speak to the same owner.
#[derive(Debug, Clone)]
pub struct EventSender {
    sender: mpsc::UnboundedSender<PlayerEvent>,
    waiting_infos: Arc<AtomicUsize>,
}

impl EventSender {
    /// Says something, without ever waiting. Infos are dropped while the owner has
    /// 64 of them unread.
    pub fn send(&self, event: PlayerEvent) {
        if matches!(event, PlayerEvent::Info { .. }) {
            // Relaxed: the number only limits a queue, nothing is published through it.
            if self.waiting_infos.load(Ordering::Relaxed) >= MAX_WAITING_INFOS {
                return;
            }
            self.waiting_infos.fetch_add(1, Ordering::Relaxed);
        }
        let _ = self.sender.send(event);
    }
}

/// A handle and the port it talks to.
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

/// Unread infos beyond this many are dropped.
const MAX_WAITING_INFOS: usize = 64;

/// A USI engine has five seconds for `stop` and two for `quit` before it is killed; two more to be reaped.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(10);
/// How to be random.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RandomSpec {
    /// The same seed plays the same moves; `None`: different ones every time.
    pub seed: Option<u64>,
}

impl RandomSpec {
    /// Reads the option `Seed`; all others mean nothing to it.
    pub fn new(options: &[EngineOption]) -> Self {
        let seed = options.iter().find(|option| option.name.eq_ignore_ascii_case("seed"));
        Self { seed: seed.and_then(|option| option.value.trim().parse().ok()) }
    }
}
