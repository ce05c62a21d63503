//! The whole picture: board, clocks, hands, moves and the engines' words, laid out for a size.

use std::time::{Duration, Instant};

use crate::{
    report::Script,
    shogi::{Color, notation::japanese},
};

use super::{
    board,
    scene::{Face, Row, Scene, Thought},
    style::{Line, Style},
    text,
};

/// The content of the last lines, below the game.
#[derive(Debug, Clone, Default)]
pub(super) struct Footer {
    /// The latest warnings, oldest first.
    pub(super) notices: Vec<String>,
    /// What the keys do.
    pub(super) help: &'static str,
}

/// The picture for a terminal of this number of columns and rows: never more lines than rows, and never
/// anything that lines cut at `columns` would make unreadable.
///
/// Parts are left out where there is no room: first the moves beside the board, then the engines'
/// lines, at last the board.
pub(super) fn draw(
    scene: &Scene,
    footer: &Footer,
    now: Instant,
    (columns, rows): (usize, usize),
) -> Vec<Line> {
    let columns = columns.max(1);
    if rows < BOARD_ROWS || columns <= board::WIDTH {
        let mut lines = compact(scene, now);
        lines.truncate(rows);
        return lines;
    }
    let mut lines = board_with_clocks(scene, now);
    if columns >= MOVES_AT + 24 {
        lines = beside_moves(lines, scene, columns);
    }
    lines.insert(0, title(scene));
    lines.extend(engines(scene, columns));
    lines.push(outcome(scene));
    lines.extend(footer_lines(footer));
    if lines.len() > rows {
        // The footer and the engines' lines go first; the board is above them.
        let keep_ending = scene.ending.is_some() && rows > 1;
        lines.truncate(rows);
        if keep_ending && let Some(last) = lines.last_mut() {
            *last = outcome(scene);
        }
    }
    lines
}

/// What stays when the game is over: the board with its moves, however small the terminal.
pub(super) fn last_picture(scene: &Scene, now: Instant, columns: usize) -> Vec<Line> {
    let lines = board_with_clocks(scene, now);
    if columns >= MOVES_AT + 24 { beside_moves(lines, scene, columns) } else { lines }
}

/// Title, both players with their hands, and the board.
const BOARD_ROWS: usize = 1 + 2 + 12 + 2;

/// Where the list of moves begins.
const MOVES_AT: usize = board::WIDTH + 3;

fn title(scene: &Scene) -> Line {
    let mut line = Line::styled(Style::Strong, "kyomi");
    let moves = scene.moves.len();
    let plural = if moves == 1 { "" } else { "s" };
    let to_move = match (&scene.ending, scene.game.position().side_to_move()) {
        (Some(_), _) => String::new(),
        (None, color) => format!(", {} to move", japanese::side_mark(color)),
    };
    line.push(Style::Faint, format!("   game {}, {moves} move{plural}{to_move}", scene.number));
    line
}

fn board_with_clocks(scene: &Scene, now: Instant) -> Vec<Line> {
    let position = scene.game.position();
    let hand = |color| Line::plain(format!("  持駒 {}", japanese::hand(position.hand(color))));
    let mut lines = vec![player(scene, Color::White, now), hand(Color::White)];
    lines.extend(board::draw(position, scene.last_move(), Script::Japanese));
    lines.push(hand(Color::Black));
    lines.push(player(scene, Color::Black, now));
    lines
}

/// `△ name                0:58 *`, filled to the board's width.
fn player(scene: &Scene, color: Color, now: Instant) -> Line {
    let face = scene.face(color, now);
    let clock = clock(face);
    let sign = if face.running { "<" } else { " " };
    let style = if face.running { Style::Strong } else { Style::Plain };
    let room = board::WIDTH.saturating_sub(text::width(&clock) + 6);
    let name = text::fit(&scene.names[color.index()], room);
    let mut line = Line::styled(style, format!("{} {name} ", japanese::side_mark(color)));
    line.push(style, format!("{clock} {sign}"));
    line
}

fn clock(face: Face) -> String {
    match face {
        Face { left: None, .. } => "no limit".to_owned(),
        Face { byoyomi: Some(left), .. } => format!("byoyomi {}", time(left)),
        Face { left: Some(left), .. } => time(left),
    }
}

/// `1:02:03`, `4:05`, `0:09.8` below ten seconds. Rounded down: no clock shows more time than is left.
pub(super) fn time(left: Duration) -> String {
    let seconds = left.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else if seconds < 10 {
        format!("0:{rest:02}.{}", left.subsec_millis() / 100)
    } else {
        format!("{minutes}:{rest:02}")
    }
}

fn beside_moves(lines: Vec<Line>, scene: &Scene, columns: usize) -> Vec<Line> {
    let room = lines.len();
    let with_times = columns >= MOVES_AT + 34;
    let from = scene.moves.len().saturating_sub(room);
    let mut moves = scene.moves.iter().enumerate().skip(from);
    lines
        .into_iter()
        .map(|line| match moves.next() {
            Some((index, row)) => {
                let newest = index + 1 == scene.moves.len();
                line.beside(MOVES_AT, move_line(row, newest, with_times))
            }
            None => line,
        })
        .collect()
}

fn move_line(row: &Row, newest: bool, with_times: bool) -> Line {
    let style = match (newest, row.color) {
        (true, _) => Style::Strong,
        (false, Color::Black) => Style::Plain,
        (false, Color::White) => Style::Other,
    };
    let mut line = Line::styled(Style::Faint, format!("{:>3} ", row.ply));
    line.push(style, text::fit(&row.japanese, 16));
    if with_times {
        line.push(Style::Faint, format!(" {:>7}", time(row.spent)));
        let score = row.score.map_or_else(String::new, |score| score.to_string());
        line.push(Style::Faint, format!(" {score:>7}"));
    }
    line
}

/// What the engines think: two lines for each that has said anything.
fn engines(scene: &Scene, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for color in [Color::Black, Color::White] {
        let Some(thought) = &scene.thoughts[color.index()] else { continue };
        let mut head = Line::styled(Style::Strong, format!("{} ", japanese::side_mark(color)));
        head.push(Style::Plain, figures(thought));
        lines.push(head);
        let indented = format!("  {}", thought.line);
        lines.push(Line::styled(Style::Faint, text::cut(&indented, columns)));
    }
    lines
}

fn figures(thought: &Thought) -> String {
    let mut parts = Vec::new();
    if let Some(score) = thought.score {
        parts.push(format!("score {score}"));
    }
    parts.push(format!("depth {}", thought.depth));
    parts.push(format!("{} nodes", short(thought.nodes)));
    parts.push(format!("{}/s", short(thought.nps)));
    parts.join("  ")
}

/// `950`, `12.3k`, `4.56M`.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{:.1}k", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2}M", number as f64 / 1e6),
        _ => format!("{:.2}G", number as f64 / 1e9),
    }
}

fn outcome(scene: &Scene) -> Line {
    match &scene.ending {
        Some(ending) => {
            let text = format!("result: {}   reason: {}", ending.result, ending.reason);
            Line::styled(Style::Strong, text)
        }
        None => Line::default(),
    }
}

fn footer_lines(footer: &Footer) -> Vec<Line> {
    let mut lines: Vec<_> =
        footer.notices.iter().map(|notice| Line::styled(Style::Alarm, notice.as_str())).collect();
    lines.push(Line::styled(Style::Faint, footer.help));
    lines
}

/// Where the board has no room: the last move, both clocks, the engines.
fn compact(scene: &Scene, now: Instant) -> Vec<Line> {
    let last = scene
        .moves
        .last()
        .map_or_else(|| "start".to_owned(), |row| format!("{} {}", row.ply, row.japanese));
    let clocks = [Color::Black, Color::White].map(|color| {
        let face = scene.face(color, now);
        let sign = if face.running { "<" } else { "" };
        format!("{} {}{sign}", japanese::side_mark(color), clock(face))
    });
    let mut lines = vec![Line::plain(last), Line::plain(clocks.join("  "))];
    if scene.ending.is_some() {
        lines.push(outcome(scene));
    } else {
        lines.extend(engines(scene, usize::MAX));
    }
    lines
}

#[cfg(test)]
mod tests;
