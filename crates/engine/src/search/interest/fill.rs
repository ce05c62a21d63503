//! Filling a list with the moves of a node.

use super::by_sets::{can_score_by_sets, score_by_sets};
use super::list::{InterestList, Leaders};
use super::scorer::{Scorer, ScoringContext};
use super::staged::{MeanInterest, TwoStageLimits};
use super::terms;
use crate::search::{
    attack_maps::AttackMaps,
    plausible::{Plausibilities, PlausibleRules, Selection},
    promotion::is_needless_non_promotion,
    weights::Weights,
};
use kyomi_shogi::{Move, MoveList, Position};

impl InterestList {
    /// Fills the list with the moves of a position. The hash move has the most interest.
    pub(in crate::search) fn fill(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
    ) {
        self.clear();
        let leaders = self.score_each(position, maps, context);
        self.finish(&leaders, position.in_check(), context);
    }

    /// The same, with drops of equal interest kept as sets. It is faster if no rule needs each move separately.
    pub(in crate::search) fn fill_by_sets(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
    ) {
        if !can_score_by_sets(context) {
            return self.fill(position, maps, context);
        }
        self.clear();
        let (leaders, _) = score_by_sets(self, position, maps, context, None);
        self.finish(&leaders, position.in_check(), context);
    }

    /// The same, but without the moves that do not stand out, if these are not affordable. Otherwise returns the new
    /// mean interest.
    pub(in crate::search) fn fill_in_two_stages(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
        staged: &TwoStageLimits<'_>,
    ) -> Option<MeanInterest> {
        if !can_score_by_sets(context) {
            self.fill(position, maps, context);
            return None;
        }
        self.clear();
        let (leaders, mean_interest) = score_by_sets(self, position, maps, context, Some(staged));
        self.finish(&leaders, position.in_check(), context);
        mean_interest
    }

    /// Scores all moves one by one.
    fn score_each(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
    ) -> Leaders {
        let moves = position.legal_moves();
        let set_aside = !context.whole;
        let mut scorer = Scorer::new(position, maps, context, moves.len());
        self.count = moves.len();
        let mut leaders = Leaders::default();
        let judged = context.plausible.map(|rules| classify(position, context, &rules, &moves));
        for (at, &mv) in moves.iter().enumerate() {
            if set_aside && Some(mv) != context.hash && is_needless_non_promotion(position, mv) {
                self.reserve.push(mv);
                continue;
            }
            let judgement = judged.as_ref().and_then(|all| all.get(at));
            if judgement.is_some_and(|judgement| !judgement.stays) {
                // It counts with its even share alone.
                self.sum += i64::from(terms::even(context.weights, self.count).good);
                self.reserve.push(mv);
                continue;
            }
            let scored = scorer.score(mv);
            self.sum += i64::from(scored.interest);
            leaders.update(&scored, self.moves.len(), Some(mv) == context.hash);
            self.moves.push(scored);
        }
        leaders
    }

    /// Adds the terms that compare the moves of the list.
    fn finish(&mut self, leaders: &Leaders, in_check: bool, context: &ScoringContext<'_>) {
        let weights = context.weights;
        if weights.hash_leads {
            self.put_hash_move_first(leaders, weights);
        } else {
            self.add_to_leaders_as_in_paper(leaders, context);
        }
        if in_check {
            // It is not added to the sum, by which interest is divided.
            let bonus = terms::evasion(weights, self.sum, self.moves.len());
            for scored in &mut self.moves {
                scored.add(bonus);
            }
        }
    }

    /// Adds the term of the best quiet move, and makes the hash move the most interesting.
    fn put_hash_move_first(&mut self, leaders: &Leaders, weights: &Weights) {
        let mut best = leaders.best;
        // The move keeps the bonus when exchange values are computed later.
        if let Some(scored) = leaders.best_quiet.place().and_then(|at| self.moves.get_mut(at)) {
            scored.add(weights.best_quiet);
            if !self.partial {
                self.sum += i64::from(weights.best_quiet);
            }
            // The interest before any exchange value was computed.
            best = best.max(leaders.best_quiet.interest() + weights.best_quiet);
        }
        let hash = self.moves.get_mut(leaders.hash_at);
        let own = hash.as_ref().map(|scored| scored.interest);
        self.hash_interest = terms::hash_move(weights, best, own);
        if let Some(scored) = hash {
            self.sum += i64::from(self.hash_interest - scored.interest);
            scored.interest = self.hash_interest;
            scored.bad = self.hash_interest;
        }
    }

    /// Adds the term of the hash move, then that of the best quiet move, which can be the hash move.
    fn add_to_leaders_as_in_paper(&mut self, leaders: &Leaders, context: &ScoringContext<'_>) {
        let weights = context.weights;
        if let Some(hash) = self.moves.get_mut(leaders.hash_at) {
            let interest = terms::hash_move(weights, leaders.best, Some(hash.interest));
            self.sum += i64::from(interest - hash.interest);
            (hash.interest, hash.bad) = (interest, interest);
        }
        let quiet = self.moves.iter().enumerate().map(|(at, scored)| {
            let later = if at == leaders.hash_at { context.later_bonus } else { 0 };
            scored.flags.is_quiet().then_some(scored.interest + later)
        });
        let best_quiet = terms::single_best_quiet(quiet);
        if let Some(scored) = best_quiet.and_then(|at| self.moves.get_mut(at)) {
            scored.add(weights.best_quiet);
            self.sum += i64::from(weights.best_quiet);
        }
        self.hash_interest = match self.moves.get(leaders.hash_at) {
            Some(hash) => hash.interest,
            None => terms::hash_move(weights, leaders.best, None),
        };
    }
}

/// Returns which moves are plausible, and their merits.
pub(super) fn classify(
    position: &Position,
    context: &ScoringContext<'_>,
    rules: &PlausibleRules,
    moves: &MoveList,
) -> Plausibilities {
    let hash = context.hash.map_or(0, Move::to_bits);
    let [a, b, c, d] = context.suggested.codes();
    let exempt = [hash, a, b, c, d];
    rules.classify(&Selection { position, moves, last_to: context.last_to, exempt })
}
