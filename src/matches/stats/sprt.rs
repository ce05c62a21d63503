//! The sequential probability ratio test, which ends as soon as the games decide between two hypotheses.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use kyomi_shogi::text::settings;

use super::{
    Pairs,
    estimate::{NELO_UNIT, expected_score},
    ratio::Observed,
};

/// A test of "the difference is `elo0`" against "it is `elo1`".
///
/// ```
/// use kyomi::matches::stats::{Pairs, Sprt, SprtDecision};
/// let sprt: Sprt = "elo0=0,elo1=5".parse().unwrap();
/// assert_eq!(sprt.to_string(), "elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalised");
/// let state = sprt.state(&Pairs([10, 20, 40, 25, 15]));
/// assert_eq!(state.decision, SprtDecision::Open);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The difference under the hypothesis H0: the change has no value.
    pub elo0: f64,
    /// The difference under the hypothesis H1: the change is an improvement.
    pub elo1: f64,
    /// The risk of accepting `elo1` when `elo0` is true.
    pub alpha: f64,
    /// The risk of accepting `elo0` when `elo1` is true.
    pub beta: f64,
    /// The kind of Elo.
    pub model: SprtModel,
}

/// The kind of Elo in which the hypotheses are stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtModel {
    /// Logistic Elo, which depends on the score.
    Logistic,
    /// Normalised Elo, which depends on the distance of the score from ½ in standard deviations of a game.
    Normalised,
}

/// The state of the test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio of the two hypotheses.
    pub llr: f64,
    /// The bound at or below which H0 is accepted.
    pub lower: f64,
    /// The bound at or above which H1 is accepted.
    pub upper: f64,
    /// The decision of the test.
    #[serde(rename = "verdict")]
    pub decision: SprtDecision,
}

/// The decision of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtDecision {
    /// The test has not decided yet.
    Open,
    /// The difference is `elo0` or less.
    H0,
    /// The difference is `elo1` or more.
    H1,
}

impl Sprt {
    /// The bounds at which the test ends: `ln(β/(1-α))` and `ln((1-β)/α)`.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log of the generalised likelihood ratio after these pairs; 0 without pairs.
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        let observed = Observed::new(pairs.0);
        match self.model {
            SprtModel::Logistic => {
                observed.ratio_of_means(expected_score(self.elo0), expected_score(self.elo1))
            }
            SprtModel::Normalised => {
                // The spread of a pair's mean score is that of a game over √2.
                let distance = |nelo: f64| nelo / NELO_UNIT * std::f64::consts::SQRT_2;
                observed.ratio_of_distances(distance(self.elo0), distance(self.elo1))
            }
        }
    }

    /// The state of the test after these pairs.
    pub fn state(&self, pairs: &Pairs) -> SprtState {
        let ((lower, upper), llr) = (self.bounds(), self.llr(pairs));
        let decision = if llr <= lower {
            SprtDecision::H0
        } else if llr >= upper {
            SprtDecision::H1
        } else {
            SprtDecision::Open
        };
        SprtState { llr, lower, upper, decision }
    }
}

/// Writes the form that [`FromStr`] reads.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo0, elo1, alpha, beta, model } = self;
        let model = match model {
            SprtModel::Logistic => "logistic",
            SprtModel::Normalised => "normalised",
        };
        write!(f, "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta},model={model}")
    }
}

/// An error in the text of a test.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SprtError {
    /// A part is not known.
    #[error(
        "'{0}' is not known; write elo0=0,elo1=5 and optionally alpha=, beta=, model=logistic|normalised"
    )]
    Unknown(String),
    /// A number is out of range.
    #[error("{key}={value}: {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// The given value.
        value: String,
        /// A description of valid values.
        expected: &'static str,
    },
    /// One of the two hypotheses is missing.
    #[error("a test needs both hypotheses: elo0=0,elo1=5")]
    Missing,
    /// The hypotheses are in the wrong order, or equal.
    #[error("elo0 must be less than elo1")]
    Order,
}

/// Reads `elo0=A,elo1=B[,alpha=0.05][,beta=0.05][,model=logistic|normalised]`; without a model the Elo is normalised.
impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        let (mut elo0, mut elo1) = (None, None);
        let mut sprt =
            Self { elo0: 0.0, elo1: 0.0, alpha: 0.05, beta: 0.05, model: SprtModel::Normalised };
        for part in settings(text) {
            match (part.key, part.value.unwrap_or_default()) {
                ("elo0", value) => elo0 = Some(elo("elo0", value)?),
                ("elo1", value) => elo1 = Some(elo("elo1", value)?),
                ("alpha", value) => sprt.alpha = risk("alpha", value)?,
                ("beta", value) => sprt.beta = risk("beta", value)?,
                ("model", "logistic") => sprt.model = SprtModel::Logistic,
                ("model", "normalised" | "normalized") => sprt.model = SprtModel::Normalised,
                _ => return Err(SprtError::Unknown(part.text.chars().take(40).collect())),
            }
        }
        let (Some(elo0), Some(elo1)) = (elo0, elo1) else { return Err(SprtError::Missing) };
        if elo0 >= elo1 {
            return Err(SprtError::Order);
        }
        Ok(Self { elo0, elo1, ..sprt })
    }
}

fn elo(key: &'static str, text: &str) -> Result<f64, SprtError> {
    number(key, text, -400.0..=400.0, "a number from -400 to 400")
}

fn risk(key: &'static str, text: &str) -> Result<f64, SprtError> {
    number(key, text, 1e-6..=0.49, "a risk above 0 and below 0.5")
}

fn number(
    key: &'static str,
    text: &str,
    range: std::ops::RangeInclusive<f64>,
    expected: &'static str,
) -> Result<f64, SprtError> {
    let number: Option<f64> = text.parse().ok();
    let value = || text.chars().take(40).collect();
    number.filter(|number| range.contains(number)).ok_or_else(|| SprtError::Value {
        key,
        value: value(),
        expected,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sprt(elo0: f64, elo1: f64, model: SprtModel) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model }
    }

    /// The values of fishtest's formulas, computed in Python; the first row also by maximising both likelihoods
    /// directly (softmax parameters, augmented Lagrangian), which uses none of them.
    #[test]
    fn ratios_equal_those_of_fishtest() {
        use SprtModel::{Logistic, Normalised};
        let small = Pairs([10, 20, 40, 25, 15]);
        let drawish = Pairs([39, 2226, 31451, 2412, 40]);
        let large = Pairs([10789, 19328, 33806, 19402, 10543]);
        let gaps = Pairs([0, 0, 3, 5, 2]);
        for (pairs, elo0, elo1, logistic, normalised) in [
            (small, 0.0, 5.0, 0.293_285_79, 0.243_120_23),
            (small, 0.0, 10.0, 0.518_128_25, 0.440_884_66),
            (drawish, 0.0, 5.0, -68.718_701_73, 2.847_898_59),
            (large, -3.0, 1.0, 2.131_067_81, 0.300_869_79),
            (gaps, 0.0, 5.0, 0.142_849_96, 0.134_561_96),
        ] {
            let llr = sprt(elo0, elo1, Logistic).llr(&pairs);
            assert!((llr - logistic).abs() < 2e-8, "{pairs:?} {elo0} {elo1}: {llr}");
            let llr = sprt(elo0, elo1, Normalised).llr(&pairs);
            assert!((llr - normalised).abs() < 2e-8, "{pairs:?} {elo0} {elo1}: {llr}");
        }
    }

    /// By hand: ln 19 = 2.944.
    #[test]
    fn five_percent_risk_is_a_ratio_of_nineteen() {
        let (lower, upper) = sprt(0.0, 5.0, SprtModel::Logistic).bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
    }

    #[test]
    fn clear_results_decide() {
        let test: Sprt = "elo0=0,elo1=10,model=logistic".parse().unwrap();
        assert_eq!(test.state(&Pairs([5, 20, 100, 60, 40])).decision, SprtDecision::H1);
        assert_eq!(test.state(&Pairs([40, 60, 100, 20, 5])).decision, SprtDecision::H0);
        assert_eq!(test.state(&Pairs::default()).decision, SprtDecision::Open);
    }

    #[test]
    fn faults_are_reported() {
        for (text, part) in [
            ("elo0=0", "both hypotheses"),
            ("elo0=5,elo1=0", "less than"),
            ("elo0=0,elo1=many", "elo1=many"),
            ("elo0=0,elo1=5,alpha=0.7", "below 0.5"),
            ("elo0=0,elo1=5,gamma=1", "'gamma=1'"),
        ] {
            let error = text.parse::<Sprt>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        /// The other side's view of a test about ±Elo has the opposite ratio.
        #[test]
        fn swapped_results_have_the_opposite_ratio(
            counts in prop::array::uniform5(0..3000u64),
            elo0 in -10.0..5.0f64,
            width in 0.5..10.0f64,
            normalised: bool,
        ) {
            let model = if normalised { SprtModel::Normalised } else { SprtModel::Logistic };
            let pairs = Pairs(counts);
            let own = sprt(elo0, elo0 + width, model).llr(&pairs);
            let other = sprt(-elo0 - width, -elo0, model).llr(&pairs.swapped());
            prop_assert!((own + other).abs() < 1e-6 * own.abs().max(1.0), "{own} {other}");
        }
    }
}
