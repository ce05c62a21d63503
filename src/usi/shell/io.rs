//! What enters and leaves the engine's state machine.

use crate::config::ClusterConfig;
use crate::players::{
    PlayerCommand, PlayerEvent,
    search_thread::{SearchReport, SearchTask},
};
use kyomi_engine::search::SearchOptions;

/// An input of the engine.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "cluster"),
    allow(dead_code, reason = "without the feature there is no coordinator")
)]
pub(in crate::usi) enum Input {
    /// A line of the host.
    Line(String),
    /// A line of the host that was too long to be read.
    TooLong,
    /// The input has ended.
    End,
    /// A report of the search thread.
    Search(SearchReport),
    /// The result of [`Action::Join`]: a message about the connection, or why the room cannot be joined.
    Joined(Result<String, String>),
    /// A command of the coordinator to its player, which is this engine.
    CoordinatorCommand(Box<PlayerCommand>),
    /// An event of a search that the coordinator distributes.
    CoordinatorEvent(PlayerEvent),
    /// The coordinator has ended.
    CoordinatorEnded {
        /// [`JoinRequest::number`] of its room.
        join: u64,
    },
}

/// An output of the engine.
#[derive(Debug)]
pub(in crate::usi) enum Action {
    /// Write this line.
    Print(String),
    /// Send this task to the search thread.
    Task(SearchTask),
    /// Join the workers of a room.
    Join(Box<JoinRequest>),
    /// Leave the workers.
    Leave,
    /// Send this command to the coordinator, as the host of a player does.
    CommandCoordinator(Box<PlayerCommand>),
    /// Send the coordinator this event of its player.
    ReportToCoordinator(PlayerEvent),
    Quit,
}

/// A room to join.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "cluster"),
    allow(dead_code, reason = "without the feature no room can be joined")
)]
pub(in crate::usi) struct JoinRequest {
    /// Unique in this process.
    pub(in crate::usi) number: u64,
    /// The room and its broker.
    pub(in crate::usi) cluster: ClusterConfig,
    /// The search options; those of the workers must have the same checksum.
    pub(in crate::usi) search: SearchOptions,
}
