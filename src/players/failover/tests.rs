use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::advance;

use crate::players::{PlayerPort, RandomSpec, Score, ThinkRequest};
use kyomi_shogi::clock::{Controls, DelayEstimator, DelayPolicy, GameClocks, TimeControl};
use kyomi_shogi::{Color, Game, Move, Outcome, Position};

use super::*;

/// A player under test, and the ports of the engines it has started, in order.
struct Harness {
    player: PlayerHandle,
    started: Arc<Mutex<VecDeque<PlayerPort>>>,
}

impl Harness {
    fn new(fallbacks: usize) -> Self {
        Self::with(|spec| FailoverSpec {
            fallbacks: vec![PlayerSpec::Random(RandomSpec::default()); fallbacks],
            ..spec
        })
    }

    fn with(change: impl FnOnce(FailoverSpec) -> FailoverSpec) -> Self {
        let started: Arc<Mutex<VecDeque<PlayerPort>>> = Arc::default();
        let ports = Arc::clone(&started);
        let spec = change(FailoverSpec {
            engine: PlayerSpec::Random(RandomSpec::default()),
            fallbacks: Vec::new(),
            restart_each_game: false,
            never_resigns: false,
            wrapper: None,
        });
        let starter = Box::new(move |_| {
            let (handle, port) = pair();
            ports.lock().push_back(port);
            handle
        });
        Self { player: with_starter(spec, starter), started }
    }

    /// The next engine that was started.
    fn engine(&self) -> PlayerPort {
        self.started.lock().pop_front().expect("no engine was started")
    }

    fn send(&self, command: PlayerCommand) {
        self.player.send(command);
    }

    /// The next event in words.
    async fn event(&mut self) -> String {
        match self.player.event().await.expect("the player has ended") {
            PlayerEvent::Ready { name } => format!("ready {name}"),
            PlayerEvent::Answer { id, answer } => match answer.choice {
                Choice::Move(mv) => format!("answer {id} {mv}"),
                other => format!("answer {id} {other:?}"),
            },
            PlayerEvent::Warning(text) | PlayerEvent::EngineFailure { text, .. } => text,
            PlayerEvent::NotReady => "not ready".to_owned(),
            PlayerEvent::Failed(error) => format!("failed {error}"),
            PlayerEvent::Restarted(error) => format!("restarted {error}"),
            PlayerEvent::Info { id, .. } => format!("info {id}"),
            other => panic!("{other:?}"),
        }
    }

    /// A game has begun with an engine that is ready.
    async fn in_game(&mut self) -> PlayerPort {
        let mut engine = self.engine();
        ready(&engine, "first");
        assert_eq!(self.event().await, "ready first");
        self.send(PlayerCommand::NewGame(info()));
        assert_eq!(command(&mut engine).await, "new game");
        engine
    }

    /// The engine of a player with these fallbacks thinks on its first move.
    async fn thinking(fallbacks: usize) -> (Self, PlayerPort) {
        let mut harness = Self::new(fallbacks);
        let mut engine = harness.in_game().await;
        harness.think(1, &mut engine).await;
        (harness, engine)
    }

    /// Asks for a move, which is the next command that this engine gets.
    async fn think(&self, id: u64, engine: &mut PlayerPort) {
        self.send(PlayerCommand::Think(request(id)));
        assert_eq!(command(engine).await, format!("think {id}"));
    }

    /// The engine shows a line, and the player too.
    async fn show(&mut self, engine: &PlayerPort, id: u64, pv: &[&str]) {
        engine.events.send(PlayerEvent::Info { id, info: Box::new(search_info(pv)) });
        assert_eq!(self.event().await, format!("info {id}"));
    }
}

/// An engine gets the running game and its first request.
async fn joins(engine: &mut PlayerPort) {
    assert_eq!(command(engine).await, "new game");
    assert_eq!(command(engine).await, "think 1");
}

fn info() -> GameInfo {
    GameInfo { color: Color::Black, entering_king: EnteringKingRule::Points27, max_moves: None }
}

fn ready(engine: &PlayerPort, name: &str) {
    engine.events.send(PlayerEvent::Ready { name: name.to_owned() });
}

fn broken() -> EngineError {
    EngineError::Builtin { reason: "broken".to_owned() }
}

fn mv(text: &str) -> Move {
    kyomi_shogi::notation::usi::parse_move(text).unwrap()
}

fn answer(engine: &PlayerPort, id: u64, choice: Choice) {
    engine.events.send(PlayerEvent::Answer { id, answer: Answer::plain(choice) });
}

fn plays(engine: &PlayerPort, id: u64, text: &str) {
    answer(engine, id, Choice::Move(mv(text)));
}

async fn command(engine: &mut PlayerPort) -> String {
    match engine.commands.recv().await.expect("no more commands") {
        PlayerCommand::NewGame(_) => "new game".to_owned(),
        PlayerCommand::Think(request) => format!("think {}", request.id),
        PlayerCommand::Ponder(request) => format!("ponder {}", request.id),
        PlayerCommand::Stop => "stop".to_owned(),
        PlayerCommand::ShareEntries { .. } => "share".to_owned(),
        PlayerCommand::GameOver(_) => "game over".to_owned(),
        PlayerCommand::Quit => "quit".to_owned(),
    }
}

/// A request at the start position with ten seconds, of which half a second is kept for the network.
fn request(id: u64) -> ThinkRequest {
    let control = TimeControl::sudden_death(Duration::from_secs(10));
    let mut clocks = *GameClocks::new(Controls::both(control), Color::Black).clocks();
    clocks.network = DelayEstimator::new(DelayPolicy::Fixed(Duration::from_millis(500)));
    ThinkRequest {
        id,
        game: Game::new(Position::startpos()),
        clocks,
        turn_started: tokio::time::Instant::now().into_std(),
        limit: None,
    }
}

fn search_info(pv: &[&str]) -> SearchInfo {
    SearchInfo {
        limit: 0,
        workers: 0,
        depth: 3,
        seldepth: 3,
        score: Some(Score::Cp(12)),
        bound: crate::players::Bound::Exact,
        nodes: 100,
        nps: 100,
        time: Duration::ZERO,
        hashfull: None,
        multipv: None,
        pv: pv.iter().map(|text| mv(text)).collect(),
        text: None,
    }
}

#[tokio::test(start_paused = true)]
async fn without_failures_the_primary_engine_plays() {
    let (mut harness, mut engine) = Harness::thinking(1).await;
    plays(&engine, 1, "7g7f");
    assert_eq!(harness.event().await, "answer 1 7g7f");
    assert!(harness.started.lock().is_empty(), "nobody else was started");
    assert_eq!(command(&mut engine).await, "stop");
    harness.send(PlayerCommand::Ponder(request(2)));
    assert_eq!(command(&mut engine).await, "ponder 2");
    harness.send(PlayerCommand::GameOver(Outcome::Win));
    assert_eq!(command(&mut engine).await, "game over");
}

#[tokio::test(start_paused = true)]
async fn the_standby_plays_on_when_an_engine_fails() {
    let (mut harness, mut engine) = Harness::thinking(2).await;
    engine.events.send(PlayerEvent::GaveUp(broken()));
    answer(&engine, 1, Choice::Resign);
    assert!(harness.event().await.ends_with("broken; the random player plays on"));
    let mut second = harness.engine();
    joins(&mut second).await;
    ready(&second, "second");
    second.events.send(PlayerEvent::GaveUp(broken()));
    assert!(harness.event().await.ends_with("broken"));
    let mut third = harness.engine();
    joins(&mut third).await;
    ready(&third, "third");
    plays(&third, 1, "2g2f");
    assert_eq!(harness.event().await, "answer 1 2g2f");
    // The rest of the game is the third engine's, and the first one comes back for the next.
    assert_eq!(command(&mut third).await, "stop");
    harness.think(2, &mut third).await;
    answer(&third, 2, Choice::Resign);
    assert_eq!(harness.event().await, "answer 2 Resign");
    harness.send(PlayerCommand::GameOver(Outcome::Loss));
    assert_eq!(harness.event().await, "not ready");
    ready(&engine, "first again");
    assert_eq!(harness.event().await, "ready first again");
    harness.send(PlayerCommand::NewGame(info()));
    harness.send(PlayerCommand::Think(request(3)));
    while command(&mut engine).await != "think 3" {}
}

#[tokio::test(start_paused = true)]
async fn a_restarted_engine_answers_if_it_is_ready_in_time() {
    for in_time in [true, false] {
        let (mut harness, mut engine) = Harness::thinking(1).await;
        engine.events.send(PlayerEvent::Restarted(broken()));
        assert!(harness.event().await.ends_with("broken; it is started again"));
        let mut other = harness.engine();
        joins(&mut other).await;
        ready(&other, "other");
        if in_time {
            ready(&engine, "first");
            tokio::task::yield_now().await;
            advance(Duration::from_millis(1)).await;
        }
        plays(&other, 1, "2g2f");
        if in_time {
            advance(Duration::from_millis(1)).await;
            plays(&engine, 1, "7g7f");
            assert_eq!(harness.event().await, "answer 1 7g7f");
        } else {
            assert_eq!(harness.event().await, "answer 1 2g2f");
            assert_eq!(command(&mut engine).await, "stop");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_engine_does_not_delay_the_move() {
    let mut harness = Harness::new(1);
    let mut engine = harness.in_game().await;
    let begun = tokio::time::Instant::now();
    harness.think(1, &mut engine).await;
    harness.show(&engine, 1, &["2g2f", "8c8d"]).await;
    let second = SearchInfo { multipv: Some(2), ..search_info(&["9g9f"]) };
    engine.events.send(PlayerEvent::Info { id: 1, info: Box::new(second) });
    assert_eq!(harness.event().await, "info 1");
    assert_eq!(harness.event().await, "no answer in time: playing 2g2f, the best move known");
    assert_eq!(harness.event().await, "answer 1 2g2f");
    assert_eq!(begun.elapsed(), Duration::from_millis(9475));
    assert_eq!(command(&mut engine).await, "stop");
    // A late answer is dropped.
    plays(&engine, 1, "7g7f");
    harness.think(2, &mut engine).await;
    plays(&engine, 2, "9g9f");
    assert_eq!(harness.event().await, "answer 2 9g9f");
}

#[tokio::test(start_paused = true)]
async fn a_late_engine_does_not_delay_the_next_turns() {
    let (mut harness, mut engine) = Harness::thinking(1).await;
    assert!(harness.event().await.starts_with("no answer in time: playing "));
    assert!(harness.event().await.starts_with("answer 1 "));
    assert_eq!(command(&mut engine).await, "stop");
    let mut other = harness.engine();
    let mut seen = Vec::new();
    while seen.last().is_none_or(|last| last != "stop") {
        seen.push(command(&mut other).await);
    }
    // The answer of the other one is not held until the last moment.
    let begun = tokio::time::Instant::now();
    harness.think(2, &mut engine).await;
    assert_eq!(command(&mut other).await, "think 2");
    plays(&other, 2, "2g2f");
    assert_eq!(harness.event().await, "answer 2 2g2f");
    assert_eq!(begun.elapsed(), Duration::ZERO);
    // Once it shows a move it counts again.
    assert_eq!(command(&mut engine).await, "stop");
    assert_eq!(command(&mut other).await, "stop");
    harness.think(3, &mut engine).await;
    assert_eq!(command(&mut other).await, "think 3");
    harness.show(&engine, 3, &["7g7f"]).await;
    plays(&other, 3, "2g2f");
    tokio::task::yield_now().await;
    plays(&engine, 3, "7g7f");
    assert_eq!(harness.event().await, "answer 3 7g7f");
}

#[tokio::test(start_paused = true)]
async fn an_engine_without_output_wakes_the_standby() {
    let (mut harness, _engine) = Harness::thinking(1).await;
    advance(Duration::from_millis(7000)).await;
    tokio::task::yield_now().await;
    assert!(harness.started.lock().is_empty());
    advance(Duration::from_millis(600)).await;
    tokio::task::yield_now().await;
    let mut other = harness.engine();
    joins(&mut other).await;
    plays(&other, 1, "5g5f");
    // The engine is still the one that plays.
    assert_eq!(harness.event().await, "no answer in time: playing 5g5f, the best move known");
    assert_eq!(harness.event().await, "answer 1 5g5f");
}

#[tokio::test(start_paused = true)]
async fn an_engine_stopped_for_its_silence_wakes_the_standby() {
    for has_hung in [false, true] {
        let (mut harness, engine) = Harness::thinking(1).await;
        engine.events.send(PlayerEvent::Silent { id: 7 });
        engine.events.send(PlayerEvent::Silent { id: 1 });
        advance(Duration::from_millis(10)).await;
        let mut second = harness.engine();
        joins(&mut second).await;
        ready(&second, "second");
        plays(&second, 1, "2g2f");
        advance(Duration::from_millis(10)).await;
        if has_hung {
            engine.events.send(PlayerEvent::Restarted(broken()));
            assert!(harness.event().await.ends_with("broken; it is started again"));
            assert_eq!(harness.event().await, "answer 1 2g2f", "it is known, and given at once");
        } else {
            plays(&engine, 1, "7g7f");
            assert_eq!(
                harness.event().await,
                "answer 1 7g7f",
                "the first engine has answered stop"
            );
        }
        assert_eq!(command(&mut second).await, "stop", "it was asked once");
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_pv_of_the_primary_beats_the_answer_of_the_standby() {
    let (mut harness, engine) = Harness::thinking(1).await;
    harness.show(&engine, 1, &["7g7f"]).await;
    engine.events.send(PlayerEvent::Silent { id: 1 });
    advance(Duration::from_millis(10)).await;
    let second = harness.engine();
    plays(&second, 1, "2g2f");
    assert_eq!(harness.event().await, "no answer in time: playing 7g7f, the best move known");
    assert_eq!(harness.event().await, "answer 1 7g7f");
}

#[tokio::test(start_paused = true)]
async fn without_a_standby_a_fallback_move_is_played() {
    let (mut harness, engine) = Harness::thinking(0).await;
    engine.events.send(PlayerEvent::GaveUp(broken()));
    assert!(harness.event().await.contains("the best move known is played at once"));
    let played = harness.event().await;
    assert!(played.starts_with("no engine is left: playing "), "{played}");
    assert!(played.ends_with(", the best move known"), "{played}");
    assert!(harness.event().await.starts_with("answer 1 "));
    // The next moves do not wait for an engine either.
    harness.send(PlayerCommand::Think(request(2)));
    assert!(harness.event().await.starts_with("no engine is left: playing "));
    assert!(harness.event().await.starts_with("answer 2 "));
}

#[tokio::test(start_paused = true)]
async fn illegal_answers_are_not_sent_to_the_server() {
    let mut harness = Harness::with(|spec| FailoverSpec { never_resigns: true, ..spec });
    let mut engine = harness.in_game().await;
    for (id, choice) in [(1, Choice::Move(mv("5a5b"))), (2, Choice::Declare), (3, Choice::Resign)] {
        harness.send(PlayerCommand::Think(request(id)));
        while command(&mut engine).await != format!("think {id}") {}
        engine.events.send(PlayerEvent::Info { id, info: Box::new(search_info(&["2g2f"])) });
        answer(&engine, id, choice);
        assert_eq!(harness.event().await, format!("info {id}"));
        assert!(harness.event().await.ends_with("playing 2g2f, the best move known"));
        assert_eq!(harness.event().await, format!("answer {id} 2g2f"));
    }
    // An answer to no request.
    answer(&engine, 3, Choice::Resign);
    answer(&engine, 9, Choice::Resign);
    harness.send(PlayerCommand::Think(request(10)));
    // An answer that comes before its request would be one to no request.
    while command(&mut engine).await != "think 10" {}
    plays(&engine, 10, "7g7f");
    assert_eq!(harness.event().await, "answer 10 7g7f");
}

/// The rule for resigning is checked by the player of a USI engine.
#[tokio::test(start_paused = true)]
async fn instead_of_an_early_resignation_the_best_move_known_is_played() {
    // No search finds this move best.
    let mut harness = Harness::new(0);
    let mut engine = harness.in_game().await;
    for known in [true, false] {
        let id = if known { 1 } else { 2 };
        harness.send(PlayerCommand::Think(request(id)));
        while command(&mut engine).await != format!("think {id}") {}
        if known {
            let info = Box::new(search_info(&["9i9h"]));
            engine.events.send(PlayerEvent::Info { id, info });
            assert_eq!(harness.event().await, format!("info {id}"));
        }
        let resign_fault = Some("too early");
        let answer = Answer { resign_fault, ..Answer::plain(Choice::Resign) };
        engine.events.send(PlayerEvent::Answer { id, answer });
        let warning = harness.event().await;
        assert!(warning.starts_with("too early: playing "), "{warning}");
        assert_eq!(warning.contains("9i9h"), known, "{warning}");
        assert!(warning.ends_with(", the best move known"), "{warning}");
        assert!(harness.event().await.starts_with(&format!("answer {id} ")));
    }
}

#[tokio::test(start_paused = true)]
async fn a_declaration_is_forwarded_only_if_the_game_allows_it() {
    let entered = "+P+P+P+PK+B+B+R+R/2+P+P5/9/9/9/9/9/9/4k4 b 2P 1";
    let game = Game::new(Position::from_sfen(entered).unwrap());
    for (entering_king, words) in [
        (EnteringKingRule::Points27, "answer 1 Declare"),
        (EnteringKingRule::Points24, "a declaration against"),
        (EnteringKingRule::None, "a declaration against"),
    ] {
        let mut harness = Harness::new(0);
        let mut engine = harness.in_game().await;
        harness.send(PlayerCommand::NewGame(GameInfo { entering_king, ..info() }));
        harness.send(PlayerCommand::Think(ThinkRequest { game: game.clone(), ..request(1) }));
        while command(&mut engine).await != "think 1" {}
        answer(&engine, 1, Choice::Declare);
        assert!(harness.event().await.starts_with(words), "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn restart_each_game_starts_a_new_process() {
    let mut harness = Harness::with(|spec| FailoverSpec { restart_each_game: true, ..spec });
    let mut engine = harness.in_game().await;
    harness.send(PlayerCommand::GameOver(Outcome::Draw));
    assert_eq!(harness.event().await, "not ready");
    assert_eq!(command(&mut engine).await, "game over");
    assert_eq!(command(&mut engine).await, "quit");
    advance(Duration::from_secs(3)).await;
    assert!(harness.started.lock().is_empty(), "the old process still runs");
    drop(engine);
    tokio::time::sleep(Duration::from_millis(1)).await;
    let engine = harness.engine();
    ready(&engine, "new");
    assert_eq!(harness.event().await, "ready new");
}

#[tokio::test(start_paused = true)]
async fn a_game_that_begins_before_the_old_process_has_ended_waits_for_the_new_one() {
    let mut harness = Harness::with(|spec| FailoverSpec { restart_each_game: true, ..spec });
    let mut engine = harness.in_game().await;
    harness.send(PlayerCommand::GameOver(Outcome::Draw));
    assert_eq!(harness.event().await, "not ready");
    while command(&mut engine).await != "quit" {}
    // One that never ends is not waited for longer than this.
    advance(Duration::from_millis(9900)).await;
    harness.send(PlayerCommand::NewGame(info()));
    harness.send(PlayerCommand::Think(request(1)));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(harness.started.lock().is_empty());
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut new = harness.engine();
    joins(&mut new).await;
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_never_starts_is_an_error_even_with_fallbacks() {
    let mut harness = Harness::new(1);
    let engine = harness.engine();
    engine.events.send(PlayerEvent::Failed(broken()));
    assert!(harness.event().await.starts_with("failed "));
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_ends_between_games_is_replaced_for_the_next() {
    let mut harness = Harness::new(1);
    let engine = harness.engine();
    ready(&engine, "first");
    assert_eq!(harness.event().await, "ready first");
    engine.events.send(PlayerEvent::Restarted(broken()));
    assert!(harness.event().await.starts_with("restarted "));
    engine.events.send(PlayerEvent::Failed(broken()));
    assert!(harness.event().await.ends_with("plays on"));
    let mut other = harness.engine();
    ready(&other, "other");
    assert_eq!(harness.event().await, "ready other");
    harness.send(PlayerCommand::NewGame(info()));
    harness.send(PlayerCommand::Think(request(1)));
    joins(&mut other).await;
    plays(&other, 1, "7g7f");
    assert_eq!(harness.event().await, "answer 1 7g7f");
    // The first one gets another chance for the game after that.
    harness.send(PlayerCommand::GameOver(Outcome::Win));
    assert_eq!(harness.event().await, "not ready");
    ready(&harness.engine(), "first");
    assert_eq!(harness.event().await, "ready first");
}

#[tokio::test(start_paused = true)]
async fn the_standby_is_dismissed_after_the_game() {
    let (mut harness, engine) = Harness::thinking(1).await;
    advance(Duration::from_millis(7600)).await;
    tokio::task::yield_now().await;
    let mut other = harness.engine();
    plays(&engine, 1, "7g7f");
    assert_eq!(harness.event().await, "answer 1 7g7f");
    harness.send(PlayerCommand::GameOver(Outcome::Win));
    while command(&mut other).await != "quit" {}
}

#[tokio::test(start_paused = true)]
async fn an_engine_still_starting_after_the_game_is_awaited() {
    let mut harness = Harness::new(1);
    let engine = harness.in_game().await;
    engine.events.send(PlayerEvent::Restarted(broken()));
    assert!(harness.event().await.ends_with("it is started again"));
    harness.send(PlayerCommand::GameOver(Outcome::Win));
    assert_eq!(harness.event().await, "not ready");
    ready(&engine, "first");
    assert_eq!(harness.event().await, "ready first");
}
