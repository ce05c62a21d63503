//! The move that the threads choose together (docs/search.md, section 5).

use super::line::RootLine;
use super::value::is_won;
use kyomi_shogi::Move;

/// Returns the line that the threads choose together. The move with the largest sum of (score − least score + 10) ·
/// limit is chosen; a proven win comes before it. Of equal moves the one of the first thread is chosen. Of the lines
/// that begin with the move, that of the first thread is returned unless another thread has completed a larger limit. A
/// line of the first thread that replaces a losing one ([`RootLine::is_substitute`]) counts only if no other thread has
/// a line.
pub(super) fn vote(own: RootLine, others: impl Iterator<Item = RootLine>) -> RootLine {
    let mut all = vec![own];
    all.extend(others.filter(|other| !other.line.is_empty()));
    if all.len() > 1 && all[0].is_substitute {
        all.remove(0);
    }
    if all.len() == 1 || all[0].line.is_empty() {
        return all.swap_remove(0);
    }
    let mut best = 0;
    for at in 1..all.len() {
        if is_better(&all[at], &all[best], &all) {
            best = at;
        }
    }
    all.swap_remove(best)
}

/// Whether the choice of one thread is better than that of a thread before it.
fn is_better(one: &RootLine, other: &RootLine, all: &[RootLine]) -> bool {
    if is_won(one.score.max(other.score)) {
        return one.score > other.score;
    }
    if one.line.first() == other.line.first() {
        return one.limit > other.limit;
    }
    let least = all.iter().map(|line| line.score).min().unwrap_or(0);
    votes(one.line.first(), least, all) > votes(other.line.first(), least, all)
}

/// The votes for a move.
fn votes(mv: Option<&Move>, least: i32, all: &[RootLine]) -> i64 {
    all.iter()
        .filter(|best| best.line.first() == mv)
        .map(|best| i64::from(best.score - least + 10) * i64::from(best.limit.max(1)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::line::Line;
    use crate::search::value::{mated_in, mates_in};
    use kyomi_shogi::notation::usi::parse_move;

    fn line_of(mv: &str, score: i32, limit: i32) -> RootLine {
        let line = Line::from_iter([parse_move(mv).unwrap()]);
        RootLine { line, score, limit, ..RootLine::default() }
    }

    /// The line chosen from these, of which the first is that of the first thread.
    fn elected(all: &[(&str, i32, i32)]) -> (String, i32, i32) {
        let mut all = all.iter().map(|&(mv, score, limit)| line_of(mv, score, limit));
        let own = all.next().unwrap();
        let chosen = vote(own, all);
        (chosen.line[0].to_string(), chosen.score, chosen.limit)
    }

    #[test]
    fn ties_go_to_the_first_thread() {
        let all = [("7g7f", 20, 500), ("2g2f", 20, 500), ("2g2f", 20, 0)];
        assert_eq!(elected(&all[..2]).0, "7g7f");
        // A thread that has completed no iteration hardly counts, but can decide between equal votes.
        assert_eq!(elected(&all).0, "2g2f");
    }

    #[test]
    fn scores_above_the_lowest_times_limits_add_up_by_move() {
        // (30 - 20 + 10) * 500 against two times 10 * 600.
        let all = [("7g7f", 30, 500), ("2g2f", 20, 600), ("2g2f", 20, 600)];
        assert_eq!(elected(&all), ("2g2f".to_owned(), 20, 600));
        let all = [("7g7f", 40, 500), ("2g2f", 20, 600), ("2g2f", 20, 600)];
        assert_eq!(elected(&all), ("7g7f".to_owned(), 40, 500));
    }

    #[test]
    fn of_lines_with_the_same_move_the_one_with_the_largest_limit_is_returned() {
        let all = [("7g7f", 30, 500), ("7g7f", 25, 540), ("7g7f", 35, 540)];
        assert_eq!(elected(&all), ("7g7f".to_owned(), 25, 540));
    }

    #[test]
    fn proven_wins_come_first_and_the_shortest_is_the_best() {
        let all = [("7g7f", 900, 800), ("2g2f", mates_in(9), 300), ("5g5f", mates_in(5), 200)];
        assert_eq!(elected(&all).1, mates_in(5));
        // Of equal wins the first.
        let all = [("7g7f", mates_in(5), 300), ("2g2f", mates_in(5), 800)];
        assert_eq!(elected(&all).0, "7g7f");
    }

    #[test]
    fn a_substitute_loses_to_lines_of_other_threads() {
        let own = || RootLine { is_substitute: true, ..line_of("7g7f", 300, 900) };
        let other = || line_of("2g2f", -200, 300);
        assert_eq!(vote(own(), [other()].into_iter()).line, other().line);
        assert_eq!(vote(own(), std::iter::empty()).line, own().line);
    }

    #[test]
    fn a_thread_that_sees_a_proven_loss_is_outvoted() {
        let all = [("7g7f", mated_in(4), 400), ("2g2f", -300, 380)];
        assert_eq!(elected(&all).0, "2g2f");
    }

    #[test]
    fn without_a_move_of_the_first_thread_there_is_none() {
        let none = RootLine::default();
        assert!(vote(none, [line_of("7g7f", 0, 100)].into_iter()).line.is_empty());
    }
}
