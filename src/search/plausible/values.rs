//! The values that merits are summed from, in one table: a row for each thing that moves have in common (search
//! specification 3.3).
//!
//! The values are one joint fit to games, in points; a negative one takes back part of what nearly always fires with
//! it, or prices a loss. `kyomi train merits` fits them anew and prints the rows as they stand here.

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MeritValue {
    /// The row's name.
    pub(crate) name: &'static str,
    /// Points of moves that lose nothing by exchange.
    pub(crate) good: i32,
    /// Points of moves that do.
    pub(crate) bad: i32,
}

macro_rules! merits {
    ($($row:ident $good:literal $bad:literal;)*) => {
        /// The rows by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Row {
            $($row,)*
        }

        /// All rows, in the order of their names.
        pub(crate) static MERITS: &[MeritValue] =
            &[$(MeritValue { name: stringify!($row), good: $good, bad: $bad },)*];
    };
}

impl Row {
    /// What it adds to the merit of a move.
    #[inline]
    pub(super) fn points(self, good: bool) -> i32 {
        let value = &MERITS[self as usize];
        if good { value.good } else { value.bad }
    }
}

// What a move has that nothing speaks for; then the generators, some by victim class, from the cheapest to the dearest.
merits! {
    Nothing -25 -25;
    CapturePawn 190 29;
    CaptureMinor 227 150;
    CaptureSilver 249 160;
    CaptureMajor 240 200;
    Recapture 210 210;
    PromotePawn 139 130;
    PromoteMajor 33 0;
    PromoteOther 50 60;
    Check 115 52;
    DroppedCheck 300 150;
    AttackKing 78 43;
    PawnAttacksPawn 77 60;
    PawnAttacksMinor 199 130;
    PawnAttacksSilver 239 140;
    PawnAttacksMajor 272 150;
    AttacksPawn 40 -56;
    AttacksMinor 68 -34;
    AttacksSilver 122 34;
    AttacksMajor 167 0;
    DiscoveredAttack 13 60;
    ThreatenPromotion 43 20;
    DefendCheck 100 60;
    DefendKing 13 40;
    PawnAway 13 28;
    MinorAway 123 100;
    SilverAway 147 68;
    MajorAway 154 55;
    GuardsPawn 75 32;
    GuardsMinor 136 61;
    GuardsSilver 144 100;
    GuardsMajor 189 120;
    DefendDiscovered 0 0;
    StopPromotion 15 -21;
    DefendPin 39 16;
    RelieveTie 6 0;
    GuardUndefended 14 0;
    DefendExchange 43 20;
    CoverOwnCamp -10 -65;
    Develop 102 -18;
    Pin 7 -82;
    CoverEnemyCamp 0 -72;
    HinderDevelopment 10 -20;
    Quiet 44 0;
    DropPawn 78 -20;
    DropMinor 10 -20;
    DropGeneral 0 -20;
    DropRook -48 -20;
    DropBishop -100 -20;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_values_belong_together() {
        assert_eq!(MERITS[Row::DropBishop as usize].name, "DropBishop");
        assert_eq!((Row::Recapture.points(true), Row::AttacksPawn.points(false)), (210, -56));
        assert_eq!(MERITS.len(), Row::DropBishop as usize + 1);
    }
}
