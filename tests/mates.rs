//! The mate search on a sample of the data set of mates.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod common;

use kyomi::search::{MateLimits, MateOutcome, MateSearch, StopFlag, is_mate_line};
use kyomi::shogi::Position;

#[test]
fn mates_are_found_and_no_line_is_wrong() {
    let Some(rows) = common::data_rows("mates.tsv") else { return };
    let mut search = MateSearch::new(1 << 20);
    let limits = MateLimits { nodes: Some(100_000), deadline: None };
    let (mut all, mut found) = (0, 0);
    for row in rows.iter().step_by(50) {
        let position = Position::from_sfen(&row[0]).unwrap();
        all += 1;
        match search.solve(&position, &limits, &StopFlag::new()) {
            MateOutcome::Mate { line, plies } => {
                assert!(line.len() <= plies && plies % 2 == 1, "{}: {plies} {line:?}", row[0]);
                assert!(is_mate_line(&position, &line), "{}: {line:?}", row[0]);
                found += 1;
            }
            MateOutcome::NoMate => panic!("{}: there is a mate", row[0]),
            MateOutcome::Unknown => println!("not found: {} ({} plies)", row[0], row[1]),
        }
    }
    assert!(all > 200 && found * 100 >= all * 99, "{found} of {all}");
}
