//! The settings of the book, by the names that USI engines use.

use std::path::{Path, PathBuf};

use super::{BookRules, BookSource, BookSpec};

/// The settings of a player's book. They are collected in any order; [`BookOptions::spec`] returns the resulting
/// [`BookSpec`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookOptions {
    /// `USI_OwnBook`; `None`: `by_default`, or on if a file is named.
    own_book: Option<bool>,
    by_default: bool,
    /// `BookFile`; `None`: the built-in book.
    file: Option<PathBuf>,
    /// `BookDir`, where the file is looked for first.
    dir: PathBuf,
    rules: BookRules,
}

impl BookOptions {
    /// The usual options: off unless an option switches the book on or names a file.
    pub fn new() -> Self {
        Self {
            own_book: None,
            by_default: false,
            file: None,
            dir: PathBuf::from(USUAL_DIR),
            rules: BookRules::default(),
        }
    }

    /// The same for games that are to begin with given openings, and to be the same each time: the seed is 0 if no
    /// option gives another.
    pub fn reproducible() -> Self {
        let rules = BookRules { seed: Some(0), ..BookRules::default() };
        Self { rules, ..Self::new() }
    }

    /// As [`BookOptions::reproducible`], but with this book: `builtin` or a file.
    pub fn named(file: &str) -> Self {
        let file = Some(file).filter(|it| !is_default(it)).map(PathBuf::from);
        Self { own_book: Some(true), file, ..Self::reproducible() }
    }

    /// The options of a player that uses a book unless it is switched off.
    pub fn on_by_default(own_book: Option<bool>, file: Option<&Path>, rules: BookRules) -> Self {
        // A path of a configuration starts at the working directory.
        let dir = if file.is_some() { PathBuf::new() } else { USUAL_DIR.into() };
        let file = file.map(Path::to_owned);
        Self { own_book, by_default: ON_BY_DEFAULT, file, dir, rules }
    }

    /// Whether an option has this name.
    pub fn has(name: &str) -> bool {
        NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Sets the option of this name; `None` if it is not one of the book's.
    ///
    /// # Errors
    /// The fault of the value, as a message. Nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let value = value.trim();
        let set = match name.to_ascii_lowercase().as_str() {
            "usi_ownbook" => check(value).map(|on| self.own_book = Some(on)),
            "bookfile" => {
                self.file = Some(value).filter(|it| !is_default(it)).map(PathBuf::from);
                Ok(())
            }
            "bookdir" => {
                self.dir = if is_default(value) { PathBuf::new() } else { PathBuf::from(value) };
                Ok(())
            }
            "bookmoves" => spin(value, MOST_PLIES).map(|most| self.rules.max_ply = most),
            "narrowbook" => check(value).map(|on| self.rules.narrow = on),
            "ignorebookply" => check(value).map(|on| self.rules.ignore_ply = on),
            "flippedbook" => check(value).map(|on| self.rules.flipped = on),
            "bookevaldiff" => spin(value, MOST).map(|margin| self.rules.margin = margin),
            "bookdepthlimit" => spin(value, MOST).map(|depth| self.rules.min_depth = depth),
            "bookseed" => match value.parse() {
                Ok(seed) => {
                    self.rules.seed = Some(seed);
                    Ok(())
                }
                Err(_) => Err("is not a whole number".to_owned()),
            },
            _ => return None,
        };
        Some(set.map_err(|fault| {
            let value: String = value.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("{name}: '{value}' {fault}")
        }))
    }

    /// The `option` lines of the answer to `usi`.
    pub fn usi_lines(&self) -> Vec<String> {
        let BookRules { narrow, max_ply, margin, min_depth, ignore_ply, flipped, .. } = self.rules;
        let own_book = self.is_on();
        let file =
            self.file.as_ref().map_or_else(|| BUILT_IN.to_owned(), |it| it.display().to_string());
        let dir = if self.dir.as_os_str().is_empty() {
            EMPTY.into()
        } else {
            self.dir.display().to_string()
        };
        vec![
            format!("option name USI_OwnBook type check default {own_book}"),
            format!("option name BookFile type string default {file}"),
            format!("option name BookDir type string default {dir}"),
            format!("option name BookMoves type spin default {max_ply} min 0 max {MOST_PLIES}"),
            format!("option name NarrowBook type check default {narrow}"),
            format!("option name IgnoreBookPly type check default {ignore_ply}"),
            format!("option name FlippedBook type check default {flipped}"),
            format!("option name BookEvalDiff type spin default {margin} min 0 max {MOST}"),
            format!("option name BookDepthLimit type spin default {min_depth} min 0 max {MOST}"),
        ]
    }

    fn is_on(&self) -> bool {
        self.own_book.unwrap_or_else(|| self.by_default || self.file.is_some())
    }

    /// The selected book; `None` if the book is off.
    pub fn spec(&self) -> Option<BookSpec> {
        if !self.is_on() {
            return None;
        }
        let source = match &self.file {
            None => BookSource::BuiltIn,
            Some(file) if file.as_os_str() == NO_BOOK => return None,
            Some(file) => {
                let inside = self.dir.join(file);
                BookSource::File(if inside.exists() { inside } else { file.clone() })
            }
        };
        Some(BookSpec { source, rules: self.rules })
    }

    /// The book for a USI engine, which may have its own: only if the options name a file or switch the book on.
    pub fn spec_if_requested(&self) -> Option<BookSpec> {
        Self { by_default: false, ..self.clone() }.spec()
    }
}

impl Default for BookOptions {
    fn default() -> Self {
        Self::new()
    }
}

fn is_default(value: &str) -> bool {
    value.is_empty() || value == BUILT_IN || value == EMPTY
}

fn check(value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("is neither true nor false".to_owned()),
    }
}

fn spin(value: &str, most: u32) -> Result<u32, String> {
    let number = value.parse().ok().filter(|number| *number <= most);
    number.ok_or_else(|| format!("is no number from 0 to {most}"))
}

/// Whether the built-in engine uses the built-in book by default. In a match it was not weaker (`docs/engine-in-use.md`).
const ON_BY_DEFAULT: bool = true;

const NAMES: [&str; 10] = [
    "USI_OwnBook",
    "BookFile",
    "BookDir",
    "BookMoves",
    "NarrowBook",
    "IgnoreBookPly",
    "FlippedBook",
    "BookEvalDiff",
    "BookDepthLimit",
    "BookSeed",
];

/// The value of `BookFile` that means the built-in book.
const BUILT_IN: &str = "builtin";
/// The value of `BookFile` that means no book, as in YaneuraOu.
const NO_BOOK: &str = "no_book";
/// The value that hosts send for an empty text.
const EMPTY: &str = "<empty>";
/// Where YaneuraOu looks for books.
const USUAL_DIR: &str = "book";
const MOST_PLIES: u32 = 10_000;
const MOST: u32 = 99_999;
