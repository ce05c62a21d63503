//! The interest of moves by their learned probability (docs/search.md, section 1.16): what it adds to the even share.

#![allow(clippy::inline_always, reason = "inlined code has the instructions of its caller")]

use super::learned::{
    ATTACKED, BAD, CAPTURE, CHECK, LearnedInterest, MOST, PROMOTION, RECAPTURE, SAFETY,
    SquareWeights, View, level_weight,
};
use super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, PieceKind};

/// The weights that the moves of a piece share.
#[derive(Debug, Clone, Copy)]
pub(in crate::search::interest) struct LearnedPiece<'a> {
    /// The weights of the piece itself.
    sum: i32,
    own: &'a SquareWeights,
    enemy: &'a SquareWeights,
    /// The weight if the other side attacks the target.
    attacked: i32,
    /// The weights if the move loses by exchange: of other moves, of captures.
    bad: [i32; 2],
    kind: usize,
    class: usize,
}

impl LearnedInterest {
    /// The weights that the moves of a piece share. Only the piece, its origin, and whether it promotes are read of
    /// the move.
    #[inline(always)]
    pub(in crate::search::interest) fn piece(
        &self,
        scorer: &Scorer<'_>,
        m: &MoveFeatures,
    ) -> LearnedPiece<'_> {
        let weights = &*self.weights;
        let kind = m.before.index();
        let [own, enemy] = scorer.king_views.map(|view| &weights.views[view]);
        let class = if m.from.is_some() { m.after.index() } else { PieceKind::COUNT + kind };
        let mut sum = 0;
        if let Some(from) = m.from {
            let weight = |view: &View| i32::from(view.origins[kind][from.index()]);
            sum += weight(own) + weight(enemy);
            let attacked = usize::from(scorer.maps.them.all.contains(from));
            let guarded = usize::from(scorer.maps.us.all.contains(from));
            sum += weights.plain(PROMOTION + 2 * kind + usize::from(m.mv.is_promotion()));
            sum += weights.plain(SAFETY + 4 * kind + 2 * attacked + guarded);
        }
        LearnedPiece {
            sum,
            own: &own.targets[class],
            enemy: &enemy.targets[class],
            attacked: weights.plain(ATTACKED + class),
            bad: [0, 1].map(|captures| weights.plain(BAD + 2 * class + captures)),
            kind,
            class,
        }
    }

    /// The interest that a move has by its learned probability beyond its even share; negative if it has less.
    #[inline(always)]
    pub(in crate::search::interest) fn weight(
        &self,
        scorer: &Scorer<'_>,
        m: &MoveFeatures,
        piece: &LearnedPiece<'_>,
    ) -> TermWeight {
        let weights = &*self.weights;
        let to = m.to.index();
        let mut logarithm = piece.sum + i32::from(piece.own[to]) + i32::from(piece.enemy[to]);
        let mut captures = 0;
        if let Some(victim) = m.captured {
            captures = 1;
            logarithm += weights.plain(CAPTURE + victim.index() * PieceKind::COUNT + piece.kind);
            if scorer.context.last_to == Some(m.to) {
                logarithm += weights.plain(RECAPTURE + piece.kind);
            }
        }
        if m.check {
            logarithm += weights.plain(CHECK + piece.class);
        }
        if scorer.maps.them.all.contains(m.to) {
            logarithm += piece.attacked;
        }
        self.beyond(scorer, logarithm, logarithm + piece.bad[captures])
    }

    #[inline(always)]
    fn beyond(&self, scorer: &Scorer<'_>, logarithm: i32, of_bad: i32) -> TermWeight {
        let TermWeight { good, bad } = scorer.even;
        let by = |even: i32, logarithm: i32| {
            let factor = self.factors[(logarithm.clamp(-MOST, MOST) + MOST) as usize];
            ((i64::from(even) * i64::from(factor - 256)) >> 8) as i32
        };
        TermWeight { good: by(good, logarithm), bad: by(bad, of_bad) }
    }

    /// Passes sets of the targets of quiet drops of a kind, and the weight of each, to `split`.
    #[inline(always)]
    pub(in crate::search::interest) fn drop_weights(
        &self,
        scorer: &Scorer<'_>,
        kind: PieceKind,
        mut split: impl FnMut(Bitboard, i32),
    ) {
        let weights = &*self.weights;
        for view in scorer.king_views {
            let levels = &weights.views[view].drops[kind.index()];
            for (level, targets) in levels.iter().enumerate() {
                split(*targets, level_weight(level));
            }
        }
        split(scorer.maps.them.all, weights.plain(ATTACKED + PieceKind::COUNT + kind.index()));
    }

    /// What [`weight`](Self::weight) returns for quiet drops of a kind with this weight.
    #[inline(always)]
    pub(in crate::search::interest) fn weight_of_drops(
        &self,
        scorer: &Scorer<'_>,
        kind: PieceKind,
        logarithm: i32,
    ) -> TermWeight {
        let bad = self.weights.plain(BAD + 2 * (PieceKind::COUNT + kind.index()));
        self.beyond(scorer, logarithm, logarithm + bad)
    }
}
