//! Picks the next move of a node: the one with the largest effective interest. Effective interest is interest after the
//! factors for similar moves already searched (docs/search.md, section 1.4).

use std::hint::select_unpredictable;

use super::attack_maps::AttackMaps;
use super::interest::{InterestList, MeanInterest, ScoredMove, ScoringContext, TwoStageLimits};
use super::similar::SearchedMoves;
use kyomi_shogi::{Move, Position};

/// The unsearched moves of a node.
///
/// Most nodes search one to five of their moves. Therefore only a front of the most interesting moves is compared. The
/// others join it when no move of the front is more interesting.
#[derive(Debug, Default)]
pub(crate) struct Picker {
    /// The moves that are not in the front.
    list: InterestList,
    front: Vec<Entry>,
    /// The least interest of the front.
    level: i32,
    /// No set of drops has more interest than this.
    most_of_drops: i32,
    /// The key of the first drop of each set, by its effective interest; 0 for an empty set. They are computed when
    /// they are first needed.
    drop_keys: Vec<u64>,
    /// Moves with less interest than this are not affordable.
    floor: i32,
    hash: Option<Move>,
    /// Whether moves similar to those already searched lose interest.
    similar: bool,
    searched: SearchedMoves,
    /// The moves searched.
    taken: Vec<Move>,
}

/// A move of the front.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The last known effective interest (it only falls) in the high bits, and the complement of the move code in the
    /// low bits. Of moves with equal interest the one with the smaller code has the larger key.
    key: u64,
    scored: ScoredMove,
}

/// A move to search next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Picked {
    pub(crate) scored: ScoredMove,
    /// Effective interest.
    pub(crate) interest: i32,
}

impl Picker {
    /// Replaces the moves by those of a position, without the move `skipped`, which is excluded or was searched
    /// already.
    pub(crate) fn fill(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
        skipped: Option<Move>,
    ) {
        self.list.fill_by_sets(position, maps, context);
        self.begin(position, context, skipped);
    }

    /// The same, but moves that neither stand out nor are affordable may be left out. Returns the new mean interest,
    /// if it was computed.
    pub(crate) fn fill_in_two_stages(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
        skipped: Option<Move>,
        staged: &TwoStageLimits<'_>,
    ) -> Option<MeanInterest> {
        let mean_interest = self.list.fill_in_two_stages(position, maps, context, staged);
        self.begin(position, context, skipped);
        mean_interest
    }

    /// Adds the moves that were left out. The caller has to set the floor again. The history tables are read again;
    /// changes to them do not matter, since all moves searched so far lose and each of the others is searched in any
    /// case.
    pub(crate) fn complete(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        context: &ScoringContext<'_>,
    ) {
        self.list.fill_by_sets(position, maps, context);
        self.list.perturb(context.thread);
        for at in 0..self.taken.len() {
            self.list.remove(self.taken[at]);
        }
        self.clear_front();
    }

    /// Puts all moves behind the front.
    fn clear_front(&mut self) {
        self.front.clear();
        self.level = i32::MAX;
        self.floor = 0;
        let drops = self.list.drop_sets.iter().map(|drops| drops.interest);
        self.most_of_drops = drops.max().unwrap_or(0);
        self.drop_keys.clear();
    }

    /// Whether moves that are not affordable were left out.
    pub(crate) fn is_partial(&self) -> bool {
        self.list.partial
    }

    /// Whether a move of this interest is not affordable.
    pub(crate) fn is_unaffordable(&self, interest: i32) -> bool {
        interest < self.floor
    }

    fn begin(&mut self, position: &Position, context: &ScoringContext<'_>, skipped: Option<Move>) {
        self.list.perturb(context.thread);
        self.hash = context.hash;
        self.similar = context.similar;
        self.searched = SearchedMoves::default();
        self.taken.clear();
        if let Some(skipped) = skipped {
            let flags = self.list.remove(skipped);
            self.taken.push(skipped);
            self.searched.note(position, skipped, flags.is_capture(), flags.is_check());
        }
        self.clear_front();
    }

    /// Sets the least affordable interest. Moves with less are compared last.
    pub(crate) fn set_floor(&mut self, floor: i32) {
        self.floor = floor.min(HIGHEST);
    }

    /// The sum of the interest of all legal moves.
    pub(crate) fn sum(&self) -> i64 {
        self.list.sum
    }

    /// The hash move.
    pub(crate) fn hash(&self) -> Option<Move> {
        self.hash
    }

    /// The interest of a hash move at this node.
    pub(crate) fn hash_interest(&self) -> i32 {
        self.list.hash_interest
    }

    /// Number of moves left, without the reserve.
    pub(crate) fn len(&self) -> usize {
        let drops: u32 = self.list.drop_sets.iter().map(|drops| drops.targets.count()).sum();
        self.front.len() + self.list.moves.len() + drops as usize
    }

    /// Number of legal moves of the node.
    pub(crate) fn count(&self) -> usize {
        self.list.count
    }

    /// Puts a move into the reserve.
    pub(crate) fn set_aside(&mut self, mv: Move) {
        self.list.reserve.push(mv);
    }

    /// Takes the next move of the reserve.
    pub(crate) fn next_in_reserve(&mut self) -> Option<Move> {
        self.list.reserve.pop()
    }

    /// Advances to the next move that is not below the floor. Returns whether there is none, with a floor set.
    pub(crate) fn advance_to_floor(&mut self) -> bool {
        while self.front.is_empty() && self.best_drop_set(0).is_none() {
            if self.level <= self.floor {
                return self.floor > 0;
            }
            self.advance();
        }
        self.level < self.floor
    }

    /// Takes the move of largest effective interest. `announce` is called with each move that is likely to be the next
    /// one; its last call is for the move that is returned.
    #[inline]
    pub(crate) fn next(&mut self, position: &Position, announce: impl Fn(Move)) -> Option<Picked> {
        let mut announced = None;
        loop {
            let front = self.best();
            if let Some(at) = self.best_drop_set(front.map_or(0, |(_, key)| key)) {
                let drops = &mut self.list.drop_sets[at];
                if let Some(scored) = drops.take() {
                    self.front.push(Entry { key: key(scored.interest, scored.mv), scored });
                }
                self.drop_keys[at] = self.drop_key(at);
                continue;
            }
            let Some((at, known)) = front else {
                if self.advance() {
                    continue;
                }
                return None;
            };
            let scored = &mut self.front[at].scored;
            if announced != Some(scored.mv) {
                announced = Some(scored.mv);
                announce(scored.mv);
            }
            scored.resolve_exchange(position);
            let interest = if !self.similar || Some(scored.mv) == self.hash {
                scored.interest
            } else {
                self.searched.effective(position, scored)
            };
            let now = key(interest, scored.mv);
            if now == known {
                return Some(Picked { scored: self.front.swap_remove(at).scored, interest });
            }
            if interest < self.level {
                self.list.moves.push(self.front.swap_remove(at).scored);
            } else {
                self.front[at].key = now;
            }
        }
    }

    /// Notes that a move has been searched, so that similar moves lose interest.
    pub(crate) fn note(&mut self, position: &Position, mv: Move, capture: bool, check: bool) {
        self.searched.note(position, mv, capture, check);
        self.taken.push(mv);
        if let Some(kind) = mv.dropped() {
            for at in 0..self.drop_keys.len() {
                if self.list.drop_sets[at].kind == kind {
                    self.drop_keys[at] = self.drop_key(at);
                }
            }
        }
    }

    /// The index of the largest key of the front, and that key.
    fn best(&self) -> Option<(usize, u64)> {
        let (mut best, mut best_key) = (0, 0);
        for (at, entry) in self.front.iter().enumerate() {
            // The processor cannot predict which entries lead.
            let leads = entry.key > best_key;
            best_key = select_unpredictable(leads, entry.key, best_key);
            best = select_unpredictable(leads, at, best);
        }
        (best_key > 0).then_some((best, best_key))
    }

    /// The index of the set of drops that belongs to the front and has the largest key above this one.
    #[inline]
    fn best_drop_set(&mut self, above: u64) -> Option<usize> {
        let most = self.most_of_drops;
        if most < self.level || largest_key(most) < above {
            return None;
        }
        if self.drop_keys.is_empty() {
            for at in 0..self.list.drop_sets.len() {
                let key = self.drop_key(at);
                self.drop_keys.push(key);
            }
        }
        let above = above.max((self.level as u64) << 16);
        let (mut best, mut best_key) = (0, above);
        for (at, &key) in self.drop_keys.iter().enumerate() {
            let leads = key > best_key;
            best_key = select_unpredictable(leads, key, best_key);
            best = select_unpredictable(leads, at, best);
        }
        (best_key > above).then_some(best)
    }

    /// The key of the first drop of a set; 0 if it is empty.
    fn drop_key(&self, at: usize) -> u64 {
        let drops = &self.list.drop_sets[at];
        let Some(first) = drops.targets.first() else { return 0 };
        let interest = if self.similar {
            self.searched.effective_drop(drops.kind, drops.interest)
        } else {
            drops.interest
        };
        key(interest, Move::drop(drops.kind, first))
    }

    /// Lowers the level of the front. Returns `false` if it cannot be lowered any more.
    fn advance(&mut self) -> bool {
        self.level = if self.level == i32::MAX {
            // Twice the average interest of a move.
            let twice_mean = 2 * self.list.sum / self.list.count.max(1) as i64;
            self.floor.max(twice_mean.min(i64::from(HIGHEST)) as i32)
        } else if self.level > self.floor {
            self.floor
        } else if self.level > 0 {
            0
        } else {
            return false;
        };
        // The order of the moves that are left does not matter, since their keys differ.
        let (level, moves, front) = (self.level, &mut self.list.moves, &mut self.front);
        let mut at = moves.len();
        while at > 0 {
            at -= 1;
            if moves[at].interest >= level {
                let scored = moves.swap_remove(at);
                front.push(Entry { key: key(scored.interest, scored.mv), scored });
            }
        }
        true
    }
}

/// Above every interest.
const HIGHEST: i32 = 1 << 30;

fn key(interest: i32, mv: Move) -> u64 {
    largest_key(interest) - u64::from(mv.to_bits())
}

/// The largest key of a move with this interest.
fn largest_key(interest: i32) -> u64 {
    (interest.max(1) as u64) << 16 | u64::from(u16::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::search::cost::{Budgets, CostContext, CostFunction, CostRules};
    use crate::search::history::HistoryTables;
    use crate::search::parameters::Parameters;
    use crate::search::weights::{POINT, Weights};
    use kyomi_shogi::{PositionBuilder, Square};

    pub(in crate::search) fn scoring_context<'a>(
        history: &'a HistoryTables,
        weights: &'a Weights,
    ) -> ScoringContext<'a> {
        let outside = ScoringContext::outside_search(weights, history, None, false);
        ScoringContext { similar: true, ..outside }
    }

    /// The moves of a position with empty history tables.
    pub(in crate::search) fn list(position: &Position) -> InterestList {
        list_by(position, &Parameters::interest())
    }

    fn list_by(position: &Position, parameters: &Parameters) -> InterestList {
        let (history, weights) = (HistoryTables::new(), Weights::new(parameters));
        let mut list = InterestList::default();
        list.fill(position, &AttackMaps::of(position), &scoring_context(&history, &weights));
        list
    }

    fn costs() -> CostRules {
        CostRules::new(&Parameters::interest())
    }

    /// All moves in the order in which they are picked, with their effective interest, and the sum.
    fn picked(position: &Position) -> (Vec<(Move, i32)>, i64) {
        let history = HistoryTables::new();
        let weights = Weights::new(&Parameters::interest());
        let mut picker = Picker::default();
        picker.fill(
            position,
            &AttackMaps::of(position),
            &scoring_context(&history, &weights),
            None,
        );
        let sum = picker.sum();
        let mut all = Vec::new();
        while let Some(next) = picker.next(position, |_| ()) {
            let flags = next.scored.flags;
            picker.note(position, next.scored.mv, flags.is_capture(), flags.is_check());
            all.push((next.scored.mv, next.interest));
        }
        (all, sum)
    }

    fn random_positions(count: u64, mut visit: impl FnMut(&Position)) {
        for seed in 0..count {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut position = Position::startpos();
            for _ in 0..120 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.do_move(moves[random.usize(..moves.len())]);
                visit(&position);
            }
        }
    }

    #[test]
    fn every_legal_move_is_picked_once_and_interest_only_falls() {
        random_positions(12, |position| {
            let (all, _) = picked(position);
            let mut legal: Vec<_> = position.legal_moves().into_iter().collect();
            let mut moves: Vec<_> = all.iter().map(|(mv, _)| *mv).collect();
            legal.sort_by_key(|mv| mv.to_bits());
            moves.sort_by_key(|mv| mv.to_bits());
            assert_eq!(moves, legal);
            assert!(all.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{position:?}");
        });
    }

    /// The same order as that of [`Picker::next`], found by comparing all moves every time.
    fn picked_plainly(position: &Position) -> Vec<(Move, i32)> {
        let mut left = list(position).moves;
        let mut searched = SearchedMoves::default();
        let mut all = Vec::new();
        while !left.is_empty() {
            for scored in &mut left {
                scored.resolve_exchange(position);
            }
            let keys =
                left.iter().map(|scored| key(searched.effective(position, scored), scored.mv));
            let (at, key) = keys.enumerate().max_by_key(|(_, key)| *key).unwrap();
            let ScoredMove { mv, flags, .. } = left.swap_remove(at);
            searched.note(position, mv, flags.is_capture(), flags.is_check());
            all.push((mv, (key >> 16) as i32));
        }
        all
    }

    #[test]
    fn the_front_does_not_change_the_order() {
        random_positions(6, |position| {
            let wanted = picked_plainly(position);
            let (history, weights) = (HistoryTables::new(), Weights::new(&Parameters::interest()));
            for floor in [0, 100, 700, 4000, i32::MAX] {
                let mut picker = Picker::default();
                picker.fill(
                    position,
                    &AttackMaps::of(position),
                    &scoring_context(&history, &weights),
                    None,
                );
                picker.set_floor(floor);
                for (at, (mv, interest)) in wanted.iter().enumerate() {
                    assert_eq!(picker.len(), wanted.len() - at);
                    assert!(!picker.advance_to_floor() || *interest < floor);
                    let next = picker.next(position, |_| ()).unwrap();
                    assert_eq!((next.scored.mv, next.interest), (*mv, *interest), "{position:?}");
                    let flags = next.scored.flags;
                    picker.note(position, *mv, flags.is_capture(), flags.is_check());
                }
                assert_eq!(picker.advance_to_floor(), floor > 0);
                assert!(picker.next(position, |_| ()).is_none());
            }
        });
    }

    #[test]
    fn moves_that_were_left_out_are_listed_on_request() {
        let (history, weights) = (HistoryTables::new(), Weights::new(&Parameters::interest()));
        let costs = costs();
        let mut partial = 0;
        random_positions(4, |position| {
            let (maps, context) = (AttackMaps::of(position), scoring_context(&history, &weights));
            let budgets = Budgets { us: 60, them: 100 };
            let cost_context =
                CostContext { costs: &costs, budgets, ply: 3, limit: 600, score_fell: false };
            let beyond = 60 * POINT;
            let staged = TwoStageLimits {
                cost_context,
                mean_interest: MeanInterest::NEW,
                beyond,
                searched: true,
            };
            let mut picker = Picker::default();
            picker.fill_in_two_stages(position, &maps, &context, None, &staged);
            if position.in_check() || !picker.is_partial() {
                return;
            }
            partial += 1;
            let mut all = Vec::new();
            if let Some(next) = picker.next(position, |_| ()) {
                picker.note(position, next.scored.mv, false, false);
                all.push(next.scored.mv);
            }
            // A move that was picked but not searched is still in the list.
            picker.next(position, |_| ());
            picker.complete(position, &maps, &context);
            assert!(!picker.is_partial());
            assert_eq!(picker.len(), picker.count() - all.len());
            while let Some(next) = picker.next(position, |_| ()) {
                all.push(next.scored.mv);
            }
            all.sort_by_key(|mv| mv.to_bits());
            let mut legal: Vec<_> = position.legal_moves().into_iter().collect();
            legal.sort_by_key(|mv| mv.to_bits());
            assert_eq!(all, legal, "{position:?}");
        });
        assert!(partial > 100, "{partial}");
    }

    #[test]
    fn after_the_first_unaffordable_move_no_cheaper_one_is_left() {
        random_positions(8, |position| {
            let (all, sum) = picked(position);
            for budget in [60, 120, 250] {
                let budgets = Budgets { us: budget, them: budget };
                let costs = costs();
                let cost_function = CostFunction::new(&costs, sum, budgets, 3, 400, false);
                let priced: Vec<i32> =
                    all.iter().map(|(_, interest)| cost_function.cost(*interest)).collect();
                let cut = priced.iter().position(|&cost| cost > budget).unwrap_or(priced.len());
                assert!(priced[cut..].iter().all(|&cost| cost > budget));
            }
        });
    }

    #[test]
    fn even_evasions_cost_the_least() {
        // Only the king can move, to any free square next to it.
        let position = Position::from_sfen("9/9/9/9/4k4/9/9/4L4/K8 w - 1").unwrap();
        let (all, sum) = picked(&position);
        let costs = costs();
        let cost_function = CostFunction::new(&costs, sum, Budgets::whole(400), 1, 400, false);
        assert!(all.len() >= 6);
        for (mv, interest) in all {
            assert_eq!(cost_function.cost(interest), costs.min, "{mv}");
        }
    }

    fn mirrored(position: &Position) -> Position {
        let mut builder = PositionBuilder::from(position);
        for square in Square::all() {
            let other = Square::new(10 - square.file(), square.rank()).unwrap();
            match position.piece_on(other) {
                Some(piece) => builder.put(square, piece),
                None => builder.clear(square),
            };
        }
        builder.build().unwrap()
    }

    /// Parameters with every term on: with the fitted weights, and with those of the paper.
    fn all_terms() -> [Parameters; 2] {
        let all = Parameters { target: 100, ..Parameters::interest() };
        [all, Parameters::preset(crate::search::Preset::Paper)]
    }

    /// The interests of a position's moves, smallest first. The bonus of the best quiet move goes to one of several
    /// equal moves, chosen by the move codes.
    fn interests(position: &Position, parameters: &Parameters) -> (Vec<i32>, i32) {
        let list = list_by(position, parameters);
        let mut all: Vec<i32> = list.moves.iter().map(|scored| scored.interest).collect();
        all.sort_unstable();
        (all, list.hash_interest)
    }

    #[test]
    fn interest_is_the_same_for_both_sides() {
        random_positions(8, |position| {
            for p in [Parameters::interest()].iter().chain(&all_terms()) {
                let turned = position.rotated();
                assert_eq!(interests(position, p), interests(&turned, p), "{position:?}");
            }
        });
    }

    #[test]
    fn interest_is_the_same_in_the_mirror() {
        // Better squares come from the evaluation, which is not symmetric.
        let all = all_terms().map(|p| Parameters { development: 0, ..p });
        random_positions(8, |position| {
            for p in &all {
                let other = mirrored(position);
                assert_eq!(interests(position, p), interests(&other, p), "{position:?}");
            }
        });
    }
}
