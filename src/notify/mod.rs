//! Messages about running games to a program or a web hook (layer 5): `[notify]`.
//!
//! ```text
//! reports ─▶ Digest ─▶ message ─┬▶ Outbox ─▶ command
//!            (one per account)  └▶ Outbox ─▶ web hook
//! ```
//! - It is a watcher of [`watch`](crate::watch): a slow or dead receiver of messages never delays a game.
//! - Each receiver has an `Outbox` of limited size, and one delivery of limited length at a time. What a web hook does not
//!   take now is delivered again for ten minutes: the loss of our own line is among the messages.
//! - The address of a web hook is a secret. No error and no log line contains it.
//!
//! Not here: what happens in a game, and the settings.

mod command;
mod delivery;
mod digest;
mod hook;
mod message;
mod outbox;
mod receiver;
mod tally;
mod task;

pub use delivery::DeliveryError;
pub use receiver::send_test;
pub use task::{Notifier, start};

#[cfg(test)]
mod tests;
