use std::sync::Arc;

use kyomi_csa::MoveEvent;
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::{Color, EndReason, Game, GameEnd, notation::csa};

use super::*;

fn started(number: u64) -> Report {
    testing::started(number, ["a", "b"], Color::Black)
}

/// The kings move back and forth.
fn moved(number: u64, ply: u32) -> Report {
    let (color, word) = match ply % 4 {
        1 => (Color::Black, "+5958OU"),
        2 => (Color::White, "-5152OU"),
        3 => (Color::Black, "+5859OU"),
        _ => (Color::White, "-5251OU"),
    };
    let mut game = Game::default();
    for word in ["+5958OU", "-5152OU", "+5859OU"].iter().take((ply as usize + 3) % 4) {
        game.push(csa::parse_move(game.position(), word).unwrap()).unwrap();
    }
    let mv = csa::parse_move(game.position(), word).unwrap();
    testing::moved(number, MoveEvent { word: word.to_owned(), ..testing::made(ply, mv, color) })
}

fn ended(number: u64) -> Report {
    let end = GameEnd::won(Color::Black, EndReason::Resignation, Color::White);
    Report::GameEnded { number, end, record: None }
}

fn thinking(depth: u32) -> Report {
    let info = Box::new(SearchInfo { depth, ..SearchInfo::default() });
    Report::Thinking { color: Color::White, game: Arc::new(Game::default()), info }
}

fn all_waiting(reports: &mut Reports) -> Vec<Report> {
    std::iter::from_fn(|| reports.try_next()).collect()
}

#[test]
fn every_watcher_receives_every_report_and_a_late_one_a_snapshot() {
    let watchers = Watchers::new();
    let mut first = watchers.subscribe();
    watchers.report(Report::Connecting { server: "x:1".to_owned() });
    watchers.report(started(1));
    watchers.report(moved(1, 1));
    watchers.report(thinking(7));
    let mut second = watchers.subscribe();
    watchers.report(moved(1, 2));
    watchers.report(ended(1));
    assert_eq!(all_waiting(&mut first).len(), 7);
    let seen = all_waiting(&mut second);
    let Report::Snapshot { snapshot, missed: 0 } = &seen[0] else { panic!("{seen:?}") };
    assert_eq!(snapshot.connection, Connection::Playing);
    let [game] = &snapshot.games[..] else { panic!("{snapshot:?}") };
    assert_eq!((game.number, game.moves.len(), game.end.is_some()), (1, 1, false));
    assert_eq!(game.lines[1].as_ref().map(|line| line.info.depth), Some(7));
    assert!(matches!(&seen[1..], [Report::Moved { .. }, Report::GameEnded { .. }]), "{seen:?}");
    drop(watchers);
    assert!(first.blocking_next().is_none() && second.blocking_next().is_none());
}

#[test]
fn a_slow_watcher_loses_reports_and_continues_from_a_snapshot() {
    let watchers = Watchers::new();
    let mut slow = watchers.subscribe();
    let mut quick = watchers.subscribe();
    watchers.report(started(1));
    let plies = 5000;
    let mut quick_seen = 0;
    for ply in 1..=plies {
        watchers.report(moved(1, ply));
        quick_seen += all_waiting(&mut quick).len() as u32;
    }
    // The snapshot, the start, and the moves.
    assert_eq!(quick_seen, plies + 2);
    let seen = all_waiting(&mut slow);
    let Some(Report::Snapshot { snapshot, missed }) = seen.last() else { panic!() };
    let before = seen.len() - 3;
    assert_eq!(u64::from(plies), before as u64 + missed, "lost reports are counted");
    assert_eq!(snapshot.games[0].moves.len(), plies as usize);
    let rest = snapshot.games[0].reports_after(before);
    assert_eq!(rest.len(), plies as usize - before);
    watchers.report(ended(1));
    assert!(matches!(all_waiting(&mut slow)[..], [Report::GameEnded { .. }]));
}

#[test]
fn unread_search_reports_do_not_fill_the_queue() {
    let watchers = Watchers::new();
    let mut slow = watchers.subscribe();
    watchers.report(started(1));
    for depth in 0..10_000 {
        watchers.report(thinking(depth));
    }
    watchers.report(moved(1, 1));
    let seen = all_waiting(&mut slow);
    assert!(matches!(seen.last(), Some(Report::Moved { .. })));
    assert!(seen.len() < 100, "{}", seen.len());
}

#[test]
fn the_last_reports_reach_a_slow_watcher_after_the_run() {
    let watchers = Watchers::new();
    let mut slow = watchers.subscribe();
    watchers.report(started(1));
    for ply in 1..=4000 {
        watchers.report(moved(1, ply));
    }
    watchers.report(ended(1));
    drop(watchers);
    let mut last = None;
    while let Some(report) = slow.blocking_next() {
        last = Some(report);
    }
    let Some(Report::Snapshot { snapshot, .. }) = last else { panic!("{last:?}") };
    assert!(snapshot.games[0].end.is_some());
}

#[test]
fn only_the_last_ended_games_are_kept() {
    let watchers = Watchers::new();
    watchers.report(started(1));
    for number in 2..=100 {
        watchers.report(started(number));
        watchers.report(ended(number));
    }
    let numbers: Vec<u64> = watchers.snapshot().games.iter().map(|game| game.number).collect();
    assert_eq!(numbers, [1, 93, 94, 95, 96, 97, 98, 99, 100], "the running one stays");
    assert_eq!(watchers.snapshot().ended_games, 99, "all are counted");
}
