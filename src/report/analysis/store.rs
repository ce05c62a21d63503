//! The interface of the analysis to its store of results.

use kyomi_shogi::{CountStart, Game, Position};

/// Stores the texts of results, by position and by the engine and settings that produced them.
pub trait AnalysisStore {
    /// The text stored for this position and these settings.
    fn get(&mut self, position: &Position, settings: &str) -> Option<String>;

    /// Stores a text. The store itself reports its errors; the analysis goes on.
    fn put(&mut self, position: &Position, settings: &str, text: &str);
}

/// A store that keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStore;

impl AnalysisStore for NoStore {
    fn get(&mut self, _: &Position, _: &str) -> Option<String> {
        None
    }

    fn put(&mut self, _: &Position, _: &str, _: &str) {}
}

/// The settings under which the position that a game has reached is stored.
///
/// Until a position of the game has occurred twice, the result depends on the position alone. From then on the search
/// depends on the history of the game, so the history is part of the settings.
pub(super) fn settings_of(game: &Game, settings: &str) -> String {
    if !has_repetition(game) {
        return settings.to_owned();
    }
    let mut history: u64 = 0;
    for key in game.keys() {
        history = (history ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    }
    format!("{settings}; history {history:016x}")
}

/// Whether a position of the game has occurred twice.
fn has_repetition(game: &Game) -> bool {
    if game.repetition_count(CountStart::Yes) > 1 {
        return true;
    }
    let mut keys: Vec<u64> = game.keys().collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi;

    #[test]
    fn history_counts_from_the_first_repetition_on() {
        let settings = |line: &str| settings_of(&usi::parse_position_line(line).unwrap(), "x");
        assert_eq!(settings("startpos moves 2h3h 8b7b"), "x");
        let around = "startpos moves 2h3h 8b7b 3h2h 7b8b";
        assert!(settings(around).starts_with("x; history "));
        assert_ne!(settings(&format!("{around} 7g7f")), "x");
        assert_ne!(settings(around), settings("startpos moves 2h4h 8b7b 4h2h 7b8b"));
    }
}
