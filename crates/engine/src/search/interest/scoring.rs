//! The interest of the moves of a node one by one: the sum of the terms, then the changes of the sum.

use super::scored::{MoveFlags, ScoredMove};
use super::scorer::{Scorer, ScoringContext};
use super::term::sum_of_all;
use super::terms;
use crate::eval::capture_value;
use crate::search::attack_maps::AttackMaps;
use kyomi_shogi::{Move, PieceKind, Position};

impl<'a> Scorer<'a> {
    /// The scorer for a position with `count` legal moves.
    pub(super) fn new(
        position: &'a Position,
        maps: &'a AttackMaps,
        context: &'a ScoringContext<'a>,
        count: usize,
    ) -> Self {
        let mut scorer = Self::without_terms(position, maps, context);
        scorer.even = terms::even(context.weights, count);
        scorer.targets = terms::moves::targets(&scorer);
        scorer
    }

    /// The interest of a move: the sum of the terms, then the factors on the sum.
    #[inline]
    pub(super) fn score(&mut self, mv: Move) -> ScoredMove {
        let weights = self.context.weights;
        let m = self.read(mv);
        let (to, captured) = (m.to, m.captured);
        let gain =
            captured.map_or(0, capture_value) + capture_value(m.after) - capture_value(m.before);
        let pending = self.maps.them.all.contains(to)
            && gain < capture_value(m.after)
            && m.before != PieceKind::King;
        let flags = MoveFlags::default()
            .with(MoveFlags::CAPTURE, captured.is_some())
            .with(MoveFlags::CHECK, m.check)
            .with(MoveFlags::PROMOTION, mv.is_promotion())
            .with(MoveFlags::PENDING, pending);
        let mut sum = self.even + sum_of_all(self, &m);
        if let Some(learned) = self.context.learned {
            sum += learned.weight(self, &m, &learned.piece(self, &m));
        }
        if flags.is_quiet() {
            if !m.check {
                sum = terms::bad_quiet(weights, sum);
            }
            sum = terms::with_history(weights, sum, self.context.history.quiet(self.us, mv));
        }
        if let Some(penalties) = self.context.penalties {
            let recaptures = captured.is_some() && self.context.last_to == Some(to);
            let exempt = recaptures || Some(mv) == self.context.hash || self.checkers.any();
            sum.good = penalties.apply(sum.good, self.position, mv, exempt);
            sum.bad = penalties.apply(sum.bad, self.position, mv, exempt);
        }
        let good = sum.good.max(1);
        ScoredMove { mv, flags, interest: good, bad: sum.bad.clamp(1, good) }
    }
}
