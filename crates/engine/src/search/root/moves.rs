//! The moves of the root with their interest and costs (docs/search.md, section 1.6), and how they are picked where the
//! root is like every other node (`Interest_RootFull false`).

use std::cmp::Reverse;

use crate::search::attack_maps::AttackMaps;
use crate::search::cost::{Budgets, CostFunction};
use crate::search::interest::{InterestList, ScoredMove, ScoringContext};
use crate::search::kind::SearchKind;
use crate::search::line::Line;
use crate::search::promotion::{is_needless_non_promotion, promoted_form, promoted_if_needless};
use crate::search::similar::SearchedMoves;
use crate::search::worker::Worker;
use kyomi_shogi::Move;

/// A legal move of the root.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Number of nodes below it in the last iteration.
    pub(super) nodes: u64,
    /// The line that begins with it.
    pub(super) line: Line,
    pub(super) cost: i32,
    /// Its interest in this iteration, when the exchange value is known.
    pub(super) scored: ScoredMove,
    /// The same move with promotion, if that is also one of the moves of the root.
    pub(super) promoted: Option<Move>,
    /// Whether it is searched after all others, and becomes the best move only if it changes which side mates.
    pub(super) needless_non_promotion: bool,
    /// Whether it is not plausible, so that it is searched, after all others, only while all plausible moves lose.
    pub(super) is_implausible: bool,
    /// Its score, if a mate search has shown that it loses. It is not searched any more.
    pub(super) proven_score: Option<i32>,
}

impl RootMove {
    /// The order among moves with the same number of nodes: the cheaper first, then the smaller code.
    pub(super) fn cost_rank(&self) -> (i32, u16) {
        (-self.cost, u16::MAX - self.mv.to_bits())
    }
}

/// The data of the root in an iteration.
#[derive(Debug, Clone, Copy)]
pub(super) struct RootInterest {
    /// The sum of the interest of all moves.
    pub(super) sum: i64,
    /// The best move of the last iteration, or before the first one the move of the table.
    pub(super) hash: Option<Move>,
}

/// The moves of the root searched so far.
#[derive(Debug)]
pub(super) struct RootPicker {
    interest: RootInterest,
    /// Whether moves similar to those already searched lose interest.
    similar: bool,
    searched: SearchedMoves,
}

impl RootPicker {
    /// A picker before the first move.
    pub(super) fn new(interest: RootInterest, similar: bool) -> Self {
        Self { interest, similar, searched: SearchedMoves::default() }
    }
}

impl<K: SearchKind> Worker<K> {
    /// The legal moves, or those of `allowed` if any of these is legal.
    pub(super) fn root_moves(&self, allowed: &[Move]) -> Vec<RootMove> {
        let hash = self.hash_at_root().map(|mv| promoted_if_needless(&self.line.position, mv));
        let list = self.root_list(hash, true);
        let mut scored = list.moves;
        // Only rules of plausible moves set moves of the root aside.
        let implausible = list.reserve;
        if !implausible.is_empty() {
            let set_aside = |scored: &ScoredMove| implausible.contains(&scored.mv);
            scored.extend(self.unfiltered_root_list(hash).moves.into_iter().filter(set_aside));
        }
        if scored.iter().any(|scored| allowed.contains(&scored.mv)) {
            scored.retain(|scored| allowed.contains(&scored.mv));
        }
        let is_listed = |form: &Move| scored.iter().any(|scored| scored.mv == *form);
        let of = |scored: &ScoredMove| {
            let mv = scored.mv;
            // A root that is like every other node has no rules for promotion.
            let promoted = promoted_form(&self.line.position, mv)
                .filter(|form| self.settings.parameters.root_full != 0 && is_listed(form));
            let needless_non_promotion =
                promoted.is_some() && is_needless_non_promotion(&self.line.position, mv);
            let line = Line::from_iter([mv]);
            let root = RootMove {
                mv,
                nodes: 0,
                line,
                cost: 0,
                scored: *scored,
                promoted,
                needless_non_promotion,
                is_implausible: implausible.contains(&mv),
                proven_score: None,
            };
            let last = (root.is_implausible, needless_non_promotion);
            ((last, Reverse(scored.interest), mv.to_bits()), root)
        };
        let mut moves: Vec<_> = scored.iter().map(of).collect();
        moves.sort_by_key(|(order, _)| *order);
        moves.into_iter().map(|(_, root)| root).collect()
    }

    /// The hash move of the root.
    fn hash_at_root(&self) -> Option<Move> {
        self.table.probe(self.line.position.key(), 0).and_then(|found| found.mv)
    }

    /// The moves of the root with their interest. `is_best`: the hash move is the best move of the last iteration.
    fn root_list(&self, hash: Option<Move>, is_best: bool) -> InterestList {
        let mut context = self.scoring_context(0, hash, true, Budgets::whole(self.control.limit));
        if !is_best {
            context.later_bonus = 0;
        }
        self.list_with_exchanges(&context)
    }

    /// [`root_list`](Self::root_list) without the rules of plausible moves.
    fn unfiltered_root_list(&self, hash: Option<Move>) -> InterestList {
        let mut context = self.scoring_context(0, hash, true, Budgets::whole(self.control.limit));
        context.plausible = None;
        self.list_with_exchanges(&context)
    }

    /// The list with all exchange values computed.
    fn list_with_exchanges(&self, context: &ScoringContext<'_>) -> InterestList {
        let mut list = InterestList::default();
        list.fill(&self.line.position, &AttackMaps::of(&self.line.position), context);
        for scored in &mut list.moves {
            scored.resolve_exchange(&self.line.position);
        }
        list
    }

    /// Sets the interest and the costs of the moves of the root. A charge is at most
    /// [`Settings::root_charge_cap`](crate::search::worker::Settings::root_charge_cap). `is_best_known`: the first move
    /// was the best one of the last iteration.
    pub(super) fn set_root_costs(
        &self,
        moves: &mut [RootMove],
        is_best_known: bool,
    ) -> RootInterest {
        let hash = match moves.first() {
            Some(best) if is_best_known => Some(best.mv),
            _ => self.hash_at_root(),
        };
        let list = self.root_list(hash, is_best_known);
        let budgets = Budgets::whole(self.control.limit);
        let cost_function = CostFunction::new(
            &self.settings.costs,
            list.sum,
            budgets,
            0,
            self.control.limit,
            self.control.score_fell,
        );
        for root in moves {
            if let Some(scored) = list.moves.iter().find(|scored| scored.mv == root.mv) {
                root.scored = *scored;
            }
            let flags = root.scored.flags;
            if self.is_plain() {
                root.cost = self.settings.costs.plain(flags.is_check(), flags.is_capture());
                continue;
            }
            if Some(root.mv) == hash && is_best_known {
                root.scored.interest += self.settings.weights.root_best;
            }
            let most = self.settings.root_charge_cap(self.control.limit).unwrap_or(i32::MAX);
            root.cost = cost_function.cost(root.scored.interest).min(most);
        }
        RootInterest { sum: list.sum, hash }
    }

    /// Puts the move of largest effective interest first, and sets its cost. Of moves with equal interest it is the one
    /// with the smaller code. Returns its effective interest.
    pub(super) fn pick_at_root(&self, picker: &RootPicker, moves: &mut [RootMove]) -> i32 {
        let effective = |root: &RootMove| {
            if picker.similar && Some(root.mv) != picker.interest.hash {
                picker.searched.effective(&self.line.position, &root.scored)
            } else {
                root.scored.interest
            }
        };
        let order = |root: &RootMove| (effective(root), u16::MAX - root.mv.to_bits());
        let best = moves.iter().enumerate().max_by_key(|(_, root)| order(root));
        let Some((at, interest)) = best.map(|(at, root)| (at, effective(root))) else { return 0 };
        moves[..=at].rotate_right(1);
        if !self.is_plain() {
            let budgets = Budgets::whole(self.control.limit);
            let cost_function = CostFunction::new(
                &self.settings.costs,
                picker.interest.sum,
                budgets,
                0,
                self.control.limit,
                self.control.score_fell,
            );
            moves[0].cost = cost_function.cost(interest);
        }
        interest
    }

    /// Notes that a move of the root has been searched.
    pub(super) fn note_at_root(&self, picker: &mut RootPicker, root: &RootMove) {
        let flags = root.scored.flags;
        picker.searched.note(&self.line.position, root.mv, flags.is_capture(), flags.is_check());
    }
}
