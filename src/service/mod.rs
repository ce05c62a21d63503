//! kyomi as a program that runs for weeks (layer 5): what it owes to the machine.
//!
//! - [`LogFiles`] writes a log of limited size.
//!
//! Not here: what runs (`client`, `server`), and the start of the log (`cli`).

mod log_files;

pub use log_files::LogFiles;
