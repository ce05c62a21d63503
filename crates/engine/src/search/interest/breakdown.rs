//! The interest of the moves of a node as a sum of named terms.
//!
//! For explanations this computes the same as [`InterestList::fill`](super::InterestList::fill), but each row of the
//! table of terms separately. Tests compare the sums of the two.

use super::fill::classify;
use super::scored::{MoveFlags, ScoredMove};
use super::scorer::{Scorer, ScoringContext};
use super::term::{ROWS, Term};
use super::terms;
use crate::eval::capture_value;
use crate::search::{
    attack_maps::AttackMaps,
    plausible::{Plausibility, PlausibleRules},
    promotion::is_needless_non_promotion,
    see::{is_good, see},
    weights::{TermWeight, Weights},
};
use kyomi_shogi::{Move, PieceKind, Position};

/// The moves of a node with the terms of their interest.
#[derive(Debug, Clone, Default)]
pub(in crate::search) struct NodeBreakdown {
    /// All legal moves, in the order in which they are generated.
    pub(in crate::search) moves: Vec<Breakdown>,
    /// The sum that interest is divided by.
    pub(in crate::search) sum: i64,
}

/// One move with the terms of its interest.
#[derive(Debug, Clone)]
pub(in crate::search) struct Breakdown {
    pub(in crate::search) mv: Move,
    /// The amount that each term adds, in sixteenths of a point. It is negative for a factor that reduces the interest.
    pub(in crate::search) parts: Vec<Part>,
    pub(in crate::search) exchange: Exchange,
    /// Exchange value in centipawns.
    pub(in crate::search) see: i32,
    /// The interest when the exchange value is known: the sum of the good or of the bad weights of the parts.
    pub(in crate::search) interest: i32,
    /// The interest that counts in the sum of the node.
    pub(in crate::search) optimistic: i32,
    pub(in crate::search) place: Place,
    pub(in crate::search) plausibility: Plausibility,
    pub(in crate::search) check: bool,
    pub(in crate::search) capture: bool,
}

/// The interest that one term adds to a move, in sixteenths of a point, for both results of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The term.
    pub term: Term,
    /// The amount if the move loses nothing by exchange.
    pub good: i32,
    /// The amount if the move loses material.
    pub bad: i32,
}

/// The result of the exchange on the target square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// The move cannot lose material, so the exchange is not computed.
    Safe,
    /// It loses nothing.
    Good,
    /// It loses material.
    Bad,
}

/// Where a move is put when the list is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) enum Place {
    /// In the list.
    Listed,
    /// In the reserve: a needless non-promotion, since promotion is always better.
    NeedlessNonPromotion,
    /// In the reserve: it is not plausible.
    Implausible,
}

/// Computes the terms of all moves of a position. `rules` judge the moves if plausible moves are off.
pub(in crate::search) fn break_down(
    position: &Position,
    maps: &AttackMaps,
    context: &ScoringContext<'_>,
    rules: &PlausibleRules,
) -> NodeBreakdown {
    let weights = context.weights;
    let moves = position.legal_moves();
    let in_check = position.in_check();
    let plausibilities =
        classify(position, context, context.plausible.as_ref().unwrap_or(rules), &moves);
    let mut scorer = Scorer::new(position, maps, context, moves.len());
    let mut node = NodeBreakdown::default();
    for (&mv, &plausibility) in moves.iter().zip(&plausibilities) {
        let mut breakdown = break_down_move(&mut scorer, mv, plausibility);
        if !context.whole && Some(mv) != context.hash && is_needless_non_promotion(position, mv) {
            breakdown.place = Place::NeedlessNonPromotion;
        } else if context.plausible.is_some() && !plausibility.stays {
            breakdown.place = Place::Implausible;
            node.sum += i64::from(terms::even(weights, moves.len()).good);
        } else {
            node.sum += i64::from(breakdown.optimistic);
        }
        node.moves.push(breakdown);
    }
    add_leader_terms(&mut node, context);
    if in_check {
        let listed = node.moves.iter().filter(|breakdown| breakdown.place == Place::Listed).count();
        let bonus = terms::evasion(weights, node.sum, listed);
        for breakdown in node.moves.iter_mut().filter(|breakdown| breakdown.place == Place::Listed)
        {
            breakdown.add(Term::InCheck, TermWeight::both(bonus));
        }
    }
    for breakdown in &mut node.moves {
        breakdown.resolve_exchange(position);
    }
    node
}

/// Adds the terms that compare the moves of the list: those of the best quiet move and of the hash move.
fn add_leader_terms(node: &mut NodeBreakdown, context: &ScoringContext<'_>) {
    if !context.weights.hash_leads {
        return add_leader_terms_as_in_paper(node, context);
    }
    let (weights, hash) = (context.weights, context.hash);
    let (mut best, mut best_quiet) = (0, terms::BestQuiet::default());
    for (at, breakdown) in node.moves.iter().enumerate() {
        if breakdown.place == Place::Listed && Some(breakdown.mv) != hash {
            best = best.max(breakdown.optimistic);
            best_quiet.update(&breakdown.as_scored(), at);
        }
    }
    if let Some(at) = best_quiet.place() {
        best = best.max(node.add_best_quiet(at, weights));
    }
    node.add_hash(context, best);
}

/// The same as in the paper.
fn add_leader_terms_as_in_paper(node: &mut NodeBreakdown, context: &ScoringContext<'_>) {
    node.add_hash(context, 0);
    let best_quiet = terms::single_best_quiet(node.moves.iter().map(|breakdown| {
        let later = if Some(breakdown.mv) == context.hash { context.later_bonus } else { 0 };
        let competes = breakdown.place == Place::Listed && breakdown.as_scored().flags.is_quiet();
        competes.then_some(breakdown.optimistic + later)
    }));
    if let Some(at) = best_quiet {
        node.add_best_quiet(at, context.weights);
    }
}

impl NodeBreakdown {
    /// Adds term 17 to a move. Returns its interest.
    fn add_best_quiet(&mut self, at: usize, weights: &Weights) -> i32 {
        let Some(breakdown) = self.moves.get_mut(at) else { return 0 };
        breakdown.add(Term::BestQuiet, TermWeight::both(weights.best_quiet));
        self.sum += i64::from(weights.best_quiet);
        breakdown.optimistic
    }

    /// Adds term 3 to the hash move. `best` is the largest interest of the others.
    fn add_hash(&mut self, context: &ScoringContext<'_>, best: i32) {
        let hash = context.hash;
        let listed = |breakdown: &&mut Breakdown| {
            Some(breakdown.mv) == hash && breakdown.place == Place::Listed
        };
        if let Some(breakdown) = self.moves.iter_mut().find(listed) {
            let interest = terms::hash_move(context.weights, best, Some(breakdown.optimistic));
            self.sum += i64::from(interest - breakdown.optimistic);
            let weight =
                TermWeight { good: interest - breakdown.good(), bad: interest - breakdown.bad() };
            breakdown.add(Term::Hash, weight);
        }
    }
}

/// Computes each term of a move separately.
fn break_down_move(scorer: &mut Scorer<'_>, mv: Move, plausibility: Plausibility) -> Breakdown {
    let context = scorer.context;
    let m = scorer.read(mv);
    let gain =
        m.captured.map_or(0, capture_value) + capture_value(m.after) - capture_value(m.before);
    let mover_is_king = m.before == PieceKind::King;
    let guarded = scorer.maps.them.all.contains(m.to);
    let exchange = if guarded && gain < capture_value(m.after) && !mover_is_king {
        Exchange::Good
    } else {
        Exchange::Safe
    };
    let mut breakdown = Breakdown {
        mv,
        parts: Vec::new(),
        exchange,
        see: see(scorer.position, mv),
        interest: 0,
        optimistic: 0,
        place: Place::Listed,
        plausibility,
        check: m.check,
        capture: m.captured.is_some(),
    };
    breakdown.add(Term::Even, scorer.even);
    for row in ROWS.iter().filter(|row| row.group.holds(&m)) {
        breakdown.add(row.term, (row.weight)(scorer, &m));
    }
    if let Some(learned) = context.learned {
        breakdown.add(Term::Learned, learned.weight(scorer, &m, &learned.piece(scorer, &m)));
    }
    if m.is_quiet() {
        if !m.check {
            let left = terms::bad_quiet(context.weights, breakdown.weight());
            breakdown.add_change_to(Term::BadQuiet, left.good, left.bad);
        }
        let history = context.history.quiet(scorer.us, mv);
        let with = terms::with_history(context.weights, breakdown.weight(), history);
        breakdown.add_change_to(Term::History, with.good, with.bad);
    }
    if let Some(penalties) = context.penalties {
        let recaptures = m.captured.is_some() && context.last_to == Some(m.to);
        let exempt = recaptures || Some(mv) == context.hash || scorer.checkers.any();
        let left = |interest| penalties.apply(interest, scorer.position, mv, exempt);
        let (good, bad) = (left(breakdown.good()), left(breakdown.bad()));
        breakdown.add_change_to(Term::Penalty, good, bad);
    }
    let good = breakdown.good().max(1);
    let bad = breakdown.bad().clamp(1, good);
    breakdown.add_change_to(Term::Bounds, good, bad);
    breakdown
}

impl Breakdown {
    fn good(&self) -> i32 {
        self.parts.iter().map(|part| part.good).sum()
    }

    fn bad(&self) -> i32 {
        self.parts.iter().map(|part| part.bad).sum()
    }

    /// The sums of the parts so far.
    fn weight(&self) -> TermWeight {
        TermWeight { good: self.good(), bad: self.bad() }
    }

    fn add(&mut self, term: Term, weight: TermWeight) {
        if !weight.is_none() {
            self.parts.push(Part { term, good: weight.good, bad: weight.bad });
        }
        self.optimistic = self.good();
    }

    /// Adds a term that changes the sums so far to these.
    fn add_change_to(&mut self, term: Term, good: i32, bad: i32) {
        self.add(term, TermWeight { good: good - self.good(), bad: bad - self.bad() });
    }

    fn as_scored(&self) -> ScoredMove {
        let promotion = self.mv.is_promotion();
        let flags = MoveFlags::default()
            .with(MoveFlags::CAPTURE, self.capture)
            .with(MoveFlags::PROMOTION, promotion);
        ScoredMove { mv: self.mv, flags, interest: self.optimistic, bad: self.bad() }
    }

    fn resolve_exchange(&mut self, position: &Position) {
        if self.exchange == Exchange::Good && !is_good(position, self.mv) {
            self.exchange = Exchange::Bad;
        }
        self.interest = match self.exchange {
            Exchange::Bad => self.bad(),
            Exchange::Safe | Exchange::Good => self.good(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{
        history::{HistoryTables, SuggestedMoves},
        interest::{InterestList, LearnedInterest},
        parameters::{Parameters, Preset},
        penalty::InterestPenalties,
        plausible::NodeKind,
    };

    /// Asserts that the parts of every move add up to its interest in the list of the search.
    fn compare(position: &Position, parameters: &Parameters, learnt: &Learnt, seed: u64) {
        let weights = Weights::new(parameters);
        let learned = LearnedInterest::new(parameters);
        let mut random = fastrand::Rng::with_seed(seed);
        let moves = position.legal_moves();
        let mut any = || moves.get(random.usize(0..moves.len().max(1))).copied();
        let code = |mv: Option<Move>| mv.map_or(0, Move::to_bits);
        let suggested = SuggestedMoves {
            killers: [code(any()), code(any())],
            counter_move: code(any()),
            continuation: code(any()),
        };
        let hash = any().filter(|_| seed.is_multiple_of(2));
        let last_to = any().map(Move::to);
        let node = NodeKind { root: false, pv: false, in_check: position.in_check(), depth: 2 };
        let context = ScoringContext {
            weights: &weights,
            learned: learned.as_deref(),
            history: &learnt.history,
            penalties: learnt.penalties.as_ref().filter(|penalties| penalties.is_on()),
            suggested,
            hash,
            last_to,
            checked_before: seed.is_multiple_of(3),
            similar: true,
            whole: seed.is_multiple_of(5),
            plausible: PlausibleRules::new(parameters).map(|rules| rules.at(node)),
            later_bonus: 0,
            thread: 0,
        };
        let maps = AttackMaps::of(position);
        let mut list = InterestList::default();
        list.fill(position, &maps, &context);
        let node = break_down(position, &maps, &context, &PlausibleRules::of(parameters));
        assert_eq!(node.sum, list.sum, "{position:?}");
        let listed = node.moves.iter().filter(|breakdown| breakdown.place == Place::Listed);
        assert_eq!(listed.clone().count(), list.moves.len());
        for breakdown in listed {
            let scored = list.moves.iter_mut().find(|scored| scored.mv == breakdown.mv).unwrap();
            assert_eq!(breakdown.optimistic, scored.interest, "{} in {position:?}", breakdown.mv);
            scored.resolve_exchange(position);
            assert_eq!(breakdown.interest, scored.interest, "{} in {position:?}", breakdown.mv);
            assert_eq!(breakdown.exchange == Exchange::Bad, scored.flags.is_bad());
        }
        for breakdown in node.moves.iter().filter(|breakdown| breakdown.place != Place::Listed) {
            assert!(list.reserve.contains(&breakdown.mv));
        }
    }

    struct Learnt {
        history: HistoryTables,
        penalties: Option<InterestPenalties>,
    }

    fn walk(games: u64, parameters: &Parameters) {
        for seed in 0..games {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut position = Position::startpos();
            let mut learnt = Learnt {
                history: HistoryTables::new(),
                penalties: Some(InterestPenalties::new(parameters)),
            };
            for ply in 0..160 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                compare(&position, parameters, &learnt, seed * 160 + ply);
                let mv = moves[random.usize(..moves.len())];
                let tried = &moves[..random.usize(..moves.len()).min(20)];
                let side = position.side_to_move();
                learnt.history.update_after_cut(side, 3, random.i32(1..12), mv, tried, None, None);
                if let Some(penalties) = &mut learnt.penalties {
                    penalties.update_after_cut(&position, tried, 3);
                }
                position.do_move(mv);
            }
        }
    }

    fn with(preset: Preset, options: &[(&str, &str)]) -> Parameters {
        let mut parameters = Parameters::preset(preset);
        for (name, value) in options {
            parameters.set(name, value).unwrap();
        }
        parameters
    }

    #[test]
    fn the_parts_add_up_in_every_preset() {
        for preset in Preset::ALL {
            walk(2, &with(preset, &[]));
        }
    }

    #[test]
    fn the_parts_add_up_with_term_16_and_penalties() {
        let target = [("Interest_Target", "100"), ("Penalty_Mode", "on")];
        walk(2, &with(Preset::Interest, &target));
        walk(1, &with(Preset::Paper, &[("Penalty_Mode", "paper")]));
    }

    #[test]
    fn the_parts_add_up_with_learned_probabilities() {
        walk(1, &with(Preset::Interest, &[("Interest_Learned", "100")]));
        walk(1, &with(Preset::Paper, &[("Interest_Learned", "60")]));
    }

    #[test]
    fn the_parts_add_up_with_plausible_moves() {
        for mode in ["all", "mma"] {
            walk(1, &with(Preset::Interest, &[("Plausible_Mode", mode)]));
        }
    }
}
