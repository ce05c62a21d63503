//! Engine failures: restart, giving up the game, final failure.

use super::*;

impl Harness {
    /// Checks the outputs, with a start-up of the engine as one line.
    #[track_caller]
    fn expect_start_up(&mut self, expected: &Expect) {
        expected
            .assert_eq(&std::mem::take(&mut self.seen).join("\n").replace(START_UP, "(start-up)"));
    }
}

const START_UP: &str = "\
(start)
> usi
> setoption name USI_Hash value 64
> setoption name USI_Ponder value true
> isready
ready: Brave 1";

#[test]
fn a_crashed_engine_is_restarted_once_and_gets_the_position_again() {
    let mut harness = Harness::in_game();
    harness.think(1, "7g7f 3c3d");
    harness.pass(Duration::from_secs(5));
    harness.input(Input::Stderr("out of memory".to_owned()));
    harness.input(Input::Ended("exit code 1".to_owned()));
    harness.lines(&["usiok", "readyok"]);
    harness.pass(Duration::from_secs(1));
    harness.seen.push("-- and again".to_owned());
    harness.input(Input::Ended("killed by signal 11".to_owned()));
    harness.think(2, "7g7f 3c3d 2g2f 8c8d");
    harness.command(PlayerCommand::Stop);
    harness.seen.push("-- the game is over".to_owned());
    harness.command(PlayerCommand::GameOver(Outcome::Loss));
    harness.lines(&["usiok", "readyok"]);
    harness.seen.push("-- the next game".to_owned());
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.think(3, "");
    harness.lines(&["bestmove 7g7f"]);
    harness.expect_start_up(&expect![[r#"
        > position startpos moves 7g7f 3c3d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        (kill)
        restarted: the engine brave ended unexpectedly (exit code 1); its last line on standard error: out of memory
        (start-up)
        > usinewgame
        prepared
        > position startpos moves 7g7f 3c3d
        > go btime 54800 wtime 60000 binc 2000 winc 2000
        -- and again
        (kill)
        gave up: the engine brave ended unexpectedly (killed by signal 11)
        answer 1: Resign score None pv [] ponder None depth None nodes None
        answer 2: Resign score None pv [] ponder None depth None nodes None
        -- the game is over
        (start-up)
        -- the next game
        > usinewgame
        prepared
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 3: 7g7f score None pv [] ponder None depth None nodes None"#]]);
}

#[test]
fn a_crash_at_the_ponder_hit_without_output_counts_as_a_pondering_failure() {
    for shown in [false, true] {
        let mut harness = Harness::in_game();
        harness.ponder(1, "7g7f 3c3d");
        if shown {
            harness.lines(&["info depth 5 score cp 10 pv 2g2f"]);
        }
        harness.think(2, "7g7f 3c3d");
        harness.input(Input::Ended("killed by signal 6".to_owned()));
        let pondering = harness.seen.iter().any(|line| line.contains("does not ponder any more"));
        assert_eq!(pondering, !shown);
    }
}

#[test]
fn an_engine_that_crashed_while_pondering_does_not_ponder_again() {
    let mut harness = Harness::in_game();
    harness.ponder(1, "7g7f 3c3d");
    harness.input(Input::Ended("killed by signal 6".to_owned()));
    harness.lines(&["usiok", "readyok"]);
    harness.think(2, "7g7f 3c3d");
    harness.lines(&["bestmove 2g2f ponder 8c8d"]);
    harness.ponder(3, "7g7f 3c3d 2g2f 8c8d");
    harness.think(4, "7g7f 3c3d 2g2f 8c8d");
    harness.expect_start_up(&expect![[r#"
        > position startpos moves 7g7f 3c3d
        > go ponder btime 59800 wtime 60000 binc 2000 winc 2000
        (kill)
        warning: the engine brave failed while pondering; it does not ponder any more in this game
        restarted: the engine brave ended unexpectedly (killed by signal 6)
        (start-up)
        > usinewgame
        prepared
        > position startpos moves 7g7f 3c3d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 2: 2g2f score None pv [] ponder Some("8c8d") depth None nodes None
        > position startpos moves 7g7f 3c3d 2g2f 8c8d
        > go btime 59800 wtime 60000 binc 2000 winc 2000"#]]);
}

#[test]
fn an_engine_ponders_again_in_the_next_game_until_it_has_failed_three_times() {
    let mut harness = Harness::in_game();
    for game in 1..=4 {
        harness.seen.clear();
        harness.ponder(1, "7g7f 3c3d");
        let pondered = harness.seen.iter().any(|line| line.starts_with("> go ponder"));
        assert_eq!(pondered, game <= 3, "game {game}");
        if pondered {
            harness.input(Input::Ended("killed by signal 6".to_owned()));
            harness.lines(&["usiok", "readyok"]);
            let in_game = harness.seen.iter().any(|line| line.ends_with("any more in this game"));
            assert_eq!(in_game, game < 3, "game {game}: {:?}", harness.seen);
        }
        harness.ponder(2, "7g7f 3c3d");
        harness.command(PlayerCommand::GameOver(Outcome::Loss));
        harness.command(PlayerCommand::NewGame(game_info()));
        harness.lines(&["readyok"]);
    }
}

#[test]
fn an_illegal_answer_counts_as_a_crash() {
    let mut harness = Harness::in_game();
    harness.think(1, "7g7f");
    harness.lines(&["bestmove 7g7f"]);
    harness.lines(&["usiok", "readyok", "bestmove 3c3d"]);
    harness.think(2, "7g7f 3c3d 2g2f");
    harness.lines(&["bestmove"]);
    harness.expect_start_up(&expect![[r#"
        > position startpos moves 7g7f
        > go btime 60000 wtime 59800 binc 2000 winc 2000
        (kill)
        restarted: the engine brave answered '7g7f', which is not legal
        (start-up)
        > usinewgame
        prepared
        > position startpos moves 7g7f
        > go btime 60000 wtime 59800 binc 2000 winc 2000
        answer 1: 3c3d score None pv [] ponder None depth None nodes None
        > position startpos moves 7g7f 3c3d 2g2f
        > go btime 60000 wtime 59800 binc 2000 winc 2000
        (kill)
        gave up: the engine brave answered '', which is not legal
        answer 2: Resign score None pv [] ponder None depth None nodes None"#]]);
}

#[test]
fn an_engine_that_ignores_stop_is_restarted() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.wait();
    harness.wait();
    harness.lines(&["usiok", "readyok"]);
    harness.expect_start_up(&expect![[r#"
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        silent 1
        > stop
        (kill)
        restarted: the engine brave sent no 'bestmove' within 5 s
        (start-up)
        > usinewgame
        prepared
        > position startpos
        > go btime 42800 wtime 60000 binc 2000 winc 2000"#]]);
}

#[test]
fn missing_usiok_and_readyok_are_errors() {
    let mut harness = Harness::new(spec());
    harness.wait();
    harness.expect(&expect![[r#"
        (start)
        > usi
        (kill)
        failed: the engine brave sent no 'usiok' within 60 s
        (finish)"#]]);
    let mut harness = Harness::new(spec());
    harness.lines(&["usiok"]);
    harness.seen.clear();
    harness.wait();
    harness.expect(&expect![[r#"
        (kill)
        failed: the engine brave sent no 'readyok' within 120 s
        (finish)"#]]);
}

#[test]
fn an_engine_may_take_a_minute_to_be_ready() {
    let mut harness = Harness::new(spec());
    harness.pass(Duration::from_secs(9));
    harness.lines(&["id name Brave", "usiok"]);
    harness.seen.clear();
    harness.pass(Duration::from_secs(60));
    harness.lines(&["readyok"]);
    harness.expect(&expect!["ready: Brave"]);
}

#[test]
fn a_wrong_path_is_one_error() {
    let mut harness = Harness::new(spec());
    let error = io::Error::new(io::ErrorKind::NotFound, "No such file or directory");
    harness.input(Input::NotStarted(error));
    harness.expect(&expect![[r#"
        (start)
        > usi
        (kill)
        failed: cannot start the engine engines/brave: No such file or directory; check engine.path and engine.working_dir
        (finish)"#]]);
}

#[test]
fn a_crash_between_games_restarts_the_engine_before_the_next() {
    let mut harness = Harness::in_game();
    harness.command(PlayerCommand::GameOver(Outcome::Draw));
    harness.input(Input::Ended("exit code 0".to_owned()));
    harness.lines(&["usiok", "readyok"]);
    harness.expect_start_up(&expect![[r#"
        > gameover draw
        (kill)
        restarted: the engine brave ended unexpectedly (exit code 0)
        (start-up)"#]]);
}

#[test]
fn an_engine_that_ends_after_each_readyok_is_not_restarted_forever() {
    for played in [false, true] {
        let mut harness = if played { Harness::in_game() } else { Harness::new(spec()) };
        if played {
            harness.command(PlayerCommand::GameOver(Outcome::Win));
        } else {
            harness.lines(&["usiok", "readyok"]);
        }
        harness.input(Input::Ended("exit code 0".to_owned()));
        harness.lines(&["usiok", "readyok"]);
        harness.seen.clear();
        harness.input(Input::Ended("exit code 0".to_owned()));
        harness.expect(&expect![[r#"
            (kill)
            failed: the engine brave ended unexpectedly (exit code 0)
            (finish)"#]]);
    }
}

#[test]
fn rare_crashes_while_waiting_for_a_game_restart_the_engine_each_time() {
    let mut harness = Harness::new(spec());
    for _ in 0..4 {
        harness.lines(&["usiok", "readyok"]);
        harness.pass(Duration::from_secs(600));
        harness.seen.clear();
        harness.input(Input::Ended("exit code 0".to_owned()));
        harness.expect(&expect![[r#"
            (kill)
            restarted: the engine brave ended unexpectedly (exit code 0)
            (start)
            > usi"#]]);
    }
}

#[test]
fn a_failed_engine_is_restarted_for_the_next_game_or_fails() {
    for comes_back in [true, false] {
        let mut harness = Harness::in_game();
        harness.input(Input::Ended("exit code 0".to_owned()));
        harness.input(Input::Ended("exit code 0".to_owned()));
        harness.command(PlayerCommand::GameOver(Outcome::Draw));
        harness.seen.clear();
        if comes_back {
            harness.lines(&["usiok", "readyok"]);
        } else {
            harness.input(Input::Ended("exit code 0".to_owned()));
        }
        let seen = harness.seen.join("\n");
        let expected = if comes_back { "ready: Brave 1" } else { "failed: " };
        assert!(seen.contains(expected), "{seen}");
    }
}
