//! The speed of an evaluation along random lines.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use super::{AnyEvaluator, Evaluation, Evaluator as _};
use kyomi_shogi::{Move, Position};

/// What evaluating random lines took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluationSpeed {
    /// The number of positions.
    pub positions: u64,
    /// The time for following their moves and computing their values.
    pub time: Duration,
}

impl EvaluationSpeed {
    /// Evaluates every position of random lines from the start position, the same lines each time.
    pub fn measure(evaluation: &Evaluation) -> Self {
        let mut evaluator = AnyEvaluator::of(evaluation);
        let mut speed = Self { positions: 0, time: Duration::ZERO };
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..LINES {
            let line = random_line(&mut random);
            evaluator.reset(&Position::startpos());
            black_box(evaluator.units(&Position::startpos()));
            let started = Instant::now();
            for (before, mv, after) in &line {
                evaluator.push(before, *mv);
                black_box(evaluator.units(after));
            }
            speed.time += started.elapsed();
            speed.positions += line.len() as u64;
        }
        speed
    }

    /// Positions per second.
    pub fn per_second(self) -> f64 {
        self.positions as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

const LINES: usize = 500;
const LONGEST: usize = 150;

/// Random moves from the start position, each with the positions before and after it.
fn random_line(random: &mut fastrand::Rng) -> Vec<(Position, Move, Position)> {
    let mut position = Position::startpos();
    let mut line = Vec::with_capacity(LONGEST);
    for _ in 0..LONGEST {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.usize(..moves.len())];
        let before = position.clone();
        position.do_move(mv);
        line.push((before, mv, position.clone()));
    }
    line
}
