//! Games for an opening book: from tables, records and folders of records.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use crate::archive::convert::find;
use kyomi_record::{Winner, read_detected};
use kyomi_shogi::{Game, Move, Position};

use kyomi_record::{Games, is_table};

/// A game for a book.
#[derive(Debug, Clone, Copy)]
pub struct BookGame<'a> {
    /// Where it starts.
    pub start: &'a Position,
    /// Its moves, legal.
    pub moves: &'a [Move],
    /// Who won, if that is known.
    pub winner: Option<Winner>,
    /// The ratings of both players, black's first, if they are known.
    pub ratings: [Option<u32>; 2],
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct BookGamesRead {
    /// The number of games.
    pub games: usize,
    /// The number of files with games.
    pub files: usize,
    /// What could not be read, a line each, at most [`BookGamesRead::KEPT`].
    pub faults: Vec<String>,
    /// The number of faults.
    pub fault_count: usize,
}

impl BookGamesRead {
    /// How many faults are kept.
    pub const KEPT: usize = 20;

    fn fault(&mut self, text: String) {
        self.fault_count += 1;
        if self.faults.len() < Self::KEPT {
            self.faults.push(text);
        }
    }

    fn table(&mut self, path: &Path, take: &mut dyn FnMut(BookGame<'_>)) {
        let games = match Games::open(path) {
            Ok(games) => games,
            Err(error) => return self.fault(error.to_string()),
        };
        let before = self.games;
        for game in games {
            match game {
                Ok(game) => {
                    let even = Position::startpos();
                    let start = game.start.as_deref().unwrap_or(&even);
                    let (moves, ratings) = (&*game.moves, game.ratings);
                    take(BookGame { start, moves, winner: game.winner, ratings });
                    self.games += 1;
                }
                Err(error) => self.fault(error.to_string()),
            }
        }
        self.files += usize::from(self.games > before);
    }

    fn records(&mut self, path: &Path, take: &mut dyn FnMut(BookGame<'_>)) {
        let name = path.display();
        let read = File::open(path).and_then(|file| read_detected(Some(path), file));
        let (format, bytes) = match read {
            Ok((Some(format), bytes)) => (format, bytes),
            Ok((None, _)) => return self.fault(format!("{name}: the format is not known")),
            Err(error) => return self.fault(format!("reading {name}: {error}")),
        };
        let before = self.games;
        for game in format.read_each(&bytes) {
            let read = match game {
                Ok(read) => read,
                Err(error) => {
                    self.fault(format!("{name}, {error}"));
                    continue;
                }
            };
            if let Some(fault) = &read.fault {
                self.fault(format!("{name}, {fault}"));
            }
            // Up to the move that cannot be played.
            let game: Game = match read.record.game() {
                Ok(game) => game,
                Err(error) => {
                    self.fault(format!("{name}: {error}"));
                    continue;
                }
            };
            let winner = read.record.winner();
            take(BookGame { start: game.start(), moves: game.moves(), winner, ratings: [None; 2] });
            self.games += 1;
        }
        self.files += usize::from(self.games > before);
    }
}

/// Passes the games of these files to `take`: tables (`.tsv`, gzip or plain), records of any format, and all records in
/// folders. What cannot be read is reported; the other games are passed all the same.
pub fn read_book_games(paths: &[PathBuf], mut take: impl FnMut(BookGame<'_>)) -> BookGamesRead {
    let mut read = BookGamesRead::default();
    for path in paths {
        if is_table(path) {
            read.table(path, &mut take);
            continue;
        }
        let found = find(std::slice::from_ref(path), None);
        for (path, fault) in found.faults {
            read.fault(format!("{}: {fault}", path.display()));
        }
        for source in found.sources {
            match source.path {
                Some(path) => read.records(&path, &mut take),
                None => read.fault("games are not read from standard input".to_owned()),
            }
        }
    }
    read
}
