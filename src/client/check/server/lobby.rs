//! A connection to the server outside games: login, logout and the time of answers.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::login_plan::LoginPlan;
use crate::client::{connection::Connection, server_stream::ServerStream};
use kyomi_csa::{ClientMessage, Line, ServerMessage, without_token};

/// The answer to the login.
pub(super) enum Login {
    Accepted {
        name: String,
        took: Duration,
        /// `##[ERROR]` right after it.
        error: Option<String>,
        /// Whether an offer of a game has begun to arrive.
        offered: bool,
    },
    Refused(Option<String>),
    Silent,
    Closed(String),
}

/// A connection to the server outside games.
pub(super) struct Lobby<'a> {
    pub(super) connection: Connection<ServerStream>,
    pub(super) plan: &'a LoginPlan,
}

impl Lobby<'_> {
    pub(super) async fn log_in(&mut self, name: &str) -> Login {
        let login = ClientMessage::Login {
            name: name.to_owned(),
            password: self.plan.password.clone(),
            mode: self.plan.mode.clone(),
        };
        tracing::debug!(line = %login, "to the server");
        self.connection.send(&login).await;
        let began = Instant::now();
        let (name, took) = loop {
            match timeout(LOGIN_LIMIT, self.message()).await {
                Err(_) => return Login::Silent,
                Ok(Err(cause)) => return Login::Closed(cause),
                Ok(Ok(ServerMessage::LoginOk { name })) => break (name, began.elapsed()),
                Ok(Ok(ServerMessage::LoginIncorrect { reason })) => return Login::Refused(reason),
                Ok(Ok(_)) if began.elapsed() > LOGIN_LIMIT => return Login::Silent,
                Ok(Ok(_)) => {}
            }
        };
        let mut error = None;
        let until = Instant::now() + NOTICES;
        while let Ok(Ok(message)) = tokio::time::timeout_at(until, self.message()).await {
            match message {
                ServerMessage::Notice { topic, text } if topic == "ERROR" => error = Some(text),
                // It is answered in `log_out`.
                ServerMessage::BeginSummary => {
                    return Login::Accepted { name, took, error, offered: true };
                }
                _ => {}
            }
        }
        Login::Accepted { name, took, error, offered: false }
    }

    /// Logs out. Returns the id of a game that was offered meanwhile, which it rejects.
    pub(super) async fn log_out(&mut self) -> Option<String> {
        let mut offered = None;
        self.connection.send(&ClientMessage::Logout).await;
        let until = Instant::now() + LOGOUT_LIMIT;
        let mut game_id = None;
        while let Ok(Ok(line)) = tokio::time::timeout_at(until, self.connection.line()).await {
            let Line::Text(line) = line else { continue };
            if let Some(id) = line.strip_prefix("Game_ID:") {
                game_id = Some(id.trim().to_owned());
            } else if line.trim_end() == "END Game_Summary" {
                self.connection.send(&ClientMessage::Reject { game_id: game_id.clone() }).await;
                self.connection.send(&ClientMessage::Logout).await;
                offered = Some(game_id.take().unwrap_or_default());
            } else if ServerMessage::parse(&line) == ServerMessage::LogoutCompleted {
                break;
            }
        }
        offered
    }

    /// Measures the time of the answers to empty lines, as long as the server answers them at once.
    pub(super) async fn empty_lines(&mut self) -> Vec<Duration> {
        let mut samples = Vec::new();
        let end = Instant::now() + SAMPLING;
        while samples.len() < SAMPLES && Instant::now() < end {
            let began = Instant::now();
            self.connection.send(&ClientMessage::KeepAlive).await;
            let answer = async {
                while let Ok(message) = self.message().await {
                    match message {
                        ServerMessage::KeepAlive => return true,
                        // It is answered in `log_out`.
                        ServerMessage::BeginSummary => return false,
                        _ => {}
                    }
                }
                false
            };
            match timeout(ANSWER_LIMIT, answer).await {
                Ok(true) => samples.push(began.elapsed()),
                Ok(false) | Err(_) => break,
            }
        }
        samples
    }

    async fn message(&mut self) -> Result<ServerMessage, String> {
        loop {
            match self.connection.line().await {
                Ok(Line::Text(line)) => {
                    tracing::debug!(line = ?without_token(&line), "from the server");
                    return Ok(ServerMessage::parse(&line));
                }
                Ok(Line::TooLong) => {}
                Err(cause) => return Err(cause.text()),
            }
        }
    }
}

/// The longest wait for the answer to the login.
pub(super) const LOGIN_LIMIT: Duration = Duration::from_secs(20);

/// How long the check reads messages of the server after the login.
const NOTICES: Duration = Duration::from_millis(300);

const LOGOUT_LIMIT: Duration = Duration::from_secs(3);

/// The number of empty lines, and the longest time for them together and for one.
const SAMPLES: usize = 100;
const SAMPLING: Duration = Duration::from_secs(2);
const ANSWER_LIMIT: Duration = Duration::from_millis(500);
