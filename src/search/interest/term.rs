//! The terms of interest by name.

/// A term of interest, or what is made of the sum of them (docs/search.md, section 1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Term {
    /// 1: every legal move has the same share of a thousand points (at 100 percent).
    Even,
    /// 2: an evasion.
    InCheck,
    /// 3: the move that the table knows.
    Hash,
    /// 4: the best move of the last iteration.
    RootBest,
    /// 5: cut at this ply elsewhere.
    Killer,
    /// 6: the best reply to the last move.
    CounterMove,
    /// 7: the best follow-on to the own move before.
    Continuation,
    /// 8: a pawn attacks a piece.
    PawnAttacks,
    /// 9: takes a piece.
    Capture,
    /// 9: takes the piece that has just moved.
    Recapture,
    /// 10: gives check.
    Check,
    /// 10: gives check again.
    FurtherCheck,
    /// 11: attacks something worthwhile.
    Attacks,
    /// 11: attacks two or more at once.
    Fork,
    /// 12: the mover is under attack.
    UnderAttack,
    /// 13: takes the piece that gives check.
    CaptureChecker,
    /// 14: promotes.
    Promotion,
    /// 16: the piece behind a pin, or the one that a tied defender guards.
    Target,
    /// 17: the best quiet move.
    BestQuiet,
    /// Attacks a square next to the enemy's king.
    KingZone,
    /// Guards a hanging piece.
    Guards,
    /// Goes to a better square.
    Development,
    /// Drops a piece.
    Drops,
    /// Quiet moves that lose material are left with a part.
    BadQuiet,
    /// How the move has done in the search so far.
    History,
    /// Searched in vain before another move cut.
    Penalty,
    /// Interest is at least a sixteenth of a point, and no more for losing moves than for others.
    Bounds,
    /// What merit makes of it.
    Merit,
}

impl Term {
    /// Its number in the paper, `+` for a row of our own, empty for what is done with the sum.
    pub const fn number(self) -> &'static str {
        match self {
            Self::Even => "1",
            Self::InCheck => "2",
            Self::Hash => "3",
            Self::RootBest => "4",
            Self::Killer => "5",
            Self::CounterMove => "6",
            Self::Continuation => "7",
            Self::PawnAttacks => "8",
            Self::Capture | Self::Recapture => "9",
            Self::Check | Self::FurtherCheck => "10",
            Self::Attacks | Self::Fork => "11",
            Self::UnderAttack => "12",
            Self::CaptureChecker => "13",
            Self::Promotion => "14",
            Self::Target => "16",
            Self::BestQuiet => "17",
            Self::KingZone | Self::Guards | Self::Development | Self::Drops | Self::History => "+",
            Self::BadQuiet | Self::Penalty | Self::Bounds | Self::Merit => "",
        }
    }

    /// Its name in tables and in JSON: lower case, words joined by an underscore.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::InCheck => "in_check",
            Self::Hash => "hash",
            Self::RootBest => "root_best",
            Self::Killer => "killer",
            Self::CounterMove => "reply",
            Self::Continuation => "follow_on",
            Self::PawnAttacks => "pawn_attacks",
            Self::Capture => "capture",
            Self::Recapture => "recapture",
            Self::Check => "check",
            Self::FurtherCheck => "further_check",
            Self::Attacks => "attacks",
            Self::Fork => "fork",
            Self::UnderAttack => "under_attack",
            Self::CaptureChecker => "capture_checker",
            Self::Promotion => "promotion",
            Self::Target => "target",
            Self::BestQuiet => "best_quiet",
            Self::KingZone => "king_zone",
            Self::Guards => "guards",
            Self::Development => "development",
            Self::Drops => "drops",
            Self::BadQuiet => "bad_quiet",
            Self::History => "history",
            Self::Penalty => "penalty",
            Self::Bounds => "bounds",
            Self::Merit => "merit",
        }
    }

    /// What it means, as a short sentence about the move.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Even => "its even share, the same for every legal move",
            Self::InCheck => "in check every evasion deserves a look",
            Self::Hash => "the table's move leads the list",
            Self::RootBest => "it was best in the iteration before",
            Self::Killer => "it cut off another node of this ply",
            Self::CounterMove => "it has answered the last move well elsewhere",
            Self::Continuation => "it has followed the own move before well elsewhere",
            Self::PawnAttacks => "the pawn attacks a piece",
            Self::Capture => "it takes a piece; more for a dearer one",
            Self::Recapture => "it takes the piece that has just moved",
            Self::Check => "it gives check",
            Self::FurtherCheck => "the own move before gave check, too",
            Self::Attacks => "it attacks something dearer than itself or unguarded",
            Self::Fork => "it attacks several of those at once",
            Self::UnderAttack => "the piece that moves hangs or can be exchanged",
            Self::CaptureChecker => "it takes the piece that gives check",
            Self::Promotion => "it promotes",
            Self::Target => "the piece stands behind a pin or has a single defender",
            Self::BestQuiet => "of the quiet moves it is the most interesting",
            Self::KingZone => "it attacks a square next to the enemy's king",
            Self::Guards => "it guards an own piece that hangs",
            Self::Development => "the piece goes to a square where it stands better",
            Self::Drops => "a drop as such",
            Self::BadQuiet => "quiet, loses material and gives no check: a part is left",
            Self::History => "how the move has done in the search so far",
            Self::Penalty => "it was searched in vain before other moves cut",
            Self::Bounds => "interest is at least 1/16",
            Self::Merit => "what its merit as a plausible move makes of that",
        }
    }

    /// Whether it multiplies what the terms before it have come to.
    pub const fn is_factor(self) -> bool {
        matches!(self, Self::BadQuiet | Self::Penalty | Self::Merit)
    }
}
