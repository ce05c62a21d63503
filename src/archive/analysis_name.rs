//! The names of the files that `kyomi analyze` writes.

use std::path::Path;

/// The part between the name of a record and the extension of its analysis.
pub const ANALYSIS_MIDDLE: &str = ".analysis";

/// Whether a file has a name that `kyomi analyze` gives: `game.analysis.csa`, also packed (`game.analysis.csa.gz`).
///
/// Such a file repeats the game of another file, with comments. It is therefore skipped when a folder is searched for
/// records.
pub fn is_analysis_name(path: &Path) -> bool {
    let packed = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("gz"));
    let unpacked = if packed { path.with_extension("") } else { path.to_owned() };
    let stem = unpacked.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| stem.ends_with(ANALYSIS_MIDDLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_have_such_names_too() {
        for name in ["game.analysis.csa", "a/game.analysis.kif", "game.analysis.csa.gz"] {
            assert!(is_analysis_name(Path::new(name)), "{name}");
        }
        for name in ["game.csa", "analysis.csa", "game.csa.gz", "analysis.gz", ".gz", ""] {
            assert!(!is_analysis_name(Path::new(name)), "{name}");
        }
    }
}
