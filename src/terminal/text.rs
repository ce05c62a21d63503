//! Text on a terminal: removes unsafe characters, and measures and cuts text by columns.

/// Removes all characters that a terminal would act on instead of showing them: control characters (also C1), line
/// ends, and marks that are invisible or change the writing direction.
///
/// ```
/// use kyomi::terminal::clean;
/// assert_eq!(clean("\u{1b}[2Jmallory\r\n\u{202e}"), "[2Jmallory");
/// ```
pub fn clean(text: &str) -> String {
    text.chars().filter(|c| !is_hidden(*c)).collect()
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The number of columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The text cut to at most `columns_wide` columns.
pub(crate) fn cut(text: &str, columns_wide: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > columns_wide {
            return &text[..at];
        }
    }
    text
}

/// The text cut or filled with blanks to exactly this number of columns.
pub(super) fn fit(text: &str, columns_wide: usize) -> String {
    let mut fitted = cut(text, columns_wide).to_owned();
    let missing = columns_wide.saturating_sub(width(&fitted));
    fitted.extend(std::iter::repeat_n(' ', missing));
    fitted
}

/// The number of columns of a character: two for wide East Asian ones, none for combining marks.
fn columns(c: char) -> usize {
    match c {
        _ if c.is_ascii() => 1,
        '\u{300}'..='\u{36f}'
        | '\u{3099}'..='\u{309a}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff01}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_is_left() {
        let hostile = "a\u{0}\u{7}\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{feff}\tb\r\n";
        assert_eq!(clean(hostile), "a]0;x31mb");
        assert_eq!(clean("日本語 ñ €"), "日本語 ñ €");
    }

    #[test]
    fn japanese_takes_two_columns() {
        assert_eq!(width("v歩"), 3);
        assert_eq!(width("７六歩(77)"), 10);
        assert_eq!(fit("歩香桂", 5), "歩香 ");
        assert_eq!(fit("ab", 4), "ab  ");
        assert_eq!(cut("歩", 1), "");
    }
}
