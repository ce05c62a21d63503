//! One of the engines of a player that plays on when one fails.

use crate::players::{EngineError, PlayerEvent, PlayerHandle, pair};

/// One of the engines.
#[derive(Debug)]
pub(super) struct Member {
    /// Its index in the list; 0 is the engine that plays, the others are fallbacks.
    pub(super) index: usize,
    pub(super) player: PlayerHandle,
    pub(super) state: MemberState,
    /// Whether it missed the last moment of an earlier turn and has sent nothing since.
    pub(super) unresponsive: bool,
    pub(super) name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberState {
    Starting,
    Ready,
    /// Its old process ends, and a new one is started then. Until then commands have no effect.
    Replaced,
    /// It does not play in this game any more.
    OutOfGame,
    /// Its task has ended.
    Ended,
}

impl Member {
    pub(super) fn new(index: usize, player: PlayerHandle) -> Self {
        Self {
            index,
            player,
            state: MemberState::Starting,
            unresponsive: false,
            name: String::new(),
        }
    }

    /// Whether it plays in this game, at once or when it is ready.
    pub(super) fn is_playing(&self) -> bool {
        matches!(self.state, MemberState::Starting | MemberState::Ready | MemberState::Replaced)
    }

    /// Whether its answer can be expected in this turn.
    pub(super) fn is_responsive(&self) -> bool {
        self.state == MemberState::Ready && !self.unresponsive
    }

    /// A member whose engine is started when the old one has ended.
    pub(super) fn replaced(index: usize) -> Self {
        Self { state: MemberState::Replaced, ..Self::new(index, pair().0) }
    }

    /// The next event; never returns when its task has ended. Cancel-safe.
    pub(super) async fn event(&mut self) -> PlayerEvent {
        if matches!(self.state, MemberState::Ended | MemberState::Replaced) {
            return std::future::pending().await;
        }
        self.player.event().await.unwrap_or_else(|| {
            let reason = "it ended unexpectedly".to_owned();
            PlayerEvent::Failed(EngineError::Player { reason })
        })
    }

    /// Quits it in the background.
    pub(super) fn quit(self) {
        if self.state != MemberState::Ended {
            tokio::spawn(self.player.quit());
        }
    }
}

/// The next event of the standby engine; never returns if there is none. Cancel-safe.
pub(super) async fn standby_event(standby: &mut Option<Member>) -> PlayerEvent {
    match standby {
        Some(standby) => standby.event().await,
        None => std::future::pending().await,
    }
}
