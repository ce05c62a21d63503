//! A nats-server of a test's own.

use std::{
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::folder::Folder;

/// The longest wait; it is reached only if something is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running server. It ends with this value.
pub(crate) struct Broker {
    child: Child,
    port: u16,
    arguments: Vec<String>,
    folder: Folder,
}

impl Broker {
    /// Starts a server on a free port with these arguments; `None`, with a line on standard error, where there is none.
    ///
    /// # Panics
    /// There is none, and `KYOMI_REQUIRE_NATS=1` is set.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        if Command::new("nats-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            let line = "nats-server is not installed (Debian's package nats-server)";
            assert_ne!(std::env::var("KYOMI_REQUIRE_NATS").as_deref(), Ok("1"), "{line}");
            eprintln!("skipped: {line}");
            return None;
        }
        let arguments: Vec<String> = arguments.iter().map(|&it| it.to_owned()).collect();
        // Another process may take the port between these two steps.
        for _ in 0..20 {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let folder = Folder::new();
            let mut child = command(port, &arguments, &folder).spawn().unwrap();
            if answers(&mut child, port) {
                return Some(Self { child, port, arguments, folder });
            }
            let _ = (child.kill(), child.wait());
        }
        panic!("nats-server does not start: {arguments:?}");
    }

    /// Its address without a login.
    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Kills it at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again on the same port.
    pub(crate) fn restart(&mut self) {
        let until = Instant::now() + PATIENCE;
        loop {
            self.child = command(self.port, &self.arguments, &self.folder).spawn().unwrap();
            if answers(&mut self.child, self.port) {
                return;
            }
            let _ = (self.child.kill(), self.child.wait());
            assert!(Instant::now() < until, "nats-server does not start again");
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

fn command(port: u16, arguments: &[String], folder: &Folder) -> Command {
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &port.to_string()]).args(arguments);
    // The passwords of config/nats-server.conf, and a folder for what it keeps.
    command.env("NATS_COORDINATOR_PASSWORD", COORDINATOR_PASSWORD);
    command.env("NATS_WORKER_PASSWORD", WORKER_PASSWORD);
    command.current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Waits until the server is reached, or has ended.
fn answers(child: &mut Child, port: u16) -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until && child.try_wait().unwrap().is_none() {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

pub(crate) const COORDINATOR_PASSWORD: &str = "coordinators-hush";
pub(crate) const WORKER_PASSWORD: &str = "workers-hush";
