//! Plays one game after another on a server: connects, logs in, plays, and repeats.

use std::{net::SocketAddr, pin::pin, time::Duration};

use tokio::time::{Instant, sleep_until};

use crate::players::{self, FailoverSpec};
use crate::{
    config::{Config, ServerConfig, ServerMode},
    watch::{Report, SleepReason},
};
use kyomi_csa::text::printable;
use kyomi_csa::{GameSelection, Profile, RequestCommand, SessionEnd, SessionSettings};
use kyomi_shogi::clock::DelayEstimator;

use super::{
    account::Account,
    backoff::Backoff,
    client_state::ClientState,
    control::{ClientControl, Gate},
    error::{ClientError, reason_suffix},
    login::{address, login_warnings, may_resume, profile},
    player_settings::{failover_spec, ponder_move, ponder_start},
    recorder::GameRecorder,
    saved_game::SavedGame,
    session_loop::{SessionOutcome, run_session},
    session_player::{SessionPlayer, SharedAnalysis},
    shutdown::Shutdown,
    surroundings::Surroundings,
    workers::with_workers,
};

/// Plays the games of an account on its server, beginning with a saved one.
///
/// # Errors
/// Why the run could not continue.
pub(super) async fn play(
    account: Account,
    control: ClientControl,
    shutdown: Shutdown,
    saved: Option<SavedGame>,
) -> Result<(), ClientError> {
    let Account { config, watchers, cores, surroundings, .. } = account;
    let Some(server) = &config.server.clone() else { return Ok(()) };
    let address = address(server);
    // Elsewhere no later process could continue a game.
    let account_there = may_resume(server).then(|| (address.clone(), server.name.clone()));
    let recorder = GameRecorder::open(&config.records, account_there, &watchers)?;
    let spec = with_workers(engines(&config, cores), &config, &watchers).await;
    let spec = surroundings.engines(spec);
    let shared_analysis = SharedAnalysis::default();
    let player =
        SessionPlayer::start(spec, server.name.clone(), watchers.clone(), shared_analysis.clone());
    let mut client = ClientState::new(player, recorder, watchers, shared_analysis);
    client.control = control;
    client.pairing = profile(server).pairs_every();
    if let Some(saved) = saved {
        client.resume_saved(saved).await;
    }
    let network = DelayEstimator::new(config.budget.network_delay);
    let mut games = ServerGames {
        config,
        cores,
        surroundings,
        server,
        address,
        peer: None,
        client,
        shutdown,
        backoff: Backoff::new(),
        network,
        next_request: 1,
        name_held_until: None,
        attempts: 0,
        moves_when_lost: 0,
    };
    for warning in login_warnings(server) {
        games.client.watchers.warn(warning);
    }
    let leave = games.shutdown.leave.clone();
    let done = games.play_all().await;
    let has_left = leave.is_cancelled();
    let ClientState { player, mut recorder, .. } = games.client;
    tokio::select! {
        () = player.quit() => {}
        // If a signal arrives now, an engine that does not end is not waited for: it is killed with its task.
        () = leave.cancelled(), if !has_left => {}
    }
    recorder.close(&leave).await;
    done
}

/// The engines of a configuration.
fn engines(config: &Config, cores: usize) -> FailoverSpec {
    let fallbacks = config.fallback.as_deref();
    failover_spec(&config.engine, fallbacks, &config.budget, &config.book, cores)
}

struct ServerGames<'a> {
    config: Config,
    /// The number of cores that the engines may use.
    cores: usize,
    surroundings: Surroundings,
    server: &'a ServerConfig,
    /// `host:port`.
    address: String,
    /// The address of the last connection.
    peer: Option<SocketAddr>,
    client: ClientState,
    shutdown: Shutdown,
    backoff: Backoff,
    network: DelayEstimator,
    next_request: u64,
    /// Until then the server may refuse our name, because of a game that it has not ended yet.
    name_held_until: Option<Instant>,
    /// Number of attempts to resume the disconnected game since its last move.
    attempts: u32,
    /// Number of moves in the disconnected game when its connection was lost the last time.
    moves_when_lost: usize,
}

/// What to do after a session.
enum Next {
    /// Log in again after this pause.
    Again(Duration),
    /// The run is over.
    End(Result<(), ClientError>),
}

impl ServerGames<'_> {
    async fn play_all(&mut self) -> Result<(), ClientError> {
        loop {
            // The player of a disconnected game is thinking.
            if self.client.disconnected.is_none() {
                let control = self.client.control.clone();
                if !matches!(control.gate(), Gate::Open { .. }) {
                    self.client.waiting_since = None;
                }
                let watchers = self.client.watchers.clone();
                if self.wait_for(control.may_begin(&watchers)).await != Some(true) {
                    return Ok(());
                }
                if let Some(new) = control.take_new_engines() {
                    self.change_engines(*new).await;
                }
                tokio::select! {
                    ready = self.client.player.ready() => ready?,
                    () = self.shutdown.asked() => return Ok(()),
                }
            }
            let result = self.one_session().await;
            let next = match self.before_resuming(&result).await {
                Some(pause) => Next::Again(pause),
                None => match result {
                    Ok(outcome) => self.after_session(outcome),
                    Err(error) => self.failed(error),
                },
            };
            // A run whose engine failed before its end is not a success.
            let failure = self.client.player.failure().filter(|_| !self.shutdown.is_asked());
            let pause = match (next, failure) {
                (Next::End(Ok(())) | Next::Again(_), Some(error)) => {
                    let error = error.clone();
                    self.client.give_up_disconnected().await;
                    return Err(error.into());
                }
                (Next::End(result), _) => return result,
                (Next::Again(pause), None) => pause,
            };
            if !self.wait(pause).await {
                self.client.give_up_disconnected().await;
                return Ok(());
            }
        }
    }

    /// Changes to the engines of another configuration. If they cannot start, the old ones are started again. Returns
    /// at once if the run is to end.
    async fn change_engines(&mut self, new: Config) {
        let old = self.config.clone();
        let config = &mut self.config;
        (config.engine, config.fallback) = (new.engine, new.fallback);
        (config.book, config.budget) = (new.book, new.budget);
        self.start_player().await;
        let ready = tokio::select! {
            ready = self.client.player.ready() => ready,
            () = self.shutdown.asked() => return,
        };
        if let Err(error) = ready {
            self.client
                .watchers
                .warn(format!("{error}; the engine that played before is started again"));
            self.config = old;
            self.start_player().await;
        } else {
            tracing::info!("the engines are those of the configuration that was read again");
        }
    }

    /// Starts the player of the configuration in place of the present one, which ends first: two tables may be too much
    /// for the memory.
    async fn start_player(&mut self) {
        let client = &mut self.client;
        let (name, watchers) = (self.server.name.clone(), client.watchers.clone());
        let analysis = client.shared_analysis.clone();
        let (nobody, _) = players::pair();
        let nobody =
            SessionPlayer::with_player(nobody, name.clone(), watchers.clone(), analysis.clone());
        let before = std::mem::replace(&mut client.player, nobody);
        tokio::select! {
            () = before.quit() => {}
            // An engine that does not end is killed with its task.
            () = self.shutdown.leave.cancelled() => {}
        }
        let spec = with_workers(engines(&self.config, self.cores), &self.config, &watchers).await;
        let spec = self.surroundings.engines(spec);
        client.player = SessionPlayer::start(spec, name, watchers, analysis);
    }

    async fn one_session(&mut self) -> Result<SessionOutcome, ClientError> {
        self.client.watchers.report(Report::Connecting { server: self.address.clone() });
        let mut connecting = Box::pin(
            self.surroundings.connect(
                self.server,
                // Only while a game may run: the server may have moved to another machine since.
                self.peer
                    .filter(|_| self.client.disconnected.is_some() || self.client.agreed.is_some()),
            ),
        );
        let socket = loop {
            tokio::select! {
                socket = &mut connecting => break socket.map_err(|error| ClientError::Connect {
                    server: self.address.clone(),
                    reason: error.to_string(),
                })?,
                () = exit_requested(&self.shutdown, self.client.disconnected.is_some()) => {
                    return Err(ClientError::Connect {
                        server: self.address.clone(),
                        reason: "interrupted".to_owned(),
                    });
                }
                () = self.client.player_event() => {}
            }
        };
        tracing::info!(server = self.address, "connected");
        self.peer = socket.peer().or(self.peer);
        self.network.set_near(socket.is_on_local_network());
        Ok(run_session(socket, self.settings(), &mut self.client, &self.shutdown).await)
    }

    fn settings(&self) -> SessionSettings {
        let server = self.server;
        SessionSettings {
            extended: server.mode == ServerMode::Extended,
            game: server.game.clone().map(|game| GameSelection { game, color: server.colour }),
            request_command: if server.challenge {
                RequestCommand::Challenge
            } else {
                RequestCommand::Game
            },
            comments: server.comments,
            ponder: ponder_start(self.config.engine.ponder),
            ponder_move: ponder_move(self.config.engine.ponder),
            keep_alive: server.keep_alive,
            handicap: server.handicap(),
            practice_opponent: server.practice_opponent,
            games: match self.config.games {
                // It logs out after each game.
                _ if !self.config.schedule.pause.is_zero() => 1,
                0 => 0,
                games => games.saturating_sub(self.client.ended).max(1),
            },
            network: self.network,
            first_request: self.next_request,
            agree_when_prepared: true,
            ..SessionSettings::new(&server.name, server.login_password(), profile(server))
        }
    }

    /// The pause before the next attempt to resume the disconnected game; `None` without one. A game that cannot be
    /// resumed any more is ended.
    async fn before_resuming(
        &mut self,
        result: &Result<SessionOutcome, ClientError>,
    ) -> Option<Duration> {
        if let Ok(outcome) = result {
            self.network = *outcome.session.network();
            self.next_request = outcome.session.next_request();
        }
        let Some(game) = &self.client.disconnected else {
            self.attempts = 0;
            return None;
        };
        let (now, lost_at) = (Instant::now().into_std(), game.since());
        let is_refused = game.has_token()
            && self.is_game_refused(result, now.saturating_duration_since(lost_at));
        let is_over = now >= game.ask_until() || is_refused || self.shutdown.leave.is_cancelled();
        if is_over {
            self.attempts = 0;
            if is_refused && profile(self.server) != Profile::Kyomi {
                // The server may still hold the game, and offer it again.
                self.name_held_until = Some(game.until().into());
            }
            self.client.give_up_disconnected().await;
            return None;
        }
        let reason = match result {
            Ok(outcome) => match &outcome.end {
                SessionEnd::Disconnected { cause, .. } | SessionEnd::Lost(cause) => cause.text(),
                SessionEnd::LoginRefused(reason) => {
                    format!("the login is refused{}", reason_suffix(reason.as_deref()))
                }
                _ => "the server does not offer the game again yet".to_owned(),
            },
            Err(error) => error.to_string(),
        };
        // If moves were made since the last loss, the game was resumed in between, so attempts are counted from one
        // again.
        let moves = game.game().len();
        if moves != std::mem::replace(&mut self.moves_when_lost, moves) {
            self.attempts = 0;
        }
        let until_flag = game.until_own_flag(now);
        let pause = self.backoff.before_resuming(self.attempts, until_flag);
        self.attempts = self.attempts.saturating_add(1);
        tracing::warn!(pause_ms = pause.as_millis() as u64, "logging in again: {reason}");
        let reason = format!("{reason}; logging in again");
        self.client.watchers.report(Report::Pausing { pause, reason });
        Some(pause)
    }

    /// Whether the server refuses to resume a game that was lost this time ago.
    fn is_game_refused(
        &self,
        result: &Result<SessionOutcome, ClientError>,
        lost_for: Duration,
    ) -> bool {
        let Ok(SessionOutcome { end: SessionEnd::LoginRefused(reason), .. }) = result else {
            return false;
        };
        if profile(self.server) == Profile::Kyomi {
            // Our server does not wait for the end of the old connection, and says when it means the game.
            reason.as_deref() == Some(RECONNECT_REJECTED)
        } else {
            // Others may not have noticed yet that the connection is gone.
            lost_for >= LONGEST_REFUSAL
        }
    }

    fn after_session(&mut self, outcome: SessionOutcome) -> Next {
        let SessionOutcome { end, session } = outcome;
        if session.games_ended() > 0 {
            self.backoff.reset();
            self.name_held_until = None;
        }
        let server = self.address.clone();
        let all_games_played = self.config.games != 0 && self.client.ended >= self.config.games;
        match end {
            _ if self.shutdown.is_asked() => Next::End(Ok(())),
            SessionEnd::LostInGame { cause, .. } | SessionEnd::Disconnected { cause, .. }
                if all_games_played =>
            {
                Next::End(Err(ClientError::Lost { server, reason: cause.text(), in_game: true }))
            }
            _ if all_games_played && self.client.interrupted => {
                let reason = "it could not be resumed".to_owned();
                Next::End(Err(ClientError::Lost { server, reason, in_game: true }))
            }
            // A login after the last game was to ask for its end.
            SessionEnd::Done
            | SessionEnd::NextGame
            | SessionEnd::Lost(_)
            | SessionEnd::LoginRefused(_)
                if all_games_played =>
            {
                Next::End(Ok(()))
            }
            SessionEnd::Done | SessionEnd::NextGame if !self.may_begin() => {
                Next::Again(Duration::ZERO)
            }
            // An offer that was rejected, by us or by the opponent, may be repeated immediately.
            SessionEnd::Done | SessionEnd::NextGame if session.games_ended() == 0 => {
                self.try_again(&ClientError::NoGame { server })
            }
            SessionEnd::Done | SessionEnd::NextGame => Next::Again(self.between_games()),
            SessionEnd::LoginRefused(reason) if self.client.agreed.take().is_some() => {
                let reason = reason_suffix(reason.as_deref());
                tracing::info!("the game that was agreed to does not run{reason}");
                Next::Again(BETWEEN_GAMES)
            }
            SessionEnd::LoginRefused(reason) => {
                let name = self.server.name.clone();
                self.failed(ClientError::LoginRefused { server, name, reason })
            }
            SessionEnd::NoAnswer => self.failed(ClientError::NoAnswer { server }),
            SessionEnd::NotQueued(words) => {
                let words = printable(&words).into_owned();
                self.failed(ClientError::NotQueued { server, words })
            }
            SessionEnd::Lost(cause) => {
                self.failed(ClientError::Lost { server, reason: cause.text(), in_game: false })
            }
            SessionEnd::LostInGame { cause, game_left }
            | SessionEnd::Disconnected { cause, game_left } => {
                let error = ClientError::Lost { server, reason: cause.text(), in_game: true };
                // Until the server has ended the game, our name is still in use there.
                let held = game_left.min(LONGEST_HOLD) + Duration::from_secs(60);
                self.name_held_until = Instant::now().checked_add(held);
                self.try_again(&error)
            }
        }
    }

    /// Handles a failure: tries again, except that a run of a single game ends if it could not log in.
    fn failed(&mut self, error: ClientError) -> Next {
        if self.shutdown.is_asked() {
            return Next::End(Ok(()));
        }
        let could_log_in = matches!(error, ClientError::Lost { .. });
        // The last game may have been given up because no connection could be made.
        let all_games_played = self.config.games > 1 && self.client.ended >= self.config.games;
        let only_game_is_over = self.config.games == 1 && (self.client.ended > 0 || !could_log_in);
        if all_games_played || only_game_is_over {
            Next::End(Err(error))
        } else {
            self.try_again(&error)
        }
    }

    fn try_again(&mut self, error: &ClientError) -> Next {
        let held = self.name_held_until.is_some_and(|until| Instant::now() < until);
        let pause = if held { self.backoff.after_lost_game() } else { self.backoff.next() };
        let reason = error.to_string();
        tracing::warn!(pause_s = pause.as_secs(), "{reason}");
        self.client.watchers.report(Report::Pausing { pause, reason });
        Next::Again(pause)
    }

    fn may_begin(&self) -> bool {
        matches!(self.client.control.gate(), Gate::Open { .. })
    }

    /// The pause before the next login after a game.
    fn between_games(&self) -> Duration {
        let pause = self.config.schedule.pause;
        if pause <= BETWEEN_GAMES {
            return BETWEEN_GAMES;
        }
        let until = Some(self.client.control.now() + pause);
        let reason = SleepReason::Pause;
        tracing::info!(pause_s = pause.as_secs(), "{reason}");
        self.client.watchers.report(Report::Sleeping { until, reason });
        pause
    }

    /// Waits before the next session. Returns whether to continue.
    async fn wait(&mut self, pause: Duration) -> bool {
        self.wait_for(sleep_until(Instant::now() + pause)).await.is_some()
    }

    /// Waits outside a session; `None` if the run ends.
    async fn wait_for<T>(&mut self, event: impl Future<Output = T>) -> Option<T> {
        let mut event = pin!(event);
        loop {
            tokio::select! {
                done = &mut event => return Some(done),
                () = exit_requested(&self.shutdown, self.client.disconnected.is_some()) => {
                    return None;
                }
                () = self.client.player_event() => {}
            }
        }
    }
}

/// Waits for a request to end the run. A running game is finished first, unless the request is to leave now.
async fn exit_requested(shutdown: &Shutdown, in_game: bool) {
    if in_game { shutdown.leave.cancelled().await } else { shutdown.asked().await }
}

/// Pause before the next login if the server expects one for each game.
const BETWEEN_GAMES: Duration = Duration::from_secs(1);

/// Why our server refuses a login with the token of a game that it does not hold.
const RECONNECT_REJECTED: &str = "reconnect_rejected";

/// The time after a lost connection for which a server may still refuse the token of the game, because it has not
/// noticed the loss.
const LONGEST_REFUSAL: Duration = Duration::from_secs(90);

/// Limit for games without a clock, during which our name would otherwise be in use for ever.
const LONGEST_HOLD: Duration = Duration::from_secs(24 * 3600);

#[cfg(test)]
mod tests;
