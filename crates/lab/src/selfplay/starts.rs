//! The starts of games: an opening, built in or from a record, followed by a few random moves.

use std::path::Path;

use serde_json::{Value, json};

use kyomi::matches::{Fingerprint, Openings, OpeningsError, built_in_lines};
use kyomi_record::{Games, GamesError, is_table};
use kyomi_shogi::{EnteringKingRule, Game, Move, Position};

use super::OpeningSource;

/// All openings that games may begin with.
#[derive(Debug, Clone)]
pub struct Starts {
    built_in: Vec<Box<[Move]>>,
    records: Vec<Opening>,
    choice: RecordChoice,
    /// For each file its name, the number of its openings, and a fingerprint of them.
    files: Vec<Value>,
}

/// How recorded games are used as openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordChoice {
    /// The share of the games that begin with a recorded game, in percent, if there are any.
    pub percent: u8,
    /// The smallest and the largest number of moves of a recorded game that are played.
    pub plies: (u16, u16),
}

impl Default for RecordChoice {
    fn default() -> Self {
        Self { percent: 50, plies: (4, 24) }
    }
}

/// The first moves of a recorded game.
#[derive(Debug, Clone)]
struct Opening {
    /// The start position; `None` for the standard one.
    start: Option<Box<Position>>,
    moves: Box<[Move]>,
}

/// A start that was drawn at random. Its score is not known yet.
#[derive(Debug, Clone)]
pub(super) struct SampledStart {
    pub(super) position: Position,
    pub(super) source: OpeningSource,
    pub(super) random_plies: u8,
}

/// The reason a file has no openings.
#[derive(Debug, thiserror::Error)]
pub enum StartsError {
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] GamesError),
    /// The records cannot be read.
    #[error(transparent)]
    Records(#[from] OpeningsError),
    /// No game of the file is long enough.
    #[error("{path} contains no game of {least} moves or more")]
    Short {
        /// The file.
        path: String,
        /// The least number of moves of an opening.
        least: u16,
    },
}

impl Starts {
    /// The built-in openings, and the games of these files: tables (`.tsv`, gzip or plain) or records.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn read(files: &[impl AsRef<Path>], choice: RecordChoice) -> Result<Self, StartsError> {
        let mut starts =
            Self { built_in: built_in(), records: Vec::new(), choice, files: Vec::new() };
        let (least, most) = choice.plies;
        for path in files.iter().map(AsRef::as_ref) {
            let before = starts.records.len();
            if is_table(path) {
                for game in Games::open(path)? {
                    let game = game?;
                    starts.add(None, &game.moves);
                }
            } else {
                let openings = Openings::of_games(path, usize::from(most))?;
                for number in 0..openings.len() {
                    let game = openings.get(number);
                    let start = Some(game.start()).filter(|start| **start != Position::startpos());
                    starts.add(start, game.moves());
                }
            }
            let new = &starts.records[before..];
            if new.is_empty() {
                return Err(StartsError::Short { path: path.display().to_string(), least });
            }
            let mut fingerprint = Fingerprint::new();
            for opening in new {
                if let Some(start) = &opening.start {
                    fingerprint.add(start.to_sfen().as_bytes());
                }
                fingerprint.add(&in_bytes(&opening.moves));
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let fingerprint = format!("{:016x}", fingerprint.value());
            starts
                .files
                .push(json!({ "file": name, "games": new.len(), "fingerprint": fingerprint }));
        }
        Ok(starts)
    }

    fn add(&mut self, start: Option<&Position>, moves: &[Move]) {
        let (least, most) = self.choice.plies;
        let moves = &moves[..moves.len().min(usize::from(most))];
        // With another start position any number of moves is enough: lists of positions have none.
        if moves.len() >= usize::from(least) || start.is_some() {
            self.records.push(Opening { start: start.cloned().map(Box::new), moves: moves.into() });
        }
    }

    /// A description of these openings. Equal descriptions mean equal openings.
    pub(super) fn plan(&self) -> Value {
        let mut fingerprint = Fingerprint::new();
        for moves in &self.built_in {
            fingerprint.add(&in_bytes(moves));
        }
        let mut plan =
            json!({ "built_in": format!("{:016x}", fingerprint.value()), "records": self.files });
        // Runs with the usual choice have plans from before there was another.
        if self.choice != RecordChoice::default() {
            plan["record_percent"] = json!(self.choice.percent);
            plan["record_plies"] = json!([self.choice.plies.0, self.choice.plies.1]);
        }
        plan
    }

    /// The starts that are tried for the game with this number, one after the other. `plies` is the least and the
    /// greatest number of random moves. The starts depend on seed and number only. Those after ply `max_ply` are
    /// omitted.
    pub(super) fn of_game(
        &self,
        seed: u64,
        number: u32,
        plies: (u8, u8),
        max_ply: u16,
    ) -> impl Iterator<Item = SampledStart> {
        let mut random = fastrand::Rng::with_seed(game_seed(seed, number));
        (0..MOST_STARTS)
            .filter_map(move |_| self.sample(&mut random, plies))
            .filter(move |start| start.position.ply() <= max_ply)
    }

    /// Draws a start: a random number of moves of a random opening, then random legal moves, `plies` at least and at
    /// most. Returns `None` if the position is check, mate or a win by declaration.
    pub(super) fn sample(
        &self,
        random: &mut fastrand::Rng,
        plies: (u8, u8),
    ) -> Option<SampledStart> {
        let from_record = !self.records.is_empty() && self.is_record(random);
        let mut game = if from_record { self.record(random) } else { self.line(random) };
        let random_plies = random.u8(plies.0..=plies.1.max(plies.0));
        for _ in 0..random_plies {
            let moves = game.position().legal_moves();
            let mv = *moves.get(random.usize(..moves.len().max(1)))?;
            game.push(mv).ok()?;
        }
        let position = game.position();
        if position.in_check()
            || !position.has_legal_move()
            || position.can_declare(EnteringKingRule::default())
        {
            return None;
        }
        let source = if from_record { OpeningSource::Record } else { OpeningSource::BuiltIn };
        Some(SampledStart { position: position.clone(), source, random_plies })
    }

    /// The least number of moves of an opening, those before its start position included, and its source.
    pub(super) fn fewest_moves(&self) -> (u16, OpeningSource) {
        let built_in = (SHORTEST as u16, OpeningSource::BuiltIn);
        if self.choice.percent < 100 {
            return built_in;
        }
        let fewest = |opening: &Opening| {
            let before = opening.start.as_ref().map_or(0, |start| start.ply().saturating_sub(1));
            before.saturating_add(self.choice.plies.0.min(opening.moves.len() as u16))
        };
        let of_records = self.records.iter().map(fewest).min();
        of_records.map_or(built_in, |fewest| (fewest, OpeningSource::Record))
    }

    /// Draws whether a game begins with a recorded game.
    fn is_record(&self, random: &mut fastrand::Rng) -> bool {
        match self.choice.percent {
            // The draw of the first version, so that its runs can be resumed.
            50 => random.bool(),
            percent => random.u8(..100) < percent,
        }
    }

    fn line(&self, random: &mut fastrand::Rng) -> Game {
        let mut game = Game::default();
        if let Some(moves) = random.choice(&self.built_in) {
            push_first_moves(&mut game, moves, SHORTEST, random);
        }
        game
    }

    fn record(&self, random: &mut fastrand::Rng) -> Game {
        let Some(opening) = random.choice(&self.records) else { return Game::default() };
        let mut game = opening.start.as_deref().cloned().map_or_else(Game::default, Game::new);
        push_first_moves(&mut game, &opening.moves, usize::from(self.choice.plies.0), random);
        game
    }
}

/// Plays a random number of the first moves, at least `least` if the game has them.
fn push_first_moves(game: &mut Game, moves: &[Move], least: usize, random: &mut fastrand::Rng) {
    let count = random.usize(least.min(moves.len())..=moves.len());
    for &mv in &moves[..count] {
        // The moves were checked when they were read.
        let _ = game.push(mv);
    }
}

/// The built-in lines.
fn built_in() -> Vec<Box<[Move]>> {
    built_in_lines().map(|line| line.moves).collect()
}

fn in_bytes(moves: &[Move]) -> Vec<u8> {
    moves.iter().flat_map(|mv| mv.to_bits().to_le_bytes()).collect()
}

/// The seed of a game. The mixing makes the random numbers of neighbouring seeds and games independent.
fn game_seed(seed: u64, number: u32) -> u64 {
    // SplitMix64 (Steele, Lea and Flood, 2014), over one word and then the other.
    let scatter = |word: u64| {
        let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    scatter(scatter(seed) ^ u64::from(number))
}

/// The largest number of starts that are tried for one game; far more than needed unless all starts are used up.
const MOST_STARTS: usize = 10_000;
/// The smallest number of moves of a built-in opening.
const SHORTEST: usize = 4;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_built_in_lines_are_legal_and_lead_to_different_positions() {
        let mut seen = BTreeSet::new();
        for moves in built_in() {
            assert!((6..=16).contains(&moves.len()), "{moves:?}");
            let mut game = Game::default();
            for &mv in &moves {
                game.push(mv).unwrap_or_else(|error| panic!("{error}: {moves:?}"));
            }
            assert!(seen.insert(game.position().key()), "twice: {moves:?}");
        }
        assert!(seen.len() >= 60, "{}", seen.len());
    }

    #[test]
    fn starts_depend_on_the_seed_and_differ() {
        let starts = Starts::read(&[] as &[&Path], RecordChoice::default()).unwrap();
        let sample = |seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            starts
                .sample(&mut random, (4, 8))
                .map(|sampled| (sampled.position.to_sfen(), sampled.random_plies))
        };
        let sampled: Vec<_> = (0..200).filter_map(sample).collect();
        assert_eq!(sampled, (0..200).filter_map(sample).collect::<Vec<_>>());
        assert!(sampled.len() > 150, "{}", sampled.len());
        let different: BTreeSet<_> = sampled.iter().map(|(sfen, _)| sfen).collect();
        assert_eq!(different.len(), sampled.len());
        assert!((4..=8).all(|plies| sampled.iter().any(|(_, random)| *random == plies)));
    }

    #[test]
    fn a_recorded_game_that_ends_in_mate_is_used_without_its_last_move() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.usi");
        let mate = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves 5i5h 5a4a 5h5i 4a5a G*5b\n";
        std::fs::write(&path, format!("{mate}startpos moves 7g7f 3c3d\n")).unwrap();
        let choice = RecordChoice { percent: 100, plies: (2, 300) };
        let starts = Starts::read(&[&path], choice).unwrap();
        assert_eq!(starts.records.iter().map(|it| it.moves.len()).collect::<Vec<_>>(), [4, 2]);
        // For a match it is an error.
        assert!(Openings::read(&path, None).unwrap_err().to_string().contains("it is mate"));
        // So is a position that is mate before any move.
        std::fs::write(&path, "4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1\n").unwrap();
        assert!(Starts::read(&[&path], choice).unwrap_err().to_string().contains("it is mate"));
    }

    #[test]
    fn all_games_can_begin_in_the_middle_of_recorded_games() {
        let folder = tempfile::tempdir().unwrap();
        let shuffle = "5i5h 5a5b 5h5i 5b5a 4i4h 6a6b 4h4i 6b6a 6i6h 4a4b 6h6i 4b4a";
        let path = folder.path().join("games.usi");
        std::fs::write(&path, format!("startpos moves {shuffle}\n")).unwrap();
        let choice = RecordChoice { percent: 100, plies: (7, 11) };
        let starts = Starts::read(&[&path], choice).unwrap();
        let plies: BTreeSet<_> = (0..200)
            .map(|seed| {
                let mut random = fastrand::Rng::with_seed(seed);
                let start = starts.sample(&mut random, (0, 0)).unwrap();
                assert_eq!(start.source, OpeningSource::Record);
                start.position.ply() - 1
            })
            .collect();
        assert_eq!(plies, (7..=11).collect());
        assert_eq!(starts.plan()["record_plies"], json!([7, 11]));
        // The same games with another choice are other openings, and too short ones none.
        let none = RecordChoice { percent: 100, plies: (13, 20) };
        let fault = Starts::read(&[&path], none).unwrap_err().to_string();
        assert!(fault.ends_with("contains no game of 13 moves or more"), "{fault}");
    }
}
