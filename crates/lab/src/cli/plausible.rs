//! `kyomi-lab plausible`: the moves that plausible move generation leaves out in positions of games.

use std::fmt::{self, Write as _};

use clap::Args;

use crate::studies::{PlausibleReader, PlausibleStudy, SelectionQuality};
use kyomi_engine::search::Parameters;

use super::positions::TableArgs;
use super::studies::{print, read_positions};
use kyomi::cli::Context;

/// Arguments of `kyomi-lab plausible`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlausibleArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Use about one position in this number
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// A threat of this size, a capture value in centipawns, switches generators P and Q off; 0: never
    #[arg(long, value_name = "CP", default_value_t = Parameters::default().plausible_threat, value_parser = clap::value_parser!(i32).range(0..))]
    strong_threat: i32,
    /// Only positions of the one game in ten that `kyomi-lab train merits` with this seed does not fit to
    #[arg(long)]
    judges: bool,
    /// Show this number of played moves that no generator makes, with their positions
    #[arg(long, value_name = "N", default_value_t = 0)]
    left_out: usize,
    /// Print JSON, with the rank curves to the end of the list
    #[arg(long)]
    json: bool,
}

/// Runs the study.
pub(crate) fn run(args: &PlausibleArgs, context: &Context) -> anyhow::Result<()> {
    let reader = PlausibleReader::new(args.strong_threat, args.left_out, args.judges);
    let study = read_positions(context, &args.table, args.every, 5000, reader)?;
    print(context, args.json, &study, text)
}

fn text(study: &PlausibleStudy) -> Result<String, fmt::Error> {
    let mut text = String::new();
    selections(&mut text, study)?;
    ranks(&mut text, study)?;
    generators(&mut text, study)?;
    left_out(&mut text, study)?;
    Ok(text)
}

/// The accuracy and the saving of each selection of moves.
fn selections(text: &mut String, study: &PlausibleStudy) -> fmt::Result {
    let mean = study.moves as f64 / study.positions.max(1) as f64;
    writeln!(
        text,
        "{} positions, {mean:.1} legal moves in the mean, {} at most\n",
        study.positions, study.most
    )?;
    writeln!(text, "moves listed           accuracy    saving  ten plies")?;
    let line = |name: &str, quality: &SelectionQuality| {
        let share = |share: f64| share * 100.0;
        let (accuracy, saving) = (share(quality.accuracy), share(quality.saving));
        format!(
            "{name:22} {accuracy:6.2} %  {saving:6.2} %   {:6.2} %",
            share(quality.ten_ply_accuracy())
        )
    };
    writeln!(text, "{}", line("of any generator", &study.all))?;
    for (cut, quality) in &study.cuts {
        let name = if *cut == 0 { " (mma)" } else { "" };
        writeln!(text, "{}", line(&format!("merit from {cut}{name}"), quality))?;
    }
    for (count, quality) in &study.best {
        writeln!(text, "{}", line(&format!("best {count}"), quality))?;
    }
    writeln!(text, "\nshare of positions that save no more    of any generator      mma")?;
    for saving in study.savings.iter().filter(|saving| saving.percent % 10 == 0) {
        let (all, mma) = (saving.all * 100.0, saving.mma * 100.0);
        writeln!(text, "{:4} %  {:39.2} % {mma:6.2} %", saving.percent, all)?;
    }
    Ok(())
}

/// The ranks of the played moves.
fn ranks(text: &mut String, study: &PlausibleStudy) -> fmt::Result {
    writeln!(text, "\nthe played move is among the first, by merit   by interest")?;
    let (merit, interest) = (&study.by_merit, &study.by_interest);
    for rank in RANKS {
        let (merit, interest) = (merit.within(rank) * 100.0, interest.within(rank) * 100.0);
        writeln!(text, "{rank:4}  {merit:36.2} %  {interest:10.2} %")?;
    }
    let (merit, interest) = (merit.beyond(LOW) * 100.0, interest.beyond(LOW) * 100.0);
    writeln!(text, "beyond {LOW}  {merit:33.2} %  {interest:10.2} %")?;
    Ok(())
}

/// The moves that each generator makes.
fn generators(text: &mut String, study: &PlausibleStudy) -> fmt::Result {
    let dominated = study.dominated * 100.0;
    writeln!(text, "\na strong threat switches generators P and Q off in {dominated:.2} %\n")?;
    writeln!(text, "generator                                     moves    played   lift")?;
    for generator in &study.generators {
        let (id, name, lift) = (generator.generator, generator.name, generator.lift());
        let (moves, played) = (generator.moves * 100.0, generator.played * 100.0);
        writeln!(text, "{id} {name:40}  {moves:5.2} %  {played:6.2} %  {lift:5.2}")?;
    }
    Ok(())
}

/// The played moves that no generator makes.
fn left_out(text: &mut String, study: &PlausibleStudy) -> fmt::Result {
    writeln!(text, "\nplayed moves that no generator makes       of      share")?;
    for kind in &study.kinds {
        let share = kind.left_out as f64 * 100.0 / kind.played.max(1) as f64;
        let (name, left_out, played) = (&kind.kind, kind.left_out, kind.played);
        writeln!(text, "{name:32} {left_out:7}  {played:7}  {share:6.2} %")?;
    }
    for one in &study.left_out {
        writeln!(text, "{} {}", one.played, one.sfen)?;
    }
    Ok(())
}

const RANKS: [usize; 10] = [1, 2, 3, 5, 10, 15, 20, 30, 50, 100];

/// Ranks beyond this are reported together.
const LOW: usize = 30;
