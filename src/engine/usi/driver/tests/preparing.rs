//! `isready` between games and at an offer.

use super::*;

#[test]
fn an_engine_is_prepared_before_the_next_game_is_offered() {
    let mut harness = Harness::new(spec());
    harness.lines(&[
        "option name EnteringKingRule type combo default NoEnteringKing var NoEnteringKing var CSARule27",
        "option name MaxMovesToDraw type spin default 0 min 0 max 100000",
        "usiok",
        "readyok",
    ]);
    harness.seen.clear();
    let games = [(true, 256), (true, 256), (false, 256)];
    for (declaration, max_moves) in games {
        let max_moves = Some(max_moves);
        let info = GameInfo { declaration, max_moves, ..game_info() };
        harness.command(PlayerCommand::NewGame(info));
        // An engine that is not asked does not answer.
        if harness.seen.last().is_some_and(|line| line == "> isready") {
            harness.lines(&["readyok"]);
        }
        harness.command(PlayerCommand::GameOver(Outcome::Win));
        harness.wait();
        harness.lines(&["readyok"]);
        assert_eq!(harness.wake, None);
    }
    harness.expect(&expect![[r#"
        > setoption name EnteringKingRule value CSARule27
        > setoption name MaxMovesToDraw value 256
        > isready
        > usinewgame
        prepared
        > gameover win
        > isready
        > usinewgame
        prepared
        > gameover win
        > isready
        > setoption name EnteringKingRule value NoEnteringKing
        > isready
        > usinewgame
        prepared
        > gameover win
        > isready"#]]);
}

#[test]
fn a_game_that_is_called_off_while_the_engine_prepares_does_not_begin() {
    let mut harness = Harness::new(spec());
    harness.lines(&[
        "option name MaxMovesToDraw type spin default 0 min 0 max 100000",
        "usiok",
        "readyok",
    ]);
    harness.seen.clear();
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.command(PlayerCommand::GameOver(Outcome::None));
    harness.lines(&["readyok"]);
    harness.seen.push("-- the next one".to_owned());
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.expect(&expect![[r#"
        > setoption name MaxMovesToDraw value 256
        > isready
        -- the next one
        > usinewgame
        prepared"#]]);
}

#[test]
fn an_offer_with_other_rules_while_the_engine_prepares() {
    let mut harness = Harness::new(spec());
    harness.lines(&["option name MaxMovesToDraw type spin default 0 min 0 max 100000", "usiok"]);
    harness.seen.clear();
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.lines(&["readyok", "readyok"]);
    harness.expect(&expect![[r#"
        ready: brave
        > setoption name MaxMovesToDraw value 256
        > isready
        > usinewgame
        prepared"#]]);
}
