//! Tables on the terminal, and the same rows as CSV.

use crate::terminal::{
    Paint, Style, clean,
    grid::{self, Column, Row},
};

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
        let columns: Vec<Column> = self
            .heading
            .iter()
            .map(|name| match name.strip_prefix('>') {
                Some(name) => Column::number(name, 0),
                None => Column::word(name, 0),
            })
            .collect();
        let cell = |cell: &String| (Style::Plain, grid::short(&clean(cell), widest));
        let rows: Vec<Row> =
            self.rows.iter().map(|row| Row::Cells(row.iter().map(cell).collect())).collect();
        let lines = grid::lines(&columns, &rows, ANY_WIDTH);
        lines.iter().map(|line| line.render(ANY_WIDTH, Paint::Plain) + "\n").collect()
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

/// The output may be a file.
const ANY_WIDTH: usize = 1 << 20;

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
