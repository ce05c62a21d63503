//! All formats by name: one way to read and one way to write each.

use super::csa::{self, Version};
use super::pieces::{MOST_BYTES, MOST_BYTES_OF_A_GAME};
use super::{Encoding, Losses, Pieces, ReadRecord, Record, RecordError, decode, encode};
use super::{hcpe, jkf, ki2, kif, psv, sfen_list, usi_list};

/// The format of a record file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// CSA 2.2; any version of it is read.
    Csa2,
    /// CSA 3.0; any version of it is read.
    Csa3,
    /// KIF; KI2 is read as well.
    Kif,
    /// KI2; KIF is read as well.
    Ki2,
    /// JSON, for web viewers.
    Jkf,
    /// One game a line, as `startpos moves 7g7f 3c3d`.
    Usi,
    /// One position a line: of a game that is written, all of its main line.
    Sfen,
    /// Rows of 40 bytes for training, of `YaneuraOu`.
    Psv,
    /// Rows of 38 bytes for training, of Apery.
    Hcpe,
}

/// The games of a file, read one by one. A game that cannot be read at all is an error, and those
/// behind it are read all the same where the format tells where they begin.
pub type ReadGames<'a> = Box<dyn Iterator<Item = Result<ReadRecord, RecordError>> + 'a>;

impl Format {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Csa2,
        Self::Csa3,
        Self::Kif,
        Self::Ki2,
        Self::Jkf,
        Self::Usi,
        Self::Sfen,
        Self::Psv,
        Self::Hcpe,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csa2 => "csa",
            Self::Csa3 => "csa3",
            Self::Kif => "kif",
            Self::Ki2 => "ki2",
            Self::Jkf => "jkf",
            Self::Usi => "usi",
            Self::Sfen => "sfen",
            Self::Psv => "psv",
            Self::Hcpe => "hcpe",
        }
    }

    /// The format of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The extension of its files, without the dot, when written in `encoding`.
    pub const fn extension(self, encoding: Encoding) -> &'static str {
        match (self, encoding) {
            (Self::Csa2 | Self::Csa3, _) => "csa",
            // By these extensions some programs know the encoding.
            (Self::Kif, Encoding::Utf8) => "kifu",
            (Self::Kif, _) => "kif",
            (Self::Ki2, Encoding::Utf8) => "ki2u",
            (Self::Ki2, _) => "ki2",
            (Self::Jkf, _) => "jkf",
            (Self::Usi, _) => "usi",
            (Self::Sfen, _) => "sfen",
            (Self::Psv, _) => "psv",
            (Self::Hcpe, _) => "hcpe",
        }
    }

    /// The encoding its files are expected in; `None` of a binary format.
    pub const fn usual_encoding(self) -> Option<Encoding> {
        match self {
            // The format says so of files without an encoding line, which only 3.0 has.
            // Programs that do not look into a KIF or KI2 file take it for this one, too.
            Self::Csa2 | Self::Kif | Self::Ki2 => Some(Encoding::ShiftJis),
            Self::Csa3 | Self::Jkf | Self::Usi | Self::Sfen => Some(Encoding::Utf8),
            Self::Psv | Self::Hcpe => None,
        }
    }

    /// What stands between two games of one file; `None` where a file holds but one.
    pub const fn separator(self) -> Option<&'static str> {
        match self {
            Self::Csa2 => Some("/\r\n"),
            Self::Csa3 => Some("/\n"),
            Self::Kif | Self::Ki2 | Self::Jkf => None,
            Self::Usi | Self::Sfen | Self::Psv | Self::Hcpe => Some(""),
        }
    }

    /// How its files may be cut, so that one of any size is read in little memory.
    pub const fn pieces(self) -> Pieces {
        match self {
            Self::Csa2 | Self::Csa3 | Self::Kif | Self::Ki2 | Self::Jkf => Pieces::Whole,
            Self::Usi | Self::Sfen => Pieces::Lines,
            Self::Psv => Pieces::Rows(psv::ROW_BYTES),
            Self::Hcpe => Pieces::Rows(hcpe::ROW_BYTES),
        }
    }

    /// The largest file that is read as a whole, in bytes; `None` where pieces of any number are.
    pub const fn most_bytes(self) -> Option<usize> {
        match self {
            Self::Csa2 | Self::Csa3 => Some(MOST_BYTES),
            Self::Kif | Self::Ki2 | Self::Jkf => Some(MOST_BYTES_OF_A_GAME),
            Self::Usi | Self::Sfen | Self::Psv | Self::Hcpe => None,
        }
    }

    /// Whether its lines end with CR LF by custom, else with LF.
    const fn ends_lines_as_dos(self) -> bool {
        match self {
            Self::Csa2 | Self::Kif | Self::Ki2 => true,
            Self::Csa3 | Self::Jkf | Self::Usi | Self::Sfen | Self::Psv | Self::Hcpe => false,
        }
    }

    /// Reads the games of a file of this format, of which `bytes` is the whole.
    pub fn read_each(self, bytes: &[u8]) -> ReadGames<'_> {
        match self {
            Self::Csa2 | Self::Csa3 => Box::new(csa::read_each(bytes)),
            Self::Kif => Box::new(kif::read_each(bytes)),
            Self::Ki2 => Box::new(ki2::read_each(bytes)),
            Self::Jkf => Box::new(jkf::read_each(bytes)),
            Self::Usi => Box::new(usi_list::read_each(bytes)),
            Self::Sfen => Box::new(sfen_list::read_each(bytes)),
            Self::Psv => Box::new(psv::read_each(bytes)),
            Self::Hcpe => Box::new(hcpe::read_each(bytes)),
        }
    }

    /// The file of one game. What the format or the encoding cannot hold is added to `losses`. The
    /// encoding is ignored by binary formats.
    pub fn write(self, record: &Record, encoding: Encoding, losses: &mut Losses) -> Vec<u8> {
        let text = match self {
            Self::Csa2 => csa::write_as(record, Version::V22, losses),
            Self::Csa3 => csa::write_as(record, Version::V30(encoding), losses),
            Self::Kif => kif::write(record, encoding, losses),
            Self::Ki2 => ki2::write(record, losses),
            Self::Jkf => jkf::write(record, losses),
            Self::Usi => usi_list::write(record, losses),
            Self::Sfen => sfen_list::write(record, losses),
            Self::Psv => return psv::write(record, losses),
            Self::Hcpe => return hcpe::write(record, losses),
        };
        let text = if self.ends_lines_as_dos() { text.replace('\n', "\r\n") } else { text };
        let bytes = encode(&text, encoding, losses);
        if self == Self::Csa2 && !bytes.is_ascii() && decode(&bytes).encoding != encoding {
            // Names in half-width kana, say, that are kanji in another encoding.
            let line = csa::encoding_line(encoding) + "\r\n";
            return [line.into_bytes(), bytes].concat();
        }
        bytes
    }
}
