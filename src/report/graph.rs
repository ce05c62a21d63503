//! The graph of the winning chances, and the bars of the move times, as SVG.

use std::fmt::Write as _;

use super::words::{Both, Language, mark_number};
use crate::report::analysis::{GameAnalysis, Searched};
use kyomi_record::Record;
use kyomi_record::html::escaped;
use kyomi_shogi::{Color, Score};

/// The languages of the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphLabels {
    /// Both, in elements of the classes `ja` and `en`; a page shows one of them.
    Both,
    /// One.
    One(Language),
}

/// The size of the graph in its own units.
const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 230.0;
const TIMES_HEIGHT: f64 = 120.0;
/// The edges of the area.
const LEFT: f64 = 52.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = HEIGHT - 24.0;

/// The graph of black's chance to win over the game: one self-contained `<svg>` element.
///
/// Marked moves are dots, larger for worse moves, and positions with a forced mate are triangles at the edge of the
/// side that mates. The attributes `data-left` and `data-step` tell a script where each ply is. Colours are attributes,
/// which a style sheet overrides by class.
pub fn chance_graph(analysis: &GameAnalysis, record: &Record, labels: GraphLabels) -> String {
    let chances = &analysis.judgement.chances;
    let plies = chances.len().saturating_sub(1);
    let title = Both::new("先手の勝率のグラフ", "Graph of black's chance to win");
    let mut out = open(HEIGHT, plies, &title, labels);
    background(&mut out);
    let curve = ChanceCurve::of(chances);
    let _ =
        write!(out, "<path class=\"area\" d=\"{}\" fill=\"#3d3830\" opacity=\".8\"/>", curve.area);
    percent_rules(&mut out);
    numbers(&mut out, plies, BOTTOM);
    let _ = write!(
        out,
        "<path class=\"curve\" d=\"{}\" fill=\"none\" stroke=\"#12579f\" stroke-width=\"2\" stroke-linejoin=\"round\"/>",
        curve.line
    );
    cursor(&mut out, TOP, BOTTOM);
    mate_triangles(&mut out, analysis, record.start.side_to_move());
    mark_dots(&mut out, analysis);
    out.push_str("</svg>\n");
    out
}

/// The paths of the chances, with gaps where a chance is not known.
struct ChanceCurve {
    line: String,
    /// The area below the line.
    area: String,
}

impl ChanceCurve {
    fn of(chances: &[Option<f64>]) -> Self {
        let plies = chances.len().saturating_sub(1);
        let (mut line, mut area, mut is_open) = (String::new(), String::new(), false);
        for (ply, chance) in chances.iter().enumerate() {
            let x = x_of(ply, plies);
            match chance {
                Some(chance) => {
                    let y = y_of(*chance);
                    let _ = if is_open {
                        write!(area, "L{x:.1} {y:.1}")
                    } else {
                        write!(area, "M{x:.1} {BOTTOM}L{x:.1} {y:.1}")
                    };
                    let _ = write!(line, "{}{x:.1} {y:.1}", if is_open { 'L' } else { 'M' });
                    is_open = true;
                }
                None if is_open => {
                    let _ = write!(area, "L{:.1} {BOTTOM}Z", x_of(ply - 1, plies));
                    is_open = false;
                }
                None => {}
            }
        }
        if is_open {
            let _ = write!(area, "L{:.1} {BOTTOM}Z", x_of(plies, plies));
        }
        Self { line, area }
    }
}

fn background(out: &mut String) {
    let _ = write!(
        out,
        "<rect class=\"back\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" fill=\"#f5ead2\"/>",
        RIGHT - LEFT,
        BOTTOM - TOP
    );
}

/// Horizontal lines at a few chances, with their numbers.
fn percent_rules(out: &mut String) {
    for (percent, dashes) in [(0, ""), (25, "2 4"), (50, "5 3"), (75, "2 4"), (100, "")] {
        let y = y_of(f64::from(percent) / 100.0);
        let _ = write!(
            out,
            "<path class=\"rule\" d=\"M{LEFT} {y}H{RIGHT}\" stroke=\"#6b5f4c\" stroke-width=\".7\" stroke-dasharray=\"{dashes}\" fill=\"none\"/>\
             <text class=\"axis\" x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"end\" fill=\"#6b5f4c\">{percent}%</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
}

/// A triangle for each position with a forced mate, at the edge of the side that mates. `first` is to move at ply 0.
fn mate_triangles(out: &mut String, analysis: &GameAnalysis, first: Color) {
    let plies = analysis.judgement.chances.len().saturating_sub(1);
    for (ply, found) in analysis.positions.iter().enumerate() {
        let to_move = if ply.is_multiple_of(2) { first } else { !first };
        let winner = match found.as_ref().map(Searched::score) {
            Some(Score::Win(_)) => to_move,
            Some(Score::Loss(_)) => !to_move,
            _ => continue,
        };
        let (edge, size) = if winner == Color::Black { (TOP, 7.0) } else { (BOTTOM, -7.0) };
        let x = x_of(ply, plies);
        let _ = write!(
            out,
            "<path class=\"mate\" d=\"M{:.1} {edge}L{:.1} {edge}L{x:.1} {}Z\" fill=\"#12579f\"/>",
            x - 3.5,
            x + 3.5,
            edge + size
        );
    }
}

/// A dot for each marked move from [`Mark::Inaccuracy`](super::analysis::Mark) on.
fn mark_dots(out: &mut String, analysis: &GameAnalysis) {
    let chances = &analysis.judgement.chances;
    let plies = chances.len().saturating_sub(1);
    for (ply, judged) in analysis.judgement.moves.iter().enumerate() {
        let Some(judged) = judged else { continue };
        let (number, chance) = (mark_number(judged.mark), chances.get(ply + 1).copied().flatten());
        let Some(chance) = chance.filter(|_| number >= 2) else { continue };
        let colour = ["", "", "#b45f06", "#b3321c", "#8c0d3f"][number];
        let _ = write!(
            out,
            "<circle class=\"dot-{number}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{}\" fill=\"{colour}\" stroke=\"#fff\"/>",
            x_of(ply + 1, plies),
            y_of(chance),
            2.0 + 1.3 * number as f64
        );
    }
}

/// The time of each move: black's bars upwards, white's downwards. `None` if the record has no times.
pub fn time_bars(record: &Record, labels: GraphLabels) -> Option<String> {
    let times: Vec<f64> =
        record.moves.iter().map(|made| made.time.map_or(0.0, |time| time.as_secs_f64())).collect();
    let most = times.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let plies = record.moves.len();
    let title = Both::new("消費時間のグラフ", "Bars of the time of each move");
    let mut out = open(TIMES_HEIGHT, plies, &title, labels);
    let (top, bottom) = (8.0, TIMES_HEIGHT - 8.0);
    let middle = f64::midpoint(top, bottom);
    let first = record.start.side_to_move();
    let width = (step(plies) * 0.7).clamp(0.8, 12.0);
    for (index, seconds) in times.iter().enumerate() {
        let side = if index.is_multiple_of(2) { first } else { !first };
        let height = seconds / most * (middle - top - 1.0);
        let (class, y, fill) = match side {
            Color::Black => ("bar-black", middle - height, "#241c10"),
            Color::White => ("bar-white", middle, "#6b5f4c"),
        };
        let x = LEFT + (index + 1) as f64 * step(plies) - width / 2.0;
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        );
    }
    let _ = write!(
        out,
        "<path class=\"rule\" d=\"M{LEFT} {middle}H{RIGHT}\" stroke=\"#6b5f4c\" stroke-width=\".7\" fill=\"none\"/>"
    );
    let digits = if most < 1.0 { 1000.0 } else { 10.0 };
    let seconds = format!("{} s", (most * digits).round() / digits);
    for y in [top + 6.0, bottom] {
        let _ = write!(
            out,
            "<text class=\"axis\" x=\"{}\" y=\"{y}\" font-size=\"12\" text-anchor=\"end\" fill=\"#6b5f4c\">{seconds}</text>",
            LEFT - 6.0
        );
    }
    cursor(&mut out, top, bottom);
    out.push_str("</svg>\n");
    Some(out)
}

/// The place of a ply.
fn x_of(ply: usize, plies: usize) -> f64 {
    LEFT + ply as f64 * step(plies)
}

/// The place of a chance.
fn y_of(chance: f64) -> f64 {
    TOP + (1.0 - chance) * (BOTTOM - TOP)
}

/// The distance between two plies.
fn step(plies: usize) -> f64 {
    (RIGHT - LEFT) / plies.max(1) as f64
}

fn open(height: f64, plies: usize, title: &Both, labels: GraphLabels) -> String {
    let title = match labels {
        GraphLabels::Both => format!("{} / {}", title.en, title.ja),
        GraphLabels::One(language) => title.text(language).to_owned(),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"by-ply\" role=\"img\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" data-left=\"{LEFT}\" data-step=\"{}\" font-family=\"sans-serif\">\
         <title>{}</title>",
        step(plies),
        escaped(&title)
    )
}

/// The numbers of plies below the graph.
fn numbers(out: &mut String, plies: usize, bottom: f64) {
    let every =
        [10, 20, 50, 100, 200, 500].into_iter().find(|every| plies / every <= 12).unwrap_or(1000);
    for ply in (0..=plies).step_by(every) {
        let x = x_of(ply, plies);
        let _ = write!(
            out,
            "<path class=\"rule\" d=\"M{x:.1} {bottom}v4\" stroke=\"#6b5f4c\" fill=\"none\"/>\
             <text class=\"axis\" x=\"{x:.1}\" y=\"{}\" font-size=\"12\" text-anchor=\"middle\" fill=\"#6b5f4c\">{ply}</text>",
            bottom + 17.0
        );
    }
}

/// A line that a script places at the ply on the board.
fn cursor(out: &mut String, top: f64, bottom: f64) {
    let _ = write!(
        out,
        "<line class=\"cursor\" x1=\"{LEFT}\" x2=\"{LEFT}\" y1=\"{top}\" y2=\"{bottom}\" stroke=\"#a8321a\" stroke-width=\"2\" visibility=\"hidden\"/>"
    );
}
