//! The tables of `kyomi-lab growth` as text.

use std::fmt::Write as _;

use super::growth::{EngineGrowth, GrowthStudy};

/// All tables of a study.
pub(crate) fn growth_text(study: &GrowthStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "{} positions, searches of {} nodes", study.positions, study.nodes)?;
    for engine in &study.engines {
        write_engine(&mut text, engine)?;
    }
    for table in &study.shares {
        write!(text, "\n{:55}", table.title)?;
        for (name, _) in &table.engines {
            write!(text, " {name:>14}")?;
        }
        writeln!(text)?;
        for (at, row) in table.rows.iter().enumerate() {
            write!(text, "  {row:53}")?;
            for (_, shares) in &table.engines {
                write!(text, " {:12.1} %", shares.get(at).copied().unwrap_or_default())?;
            }
            writeln!(text)?;
        }
    }
    Ok(text)
}

fn write_engine(text: &mut String, engine: &EngineGrowth) -> std::fmt::Result {
    let speed = engine.nodes as f64 / engine.seconds.max(1e-6);
    let table = number(engine.hashfull.map(|permille| permille / 10.0), 1);
    let (name, line) = (&engine.engine, number(engine.seldepth, 1));
    writeln!(
        text,
        "\n{name}: {} nodes, {:.1} s, {speed:.0} nodes/s, longest line {line}, table used {table} %",
        engine.nodes, engine.seconds
    )?;
    let reached = engine.reached.iter().map(|(nodes, at)| format!("{nodes}: {:.2}", at.value));
    let reached: Vec<_> = reached.collect();
    let (gained, error) = (engine.gained.value, engine.gained.error);
    let reached = reached.join(", ");
    writeln!(text, "depth within {reached}; four times the nodes gain {gained:.2} ± {error:.2}")?;
    writeln!(text, "depth  positions       nodes          ms   nodes x    time x   longest line")?;
    for row in &engine.depths {
        let [nodes, time] = [row.nodes_ratio, row.time_ratio].map(|ratio| number(ratio, 2));
        writeln!(
            text,
            "{:5}  {:9} {:11.0} {:11.2}  {nodes:>8}  {time:>8}  {:13.1}",
            row.depth, row.positions, row.nodes, row.ms, row.seldepth
        )?;
    }
    Ok(())
}

/// A number, or a dash.
pub(crate) fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}
