//! Winning chances from scores.

use kyomi_shogi::Score;

/// The winning chance that corresponds to a score, from 0 to 1, for the side that the score is for.
///
/// It is `1 / (1 + e^(−centipawns / 600))`; a proven mate is 1 or 0.
pub fn chance(score: Score) -> f64 {
    match score {
        Score::Cp(centipawns) => 1.0 / (1.0 + (-f64::from(centipawns) / UNIT).exp()),
        Score::Win(_) => 1.0,
        Score::Loss(_) => 0.0,
    }
}

/// The score in centipawns at which the chances are about 73 to 27.
const UNIT: f64 = 600.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_both_sides_add_up_and_mates_are_certain() {
        for score in [Score::Cp(0), Score::Cp(250), Score::Win(Some(3)), Score::Loss(None)] {
            assert!((chance(score) + chance(-score) - 1.0).abs() < 1e-12, "{score}");
        }
        assert!((chance(Score::Cp(600)) - 0.731).abs() < 0.001);
        assert_eq!((chance(Score::Win(None)), chance(Score::Loss(Some(2)))), (1.0, 0.0));
    }
}
