//! `isready` between games and at an offer.

use super::*;

#[test]
fn an_engine_is_prepared_before_the_next_game_is_offered() {
    let rules = "option name EnteringKingRule type combo default NoEnteringKing var NoEnteringKing var CSARule27";
    let mut harness = Harness::ready(spec(), &[rules, MAX_MOVES]);
    let (points, none) = (EnteringKingRule::Points27, EnteringKingRule::None);
    let games = [(points, 256), (points, 256), (none, 256)];
    for (entering_king, max_moves) in games {
        let max_moves = Some(max_moves);
        let info = GameInfo { entering_king, max_moves, ..game_info() };
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
    let mut harness = Harness::ready(spec(), &[MAX_MOVES]);
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
    harness.lines(&[MAX_MOVES, "usiok"]);
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

/// What an engine with these values of `EnteringKingRule` and the user get in games by these rules.
fn sent(values: &str, by_user: Option<&str>, rules: &[EnteringKingRule]) -> Vec<String> {
    let option =
        |value: &str| EngineOption { name: "EnteringKingRule".into(), value: value.into() };
    let options = by_user.map(option).into_iter().collect();
    let line = format!("option name EnteringKingRule type combo default CSARule27 {values}");
    let mut harness = Harness::ready(UsiSpec { options, ..spec() }, &[&line]);
    for &entering_king in rules {
        harness.command(PlayerCommand::NewGame(GameInfo { entering_king, ..game_info() }));
        harness.lines(&["readyok"]);
        harness.command(PlayerCommand::GameOver(Outcome::Win));
        harness.wait();
        harness.lines(&["readyok"]);
    }
    harness.seen.retain(|line| line.contains("EnteringKingRule") || line.starts_with("warning"));
    harness.seen
}

#[test]
fn an_engine_gets_the_rule_of_the_game() {
    use EnteringKingRule as Rule;
    let all =
        "var NoEnteringKing var CSARule24 var CSARule24H var CSARule27 var CSARule27H var TryRule";
    let rules = [Rule::Points27, Rule::Points24Handicap, Rule::Try, Rule::Points27];
    assert_eq!(
        sent(all, None, &rules),
        [
            "> setoption name EnteringKingRule value CSARule24H",
            "> setoption name EnteringKingRule value TryRule",
            "> setoption name EnteringKingRule value CSARule27",
        ]
    );
}

#[test]
fn an_engine_that_does_not_know_the_rule_gets_none() {
    let rule = EnteringKingRule::Points24;
    assert_eq!(
        sent("var NoEnteringKing var CSARule27", None, &[rule, rule]),
        [
            "warning: the engine brave does not know the rule CSARule24 for entering kings",
            "> setoption name EnteringKingRule value NoEnteringKing",
        ]
    );
    let text = sent("var CSARule27", None, &[rule]);
    assert_eq!(text.len(), 1, "{text:?}");
}

#[test]
fn a_rule_of_the_users_stays_with_one_warning_if_it_is_another() {
    let (values, set) = ("var CSARule24 var CSARule27", Some("CSARule27"));
    let usual = EnteringKingRule::Points27;
    assert!(sent(values, set, &[usual]).is_empty());
    let rule = EnteringKingRule::Points24;
    let both = sent(values, set, &[rule, rule]);
    assert_eq!(both.len(), 1, "{both:?}");
    assert!(
        both[0].contains("EnteringKingRule = CSARule27, but the rule of the game is CSARule24")
    );
}

#[test]
fn a_declaration_counts_by_the_rule_of_the_game() {
    // 28 points.
    let declared = "+P+P+P+PK+B+B+R+R/2+P+P5/9/9/9/9/9/9/4k4 b 2P 1";
    let tried = "9/4K4/9/9/9/9/9/8k/9 b - 1";
    for (sfen, entering_king, answer) in [
        (declared, EnteringKingRule::Points27, "answer 1: Declare"),
        (declared, EnteringKingRule::Points24, "(kill)"),
        (declared, EnteringKingRule::None, "(kill)"),
        (tried, EnteringKingRule::Try, "answer 1: 5b5a"),
        (tried, EnteringKingRule::Points27, "(kill)"),
    ] {
        let mut harness = Harness::new(spec());
        harness.lines(&["usiok", "readyok"]);
        harness.command(PlayerCommand::NewGame(GameInfo { entering_king, ..game_info() }));
        harness.lines(&["readyok"]);
        let game = parse_position_line(&format!("position sfen {sfen}")).unwrap();
        let request = ThinkRequest { game, ..harness.request(1, "") };
        harness.command(PlayerCommand::Think(request));
        harness.seen.clear();
        harness.lines(&["bestmove win"]);
        assert!(harness.seen[0].starts_with(answer), "{entering_king:?}: {:?}", harness.seen);
    }
}
