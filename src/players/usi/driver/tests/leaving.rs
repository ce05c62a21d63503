//! `gameover` and `quit` when the engine has not yet answered `stop`.

use super::*;

/// Black's game is over while the engine thinks, or ponders.
fn over(pondering: bool, result: Outcome) -> Harness {
    let mut harness = Harness::in_game();
    if pondering {
        harness.ponder(1, "7g7f 3c3d");
    } else {
        harness.think(1, "");
    }
    harness.seen.clear();
    harness.command(PlayerCommand::Stop);
    harness.command(PlayerCommand::GameOver(result));
    harness
}

#[test]
fn an_engine_that_has_to_answer_stop_gets_gameover_before_quit() {
    for pondering in [false, true] {
        let mut harness = over(pondering, Outcome::Loss);
        harness.command(PlayerCommand::Quit);
        harness.pass(Duration::from_millis(4900));
        harness.expect(&expect!["> stop"]);
        harness.lines(&["info depth 9 score cp 3 pv 2g2f", "readyok", "bestmove 2g2f"]);
        harness.expect(&expect![[r"
            > gameover lose
            > quit
            (finish)"]]);
        assert_eq!(harness.wake, None);
    }
}

#[test]
fn an_engine_that_never_answers_stop_gets_both_after_the_limit() {
    for (result, word) in [(Outcome::Win, "win"), (Outcome::Loss, "lose"), (Outcome::Draw, "draw")]
    {
        let mut harness = over(false, result);
        let stopped = harness.now;
        harness.pass(Duration::from_secs(1));
        harness.command(PlayerCommand::Quit);
        harness.wait();
        assert_eq!(harness.now - stopped, STOP_TIMEOUT);
        assert_eq!(harness.seen, ["> stop", &format!("> gameover {word}"), "> quit", "(finish)"]);
    }
}

#[test]
fn gameover_and_quit_are_sent_once() {
    let mut harness = over(false, Outcome::Win);
    harness.command(PlayerCommand::Quit);
    harness.command(PlayerCommand::Quit);
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.think(2, "");
    harness.lines(&["bestmove 2g2f", "bestmove 2g2f"]);
    harness.pass(Duration::from_secs(100));
    harness.expect(&expect![[r"
        > stop
        > gameover win
        > quit
        (finish)"]]);
}

#[test]
fn a_search_stopped_at_its_flag_is_awaited_too() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.wait();
    harness.seen.clear();
    harness.command(PlayerCommand::Stop);
    harness.command(PlayerCommand::GameOver(Outcome::Loss));
    harness.command(PlayerCommand::Quit);
    harness.lines(&["bestmove 2g2f"]);
    harness.expect(&expect![[r"
        > gameover lose
        > quit
        (finish)"]]);
}

#[test]
fn an_engine_that_ends_while_it_is_awaited_is_not_restarted() {
    let mut harness = over(false, Outcome::Win);
    harness.command(PlayerCommand::Quit);
    harness.input(Input::Ended("exit code 0".to_owned()));
    harness.expect(&expect![[r"
        > stop
        (kill)
        (finish)"]]);
}

#[test]
fn without_a_finished_game_quit_is_sent_at_once() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.seen.clear();
    harness.command(PlayerCommand::Quit);
    harness.expect(&expect![[r"
        > stop
        > quit
        (finish)"]]);
}
