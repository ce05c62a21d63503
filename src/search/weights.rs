//! The figures of the interest terms (docs/search.md, section 1.3), in sixteenths of a point: those of an additive fit
//! to games, and those of the paper on interest search.

mod figures;

use std::ops::{Add, AddAssign};

use super::parameters::Parameters;
use crate::{
    eval::{swing, victim_class},
    shogi::PieceKind,
};

pub(crate) use figures::{FIGURES, NamedFigure};

/// One point of interest.
pub(crate) const POINT: i32 = 16;

/// A figure for moves that lose nothing by exchange, and one for those that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Figure {
    pub(crate) good: i32,
    pub(crate) bad: i32,
}

/// `[kind]`.
type ByKind = [Figure; PieceKind::COUNT];

impl Figure {
    pub(crate) const NONE: Self = Self { good: 0, bad: 0 };

    /// The same whatever the exchange brings.
    pub(crate) const fn both(figure: i32) -> Self {
        Self { good: figure, bad: figure }
    }

    /// Only for moves that lose nothing.
    pub(crate) const fn good(figure: i32) -> Self {
        Self { good: figure, bad: 0 }
    }

    /// Whether it changes nothing.
    pub(crate) const fn is_none(self) -> bool {
        self.good == 0 && self.bad == 0
    }

    const fn part(self, percent: i32) -> Self {
        Self { good: self.good * percent / 100, bad: self.bad * percent / 100 }
    }
}

impl Add for Figure {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { good: self.good + other.good, bad: self.bad + other.bad }
    }
}

impl AddAssign for Figure {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// What it is worth to attack pieces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Attack {
    /// By the victim class of the dearest of them.
    Dearest([Figure; 4]),
    /// All of them together, each by its kind.
    Each(ByKind),
}

impl Attack {
    fn part(self, percent: i32) -> Self {
        match self {
            Self::Dearest(figures) => Self::Dearest(figures.map(|figure| figure.part(percent))),
            Self::Each(figures) => Self::Each(figures.map(|figure| figure.part(percent))),
        }
    }
}

/// Term 2: what every evasion gets.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Evasion {
    /// The sum of the list's interest over the root of its length, in percent of that.
    Share(i32),
    /// So much.
    Each(i32),
}

/// All figures by the name of their term; arrays of four are by victim class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    /// Shared by all legal moves, term 1.
    pub(crate) even: i32,
    /// Evasions, term 2.
    pub(crate) evasion: Evasion,
    /// The hash move has at least this...
    pub(crate) hash_least: i32,
    /// ...and this more than the best of the list, term 3...
    pub(crate) hash: i32,
    /// ...or, where this is not set, so much more than it has by the other terms.
    pub(crate) hash_leads: bool,
    /// Best move of the previous iteration at the root, term 4.
    pub(crate) root_best: i32,
    /// First and second killer, term 5.
    pub(crate) killers: [i32; 2],
    /// Best reply to the last move, term 6.
    pub(crate) counter_move: i32,
    /// Best follow-on to the own move before, term 7.
    pub(crate) continuation: i32,
    /// A pawn newly attacks pieces, term 8.
    pub(crate) pawn_attacks: Attack,
    /// Capture by victim, term 9.
    pub(crate) capture: ByKind,
    /// Good capture of the piece that just moved, term 9.
    pub(crate) recapture: i32,
    /// Check, term 10.
    pub(crate) check: Figure,
    /// Check after a check, term 10.
    pub(crate) further_check: i32,
    /// A piece newly attacks something dearer or undefended, term 11.
    pub(crate) attacks: Attack,
    /// Two or more of those at once, term 11.
    pub(crate) fork: i32,
    /// The mover hangs, by its kind, term 12.
    pub(crate) hangs: ByKind,
    /// The mover can be exchanged, term 12.
    pub(crate) even_exchange: i32,
    /// Takes the piece that gives check, term 13.
    pub(crate) capture_checker: i32,
    /// Promotion of a pawn; of bishop or rook; of others, term 14.
    pub(crate) promotion: [Figure; 3],
    /// The piece behind a pin, or the one that a tied defender guards, moves: by its kind, term 16.
    pub(crate) target: ByKind,
    /// The quiet move with the largest sum, term 17.
    pub(crate) best_quiet: i32,
    /// Newly attacks a square next to the enemy's king.
    pub(crate) king_zone: Figure,
    /// Newly guards a hanging piece.
    pub(crate) guards: [Figure; 4],
    /// The piece comes to a better square.
    pub(crate) development: Figure,
    /// Drop of a pawn; of another piece.
    pub(crate) drops: [i32; 2],
    /// History value for one point.
    pub(crate) history: i32,
    /// What of it counts, in percent.
    pub(crate) history_percent: i32,
    /// What is left of quiet moves that lose by exchange, in percent.
    pub(crate) bad_quiet: i32,
    /// Whether term 16 is on.
    pub(crate) has_target: bool,
}

impl Weights {
    /// The figures that the parameters choose, each times its percentage.
    pub(crate) fn new(p: &Parameters) -> Self {
        let all = if p.figures == 0 { &FITTED } else { &PAPER };
        // The rows that are not in the paper.
        let extra = |percent: i32| if p.extra_terms == 0 { 0 } else { percent };
        let part = |figure: i32, percent: i32| figure * percent / 100;
        Self {
            even: part(all.even, p.even),
            evasion: match all.evasion {
                Evasion::Share(percent) => Evasion::Share(part(percent, p.in_check)),
                Evasion::Each(figure) => Evasion::Each(part(figure, p.in_check)),
            },
            hash_least: part(all.hash_least, p.hash),
            hash: part(all.hash, p.hash),
            hash_leads: all.hash_leads,
            root_best: part(all.root_best, p.root_best),
            killers: all.killers.map(|figure| part(figure, p.killer)),
            counter_move: part(all.counter_move, p.reply),
            continuation: part(all.continuation, p.follow_on),
            pawn_attacks: all.pawn_attacks.part(p.pawn_attacks),
            capture: all.capture.map(|figure| figure.part(p.capture)),
            recapture: part(all.recapture, p.recapture),
            check: all.check.part(p.check),
            further_check: part(all.further_check, p.further_check),
            attacks: all.attacks.part(p.attacks),
            fork: part(all.fork, p.fork),
            hangs: all.hangs.map(|figure| figure.part(p.hangs)),
            even_exchange: part(all.even_exchange, p.hangs),
            capture_checker: part(all.capture_checker, p.capture_checker),
            promotion: all.promotion.map(|figure| figure.part(p.promotion)),
            target: all.target.map(|figure| figure.part(p.target)),
            best_quiet: part(all.best_quiet, p.best_quiet),
            king_zone: all.king_zone.part(extra(p.king_zone)),
            guards: all.guards.map(|figure| figure.part(extra(p.guards))),
            development: all.development.part(extra(p.development)),
            drops: all.drops.map(|figure| part(figure, extra(p.drops))),
            history: all.history,
            history_percent: extra(p.history),
            bad_quiet: p.bad_quiet,
            has_target: p.target != 0,
        }
    }
}

/// Whole points.
const fn points(good: i32, bad: i32) -> Figure {
    Figure { good: good * POINT, bad: bad * POINT }
}

/// Half points.
const fn halves(good: i32, bad: i32) -> Figure {
    Figure { good: good * POINT / 2, bad: bad * POINT / 2 }
}

/// The figure of each kind's victim class.
const fn by_class(figures: [Figure; 4]) -> ByKind {
    let mut all = [Figure::NONE; PieceKind::COUNT];
    let mut i = 0;
    while i < PieceKind::COUNT {
        all[i] = figures[victim_class(PieceKind::ALL[i])];
        i += 1;
    }
    all
}

/// So many points for each kind as its swing has times this; a king counts as the dearest piece.
const fn by_swing(divisor: i32, bad: bool) -> ByKind {
    let mut all = [Figure::NONE; PieceKind::COUNT];
    let mut i = 0;
    while i < PieceKind::COUNT {
        let whole = swing(PieceKind::ALL[i]);
        let most = swing(PieceKind::Dragon);
        let figure = (if whole < most { whole } else { most }) * POINT / divisor;
        all[i] = if bad { Figure::both(figure) } else { Figure::good(figure) };
        i += 1;
    }
    all
}

/// The figures of the additive fit.
const FITTED: Weights = Weights {
    even: 1000 * POINT,
    evasion: Evasion::Share(100),
    hash_least: 150 * POINT,
    hash: 25 * POINT,
    hash_leads: true,
    root_best: 100 * POINT,
    killers: [100 * POINT, 60 * POINT],
    counter_move: 100 * POINT,
    continuation: 60 * POINT,
    pawn_attacks: Attack::Dearest([
        points(20, 7),
        points(110, 30),
        points(160, 28),
        points(220, 37),
    ]),
    capture: by_class([points(190, 1), points(250, 28), points(700, 35), points(900, 60)]),
    recapture: 350 * POINT,
    check: points(400, 10),
    further_check: 100 * POINT,
    attacks: Attack::Dearest([halves(4, 1), halves(18, 1), halves(60, 1), halves(100, 1)]),
    fork: 20 * POINT,
    hangs: by_class([points(1, 4), points(33, 4), points(300, 4), points(380, 4)]),
    even_exchange: 7 * POINT,
    capture_checker: 100 * POINT,
    promotion: [points(300, 50), points(150, 10), points(60, 10)],
    target: by_swing(40, false),
    best_quiet: 50 * POINT,
    king_zone: halves(19, 1),
    guards: [points(9, 1), points(19, 1), points(27, 1), points(35, 1)],
    development: halves(24, 1),
    drops: [5 * POINT, POINT / 2],
    history: 160,
    history_percent: 100,
    bad_quiet: 40,
    has_target: false,
};

/// The figures of the paper (docs/search.md, section 1.3, column `paper`): a tenth of the swing of each piece named, for
/// good and bad moves alike. The rows that are not in it keep those of the fit.
const PAPER: Weights = Weights {
    evasion: Evasion::Each(1000 * POINT),
    hash_least: 0,
    hash_leads: false,
    killers: [100 * POINT, 0],
    continuation: 100 * POINT,
    pawn_attacks: Attack::Each(by_swing(10, true)),
    capture: by_swing(10, true),
    recapture: 0,
    check: points(100, 100),
    attacks: Attack::Each(by_swing(10, true)),
    fork: 0,
    hangs: by_swing(10, true),
    even_exchange: 0,
    promotion: [points(100, 100); 3],
    target: by_swing(10, true),
    best_quiet: 100 * POINT,
    bad_quiet: 100,
    ..FITTED
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::parameters::Preset;

    fn of(preset: Preset) -> Weights {
        Weights::new(&Parameters::preset(preset))
    }

    #[test]
    fn the_paper_counts_a_tenth_of_the_swing_and_nothing_of_ours() {
        let paper = of(Preset::Paper);
        assert_eq!(paper.capture[PieceKind::Silver.index()], points(86, 86));
        assert_eq!(paper.target[PieceKind::King.index()], points(200, 200));
        assert_eq!((paper.recapture, paper.fork, paper.bad_quiet), (0, 0, 100));
        for figure in [paper.king_zone, paper.development] {
            assert!(figure.is_none());
        }
        assert!(paper.guards.iter().all(|figure| figure.is_none()));
        assert_eq!((paper.drops, paper.history_percent), ([0, 0], 0));
    }

    #[test]
    fn every_row_can_be_set_to_zero() {
        let off = |name: &str| {
            let mut parameters = Parameters::default();
            parameters.set(name, "0").unwrap();
            Weights::new(&parameters)
        };
        assert_eq!(off("Interest_Killer").killers, [0, 0]);
        assert!(off("Interest_Capture").capture.iter().all(|figure| figure.is_none()));
        assert!(off("Interest_Check").check.is_none());
        assert!(matches!(off("Interest_InCheck").evasion, Evasion::Share(0)));
        assert!(off("Interest_ExtraTerms").king_zone.is_none());
        let Attack::Dearest(figures) = off("Interest_Attacks").attacks else { panic!() };
        assert!(figures.iter().all(|figure| figure.is_none()));
    }

    #[test]
    fn a_good_move_has_no_less_than_a_bad_one() {
        for preset in Preset::ALL {
            let weights = of(preset);
            let all = weights.capture.iter().chain(&weights.promotion).chain(&weights.guards);
            assert!(all.chain([&weights.check]).all(|figure| figure.good >= figure.bad));
        }
    }
}
