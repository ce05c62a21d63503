//! `gameover` and `quit` when the engine is still to answer `stop`.

use super::*;

/// Black's game is over while the engine thinks, or ponders.
fn over(pondering: bool, result: Outcome) -> Stage {
    let mut stage = Stage::in_game();
    if pondering {
        stage.ponder(1, "7g7f 3c3d");
    } else {
        stage.think(1, "");
    }
    stage.seen.clear();
    stage.command(PlayerCommand::Stop);
    stage.command(PlayerCommand::GameOver(result));
    stage
}

#[test]
fn an_engine_that_is_still_to_answer_stop_gets_gameover_before_quit() {
    for pondering in [false, true] {
        let mut stage = over(pondering, Outcome::Loss);
        stage.command(PlayerCommand::Quit);
        stage.pass(Duration::from_millis(4900));
        stage.expect(&expect!["> stop"]);
        stage.lines(&["info depth 9 score cp 3 pv 2g2f", "readyok", "bestmove 2g2f"]);
        stage.expect(&expect![[r"
            > gameover lose
            > quit
            (finish)"]]);
        assert_eq!(stage.wake, None);
    }
}

#[test]
fn an_engine_that_never_answers_stop_gets_both_after_the_limit() {
    for (result, word) in [(Outcome::Win, "win"), (Outcome::Loss, "lose"), (Outcome::Draw, "draw")]
    {
        let mut stage = over(false, result);
        let stopped = stage.now;
        stage.pass(Duration::from_secs(1));
        stage.command(PlayerCommand::Quit);
        stage.wait();
        assert_eq!(stage.now - stopped, STOP_TIMEOUT);
        assert_eq!(stage.seen, ["> stop", &format!("> gameover {word}"), "> quit", "(finish)"]);
    }
}

#[test]
fn gameover_and_quit_are_said_once() {
    let mut stage = over(false, Outcome::Win);
    stage.command(PlayerCommand::Quit);
    stage.command(PlayerCommand::Quit);
    stage.command(PlayerCommand::NewGame(game_info()));
    stage.think(2, "");
    stage.lines(&["bestmove 2g2f", "bestmove 2g2f"]);
    stage.pass(Duration::from_secs(100));
    stage.expect(&expect![[r"
        > stop
        > gameover win
        > quit
        (finish)"]]);
}

#[test]
fn a_search_that_was_stopped_at_its_flag_is_waited_for_too() {
    let mut stage = Stage::in_game();
    stage.think(1, "");
    stage.wait();
    stage.seen.clear();
    stage.command(PlayerCommand::Stop);
    stage.command(PlayerCommand::GameOver(Outcome::Loss));
    stage.command(PlayerCommand::Quit);
    stage.lines(&["bestmove 2g2f"]);
    stage.expect(&expect![[r"
        > gameover lose
        > quit
        (finish)"]]);
}

#[test]
fn an_engine_that_ends_while_it_is_waited_for_is_not_started_again() {
    let mut stage = over(false, Outcome::Win);
    stage.command(PlayerCommand::Quit);
    stage.input(Input::Ended("exit code 0".to_owned()));
    stage.expect(&expect![[r"
        > stop
        (kill)
        (finish)"]]);
}

#[test]
fn without_a_game_that_is_over_nothing_is_waited_for() {
    let mut stage = Stage::in_game();
    stage.think(1, "");
    stage.seen.clear();
    stage.command(PlayerCommand::Quit);
    stage.expect(&expect![[r"
        > stop
        > quit
        (finish)"]]);
}
