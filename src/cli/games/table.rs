//! Tables on the terminal, and the same rows as CSV.

use std::fmt::Write as _;

use crate::terminal::{clean, cut, width};

/// A table with a heading. Columns whose heading begins with `>` are aligned to the right.
#[derive(Debug, Default)]
pub(super) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(heading: &[&'static str]) -> Self {
        Self { heading: heading.to_vec(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table for a terminal, with columns of at most `widest` columns.
    pub(super) fn text(&self, widest: usize) -> String {
        let cells: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| shortened(&clean(cell), widest)).collect())
            .collect();
        let heading: Vec<String> =
            self.heading.iter().map(|name| name.trim_start_matches('>').to_owned()).collect();
        let widths: Vec<usize> = (0..heading.len())
            .map(|column| {
                let of = |row: &Vec<String>| row.get(column).map_or(0, |cell| width(cell));
                cells.iter().map(of).chain([width(&heading[column])]).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in std::iter::once(&heading).chain(&cells) {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let missing = " ".repeat(widths[column].saturating_sub(width(cell)));
                let is_right = self.heading[column].starts_with('>');
                let _ = if is_right {
                    write!(line, "{missing}{cell}  ")
                } else {
                    write!(line, "{cell}{missing}  ")
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The rows as CSV, with the heading as the first.
    pub(super) fn csv(&self) -> String {
        let heading = self.heading.iter().map(|name| name.trim_start_matches('>').to_owned());
        let mut text = csv_line(heading);
        for row in &self.rows {
            text.push_str(&csv_line(row.iter().cloned()));
        }
        text
    }
}

/// A cell of at most `widest` columns; one that was cut ends with `…`.
fn shortened(cell: &str, widest: usize) -> String {
    if width(cell) <= widest {
        return cell.to_owned();
    }
    format!("{}…", cut(cell, widest.saturating_sub(1)))
}

/// A line of CSV, ended by LF: fields with a comma, a quote or a line end are quoted.
fn csv_line(fields: impl Iterator<Item = String>) -> String {
    let quoted = fields.map(|field| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["name", ">games"]);
        table.row(vec!["歩香".into(), "7".into()]);
        table.row(vec!["a,\u{1b}\"b".into(), "12345678".into()]);
        assert_eq!(table.text(40), "name     games\n歩香         7\na,\"b  12345678\n");
        assert_eq!(table.text(5), "name  games\n歩香      7\na,\"b  1234…\n");
        assert_eq!(table.csv(), "name,games\n歩香,7\n\"a,\u{1b}\"\"b\",12345678\n");
    }
}
