//! kyomi as a program that runs for weeks (layer 5): what it owes to the machine and to the service manager.
//!
//! - [`ServiceManager`] speaks the protocol of `sd_notify(3)` with systemd: ready, status, alive, stopping. Without
//!   `NOTIFY_SOCKET` it does nothing, and on systems without Unix sockets there is nothing to do.
//! - [`Unit`] is the text of a systemd unit that uses it.
//! - [`keep_awake`] keeps the machine from going to sleep during a game.
//! - [`LogFiles`] writes a log of limited size.
//!
//! Not here: what runs (`client`, `server`), and the start of the log (`cli`).

mod awake;
mod log_files;
mod manager;
mod notify_socket;
mod progress;
#[cfg(test)]
mod test_reports;
mod unit;

pub use awake::keep_awake;
pub use log_files::LogFiles;
pub use manager::{ServiceManager, ServiceManagerError};
pub use progress::{Phases, Progress};
pub use unit::{Command, Unit, UnitError};
