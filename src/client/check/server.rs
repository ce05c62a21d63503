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
        login::{login_name, login_warnings},
        server_stream::ServerStream,
    },
    config::{Config, ControlConfig, ServerConfig, ServerMode},
    csa::{LoginMode, Profile, printable},
    server::{Server, ServerSettings},
};

use super::Finding;
use lobby::{LOGIN_LIMIT, Lobby, Login};
use login_plan::LoginPlan;
pub(super) use login_plan::clock_text;

mod lobby;
mod login_plan;

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
    let profile = plan.profile_text(server);
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
    Box::pin(ServerStream::connect(&server.host, server.port, server.tls.as_ref(), None)).await
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

const CONNECT_LIMIT: Duration = Duration::from_secs(4);

/// With a round trip this long the clock is charged another second.
const SLOW: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::CheckStatus;

    #[test]
    fn only_near_servers_get_rapid_lines() {
        let peer = |text: &str| Some(text.parse().unwrap());
        assert!(allows_rapid_lines(Profile::Wcsc, peer("127.0.0.1:4081"), true));
        assert!(allows_rapid_lines(Profile::Kyomi, peer("192.168.0.5:4081"), true));
        assert!(!allows_rapid_lines(Profile::Wcsc, peer("192.168.0.5:4081"), true));
        assert!(!allows_rapid_lines(Profile::Floodgate, peer("133.11.0.1:4081"), false));
    }

    #[test]
    fn a_percentile_needs_a_hundred_samples() {
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
