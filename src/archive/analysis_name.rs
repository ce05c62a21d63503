//! The names of the files that `kyomi analyze` writes.

use std::path::Path;

/// What stands between the name of a record and the extension of its analysis.
pub const ANALYSIS_MIDDLE: &str = ".analysis";

/// Whether a file has a name that `kyomi analyze` gives: `game.analysis.csa`.
///
/// Such a file holds the game of another file again, with comments. In folders it is therefore not taken for a record.
pub fn is_analysis_name(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| stem.ends_with(ANALYSIS_MIDDLE))
}
