//! Bars of text.

use std::fmt::Write as _;

use crate::terminal::width;

/// A bar for each value, with its label and number; the longest has `most` columns.
pub(super) fn bars(values: &[(String, u64)], most: usize) -> String {
    let largest = values.iter().map(|(_, value)| *value).max().unwrap_or(0).max(1);
    let widest = values.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    let mut text = String::new();
    for (label, value) in values {
        let missing = " ".repeat(widest - width(label));
        let eighths = (u128::from(*value) * most as u128 * 8 / u128::from(largest)) as usize;
        let bar = "█".repeat(eighths / 8);
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        let _ = writeln!(text, "  {missing}{label} {bar}{rest} {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_values() {
        let values = [("a".to_owned(), 8), ("bb".to_owned(), 3), ("c".to_owned(), 0)];
        assert_eq!(bars(&values, 4), "   a ████ 8\n  bb █▌ 3\n   c  0\n");
        assert_eq!(bars(&[], 4), "");
    }
}
