//! The options that name tables of games, and reading positions and games from these tables.

use std::path::PathBuf;

use clap::Args;

use crate::train::{Games, SampledPosition, TrainingGame, sample_positions};

use kyomi::cli::ResultExt;

/// Tables of games, and the seed for reading a part of them.
#[derive(Debug, Clone, Args)]
pub(crate) struct TableArgs {
    /// Tables of games (.tsv, plain or gzip), with the columns moves and result
    #[arg(required = true, value_name = "TABLE")]
    pub(crate) games: Vec<PathBuf>,
    /// Seed of the random choice of positions or games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl TableArgs {
    /// Passes about one in `one_in` positions, drawn at random, to `visit`, which returns whether to continue. Returns
    /// the number of games read.
    pub(crate) fn positions(
        &self,
        one_in: u32,
        mut visit: impl FnMut(&SampledPosition<'_>) -> bool,
    ) -> anyhow::Result<usize> {
        let (mut count, mut continues) = (0, true);
        for path in &self.games {
            if !continues {
                break;
            }
            let games = Games::open(path).written_by_user()?;
            count += sample_positions(games, one_in, self.seed, |sampled| {
                continues = visit(sampled);
                continues
            })
            .written_by_user()?;
        }
        Ok(count)
    }

    /// Passes about one in `one_in` games, drawn at random, to `visit`, which returns whether to continue.
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
