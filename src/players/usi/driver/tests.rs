mod leaving;
mod preparing;
mod resigning;
mod restart;
mod scores;

use std::io;

use expect_test::{Expect, expect};

use super::*;
use crate::players::EngineOption;
use crate::players::{MoveLimit, Score};
use kyomi_shogi::clock::{Controls, DelayEstimator, DelayPolicy, GameClocks, TimeControl};
use kyomi_shogi::{Color, Outcome, notation::usi::parse_position_line};

/// A driver, its clock, and its outputs since they were last checked.
struct Harness {
    driver: Driver,
    now: Instant,
    wake: Option<Instant>,
    seen: Vec<String>,
}

fn spec() -> UsiSpec {
    UsiSpec {
        path: "engines/brave".into(),
        args: Vec::new(),
        working_dir: None,
        ready_timeout: Duration::from_secs(120),
        ponder: true,
        clocks_at_ponder_hit: false,
        hash_mib: 64,
        options: Vec::new(),
        stop_at_flag: true,
        resign: None,
        book: None,
    }
}

impl Harness {
    fn new(spec: UsiSpec) -> Self {
        let mut harness =
            Self { driver: Driver::new(spec), now: Instant::now(), wake: None, seen: Vec::new() };
        let outputs = harness.driver.begin(harness.now);
        harness.note(outputs);
        harness
    }

    /// A driver whose engine has said these lines and is ready.
    fn ready(spec: UsiSpec, said: &[&str]) -> Self {
        let mut harness = Self::new(spec);
        harness.lines(said);
        harness.lines(&["usiok", "readyok"]);
        harness.seen.clear();
        harness
    }

    /// A driver that is started and plays a game as black.
    fn in_game() -> Self {
        Self::in_game_with(spec())
    }

    fn in_game_with(spec: UsiSpec) -> Self {
        let mut harness = Self::ready(spec, &["id name Brave 1"]);
        harness.command(PlayerCommand::NewGame(game_info()));
        harness.lines(&["readyok"]);
        harness.seen.clear();
        harness
    }

    fn note(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            self.seen.push(match output {
                Output::Start => "(start)".to_owned(),
                Output::Kill => "(kill)".to_owned(),
                Output::Finish => "(finish)".to_owned(),
                Output::Send(line) => format!("> {line}"),
                Output::WakeAt(at) => {
                    self.wake = at;
                    continue;
                }
                Output::Event(event) => match event {
                    PlayerEvent::Identified => continue,
                    PlayerEvent::Ready { name } => format!("ready: {name}"),
                    PlayerEvent::Info { id, info } => {
                        let pv: Vec<_> = info.pv.iter().map(ToString::to_string).collect();
                        let line = info.multipv.map_or_else(String::new, |at| format!(" line {at}"));
                        format!("info {id}{line}: {:?} {}", info.score, pv.join(" "))
                    }
                    PlayerEvent::Answer { id, answer } => {
                        let choice = match answer.choice {
                            Choice::Move(mv) => mv.to_string(),
                            other => format!("{other:?}"),
                        };
                        let pv: Vec<_> = answer.finding.pv.iter().map(ToString::to_string).collect();
                        let ponder = answer.ponder.map(|mv| mv.to_string());
                        let fault = if answer.resign_fault.is_some() { " fault" } else { "" };
                        format!(
                            "answer {id}: {choice} score {:?} pv {pv:?} ponder {ponder:?} depth {:?} nodes {:?}{fault}",
                            answer.finding.score, answer.finding.depth, answer.finding.nodes
                        )
                    }
                    PlayerEvent::Prepared => "prepared".to_owned(),
                    PlayerEvent::Entries(_) => "entries".to_owned(),
                    PlayerEvent::Helped(_) => "helped".to_owned(),
                    PlayerEvent::Silent { id } => format!("silent {id}"),
                    PlayerEvent::Restarted(error) => format!("restarted: {error}"),
                    PlayerEvent::NotReady => "not ready".to_owned(),
                    PlayerEvent::GaveUp(error) => format!("gave up: {error}"),
                    PlayerEvent::Failed(error) => format!("failed: {error}"),
                    PlayerEvent::Warning(text) | PlayerEvent::EngineFailure { text, .. } => {
                        format!("warning: {text}")
                    }
                },
            });
        }
    }

    fn input(&mut self, input: Input) {
        let outputs = self.driver.handle(self.now, input);
        self.note(outputs);
    }

    fn lines(&mut self, lines: &[&str]) {
        for line in lines {
            self.input(Input::Line(Line::text(*line)));
        }
    }

    fn command(&mut self, command: PlayerCommand) {
        self.input(Input::Command(command));
    }

    fn think(&mut self, id: u64, moves: &str) {
        let request = self.request(id, moves);
        self.command(PlayerCommand::Think(request));
    }

    fn ponder(&mut self, id: u64, moves: &str) {
        let request = self.request(id, moves);
        self.command(PlayerCommand::Ponder(request));
    }

    /// Ponders until the engine has said these lines, then thinks after `moves` until it has said the others.
    fn ponder_and_think(&mut self, pondering: &[&str], moves: &str, thinking: &[&str]) {
        self.ponder(1, "7g7f 3c3d");
        assert_eq!(self.seen.remove(0), "> position startpos moves 7g7f 3c3d");
        assert_eq!(self.seen.remove(0), "> go ponder btime 59800 wtime 60000 binc 2000 winc 2000");
        self.lines(pondering);
        self.pass(Duration::from_secs(3));
        self.think(2, moves);
        self.lines(thinking);
    }

    fn request(&self, id: u64, moves: &str) -> ThinkRequest {
        let game = parse_position_line(&format!("position startpos moves {moves}")).unwrap();
        let control = TimeControl::fischer(Duration::from_secs(60), Duration::from_secs(2));
        let mut clocks = *GameClocks::new(Controls::both(control), Color::Black).clocks();
        clocks.turn = game.position().side_to_move();
        clocks.network = DelayEstimator::new(DelayPolicy::Fixed(Duration::from_millis(200)));
        ThinkRequest { id, game, clocks, turn_started: self.now, limit: None }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.input(Input::Tick);
    }

    /// Advances the time to the requested tick.
    fn wait(&mut self) {
        self.now = self.wake.expect("the driver waits for a time");
        self.input(Input::Tick);
    }

    #[track_caller]
    fn expect(&mut self, expected: &Expect) {
        let seen = std::mem::take(&mut self.seen);
        expected.assert_eq(&seen.join("\n"));
    }
}

/// An option that an engine has for the length of a game.
const MAX_MOVES: &str = "option name MaxMovesToDraw type spin default 0 min 0 max 100000";

fn game_info() -> GameInfo {
    GameInfo {
        color: Color::Black,
        entering_king: EnteringKingRule::Points27,
        max_moves: Some(256),
    }
}

#[test]
fn the_start_up_is_followed_by_the_first_move() {
    let mut harness = Harness::new(spec());
    harness.lines(&["id name Brave 1.0\u{1b}[2J", "id author nobody", "usiok", "readyok"]);
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.think(1, "");
    harness.lines(&[
        "info depth 5 score cp 30 nodes 1000 pv 7g7f 3c3d",
        "info depth 6 nodes 2000 score cp 42 pv 2g2f 8c8d 2f2e",
        "bestmove 2g2f ponder 8c8d",
    ]);
    harness.command(PlayerCommand::GameOver(Outcome::Win));
    harness.command(PlayerCommand::Quit);
    harness.expect(&expect![[r#"
        (start)
        > usi
        > setoption name USI_Hash value 64
        > setoption name USI_Ponder value true
        > isready
        ready: Brave 1.0[2J
        > usinewgame
        prepared
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        info 1: Some(Cp(30)) 7g7f 3c3d
        info 1: Some(Cp(42)) 2g2f 8c8d 2f2e
        answer 1: 2g2f score Some(Cp(42)) pv ["2g2f", "8c8d", "2f2e"] ponder Some("8c8d") depth Some(6) nodes Some(2000)
        > gameover win
        > quit
        (finish)"#]]);
}

#[test]
fn options_are_checked_against_those_of_the_engine() {
    let option = |name: &str, value: &str| EngineOption { name: name.into(), value: value.into() };
    let options = vec![
        option("threads", "4"),
        option("Skill Level", "21"),
        option("Nonsense", "1\nquit"),
        option("USI_Hash", "512"),
        option("Clear", "true"),
    ];
    let mut harness = Harness::new(UsiSpec { options, ..spec() });
    harness.lines(&[
        "option name Threads type spin default 1 min 1 max 64",
        "option name Skill Level type spin default 20 min 0 max 20",
        "option name Clear type button",
        "option name EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule27",
        MAX_MOVES,
        "usiok",
        "readyok",
    ]);
    harness.command(PlayerCommand::NewGame(GameInfo { max_moves: None, ..game_info() }));
    harness.lines(&["readyok"]);
    harness.expect(&expect![[r#"
        (start)
        > usi
        > setoption name USI_Ponder value true
        > setoption name Threads value 4
        warning: engine.options: Skill Level = 21 is not valid for the engine brave: its greatest value is 20
        > setoption name Skill Level value 21
        warning: engine.options: the engine brave has no option Nonsense; it is sent nevertheless
        > setoption name Nonsense value 1quit
        > setoption name USI_Hash value 512
        > setoption name Clear
        > isready
        ready: brave
        > usinewgame
        prepared"#]]);
}

#[test]
fn a_user_option_is_not_overwritten_by_the_game() {
    let options = vec![EngineOption { name: "MaxMovesToDraw".into(), value: "320".into() }];
    let mut harness = Harness::ready(UsiSpec { options, ..spec() }, &[MAX_MOVES]);
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.expect(&expect![[r#"
        > usinewgame
        prepared"#]]);
}

#[test]
fn a_ponder_hit() {
    let mut harness = Harness::in_game();
    harness.ponder_and_think(
        &["info score cp 12 depth 3 pv 2g2f 8c8d"],
        "7g7f 3c3d",
        &["info score cp 15 depth 4 pv 2g2f 8c8d", "bestmove 2g2f"],
    );
    harness.expect(&expect![[r#"
        info 1: Some(Cp(12)) 2g2f 8c8d
        > ponderhit
        info 2: Some(Cp(15)) 2g2f 8c8d
        answer 2: 2g2f score Some(Cp(15)) pv ["2g2f", "8c8d"] ponder None depth Some(4) nodes None"#]]);
}

#[test]
fn the_clocks_may_come_with_the_ponder_hit() {
    let mut harness = Harness::in_game_with(UsiSpec { clocks_at_ponder_hit: true, ..spec() });
    harness.ponder(1, "7g7f 3c3d");
    harness.pass(Duration::from_secs(3));
    harness.think(2, "7g7f 3c3d");
    harness.lines(&["bestmove 2g2f"]);
    harness.expect(&expect![[r#"
        > position startpos moves 7g7f 3c3d
        > go ponder
        > ponderhit btime 59800 wtime 60000 binc 2000 winc 2000
        answer 2: 2g2f score None pv [] ponder None depth None nodes None"#]]);
}

#[test]
fn a_ponder_miss_drops_exactly_one_best_move() {
    let mut harness = Harness::in_game();
    harness.ponder_and_think(
        &["info score cp 12 depth 3 pv 2g2f 8c8d"],
        "7g7f 8c8d",
        &[
            "info score cp 99 depth 9 pv 2g2f 8c8d",
            "bestmove 2g2f ponder 8c8d",
            "info score cp 20 depth 3 pv 6i7h 8d8e",
            "bestmove 6i7h",
        ],
    );
    harness.expect(&expect![[r#"
        info 1: Some(Cp(12)) 2g2f 8c8d
        > stop
        > position startpos moves 7g7f 8c8d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        info 2: Some(Cp(20)) 6i7h 8d8e
        answer 2: 6i7h score Some(Cp(20)) pv ["6i7h", "8d8e"] ponder None depth Some(3) nodes None"#]]);
}

#[test]
fn a_best_move_before_the_ponder_hit_is_kept_for_it() {
    let mut harness = Harness::in_game();
    harness.ponder_and_think(
        &["info score mate 5 pv 2g2f 8c8d", "bestmove 2g2f"],
        "7g7f 3c3d",
        &[],
    );
    harness.expect(&expect![[r#"
        info 1: Some(Win(Some(5))) 2g2f 8c8d
        answer 2: 2g2f score Some(Win(Some(5))) pv ["2g2f", "8c8d"] ponder None depth None nodes None"#]]);
}

#[test]
fn a_best_move_before_a_ponder_miss_is_dropped() {
    let mut harness = Harness::in_game();
    harness.ponder_and_think(&["bestmove 2g2f"], "7g7f 8c8d", &["bestmove 6i7h"]);
    harness.expect(&expect![[r#"
        > position startpos moves 7g7f 8c8d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 2: 6i7h score None pv [] ponder None depth None nodes None"#]]);
}

/// The engine sent `bestmove` before it received `ponderhit`.
#[test]
fn a_best_move_that_crosses_the_ponder_hit_is_the_answer() {
    let mut harness = Harness::in_game();
    harness.ponder_and_think(&[], "7g7f 3c3d", &["bestmove 2g2f"]);
    harness.think(3, "7g7f 3c3d 2g2f 8c8d");
    harness.lines(&["bestmove 2f2e"]);
    harness.expect(&expect![[r#"
        > ponderhit
        answer 2: 2g2f score None pv [] ponder None depth None nodes None
        > position startpos moves 7g7f 3c3d 2g2f 8c8d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 3: 2f2e score None pv [] ponder None depth None nodes None"#]]);
}

/// A ponder request that comes while the engine has not yet sent a best move is not lost, and the hit
/// on it does not come too early.
#[test]
fn requests_wait_until_the_engine_is_idle() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.command(PlayerCommand::Stop);
    harness.ponder(2, "7g7f 3c3d");
    harness.think(3, "7g7f 3c3d");
    harness.seen.push("-- the engine answers its stop".to_owned());
    harness.lines(&["bestmove 7g7f", "bestmove 2g2f"]);
    harness.expect(&expect![[r#"
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        > stop
        -- the engine answers its stop
        > position startpos moves 7g7f 3c3d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 3: 2g2f score None pv [] ponder None depth None nodes None"#]]);
}

#[test]
fn a_stopped_search_gives_no_answer() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.command(PlayerCommand::Stop);
    harness.command(PlayerCommand::GameOver(Outcome::Loss));
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.lines(&["bestmove 7g7f", "readyok", "bestmove 7g7f"]);
    harness.expect(&expect![[r#"
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        > stop
        > gameover lose
        > isready
        > usinewgame
        prepared"#]]);
}

#[test]
fn a_resignation_is_forwarded_and_a_wrong_declaration_is_not() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.lines(&["bestmove resign"]);
    harness.think(2, "");
    harness.lines(&["bestmove win"]);
    harness.expect(&expect![[r#"
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 1: Resign score None pv [] ponder None depth None nodes None
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        (kill)
        restarted: the engine brave answered 'win', which is not legal
        (start)
        > usi"#]]);
}

#[test]
fn a_valid_declaration_is_forwarded() {
    let mut harness = Harness::in_game();
    let sfen = "+R+R+B1K4/PPPPPPP2/2+B6/9/9/9/9/9/4k4 b GSNLP 1";
    let game = parse_position_line(&format!("position sfen {sfen}")).unwrap();
    assert!(game.position().can_declare(EnteringKingRule::Points27));
    let request = ThinkRequest { game, ..harness.request(1, "") };
    harness.command(PlayerCommand::Think(request));
    harness.lines(&["bestmove win"]);
    harness.expect(&expect![[r#"
        > position sfen +R+R+B1K4/PPPPPPP2/2+B6/9/9/9/9/9/4k4 b GSNLP 1
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 1: Declare score None pv [] ponder None depth None nodes None"#]]);
}

#[test]
fn stop_is_sent_before_the_flag_falls() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    let before = harness.now;
    // It has not hung.
    for _ in 0..6 {
        harness.pass(Duration::from_secs(10));
        harness.lines(&["info depth 1"]);
    }
    harness.wait();
    let waited = harness.now - before;
    assert!(waited > Duration::from_secs(61) && waited < Duration::from_secs(62), "{waited:?}");
    harness.lines(&["bestmove 7g7f"]);
    harness.expect(&expect![[r#"
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        > stop
        answer 1: 7g7f score None pv [] ponder None depth Some(1) nodes None"#]]);
}

#[test]
fn an_answer_has_only_the_info_of_its_own_search() {
    let mut harness = Harness::in_game();
    harness.lines(&["info score cp 900 pv 7g7f"]);
    harness.think(1, "");
    harness.lines(&[
        "info multipv 2 score cp 800 pv 7g7f 3c3d",
        "info multipv 3 score cp 700 pv 7g7e",
        "info multipv 3 pv 9g9f",
        "info depth 8 score cp 25 pv 2g2f 8c8d 3c3d",
        "info string bestmove 9g9f",
        "info depth 9 score cp -100 lowerbound pv 2g2f 3c3d",
        "bestmove 7g7f ponder 7g7f",
    ]);
    harness.think(2, "7g7f 3c3d");
    harness.lines(&["bestmove 2g2f"]);
    harness.expect(&expect![[r#"
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        info 1 line 2: Some(Cp(800)) 7g7f 3c3d
        info 1: Some(Cp(25)) 2g2f 8c8d
        info 1: Some(Cp(-100)) 2g2f 3c3d
        answer 1: 7g7f score None pv [] ponder None depth Some(9) nodes None
        > position startpos moves 7g7f 3c3d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 2: 2g2f score None pv [] ponder None depth None nodes None"#]]);
}

#[test]
fn invalid_lines_are_ignored_in_every_state() {
    let garbage = [
        "",
        " ",
        "\u{fffd}\u{fffd}",
        "usiok",
        "readyok",
        "bestmove",
        "bestmove \u{7f}",
        "info",
        "info pv",
        "option",
        "id",
        "info score",
        "ponderhit",
        "bestmove resign resign",
        "checkmate 7g7f",
    ];
    for states in 0..5 {
        for word in garbage {
            let mut harness = if states == 0 { Harness::new(spec()) } else { Harness::in_game() };
            match states {
                1 => harness.think(1, ""),
                2 => harness.ponder(1, "7g7f 3c3d"),
                3 => {
                    harness.think(1, "");
                    harness.command(PlayerCommand::Stop);
                }
                _ => {}
            }
            harness.lines(&[word, word]);
            harness.input(Input::Line(Line::TooLong));
            harness.input(Input::Ended("x".to_owned()));
            harness.input(Input::Ended("x".to_owned()));
            harness.pass(Duration::from_secs(1000));
            harness.command(PlayerCommand::Quit);
            harness.lines(&[word]);
        }
    }
}

#[test]
fn a_limit_replaces_the_clocks() {
    let mut harness = Harness::in_game();
    for limit in
        [MoveLimit::Nodes(2000), MoveLimit::Depth(9), MoveLimit::Time(Duration::from_millis(100))]
    {
        let request = ThinkRequest { limit: Some(limit), ..harness.request(1, "") };
        harness.command(PlayerCommand::Think(request));
        assert_eq!(harness.wake, None, "no flag can fall");
        harness.lines(&["bestmove resign"]);
    }
    harness.seen.retain(|line| line.starts_with("> go"));
    harness.expect(&expect![[r#"
        > go nodes 2000
        > go depth 9
        > go movetime 100"#]]);
}

#[test]
fn without_stop_at_flag_no_stop_is_sent() {
    let mut harness = Harness::new(UsiSpec { stop_at_flag: false, ..spec() });
    harness.lines(&["usiok", "readyok"]);
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.think(1, "");
    assert_eq!(harness.wake, None);
}

#[test]
fn an_engine_that_hangs_is_noticed_long_before_the_flag() {
    let mut harness = Harness::in_game();
    // 60 s and 2 s a move: at most 12 s of silence.
    harness.think(1, "7g7f 3c3d");
    harness.seen.clear();
    harness.pass(Duration::from_millis(11_900));
    assert!(harness.seen.is_empty());
    // A line renews the time.
    harness.lines(&["info depth 1 score cp 10 pv 2g2f"]);
    harness.seen.clear();
    harness.pass(Duration::from_millis(11_900));
    assert!(harness.seen.is_empty());
    harness.pass(Duration::from_millis(100));
    assert_eq!(harness.seen, ["silent 1", "> stop"]);
    // An eighth of the 60 s would be more than 5 s.
    harness.seen.clear();
    harness.pass(Duration::from_secs(5));
    assert_eq!(harness.seen[0], "(kill)", "{:?}", harness.seen);
}
