//! Search on several machines that are connected through one message broker (cargo feature `cluster`).
//!
//! A *coordinator* plays or distributes work, *workers* search for it, and a *broker* carries their messages. A
//! coordinator always searches itself: losing a worker or the broker costs playing strength and nothing else.
//!
//! - [`Transport`]: the trait for sending and receiving messages. The code above it does not depend on an
//!   implementation.
//! - [`NatsTransport`]: the implementation that uses a NATS server.
//! - [`jobs`]: queues of many independent jobs, which the broker keeps until they are done.
//! - [`message`]: the messages between machines, checked like all input from outside.

mod coordinator;
pub mod jobs;
pub mod message;
mod nats;
mod roster;
mod speed;
pub mod subject;
mod survey;
mod tls;
mod transport;
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
pub use virtual_network::{NetworkFaults, VirtualNetwork};
pub use worker::serve;
