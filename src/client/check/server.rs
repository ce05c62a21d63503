//! The server: connection, login and round trip.

use std::{io, time::Duration};

use tokio::time::Instant;

use crate::{
    client::{
        connection::Connection,
        control::{LOGINS, send_request},
        login::{address, login_name, login_warnings},
        server_stream::ServerStream,
    },
    config::{Config, ControlConfig, ServerConfig, ServerMode},
    server::Server,
};
use kyomi_csa::LoginMode;
use kyomi_csa::text::printable;

use super::Finding;
use lobby::{LOGIN_LIMIT, Lobby, Login};
use login_plan::LoginPlan;
pub(super) use login_plan::clock_text;
use round_trip::{ServerPlace, milliseconds, round_trip};

mod lobby;
mod login_plan;
mod round_trip;

/// Checks the configured server, or that the embedded one can be started.
pub(super) async fn check(
    config: &Config,
    control: &ControlConfig,
    mut report: impl FnMut(Finding),
) {
    let Some(server) = &config.server else {
        return report(embedded_server(config).await);
    };
    let plan = LoginPlan::of(server);
    for text in login_warnings(server) {
        report(Finding::warning("login", text));
    }
    let began = Instant::now();
    let stream = match connect(server).await {
        Ok(stream) => stream,
        Err(error) => return report(unreached(server, &error)),
    };
    report(reached(server, &plan, &stream, began.elapsed()));
    let running = running_client(control, server).await;
    if let Some(running) = &running {
        report(running.finding());
    }
    if let Some(Running::ThisLogin(_)) = running {
        return Connection::new(stream).close().await;
    }
    let place = ServerPlace::of(&stream);
    let visit = match Visit::make(server, plan, stream, place).await {
        Ok(visit) => visit,
        Err(error) => return report(unreached(server, &error)),
    };
    report(logged_in(server, &visit.plan, &visit.login));
    if let Some(game_id) = &visit.offered {
        report(offered_at_once(game_id));
    }
    let Login::Accepted { took, .. } = visit.login else { return };
    report(if visit.empty_lines.is_empty() {
        round_trip("TCP connections", &place.connection_times().await, took)
    } else {
        round_trip("empty lines answered", &visit.empty_lines, took)
    });
}

async fn embedded_server(config: &Config) -> Finding {
    match Server::bind(Server::embedded_settings(config)).await {
        Ok(_) => Finding::ok("server", "the embedded server can be started"),
        Err(error) => Finding::failed("server", error.to_string()),
    }
}

fn reached(
    server: &ServerConfig,
    plan: &LoginPlan,
    stream: &ServerStream,
    took: Duration,
) -> Finding {
    let line = match stream.encryption() {
        Some(encryption) => format!("over {encryption}"),
        None => "in clear text".to_owned(),
    };
    let (address, profile) = (address(server), plan.profile_text(server));
    let took = milliseconds(took);
    Finding::ok("server", format!("{address} answers {line}, connected in {took}; {profile}"))
}

fn offered_at_once(game_id: &str) -> Finding {
    let detail = format!("a game ({}) was offered at once, and rejected", printable(game_id));
    Finding::warning("login", detail).remedy("an opponent is waiting: start `kyomi play`")
}

/// What was found between a login and the logout.
struct Visit {
    /// The last login that was tried.
    plan: LoginPlan,
    login: Login,
    /// The id of a game that was offered, which was rejected.
    offered: Option<String>,
    /// The times of the answers to empty lines; none if the server may not be sent many of them.
    empty_lines: Vec<Duration>,
}

impl Visit {
    /// Logs in and out again.
    ///
    /// # Errors
    /// The server cannot be reached for a second login.
    async fn make(
        server: &ServerConfig,
        mut plan: LoginPlan,
        stream: ServerStream,
        place: ServerPlace,
    ) -> io::Result<Self> {
        let mut lobby = Lobby { connection: Connection::new(stream), plan: &plan };
        let mut login = lobby.log_in(&server.name).await;
        if matches!(login, Login::Refused(_)) && plan.is_extended_by_us(server) {
            // Not every server that is taken for a relative of shogi-server knows this mode.
            lobby.connection.close().await;
            plan = plan.into_configured(server);
            let stream = connect(server).await?;
            lobby = Lobby { connection: Connection::new(stream), plan: &plan };
            login = lobby.log_in(&server.name).await;
        }
        let empty_lines = match login {
            Login::Accepted { offered: false, .. } if place.allows_rapid_lines(plan.profile) => {
                lobby.empty_lines().await
            }
            _ => Vec::new(),
        };
        let offered = match login {
            Login::Accepted { .. } => lobby.log_out().await,
            _ => None,
        };
        lobby.connection.close().await;
        Ok(Self { plan, login, offered, empty_lines })
    }
}

/// A client that runs with the socket of this configuration.
enum Running {
    /// It logs in as this configuration does. Its status line.
    ThisLogin(String),
    /// It has other logins, which are listed.
    Another(String),
}

impl Running {
    fn finding(&self) -> Finding {
        match self {
            Self::ThisLogin(status) => Finding::warning(
                "login",
                format!("not tried: a client with this login is running ({status}), and a second login could end its session"),
            )
            .remedy("run the check before `kyomi play`"),
            Self::Another(logins) => {
                Finding::warning("control", format!("another client runs with this socket: {logins}"))
                    .remedy("set control.socket to another file, or `kyomi ctl` reaches only that client")
            }
        }
    }
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

async fn connect(server: &ServerConfig) -> io::Result<ServerStream> {
    Box::pin(ServerStream::connect(server, None)).await
}

fn unreached(server: &ServerConfig, error: &io::Error) -> Finding {
    let address = address(server);
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
