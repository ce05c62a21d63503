//! The folder of one test of a fit.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

use super::{DataSource, PositionFilter, SelfplayPositionFilter};
use kyomi_engine::eval::evaluate_material;
use kyomi_shogi::{Color, Game};

/// A folder with a table of short random games, won by the side with more material. It is removed at the end.
pub(super) struct TestFolder(TempDir);

impl TestFolder {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut random = fastrand::Rng::with_seed(11);
        let mut table = "#moves\tresult\n".to_owned();
        for _ in 0..24 {
            let mut game = Game::default();
            for _ in 0..60 {
                let moves = game.position().legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.push(moves[random.usize(..moves.len())]).unwrap();
            }
            let material = evaluate_material(game.position());
            let black = (material > 0) == (game.position().side_to_move() == Color::Black);
            let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
            let result = if black { "1-0" } else { "0-1" };
            writeln!(table, "startpos moves {}\t{result}", moves.join(" ")).unwrap();
        }
        fs::write(dir.path().join("games.tsv"), table).unwrap();
        Self(dir)
    }

    /// The path of a file or folder in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The positions of its table.
    pub(super) fn source(&self) -> DataSource {
        DataSource {
            tables: vec![self.path("games.tsv")],
            seed: 3,
            validation: 0.2,
            choice: PositionFilter { first_ply: 20, ..PositionFilter::default() },
            selfplay: SelfplayPositionFilter::default(),
        }
    }
}
