//! Well-formed elements and escaped text.

use std::fmt::Write as _;

use kyomi_record::html::escaped;

/// Builds an SVG element. All elements are opened and closed here, and all text is escaped here.
pub(super) struct Markup(String);

impl Markup {
    /// A picture of this size, shown at a width of `pixels` (default: `width`) unless a style sheet sets another.
    pub(super) fn new(width: f64, height: f64, pixels: Option<u32>) -> Self {
        let shown_width = pixels.map_or(width, f64::from);
        let shown_height = (shown_width * height / width).round();
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{shown_width}\" \
             height=\"{shown_height}\" viewBox=\"0 0 {width} {height}\" stroke-linejoin=\"round\" \
             font-family=\"{FONTS}\">\n"
        ))
    }

    /// The finished picture.
    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    /// Opens a group.
    pub(super) fn open(&mut self, attributes: &str) {
        let _ = writeln!(self.0, "<g {attributes}>");
    }

    /// Closes the last group.
    pub(super) fn close(&mut self) {
        self.0.push_str("</g>\n");
    }

    /// An element with text and without attributes.
    pub(super) fn leaf(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.0, "<{name}>{}</{name}>", escaped(text));
    }

    pub(super) fn rect(&mut self, at: (f64, f64), size: (f64, f64), attributes: &str) {
        let ((x, y), (width, height)) = (at, size);
        let _ = writeln!(
            self.0,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {attributes}/>"
        );
    }

    pub(super) fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: &str) {
        let _ = writeln!(self.0, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>");
    }

    pub(super) fn path(&mut self, path: &str, attributes: &str) {
        let _ = writeln!(self.0, "<path d=\"{path}\" {attributes}/>");
    }

    pub(super) fn text(&mut self, at: (f64, f64), size: f64, attributes: &str, text: &str) {
        let ((x, y), text) = (at, escaped(text));
        let _ = writeln!(
            self.0,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" {attributes}>{text}</text>"
        );
    }

    /// Text with the attributes of the enclosing group.
    pub(super) fn label(&mut self, (x, y): (f64, f64), text: &str) {
        let _ = writeln!(self.0, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
    }
}

/// Japanese fonts of the common systems: macOS and iOS, Windows, Linux.
const FONTS: &str = "'Hiragino Kaku Gothic ProN','Hiragino Sans','Yu Gothic','Meiryo',\
    'Noto Sans CJK JP','Noto Sans JP','IPAexGothic','TakaoPGothic','VL PGothic','VL Gothic',\
    'MS PGothic',sans-serif";

/// The text and a font size with which it takes at most `room`: the size is reduced first, then the text is cut.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> (String, f64) {
    let ems: f64 = text.chars().take(MOST).map(advance).sum();
    let fitting = (room / ems * 10.0).floor() / 10.0;
    if ems * size <= room {
        return (text.to_owned(), size);
    }
    if fitting >= size * SMALLEST && text.chars().nth(MOST).is_none() {
        return (text.to_owned(), fitting);
    }
    let size = size * SMALLEST;
    let mut left = room / size - 1.0;
    let cut: String = text
        .chars()
        .take_while(|c| {
            left -= advance(*c);
            left >= 0.0
        })
        .collect();
    (cut + "…", size)
}

/// The largest number of characters that are measured; more never fit.
const MOST: usize = 1000;

/// The smallest factor by which text is shrunk before it is cut.
const SMALLEST: f64 = 0.75;

/// The approximate width of a character in ems, estimated generously.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'l' | 'j' | 't' | 'f' | '.' | ',' | ' ' | '(' | ')' => 0.4,
        'W' | 'M' | 'w' | 'm' | '@' | '%' => 0.95,
        'A'..='Z' => 0.75,
        _ if c.is_ascii() => 0.62,
        '\u{a0}'..='\u{10ff}' => 0.75,
        '\u{ff61}'..='\u{ff9f}' => 0.6,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_gets_a_smaller_font_and_is_then_cut() {
        assert_eq!(fitted("歩歩歩歩", 10.0, 40.0), ("歩歩歩歩".to_owned(), 10.0));
        assert_eq!(fitted("歩歩歩歩歩", 10.0, 40.0), ("歩歩歩歩歩".to_owned(), 8.0));
        assert_eq!(fitted("歩歩歩歩歩歩", 10.0, 40.0), ("歩歩歩歩…".to_owned(), 7.5));
        let endless = "い".repeat(100_000);
        assert_eq!(fitted(&endless, 10.0, 40.0).0, "いいいい…");
        assert_eq!(fitted("", 10.0, 40.0), (String::new(), 10.0));
    }
}
