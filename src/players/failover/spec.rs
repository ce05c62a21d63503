//! The engines of a player that plays on when one fails.

use crate::players::{PlayerSpec, PlayerWrapper};

/// The engines of one player.
#[derive(Debug, Clone, PartialEq)]
pub struct FailoverSpec {
    /// The engine that plays.
    pub engine: PlayerSpec,
    /// The engines that play on when it fails, in this order.
    pub fallbacks: Vec<PlayerSpec>,
    /// Restart the engine for each game.
    pub restart_each_game: bool,
    /// Play on where an engine resigns.
    pub never_resigns: bool,
    /// A decorator of the engine that plays, not of the fallbacks.
    pub wrapper: Option<PlayerWrapper>,
}

impl FailoverSpec {
    /// The engine at this index, for messages; 0 is the engine that plays.
    pub(super) fn title(&self, index: usize) -> String {
        match index.checked_sub(1).map_or(Some(&self.engine), |index| self.fallbacks.get(index)) {
            Some(PlayerSpec::Usi(spec)) => format!("the engine {}", spec.title()),
            Some(PlayerSpec::Random(_)) => "the random player".to_owned(),
            Some(PlayerSpec::Builtin(_)) | None => "the built-in engine".to_owned(),
        }
    }
}
