//! A local game: the embedded server and two clients in one process, over real TCP.

use crate::watch::Watchers;
use std::net::SocketAddr;

use tokio::{
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;

use crate::players::FailoverSpec;
use crate::{
    config::{BookConfig, Config, EngineConfig, Ponder},
    server::{self, Server},
};
use kyomi_csa::text::Secret;
use kyomi_csa::{Cause, Profile, SessionEnd, SessionSettings};
use kyomi_shogi::Color;
use kyomi_shogi::clock::DelayEstimator;

use super::{
    Shutdown,
    client_state::ClientState,
    connection::Socket,
    control::{ClientControl, Gate},
    error::ClientError,
    player_settings::{all_cores, failover_spec, ponder_move, ponder_start},
    recorder::GameRecorder,
    session_loop::{SessionOutcome, run_session},
    session_player::{SessionPlayer, SharedAnalysis},
    workers::with_workers,
};

/// Plays `config.games` games (0: until stopped) between `[engine]` and `[opponent]`, which change
/// colours after each; `[engine]` starts as black. Its client writes the records.
///
/// # Errors
/// Why the run could not continue.
pub(super) async fn play(
    config: &Config,
    watchers: Watchers,
    control: ClientControl,
    shutdown: Shutdown,
) -> Result<(), ClientError> {
    let recorder = GameRecorder::open(&config.records, None, &watchers)?;
    let settings = Server::embedded_settings(config);
    let pool = settings.default_game();
    let server = Server::bind(settings).await?;
    let address = server.local_addr();
    tracing::info!(%address, "embedded server");
    let server_shutdown = server::Shutdown::default();
    let serving = AbortOnDropHandle::new(tokio::spawn(server.run(server_shutdown.clone())));

    let [mut own, mut other] = sides(config, &watchers, address, recorder).await;
    own.client.control = control.clone();
    let done = games([&mut own, &mut other], config, &pool, &control, &watchers, &shutdown).await;

    server_shutdown.abort.cancel();
    server_shutdown.finish.cancel();
    tokio::join!(own.client.player.quit(), other.client.player.quit());
    own.client.recorder.close(&shutdown.leave).await;
    let _ = timeout(SERVER_LIMIT, serving).await;
    done
}

/// Plays games until the requested number is reached, a game fails or the user stops.
async fn games(
    [own, other]: [&mut Side; 2],
    config: &Config,
    pool: &str,
    control: &ClientControl,
    watchers: &Watchers,
    shutdown: &Shutdown,
) -> Result<(), ClientError> {
    let mut color = Color::Black;
    while !shutdown.is_asked()
        && control.gate() != Gate::Over
        && (config.games == 0 || own.client.ended < config.games)
    {
        tokio::select! {
            ready = both_ready(own, other) => ready?,
            () = shutdown.asked() => break,
        }
        let may_begin = async {
            if own.client.ended > 0 && !config.schedule.pause.is_zero() {
                sleep(config.schedule.pause).await;
            }
            control.may_begin(watchers).await
        };
        let may_begin = tokio::select! {
            may_begin = may_begin => may_begin,
            () = shutdown.asked() => false,
        };
        if !may_begin {
            break;
        }
        Box::pin(one_game([&mut *own, &mut *other], pool, color, shutdown)).await?;
        color = !color;
    }
    Ok(())
}

/// One of the two clients.
struct Side {
    address: SocketAddr,
    name: String,
    ponder: Ponder,
    network: DelayEstimator,
    next_request: u64,
    client: ClientState,
}

/// The clients of `[engine]` and of `[opponent]`, whose engines are starting.
async fn sides(
    config: &Config,
    watchers: &Watchers,
    address: SocketAddr,
    recorder: GameRecorder,
) -> [Side; 2] {
    let opponent = config.local_opponent();
    let names = distinct([config.player_name(), opponent.name]);
    let threads = threads_each([&config.engine, &opponent.engine]);
    let shared_analysis = SharedAnalysis::default();
    let fallbacks = config.fallback.as_deref();
    // The book belongs to our engine; the opponent uses it only if it is the same engine.
    let no_book = BookConfig { enabled: Some(false), ..BookConfig::default() };
    let other_book = if config.opponent.is_none() { &config.book } else { &no_book };
    let [own_name, other_name] = &names;
    let engines = failover_spec(&config.engine, fallbacks, &config.budget, &config.book, threads);
    let own = Side {
        address,
        name: own_name.clone(),
        ponder: config.engine.ponder,
        network: DelayEstimator::loopback(config.budget.network_delay),
        next_request: 1,
        client: client(
            with_workers(engines, config, watchers).await,
            own_name,
            watchers.clone(),
            recorder,
            &shared_analysis,
        ),
    };
    let other = Side {
        address,
        name: other_name.clone(),
        ponder: opponent.engine.ponder,
        network: own.network,
        next_request: 1,
        client: client(
            failover_spec(&opponent.engine, fallbacks, &config.budget, other_book, threads),
            other_name,
            watchers.for_opponent(),
            GameRecorder::none(),
            &shared_analysis,
        ),
    };
    [own, other]
}

fn client(
    spec: FailoverSpec,
    name: &str,
    watchers: Watchers,
    recorder: GameRecorder,
    shared_analysis: &SharedAnalysis,
) -> ClientState {
    let player =
        SessionPlayer::start(spec, name.to_owned(), watchers.clone(), shared_analysis.clone());
    ClientState::new(player, recorder, watchers, shared_analysis.clone())
}

async fn both_ready(own: &mut Side, other: &mut Side) -> Result<(), ClientError> {
    let (own, other) = tokio::join!(own.client.player.ready(), other.client.player.ready());
    own?;
    other?;
    Ok(())
}

async fn one_game(
    [own, other]: [&mut Side; 2],
    pool: &str,
    color: Color,
    shutdown: &Shutdown,
) -> Result<(), ClientError> {
    // When we leave, the game ends for the opponent as well: it plays on until the server reports the end.
    let others_shutdown = Shutdown { finish: shutdown.finish.child_token(), ..Shutdown::default() };
    let (end, unexpected_end) = {
        let others_game = other.run_session(pool, !color, &others_shutdown);
        tokio::pin!(others_game);
        let own_game = own.run_session(pool, color, shutdown);
        tokio::pin!(own_game);
        tokio::select! {
            end = &mut own_game => {
                others_shutdown.finish.cancel();
                let _ = timeout(OPPONENT_LIMIT, others_game).await;
                (end, None)
            }
            others = &mut others_game => {
                // The opponent's game is over; ours is over as soon as the server reports it.
                match others {
                    Ok(SessionEnd::Done | SessionEnd::NextGame | SessionEnd::LostInGame { .. }) => {
                        (own_game.await, None)
                    }
                    // The opponent's game never began, so ours never will.
                    Ok(unexpected) => (Ok(SessionEnd::Done), Some(unexpected)),
                    Err(error) => (Err(error), None),
                }
            }
        }
    };
    if let Some(unexpected) = unexpected_end.filter(|_| !shutdown.is_asked()) {
        return Err(other.error_of(unexpected));
    }
    match end? {
        SessionEnd::Done | SessionEnd::NextGame => own
            .client
            .player
            .failure()
            .or_else(|| other.client.player.failure())
            .map_or(Ok(()), |error| Err(error.clone().into())),
        _ if shutdown.is_asked() => Ok(()),
        unexpected => Err(own.error_of(unexpected)),
    }
}

impl Side {
    async fn run_session(
        &mut self,
        pool: &str,
        color: Color,
        shutdown: &Shutdown,
    ) -> Result<SessionEnd, ClientError> {
        let connected = TcpStream::connect(self.address).await.and_then(Socket::new);
        let socket = connected.map_err(|error| ClientError::Connect {
            server: self.address.to_string(),
            reason: error.to_string(),
        })?;
        let suffix = if color == Color::Black { "B" } else { "W" };
        let password = Secret::new(format!("{pool}-{suffix},local"));
        let settings = SessionSettings {
            ponder: ponder_start(self.ponder),
            ponder_move: ponder_move(self.ponder),
            games: 1,
            network: self.network,
            first_request: self.next_request,
            keeps_disconnected_games: false,
            agree_when_prepared: true,
            ..SessionSettings::new(&self.name, password, Profile::Kyomi)
        };
        let SessionOutcome { end, session } =
            run_session(socket, settings, &mut self.client, shutdown).await;
        self.network = *session.network();
        self.next_request = session.next_request();
        Ok(end)
    }

    /// The error for a session end that should not occur with the embedded server.
    fn error_of(&self, end: SessionEnd) -> ClientError {
        let server = format!("the embedded server at {}", self.address);
        let reason = |cause: Cause| cause.text();
        match end {
            SessionEnd::LoginRefused(reason) => {
                ClientError::LoginRefused { server, name: self.name.clone(), reason }
            }
            SessionEnd::NotQueued(words) => ClientError::NotQueued { server, words },
            SessionEnd::Lost(cause) => {
                ClientError::Lost { server, reason: reason(cause), in_game: false }
            }
            SessionEnd::LostInGame { cause, .. } | SessionEnd::Disconnected { cause, .. } => {
                ClientError::Lost { server, reason: reason(cause), in_game: true }
            }
            SessionEnd::NoAnswer | SessionEnd::Done | SessionEnd::NextGame => {
                ClientError::NoAnswer { server }
            }
        }
    }
}

/// Makes the names distinct: a server accepts each name only once.
fn distinct([own, other]: [String; 2]) -> [String; 2] {
    if own != other {
        return [own, other];
    }
    let number = if own.ends_with('2') { '3' } else { '2' };
    let other = format!("{}{number}", own.get(..31).unwrap_or(&own));
    [own, other]
}

/// The default number of threads of each built-in engine: all cores, because only one side thinks at a time;
/// half of them if an engine ponders.
fn threads_each(engines: [&EngineConfig; 2]) -> usize {
    let cores = all_cores();
    if engines.iter().any(|engine| engine.ponder.is_on()) { (cores / 2).max(1) } else { cores }
}

/// Time for the opponent to log out after our own game is over.
const OPPONENT_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Time for the server to end after the last game.
const SERVER_LIMIT: std::time::Duration = std::time::Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_of_the_same_name_are_renamed() {
        let names = |own: &str, other: &str| distinct([own.to_owned(), other.to_owned()]);
        assert_eq!(names("kyomi", "kyomi"), ["kyomi", "kyomi2"]);
        assert_eq!(names("a", "b"), ["a", "b"]);
        for last in ["x", "2", "3"] {
            let long = "x".repeat(31) + last;
            let [own, other] = names(&long, &long);
            assert!(own != other && other.len() == 32);
        }
    }
}
