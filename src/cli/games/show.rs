//! `kyomi games show`.

use std::io::Write as _;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use super::filters::file_name;
use super::list::{game_json, result_mark};
use crate::archive::index::{GameLine, Index};
use crate::cli::{Context, ResultExt as _};
use crate::report::times_table;
use crate::terminal::clean;
use kyomi_record::Record;
use kyomi_shogi::{Color, notation::csa};

/// Arguments of `kyomi games show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Number of the game, as `kyomi games list` prints it
    #[arg(value_name = "ID")]
    id: i64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `kyomi games show`.
pub(super) fn run(args: &ShowArgs, index: &Index, context: &Context) -> anyhow::Result<()> {
    let game = index.game(args.id)?;
    let record = index.record(args.id)?;
    let (Some(game), Some(record)) = (game, record) else {
        return Err(anyhow::anyhow!("there is no game {}", args.id))
            .written_by_user()
            .hint("`kyomi games list` prints the numbers of the games");
    };
    let events = index.events(args.id)?;
    let mut output = context.output.clone();
    if args.json {
        let mut object = game_json(&game);
        object["moves"] = moves_json(&record).into();
        object["events"] = events
            .iter()
            .map(|(ply, kind, text)| json!({ "ply": ply, "kind": kind, "text": text }))
            .collect();
        writeln!(output, "{object}")?;
        return Ok(output.flush()?);
    }
    for line in heading(&game, &record) {
        writeln!(output, "{}", clean(&line))?;
    }
    writeln!(output)?;
    for line in times_table(&record).lines() {
        writeln!(output, "{}", clean(line))?;
    }
    for (ply, kind, text) in events {
        writeln!(output, "after ply {ply}: {}", clean(&format!("{kind} {text}")))?;
    }
    output.flush().context("writing")
}

fn heading(game: &GameLine, record: &Record) -> Vec<String> {
    let player = |color: Color| {
        let name = game.players[color.index()].as_deref().unwrap_or("unknown");
        let rating = game.ratings[color.index()].map(|it| format!(" ({it})")).unwrap_or_default();
        format!("{name}{rating}")
    };
    let mut lines = vec![format!(
        "game {}: {} {} {}",
        game.id,
        player(Color::Black),
        result_mark(game.winner),
        player(Color::White)
    )];
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push(format!("{name}: {value}"));
        }
    };
    line("started", game.started.clone());
    line("event", game.event.clone());
    line("opening", Some(game.opening.clone()));
    line("end", record.end.as_ref().map(|end| end.kind.word().to_owned()));
    let foul = record.end.as_ref().and_then(|end| end.foul.as_ref());
    line("illegal move", foul.map(|foul| foul.mv.to_string()));
    line(
        "time",
        record.header.controls.map(|controls| {
            if controls.are_equal() {
                controls.black.to_string()
            } else {
                format!("{} / {}", controls.black, controls.white)
            }
        }),
    );
    let number = if game.number > 1 { format!(", number {}", game.number) } else { String::new() };
    line("file", Some(file_name(&game.file.0, &game.file.1) + &number));
    lines
}

fn moves_json(record: &Record) -> Vec<serde_json::Value> {
    let mut position = record.start.clone();
    let mut moves = Vec::with_capacity(record.moves.len());
    for made in &record.moves {
        let analysis = made.analysis.as_ref();
        let pv = analysis.map(|it| it.pv.iter().map(ToString::to_string).collect::<Vec<_>>());
        moves.push(json!({
            "move": made.mv.to_string(),
            "csa": csa::format_move(&position, made.mv),
            "ms": made.time.map(|time| time.as_millis() as u64),
            "score": analysis.and_then(|it| it.score).map(|score| score.to_string()),
            "depth": analysis.and_then(|it| it.depth),
            "nodes": analysis.and_then(|it| it.nodes),
            "pv": pv,
            "comments": made.comments,
        }));
        position.do_move(made.mv);
    }
    moves
}
