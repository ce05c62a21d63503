//! The mate search on a sample of the data set of mates.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod common;

use kyomi_engine::search::{MateLimits, MateOutcome, MateSearch, StopFlag, is_mate_line};
use kyomi_shogi::{Move, Position};

#[test]
fn mates_are_found_and_no_line_is_wrong() {
    let rows = common::some_of(common::data_rows("mates.tsv"), 530);
    let mut search = MateSearch::new(1 << 20);
    let limits = MateLimits { nodes: Some(100_000), deadline: None };
    let (mut all, mut found, mut shortest_lines) = (0, 0, 0);
    for row in &rows {
        let position = Position::from_sfen(&row[0]).unwrap();
        all += 1;
        match search.solve(&position, &limits, &StopFlag::new()) {
            MateOutcome::Mate { line, plies, shortest } => {
                assert!(line.len() <= plies && plies % 2 == 1, "{}: {plies} {line:?}", row[0]);
                let length: usize = row[1].parse().unwrap();
                if shortest {
                    assert_eq!(plies, line.len(), "{}: {line:?}", row[0]);
                    assert!(plies <= length, "{}: {length} plies do, {line:?}", row[0]);
                    shortest_lines += 1;
                }
                if plies < length {
                    // The length in the set is not always the shortest: short mates are checked by trying all moves.
                    let tried = plies > 5 || mates_within(&mut position.clone(), plies);
                    assert!(tried, "{}: {plies} plies, not {length}: {line:?}", row[0]);
                }
                assert!(is_mate_line(&position, &line), "{}: {line:?}", row[0]);
                let checked = shortest.then(|| promotions_that_mate_too(&position, &line));
                assert!(checked.unwrap_or_default().is_empty(), "{}: {line:?}", row[0]);
                found += 1;
            }
            MateOutcome::NoMate => panic!("{}: there is a mate", row[0]),
            MateOutcome::Unknown => println!("not found: {} ({} plies)", row[0], row[1]),
        }
    }
    assert!(all > 200 && found * 100 >= all * 99, "{found} of {all}");
    assert!(shortest_lines * 100 >= all * 99, "{shortest_lines} of {all}");
}

/// The promotions that mate as quickly as the unpromoted moves in the last plies of a line.
fn promotions_that_mate_too(position: &Position, line: &[Move]) -> Vec<Move> {
    let mut position = position.clone();
    let mut found = Vec::new();
    for (index, &mv) in line.iter().enumerate() {
        let left = line.len() - index;
        let form = mv.from().filter(|_| index % 2 == 0 && !mv.is_promotion() && left <= 5);
        let form = form.map(|from| Move::normal(from, mv.to(), true));
        if let Some(form) = form.filter(|&form| position.is_legal(form)) {
            let undo = position.do_move(form);
            let mates = position.in_check()
                && position.legal_moves().into_iter().all(|answer| {
                    let undo = position.do_move(answer);
                    let mated = left > 1 && mates_within(&mut position, left - 2);
                    position.undo_move(answer, undo);
                    mated
                });
            position.undo_move(form, undo);
            found.extend(mates.then_some(form));
        }
        position.do_move(mv);
    }
    found
}

/// Whether checks alone mate within this number of plies, by trying all of them.
fn mates_within(position: &mut Position, plies: usize) -> bool {
    for check in position.legal_moves() {
        let undo = position.do_move(check);
        let mates = position.in_check() && {
            let answers = position.legal_moves();
            let mut all = answers.iter();
            all.all(|answer| {
                plies > 1 && {
                    let undo = position.do_move(*answer);
                    let mates = mates_within(position, plies - 2);
                    position.undo_move(*answer, undo);
                    mates
                }
            })
        };
        position.undo_move(check, undo);
        if mates {
            return true;
        }
    }
    false
}

#[test]
fn a_lance_on_the_third_rank_promotes_if_that_mates_as_quickly() {
    let sfen = "6s2/5p1pk/4+PP+B1r/6L1L/9/9/9/9/K8 b Prb4g3s4n2l13p 1";
    let position = Position::from_sfen(sfen).unwrap();
    let limits = MateLimits { nodes: Some(400_000), deadline: None };
    let outcome = MateSearch::new(1 << 20).solve(&position, &limits, &StopFlag::new());
    let MateOutcome::Mate { line, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(line[0].to_string(), "1d1c+");
}
