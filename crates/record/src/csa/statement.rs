//! Splits lines into statements: `,` separates several on one line, and a comment reaches to the end of its line.

use crate::{Omission, Omissions};

/// The statement that begins at the byte `from` of a line, with that byte. `from` moves on to the next statement.
///
/// Names and `$` keys may contain commas: they end only at a comma that another statement follows.
pub(super) fn next_statement<'a>(line: &'a str, from: &mut usize) -> Option<(usize, &'a str)> {
    let start = *from;
    let text = line.get(start..)?;
    if text.is_empty() && start > 0 {
        *from = line.len() + 1;
        return None;
    }
    let end = match text.as_bytes().first() {
        Some(b'\'') => None,
        Some(b'N' | b'$') => ending_comma(text),
        _ => text.find(','),
    };
    *from = start + end.map_or(text.len(), |end| end) + 1;
    Some((start, &text[..end.unwrap_or(text.len())]))
}

/// The first comma that another statement follows.
fn ending_comma(text: &str) -> Option<usize> {
    text.match_indices(',').map(|(at, _)| at).find(|at| is_statement(&text[at + 1..]))
}

/// Changes the commas of a value that would end it when it is read, and drops control characters. Both are counted
/// as omissions.
pub(super) fn protect(value: &str, omissions: &mut Omissions) -> String {
    let mut clean = String::with_capacity(value.len());
    push_printed(&mut clean, value, omissions);
    let ending = clean.match_indices(',').map(|(at, _)| at);
    let ending: Vec<usize> = ending.filter(|at| is_statement(&clean[at + 1..])).collect();
    let mut text = clean;
    for at in ending {
        text.replace_range(at..=at, ";");
        omissions.add(Omission::Characters);
    }
    text
}

/// Whether a statement begins here. Looks at a limited number of characters.
fn is_statement(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    match bytes {
        [b'\'', ..] | [b'N', b'+' | b'-', ..] | [b'P', b'I' | b'+' | b'-' | b'1'..=b'9', ..] => {
            true
        }
        [b'$', ..] => {
            let key = bytes[1..].iter().take(40).take_while(|b| is_key_byte(**b)).count();
            key > 0 && bytes.get(1 + key) == Some(&b':')
        }
        [b'V' | b'T', ..] => digit(1),
        [b'%', ..] => upper(1) || matches!(bytes.get(1), Some(b'+' | b'-')) && upper(2),
        [b'+' | b'-', ..] => {
            matches!(bytes.get(1), None | Some(b',')) || (1..=4).all(digit) && upper(5) && upper(6)
        }
        _ => false,
    }
}

/// Whether a byte may be part of the name of a `$` key.
pub(super) const fn is_key_byte(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'+' | b'-')
}

/// Adds a text without its control characters, which are counted as omissions.
pub(super) fn push_printed(text: &mut String, line: &str, omissions: &mut Omissions) {
    let mut steering = 0;
    text.extend(line.chars().filter(|c| {
        steering += usize::from(c.is_control());
        !c.is_control()
    }));
    omissions.add_many(Omission::Characters, steering);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<&str> {
        let mut from = 0;
        std::iter::from_fn(|| next_statement(line, &mut from)).map(|(_, text)| text).collect()
    }

    #[test]
    fn commas_join_statements() {
        assert_eq!(split("V2.2,N+a,N-b,PI,+"), ["V2.2", "N+a", "N-b", "PI", "+"]);
        assert_eq!(split("+7776FU,T3,-3334FU,T2"), ["+7776FU", "T3", "-3334FU", "T2"]);
        assert_eq!(split("+7776FU,"), ["+7776FU"]);
        assert_eq!(split(""), [""]);
    }

    #[test]
    fn a_comment_keeps_its_commas() {
        assert_eq!(split("+7776FU,T3,'a, b,T4"), ["+7776FU", "T3", "'a, b,T4"]);
        assert_eq!(split("'a,b"), ["'a,b"]);
    }

    #[test]
    fn a_name_keeps_its_commas() {
        assert_eq!(split("$EVENT:Final, round 2,N+a, b"), ["$EVENT:Final, round 2", "N+a, b"]);
    }

    #[test]
    fn a_protected_value_stays_one_statement() {
        for value in ["a,+7776FU", "a,T3,+", "x,N+y,$EVENT:z", "plain, text", ",'"] {
            let line = format!("N+{}", protect(value, &mut Omissions::new()));
            assert_eq!(split(&line).len(), 1, "{line}");
        }
        let mut omissions = Omissions::new();
        assert_eq!(protect("plain, text", &mut omissions), "plain, text");
        assert!(omissions.is_empty());
        assert_eq!(protect("a,T3\u{7},+", &mut omissions), "a;T3;+");
        assert_eq!(omissions.to_string(), "3 characters");
    }
}
