//! Styled lines, and their text with escape sequences.

use super::text;

/// The style of a piece of text. Colour is never the only way information is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Style {
    #[default]
    Plain,
    /// Less important text.
    Faint,
    /// A heading, a name, the side to move.
    Strong,
    /// The last move.
    Marked,
    /// White's pieces.
    Other,
    /// A warning.
    Alarm,
}

impl Style {
    const fn escape(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Faint => "\x1b[2m",
            Self::Strong => "\x1b[1m",
            Self::Marked => "\x1b[30;43m",
            Self::Other => "\x1b[36m",
            Self::Alarm => "\x1b[33m",
        }
    }
}

/// Whether escape sequences for colour and weight are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Colour,
}

/// One line of the screen: pieces of text with one style each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line(Vec<(Style, String)>);

impl Line {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self(vec![(Style::Plain, text.into())])
    }

    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        Self(vec![(style, text.into())])
    }

    pub(crate) fn push(&mut self, style: Style, text: impl Into<String>) {
        self.0.push((style, text.into()));
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, piece)| text::width(piece)).sum()
    }

    /// This line, filled with blanks to `column`, followed by the other line.
    pub(crate) fn beside(mut self, column: usize, other: Self) -> Self {
        let missing = column.saturating_sub(self.width());
        self.push(Style::Plain, " ".repeat(missing));
        self.0.extend(other.0);
        self
    }

    /// The text for a terminal of this number of columns, without trailing blanks.
    pub(crate) fn render(&self, columns: usize, paint: Paint) -> String {
        let mut rendered = String::new();
        let mut left = columns;
        for (style, piece) in &self.0 {
            let piece = text::cut(piece, left);
            left -= text::width(piece).min(left);
            let escape = style.escape();
            if paint == Paint::Colour && !escape.is_empty() && !piece.is_empty() {
                rendered.push_str(escape);
                rendered.push_str(piece);
                rendered.push_str("\x1b[0m");
            } else {
                rendered.push_str(piece);
            }
        }
        rendered.truncate(rendered.trim_end().len());
        rendered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_by_columns_and_not_by_letters() {
        let mut line = Line::plain("歩");
        line.push(Style::Marked, "香桂");
        assert_eq!(line.render(5, Paint::Plain), "歩香");
        assert_eq!(line.render(4, Paint::Colour), "歩\x1b[30;43m香\x1b[0m");
        assert_eq!(line.width(), 6);
    }
}
