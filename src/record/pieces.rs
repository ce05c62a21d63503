//! How much of a file has to be in memory at once.

/// How a file of a format may be cut, each piece to be read for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Not at all: what stands anywhere may matter for what stands behind it.
    Whole,
    /// Between any two lines.
    Lines,
    /// Behind each row of so many bytes.
    Rows(usize),
}

/// The largest file that is read as a whole: 64 MiB, some ten thousand games in CSA or one of millions of
/// moves. With its text in UTF-8 and the game in the making a usual file takes a few times its size in
/// memory. The worst one takes forty times: comments of one character, each a text of its own, JSON with
/// nothing but numbers, or variations of one move each; of 64 MiB that is 2.5 GiB, which most machines
/// still have. More is no record but a mistake, or to be split.
pub const MOST_BYTES: usize = 64 << 20;

/// The longest line of a file that is read line by line: 16 MiB, a game of three million moves.
pub const MOST_LINE_BYTES: usize = 16 << 20;
