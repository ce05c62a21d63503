//! `kyomi lab plausible`: what plausible move generation leaves out, on positions of games.

use std::{io::Write, path::PathBuf};

use clap::Args;

use crate::lab::{
    Choosing, PlausibleStudy,
    train::{Games, draw},
};

use super::{Context, ResultExt, fit::beside_signals};

/// Arguments of `kyomi lab plausible`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlausibleArgs {
    /// Tables of games (.tsv, plain or gzip), with the columns moves and result
    #[arg(required = true, value_name = "TABLE")]
    games: Vec<PathBuf>,
    /// About one position in so many is looked at
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Which positions those are follows from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Looks.
pub(crate) fn run(args: &PlausibleArgs, context: &Context) -> anyhow::Result<()> {
    let own = args.clone();
    let study = beside_signals(context, move |stopped| {
        let mut study = PlausibleStudy::new();
        for path in &own.games {
            let games = Games::open(path).written_by_user()?;
            draw(games, own.every, own.seed, |drawn| {
                study.add(drawn);
                !stopped()
            })
            .written_by_user()?;
        }
        Ok(study.finish())
    })?;
    let mut output = context.output.clone();
    if args.json {
        writeln!(output, "{}", serde_json::to_string_pretty(&study)?)?;
        return Ok(());
    }
    let mean = study.moves as f64 / study.positions.max(1) as f64;
    writeln!(
        output,
        "{} positions, {mean:.1} legal moves in the mean, {} at most\n",
        study.positions, study.most
    )?;
    writeln!(output, "moves listed           accuracy    saving  ten plies")?;
    let line = |name: &str, choosing: &Choosing| {
        let share = |share: f64| share * 100.0;
        let (accuracy, saving) = (share(choosing.accuracy), share(choosing.saving));
        format!("{name:22} {accuracy:6.2} %  {saving:6.2} %   {:6.2} %", share(choosing.of_ten()))
    };
    writeln!(output, "{}", line("of any generator", &study.all))?;
    for (cut, choosing) in &study.cuts {
        let name = if *cut == 0 { " (mma)" } else { "" };
        writeln!(output, "{}", line(&format!("merit from {cut}{name}"), choosing))?;
    }
    for (count, choosing) in &study.best {
        writeln!(output, "{}", line(&format!("best {count}"), choosing))?;
    }
    writeln!(output, "\nthe played move is among so many by merit")?;
    for (rank, share) in &study.ranks {
        writeln!(output, "{rank:4}  {:6.2} %", share * 100.0)?;
    }
    Ok(())
}
