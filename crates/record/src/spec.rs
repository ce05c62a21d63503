//! The properties of a record format. Each format module has one [`FormatSpec`], and
//! [`Format`](super::Format) has a row for it.

use super::{Encoding, Omissions, ReadRecord, Record, RecordError, encode};

/// The games of a file, read one by one. A game that cannot be read at all is an error. The games after it are
/// read nevertheless where the format shows where they begin.
pub type ReadGames<'a> = Box<dyn Iterator<Item = Result<ReadRecord, RecordError>> + 'a>;

/// How a file of a format can be cut into pieces that are read one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Not at all: any part can change the meaning of what follows it.
    Whole,
    /// Between any two lines.
    Lines,
    /// After each row of this number of bytes.
    Rows(usize),
}

/// The largest file of several games that is read as a whole: 64 MiB, about ten thousand games in CSA. With its
/// text in UTF-8 and the games being built it takes a few times its size in memory, and 38 times where it holds
/// only the moves of one game. Larger files have to be split.
pub(super) const LARGEST_FILE: usize = 64 << 20;

/// The largest file of one game: 16 MiB. The worst case, `38飛72飛28飛82飛` repeated in KI2, takes 75 times that in
/// memory. A larger file is not a record.
pub(super) const LARGEST_GAME: usize = 16 << 20;

/// A record format.
#[derive(Debug)]
pub(super) struct FormatSpec {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// What it is, for the list in `kyomi convert --help`.
    pub(super) summary: &'static str,
    /// What it cannot hold, for the same list.
    pub(super) omits: &'static str,
    /// The extension of its files, without the dot.
    pub(super) extension: &'static str,
    /// The extension of its files in UTF-8, where programs tell the encoding by the extension; else the same.
    pub(super) utf8_extension: &'static str,
    /// Further extensions that its files may have.
    pub(super) other_extensions: &'static [&'static str],
    /// What is written between two games of one file; `None` where a file holds one game.
    pub(super) separator: Option<&'static str>,
    /// How its files can be cut.
    pub(super) pieces: Pieces,
    /// The largest file that is read as a whole, in bytes; `None` where files are read in pieces.
    pub(super) largest_file: Option<usize>,
    /// How it is recognized from the first bytes of a file.
    pub(super) recognize: Recognize,
    /// Reads the games of a whole file.
    pub(super) read: fn(&[u8]) -> ReadGames<'_>,
    /// Writes one game.
    pub(super) write: Write,
}

/// How a format is recognized from the first bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recognize {
    /// By one line.
    Line(fn(&str) -> Option<Certainty>),
    /// By the whole text.
    Text(fn(&str) -> Option<Certainty>),
    /// Not from its content.
    Never,
}

/// How sure the content of a file is of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// No other format has such a line.
    Certain,
    /// Other formats may have such a line.
    Likely,
}

/// How a game is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Write {
    /// As lines of text, each ended by LF, which are then encoded.
    Text {
        /// The encoding that programs expect.
        usual_encoding: Encoding,
        /// How lines end in a file.
        line_end: LineEnd,
        /// The text to be written in this encoding.
        text: fn(&Record, Encoding, &mut Omissions) -> String,
        /// Makes the line that names the encoding, where files need one only sometimes.
        encoding_line: Option<EncodingLine>,
    },
    /// As rows of bytes.
    Rows(fn(&Record, &mut Omissions) -> Vec<u8>),
}

impl Write {
    /// Text in UTF-8 with lines that end in LF.
    pub(super) const fn utf8(text: fn(&Record, Encoding, &mut Omissions) -> String) -> Self {
        let usual_encoding = Encoding::Utf8;
        Self::Text { usual_encoding, line_end: LineEnd::Lf, text, encoding_line: None }
    }

    /// Text as Japanese programs on Windows write it: in `Shift_JIS`, with lines that end in CR LF. They assume this
    /// encoding without a look into the file.
    pub(super) const fn shift_jis(text: fn(&Record, Encoding, &mut Omissions) -> String) -> Self {
        let usual_encoding = Encoding::ShiftJis;
        Self::Text { usual_encoding, line_end: LineEnd::CrLf, text, encoding_line: None }
    }
}

/// Returns a line to put before these bytes if they would else be read in another encoding than this one.
type EncodingLine = fn(&[u8], Encoding) -> Option<String>;

/// How lines end in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// LF.
    Lf,
    /// CR LF.
    CrLf,
}

impl FormatSpec {
    /// The file of one game. The encoding is ignored by binary formats.
    pub(super) fn write(
        &self,
        record: &Record,
        encoding: Encoding,
        omissions: &mut Omissions,
    ) -> Vec<u8> {
        match self.write {
            Write::Rows(rows) => rows(record, omissions),
            Write::Text { line_end, text, encoding_line, .. } => {
                let in_lines = |text: String| match line_end {
                    LineEnd::Lf => text,
                    LineEnd::CrLf => text.replace('\n', "\r\n"),
                };
                let bytes =
                    encode(&in_lines(text(record, encoding, omissions)), encoding, omissions);
                match encoding_line.and_then(|line| line(&bytes, encoding)) {
                    Some(line) => [in_lines(line).into_bytes(), bytes].concat(),
                    None => bytes,
                }
            }
        }
    }
}
