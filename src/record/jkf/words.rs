//! The words of ends and directions.

use crate::record::EndKind;
use crate::record::japanese::{self, relative_words};
use crate::shogi::{Color, Move, Position};

/// The end of a word with this side to move: one of CSA, or of KIF.
pub(super) fn read_end(word: &str, to_move: Color) -> EndKind {
    // As KIF tells it (反則勝ち): the side that moved last offended.
    if word == "ILLEGAL_ACTION" {
        return EndKind::IllegalAction(!to_move);
    }
    match EndKind::from_word(word) {
        EndKind::Unknown(word) => japanese::end_from_word(&word, to_move),
        kind => kind,
    }
}

/// The word of an end with this side to move. Who has won without a word how is told in Japanese:
/// viewers show words that they do not know as they are.
pub(super) fn end_word(kind: &EndKind, to_move: Color) -> String {
    match kind {
        EndKind::Decided(_) => japanese::end_word(kind, to_move).into_owned(),
        kind => kind.word().to_owned(),
    }
}

/// What tells a move from those of other pieces of its kind to the same square: `L`, `C`, `R` for where
/// it stands, `U`, `M`, `D` for where it goes, `H` for a drop; `None` where there is nothing to tell.
pub(super) fn relative(position: &Position, mv: Move) -> Option<String> {
    let words = relative_words(position, mv)?;
    let letter = |word| LETTERS.into_iter().find(|(_, known)| *known == word);
    let letters: String = words.chars().filter_map(letter).map(|(letter, _)| letter).collect();
    Some(letters).filter(|letters| !letters.is_empty())
}

/// The words of the letters that [`relative`] gives; `None` if there are others among them.
pub(super) fn told(letters: &str) -> Option<String> {
    let word = |letter| LETTERS.into_iter().find(|(known, _)| *known == letter);
    letters.chars().map(|letter| word(letter).map(|(_, word)| word)).collect()
}

const LETTERS: [(char, char); 7] =
    [('L', '左'), ('C', '直'), ('R', '右'), ('U', '上'), ('M', '寄'), ('D', '引'), ('H', '打')];
