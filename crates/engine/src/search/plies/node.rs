//! What ends a node of the search by plies before its moves are listed: the rules of the game, the table, an evaluation
//! far from the window, a pass, a mate in one, a capture that wins far more than needed.

use super::checks::Checks;
use super::moves::{Node, base_reduction};
use super::picker::{Orders, Picked, Picker, is_tactical};
use super::prior::Priors;
use crate::search::ply_knowledge::Made;
use crate::search::ply_knowledge::{CorrectionPlaces, Place, pawn_key};
use crate::search::{
    MAX_PLY,
    cost::Budgets,
    kind::SearchKind,
    mate_in_one::find_mate_in_one,
    node_counts::{NodeEnd, Within},
    see,
    table::{EntryBound, NewEntry, StoredBudgets, TableHit},
    value::{Value, is_judged, is_mate, is_won, mated_in, mates_in},
    window::Window,
    worker::Worker,
};
use kyomi_shogi::Move;

/// The depth from which a node without a move of the table is searched a ply less.
const UNKNOWN_MOVE_DEPTH: i32 = 6;
/// The least depth at which a capture may end a node.
const PROB_CUT_DEPTH: i32 = 3;
/// How far above beta a score of the table ends a node although its search was a little less deep, in centipawns.
const NEAR_ENTRY_MARGIN: i32 = 400;
/// The plies that the test by a capture takes from the depth.
const PROB_CUT_LESS: i32 = 4;

impl<K: SearchKind> Worker<K> {
    /// Searches a position at `ply` to a depth in plies. `cut`: the node is expected to reach beta.
    pub(in crate::search) fn search_by_plies(
        &mut self,
        window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Value {
        self.line.frames[ply].pv.clear();
        if self.check_stop() {
            return Value::of_position(0);
        }
        self.control.seldepth = self.control.seldepth.max(ply);
        if let Some(value) = self.decided_by_rules(ply) {
            self.count_ended_node(ply, depth, NodeEnd::Rules);
            return value;
        }
        if depth <= 0 {
            return self.quiescence_by_plies(window, ply, 0);
        }
        self.count_node(ply, depth);
        // No mate is shorter than one at the next ply.
        let inner = window.clamped(mated_in(ply), mates_in(ply + 1));
        if inner.alpha >= inner.beta {
            self.count_end(NodeEnd::Rules);
            return Value::of_position(inner.alpha);
        }
        let mut node = self.node_by_plies(inner, depth.min(MAX_PLY as i32), ply, cut);
        if let Some(value) = self.cut_by_table(&node) {
            self.count_end(NodeEnd::Table);
            return value;
        }
        self.evaluate_node(&mut node);
        if let Some(value) = self.cut_before_moves(&mut node, window) {
            return value;
        }
        if self.control.aborted {
            return Value::of_position(0);
        }
        if let Some(value) = Self::cut_by_near_entry(&node) {
            self.count_end(NodeEnd::NearEntry);
            return value;
        }
        node.checks = Checks::of(&self.line.position);
        self.search_moves_by_plies(&node)
    }

    /// Prepares for the move of the root with this index. Returns its charge in hundredths of a ply.
    pub(in crate::search) fn begin_root_move(&mut self, at: usize, mv: Move, width: i32) -> i32 {
        let (depth, number) = ((self.control.limit + 50) / 100, at as i32 + 1);
        if at == 0 {
            let (eval, in_check) = (self.evaluate(), self.line.position.in_check());
            let plies = &mut self.knowledge.plies;
            (plies.root_depth, plies.root_width) = (depth, width);
            let data = &mut plies.stack[0];
            (data.eval, data.in_check, data.pv, data.was_found) = (eval, in_check, true, true);
            plies.stack[1].cuts = 0;
            plies.stack[2].cuts = 0;
        }
        let quiet = !is_tactical(&self.line.position, mv);
        self.knowledge.plies.stack[0].made = Made { quiet, number, ..Made::default() };
        if at == 0 || depth < 3 {
            return 100;
        }
        // At the root every move matters: reductions are as small as nowhere else.
        let less = if quiet { 170 } else { 270 } + 6 * number;
        let reduction = base_reduction(depth, number, true, &self.settings.parameters) - less;
        100 + reduction.clamp(0, 100 * (depth - 2)) / 100 * 100
    }

    /// The node with what the table knows about it.
    fn node_by_plies(&mut self, window: Window, depth: i32, ply: usize, cut: bool) -> Node {
        let in_check = self.line.position.in_check();
        self.note_last_place(ply);
        let position = &self.line.position;
        let pawns = pawn_key(position);
        let excluded = self.line.frames[ply].excluded;
        let found = self.probe_table(Budgets::whole(0), ply);
        let hash = found.and_then(|found| found.mv).map(|mv| self.form_to_search(mv));
        let hash = hash.filter(|&mv| self.line.position.is_legal(mv));
        let was_pv = found.is_some_and(|found| found.pv);
        let plies = &mut self.knowledge.plies;
        let before = plies.before(ply);
        plies.stack[ply + 2].cuts = 0;
        let data = &mut plies.stack[ply];
        data.in_check = in_check;
        if excluded.is_none() {
            data.was_found = found.is_some();
            data.pv = window.is_pv() || was_pv;
        }
        Node {
            window,
            depth,
            ply,
            cut,
            in_check,
            excluded,
            found,
            hash,
            hash_is_tactical: hash.is_some_and(|mv| is_tactical(&self.line.position, mv)),
            was_pv: data.pv,
            pawns,
            before,
            checks: Checks::UNKNOWN,
            corrections: CorrectionPlaces::of(&self.line.position, pawns, before),
            raw_eval: None,
            static_eval: None,
            eval: 0,
            improving: false,
            worsening: false,
        }
    }

    /// Notes the piece that the move before this ply has put on its target.
    pub(super) fn note_last_place(&mut self, ply: usize) {
        let Some(before) = ply.checked_sub(1) else { return };
        let position = &self.line.position;
        let place = |mv: Move| Some(Place::new(position.piece_on(mv.to())?, mv.to()));
        let last = self.line.frames[before].mv.and_then(place);
        self.knowledge.plies.stack[before].place = last.unwrap_or(Place::NONE);
    }

    /// The value of a node that an entry of the table ends.
    fn cut_by_table(&mut self, node: &Node) -> Option<Value> {
        let (window, depth) = (node.window, node.depth);
        let found = node.found_of_all_moves()?;
        let reaches = found.score >= window.beta;
        let is_deep = node.hash_depth() > depth - i32::from(found.score <= window.beta);
        let ends = !window.is_pv()
            && found.cuts(StoredBudgets::NOTHING, window.alpha, window.beta, 0)
            && (is_deep || found.is_proven())
            && (node.cut == reaches || depth > 5);
        if !ends {
            return None;
        }
        if let Some(mv) = node.hash
            && reaches
        {
            if !node.hash_is_tactical {
                self.learn_quiet(node, mv, (128 * depth - 70).min(1200));
            }
            self.learn_refuted(node.ply, 1..=3, 2000);
        }
        Some(Value::of_position(found.score))
    }

    /// Evaluates the node, and compares the evaluation with those before it.
    fn evaluate_node(&mut self, node: &mut Node) {
        let (ply, side) = (node.ply, self.line.position.side_to_move());
        let most = crate::eval::MAX;
        if !node.in_check {
            let raw = self.static_eval(node.found);
            let correction = self.knowledge.plies.learned.correction(&node.corrections);
            node.raw_eval = Some(raw);
            node.static_eval = Some((raw + correction).clamp(-most, most));
        }
        let plies = &mut self.knowledge.plies;
        let (last, own) = (plies.back(ply, 1), plies.back(ply, 2));
        let eval = node.static_eval.or_else(|| own.map(|data| data.eval)).unwrap_or(0);
        plies.stack[ply].eval = eval;
        node.eval = match node.found_of_all_moves() {
            Some(found) if !node.in_check && !found.path_dependent => found.improve(eval),
            _ => eval,
        };
        node.improving = !node.in_check && own.is_some_and(|data| eval > data.eval);
        node.worsening = !node.in_check && last.is_some_and(|data| eval > -data.eval);
        // What the last move did to the evaluation says something about it.
        if let (Some(eval), Some(data), None) = (node.static_eval, last, node.excluded)
            && data.made.quiet
            && !data.in_check
            && let Some(mv) = self.line.earlier_move(ply, 1)
        {
            let bonus = (-10 * (data.eval + eval)).clamp(-1900, 1400) + 600;
            plies.learned.learn_plain(!side, mv, bonus);
        }
    }

    /// The value of a node that ends before its moves are listed. `outer` is its window before the limits of mates.
    fn cut_before_moves(&mut self, node: &mut Node, outer: Window) -> Option<Value> {
        if node.excluded.is_some() || node.in_check {
            return None;
        }
        // The evaluation does not know the rules of entered kings.
        let is_judged = !node.window.is_pv()
            && !self.line.has_entered(!self.line.position.side_to_move())
            && !is_mate(node.window.beta);
        if is_judged && let Some(value) = self.cut_by_eval_of_plies(node, outer) {
            return Some(value);
        }
        if self.control.aborted {
            return None;
        }
        node.improving |= node.static_eval.is_some_and(|eval| eval >= node.window.beta + 90);
        if self.may_have_mate_in_one(node.found)
            && let Some(value) = self.mate_in_one_by_plies(node)
        {
            return Some(value);
        }
        if (node.cut || node.window.is_pv())
            && node.depth >= UNKNOWN_MOVE_DEPTH
            && node.hash.is_none()
        {
            node.depth -= 1;
        }
        if is_judged && node.depth >= PROB_CUT_DEPTH { self.prob_cut(node) } else { None }
    }

    /// The value of a node for which the table has a search that was nearly deep enough and reached far more than beta.
    fn cut_by_near_entry(node: &Node) -> Option<Value> {
        let found = node.found_of_all_moves()?;
        let raised = node.window.beta + NEAR_ENTRY_MARGIN;
        let ends = !node.window.is_pv()
            && !is_mate(node.window.beta)
            && matches!(found.bound, EntryBound::Lower | EntryBound::Exact)
            && !found.path_dependent
            && node.hash_depth() >= node.depth - 4
            && found.score >= raised
            && !is_mate(found.score);
        ends.then(|| Value::of_position(raised))
    }

    /// Razoring, static null move and null move.
    fn cut_by_eval_of_plies(&mut self, node: &Node, outer: Window) -> Option<Value> {
        let p = self.settings.parameters;
        let (window, depth, eval) = (node.window, node.depth, node.eval);
        let last = self.knowledge.plies.back(node.ply, 1);
        // Far below alpha only captures can help.
        if eval < window.alpha - p.plies_razoring - 200 * depth * depth {
            let value = self.quiescence_by_plies(outer, node.ply, 0);
            if self.control.aborted || value.score <= window.alpha {
                self.count_end(NodeEnd::Razoring);
                return Some(value);
            }
        }
        if eval < window.beta {
            return None;
        }
        let is_unknown = node.cut && node.found.is_none();
        let per_ply = p.plies_static_margin - if is_unknown { 20 } else { 0 };
        let margin = per_ply * depth
            - if node.improving { per_ply * 2 } else { 0 }
            - if node.worsening { per_ply / 3 } else { 0 }
            + last.map_or(0, |data| data.made.history) / 400;
        if !node.was_pv
            && depth < 14
            && eval - margin.max(0) >= window.beta
            && (node.hash.is_none() || node.hash_is_tactical)
            && !is_won(eval)
        {
            self.count_end(NodeEnd::Static);
            return Some(Value::of_position((2 * window.beta + eval) / 3));
        }
        let may_pass = node.cut
            && last.is_some_and(|data| !data.place.is_none())
            && node.static_eval.is_some_and(|eval| eval >= window.beta - 20 * depth + 350);
        if may_pass { self.pass_by_plies(node) } else { None }
    }

    /// Null move: the value of the node if passing reaches beta.
    fn pass_by_plies(&mut self, node: &Node) -> Option<Value> {
        let (ply, beta) = (node.ply, node.window.beta);
        let base = self.settings.parameters.plies_null_base;
        let less = ((node.eval - beta) / 200).min(5) + node.depth / 3 + base;
        self.knowledge.plies.stack[ply].made = Made::default();
        // A pass is no move, and counts as no node.
        let undo = self.line.make_null(ply);
        self.table.prefetch(self.line.position.key());
        let below = Window::null(beta - 1).negated();
        let outer = self.begin_within(Within::Pass);
        let value = -self.search_by_plies(below, node.depth - less, ply + 1, false);
        self.end_within(outer);
        self.line.unmake_null(undo);
        if self.control.aborted || value.score < beta {
            return None;
        }
        self.count_end(NodeEnd::Null);
        // Passing proves no mate.
        let score = if is_mate(value.score) { beta } else { value.score };
        Some(Value { score, depends_on_ply: value.depends_on_ply })
    }

    /// Whether a position may have a mate in one by what the table knows of it: nothing, or a stand pat, which is a
    /// lower bound without a move.
    pub(super) fn may_have_mate_in_one(&self, found: Option<TableHit>) -> bool {
        let is_stand_pat = |found: TableHit| found.bound == EntryBound::Lower && found.mv.is_none();
        self.settings.parameters.mate_in_one != 0 && found.is_none_or(is_stand_pat)
    }

    fn mate_in_one_by_plies(&mut self, node: &Node) -> Option<Value> {
        let mv = find_mate_in_one(&mut self.line.position)?;
        let (ply, value) = (node.ply, Value::of_position(mates_in(node.ply + 1)));
        self.count_end(NodeEnd::MateInOne);
        self.line.frames[ply + 1].pv.clear();
        self.line.set_pv(ply, mv);
        self.store_by_plies(node, Some(mv), value, EntryBound::Exact, node.depth);
        Some(value)
    }

    /// A capture that reaches far more than beta in a shallow search ends the node.
    fn prob_cut(&mut self, node: &Node) -> Option<Value> {
        let (ply, beta) = (node.ply, node.window.beta);
        let margin = self.settings.parameters.plies_prob_cut - if node.improving { 60 } else { 0 };
        let raised = beta + margin;
        let is_known_less = |found: TableHit| {
            node.hash_depth() >= node.depth - 3
                && found.bound != EntryBound::None
                && found.score < raised
        };
        if node.found.is_some_and(is_known_less) {
            return None;
        }
        let least = raised - node.static_eval.unwrap_or(beta);
        let position = &self.line.position;
        let hash = node
            .hash
            .filter(|&mv| position.is_capture(mv) && see::is_at_least(position, mv, least));
        let mut picker = Picker::winning(hash, least);
        while let Some(Picked { mv, .. }) =
            picker.next(&self.line.position, &self.orders(node, None))
        {
            if !self.line.position.is_capture(mv) {
                continue;
            }
            self.prefetch_after(mv);
            self.knowledge.plies.stack[ply].made = Made { number: 1, ..Made::default() };
            let undo = self.make(ply, mv);
            let below = Window::null(raised - 1).negated();
            let outer = self.begin_within(Within::Capture);
            let mut value = -self.quiescence_by_plies(below, ply + 1, 0);
            let depth = node.depth - PROB_CUT_LESS;
            if value.score >= raised && depth > 0 && !self.control.aborted {
                self.begin_within(Within::Capture);
                value = -self.search_by_plies(below, depth, ply + 1, !node.cut);
            }
            self.end_within(outer);
            self.line.unmake(mv, undo);
            if self.control.aborted {
                return None;
            }
            if value.score >= raised {
                self.count_end(NodeEnd::Capture);
                self.store_by_plies(node, Some(mv), value, EntryBound::Lower, depth + 1);
                let less = if is_judged(value.score) { margin } else { 0 };
                return Some(Value { score: value.score - less, ..value });
            }
        }
        None
    }

    /// What the order of the moves of a node depends on.
    pub(super) fn orders<'a>(&'a self, node: &'a Node, priors: Priors<'a>) -> Orders<'a> {
        let learned = &self.knowledge.plies.learned;
        let &Node { ref checks, before, pawns, ply, .. } = node;
        let prior_weight = self.settings.parameters.plies_prior;
        Orders { learned, checks, before, pawns, ply, priors, prior_weight }
    }

    /// Stores the result of a node that was searched to this depth.
    pub(super) fn store_by_plies(
        &self,
        node: &Node,
        mv: Option<Move>,
        value: Value,
        bound: EntryBound,
        depth: i32,
    ) {
        let budgets = Budgets::whole(100 * depth);
        let store = NewEntry {
            mv,
            score: value.score,
            eval: node.raw_eval,
            bound,
            budgets: StoredBudgets::new(budgets, false),
            cost: self.settings.costs.min,
            pv: self.knowledge.plies.stack[node.ply].pv,
            path_dependent: value.depends_on_ply < node.ply as i32,
        };
        self.store_in_table(budgets, node.ply, store);
    }
}
