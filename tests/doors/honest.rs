//! Those whom the attack must not disturb: the game, a viewer of a page, and `kyomi watch`.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    process::Stdio,
    thread::JoinHandle,
};

use kyomi_shogi::{Game, Position, notation::csa};
use serde_json::Value;

use crate::common::connection::{PATIENCE, Peer};
use crate::common::folder::Folder;

/// A game that is fixed before it is played, so that it neither ends early nor repeats a position.
pub(crate) struct Score {
    /// Its moves as lines of the protocol.
    pub(crate) words: Vec<String>,
    /// Black's moves in USI, for an engine.
    pub(crate) black: Vec<String>,
}

impl Score {
    pub(crate) fn new(plies: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(11);
        let mut game = Game::new(Position::startpos());
        let mut score = Self { words: Vec::new(), black: Vec::new() };
        for ply in 0..plies {
            let mut moves = game.position().legal_moves().to_vec();
            random.shuffle(&mut moves);
            let leaves_much = |mv: &&_| {
                let mut after = game.position().clone();
                after.do_move(**mv);
                !after.in_check() && after.legal_moves().len() > 15
            };
            let mv = *moves.iter().find(leaves_much).unwrap();
            score.words.push(csa::format_move(game.position(), mv));
            if ply % 2 == 0 {
                score.black.push(mv.to_string());
            }
            game.push(mv).unwrap();
        }
        score
    }
}

/// The player of the test, white, against the client.
pub(crate) struct Opponent(Peer);

impl Opponent {
    /// Logs in.
    pub(crate) fn new(server: &str, game_name: &str) -> Self {
        let mut peer = Peer::connect(server);
        peer.send(&format!("LOGIN {OPPONENT} {game_name}-W,x"));
        peer.expect(&format!("LOGIN:{OPPONENT} OK"));
        Self(peer)
    }

    /// Waits for the game, and agrees. Returns its id.
    pub(crate) fn begin(&mut self) -> String {
        let id = self.0.read_offer().game_id;
        self.0.send("AGREE");
        assert!(self.0.line().starts_with("START:"));
        id
    }

    /// Plays one ply: the client's move is awaited, or ours is made.
    pub(crate) fn play(&mut self, word: &str) {
        if word.starts_with('-') {
            self.0.send(word);
        }
        let echo = self.0.line();
        assert_eq!(echo.split(',').next(), Some(word), "{echo}");
    }

    pub(crate) fn resign(&mut self) {
        self.0.send("%TORYO");
        let echo = self.0.line();
        assert!(echo.starts_with("%TORYO"), "{echo}");
        self.0.expect_all(&["#RESIGN", "#LOSE"]);
    }
}

/// Somebody who counts the moves that are shown, until the game is over.
pub(crate) struct Watching(JoinHandle<usize>);

impl Watching {
    /// A viewer of a page. It is there when this returns, before the game begins.
    pub(crate) fn of_page(page: &str) -> Self {
        let mut viewer = PageViewer { page: page.to_owned(), ..PageViewer::default() };
        let mut lines = viewer.connect();
        lines.find(|line| line == "event: state").unwrap();
        Self(std::thread::spawn(move || {
            while !viewer.see(&mut lines) {
                lines = viewer.connect();
                viewer.times += 1;
            }
            println!("a viewer has come back {} times", viewer.times);
            viewer.moves
        }))
    }

    /// `kyomi watch`, after the first move. It is there when this returns.
    pub(crate) fn of_client(folder: &Folder) -> Self {
        let mut command = folder.kyomi(&["watch"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let is_first = |line: &String| line.starts_with("1 ");
        lines.by_ref().map_while(Result::ok).find(is_first).unwrap();
        Self(std::thread::spawn(move || {
            let is_move = |line: &String| line.starts_with(|it: char| it.is_ascii_digit());
            let lines = lines.map_while(Result::ok);
            let moves = lines.take_while(|line| !line.starts_with("result: ")).filter(is_move);
            let moves = 1 + moves.count();
            let _ = child.kill();
            let _ = child.wait();
            moves
        }))
    }

    /// The number of moves that it saw.
    pub(crate) fn moves(self) -> usize {
        self.0.join().unwrap()
    }
}

/// What a browser knows of our game.
#[derive(Default)]
struct PageViewer {
    page: String,
    /// The last message, after which it goes on when the stream has ended.
    last: String,
    /// The key of our game.
    key: String,
    moves: usize,
    /// How often it has come back.
    times: usize,
}

impl PageViewer {
    fn connect(&self) -> impl Iterator<Item = String> + Send + use<> {
        let Self { page, last, .. } = self;
        let mut stream = TcpStream::connect(page).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET /events?after={last} HTTP/1.1\r\nHost: {page}\r\n\r\n").unwrap();
        BufReader::new(stream).lines().map_while(Result::ok)
    }

    /// Takes messages until our game or the stream is over. Returns whether the game is.
    fn see(&mut self, lines: &mut impl Iterator<Item = String>) -> bool {
        let mut event = String::new();
        for line in lines {
            if let Some(id) = line.strip_prefix("id: ") {
                id.clone_into(&mut self.last);
            } else if let Some(name) = line.strip_prefix("event: ") {
                name.clone_into(&mut event);
            } else if let Some(data) = line.strip_prefix("data: ")
                && self.take(&event, &serde_json::from_str(data).unwrap())
            {
                return true;
            }
        }
        false
    }

    /// Takes one message. Returns whether our game is over.
    fn take(&mut self, event: &str, data: &Value) -> bool {
        let is_ours = |game: &&Value| game["names"][1] == OPPONENT;
        let ours = match event {
            "state" => data["games"].as_array().unwrap().iter().find(is_ours),
            "game" => Some(data).filter(is_ours),
            _ => None,
        };
        if let Some(game) = ours {
            game["key"].as_str().unwrap().clone_into(&mut self.key);
            self.moves = game["moves"].as_array().unwrap().len();
        }
        let is_key = |data: &Value| data["key"] == self.key.as_str();
        self.moves += usize::from(event == "move" && is_key(data));
        event == "end" && is_key(&data["game"])
    }
}

/// The name of the player of the test.
const OPPONENT: &str = "opponent";
