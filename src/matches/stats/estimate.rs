//! Estimates of Elo and related values, with errors.

use serde::Serialize;

use super::{Pairs, Wdl, normal, ratio::Observed};

/// The kind of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Pairs of games with colours changed (pentanomial).
    Pairs,
    /// Single games (trinomial).
    Games,
}

/// An estimate of the first player's strength by a match. All errors are half the width of the 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The kind of samples.
    pub basis: Basis,
    /// The number of samples.
    pub samples: u64,
    /// The points per game, 0 to 1.
    pub score: f64,
    /// Its error.
    pub score_error: f64,
    /// Logistic Elo, `-400 log₁₀(1/score - 1)`, within ±1200.
    pub elo: f64,
    /// Its error.
    pub elo_error: f64,
    /// Normalised Elo: `800/ln 10` times the distance of the score from ½ in standard deviations of a single game.
    /// Unlike Elo it does not shrink when openings are balanced and most games drawn.
    pub nelo: f64,
    /// Its error.
    pub nelo_error: f64,
    /// Likelihood of superiority: the probability that the first player is the stronger one, by the normal
    /// approximation.
    pub los: f64,
}

impl Estimate {
    /// An estimate from pairs; `None` without pairs.
    pub fn from_pairs(pairs: &Pairs) -> Option<Self> {
        (pairs.count() > 0).then(|| Self::new(Basis::Pairs, pairs.count(), &Observed::new(pairs.0)))
    }

    /// An estimate from single games; `None` without games.
    pub fn from_games(wdl: &Wdl) -> Option<Self> {
        let counts = [wdl.losses, wdl.draws, wdl.wins];
        (wdl.games() > 0).then(|| Self::new(Basis::Games, wdl.games(), &Observed::new(counts)))
    }

    /// An estimate from pairs if there are any, otherwise from games.
    pub fn new_from(pairs: &Pairs, wdl: &Wdl) -> Option<Self> {
        Self::from_pairs(pairs).or_else(|| Self::from_games(wdl))
    }

    fn new<const N: usize>(basis: Basis, samples: u64, observed: &Observed<N>) -> Self {
        let (score, variance) = observed.moments();
        let error = (variance / observed.samples).sqrt();
        // The mean of two independent games would have half the variance of one.
        let games_a_sample = if basis == Basis::Pairs { 2.0 } else { 1.0 };
        let deviation = (games_a_sample * variance).sqrt();
        let score_error = normal::Z95 * error;
        Self {
            basis,
            samples,
            score,
            score_error,
            elo: elo(score),
            elo_error: (elo(score + score_error) - elo(score - score_error)) / 2.0,
            nelo: (score - 0.5) / deviation * NELO_UNIT,
            nelo_error: normal::Z95 * NELO_UNIT / (games_a_sample * observed.samples).sqrt(),
            los: normal::cumulative((score - 0.5) / error),
        }
    }
}

impl Estimate {
    /// Elo and its error in tenths, `+23.7 ± 37.3`; never `-0.0`.
    pub fn elo_text(&self) -> String {
        text(self.elo, self.elo_error)
    }

    /// The same for normalised Elo.
    pub fn nelo_text(&self) -> String {
        text(self.nelo, self.nelo_error)
    }
}

fn text(value: f64, error: f64) -> String {
    // Adding zero makes a negative one positive.
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    format!("{tenths:+.1} ± {error:.1}")
}

/// The difference in Elo that gives this score; scores are cut at 0.001 and 0.999.
fn elo(score: f64) -> f64 {
    let score = score.clamp(0.001, 0.999);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The score that a difference in Elo gives.
pub(super) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Normalised Elo of one standard deviation: 800 / ln 10.
pub(super) const NELO_UNIT: f64 = 347.435_585_522_601_46;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-9 * b.abs().max(1.0)
    }

    /// By hand: 10 pairs of 0, 20 of ½, 40 of 1, 25 of 1½ and 15 of 2 points are 117.5 points of 220, so 0.534091 a
    /// game; the variance of a pair's mean score is (10·0.285253 + 20·0.080708 + 40·0.001162 + 25·0.046617 +
    /// 15·0.217071) / 110 = 0.081224, its root over √110 0.027174. The further digits are those of fishtest's formulas,
    /// computed in Python.
    #[test]
    fn pairs_are_counted_as_in_fishtest() {
        let estimate = Estimate::from_pairs(&Pairs([10, 20, 40, 25, 15])).unwrap();
        assert!(near(estimate.score, 117.5 / 220.0));
        assert!((estimate.score_error / normal::Z95 - 0.027_173_55).abs() < 1e-8);
        assert!(near(estimate.elo, 23.725_600_49), "{estimate:?}");
        assert!(near(estimate.elo_error, 37.326_054_92), "{estimate:?}");
        assert!(near(estimate.nelo, 29.386_998_61), "{estimate:?}");
        assert!(near(estimate.nelo_error, 45.910_397_07), "{estimate:?}");
        assert!(near(estimate.los, 0.895_181_17), "{estimate:?}");
    }

    #[test]
    fn a_large_test_of_fishtest_is_reproduced() {
        let estimate = Estimate::from_pairs(&Pairs([10789, 19328, 33806, 19402, 10543])).unwrap();
        assert!(near(estimate.elo, -0.773_577_34), "{estimate:?}");
        assert!(near(estimate.elo_error, 1.277_579_90), "{estimate:?}");
        assert!(near(estimate.nelo, -0.951_629_00), "{estimate:?}");
        assert!(near(estimate.los, 0.117_658_86), "{estimate:?}");
    }

    /// By hand: 50-40-30 is 70 of 120, Elo 400 log₁₀(7/5) = 58.45; the variance of a game is (50 + 10)/120 - (7/12)²
    /// = 0.159722, its error √(0.159722/120) = 0.036483, and (7/12 - ½)/0.036483 = 2.2842 standard errors give 98.88 %.
    #[test]
    fn single_games_equal_a_calculation_by_hand() {
        let wdl = Wdl { wins: 50, draws: 40, losses: 30 };
        let estimate = Estimate::from_games(&wdl).unwrap();
        assert!(near(estimate.elo, 400.0 * (7f64 / 5.0).log10()));
        assert!((estimate.score_error / normal::Z95 - 0.036_483_13).abs() < 1e-8);
        assert!(near(estimate.elo_error, 51.512_405_99), "{estimate:?}");
        assert!(near(estimate.nelo, 72.445_327_54), "{estimate:?}");
        assert!(near(estimate.nelo_error, 62.162_971_49), "{estimate:?}");
        assert!(near(estimate.los, 0.988_818_96), "{estimate:?}");
    }

    #[test]
    fn an_even_result_has_no_sign() {
        let even = Estimate::from_pairs(&Pairs([1, 1, 3, 1, 1])).unwrap();
        let barely = Estimate { elo: -0.000_1, ..even };
        assert!(barely.elo_text().starts_with("+0.0 ± "), "{}", barely.elo_text());
        assert!(even.nelo_text().starts_with("+0.0 ± "), "{}", even.nelo_text());
    }

    #[test]
    fn a_result_without_losses_stays_finite() {
        let estimate = Estimate::from_pairs(&Pairs([0, 0, 0, 0, 10])).unwrap();
        assert!(
            estimate.elo > 1000.0 && estimate.elo.is_finite() && estimate.elo_error.is_finite()
        );
        assert!(estimate.los > 0.999_999);
        assert_eq!(Estimate::from_pairs(&Pairs::default()), None);
    }

    proptest! {
        #[test]
        fn changing_sides_changes_the_sign(counts in prop::array::uniform5(0..5000u64)) {
            let pairs = Pairs(counts);
            if let (Some(a), Some(b)) = (Estimate::from_pairs(&pairs), Estimate::from_pairs(&pairs.swapped())) {
                prop_assert!((a.elo + b.elo).abs() < 1e-6 && (a.nelo + b.nelo).abs() < 1e-6);
                prop_assert!((a.elo_error - b.elo_error).abs() < 1e-6);
                prop_assert!((a.los + b.los - 1.0).abs() < 1e-9);
            }
        }

        /// If the games of pairs are independent, the estimate by pairs equals that by games up to chance.
        #[test]
        fn independent_pairs_agree_with_their_games(win in 1..40u64, draw in 1..40u64, loss in 1..40u64) {
            // All 100² combinations of two results, in exact proportion.
            let pairs = Pairs([
                loss * loss,
                2 * loss * draw,
                2 * loss * win + draw * draw,
                2 * draw * win,
                win * win,
            ]);
            let games = 2 * (win + draw + loss);
            let wdl = Wdl { wins: games * win, draws: games * draw, losses: games * loss };
            let (a, b) = (Estimate::from_pairs(&pairs).unwrap(), Estimate::from_games(&wdl).unwrap());
            prop_assert!((a.elo - b.elo).abs() < 1e-6);
            prop_assert!((a.elo_error - b.elo_error).abs() < 1e-6, "{} {}", a.elo_error, b.elo_error);
            prop_assert!((a.nelo - b.nelo).abs() < 1e-6);
            prop_assert!((a.nelo_error - b.nelo_error).abs() < 1e-6);
        }
    }
}
