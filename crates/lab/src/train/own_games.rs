//! Games of self-play as training games.

use std::path::Path;

use crate::selfplay::{self, PlayedMove, SelfplayGame, SelfplayStoreError};
use kyomi_shogi::{Color, Position};

use super::TrainingGame;

/// Whether a path is a folder or a file of self-play games.
pub(super) fn is_selfplay(path: &Path) -> bool {
    path.is_dir() || selfplay::is_selfplay_file(path)
}

/// Reads all games of a folder or a file. Games that cannot be replayed are logged and left out.
pub(super) fn read_selfplay(path: &Path) -> Result<Vec<TrainingGame>, SelfplayStoreError> {
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

/// A game of self-play as a training game. `name`, the name of its source, becomes the name of both players, so that
/// each source gets a separate scale.
fn training_game(game: &SelfplayGame, name: &str) -> TrainingGame {
    // With limit 0 the score is unreliable, so neither the position nor the scale uses it.
    let eval = |(index, played): (usize, &PlayedMove)| {
        let score = i32::from(played.score);
        let score = if game.side_to_move(index) == Color::Black { score } else { -score };
        (played.limit > 0).then_some(score)
    };
    let start = (game.start != Position::startpos()).then(|| Box::new(game.start.clone()));
    TrainingGame {
        line: game.number as usize,
        start,
        moves: game.moves.iter().map(|played| played.mv).collect(),
        winner: Some(game.winner),
        evals: game.moves.iter().enumerate().map(eval).collect(),
        black: name.into(),
        white: name.into(),
        ratings: [None; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::OpeningSource;
    use crate::train::samples::PositionSet as _;
    use crate::train::{PositionFilter, Samples, Scales, SelfplayPositionFilter};
    use kyomi_engine::search::Quiescence;
    use kyomi_record::Winner;
    use kyomi_shogi::EndReason;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn a_position_without_a_limit_is_omitted() {
        let played = [("5a5b", 10, 100), ("5i5h", 20, 0), ("5b5c", 30, 1)];
        let game = SelfplayGame {
            seed: 1,
            number: 1,
            start: Position::from_sfen("4k4/9/9/9/9/9/PPPPPPPPP/9/4K4 w - 30").unwrap(),
            source: OpeningSource::BuiltIn,
            random_plies: 0,
            winner: Winner::Draw,
            end: EndReason::MaxMoves,
            ended: 0,
            took_ms: 0,
            moves: played
                .map(|(word, score, limit)| PlayedMove {
                    mv: parse_move(word).unwrap(),
                    score,
                    limit,
                })
                .into(),
        };
        let game = training_game(&game, "self-play");
        assert_eq!(*game.evals, [Some(-10), None, Some(-30)]);
        let mut samples = Samples::default();
        samples.add_selfplay(
            &game,
            &Scales::default(),
            &PositionFilter::default(),
            &SelfplayPositionFilter::default(),
            &mut Quiescence::default(),
            &mut 0,
        );
        assert_eq!(samples.len(), 2);
    }
}
