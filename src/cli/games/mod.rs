//! `kyomi games`: the games of a season: import, list, search, statistics, export.

mod database;
mod export;
mod filters;
mod import;
mod list;
mod plot;
mod show;
mod stats;
mod table;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ConfigArgs, Context};
use database::Database;

/// Arguments of `kyomi games`.
#[derive(Debug, Args)]
pub(crate) struct GamesArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Another database than that of the configuration; games of our own are not added to it by themselves
    #[arg(long, value_name = "FILE", global = true)]
    db: Option<PathBuf>,
    #[command(subcommand)]
    command: GamesCommand,
}

#[derive(Debug, Subcommand)]
enum GamesCommand {
    /// Read games: records, folders, zip and gzip archives, lists and tables of games
    Import(import::ImportArgs),
    /// List games, the latest first
    List(list::ListArgs),
    /// Show a game: players, result, and where the time of each move went
    Show(show::ShowArgs),
    /// Find a position: results, the moves played in it, the games
    Search(list::SearchArgs),
    /// Results by opponent, colour, opening and time control, ratings, times
    Stats(stats::StatsArgs),
    /// Write games as records of any format, or positions for training
    Export(export::ExportArgs),
    /// Make the database again from the records and from all that was imported
    Rebuild(import::RebuildArgs),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi games import wdoor2016.zip old-games games.tsv.gz
  kyomi games list --opponent 'gps*' --result loss --since 2026-11-01
  kyomi games show 1234
  kyomi games search startpos moves 7g7f 3c3d 2g2f 4c4d --color black
  kyomi games stats --player kyomi --json
  kyomi games export --to kif -o kifu --opening yagura
  kyomi games export --to psv -o train.psv --min-rating 3000 --skip-plies 20 --shuffle --seed 1
  kyomi games rebuild

Games of kyomi itself are in the database by themselves: those of play, serve and match. The record files stay the
truth; the database (`[records] index`, logs/kyomi.db) can be deleted and rebuilt.";

/// Runs `kyomi games`.
pub(crate) fn run(args: &GamesArgs, context: &Context) -> anyhow::Result<()> {
    let config = context.load_config(&args.config, Vec::new())?;
    let database = Database::of(&config, args.db.as_deref())?;
    match &args.command {
        GamesCommand::Import(import) => import::run(import, &database, context),
        GamesCommand::List(list) => list::list(list, &database.open()?, context),
        GamesCommand::Show(show) => show::run(show, &database.open()?, context),
        GamesCommand::Search(search) => list::search(search, &database.open()?, context),
        GamesCommand::Stats(stats) => stats::run(stats, &database.open()?, context),
        GamesCommand::Export(export) => export::run(export, &database.open()?, context),
        GamesCommand::Rebuild(rebuild) => import::rebuild(rebuild, &database, context),
    }
}
