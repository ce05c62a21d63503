//! The scale of an evaluation: how many centipawns of the built-in evaluation its own unit is worth, by the results of
//! games.
//!
//! For each evaluation there is a logistic unit with which its values predict the results best. The scale is the ratio of
//! the two units on the same positions, so that margins of the search mean the same chances with both.

use serde::Serialize;

use super::GameReader;
use crate::logistic::{best_unit, loss};
use crate::train::TrainingGame;
use kyomi_engine::eval::{AnyEvaluator, Evaluation, Evaluator as _};
use kyomi_engine::search::Quiescence;
use kyomi_shogi::{Position, Winner};

/// The result of `kyomi-lab evalscale`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalScaleStudy {
    /// The evaluation.
    pub evaluation: String,
    /// The number of games.
    pub games: usize,
    /// The number of quiet positions.
    pub positions: usize,
    /// The built-in evaluation in centipawns.
    pub builtin: ScaleFit,
    /// The evaluation in its own unit.
    pub file: ScaleFit,
    /// Centipawns for 100 of its own units, rounded: the option `Eval_Scale`. `None` without both logistic units.
    pub percent: Option<u16>,
}

/// How the values of an evaluation predict the results.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScaleFit {
    /// The logistic unit with which they predict best; `None` if they predict all results, nothing, or the opposite.
    pub unit: Option<f64>,
    /// The mean cross-entropy in this unit.
    pub loss: Option<f64>,
}

/// Builds an [`EvalScaleStudy`] from games, which are added one after the other.
pub(crate) struct EvalScaleReader {
    name: String,
    builtin: AnyEvaluator,
    file: AnyEvaluator,
    quiescence: Quiescence,
    games: usize,
    /// The values of both evaluations, and the result for the side to move.
    scored: Vec<([f32; 2], f32)>,
}

impl EvalScaleReader {
    /// A reader without games.
    pub(crate) fn new(evaluation: &Evaluation) -> Self {
        Self {
            name: evaluation.to_string(),
            builtin: AnyEvaluator::of(&Evaluation::builtin()),
            file: AnyEvaluator::of(evaluation),
            quiescence: Quiescence::default(),
            games: 0,
            scored: Vec::new(),
        }
    }

    fn add_position(&mut self, position: &Position, winner: Winner) {
        if !self.quiescence.is_quiet(position, QUIET) {
            return;
        }
        let mover = position.side_to_move();
        let target = match winner {
            Winner::Draw => 0.5,
            Winner::Side(winner) => f32::from(u8::from(winner == mover)),
        };
        self.builtin.reset(position);
        self.file.reset(position);
        let values = [self.builtin.value(position), self.file.units(position)];
        let values = values.map(|value| value.clamp(-LARGEST, LARGEST) as f32);
        self.scored.push((values, target));
    }
}

impl GameReader for EvalScaleReader {
    type Study = EvalScaleStudy;

    /// Adds quiet positions of a game, one of [`EACH`] plies from ply [`FIRST`] on. Games without a known result do not
    /// count.
    fn add(&mut self, game: &TrainingGame) {
        let Some(winner) = game.winner else { return };
        self.games += 1;
        game.replay(|position, ply, _| {
            if ply >= FIRST && ply % EACH == self.games % EACH {
                self.add_position(position, winner);
            }
        });
    }

    fn games(&self) -> usize {
        self.games
    }

    fn finish(self) -> EvalScaleStudy {
        let fit = |which: usize| {
            let scored = self.scored.iter().map(|(values, target)| (values[which], *target, 1.0));
            let unit = best_unit(&scored);
            let loss = unit.map(|unit| {
                let losses = scored.map(|(score, target, _)| f64::from(loss(score / unit, target)));
                losses.sum::<f64>() / self.scored.len() as f64
            });
            ScaleFit { unit: unit.map(f64::from), loss }
        };
        let (builtin, file) = (fit(0), fit(1));
        let percent = builtin.unit.zip(file.unit).map(|(builtin, file)| 100.0 * builtin / file);
        EvalScaleStudy {
            evaluation: self.name,
            games: self.games,
            positions: self.scored.len(),
            builtin,
            file,
            percent: percent.map(|percent| percent.round().clamp(1.0, 1000.0) as u16),
        }
    }
}

/// Openings say little about the result.
const FIRST: usize = 20;
/// Neighbouring positions have the same result and nearly the same value.
const EACH: usize = 5;
/// In centipawns: a position in which captures win more than this is not quiet.
const QUIET: i32 = 30;
/// Values beyond this count as this.
const LARGEST: i32 = 3000;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Color;

    #[test]
    fn the_builtin_evaluation_has_the_scale_100() {
        let mut reader = EvalScaleReader::new(&Evaluation::builtin());
        assert_eq!(reader.games(), 0);
        for (sfen, winner) in [
            ("lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b b 1", Color::Black),
            ("lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", Color::Black),
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL w - 1", Color::White),
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", Color::White),
            ("lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", Color::White),
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            reader.add_position(&position, Winner::Side(winner));
        }
        let study = reader.finish();
        assert!(study.positions >= 4, "{study:?}");
        assert_eq!(study.builtin, study.file);
        assert_eq!(study.percent, Some(100), "{study:?}");
    }
}
