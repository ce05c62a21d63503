//! The texts of reports in English and Japanese.

use super::analysis::{Mark, MateFault, MoveJudgement};
use kyomi_shogi::{
    Color, Move, Position, Score, Square,
    notation::{japanese, western},
};

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Both {
    /// Japanese.
    pub ja: String,
    /// English.
    pub en: String,
}

/// The language of a text that has only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
}

impl Both {
    /// A text in both languages.
    pub fn new(ja: impl Into<String>, en: impl Into<String>) -> Self {
        Self { ja: ja.into(), en: en.into() }
    }

    /// The text in one language.
    pub fn text(&self, language: Language) -> &str {
        match language {
            Language::English => &self.en,
            Language::Japanese => &self.ja,
        }
    }
}

/// The text of a move made in `position`; `before` is the destination of the move before it.
pub(super) fn move_words(position: &Position, mv: Move, before: Option<Square>) -> Both {
    Both::new(japanese::move_text(position, mv, before), western::move_text(position, mv))
}

/// The text of a score from black's side.
pub(super) fn score_words(score: Score) -> Both {
    let (winner, plies) = match score {
        Score::Cp(centipawns) => {
            let text = format!("{centipawns:+}");
            return Both::new(text.clone(), text);
        }
        Score::Win(plies) => (Color::Black, plies),
        Score::Loss(plies) => (Color::White, plies),
    };
    let side = side_words(winner);
    match plies {
        Some(0) => Both::new(format!("{}勝ち（詰み）", side.ja), format!("{} has mated", side.en)),
        Some(plies) => Both::new(
            format!("{}勝ち（{plies}手詰）", side.ja),
            format!("{} mates in {plies}", side.en),
        ),
        None => Both::new(format!("{}勝ち", side.ja), format!("{} wins", side.en)),
    }
}

/// The name of a side.
pub(super) fn side_words(side: Color) -> Both {
    match side {
        Color::Black => Both::new("先手", "Black"),
        Color::White => Both::new("後手", "White"),
    }
}

/// One sentence about what is wrong with a move; `None` if nothing is. `better` is the text of the better move.
pub(super) fn verdict(judged: &MoveJudgement, better: Option<&Both>) -> Option<Both> {
    if judged.mark.is_none() && judged.mate.is_none() {
        return None;
    }
    let mut words = match judged.mark {
        Some(mark) => Both::new(mark.japanese(), mark.english()),
        None => Both::new("", ""),
    };
    let mate = match judged.mate {
        Some(MateFault::Missed(Some(plies))) => {
            Some(Both::new(format!("{plies}手詰を逃す"), format!("misses mate in {plies}")))
        }
        Some(MateFault::Missed(None)) => Some(Both::new("詰みを逃す", "misses a forced mate")),
        Some(MateFault::Allowed(Some(plies))) => {
            Some(Both::new(format!("{plies}手詰に入る"), format!("walks into mate in {plies}")))
        }
        Some(MateFault::Allowed(None)) => {
            Some(Both::new("詰み筋に入る", "walks into a forced mate"))
        }
        None => None,
    };
    let add = |words: &mut Both, more: &Both| {
        for (text, more, gap) in [(&mut words.ja, &more.ja, "、"), (&mut words.en, &more.en, ", ")]
        {
            if !text.is_empty() {
                text.push_str(gap);
            }
            text.push_str(more);
        }
    };
    if let Some(mate) = mate {
        add(&mut words, &mate);
    }
    let points = (judged.loss * 100.0).round();
    add(&mut words, &Both::new(format!("勝率 −{points}%"), format!("−{points} % chance to win")));
    if let Some(better) = better {
        add(
            &mut words,
            &Both::new(format!("最善は {}", better.ja), format!("better {}", better.en)),
        );
    }
    Some(words)
}

/// The number of a mark in class names: 1 for the lightest, 0 for none.
pub(super) fn mark_number(mark: Option<Mark>) -> usize {
    mark.map_or(0, |mark| mark as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_say_what_is_wrong() {
        let judged =
            |mark, mate, loss| MoveJudgement { side: Color::Black, loss, mark, mate, better: None };
        assert_eq!(verdict(&judged(None, None, 0.02), None), None);
        let better = Both::new("▲７六歩(77)", "P7g-7f");
        let words = verdict(&judged(Some(Mark::Mistake), None, 0.234), Some(&better)).unwrap();
        assert_eq!(words.ja, "悪手、勝率 −23%、最善は ▲７六歩(77)");
        assert_eq!(words.en, "mistake, −23 % chance to win, better P7g-7f");
        let missed = judged(None, Some(MateFault::Missed(Some(7))), 0.01);
        assert_eq!(verdict(&missed, None).unwrap().en, "misses mate in 7, −1 % chance to win");
    }

    #[test]
    fn scores_name_the_winner() {
        assert_eq!(score_words(Score::Cp(-30)).en, "-30");
        assert_eq!(score_words(Score::Loss(Some(4))).ja, "後手勝ち（4手詰）");
        assert_eq!(score_words(Score::Win(None)).en, "Black wins");
    }
}
