//! `kyomi-lab chains`, `lengths`, `likeness`, `ordering` and `stops`: studies of the engine on existing games.

use std::fmt::Write as _;
use std::io::Write;

use clap::Args;
use serde::Serialize;

use crate::studies::{
    ChainReader, ChainStudy, GameReader, LengthBand, LengthReader, LengthStudy, LikenessReader,
    LikenessStudy, OrderingReader, OrderingStudy, PositionReader, StopReader, StopStudy, Work,
};

use super::fit::run_stoppable;
use super::positions::TableArgs;
use kyomi::cli::{Context, Meter, parameters};
use kyomi_engine::search::Parameters;
use kyomi_shogi::text::counted;

/// Arguments of `kyomi-lab chains`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ChainsArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Read about one in N games, each completely
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Print JSON, with the legal moves at every ply
    #[arg(long)]
    json: bool,
}

/// Arguments of `kyomi-lab lengths`.
#[derive(Debug, Clone, Args)]
pub(crate) struct LengthsArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Use about one in N positions, until every band is full
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Number of positions to search in each band of legal moves
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    each: u32,
    /// Nominal depth of every search, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=127))]
    depth: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `kyomi-lab likeness`.
#[derive(Debug, Clone, Args)]
pub(crate) struct LikenessArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Search about one in N positions
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Nodes of every search
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Print JSON, with the rank curves to the end of the list
    #[arg(long)]
    json: bool,
}

/// Arguments of `kyomi-lab ordering`.
#[derive(Debug, Clone, Args)]
pub(crate) struct OrderingArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Search about one in N positions of the test set, which has one game in ten
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Nodes of every search
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the searches that find the best moves
    #[arg(long, value_name = "N", default_value_t = 40_000, value_parser = clap::value_parser!(u64).range(1..))]
    judge: u64,
    /// An option of the search by its USI name, such as `Interest_History=100`; may be repeated; `kyomi usi` lists them
    /// all [default: those of `Preset=interest`]
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Print JSON, with the rank curves; those of moves that cut end at 32, which includes larger ranks
    #[arg(long)]
    json: bool,
}

/// Arguments of `kyomi-lab stops`.
#[derive(Debug, Clone, Args)]
pub(crate) struct StopsArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Search about one in N positions
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Stop each search after a random number of nodes, from N/2 to N
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..))]
    nodes: u64,
    /// Nodes of the searches that judge a move
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    judge: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `kyomi-lab chains`.
pub(crate) fn chains(args: &ChainsArgs, context: &Context) -> anyhow::Result<()> {
    let study = read_games(context, &args.table, args.every, 100, ChainReader::new())?;
    print(context, args.json, &study, chain_text)
}

/// Runs `kyomi-lab lengths`.
pub(crate) fn lengths(args: &LengthsArgs, context: &Context) -> anyhow::Result<()> {
    let reader = LengthReader::new(args.depth, args.each as usize)?;
    let study = read_positions(context, &args.table, args.every, 20, reader)?;
    print(context, args.json, &study, length_text)
}

/// Runs `kyomi-lab likeness`.
pub(crate) fn likeness(args: &LikenessArgs, context: &Context) -> anyhow::Result<()> {
    let reader = LikenessReader::new(args.nodes);
    let study = read_positions(context, &args.table, args.every, 100, reader)?;
    print(context, args.json, &study, likeness_text)
}

/// Runs `kyomi-lab ordering`.
pub(crate) fn ordering(args: &OrderingArgs, context: &Context) -> anyhow::Result<()> {
    let reader = OrderingReader::new(
        args.nodes,
        args.judge,
        &parameters(Parameters::interest(), &args.options)?,
    );
    let study = read_positions(context, &args.table, args.every, 100, reader)?;
    print(context, args.json, &study, ordering_text)
}

/// Runs `kyomi-lab stops`.
pub(crate) fn stops(args: &StopsArgs, context: &Context) -> anyhow::Result<()> {
    let reader = StopReader::new(args.nodes, args.judge, args.table.seed)?;
    let study = read_positions(context, &args.table, args.every, 20, reader)?;
    print(context, args.json, &study, stop_text)
}

/// Passes about one in `one_in` games to a reader until the user requests to stop. Without a terminal, reports the
/// progress after every `progress_every` games.
pub(super) fn read_games<R: GameReader<Study: Send> + Send + 'static>(
    context: &Context,
    table: &TableArgs,
    one_in: u32,
    progress_every: usize,
    mut reader: R,
) -> anyhow::Result<R::Study> {
    let table = table.clone();
    run_stoppable(context, move |stop| {
        let mut meter = Meter::new(progress_every);
        table.whole_games(one_in, |game| {
            reader.add(game);
            meter.show(&counted(reader.games(), "game"), reader.games(), reader.games());
            !stop.is_stopped()
        })?;
        meter.finish();
        Ok(reader.finish())
    })
}

/// Passes about one in `one_in` positions to a reader until it has enough or the user requests to stop. Without a
/// terminal, reports the progress after every `progress_every` positions.
pub(super) fn read_positions<R: PositionReader<Study: Send> + Send + 'static>(
    context: &Context,
    table: &TableArgs,
    one_in: u32,
    progress_every: usize,
    mut reader: R,
) -> anyhow::Result<R::Study> {
    let table = table.clone();
    run_stoppable(context, move |stop| {
        let wanted = reader.wanted();
        let mut meter = Meter::new(progress_every);
        let mut failed = None;
        table.positions(one_in, |sampled| {
            let before = reader.positions();
            failed = reader.add(sampled, stop).err();
            let done = reader.positions();
            if done > before {
                let of = wanted.map_or_else(String::new, |wanted| format!(" of {wanted}"));
                meter.show(&format!("{done}{of} positions"), done, done);
            }
            failed.is_none() && wanted.is_none_or(|wanted| done < wanted) && !stop.is_stopped()
        })?;
        meter.finish();
        failed.map_or_else(|| Ok(reader.finish()), |error| Err(error.into()))
    })
}

/// Prints a study as JSON or as text.
pub(super) fn print<T: Serialize>(
    context: &Context,
    json: bool,
    study: &T,
    text: fn(&T) -> Result<String, std::fmt::Error>,
) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    if json {
        writeln!(output, "{}", serde_json::to_string_pretty(study)?)?;
    } else {
        output.write_all(text(study)?.as_bytes())?;
    }
    Ok(())
}

fn chain_text(study: &ChainStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let (games, stretches) = (study.games, study.stretches);
    writeln!(text, "{games} games, {stretches} stretches of ten plies\n")?;
    writeln!(text, "moves listed      accuracy   to the tenth   stretches survived")?;
    for chain in &study.chains {
        let [accuracy, independent, survived] =
            [chain.accuracy, chain.independent, chain.survived].map(|share| share * 100.0);
        let name = &chain.name;
        writeln!(
            text,
            "{name:16} {accuracy:7.2} %      {independent:7.2} %            {survived:7.2} %"
        )?;
    }
    writeln!(text, "\nlegal moves by ply       least    mean    most   positions")?;
    for band in study.bands(BAND) {
        let (first, last) = (band.ply, band.ply + BAND - 1);
        let (least, mean, most, positions) = (band.least, band.mean, band.most, band.positions);
        writeln!(
            text,
            "{first:4} to {last:4}             {least:5}  {mean:6.1}  {most:6}  {positions:10}"
        )?;
    }
    Ok(text)
}

/// The number of plies in one line of the table of legal moves.
const BAND: usize = 10;

fn length_text(study: &LengthStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(
        text,
        "the work to nominal depth {}: full width against interest search\n",
        study.depth
    )?;
    writeln!(
        text,
        "legal moves   positions   mean   nodes saved   time saved   similar off: nodes   time"
    )?;
    for band in &study.bands {
        let LengthBand { most, positions, moves, on, on_without_similar, off } = *band;
        let name = most.map_or_else(|| "more".to_owned(), |most| format!("to {most}"));
        let mean = moves as f64 / positions.max(1) as f64;
        let [nodes, time] = times(off, on);
        let [other_nodes, other_time] = times(off, on_without_similar);
        writeln!(
            text,
            "{name:11}  {positions:10}  {mean:5.1}  {nodes:>12}  {time:>11}  {other_nodes:>19}  {other_time:>5}"
        )?;
    }
    Ok(text)
}

/// The ratios of the nodes and of the time.
fn times(of: Work, against: Work) -> [String; 2] {
    let ratio = |of: f64, against: f64| {
        if against > 0.0 { format!("{:.2}x", of / against) } else { "-".to_owned() }
    };
    [
        ratio(of.nodes as f64, against.nodes as f64),
        ratio(of.time.as_secs_f64(), against.time.as_secs_f64()),
    ]
}

fn likeness_text(study: &LikenessStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "searches of {} nodes; the move that was played is\n", study.nodes)?;
    writeln!(text, "preset       rating     positions    chosen   of the first 3")?;
    for preset in &study.presets {
        for band in &preset.bands {
            let rating = match band.rating {
                Some(rating) => format!("from {rating}"),
                None => "none".to_owned(),
            };
            let share = |count: usize| count as f64 * 100.0 / band.positions.max(1) as f64;
            let (name, positions) = (preset.preset, band.positions);
            let (first, three) = (share(band.first), share(band.three));
            writeln!(
                text,
                "{name:11}  {rating:10} {positions:9}  {first:6.2} %         {three:6.2} %"
            )?;
        }
        let curve = &preset.by_search;
        let within = [1, 3, 5, 10, 30].map(|rank| format!("{:.2} %", curve.within(rank) * 100.0));
        let [first, three, five, ten, thirty] = within;
        writeln!(
            text,
            "  all: first {first}, 3 {three}, 5 {five}, 10 {ten}, 30 {thirty}; beyond 30 {:.2} %",
            curve.beyond(30) * 100.0
        )?;
    }
    Ok(text)
}

fn ordering_text(study: &OrderingStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let (nodes, judge) = (study.nodes, study.judge_nodes);
    writeln!(text, "searches of {nodes} nodes; the best moves are those of {judge} nodes")?;
    writeln!(text, "other terms: interest without the terms for the best move so far\n")?;
    writeln!(text, "probabilities   moves                          number   first     5       10")?;
    for order in &study.orders {
        for (moves, curve) in [
            ("played", &order.played),
            ("best", &order.best),
            ("played, by other terms", &order.played_by_other_terms),
            ("best, by other terms", &order.best_by_other_terms),
            ("that cut, no table move", &order.cuts),
            ("that cut, with table move", &order.cuts_with_table_move),
        ] {
            let [first, five, ten] = [1, 5, 10].map(|rank| curve.within(rank) * 100.0);
            let (name, number) = (order.name, curve.positions());
            writeln!(
                text,
                "{name:15} {moves:27} {number:9}  {first:5.1} %  {five:5.1} %  {ten:5.1} %"
            )?;
        }
    }
    Ok(text)
}

fn stop_text(study: &StopStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let (least, most, judge) = (study.nodes / 2, study.nodes, study.judge_nodes);
    writeln!(
        text,
        "stopped after {least} to {most} nodes; each move of the line judged by {judge}\n"
    )?;
    writeln!(text, "preset       lines    moves   mean loss   above 200 cp")?;
    for stopped in &study.presets {
        let (name, lines, moves) = (stopped.preset, stopped.lines, stopped.moves);
        let (loss, bad) = (stopped.mean_loss, stopped.bad * 100.0);
        writeln!(text, "{name:11} {lines:6}   {moves:6}   {loss:6.1} cp       {bad:6.2} %")?;
    }
    Ok(text)
}
