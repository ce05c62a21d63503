//! The store of analyses, as the analysis sees it.

use crate::shogi::Game;

/// What identifies the analysis of a position: equal keys mean equal results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreKey {
    /// The key of the position. Where positions of the game have repeated, it contains the history as well.
    pub position: u64,
    /// Engine, options and limits, and the position as text, so that two positions of one key are told apart.
    pub settings: String,
}

impl StoreKey {
    /// The key of the position that a game has reached. `by_history` includes how it was reached.
    pub fn new(game: &Game, by_history: bool, fingerprint: &str) -> Self {
        let sfen = game.position().to_sfen();
        // The move number means nothing to a search.
        let text = sfen.rsplit_once(' ').map_or(sfen.as_str(), |(text, _)| text);
        let mut position = game.position().key();
        if by_history {
            for key in game.keys() {
                position = (position ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
            }
        }
        Self { position, settings: format!("{fingerprint}; {text}") }
    }
}

/// Keeps the texts of analyses.
pub trait AnalysisStore {
    /// The text that was put there for this key.
    fn get(&mut self, key: &StoreKey) -> Option<String>;

    /// Keeps a text. A fault is reported by the store itself: the analysis goes on without it.
    fn put(&mut self, key: &StoreKey, text: &str);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStore;

impl AnalysisStore for NoStore {
    fn get(&mut self, _: &StoreKey) -> Option<String> {
        None
    }

    fn put(&mut self, _: &StoreKey, _: &str) {}
}
