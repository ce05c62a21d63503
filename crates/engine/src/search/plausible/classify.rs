//! Judges all moves of a node: their generators, their merits, and which moves stay in the list.

use arrayvec::ArrayVec;

use super::context::NodeContext;
use super::feature_reader::FeatureReader;
use super::generator::{Generator, Generators};
use super::merit::merit;
use super::move_data::MoveData;
use super::rules::{Mode, PlausibleRules};
use super::squares::RARE_BELOW;
use super::{defences, develop, positional, threats};
use kyomi_shogi::{MAX_MOVES, Move, Position, Square};

/// The moves to classify.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Selection<'a> {
    pub(in crate::search) position: &'a Position,
    /// All legal moves.
    pub(in crate::search) moves: &'a [Move],
    /// Target of the other side's last move.
    pub(in crate::search) last_to: Option<Square>,
    /// Codes of moves that are never dropped: hash move, killers, counter move, continuation; 0 for none.
    pub(in crate::search) exempt: [u16; 5],
}

/// The result for one move.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Plausibility {
    pub(super) generators: Generators,
    /// In points.
    pub(in crate::search) merit: i32,
    /// Whether it stays in the list. Otherwise it goes to the reserve.
    pub(in crate::search) stays: bool,
}

impl Plausibility {
    /// Letter, number and name of each generator that makes the move.
    pub(in crate::search) fn labels(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.generators.iter().map(Generator::label)
    }
}

/// The plausibilities of the moves of a node, in the order of the moves. They are on the stack, since the search
/// allocates nothing.
pub(in crate::search) type Plausibilities = ArrayVec<Plausibility, MAX_MOVES>;

impl PlausibleRules {
    /// Judges the legal moves of a node.
    pub(in crate::search) fn classify(&self, selection: &Selection<'_>) -> Plausibilities {
        let context = NodeContext::new(selection.position, selection.last_to, self.strong_threat);
        let mut reader = FeatureReader::new(&context);
        let mut plausibilities = Plausibilities::new();
        for &mv in selection.moves.iter().take(MAX_MOVES) {
            let features = reader.read(mv);
            let generators = generators_of(&context, &features);
            let merit = merit(&context, &features, generators);
            plausibilities.push(Plausibility { generators, merit, stays: true });
        }
        if self.hierarchy {
            raise_goals(&mut plausibilities);
        }
        if self.mode != Mode::Off {
            self.select(selection, &mut plausibilities);
        }
        plausibilities
    }

    /// Determines which moves stay.
    fn select(&self, selection: &Selection<'_>, plausibilities: &mut Plausibilities) {
        let mut staying = 0;
        for (at, plausibility) in plausibilities.iter_mut().enumerate() {
            let chosen = match self.mode {
                Mode::Off => true,
                Mode::All => plausibility.generators.any(),
                Mode::Mma => plausibility.generators.any() && plausibility.merit >= 0,
            };
            plausibility.stays = chosen
                || self.never_drop && selection.exempt.contains(&selection.moves[at].to_bits());
            staying += usize::from(plausibility.stays);
        }
        if staying < self.least {
            let rank = |(plausibility, &mv): (&Plausibility, _)| key(plausibility.merit, mv);
            let ranks: Keys = plausibilities.iter().zip(selection.moves).map(rank).collect();
            let bound = least_of_best(&ranks, self.least);
            for (at, plausibility) in plausibilities.iter_mut().enumerate() {
                plausibility.stays |= ranks[at] >= bound;
            }
        }
    }
}

/// The generators that make a move. Under a strong threat these are only goals, threats and defences. A move that is
/// unusual by the learned squares is made by no slow generator.
pub(super) fn generators_of(context: &NodeContext, m: &MoveData) -> Generators {
    without_slow_if_rare(found_by(context, m), m)
}

/// Removes the slow generators if the move is unusual.
pub(super) fn without_slow_if_rare(found: Generators, m: &MoveData) -> Generators {
    if m.learned < RARE_BELOW { found.without(Generators::SLOW) } else { found }
}

/// The generators whose condition a move fulfils, without positional ones under a strong threat.
pub(super) fn found_by(context: &NodeContext, m: &MoveData) -> Generators {
    let urgent = Generators::NONE
        .with(Generator::Capture, threats::capture(context, m))
        .with(Generator::Promote, threats::promote(context, m))
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
        .with(Generator::Pin, positional::pin(context, m))
        .with(Generator::CoverEnemyCamp, positional::cover_enemy_camp(context, m))
        .with(Generator::HinderDevelopment, positional::hinder_development(context, m))
}

/// Raises the merit of captures and promotions above that of all moves that only positional generators make
/// (`Plausible_MeritHierarchy`).
fn raise_goals(plausibilities: &mut Plausibilities) {
    let positional = plausibilities.iter().filter(|v| v.generators.only(Generators::POSITIONAL));
    let Some(most) = positional.map(|plausibility| plausibility.merit).max() else { return };
    for plausibility in plausibilities.iter_mut().filter(|v| v.generators.meets(Generators::GOALS))
    {
        plausibility.merit = plausibility.merit.max(most + 1);
    }
}

type Keys = ArrayVec<u64, MAX_MOVES>;

/// A key that orders moves by merit. Of moves with equal merit the one with the smaller code has the larger key.
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
