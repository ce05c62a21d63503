//! `kyomi games list` and `kyomi games search`.

use std::io::Write as _;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};

use super::filters::{FilterArgs, file_name, position};
use super::table::Table;
use crate::archive::index::{GameLine, Index, Order, Results};
use crate::cli::Context;
use kyomi_record::Winner;
use kyomi_shogi::{Color, text::counted};

/// Arguments of `kyomi games list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    filters: FilterArgs,
    /// Number of games; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    form: Form,
}

/// Arguments of `kyomi games search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// An SFEN, or `startpos moves 7g7f …`, or moves alone: `7g7f 3c3d`, `'+7776FU -3334FU'`, `▲７六歩 △３四歩`; quotes are
    /// needed for the second only
    #[arg(value_name = "POSITION", required = true)]
    wanted: Vec<String>,
    #[command(flatten)]
    filters: FilterArgs,
    /// Number of games that are listed
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    limit: usize,
    #[command(flatten)]
    form: Form,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, Args)]
struct Form {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the table as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Runs `kyomi games list`.
pub(super) fn list(args: &ListArgs, index: &Index, context: &Context) -> anyhow::Result<()> {
    let filter = args.filters.filter(index)?;
    let most = (args.limit > 0).then_some(args.limit);
    let games = index.games(&filter, Order::Latest, most)?;
    let mut output = context.output.clone();
    if args.form.json {
        for game in &games {
            writeln!(output, "{}", game_json(game))?;
        }
    } else if args.form.csv {
        write!(output, "{}", games_table(&games, true).csv())?;
    } else {
        let all = index.count(&filter)?;
        write!(output, "{}", games_table(&games, false).text(WIDEST))?;
        if all > games.len() as u64 {
            writeln!(output, "{} of {all} games; all of them with -n 0", games.len())?;
        } else {
            writeln!(output, "{}", counted(all, "game"))?;
        }
    }
    Ok(output.flush()?)
}

/// Runs `kyomi games search`.
pub(super) fn search(args: &SearchArgs, index: &Index, context: &Context) -> anyhow::Result<()> {
    let wanted = position(&args.wanted.join(" "))?;
    let filter = args.filters.filter(index)?;
    let began = Instant::now();
    let found = index.search(&wanted, &filter, args.limit)?;
    let took = began.elapsed();
    tracing::debug!(?took, "search");
    let mut moves = Table::new(&["move", ">games", ">black", ">white", ">drawn", ">score"]);
    for (mv, results) in &found.moves {
        moves.row(results_row(mv.to_string(), results));
    }
    let mut output = context.output.clone();
    if args.form.json {
        let moves: Vec<_> = found
            .moves
            .iter()
            .map(
                |(mv, results)| json!({ "move": mv.to_string(), "results": results_json(results) }),
            )
            .collect();
        let object = json!({
            "sfen": wanted.to_sfen(),
            "results": results_json(&found.results),
            "moves": moves,
            "games": found.games.iter().map(game_json).collect::<Vec<_>>(),
            "ms": took.as_secs_f64() * 1e3,
        });
        writeln!(output, "{object}")?;
    } else if args.form.csv {
        write!(output, "{}", moves.csv())?;
    } else {
        let Results { black, white, draws, unknown } = found.results;
        let games = found.results.games();
        writeln!(
            output,
            "{games} games: black won {black}, white won {white}, drawn {draws}, unknown {unknown} ({:.1} ms)",
            took.as_secs_f64() * 1e3
        )?;
        if !moves.is_empty() {
            write!(output, "\n{}", moves.text(WIDEST))?;
        }
        if !found.games.is_empty() {
            write!(output, "\n{}", games_table(&found.games, false).text(WIDEST))?;
        }
    }
    Ok(output.flush()?)
}

/// Name, games, results and black's score.
pub(super) fn results_row(name: String, results: &Results) -> Vec<String> {
    let score = results.score().map(|score| format!("{:.1} %", score * 100.0));
    vec![
        name,
        results.games().to_string(),
        results.black.to_string(),
        results.white.to_string(),
        results.draws.to_string(),
        score.unwrap_or_default(),
    ]
}

pub(super) fn results_json(results: &Results) -> Value {
    let Results { black, white, draws, unknown } = results;
    json!({ "games": results.games(), "black": black, "white": white, "draws": draws, "unknown": unknown })
}

fn games_table(games: &[GameLine], is_whole: bool) -> Table {
    let mut heading =
        vec![">id", "started", "black", "", "white", ">plies", "end", "opening", "event"];
    if is_whole {
        heading[3] = "result";
        heading.extend(["black_rating", "white_rating", "control", "file", "number"]);
    }
    let mut table = Table::new(&heading);
    for game in games {
        let [black, white] = &game.players;
        let mut row = vec![
            game.id.to_string(),
            game.started.clone().unwrap_or_default(),
            black.clone().unwrap_or_default(),
            result_mark(game.winner).to_owned(),
            white.clone().unwrap_or_default(),
            game.plies.to_string(),
            game.reason.clone(),
            game.opening.clone(),
            game.event.clone().unwrap_or_default(),
        ];
        if is_whole {
            let rating = |rating: Option<f64>| rating.map(|it| it.to_string()).unwrap_or_default();
            row.extend(game.ratings.map(rating));
            row.push(game.control.clone().unwrap_or_default());
            row.push(file_name(&game.file.0, &game.file.1));
            row.push(game.number.to_string());
        }
        table.row(row);
    }
    table
}

/// `1-0`, from black's side.
pub(super) const fn result_mark(winner: Option<Winner>) -> &'static str {
    match winner {
        Some(Winner::Side(Color::Black)) => "1-0",
        Some(Winner::Side(Color::White)) => "0-1",
        Some(Winner::Draw) => "1/2",
        None => "?",
    }
}

pub(super) fn game_json(game: &GameLine) -> Value {
    json!({
        "id": game.id,
        "started": game.started,
        "black": game.players[0],
        "white": game.players[1],
        "black_rating": game.ratings[0],
        "white_rating": game.ratings[1],
        "event": game.event,
        "result": result_mark(game.winner),
        "reason": game.reason,
        "plies": game.plies,
        "opening": game.opening,
        "own": game.own.map(|color| color.to_string()),
        "control": game.control,
        "file": game.file.0.display().to_string(),
        "member": game.file.1,
        "number": game.number,
    })
}

/// The widest column of a table.
const WIDEST: usize = 32;
