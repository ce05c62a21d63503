//! The performance against opponents of known rating, and its curve over a series of games. Pure functions.

use super::ratings::{ELO, Rating, expectation};

/// The performance: the rating at which the expected points against opponents of these ratings equal the points made;
/// `None` without a game. With only wins or only losses it is 800 above or below the mean of the opponents.
pub fn performance(opponents: &[f64], points: f64) -> Option<Rating> {
    if opponents.is_empty() {
        return None;
    }
    let games = opponents.len() as f64;
    let mean = opponents.iter().sum::<f64>() / games;
    let rating = |elo, error| Some(Rating { elo, error, is_anchored: true });
    if points <= 0.0 {
        return rating(mean - 800.0, f64::INFINITY);
    }
    if points >= games {
        return rating(mean + 800.0, f64::INFINITY);
    }
    let (mut low, mut high) = (mean - 4000.0, mean + 4000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let expected: f64 = opponents.iter().map(|other| expectation((middle - other) / ELO)).sum();
        if expected < points { low = middle } else { high = middle }
    }
    let elo = f64::midpoint(low, high);
    let information = |other: &f64| {
        let expected = expectation((elo - other) / ELO);
        expected * (1.0 - expected)
    };
    let error = 1.96 * ELO / opponents.iter().map(information).sum::<f64>().sqrt();
    rating(elo, error)
}

/// How a rating changed over a series of games.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingCurve {
    /// The number of a game, from 1, and the performance in the games up to it, at most [`CURVE_WINDOW`] of them;
    /// `None` where these were all won or all lost. At most [`MOST_CURVE_POINTS`], the last game among them.
    pub points: Vec<(usize, Option<Rating>)>,
    /// The number of games that count.
    pub games: usize,
}

/// The performance over a series of games, each with the opponent's rating, if it is known, and the points made (0 to
/// 1).
///
/// Where enough ratings are known, or all of them, only games against opponents of known rating count. Otherwise all
/// games count, and the curve is the Elo difference to the opponents ([`Rating::is_anchored`] is false).
pub fn rating_curve(games: &[(Option<f64>, f64)]) -> RatingCurve {
    let known: Vec<(f64, f64)> =
        games.iter().filter_map(|&(rating, points)| Some((rating?, points))).collect();
    let is_anchored = known.len() >= ENOUGH_KNOWN || known.len() == games.len();
    let counted =
        if is_anchored { known } else { games.iter().map(|&(_, points)| (0.0, points)).collect() };
    let step = counted.len().div_ceil(MOST_CURVE_POINTS).max(1);
    // Counted back from the last game, so that it is always on the curve.
    let first = counted.len() - counted.len().saturating_sub(1) / step * step;
    let at = |number: usize| {
        let window = &counted[number.saturating_sub(CURVE_WINDOW)..number];
        let (opponents, points): (Vec<f64>, Vec<f64>) = window.iter().copied().unzip();
        let rating = performance(&opponents, points.iter().sum())?;
        rating.error.is_finite().then_some(Rating { is_anchored, ..rating })
    };
    let numbers = (first..=counted.len()).step_by(step).filter(|number| *number > 0);
    RatingCurve {
        points: numbers.map(|number| (number, at(number))).collect(),
        games: counted.len(),
    }
}

/// The number of games of which a point of a rating curve is the performance.
pub const CURVE_WINDOW: usize = 50;

/// The largest number of points of a rating curve.
pub const MOST_CURVE_POINTS: usize = 200;

/// With at least this number of games against opponents of known rating, the other games do not count in a curve.
const ENOUGH_KNOWN: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64, by: f64) {
        assert!((one - other).abs() < by, "{one} {other}");
    }

    #[test]
    fn the_expected_points_at_the_performance_are_the_points_made() {
        let even = performance(&[1500.0, 1700.0], 1.0).unwrap();
        close(even.elo, 1600.0, 1e-6);
        assert!(even.error > 300.0);
        close(performance(&[1500.0; 4], 3.0).unwrap().elo, 1690.85, 0.01);
        assert!(performance(&[1500.0], 1.0).unwrap().error.is_infinite());
        assert_eq!(performance(&[], 0.0), None);
    }

    #[test]
    fn a_curve_has_the_performance_of_the_last_games() {
        let elo = |curve: &RatingCurve, at: usize| curve.points[at].1.map(|it| it.elo);
        assert_eq!(rating_curve(&[]), RatingCurve::default());
        // Nothing but wins has no upper bound.
        let known = rating_curve(&[(Some(1500.0), 1.0), (Some(1500.0), 0.0), (Some(1500.0), 1.0)]);
        assert_eq!((known.games, elo(&known, 0)), (3, None));
        close(elo(&known, 1).unwrap(), 1500.0, 1e-6);
        close(elo(&known, 2).unwrap(), 1620.41, 0.01);
        assert!(known.points[2].1.unwrap().is_anchored);
        // One unknown rating of two: the difference to the opponents.
        let mixed = rating_curve(&[(Some(1500.0), 1.0), (None, 0.0)]);
        close(elo(&mixed, 1).unwrap(), 0.0, 1e-6);
        assert!(!mixed.points[1].1.unwrap().is_anchored);
        // Enough known ones: the others do not count.
        let mut games = vec![(Some(2000.0), 0.5); 10];
        games.push((None, 0.0));
        assert_eq!(rating_curve(&games).games, 10);
        // Old games leave the window, and a long series is thinned, its last game kept.
        let mut games = vec![(Some(1000.0), 0.0); 900];
        games.extend(vec![(Some(1000.0), 0.5); CURVE_WINDOW]);
        let long = rating_curve(&games);
        assert!(long.points.len() <= MOST_CURVE_POINTS);
        let last = long.points.last().unwrap();
        assert_eq!(last.0, games.len());
        close(last.1.unwrap().elo, 1000.0, 1e-6);
    }
}
