//! The states of a session, by phase.

use std::sync::Arc;
use std::time::Instant;

use kyomi_shogi::clock::OwnTurn;

use super::super::message::{ClientMessage, ReasonWord, ResultWord};
use super::super::summary::GameSummary;
use super::running::RunningGame;
use super::{SessionEnd, UnfinishedGame};

/// The state of the session, by its phase.
#[derive(Debug)]
pub(super) enum State {
    /// No game has begun, or it is over.
    Lobby(Lobby),
    /// A game has begun and has not ended.
    Game(GamePhase),
    /// We leave, or have left.
    Closing(Closing),
}

/// From the connection to the start of a game.
#[derive(Debug)]
pub(super) enum Lobby {
    /// Not connected.
    Offline,
    /// `LOGIN` is sent.
    LoggingIn { since: Instant },
    /// Logged in, no offer.
    Waiting(Waiting),
    /// An offer is being read.
    Agreeing,
    /// `AGREE` was sent at this time, or it is held since then until the player is prepared.
    Starting { summary: Arc<GameSummary>, since: Instant, held: Option<ClientMessage> },
    /// The offer of a running game was read, which continues without an agreement. The server's state of it may follow.
    Resuming { summary: Arc<GameSummary>, since: Instant },
}

/// From the start of a game to its end.
#[derive(Debug)]
pub(super) enum GamePhase {
    /// The game is running.
    Playing(Box<RunningGame>),
    /// The first line about the end of the game has arrived.
    Ending(Box<Ending>),
    /// The server has suspended the game. It goes on when it is offered again.
    Suspended(Box<UnfinishedGame>),
}

/// From `LOGOUT` on.
#[derive(Debug)]
pub(super) enum Closing {
    /// `LOGOUT` was sent; the answer may still arrive.
    LoggingOut { since: Instant, end: SessionEnd },
    /// The session is over.
    Closed,
}

impl State {
    /// A description for warnings.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Lobby(Lobby::Offline) => "before the connection stands",
            Self::Lobby(Lobby::LoggingIn { .. }) => "while logging in",
            Self::Lobby(Lobby::Waiting(_)) => "while waiting for a game",
            Self::Lobby(Lobby::Agreeing) => "while an offer is read",
            Self::Lobby(Lobby::Starting { .. }) => "before the game starts",
            Self::Lobby(Lobby::Resuming { .. }) => "while a game is resumed",
            Self::Game(GamePhase::Playing(_)) => "in the game",
            Self::Game(GamePhase::Ending(_)) => "at the end of the game",
            Self::Game(GamePhase::Suspended(_)) => "while the game is suspended",
            Self::Closing(Closing::LoggingOut { .. }) => "while leaving",
            Self::Closing(Closing::Closed) => "after the end",
        }
    }

    /// The game, if it is running.
    pub(super) fn playing(&self) -> Option<&RunningGame> {
        match self {
            Self::Game(GamePhase::Playing(running)) => Some(running),
            _ => None,
        }
    }

    /// The game, if it is running.
    pub(super) fn playing_mut(&mut self) -> Option<&mut RunningGame> {
        match self {
            Self::Game(GamePhase::Playing(running)) => Some(running),
            _ => None,
        }
    }

    /// The game whose end is being reported.
    pub(super) fn ending_mut(&mut self) -> Option<&mut Ending> {
        match self {
            Self::Game(GamePhase::Ending(ending)) => Some(ending),
            _ => None,
        }
    }
}

impl From<Lobby> for State {
    fn from(state: Lobby) -> Self {
        Self::Lobby(state)
    }
}

impl From<RunningGame> for State {
    fn from(running: RunningGame) -> Self {
        Self::Game(GamePhase::Playing(Box::new(running)))
    }
}

impl From<Ending> for State {
    fn from(ending: Ending) -> Self {
        Self::Game(GamePhase::Ending(Box::new(ending)))
    }
}

/// Waiting for an offer.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// When we logged in, or asked for a game in extended mode; `None` after the first offer.
    pub(super) logged_in_at: Option<Instant>,
    /// When to ask for a game, in extended mode.
    pub(super) ask_at: Option<Instant>,
    /// The server's error soon after the login, if it means that no game will be offered.
    pub(super) error: Option<String>,
}

/// A game whose end is being reported by the server.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) running: RunningGame,
    /// Where the time of our turn went, if the game ended in it.
    pub(super) own_turn: Option<OwnTurn>,
    pub(super) reason: Option<ReasonWord>,
    pub(super) result: Option<ResultWord>,
    /// Missing lines are not awaited after this time.
    pub(super) until: Instant,
}
