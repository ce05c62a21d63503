//! The weights of the terms of interest (docs/search.md, section 1.3; the paper calls them figures), in sixteenths of a
//! point. There are two sets: an additive fit to games, and the weights of the paper *Interest Search*.

#[cfg(feature = "fit")]
mod named;

use std::ops::{Add, AddAssign};

use super::parameters::Parameters;
use crate::eval::{capture_value, piece_class};
use kyomi_shogi::PieceKind;

#[cfg(feature = "fit")]
pub use named::{NAMED_WEIGHTS, NamedWeight};

/// One point of interest.
pub(crate) const POINT: i32 = 16;

/// A weight for moves that lose nothing by exchange, and one for those that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TermWeight {
    pub(crate) good: i32,
    pub(crate) bad: i32,
}

/// `[kind]`.
type ByKind = [TermWeight; PieceKind::COUNT];

impl TermWeight {
    pub(crate) const NONE: Self = Self { good: 0, bad: 0 };

    /// The same for good and bad moves.
    pub(crate) const fn both(weight: i32) -> Self {
        Self { good: weight, bad: weight }
    }

    /// Only for moves that lose nothing.
    pub(crate) const fn good(weight: i32) -> Self {
        Self { good: weight, bad: 0 }
    }

    /// Whether both weights are 0.
    pub(crate) const fn is_none(self) -> bool {
        self.good == 0 && self.bad == 0
    }
}

impl Add for TermWeight {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { good: self.good + other.good, bad: self.bad + other.bad }
    }
}

impl AddAssign for TermWeight {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// The weights for attacks on pieces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Attack {
    /// The weight of the highest piece class among them. Pieces other than pawns count only what is dearer than
    /// themselves or undefended.
    Dearest([TermWeight; 4]),
    /// The sum of the weights of all of them, each by its kind.
    Each(ByKind),
}

/// Term 2: the interest added to every evasion.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Evasion {
    /// The sum of interest of the list divided by the square root of its length, times this percentage.
    Share(i32),
    /// The same for each.
    Each(i32),
}

/// Whole points.
const fn points(good: i32, bad: i32) -> TermWeight {
    TermWeight { good: good * POINT, bad: bad * POINT }
}

/// Half points.
const fn halves(good: i32, bad: i32) -> TermWeight {
    TermWeight { good: good * POINT / 2, bad: bad * POINT / 2 }
}

/// The weight of each kind's piece class.
const fn by_class(weights: [TermWeight; 4]) -> ByKind {
    let mut all = [TermWeight::NONE; PieceKind::COUNT];
    let mut i = 0;
    while i < PieceKind::COUNT {
        all[i] = weights[piece_class(PieceKind::ALL[i])];
        i += 1;
    }
    all
}

/// The capture value of each kind divided by `divisor`, in points. A king counts as the dearest piece.
const fn by_capture_value(divisor: i32, bad: bool) -> ByKind {
    let mut all = [TermWeight::NONE; PieceKind::COUNT];
    let mut i = 0;
    while i < PieceKind::COUNT {
        let whole = capture_value(PieceKind::ALL[i]);
        let most = capture_value(PieceKind::Dragon);
        let weight = (if whole < most { whole } else { most }) * POINT / divisor;
        all[i] = if bad { TermWeight::both(weight) } else { TermWeight::good(weight) };
        i += 1;
    }
    all
}

/// Multiplication of weights by an option in percent.
trait Scalable: Copy {
    fn scaled(self, percent: i32) -> Self;
}

impl Scalable for i32 {
    fn scaled(self, percent: i32) -> Self {
        self * percent / 100
    }
}

impl Scalable for TermWeight {
    fn scaled(self, percent: i32) -> Self {
        Self { good: self.good.scaled(percent), bad: self.bad.scaled(percent) }
    }
}

impl<T: Scalable, const N: usize> Scalable for [T; N] {
    fn scaled(self, percent: i32) -> Self {
        self.map(|weight| weight.scaled(percent))
    }
}

impl Scalable for Attack {
    fn scaled(self, percent: i32) -> Self {
        match self {
            Self::Dearest(weights) => Self::Dearest(weights.scaled(percent)),
            Self::Each(weights) => Self::Each(weights.scaled(percent)),
        }
    }
}

impl Scalable for Evasion {
    fn scaled(self, percent: i32) -> Self {
        match self {
            Self::Share(weight) => Self::Share(weight.scaled(percent)),
            Self::Each(weight) => Self::Each(weight.scaled(percent)),
        }
    }
}

impl Scalable for bool {
    fn scaled(self, _: i32) -> Self {
        self
    }
}

/// The percentage of a row that is not in the paper: 0 if these rows are switched off.
const fn extra(p: &Parameters, percent: i32) -> i32 {
    if p.extra_terms == 0 { 0 } else { percent }
}

macro_rules! weights {
    ($($(#[doc = $doc:literal])+ $field:ident: $type:ty, $fitted:expr, $paper:expr, $percent:expr;)*) => {
        /// All weights by the name of their term. Arrays of four are indexed by piece class.
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct Weights {
            $($(#[doc = $doc])+ pub(crate) $field: $type,)*
        }

        impl Weights {
            /// The weights that the parameters select, each multiplied by its percentage.
            pub(crate) fn new(p: &Parameters) -> Self {
                let all = if p.figures == 0 { &FITTED } else { &PAPER };
                let percent_of = |percent: fn(&Parameters) -> i32| percent(p);
                Self { $($field: all.$field.scaled(percent_of($percent)),)* }
            }
        }

        /// The weights of the additive fit.
        const FITTED: Weights = Weights { $($field: $fitted,)* };

        /// The weights of the paper (docs/search.md, section 1.3, column `paper`): a tenth of the capture value of each
        /// piece named, for good and bad moves alike. Rows that are not in the paper have the fitted weights.
        const PAPER: Weights = Weights { $($field: $paper,)* };
    };
}

// A row has the field, its fitted weight, its weight of the paper, and the option with the percentage that both are
// multiplied by, whose presets are in `parameters/table.rs`.
weights! {
    /// Points that all legal moves share, term 1.
    even: i32, 1000 * POINT, 1000 * POINT, |p| p.even;
    /// Evasions, term 2.
    evasion: Evasion, Evasion::Share(100), Evasion::Each(1000 * POINT), |p| p.in_check;
    /// Term 3, with `hash_leads`: the hash move has at least this plus `hash`.
    hash_least: i32, 150 * POINT, 0, |p| p.hash;
    /// Term 3: added to the larger of `hash_least` and the best interest of the other moves, or, without `hash_leads`,
    /// to the hash move's own interest.
    hash: i32, 25 * POINT, 25 * POINT, |p| p.hash;
    /// Whether the hash move becomes the most interesting move. Without it, as in the paper, the hash move can also
    /// have term 17, and no move has term 17 if two have the largest sum.
    hash_leads: bool, true, false, |_| 100;
    /// Best move of the previous iteration at the root, term 4.
    root_best: i32, 100 * POINT, 100 * POINT, |p| p.root_best;
    /// First and second killer, term 5.
    killers: [i32; 2], [100 * POINT, 60 * POINT], [100 * POINT, 0], |p| p.killer;
    /// Counter move, term 6.
    counter_move: i32, 100 * POINT, 100 * POINT, |p| p.reply;
    /// Continuation of the own move before, term 7.
    continuation: i32, 60 * POINT, 100 * POINT, |p| p.follow_on;
    /// A pawn newly attacks pieces, term 8.
    pawn_attacks: Attack,
        Attack::Dearest([points(20, 7), points(110, 30), points(160, 28), points(220, 37)]),
        Attack::Each(by_capture_value(10, true)), |p| p.pawn_attacks;
    /// Capture by victim, term 9.
    capture: ByKind,
        by_class([points(190, 1), points(250, 28), points(700, 35), points(900, 60)]),
        by_capture_value(10, true), |p| p.capture;
    /// Good capture of the piece that just moved, term 9.
    recapture: i32, 350 * POINT, 0, |p| p.recapture;
    /// Check, term 10.
    check: TermWeight, points(400, 10), points(100, 100), |p| p.check;
    /// Check after a check, term 10.
    further_check: i32, 100 * POINT, 100 * POINT, |p| p.further_check;
    /// A piece newly attacks something dearer or undefended, term 11.
    attacks: Attack,
        Attack::Dearest([halves(4, 1), halves(18, 1), halves(60, 1), halves(100, 1)]),
        Attack::Each(by_capture_value(10, true)), |p| p.attacks;
    /// Two or more such attacks at once, term 11.
    fork: i32, 20 * POINT, 0, |p| p.fork;
    /// The moved piece hangs, by its kind, term 12.
    hangs: ByKind,
        by_class([points(1, 4), points(33, 4), points(300, 4), points(380, 4)]),
        by_capture_value(10, true), |p| p.hangs;
    /// Whether every attacked piece counts as hanging in term 12, as in the paper.
    attacked_counts_as_hanging: bool, false, true, |_| 100;
    /// The moved piece can be exchanged, term 12.
    even_exchange: i32, 7 * POINT, 0, |p| p.hangs;
    /// Takes the piece that gives check, term 13.
    capture_checker: i32, 100 * POINT, 100 * POINT, |p| p.capture_checker;
    /// Promotion of a pawn; of bishop or rook; of others, term 14.
    promotion: [TermWeight; 3],
        [points(300, 50), points(150, 10), points(60, 10)],
        [points(100, 100); 3], |p| p.promotion;
    /// A piece behind a pin, or an attacked piece with a single defender, moves: by its kind, term 16. The king's
    /// weight is the largest.
    target: ByKind, by_capture_value(40, false), by_capture_value(10, true), |p| p.target;
    /// The quiet move with the largest sum, term 17.
    best_quiet: i32, 50 * POINT, 100 * POINT, |p| p.best_quiet;
    /// Newly attacks a square next to the enemy's king.
    king_zone: TermWeight, halves(19, 1), halves(19, 1), |p| extra(p, p.king_zone);
    /// Newly guards a hanging piece.
    guards: [TermWeight; 4], GUARDS, GUARDS, |p| extra(p, p.guards);
    /// The piece moves to a square that is better by the evaluation.
    development: TermWeight, halves(24, 1), halves(24, 1), |p| extra(p, p.development);
    /// Drop of a pawn; of another piece.
    drops: [i32; 2], [5 * POINT, POINT / 2], [5 * POINT, POINT / 2], |p| extra(p, p.drops);
    /// History value for one point.
    history: i32, 160, 160, |_| 100;
    /// Percentage of history that counts.
    history_percent: i32, 100, 100, |p| extra(p, p.history);
    /// Percentage of their interest that quiet moves keep which lose by exchange.
    bad_quiet: i32, 100, 100, |p| p.bad_quiet;
}

const GUARDS: [TermWeight; 4] = [points(9, 1), points(19, 1), points(27, 1), points(35, 1)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::parameters::Preset;

    fn of(preset: Preset) -> Weights {
        Weights::new(&Parameters::preset(preset))
    }

    #[test]
    fn the_paper_counts_a_tenth_of_the_capture_value_and_nothing_of_ours() {
        let paper = of(Preset::Paper);
        assert_eq!(paper.capture[PieceKind::Silver.index()], points(86, 86));
        assert_eq!(paper.target[PieceKind::King.index()], points(200, 200));
        assert_eq!((paper.recapture, paper.fork, paper.bad_quiet), (0, 0, 100));
        for weight in [paper.king_zone, paper.development] {
            assert!(weight.is_none());
        }
        assert!(paper.guards.iter().all(|weight| weight.is_none()));
        assert_eq!((paper.drops, paper.history_percent), ([0, 0], 0));
    }

    #[test]
    fn every_row_can_be_set_to_zero() {
        let off = |name: &str| {
            let mut parameters = Parameters::interest();
            parameters.set(name, "0").unwrap();
            Weights::new(&parameters)
        };
        assert_eq!(off("Interest_Killer").killers, [0, 0]);
        assert!(off("Interest_Capture").capture.iter().all(|weight| weight.is_none()));
        assert!(off("Interest_Check").check.is_none());
        assert!(matches!(off("Interest_InCheck").evasion, Evasion::Share(0)));
        assert!(off("Interest_ExtraTerms").king_zone.is_none());
        let Attack::Dearest(weights) = off("Interest_Attacks").attacks else { panic!() };
        assert!(weights.iter().all(|weight| weight.is_none()));
    }

    #[test]
    fn a_good_move_has_no_less_than_a_bad_one() {
        for preset in Preset::ALL {
            let weights = of(preset);
            let all = weights.capture.iter().chain(&weights.promotion).chain(&weights.guards);
            assert!(all.chain([&weights.check]).all(|weight| weight.good >= weight.bad));
        }
    }
}
