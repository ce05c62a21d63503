//! A room with two workers, and commands that are run on this machine alone and by the workers.

use std::process::{Child, Stdio};

use crate::{
    broker::{Broker, COORDINATOR_PASSWORD, WORKER_PASSWORD},
    common::{folder::Folder, repository},
};

/// A process that is killed with this value.
pub(crate) struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
    }
}

/// Two workers that do one job at a time.
pub(crate) fn workers(folder: &Folder, broker: &Broker) -> [(Killed, Folder); 2] {
    ["one", "two"].map(|name| {
        let home = folder.inner(name);
        let set = ["worker", "--jobs", "1", "--name", name, "--set", "cluster.user=worker"];
        let mut command = home.kyomi(&[&set[..], &[broker.url().as_str()]].concat());
        command.env("KYOMI_CLUSTER_PASSWORD", WORKER_PASSWORD);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        (Killed(child), home)
    })
}

/// Folders of commands that are run alone, and by the workers of a room.
pub(crate) struct AloneAndTogether {
    /// The folder of the commands that are run alone, and of those that workers help.
    pub(crate) homes: [Folder; 2],
    room: Vec<String>,
    _workers: [(Killed, Folder); 2],
    _folder: Folder,
    _broker: Broker,
}

impl AloneAndTogether {
    /// Starts a broker and workers; `None` where there is no broker.
    pub(crate) fn start() -> Option<Self> {
        let sample = repository().join("config/nats-server.conf");
        let broker = Broker::start(&["-c", sample.to_str().unwrap()])?;
        let folder = Folder::new();
        let servers = format!("cluster.servers={}", broker.url());
        let room = ["--room", "kyomi", "--set", &servers, "--set", "cluster.user=coordinator"];
        Some(Self {
            homes: ["alone", "together"].map(|name| folder.inner(name)),
            room: room.map(str::to_owned).into(),
            _workers: workers(&folder, &broker),
            _folder: folder,
            _broker: broker,
        })
    }

    /// Runs a command in both folders.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) {
        let room: Vec<_> = self.room.iter().map(String::as_str).collect();
        for (home, more) in self.homes.iter().zip([&[][..], &room]) {
            let mut command = home.kyomi(&[arguments, more].concat());
            command.env("KYOMI_CLUSTER_PASSWORD", COORDINATOR_PASSWORD);
            let output = command.output().unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(0), "{errors}");
        }
    }

    /// The number of lines of a file, which has the same ones in both folders, in any order.
    #[track_caller]
    pub(crate) fn same_lines(&self, name: &str) -> usize {
        let [alone, together] = self.homes.each_ref().map(|home| {
            let text = std::fs::read_to_string(home.path().join(name)).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        });
        assert_eq!(together, alone);
        alone.len()
    }
}
