//! A table of a terminal. Columns are dropped or cut until no line is too long.

use super::{
    style::{Line, Style},
    text::{cut, width},
};

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) head: &'static str,
    /// Right-aligned, for numbers.
    pub(crate) right: bool,
    /// The order in which columns are dropped if the line is too long: the largest number first, 0 never.
    pub(crate) drop: u8,
    /// The smallest width in terminal columns to which it may be cut; 0 if it must not be cut.
    pub(crate) least: usize,
}

impl Column {
    /// A column of numbers.
    pub(crate) const fn number(head: &'static str, drop: u8) -> Self {
        Self { head, right: true, drop, least: 0 }
    }

    /// A column of words.
    pub(crate) const fn word(head: &'static str, drop: u8) -> Self {
        Self { head, right: false, drop, least: 0 }
    }

    /// A column of words that may be cut.
    pub(crate) const fn text(head: &'static str, drop: u8, least: usize) -> Self {
        Self { head, right: false, drop, least }
    }
}

/// A row of cells, or a horizontal rule with a text.
pub(crate) enum Row {
    Cells(Vec<(Style, String)>),
    Rule(String),
}

/// The lines of a table of at most `line_width` terminal columns, with the column heads first.
pub(crate) fn lines(columns: &[Column], rows: &[Row], line_width: usize) -> Vec<Line> {
    let mut natural: Vec<usize> = columns.iter().map(|column| width(column.head)).collect();
    for row in rows {
        if let Row::Cells(cells) = row {
            for (wide, (_, text)) in natural.iter_mut().zip(cells) {
                *wide = (*wide).max(width(text));
            }
        }
    }
    let widths = column_widths(columns, &natural, line_width);
    let mut lines = Vec::with_capacity(rows.len() + 1);
    let heads: Vec<_> =
        columns.iter().map(|column| (Style::Faint, column.head.to_owned())).collect();
    lines.push(line(columns, &widths, &heads));
    for row in rows {
        lines.push(match row {
            Row::Cells(cells) => line(columns, &widths, cells),
            Row::Rule(text) => rule(text, line_width),
        });
    }
    lines
}

/// The widths of the columns; 0 for a dropped column.
fn column_widths(columns: &[Column], natural: &[usize], line_width: usize) -> Vec<usize> {
    let least = |at: usize, wide: usize| match columns[at].least {
        0 => wide,
        least => least.min(wide),
    };
    let mut widths: Vec<usize> =
        natural.iter().enumerate().map(|(at, wide)| least(at, *wide)).collect();
    let total = |widths: &[usize]| -> usize {
        widths.iter().filter(|wide| **wide > 0).map(|wide| wide + GAP).sum::<usize>()
    };
    while total(&widths) > line_width + GAP {
        let droppable = (0..columns.len()).filter(|&at| columns[at].drop > 0 && widths[at] > 0);
        let Some(at) = droppable.max_by_key(|&at| columns[at].drop) else { break };
        widths[at] = 0;
    }
    for at in 0..columns.len() {
        if widths[at] > 0 {
            let free = (line_width + GAP).saturating_sub(total(&widths));
            widths[at] = natural[at].min(widths[at] + free);
        }
    }
    widths
}

/// The number of blanks between columns.
const GAP: usize = 2;

fn line(columns: &[Column], widths: &[usize], cells: &[(Style, String)]) -> Line {
    let mut line = Line::default();
    for ((column, &wide), (style, text)) in columns.iter().zip(widths).zip(cells) {
        if wide == 0 {
            continue;
        }
        if line.width() > 0 {
            line.push(Style::Plain, " ".repeat(GAP));
        }
        let text = short(text, wide);
        let blanks = " ".repeat(wide - width(&text).min(wide));
        if column.right {
            line.push(Style::Plain, blanks);
            line.push(*style, text);
        } else {
            line.push(*style, text);
            line.push(Style::Plain, blanks);
        }
    }
    line
}

/// The text, cut to this width and ended with `…` if it is too long.
pub(crate) fn short(text: &str, wide: usize) -> String {
    if width(text) <= wide {
        return text.to_owned();
    }
    format!("{}…", cut(text, wide.saturating_sub(1)).trim_end())
}

/// `── words ─────`
fn rule(text: &str, line_width: usize) -> Line {
    let text = short(&format!("── {text} "), line_width);
    let rest = "─".repeat(line_width.saturating_sub(width(&text)).min(80));
    Line::styled(Style::Alarm, text + &rest)
}

/// Wraps text into lines of at most `line_width` columns. The first line keeps its indentation; the others are indented
/// by `indent` blanks.
pub(crate) fn wrapped(text: &str, line_width: usize, indent: usize) -> Vec<String> {
    let blanks = text.len() - text.trim_start().len();
    let mut lines = Vec::new();
    let mut line = " ".repeat(blanks);
    let mut has_text = false;
    for word in text.split_whitespace() {
        if has_text && width(&line) + 1 + width(word) > line_width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            has_text = false;
        }
        if has_text {
            line.push(' ');
        }
        line.push_str(word);
        has_text = true;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Paint;

    fn text(line_width: usize) -> Vec<String> {
        let columns = [Column::number("n", 0), Column::text("words", 0, 4), Column::word("x", 1)];
        let cell = |text: &str| (Style::Plain, text.to_owned());
        let rows = [
            Row::Cells(vec![cell("12"), cell("a long text"), cell("more")]),
            Row::Rule("here".to_owned()),
            Row::Cells(vec![cell("3"), cell("b"), cell("")]),
        ];
        lines(&columns, &rows, line_width)
            .iter()
            .map(|line| line.render(line_width, Paint::Plain))
            .collect()
    }

    #[test]
    fn columns_are_dropped_and_cut_to_fit() {
        let wide = text(30);
        assert_eq!(wide[0], " n  words        x");
        assert_eq!(wide[1], "12  a long text  more");
        assert_eq!(wide[2], "── here ──────────────────────");
        assert_eq!(text(16)[1], "12  a lon…  more");
        assert_eq!(text(9)[1], "12  a lo…");
    }

    #[test]
    fn words_are_wrapped() {
        assert_eq!(wrapped("one two three four", 9, 2), ["one two", "  three", "  four"]);
        assert_eq!(wrapped("  one two", 80, 2), ["  one two"]);
        assert_eq!(wrapped("", 80, 2), [""]);
    }
}
