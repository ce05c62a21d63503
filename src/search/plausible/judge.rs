//! All moves of a node judged: their generators, their merit, and which of them stay.

use arrayvec::ArrayVec;

use super::context::NodeContext;
use super::facts::Facts;
use super::generator::{Generator, Generators};
use super::merit::merit;
use super::reader::Reader;
use super::rules::{Mode, Rules};
use super::squares::UNUSUAL;
use super::{defences, develop, goals, positional, restraints, threats};
use crate::shogi::{MAX_MOVES, Move, Position, Square};

/// What is judged.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Question<'a> {
    pub(in crate::search) position: &'a Position,
    /// All legal moves.
    pub(in crate::search) moves: &'a [Move],
    /// Where the other side's last move went.
    pub(in crate::search) last_to: Option<Square>,
    /// Codes of moves that are never dropped: hash move, killers, reply, follow-on; 0 for none.
    pub(in crate::search) exempt: [u16; 5],
}

/// What came of one move.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Verdict {
    pub(super) generators: Generators,
    /// In points.
    pub(in crate::search) merit: i32,
    /// It stays in the list; else it goes to the reserve.
    pub(in crate::search) stays: bool,
    /// Searched on the principal variation though the budget has ended the list: reaches a goal or threatens something,
    /// and has no negative merit.
    pub(in crate::search) is_protected: bool,
    /// Its point takes a further own move to show.
    pub(in crate::search) is_slow: bool,
}

impl Verdict {
    /// Letter, number and name of each generator that makes the move.
    pub(in crate::search) fn labels(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.generators.iter().map(Generator::label)
    }
}

/// The verdicts on a node's moves, in the order of the moves. On the stack, since nothing is allocated in the search.
pub(in crate::search) type Verdicts = ArrayVec<Verdict, MAX_MOVES>;

impl Rules {
    /// Judges the legal moves of a node.
    pub(in crate::search) fn judge(&self, question: &Question<'_>) -> Verdicts {
        let context = NodeContext::new(question.position, question.last_to, self.strong_threat);
        let mut reader = Reader::new(&context);
        let mut verdicts = Verdicts::new();
        for &mv in question.moves.iter().take(MAX_MOVES) {
            let facts = reader.read(mv);
            let found = found_by(&context, &facts);
            let generators = usual(found, &facts);
            let merit = merit(&context, &facts, generators);
            let is_slow = !context.in_check
                && found.only(Generators::SLOW)
                && !question.exempt.contains(&mv.to_bits());
            let is_protected = merit >= 0 && generators.meets(Generators::ACTIVE);
            verdicts.push(Verdict { generators, merit, stays: true, is_protected, is_slow });
        }
        if self.hierarchy {
            raise_goals(&mut verdicts);
        }
        if self.mode != Mode::Off {
            self.select(question, &mut verdicts);
        }
        verdicts
    }

    /// Says which moves stay.
    fn select(&self, question: &Question<'_>, verdicts: &mut Verdicts) {
        let rank = |at: usize, verdict: &Verdict| key(verdict.merit, question.moves[at]);
        let ranks: Keys = verdicts.iter().enumerate().map(|(at, v)| rank(at, v)).collect();
        let bound = match self.mode {
            Mode::BestN(count) => least_of_best(&ranks, count),
            _ => 0,
        };
        let mut staying = 0;
        for (at, verdict) in verdicts.iter_mut().enumerate() {
            let chosen = match self.mode {
                Mode::Off => true,
                Mode::All => verdict.generators.any(),
                Mode::Mma => verdict.generators.any() && verdict.merit >= 0,
                Mode::BestN(_) => ranks[at] >= bound,
            };
            verdict.stays = chosen
                || self.never_drop && question.exempt.contains(&question.moves[at].to_bits());
            staying += usize::from(verdict.stays);
        }
        if staying < self.least {
            let bound = least_of_best(&ranks, self.least);
            for (at, verdict) in verdicts.iter_mut().enumerate() {
                verdict.stays |= ranks[at] >= bound;
            }
        }
    }
}

/// The generators that make a move. Under a strong threat only goals, threats and defences do; a move that the learned
/// squares call unusual must have a point that shows at once.
pub(super) fn generators_of(context: &NodeContext<'_>, m: &Facts) -> Generators {
    usual(found_by(context, m), m)
}

/// Of the generators whose condition a move fulfils those that make it, usual as it is or not.
fn usual(found: Generators, m: &Facts) -> Generators {
    if m.learned < UNUSUAL { found.without(Generators::SLOW) } else { found }
}

/// The generators whose condition a move fulfils, those of positions left out under a strong threat.
fn found_by(context: &NodeContext<'_>, m: &Facts) -> Generators {
    let urgent = Generators::NONE
        .with(Generator::Capture, goals::capture(context, m))
        .with(Generator::Promote, goals::promote(context, m))
        .with(Generator::Check, threats::check(context, m))
        .with(Generator::AttackKing, threats::attack_king(context, m))
        .with(Generator::AttackMaterial, threats::attack_material(context, m))
        .with(Generator::DiscoveredAttack, threats::discovered_attack(context, m))
        .with(Generator::ThreatenPromotion, threats::threaten_promotion(context, m))
        .with(Generator::DefendCheck, defences::defend_check(context, m))
        .with(Generator::DefendKing, defences::defend_king(context, m))
        .with(Generator::DefendMaterial, defences::defend_material(context, m))
        .with(Generator::DefendDiscovered, defences::defend_discovered(context, m))
        .with(Generator::StopPromotion, defences::stop_promotion(context, m));
    if context.dominated {
        return urgent;
    }
    urgent
        .with(Generator::DefendPin, positional::defend_pin(context, m))
        .with(Generator::RelieveTie, positional::relieve_tie(context, m))
        .with(Generator::GuardUndefended, positional::guard_undefended(context, m))
        .with(Generator::DefendExchange, positional::defend_exchange(context, m))
        .with(Generator::CoverOwnCamp, positional::cover_own_camp(context, m))
        .with(Generator::Develop, develop::develop(context, m))
        .with(Generator::Pin, restraints::pin(context, m))
        .with(Generator::CoverEnemyCamp, restraints::cover_enemy_camp(context, m))
        .with(Generator::HinderDevelopment, restraints::hinder_development(context, m))
}

/// A move that reaches a goal has more merit than every one that merely stands better (`merit_hierarchy`).
fn raise_goals(verdicts: &mut Verdicts) {
    let positional = verdicts.iter().filter(|v| v.generators.only(Generators::POSITIONAL));
    let Some(most) = positional.map(|verdict| verdict.merit).max() else { return };
    for verdict in verdicts.iter_mut().filter(|v| v.generators.meets(Generators::GOALS)) {
        verdict.merit = verdict.merit.max(most + 1);
    }
}

type Keys = ArrayVec<u64, MAX_MOVES>;

/// By merit; of equals the smaller code is the larger key.
fn key(merit: i32, mv: Move) -> u64 {
    let merit = merit.clamp(-30_000, 30_000) + 30_000;
    (merit as u64) << 16 | u64::from(u16::MAX - mv.to_bits())
}

/// The smallest of the `count` largest keys; 0 if there are at most `count`.
fn least_of_best(keys: &Keys, count: usize) -> u64 {
    if count == 0 {
        return u64::MAX;
    }
    if keys.len() <= count {
        return 0;
    }
    let mut keys = keys.clone();
    let at = keys.len() - count;
    *keys.select_nth_unstable(at).1
}
