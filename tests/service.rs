//! The real program as a service: what it tells the service manager, and the unit that it prints.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot set its case up has failed")]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::{fs::PermissionsExt as _, net::UnixDatagram},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use common::folder::Folder;

/// The test in the place of systemd.
struct Manager(UnixDatagram);

impl Manager {
    fn listen(folder: &Folder) -> Self {
        let socket = UnixDatagram::bind(folder.path().join("notify")).unwrap();
        // Generous: only a failure waits so long.
        socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        Self(socket)
    }

    /// A process whose service manager this is, which wants to hear from it every 100 ms.
    fn start(folder: &Folder, arguments: &[&str]) -> Child {
        let mut command = folder.kyomi(arguments);
        command.env("NOTIFY_SOCKET", folder.path().join("notify"));
        command.env("WATCHDOG_USEC", "100000").env_remove("WATCHDOG_PID");
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn message(&self) -> String {
        let mut bytes = [0; 4096];
        let length = self.0.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    /// The messages before one that begins so, and that one.
    fn until(&self, beginning: &str) -> Vec<String> {
        let mut messages = Vec::new();
        while !messages.last().is_some_and(|last: &String| last.starts_with(beginning)) {
            messages.push(self.message());
        }
        messages
    }
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
}

#[test]
fn a_player_is_ready_with_its_engine_and_tells_its_games_and_its_end() {
    let folder = Folder::new();
    let manager = Manager::listen(&folder);
    folder.write("my.toml", "games = 1\n[engine]\nkind = \"random\"\n[rules]\nmax_moves = 40\n");
    let child = Manager::start(&folder, &["play", "--config", "my.toml"]);
    let before = manager.until("READY=1");
    assert!(before.iter().all(|text| !text.contains("game")), "{before:?}");
    let game = manager.until("STOPPING=1");
    assert!(game.iter().any(|text| text.starts_with("STATUS=game 1, ")), "{game:?}");
    assert!(!game.contains(&"READY=1".to_owned()), "{game:?}");
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn a_server_is_alive_until_it_is_asked_to_stop() {
    let folder = Folder::new();
    let manager = Manager::listen(&folder);
    let mut child = Manager::start(&folder, &["serve", "--set", "listen.address=127.0.0.1:0"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    manager.until("READY=1");
    let address = line.strip_prefix("listening on ").unwrap().trim();
    let status = manager.until("STATUS=").pop().unwrap();
    assert_eq!(status, format!("STATUS=listening on {address}; 0 games running, 0 ended"));
    manager.until("WATCHDOG=1");
    manager.until("WATCHDOG=1");
    interrupt(&child);
    manager.until("STOPPING=1");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_manager_that_is_gone_is_warned_about_and_the_game_is_played() {
    let folder = Folder::new();
    folder.write("my.toml", "[engine]\nkind = \"random\"\n[rules]\nmax_moves = 10\n");
    let mut command = folder.kyomi(&["play", "--config", "my.toml"]);
    let output = command.env("NOTIFY_SOCKET", folder.path().join("gone")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && stderr.contains("NOTIFY_SOCKET"), "{stderr}");
}

const SERVER: &str = "games = 0\n[server]\nhost = \"example\"\nname = \"me\"\n";

#[test]
fn the_unit_names_this_folder_and_never_the_password() {
    let folder = Folder::new();
    folder.write("open.toml", format!("{SERVER}password = \"geheim\"\n"));
    let mode = fs::Permissions::from_mode(0o600);
    fs::set_permissions(folder.path().join("open.toml"), mode).unwrap();
    folder.write("closed.toml", format!("{SERVER}[control]\nsocket = \"/run/kyomi/s\"\n"));
    let unit = |config: &str| {
        let args = ["service", "--config", config, "--name", "shogi-night", "--user", "shogi"];
        let (unit, warnings) = folder.run_with_code(&args, 0);
        assert_eq!(warnings, "");
        unit
    };
    let (open, closed) = (unit("open.toml"), unit("closed.toml"));
    assert!(!open.contains("geheim") && !open.contains("LoadCredential"), "{open}");
    assert!(closed.contains("LoadCredential=password:/etc/kyomi/shogi-night.password\n"));
    let folder_path = folder.path().canonicalize().unwrap();
    let start = format!("play --config {}/closed.toml\n", folder_path.display());
    let writable = format!("ReadWritePaths={} /run/kyomi\n", folder_path.display());
    assert!(closed.contains(&writable), "{closed}");
    for line in
        ["Type=notify\n", "WatchdogSec=60s\n", "KillSignal=SIGINT\n", "User=shogi\n", &start]
    {
        assert!(closed.contains(line), "{line} is missing in:\n{closed}");
    }
}

#[test]
fn a_service_that_would_end_is_warned_about_and_a_wrong_one_is_refused() {
    let folder = Folder::new();
    folder.write("one.toml", "games = 1\n");
    let (_, warning) = folder.run_with_code(&["service", "--config", "one.toml"], 0);
    assert!(warning.contains("games = 1"), "{warning}");
    folder.run_with_code(&["service", "--config", "one.toml", "--name", "a b"], 2);
    folder.run_with_code(&["service", "--config", "one.toml", "--user", "x\nRoot"], 2);
    folder.run_with_code(&["service", "--config", "nowhere.toml"], 2);
    folder.write("wrong.toml", format!("{SERVER}port = 0\n"));
    let (_, error) = folder.run_with_code(&["service", "--config", "wrong.toml"], 2);
    assert!(error.contains("server.port"), "{error}");
}

#[test]
fn systemd_accepts_the_units() {
    let Ok(version) = Command::new("systemd-analyze").arg("--version").output() else {
        eprintln!("skipped: there is no systemd-analyze");
        return;
    };
    assert!(version.status.success());
    let folder = Folder::new();
    folder.write("odd name 100%.toml", format!("{SERVER}[engine]\nkind = \"usi\"\npath = \"x\"\n"));
    folder.write("my.toml", SERVER);
    folder.write("server.toml", "games = 0\n[listen]\nrecords = \"/var/lib/records\"\n");
    for (name, args) in [
        ("a.service", ["--config", "my.toml", "--user", "root", "--name", "a"].as_slice()),
        ("b.service", &["--config", "odd name 100%.toml", "--user", "root", "--name", "b"]),
        ("c.service", &["--config", "server.toml", "--serve", "--user", "root", "--name", "c"]),
    ] {
        let args: Vec<_> = ["service"].into_iter().chain(args.iter().copied()).collect();
        let (unit, _) = folder.run_with_code(&args, 0);
        folder.write(name, unit);
        assert_eq!(complaints(&folder.path().join(name)), [""; 0]);
    }
}

/// What `systemd-analyze verify` says of a unit, but for what only newer versions know and missing manual pages.
fn complaints(unit: &Path) -> Vec<String> {
    let mut command = Command::new("systemd-analyze");
    let output = command.args(["verify", "--man=no"]).arg(unit).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let newer = |line: &str| line.contains("RestartSteps") || line.contains("RestartMaxDelaySec");
    let name = unit.file_name().unwrap().to_str().unwrap();
    // Units of the system itself may be complained about too.
    let ours = text.lines().filter(|line| line.contains(name) && !newer(line));
    ours.map(str::to_owned).collect()
}
