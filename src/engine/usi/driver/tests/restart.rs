//! The engine breaks down: started again, given up, or at its end.

use super::*;

#[test]
fn an_engine_that_ends_is_started_again_once_and_caught_up() {
    let mut stage = Stage::in_game();
    stage.think(1, "7g7f 3c3d");
    stage.pass(Duration::from_secs(5));
    stage.input(Input::Stderr("out of memory".to_owned()));
    stage.input(Input::Ended("exit code 1".to_owned()));
    stage.lines(&["usiok", "readyok"]);
    stage.pass(Duration::from_secs(1));
    stage.seen.push("-- and again".to_owned());
    stage.input(Input::Ended("killed by signal 11".to_owned()));
    stage.think(2, "7g7f 3c3d 2g2f 8c8d");
    stage.command(PlayerCommand::Stop);
    stage.seen.push("-- the game is over".to_owned());
    stage.command(PlayerCommand::GameOver(Outcome::Loss));
    stage.lines(&["usiok", "readyok"]);
    stage.seen.push("-- the next game".to_owned());
    stage.command(PlayerCommand::NewGame(game_info()));
    stage.think(3, "");
    stage.lines(&["bestmove 7g7f"]);
    stage.expect(&expect![[r#"
        > position startpos moves 7g7f 3c3d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        (kill)
        restarted: the engine brave ended by itself (exit code 1); its last words: out of memory
        (start)
        > usi
        > setoption name USI_Hash value 64
        > setoption name USI_Ponder value true
        > isready
        ready: Brave 1
        > usinewgame
        prepared
        > position startpos moves 7g7f 3c3d
        > go btime 54800 wtime 60000 binc 2000 winc 2000
        -- and again
        (kill)
        gave up: the engine brave ended by itself (killed by signal 11)
        answer 1: Resign score None pv [] ponder None depth None nodes None
        answer 2: Resign score None pv [] ponder None depth None nodes None
        -- the game is over
        (start)
        > usi
        > setoption name USI_Hash value 64
        > setoption name USI_Ponder value true
        > isready
        ready: Brave 1
        -- the next game
        > usinewgame
        prepared
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 3: 7g7f score None pv [] ponder None depth None nodes None"#]]);
}

#[test]
fn an_engine_that_ends_while_pondering_is_not_asked_to_again() {
    let mut stage = Stage::in_game();
    stage.ponder(1, "7g7f 3c3d");
    stage.input(Input::Ended("killed by signal 6".to_owned()));
    stage.lines(&["usiok", "readyok"]);
    stage.think(2, "7g7f 3c3d");
    stage.lines(&["bestmove 2g2f ponder 8c8d"]);
    stage.ponder(3, "7g7f 3c3d 2g2f 8c8d");
    stage.think(4, "7g7f 3c3d 2g2f 8c8d");
    stage.expect(&expect![[r#"
        > position startpos moves 7g7f 3c3d
        > go ponder btime 59800 wtime 60000 binc 2000 winc 2000
        (kill)
        warning: the engine brave broke down while pondering; it will not ponder any more
        restarted: the engine brave ended by itself (killed by signal 6)
        (start)
        > usi
        > setoption name USI_Hash value 64
        > setoption name USI_Ponder value true
        > isready
        ready: Brave 1
        > usinewgame
        prepared
        > position startpos moves 7g7f 3c3d
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        answer 2: 2g2f score None pv [] ponder Some("8c8d") depth None nodes None
        > position startpos moves 7g7f 3c3d 2g2f 8c8d
        > go btime 59800 wtime 60000 binc 2000 winc 2000"#]]);
}

#[test]
fn an_illegal_answer_is_a_breakdown() {
    let mut stage = Stage::in_game();
    stage.think(1, "7g7f");
    stage.lines(&["bestmove 7g7f"]);
    stage.lines(&["usiok", "readyok", "bestmove 3c3d"]);
    stage.think(2, "7g7f 3c3d 2g2f");
    stage.lines(&["bestmove"]);
    stage.expect(&expect![[r#"
        > position startpos moves 7g7f
        > go btime 60000 wtime 59800 binc 2000 winc 2000
        (kill)
        restarted: the engine brave answered '7g7f', which is not legal
        (start)
        > usi
        > setoption name USI_Hash value 64
        > setoption name USI_Ponder value true
        > isready
        ready: Brave 1
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
fn an_engine_that_does_not_even_stop_is_started_again() {
    let mut stage = Stage::in_game();
    stage.think(1, "");
    stage.wait();
    stage.wait();
    stage.lines(&["usiok", "readyok"]);
    stage.expect(&expect![[r#"
        > position startpos
        > go btime 59800 wtime 60000 binc 2000 winc 2000
        > stop
        (kill)
        restarted: the engine brave sent no 'bestmove' within 5 s
        (start)
        > usi
        > setoption name USI_Hash value 64
        > setoption name USI_Ponder value true
        > isready
        ready: Brave 1
        > usinewgame
        prepared
        > position startpos
        > go btime 0 wtime 60000 binc 0 winc 2000"#]]);
}

#[test]
fn no_usiok_and_no_readyok() {
    let mut stage = Stage::new(spec());
    stage.wait();
    stage.expect(&expect![[r#"
        (start)
        > usi
        (kill)
        failed: the engine brave sent no 'usiok' within 10 s
        (finish)"#]]);
    let mut stage = Stage::new(spec());
    stage.lines(&["usiok"]);
    stage.seen.clear();
    stage.wait();
    stage.expect(&expect![[r#"
        (kill)
        failed: the engine brave sent no 'readyok' within 120 s
        (finish)"#]]);
}

#[test]
fn a_wrong_path_is_one_clear_error() {
    let mut stage = Stage::new(spec());
    let error = io::Error::new(io::ErrorKind::NotFound, "No such file or directory");
    stage.input(Input::NotStarted(error));
    stage.expect(&expect![[r#"
        (start)
        > usi
        (kill)
        failed: cannot start the engine engines/brave: No such file or directory; check engine.path and engine.working_dir
        (finish)"#]]);
}

#[test]
fn a_crash_between_games_is_mended_before_the_next() {
    let mut stage = Stage::in_game();
    stage.command(PlayerCommand::GameOver(Outcome::Draw));
    stage.input(Input::Ended("exit code 0".to_owned()));
    stage.lines(&["usiok", "readyok"]);
    stage.expect(&expect![[r#"
        > gameover draw
        (kill)
        restarted: the engine brave ended by itself (exit code 0)
        (start)
        > usi
        > setoption name USI_Hash value 64
        > setoption name USI_Ponder value true
        > isready
        ready: Brave 1"#]]);
}

#[test]
fn an_engine_that_ends_after_each_readyok_is_not_started_for_ever() {
    for played in [false, true] {
        let mut stage = if played { Stage::in_game() } else { Stage::new(spec()) };
        if played {
            stage.command(PlayerCommand::GameOver(Outcome::Win));
        } else {
            stage.lines(&["usiok", "readyok"]);
        }
        stage.input(Input::Ended("exit code 0".to_owned()));
        stage.lines(&["usiok", "readyok"]);
        stage.seen.clear();
        stage.input(Input::Ended("exit code 0".to_owned()));
        stage.expect(&expect![[r#"
            (kill)
            failed: the engine brave ended by itself (exit code 0)
            (finish)"#]]);
    }
}

#[test]
fn a_crash_now_and_then_while_waiting_for_a_game_is_mended_each_time() {
    let mut stage = Stage::new(spec());
    for _ in 0..4 {
        stage.lines(&["usiok", "readyok"]);
        stage.pass(Duration::from_secs(600));
        stage.seen.clear();
        stage.input(Input::Ended("exit code 0".to_owned()));
        stage.expect(&expect![[r#"
            (kill)
            restarted: the engine brave ended by itself (exit code 0)
            (start)
            > usi"#]]);
    }
}

#[test]
fn an_engine_that_was_given_up_comes_back_for_the_next_game_or_fails() {
    for comes_back in [true, false] {
        let mut stage = Stage::in_game();
        stage.input(Input::Ended("exit code 0".to_owned()));
        stage.input(Input::Ended("exit code 0".to_owned()));
        stage.command(PlayerCommand::GameOver(Outcome::Draw));
        stage.seen.clear();
        if comes_back {
            stage.lines(&["usiok", "readyok"]);
        } else {
            stage.input(Input::Ended("exit code 0".to_owned()));
        }
        let seen = stage.seen.join("\n");
        let expected = if comes_back { "ready: Brave 1" } else { "failed: " };
        assert!(seen.contains(expected), "{seen}");
    }
}
