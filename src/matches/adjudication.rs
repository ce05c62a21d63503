//! Adjudication of games by the scores of both players.

use std::{fmt, str::FromStr};

use kyomi_shogi::{Color, text::settings};

/// Ends a game when the scores agree on the winner.
///
/// ```
/// use kyomi::matches::WinRule;
/// let rule: WinRule = "score=3000,plies=6".parse().unwrap();
/// assert_eq!(rule.to_string(), "score=3000,plies=6,both=true");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WinRule {
    /// The minimum score for the winner, in centipawns.
    pub score: i32,
    /// The number of successive plies with such a score.
    pub plies: usize,
    /// Whether both players' scores must agree; otherwise the loser's scores suffice.
    pub both: bool,
}

/// Ends a game when both scores are close to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// The maximum absolute score, in centipawns.
    pub score: i32,
    /// The number of successive plies with such a score.
    pub plies: usize,
    /// The number of moves before which the rule does not apply.
    pub after: usize,
}

/// An error in the text of a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{part}' is not understood; write {expected}")]
pub struct AdjudicationError {
    part: String,
    expected: &'static str,
}

/// The scores of a game so far.
#[derive(Debug, Clone, Default)]
pub struct ScoreHistory {
    /// For each turn its side, and its score from black's view.
    scores: Vec<(Color, Option<i32>)>,
}

impl ScoreHistory {
    /// Adds a turn of `color` with its score from the view of `color`.
    pub fn add(&mut self, color: Color, score: Option<i32>) {
        let for_black =
            |score: i32| if color == Color::White { score.saturating_neg() } else { score };
        self.scores.push((color, score.map(for_black)));
    }

    /// The winner by the rule, if the scores decide the game.
    pub fn winner(&self, rule: &WinRule) -> Option<Color> {
        let last = self.last(rule.plies)?;
        Color::ALL.into_iter().find(|&winner| {
            let sign = if winner == Color::Black { 1 } else { -1 };
            let mut relevant = last.iter().filter(|(color, _)| rule.both || *color != winner);
            let agree = |score: &Option<i32>| {
                score.is_some_and(|score| score.saturating_mul(sign) >= rule.score)
            };
            relevant.clone().next().is_some() && relevant.all(|(_, score)| agree(score))
        })
    }

    /// Whether the game is drawn by the rule after `moves` moves.
    pub fn is_drawn(&self, rule: &DrawRule, moves: usize) -> bool {
        let level = |score: &Option<i32>| {
            score.is_some_and(|score| score.unsigned_abs() <= rule.score.unsigned_abs())
        };
        moves >= rule.after
            && self.last(rule.plies).is_some_and(|last| last.iter().all(|(_, score)| level(score)))
    }

    fn last(&self, plies: usize) -> Option<&[(Color, Option<i32>)]> {
        self.scores.get(self.scores.len().checked_sub(plies.max(1))?..)
    }
}

impl fmt::Display for WinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, plies, both } = self;
        write!(f, "score={score},plies={plies},both={both}")
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, plies, after } = self;
        write!(f, "score={score},plies={plies},after={after}")
    }
}

/// Reads `score=N,plies=N[,both=true|false]`.
impl FromStr for WinRule {
    type Err = AdjudicationError;

    fn from_str(text: &str) -> Result<Self, AdjudicationError> {
        let mut rule = Self { score: 3000, plies: 6, both: true };
        parts(text, "score=3000,plies=6,both=true", |key, value| match (key, value) {
            ("score", value) => set(&mut rule.score, value.parse().ok().filter(|cp| *cp > 0)),
            ("plies", value) => set(&mut rule.plies, value.parse().ok().filter(|plies| *plies > 0)),
            ("both", value) => set(&mut rule.both, value.parse().ok()),
            _ => false,
        })?;
        Ok(rule)
    }
}

/// Reads `score=N,plies=N,after=N`.
impl FromStr for DrawRule {
    type Err = AdjudicationError;

    fn from_str(text: &str) -> Result<Self, AdjudicationError> {
        let mut rule = Self { score: 10, plies: 20, after: 80 };
        parts(text, "score=10,plies=20,after=80", |key, value| match key {
            "score" => set(&mut rule.score, value.parse().ok().filter(|cp| *cp >= 0)),
            "plies" => set(&mut rule.plies, value.parse().ok().filter(|plies| *plies > 0)),
            "after" => set(&mut rule.after, value.parse().ok()),
            _ => false,
        })?;
        Ok(rule)
    }
}

fn parts(
    text: &str,
    expected: &'static str,
    mut take: impl FnMut(&str, &str) -> bool,
) -> Result<(), AdjudicationError> {
    for part in settings(text) {
        if !part.value.is_some_and(|value| take(part.key, value)) {
            return Err(AdjudicationError { part: part.text.chars().take(40).collect(), expected });
        }
    }
    Ok(())
}

fn set<T>(field: &mut T, value: Option<T>) -> bool {
    value.map(|value| *field = value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score_history(scores: &[i32]) -> ScoreHistory {
        let mut score_history = ScoreHistory::default();
        let mut color = Color::Black;
        for score in scores {
            score_history.add(color, (*score != i32::MIN).then_some(*score));
            color = !color;
        }
        score_history
    }

    #[test]
    fn both_players_must_agree_on_the_winner() {
        let rule = WinRule { score: 1000, plies: 4, both: true };
        assert_eq!(score_history(&[1200, -1100, 1500, -1900]).winner(&rule), Some(Color::Black));
        assert_eq!(score_history(&[-1200, 1100, -1500, 1900]).winner(&rule), Some(Color::White));
        assert_eq!(score_history(&[1200, -1100, 1500, -900]).winner(&rule), None);
        assert_eq!(
            score_history(&[1200, i32::MIN, 1500, -1900]).winner(&rule),
            None,
            "a score is missing"
        );
        assert_eq!(score_history(&[1200, -1100, 1500]).winner(&rule), None, "too early");
        let loser_only = WinRule { both: false, ..rule };
        assert_eq!(
            score_history(&[100, -1100, 200, -1900]).winner(&loser_only),
            Some(Color::Black)
        );
    }

    #[test]
    fn even_games_are_drawn_from_a_given_ply() {
        let rule = DrawRule { score: 10, plies: 3, after: 50 };
        assert!(score_history(&[500, 0, -5, 10]).is_drawn(&rule, 50));
        assert!(!score_history(&[500, 0, -5, 10]).is_drawn(&rule, 49));
        assert!(!score_history(&[0, -5, 11]).is_drawn(&rule, 60));
    }

    #[test]
    fn errors_name_a_valid_form() {
        let error = "score=much".parse::<WinRule>().unwrap_err().to_string();
        assert!(error.contains("'score=much'") && error.contains("plies=6"), "{error}");
        assert!("plies=3,both=false".parse::<WinRule>().is_ok());
        assert!("after=x".parse::<DrawRule>().is_err());
    }
}
