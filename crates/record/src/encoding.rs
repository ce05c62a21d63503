//! Converts the bytes of a record file to text, and text to bytes.

use std::borrow::Cow;
use std::fmt;

use encoding_rs::{DecoderResult, EUC_JP, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE};

use super::lines::first_line;
use super::{Omission, Omissions, Place};

/// The encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, ASCII included.
    Utf8,
    /// `Shift_JIS` (Windows code page 932).
    ShiftJis,
    /// EUC-JP, as shogi-server writes.
    EucJp,
    /// ISO-2022-JP, used in mail.
    Iso2022Jp,
    /// UTF-16. Written with a byte order mark and little-endian; both byte orders are read.
    Utf16,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Self; 5] =
        [Self::Utf8, Self::ShiftJis, Self::EucJp, Self::Iso2022Jp, Self::Utf16];

    /// Its name: `UTF-8`, `Shift_JIS`, `EUC-JP`, `ISO-2022-JP`, `UTF-16`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::ShiftJis => "Shift_JIS",
            Self::EucJp => "EUC-JP",
            Self::Iso2022Jp => "ISO-2022-JP",
            Self::Utf16 => "UTF-16",
        }
    }

    /// The encoding of a name as it is used in files and by people, such as `utf8`, `SJIS`, `cp932` or `euc-jp`.
    /// UTF-16 has no name here: two files in it cannot be concatenated, and a file in it cannot declare it in ASCII.
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
            "iso2022jp" | "jis" => Some(Self::Iso2022Jp),
            _ => None,
        }
    }

    /// As [`by_name`](Self::by_name), and UTF-16 too. For files that are read as a whole.
    pub fn by_name_to_read(name: &str) -> Option<Self> {
        let is_utf16 = ["utf-16", "utf16"].iter().any(|known| name.eq_ignore_ascii_case(known));
        if is_utf16 { Some(Self::Utf16) } else { Self::by_name(name) }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text of a file whose encoding was not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// The encoding found.
    pub encoding: Encoding,
    /// The place of the first bytes that are no character of the encoding. All such bytes are read as `�`.
    pub broken: Option<Place>,
}

/// Encodes a text. A character that the encoding does not have becomes `?` and is added to `omissions`.
///
/// The JIS encodings lack some characters that are commonly written as another one, because Unicode has two code
/// points for one character of JIS: `〜` is written as `～`, `‖` as `∥`, `—` as `―`, `−` as `－`, and `¢£¬` in full
/// width. `¥` and `‾` are written in full width too, because their bytes would be read as `\` and `~`. `☗` and `☖`
/// are written as `▲` and `△`. Readers take each pair for the same character, so none of these is an omission.
pub fn encode(text: &str, encoding: Encoding, omissions: &mut Omissions) -> Vec<u8> {
    let text = match encoding {
        Encoding::Utf8 => return text.as_bytes().to_vec(),
        Encoding::Utf16 => {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            return [0xFF, 0xFE].into_iter().chain(units).collect();
        }
        Encoding::Iso2022Jp => {
            // Half-width katakana become full-width.
            let narrow = text.chars().filter(|c| matches!(c, '\u{FF61}'..='\u{FF9F}')).count();
            omissions.add_many(Omission::Characters, narrow);
            with_jis_equivalents(text)
        }
        Encoding::ShiftJis | Encoding::EucJp => with_jis_equivalents(text),
    };
    let mut encoder = table(encoding, &[]).new_encoder();
    let mut bytes = Vec::with_capacity(text.len() + 16);
    let mut rest = text.as_ref();
    loop {
        // The buffer always suffices, so each call ends at the end of the text or at a character that is missing.
        let most = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(most.unwrap_or(rest.len() * 2));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            encoding_rs::EncoderResult::InputEmpty => return bytes,
            encoding_rs::EncoderResult::OutputFull => {}
            encoding_rs::EncoderResult::Unmappable(_) => {
                omissions.add(Omission::Characters);
                bytes.push(b'?');
            }
        }
    }
}

/// Replaces characters that JIS has under another code point.
fn with_jis_equivalents(text: &str) -> Cow<'_, str> {
    if text.contains(|c| jis_equivalent(c).is_some()) {
        Cow::Owned(text.chars().map(|c| jis_equivalent(c).unwrap_or(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The character that JIS has in place of one that it lacks.
const fn jis_equivalent(c: char) -> Option<char> {
    Some(match c {
        '\u{301C}' => '\u{FF5E}',
        '\u{2016}' => '\u{2225}',
        '\u{2014}' => '\u{2015}',
        '\u{2212}' => '\u{FF0D}',
        '\u{A2}' => '\u{FFE0}',
        '\u{A3}' => '\u{FFE1}',
        '\u{AC}' => '\u{FFE2}',
        '\u{A5}' => '\u{FFE5}',
        '\u{203E}' => '\u{FFE3}',
        '☗' | '⛊' => '▲',
        '☖' | '⛉' => '△',
        _ => return None,
    })
}

/// Decodes a record file and reports the encoding found: that of a byte order mark, UTF-16 if every second byte is
/// often zero, ISO-2022-JP if there are its escape sequences, the encoding that the first line declares (in CSA 3.0
/// and KIF) if all bytes are valid in it, UTF-8 if they are valid in that, else the more plausible one of
/// `Shift_JIS` and EUC-JP. It never fails: invalid bytes become replacement characters.
pub fn decode(bytes: &[u8]) -> Decoded {
    for (mark, encoding) in MARKS {
        if let Some(rest) = bytes.strip_prefix(mark) {
            return lossy(rest, encoding, table(encoding, bytes));
        }
    }
    if let Some(table) = unmarked_utf16(bytes) {
        return lossy(bytes, Encoding::Utf16, table);
    }
    if bytes.is_ascii() && bytes.windows(3).any(|escape| JIS_ESCAPES.contains(&escape)) {
        return lossy(bytes, Encoding::Iso2022Jp, ISO_2022_JP);
    }
    if let Some(declared) = declared(bytes)
        && let Some(text) = decode_strictly(bytes, declared)
    {
        return Decoded { text, encoding: declared, broken: None };
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Decoded { text: text.to_owned(), encoding: Encoding::Utf8, broken: None };
    }
    if is_half_width_kana(bytes)
        && let Some(text) = decode_strictly(bytes, Encoding::ShiftJis)
    {
        return Decoded { text, encoding: Encoding::ShiftJis, broken: None };
    }
    let candidates = [Encoding::ShiftJis, Encoding::EucJp]
        .map(|encoding| (decode_strictly(bytes, encoding), encoding));
    let best = candidates
        .into_iter()
        .filter_map(|(text, encoding)| text.map(|text| (implausible(&text), text, encoding)))
        .min_by_key(|(implausible, ..)| *implausible);
    match best {
        Some((_, text, encoding)) => Decoded { text, encoding, broken: None },
        None => least_broken(bytes),
    }
}

/// Decodes bytes in a known encoding, and reports whether all were valid. Invalid bytes become replacement
/// characters. A byte order mark is left out.
pub fn decode_as(bytes: &[u8], encoding: Encoding) -> (String, bool) {
    let (text, had_faults) = table(encoding, bytes).decode_with_bom_removal(bytes);
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
    table(encoding, bytes)
        .decode_without_bom_handling_and_without_replacement(bytes)
        .map(Cow::into_owned)
}

/// Decodes with replacement characters, and reports the place of the first invalid bytes.
fn lossy(bytes: &[u8], encoding: Encoding, table: &'static encoding_rs::Encoding) -> Decoded {
    let (text, had_faults) = table.decode_without_bom_handling(bytes);
    let broken = if had_faults { first_broken(bytes, table) } else { None };
    Decoded { text: text.into_owned(), encoding, broken }
}

/// Decodes bytes that are valid in no encoding, in the one with the fewest replacement characters.
fn least_broken(bytes: &[u8]) -> Decoded {
    let faults = |encoding| {
        let (text, _) = table(encoding, bytes).decode_without_bom_handling(bytes);
        text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count()
    };
    let (mut best, mut fewest) = (Encoding::Utf8, faults(Encoding::Utf8));
    for encoding in [Encoding::ShiftJis, Encoding::EucJp] {
        let faults = faults(encoding);
        if faults < fewest {
            (best, fewest) = (encoding, faults);
        }
    }
    lossy(bytes, best, table(best, bytes))
}

/// The place of the first invalid bytes.
fn first_broken(bytes: &[u8], table: &'static encoding_rs::Encoding) -> Option<Place> {
    let mut decoder = table.new_decoder_without_bom_handling();
    let most = decoder.max_utf8_buffer_length_without_replacement(bytes.len())?;
    let mut before = String::with_capacity(most);
    let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut before, true);
    matches!(result, DecoderResult::Malformed(..)).then(|| place_after(&before))
}

/// The place after the last character of a text.
fn place_after(text: &str) -> Place {
    let (mut rest, mut number) = (text, 1);
    while let Some((line, length)) = first_line(rest) {
        if line.len() == length {
            break;
        }
        rest = &rest[length..];
        number += 1;
    }
    Place::text(number, rest.chars().count() + 1)
}

/// Counts the characters that hardly occur in Japanese text: half-width katakana, user-defined characters and
/// control characters. Text in one encoding that is read in another has many of them.
fn implausible(text: &str) -> usize {
    text.chars()
        .filter(|c| matches!(c, '\u{FF61}'..='\u{FF9F}' | '\u{E000}'..='\u{F8FF}' | '\u{80}'..='\u{9F}'))
        .count()
}

/// Whether all bytes beyond ASCII are correctly spelt half-width katakana in `Shift_JIS`. EUC-JP would read these as
/// kanji, of which at least a quarter are rare (JIS level 2). Names rarely have as many.
fn is_half_width_kana(bytes: &[u8]) -> bool {
    let (mut kanji, mut rare, mut before) = (0_usize, 0_usize, b' ');
    let mut is_second = false;
    for &byte in bytes {
        let is_spelt = match byte {
            0xA5 | 0xA7..=0xB0 => before >= 0xA6,
            0xA6 | 0xB1..=0xDD => true,
            // Voiced and semi-voiced sound marks, after a character that can have them.
            0xDE => matches!(before, 0xB3 | 0xB6..=0xC4 | 0xCA..=0xCE),
            0xDF => matches!(before, 0xCA..=0xCE),
            byte => byte.is_ascii(),
        };
        if !is_spelt {
            return false;
        }
        is_second = !byte.is_ascii() && !is_second;
        kanji += usize::from(is_second);
        rare += usize::from(is_second && byte >= 0xD0);
        before = byte;
    }
    rare > 0 && rare * 4 >= kanji
}

/// The byte order of UTF-16 without a byte order mark. The spaces, digits and letters at the beginning of a record
/// have zero bytes on one side.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let (pairs, _) = bytes.get(..bytes.len().min(1024))?.as_chunks::<2>();
    let high = pairs.iter().filter(|[first, second]| *first == 0 && *second != 0).count();
    let low = pairs.iter().filter(|[first, second]| *first != 0 && *second == 0).count();
    let is_mostly = |zeros: usize, others: usize| zeros * 6 > pairs.len() && others * 8 <= zeros;
    if is_mostly(low, high) {
        Some(UTF_16LE)
    } else if is_mostly(high, low) {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The decoder of an encoding. For UTF-16 the byte order mark or the zeros of `bytes` decide the byte order.
fn table(encoding: Encoding, bytes: &[u8]) -> &'static encoding_rs::Encoding {
    match encoding {
        Encoding::Utf8 => UTF_8,
        Encoding::ShiftJis => SHIFT_JIS,
        Encoding::EucJp => EUC_JP,
        Encoding::Iso2022Jp => ISO_2022_JP,
        Encoding::Utf16 if bytes.starts_with(&[0xFE, 0xFF]) => UTF_16BE,
        Encoding::Utf16 if bytes.starts_with(&[0xFF, 0xFE]) => UTF_16LE,
        Encoding::Utf16 => unmarked_utf16(bytes).unwrap_or(UTF_16LE),
    }
}

/// Byte order marks.
const MARKS: [(&[u8], Encoding); 3] = [
    (b"\xEF\xBB\xBF", Encoding::Utf8),
    (b"\xFF\xFE", Encoding::Utf16),
    (b"\xFE\xFF", Encoding::Utf16),
];

/// Escape sequences after which two bytes are one character.
const JIS_ESCAPES: [&[u8]; 2] = [b"\x1B$B", b"\x1B$@"];

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "先手：歩\n▲７六歩\n";

    #[test]
    fn every_written_encoding_is_detected() {
        for encoding in Encoding::ALL {
            let mut omissions = Omissions::new();
            let bytes = encode(TEXT, encoding, &mut omissions);
            let expected = Decoded { text: TEXT.to_owned(), encoding, broken: None };
            assert_eq!((decode(&bytes), omissions.is_empty()), (expected, true));
            assert_eq!(decode_as(&bytes, encoding), (TEXT.to_owned(), true));
            let named = Encoding::by_name(encoding.name());
            assert_eq!(named, Some(encoding).filter(|encoding| *encoding != Encoding::Utf16));
            assert_eq!(Encoding::by_name_to_read(encoding.name()), Some(encoding));
        }
        let big: Vec<u8> = "\u{feff}▲７六歩".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(
            (decode(&big).text.as_str(), decode(&big).encoding),
            ("▲７六歩", Encoding::Utf16)
        );
        assert_eq!(decode_as(&big, Encoding::Utf16).0, "▲７六歩");
        let named = b"#KIF version=2.0 encoding=UTF-16\n";
        assert_eq!(decode(named).encoding, Encoding::Utf8);
    }

    #[test]
    fn the_first_broken_bytes_are_reported_with_their_place() {
        let broken = |bytes: &[u8]| {
            let file = decode(bytes);
            (file.encoding, file.broken)
        };
        let place = |line, column| Some(Place::text(line, column));
        let text = TEXT.as_bytes();
        assert_eq!(broken(text), (Encoding::Utf8, None));
        assert_eq!(
            broken("先手：�\n".as_bytes()),
            (Encoding::Utf8, None),
            "the file has this character"
        );
        assert_eq!(broken(&text[..text.len() - 2]), (Encoding::Utf8, place(2, 4)));
        let odd = [text, b"\r*a\xff\r\n*\xff"].concat();
        assert_eq!(broken(&odd), (Encoding::Utf8, place(4, 3)));
        assert_eq!(broken(&[b"\xEF\xBB\xBF\xff", text].concat()), (Encoding::Utf8, place(1, 1)));
        let jis = encode(TEXT, Encoding::ShiftJis, &mut Omissions::new());
        assert_eq!(broken(&jis[..jis.len() - 2]), (Encoding::ShiftJis, place(2, 4)));
        assert_eq!(broken(b"\xFF\xFEa\0b"), (Encoding::Utf16, place(1, 2)));
        assert_eq!(broken(b"a\n\x1B$B\x01\x01"), (Encoding::Iso2022Jp, place(2, 1)));
    }

    #[test]
    fn characters_with_a_jis_equivalent_are_written_as_that() {
        let text = "〜‖—−¢£¬☗☖⛊⛉¥‾";
        for (encoding, expected) in [
            (Encoding::Utf8, text),
            (Encoding::Utf16, text),
            (Encoding::ShiftJis, "～∥―－￠￡￢▲△▲△￥￣"),
            (Encoding::EucJp, "～∥―－￠￡￢▲△▲△￥￣"),
            (Encoding::Iso2022Jp, "～∥―－￠￡￢▲△▲△￥￣"),
        ] {
            let mut omissions = Omissions::new();
            let bytes = encode(text, encoding, &mut omissions);
            assert_eq!(
                (decode_as(&bytes, encoding).0.as_str(), omissions.is_empty()),
                (expected, true)
            );
        }
        let lost = |text: &str, encoding| {
            let mut omissions = Omissions::new();
            encode(text, encoding, &mut omissions);
            omissions.iter().map(|(_, count)| count).sum::<usize>()
        };
        assert_eq!((lost("♔ｱ", Encoding::ShiftJis), lost("♔ｱ", Encoding::Iso2022Jp)), (1, 2));
    }

    #[test]
    fn half_width_kana_are_not_mistaken_for_kanji() {
        for (text, encoding) in [
            ("V2.2\nN+ﾊﾌﾖｼ\nN-ﾀﾅｶｼ\nPI\n+\n", Encoding::ShiftJis),
            ("V2.2\nN+ﾔﾏｻﾞｷ\nN-ﾐﾜ\nPI\n+\n", Encoding::ShiftJis),
            ("V2.2\nN+廣瀬\nN-渡辺\nPI\n+\n", Encoding::EucJp),
            ("V2.2\nN+羽生\nN-渡辺\nPI\n+\n", Encoding::EucJp),
        ] {
            let bytes = table(encoding, &[]).encode(text).0;
            let found = decode(&bytes);
            assert_eq!((found.text.as_str(), found.encoding), (text, encoding));
        }
    }

    #[test]
    fn utf16_is_found_without_a_mark() {
        for text in [
            "V2.2\nN+羽生\nPI\n+\n+7776FU\n",
            "手合割：平手\r\n先手：甲\r\n後手：乙\r\n   1 ７六歩(77)   ( 0:16/00:00:16)\r\n",
            "先手：甲\n\n▲７六歩 △３四歩 ▲２六歩 △８四歩\n",
        ] {
            let units = || text.encode_utf16();
            let low: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
            let high: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
            for bytes in [low, high] {
                let found = decode(&bytes);
                let expected =
                    Decoded { text: text.to_owned(), encoding: Encoding::Utf16, broken: None };
                assert_eq!(found, expected);
                assert_eq!(decode_as(&bytes, Encoding::Utf16), (text.to_owned(), true));
            }
        }
        assert_eq!(decode(b"a\0 text with one zero").encoding, Encoding::Utf8);
    }
}
