//! Which format a file has, by its content and its name.

use std::path::Path;

use super::lines::lines;
use super::spec::{Certainty, Recognize};
use super::{Format, decode};

impl Format {
    /// The format of a file with this name that begins with these bytes (a few thousand are enough): the one
    /// that its content shows for certain, else the one of its extension, else the one that its content makes
    /// likely. Binary formats are known by their extension only.
    pub fn detect(name: Option<&Path>, head: &[u8]) -> Option<Self> {
        let by_name = name.and_then(Self::by_file_name);
        if by_name.is_some_and(Self::is_binary) {
            return by_name;
        }
        match by_content(head) {
            Some((format, Certainty::Certain)) => Some(format),
            Some((format, Certainty::Likely)) => by_name.or(Some(format)),
            None => by_name,
        }
    }

    /// The format of a file that begins with these bytes, if its content alone is enough to be certain.
    pub fn certain(head: &[u8]) -> Option<Self> {
        match by_content(head) {
            Some((format, Certainty::Certain)) => Some(format),
            _ => None,
        }
    }

    /// The format of files with this extension, in upper or lower case; `None` for any other.
    pub fn by_file_name(name: &Path) -> Option<Self> {
        let extension = name.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extensions().any(|known| known == extension))
    }
}

/// The format that the first bytes of a file show: by the whole text, else by the first line that is certain, else
/// by the first one that is likely.
fn by_content(head: &[u8]) -> Option<(Format, Certainty)> {
    // The last line may be cut, and within a character.
    let whole = match head.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if head.len() >= LONGEST_HEAD => &head[..end],
        _ => head,
    };
    let file = decode(&whole[..whole.len().min(LONGEST_HEAD)]);
    let text = file.text.trim_start();
    let by_text = Format::ALL.into_iter().find_map(|format| match format.recognize() {
        Recognize::Text(recognize) => Some((format, recognize(text)?)),
        Recognize::Line(_) | Recognize::Never => None,
    });
    if by_text.is_some() {
        return by_text;
    }
    let mut likely = None;
    for line in lines(text) {
        match by_line(line.trim_end()) {
            certain @ Some((_, Certainty::Certain)) => return certain,
            found => likely = likely.or(found),
        }
    }
    likely
}

/// The first format that has such a line.
fn by_line(line: &str) -> Option<(Format, Certainty)> {
    Format::ALL.into_iter().find_map(|format| match format.recognize() {
        Recognize::Line(recognize) => Some((format, recognize(line)?)),
        Recognize::Text(_) | Recognize::Never => None,
    })
}

/// The number of bytes of a file that are examined.
const LONGEST_HEAD: usize = 8192;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(&'static str, Certainty)> {
        by_content(text.as_bytes()).map(|(format, certainty)| (format.name(), certainty))
    }

    #[test]
    fn first_lines_show_the_format() {
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
            assert_eq!(found(text), Some((format, Certainty::Certain)), "{text}");
            let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
            assert_eq!(found(&text), Some((format, Certainty::Certain)), "{text}");
        }
        assert_eq!(found("棋戦：王位戦\n"), Some(("kif", Certainty::Likely)));
        assert_eq!(found("{\"a\": 1}\n"), Some(("jkf", Certainty::Likely)));
        for text in [
            "",
            "\n\n",
            "hello\n",
            "Position of things\n",
            "+---------------------------+\n",
            "V for",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn detection_ignores_the_encoding_and_a_truncated_line() {
        let text = "棋戦：王位戦\n先手：歩\n▲７六歩\n".to_owned() + &"*長い話\n".repeat(2000);
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP, encoding_rs::UTF_8] {
            let bytes = encoding.encode(&text).0;
            assert_eq!(by_content(&bytes), Some((Format::Ki2, Certainty::Certain)));
            for cut in LONGEST_HEAD - 4..LONGEST_HEAD + 4 {
                assert_eq!(by_content(&bytes[..cut]), Some((Format::Ki2, Certainty::Certain)));
            }
        }
    }

    #[test]
    fn certain_content_overrides_the_extension_and_a_binary_extension_overrides_content() {
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
