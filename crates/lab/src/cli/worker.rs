//! `kyomi-lab worker`: does the jobs of a room.

use crate::selfplay::GamesJob;
use kyomi::cli::{Context, WorkerArgs, run_worker};
use kyomi::cluster::jobs::JobKind;
use kyomi::matches::PairJob;
use kyomi::report::analysis::PositionJob;

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab worker --room lab --jobs 8 nats://broker    the jobs of `kyomi-lab selfplay --room lab` and the like

Without --jobs it helps in games, as `kyomi worker` does.";

/// Runs `kyomi-lab worker`.
pub(super) fn run(args: &WorkerArgs, context: &Context) -> anyhow::Result<()> {
    const JOBS: &[JobKind] =
        &[JobKind::of::<PairJob>(), JobKind::of::<PositionJob>(), JobKind::of::<GamesJob>()];
    run_worker(args, context, JOBS)
}
