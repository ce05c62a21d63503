//! The scales of engines' scores, fitted to the results of their games.

use std::collections::BTreeMap;

use kyomi_record::Winner;
use kyomi_shogi::Color;

use super::TrainingGame;
use crate::logistic::{best_unit, sigmoid};

/// The unit of each engine's scores: `sigmoid(eval / unit)` is the expected result.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Scales {
    units: BTreeMap<Box<str>, f32>,
}

impl Scales {
    /// Fits a unit for each name with enough scores. An engine whose scores correlate little with the results gets
    /// none.
    pub fn fit<'a>(games: impl IntoIterator<Item = &'a TrainingGame>) -> Self {
        let mut pairs: BTreeMap<&str, Vec<(f32, f32)>> = BTreeMap::new();
        for game in games {
            let result = match game.winner {
                Some(Winner::Side(Color::Black)) => 1.0,
                Some(Winner::Side(Color::White)) => 0.0,
                _ => continue,
            };
            for (ply, eval) in game.evals.iter().enumerate() {
                let side = game.side_to_move(ply);
                if let Some(eval) = eval.filter(|eval| (-CLIP..=CLIP).contains(eval)) {
                    let name = game.player(side);
                    pairs.entry(name).or_default().push((eval as f32, result));
                }
            }
        }
        let units = pairs
            .into_iter()
            .filter(|(name, pairs)| pairs.len() >= ENOUGH && !is_unreliable(name))
            .filter_map(|(name, pairs)| Some((name.into(), unit(&pairs)?)))
            .collect();
        Self { units }
    }

    /// Sets the unit of a name.
    pub fn set(&mut self, name: &str, unit: f32) {
        self.units.insert(name.into(), unit);
    }

    /// Black's expected result at a ply by the engines' scores: by the score of the side to move if it has one and a
    /// known unit, otherwise by the opponent's score one ply later.
    pub fn black_score(&self, game: &TrainingGame, ply: usize) -> Option<f32> {
        self.own_score(game, ply).or_else(|| self.own_score(game, ply + 1))
    }

    /// Black's expected result at a ply by the score of the side to move, if it has one and a known unit.
    pub(super) fn own_score(&self, game: &TrainingGame, ply: usize) -> Option<f32> {
        let side = game.side_to_move(ply);
        let unit = self.units.get(game.player(side))?;
        let eval = game.evals.get(ply).copied().flatten()?;
        Some(sigmoid(eval.clamp(-CLIP, CLIP) as f32 / unit))
    }

    /// The names and their units.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.units.iter().map(|(name, unit)| (&**name, *unit))
    }
}

/// The unit with the highest likelihood of the results; `None` if it is outside the plausible range.
fn unit(pairs: &[(f32, f32)]) -> Option<f32> {
    let found = best_unit(&pairs.iter().map(|&(eval, result)| (eval, result, 1.0)))?;
    PLAUSIBLE.contains(&found).then_some(found)
}

/// The units, in centipawns, of scores that mean something.
pub(super) const PLAUSIBLE: std::ops::Range<f32> = 150.0..4000.0;

/// Whether an engine's scores have unreliable signs, according to the notes on the data.
fn is_unreliable(name: &str) -> bool {
    name.starts_with("yomita") || name.starts_with("ponderman")
}

/// Scores larger than this mean a won game, in the engines' units.
const CLIP: i32 = 3000;
/// The number of scores that the fit of a unit needs.
const ENOUGH: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    fn game(eval: i32, winner: Color, name: &str) -> TrainingGame {
        let table = "#moves\tresult\nstartpos moves 7g7f 3c3d\t?\n";
        let mut game = crate::train::Games::new(
            std::path::Path::new("t"),
            std::io::Cursor::new(table.as_bytes()),
        )
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
        game.winner = Some(Winner::Side(winner));
        game.evals = Box::new([Some(eval), None]);
        (game.black, game.white) = (name.into(), "other".into());
        game
    }

    #[test]
    fn the_unit_comes_from_the_results() {
        // Three of four are won where the evaluation is 500: ln 3 = 500 / unit.
        let games: Vec<TrainingGame> = (0..1000)
            .map(|i| game(500, if i % 4 == 0 { Color::White } else { Color::Black }, "engine"))
            .collect();
        let scales = Scales::fit(&games);
        let (name, unit) = scales.iter().next().unwrap();
        assert_eq!(name, "engine");
        assert!((unit - 500.0 / 3.0_f32.ln()).abs() < 1.0, "{unit}");
        assert!((scales.black_score(&games[0], 0).unwrap() - 0.75).abs() < 1e-3);
        // At ply 1 there is no score.
        assert_eq!(scales.black_score(&games[0], 1), None);
    }

    #[test]
    fn the_largest_scores_count_for_no_unit() {
        let games: Vec<TrainingGame> = [i32::MIN, i32::MAX]
            .into_iter()
            .flat_map(|eval| (0..600).map(move |_| game(eval, Color::Black, "engine")))
            .collect();
        assert_eq!(Scales::fit(&games), Scales::default());
    }

    #[test]
    fn a_given_unit_is_used() {
        let game = game(500, Color::Black, "engine");
        let mut scales = Scales::default();
        assert_eq!(scales.black_score(&game, 0), None);
        scales.set("engine", 500.0 / 3.0_f32.ln());
        assert!((scales.black_score(&game, 0).unwrap() - 0.75).abs() < 1e-3);
    }

    #[test]
    fn uncorrelated_or_few_scores_get_no_unit() {
        let wrong: Vec<TrainingGame> =
            (0..1000).map(|_| game(500, Color::White, "engine")).collect();
        assert_eq!(Scales::fit(&wrong), Scales::default());
        let few: Vec<TrainingGame> = (0..20).map(|_| game(500, Color::Black, "engine")).collect();
        assert_eq!(Scales::fit(&few), Scales::default());
    }
}
