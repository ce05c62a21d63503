use crate::watch::{
    Watchers,
    testing::{self, made},
};
use std::path::PathBuf;

use expect_test::expect;

use kyomi_csa::MoveEvent;
use kyomi_shogi::{Color, EndReason, Finding, GameEnd, Score, notation::usi};

use super::*;

const NO_TERMINAL: Surroundings = Surroundings { terminal: false, colour: false };

fn started() -> Report {
    testing::started(1, ["a", "b"], Color::Black)
}

fn moved(ply: u32, mv: &str, color: Color, score: Option<Score>) -> Report {
    let event = made(ply, usi::parse_move(mv).unwrap(), color);
    let analysis = Some(Finding { score, ..Finding::default() });
    testing::moved(1, MoveEvent { analysis, ..event })
}

fn ended() -> Report {
    Report::GameEnded {
        number: 1,
        end: GameEnd::won(Color::White, EndReason::TimeUp, Color::Black),
        record: Some(PathBuf::from("logs/games/a\u{1b}b.csa")),
    }
}

fn shown(style: ViewStyle, reports: &[Report]) -> String {
    let mut out = Vec::new();
    let mut view = View::new(style, &mut out, NO_TERMINAL);
    let now = Instant::now();
    for report in reports {
        view.report(report, now).unwrap();
        view.tick(now).unwrap();
    }
    view.finish().unwrap();
    drop(view);
    String::from_utf8(out).unwrap()
}

fn a_short_game() -> [Report; 5] {
    [
        Report::Waiting { name: "a".to_owned(), pairing: None },
        started(),
        moved(1, "7g7f", Color::Black, Some(Score::Cp(35))),
        moved(2, "3c3d", Color::White, Some(Score::Loss(Some(3)))),
        ended(),
    ]
}

#[test]
fn a_program_reads_a_line_for_each_move_and_three_at_the_end() {
    for style in [ViewStyle::Auto, ViewStyle::Live, ViewStyle::Lines] {
        expect![[r"
            1 +7776FU 1 60 60 +35
            2 -3334FU 1 60 60 -mate3
            result: white
            reason: %TIME_UP
            record: logs/games/ab.csa
        "]]
        .assert_eq(&shown(style, &a_short_game()));
    }
}

#[test]
fn moves_of_lost_reports_are_shown_later() {
    let watchers = Watchers::new();
    let game = a_short_game();
    for report in &game[..3] {
        watchers.report(report.clone());
    }
    let early = Report::Snapshot { snapshot: Box::new(watchers.snapshot()), missed: 0 };
    for report in &game[3..] {
        watchers.report(report.clone());
    }
    let late = Report::Snapshot { snapshot: Box::new(watchers.snapshot()), missed: 2 };
    let wanted = shown(ViewStyle::Lines, &game);
    let [_, start, first, ..] = &game;
    for reports in [
        vec![late.clone()],
        vec![early.clone(), late.clone()],
        vec![start.clone(), early, first.clone(), late.clone(), late.clone()],
        vec![start.clone(), first.clone(), late],
    ] {
        assert_eq!(shown(ViewStyle::Lines, &reports), wanted, "{reports:?}");
    }
}

#[test]
fn quiet_shows_the_result_only() {
    expect![[r"
        result: white
        reason: %TIME_UP
        record: logs/games/ab.csa
    "]]
    .assert_eq(&shown(ViewStyle::Quiet, &a_short_game()));
}

#[test]
fn an_illegal_move_is_left_out() {
    let reports = [started(), moved(1, "5e5d", Color::Black, None), ended()];
    assert!(shown(ViewStyle::Lines, &reports).starts_with("result: white\n"));
}

/// The only test that shows a screen, since the screen is global in the process.
#[test]
fn a_live_board_is_shown_during_a_game_with_warnings() {
    let mut out = Vec::new();
    let watched = Surroundings { terminal: true, colour: false };
    let mut view = View::new(ViewStyle::Auto, &mut out, watched);
    view.size = || (80, 24);
    let now = Instant::now();
    assert!(!screen::notice("nobody shows this"));
    for report in &a_short_game()[..4] {
        view.report(report, now).unwrap();
    }
    assert!(screen::notice(" WARN the line\u{1b}[2J is slow\n"));
    view.tick(now).unwrap();
    view.report(&ended(), now).unwrap();
    view.finish().unwrap();
    assert!(!screen::notice("the screen is down again"));
    drop(view);
    let text = String::from_utf8(out).unwrap();
    let (before, rest) = text.split_once("\u{1b}[?1049h").unwrap();
    assert_eq!(before, "logged in as a, waiting for a game\n");
    let (live, after) = rest.split_once("\u{1b}[?1049l").unwrap();
    assert!(live.contains("game 1, 2 moves") && live.contains("WARN the line[2J is slow"));
    assert!(after.starts_with("\u{1b}[?25h"), "the cursor is shown again");
    assert!(after.contains("３四歩") && after.ends_with("record: logs/games/ab.csa\n"), "{after}");
}
