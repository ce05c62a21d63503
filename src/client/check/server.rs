//! The server: connection, login and round trip.

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};

use crate::{
    client::{
        connection::Connection,
        control::{LOGINS, send_request},
        login::{game_or_password, login_name, login_warnings, profile},
        server_stream::ServerStream,
    },
    config::{Config, ControlConfig, ProfileName, Secret, ServerConfig, ServerMode, TimeConfig},
    csa::{
        ClientMessage, GameName, Line, LoginMode, Profile, ServerMessage, printable, without_token,
    },
    server::{Server, ServerSettings},
};

use super::Finding;

/// Checks the configured server, or that the embedded one can be started.
pub(super) async fn check(
    config: &Config,
    control: &ControlConfig,
    mut report: impl FnMut(Finding),
) {
    let Some(server) = &config.server else {
        return report(match Server::bind(ServerSettings::embedded(config)).await {
            Ok(_) => Finding::ok("server", "the embedded server can be started"),
            Err(error) => Finding::failed("server", error.to_string()),
        });
    };
    let mut plan = LoginPlan::of(server);
    for text in login_warnings(server) {
        report(Finding::warning("login", text));
    }
    let address = format!("{}:{}", server.host, server.port);
    let began = Instant::now();
    let socket = match connect(server).await {
        Ok(socket) => socket,
        Err(error) => {
            return report(unreached(&address, &error));
        }
    };
    let connected = began.elapsed();
    let profile = plan.profile_in_words(server);
    let line = match socket.encryption() {
        Some(encryption) => format!("over {encryption}"),
        None => "in clear text".to_owned(),
    };
    report(Finding::ok(
        "server",
        format!("{address} answers {line}, connected in {}; {profile}", milliseconds(connected)),
    ));
    let (peer, near) = (socket.peer(), socket.is_on_local_network());
    match running_client(control, server).await {
        Some(Running::ThisLogin(status)) => {
            report(
                Finding::warning(
                    "login",
                    format!("not tried: a client with this login is running ({status}), and a second login could end its session"),
                )
                .remedy("run the check before `kyomi play`"),
            );
            return Connection::new(socket).close().await;
        }
        Some(Running::Another(logins)) => report(
            Finding::warning("control", format!("another client runs with this socket: {logins}"))
                .remedy(
                    "set control.socket to another file, or `kyomi ctl` reaches only that client",
                ),
        ),
        None => {}
    }
    let mut lobby = Lobby { connection: Connection::new(socket), plan: &plan };
    let mut login = lobby.log_in(&server.name).await;
    if matches!(login, Login::Refused(_)) && plan.is_extended_by_us(server) {
        // Not every server that is taken for a relative of shogi-server knows this mode.
        lobby.connection.close().await;
        plan = plan.into_configured(server);
        let socket = match connect(server).await {
            Ok(socket) => socket,
            Err(error) => return report(unreached(&address, &error)),
        };
        lobby = Lobby { connection: Connection::new(socket), plan: &plan };
        login = lobby.log_in(&server.name).await;
    }
    let mut samples = Vec::new();
    let is_in = matches!(login, Login::Accepted { .. });
    let is_free = matches!(login, Login::Accepted { offered: false, .. });
    if is_free && allows_rapid_lines(plan.profile, peer, near) {
        samples = lobby.empty_lines().await;
    }
    let offered = if is_in { lobby.log_out().await } else { None };
    lobby.connection.close().await;
    report(logged_in(server, &plan, &login));
    if let Some(offer) = offered {
        report(
            Finding::warning(
                "login",
                format!("a game ({}) was offered at once, and rejected", printable(&offer)),
            )
            .remedy("an opponent is waiting: start `kyomi play`"),
        );
    }
    let Login::Accepted { took, .. } = login else { return };
    if !samples.is_empty() {
        return report(round_trip("empty lines answered", &samples, took));
    }
    let samples = match peer {
        Some(peer) => connects(peer, if near { 20 } else { 5 }).await,
        None => Vec::new(),
    };
    report(round_trip("TCP connections", &samples, took));
}

/// A client that runs with the socket of this configuration.
enum Running {
    /// It logs in as this configuration does. Its status line.
    ThisLogin(String),
    /// It has other logins, which are listed.
    Another(String),
}

async fn running_client(control: &ControlConfig, server: &ServerConfig) -> Option<Running> {
    let path = control.socket.as_ref()?;
    let short = |text: &str| printable(text).chars().take(80).collect::<String>();
    let logins = send_request(path, LOGINS).await.ok()?;
    let own = login_name(server);
    if logins.lines().any(|login| login == own) {
        let status = send_request(path, "status").await.unwrap_or_default();
        return Some(Running::ThisLogin(short(&status)));
    }
    Some(Running::Another(short(&logins.replace('\n', ", "))))
}

/// How the check logs in.
struct LoginPlan {
    profile: Profile,
    mode: LoginMode,
    password: Secret,
    /// What the login of `kyomi play` requests, as text.
    pool: String,
}

impl LoginPlan {
    fn of(server: &ServerConfig) -> Self {
        let whole = server.login_password();
        let profile = profile(server);
        let (head, trip) = match whole.expose().split_once(',') {
            Some((head, trip)) => (head, Some(trip)),
            None => (whole.expose(), None),
        };
        let name =
            GameName::parse(head).or_else(|| server.game.as_deref().and_then(GameName::parse));
        // In extended mode the password is the trip alone.
        let has_trip = trip.is_some_and(|trip| !trip.is_empty())
            || server.mode == ServerMode::Extended && !whole.expose().is_empty();
        let pool = pool_in_words(name.as_ref(), has_trip);
        // On these servers a plain login waits for an opponent, an extended one waits for commands.
        let quiet = matches!(profile, Profile::Reference | Profile::Floodgate | Profile::Denryu);
        let extended = quiet || server.mode == ServerMode::Extended;
        let password = match (quiet, name, trip) {
            (true, Some(_), Some(trip)) if server.mode == ServerMode::Plain && !trip.is_empty() => {
                Secret::new(trip)
            }
            _ => whole.clone(),
        };
        let mode = if extended { LoginMode::Extended } else { LoginMode::Plain };
        Self { profile, mode, password, pool }
    }

    /// Whether the login is extended although the configured one is plain.
    fn is_extended_by_us(&self, server: &ServerConfig) -> bool {
        self.mode == LoginMode::Extended && server.mode == ServerMode::Plain
    }

    /// The plain login of `kyomi play`.
    fn into_configured(self, server: &ServerConfig) -> Self {
        Self { mode: LoginMode::Plain, password: server.login_password(), ..self }
    }

    fn profile_in_words(&self, server: &ServerConfig) -> String {
        let why = if server.profile == ProfileName::Auto {
            Profile::reason_of_detection(&server.host, game_or_password(server))
        } else {
            "as configured"
        };
        format!("profile {} ({why})", self.profile)
    }
}

/// What a password requests, as text. It never contains the trip.
fn pool_in_words(name: Option<&GameName<'_>>, has_trip: bool) -> String {
    let Some(name) = name else {
        return "a password without a game name".to_owned();
    };
    let clock = match name.time() {
        None => "an impossible clock".to_owned(),
        Some(time) => clock_in_words(time),
    };
    let trip = if has_trip { "with a trip" } else { "without a trip" };
    format!("pool {} ({clock}), {trip}", name.name)
}

pub(super) fn clock_in_words(time: TimeConfig) -> String {
    let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
    let increment = match time.increment {
        Duration::ZERO => String::new(),
        increment => format!(" and {} more for each move", seconds(increment)),
    };
    let byoyomi = match time.byoyomi {
        Duration::ZERO => String::new(),
        byoyomi => format!(", then {} for each move", seconds(byoyomi)),
    };
    format!("{}{increment}{byoyomi}", seconds(time.total))
}

/// The answer to the login.
enum Login {
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
struct Lobby<'a> {
    connection: Connection<ServerStream>,
    plan: &'a LoginPlan,
}

impl Lobby<'_> {
    async fn log_in(&mut self, name: &str) -> Login {
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
    async fn log_out(&mut self) -> Option<String> {
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
    async fn empty_lines(&mut self) -> Vec<Duration> {
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

/// Whether empty lines may be sent to the server in rapid succession. The protocol forbids it: it is done only on this
/// machine, and in the local network with servers that are known to answer each line.
fn allows_rapid_lines(profile: Profile, peer: Option<SocketAddr>, near: bool) -> bool {
    let here = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    here || near && profile.behaviour().answers_keep_alive
}

fn logged_in(server: &ServerConfig, plan: &LoginPlan, login: &Login) -> Finding {
    let name = &server.name;
    let mode = match plan.mode {
        LoginMode::Extended if server.mode == ServerMode::Plain => {
            "in extended mode, which waits for no game"
        }
        LoginMode::Extended => "in extended mode",
        LoginMode::Plain | LoginMode::Reconnect { .. } => "in plain mode",
    };
    match login {
        Login::Accepted { name: confirmed, took, error: None, .. } => Finding::ok(
            "login",
            format!(
                "{} is let in {mode}, answered in {}, and is logged out again; {}",
                printable(confirmed),
                milliseconds(*took),
                plan.pool
            ),
        ),
        Login::Accepted { error: Some(error), .. } => {
            let detail =
                format!("{name} is let in {mode}, but the server says: {}", printable(error));
            Finding::failed("login", detail).remedy("ask the organisers, or try again later")
        }
        Login::Refused(reason) => {
            let reason = reason
                .as_deref()
                .map_or_else(String::new, |reason| format!(" ({})", printable(reason)));
            Finding::failed(
                "login",
                format!("the server refuses the login of {name} {mode}{reason}"),
            )
            .remedy("correct server.name and server.password; or that name is logged in already")
        }
        Login::Silent => {
            let limit = LOGIN_LIMIT.as_secs();
            Finding::failed("login", format!("no answer within {limit} s"))
                .remedy("check server.port: is it a CSA server?")
        }
        Login::Closed(cause) => {
            Finding::failed("login", format!("the server closed the connection: {cause}"))
                .remedy("check server.host and server.port: is it a CSA server?")
        }
    }
}

/// Times connections to this address.
async fn connects(peer: SocketAddr, number: usize) -> Vec<Duration> {
    let mut samples = Vec::new();
    for _ in 0..number {
        let began = Instant::now();
        match timeout(CONNECT_LIMIT, TcpStream::connect(peer)).await {
            Ok(Ok(_)) => samples.push(began.elapsed()),
            Ok(Err(_)) | Err(_) => break,
        }
    }
    samples
}

fn round_trip(of: &str, samples: &[Duration], login: Duration) -> Finding {
    let mut sorted = samples.to_vec();
    sorted.sort();
    let (Some(median), Some(worst)) = (sorted.get(sorted.len() / 2), sorted.last()) else {
        let detail = format!("only the login was measured: {}", milliseconds(login));
        return Finding::warning("round trip", detail)
            .remedy("look at the measured times of the first game");
    };
    let percentile = (sorted.len() >= 100).then(|| sorted[sorted.len() * 99 / 100]);
    let percentile = percentile
        .map_or_else(String::new, |time| format!("99th percentile {}, ", milliseconds(time)));
    let detail = format!(
        "median {}, {percentile}worst {} of {} {of}; the login took {}",
        milliseconds(*median),
        milliseconds(*worst),
        sorted.len(),
        milliseconds(login)
    );
    if *worst >= SLOW {
        return Finding::warning("round trip", detail).remedy(
            "use a wired network; budget.network_delay sets a fixed reserve for each move",
        );
    }
    Finding::ok("round trip", detail)
}

fn milliseconds(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    if milliseconds < 10.0 {
        format!("{milliseconds:.2} ms")
    } else {
        format!("{milliseconds:.0} ms")
    }
}

async fn connect(server: &ServerConfig) -> io::Result<ServerStream> {
    Box::pin(ServerStream::connect(&server.host, server.port, server.tls.as_ref())).await
}

fn unreached(address: &str, error: &io::Error) -> Finding {
    let text = error.to_string();
    // The errors of a TLS session end with what to do.
    let (fault, remedy) = match (error.kind(), text.split_once("; ")) {
        (_, Some((fault, remedy))) => (fault, remedy),
        (io::ErrorKind::ConnectionRefused, None) => {
            (text.as_str(), "check server.port; is the server running?")
        }
        (
            io::ErrorKind::TimedOut
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::HostUnreachable,
            None,
        ) => (text.as_str(), "check the network and its firewall: does it let the port out?"),
        (_, None) => (text.as_str(), "check server.host, server.port and the network"),
    };
    Finding::failed("server", format!("cannot connect to {address}: {fault}")).remedy(remedy)
}

/// The longest wait for the answer to the login.
const LOGIN_LIMIT: Duration = Duration::from_secs(20);

/// How long the check reads messages of the server after the login.
const NOTICES: Duration = Duration::from_millis(300);

const LOGOUT_LIMIT: Duration = Duration::from_secs(3);

/// The number of empty lines, and the longest time for them together and for one.
const SAMPLES: usize = 100;
const SAMPLING: Duration = Duration::from_secs(2);
const ANSWER_LIMIT: Duration = Duration::from_millis(500);

const CONNECT_LIMIT: Duration = Duration::from_secs(4);

/// With a round trip this long the clock is charged another second.
const SLOW: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::CheckStatus;

    fn plan(server: &str) -> LoginPlan {
        let text = format!("[server]\n{server}");
        LoginPlan::of(&Config::from_text("test", &text, [], &[]).unwrap().config.server.unwrap())
    }

    #[test]
    fn a_login_that_would_wait_for_a_game_is_extended_and_has_the_bare_trip() {
        let floodgate = plan("password = \"trip,with\"\ngame = \"floodgate-300-10F\"\n");
        assert_eq!(floodgate.profile, Profile::Floodgate);
        assert_eq!(floodgate.mode, LoginMode::Extended);
        assert_eq!(floodgate.password.expose(), "trip,with");
        assert_eq!(
            floodgate.pool,
            "pool floodgate-300-10F (300 s and 10 s more for each move), with a trip"
        );
        let wcsc = plan("host = \"gserver.computer-shogi.org\"\npassword = \"secret\"\n");
        assert_eq!((wcsc.profile, wcsc.mode), (Profile::Wcsc, LoginMode::Plain));
        assert_eq!(wcsc.password.expose(), "secret");
        let plain = plan("password = \"x-600-10,secret\"\n");
        assert_eq!((plain.profile, plain.mode), (Profile::Auto, LoginMode::Plain));
        assert_eq!(plain.password.expose(), "x-600-10,secret");
        // As in `kyomi play`, the game tells the profile in extended mode too.
        let extended = plan(
            "host = \"example.org\"\npassword = \"trip\"\ngame = \"floodgate-300-10F\"\nmode = \"extended\"\n",
        );
        assert_eq!((extended.profile, extended.mode), (Profile::Floodgate, LoginMode::Extended));
        assert!(
            !plain.pool.contains("secret") && plain.pool.contains("x-600-10"),
            "{}",
            plain.pool
        );
    }

    #[test]
    fn only_near_servers_are_asked_without_pauses() {
        let peer = |text: &str| Some(text.parse().unwrap());
        assert!(allows_rapid_lines(Profile::Wcsc, peer("127.0.0.1:4081"), true));
        assert!(allows_rapid_lines(Profile::Kyomi, peer("192.168.0.5:4081"), true));
        assert!(!allows_rapid_lines(Profile::Wcsc, peer("192.168.0.5:4081"), true));
        assert!(!allows_rapid_lines(Profile::Floodgate, peer("133.11.0.1:4081"), false));
    }

    #[test]
    fn a_percentile_is_stated_of_a_hundred_samples_only() {
        let of = |number: u64| (1..=number).map(Duration::from_millis).collect::<Vec<_>>();
        let login = Duration::from_millis(7);
        assert_eq!(
            round_trip("empty lines answered", &of(100), login).detail,
            "median 51 ms, 99th percentile 100 ms, worst 100 ms of 100 empty lines answered; the login took 7.00 ms"
        );
        assert_eq!(
            round_trip("TCP connections", &of(5), login).detail,
            "median 3.00 ms, worst 5.00 ms of 5 TCP connections; the login took 7.00 ms"
        );
        assert_eq!(round_trip("", &of(1000), login).status, CheckStatus::Warning);
        assert_eq!(round_trip("", &[], login).status, CheckStatus::Warning);
    }
}
