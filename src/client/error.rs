//! Why a run of games ends early.

use std::path::PathBuf;

use crate::players::EngineError;
use crate::{archive::JournalError, server::ServerError};
use kyomi_csa::text::printable;

/// Why a run ended before all its games were played.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The engine cannot play.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Records cannot be written.
    #[error(transparent)]
    Records(#[from] JournalError),
    /// The embedded server cannot be started.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// Another client on this machine has this login.
    #[error(
        "a client is running already as {login}, and a second login would end its session; `kyomi ctl finish` ends it \
         after its game (its socket: {})", socket.display()
    )]
    AlreadyRunning {
        /// The name and the server.
        login: String,
        /// The control socket of the running client.
        socket: PathBuf,
    },
    /// The server cannot be reached.
    #[error(
        "cannot connect to {server}: {reason}; is the server running, are server.host and server.port right?"
    )]
    Connect {
        /// `host:port`.
        server: String,
        /// The operating system's message.
        reason: String,
    },
    /// The server refused the login.
    #[error(
        "{server} refused the login of {name}{}; check server.name and server.password, and whether that name is logged in already",
        reason_suffix(reason.as_deref())
    )]
    LoginRefused {
        /// `host:port`.
        server: String,
        /// Our name.
        name: String,
        /// The server's message.
        reason: Option<String>,
    },
    /// The server did not answer the login.
    #[error("{server} did not answer the login; is it a CSA server?")]
    NoAnswer {
        /// `host:port`.
        server: String,
    },
    /// The server has no extended mode.
    #[error("{server} does not answer commands of extended mode; it may not have that mode")]
    NoCommands {
        /// `host:port`.
        server: String,
    },
    /// The login succeeded, but no game will be offered.
    #[error("{server} lets us in but will give no game: {words}")]
    NotQueued {
        /// `host:port`.
        server: String,
        /// The server's message.
        words: String,
    },
    /// The session ended before a game began.
    #[error("the session with {server} ended without a game")]
    NoGame {
        /// `host:port`.
        server: String,
    },
    /// Some of several accounts failed; the others have played.
    #[error(
        "{} of {accounts} accounts failed: {}",
        failed.len(),
        failed.iter().map(|(label, reason)| format!("{label}: {reason}")).collect::<Vec<_>>().join("; ")
    )]
    Accounts {
        /// The labels of those that failed, and why.
        failed: Vec<(String, String)>,
        /// The number of all accounts.
        accounts: usize,
    },
    /// The connection was lost.
    #[error("the connection to {server} was lost{}: {reason}", if *in_game { " in the game, which is lost by rule" } else { "" })]
    Lost {
        /// `host:port`.
        server: String,
        /// Why it was lost.
        reason: String,
        /// Whether a game was running.
        in_game: bool,
    },
}

pub(super) fn reason_suffix(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({})", printable(reason)))
}
