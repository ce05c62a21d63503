//! The report of a broken file.

/// A file that is broken, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file, with the member of an archive.
    pub file: String,
    /// The first errors in it.
    pub reasons: Vec<String>,
    /// The total number of errors in it.
    pub count: usize,
}
