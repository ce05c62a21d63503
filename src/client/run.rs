//! One game after another on a server: connect, log in, play, and again.

use crate::watch::{Report, Watchers};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::{
    archive::JournalError,
    clock::{DelayEstimator, DelayPolicy},
    config::{Config, NetworkDelay, Ponder, ServerConfig, ServerMode},
    csa::{Farewell, PonderMove, Profile, SessionSettings, login_warning, printable},
    engine::{EngineError, PlayerSpec},
    server::ServerError,
};

use super::{
    connection::connect,
    keeper::Keeper,
    pause::Pauses,
    session_loop::{ClientState, SessionOutcome, Shutdown, run_session},
    session_player::{SessionPlayer, SharedAnalysis},
};

/// Why a run ended before its games were played.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The engine cannot play.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Records cannot be kept.
    #[error(transparent)]
    Records(#[from] JournalError),
    /// The embedded server cannot be started.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// Nobody answers at the server's address.
    #[error(
        "cannot connect to {server}: {reason}; is the server running, are server.host and server.port right?"
    )]
    Connect {
        /// `host:port`.
        server: String,
        /// The system's words.
        reason: String,
    },
    /// The server does not let us in.
    #[error(
        "{server} refused the login of {name}{}; check server.name and server.password, and whether that name is logged in already",
        in_words(reason.as_deref())
    )]
    LoginRefused {
        /// `host:port`.
        server: String,
        /// Our name.
        name: String,
        /// The server's words.
        reason: Option<String>,
    },
    /// The server is silent.
    #[error("{server} did not answer the login; is it a CSA server?")]
    NoAnswer {
        /// `host:port`.
        server: String,
    },
    /// Logged in, but no game will come.
    #[error("{server} lets us in but will give no game: {words}")]
    NotQueued {
        /// `host:port`.
        server: String,
        /// The server's words.
        words: String,
    },
    /// The session ended before a game began.
    #[error("the session with {server} ended without a game")]
    NoGame {
        /// `host:port`.
        server: String,
    },
    /// The line broke.
    #[error("the connection to {server} was lost{}: {reason}", if *in_game { " in the game, which is lost by rule" } else { "" })]
    Lost {
        /// `host:port`.
        server: String,
        /// What happened.
        reason: String,
        /// A game was running.
        in_game: bool,
    },
}

fn in_words(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({})", printable(reason)))
}

/// Plays `config.games` games on the server that the configuration names, or on the embedded one
/// where it names none; ends early when `shutdown` says so. Everything is reported to the watchers.
///
/// The engine is ready before the first login. Failures are met by growing pauses, except that a
/// run of a single game ends with the first one.
///
/// # Errors
/// What made it impossible to go on.
pub async fn run(
    config: &Config,
    watchers: Watchers,
    shutdown: Shutdown,
) -> Result<(), ClientError> {
    match &config.server {
        Some(server) => on_server(config, server, watchers, shutdown).await,
        None => super::local::play(config, watchers, shutdown).await,
    }
}

async fn on_server(
    config: &Config,
    server: &ServerConfig,
    watchers: Watchers,
    shutdown: Shutdown,
) -> Result<(), ClientError> {
    let keeper = Keeper::open(&config.records)?;
    let spec = PlayerSpec::new(&config.engine, &config.budget, all_cores());
    let shared_analysis = SharedAnalysis::default();
    let player =
        SessionPlayer::start(spec, server.name.clone(), watchers.clone(), shared_analysis.clone());
    let client = ClientState { player, keeper, watchers, shared_analysis, begun: 0, ended: 0 };
    let mut run = Run {
        config,
        server,
        address: format!("{}:{}", server.host, server.port),
        client,
        shutdown,
        pauses: Pauses::new(),
        network: DelayEstimator::new(delay_policy(config.budget.network_delay)),
        next_request: 1,
        held_until: None,
    };
    for warning in login_warnings(server) {
        run.client.watchers.warn(warning);
    }
    let leave = run.shutdown.leave.clone();
    let done = run.all_games().await;
    let has_left = leave.is_cancelled();
    tokio::select! {
        () = run.client.player.quit() => {}
        // A signal that comes only now does not wait for an engine that will not end: it is killed with its task.
        () = leave.cancelled(), if !has_left => {}
    }
    done
}

/// What is odd about an account, one line each.
pub(super) fn login_warnings(server: &ServerConfig) -> Vec<String> {
    let profile = profile(server);
    let password = server.login_password();
    let extended = server.mode == ServerMode::Extended;
    let login =
        login_warning(profile, extended, password.expose()).map(|warning| warning.to_string());
    let mode = extended.then(|| {
        "server.mode = \"extended\": the login is extended, but its commands are not used yet"
            .to_owned()
    });
    login.into_iter().chain(profile.limitation().map(str::to_owned)).chain(mode).collect()
}

fn profile(server: &ServerConfig) -> Profile {
    let password = server.login_password();
    Profile::from(server.profile).resolve(&server.host, password.expose())
}

struct Run<'a> {
    config: &'a Config,
    server: &'a ServerConfig,
    /// `host:port`.
    address: String,
    client: ClientState,
    shutdown: Shutdown,
    pauses: Pauses,
    network: DelayEstimator,
    next_request: u64,
    /// The server may hold our name until then, for a game it does not know the end of.
    held_until: Option<Instant>,
}

/// What follows a session.
enum Next {
    /// Log in anew.
    Again(Duration),
    /// The run is over.
    End(Result<(), ClientError>),
}

impl Run<'_> {
    async fn all_games(&mut self) -> Result<(), ClientError> {
        loop {
            tokio::select! {
                ready = self.client.player.ready() => ready?,
                () = self.shutdown.asked() => return Ok(()),
            }
            let next = match self.one_session().await {
                Ok(outcome) => self.judge(outcome),
                Err(error) => self.failed(error),
            };
            // A run that the engine did not live to see the end of is no success.
            let failure = self.client.player.failure().filter(|_| !self.shutdown.is_asked());
            let pause = match (next, failure) {
                (Next::End(Ok(())) | Next::Again(_), Some(error)) => {
                    return Err(error.clone().into());
                }
                (Next::End(result), _) => return result,
                (Next::Again(pause), None) => pause,
            };
            if !self.rest(pause).await {
                return Ok(());
            }
        }
    }

    async fn one_session(&mut self) -> Result<SessionOutcome, ClientError> {
        self.client.watchers.report(Report::Connecting { server: self.address.clone() });
        let connecting = connect(&self.server.host, self.server.port);
        let socket = tokio::select! {
            socket = connecting => socket.map_err(|error| ClientError::Connect {
                server: self.address.clone(),
                reason: error.to_string(),
            })?,
            () = self.shutdown.asked() => return Err(ClientError::Connect {
                server: self.address.clone(),
                reason: "interrupted".to_owned(),
            }),
        };
        tracing::info!(server = self.address, "connected");
        Ok(run_session(socket, self.settings(), &mut self.client, &self.shutdown).await)
    }

    fn settings(&self) -> SessionSettings {
        let server = self.server;
        SessionSettings {
            extended: server.mode == ServerMode::Extended,
            comments: server.comments,
            ponder: self.config.engine.ponder.is_on(),
            ponder_move: ponder_move(self.config.engine.ponder),
            keep_alive: server.keep_alive,
            games: match self.config.games {
                0 => 0,
                games => games.saturating_sub(self.client.ended).max(1),
            },
            network: self.network,
            first_request: self.next_request,
            ..SessionSettings::new(&server.name, server.login_password(), profile(server))
        }
    }

    fn judge(&mut self, outcome: SessionOutcome) -> Next {
        let SessionOutcome { farewell, session } = outcome;
        self.network = *session.network();
        self.next_request = session.next_request();
        if session.games_ended() > 0 {
            self.pauses.reset();
            self.held_until = None;
        }
        let server = self.address.clone();
        let enough = self.config.games != 0 && self.client.ended >= self.config.games;
        match farewell {
            _ if self.shutdown.is_asked() => Next::End(Ok(())),
            Farewell::Done | Farewell::NextGame | Farewell::Lost(_) if enough => Next::End(Ok(())),
            // An offer that was rejected, by us or by the opponent, may come again at once.
            Farewell::Done | Farewell::NextGame if session.games_ended() == 0 => {
                self.again(&ClientError::NoGame { server })
            }
            Farewell::Done | Farewell::NextGame => Next::Again(BETWEEN_GAMES),
            Farewell::LoginRefused(reason) => {
                let name = self.server.name.clone();
                self.failed(ClientError::LoginRefused { server, name, reason })
            }
            Farewell::NoAnswer => self.failed(ClientError::NoAnswer { server }),
            Farewell::NotQueued(words) => {
                let words = printable(&words).into_owned();
                self.failed(ClientError::NotQueued { server, words })
            }
            Farewell::Lost(cause) => {
                self.failed(ClientError::Lost { server, reason: cause.words(), in_game: false })
            }
            Farewell::LostInGame { cause, game_left }
            | Farewell::Suspended { cause, game_left } => {
                let error = ClientError::Lost { server, reason: cause.words(), in_game: true };
                if enough {
                    return Next::End(Err(error));
                }
                // Until the server has noticed, our name is in a game for it.
                let held = game_left.min(LONGEST_HOLD) + Duration::from_secs(60);
                self.held_until = Instant::now().checked_add(held);
                self.again(&error)
            }
        }
    }

    /// Gives up when there is one game only and nothing speaks for a second try.
    fn failed(&mut self, error: ClientError) -> Next {
        if self.shutdown.is_asked() {
            return Next::End(Ok(()));
        }
        if self.config.games == 1 && self.client.ended == 0 {
            Next::End(Err(error))
        } else {
            self.again(&error)
        }
    }

    fn again(&mut self, error: &ClientError) -> Next {
        let held = self.held_until.is_some_and(|until| Instant::now() < until);
        let pause = if held { self.pauses.after_lost_game() } else { self.pauses.next() };
        let reason = error.to_string();
        tracing::warn!(pause_s = pause.as_secs(), "{reason}");
        self.client.watchers.report(Report::Pausing { pause, reason });
        Next::Again(pause)
    }

    /// Waits; says whether to go on.
    async fn rest(&mut self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        loop {
            tokio::select! {
                () = sleep_until(until) => return true,
                () = self.shutdown.asked() => return false,
                // Keeps the player's words flowing.
                _ = self.client.player.next_answer() => {}
            }
        }
    }
}

/// The reserve for the network as the configuration wants it.
pub(super) fn delay_policy(delay: NetworkDelay) -> DelayPolicy {
    match delay {
        NetworkDelay::Auto => DelayPolicy::Auto,
        NetworkDelay::Fixed(fixed) => DelayPolicy::Fixed(fixed),
    }
}

/// The reply to ponder on as the configuration wants it.
pub(super) fn ponder_move(ponder: Ponder) -> PonderMove {
    match ponder {
        Ponder::Off | Ponder::Named => PonderMove::Named,
        Ponder::NamedOrPv => PonderMove::NamedOrPv,
    }
}

/// As many search threads as the machine runs at once.
pub(super) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Before a new login where the server wants one for each game.
const BETWEEN_GAMES: Duration = Duration::from_secs(1);

/// A game without a limit would hold our name for ever.
const LONGEST_HOLD: Duration = Duration::from_secs(24 * 3600);
