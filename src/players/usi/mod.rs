//! USI engines as players.
//!
//! [`driver`] is the protocol as a state machine without I/O. [`parser`] reads the engine's lines, and [`clocks`]
//! formats the clocks. [`process`] does the I/O: the child process, its streams and the timer. `guard` ends the
//! engine when kyomi was killed.
//!
//! Not here: the use of an answer.

mod clocks;
mod driver;
#[cfg(target_os = "linux")]
pub(super) mod guard;
pub mod parser;
mod process;

use std::{path::PathBuf, time::Duration};

use kyomi_record::book::BookSpec;

use super::{EngineOption, ResignRule};

pub(super) use process::start;

/// How to start a USI engine, and its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsiSpec {
    /// The program. With a slash it is a path relative to kyomi's working directory; otherwise it is searched in
    /// `PATH`.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory it runs in; `None`: kyomi's working directory.
    pub working_dir: Option<PathBuf>,
    /// Time limit from `isready` to `readyok`.
    pub ready_timeout: Duration,
    /// The value of `USI_Ponder`.
    pub ponder: bool,
    /// Whether to send the clocks with `ponderhit` and not with `go ponder`, as YaneuraOu understands it.
    pub clocks_at_ponder_hit: bool,
    /// The value of `USI_Hash`, in MiB.
    pub hash_mib: u64,
    /// `[engine.options]`.
    pub options: Vec<EngineOption>,
    /// Whether to send `stop` when the flag is about to fall. A referee that measures the engine's use of time must not
    /// do that.
    pub stop_at_flag: bool,
    /// When it may resign; `None`: whenever it wants.
    pub resign: Option<ResignRule>,
    /// The book that is used before it.
    pub book: Option<BookSpec>,
}

impl UsiSpec {
    /// The program's file name, for messages.
    pub fn title(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}
