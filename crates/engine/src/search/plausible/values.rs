//! The table of merits: a row for each property of a move (docs/search.md, section 3.3).
//!
//! The values, in points, were fitted to games together. A negative value makes up for rows that nearly always come
//! with it, or stands for a loss. `kyomi-lab train merits` fits them and prints the rows in the form used here.

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeritValue {
    /// The row's name.
    pub name: &'static str,
    /// Points of moves that lose nothing by exchange.
    pub good: i32,
    /// Points of moves that lose by exchange.
    pub bad: i32,
}

macro_rules! merits {
    ($($row:ident $good:literal $bad:literal;)*) => {
        /// The rows by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum MeritRow {
            $($row,)*
        }

        /// All rows, in the order of their names.
        pub static MERITS: &[MeritValue] =
            &[$(MeritValue { name: stringify!($row), good: $good, bad: $bad },)*];
    };
}

impl MeritRow {
    /// The points of the row for a good or a bad move.
    #[inline]
    pub(super) fn points(self, good: bool) -> i32 {
        let value = &MERITS[self as usize];
        if good { value.good } else { value.bad }
    }
}

// The first row is that of every move. Then follow the generators, some by piece class, from the cheapest to the
// dearest.
merits! {
    Nothing 194 194;
    CapturePawn 101 78;
    CaptureMinor 168 212;
    CaptureSilver 197 228;
    CaptureMajor 258 267;
    Recapture 185 92;
    PromotePawn 141 93;
    PromoteMajor 60 -28;
    PromoteOther 23 70;
    Check 113 41;
    DroppedCheck 282 164;
    AttackKing 63 43;
    PawnAttacksPawn 16 33;
    PawnAttacksMinor 157 167;
    PawnAttacksSilver 149 147;
    PawnAttacksMajor 191 176;
    AttacksPawn 33 -4;
    AttacksMinor 58 8;
    AttacksSilver 98 39;
    AttacksMajor 145 38;
    DiscoveredAttack 42 125;
    ThreatenPromotion 46 25;
    DefendCheck 95 65;
    DefendKing 65 72;
    PawnAway -10 9;
    MinorAway 130 166;
    SilverAway 196 117;
    MajorAway 297 175;
    GuardsPawn 52 45;
    GuardsMinor 98 77;
    GuardsSilver 123 146;
    GuardsMajor 151 185;
    DefendDiscovered 10 -2;
    StopPromotion 17 -13;
    DefendPin 8 85;
    RelieveTie 25 20;
    GuardUndefended 8 0;
    DefendExchange 9 1;
    CoverOwnCamp -5 -65;
    Develop 45 -24;
    Pin 29 -82;
    CoverEnemyCamp 12 -72;
    HinderDevelopment 3 -7;
    Quiet -40 -60;
    DropPawn 15 97;
    DropMinor 15 2;
    DropGeneral -25 -14;
    DropRook -29 -168;
    DropBishop -53 -232;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_values_match() {
        assert_eq!(MERITS[MeritRow::DropBishop as usize].name, "DropBishop");
        assert_eq!(
            (MeritRow::Recapture.points(true), MeritRow::AttacksPawn.points(false)),
            (185, -4)
        );
        assert_eq!(MERITS.len(), MeritRow::DropBishop as usize + 1);
    }
}
