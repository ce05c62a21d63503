//! The server and the client as processes, and what they use of the machine.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Stdio},
};

use crate::common::folder::Folder;

/// The most memory that a process may ever have had, in kB.
pub(crate) const MOST_MEMORY_KB: u64 = 200_000;

/// A process, killed at the end of the test.
pub(crate) struct Program {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Program {
    pub(crate) fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = folder.kyomi(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = child.stdout.take().map(BufReader::new);
        Self { child, stdout }
    }

    /// The rest of the first line of output that begins so.
    #[track_caller]
    pub(crate) fn await_line(&mut self, beginning: &str) -> String {
        let lines = self.stdout.as_mut().unwrap().lines().map_while(Result::ok);
        let found = lines.into_iter().find_map(|line| {
            line.strip_prefix(beginning).map(|rest| rest.trim_end_matches('/').to_owned())
        });
        found.unwrap_or_else(|| panic!("no line {beginning}"))
    }

    /// Reads all further output, so that the process never waits for a reader.
    pub(crate) fn ignore_output(&mut self) {
        let stdout = self.stdout.take().unwrap();
        std::thread::spawn(move || stdout.lines().count());
    }

    /// The most memory that it has had so far, in kB.
    pub(crate) fn most_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// The number of its open descriptors.
    pub(crate) fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    /// Waits until it has no more open descriptors than these.
    pub(crate) fn await_descriptors(&self, most: usize) {
        while self.descriptors() > most {
            std::thread::yield_now();
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
