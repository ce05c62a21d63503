//! Running kyomi as a service for weeks: service manager, logs, sleep of the machine.
//!
//! - [`ServiceManager`] speaks the protocol of `sd_notify(3)` with systemd: ready, status, watchdog, stopping. Without
//!   `NOTIFY_SOCKET`, and on systems without Unix sockets, it does nothing.
//! - [`Unit`] is the text of a systemd unit that uses it.
//! - [`keep_awake`] keeps the machine from going to sleep during a game.
//! - [`LogFiles`] writes a log of limited size.
//!
//! Not here: the programs that run (`client`, `server`), and the set-up of the log (`cli`).

mod awake;
mod log_files;
mod manager;
mod notify_socket;
mod progress;
#[cfg(test)]
mod test_reports;
mod unit;

pub use awake::{awake_now, keep_awake};
pub use log_files::LogFiles;
pub use manager::{ServiceManager, ServiceManagerError};
pub use progress::{Phases, Progress};
pub use unit::{Command, Unit, UnitError};
