//! The page of `kyomi-lab growth`: plots and the numbers behind them, in one file.

use super::growth::{DepthGrowth, GrowthStudy};
use super::growth_text::growth_text;
use super::plots::{Series, bars, lines};
use kyomi_record::html::{document, escaped};

/// The page of a study.
pub(crate) fn growth_page(study: &GrowthStudy) -> String {
    let text = growth_text(study).unwrap_or_default();
    let mut body = format!(
        "<h1>Growth of the search</h1>\n<p>Nodes and times to a depth are geometric means over the positions that \
         completed it, shown while at least half did.</p>\n<pre>{}</pre>\n",
        lines_escaped(&text)
    );
    let plot = |title: &str, log: bool, of: fn(&DepthGrowth) -> Option<f64>| {
        let series: Vec<_> = study
            .engines
            .iter()
            .map(|engine| {
                let depths = engine.depths.iter();
                let point = |it: &DepthGrowth| Some((f64::from(it.depth), of(it)?));
                Series { name: &engine.engine, points: depths.filter_map(point).collect() }
            })
            .collect();
        lines(title, "depth", log, &series)
    };
    body += &plot("Nodes to each depth", true, |it| Some(it.nodes));
    body += &plot("Milliseconds to each depth", true, |it| Some(it.ms));
    body +=
        &plot("Nodes to each depth for each node to the one before", false, |it| it.nodes_ratio);
    for table in &study.shares {
        let series = table.engines.iter().map(|(name, shares)| {
            let points = shares.iter().enumerate().map(|(at, &share)| (at as f64, share));
            Series { name, points: points.collect() }
        });
        body += &bars(table.title, &table.rows, &series.collect::<Vec<_>>());
    }
    document("lang=\"en\"", "Growth of the search", STYLE, &body)
}

/// Text of several lines for markup.
fn lines_escaped(text: &str) -> String {
    text.lines().map(|line| escaped(line) + "\n").collect()
}

const STYLE: &str = "<style>\nbody{font-family:sans-serif;max-width:800px;margin:2em auto;padding:0 1em;color:#222}\n\
svg{display:block;margin:1.5em 0;max-width:100%;height:auto}\n\
pre{overflow-x:auto;font-size:12px}\n</style>";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::growth::EngineGrowth;
    use crate::studies::growth_shares::ShareTable;

    #[test]
    fn names_are_escaped_and_all_plots_are_there() {
        let row = |depth: u32| DepthGrowth {
            depth,
            positions: 2,
            nodes: 10_f64.powi(depth as i32),
            ms: 0.5,
            nodes_ratio: (depth > 1).then_some(10.0),
            ..DepthGrowth::default()
        };
        let engine = EngineGrowth {
            engine: "<b>".to_owned(),
            depths: vec![row(1), row(2)],
            ..EngineGrowth::default()
        };
        let (rows, engines) = (vec!["x".to_owned()], vec![("<b>".to_owned(), vec![100.0])]);
        let shares = vec![ShareTable { title: "shares", rows, engines }];
        let study = GrowthStudy { positions: 2, nodes: 100, engines: vec![engine], shares };
        let page = growth_page(&study);
        assert!(page.contains("&lt;b&gt;") && !page.contains("<b>") && !page.contains("NaN"));
        assert_eq!(page.matches("<svg").count(), 4);
    }
}
