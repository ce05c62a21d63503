//! Reads positions and games from tables.

use std::path::PathBuf;

use clap::Args;

use crate::lab::train::{Drawn, Games, TrainingGame, draw};

use super::ResultExt;

/// Tables of games, and what is read of them.
#[derive(Debug, Clone, Args)]
pub(crate) struct TableArgs {
    /// Tables of games (.tsv, plain or gzip), with the columns moves and result
    #[arg(required = true, value_name = "TABLE")]
    pub(crate) games: Vec<PathBuf>,
    /// What is read follows from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl TableArgs {
    /// Passes one position in a given number, drawn at random, to `visit`, which returns whether to continue. Returns the
    /// number of games.
    pub(crate) fn positions(
        &self,
        one_in: u32,
        mut visit: impl FnMut(&Drawn<'_>) -> bool,
    ) -> anyhow::Result<usize> {
        let (mut count, mut goes_on) = (0, true);
        for path in &self.games {
            if !goes_on {
                break;
            }
            let games = Games::open(path).written_by_user()?;
            count += draw(games, one_in, self.seed, |drawn| {
                goes_on = visit(drawn);
                goes_on
            })
            .written_by_user()?;
        }
        Ok(count)
    }

    /// Passes one game in a given number, drawn at random, to `visit`, which returns whether to continue.
    pub(crate) fn whole_games(
        &self,
        one_in: u32,
        mut visit: impl FnMut(&TrainingGame) -> bool,
    ) -> anyhow::Result<()> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        for path in &self.games {
            for game in Games::open(path).written_by_user()? {
                let game = game.written_by_user()?;
                if random.u32(..one_in.max(1)) == 0 && !visit(&game) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
