//! The root: iterations with a growing limit and aspiration windows (docs/search.md, sections 1.6 and 1.7).

use std::{cmp::Reverse, sync::atomic::Ordering};

use super::cost::{Budgets, CostFunction};
use super::growth::Growth;
use super::interest::{InterestList, Scored, ScoringContext};
use super::job::{Job, Slot};
use super::kind::SearchKind;
use super::line::{Line, RootLine};
use super::move_costs::MoveCost;
use super::notes::SearchedMove;
use super::promotion::{is_needless_non_promotion, promoted_form, promoted_if_needless};
use super::root_mate_search::Proven;
use super::root_move::RootMove;
use super::root_picker::{RootInterest, RootPicker};
use super::root_promotion::{Form, Rival, is_shown_promoted};
use super::score_rules::NodeScores;
use super::table::{NewEntry, StoredBudgets};
use super::time_manager::LARGEST_FALL;
use super::value::{MATE_BOUND, Value, is_mate};
use super::window::{Window, bound_of};
use super::worker::Worker;
use super::{Bound, MAX_PLY, attack_maps::AttackMaps};
use crate::{clock::Signals, shogi::Move};

/// Observes every completed iteration and every new best move within one.
pub(crate) trait SearchObserver<K: SearchKind> {
    /// An iteration is completed. `lines` are the lines it found, best first, at least one.
    fn iteration_completed(&mut self, worker: &Worker<K>, lines: &[RootLine]);

    /// A new best line within an iteration.
    fn new_best_line(&mut self, worker: &Worker<K>, found: &RootLine, bound: Bound);
}

/// The best moves of past iterations, from which the signals for the time manager follow.
#[derive(Default)]
struct BestMoves {
    /// Best moves, latest last.
    moves: Vec<Move>,
}

impl BestMoves {
    fn signals(&self, score_fall: i32, obvious: bool) -> Signals {
        let last = self.moves.last();
        let stable = self.moves.iter().rev().take_while(|mv| Some(*mv) == last).count() as u32;
        let recent = &self.moves[self.moves.len().saturating_sub(5)..];
        let best_changes = recent.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32;
        Signals { best_changes, stable: stable.saturating_sub(1), score_fall, obvious }
    }
}

impl<K: SearchKind> Worker<K> {
    /// Searches the root until a limit of the job is reached or a deeper search is not possible.
    pub(crate) fn think(
        &mut self,
        job: &Job,
        slot: &Slot,
        observer: &mut dyn SearchObserver<K>,
    ) -> RootLine {
        let mut moves = self.root_moves(&job.limits.moves);
        let Some(first) = moves.first() else { return RootLine::default() };
        // Helper threads search for the best line only.
        let is_worth_a_line =
            |root: &&RootMove| !root.needless_non_promotion && !root.is_implausible;
        let worth_a_line = moves.iter().filter(is_worth_a_line).count().max(1);
        let wanted = if self.id == 0 { job.limits.lines.clamp(1, worth_a_line) } else { 1 };
        let none = RootLine { score: self.evaluate(), ..RootLine::default() };
        let mut lines = vec![none; wanted];
        lines[0].line.push(first.mv);
        let checks = self.id == 0 && wanted == 1 && self.parameters.mate_nodes > 0;
        let kept = if checks { self.parameters.mate_final as u32 } else { 0 };
        self.keep_for_last_check(kept);
        self.deepen(&mut moves, &mut lines, job, slot, observer);
        self.keep_for_last_check(0);
        if kept > 0 && self.mates.threat != Some(false) {
            self.check_before_playing(&mut moves, &mut lines[0], kept);
        }
        lines.swap_remove(0)
    }

    /// The iterations.
    fn deepen(
        &mut self,
        moves: &mut [RootMove],
        lines: &mut [RootLine],
        job: &Job,
        slot: &Slot,
        observer: &mut dyn SearchObserver<K>,
    ) {
        let wanted = lines.len();
        let most = job.limits.depth.map_or(i32::MAX, |depth| {
            self.costs.limit_for_depth(depth.clamp(1, MAX_PLY as u32) as i32)
        });
        let most = most.min(job.limits.limit.unwrap_or(i32::MAX));
        let mut growth = Growth::new(self.number, &self.parameters);
        let mut best_moves = BestMoves::default();
        let mut iteration = 0;
        loop {
            iteration += 1;
            // The depth limit ends only the first thread. The others continue until it is done.
            self.limit = if self.id == 0 {
                growth.limit.min(most)
            } else {
                growth.catch_up(job.largest_limit.load(Ordering::Relaxed));
                growth.limit
            };
            if iteration > 1 {
                self.history.next_iteration();
            }
            self.penalties.next_iteration(self.nodes);
            self.penalty_pause = self.parameters.penalty_pause != 0
                && self.penalties.may_pause()
                && iteration % 4 == 0;
            let nodes = self.nodes;
            let before = lines[0].score;
            let known = iteration >= 4;
            if !self.iterate_lines(moves, lines, known, observer) {
                return;
            }
            let found = &lines[0];
            // Relaxed: a hint to the other threads.
            job.largest_limit.fetch_max(self.limit, Ordering::Relaxed);
            // A result beyond the depth limit is not published.
            if self.limit <= most {
                slot.publish(job, found);
            }
            observer.iteration_completed(self, lines);
            self.score_fell =
                self.parameters.panic_width != 0 && known && found.score <= before - 80;
            let spent = self.nodes - nodes;
            best_moves.moves.extend(found.line.first());
            if self.id == 0 {
                // The fall since the last move or since the last iteration, whichever is larger.
                let since = job.last_score.map_or(0, |last| last - found.score);
                let fall = if known { since.max(before - found.score) } else { since };
                let obvious = moves[0].nodes * 100 >= spent * 97 && iteration > 8;
                let only = moves.len() == 1;
                let decided = is_mate(found.score);
                let signals = best_moves.signals(fall.clamp(-LARGEST_FALL, LARGEST_FALL), obvious);
                if let Some(time_manager) = &mut self.time_manager {
                    time_manager.update(signals);
                    if time_manager.expired(self.nodes)
                        || (only && time_manager.is_timed(self.nodes))
                    {
                        return;
                    }
                }
                if decided && found.score.abs() > MATE_BOUND && iteration >= 3 {
                    return;
                }
            }
            let ends = self.id == 0 && self.limit >= most;
            if ends || self.costs.nominal_depth(self.limit) >= MAX_PLY as i32 {
                return;
            }
            if self.id == 0 && wanted == 1 && self.parameters.mate_nodes > 0 {
                match self.seek_mates(&lines[0]) {
                    Some(Proven::Win(won))
                        if moves.iter().any(|root| Some(&root.mv) == won.line.first()) =>
                    {
                        lines[0] = *won;
                        self.settle_win(moves, &mut lines[0]);
                        observer.iteration_completed(self, lines);
                        return;
                    }
                    Some(Proven::Loss { score, line }) => {
                        self.refute(moves, &mut lines[0], score, *line);
                        if self.parameters.mate_final > 0 {
                            self.refute_substitutes(moves, &mut lines[0]);
                        }
                        if self.limit <= most {
                            slot.publish(job, &lines[0]);
                        }
                        // The signals that the time manager has are those of the refuted move.
                        best_moves.moves.extend(lines[0].line.first());
                        if let Some(time_manager) =
                            self.time_manager.as_mut().filter(|_| lines[0].is_substitute)
                        {
                            time_manager.update(best_moves.signals(LARGEST_FALL, false));
                        }
                    }
                    _ => {}
                }
            }
            growth.advance(spent);
            if let Some(nodes) = self
                .time_manager
                .as_ref()
                .and_then(|time_manager| time_manager.affordable(self.nodes))
            {
                growth.fit(nodes);
            }
        }
    }

    /// Completes the data of the best line, which is a mate that the mate search has proven.
    fn settle_win(&mut self, moves: &[RootMove], found: &mut RootLine) {
        let Some(root) = moves.iter().find(|root| Some(&root.mv) == found.line.first()) else {
            return;
        };
        found.cost = root.cost;
        if self.takes_notes(0) {
            self.notes.prove(root.mv, found.score);
        }
    }

    /// Runs one iteration for all lines, each without the first moves of the lines before it. Returns whether it was
    /// completed.
    fn iterate_lines(
        &mut self,
        moves: &mut [RootMove],
        lines: &mut [RootLine],
        aspire: bool,
        observer: &mut dyn SearchObserver<K>,
    ) -> bool {
        let several = lines.len() > 1;
        for at in 0..lines.len() {
            let (left, found) = (&mut moves[at..], &mut lines[at]);
            // The best move of this line in the last iteration comes first, unless a line before it has that move now.
            if let Some(mv) = found.line.first()
                && let Some(place) = left.iter().position(|root| root.mv == *mv)
            {
                left[..=place].rotate_right(1);
            }
            let observer: &mut dyn SearchObserver<K> =
                if several { &mut NoObserver } else { &mut *observer };
            if !self.iterate(left, found, aspire, at == 0, observer) {
                return false;
            }
            found.limit = self.limit;
        }
        // A later line may have a higher score than one before it.
        if several {
            lines.sort_by_key(|found| Reverse(found.score));
            for (at, found) in lines.iter().enumerate() {
                let place = moves.iter().position(|root| Some(&root.mv) == found.line.first());
                if let Some(place) = place.filter(|&place| place > at) {
                    moves[at..=place].rotate_right(1);
                }
            }
        }
        true
    }

    /// Runs one iteration over some of the moves of the root. Returns whether it was completed. `whole`: these are all
    /// moves of the root.
    fn iterate(
        &mut self,
        moves: &mut [RootMove],
        found: &mut RootLine,
        aspire: bool,
        whole: bool,
        observer: &mut dyn SearchObserver<K>,
    ) -> bool {
        // A root that is like every other node has no best move before the first iteration.
        let is_best_known = found.limit > 0 || self.parameters.root_full != 0;
        let interest = self.set_root_costs(moves, is_best_known);
        if self.takes_notes(0) {
            let best = moves.first().filter(|_| is_best_known);
            self.note_root_costs(best.map(|root| root.mv));
        }
        let mut margin = 30;
        let centre = found.score;
        let open = |margin: i32| !aspire || is_mate(centre) || margin > 1000;
        loop {
            let window = if open(margin) {
                Window::open()
            } else {
                Window::on_pv(centre - margin, centre + margin)
            };
            // The best move of the last iteration first, then by the number of nodes of their last search.
            moves[1..].sort_by_key(|root| {
                let last = (root.is_implausible, root.needless_non_promotion);
                (last, Reverse((root.nodes, root.cost_rank())))
            });
            if self.takes_notes(0) {
                self.notes.try_window(window);
            }
            let score = self.search_root(moves, interest, window, found, observer);
            if self.aborted {
                return false;
            }
            if whole {
                self.store_root(moves, found, score, window);
            }
            if score > window.alpha && score < window.beta {
                if self.takes_notes(0) {
                    self.notes.complete(moves.iter().map(|root| root.mv));
                }
                return true;
            }
            if score <= window.alpha
                && let Some(time_manager) = &mut self.time_manager
            {
                time_manager.update_fall(centre - score);
            }
            margin *= 3;
        }
    }

    /// Searches the moves of the root and puts the best one first.
    fn search_root(
        &mut self,
        moves: &mut [RootMove],
        interest: RootInterest,
        window: Window,
        found: &mut RootLine,
        observer: &mut dyn SearchObserver<K>,
    ) -> i32 {
        let budgets = Budgets::whole(self.limit);
        let rules = self.rules_at(budgets, None, 0);
        let mut scores = NodeScores::new(rules, window.alpha, window.beta);
        let mut raised_alpha = false;
        let mut siblings = 0_i32;
        let mut replaced = None;
        let mut picker = (self.parameters.root_full == 0)
            .then(|| RootPicker::new(interest, self.parameters.similar != 0));
        for at in 0..moves.len() {
            let effective =
                picker.as_ref().map(|picker| self.pick_at_root(picker, &mut moves[at..]));
            let (mv, cost) = (moves[at].mv, moves[at].cost);
            let set_aside = moves[at].is_implausible && at > 0 && scores.best() > -MATE_BOUND;
            if replaced == Some(mv) || is_shown_promoted(moves, at) || set_aside {
                continue;
            }
            // A loss is proven only when every legal move has been searched.
            if picker.is_some()
                && at > 0
                && scores.best() > -MATE_BOUND
                && self.costs.sibling_surcharge(siblings).saturating_add(cost) > budgets.us
            {
                break;
            }
            let charge = if picker.is_some() { self.costs.charge(cost, siblings) } else { cost };
            let before = siblings;
            siblings = siblings.saturating_add(cost);
            let nodes = self.nodes;
            let best = found.line.first().copied().filter(|_| raised_alpha);
            let (mut bonus, mut ties) = self.bonus_and_tie_break(mv, best, window);
            let raised = window.narrowed(scores.limits(bonus, ties));
            self.frames[0].bad_check = moves[at].bad_check;
            let (value, charged) = if let Some(score) = moves[at].lost {
                self.frames[1].pv = moves[at].line.iter().skip(1).copied().collect();
                (Value::of_position(score), charge)
            } else {
                let undo = self.make(0, mv);
                let searched = self.search_child(raised, budgets, charge, 0, at == 0);
                self.unmake(mv, undo);
                let Some(searched) = searched else { return scores.value() };
                searched
            };
            moves[at].nodes = self.nodes - nodes;
            if self.takes_notes(0) && moves[at].lost.is_none() {
                let (window, score, nodes) = (raised, value.score, moves[at].nodes);
                let siblings = before;
                if let Some(effective) = effective {
                    self.notes.pick(effective, None);
                }
                self.notes.searched(&SearchedMove {
                    mv,
                    cost,
                    siblings,
                    charge,
                    window,
                    score,
                    nodes,
                });
            }
            if let Some(picker) = &mut picker {
                self.note_at_root(picker, &moves[at]);
            }
            let (mut at, mut value) = (at, value);
            if value.score > raised.alpha && moves[at].promoted.is_some() {
                let rival = Rival { at, value, charge: charged };
                match self.choose_promotion(moves, &rival, raised, budgets) {
                    Form::Stopped => return scores.value(),
                    Form::Unpromoted(again) => value = again,
                    Form::Promoted { place, value: promoted } => {
                        replaced = Some(mv);
                        (at, value) = (place, promoted);
                        (bonus, ties) = self.bonus_and_tie_break(moves[at].mv, best, window);
                    }
                }
            }
            let change = scores.enter(value.score, bonus, ties);
            if change.is_best && value.score > raised.alpha {
                self.set_pv(0, moves[at].mv);
                moves[at].line.clone_from(&self.frames[0].pv);
                moves[..=at].rotate_right(1);
                found.line.clone_from(&moves[0].line);
                // It is no proven loss until all moves are searched, since another move may be better.
                found.score = scores.value().max(1 - MATE_BOUND);
                raised_alpha = true;
                found.is_substitute = false;
                found.cost = moves[0].cost;
                let bound = if change.cuts { Bound::Lower } else { Bound::Exact };
                if at > 0 {
                    observer.new_best_line(self, found, bound);
                }
            }
            if change.cuts {
                break;
            }
        }
        let score = scores.value();
        if raised_alpha {
            found.score = score;
        }
        score
    }

    /// Stores the root in the table. Its score depends on the game, but its move is useful.
    fn store_root(&mut self, moves: &[RootMove], found: &RootLine, score: i32, window: Window) {
        let in_check = self.position.in_check();
        let store = NewEntry {
            mv: found.line.first().copied(),
            score,
            eval: (!in_check).then(|| self.evaluate()),
            bound: bound_of(score, window),
            budgets: StoredBudgets::new(Budgets::whole(self.limit), in_check),
            cost: moves.first().map_or(self.costs.min, |root| root.cost),
            pv: true,
            path_dependent: true,
        };
        self.table.store(self.position.key(), 0, store);
    }

    /// The legal moves, or those among them that `asked_for` names.
    fn root_moves(&self, asked_for: &[Move]) -> Vec<RootMove> {
        let hash = self.hash_at_root().map(|mv| promoted_if_needless(&self.position, mv));
        let list = self.root_list(hash, true);
        let mut scored = list.moves;
        // Only rules of plausible moves set moves of the root aside.
        let implausible = list.reserve;
        if !implausible.is_empty() {
            let set_aside = |scored: &Scored| implausible.contains(&scored.mv);
            scored.extend(self.whole_root_list(hash).moves.into_iter().filter(set_aside));
        }
        if scored.iter().any(|scored| asked_for.contains(&scored.mv)) {
            scored.retain(|scored| asked_for.contains(&scored.mv));
        }
        let is_asked_for = |form: &Move| scored.iter().any(|scored| scored.mv == *form);
        let of = |scored: &Scored| {
            let mv = scored.mv;
            // A root that is like every other node has no rules for promotion.
            let promoted = promoted_form(&self.position, mv)
                .filter(|form| self.parameters.root_full != 0 && is_asked_for(form));
            let needless_non_promotion =
                promoted.is_some() && is_needless_non_promotion(&self.position, mv);
            let line = Line::from_iter([mv]);
            let root = RootMove {
                mv,
                nodes: 0,
                line,
                cost: 0,
                scored: *scored,
                bad_check: false,
                promoted,
                needless_non_promotion,
                is_implausible: implausible.contains(&mv),
                lost: None,
            };
            let last = (root.is_implausible, needless_non_promotion);
            ((last, Reverse(scored.interest), mv.to_bits()), root)
        };
        let mut moves: Vec<_> = scored.iter().map(of).collect();
        moves.sort_by_key(|(order, _)| *order);
        moves.into_iter().map(|(_, root)| root).collect()
    }

    /// The move of the table.
    fn hash_at_root(&self) -> Option<Move> {
        self.table.probe(self.position.key(), 0).and_then(|found| found.mv)
    }

    /// The moves of the root with their interest. `is_best`: the hash move is the best move of the last iteration.
    fn root_list(&self, hash: Option<Move>, is_best: bool) -> InterestList {
        let mut context = self.scoring_context(0, hash, true, Budgets::whole(self.limit));
        if !is_best {
            context.later_bonus = 0;
        }
        self.settled_list(&context)
    }

    /// The same without the rules of plausible moves.
    fn whole_root_list(&self, hash: Option<Move>) -> InterestList {
        let mut context = self.scoring_context(0, hash, true, Budgets::whole(self.limit));
        context.plausible = None;
        self.settled_list(&context)
    }

    fn settled_list(&self, context: &ScoringContext<'_>) -> InterestList {
        let mut list = InterestList::default();
        list.fill(&self.position, &AttackMaps::of(&self.position), context);
        for scored in &mut list.moves {
            scored.settle(&self.position);
        }
        list
    }

    /// The legal moves of the root with their costs. Of a move that promotes without need only one form is given.
    pub(super) fn costs_at_root(&self, best: Option<Move>) -> Vec<MoveCost> {
        let mut moves = self.root_moves(&[]);
        moves.retain(|root| !root.needless_non_promotion);
        if let Some(place) = moves.iter().position(|root| Some(root.mv) == best) {
            moves[..=place].rotate_right(1);
        }
        self.set_root_costs(&mut moves, true);
        let list = self.root_list(moves.first().map(|root| root.mv), true);
        let share = |mv: Move| {
            let interest = list.moves.iter().find(|it| it.mv == mv).map_or(0, |it| it.interest);
            (i64::from(interest) * 1000 / list.sum.max(1)) as u32
        };
        let lead = |cost: i32| cost * (100 + self.parameters.cross_charge) / 200;
        let of = |it: &RootMove| {
            let (mv, cost) = (it.mv, it.cost);
            MoveCost { mv, cost, lead: lead(cost), share: share(mv) }
        };
        moves.iter().map(of).collect()
    }

    /// Sets the interest and the costs of the moves of the root. A charge is at most half the limit, so that every move
    /// is searched to at least half the depth. `is_best_known`: the first move was the best one of the last iteration.
    fn set_root_costs(&self, moves: &mut [RootMove], is_best_known: bool) -> RootInterest {
        let hash = match moves.first() {
            Some(best) if is_best_known => Some(best.mv),
            _ => self.hash_at_root(),
        };
        let list = self.root_list(hash, is_best_known);
        let sum = (list.sum, list.count);
        let budgets = Budgets::whole(self.limit);
        let cost_function =
            CostFunction::new(&self.costs, sum, budgets, 0, self.limit, self.score_fell);
        for root in moves {
            if let Some(scored) = list.moves.iter().find(|scored| scored.mv == root.mv) {
                root.scored = *scored;
            }
            let traits = root.scored.traits;
            root.bad_check = traits.is_check() && traits.is_bad();
            if self.is_plain() {
                root.cost = self.costs.plain(traits.is_check(), traits.is_capture());
                continue;
            }
            if Some(root.mv) == hash && is_best_known {
                root.scored.interest += self.weights.root_best;
            }
            let most = if self.parameters.root_full != 0 { self.limit / 2 } else { i32::MAX };
            root.cost = cost_function.cost(root.scored.interest).min(most);
        }
        RootInterest { sum, hash }
    }
}

/// Observes nothing.
pub(crate) struct NoObserver;

impl<K: SearchKind> SearchObserver<K> for NoObserver {
    fn iteration_completed(&mut self, _: &Worker<K>, _: &[RootLine]) {}

    fn new_best_line(&mut self, _: &Worker<K>, _: &RootLine, _: Bound) {}
}
