//! The picture of a running game, laid out for a size: board, clocks, hands, moves and the engines' output.

use std::time::{Duration, Instant};

use crate::report::Script;
use kyomi_shogi::{Color, notation::japanese, text::counted};

use super::{
    board,
    scene::{ClockFace, DisplayedGame, MoveRow, SearchSummary},
    style::{Line, Style},
    text,
};

/// The last lines, below the game.
#[derive(Debug, Clone, Default)]
pub(super) struct Footer {
    /// The latest warnings, oldest first.
    pub(super) notices: Vec<String>,
    /// The keys and their effects.
    pub(super) help: &'static str,
}

/// The picture for a terminal of this number of columns and rows. It never has more lines than rows, and stays readable
/// when its lines are cut at `columns`.
///
/// Parts are left out if there is not enough room: first the moves beside the board, then the engines' lines, then the
/// board.
pub(super) fn draw(
    game: &DisplayedGame,
    footer: &Footer,
    now: Instant,
    (columns, rows): (usize, usize),
) -> Vec<Line> {
    let columns = columns.max(1);
    if rows < BOARD_ROWS || columns <= board::WIDTH {
        let mut lines = compact(game, now);
        lines.truncate(rows);
        return lines;
    }
    let mut lines = board_with_clocks(game, now);
    if columns >= MOVES_AT + 24 {
        lines = beside_moves(lines, game, columns);
    }
    lines.insert(0, title(game));
    lines.extend(engines(game, columns));
    lines.push(outcome(game));
    lines.extend(footer_lines(footer));
    if lines.len() > rows {
        // The footer and the engines' lines are cut off first, since the board is above them.
        let keep_ending = game.ending.is_some() && rows > 1;
        lines.truncate(rows);
        if keep_ending && let Some(last) = lines.last_mut() {
            *last = outcome(game);
        }
    }
    lines
}

/// The picture of a finished game: the board with its moves, for a terminal of any height.
pub(super) fn last_picture(game: &DisplayedGame, now: Instant, columns: usize) -> Vec<Line> {
    let lines = board_with_clocks(game, now);
    if columns >= MOVES_AT + 24 { beside_moves(lines, game, columns) } else { lines }
}

/// The number of lines of the title, both players with their hands, and the board.
const BOARD_ROWS: usize = 1 + 2 + 12 + 2;

/// The first column of the list of moves.
const MOVES_AT: usize = board::WIDTH + 3;

fn title(game: &DisplayedGame) -> Line {
    let mut line = Line::styled(Style::Strong, "kyomi");
    let moves = counted(game.moves.len(), "move");
    let to_move = match (&game.ending, game.state.position().side_to_move()) {
        (Some(_), _) => String::new(),
        (None, color) => format!(", {} to move", japanese::side_mark(color)),
    };
    line.push(Style::Faint, format!("   game {}, {moves}{to_move}", game.number));
    line
}

fn board_with_clocks(game: &DisplayedGame, now: Instant) -> Vec<Line> {
    let position = game.state.position();
    let hand = |color| Line::plain(format!("  持駒 {}", japanese::hand(position.hand(color))));
    let mut lines = vec![player(game, Color::White, now), hand(Color::White)];
    lines.extend(board::draw(position, game.last_move(), Script::Japanese));
    lines.push(hand(Color::Black));
    lines.push(player(game, Color::Black, now));
    lines
}

/// `△ name                0:58 *`, filled to the board's width.
fn player(game: &DisplayedGame, color: Color, now: Instant) -> Line {
    let face = game.clock_face(color, now);
    let clock = clock_text(face);
    let sign = if face.running { "<" } else { " " };
    let style = if face.running { Style::Strong } else { Style::Plain };
    let room = board::WIDTH.saturating_sub(text::width(&clock) + 6);
    let name = text::fit(&game.names[color.index()], room);
    let mut line = Line::styled(style, format!("{} {name} ", japanese::side_mark(color)));
    line.push(style, format!("{clock} {sign}"));
    line
}

fn clock_text(face: ClockFace) -> String {
    match face {
        ClockFace { left: None, .. } => "no limit".to_owned(),
        ClockFace { byoyomi: Some(left), .. } => format!("byoyomi {}", time(left)),
        ClockFace { left: Some(left), .. } => time(left),
    }
}

/// `1:02:03`, `4:05`, `0:09.8` below ten seconds. Rounded down, so that no clock shows more time than is left.
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

fn beside_moves(lines: Vec<Line>, game: &DisplayedGame, columns: usize) -> Vec<Line> {
    let room = lines.len();
    let with_times = columns >= MOVES_AT + 34;
    let from = game.moves.len().saturating_sub(room);
    let mut moves = game.moves.iter().enumerate().skip(from);
    lines
        .into_iter()
        .map(|line| match moves.next() {
            Some((index, row)) => {
                let newest = index + 1 == game.moves.len();
                line.beside(MOVES_AT, move_line(row, newest, with_times))
            }
            None => line,
        })
        .collect()
}

fn move_line(row: &MoveRow, newest: bool, with_times: bool) -> Line {
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

/// The engines' output: two lines for each engine that has reported something.
fn engines(game: &DisplayedGame, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for color in [Color::Black, Color::White] {
        let Some(summary) = &game.summaries[color.index()] else { continue };
        let mut head = Line::styled(Style::Strong, format!("{} ", japanese::side_mark(color)));
        head.push(Style::Plain, figures(summary));
        lines.push(head);
        let indented = format!("  {}", summary.line);
        lines.push(Line::styled(Style::Faint, text::cut(&indented, columns)));
    }
    lines
}

fn figures(summary: &SearchSummary) -> String {
    let mut parts = Vec::new();
    if let Some(score) = summary.score {
        parts.push(format!("score {score}"));
    }
    parts.push(format!("depth {}", summary.depth));
    parts.push(format!("{} nodes", short(summary.nodes)));
    parts.push(format!("{}/s", short(summary.nps)));
    match summary.workers {
        0 => {}
        1 => parts.push("1 worker".to_owned()),
        workers => parts.push(format!("{workers} workers")),
    }
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

fn outcome(game: &DisplayedGame) -> Line {
    match &game.ending {
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

/// The picture without a board, for a small terminal: the last move, both clocks, the engines' output.
fn compact(game: &DisplayedGame, now: Instant) -> Vec<Line> {
    let last = game
        .moves
        .last()
        .map_or_else(|| "start".to_owned(), |row| format!("{} {}", row.ply, row.japanese));
    let clocks = [Color::Black, Color::White].map(|color| {
        let face = game.clock_face(color, now);
        let sign = if face.running { "<" } else { "" };
        format!("{} {}{sign}", japanese::side_mark(color), clock_text(face))
    });
    let mut lines = vec![Line::plain(last), Line::plain(clocks.join("  "))];
    if game.ending.is_some() {
        lines.push(outcome(game));
    } else {
        lines.extend(engines(game, usize::MAX));
    }
    lines
}

#[cfg(test)]
mod tests;
