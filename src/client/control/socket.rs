//! The local socket of a running client, which only its user may open.
//!
//! It is a socket file that only its owner can open. Systems without such files have no control socket.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    sync::Semaphore,
    time::timeout,
};
use tokio_util::{
    codec::{FramedRead, LinesCodec},
    task::AbortOnDropHandle,
};

use crate::{
    config::ControlConfig,
    watch::{MergedReports, Watchers},
};

use super::{
    super::shutdown::Shutdown,
    ClientControl, ParseRequestError, Request,
    watching::{self, WATCH, WatcherSlots},
};

#[cfg(not(unix))]
use none as transport;
#[cfg(unix)]
use unix as transport;

/// The socket of this process; it is removed when it is dropped.
#[derive(Debug)]
pub(in crate::client) struct ControlSocket {
    path: PathBuf,
    _task: AbortOnDropHandle<()>,
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// An account to which requests can be sent.
#[derive(Debug, Clone)]
pub(in crate::client) struct ControlTarget {
    /// Its name, if it is one of several.
    pub(in crate::client) label: Option<String>,
    /// The name that it logs in with and the server; none without `[server]`.
    pub(in crate::client) login: Option<String>,
    pub(in crate::client) control: ClientControl,
    pub(in crate::client) shutdown: Shutdown,
    pub(in crate::client) watchers: Watchers,
}

/// Opens the configured socket. If that fails, there is a warning, and the client plays without it.
pub(in crate::client) async fn open_socket(
    config: &ControlConfig,
    clients: Vec<ControlTarget>,
) -> Option<ControlSocket> {
    let path = config.socket.as_ref()?;
    let watchers = clients.first().map(|client| client.watchers.clone()).unwrap_or_default();
    match listen(path, clients).await {
        Ok(socket) => Some(socket),
        Err(error) => {
            watchers.warn(format!(
                "`kyomi ctl` and `kyomi status` cannot reach this client: {}: {error}",
                path.display()
            ));
            None
        }
    }
}

/// A login of these clients that a running client with the configured socket has too.
pub(in crate::client) async fn login_in_use(
    config: &ControlConfig,
    clients: &[ControlTarget],
) -> Option<String> {
    let known = send_request(config.socket.as_ref()?, LOGINS).await.ok()?;
    let mut logins = clients.iter().filter_map(|client| client.login.as_ref());
    logins.find(|login| known.lines().any(|line| line == login.as_str())).cloned()
}

/// Opens the socket and answers requests until it is dropped. Call it inside a tokio runtime.
///
/// # Errors
/// The socket cannot be made, or another running client has it.
async fn listen(path: &Path, clients: Vec<ControlTarget>) -> io::Result<ControlSocket> {
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir)?;
    }
    if path.exists() {
        if transport::connect(path).await.is_ok() {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        // A socket here was left by a process that was killed.
        transport::check_leftover(path)?;
        std::fs::remove_file(path)?;
    }
    let listener = transport::bind(path)?;
    let clients: Arc<[ControlTarget]> = clients.into();
    let slots = WatcherSlots::new();
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let task = tokio::spawn(async move {
        loop {
            let Ok(stream) = transport::accept(&listener).await else {
                tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                continue;
            };
            // One without a place is closed.
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
            let (clients, slots) = (Arc::clone(&clients), slots.clone());
            tokio::spawn(async move {
                let _ = serve(stream, clients, &slots).await;
                drop(place);
            });
        }
    });
    Ok(ControlSocket { path: path.to_owned(), _task: AbortOnDropHandle::new(task) })
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    clients: Arc<[ControlTarget]>,
    slots: &WatcherSlots,
) -> io::Result<()> {
    let mut line = String::new();
    let mut request = BufReader::new((&mut stream).take(LONGEST_REQUEST));
    timeout(REQUEST_LIMIT, request.read_line(&mut line)).await??;
    let request = line.trim();
    let answer = if split_account(request).1 == WATCH {
        match (watched(request, &clients), slots.take()) {
            (Ok((labels, reports)), Some(place)) => {
                // The reports end with the run, of which nothing is kept here.
                drop(clients);
                return watching::stream(stream, labels, reports, place).await;
            }
            (Err(error), _) => format!("error: {error}"),
            (Ok(_), None) => "error: too many watch this client already".to_owned(),
        }
    } else {
        carry_out(request, &clients).unwrap_or_else(|error| format!("error: {error}"))
    };
    let answering = async {
        stream.write_all(format!("{answer}\n").as_bytes()).await?;
        stream.shutdown().await
    };
    timeout(REQUEST_LIMIT, answering).await?
}

/// The reports of all accounts, or of one of them, with their labels.
fn watched(
    request: &str,
    clients: &[ControlTarget],
) -> Result<(Vec<Option<String>>, MergedReports), String> {
    let (wanted, _) = split_account(request);
    let asked = asked(wanted, clients)?;
    let labels = asked.iter().map(|client| client.label.clone()).collect();
    Ok((labels, MergedReports::new(asked.iter().map(|client| client.watchers.subscribe()))))
}

/// All accounts, or the one with this label.
fn asked<'a>(
    wanted: Option<&str>,
    clients: &'a [ControlTarget],
) -> Result<Vec<&'a ControlTarget>, String> {
    let asked = clients.iter();
    let asked = asked.filter(|client| wanted.is_none() || client.label.as_deref() == wanted);
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() {
        let known: Vec<_> = clients.iter().filter_map(|client| client.label.as_deref()).collect();
        return Err(match known.as_slice() {
            [] => "this client has no [[account]]".to_owned(),
            known => format!("there is no such account; known are {}", known.join(", ")),
        });
    }
    Ok(asked)
}

/// Carries out a request to all accounts, or to one of them: `account LABEL REQUEST`. The answer has a line for each.
fn carry_out(request: &str, clients: &[ControlTarget]) -> Result<String, String> {
    if request.trim() == LOGINS {
        let logins = clients.iter().map(|client| client.login.as_deref().unwrap_or("no server"));
        return Ok(logins.collect::<Vec<_>>().join("\n"));
    }
    let (wanted, request) = split_account(request);
    let request: Request = request.parse().map_err(|error: ParseRequestError| error.to_string())?;
    let answers: Vec<_> = asked(wanted, clients)?
        .into_iter()
        .map(|client| {
            let answer = client.control.carry_out(request, &client.shutdown, &client.watchers);
            match &client.label {
                Some(label) => format!("{label}: {answer}"),
                None => answer,
            }
        })
        .collect();
    Ok(answers.join("\n"))
}

/// Splits `account LABEL REQUEST` into the label and the request.
fn split_account(text: &str) -> (Option<&str>, &str) {
    let rest = text.trim().strip_prefix("account ").map(str::trim_start);
    match rest.and_then(|rest| rest.split_once(char::is_whitespace)) {
        Some((label, request)) => (Some(label), request),
        None => (None, text),
    }
}

/// Sends a request to the client with this socket and returns its answer.
///
/// # Errors
/// No client has this socket, or it does not answer.
pub async fn send_request(path: &Path, request: &str) -> io::Result<String> {
    let mut stream = transport::connect(path).await?;
    let exchange = async {
        stream.write_all(format!("{request}\n").as_bytes()).await?;
        let mut answer = String::new();
        (&mut stream).take(LONGEST_ANSWER).read_to_string(&mut answer).await?;
        Ok(answer.trim_end().to_owned())
    };
    timeout(REQUEST_LIMIT, exchange).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Watches the client with this socket, or one of its accounts: `tell` gets each event, until the client ends.
///
/// # Errors
/// No client has this socket, it refuses, or the connection fails.
pub async fn watch_client(
    path: &Path,
    account: Option<&str>,
    mut tell: impl FnMut(&Value),
) -> io::Result<()> {
    let mut stream = transport::connect(path).await?;
    let request = match account {
        Some(label) => format!("account {label} {WATCH}\n"),
        None => format!("{WATCH}\n"),
    };
    stream.write_all(request.as_bytes()).await?;
    let mut lines = FramedRead::new(stream, LinesCodec::new_with_max_length(LONGEST_LINE));
    while let Some(line) = lines.next().await {
        let line = line.map_err(io::Error::other)?;
        match serde_json::from_str(&line) {
            Ok(event) => tell(&event),
            // A line of plain text: the answer of an older program.
            Err(_) => return Err(io::Error::other(line)),
        }
    }
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::{
        fs::{self, DirBuilder},
        io,
        os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt},
        path::{Path, PathBuf},
        sync::atomic::{AtomicU32, Ordering},
    };

    use tokio::net::{UnixListener, UnixStream};

    /// Whether a file in the place of the socket may be removed: only a socket, not a file that was named by mistake.
    pub(super) fn check_leftover(path: &Path) -> io::Result<()> {
        if fs::symlink_metadata(path)?.file_type().is_socket() {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file that is no socket"))
    }

    /// The number of sockets made so far. Two that are made at the same time need two folders.
    static MADE: AtomicU32 = AtomicU32::new(0);

    /// Binds in a folder that only its owner may enter, so that nobody connects before the permissions are set.
    pub(super) fn bind(path: &Path) -> io::Result<UnixListener> {
        let dir = path.parent().unwrap_or_else(|| Path::new(""));
        let private = make_private(dir)?;
        let made = (|| {
            let hidden = private.join("s");
            let listener = UnixListener::bind(&hidden)?;
            fs::set_permissions(&hidden, fs::Permissions::from_mode(0o600))?;
            fs::rename(&hidden, path)?;
            Ok(listener)
        })();
        let _ = fs::remove_dir_all(&private);
        made
    }

    /// Makes a new folder, which is private from the first moment, whatever the rights of new folders are. A name that
    /// is there already is not used: it may be a link that somebody else has put there.
    fn make_private(dir: &Path) -> io::Result<PathBuf> {
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let private = dir.join(format!(".kyomi-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&private) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| private),
            }
        }
    }

    pub(super) async fn accept(listener: &UnixListener) -> io::Result<UnixStream> {
        Ok(listener.accept().await?.0)
    }

    pub(super) async fn connect(path: &Path) -> io::Result<UnixStream> {
        UnixStream::connect(path).await
    }
}

/// Systems without socket files.
#[cfg(not(unix))]
mod none {
    use std::{convert::Infallible, io, path::Path};

    use tokio::io::DuplexStream;

    pub(super) fn check_leftover(_: &Path) -> io::Result<()> {
        Err(unsupported())
    }

    pub(super) fn bind(_: &Path) -> io::Result<Infallible> {
        Err(unsupported())
    }

    pub(super) async fn accept(listener: &Infallible) -> io::Result<DuplexStream> {
        match *listener {}
    }

    pub(super) async fn connect(_: &Path) -> io::Result<DuplexStream> {
        Err(unsupported())
    }

    fn unsupported() -> io::Error {
        let reason = "this system has no socket files; control.socket = \"\" does without one";
        io::Error::new(io::ErrorKind::Unsupported, reason)
    }
}

/// The request of `kyomi check`, and of a client that starts, for the logins of a running client, a line each.
pub(in crate::client) const LOGINS: &str = "logins";

/// The number of connections at a time: descriptors are left for the game.
const MOST_CONNECTIONS: usize = 256;

const LONGEST_REQUEST: u64 = 1024;
const LONGEST_ANSWER: u64 = 16 * 1024;

/// A line for a watcher: a snapshot with a long game.
const LONGEST_LINE: usize = 64 << 20;

/// A peer that is silent is not waited for.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);

const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    fn reachable(label: Option<&str>) -> ControlTarget {
        ControlTarget {
            label: label.map(str::to_owned),
            login: label.map(|label| format!("{label} on host:4081")),
            control: ClientControl::default(),
            shutdown: Shutdown::default(),
            watchers: Watchers::new(),
        }
    }

    #[test]
    fn a_request_reaches_all_accounts_or_one() {
        let clients = [reachable(Some("a")), reachable(Some("b"))];
        let ask = |request: &str| carry_out(request, &clients);
        assert_eq!(ask("status").unwrap(), "a: no engine yet\nb: no engine yet");
        assert_eq!(ask("account b status").unwrap(), "b: no engine yet");
        assert_eq!(ask(LOGINS).unwrap(), "a on host:4081\nb on host:4081");
        ask("account b finish").unwrap();
        assert!(clients[1].shutdown.is_asked() && !clients[0].shutdown.is_asked());
        ask("finish").unwrap();
        assert!(clients[0].shutdown.is_asked());
        let known = "there is no such account; known are a, b";
        assert_eq!(ask("account c status").unwrap_err(), known);
        for wrong in ["account", "account a", "account  ", "account a dance", "account a b status"]
        {
            assert!(ask(wrong).is_err(), "{wrong}");
        }
        assert!(carry_out("account a status", &[reachable(None)]).is_err());
    }

    #[tokio::test]
    async fn requests_are_answered_and_the_file_goes_with_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("control");
        let client = reachable(None);
        let shutdown = client.shutdown.clone();
        let open = || listen(&path, vec![client.clone()]);
        let socket = open().await.unwrap();
        assert_eq!(send_request(&path, "status").await.unwrap(), "no engine yet");
        assert!(send_request(&path, "dance").await.unwrap().starts_with("error: "));
        // A request that is too long is cut off; whether its sender sees an answer depends on the system.
        let _ = send_request(&path, &"x".repeat(5000)).await;
        assert_eq!(send_request(&path, "status").await.unwrap(), "no engine yet");
        let taken = open().await.map(drop).map_err(|error| error.kind());
        assert_eq!(taken, Err(io::ErrorKind::AddrInUse));
        send_request(&path, "finish").await.unwrap();
        assert!(shutdown.finish.is_cancelled());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(socket);
        assert!(!path.exists() && send_request(&path, "status").await.is_err());
        // A socket that a killed process left is no obstacle; a file of something else is not touched.
        #[cfg(unix)]
        {
            drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
            assert!(path.exists());
            drop(open().await.unwrap());
        }
        std::fs::write(&path, "[engine]").unwrap();
        let refused = open().await.map(drop).map_err(|error| error.kind());
        assert_eq!(refused, Err(io::ErrorKind::AlreadyExists));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[engine]");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn silent_connections_do_not_take_all_descriptors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("control");
        let _socket = listen(&path, vec![reachable(None)]).await.unwrap();
        let mut silent = Vec::new();
        for _ in 0..MOST_CONNECTIONS + 20 {
            silent.push(unix::connect(&path).await.unwrap());
        }
        // The last ones are closed at once; the others keep their places for a time.
        for stream in silent.iter_mut().rev().take(20) {
            assert_eq!(stream.read(&mut [0]).await.unwrap_or_default(), 0);
        }
        drop(silent);
        while send_request(&path, "status").await.ok().as_deref() != Some("no engine yet") {}
    }

    /// Somebody who may write in the folder has put a link in the place of our private folder.
    #[cfg(unix)]
    #[tokio::test]
    async fn a_link_in_the_way_changes_nothing_elsewhere() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (home, dir) = (folder.path().join("home"), folder.path().join("shared"));
        for path in [&home, &dir] {
            std::fs::create_dir(path).unwrap();
        }
        std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).unwrap();
        // Tests of other sockets run beside this one and use numbers too.
        for number in 0..10_000 {
            let name = format!(".kyomi-{}-{number}", std::process::id());
            symlink(&home, dir.join(name)).unwrap();
        }
        let path = dir.join("socket");
        drop(unix::bind(&path).unwrap());
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mode = std::fs::metadata(&home).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 10_001, "nothing else is removed");
    }

    #[cfg(unix)]
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn sockets_in_one_folder_can_be_made_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        let tasks: Vec<_> = (0..4)
            .map(|number| {
                let path = folder.path().join(number.to_string());
                tokio::spawn(async move {
                    for _ in 0..100 {
                        drop(unix::bind(&path).unwrap());
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_second_client_with_the_same_login_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("control");
        let config = ControlConfig { socket: Some(path.clone()) };
        let [a, b] = ["a", "b"].map(|label| reachable(Some(label)));
        assert_eq!(login_in_use(&config, std::slice::from_ref(&a)).await, None, "nobody runs");
        let socket = listen(&path, vec![a.clone()]).await.unwrap();
        let found = login_in_use(&config, &[b.clone(), a.clone()]).await;
        assert_eq!(found.as_deref(), Some("a on host:4081"));
        assert_eq!(login_in_use(&config, &[b, reachable(None)]).await, None);
        drop(socket);
        assert_eq!(login_in_use(&config, &[a]).await, None);
    }
}
