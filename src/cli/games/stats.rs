//! `kyomi games stats`.

use std::fmt::Write as _;
use std::io::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::filters::FilterArgs;
use super::list::{results_json, results_row};
use super::plot::bars;
use super::table::Table;
use crate::archive::index::{Index, OwnTimes, PlayerStats, Results, Score, Stats};
use crate::archive::ratings::Rating;
use crate::cli::Context;
use crate::matches::stats::{Estimate, Wdl};

/// Arguments of `kyomi games stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    filters: FilterArgs,
    /// Number of rows of a table; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the table of players as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Runs `kyomi games stats`.
pub(super) fn run(args: &StatsArgs, index: &Index, context: &Context) -> anyhow::Result<()> {
    let filter = args.filters.filter(index)?;
    let stats = index.stats(&filter)?;
    let mut output = context.output.clone();
    if args.json {
        writeln!(output, "{}", stats_json(&stats))?;
    } else if args.csv {
        write!(output, "{}", players(&stats.players, usize::MAX).csv())?;
    } else {
        let most = if args.limit == 0 { usize::MAX } else { args.limit };
        write!(output, "{}", text(&stats, most))?;
    }
    Ok(output.flush()?)
}

fn text(stats: &Stats, most: usize) -> String {
    let mut text = String::new();
    let Results { black, white, draws, unknown } = stats.results;
    let games = stats.results.games();
    let _ = writeln!(
        text,
        "{games} games, {} moves: black won {black}, white won {white}, drawn {draws}, unknown {unknown}",
        stats.plies
    );
    if let Some(view) = &stats.view {
        let view = crate::terminal::clean(view);
        let _ = writeln!(text, "\nScore of {view} (Elo difference to the opponents, 95 %):");
        let mut table = score_table("");
        for (name, score) in ["as black", "as white"].into_iter().zip(stats.by_color) {
            table.row(score_row(name.to_owned(), &score));
        }
        text.push_str(&table.text(WIDEST));
        let mut table = score_table("opponent");
        for (name, score) in stats.opponents.iter().take(most) {
            table.row(score_row(name.clone(), score));
        }
        text.push('\n');
        text.push_str(&table.text(WIDEST));
    }
    for (heading, rows) in [("opening", &stats.openings), ("time control", &stats.controls)] {
        if rows.is_empty() {
            continue;
        }
        text.push('\n');
        if stats.view.is_some() {
            let mut table = score_table(heading);
            for (name, _, score) in rows.iter().take(most) {
                table.row(score_row(name.clone(), score));
            }
            text.push_str(&table.text(WIDEST));
        } else {
            let mut table =
                Table::new(&[heading, ">games", ">black", ">white", ">drawn", ">black's score"]);
            for (name, results, _) in rows.iter().take(most) {
                table.row(results_row(name.clone(), results));
            }
            text.push_str(&table.text(WIDEST));
        }
    }
    if !stats.players.is_empty() {
        text.push_str("\nRatings (Bradley–Terry and performance, 95 %):\n");
        text.push_str(&players(&stats.players, most).text(WIDEST));
    }
    push_plots(&mut text, stats, most);
    push_times(&mut text, stats);
    text
}

fn push_plots(text: &mut String, stats: &Stats, most: usize) {
    let reasons: Vec<_> = stats
        .reasons
        .iter()
        .take(most)
        .map(|(word, count)| (if word.is_empty() { "-".to_owned() } else { word.clone() }, *count))
        .collect();
    let _ = write!(text, "\nEnds:\n{}", bars(&reasons, BAR));
    let lengths: Vec<_> = stats
        .lengths
        .iter()
        .enumerate()
        .map(|(step, count)| (format!("{}+", step * 20), *count))
        .collect();
    let _ = write!(text, "\nMoves:\n{}", bars(&lengths, BAR));
    if stats.months.len() > 1 {
        let months: Vec<_> = stats
            .months
            .iter()
            .rev()
            .take(most)
            .rev()
            .map(|(month, results, _)| (month.clone(), results.games()))
            .collect();
        let _ = write!(text, "\nMonths:\n{}", bars(&months, BAR));
    }
}

fn push_times(text: &mut String, stats: &Stats) {
    let sides = match &stats.view {
        Some(view) => [crate::terminal::clean(view), "opponents".to_owned()],
        None => ["black".to_owned(), "white".to_owned()],
    };
    for (side, (ms, moves)) in sides.iter().zip(stats.spent_ms) {
        if moves > 0 {
            let mean = ms as f64 / 1000.0 / moves as f64;
            let _ = writeln!(text, "\nTime of {side}: {mean:.2} s a move ({moves} moves)");
        }
    }
    let OwnTimes { turns, echoes_us, network_us, ponders, nps, book } = &stats.own;
    if *turns > 0 {
        let _ = writeln!(text, "\nOwn turns: {turns}, from the book {book}");
        for (name, values) in [("Echo of our moves", echoes_us), ("Network at least", network_us)] {
            if let Some(words) = percentiles(values, 1000.0, "ms") {
                let _ = writeln!(text, "{name}: {words}");
            }
        }
        if let Some(words) = percentiles(nps, 1000.0, "thousand") {
            let _ = writeln!(text, "Nodes a second: {words}");
        }
        if ponders.0 > 0 {
            let share = 100.0 * ponders.1 as f64 / ponders.0 as f64;
            let _ = writeln!(text, "Ponder hits: {} of {} ({share:.1} %)", ponders.1, ponders.0);
        }
    }
    for (kind, count) in &stats.events {
        let _ = writeln!(text, "Event {}: {count}", crate::terminal::clean(kind));
    }
}

/// `median 0.4 ms, 99 % 3.1 ms, longest 12.0 ms` of sorted values.
fn percentiles(values: &[i64], unit: f64, name: &str) -> Option<String> {
    let at = |share: f64| {
        let place = ((values.len() - 1) as f64 * share).round() as usize;
        values[place] as f64 / unit
    };
    (!values.is_empty()).then(|| {
        format!(
            "median {:.1} {name}, 99 % {:.1} {name}, most {:.1} {name}",
            at(0.5),
            at(0.99),
            at(1.0)
        )
    })
}

fn score_table(name: &'static str) -> Table {
    Table::new(&[name, ">games", ">won", ">drawn", ">lost", ">score", ">Elo"])
}

fn score_row(name: String, score: &Score) -> Vec<String> {
    let share = score.share().map(|share| format!("{:.1} %", share * 100.0));
    vec![
        name,
        score.games().to_string(),
        score.wins.to_string(),
        score.draws.to_string(),
        score.losses.to_string(),
        share.unwrap_or_default(),
        estimate(score).map(|it| it.elo_text()).unwrap_or_default(),
    ]
}

fn estimate(score: &Score) -> Option<Estimate> {
    let Score { wins, draws, losses, .. } = *score;
    // With nothing but wins, or a single game, there is no error to estimate.
    let is_mixed = [wins, draws, losses].iter().filter(|count| **count > 0).count() > 1;
    is_mixed.then(|| Estimate::from_games(&Wdl { wins, draws, losses })).flatten()
}

fn players(players: &[PlayerStats], most: usize) -> Table {
    let mut table = Table::new(&[
        "player",
        ">games",
        ">score",
        ">rating",
        ">±",
        ">performance",
        ">±",
        ">in records",
    ]);
    for player in players.iter().take(most) {
        let share = player.score.share().map(|share| format!("{:.1} %", share * 100.0));
        let rating = |rating: Option<Rating>| {
            let Some(Rating { elo, error, is_anchored }) = rating else {
                return [String::new(), String::new()];
            };
            let mark = if is_anchored { "" } else { "*" };
            let error = if error.is_finite() { format!("{error:.0}") } else { "∞".to_owned() };
            [format!("{elo:.0}{mark}"), error]
        };
        let mut row =
            vec![player.name.clone(), player.score.games().to_string(), share.unwrap_or_default()];
        row.extend(rating(player.rating));
        row.extend(rating(player.performance));
        row.push(player.known.map(|known| format!("{known:.0}")).unwrap_or_default());
        table.row(row);
    }
    table
}

fn stats_json(stats: &Stats) -> Value {
    let score = |score: &Score| {
        let Score { wins, draws, losses, unknown } = score;
        let elo = estimate(score).map(|it| json!({ "elo": it.elo, "error": it.elo_error }));
        json!({ "games": score.games(), "wins": wins, "draws": draws, "losses": losses,
            "unknown": unknown, "estimate": elo })
    };
    let rating = |rating: Option<Rating>| {
        rating.map(|it| {
            let error = it.error.is_finite().then_some(it.error);
            json!({ "elo": it.elo, "error": error, "anchored": it.is_anchored })
        })
    };
    let rows = |rows: &[(String, Results, Score)]| -> Vec<Value> {
        let row = |(name, results, own): &(String, Results, Score)| json!({ "name": name, "results": results_json(results), "score": score(own) });
        rows.iter().map(row).collect()
    };
    let own = &stats.own;
    let share = |values: &[i64], part: f64| {
        let last = values.len().checked_sub(1)?;
        values.get((last as f64 * part).round() as usize).copied()
    };
    json!({
        "view": stats.view,
        "results": results_json(&stats.results),
        "plies": stats.plies,
        "as_black": score(&stats.by_color[0]),
        "as_white": score(&stats.by_color[1]),
        "opponents": stats.opponents.iter()
            .map(|(name, own)| json!({ "name": name, "score": score(own) })).collect::<Vec<_>>(),
        "openings": rows(&stats.openings),
        "controls": rows(&stats.controls),
        "months": rows(&stats.months),
        "reasons": stats.reasons.iter()
            .map(|(word, count)| json!({ "reason": word, "games": count })).collect::<Vec<_>>(),
        "lengths": stats.lengths,
        "players": stats.players.iter().map(|player| json!({
            "name": player.name,
            "score": score(&player.score),
            "rating": rating(player.rating),
            "performance": rating(player.performance),
            "known": player.known,
        })).collect::<Vec<_>>(),
        "time": stats.spent_ms.map(|(ms, moves)| json!({ "ms": ms, "moves": moves })),
        "own": {
            "turns": own.turns,
            "book": own.book,
            "ponders": own.ponders.0,
            "ponder_hits": own.ponders.1,
            "echo_us": { "median": share(&own.echoes_us, 0.5), "p99": share(&own.echoes_us, 0.99) },
            "network_us": { "median": share(&own.network_us, 0.5), "p99": share(&own.network_us, 0.99) },
            "nps": { "median": share(&own.nps, 0.5) },
        },
        "events": stats.events.iter()
            .map(|(kind, count)| json!({ "kind": kind, "count": count })).collect::<Vec<_>>(),
    })
}

/// The widest column of a table.
const WIDEST: usize = 32;

/// The longest bar.
const BAR: usize = 40;
