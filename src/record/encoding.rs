//! Bytes of a record file to text.

use encoding_rs::{EUC_JP, SHIFT_JIS, UTF_8};

/// The encoding a file was found to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, ASCII included.
    Utf8,
    /// `Shift_JIS` (Windows code page 932).
    ShiftJis,
    /// EUC-JP, as shogi-server writes.
    EucJp,
}

/// The text of a record file, and the encoding found: a byte order mark, else the encoding line of
/// CSA 3.0 if the bytes agree with it, else UTF-8 if they are that, else the more plausible one of
/// `Shift_JIS` and EUC-JP. Never fails: bytes that fit nothing become replacement characters.
pub fn decode(bytes: &[u8]) -> (String, Encoding) {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return (String::from_utf8_lossy(rest).into_owned(), Encoding::Utf8);
    }
    if let Some(declared) = declared(bytes)
        && let Some(text) = decode_strictly(bytes, declared)
    {
        return (text, declared);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), Encoding::Utf8);
    }
    let candidates = [Encoding::ShiftJis, Encoding::EucJp]
        .map(|encoding| (decode_strictly(bytes, encoding), encoding));
    let best = candidates
        .into_iter()
        .filter_map(|(text, encoding)| text.map(|text| (implausible(&text), text, encoding)))
        .min_by_key(|(implausible, ..)| *implausible);
    match best {
        Some((_, text, encoding)) => (text, encoding),
        None => lossy(bytes),
    }
}

/// The encoding that the first line of a CSA 3.0 file declares.
fn declared(bytes: &[u8]) -> Option<Encoding> {
    let rest = bytes.strip_prefix(b"'CSA encoding=")?;
    let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
    match rest[..end].trim_ascii().to_ascii_uppercase().as_slice() {
        b"UTF-8" | b"UTF8" => Some(Encoding::Utf8),
        b"SHIFT_JIS" | b"SHIFT-JIS" | b"SJIS" => Some(Encoding::ShiftJis),
        b"EUC-JP" | b"EUC_JP" => Some(Encoding::EucJp),
        _ => None,
    }
}

fn decode_strictly(bytes: &[u8], encoding: Encoding) -> Option<String> {
    table(encoding)
        .decode_without_bom_handling_and_without_replacement(bytes)
        .map(std::borrow::Cow::into_owned)
}

/// What fits nothing strictly: the encoding with the fewest replacement characters.
fn lossy(bytes: &[u8]) -> (String, Encoding) {
    let [first, rest @ ..] =
        [Encoding::Utf8, Encoding::ShiftJis, Encoding::EucJp].map(|encoding| {
            (table(encoding).decode_without_bom_handling(bytes).0.into_owned(), encoding)
        });
    let faults = |text: &str| text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    rest.into_iter().fold(
        first,
        |best, next| {
            if faults(&next.0) < faults(&best.0) { next } else { best }
        },
    )
}

/// How little a text looks like Japanese: half-width kana and user-defined characters are what
/// one encoding's text becomes when read in the other.
fn implausible(text: &str) -> usize {
    text.chars()
        .filter(|c| matches!(c, '\u{FF61}'..='\u{FF9F}' | '\u{E000}'..='\u{F8FF}' | '\u{80}'..='\u{9F}'))
        .count()
}

fn table(encoding: Encoding) -> &'static encoding_rs::Encoding {
    match encoding {
        Encoding::Utf8 => UTF_8,
        Encoding::ShiftJis => SHIFT_JIS,
        Encoding::EucJp => EUC_JP,
    }
}
