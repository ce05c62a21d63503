//! Plots as SVG: lines over a depth, and bars by name.

use std::fmt::Write as _;

use kyomi_record::html::escaped;

/// Numbers with a name.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    /// The points of a line, or the lengths of bars as shares of 100.
    pub(super) points: Vec<(f64, f64)>,
}

/// Lines over whole numbers, with a logarithmic scale if `log` is set. Points that are not above 0 are left out then.
pub(super) fn lines(title: &str, across: &str, log: bool, all: &[Series<'_>]) -> String {
    let scaled = |y: f64| if log { y.log10() } else { y };
    let fits = |y: f64| !log || y > 0.0;
    let points = || all.iter().flat_map(|it| &it.points).filter(|it| fits(it.1));
    let right = points().map(|it| it.0).fold(2.0, f64::max);
    let top = points().map(|it| scaled(it.1)).fold(1.0, f64::max).ceil();
    let least = points().map(|it| scaled(it.1)).fold(if log { top } else { 0.0 }, f64::min);
    let bottom = least.floor().min(top - 1.0);
    let x_of = |x: f64| LEFT + (x - 1.0) / (right - 1.0) * (RIGHT - LEFT);
    let y_of = |y: f64| BOTTOM - (y - bottom) / (top - bottom) * (BOTTOM - TOP);
    let mut out = open(title, HEIGHT);
    let step = ((top - bottom) / 8.0).ceil().max(1.0);
    for at in 0..=((top - bottom) / step) as i32 {
        let value = bottom + f64::from(at) * step;
        let label = if log { power_of_ten(value as i32) } else { format!("{value}") };
        let y = y_of(value);
        let _ = write!(out, "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#ddd\"/>");
        text(&mut out, (LEFT - 8.0, y + 4.0), "end", &label);
    }
    let every = (right / 16.0).ceil().max(1.0) as usize;
    for x in (1..=right as usize).step_by(every) {
        text(&mut out, (x_of(x as f64), BOTTOM + 18.0), "middle", &x.to_string());
    }
    text(&mut out, (f64::midpoint(LEFT, RIGHT), BOTTOM + 38.0), "middle", across);
    for (at, series) in all.iter().enumerate() {
        let colour = colour(at);
        let mut path = String::new();
        for &(x, y) in series.points.iter().filter(|it| fits(it.1)) {
            let (x, y) = (x_of(x), y_of(scaled(y)));
            let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { 'M' } else { 'L' });
            let _ = write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let _ = write!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
    }
    legend(&mut out, all);
    out.push_str("</svg>\n");
    out
}

/// Bars from the left: a group for each name, a bar for each series, whose points are its shares in percent in the
/// order of the names.
pub(super) fn bars(title: &str, names: &[String], all: &[Series<'_>]) -> String {
    let group = BAR * all.len() as f64 + 10.0;
    let most = all.iter().flat_map(|it| &it.points).map(|it| it.1).fold(1.0, f64::max);
    let mut out = open(title, TOP + group * names.len() as f64 + 8.0);
    for (row, name) in names.iter().enumerate() {
        let y = TOP + row as f64 * group;
        text(&mut out, (BARS - 8.0, y + BAR * all.len() as f64 / 2.0 + 4.0), "end", name);
        for (at, series) in all.iter().enumerate() {
            let share = series.points.get(row).map_or(0.0, |it| it.1);
            let (y, width) = (y + at as f64 * BAR, share / most * (BARS_RIGHT - BARS));
            let _ = write!(
                out,
                "<rect x=\"{BARS}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                BAR - 2.0,
                colour(at)
            );
            text(&mut out, (BARS + width + 6.0, y + 10.0), "start", &format!("{share:.1} %"));
        }
    }
    legend(&mut out, all);
    out.push_str("</svg>\n");
    out
}

fn open(title: &str, height: f64) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\
         <title>{title}</title><text x=\"8\" y=\"18\" font-size=\"15\" font-weight=\"bold\">{title}</text>"
    )
}

/// The names of the series, side by side below the title.
fn legend(out: &mut String, all: &[Series<'_>]) {
    let step = (WIDTH - 16.0) / all.len().max(1) as f64;
    for (at, series) in all.iter().enumerate() {
        let x = 8.0 + at as f64 * step.min(200.0);
        let _ = write!(
            out,
            "<rect x=\"{x:.1}\" y=\"30\" width=\"12\" height=\"12\" fill=\"{}\"/>",
            colour(at)
        );
        let most = ((step.min(200.0) / 8.0) as usize).saturating_sub(3);
        let name: String = series.name.chars().take(most).collect();
        text(out, (x + 18.0, 40.0), "start", &name);
    }
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let words = escaped(words);
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#333\">{words}</text>"
    );
}

fn power_of_ten(power: i32) -> String {
    match power {
        0..=3 => 10_i32.pow(power as u32).to_string(),
        4..=5 => format!("{}k", 10_i32.pow(power as u32 - 3)),
        6..=8 => format!("{}M", 10_i32.pow(power as u32 - 6)),
        _ => format!("1e{power}"),
    }
}

fn colour(at: usize) -> &'static str {
    const COLOURS: [&str; 6] = ["#12579f", "#b45f06", "#2f7d32", "#8c0d3f", "#5b3fa8", "#555555"];
    COLOURS[at % COLOURS.len()]
}

/// The size of the pictures and the edges of their areas.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = HEIGHT - 50.0;
/// The height of a bar, and where bars begin and end.
const BAR: f64 = 14.0;
const BARS: f64 = 220.0;
const BARS_RIGHT: f64 = WIDTH - 70.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_at_their_places() {
        let points = vec![(1.0, 10.0), (3.0, 1000.0), (4.0, 0.0)];
        let series = [Series { name: "a<b", points }];
        let svg = lines("nodes", "depth", true, &series);
        assert!(svg.contains(&format!("M{LEFT:.1} {BOTTOM:.1}L{RIGHT:.1} {TOP:.1}")), "{svg}");
        assert!(svg.contains(">10</text>") && svg.contains(">1000</text>"), "{svg}");
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN"), "{svg}");
        assert!(!lines("nothing", "depth", true, &[]).contains("NaN"));
        let svg = bars("shares", &["x".to_owned()], &series);
        assert!(svg.contains("10.0 %"), "{svg}");
    }

    #[test]
    fn powers_of_ten_are_short() {
        assert_eq!(
            [0, 3, 4, 5, 6, 8, 9].map(power_of_ten),
            ["1", "1000", "10k", "100k", "1M", "100M", "1e9"]
        );
    }
}
