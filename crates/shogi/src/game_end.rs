//! The ends of games: the winner, the reason, and the side to move.

use std::{borrow::Cow, fmt};

use super::Color;

/// The result of a game that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// This side won.
    Side(Color),
    /// The game was drawn.
    Draw,
}

impl Winner {
    /// The result for one side.
    pub fn outcome_for(self, color: Color) -> Outcome {
        match self {
            Self::Side(winner) if winner == color => Outcome::Win,
            Self::Side(_) => Outcome::Loss,
            Self::Draw => Outcome::Draw,
        }
    }

    /// The side that won.
    pub fn side(self) -> Option<Color> {
        match self {
            Self::Side(color) => Some(color),
            Self::Draw => None,
        }
    }
}

/// `black`, `white` or `draw`.
impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Side(color) => color.fmt(f),
            Self::Draw => f.pad("draw"),
        }
    }
}

/// The result of a game for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It won.
    Win,
    /// It lost.
    Loss,
    /// The game was drawn.
    Draw,
    /// The game has no result: it was suspended or interrupted, or the result is not known.
    None,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Win => "win",
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::None => "no result",
        })
    }
}

/// Why a game ended. Servers, matches and self-play use the same reasons.
///
/// The words of records and of the protocol for these reasons are in `record` and `csa`. `CONTRIBUTING.md` lists all
/// places of a new reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndReason {
    /// The side to move has no legal move.
    Mate,
    /// A resignation. The reference server reports a lost connection of the opponent in the same way.
    Resignation,
    /// A valid declaration.
    Declaration,
    /// A king reached the square that wins by the try rule.
    Try,
    /// Four-fold repetition.
    Sennichite,
    /// Four-fold repetition in which one side gave check with every move. That side loses.
    PerpetualCheck,
    /// The move limit.
    MaxMoves,
    /// Both players' scores agreed on the winner.
    AgreedWin,
    /// Both players' scores agreed on a draw.
    AgreedDraw,
    /// A flag fell.
    TimeUp,
    /// An illegal move.
    IllegalMove,
    /// A declaration that is not valid.
    WrongDeclaration,
    /// A line out of turn, or too many lines.
    IllegalAction,
    /// A player crashed.
    Crash,
    /// The connection of a player ended.
    Disconnected,
    /// It was suspended, by agreement or by the server, and not resumed.
    Adjourned,
    /// The server gave up the game.
    Abnormal,
    /// The connection was lost, or the program was killed.
    Interrupted,
    /// No reason is known.
    Unstated,
    /// Another reason, by its word, which may contain any text.
    Unknown(String),
}

impl EndReason {
    /// All reasons but [`EndReason::Unknown`].
    pub const KNOWN: [Self; 19] = [
        Self::Mate,
        Self::Resignation,
        Self::Declaration,
        Self::Try,
        Self::Sennichite,
        Self::PerpetualCheck,
        Self::MaxMoves,
        Self::AgreedWin,
        Self::AgreedDraw,
        Self::TimeUp,
        Self::IllegalMove,
        Self::WrongDeclaration,
        Self::IllegalAction,
        Self::Crash,
        Self::Disconnected,
        Self::Adjourned,
        Self::Abnormal,
        Self::Interrupted,
        Self::Unstated,
    ];

    /// The reason in words.
    pub fn words(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Mate => "mate",
            Self::Resignation => "resignation",
            Self::Declaration => "declaration",
            Self::Try => "try",
            Self::Sennichite => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::MaxMoves => "move limit",
            Self::AgreedWin => "win by agreed scores",
            Self::AgreedDraw => "draw by agreed scores",
            Self::TimeUp => "time up",
            Self::IllegalMove => "illegal move",
            Self::WrongDeclaration => "wrong declaration",
            Self::IllegalAction => "illegal action",
            Self::Crash => "crash",
            Self::Disconnected => "connection lost",
            Self::Adjourned => "adjourned",
            Self::Abnormal => "abnormal end",
            Self::Interrupted => "broken off",
            Self::Unstated => "no reason given",
            Self::Unknown(word) => {
                return Cow::Owned(word.chars().filter(|c| !c.is_control()).collect());
            }
        })
    }

    /// Whether the loser lost by something other than its moves on the board.
    pub fn is_fault(&self) -> bool {
        matches!(
            self,
            Self::TimeUp
                | Self::IllegalMove
                | Self::WrongDeclaration
                | Self::IllegalAction
                | Self::Crash
                | Self::Disconnected
        )
    }
}

/// [`EndReason::words`].
impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.words())
    }
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GameEnd {
    /// The winner; `None` for a game without a result.
    pub winner: Option<Winner>,
    /// The reason.
    pub reason: EndReason,
    /// The side to move at the end.
    pub side_to_move: Color,
}

impl GameEnd {
    /// A game that `loser` lost.
    pub fn lost(loser: Color, reason: EndReason, side_to_move: Color) -> Self {
        Self::won(!loser, reason, side_to_move)
    }

    /// A game that `winner` won.
    pub fn won(winner: Color, reason: EndReason, side_to_move: Color) -> Self {
        Self { winner: Some(Winner::Side(winner)), reason, side_to_move }
    }

    /// A drawn game.
    pub fn drawn(reason: EndReason, side_to_move: Color) -> Self {
        Self { winner: Some(Winner::Draw), reason, side_to_move }
    }

    /// A game without a result.
    pub fn without_result(reason: EndReason, side_to_move: Color) -> Self {
        Self { winner: None, reason, side_to_move }
    }

    /// The side that won.
    pub fn winning_side(&self) -> Option<Color> {
        self.winner.and_then(Winner::side)
    }

    /// The side that lost.
    pub fn loser(&self) -> Option<Color> {
        self.winning_side().map(|winner| !winner)
    }

    /// `black`, `white`, `draw` or `none`.
    pub fn result_word(&self) -> &'static str {
        match self.winner {
            Some(Winner::Side(Color::Black)) => "black",
            Some(Winner::Side(Color::White)) => "white",
            Some(Winner::Draw) => "draw",
            None => "none",
        }
    }

    /// The result for one side.
    pub fn outcome_for(&self, color: Color) -> Outcome {
        self.winner.map_or(Outcome::None, |winner| winner.outcome_for(color))
    }
}
