//! The files of an analysed game.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;

use crate::archive::{self, ANALYSIS_MIDDLE};
use crate::cli::ResultExt as _;
use crate::report::{AnnotatedForm, GameReport, Language, annotated, game_page, to_json};
use kyomi_record::{Encoding, Format, Omissions};

/// A kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputKind {
    /// A page for the browser, in one file
    Html,
    /// A CSA record with comments
    Csa,
    /// A KIF record with comments and variations
    Kif,
    /// JSON (docs/formats.md)
    Json,
    /// The graph of the chances as a picture
    #[cfg(feature = "png")]
    Png,
    /// Page, both records and JSON
    All,
}

/// The files of one game.
pub(super) struct Outputs {
    /// The path of the files without the extension.
    stem: PathBuf,
    kinds: Vec<OutputKind>,
    force: bool,
}

impl Outputs {
    /// The files for a record, or for the game with this number of it, in the folder `out`. If other files of this run
    /// have the name already, a number is added; `used` keeps the names.
    pub(super) fn new(
        record: &Path,
        out: &Path,
        number: Option<usize>,
        kinds: &[OutputKind],
        force: bool,
        used: &mut HashSet<PathBuf>,
    ) -> Self {
        let mut name = record.file_stem().unwrap_or(record.as_os_str()).to_owned();
        if let Some(number) = number {
            name.push(format!("-{number}"));
        }
        let mut stem = out.join(with_middle(&name));
        let mut use_number = 2;
        while !used.insert(stem.clone()) {
            let mut numbered = name.clone();
            numbered.push(format!("-{use_number}"));
            stem = out.join(with_middle(&numbered));
            use_number += 1;
        }
        let kinds = if kinds.contains(&OutputKind::All) {
            vec![OutputKind::Html, OutputKind::Csa, OutputKind::Kif, OutputKind::Json]
        } else {
            kinds.to_vec()
        };
        Self { stem, kinds, force }
    }

    /// Writes the files, and returns their paths. Without variations records have the main line only.
    pub(super) fn write(
        &self,
        report: &GameReport<'_>,
        language: Language,
        has_variations: bool,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for kind in &self.kinds {
            let record = |format: Format, form| {
                let mut record = annotated(report, form, language);
                if !has_variations {
                    record.variations.clear();
                }
                let encoding = format.usual_encoding().unwrap_or(Encoding::Utf8);
                let bytes = format.write(&record, encoding, &mut Omissions::new());
                (format.extension(encoding), bytes)
            };
            let (extension, bytes) = match kind {
                OutputKind::Html | OutputKind::All => ("html", game_page(report).into_bytes()),
                #[cfg(feature = "png")]
                OutputKind::Png => ("png", graph_png(report, language)?),
                OutputKind::Json => ("json", format!("{}\n", to_json(report)).into_bytes()),
                OutputKind::Csa => record(Format::Csa3, AnnotatedForm::Csa),
                OutputKind::Kif => record(Format::Kif, AnnotatedForm::Kif),
            };
            let path = self.path(extension);
            // A picture names no generator: one with this name is ours.
            write_output(&path, &bytes, self.force || extension == "png")?;
            written.push(path);
        }
        Ok(written)
    }

    /// The address of the page from an index in the folder above `below`, if there is a page.
    pub(super) fn page_below(&self, below: &Path) -> Option<String> {
        self.kinds.contains(&OutputKind::Html).then_some(())?;
        let path = below.join(self.path("html").file_name()?);
        Some(path.to_str()?.replace('\\', "/"))
    }

    fn path(&self, extension: &str) -> PathBuf {
        let mut path = self.stem.clone().into_os_string();
        path.push(".");
        path.push(extension);
        PathBuf::from(path)
    }
}

fn with_middle(name: &OsStr) -> OsString {
    let mut name = name.to_owned();
    name.push(ANALYSIS_MIDDLE);
    name
}

/// Writes a file. One that exists is overwritten if this command wrote it, or with `force`.
pub(super) fn write_output(path: &Path, bytes: &[u8], force: bool) -> anyhow::Result<()> {
    let place = || format!("writing {}", path.display());
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(place)?;
    }
    let overwrite = force || is_own(path);
    match archive::write_output(path, bytes, overwrite) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error)
            .with_context(place)
            .written_by_user()
            .hint("it was not written by `kyomi analyze`; --force overwrites it"),
        written => written.with_context(place),
    }
}

/// Whether a file begins as those that this command writes.
fn is_own(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && head.windows(GENERATOR.len()).any(|bytes| bytes == GENERATOR)
}

const GENERATOR: &[u8] = b"kyomi analyze";
/// The part of a file in which its generator is named, in bytes.
const HEAD: u64 = 4096;

/// The graph as a picture, twice its size.
#[cfg(feature = "png")]
fn graph_png(report: &GameReport<'_>, language: Language) -> anyhow::Result<Vec<u8>> {
    use crate::report::{GraphLabels, chance_graph, png};
    let svg = chance_graph(report.analysis, report.record, GraphLabels::One(language));
    Ok(png(&svg, 2.0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_used_twice_gets_a_number() {
        let mut used = HashSet::new();
        let mut name = |record: &str, number| {
            let outputs = Outputs::new(
                Path::new(record),
                Path::new("out"),
                number,
                &[OutputKind::Html],
                false,
                &mut used,
            );
            outputs.path("html").display().to_string()
        };
        assert_eq!(name("game.csa", None), "out/game.analysis.html");
        assert_eq!(name("game.kif", None), "out/game-2.analysis.html");
        assert_eq!(name("game.ki2", Some(2)), "out/game-2-2.analysis.html");
        assert_eq!(name("x/game.csa", None), "out/game-3.analysis.html");
    }
}
