//! Replays the conversations in `tests/dialogues/` (the form is described in its README) against the session.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use kyomi_csa::text::Secret;
use kyomi_csa::{
    Action, Answer, Cause, Chosen, ClientMessage, GameEvent, GameSelection, GameSnapshot, Input,
    LineCodec, PonderMove, PonderStart, Profile, RequestCommand, Session, SessionSettings, When,
    comment_score,
};
use kyomi_record::EndKind;
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, Position, Score};
use tokio_util::codec::Decoder;

/// How the bytes of lines that arrive together are split.
enum Cuts {
    /// Every line separately.
    Lines,
    /// Pieces of these sizes, repeated.
    Pieces(Vec<usize>),
}

/// Replays a file: feeds its inputs to a session and logs the session's actions.
struct Replayer {
    session: Session,
    now: Instant,
    requests: Vec<GameSnapshot>,
    pending: Vec<u8>,
    codec: LineCodec,
    cuts: Cuts,
    wake: Option<Instant>,
    /// The inputs and actions, in the form of the file.
    log: String,
}

impl Replayer {
    fn new(settings: SessionSettings, cuts: Cuts) -> Self {
        Self {
            session: Session::new(settings),
            now: Instant::now(),
            requests: Vec::new(),
            pending: Vec::new(),
            codec: LineCodec::new(),
            cuts,
            wake: None,
            log: String::new(),
        }
    }

    /// Connects again, with the game whose connection was lost.
    fn reconnect(&mut self, settings: SessionSettings) {
        let settings = SessionSettings {
            network: *self.session.network(),
            first_request: self.session.next_request(),
            ..settings
        };
        self.session = match self.session.take_unfinished() {
            Some(game) => Session::resuming(settings, game),
            None => Session::new(settings),
        };
        (self.codec, self.wake) = (LineCodec::new(), None);
        self.feed(Input::Connected);
    }

    fn feed(&mut self, input: Input) {
        let ticked = matches!(input, Input::Tick);
        let actions = self.session.handle(self.now, input);
        if ticked && self.wake.is_some_and(|wake| wake <= self.now) {
            self.wake = None;
        }
        for action in actions {
            self.note(action);
        }
    }

    fn note(&mut self, action: Action) {
        let line = match action {
            Action::Send(ClientMessage::KeepAlive) => "send:".to_owned(),
            Action::Send(message) => format!("send: {}", message.to_line()),
            Action::Think(snapshot) => {
                let left = |color| seconds(snapshot.clocks.of(color).remaining);
                let line = format!(
                    "ask: {} {} {}",
                    snapshot.game.len() + 1,
                    left(Color::Black),
                    left(Color::White)
                );
                assert_eq!(snapshot.clocks.turn, snapshot.color);
                assert_eq!(snapshot.game.position().side_to_move(), snapshot.color);
                self.requests.push(*snapshot);
                line
            }
            Action::Ponder(snapshot) => {
                let mut game = snapshot.game.clone();
                let reply = game.pop().expect("a pondered game ends with the expected reply");
                format!("ponder: {}", csa::format_move(game.position(), reply))
            }
            Action::StopThinking => "stop:".to_owned(),
            Action::Save(event) => format!("save: {}", describe(&event)),
            Action::Show(event) => format!("show: {}", describe(&event)),
            Action::WakeAt(at) => {
                self.wake = Some(at);
                return;
            }
            Action::Close(farewell) => format!("close: {farewell:?}"),
        };
        writeln!(self.log, "{line}").unwrap();
    }

    /// Feeds the bytes that have arrived.
    fn flush(&mut self) {
        let bytes = std::mem::take(&mut self.pending);
        let mut buffer = BytesMut::new();
        let mut rest = &bytes[..];
        let mut turn = 0;
        while !rest.is_empty() {
            let size = match &self.cuts {
                Cuts::Lines => rest.len(),
                Cuts::Pieces(sizes) => sizes[turn % sizes.len()].clamp(1, rest.len()),
            };
            turn += 1;
            let (piece, after) = rest.split_at(size);
            buffer.extend_from_slice(piece);
            rest = after;
            while let Some(line) = self.codec.decode(&mut buffer).unwrap() {
                self.feed(Input::Line(line));
            }
        }
        assert!(buffer.is_empty());
    }

    fn pass(&mut self, time: Duration) {
        let start = self.now;
        let end = start + time;
        while let Some(wake) = self.wake.filter(|wake| *wake <= end) {
            self.now = wake.max(self.now);
            let before = self.log.len();
            self.feed(Input::Tick);
            if self.log.len() > before {
                let at = format!("at: {}\n", seconds(self.now - start));
                self.log.insert_str(before, &at);
            }
        }
        self.now = end;
    }
}

fn seconds(time: Duration) -> String {
    let text = format!("{:.3}", time.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn describe(event: &GameEvent) -> String {
    match event {
        GameEvent::LoggedIn { name } => format!("logged in as {name}"),
        GameEvent::LoginRefused { reason } => {
            format!("login refused: {}", reason.as_deref().unwrap_or("no reason given"))
        }
        GameEvent::Offered(summary) => format!(
            "offered {} {} - {} ({} / {})",
            summary.game_id,
            summary.name(Color::Black),
            summary.name(Color::White),
            summary.time(Color::Black),
            summary.time(Color::White),
        ),
        GameEvent::RejectedByUs { game_id, reason } => {
            format!("refused {}: {reason}", game_id.as_deref().unwrap_or("?"))
        }
        GameEvent::RejectedByServer { game_id, by } => format!("rejected {game_id} by {by}"),
        GameEvent::Started(start) => {
            let moves = start.summary.moves.len();
            format!("started {} as {}, {moves} moves set up", start.summary.game_id, start.color)
        }
        GameEvent::Move(event) => {
            let mut text = format!(
                "move {} {} T{} measured {}",
                event.ply,
                event.word,
                seconds(event.spent),
                seconds(event.measured),
            );
            if let Some(remaining) = event.remaining {
                write!(text, " left {}", seconds(remaining)).unwrap();
            }
            if let Some(score) = event.analysis.as_ref().and_then(|analysis| analysis.score) {
                write!(text, " score {}", comment_score(score)).unwrap();
            }
            if let Some(comment) = &event.comment {
                write!(text, " comment {comment}").unwrap();
            }
            text
        }
        GameEvent::Suspended => "suspended".to_owned(),
        GameEvent::Resumed { .. } => "resumed".to_owned(),
        GameEvent::Ended(ended) => {
            let spent =
                ended.spent.map(|spent| format!(" T{}", seconds(spent))).unwrap_or_default();
            let word = EndKind::of(&ended.end).word().to_owned();
            format!("ended {:?}, {}, %{word}{spent}", ended.outcome, ended.end.reason)
        }
        GameEvent::Warning(warning) => format!("warning: {warning}"),
        GameEvent::Notice(text) => format!("notice: {text}"),
    }
}

fn settings(line: &str) -> SessionSettings {
    let mut settings = SessionSettings::new("kyomi", Secret::new("secret"), Profile::Auto);
    for pair in line.split_whitespace() {
        let (key, value) = pair.split_once('=').expect("client: key=value");
        match key {
            "name" => value.clone_into(&mut settings.name),
            "password" => settings.password = Secret::new(value),
            "profile" => {
                settings.profile = Profile::ALL
                    .into_iter()
                    .find(|profile| profile.name() == value)
                    .expect("a profile");
            }
            "extended" => settings.extended = value == "yes",
            "game" => {
                let (game, sign) = value.split_at(value.len() - 1);
                let color = match sign {
                    "+" => Some(Color::Black),
                    "-" => Some(Color::White),
                    _ => None,
                };
                settings.game =
                    Some(GameSelection { game: game.trim_end_matches('/').to_owned(), color });
            }
            "challenge" if value == "yes" => settings.request_command = RequestCommand::Challenge,
            "comments" => settings.comments = Some(value == "yes"),
            "ponder" => {
                settings.ponder = match value {
                    "no" => PonderStart::Never,
                    "early" => PonderStart::WithMove,
                    _ => PonderStart::AfterEcho,
                };
                if value == "pv" {
                    settings.ponder_move = PonderMove::NamedOrPv;
                }
            }
            "handicap_black" => {
                settings.handicap[0] = Duration::from_secs(value.parse().expect("seconds"));
            }
            "games" => settings.games = value.parse().expect("a number"),
            "keep_alive" => {
                settings.keep_alive = Duration::from_secs(value.parse().expect("seconds"));
            }
            other => panic!("unknown setting {other}"),
        }
    }
    settings
}

fn chosen(snapshot: &GameSnapshot, text: &str) -> Chosen {
    let mut words = text.split_whitespace();
    let position = snapshot.game.position();
    let answer = match words.next().expect("an answer") {
        "resign" => Answer::Resign,
        "declare" => Answer::Declare,
        word => Answer::Move(csa::parse_move(position, word).expect("a move")),
    };
    let mut after = position.clone();
    if let Answer::Move(mv) = answer
        && after.is_legal(mv)
    {
        after.do_move(mv);
    }
    let mut chosen = Chosen::plain(snapshot.id, answer);
    for word in words {
        let (key, value) = word.split_once('=').expect("key=value");
        match key {
            "score" => {
                chosen.finding.score = Some(match value.strip_prefix("mate") {
                    Some(plies) => match plies.parse::<i32>().expect("plies") {
                        plies if plies > 0 => Score::Win(Some(plies.unsigned_abs())),
                        plies => Score::Loss(Some(plies.unsigned_abs())),
                    },
                    None => Score::Cp(value.parse().expect("centipawns")),
                });
            }
            "pv" => chosen.finding.pv = line_of_moves(&after, value),
            "ponder" => chosen.ponder = line_of_moves(&after, value).first().copied(),
            other => panic!("unknown word {other}"),
        }
    }
    chosen
}

fn line_of_moves(start: &Position, text: &str) -> Vec<kyomi_shogi::Move> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in text.split(',') {
        let mv = csa::parse_move(&position, word).expect("a move");
        position.do_move(mv);
        moves.push(mv);
    }
    moves
}

const OUTPUTS: [&str; 8] = ["send", "ask", "ponder", "stop", "save", "show", "at", "close"];

/// The file with its input lines unchanged, and with the actions that the session now takes.
fn replay(text: &str, cuts: Cuts) -> String {
    let mut client = "";
    let mut replayer: Option<Replayer> = None;
    let mut cuts = Some(cuts);
    let mut head = String::new();
    for line in text.lines() {
        let (word, rest) = line.split_once(':').unwrap_or((line, ""));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        if OUTPUTS.contains(&word) {
            continue;
        }
        if word == "client" {
            client = rest;
        }
        let Some(replayer) = replayer.as_mut() else {
            writeln!(head, "{line}").unwrap();
            if word == "connect" {
                let mut new = Replayer::new(settings(client), cuts.take().expect("one connection"));
                new.feed(Input::Connected);
                replayer = Some(new);
            }
            continue;
        };
        if matches!(replayer.cuts, Cuts::Pieces(_)) && !word.starts_with("recv") {
            replayer.flush();
        }
        if !matches!(replayer.cuts, Cuts::Pieces(_)) || !word.starts_with("recv") {
            writeln!(replayer.log, "{line}").unwrap();
        }
        match word {
            "recv" => replayer.pending.extend_from_slice(format!("{rest}\n").as_bytes()),
            "recv-crlf" => replayer.pending.extend_from_slice(format!("{rest}\r\n").as_bytes()),
            "recv-long" => {
                let length = rest.parse().expect("a length");
                replayer.pending.extend(std::iter::repeat_n(b'x', length));
                replayer.pending.push(b'\n');
            }
            "time" => replayer.pass(Duration::from_secs_f64(rest.parse().expect("seconds"))),
            "think" => {
                let chosen = chosen(replayer.requests.last().expect("a request"), rest);
                replayer.feed(Input::Chosen(chosen));
            }
            "think-stale" => {
                let mut chosen = chosen(replayer.requests.last().expect("a request"), rest);
                chosen.id -= 1;
                replayer.feed(Input::Chosen(chosen));
            }
            "lost" if rest.is_empty() => replayer.feed(Input::Lost(Cause::EndOfStream)),
            "lost" => replayer.feed(Input::Lost(Cause::Broken(rest.to_owned()))),
            "reconnect" => replayer.reconnect(settings(client)),
            "quit" => {
                let when = if rest == "now" { When::Now } else { When::AfterGame };
                replayer.feed(Input::Quit(when));
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "unknown line {line}"),
        }
        if matches!(replayer.cuts, Cuts::Lines) {
            replayer.flush();
        }
    }
    let mut replayer = replayer.expect("a connect: line");
    replayer.flush();
    head + &replayer.log
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialogues");
    let entries = std::fs::read_dir(folder).expect("tests/dialogues");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_dialogue_is_replayed_as_written() {
    let files = files();
    assert!(files.len() >= 25, "only {} dialogues", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a dialogue");
        expect_test::expect_file![&file].assert_eq(&replay(&text, Cuts::Lines));
    }
}

#[test]
fn any_split_of_the_bytes_gives_the_same_events() {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        // The other test writes the files at the same time.
        return;
    }
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("a dialogue");
        let whole = replay(&text, Cuts::Pieces(vec![usize::MAX]));
        let mut random = fastrand::Rng::with_seed(7);
        let mut sizes: Vec<Vec<usize>> = (1..12).map(|size| vec![size]).collect();
        sizes.extend((0..20).map(|_| (0..50).map(|_| random.usize(1..200)).collect()));
        for sizes in sizes {
            let split = replay(&text, Cuts::Pieces(sizes.clone()));
            assert_eq!(split, whole, "{} in pieces of {sizes:?}", file.display());
        }
    }
}
