//! When an engine may resign.

use super::*;
use crate::players::ResignRule;

/// A driver in a game whose engine may resign after three turns at -1000 or below.
fn with_rule(moves: u32) -> Harness {
    let rule = ResignRule { score: -1000, moves };
    Harness::in_game_with(UsiSpec { resign: Some(rule), ..spec() })
}

impl Harness {
    /// Lets the engine think at the start position and answer by these lines.
    fn turn(&mut self, id: u64, lines: &[&str]) {
        self.think(id, "");
        self.lines(lines);
    }

    /// Whether the last answer was a resignation, and whether it is allowed.
    fn resigned(&mut self) -> Option<bool> {
        let last = self.seen.iter().rfind(|line| line.starts_with("answer"))?;
        last.contains("Resign").then(|| !last.contains("fault"))
    }
}

const LOST: &str = "info depth 9 score cp -1000 pv 7g7f";
const OPEN: &str = "info depth 9 score cp -999 pv 7g7f";

#[test]
fn an_engine_may_resign_after_some_hopeless_turns_in_a_row() {
    for (scores, allowed) in [
        (&[LOST, LOST, LOST][..], true),
        (&[LOST, LOST], false),
        (&[LOST, LOST, OPEN], false),
        (&[LOST, OPEN, LOST, LOST], false),
        // A turn without a score, such as a forced reply, counts neither way.
        (&[LOST, LOST, LOST, "info depth 1"], true),
        (&[LOST, LOST, "info depth 1", "info depth 1"], false),
        // An engine that is being mated need not wait.
        (&["info score mate -4 pv 7g7f"], true),
        (&["info score mate -"], true),
        (&["info score mate 5 pv 7g7f"], false),
        (&[LOST, LOST, "info multipv 2 score cp -9000 pv 2g2f"], false),
        (&["info string good bye"], false),
    ] {
        let mut harness = with_rule(3);
        let (last, earlier) = scores.split_last().unwrap();
        for score in earlier {
            harness.turn(1, &[score, "bestmove 7g7f"]);
        }
        harness.turn(2, &[last, "bestmove resign"]);
        assert_eq!(harness.resigned(), Some(allowed), "{scores:?}: {:?}", harness.seen);
    }
}

#[test]
fn a_resignation_is_always_possible_without_a_legal_move() {
    let mut harness = with_rule(3);
    let mated = "4k4/9/9/9/9/9/4p4/4g4/4K4 b - 1";
    let game = parse_position_line(&format!("position sfen {mated}")).unwrap();
    assert!(!game.position().has_legal_move());
    let request = ThinkRequest { game, ..harness.request(1, "") };
    harness.command(PlayerCommand::Think(request));
    harness.lines(&["bestmove resign"]);
    assert_eq!(harness.resigned(), Some(true));
}

#[test]
fn an_engine_that_was_told_to_stop_must_not_resign() {
    let mut harness = with_rule(1);
    harness.turn(1, &["info score mate -2 pv 7g7f"]);
    harness.wait();
    assert_eq!(harness.seen.last().map(String::as_str), Some("> stop"));
    harness.lines(&["bestmove resign"]);
    assert_eq!(harness.resigned(), Some(false));
    harness.turn(2, &["info score mate -2 pv 7g7f", "bestmove resign"]);
    assert_eq!(harness.resigned(), Some(true));
}

#[test]
fn resigning_can_be_switched_off() {
    let mut harness = with_rule(0);
    harness.turn(1, &["info score mate -2 pv 7g7f", "bestmove resign"]);
    assert_eq!(harness.resigned(), Some(false));
}

#[test]
fn the_scores_of_an_earlier_game_do_not_count() {
    let mut harness = with_rule(3);
    for id in 1..=3 {
        harness.turn(id, &[LOST, "bestmove 7g7f"]);
    }
    harness.command(PlayerCommand::GameOver(Outcome::Loss));
    harness.command(PlayerCommand::NewGame(game_info()));
    harness.lines(&["readyok"]);
    harness.turn(4, &[LOST, "bestmove resign"]);
    assert_eq!(harness.resigned(), Some(false));
}

/// Another engine may have answered in its place.
#[test]
fn the_score_of_a_turn_that_was_ended_counts() {
    let mut harness = with_rule(3);
    for id in 1..=2 {
        harness.turn(id, &[LOST]);
        harness.command(PlayerCommand::Stop);
        harness.lines(&["bestmove 7g7f"]);
    }
    harness.turn(3, &[LOST, "bestmove resign"]);
    assert_eq!(harness.resigned(), Some(true));
}

#[test]
fn the_pv_from_before_the_ponder_hit_comes_with_an_early_resignation() {
    let mut harness = with_rule(3);
    harness.ponder_and_think(
        &["info score cp 12 depth 3 pv 2g2f 8c8d"],
        "7g7f 3c3d",
        &["bestmove resign"],
    );
    harness.expect(&expect![[r#"
        info 1: Some(Cp(12)) 2g2f 8c8d
        > ponderhit
        info 2: Some(Cp(12)) 2g2f 8c8d
        answer 2: Resign score Some(Cp(12)) pv [] ponder None depth Some(3) nodes None fault"#]]);
}
