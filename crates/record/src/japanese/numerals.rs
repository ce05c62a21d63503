//! Numbers in Japanese texts: half- and full-width digits, and kanji numerals.

/// A digit in half or full width.
pub(super) fn arabic(c: char) -> Option<u8> {
    match c {
        '0'..='9' => Some(c as u8 - b'0'),
        '０'..='９' => Some((u32::from(c) - u32::from('０')) as u8),
        _ => None,
    }
}

/// A digit of any kind, including `一` and `〇`.
pub(super) fn digit(c: char) -> Option<u8> {
    const NUMERALS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    arabic(c)
        .or_else(|| NUMERALS.iter().position(|numeral| *numeral == c).map(|index| index as u8))
        .or_else(|| (c == '零').then_some(0))
}

/// Reads the number at the beginning of a text, and returns it with its length in bytes: `18`, `１８`, `十八`, `二十`. A
/// number beyond 64 bits becomes the largest one.
pub(super) fn number(text: &str) -> Option<(u64, usize)> {
    let (mut total, mut current) = (0_u64, None::<u64>);
    let mut length = 0;
    for c in text.chars() {
        if let Some(digit) = digit(c) {
            let before = current.unwrap_or(0);
            current = Some(before.saturating_mul(10).saturating_add(u64::from(digit)));
        } else if let Some(scale) = match c {
            '十' => Some(10),
            '百' => Some(100),
            _ => None,
        } {
            total = total.saturating_add(current.take().unwrap_or(1).saturating_mul(scale));
        } else {
            break;
        }
        length += c.len_utf8();
    }
    (length > 0).then(|| (total.saturating_add(current.unwrap_or(0)), length))
}

/// As [`number`], but only of digits.
pub(super) fn digits(text: &str) -> Option<(u64, usize)> {
    let end = text.find(|c| arabic(c).is_none()).unwrap_or(text.len());
    number(&text[..end])
}

/// The text without the spaces of any width around it.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Whether a character is a space of any width.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_all_scripts() {
        for (text, expected) in [
            ("18", Some((18, 2))),
            ("１８手", Some((18, 6))),
            ("十八", Some((18, 6))),
            ("二十", Some((20, 6))),
            ("一〇三", Some((103, 9))),
            ("百二十", Some((120, 9))),
            ("99999999999999999999999", Some((u64::MAX, 23))),
            ("歩", None),
            ("", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        assert_eq!(digits("12三"), Some((12, 2)));
        assert_eq!(digits("三"), None);
        assert_eq!(trim("　 a　"), "a");
    }
}
