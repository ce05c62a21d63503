//! The program in a separate folder, and the test as the server it connects to.

use std::{
    fs,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use crate::common::folder::Folder;
use kyomi::shogi::{Game, Position, notation::csa};

/// The longest wait; it is reached only if something is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

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

/// A server that the test plays, on one port.
pub(crate) struct Desk(pub(crate) TcpListener);

impl Desk {
    pub(crate) fn open() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// A configuration that connects to this server.
    pub(crate) fn config(&self, games: u32, engine: &str) -> String {
        let port = self.port();
        format!(
            "games = {games}\n[server]\nhost = \"127.0.0.1\"\nport = {port}\nname = \"kyomi\"\n\
             password = \"secret\"\nprofile = \"wcsc\"\n[engine]\n{engine}\n"
        )
    }

    pub(crate) fn accept(&self) -> Peer {
        self.0.set_nonblocking(true).unwrap();
        let since = Instant::now();
        let stream = loop {
            match self.0.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("{error}"),
            }
            assert!(since.elapsed() < PATIENCE, "nobody connects");
            std::thread::sleep(Duration::from_millis(1));
        };
        stream.set_nonblocking(false).unwrap();
        Peer::over(stream)
    }

    /// Accepts a connection and its login.
    pub(crate) fn welcome(&self) -> Peer {
        let mut peer = self.accept();
        assert_eq!(peer.line(), "LOGIN kyomi secret");
        peer.send("LOGIN:kyomi OK");
        peer
    }
}

/// A connection that sends and receives lines.
pub(crate) struct Peer {
    reader: BufReader<TcpStream>,
    pub(crate) writer: TcpStream,
}

impl Peer {
    pub(crate) fn connect(address: &str) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let writer = stream.try_clone().unwrap();
        Self { reader: BufReader::new(stream), writer }
    }

    pub(crate) fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The next line that is not empty: by empty lines a client keeps its connection alive.
    #[track_caller]
    pub(crate) fn line(&mut self) -> String {
        loop {
            let line = self.line_or_end().expect("the client has closed the connection");
            if !line.is_empty() {
                return line;
            }
        }
    }

    /// The next line, be it empty; `None` at the end of the stream.
    pub(crate) fn line_or_end(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).unwrap();
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// Whether the client has closed the connection.
    pub(crate) fn is_gone(&mut self) -> bool {
        let mut rest = Vec::new();
        matches!(self.reader.read_to_end(&mut rest), Ok(0) | Err(_))
    }

    /// Everything that arrives until the end of the stream.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        let _ = self.reader.read_to_end(&mut rest);
        rest
    }

    /// Offers a game and waits until the client agrees; `sign` is the client's side.
    pub(crate) fn begin(&mut self, id: &str, sign: char) {
        self.continue_with(id, sign, &[], "");
    }

    /// Offers a game after moves like `+7776FU,T3`, with more lines, and sees it agreed to.
    pub(crate) fn continue_with(&mut self, id: &str, sign: char, moves: &[&str], more: &str) {
        self.offer(id, sign, moves, more);
        assert_eq!(self.line(), format!("AGREE {id}"));
        self.send(&format!("START:{id}"));
    }

    /// Offers a game after these moves.
    pub(crate) fn offer(&mut self, id: &str, sign: char, moves: &[&str], more: &str) {
        self.send(&summary(id, sign, moves, more));
    }
}

/// The offer of a game after these moves, without its last line end.
pub(crate) fn summary(id: &str, sign: char, moves: &[&str], more: &str) -> String {
    let to_move = if moves.len().is_multiple_of(2) { '+' } else { '-' };
    let moves: String = moves.iter().flat_map(|line| [line, "\n"]).collect();
    format!(
        "BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\n\
         Declaration:Jishogi 1.1\nGame_ID:{id}\nName+:a\nName-:b\nYour_Turn:{sign}\n\
         Rematch_On_Draw:NO\nTo_Move:{to_move}\nMax_Moves:256\nBEGIN Time\nTime_Unit:1sec\n\
         Total_Time:600\nByoyomi:10\nEND Time\nBEGIN Position\n{START}{moves}END Position\n\
         {more}END Game_Summary"
    )
}

const START: &str = "\
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA *
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  *
P5 *  *  *  *  *  *  *  *  *
P6 *  *  *  *  *  *  *  *  *
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI *
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P+
P-
+
";

/// `[engine]` keys of a shell script that speaks USI; `arms` are `case` arms on `$line`.
pub(crate) fn script_engine(arms: &str) -> String {
    let script = format!(
        "while read -r line; do case \"$line\" in usi) echo usiok;; isready) echo readyok;; \
         {arms} quit) exit 0;; esac; done"
    );
    format!("kind = \"usi\"\npath = \"sh\"\nargs = ['-c', '''{script}''']\n")
}
