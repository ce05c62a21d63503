//! The table of the terms of interest, which scores, breakdowns and explanations use.

use super::{
    drop_set::DropParts,
    move_features::MoveFeatures,
    scorer::{Attacker, Scorer},
    terms,
};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, PieceKind};

/// How a term contributes to the interest of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Added to moves that a history table suggests: killers, counter move, continuation.
    Suggested,
    /// Added to captures.
    Capture,
    /// Added to checks.
    Check,
    /// Added to moves on the board. Of the move it depends only on the piece, its origin, and whether it promotes.
    Piece,
    /// Added to quiet moves on the board.
    Quiet,
    /// Added to drops. Of the move it depends only on the kind of piece.
    Drop,
    /// Added to moves whose piece newly attacks or guards squares, depending on these squares.
    NewAttacks,
    /// Added by its own function: the same for all moves, or by comparing the moves of a list.
    List,
    /// A factor on the sum of the terms above, or another change of it.
    Sum,
}

impl Group {
    /// Whether the terms of the group apply to a move.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the group is a constant of the caller")]
    pub(super) fn holds(self, m: &MoveFeatures) -> bool {
        match self {
            Self::Suggested => true,
            Self::Capture => m.captured.is_some(),
            Self::Check => m.check,
            Self::Piece => m.from.is_some(),
            Self::Quiet => m.from.is_some() && m.is_quiet(),
            Self::Drop => m.from.is_none(),
            Self::NewAttacks => m.new_attacks.any(),
            Self::List | Self::Sum => false,
        }
    }
}

/// A term that is a function of a node and a move.
pub(super) struct TermRow {
    pub(super) term: Term,
    pub(super) group: Group,
    pub(super) weight: fn(&Scorer<'_>, &MoveFeatures) -> TermWeight,
}

/// The sum of the group `NewAttacks`. It is compiled once, since its terms share code and few moves need them.
#[inline(never)]
pub(super) fn sum_of_new_attacks(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    sum_of(Group::NewAttacks, scorer, m)
}

macro_rules! terms {
    ($($(#[doc = $doc:literal])+ $term:ident: $number:literal, $name:literal, $option:literal, $meaning:literal,
        $group:ident $(($file:ident::$weight:ident $(, $notable:ident, $part:ident)?))?;)*) => {
        /// A term of interest, or a change of the sum of the terms (docs/search.md, section 1.3).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Term {
            $($(#[doc = $doc])+ $term,)*
        }

        impl Term {
            /// All terms, in the order in which they are shown.
            #[cfg(test)]
            pub(super) const ALL: &'static [Self] = &[$(Self::$term),*];

            /// Its number in the paper; `+` for a term that is not in the paper; empty for a change of the sum.
            pub const fn number(self) -> &'static str {
                match self {
                    $(Self::$term => $number,)*
                }
            }

            /// Its name in tables and in JSON: lower case, words joined by an underscore.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$term => $name,)*
                }
            }

            /// The option that sets its weight; empty if it has none.
            #[cfg(test)]
            pub(super) const fn option(self) -> &'static str {
                match self {
                    $(Self::$term => $option,)*
                }
            }

            /// What it means, as a short sentence about the move.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$term => $meaning,)*
                }
            }

            pub(super) const fn group(self) -> Group {
                match self {
                    $(Self::$term => Group::$group,)*
                }
            }
        }

        /// The terms that are functions of a node and a move, in the order of the table.
        pub(super) static ROWS: &[TermRow] = &[
            $($(TermRow { term: Term::$term, group: Group::$group, weight: terms::$file::$weight },)?)*
        ];

        /// The sum of the terms of a group for a move that the group [holds](Group::holds).
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "the group is a constant of the caller")]
        pub(super) fn sum_of(group: Group, scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
            let mut sum = TermWeight::NONE;
            $($(
                if group == Group::$group {
                    sum += terms::$file::$weight(scorer, m);
                }
            )?)*
            sum
        }

        /// The sum of all terms of [`ROWS`] for a move.
        #[inline]
        pub(super) fn sum_of_all(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
            let mut sum = TermWeight::NONE;
            $($(
                if Group::$group.holds(m) {
                    sum += terms::$file::$weight(scorer, m);
                }
            )?)*
            sum
        }

        /// The squares at which a new attack by a piece counts for any term of the group `NewAttacks`.
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "it is called for a few constants")]
        pub(super) fn notable(scorer: &Scorer<'_>, attacker: Attacker) -> Bitboard {
            let mut squares = Bitboard::EMPTY;
            $($($(squares |= terms::$file::$notable(scorer, attacker);)?)?)*
            squares
        }

        /// Splits sets of squares by the weights that the terms of the group `NewAttacks` add to a drop there.
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "if inlined, it is compiled with bit instructions")]
        pub(super) fn part(parts: &mut DropParts, scorer: &Scorer<'_>, kind: PieceKind) {
            $($($(terms::$file::$part(parts, scorer, kind);)?)?)*
        }
    };
}

// A row has the term, its number in the paper, its name, its option, its meaning, and its group with the functions in
// `terms/` that compute it. Explanations show the terms in this order.
terms! {
    /// 1: every legal move has the same share of a thousand points (at 100 percent).
    Even: "1", "even", "Interest_Even", "its even share, the same for every legal move", List;
    /// How likely an expert would play it, learned from games: a factor on the even share.
    Learned: "+", "learned", "Interest_Learned", "how likely an expert plays such a move there", List;
    /// 5: cut another node of this ply.
    Killer: "5", "killer", "Interest_Killer", "it cut off another node of this ply", Suggested(moves::killer);
    /// 6: the counter move of the last move.
    CounterMove: "6", "reply", "Interest_Reply", "it has answered the last move well elsewhere",
        Suggested(moves::counter_move);
    /// 7: the continuation of the own move before.
    Continuation: "7", "follow_on", "Interest_FollowOn", "it has followed the own move before well elsewhere",
        Suggested(moves::continuation);
    /// 9: takes a piece.
    Capture: "9", "capture", "Interest_Capture", "it takes a piece; more for a dearer one",
        Capture(moves::capture);
    /// 9: takes the piece that has just moved.
    Recapture: "9", "recapture", "Interest_Recapture", "it takes the piece that has just moved",
        Capture(moves::recapture);
    /// 13: takes the piece that gives check.
    CaptureChecker: "13", "capture_checker", "Interest_CaptureChecker", "it takes the piece that gives check",
        Capture(moves::capture_checker);
    /// 10: gives check.
    Check: "10", "check", "Interest_Check", "it gives check", Check(moves::check);
    /// 10: gives check again.
    FurtherCheck: "10", "further_check", "Interest_FurtherCheck", "the own move before gave check, too",
        Check(moves::further_check);
    /// 14: promotes.
    Promotion: "14", "promotion", "Interest_Promotion", "it promotes", Piece(moves::promotion);
    /// 8: a pawn attacks a piece.
    PawnAttacks: "8", "pawn_attacks", "Interest_PawnAttacks", "the pawn attacks a piece",
        NewAttacks(attacks::pawn_attacks, pawn_attacks_notable, pawn_attacks_part);
    /// 11: attacks something worthwhile.
    Attacks: "11", "attacks", "Interest_Attacks", "it attacks something dearer than itself or unguarded",
        NewAttacks(attacks::attacks, attacks_notable, attacks_part);
    /// 11: attacks two or more at once.
    Fork: "11", "fork", "Interest_Fork", "it attacks several of those at once",
        NewAttacks(attacks::fork, fork_notable, fork_part);
    /// Attacks a square next to the enemy's king.
    KingZone: "+", "king_zone", "Interest_KingZone", "it attacks a square next to the enemy's king",
        NewAttacks(attacks::king_zone, king_zone_notable, king_zone_part);
    /// Guards a hanging piece.
    Guards: "+", "guards", "Interest_Guards", "it guards an own piece that hangs",
        NewAttacks(attacks::guards, guards_notable, guards_part);
    /// 12: the moved piece is under attack.
    UnderAttack: "12", "under_attack", "Interest_Hangs", "the piece that moves hangs or can be exchanged",
        Piece(moves::under_attack);
    /// Goes to a better square.
    Development: "+", "development", "Interest_Development", "the piece goes to a square where it stands better",
        Quiet(moves::development);
    /// Drops a piece.
    Drops: "+", "drops", "Interest_Drops", "a drop as such", Drop(moves::drops);
    /// 16: a piece behind a pin, or an attacked piece with a single defender, moves.
    Target: "16", "target", "Interest_Target", "the piece stands behind a pin or has a single defender",
        Piece(moves::target);
    /// Quiet moves that lose material keep a part of their interest.
    BadQuiet: "", "bad_quiet", "Interest_BadQuiet", "quiet, loses material and gives no check: a part is left", Sum;
    /// History of the move.
    History: "+", "history", "Interest_History", "how the move has done in the search so far", Sum;
    /// Searched without a cut before another move cut.
    Penalty: "", "penalty", "Penalty_Mode", "it was searched in vain before other moves cut", Sum;
    /// Interest is at least a sixteenth of a point, and no more for losing moves than for others.
    Bounds: "", "bounds", "", "interest is at least 1/16", Sum;
    /// 17: the best quiet move.
    BestQuiet: "17", "best_quiet", "Interest_BestQuiet", "of the quiet moves it is the most interesting", List;
    /// 3: the move of the transposition table.
    Hash: "3", "hash", "Interest_Hash", "the hash move leads the list", List;
    /// 2: an evasion.
    InCheck: "2", "in_check", "Interest_InCheck", "the move evades check", List;
    /// 4: the best move of the last iteration. It is added at the root only.
    RootBest: "4", "root_best", "Interest_RootBest", "it was best in the iteration before", List;
}

impl Term {
    /// Whether it multiplies the sum of the terms before it.
    pub const fn is_factor(self) -> bool {
        matches!(self.group(), Group::Sum) && !matches!(self, Self::History | Self::Bounds)
    }
}
