//! What is wrong with an offer.

use kyomi_shogi::notation::csa::{CsaMoveError, CsaPositionError};
use kyomi_shogi::{Color, Game, Unplayable};

use super::super::codec::clip;

/// Why an offer cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SummaryError {
    /// It has too many lines or too many bytes.
    #[error("the offer is too long")]
    TooLong,
    /// It did not end before the next one began or the time limit passed.
    #[error("the offer was never finished")]
    Unfinished,
    /// A required key or section is missing.
    #[error("the offer has no {0}")]
    Missing(&'static str),
    /// A key that decides about the game has two different values.
    #[error("the offer gives {0} twice, with different values")]
    Contradictory(&'static str),
    /// A value is not valid for its key.
    #[error("the offer says {key}:{value}")]
    BadValue {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// The position cannot be read.
    #[error("the offer's position: {0}")]
    Position(#[from] CsaPositionError),
    /// The position can be read but not played.
    #[error("the offer's position cannot be played: {0}")]
    Unplayable(#[from] Unplayable),
    /// A move of the offer cannot be parsed.
    #[error("the offer's move {number}: {source}")]
    SetupMove {
        /// Its number, starting at 1.
        number: usize,
        /// Why it cannot be parsed.
        source: CsaMoveError,
    },
    /// A move of the offer is illegal.
    #[error("the offer's move {number}, {word}, is not legal")]
    IllegalSetupMove {
        /// Its number, starting at 1.
        number: usize,
        /// The move as written.
        word: String,
    },
    /// It begins with more moves than any game has.
    #[error("the offer has more than {} moves", Game::MAX_PLIES)]
    TooManyMoves,
    /// The side to move is not given.
    #[error("the offer has no To_Move, and its position neither a turn line nor moves")]
    NoSide,
    /// `To_Move` contradicts the position and its moves.
    #[error("the offer says To_Move:{stated}, but after its moves it is the other side's turn")]
    ToMove {
        /// The stated sign.
        stated: char,
    },
}

impl SummaryError {
    /// The error for a value that is not valid for the key.
    pub(super) fn bad_value(key: &str, value: &str) -> Self {
        Self::BadValue { key: key.to_owned(), value: clip(value) }
    }
}

/// An irregularity of an offer that can still be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SummaryWarning {
    /// No `To_Move`.
    #[error("the offer has no To_Move; by its position it is {side}'s turn, playing on that")]
    NoToMove {
        /// The side to move after the moves of the offer.
        side: Color,
    },
    /// `Max_Moves` is not a number of moves.
    #[error(
        "the offer says Max_Moves:{value}, which is no number of moves; playing without a limit"
    )]
    MaxMoves {
        /// The value.
        value: String,
    },
    /// The name of an unknown section is too long to be kept.
    #[error("the offer has a section with a very long name; only its beginning is kept: {name}")]
    SectionName {
        /// The beginning of the name.
        name: String,
    },
    /// The rule for entering kings is not known.
    #[error("the offer says {key}:{value}, a rule that is not known; no win will be declared")]
    EnteringKing {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
    },
    /// `Rematch_On_Draw` is neither `YES` nor `NO`.
    #[error("the offer says Rematch_On_Draw:{value}; expected YES or NO, taking it as NO")]
    RematchOnDraw {
        /// The value.
        value: String,
    },
}

impl SummaryWarning {
    /// Whether it is about the name of a section.
    pub(super) const fn is_section_name(&self) -> bool {
        matches!(self, Self::SectionName { .. })
    }
}
