//! The lines of `pairs.jsonl`, and the state of the run after them.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use kyomi::matches::MatchEnd;
use kyomi::matches::stats::Wdl;

use super::spsa::{Perturbation, Spsa};

/// A pair of games as reported by a player. The plus values have black in the first game and white in the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairResult {
    /// The index of the pair in the iteration, from 0.
    pub pair: usize,
    /// For each game 1 if the plus values won, -1 if they lost, 0 for a draw.
    pub results: [i32; 2],
    /// How the games ended; empty for a player that plays no games.
    pub ends: Vec<MatchEnd>,
    /// The lengths of the games in plies, likewise.
    pub plies: Vec<usize>,
}

/// A pair of games: one line of `pairs.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayedPair {
    /// The iteration, from 1.
    pub iteration: u64,
    /// The number of the pair in the iteration, from 1.
    pub pair: usize,
    /// For each parameter `+` if it is moved up in the plus values, `-` if it is moved down.
    pub perturbation: String,
    /// The values of one side, called plus.
    pub plus: Vec<i32>,
    /// The values of the other side.
    pub minus: Vec<i32>,
    /// The result of plus in its game as black and in its game as white: 1, 0 or -1.
    pub results: [i32; 2],
    /// How the games ended.
    pub ends: Vec<MatchEnd>,
    /// The lengths of the games in plies.
    pub plies: Vec<usize>,
    /// All parameters after the iteration, on the line that completes it. Only for people: the program computes them
    /// from the results.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub theta: BTreeMap<String, f64>,
}

/// The state of a run after the lines so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TuneState {
    pub(super) spsa: Spsa,
    /// The number of pairs in each iteration.
    pairs: usize,
    /// The perturbation of the current iteration.
    pub(super) perturbation: Perturbation,
    /// The sum of the two results of each finished pair of the current iteration, by its index from 0.
    finished_pairs: BTreeMap<usize, i32>,
    /// All games so far, from the view of plus.
    pub(super) wdl: Wdl,
}

impl TuneState {
    pub(super) fn new(spsa: Spsa, pairs: usize) -> Self {
        let perturbation = spsa.perturbation();
        Self {
            spsa,
            pairs: pairs.max(1),
            perturbation,
            finished_pairs: BTreeMap::new(),
            wdl: Wdl::default(),
        }
    }

    /// The number of the current iteration, from 1.
    pub(super) fn iteration(&self) -> u64 {
        self.spsa.done() + 1
    }

    /// The indices of its pairs that are not yet finished, from 0.
    pub(super) fn missing(&self) -> Vec<usize> {
        (0..self.pairs).filter(|pair| self.is_missing(*pair)).collect()
    }

    /// Whether this pair of the current iteration is not yet finished.
    fn is_missing(&self, pair: usize) -> bool {
        pair < self.pairs && !self.finished_pairs.contains_key(&pair)
    }

    /// The line of a pair of the current iteration.
    pub(super) fn line(&self, result: PairResult) -> PlayedPair {
        PlayedPair {
            iteration: self.iteration(),
            pair: result.pair + 1,
            perturbation: signs(&self.perturbation.up),
            plus: self.perturbation.plus.clone(),
            minus: self.perturbation.minus.clone(),
            results: result.results,
            ends: result.ends,
            plies: result.plies,
            theta: BTreeMap::new(),
        }
    }

    /// Adds the result of a line. If the line completes an iteration, updates the parameters and writes them to the
    /// line.
    ///
    /// # Errors
    /// The reason the line cannot be the next one of this run.
    pub(super) fn add(&mut self, line: &mut PlayedPair) -> Result<(), String> {
        let pair = line.pair.wrapping_sub(1);
        if line.iteration != self.iteration() || !self.is_missing(pair) {
            let first = (0..self.pairs).find(|pair| self.is_missing(*pair)).unwrap_or_default();
            return Err(format!(
                "pair {} of iteration {} is out of place: the first one missing is pair {} of iteration {}",
                line.pair,
                line.iteration,
                first + 1,
                self.iteration()
            ));
        }
        let now = &self.perturbation;
        if line.perturbation != signs(&now.up) || line.plus != now.plus || line.minus != now.minus {
            return Err("the values do not follow from the lines before".to_owned());
        }
        if line.results.iter().any(|result| !(-1..=1).contains(result)) {
            return Err("a result is none of 1, 0 and -1".to_owned());
        }
        for result in line.results {
            self.wdl.add((result + 1) as u8);
        }
        self.finished_pairs.insert(pair, line.results.iter().sum());
        if self.finished_pairs.len() == self.pairs {
            let margin = self.finished_pairs.values().sum();
            self.spsa.update(&self.perturbation.up, margin);
            self.perturbation = self.spsa.perturbation();
            self.finished_pairs.clear();
            let names = self.spsa.parameters().iter().map(|tuned| tuned.name.clone());
            let values = self.spsa.theta().iter().map(|value| (value * 1e6).round() / 1e6);
            line.theta = names.zip(values).collect();
        }
        Ok(())
    }
}

fn signs(up: &[bool]) -> String {
    up.iter().map(|up| if *up { '+' } else { '-' }).collect()
}
