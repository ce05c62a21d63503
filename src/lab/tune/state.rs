//! The lines of `pairs.jsonl`, and what is known after them.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::lab::{MatchEnd, stats::Wdl};

use super::spsa::{Perturbation, Spsa};

/// A pair of games as reported by a judge: the values that moved by the perturbation have black in the first game and white
/// in the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairResult {
    /// Its number in the iteration, from 0.
    pub pair: usize,
    /// For each game 1 if they won, -1 if they lost, 0 for a draw.
    pub results: [i32; 2],
    /// How the games ended; empty for a judge that plays none.
    pub ends: Vec<MatchEnd>,
    /// Their lengths in plies, likewise.
    pub plies: Vec<usize>,
}

/// A pair of games: one line of `pairs.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayedPair {
    /// The iteration, from 1.
    pub iteration: u64,
    /// Its number in the iteration, from 1.
    pub pair: usize,
    /// For each number whether it went up, `+`, or down, `-`, in the values that are called plus.
    pub perturbation: String,
    /// The values on the one side.
    pub plus: Vec<i32>,
    /// The values on the other.
    pub minus: Vec<i32>,
    /// What plus made of its game with black and of that with white: 1, 0 or -1.
    pub results: [i32; 2],
    /// How the games ended.
    pub ends: Vec<MatchEnd>,
    /// Their lengths in plies.
    pub plies: Vec<usize>,
    /// All numbers after the iteration, on the line that completes it; for readers, since they are computed anew.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub theta: BTreeMap<String, f64>,
}

/// What is known after the lines so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TuneState {
    pub(super) spsa: Spsa,
    /// Pairs of each iteration.
    pairs: usize,
    /// The perturbation of the iteration under way.
    pub(super) now: Perturbation,
    /// What came of its pairs, by number from 0.
    outcome_of_request: BTreeMap<usize, i32>,
    /// All games, from the side of the values called plus.
    pub(super) wdl: Wdl,
}

impl TuneState {
    pub(super) fn new(spsa: Spsa, pairs: usize) -> Self {
        let now = spsa.perturbation();
        Self {
            spsa,
            pairs: pairs.max(1),
            now,
            outcome_of_request: BTreeMap::new(),
            wdl: Wdl::default(),
        }
    }

    /// The iteration under way, from 1.
    pub(super) fn iteration(&self) -> u64 {
        self.spsa.done() + 1
    }

    /// The pairs of it that are still to be played, from 0.
    pub(super) fn missing(&self) -> Vec<usize> {
        (0..self.pairs).filter(|pair| !self.outcome_of_request.contains_key(pair)).collect()
    }

    /// The line that a pair of the iteration under way becomes.
    pub(super) fn line(&self, result: PairResult) -> PlayedPair {
        PlayedPair {
            iteration: self.iteration(),
            pair: result.pair + 1,
            perturbation: signs(&self.now.up),
            plus: self.now.plus.clone(),
            minus: self.now.minus.clone(),
            results: result.results,
            ends: result.ends,
            plies: result.plies,
            theta: BTreeMap::new(),
        }
    }

    /// Learns from a line, and completes it.
    ///
    /// # Errors
    /// Why it cannot be the next line of this run.
    pub(super) fn take(&mut self, line: &mut PlayedPair) -> Result<(), String> {
        let pair = line.pair.wrapping_sub(1);
        if line.iteration != self.iteration() || !self.missing().contains(&pair) {
            return Err(format!(
                "pair {} of iteration {} does not come here: {} of iteration {} do",
                line.pair,
                line.iteration,
                self.missing()
                    .iter()
                    .map(|pair| (pair + 1).to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
                self.iteration()
            ));
        }
        let now = &self.now;
        if line.perturbation != signs(&now.up) || line.plus != now.plus || line.minus != now.minus {
            return Err("these are not the values that follow from the lines before".to_owned());
        }
        if line.results.iter().any(|result| !(-1..=1).contains(result)) {
            return Err("a result is 1, 0 or -1".to_owned());
        }
        for result in line.results {
            self.wdl.add((result + 1) as u8);
        }
        self.outcome_of_request.insert(pair, line.results.iter().sum());
        if self.outcome_of_request.len() == self.pairs {
            let more = self.outcome_of_request.values().sum();
            self.spsa.learn(&self.now.up, more);
            self.now = self.spsa.perturbation();
            self.outcome_of_request.clear();
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
