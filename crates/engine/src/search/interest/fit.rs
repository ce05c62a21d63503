//! The moves of a position for fits: of the weights of interest, and of learned move probabilities.

use super::{
    learned::LearnedMove,
    scorer::{Scorer, ScoringContext},
    terms,
};
use crate::search::{
    attack_maps::AttackMaps,
    history::HistoryTables,
    parameters::Parameters,
    weights::{NAMED_WEIGHTS, Weights},
};
use kyomi_shogi::{Move, Position, Square};

/// Computes how often each weight counts in the interest of moves.
pub struct InterestFitInput {
    /// For each of [`NAMED_WEIGHTS`], the weights with that weight alone.
    alone: Vec<Weights>,
    history: HistoryTables,
}

/// A legal move. Its interest is the sum of the weights times these amounts.
#[derive(Debug, Clone)]
pub struct InterestView {
    /// The move.
    pub mv: Move,
    /// Indexes in [`NAMED_WEIGHTS`], and how often each weight counts.
    pub amounts: Vec<(u8, f32)>,
}

impl Default for InterestFitInput {
    fn default() -> Self {
        Self::new()
    }
}

impl InterestFitInput {
    /// Without a search: no hash move, killers, counter moves or history.
    pub fn new() -> Self {
        Self {
            alone: NAMED_WEIGHTS.iter().map(|weight| weight.alone(ONE)).collect(),
            history: HistoryTables::new(),
        }
    }

    /// All legal moves of a position that is not in check. `last_to` is the target of the other side's last move,
    /// `checked_before` whether the own move before it gave check.
    pub fn views(
        &self,
        position: &Position,
        last_to: Option<Square>,
        checked_before: bool,
    ) -> Vec<InterestView> {
        let maps = AttackMaps::of(position);
        let moves = position.legal_moves();
        let mut views: Vec<InterestView> =
            moves.iter().map(|mv| InterestView { mv: *mv, amounts: Vec::new() }).collect();
        let mut bad = Vec::with_capacity(views.len());
        for ((weights, weight), place) in self.alone.iter().zip(NAMED_WEIGHTS).zip(0..) {
            let context =
                ScoringContext::outside_search(weights, &self.history, last_to, checked_before);
            let mut scorer = Scorer::new(position, &maps, &context, views.len());
            for (at, view) in views.iter_mut().enumerate() {
                let mut scored = scorer.score(view.mv);
                if place == 0 {
                    // Whether it loses by exchange does not depend on the weights.
                    scored.resolve_exchange(position);
                    bad.push(scored.flags.is_bad());
                }
                let found = if bad[at] { scored.bad } else { scored.interest };
                let side = weight.bad;
                // An interest of 1 is the minimum, that of a move without any term.
                if found > 1 && side.is_none_or(|is_bad| is_bad == bad[at]) {
                    view.amounts.push((place, found as f32 / ONE as f32));
                }
            }
        }
        views
    }
}

/// The value of the weight: as large as possible without overflow, so that its shares are exact enough.
const ONE: i32 = 1 << 20;

/// Reads the moves of positions with their interest without learned probabilities.
pub struct MoveFitInput {
    weights: Weights,
    history: HistoryTables,
}

/// A legal move with its interest.
#[derive(Debug, Clone, Copy)]
pub struct LearnedMoveView {
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
    ) -> Vec<LearnedMoveView> {
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
            LearnedMoveView {
                mv: *mv,
                learned,
                interest: scored.interest as f32,
                even: (if bad { even.bad } else { even.good }) as f32,
            }
        };
        moves.iter().map(view).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amounts_make_up_the_interest() {
        let study = InterestFitInput::new();
        let weights = Weights::new(&Parameters::untuned());
        let mut random = fastrand::Rng::with_seed(21);
        let (mut position, mut last_to) = (Position::startpos(), None);
        for ply in 0..150 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            if !position.in_check() && ply % 3 == 0 {
                let maps = AttackMaps::of(&position);
                let context =
                    ScoringContext::outside_search(&weights, &study.history, last_to, ply % 2 == 0);
                let mut scorer = Scorer::new(&position, &maps, &context, moves.len());
                for view in study.views(&position, last_to, ply % 2 == 0) {
                    let mut scored = scorer.score(view.mv);
                    scored.resolve_exchange(&position);
                    let of = |(weight, amount): &(u8, f32)| {
                        NAMED_WEIGHTS[usize::from(*weight)].points() * f64::from(*amount)
                    };
                    let points: f64 = view.amounts.iter().map(of).sum();
                    let wanted = f64::from(scored.interest) / 16.0;
                    assert!((points - wanted).abs() < 0.3, "{} {points} {wanted}", view.mv);
                }
            }
            let mv = moves[random.usize(..moves.len())];
            last_to = Some(mv.to());
            position.do_move(mv);
        }
    }
}
