//! The score of a move, with and without a line of play.

use super::*;

/// The score, the depth and the nodes of the answer to these lines.
fn answer(lines: &[&str], best: &str) -> (Option<Score>, Option<u32>, Option<u64>) {
    let mut driver = Driver::new(spec());
    let now = Instant::now();
    driver.begin(now);
    for line in ["usiok", "readyok"] {
        driver.handle(now, Input::Line(Line::text(line)));
    }
    let request = Harness::in_game().request(1, "7g7f 3c3d");
    driver.handle(now, Input::Command(PlayerCommand::Think(request)));
    for line in lines {
        driver.handle(now, Input::Line(Line::text(*line)));
    }
    let best = format!("bestmove {best}");
    let outputs = driver.handle(now, Input::Line(Line::text(best.as_str())));
    let found = outputs.into_iter().find_map(|output| match output {
        Output::Event(PlayerEvent::Answer { answer, .. }) => Some(answer),
        _ => None,
    });
    let answer = found.unwrap();
    (answer.finding.score, answer.finding.depth, answer.finding.nodes)
}

fn score(lines: &[&str]) -> Option<Score> {
    answer(lines, "2g2f").0
}

#[test]
fn a_score_without_a_line_is_that_of_the_move() {
    let line = "info depth 5 score cp -12 nodes 900";
    assert_eq!(answer(&[line], "2g2f"), (Some(Score::Cp(-12)), Some(5), Some(900)));
    for (text, expected) in [
        ("score mate +", Score::Win(None)),
        ("score mate -", Score::Loss(None)),
        ("score mate 3", Score::Win(Some(3))),
        ("score mate -4 nodes 5", Score::Loss(Some(4))),
        ("depth 9 score cp 77 lowerbound", Score::Cp(77)),
        ("depth 9 score cp -77 upperbound", Score::Cp(-77)),
        ("score cp 5 pv", Score::Cp(5)),
        ("score cp 5 pv resign", Score::Cp(5)),
        ("multipv 1 score cp 5", Score::Cp(5)),
    ] {
        assert_eq!(score(&[&format!("info {text}")]), Some(expected), "{text}");
    }
}

#[test]
fn the_latest_score_of_the_move_counts_whether_or_not_it_has_a_line() {
    let (lined, bare) = ("info depth 5 score cp 30 pv 2g2f", "info depth 6 score cp 40");
    assert_eq!(answer(&[lined, bare], "2g2f").0, Some(Score::Cp(40)));
    assert_eq!(answer(&[lined, bare], "2g2f").1, Some(6));
    assert_eq!(score(&[bare, "info depth 7 score cp 30 pv 2g2f"]), Some(Score::Cp(30)));
    // Score and line may come apart.
    assert_eq!(score(&[bare, "info pv 2g2f 8c8d"]), Some(Score::Cp(40)));
    assert_eq!(score(&["info depth 6 pv 2g2f 8c8d", bare]), Some(Score::Cp(40)));
    // A bound replaces an exact score only if it is deeper.
    assert_eq!(score(&[bare, "info depth 6 score cp 90 lowerbound"]), Some(Score::Cp(40)));
    assert_eq!(score(&[bare, "info depth 7 score cp 90 lowerbound"]), Some(Score::Cp(90)));
    assert_eq!(score(&[lined, "info depth 5 score cp 90 lowerbound"]), Some(Score::Cp(30)));
    assert_eq!(score(&[bare, "info depth 6 score cp 9 upperbound pv 2g2f"]), Some(Score::Cp(40)));
}

#[test]
fn what_is_not_the_score_of_the_move_is_not_taken_for_it() {
    for lines in [
        &["info depth 5 nodes 900"][..],
        &["info depth 5 pv 2g2f 8c8d"],
        &["info string score cp 40"],
        &["info multipv 2 score cp 40"],
        &["info depth 5 score cp 40 pv 6g6f"],
        // A line that is not legal is one of another position.
        &["info depth 5 score cp 40 pv 8c8d"],
        &["info depth 6 score cp 40", "info depth 7 score cp 9 pv 6g6f"],
    ] {
        assert_eq!(score(lines), None, "{lines:?}");
    }
}

#[test]
fn a_resignation_and_a_declaration_keep_their_score() {
    for line in
        ["info depth 7 score mate -6 nodes 50", "info depth 7 score mate -6 nodes 50 pv 2g2f"]
    {
        let expected = (Some(Score::Loss(Some(6))), Some(7), Some(50));
        assert_eq!(answer(&[line], "resign"), expected, "{line}");
    }
    assert_eq!(answer(&[], "resign"), (None, None, None));
}

#[test]
fn watchers_see_scores_without_lines_and_lines_without_scores() {
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.seen.clear();
    harness.lines(&[
        "info depth 5 nodes 900",
        "info depth 5 score cp -12",
        "info pv 2g2f 8c8d",
        "info depth 6 score mate +",
    ]);
    assert_eq!(
        harness.seen,
        [
            "info 1: Some(Cp(-12)) ",
            "info 1: Some(Cp(-12)) 2g2f 8c8d",
            "info 1: Some(Win(None)) 2g2f 8c8d",
        ]
    );
    let mut harness = Harness::in_game();
    harness.think(1, "");
    harness.seen.clear();
    harness.lines(&["info depth 5 pv 2g2f"]);
    assert_eq!(harness.seen, ["info 1: None 2g2f"]);
}
