//! The spy: logs in to a server in extended mode and records games that others play.
//!
//! | file | contents | I/O |
//! |---|---|---|
//! | `watched_records` | the journals and records | files |
//! | `mod` | the connection with reconnects; single questions | sockets |
//!
//! The protocol is [`kyomi_csa::spy`]. Everything from the server is untrusted: ids never become paths (the records are
//! named by [`file_stem`](crate::archive::file_stem)).

mod watched_records;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::archive::JournalError;
use crate::config::ServerConfig;
use kyomi_csa::spy::{SpyAction, SpyOptions, SpySession, Update, unknown_end};
use kyomi_csa::text::printable;
use kyomi_csa::{ClientMessage, ExtendedCommand, Line, LoginMode, ServerMessage};
use kyomi_record::End;

use super::backoff::Backoff;
use super::connection::Connection;
use super::error::ClientError;
use super::login::address;
use super::server_stream::ServerStream;
use watched_records::WatchedRecords;

/// The settings of a spy.
#[derive(Debug, Clone)]
pub struct SpySettings {
    /// The server, and our login there.
    pub server: ServerConfig,
    /// What to watch.
    pub options: SpyOptions,
    /// The folder of the records.
    pub dir: PathBuf,
    /// The names of the records, as in `records.name`.
    pub template: String,
}

/// An event of the spy. Its texts contain no control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpyEvent {
    /// The spy is logged in.
    Connected {
        /// `host:port`.
        server: String,
    },
    /// A game is watched.
    Watching {
        /// The server's id of the game.
        id: String,
        /// Black's and white's name.
        names: [String; 2],
        /// The number of moves so far.
        moves: usize,
    },
    /// A move.
    Move {
        /// The id of the game.
        id: String,
        /// The number of the move, from 1.
        ply: usize,
        /// The time that the server has counted.
        time: Option<Duration>,
        /// The move in USI notation.
        mv: String,
    },
    /// A game has ended.
    Ended {
        /// The id of the game.
        id: String,
        /// The end word of the record, without its `%`.
        word: String,
        /// The number of moves.
        moves: usize,
        /// The record.
        record: PathBuf,
    },
    /// Something went wrong with one game or with a record; the spy goes on.
    Warning(String),
    /// An answer or a message of the server.
    Said(String),
    /// The connection is lost.
    Lost {
        /// Why.
        reason: String,
        /// The pause before the next attempt.
        pause: Duration,
    },
}

/// Watches games until `stop` is cancelled, or until the games are over if the settings say so.
///
/// A connection that is lost is made again, after growing pauses. Unfinished journals stay in the folder; the next spy
/// continues them or makes them records.
///
/// # Errors
/// The records cannot be written, or the first connection or login fails.
pub async fn spy(
    settings: &SpySettings,
    mut tell: impl FnMut(SpyEvent),
    stop: CancellationToken,
) -> Result<(), ClientError> {
    let mut spy = Spy {
        records: WatchedRecords::open(&settings.dir, &settings.template)?,
        tell: &mut tell,
        is_open: true,
        was_connected: false,
    };
    let server = address(&settings.server);
    let mut backoff = Backoff::new();
    loop {
        let connected = spy.was_connected;
        let lost = tokio::select! {
            lost = spy.one_connection(settings, &server) => lost,
            () = stop.cancelled() => return Ok(()),
        };
        let error = match lost {
            Ok(()) => return Ok(()),
            // If the first connection fails, the settings are most likely wrong.
            Err(error) if !spy.was_connected => return Err(error),
            Err(error) => error,
        };
        if connected != spy.was_connected {
            backoff.reset();
        }
        let pause = backoff.next();
        (spy.tell)(SpyEvent::Lost { reason: shown(&error.to_string()), pause });
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stop.cancelled() => return Ok(()),
        }
    }
}

struct Spy<'a, T> {
    records: WatchedRecords,
    tell: &'a mut T,
    /// Whether new games are watched.
    is_open: bool,
    was_connected: bool,
}

impl<T: FnMut(SpyEvent)> Spy<'_, T> {
    /// Watches over one connection. Returns when all is done.
    async fn one_connection(
        &mut self,
        settings: &SpySettings,
        server: &str,
    ) -> Result<(), ClientError> {
        let mut connection = open(settings, server).await?;
        let known: HashSet<String> = self.records.ids().into_iter().collect();
        let now = || Instant::now().into_std();
        let mut session = SpySession::new(settings.options.clone(), self.is_open, known, now());
        let mut actions = session.connected();
        loop {
            for action in actions {
                match action {
                    SpyAction::Send(message) => {
                        tracing::debug!(line = %message, "to the server");
                        connection.send(&message).await;
                    }
                    SpyAction::Refused(reason) => {
                        return Err(ClientError::LoginRefused {
                            server: server.to_owned(),
                            name: settings.options.name.clone(),
                            reason: Some(reason),
                        });
                    }
                    SpyAction::LoggedIn => {
                        self.was_connected = true;
                        (self.tell)(SpyEvent::Connected { server: server.to_owned() });
                    }
                    SpyAction::Said(text) => (self.tell)(SpyEvent::Said(text)),
                    SpyAction::Update(id, update) => self.update(&id, update),
                    SpyAction::Fault(id, fault) => self.give_up(&id, &fault.to_string()),
                    SpyAction::Listed(ids) => self.finish_unlisted(&ids, &session),
                }
            }
            self.is_open = session.is_open();
            if settings.options.once && !self.is_open && session.watched() == 0 {
                connection.send(&ClientMessage::Logout).await;
                connection.close().await;
                return Ok(());
            }
            let wake = Instant::from_std(session.wake_at());
            actions = tokio::select! {
                line = connection.line() => match line {
                    Ok(line) => session.line(now(), &line),
                    Err(cause) => return Err(lost(server, cause.text())),
                },
                () = sleep_until(wake) => {
                    if session.is_dead(now()) {
                        return Err(lost(server, "it is silent".to_owned()));
                    }
                    session.tick(now())
                }
            };
        }
    }

    /// Ends the record of a game that cannot be followed.
    fn give_up(&mut self, id: &str, fault: &str) {
        (self.tell)(SpyEvent::Warning(shown(&format!("{id}: {fault}"))));
        self.finish(id, &unknown_end(&format!("the spy could not follow it: {fault}")));
    }

    /// Ends the records of games that are over, since the server no longer lists them.
    fn finish_unlisted(&mut self, listed: &[String], session: &SpySession) {
        for id in self.records.ids() {
            if !listed.contains(&id) && !session.watches(&id) {
                self.finish(&id, &unknown_end("the server lists it no longer"));
            }
        }
    }

    fn update(&mut self, id: &str, update: Update) {
        match update {
            Update::Began(record) => match self.records.begin(id, *record) {
                Ok(begun) => (self.tell)(SpyEvent::Watching {
                    id: shown(id),
                    names: begun.names.map(|name| shown(&name)),
                    moves: begun.moves,
                }),
                Err(error) => self.warn(&error),
            },
            Update::Move(made) => match self.records.push(id, &made) {
                // The record could not be begun, which was reported then.
                Ok(0) => {}
                Ok(ply) => (self.tell)(SpyEvent::Move {
                    id: shown(id),
                    ply,
                    time: made.time,
                    mv: made.mv.to_string(),
                }),
                Err(error) => self.warn(&error),
            },
            Update::Ended(end) => self.finish(id, &end),
        }
    }

    fn finish(&mut self, id: &str, end: &End) {
        match self.records.finish(id, end) {
            Ok(Some((record, moves))) => (self.tell)(SpyEvent::Ended {
                id: shown(id),
                word: shown(end.kind.word()),
                moves,
                record,
            }),
            Ok(None) => {}
            Err(error) => self.warn(&error),
        }
    }

    fn warn(&mut self, error: &JournalError) {
        tracing::error!(%error, "a record is in danger");
        (self.tell)(SpyEvent::Warning(error.to_string()));
    }
}

/// One question to a server in extended mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// `%%LIST`: the running games.
    List,
    /// `%%WHO`: the players.
    Who,
    /// `%%CHAT`: says this to all.
    Chat(String),
}

/// Asks a server one question and returns its answer, line by line, without control characters.
///
/// # Errors
/// The server cannot be reached, refuses the login or does not answer.
pub async fn ask(settings: &SpySettings, question: Question) -> Result<Vec<String>, ClientError> {
    let server = address(&settings.server);
    let mut connection = open(settings, &server).await?;
    let login = ClientMessage::Login {
        name: settings.options.name.clone(),
        password: settings.options.password.clone(),
        mode: LoginMode::Extended,
    };
    connection.send(&login).await;
    let deadline = Instant::now() + ANSWER_LIMIT;
    let (topic, command) = match question {
        Question::List => ("LIST", ExtendedCommand::List),
        Question::Who => ("WHO", ExtendedCommand::Who),
        Question::Chat(text) => ("CHAT", ExtendedCommand::Chat(text)),
    };
    let (mut command, mut answer) = (Some(command), Vec::new());
    loop {
        let Ok(line) = timeout_at(deadline, connection.line()).await else {
            return Err(if command.is_some() {
                ClientError::NoAnswer { server }
            } else {
                ClientError::NoCommands { server }
            });
        };
        let Line::Text(text) = line.map_err(|cause| lost(&server, cause.text()))? else {
            continue;
        };
        match ServerMessage::parse(&text) {
            ServerMessage::LoginOk { .. } => {
                if let Some(command) = command.take() {
                    connection.send(&ClientMessage::Extended(command)).await;
                }
            }
            ServerMessage::LoginIncorrect { reason } => {
                let (name, reason) = (settings.options.name.clone(), reason.as_deref().map(shown));
                return Err(ClientError::LoginRefused { server, name, reason });
            }
            ServerMessage::Notice { topic: of, text } if of == topic && command.is_none() => {
                let is_done = text == "+OK" || text == "END";
                if !is_done {
                    answer.push(shown(&text));
                }
                if is_done || topic == "CHAT" || answer.len() >= LONGEST_ANSWER {
                    break;
                }
            }
            ServerMessage::Notice { topic, text } if topic == "ERROR" => {
                return Err(ClientError::NotQueued { server, words: shown(&text) });
            }
            _ => {}
        }
    }
    connection.send(&ClientMessage::Logout).await;
    connection.close().await;
    Ok(answer)
}

async fn open(
    settings: &SpySettings,
    server: &str,
) -> Result<Connection<ServerStream>, ClientError> {
    let socket = Box::pin(ServerStream::connect(&settings.server, None)).await;
    let socket = socket.map_err(|error| ClientError::Connect {
        server: server.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(Connection::new(socket))
}

fn lost(server: &str, reason: String) -> ClientError {
    ClientError::Lost { server: server.to_owned(), reason, in_game: false }
}

fn shown(text: &str) -> String {
    printable(text).chars().take(300).collect()
}

/// How long a server may take to answer a question.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// The largest number of lines of an answer.
const LONGEST_ANSWER: usize = 10_000;
