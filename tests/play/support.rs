//! The program in a separate folder.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use crate::common::connection::{Desk, Peer};
use crate::common::folder::Folder;
use kyomi_shogi::{Game, Position, notation::csa};

/// The program plays this number of games with this engine on the server of the test, and has logged in.
pub(crate) fn logged_in(games: u32, engine: &str) -> (Folder, Desk, Running, Peer) {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = folder.play(&desk.config(games, engine));
    let peer = desk.welcome();
    (folder, desk, running, peer)
}

impl Folder {
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        Finished::new(&self.kyomi(arguments).output().unwrap())
    }

    /// Starts `kyomi play --config kyomi.toml`.
    pub(crate) fn play(&self, config: &str) -> Running {
        self.write("kyomi.toml", config);
        self.play_with(&[])
    }

    /// Starts `kyomi play --config kyomi.toml` with more arguments; the file is there.
    pub(crate) fn play_with(&self, arguments: &[&str]) -> Running {
        let mut command = self.kyomi(&[&["play", "--config", "kyomi.toml"], arguments].concat());
        Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// The text of the log so far.
    pub(crate) fn log(&self) -> String {
        let Ok(entries) = fs::read_dir(self.path().join("logs")) else { return String::new() };
        let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        files.map(|path| fs::read_to_string(path).unwrap_or_default()).collect()
    }

    /// Waits until the log contains this text.
    pub(crate) fn await_log(&self, text: &str) {
        while !self.log().contains(text) {
            std::thread::yield_now();
        }
    }

    /// The files of `logs/games` whose names have this ending, sorted.
    pub(crate) fn games(&self, ending: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path().join("logs/games")) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut found: Vec<_> =
            paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
        found.sort();
        found
    }
}

/// A running `kyomi play`.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    pub(crate) fn finish(self) -> Finished {
        Finished::new(&self.0.wait_with_output().unwrap())
    }
}

/// The exit code and the output of a finished run.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    pub(crate) fn new(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let finished = Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
        finished
    }

    #[track_caller]
    pub(crate) fn exited(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// The text after `key: ` at the end of each game.
    pub(crate) fn all(&self, key: &str) -> Vec<&str> {
        let prefix = format!("{key}: ");
        self.stdout.lines().filter_map(|line| line.strip_prefix(&prefix)).collect()
    }

    /// The words of the lines that report a move.
    pub(crate) fn moves(&self) -> Vec<Vec<&str>> {
        let lines = self.stdout.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        lines.filter(|words| words[0].parse::<u32>().is_ok()).collect()
    }

    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        let errors: Vec<_> =
            self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "{}", self.stderr);
        errors[0]
    }
}

/// The moves of a record or a journal, replayed. They are read without the reader under test.
pub(crate) fn moves_of(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let words = text.lines().flat_map(|line| {
        // Comments contain moves too.
        let line = if line.starts_with('\'') { "" } else { line };
        line.split(',').map(str::to_owned).collect::<Vec<_>>()
    });
    let is_move = |word: &String| {
        word.len() == 7
            && word.starts_with(['+', '-'])
            && word.bytes().skip(1).take(4).all(|byte| byte.is_ascii_digit())
    };
    let moves: Vec<_> = words.filter(is_move).collect();
    let mut game = Game::new(Position::startpos());
    for word in &moves {
        let mv = csa::parse_move(game.position(), word).unwrap();
        game.push(mv).unwrap();
    }
    moves
}

/// The last line of a record that is not a comment.
pub(crate) fn end_of(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let mut ends = text.lines().filter(|line| line.starts_with('%'));
    ends.next_back().unwrap_or_default().to_owned()
}

/// `kyomi serve`, ended with the test.
pub(crate) struct Server {
    child: Child,
    /// Where it listens.
    pub(crate) address: String,
}

impl Server {
    /// Starts a server with these settings (`section.key=value`).
    pub(crate) fn start(folder: &Folder, settings: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", folder, settings)
    }

    /// Starts a server at this address.
    pub(crate) fn start_at(address: &str, folder: &Folder, settings: &[&str]) -> Self {
        let address = format!("listen.address={address}");
        let mut arguments = vec!["serve", "--set", &address];
        arguments.extend(settings.iter().flat_map(|setting| ["--set", *setting]));
        let mut child =
            folder.kyomi(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        std::thread::spawn(move || stdout.lines().count());
        Self { child, address }
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// `[engine]` keys of a shell script that speaks USI; `arms` are `case` arms on `$line`.
pub(crate) fn script_engine(arms: &str) -> String {
    let script = format!(
        "while read -r line; do case \"$line\" in usi) echo usiok;; isready) echo readyok;; \
         {arms} quit) exit 0;; esac; done"
    );
    format!("kind = \"usi\"\npath = \"sh\"\nargs = ['-c', '''{script}''']\n")
}
