//! Notifications about running games to a program or a web hook: `[notify]`.
//!
//! ```text
//! reports ─▶ Digest ─▶ message ─┬▶ Outbox ─▶ command
//!            (one per account)  └▶ Outbox ─▶ web hook
//! ```
//! - It is a watcher of [`watch`](crate::watch): a slow or dead receiver of messages never delays a game.
//! - Each receiver has an `Outbox` of limited size, and one delivery with a time limit at a time. A message that a web
//!   hook cannot take now is retried for ten minutes, since the network may be down and that is one of the messages.
//! - The address of a web hook is a secret. No error and no log line contains it.
//!
//! Not here: the reports about games (`watch`), and the settings (`config`).

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
