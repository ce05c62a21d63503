//! Several machines, joined by one address (layer 4; cargo feature `cluster`).
//!
//! A *coordinator* plays or gives out work, *workers* search for it, and a *broker* carries their messages. A coordinator
//! always searches itself: a worker or a broker that is lost costs strength and nothing else.
//!
//! - [`Transport`]: what carries messages. Nothing above it knows which one it is.
//! - [`NatsTransport`]: the one through a NATS server.
//! - [`jobs`]: work by the thousand, which the broker keeps until it is done.
//! - [`message`]: the messages, which are checked as every other input from outside.

mod coordinator;
pub mod jobs;
pub mod message;
mod nats;
mod roster;
mod speed;
pub mod subject;
mod survey;
mod transport;
mod tree;
mod virtual_network;
mod worker;

pub use coordinator::{CoordinatorSpec, Help, coordinate, helped_by};
pub use nats::{BrokerError, NatsTransport};
pub use speed::nodes_per_second;
pub use subject::{Room, RoomError};
pub use survey::{Survey, survey};
pub use transport::{
    Incoming, LONGEST_MESSAGE, LinkState, MOST_WAITING, SharedTransport, Subscription, Transport,
};
pub use tree::TreeRules;
pub use virtual_network::{NetworkFaults, VirtualNetwork};
pub use worker::serve;
