//! `kyomi explain`: how the search treats every move of a position, and why.

mod format;
mod head;
mod json;
mod page;
mod table;
mod view;

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::show::Source;
use super::{Context, EvaluationArgs, ResultExt as _};
use crate::report::Moment;
use crate::terminal::{Line, Paint, Surroundings, clean, columns};
use kyomi_engine::search::{
    Parameters, SearchLimits, TimeLimit,
    explain::{ExplainRequest, InnerNode, explain},
};
use kyomi_shogi::clock::{Budget, parse_duration};
use kyomi_shogi::{Game, Move, notation::usi};

use view::ExplanationView;

/// Arguments of `kyomi explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Position: an SFEN, `startpos` or a USI position line, as one quoted argument; or a record file, `-`
    /// for standard input
    #[arg(value_name = "POSITION")]
    position: PathBuf,
    /// Explain this move of the position only, in full; in USI notation
    #[arg(value_name = "MOVE")]
    mv: Option<String>,
    /// The position of a record after this number of moves, 0 for the start [default: the last]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Number of the game in a file of several games, from 1 [default: the first]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Search this number of nodes [default: 200000 if no other limit is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search to this limit in units; 100 units are one nominal ply of one side
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(i32).range(50..=9500))]
    limit: Option<i32>,
    /// Search to this nominal depth in plies
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=127))]
    depth: Option<u32>,
    /// Search for this time, e.g. `2s`; the result is then not reproducible
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Explain the inner node after these moves, such as the search reaches it
    #[arg(long, value_name = "MOVES")]
    line: Option<String>,
    /// Budgets at the inner node: of the side to move, then of the other side (the same if left out)
    /// [default: the rest after the moves of the line]
    #[arg(long, value_name = "UNITS[,UNITS]", value_parser = budgets, requires = "line")]
    budget: Option<(i32, i32)>,
    /// Treat the inner node as a node of the principal variation
    #[arg(long, requires = "line")]
    pv: bool,
    /// Show only the first N moves
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// An option of the search by its USI name, such as `Preset=full` or `Interest_Killer=0`; may be
    /// repeated; `kyomi usi` lists them all [default: those of `Preset=interest`]
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    hash: u64,
    /// Width of the output in columns [default: that of the terminal, else 100]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u64).range(40..=400))]
    width: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The default limit of the search, in nodes: it takes a second or less, and the result is reproducible.
const NODES: u64 = 200_000;

/// Runs `kyomi explain`.
pub(crate) fn run(args: &ExplainArgs, context: &Context) -> anyhow::Result<()> {
    let parameters = super::bench::parameters(Parameters::interest(), &args.options)?;
    let evaluation = args.evaluation.load()?;
    let game = game(args)?;
    let node = inner_node(args, &game)?;
    let mut position = game.position().clone();
    for &mv in node.iter().flat_map(|node| &node.line) {
        position.do_move(mv);
    }
    let chosen = match &args.mv {
        Some(text) => {
            let mv = parse(text)?;
            if !position.is_legal(mv) {
                let message = format!("{mv} is not legal there");
                return Err(anyhow!(message)).written_by_user().hint(
                    "write the move as in USI: 7g7f, 2d2c+, P*5e; without a move all moves are listed",
                );
            }
            Some(mv)
        }
        None => None,
    };
    let hash_bytes = args.hash << 20;
    let request = ExplainRequest { limits: limits(args), parameters, evaluation, hash_bytes, node };
    let explanation = explain(&game, &request).map_err(anyhow::Error::from).written_by_user()?;
    let explained = ExplanationView { explanation: &explanation, chosen, top: args.top };
    let mut output = context.output.clone();
    if args.json {
        writeln!(output, "{}", json::object(&explained, &parameters))?;
        return Ok(output.flush()?);
    }
    let surroundings = Surroundings::detect(output.is_terminal());
    let is_coloured = surroundings.terminal && surroundings.colour;
    let paint = if is_coloured { Paint::Colour } else { Paint::Plain };
    let width = match args.width {
        Some(width) => width as usize,
        None if surroundings.terminal => columns().max(40),
        None => 100,
    };
    let mut lines = head::lines(&explained, &game, width);
    lines.push(Line::default());
    lines.extend(match explained.chosen_move() {
        Some(view) => page::lines(&explained, view, width),
        None => table::lines(&explained, width),
    });
    let text: String = lines.iter().map(|line| line.render(width, paint) + "\n").collect();
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

/// The game up to the position to explain.
fn game(args: &ExplainArgs) -> anyhow::Result<Game> {
    let source = Source::find(&args.position)?;
    let name = source.name();
    let read = source.game(args.game)?;
    let record = &read.record;
    let ply = args.ply.unwrap_or(record.moves.len());
    // Reports a ply that does not exist.
    Moment::at(record, ply).with_context(|| name.clone()).written_by_user()?;
    if let (Some(fault), None) = (&read.fault, args.ply) {
        return Err(anyhow::Error::new(fault.clone()))
            .with_context(|| name.clone())
            .hint("--ply N shows a position before that");
    }
    let mut game = Game::new(record.start.clone());
    for step in record.moves.iter().take(ply) {
        game.push(step.mv).with_context(|| name.clone()).written_by_user()?;
    }
    let position = game.position();
    position.check_playable().with_context(|| clean(&name)).written_by_user()?;
    Ok(game)
}

fn inner_node(args: &ExplainArgs, game: &Game) -> anyhow::Result<Option<InnerNode>> {
    let Some(text) = &args.line else { return Ok(None) };
    let mut position = game.position().clone();
    let mut line = Vec::new();
    for word in text.split_whitespace() {
        let mv = parse(word).context("--line")?;
        if !position.is_legal(mv) {
            let message = format!("--line: move {}, {mv}, is not legal there", line.len() + 1);
            return Err(anyhow!(message)).written_by_user();
        }
        position.do_move(mv);
        line.push(mv);
    }
    if line.is_empty() {
        return Err(anyhow!("--line: no move is given"))
            .written_by_user()
            .hint("--line '7g7f 3c3d'; without --line the position itself is explained");
    }
    Ok(Some(InnerNode { line, budgets: args.budget, pv: args.pv }))
}

fn parse(text: &str) -> anyhow::Result<Move> {
    usi::parse_move(text).with_context(|| format!("the move '{}'", clean(text))).written_by_user()
}

fn limits(args: &ExplainArgs) -> SearchLimits {
    let other = args.limit.is_some() || args.depth.is_some() || args.time.is_some();
    SearchLimits {
        depth: args.depth,
        limit: args.limit,
        nodes: args.nodes.or_else(|| (!other).then_some(NODES)),
        time: args.time.map(|time| TimeLimit {
            started: Instant::now(),
            budget: Budget::fixed(time),
            nodes_per_second: None,
        }),
        ..SearchLimits::default()
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

/// `300`, or `300,240`.
fn budgets(text: &str) -> Result<(i32, i32), String> {
    let number = |part: &str| match part.trim().parse() {
        Ok(units @ -2000..=30_000) => Ok(units),
        _ => Err("expected one or two whole numbers from -2000 to 30000, such as 300 or 300,240"),
    };
    let (us, them) = text.split_once(',').unwrap_or((text, text));
    Ok((number(us)?, number(them)?))
}

impl ExplainArgs {
    /// The examples of the help text.
    pub(crate) const EXAMPLES: &'static str = "\
Examples:
  kyomi explain startpos                             every move of the position, best first
  kyomi explain game.csa --ply 60 --top 12           a position of a record
  kyomi explain 'startpos moves 7g7f 3c3d' 2g2f      one move in full
  kyomi explain startpos --line '7g7f 3c3d' --budget 300
                                                     an inner node: searched moves and the cut
  kyomi explain startpos --option Preset=paper       with other options
  kyomi explain startpos --json                      JSON for programs (docs/formats.md)

Interest is in points. Costs and budgets are in units; 100 units are a nominal ply. Scores are in centipawns for
the side to move: = exact, ≤ an upper bound, ≥ a lower bound. The search has one thread; unless --time limits it,
the output is the same every time. docs/search.md explains the terms.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_one_number_or_two() {
        assert_eq!(budgets("300"), Ok((300, 300)));
        assert_eq!(budgets("300, -50"), Ok((300, -50)));
        assert!(budgets("300,").is_err() && budgets("x").is_err() && budgets("99999").is_err());
    }
}
