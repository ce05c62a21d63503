//! Games of self-play as a fit wants them.

use std::path::Path;

use crate::{
    lab::selfplay::{self, SelfplayGame, StoreError},
    shogi::{Color, Position},
};

use super::TrainingGame;

/// Whether a path is a folder of games of self-play, or a file of them.
pub(super) fn is_selfplay(path: &Path) -> bool {
    path.is_dir() || selfplay::is_ours(path)
}

/// All games of a folder or a file. Those that cannot be replayed are told and left out.
pub(super) fn read_selfplay(path: &Path) -> Result<Vec<TrainingGame>, StoreError> {
    let name = format!("self-play {}", path.display());
    let mut games = Vec::new();
    selfplay::each_game(path, |file, game| match game.replay() {
        Ok(_) => games.push(training_game(game, &name)),
        Err(fault) => {
            tracing::warn!("{}, game {}: {fault}; it is left out", file.display(), game.number);
        }
    })?;
    Ok(games)
}

/// What engines of self-play say has a scale of its own for each source, by its name.
fn training_game(game: &SelfplayGame, name: &str) -> TrainingGame {
    let eval = |(index, score): (usize, i16)| {
        let score = i32::from(score);
        Some(if game.mover(index) == Color::Black { score } else { -score })
    };
    let start = (game.start != Position::startpos()).then(|| Box::new(game.start.clone()));
    TrainingGame {
        line: game.number as usize,
        start,
        moves: game.moves.iter().map(|played| played.mv).collect(),
        winner: Some(game.winner),
        evals: game.moves.iter().map(|played| played.score).enumerate().map(eval).collect(),
        black: name.into(),
        white: name.into(),
        ratings: [None; 2],
    }
}
