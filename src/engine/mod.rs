//! Players: given a game and clocks, they give a move (layer 4).
//!
//! A player is an actor: commands go in through a [`PlayerHandle`], events come out of it, and
//! nobody waits for anybody. There are three kinds, all started by [`start`] from a
//! [`PlayerSpec`]: the built-in search, any program that speaks USI, and random moves.
//!
//! - Every request has an id, and every answer carries the id of its request: an answer to a
//!   request that has been stopped is never sent, and could not be mistaken if it were.
//! - A [`PlayerCommand::Think`] whose game equals the one being pondered is a ponder hit; the
//!   player sees that by itself.
//!
//! What is decided about a move beside the search is in [`Thinker`], which the built-in player and the USI engine both
//! drive; [`search_thread`] carries its searches out.
//!
//! Not here: the network, the protocol's opinion of an answer, what is shown of it.

mod builtin;
mod player;
mod player_spec;
mod random;
pub mod search_thread;
mod thinker;
mod usi;

pub use crate::search::{Bound, Score, SearchInfo};
pub use builtin::BuiltinSpec;
pub use player::{
    Answer, Choice, EngineError, EventSender, GameInfo, MoveLimit, PlayerCommand, PlayerEvent,
    PlayerHandle, PlayerPort, RandomSpec, ResignRule, ThinkRequest, pair,
};

pub use player_spec::PlayerSpec;
pub use thinker::{Begun, Finished, Purpose, Thinker};
pub use usi::UsiSpec;
pub use usi::parser as usi_line;

/// Starts a player. The first event of its handle is [`PlayerEvent::Ready`], or
/// [`PlayerEvent::Failed`] when it cannot play at all.
///
/// Call it inside a tokio runtime: a USI engine is a child process of it.
pub fn start(spec: PlayerSpec) -> PlayerHandle {
    match spec {
        PlayerSpec::Builtin(spec) => builtin::start(&spec),
        PlayerSpec::Usi(spec) => usi::start(spec),
        PlayerSpec::Random(spec) => random::start(&spec),
    }
}
