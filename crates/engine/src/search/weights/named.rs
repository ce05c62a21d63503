//! The weights of interest by name, for a fit to games.

use crate::search::parameters::Parameters;
use kyomi_shogi::PieceKind;

use super::{Attack, ByKind, FITTED, POINT, TermWeight, Weights, by_class};

/// A weight that can be fitted.
#[derive(Debug)]
pub struct NamedWeight {
    /// Its name.
    pub name: &'static str,
    /// Whether it is for moves that lose by exchange (`true`), for those that do not (`false`), or for both (`None`).
    pub bad: Option<bool>,
    place: Place,
}

/// The place of a weight in the weights.
#[derive(Debug)]
enum Place {
    Single(fn(&mut Weights) -> &mut i32),
    Pair(fn(&mut Weights) -> &mut TermWeight),
    /// The weight of the kinds of one piece class.
    Kinds(fn(&mut Weights) -> &mut ByKind, usize),
    /// The weight of the dearest piece attacked, by its piece class.
    Attack(fn(&mut Weights) -> &mut Attack, usize),
}

impl NamedWeight {
    /// The current value, in points.
    pub fn points(&self) -> f64 {
        let mut weights = FITTED;
        let mut found = 0;
        self.visit(&mut weights, |weight| found = *weight);
        f64::from(found) / f64::from(POINT)
    }

    /// Weights in which only this weight is not 0 and has this value. A weight for moves that lose by exchange is set
    /// for other moves as well.
    pub(crate) fn alone(&self, value: i32) -> Weights {
        let mut weights = Weights::new(&Parameters { history: 0, ..Parameters::untuned() });
        for weight in NAMED_WEIGHTS {
            weight.visit(&mut weights, |weight| *weight = 0);
        }
        weights.best_quiet = 0;
        self.visit(&mut weights, |weight| *weight = value);
        if self.bad == Some(true) {
            let good = Self { bad: Some(false), name: self.name, place: self.place.again() };
            good.visit(&mut weights, |weight| *weight = value);
        }
        weights
    }

    fn visit(&self, weights: &mut Weights, mut each: impl FnMut(&mut i32)) {
        let bad = self.bad == Some(true);
        let mut side = |weight: &mut TermWeight| {
            each(if bad { &mut weight.bad } else { &mut weight.good });
        };
        match &self.place {
            Place::Single(at) => each(at(weights)),
            Place::Pair(at) => side(at(weights)),
            Place::Kinds(at, class) => {
                let members =
                    by_class(std::array::from_fn(|i| TermWeight::both(i32::from(i == *class))));
                for kind in PieceKind::ALL {
                    if members[kind.index()].good != 0 {
                        side(&mut at(weights)[kind.index()]);
                    }
                }
            }
            Place::Attack(at, class) => {
                if let Attack::Dearest(weights) = at(weights) {
                    side(&mut weights[*class]);
                }
            }
        }
    }
}

impl Place {
    const fn again(&self) -> Self {
        match self {
            Self::Single(at) => Self::Single(*at),
            Self::Pair(at) => Self::Pair(*at),
            Self::Kinds(at, class) => Self::Kinds(*at, *class),
            Self::Attack(at, class) => Self::Attack(*at, *class),
        }
    }
}

const fn single(name: &'static str, at: fn(&mut Weights) -> &mut i32) -> NamedWeight {
    NamedWeight { name, bad: None, place: Place::Single(at) }
}

const fn good(name: &'static str, place: Place) -> NamedWeight {
    NamedWeight { name, bad: Some(false), place }
}

const fn bad(name: &'static str, place: Place) -> NamedWeight {
    NamedWeight { name, bad: Some(true), place }
}

/// The weights of moves out of check that are in use, except those of moves known from the search (hash move, killers,
/// counter moves, history) and of the best quiet move. The fit states all others in relation to the first.
pub static NAMED_WEIGHTS: &[NamedWeight] = &[
    single("Even", |w| &mut w.even),
    good("PawnAttacksPawn", Place::Attack(|w| &mut w.pawn_attacks, 0)),
    bad("PawnAttacksPawnBad", Place::Attack(|w| &mut w.pawn_attacks, 0)),
    good("PawnAttacksMinor", Place::Attack(|w| &mut w.pawn_attacks, 1)),
    bad("PawnAttacksMinorBad", Place::Attack(|w| &mut w.pawn_attacks, 1)),
    good("PawnAttacksSilver", Place::Attack(|w| &mut w.pawn_attacks, 2)),
    bad("PawnAttacksSilverBad", Place::Attack(|w| &mut w.pawn_attacks, 2)),
    good("PawnAttacksMajor", Place::Attack(|w| &mut w.pawn_attacks, 3)),
    bad("PawnAttacksMajorBad", Place::Attack(|w| &mut w.pawn_attacks, 3)),
    good("CapturePawn", Place::Kinds(|w| &mut w.capture, 0)),
    bad("CapturePawnBad", Place::Kinds(|w| &mut w.capture, 0)),
    good("CaptureMinor", Place::Kinds(|w| &mut w.capture, 1)),
    bad("CaptureMinorBad", Place::Kinds(|w| &mut w.capture, 1)),
    good("CaptureSilver", Place::Kinds(|w| &mut w.capture, 2)),
    bad("CaptureSilverBad", Place::Kinds(|w| &mut w.capture, 2)),
    good("CaptureMajor", Place::Kinds(|w| &mut w.capture, 3)),
    bad("CaptureMajorBad", Place::Kinds(|w| &mut w.capture, 3)),
    single("Recapture", |w| &mut w.recapture),
    good("Check", Place::Pair(|w| &mut w.check)),
    bad("CheckBad", Place::Pair(|w| &mut w.check)),
    single("FurtherCheck", |w| &mut w.further_check),
    good("AttacksPawn", Place::Attack(|w| &mut w.attacks, 0)),
    bad("AttacksPawnBad", Place::Attack(|w| &mut w.attacks, 0)),
    good("AttacksMinor", Place::Attack(|w| &mut w.attacks, 1)),
    bad("AttacksMinorBad", Place::Attack(|w| &mut w.attacks, 1)),
    good("AttacksSilver", Place::Attack(|w| &mut w.attacks, 2)),
    bad("AttacksSilverBad", Place::Attack(|w| &mut w.attacks, 2)),
    good("AttacksMajor", Place::Attack(|w| &mut w.attacks, 3)),
    bad("AttacksMajorBad", Place::Attack(|w| &mut w.attacks, 3)),
    single("Fork", |w| &mut w.fork),
    good("PawnHangs", Place::Kinds(|w| &mut w.hangs, 0)),
    bad("PawnHangsBad", Place::Kinds(|w| &mut w.hangs, 0)),
    good("MinorHangs", Place::Kinds(|w| &mut w.hangs, 1)),
    bad("MinorHangsBad", Place::Kinds(|w| &mut w.hangs, 1)),
    good("SilverHangs", Place::Kinds(|w| &mut w.hangs, 2)),
    bad("SilverHangsBad", Place::Kinds(|w| &mut w.hangs, 2)),
    good("MajorHangs", Place::Kinds(|w| &mut w.hangs, 3)),
    bad("MajorHangsBad", Place::Kinds(|w| &mut w.hangs, 3)),
    single("EvenExchange", |w| &mut w.even_exchange),
    good("PromotionPawn", Place::Pair(|w| &mut w.promotion[0])),
    bad("PromotionPawnBad", Place::Pair(|w| &mut w.promotion[0])),
    good("PromotionMajor", Place::Pair(|w| &mut w.promotion[1])),
    bad("PromotionMajorBad", Place::Pair(|w| &mut w.promotion[1])),
    good("PromotionOther", Place::Pair(|w| &mut w.promotion[2])),
    bad("PromotionOtherBad", Place::Pair(|w| &mut w.promotion[2])),
    good("KingZone", Place::Pair(|w| &mut w.king_zone)),
    bad("KingZoneBad", Place::Pair(|w| &mut w.king_zone)),
    good("GuardsPawn", Place::Pair(|w| &mut w.guards[0])),
    bad("GuardsPawnBad", Place::Pair(|w| &mut w.guards[0])),
    good("GuardsMinor", Place::Pair(|w| &mut w.guards[1])),
    bad("GuardsMinorBad", Place::Pair(|w| &mut w.guards[1])),
    good("GuardsSilver", Place::Pair(|w| &mut w.guards[2])),
    bad("GuardsSilverBad", Place::Pair(|w| &mut w.guards[2])),
    good("GuardsMajor", Place::Pair(|w| &mut w.guards[3])),
    bad("GuardsMajorBad", Place::Pair(|w| &mut w.guards[3])),
    good("Development", Place::Pair(|w| &mut w.development)),
    bad("DevelopmentBad", Place::Pair(|w| &mut w.development)),
    single("DropPawn", |w| &mut w.drops[0]),
    single("DropOther", |w| &mut w.drops[1]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_weight_counts_alone() {
        let mut names: Vec<_> = NAMED_WEIGHTS.iter().map(|weight| weight.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), NAMED_WEIGHTS.len());
        for weight in NAMED_WEIGHTS {
            assert!(weight.points() > 0.0, "{}", weight.name);
            let alone = weight.alone(77);
            let others = NAMED_WEIGHTS.iter().filter(|other| {
                let (mut weights, mut found) = (alone, 0);
                other.visit(&mut weights, |weight| found = *weight);
                found != 0
            });
            // A weight for bad moves comes with the one for good moves.
            let wanted = 1 + usize::from(weight.bad == Some(true));
            assert_eq!(others.count(), wanted, "{}", weight.name);
        }
        let points = |name| NAMED_WEIGHTS.iter().find(|f| f.name == name).map(NamedWeight::points);
        assert_eq!(points("CaptureMajorBad"), Some(60.0));
        assert_eq!(points("AttacksMinor"), Some(9.0));
        assert_eq!(points("Even"), Some(1000.0));
    }
}
