//! Bytes of a record file to text, and back.

use std::fmt;

use encoding_rs::{EUC_JP, SHIFT_JIS, UTF_8};

use super::{Losses, LostPart};

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

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Utf8, Self::ShiftJis, Self::EucJp];

    /// Its name: `UTF-8`, `Shift_JIS`, `EUC-JP`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::ShiftJis => "Shift_JIS",
            Self::EucJp => "EUC-JP",
        }
    }

    /// The encoding of a name as files and people write it: `utf8`, `SJIS`, `cp932`, `euc-jp` too.
    pub fn by_name(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        match plain.as_str() {
            "utf8" => Some(Self::Utf8),
            "shiftjis" | "sjis" | "cp932" | "ms932" | "windows31j" => Some(Self::ShiftJis),
            "eucjp" => Some(Self::EucJp),
            _ => None,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The bytes of a text. Characters that the encoding does not have become `?`, and are counted as
/// lost.
pub fn encode(text: &str, encoding: Encoding, losses: &mut Losses) -> Vec<u8> {
    let mut encoder = table(encoding).new_encoder();
    let mut bytes = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    loop {
        // Each call gets what it asks for, so it ends only at the end or at a missing character.
        let most = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(most.unwrap_or(rest.len() * 2));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            encoding_rs::EncoderResult::InputEmpty => return bytes,
            encoding_rs::EncoderResult::OutputFull => {}
            encoding_rs::EncoderResult::Unmappable(_) => {
                losses.add(LostPart::Characters);
                bytes.push(b'?');
            }
        }
    }
}

/// The text of a record file, and the encoding found: a byte order mark, else what the first line
/// declares (CSA 3.0 and KIF do) if the bytes agree with it, else UTF-8 if they are that, else the more plausible one of
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

/// The text of bytes that are known to be in this encoding, and whether they all were: others become
/// replacement characters. A byte order mark is left out.
pub fn decode_as(bytes: &[u8], encoding: Encoding) -> (String, bool) {
    let (text, had_faults) = table(encoding).decode_with_bom_removal(bytes);
    (text.into_owned(), !had_faults)
}

/// The encoding that the first line declares: `'CSA encoding=UTF-8`, `#KIF version=2.0 encoding=UTF-8`.
fn declared(bytes: &[u8]) -> Option<Encoding> {
    if !matches!(bytes.first(), Some(b'\'' | b'#')) {
        return None;
    }
    let line =
        bytes.get(..bytes.len().min(200))?.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let line = std::str::from_utf8(line).ok()?;
    let name = line.split_once("encoding=")?.1;
    Encoding::by_name(name.split_ascii_whitespace().next()?)
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
