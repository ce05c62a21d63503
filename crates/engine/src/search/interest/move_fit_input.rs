//! Reads positions for the fit of learned move probabilities.

use super::{
    learned::LearnedMove,
    scorer::{Scorer, ScoringContext},
    terms,
};
use crate::search::{
    attack_maps::AttackMaps, history::HistoryTables, parameters::Parameters, weights::Weights,
};
use kyomi_shogi::{Move, Position, Square};

/// Reads the moves of positions with their interest without learned probabilities.
pub struct MoveFitInput {
    weights: Weights,
    history: HistoryTables,
}

/// A legal move with its interest.
#[derive(Debug, Clone, Copy)]
pub struct MoveView {
    /// The move.
    pub mv: Move,
    /// What its weights depend on.
    pub learned: LearnedMove,
    /// Its interest in sixteenths of a point, without history and without the moves that the search suggests.
    pub interest: f32,
    /// The part of it that is its even share.
    pub even: f32,
}

impl MoveFitInput {
    /// With the interest of these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Self { weights: Weights::new(parameters), history: HistoryTables::new() }
    }

    /// All legal moves of a position. `last_to` is the target of the other side's last move, `checked_before` whether
    /// the own move before it gave check.
    pub fn views(
        &self,
        position: &Position,
        last_to: Option<Square>,
        checked_before: bool,
    ) -> Vec<MoveView> {
        let maps = AttackMaps::of(position);
        let moves = position.legal_moves();
        let context =
            ScoringContext::outside_search(&self.weights, &self.history, last_to, checked_before);
        let mut scorer = Scorer::new(position, &maps, &context, moves.len());
        let view = |mv: &Move| {
            let m = scorer.read(*mv);
            let mut scored = scorer.score(*mv);
            scored.resolve_exchange(position);
            let bad = scored.flags.is_bad();
            let mut even = scorer.even;
            if m.is_quiet() && !m.check {
                even = terms::bad_quiet(&self.weights, even);
            }
            let flag = |flag: u8, is_so: bool| if is_so { flag } else { 0 };
            let holds = |from: Option<Square>, squares: kyomi_shogi::Bitboard| {
                from.is_some_and(|from| squares.contains(from))
            };
            let flags = flag(LearnedMove::PROMOTES, mv.is_promotion())
                | flag(LearnedMove::RECAPTURES, m.captured.is_some() && last_to == Some(m.to))
                | flag(LearnedMove::CHECKS, m.check)
                | flag(LearnedMove::LANDS_ATTACKED, maps.them.all.contains(m.to))
                | flag(LearnedMove::ATTACKED, holds(m.from, maps.them.all))
                | flag(LearnedMove::GUARDED, holds(m.from, maps.us.all))
                | flag(LearnedMove::BAD, bad);
            let class = if m.from.is_some() { m.after.index() } else { 14 + m.before.index() };
            let learned = LearnedMove {
                to: m.to.index() as u8,
                from: m.from.map_or(Square::COUNT, Square::index) as u8,
                kind: m.before.index() as u8,
                class: class as u8,
                victim: m.captured.map_or(14, |kind| kind.index() as u8),
                flags,
            };
            MoveView {
                mv: *mv,
                learned,
                interest: scored.interest as f32,
                even: (if bad { even.bad } else { even.good }) as f32,
            }
        };
        moves.iter().map(view).collect()
    }
}
