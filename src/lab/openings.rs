//! The openings of a match.

use std::{fs, io, path::Path};

use crate::{
    record::{Format, read_detected},
    shogi::{Game, Move, Position, notation::usi},
};

/// The openings of a match, in the order of their file.
#[derive(Debug, Clone)]
pub struct Openings {
    openings: Vec<Opening>,
}

/// One opening, stored compactly: there may be very many.
#[derive(Debug, Clone)]
struct Opening {
    /// `None` for the even start.
    start: Option<Box<Position>>,
    moves: Box<[Move]>,
}

impl Opening {
    fn of(game: &Game) -> Self {
        let start = Some(game.start()).filter(|start| **start != Position::startpos());
        Self { start: start.cloned().map(Box::new), moves: game.moves().into() }
    }

    fn game(&self) -> Game {
        let mut game =
            self.start.as_deref().map_or_else(Game::default, |start| Game::new(start.clone()));
        for &mv in &self.moves {
            // Legal when it was read.
            let _ = game.push(mv);
        }
        game
    }
}

/// Why openings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("reading openings from {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// Its format is not known.
    #[error(
        "{path}: the format is not known; openings stand in a list (.sfen, .usi) or in records"
    )]
    Unknown {
        /// The file.
        path: String,
    },
    /// An opening of it is wrong.
    #[error("{path}, {fault}")]
    Bad {
        /// The file.
        path: String,
        /// Where and what.
        fault: String,
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
        Self { openings: vec![Opening::of(&Game::default())] }
    }
}

impl Openings {
    /// Reads a file of any format of records. Of lists (`startpos moves …`, `sfen … moves …` or a bare SFEN, one a
    /// line) whole lines are taken, of games the first [`RECORD_PLIES`] moves; `plies` cuts both.
    ///
    /// # Errors
    /// Any opening that cannot be read or from which no game can be played.
    pub fn read(path: &Path, plies: Option<usize>) -> Result<Self, OpeningsError> {
        let name = path.display().to_string();
        let (format, bytes) = fs::File::open(path)
            .and_then(|file| read_detected(Some(path), file))
            .map_err(|source| OpeningsError::Read { path: name.clone(), source })?;
        let format = format.ok_or_else(|| OpeningsError::Unknown { path: name.clone() })?;
        let openings = read(format, &bytes, plies)
            .map_err(|fault| OpeningsError::Bad { path: name.clone(), fault })?;
        if openings.is_empty() {
            return Err(OpeningsError::Empty { path: name });
        }
        Ok(Self { openings })
    }

    /// The number of openings.
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Always false: there is at least one opening.
    pub fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// Shuffles the openings; the order depends only on the seed.
    pub fn shuffle(&mut self, seed: u64) {
        fastrand::Rng::with_seed(seed).shuffle(&mut self.openings);
    }

    /// The opening of this number; numbers wrap around.
    pub fn get(&self, number: usize) -> Game {
        self.openings[number % self.openings.len()].game()
    }

    /// A hash of the openings and their order.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = super::Fingerprint::new();
        for opening in &self.openings {
            hash.add(usi::format_position_line(&opening.game()).as_bytes());
        }
        hash.value()
    }
}

fn read(format: Format, bytes: &[u8], plies: Option<usize>) -> Result<Vec<Opening>, String> {
    let is_list = matches!(format, Format::Usi | Format::Sfen);
    let plies = plies.unwrap_or(if is_list { usize::MAX } else { RECORD_PLIES });
    let mut openings = Vec::new();
    for (read, number) in format.read_each(bytes).zip(1..) {
        let read = read.map_err(|error| error.to_string())?;
        if let Some(fault) = read.fault {
            return Err(fault.to_string());
        }
        let game = read.record.game().map_err(|error| error.to_string())?;
        let game = checked(game, plies).map_err(|reason| format!("opening {number}: {reason}"))?;
        openings.push(Opening::of(&game));
    }
    Ok(openings)
}

/// The first moves of a game, if it is not over after them.
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

/// Default number of moves taken from a record.
pub const RECORD_PLIES: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<Opening>, String> {
        read(Format::Usi, text.as_bytes(), None)
    }

    fn lengths(openings: &[Opening]) -> Vec<usize> {
        openings.iter().map(|opening| opening.game().len()).collect()
    }

    #[test]
    fn all_forms_of_a_line_are_read() {
        let text = "# a comment\nstartpos moves 7g7f 3c3d\n\nposition startpos\n\
                    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 2g2f\n\
                    lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2\n";
        let games = lines(text).unwrap();
        assert_eq!(lengths(&games), [2, 0, 1, 0]);
        let cut = read(Format::Usi, text.as_bytes(), Some(1)).unwrap();
        assert_eq!(lengths(&cut), [1, 0, 1, 0]);
    }

    #[test]
    fn a_bad_line_is_named() {
        let fault = lines("startpos\nstartpos moves 7g7f 7g7f").unwrap_err();
        assert!(fault.contains("line 2") && fault.contains("7g7f"), "{fault}");
        // Mated by the gold in front of the king.
        let fault = lines("startpos\n4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1").unwrap_err();
        assert!(fault.contains("opening 2") && fault.contains("mate"), "{fault}");
    }

    #[test]
    fn records_are_cut_to_openings() {
        let csa =
            "V3.0\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%TORYO\n/\nV3.0\nPI\n+\n+2726FU\n%CHUDAN\n";
        let games = read(Format::Csa3, csa.as_bytes(), Some(2)).unwrap();
        assert_eq!(lengths(&games), [2, 1]);
    }

    #[test]
    fn the_order_follows_from_the_seed() {
        let text: String = ["7g7f", "2g2f", "5g5f", "6g6f", "9g9f", "1g1f"]
            .map(|mv| format!("startpos moves {mv}\n"))
            .concat();
        let shuffled = |seed| {
            let mut openings = Openings { openings: lines(&text).unwrap() };
            openings.shuffle(seed);
            openings.fingerprint()
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
    }
}
