//! What a format cannot hold.

use std::collections::BTreeMap;
use std::fmt;

use super::fault::clip;

/// A part of a record that some formats have no place for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
    /// Variations, with all that is in them.
    Variations,
    /// A start position of its own.
    Start,
    /// Comments on moves, on the start or on the end.
    Comments,
    /// Times of moves.
    Times,
    /// Parts of seconds of times of moves.
    TimeFractions,
    /// The order in which single lines of comments stood.
    LineBreaks,
    /// Scores.
    Scores,
    /// How many plies a mate is away.
    MateLengths,
    /// Expected continuations.
    Continuations,
    /// Numbers of nodes.
    Nodes,
    /// Depths.
    Depths,
    /// A header by its name in the language of users (`event`, `site`, or the key itself).
    Header(String),
    /// How the game ended, though who won may be kept.
    End,
    /// Moves.
    Moves,
    /// Characters that the encoding does not have, or that the format has no place for.
    Characters,
    /// The score of a move that has none, where the form must have one.
    NoScore,
    /// The result of a game that has none, where the form must have one.
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

/// What was dropped in writing, and how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omissions {
    parts: BTreeMap<Omission, usize>,
}

impl Omissions {
    /// Nothing lost.
    pub const fn new() -> Self {
        Self { parts: BTreeMap::new() }
    }

    /// One more of this part is lost.
    pub fn add(&mut self, part: Omission) {
        self.add_many(part, 1);
    }

    /// So many more of this part are lost; none is nothing.
    pub fn add_many(&mut self, part: Omission, count: usize) {
        if count == 0 {
            return;
        }
        let part = match part {
            // A file may hold any number of keys of any length.
            Omission::Header(name) => self.bounded_header(&name),
            part => part,
        };
        *self.parts.entry(part).or_default() += count;
    }

    /// A header by the beginning of its name; by `…` where very many others are lost already.
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

    /// A header by this name is lost, if there is one.
    pub fn add_header<T>(&mut self, name: &str, value: Option<&T>) {
        if value.is_some() {
            self.add(Omission::Header(name.to_owned()));
        }
    }

    /// Takes in what was lost elsewhere.
    pub fn merge(&mut self, other: &Self) {
        for (part, count) in &other.parts {
            self.add_many(part.clone(), *count);
        }
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts with how often they were lost.
    pub fn iter(&self) -> impl Iterator<Item = (&Omission, usize)> {
        self.parts.iter().map(|(part, count)| (part, *count))
    }
}

/// So many headers are told by name.
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
    fn very_many_headers_are_told_in_bounded_space() {
        let mut omissions = Omissions::new();
        for number in 0..1000 {
            omissions.add(Omission::Header(format!("{number} {}", "A".repeat(1000))));
        }
        assert!(omissions.to_string().len() < 2000);
        assert_eq!(omissions.iter().map(|(_, count)| count).sum::<usize>(), 1000);
    }

    #[test]
    fn losses_are_told_in_one_line() {
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
