//! Where games begin.

use std::{fs, io, path::Path};

use crate::{
    record::{Encoding, Format},
    shogi::{
        Game, Position,
        notation::{sfen, usi},
    },
};

/// The openings of a match, in the order of their file.
#[derive(Debug, Clone)]
pub struct Openings {
    games: Vec<Game>,
}

/// Why openings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("reading openings from {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A line or a game of it is wrong.
    #[error("{path}, {place}: {reason}")]
    Bad {
        /// The file.
        path: String,
        /// The line or the game, counted from 1.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// Nothing is in it.
    #[error("{path} holds no opening")]
    Empty {
        /// The file.
        path: String,
    },
}

impl Default for Openings {
    /// The even start alone.
    fn default() -> Self {
        Self { games: vec![Game::default()] }
    }
}

impl Openings {
    /// Reads a file: records by the extension of their format, anything else as a list with one opening a line:
    /// `startpos moves …`, `sfen … moves …` (both with or without `position` before) or a bare SFEN. Blank lines and
    /// those that begin with `#` are skipped.
    ///
    /// `plies` cuts every opening; without it those of records are cut at [`RECORD_PLIES`], lines of lists not at all.
    ///
    /// # Errors
    /// Any opening that cannot be read or from which no game can be played.
    pub fn read(path: &Path, plies: Option<usize>) -> Result<Self, OpeningsError> {
        let name = path.display().to_string();
        let bytes =
            fs::read(path).map_err(|source| OpeningsError::Read { path: name.clone(), source })?;
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let is_list = ["sfen", "usi", "txt", "epd", ""].contains(&extension.as_str());
        let format = Format::ALL.into_iter().find(|format| {
            [Encoding::Utf8, Encoding::ShiftJis]
                .iter()
                .any(|encoding| format.extension(*encoding) == extension)
        });
        let games = match format {
            Some(format) if !is_list => from_records(format, &bytes, plies.unwrap_or(RECORD_PLIES)),
            _ => from_lines(&String::from_utf8_lossy(&bytes), plies.unwrap_or(usize::MAX)),
        };
        let games = games.map_err(|(place, reason)| OpeningsError::Bad {
            path: name.clone(),
            place,
            reason,
        })?;
        if games.is_empty() {
            return Err(OpeningsError::Empty { path: name });
        }
        Ok(Self { games })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Never: there is always one.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Another order, the same for the same seed.
    pub fn shuffle(&mut self, seed: u64) {
        fastrand::Rng::with_seed(seed).shuffle(&mut self.games);
    }

    /// The opening of this number; they come round again.
    pub fn get(&self, number: usize) -> &Game {
        &self.games[number % self.games.len()]
    }

    /// A number that tells one set of openings, in its order, from another.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = super::Fingerprint::new();
        for game in &self.games {
            hash.add(usi::format_position_line(game).as_bytes());
        }
        hash.value()
    }
}

type Fault = (String, String);

fn from_lines(text: &str, plies: usize) -> Result<Vec<Game>, Fault> {
    let mut games = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = || format!("line {number}");
        let first = line.split_whitespace().next().unwrap_or_default();
        let game = if ["position", "startpos", "sfen"].contains(&first) {
            usi::parse_position_line(line).map_err(|error| (place(), error.to_string()))?
        } else {
            Game::new(sfen::parse(line).map_err(|error| (place(), error.to_string()))?)
        };
        games.push(checked(game, plies).map_err(|reason| (place(), reason))?);
    }
    Ok(games)
}

fn from_records(format: Format, bytes: &[u8], plies: usize) -> Result<Vec<Game>, Fault> {
    let mut games = Vec::new();
    for (read, number) in format.read_each(bytes).zip(1..) {
        let fault = |reason: String| (format!("game {number}"), reason);
        let read = read.map_err(|error| fault(error.to_string()))?;
        let game = read.record.game().map_err(|error| fault(error.to_string()))?;
        games.push(checked(game, plies).map_err(fault)?);
    }
    Ok(games)
}

/// The first moves of a game, if it can be gone on with.
fn checked(mut game: Game, plies: usize) -> Result<Game, String> {
    while game.len() > plies {
        game.pop();
    }
    let position: &Position = game.position();
    if let Err(reason) = position.check_playable() {
        return Err(format!("no game can be played from here: {reason}"));
    }
    if !position.has_legal_move() {
        return Err("no game can be played from here: it is mate".to_owned());
    }
    Ok(game)
}

/// Moves that are taken from a record where nobody says how many.
pub const RECORD_PLIES: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<Game>, Fault> {
        from_lines(text, usize::MAX)
    }

    #[test]
    fn all_forms_of_a_line_are_read() {
        let text = "# a comment\nstartpos moves 7g7f 3c3d\n\nposition startpos\n\
                    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 2g2f\n\
                    lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2\n";
        let games = lines(text).unwrap();
        assert_eq!(games.iter().map(Game::len).collect::<Vec<_>>(), [2, 0, 1, 0]);
        let cut = from_lines(text, 1).unwrap();
        assert_eq!(cut.iter().map(Game::len).collect::<Vec<_>>(), [1, 0, 1, 0]);
    }

    #[test]
    fn a_bad_line_is_named() {
        let (place, reason) = lines("startpos\nstartpos moves 7g7f 7g7f").unwrap_err();
        assert_eq!(place, "line 2");
        assert!(reason.contains("7g7f"), "{reason}");
        // Mated by the gold in front of the king.
        let (_, reason) = lines("4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1").unwrap_err();
        assert!(reason.contains("mate"), "{reason}");
    }

    #[test]
    fn records_are_cut_to_openings() {
        let csa =
            "V3.0\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%TORYO\n/\nV3.0\nPI\n+\n+2726FU\n%CHUDAN\n";
        let games = from_records(Format::Csa3, csa.as_bytes(), 2).unwrap();
        assert_eq!(games.iter().map(Game::len).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn the_order_follows_from_the_seed() {
        let text: String = ["7g7f", "2g2f", "5g5f", "6g6f", "9g9f", "1g1f"]
            .map(|mv| format!("startpos moves {mv}\n"))
            .concat();
        let shuffled = |seed| {
            let mut openings = Openings { games: lines(&text).unwrap() };
            openings.shuffle(seed);
            openings.fingerprint()
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
    }
}
