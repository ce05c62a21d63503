//! The list of all moves of a node with their interest.

use super::drop_set::DropSet;
use super::scored::{Scored, Traits};
use super::scorer::{Scorer, ScoringContext};
use super::staged::{Staged, Usual};
use super::sweep::{is_usual, sweep};
use super::terms;
use crate::search::{
    attack_maps::AttackMaps,
    plausible::{Question, Rules, Verdicts},
    promotion::is_needless,
    weights::Weights,
};
use crate::shogi::{Move, MoveList, MoveSets, Position};

/// All legal moves of a node with their interest. The list is reused, so that the search allocates nothing.
#[derive(Debug, Default)]
pub(in crate::search) struct InterestList {
    pub(in crate::search) moves: Vec<Scored>,
    /// Drops that are not in `moves` because they have the same interest as others of their kind.
    pub(in crate::search) drop_sets: Vec<DropSet>,
    /// The sets of legal moves. They are kept to reuse their memory.
    pub(super) sets: MoveSets,
    /// Moves that a rule has set aside. They are searched only if all other moves lose by force.
    pub(in crate::search) reserve: Vec<Move>,
    /// Number of legal moves.
    pub(in crate::search) count: usize,
    /// The sum of interest of all moves. It does not change after the list is filled.
    pub(in crate::search) sum: i64,
    /// The interest of a hash move at this node.
    pub(in crate::search) hash_interest: i32,
    /// Whether the list has only moves that stand out. The others count in the sum.
    pub(in crate::search) partial: bool,
}

/// The leading moves of a list while it is filled.
#[derive(Debug)]
pub(super) struct Leaders {
    /// The largest interest of a move other than the hash move, and the best quiet move.
    pub(super) best: i32,
    pub(super) best_quiet: terms::BestQuiet,
    /// The index of the hash move; beyond the list if it is not in the list.
    hash_at: usize,
}

impl Default for Leaders {
    fn default() -> Self {
        Self { best: 0, best_quiet: terms::BestQuiet::default(), hash_at: usize::MAX }
    }
}

impl Leaders {
    /// Takes account of the move at index `at` of the list.
    #[inline]
    pub(super) fn see(&mut self, scored: &Scored, at: usize, is_hash: bool) {
        if is_hash {
            self.hash_at = at;
        } else {
            self.best = self.best.max(scored.interest);
            self.best_quiet.see(scored, at);
        }
    }
}

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
        self.finish(&leaders, position.in_check(), context.weights);
    }

    /// The same, with drops of equal interest kept as sets. It is faster if no rule needs each move separately.
    pub(in crate::search) fn fill_by_sets(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
    ) {
        if !is_usual(context) {
            return self.fill(position, maps, context);
        }
        self.clear();
        let (leaders, _) = sweep(self, position, maps, context, None);
        self.finish(&leaders, position.in_check(), context.weights);
    }

    /// The same, but without the moves that do not stand out, if these are not affordable. Otherwise returns the new
    /// usual interest.
    pub(in crate::search) fn fill_in_stages(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
        staged: &Staged<'_>,
    ) -> Option<Usual> {
        if !is_usual(context) {
            self.fill(position, maps, context);
            return None;
        }
        self.clear();
        let (leaders, usual) = sweep(self, position, maps, context, Some(staged));
        self.finish(&leaders, position.in_check(), context.weights);
        usual
    }

    /// Removes a move from the list and returns its traits.
    pub(in crate::search) fn take_out(&mut self, mv: Move) -> Traits {
        if let Some(at) = self.moves.iter().position(|scored| scored.mv == mv) {
            return self.moves.swap_remove(at).traits;
        }
        for drops in self.drop_sets.iter_mut().filter(|drops| Some(drops.kind) == mv.dropped()) {
            drops.targets = drops.targets.without(mv.to());
        }
        Traits::default()
    }

    fn clear(&mut self) {
        self.moves.clear();
        self.drop_sets.clear();
        self.reserve.clear();
        self.sum = 0;
        self.partial = false;
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
        let judged =
            context.plausible.map(|rules| (rules, judge(position, context, &rules, &moves)));
        for (at, &mv) in moves.iter().enumerate() {
            if set_aside && Some(mv) != context.hash && is_needless(position, mv) {
                self.reserve.push(mv);
                continue;
            }
            let verdict = judged.as_ref().and_then(|(rules, all)| Some((rules, all.get(at)?)));
            if verdict.is_some_and(|(_, verdict)| !verdict.stays) {
                // It counts with its even share alone.
                self.sum += i64::from(terms::even(context.weights, self.count).good);
                self.reserve.push(mv);
                continue;
            }
            let mut scored = scorer.score(mv);
            if let Some((rules, verdict)) = verdict {
                scored.judge(rules, verdict);
            }
            self.sum += i64::from(scored.interest);
            leaders.see(&scored, self.moves.len(), Some(mv) == context.hash);
            self.moves.push(scored);
        }
        leaders
    }

    /// Adds the terms that compare the moves of the list.
    fn finish(&mut self, leaders: &Leaders, in_check: bool, weights: &Weights) {
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
        if in_check {
            // It is not added to the sum, by which interest is divided.
            let bonus = terms::evasion(weights, self.sum, self.moves.len());
            for scored in &mut self.moves {
                scored.add(bonus);
            }
        }
    }
}

/// Returns which moves are plausible, and their merits.
pub(super) fn judge(
    position: &Position,
    context: &ScoringContext<'_>,
    rules: &Rules,
    moves: &MoveList,
) -> Verdicts {
    let hash = context.hash.map_or(0, Move::to_bits);
    let [a, b, c, d] = context.suggested.codes();
    let exempt = [hash, a, b, c, d];
    rules.judge(&Question { position, moves, last_to: context.last_to, exempt })
}
