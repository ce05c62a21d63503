//! Statistics of a position from several lines, for analysis. They are shown beside the lines and do not change the
//! choice of the move.

use super::alternatives::{Alternatives, Near};
use super::single_good::SingleGood;

/// The text with the statistics of line `at`, given the scores of the lines of the root, best first. `None` if there
/// are fewer than two lines.
pub(crate) fn line_statistics(scores: &[i32], at: usize) -> Option<String> {
    if scores.len() < 2 {
        return None;
    }
    let safety = format!("safety {:+}", safety(scores, at));
    if at > 0 {
        return Some(safety);
    }
    let (mild, sharp) = (power_mean(scores, 4), power_mean(scores, 16));
    Some(format!("{safety}, chances of all lines {mild:.3} (power 4) {sharp:.3} (power 16)"))
}

/// The power mean of winning chances without the division by their number, so that every further line adds. The larger
/// the power, the more the best line counts (docs/search.md, section 4).
fn power_mean(scores: &[i32], power: i32) -> f64 {
    let sum: f64 = scores.iter().map(|&score| chance(score).powi(power)).sum();
    sum.powf(1.0 / f64::from(power))
}

/// The winning chance of a score in centipawns.
fn chance(score: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(score) / 600.0).exp())
}

/// The bonus or penalty that the rules about alternatives and single good moves, with fixed parameters, would give a
/// line. A line is safe if other moves are nearly as good.
fn safety(scores: &[i32], at: usize) -> i32 {
    let own = scores.get(at).copied().unwrap_or_default();
    let others = scores.iter().enumerate().filter(|&(other, _)| other != at);
    // A better line counts as equally good.
    let others = others.map(|(_, &score)| score.min(own));
    let mut near: Vec<i32> = std::iter::once(own).chain(others).collect();
    near.sort_unstable_by_key(|&score| std::cmp::Reverse(score));
    let near: Near = near.into_iter().take(Near::new_const().capacity()).collect();
    Alternatives::new(2, 20, 3).bonus(&near) - SingleGood::new(5, 20).penalty(&near, scores.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_good_line_adds_and_the_best_counts_most() {
        assert!((power_mean(&[0], 4) - 0.5).abs() < 1e-12);
        assert!(power_mean(&[0, 0], 4) > 0.59 && power_mean(&[0, 0], 16) < 0.53);
        assert!(power_mean(&[0, -2000], 4) < 0.5001);
        let wide = power_mean(&[300, -500, -900], 64);
        assert!((wide - chance(300)).abs() < 1e-3, "{wide}");
    }

    #[test]
    fn a_line_is_safe_when_others_are_nearly_as_good() {
        let scores = [100, 90, 81, 0];
        let found: Vec<_> = (0..4).map(|at| safety(&scores, at)).collect();
        assert_eq!(found, [4, 4, 4, 6]);
        assert_eq!(safety(&[100, 0], 0), -5);
        assert_eq!(line_statistics(&[5], 0), None);
        let text = line_statistics(&scores, 0).unwrap();
        assert!(text.starts_with("safety +4, chances of all lines 0."), "{text}");
        assert_eq!(line_statistics(&scores, 3).unwrap(), "safety +6");
    }
}
