//! A local game: the embedded server and two clients in one process, over real TCP.

use crate::watch::Watchers;
use std::net::SocketAddr;

use tokio::{net::TcpStream, time::timeout};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    clock::DelayEstimator,
    config::{Config, EngineConfig, Ponder, Secret},
    csa::{Cause, Farewell, Profile, SessionSettings},
    engine::PlayerSpec,
    server::{self, Server, ServerSettings},
    shogi::Color,
};

use super::{
    ClientError, Shutdown,
    connection::Socket,
    keeper::Keeper,
    run::{all_cores, delay_policy, ponder_move},
    session_loop::{ClientState, SessionOutcome, run_session},
    session_player::{SessionPlayer, SharedAnalysis},
};

/// Plays `config.games` games (0: until stopped) between `[engine]` and `[opponent]`, who change
/// colours after each; `[engine]` begins with Black. The record of its side is kept.
///
/// # Errors
/// What made it impossible to go on.
pub async fn play(
    config: &Config,
    watchers: Watchers,
    shutdown: Shutdown,
) -> Result<(), ClientError> {
    let keeper = Keeper::open(&config.records)?;
    let settings = ServerSettings::embedded(config);
    let pool = settings.default_game();
    let server = Server::bind(settings).await?;
    let address = server.local_addr();
    tracing::info!(%address, "embedded server");
    let server_shutdown = server::Shutdown::default();
    let serving = AbortOnDropHandle::new(tokio::spawn(server.run(server_shutdown.clone())));

    let opponent = config.local_opponent();
    let names = distinct([config.player_name(), opponent.name]);
    let threads = threads_each([&config.engine, &opponent.engine]);
    let shared_analysis = SharedAnalysis::default();
    let [own_name, other_name] = &names;
    let mut own = Side {
        address,
        name: own_name.clone(),
        ponder: config.engine.ponder,
        network: DelayEstimator::loopback(delay_policy(config.budget.network_delay)),
        next_request: 1,
        client: client(
            PlayerSpec::new(&config.engine, &config.budget, threads),
            own_name,
            watchers.clone(),
            keeper,
            &shared_analysis,
        ),
    };
    let mut other = Side {
        address,
        name: other_name.clone(),
        ponder: opponent.engine.ponder,
        network: own.network,
        next_request: 1,
        client: client(
            PlayerSpec::new(&opponent.engine, &config.budget, threads),
            other_name,
            watchers.for_opponent(),
            Keeper::none(),
            &shared_analysis,
        ),
    };

    let mut done = Ok(());
    let mut color = Color::Black;
    while done.is_ok()
        && !shutdown.is_asked()
        && (config.games == 0 || own.client.ended < config.games)
    {
        tokio::select! {
            ready = both_ready(&mut own, &mut other) => match ready {
                Ok(()) => {}
                Err(error) => {
                    done = Err(error);
                    break;
                }
            },
            () = shutdown.asked() => break,
        }
        done = one_game([&mut own, &mut other], &pool, color, &shutdown).await;
        color = !color;
    }

    server_shutdown.abort.cancel();
    server_shutdown.finish.cancel();
    tokio::join!(own.client.player.quit(), other.client.player.quit());
    let _ = timeout(SERVER_LIMIT, serving).await;
    done
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

fn client(
    spec: PlayerSpec,
    name: &str,
    watchers: Watchers,
    keeper: Keeper,
    shared_analysis: &SharedAnalysis,
) -> ClientState {
    let player =
        SessionPlayer::start(spec, name.to_owned(), watchers.clone(), shared_analysis.clone());
    ClientState {
        player,
        keeper,
        watchers,
        shared_analysis: shared_analysis.clone(),
        begun: 0,
        ended: 0,
    }
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
    // When we leave, the game ends for the opponent as well: it plays on and hears of it.
    let others_shutdown = Shutdown { finish: shutdown.finish.child_token(), ..Shutdown::default() };
    let (farewell, odd) = {
        let others_game = other.run_session(pool, !color, &others_shutdown);
        tokio::pin!(others_game);
        let own_game = own.run_session(pool, color, shutdown);
        tokio::pin!(own_game);
        tokio::select! {
            farewell = &mut own_game => {
                others_shutdown.finish.cancel();
                let _ = timeout(OPPONENT_LIMIT, others_game).await;
                (farewell, None)
            }
            others = &mut others_game => {
                // Its game is over; ours is, or will be as soon as the server says so.
                match others {
                    Ok(Farewell::Done | Farewell::NextGame | Farewell::LostInGame { .. }) => {
                        (own_game.await, None)
                    }
                    // It never began, so ours never will.
                    Ok(odd) => (Ok(Farewell::Done), Some(odd)),
                    Err(error) => (Err(error), None),
                }
            }
        }
    };
    if let Some(odd) = odd.filter(|_| !shutdown.is_asked()) {
        return Err(other.broken(odd));
    }
    match farewell? {
        Farewell::Done | Farewell::NextGame => own
            .client
            .player
            .failure()
            .or_else(|| other.client.player.failure())
            .map_or(Ok(()), |error| Err(error.clone().into())),
        _ if shutdown.is_asked() => Ok(()),
        odd => Err(own.broken(odd)),
    }
}

impl Side {
    async fn run_session(
        &mut self,
        pool: &str,
        color: Color,
        shutdown: &Shutdown,
    ) -> Result<Farewell, ClientError> {
        let connected = TcpStream::connect(self.address).await.and_then(Socket::new);
        let socket = connected.map_err(|error| ClientError::Connect {
            server: self.address.to_string(),
            reason: error.to_string(),
        })?;
        let wish = if color == Color::Black { "B" } else { "W" };
        let password = Secret::new(format!("{pool}-{wish},local"));
        let settings = SessionSettings {
            ponder: self.ponder.is_on(),
            ponder_move: ponder_move(self.ponder),
            games: 1,
            network: self.network,
            first_request: self.next_request,
            ..SessionSettings::new(&self.name, password, Profile::Kyomi)
        };
        let SessionOutcome { farewell, session } =
            run_session(socket, settings, &mut self.client, shutdown).await;
        self.network = *session.network();
        self.next_request = session.next_request();
        Ok(farewell)
    }

    /// What should not happen to a client in the same process as its server.
    fn broken(&self, farewell: Farewell) -> ClientError {
        let server = format!("the embedded server at {}", self.address);
        let reason = |cause: Cause| cause.words();
        match farewell {
            Farewell::LoginRefused(reason) => {
                ClientError::LoginRefused { server, name: self.name.clone(), reason }
            }
            Farewell::NotQueued(words) => ClientError::NotQueued { server, words },
            Farewell::Lost(cause) => {
                ClientError::Lost { server, reason: reason(cause), in_game: false }
            }
            Farewell::LostInGame { cause, .. } | Farewell::Suspended { cause, .. } => {
                ClientError::Lost { server, reason: reason(cause), in_game: true }
            }
            Farewell::NoAnswer | Farewell::Done | Farewell::NextGame => {
                ClientError::NoAnswer { server }
            }
        }
    }
}

/// A server lets each name in only once.
fn distinct([own, other]: [String; 2]) -> [String; 2] {
    if own != other {
        return [own, other];
    }
    let number = if own.ends_with('2') { '3' } else { '2' };
    let other = format!("{}{number}", own.get(..31).unwrap_or(&own));
    [own, other]
}

/// Threads of each built-in engine where the configuration does not say: all cores, since only
/// one side thinks at a time; half of them as soon as somebody ponders.
fn threads_each(engines: [&EngineConfig; 2]) -> usize {
    let cores = all_cores();
    if engines.iter().any(|engine| engine.ponder.is_on()) { (cores / 2).max(1) } else { cores }
}

/// For the opponent to log out after our own game is over.
const OPPONENT_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// For the server to end when nobody plays any more.
const SERVER_LIMIT: std::time::Duration = std::time::Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_players_of_one_name_are_told_apart() {
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
