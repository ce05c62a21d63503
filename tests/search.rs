//! The search as a whole: mates of the data sets, games against random moves.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod common;

use kyomi_engine::search::{Score, SearchLimits, SearchOptions, Searcher, StopFlag};
use kyomi_shogi::{Color, Game, Position};

fn searcher() -> Searcher {
    Searcher::new(SearchOptions { threads: 1, hash_bytes: 8 << 20, ..SearchOptions::default() })
        .unwrap()
}

fn nodes(count: u64) -> SearchLimits {
    SearchLimits { nodes: Some(count), ..SearchLimits::default() }
}

/// The number of mates of this length that are found within `limit` nodes, and the number of mates tried, about
/// `count`.
fn mates_found(length: &str, count: usize, limit: u64) -> (usize, usize) {
    let mut rows = common::data_rows("mates.tsv");
    rows.retain(|row| row[1] == length);
    let rows = common::some_of(rows, count);
    assert!(rows.len() >= 50, "only {} rows", rows.len());
    let mut searcher = searcher();
    let mut found = 0;
    for row in &rows {
        let position = Position::from_sfen(&row[0]).unwrap();
        searcher.new_game();
        let result = searcher.search(&Game::new(position), &nodes(limit), &StopFlag::new(), |_| {});
        if matches!(result.score, Score::Win(_)) {
            found += 1;
        } else {
            println!("not found: {} ({})", row[0], row[2]);
        }
    }
    (found, rows.len())
}

#[test]
fn mates_in_one_are_found() {
    let (found, all) = mates_found("1", 300, 200_000);
    assert!(found == all, "{found} of {all}");
}

#[test]
fn mates_in_three_are_found() {
    let (found, all) = mates_found("3", 120, 200_000);
    assert!(found * 100 >= all * 98, "{found} of {all}");
}

#[test]
fn random_moves_lose() {
    let mut searcher = searcher();
    let mut random = fastrand::Rng::with_seed(2024);
    for round in 0..10 {
        let engine = if round % 2 == 0 { Color::Black } else { Color::White };
        searcher.new_game();
        let mut game = Game::default();
        let winner = loop {
            let position = game.position();
            let side = position.side_to_move();
            let moves = position.legal_moves();
            if moves.is_empty() {
                break Some(!side);
            }
            if game.len() >= 256 {
                break None;
            }
            let mv = if side == engine {
                searcher.search(&game, &nodes(1000), &StopFlag::new(), |_| {}).best.unwrap()
            } else {
                moves[random.usize(..moves.len())]
            };
            game.push(mv).unwrap();
        };
        assert_eq!(winner, Some(engine), "game {round}: {:?}", game.moves());
    }
}
