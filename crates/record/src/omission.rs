//! What a format cannot hold.

use std::collections::BTreeMap;
use std::fmt;

use super::fault::clip;

/// A part of a record that some formats cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
    /// Variations, with everything in them.
    Variations,
    /// A start position.
    Start,
    /// Comments on moves, on the start or on the end.
    Comments,
    /// Times of moves.
    Times,
    /// Fractions of seconds in the times of moves.
    TimeFractions,
    /// Line breaks within comments.
    LineBreaks,
    /// Scores.
    Scores,
    /// The lengths of mates, in plies.
    MateLengths,
    /// Expected continuations.
    Continuations,
    /// Node counts.
    Nodes,
    /// Depths.
    Depths,
    /// A header, by the name that users know (`event`, `site`, or the key itself).
    Header(String),
    /// How the game ended. Who won may be kept.
    End,
    /// Moves.
    Moves,
    /// The illegal move that ended the game.
    IllegalMove,
    /// Characters that the encoding or the format does not have.
    Characters,
    /// A missing score, where the format needs one.
    NoScore,
    /// A missing result, where the format needs one.
    NoResult,
}

impl Omission {
    fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::Variations => ("variation", "variations"),
            Self::Start => ("start position", "start positions"),
            Self::Comments => ("comment", "comments"),
            Self::Times => ("time of a move", "times of moves"),
            Self::TimeFractions => ("fraction of a second", "fractions of seconds"),
            Self::LineBreaks => ("line break", "line breaks"),
            Self::Scores => ("score", "scores"),
            Self::MateLengths => ("length of a mate", "lengths of mates"),
            Self::Continuations => ("continuation", "continuations"),
            Self::Nodes => ("number of nodes", "numbers of nodes"),
            Self::Depths => ("depth", "depths"),
            Self::Header(_) => ("header", "headers"),
            Self::End => ("end", "ends"),
            Self::Moves => ("move", "moves"),
            Self::IllegalMove => {
                ("illegal move that ended the game", "illegal moves that ended games")
            }
            Self::Characters => ("character", "characters"),
            Self::NoScore => {
                ("move without a score (written as 0)", "moves without a score (written as 0)")
            }
            Self::NoResult => (
                "game without a result (written as a draw)",
                "games without a result (written as draws)",
            ),
        }
    }
}

/// `variations`, `header 'site'`.
impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "header '{name}'"),
            part => f.write_str(part.names().1),
        }
    }
}

/// What was omitted in writing, with counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omissions {
    parts: BTreeMap<Omission, usize>,
}

impl Omissions {
    /// No omissions.
    pub const fn new() -> Self {
        Self { parts: BTreeMap::new() }
    }

    /// Counts one more omission of this part.
    pub fn add(&mut self, part: Omission) {
        self.add_many(part, 1);
    }

    /// Counts `count` more omissions of this part; nothing for 0.
    pub fn add_many(&mut self, part: Omission, count: usize) {
        if count == 0 {
            return;
        }
        let part = match part {
            // A file may have any number of keys of any length.
            Omission::Header(name) => self.bounded_header(&name),
            part => part,
        };
        *self.parts.entry(part).or_default() += count;
    }

    /// A header by the beginning of its name; as `…` where very many others are omitted already.
    fn bounded_header(&self, name: &str) -> Omission {
        let header = Omission::Header(clip(name));
        let is_header = |part: &&Omission| matches!(part, Omission::Header(_));
        let headers = self.parts.keys().filter(is_header).count();
        if headers < MOST_HEADERS || self.parts.contains_key(&header) {
            header
        } else {
            Omission::Header("…".to_owned())
        }
    }

    /// Counts a header of this name as omitted, if it has a value.
    pub fn add_header<T>(&mut self, name: &str, value: Option<&T>) {
        if value.is_some() {
            self.add(Omission::Header(name.to_owned()));
        }
    }

    /// Adds all omissions of another list.
    pub fn merge(&mut self, other: &Self) {
        for (part, count) in &other.parts {
            self.add_many(part.clone(), *count);
        }
    }

    /// Whether nothing was omitted.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts, with the number of omissions of each.
    pub fn iter(&self) -> impl Iterator<Item = (&Omission, usize)> {
        self.parts.iter().map(|(part, count)| (part, *count))
    }
}

/// How many headers are listed by name.
const MOST_HEADERS: usize = 20;

/// `3 variations, 1 comment, header 'site'`.
impl fmt::Display for Omissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (part, count)) in self.iter().enumerate() {
            if number > 0 {
                f.write_str(", ")?;
            }
            let (one, many) = part.names();
            match (part, count) {
                (Omission::Header(name), 1) => write!(f, "{one} '{name}'")?,
                (Omission::Header(name), _) => write!(f, "{one} '{name}' of {count} games")?,
                (_, 1) => write!(f, "1 {one}")?,
                _ => write!(f, "{count} {many}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_headers_are_reported_in_bounded_space() {
        let mut omissions = Omissions::new();
        for number in 0..1000 {
            omissions.add(Omission::Header(format!("{number} {}", "A".repeat(1000))));
        }
        assert!(omissions.to_string().len() < 2000);
        assert_eq!(omissions.iter().map(|(_, count)| count).sum::<usize>(), 1000);
    }

    #[test]
    fn omissions_are_reported_in_one_line() {
        let mut omissions = Omissions::new();
        assert!(omissions.is_empty());
        omissions.add_many(Omission::Times, 0);
        omissions.add_many(Omission::Variations, 3);
        omissions.add(Omission::Comments);
        omissions.add_header("site", Some(&"Tokyo"));
        omissions.add_header::<&str>("event", None);
        assert_eq!(omissions.to_string(), "3 variations, 1 comment, header 'site'");
        let other = omissions.clone();
        omissions.merge(&other);
        assert_eq!(omissions.to_string(), "6 variations, 2 comments, header 'site' of 2 games");
    }
}
