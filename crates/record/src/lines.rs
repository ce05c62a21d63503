//! Splits a text into lines with any line ends.

/// The first line of a text without its line end, and the number of bytes of both; `None` for an empty text. Lines
/// end with CR LF, with LF, or with CR alone, as on old Macintosh systems.
pub(super) fn first_line(text: &str) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return None;
    }
    let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(bytes.len());
    let ending = match bytes[end..] {
        [b'\r', b'\n', ..] => 2,
        [_, ..] => 1,
        [] => 0,
    };
    Some((&text[..end], end + ending))
}

/// All lines of a text, see [`first_line`].
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (line, length) = first_line(rest)?;
        rest = &rest[length..];
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        lines(text).collect()
    }

    #[test]
    fn lines_end_in_three_ways() {
        assert_eq!(all("a\r\nb\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(all("a\r\rb\r"), ["a", "", "b"]);
        assert_eq!(all("a\n\r\n\n"), ["a", "", ""]);
        assert_eq!(all("歩\r\n香"), ["歩", "香"]);
        assert_eq!(all("\r"), [""]);
        assert_eq!(all(""), [""; 0]);
    }
}
