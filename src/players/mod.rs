//! Players, which choose a move for a game and its clocks.
//!
//! A player is an actor. Its owner sends commands and receives events through a [`PlayerHandle`], and neither side
//! blocks. [`start`] starts one of three kinds from a [`PlayerSpec`]: the built-in search, a USI engine,
//! or random moves.
//!
//! - Every request has an id, and every answer carries the id of its request. An answer to a request that was
//!   stopped is never sent.
//! - A [`PlayerCommand::Think`] whose game equals the one being pondered is a ponder hit; the
//!   player detects it.
//!
//! [`start_with_fallbacks`] makes one player of several, of which the next one plays on when one fails.
//!
//! A [`PlayerWrapper`] puts something around a player, such as the help of other machines.
//!
//! An opening book precedes the built-in search and USI engines.
//!
//! [`Thinker`] makes all decisions about a move except the search. The built-in player and the USI engine both drive
//! it; [`search_thread`] runs its searches.
//!
//! Not here: the network, checks of an answer by the protocol, display.

mod book_player;
mod builtin;
mod eval_options;
mod failover;
mod help_counts;
mod player;
mod player_spec;
mod random;
pub mod rule_json;
pub mod search_thread;
#[cfg(test)]
pub mod testing;
mod thinker;
mod time_options;
mod usi;
mod wrapper;

pub use crate::config::EngineOption;
pub use builtin::{BuiltinSpec, start_paced};
pub use eval_options::{EvalOptions, LoadedEvaluation, NamedPath};
pub use failover::{FailoverSpec, start_with_fallbacks};
pub use help_counts::HelpCounts;
pub use kyomi_engine::search::{Bound, Score, SearchInfo};
pub use kyomi_record::book::{BookMove, BookOptions};
pub use player::{
    Answer, Choice, EngineError, EventSender, GameInfo, MoveLimit, PlayerCommand, PlayerEvent,
    PlayerHandle, PlayerPort, RandomSpec, ResignRule, ThinkRequest, pair,
};

pub use player_spec::PlayerSpec;
pub use thinker::{Begun, Finished, Purpose, Thinker};
pub use time_options::{set_time_option, time_option_lines};
pub use usi::UsiSpec;
#[cfg(target_os = "linux")]
pub use usi::guard::run_as_engine_guard;
pub use usi::parser as usi_line;
pub use wrapper::PlayerWrapper;

/// Starts a player. [`PlayerEvent::Ready`] comes before all events of a game, or [`PlayerEvent::Failed`] if it cannot
/// play.
///
/// Call it inside a tokio runtime: a USI engine is a child process of it.
pub fn start(spec: PlayerSpec) -> PlayerHandle {
    match spec {
        PlayerSpec::Builtin(spec) => builtin::start(&spec),
        PlayerSpec::Usi(mut spec) => match spec.book.take() {
            Some(book) => book_player::with_book(usi::start(spec), &book),
            None => usi::start(spec),
        },
        PlayerSpec::Random(spec) => random::start(&spec),
    }
}
