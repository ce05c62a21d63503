//! All formats, a row each.

use super::spec::{FormatSpec, Pieces, ReadGames, Recognize, Write};
use super::{Encoding, Omissions, Record};
use super::{csa, hcpe, jkf, ki2, kif, psv, sfen_list, usi_list};

/// Makes [`Format`] of its rows: a variant, and what is known of it.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident => $spec:expr,)+) => {
        /// The format of a record file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format {
            $($(#[$doc])* $variant,)+
        }

        impl Format {
            /// All formats. If two have the same extension or the same lines, the first one is used.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            const fn spec(self) -> &'static FormatSpec {
                match self {
                    $(Self::$variant => &$spec,)+
                }
            }
        }
    };
}

formats! {
    /// CSA 2.2; any version is read.
    Csa2 => csa::CSA_2_2,
    /// CSA 3.0; any version is read.
    Csa3 => csa::CSA_3_0,
    /// KIF; KI2 is read as well.
    Kif => kif::KIF,
    /// KI2; KIF is read as well.
    Ki2 => ki2::KI2,
    /// JSON, for web viewers.
    Jkf => jkf::JKF,
    /// One game a line, as `startpos moves 7g7f 3c3d`.
    Usi => usi_list::USI,
    /// One position a line. A game is written as the positions of its main line.
    Sfen => sfen_list::SFEN,
    /// Rows of 40 bytes for training, of `YaneuraOu`.
    Psv => psv::PSV,
    /// Rows of 38 bytes for training, of Apery.
    Hcpe => hcpe::HCPE,
}

impl Format {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The format of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What it is, in a few words.
    pub const fn summary(self) -> &'static str {
        self.spec().summary
    }

    /// What it cannot hold, in a few words.
    pub const fn omits(self) -> &'static str {
        self.spec().omits
    }

    /// The extension of its files, without the dot, when written in `encoding`.
    pub const fn extension(self, encoding: Encoding) -> &'static str {
        match encoding {
            Encoding::Utf8 => self.spec().utf8_extension,
            _ => self.spec().extension,
        }
    }

    /// All extensions that its files may have, without the dot.
    pub fn extensions(self) -> impl Iterator<Item = &'static str> {
        let FormatSpec { extension, utf8_extension, other_extensions, .. } = self.spec();
        let in_utf8 = Some(*utf8_extension).filter(|in_utf8| in_utf8 != extension);
        std::iter::once(*extension).chain(in_utf8).chain(other_extensions.iter().copied())
    }

    /// The encoding in which programs expect its files; `None` for a binary format.
    pub const fn usual_encoding(self) -> Option<Encoding> {
        match self.spec().write {
            Write::Text { usual_encoding, .. } => Some(usual_encoding),
            Write::Rows(_) => None,
        }
    }

    /// Whether it has rows of bytes instead of text.
    pub const fn is_binary(self) -> bool {
        self.usual_encoding().is_none()
    }

    /// What is written between two games of one file; `None` where a file holds one game.
    pub const fn separator(self) -> Option<&'static str> {
        self.spec().separator
    }

    /// How its files can be cut, so that a file of any size is read in little memory.
    pub const fn pieces(self) -> Pieces {
        self.spec().pieces
    }

    /// The largest file that is read as a whole, in bytes; `None` where files are read in pieces.
    pub const fn largest_file(self) -> Option<usize> {
        self.spec().largest_file
    }

    /// How it is recognized from the first bytes of a file.
    pub(super) const fn recognize(self) -> Recognize {
        self.spec().recognize
    }

    /// Reads the games of a file of this format. `bytes` is the whole file.
    pub fn read_each(self, bytes: &[u8]) -> ReadGames<'_> {
        (self.spec().read)(bytes)
    }

    /// Writes the file of one game. What the format or the encoding cannot hold is added to `omissions`. The
    /// encoding is ignored by binary formats.
    pub fn write(self, record: &Record, encoding: Encoding, omissions: &mut Omissions) -> Vec<u8> {
        self.spec().write(record, encoding, omissions)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn sources(dir: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(sources(&path));
            } else {
                found.push(path);
            }
        }
        found
    }

    /// The names of the constants in a source that describe a format.
    fn specs(source: &str) -> Vec<&str> {
        source
            .lines()
            .filter_map(|line| line.split_once(concat!(": FormatSpec =", " FormatSpec {")))
            .filter_map(|(before, _)| before.rsplit(' ').next())
            .collect()
    }

    /// A module that is public here is a format, except opening books and HTML. It describes it, and the table has a row for it.
    #[test]
    fn every_format_module_has_a_row() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let read = |path: &Path| fs::read_to_string(path).ok();
        let (root, table) = (include_str!("lib.rs"), include_str!("format.rs"));
        let modules = root
            .lines()
            .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
            .filter(|module| !["book", "html", "strategy"].contains(module));
        let mut rows = 0;
        for module in modules {
            let source = read(&folder.join(format!("{module}.rs")))
                .or_else(|| read(&folder.join(module).join("mod.rs")))
                .unwrap();
            let specs = specs(&source);
            assert!(!specs.is_empty(), "{module} is public and has no FormatSpec");
            for spec in specs {
                let row = format!(" => {module}::{spec},");
                assert!(table.contains(&row), "format.rs has no row{row}");
                rows += 1;
            }
        }
        assert_eq!(rows, Format::ALL.len(), "rows of formats that are not public modules");
        let all = sources(&folder)
            .iter()
            .filter_map(|path| read(path))
            .map(|source| specs(&source).len())
            .sum::<usize>();
        assert_eq!(all, rows, "a FormatSpec is in a module that is not public");
    }

    #[test]
    fn names_differ_and_extensions_lead_to_a_format() {
        let names: HashSet<_> = Format::ALL.iter().map(|format| format.name()).collect();
        assert_eq!(names.len(), Format::ALL.len());
        for format in Format::ALL {
            assert_eq!(Format::by_name(format.name()), Some(format));
            for extension in format.extensions() {
                let named = Format::by_file_name(Path::new(&format!("a.{extension}"))).unwrap();
                assert!(named.extensions().any(|other| other == extension), "{extension}");
            }
            assert_eq!(format.is_binary(), matches!(format.pieces(), Pieces::Rows(_)));
            assert_eq!(format.largest_file().is_some(), format.pieces() == Pieces::Whole);
        }
    }
}
