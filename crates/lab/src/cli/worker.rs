//! `kyomi-lab worker`: does the jobs of a room.

use serde_json::Value;

use crate::selfplay::GamesJob;
use kyomi::cli::{Context, WorkerArgs, WorkerJobs, do_job, run_worker};
use kyomi::matches::PairJob;
use kyomi::report::analysis::PositionJob;

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab worker --room lab --jobs 8 nats://broker    the jobs of `kyomi-lab selfplay --room lab` and the like

Without --jobs it helps in games, as `kyomi worker` does.";

/// Runs `kyomi-lab worker`.
pub(super) fn run(args: &WorkerArgs, context: &Context) -> anyhow::Result<()> {
    let kinds = &[PairJob::KIND, PositionJob::KIND, GamesJob::KIND];
    run_worker(
        args,
        context,
        WorkerJobs { kinds, run: |kind, work| Box::pin(do_any_job(kind, work)) },
    )
}

/// Does a job of self-play, or one of those that every worker does.
async fn do_any_job(kind: &'static str, work: Value) -> Result<Value, String> {
    match kind {
        GamesJob::KIND => GamesJob::read(work)?.play().await,
        other => do_job(other, work).await,
    }
}
