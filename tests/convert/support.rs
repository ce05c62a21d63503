//! The program in a separate folder.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::folder::Folder;

impl Folder {
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path().join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn text(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// All files with their folders, including hidden ones, sorted.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        fn walk(dir: &Path, root: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, root, found);
                } else {
                    found.push(path.strip_prefix(root).unwrap().display().to_string());
                }
            }
        }
        let (root, mut found) = (self.path().join(below), Vec::new());
        if root.exists() {
            walk(&root, &root, &mut found);
        }
        found.sort();
        found
    }

    pub(crate) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = self.kyomi(&["convert"]);
        command.args(arguments);
        command
    }

    pub(crate) fn convert(&self, arguments: &[impl AsRef<OsStr>]) -> Done {
        Done::new(&self.command(arguments).output().unwrap())
    }

    /// Runs with this input on standard input.
    pub(crate) fn pipe(&self, arguments: &[&str], input: &[u8]) -> Done {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Done::new(&output)
    }
}

/// The exit code and the output of the program.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Done {
    fn new(output: &Output) -> Self {
        let stderr = String::from_utf8(output.stderr.clone()).unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        Self { code: output.status.code(), stdout: output.stdout.clone(), stderr }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<&str> {
        self.stderr.lines().collect()
    }

    /// Checks the exit code, and that standard output is empty.
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Checks that a line of standard error begins with this text.
    #[track_caller]
    pub(crate) fn reports(&self, beginning: &str) -> &Self {
        assert!(self.lines().iter().any(|line| line.starts_with(beginning)), "{}", self.stderr);
        self
    }
}
