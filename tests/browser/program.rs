//! The program with a live page.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use crate::common::folder::Folder;

/// `kyomi` with a page. It is killed with this value.
pub(crate) struct Program {
    pub(crate) child: Child,
    /// The address of the page, with a slash at its end.
    pub(crate) url: String,
    /// The address and port of a server.
    pub(crate) server: Option<String>,
}

impl Program {
    pub(crate) fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let arguments = [arguments, &["--dashboard", "127.0.0.1:0"]].concat();
        let mut command = folder.kyomi(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = None;
        let named = lines.by_ref().map_while(Result::ok).find_map(|line| {
            server =
                server.take().or_else(|| line.strip_prefix("listening on ").map(str::to_owned));
            line.strip_prefix("dashboard: ").map(str::to_owned)
        });
        let url = named.expect("the program names its page");
        std::thread::spawn(move || lines.count());
        Self { child, url, server }
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    pub(crate) fn port(&self) -> u16 {
        self.url.trim_end_matches('/').rsplit_once(':').unwrap().1.parse().unwrap()
    }

    /// The answer to a request with these headers: its first line, and the rest.
    pub(crate) fn ask(&self, path: &str, headers: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (first, rest) = answer.split_once("\r\n").unwrap();
        (first.to_owned(), rest.to_owned())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A local game of kyomi against itself.
pub(crate) const LOCAL: &[&str] =
    &["play", "--set", "engine.threads=1", "--set", "engine.hash=16MiB"];
