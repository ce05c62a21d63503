//! What the fit of learned move probabilities needs: the weights of a move by their numbers, and values that moves of
//! different kings share while the weights are learned.

use super::MOST;
use super::layout::{
    ATTACKED, BAD, CAPTURE, CHECK, CLASSES, KINDS, KINGS, KingView, PROMOTION, RECAPTURE, SAFETY,
    SQUARES, WEIGHTS, origin, real_views, target,
};
use super::tables::LearnedWeights;
use kyomi_shogi::{Color, Position, Square};

/// Places relative to a king.
const PLACES: usize = 17 * 17;

// What moves of different kings share is added to the weights of every king when they are written.
/// `[own, enemy][class][target relative to the king]`.
const TARGET_NEAR: usize = WEIGHTS;
/// `[own, enemy][class][target]`.
const TARGET_ANY: usize = TARGET_NEAR + 2 * CLASSES * PLACES;
/// `[own, enemy][kind][origin relative to the king]`.
const ORIGIN_NEAR: usize = TARGET_ANY + 2 * CLASSES * SQUARES;
/// `[own, enemy][kind][origin]`.
const ORIGIN_ANY: usize = ORIGIN_NEAR + 2 * KINDS * PLACES;
/// The number of values while the weights are learned.
pub const VALUES: usize = ORIGIN_ANY + 2 * KINDS * SQUARES;

/// A move, as far as its weights depend on it.
#[derive(Debug, Clone, Copy)]
pub struct LearnedMove {
    /// Index of the target.
    pub to: u8,
    /// Index of the origin; 81 for a drop.
    pub from: u8,
    /// The kind before the move.
    pub kind: u8,
    /// The kind after a move on the board, or 14 and the kind dropped.
    pub class: u8,
    /// The kind of the piece taken; 14 for none.
    pub victim: u8,
    /// [`Self::PROMOTES`] and the flags below it.
    pub flags: u8,
}

impl LearnedMove {
    /// It promotes.
    pub const PROMOTES: u8 = 1;
    /// It takes the piece that has just moved.
    pub const RECAPTURES: u8 = 2;
    /// It gives check.
    pub const CHECKS: u8 = 4;
    /// The other side attacks the target.
    pub const LANDS_ATTACKED: u8 = 8;
    /// The other side attacks the piece before the move.
    pub const ATTACKED: u8 = 16;
    /// The own side guards the piece before the move.
    pub const GUARDED: u8 = 32;
    /// It loses by exchange.
    pub const BAD: u8 = 64;

    const fn is(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    const fn is_drop(self) -> bool {
        self.from as usize >= SQUARES
    }

    /// Adds the numbers of its weights other than those of squares to `numbers`.
    fn plain_weights(self, mut each: impl FnMut(usize)) {
        let (kind, class) = (usize::from(self.kind), usize::from(self.class));
        let bit = |flag: u8| usize::from(self.is(flag));
        if !self.is_drop() {
            each(PROMOTION + 2 * kind + bit(Self::PROMOTES));
            each(SAFETY + 4 * kind + 2 * bit(Self::ATTACKED) + bit(Self::GUARDED));
        }
        let captures = usize::from(self.victim) < KINDS;
        if captures {
            each(CAPTURE + usize::from(self.victim) * KINDS + kind);
            if self.is(Self::RECAPTURES) {
                each(RECAPTURE + kind);
            }
        }
        if self.is(Self::CHECKS) {
            each(CHECK + class);
        }
        if self.is(Self::LANDS_ATTACKED) {
            each(ATTACKED + class);
        }
        if self.is(Self::BAD) {
            each(BAD + 2 * class + usize::from(captures));
        }
    }
}

/// The views of the side to move and of the other side.
#[derive(Debug, Clone, Copy)]
pub struct KingViews {
    views: [KingView; 2],
    /// Their numbers by the real squares of the kings.
    real: [usize; 2],
}

impl KingViews {
    /// The views in a position.
    pub fn of(position: &Position) -> Self {
        let us = position.side_to_move();
        let view = |color| KingView::new(color, position.king_square(color));
        Self { views: [us, !us].map(view), real: real_views(position) }
    }

    /// Passes the numbers of all values of a move to `each`.
    pub fn values(&self, mv: LearnedMove, mut each: impl FnMut(usize)) {
        mv.plain_weights(&mut each);
        let (kind, class) = (usize::from(mv.kind), usize::from(mv.class));
        for (side, view) in self.views.iter().enumerate() {
            if let Some(to) = Square::from_index(usize::from(mv.to)) {
                let (square, place) = view.seen(to);
                each(target(side, view.king(), class, square));
                each(TARGET_NEAR + (side * CLASSES + class) * PLACES + place);
                each(TARGET_ANY + (side * CLASSES + class) * SQUARES + square);
            }
            if let Some(from) = Square::from_index(usize::from(mv.from)) {
                let (square, place) = view.seen(from);
                each(origin(side, view.king(), kind, square));
                each(ORIGIN_NEAR + (side * KINDS + kind) * PLACES + place);
                each(ORIGIN_ANY + (side * KINDS + kind) * SQUARES + square);
            }
        }
    }
}

/// Adds the values that kings share to the weights of each king. Returns the weights alone.
pub fn with_shared(values: &[f32]) -> Vec<f32> {
    let mut weights: Vec<f32> = values.iter().copied().take(WEIGHTS).collect();
    for king in 0..KINGS {
        let view =
            KingView { color: Color::Black, mirrored: false, file: king / 9, rank: king % 9 };
        for square in Square::all() {
            let (seen, place) = view.seen(square);
            for side in 0..2 {
                for class in 0..CLASSES {
                    let of = side * CLASSES + class;
                    let shared = values[TARGET_NEAR + of * PLACES + place]
                        + values[TARGET_ANY + of * SQUARES + seen];
                    weights[target(side, king, class, seen)] += shared;
                }
                for kind in 0..KINDS {
                    let of = side * KINDS + kind;
                    let shared = values[ORIGIN_NEAR + of * PLACES + place]
                        + values[ORIGIN_ANY + of * SQUARES + seen];
                    weights[origin(side, king, kind, seen)] += shared;
                }
            }
        }
    }
    weights
}

/// Adds the same to the logarithms of all moves.
pub fn shift_all(weights: &mut [f32], by: f32) {
    for kind in 0..2 * KINDS {
        weights[PROMOTION + kind] += by;
    }
    let drops = (0..KINGS).flat_map(|king| (KINDS..CLASSES).map(move |class| (king, class)));
    for (king, class) in drops {
        for square in 0..SQUARES {
            weights[target(0, king, class, square)] += by;
        }
    }
}

impl LearnedMove {
    /// The logarithm of the factor that a search applies to a move.
    pub fn logarithm(self, weights: &LearnedWeights, views: &KingViews) -> i32 {
        let (to, kind, class) =
            (usize::from(self.to), usize::from(self.kind), usize::from(self.class));
        let [own, enemy] = views.real;
        let target = |view: usize| i32::from(weights.views[view].targets[class][to]);
        let mut sum = target(own) + target(enemy);
        let from = usize::from(self.from);
        if !self.is_drop() {
            let origin = |view: usize| i32::from(weights.views[view].origins[kind][from]);
            sum += origin(own) + origin(enemy);
        }
        self.plain_weights(|number| sum += weights.plain(number));
        sum.clamp(-MOST, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_has_the_values_of_its_mirror_image_and_of_the_other_side() {
        let square = |text: &str| {
            let bytes = text.as_bytes();
            Square::new(bytes[0] - b'0', bytes[1] - b'a' + 1).unwrap().index() as u8
        };
        let of = |sfen: &str, from: &str, to: &str| {
            let position = Position::from_sfen(sfen).unwrap();
            let (from, to) = (square(from), square(to));
            let mv = LearnedMove { to, from, kind: 4, class: 4, victim: 14, flags: 0 };
            let mut numbers = Vec::new();
            KingViews::of(&position).values(mv, |number| numbers.push(number));
            numbers
        };
        let there = of("3k5/9/9/9/9/9/9/2G6/2K6 b - 1", "7h", "6g");
        assert_eq!(there, of("5k3/9/9/9/9/9/9/6G2/6K2 b - 1", "3h", "4g"));
        assert_eq!(there, of("6k2/6g2/9/9/9/9/9/9/5K3 w - 1", "3b", "4c"));
        assert_ne!(there, of("3k5/9/9/9/9/9/9/2G6/2K6 b - 1", "7h", "8g"));
        assert!(there.len() == 14 && there.iter().all(|number| *number < VALUES));
    }

    #[test]
    fn shared_values_count_for_every_king() {
        let position = Position::startpos();
        let mut random = fastrand::Rng::with_seed(1);
        let values: Vec<f32> = (0..VALUES).map(|_| random.f32()).collect();
        let weights = with_shared(&values);
        let mv = LearnedMove { to: 30, from: 31, kind: 0, class: 0, victim: 14, flags: 0 };
        let (mut all, mut written) = (0.0, 0.0);
        KingViews::of(&position).values(mv, |number| {
            all += values[number];
            written += weights.get(number).copied().unwrap_or(0.0);
        });
        assert!((all - written).abs() < 1e-4, "{all} {written}");
    }
}
