//! The openings of matches and self-play.

use std::{fs, io, path::Path};

use kyomi_record::{Format, Pieces, read_detected};
use kyomi_shogi::{Game, Move, Position, notation::usi};

/// The openings of a match, in the order in which they are played.
#[derive(Debug, Clone)]
pub struct Openings {
    openings: Vec<Opening>,
}

/// An opening in little memory, since a file may have very many.
#[derive(Debug, Clone)]
struct Opening {
    /// The start position; `None` for the standard one.
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
            // The moves were checked when they were read.
            let _ = game.push(mv);
        }
        game
    }
}

/// The reason openings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("reading openings from {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// Its format is not known.
    #[error(
        "{path}: the format is not known; openings are read from lists (.sfen, .usi) and records"
    )]
    Unknown {
        /// The file.
        path: String,
    },
    /// An opening is invalid.
    #[error("{path}, {fault}")]
    Bad {
        /// The file.
        path: String,
        /// The place in the file and the error.
        fault: String,
    },
    /// The file has no openings.
    #[error("{path} contains no opening")]
    Empty {
        /// The file.
        path: String,
    },
}

/// A line of the built-in list.
pub struct BuiltInLine {
    /// Its moves from the initial position.
    pub moves: Box<[Move]>,
    /// The numbers of moves after which the position is about even, so that a game of a match may begin.
    even: Vec<usize>,
}

/// The built-in opening lines.
pub fn built_in_lines() -> impl Iterator<Item = BuiltInLine> {
    include_str!("openings.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (mut moves, mut even) = (Vec::new(), Vec::new());
        for word in line.split(' ') {
            match word.parse() {
                Ok(mv) => moves.push(mv),
                Err(_) => even.push(moves.len()),
            }
        }
        BuiltInLine { moves: moves.into(), even }
    })
}

impl Default for Openings {
    /// The standard start position only.
    fn default() -> Self {
        Self { openings: vec![Opening::of(&Game::default())] }
    }
}

impl Openings {
    /// The built-in openings: different positions of known systems after 6 to 16 moves, about even.
    pub fn built_in() -> Self {
        let openings = built_in_lines().flat_map(|line| {
            let opening =
                |&plies: &usize| Opening { start: None, moves: line.moves[..plies].into() };
            line.even.iter().map(opening).collect::<Vec<_>>()
        });
        Self { openings: openings.collect() }
    }

    /// One opening.
    #[cfg(feature = "cluster")]
    pub(super) fn of_game(game: &Game) -> Self {
        Self { openings: vec![Opening::of(game)] }
    }

    /// Reads a file of any record format. Lists (`startpos moves …`, `sfen … moves …` or a bare SFEN on each line) are
    /// used with all their moves, records with the first [`RECORD_PLIES`] moves; `plies` limits both.
    ///
    /// # Errors
    /// An opening cannot be read, or no game can be played from it.
    pub fn read(path: &Path, plies: Option<usize>) -> Result<Self, OpeningsError> {
        Self::read_with(path, plies, MateAtEnd::Refuse)
    }

    /// As [`Openings::read`], for the first `plies` moves of whole games: one that ends in mate before is used without
    /// its last move.
    ///
    /// # Errors
    /// An opening cannot be read, or no game can be played from it.
    pub fn of_games(path: &Path, plies: usize) -> Result<Self, OpeningsError> {
        Self::read_with(path, Some(plies), MateAtEnd::TakeBack)
    }

    fn read_with(
        path: &Path,
        plies: Option<usize>,
        mate: MateAtEnd,
    ) -> Result<Self, OpeningsError> {
        let name = path.display().to_string();
        let (format, bytes) = fs::File::open(path)
            .and_then(|file| read_detected(Some(path), file))
            .map_err(|source| OpeningsError::Read { path: name.clone(), source })?;
        let format = format.ok_or_else(|| OpeningsError::Unknown { path: name.clone() })?;
        let openings = read(format, &bytes, plies, mate)
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

    /// Always `false`: there is at least one opening.
    pub fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// Shuffles the openings; the same seed gives the same order.
    pub fn shuffle(&mut self, seed: u64) {
        fastrand::Rng::with_seed(seed).shuffle(&mut self.openings);
    }

    /// The opening with this number. After the last opening the numbers continue with the first one.
    pub fn get(&self, number: usize) -> Game {
        self.openings[number % self.openings.len()].game()
    }

    /// A hash that identifies the openings and their order.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = super::Fingerprint::new();
        for opening in &self.openings {
            hash.add(usi::format_position_line(&opening.game()).as_bytes());
        }
        hash.value()
    }
}

/// What is done with an opening that ends in mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MateAtEnd {
    Refuse,
    /// Its last move is taken back.
    TakeBack,
}

fn read(
    format: Format,
    bytes: &[u8],
    plies: Option<usize>,
    mate: MateAtEnd,
) -> Result<Vec<Opening>, String> {
    let is_list = format.pieces() == Pieces::Lines;
    let plies = plies.unwrap_or(if is_list { usize::MAX } else { RECORD_PLIES });
    let mut openings = Vec::new();
    for (read, number) in format.read_each(bytes).zip(1..) {
        let read = read.map_err(|error| error.to_string())?;
        if let Some(fault) = read.fault {
            return Err(fault.to_string());
        }
        let game = read.record.game().map_err(|error| error.to_string())?;
        let game =
            checked(game, plies, mate).map_err(|reason| format!("opening {number}: {reason}"))?;
        openings.push(Opening::of(&game));
    }
    Ok(openings)
}

/// The first `plies` moves of a game, if a game can be played from there.
fn checked(mut game: Game, plies: usize, mate: MateAtEnd) -> Result<Game, String> {
    let is_mate = |game: &Game| mate == MateAtEnd::TakeBack && !game.position().has_legal_move();
    while game.len() > plies || !game.is_empty() && is_mate(&game) {
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

/// The number of moves taken from a record by default.
pub const RECORD_PLIES: usize = 24;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn lines(text: &str) -> Result<Vec<Opening>, String> {
        read(Format::Usi, text.as_bytes(), None, MateAtEnd::Refuse)
    }

    fn lengths(openings: &[Opening]) -> Vec<usize> {
        openings.iter().map(|opening| opening.game().len()).collect()
    }

    #[test]
    fn the_builtin_openings_are_distinct_and_quiet() {
        let text = include_str!("openings.txt").lines().filter(|line| !line.starts_with('#'));
        for (line, read) in text.zip(built_in_lines()) {
            let words = line.split(' ').filter(|word| *word != "|");
            assert_eq!(words.count(), read.moves.len(), "{line}");
        }
        let openings = Openings::built_in();
        let mut seen = BTreeSet::new();
        for number in 0..openings.len() {
            let game = openings.get(number);
            assert!((6..=16).contains(&game.len()), "{:?}", game.moves());
            assert!(!game.position().in_check(), "{:?}", game.moves());
            assert!(seen.insert(game.position().key()), "twice: {:?}", game.moves());
        }
        assert!(seen.len() >= 300, "{}", seen.len());
    }

    #[test]
    fn all_line_forms_are_parsed() {
        let text = "# a comment\nstartpos moves 7g7f 3c3d\n\nposition startpos\n\
                    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 2g2f\n\
                    lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2\n";
        let games = lines(text).unwrap();
        assert_eq!(lengths(&games), [2, 0, 1, 0]);
        let cut = read(Format::Usi, text.as_bytes(), Some(1), MateAtEnd::Refuse).unwrap();
        assert_eq!(lengths(&cut), [1, 0, 1, 0]);
    }

    #[test]
    fn a_bad_line_is_reported() {
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
        let games = read(Format::Csa3, csa.as_bytes(), Some(2), MateAtEnd::Refuse).unwrap();
        assert_eq!(lengths(&games), [2, 1]);
    }

    #[test]
    fn the_order_depends_on_the_seed() {
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
