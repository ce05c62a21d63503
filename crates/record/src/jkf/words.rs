//! The words for ends and directions.

use crate::end::{END_NOTE, decided_word, unknown_note};
use crate::japanese::{self, relative_words};
use crate::{EndKind, Winner};
use kyomi_shogi::{Color, Move, Position};

/// The end of a word of CSA or KIF, with this side to move.
pub(super) fn read_end(word: &str, to_move: Color) -> EndKind {
    // As 反則勝ち in KIF: the side that moved last committed the offence.
    if word == "ILLEGAL_ACTION" {
        return EndKind::IllegalAction(!to_move);
    }
    match EndKind::from_word(word) {
        EndKind::Unknown(word) => japanese::end_from_word(&word, to_move),
        kind => kind,
    }
}

/// The word of an end with this side to move. The format has a closed list of words; for an end that has none, the
/// nearest one with the same winner, and the comment that names the end.
pub(super) fn end_word(kind: &EndKind, to_move: Color) -> (&str, Option<String>) {
    let note = |word: &str| Some(format!("{END_NOTE}{word}"));
    match kind {
        EndKind::MaxMoves => (EndKind::DrawDeclared.word(), note(kind.word())),
        EndKind::Unknown(word) => (EndKind::Interrupted.word(), unknown_note(word).and_then(note)),
        EndKind::Decided(winner) => {
            let nearest = match winner {
                Winner::Draw => "HIKIWAKE",
                Winner::Side(side) if *side != to_move => "TORYO",
                Winner::Side(Color::Black) => "-ILLEGAL_ACTION",
                Winner::Side(Color::White) => "+ILLEGAL_ACTION",
            };
            (nearest, note(decided_word(*winner)))
        }
        kind => (kind.word(), None),
    }
}

/// What distinguishes a move from those of other pieces of its kind to the same square: `L`, `C`, `R` for where the
/// piece is, `U`, `M`, `D` for its direction, `H` for a drop; `None` if nothing has to.
pub(super) fn relative(position: &Position, mv: Move) -> Option<String> {
    let words = relative_words(position, mv)?;
    let letter = |word| LETTERS.into_iter().find(|(_, known)| *known == word);
    let letters: String = words.chars().filter_map(letter).map(|(letter, _)| letter).collect();
    Some(letters).filter(|letters| !letters.is_empty())
}

/// The Japanese words for the letters of [`relative`]; `None` if there are other letters.
pub(super) fn japanese_words(letters: &str) -> Option<String> {
    let word = |letter| LETTERS.into_iter().find(|(known, _)| *known == letter);
    letters.chars().map(|letter| word(letter).map(|(_, word)| word)).collect()
}

const LETTERS: [(char, char); 7] =
    [('L', '左'), ('C', '直'), ('R', '右'), ('U', '上'), ('M', '寄'), ('D', '引'), ('H', '打')];
