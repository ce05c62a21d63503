//! Which format a file has, by its content and its name.

use std::path::Path;

use super::lines::lines;
use super::{Format, decode};

impl Format {
    /// The format of a file with this name that begins with these bytes (a few thousand are enough):
    /// what the content says for certain, else what the extension says, else what the content
    /// suggests. Binary formats have no mark of their own and are known by their extension only.
    pub fn detect(name: Option<&Path>, head: &[u8]) -> Option<Self> {
        let by_name = name.and_then(Self::by_file_name);
        if by_name.is_some_and(Self::is_binary) {
            return by_name;
        }
        match telling(head) {
            Some(Telling::Certain(format)) => Self::by_name(format).or(by_name),
            Some(Telling::Likely(format)) => by_name.or_else(|| Self::by_name(format)),
            None => by_name,
        }
    }

    /// The format of a file that begins with these bytes, if its content alone leaves no doubt.
    pub fn certain(head: &[u8]) -> Option<Self> {
        match telling(head) {
            Some(Telling::Certain(format)) => Self::by_name(format),
            _ => None,
        }
    }

    /// The format of files with this extension, in either case; `None` of any other.
    pub fn by_file_name(name: &Path) -> Option<Self> {
        let extension = name.extension()?.to_str()?.to_ascii_lowercase();
        let known = EXTENSIONS.iter().find(|(known, _)| *known == extension)?;
        Self::by_name(known.1)
    }

    /// Whether it has rows of bytes instead of text.
    pub const fn is_binary(self) -> bool {
        self.usual_encoding().is_none()
    }
}

/// Extensions and the names of their formats.
const EXTENSIONS: [(&str, &str); 11] = [
    ("csa", "csa"),
    ("kif", "kif"),
    ("kifu", "kif"),
    ("ki2", "ki2"),
    ("ki2u", "ki2"),
    ("jkf", "jkf"),
    ("json", "jkf"),
    ("usi", "usi"),
    ("sfen", "sfen"),
    ("psv", "psv"),
    ("hcpe", "hcpe"),
];

/// What a content tells of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Telling {
    /// No other format has such a line.
    Certain(&'static str),
    /// Others might.
    Likely(&'static str),
}

/// What the first lines tell: the first certain one, else the first likely one.
fn telling(head: &[u8]) -> Option<Telling> {
    // The last line may be cut, in the middle of a character too.
    let whole = match head.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if head.len() >= LONGEST_HEAD => &head[..end],
        _ => head,
    };
    let file = decode(&whole[..whole.len().min(LONGEST_HEAD)]);
    let text = file.text.trim_start();
    if text.starts_with('{') {
        let is_known =
            ["\"moves\"", "\"header\"", "\"initial\""].iter().any(|key| text.contains(key));
        return Some(if is_known { Telling::Certain("jkf") } else { Telling::Likely("jkf") });
    }
    let mut likely = None;
    for line in lines(text) {
        match of_line(line.trim_end()) {
            Some(certain @ Telling::Certain(_)) => return Some(certain),
            Some(found) => likely = likely.or(Some(found)),
            None => {}
        }
    }
    likely
}

/// What one line tells.
fn of_line(line: &str) -> Option<Telling> {
    if is_csa(line) {
        return Some(Telling::Certain("csa"));
    }
    let line = line.trim_start();
    if line.starts_with("#KIF") || line.starts_with("手数-") || is_kif_move(line) {
        return Some(Telling::Certain("kif"));
    }
    if line.starts_with(['▲', '△', '▼', '▽', '☗', '☖']) {
        return Some(Telling::Certain("ki2"));
    }
    // A header of KIF or of KI2, of which the former is the commoner.
    if line.contains('：') && !line.starts_with(['*', '#', '\'']) {
        return Some(Telling::Likely("kif"));
    }
    let mut words = line.split_ascii_whitespace();
    let (first, second) = (words.next()?, words.next());
    if matches!(first, "position" | "startpos" | "sfen") {
        return Some(Telling::Certain("usi"));
    }
    let is_board = first.bytes().filter(|byte| *byte == b'/').count() == 8;
    if is_board && matches!(second, Some("b" | "w")) {
        return Some(Telling::Certain(if words.any(|word| word == "moves") {
            "usi"
        } else {
            "sfen"
        }));
    }
    None
}

/// Whether only CSA records have such a line.
fn is_csa(line: &str) -> bool {
    match line.as_bytes() {
        [b'\'', ..] => line.starts_with("'CSA encoding="),
        [b'V', b'1'..=b'9', rest @ ..] => {
            rest.len() < 4 && rest.iter().all(|byte| matches!(byte, b'.' | b'0'..=b'9'))
        }
        [b'N', b'+' | b'-', ..]
        | [b'P', b'+' | b'-', b'0'..=b'9', ..]
        | [b'P', b'I']
        | [b'P', b'I', b'1'..=b'9', ..]
        | [b'%', b'A'..=b'Z' | b'+' | b'-', ..] => true,
        [b'P', b'1'..=b'9', b' ' | b'+' | b'-', rest @ ..] => rest.len() >= 20,
        [b'$', b'A'..=b'Z', ..] => line.contains(':'),
        // A time and further moves may follow behind commas.
        [b'+' | b'-', moved @ ..] => {
            matches!(moved.get(6), None | Some(b','))
                && moved.len() >= 6
                && moved.iter().take(4).all(u8::is_ascii_digit)
                && moved.iter().skip(4).take(2).all(u8::is_ascii_uppercase)
        }
        _ => false,
    }
}

/// `1 ７六歩(77)`, `12 同　銀(31)`, `50 投了`: a number, then a square or a word of Japanese.
fn is_kif_move(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=5).contains(&digits) {
        return false;
    }
    let rest = &line[digits..];
    let word = rest.trim_start();
    word.len() < rest.len()
        && word.chars().next().is_some_and(|c| {
            matches!(c, '１'..='９' | '一'..='龠' | '1'..='9')
                && word.chars().nth(1).is_some_and(|c| !c.is_ascii())
        })
}

/// Of a file, as much as is looked at.
const LONGEST_HEAD: usize = 8192;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<Telling> {
        telling(text.as_bytes())
    }

    #[test]
    fn first_lines_tell_the_format() {
        let certain = [
            ("csa", "'CSA encoding=UTF-8\nV3.0\n"),
            ("csa", "' a game\n\nV2.2\nN+a\n"),
            ("csa", "PI\n+\n+7776FU\n"),
            ("csa", "+7776FU\nT1\n"),
            ("csa", "+7776FU,T1\n"),
            ("csa", "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n"),
            ("kif", "#KIF version=2.0 encoding=UTF-8\n"),
            ("kif", "# ----  a program  ----\n先手：歩\n手数----指手---------消費時間--\n"),
            ("kif", "先手：歩\n   1 ７六歩(77)   ( 0:01/00:00:01)\n"),
            ("kif", "1 投了\n"),
            ("ki2", "先手：歩\n\n▲７六歩    △３四歩\n"),
            ("jkf", "\n {\"header\": {}, \"moves\": [{}]}"),
            ("usi", "startpos moves 7g7f\n"),
            ("usi", "# a list\nposition startpos\n"),
            ("usi", "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n"),
            ("usi", "4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i5h\n"),
            ("sfen", "4k4/9/9/9/9/9/9/9/4K4 b - 1\n"),
        ];
        for (format, text) in certain {
            assert_eq!(told(text), Some(Telling::Certain(format)), "{text}");
            let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
            assert_eq!(told(&text), Some(Telling::Certain(format)), "{text}");
        }
        assert_eq!(told("棋戦：王位戦\n"), Some(Telling::Likely("kif")));
        assert_eq!(told("{\"a\": 1}\n"), Some(Telling::Likely("jkf")));
        for text in [
            "",
            "\n\n",
            "hello\n",
            "Position of things\n",
            "+---------------------------+\n",
            "V for",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn the_encoding_does_not_matter_and_a_cut_line_neither() {
        let text = "棋戦：王位戦\n先手：歩\n▲７六歩\n".to_owned() + &"*長い話\n".repeat(2000);
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP, encoding_rs::UTF_8] {
            let bytes = encoding.encode(&text).0;
            assert_eq!(telling(&bytes), Some(Telling::Certain("ki2")));
            for cut in LONGEST_HEAD - 4..LONGEST_HEAD + 4 {
                assert_eq!(telling(&bytes[..cut]), Some(Telling::Certain("ki2")));
            }
        }
    }

    #[test]
    fn a_certain_content_beats_the_extension_and_a_binary_extension_the_content() {
        let detect = |name: &str, head: &[u8]| Format::detect(Some(Path::new(name)), head);
        assert_eq!(detect("a.kif", b"V2.2\nPI\n+\n"), Some(Format::Csa2));
        assert_eq!(detect("a.CSA", b"nothing at all"), Some(Format::Csa2));
        assert_eq!(detect("a.txt", b"V2.2\nPI\n+\n"), Some(Format::Csa2));
        assert_eq!(detect("a.txt", b"nothing at all"), None);
        assert_eq!(Format::detect(None, b"+7776FU\n"), Some(Format::Csa2));
        if let Some(psv) = Format::by_name("psv") {
            assert_eq!(detect("a.psv", b"V2.2\nPI\n+\n"), Some(psv));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_have_some_format_or_none(head: Vec<u8>, text: String) {
            let _ = Format::detect(None, &head);
            let _ = Format::detect(None, text.as_bytes());
        }
    }
}
