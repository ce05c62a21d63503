//! Positions of games with their features and target values.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use kyomi_engine::eval::Features;
use kyomi_engine::search::{self, Quiescence};
use kyomi_record::Winner;
use kyomi_shogi::{Color, Move, MoveList, Position};

use super::TrainingGame;
use super::scales::Scales;

/// Which positions of tables are used, and how their target values are computed.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionFilter {
    /// The first ply that is used; earlier positions are opening knowledge.
    pub first_ply: usize,
    /// Only every n-th suitable position is used.
    pub every: usize,
    /// The share of the result in the target of a position with an evaluation.
    pub result_share: f32,
    /// The weight of a position without an evaluation.
    pub plain_weight: f32,
}

impl Default for PositionFilter {
    fn default() -> Self {
        Self { first_ply: 12, every: 1, result_share: 0.4, plain_weight: 0.5 }
    }
}

/// Which positions of self-play are used.
#[derive(Clone, PartialEq)]
pub struct SelfplayPositionFilter {
    /// The number of moves of the game, its opening included, before the first position is taken.
    pub first_ply: usize,
    /// Positions are left out if captures and promotions win the side to move more centipawns than this.
    pub quiet_within: i32,
    /// Positions are left out if the absolute value of their score is this or more.
    pub score_below: i32,
    /// The share of the result in the target, if it is not that of tables.
    pub result_share: Option<f32>,
    /// The λ of TD(λ) (Sutton, 1988), 0 to 1: the share of the next position's value in the value of a position. The
    /// rest is the expected result by its own score. With 0 later scores have no effect.
    pub lambda: f32,
    /// One logistic unit of the scores in centipawns, if it is not to follow from the results.
    pub unit: Option<f32>,
}

impl Default for SelfplayPositionFilter {
    fn default() -> Self {
        Self {
            first_ply: 10,
            quiet_within: 60,
            score_below: 3000,
            result_share: None,
            lambda: 0.0,
            unit: None,
        }
    }
}

impl fmt::Debug for SelfplayPositionFilter {
    /// A training is resumed only if this text is the same. That of λ = 0 is the one from before there was a λ.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first_ply, quiet_within, score_below, result_share, lambda, unit } = self;
        let mut text = f.debug_struct("SelfplayPositionFilter");
        text.field("first_ply", first_ply)
            .field("quiet_within", quiet_within)
            .field("score_below", score_below)
            .field("result_share", result_share);
        if *lambda != 0.0 {
            text.field("lambda", lambda);
        }
        text.field("unit", unit).finish()
    }
}

/// A collection of positions with their target values.
pub(super) trait PositionSet: Default {
    /// The number of positions.
    fn count(&self) -> usize;

    /// Adds a position with black's target value.
    fn add(&mut self, position: &Position, target: f32, weight: f32);

    /// Black's target value of a position.
    fn target_mut(&mut self, index: usize) -> Option<&mut f32>;

    /// For the key of each position of self-play: its index, and the number of times it occurred.
    fn seen_mut(&mut self) -> &mut HashMap<u64, (usize, u32)>;

    /// Adds the quiet positions of a game. `count` is the number of suitable positions of all games so far.
    fn add_game(
        &mut self,
        game: &TrainingGame,
        scales: &Scales,
        choice: &PositionFilter,
        count: &mut usize,
    ) {
        let Some(result) = result(game) else { return };
        game.replay(|position, ply, mv| {
            if ply < choice.first_ply || !is_quiet(position, mv) {
                return;
            }
            *count += 1;
            if !count.is_multiple_of(choice.every) {
                return;
            }
            let (target, weight) = target(scales.black_score(game, ply), result, choice);
            self.add(position, target, weight);
        });
    }

    /// Adds the quiet positions of a game of self-play that have a score. A position that occurred before gets the mean
    /// of its targets. `count` is the number of suitable positions of all games so far.
    fn add_selfplay(
        &mut self,
        game: &TrainingGame,
        scales: &Scales,
        choice: &PositionFilter,
        selfplay: &SelfplayPositionFilter,
        quiescence: &mut Quiescence,
        count: &mut usize,
    ) {
        let Some(result) = result(game) else { return };
        let values = values(game, result, scales, selfplay.lambda);
        game.replay(|position, ply, mv| {
            let eval = game.evals.get(ply).copied().flatten();
            let takes = !position.is_quiet(mv);
            if usize::from(position.ply()) <= selfplay.first_ply
                || takes
                || eval.is_none_or(|eval| i64::from(eval).abs() >= i64::from(selfplay.score_below))
                || !quiescence.is_quiet(position, selfplay.quiet_within)
            {
                return;
            }
            *count += 1;
            if !count.is_multiple_of(choice.every) {
                return;
            }
            let (target, weight) = target(values.get(ply).copied().flatten(), result, choice);
            let new = self.count();
            let (index, times) = self.seen_mut().entry(position.key()).or_insert((new, 0));
            *times += 1;
            let (index, times) = (*index, *times as f32);
            match self.target_mut(index) {
                Some(mean) => *mean += (target - *mean) / times,
                None => self.add(position, target, weight),
            }
        });
    }
}

/// One position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// 0 to 1: black's expected score.
    pub target: f32,
    /// The weight of the position in the loss.
    pub weight: f32,
    /// 0 to 1: the progress of the game.
    pub progress: f32,
    /// The start of its features in [`Samples`].
    begin: usize,
    /// The number of black's features, which come first.
    middle: u16,
    /// The number of all its features.
    length: u16,
}

/// The positions of a fit.
#[derive(Debug, Default)]
pub struct Samples {
    positions: Vec<Sample>,
    features: Vec<u32>,
    /// For the key of each position of self-play: the index of its sample, and the number of times it occurred.
    seen: HashMap<u64, (usize, u32)>,
}

impl Samples {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The position with this index, with black's features and white's.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn get(&self, index: usize) -> (Sample, &[u32], &[u32]) {
        let sample = self.positions[index];
        let range: Range<usize> = sample.begin..sample.begin + usize::from(sample.length);
        let (black, white) = self.features[range].split_at(usize::from(sample.middle));
        (sample, black, white)
    }

    /// The memory that the positions take, in bytes.
    pub fn bytes(&self) -> usize {
        self.features.capacity() * size_of::<u32>()
            + self.positions.capacity() * size_of::<Sample>()
    }

    /// Adds a position.
    pub fn push(&mut self, features: &Features, target: f32, weight: f32) {
        let [black, white] = &features.sides;
        let begin = self.features.len();
        // A feature of both sides cancels out.
        let mut mine = black.clone();
        let mut theirs = white.clone();
        cancel(&mut mine, &mut theirs);
        self.features.extend(mine.iter().chain(&theirs));
        self.positions.push(Sample {
            target,
            weight,
            progress: features.progress as f32 / Features::WHOLE as f32,
            begin,
            middle: mine.len() as u16,
            length: (mine.len() + theirs.len()) as u16,
        });
    }
}

impl PositionSet for Samples {
    fn count(&self) -> usize {
        self.len()
    }

    fn add(&mut self, position: &Position, target: f32, weight: f32) {
        self.push(&Features::of(position), target, weight);
    }

    fn target_mut(&mut self, index: usize) -> Option<&mut f32> {
        Some(&mut self.positions.get_mut(index)?.target)
    }

    fn seen_mut(&mut self) -> &mut HashMap<u64, (usize, u32)> {
        &mut self.seen
    }
}

/// Black's result, if it is known.
fn result(game: &TrainingGame) -> Option<f32> {
    Some(match game.winner? {
        Winner::Side(Color::Black) => 1.0,
        Winner::Side(Color::White) => 0.0,
        Winner::Draw => 0.5,
    })
}

/// The value of each position of a game for black by TD(λ): its expected result by its own score, mixed with the value
/// of the next position with a score, and the result in the end. `None` for a position without a score, which has no
/// part in the values before it.
fn values(game: &TrainingGame, result: f32, scales: &Scales, lambda: f32) -> Vec<Option<f32>> {
    let mut next = result;
    let mut values: Vec<_> = (0..game.moves.len())
        .rev()
        .map(|ply| {
            let expected = scales.own_score(game, ply)?;
            next = expected + lambda * (next - expected);
            Some(next)
        })
        .collect();
    values.reverse();
    values
}

/// Black's target value of a position, and its weight. `expected` is black's expected result by the scores.
fn target(expected: Option<f32>, result: f32, choice: &PositionFilter) -> (f32, f32) {
    match expected {
        Some(expected) => {
            let share = choice.result_share;
            (share * result + (1.0 - share) * expected, 1.0)
        }
        None => (result, choice.plain_weight),
    }
}

/// Sorts both lists and removes their common elements.
fn cancel(mine: &mut Vec<u32>, theirs: &mut Vec<u32>) {
    mine.sort_unstable();
    theirs.sort_unstable();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < mine.len() && j < theirs.len() {
        match mine[i].cmp(&theirs[j]) {
            std::cmp::Ordering::Less => {
                left.push(mine[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                right.push(theirs[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                i += 1;
                j += 1;
            }
        }
    }
    left.extend(&mine[i..]);
    right.extend(&theirs[j..]);
    *mine = left;
    *theirs = right;
}

/// Whether a static evaluation can judge the position: no check, and no capture that wins material.
fn is_quiet(position: &Position, played: Move) -> bool {
    if position.in_check() {
        return false;
    }
    if position.is_capture(played) && search::see(position, played) > 0 {
        return false;
    }
    let mut list = MoveList::new();
    position.captures_and_promotions(&mut list);
    !list.iter().any(|mv| position.is_capture(*mv) && search::see(position, *mv) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).unwrap()
    }

    #[test]
    fn checks_and_winning_captures_are_not_quiet() {
        let quiet = |sfen: &str, mv: &str| {
            is_quiet(&position(sfen), kyomi_shogi::notation::usi::parse_move(mv).unwrap())
        };
        let start = Position::startpos().to_sfen();
        assert!(quiet(&start, "7g7f"));
        // A bishop that can be taken for nothing.
        assert!(!quiet("4k4/9/9/9/4b4/9/9/9/4R2K1 b - 1", "5i4i"));
        // The same, guarded: the rook is worth more.
        assert!(quiet("4k4/9/9/4s4/4b4/9/9/9/4R2K1 b - 1", "5i4i"));
        // In check.
        assert!(!quiet("4k4/9/9/9/9/9/9/9/r7K b - 1", "1i1h"));
    }

    #[test]
    fn a_repeated_position_of_self_play_gets_the_mean_of_its_targets() {
        let game = |winner| TrainingGame {
            line: 1,
            start: Some(Box::new(position("4k4/9/9/9/9/9/PPPPPPPPP/9/4K4 w - 30"))),
            moves: ["5a5b", "5i5h", "5b5c"]
                .iter()
                .map(|word| kyomi_shogi::notation::usi::parse_move(word).unwrap())
                .collect(),
            winner: Some(winner),
            evals: [Some(900), Some(2999), Some(i32::MIN)].into(),
            black: "a".into(),
            white: "a".into(),
            ratings: [None; 2],
        };
        let mut samples = Samples::default();
        let mut quiescence = Quiescence::default();
        let mut add = |winner| {
            let (scales, choice) = (Scales::default(), PositionFilter::default());
            let selfplay = SelfplayPositionFilter::default();
            let game = game(winner);
            samples.add_selfplay(&game, &scales, &choice, &selfplay, &mut quiescence, &mut 0);
            (samples.len(), samples.get(0).0.target)
        };
        // The last position has too high a score.
        assert_eq!(add(Winner::Side(Color::Black)), (2, 1.0));
        assert_eq!(add(Winner::Side(Color::White)), (2, 0.5));
        let (count, target) = add(Winner::Side(Color::White));
        assert!(count == 2 && (target - 1.0 / 3.0).abs() < 1e-6, "{target}");
    }

    #[test]
    fn a_value_is_mixed_with_those_after_it() {
        let game = TrainingGame {
            line: 1,
            start: None,
            moves: ["7g7f", "3c3d", "2g2f", "8c8d"]
                .iter()
                .map(|word| kyomi_shogi::notation::usi::parse_move(word).unwrap())
                .collect(),
            winner: Some(Winner::Side(Color::Black)),
            evals: [Some(0), None, None, Some(0)].into(),
            black: "a".into(),
            white: "a".into(),
            ratings: [None; 2],
        };
        let mut scales = Scales::default();
        assert_eq!(values(&game, 1.0, &scales, 0.5), [None; 4]);
        scales.set("a", 600.0);
        assert_eq!(values(&game, 1.0, &scales, 0.0), [Some(0.5), None, None, Some(0.5)]);
        // From the end: half of 0.5 and 1, then half of 0.5 and that. Between them no position has a score.
        assert_eq!(values(&game, 1.0, &scales, 0.5), [Some(0.625), None, None, Some(0.75)]);
        assert_eq!(values(&game, 0.0, &scales, 1.0), [Some(0.0), None, None, Some(0.0)]);
    }

    #[test]
    fn the_text_of_a_choice_without_lambda_is_the_one_from_before_it() {
        let text = |lambda| {
            let choice = SelfplayPositionFilter { lambda, ..SelfplayPositionFilter::default() };
            format!("{choice:?}")
        };
        let before = "SelfplayPositionFilter { first_ply: 10, quiet_within: 60, score_below: 3000, result_share: None";
        assert_eq!(text(0.0), format!("{before}, unit: None }}"));
        assert_eq!(text(0.9), format!("{before}, lambda: 0.9, unit: None }}"));
    }

    #[test]
    fn common_features_cancel_out() {
        let mut samples = Samples::default();
        samples.push(&Features::of(&Position::startpos()), 0.5, 1.0);
        let (sample, black, white) = samples.get(0);
        // Only the feature of the side to move is left.
        assert_eq!((black.len(), white.len()), (1, 0));
        assert!((sample.target - 0.5).abs() < 1e-6);
        let (mut a, mut b) = (vec![3, 1, 1, 7], vec![1, 3, 3, 9]);
        cancel(&mut a, &mut b);
        assert_eq!((a, b), (vec![1, 7], vec![3, 9]));
    }
}
