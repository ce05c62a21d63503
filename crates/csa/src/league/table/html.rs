//! The results as one HTML page that needs nothing else: light or dark as the reader's system is, and fit for paper.

use std::fmt::Write as _;

use crate::league::event::{Event, Format};
use crate::league::standings::standings;
use crate::league::state::EventState;
use kyomi_record::html::{document, escaped};

use super::{cell, points, score};

/// The page.
pub fn to_html(event: &Event, state: &EventState) -> String {
    let format = match event.format {
        Format::Swiss { .. } => "Swiss",
        Format::RoundRobin { double: false } => "round robin",
        Format::RoundRobin { double: true } => "double round robin",
    };
    let (done, all) = (state.rounds.len(), event.rounds());
    let phase = if state.is_over(event) { "final results" } else { "results so far" };
    let title = escaped(&state.event);
    let mut body = format!("<h1>{title}</h1>\n<p>{format}, round {done} of {all}, {phase}</p>\n");
    table(&mut body, state);
    rounds(&mut body, state);
    let head =
        format!("<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n{STYLE}</style>");
    document("lang=\"en\"", &state.event, &head, body.trim_end())
}

fn table(page: &mut String, state: &EventState) {
    let rows = standings(state);
    page.push_str(
        "<div class=\"wide\">\n<table>\n<caption>Table</caption>\n<thead>\n<tr><th scope=\"col\">#</th>\
         <th scope=\"col\" class=\"name\">Player</th><th scope=\"col\">Points</th>",
    );
    for number in 1..=rows.len() {
        let _ = write!(page, "<th scope=\"col\">{number}</th>");
    }
    page.push_str(
        "<th scope=\"col\">Won</th><th scope=\"col\">Drawn</th><th scope=\"col\">Lost</th>\
         <th scope=\"col\">Buchholz</th><th scope=\"col\">Sonneborn-Berger</th>\
         <th scope=\"col\">Direct</th></tr>\n</thead>\n<tbody>\n",
    );
    for row in &rows {
        let name = escaped(&state.players[row.player]);
        let _ = write!(
            page,
            "<tr><td>{}</td><th scope=\"row\" class=\"name\">{name}</th><td class=\"points\">{}</td>",
            row.rank,
            points(row.score)
        );
        for other in &rows {
            if other.player == row.player {
                page.push_str("<td class=\"self\"></td>");
            } else {
                let _ = write!(page, "<td>{}</td>", cell(state, row.player, other.player));
            }
        }
        let [won, drawn, lost] = row.games;
        let berger = f64::from(row.sonneborn_berger) / 4.0;
        let _ = writeln!(
            page,
            "<td>{won}</td><td>{drawn}</td><td>{lost}</td><td>{}</td><td>{berger:.2}</td><td>{}</td></tr>",
            points(row.buchholz),
            points(row.direct)
        );
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    page.push_str("<p class=\"key\">1 won, ½ drawn, 0 lost, + and - by forfeit, * not over.</p>\n");
}

fn rounds(page: &mut String, state: &EventState) {
    for (number, round) in state.rounds.iter().enumerate().rev() {
        let _ = writeln!(
            page,
            "<section>\n<h2>Round {}</h2>\n<table>\n<thead>\n<tr><th scope=\"col\" class=\"name\">Black</th>\
             <th scope=\"col\">Result</th><th scope=\"col\" class=\"name\">White</th>\
             <th scope=\"col\" class=\"name\">Reason</th></tr>\n</thead>\n<tbody>",
            number + 1
        );
        for game in &round.games {
            let [black, white] = game.players.map(|it| escaped(&state.players[it]));
            let reason = escaped(game.reason.as_deref().unwrap_or_default());
            let result = score(game.result);
            let _ = writeln!(
                page,
                "<tr><td class=\"name\">{black}</td><td>{result}</td><td class=\"name\">{white}</td>\
                 <td class=\"name\">{reason}</td></tr>"
            );
        }
        if let Some(bye) = round.bye {
            let name = escaped(&state.players[bye]);
            let _ = writeln!(
                page,
                "<tr><td class=\"name\">{name}</td><td>bye</td><td></td><td></td></tr>"
            );
        }
        page.push_str("</tbody>\n</table>\n</section>\n");
    }
}

const STYLE: &str = "\
:root { --ink: #1c1c1c; --paper: #fff; --line: #c8c8c8; --shade: #f1f1f1; --own: #dcdcdc; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --line: #444; --shade: #242424; --own: #3a3a3a; }
}
body { font: 16px/1.4 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 1.5rem 0 .5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: bold; padding: .5rem 0; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: center; }
thead th { background: var(--shade); }
.name { text-align: left; }
.points { font-weight: bold; }
.self { background: var(--own); }
.key { font-size: .9rem; }
section { break-inside: avoid; }
@media print {
  :root { --ink: #000; --paper: #fff; --line: #888; --shade: #eee; --own: #ccc; }
  body { margin: 0; max-width: none; font-size: 11pt; }
  .wide { overflow: visible; }
}
";
