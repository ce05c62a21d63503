//! `kyomi book`: builds, merges, filters and shows opening books.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::{
    archive::write_output,
    matches::{BookGamesRead, read_book_games},
    terminal::speech::say,
};
use kyomi_record::book::{
    Book, BookBuilder, BookFaults, BookFilter, BookMove, BookSource, BookTable, BuildRules,
};
use kyomi_shogi::{Game, notation::usi, text::counted};

use super::{Context, ResultExt as _};

/// Arguments of `kyomi book`.
#[derive(Debug, Args)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Debug, Subcommand)]
enum BookCommand {
    /// Make a book of games: tables (.tsv, .tsv.gz), records of any format, folders of records
    Build(BuildArgs),
    /// Join books: the counts of equal moves are added; score and reply are those of the deepest
    Merge(MergeArgs),
    /// Keep a part of a book
    Filter(FilterArgs),
    /// Show the moves of a position
    Show(ShowBookArgs),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi book build games.tsv.gz records/ -o my.db --max-ply 40 --min-games 5
  kyomi book build logs/games -o own.db --not-lost
  kyomi book merge one.db two.db -o both.db
  kyomi book filter both.db -o small.db --min-count 10 --margin 50
  kyomi book show my.db 'startpos moves 7g7f'
  kyomi book show builtin

Books are in YaneuraOu's text format (.db). [book] in the configuration, BookFile of `kyomi usi` and
book=FILE of a player of `kyomi match` name the book to play from.";

/// Where a book is written.
#[derive(Debug, Args)]
struct OutputArgs {
    /// The book to write, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace a file that exists already
    #[arg(short, long)]
    force: bool,
}

#[derive(Debug, Args)]
struct BuildArgs {
    /// Tables of games, records, folders of records
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// The number of the last move of a game that is counted
    #[arg(long, value_name = "PLY", default_value_t = 40)]
    max_ply: u32,
    /// The least number of games of a move
    #[arg(long, value_name = "N", default_value_t = 2)]
    min_games: u32,
    /// The least share of a move among the games of its position, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    min_share: u32,
    /// The least result of a move for the side that made it, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    min_result: u32,
    /// Count only moves of the side that won or drew
    #[arg(long)]
    not_lost: bool,
    /// Count only games of two players with at least this rating
    #[arg(long, value_name = "RATING")]
    min_rating: Option<u32>,
    /// A line about the book, written to its beginning; may be repeated
    #[arg(long, value_name = "TEXT")]
    comment: Vec<String>,
}

#[derive(Debug, Args)]
struct MergeArgs {
    /// The books; builtin is the built-in one
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct FilterArgs {
    /// The book, or builtin
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    /// The least count of a move
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_count: u64,
    /// The number of the last move
    #[arg(long, value_name = "PLY")]
    max_ply: Option<u16>,
    /// How much worse than the best move of its position a move may be, in centipawns
    #[arg(long, value_name = "CENTIPAWNS")]
    margin: Option<u32>,
    /// Number of moves of a position, the best ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    most: Option<u32>,
}

#[derive(Debug, Args)]
struct ShowBookArgs {
    /// The book, or builtin
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// The position: startpos moves 7g7f 3c3d, or an SFEN
    #[arg(default_value = "startpos")]
    position: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs one of its commands.
pub(crate) fn run(args: &BookArgs, context: &Context) -> anyhow::Result<()> {
    match &args.command {
        BookCommand::Build(args) => build(args, context),
        BookCommand::Merge(args) => merge(args, context),
        BookCommand::Filter(args) => filter(args, context),
        BookCommand::Show(args) => show(args, context),
    }
}

fn build(args: &BuildArgs, context: &Context) -> anyhow::Result<()> {
    args.output.check()?;
    let mut builder = BookBuilder::new(BuildRules {
        max_ply: args.max_ply,
        min_games: args.min_games,
        min_share: args.min_share,
        not_lost: args.not_lost,
        min_score: args.min_result,
    });
    let rated = |rating: &Option<u32>| match args.min_rating {
        None => true,
        Some(least) => rating.is_some_and(|rating| rating >= least),
    };
    let read = read_book_games(&args.games, |game| {
        if game.ratings.iter().all(rated) {
            builder.add(game.start, game.moves, game.winner);
        }
    });
    report_faults(&read);
    let games = builder.games();
    if games == 0 {
        return Err(anyhow::anyhow!("no games were read")).written_by_user();
    }
    let table = builder.finish();
    let comments: Vec<String> =
        [args.description(games)].into_iter().chain(args.comment.clone()).collect();
    args.output.write(&table, &comments, context)?;
    say(format_args!("{}, {}", counted(games, "game"), size_text(&table)));
    Ok(())
}

impl BuildArgs {
    /// The rules by which the book was built, for its first line.
    fn description(&self, games: usize) -> String {
        let Self { max_ply, min_games, min_share, min_result, .. } = self;
        let mut parts = vec![
            format!("{games} games"),
            format!("moves 1 to {max_ply}"),
            format!("of {min_games} games or more"),
        ];
        if *min_share > 0 {
            parts.push(format!("of {min_share} % of the position's games or more"));
        }
        if *min_result > 0 {
            parts.push(format!("with {min_result} % of the points or more"));
        }
        if self.not_lost {
            parts.push("of sides that did not lose".to_owned());
        }
        if let Some(rating) = self.min_rating {
            parts.push(format!("ratings of {rating} or more"));
        }
        parts.join(", ")
    }
}

fn merge(args: &MergeArgs, context: &Context) -> anyhow::Result<()> {
    args.output.check()?;
    let tables: Vec<BookTable> =
        args.books.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let table = BookTable::joined(tables);
    args.output.write(&table, &[], context)?;
    say(size_text(&table));
    Ok(())
}

fn filter(args: &FilterArgs, context: &Context) -> anyhow::Result<()> {
    args.output.check()?;
    let table = read(&args.book)?.filtered(&BookFilter {
        min_count: args.min_count,
        max_ply: args.max_ply,
        margin: args.margin,
        most: args.most.map(|most| most as usize),
    });
    args.output.write(&table, &[], context)?;
    say(size_text(&table));
    Ok(())
}

fn show(args: &ShowBookArgs, context: &Context) -> anyhow::Result<()> {
    let game = game(&args.position)?;
    let (book, faults) = Book::open(&source(&args.book)).written_by_user()?;
    report_skipped_lines(&args.book, &faults);
    let mut moves = book.moves(game.position(), None).context("reading the book")?;
    let mut is_flipped = false;
    if moves.is_empty() {
        moves = book.flipped_moves(game.position(), None).context("reading the book")?;
        is_flipped = !moves.is_empty();
    }
    let mut output = context.output.clone();
    if args.json {
        let value = json!({
            "sfen": game.position().to_sfen(),
            "flipped": is_flipped,
            "moves": moves.iter().map(in_json).collect::<Vec<_>>(),
        });
        writeln!(output, "{}", serde_json::to_string_pretty(&value)?)?;
        return Ok(());
    }
    writeln!(output, "{}", game.position().to_sfen())?;
    if moves.is_empty() {
        writeln!(output, "not in the book")?;
        return Ok(());
    }
    if is_flipped {
        writeln!(output, "in the book with the colours exchanged")?;
    }
    let total: u128 = moves.iter().map(|it| u128::from(it.count)).sum();
    writeln!(output, "move   reply    score  depth       count  share")?;
    for it in &moves {
        let BookMove { mv, reply, score, depth, count } = it;
        let (reply, score, depth) = (or_dash(*reply), or_dash(*score), or_dash(*depth));
        let share = match total {
            0 => "-".to_owned(),
            total => format!("{:.1}%", *count as f64 * 100.0 / total as f64),
        };
        writeln!(
            output,
            "{:<6} {reply:<6} {score:>7} {depth:>6} {count:>11} {share:>6}",
            mv.to_string()
        )?;
    }
    Ok(())
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn in_json(it: &BookMove) -> Value {
    json!({
        "move": it.mv.to_string(),
        "reply": it.reply.map(|reply| reply.to_string()),
        "score": it.score,
        "depth": it.depth,
        "count": it.count,
    })
}

/// A position as USI writes it, or an SFEN alone.
fn game(text: &str) -> anyhow::Result<Game> {
    let text = text.trim();
    let is_line = ["startpos", "sfen ", "position "].iter().any(|word| text.starts_with(word));
    let line = if is_line { text.to_owned() } else { format!("sfen {text}") };
    usi::parse_position_line(&line)
        .context("the position")
        .written_by_user()
        .hint("write it as 'startpos moves 7g7f 3c3d', or a whole SFEN in quotes")
}

/// The book that an argument names.
fn source(book: &Path) -> BookSource {
    match book.to_str() {
        Some("builtin") => BookSource::BuiltIn,
        _ => BookSource::File(book.to_owned()),
    }
}

/// Reads a whole book, and reports skipped lines.
fn read(path: &Path) -> anyhow::Result<BookTable> {
    if let BookSource::BuiltIn = source(path)
        && let (Book::Table(table), _) = Book::open(&BookSource::BuiltIn).written_by_user()?
    {
        return Ok(table);
    }
    let (table, faults) = BookTable::open(path).written_by_user()?;
    report_skipped_lines(path, &faults);
    Ok(table)
}

fn report_skipped_lines(path: &Path, faults: &BookFaults) {
    for fault in &faults.first {
        say(format_args!("{}, {fault}", path.display()));
    }
    if faults.count > faults.first.len() {
        say(format_args!(
            "{}: {} more lines are skipped",
            path.display(),
            faults.count - faults.first.len()
        ));
    }
}

fn report_faults(read: &BookGamesRead) {
    for fault in &read.faults {
        say(fault);
    }
    if read.fault_count > read.faults.len() {
        say(format_args!("{} more faults", read.fault_count - read.faults.len()));
    }
}

fn size_text(table: &BookTable) -> String {
    let moves: usize = table.entries().iter().map(|entry| entry.moves.len()).sum();
    format!("{} positions, {moves} moves", table.entries().len())
}

impl OutputArgs {
    fn is_stream(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// Fails early if the output file exists and must not be replaced.
    fn check(&self) -> anyhow::Result<()> {
        if self.is_stream() || self.force || !self.output.exists() {
            return Ok(());
        }
        Err(anyhow::anyhow!("{} exists already", self.output.display()))
            .written_by_user()
            .hint("replace it with --force")
    }

    fn write(
        &self,
        table: &BookTable,
        comments: &[String],
        context: &Context,
    ) -> anyhow::Result<()> {
        if table.is_empty() {
            return Err(anyhow::anyhow!("the book would hold no position; nothing is written"))
                .hint("ask for fewer games or a smaller count");
        }
        let text = table.write(comments);
        if self.is_stream() {
            context.output.clone().write_all(text.as_bytes())?;
            return Ok(());
        }
        write_output(&self.output, text.as_bytes(), self.force)
            .with_context(|| format!("writing {}", self.output.display()))
    }
}
