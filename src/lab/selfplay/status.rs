//! What a folder holds, in numbers.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    path::Path,
};

use serde::Serialize;

use crate::{record::Winner, shogi::Color};

use super::{
    Block, Ending, Found, OpeningSource, SelfplayGame, StoreError,
    store::{each_block, failed, files, told},
};

/// What a folder, or a file, of games holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SelfplayStatus {
    /// Files of games: as many as seeds.
    pub files: u64,
    /// How often a process began to play.
    pub runs: u64,
    /// Games.
    pub games: u64,
    /// Positions with their moves.
    pub rows: u64,
    /// Rows an hour that one thread made.
    pub rows_an_hour: f64,
    /// Rows an hour by the clock, of all threads and processes, in the last hour that games ended in.
    pub rows_in_the_last_hour: f64,
    /// Games won by black, won by white, drawn.
    pub results: [u64; 3],
    /// Games by how they ended.
    pub endings: BTreeMap<&'static str, u64>,
    /// Games begun with a line that is built in, and with a game on record.
    pub openings: [u64; 2],
    /// Moves of a game, on average.
    pub mean_length: f64,
    /// Moves of the shortest and of the longest game.
    pub lengths: [u64; 2],
    /// Start positions, each counted once.
    pub starts: u64,
    /// Games with the commonest start.
    pub most_of_one_start: u64,
    /// Size of the files.
    pub bytes: u64,
    /// A line about each place that is damaged.
    pub damaged: Vec<String>,
    /// How far every game was replayed, if that was asked for.
    pub check: Option<SelfplayCheck>,
    #[serde(skip)]
    counts: Counts,
}

/// What replaying all games has shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SelfplayCheck {
    /// Moves that were made again, all legal.
    pub moves: u64,
    /// Games that are the same as another one, move for move.
    pub same: u64,
    /// Numbers that a seed has twice.
    pub numbers: u64,
    /// What is wrong with games, a line each; the first hundred.
    pub faults: Vec<String>,
    /// How many are wrong.
    pub wrong: u64,
}

/// What is counted on the way.
#[derive(Debug, Clone, Default, PartialEq)]
struct Counts {
    took_ms: u64,
    starts: HashMap<u64, u32>,
    /// Rows by the second in which their game ended.
    rows_by_second: BTreeMap<u64, u64>,
    games: HashMap<u64, u32>,
    numbers: HashMap<(u64, u32), u32>,
}

impl SelfplayStatus {
    /// Reads a folder, or one file. With `check` every game is replayed.
    ///
    /// # Errors
    /// If a file cannot be read, or there is none.
    pub fn read(path: &Path, check: bool) -> Result<Self, StoreError> {
        let mut status = Self { check: check.then(SelfplayCheck::default), ..Self::default() };
        for file in files(path)? {
            status.files += 1;
            status.bytes += file.metadata().map_err(failed("reading", &file))?.len();
            each_block::<StoreError>(&file, |placed| {
                if let Some(line) = told(&file, &placed) {
                    status.damaged.push(line);
                }
                match placed.found {
                    Found::Block(Block::Run(_)) => status.runs += 1,
                    Found::Block(Block::Game(game)) => status.add(&file, &game),
                    Found::Damaged(_) | Found::Torn(_) => {}
                }
                Ok(())
            })?;
        }
        if status.files == 0 {
            return Err(StoreError::Nothing(path.to_owned()));
        }
        status.conclude();
        Ok(status)
    }

    fn add(&mut self, file: &Path, game: &SelfplayGame) {
        let length = game.moves.len() as u64;
        let [least, most] = &mut self.lengths;
        *least = if self.games == 0 { length } else { length.min(*least) };
        *most = length.max(*most);
        self.games += 1;
        self.rows += length;
        let result = match game.winner {
            Winner::Side(Color::Black) => 0,
            Winner::Side(Color::White) => 1,
            Winner::Draw => 2,
        };
        self.results[result] += 1;
        *self.endings.entry(game.ending.name()).or_default() += 1;
        self.openings[usize::from(game.source == OpeningSource::Record)] += 1;
        let counts = &mut self.counts;
        counts.took_ms += u64::from(game.took_ms);
        *counts.starts.entry(game.start.key()).or_default() += 1;
        *counts.rows_by_second.entry(game.ended).or_default() += length;
        let Some(check) = &mut self.check else { return };
        let mut content = crate::lab::Fingerprint::new();
        content.add(&game.start.key().to_le_bytes());
        for played in &game.moves {
            content.add(&played.mv.to_bits().to_le_bytes());
        }
        check.same += u64::from(counts.games.insert(content.value(), 1).is_some());
        check.numbers += u64::from(counts.numbers.insert((game.seed, game.number), 1).is_some());
        match game.check() {
            Ok(()) => check.moves += length,
            Err(fault) => {
                check.wrong += 1;
                if check.faults.len() < MOST_FAULTS {
                    check.faults.push(format!("{}, game {}: {fault}", file.display(), game.number));
                }
            }
        }
    }

    fn conclude(&mut self) {
        let counts = std::mem::take(&mut self.counts);
        self.starts = counts.starts.len() as u64;
        self.most_of_one_start = counts.starts.values().copied().max().unwrap_or(0).into();
        if self.games > 0 {
            self.mean_length = self.rows as f64 / self.games as f64;
        }
        if counts.took_ms > 0 {
            self.rows_an_hour = self.rows as f64 * 3.6e6 / counts.took_ms as f64;
        }
        if let Some((&last, _)) = counts.rows_by_second.last_key_value() {
            let from = last.saturating_sub(3600);
            let mut seconds = counts.rows_by_second.range(from..);
            // Of the first second nobody knows when it began.
            if let Some((&first, _)) = seconds.next() {
                let rows: u64 = seconds.map(|(_, rows)| rows).sum();
                self.rows_in_the_last_hour = rows as f64 * 3600.0 / (last - first).max(1) as f64;
            }
        }
    }

    /// Whether all blocks are whole, and all games right if that was asked for.
    pub fn is_sound(&self) -> bool {
        let wrong = |check: &SelfplayCheck| check.wrong + check.same + check.numbers > 0;
        self.damaged.is_empty() && !self.check.as_ref().is_some_and(wrong)
    }
}

impl fmt::Display for SelfplayStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games.max(1) as f64;
        let percent = |count: u64| count as f64 * 100.0 / games;
        let [black, white, draws] = self.results;
        writeln!(f, "games            {} ({} files, {} runs)", self.games, self.files, self.runs)?;
        writeln!(f, "rows             {}", self.rows)?;
        writeln!(
            f,
            "rows an hour     {:.0} a thread; {:.0} in the last hour of play",
            self.rows_an_hour, self.rows_in_the_last_hour
        )?;
        writeln!(
            f,
            "results          black {black} ({:.1} %), white {white} ({:.1} %), drawn {draws} ({:.1} %)",
            percent(black),
            percent(white),
            percent(draws)
        )?;
        let endings: Vec<String> = Ending::ALL
            .iter()
            .filter_map(|ending| {
                let count = *self.endings.get(ending.name())?;
                Some(format!("{} {count} ({:.1} %)", ending.name(), percent(count)))
            })
            .collect();
        writeln!(f, "ended by         {}", endings.join(", "))?;
        writeln!(
            f,
            "mean length      {:.1} moves, from {} to {}",
            self.mean_length, self.lengths[0], self.lengths[1]
        )?;
        writeln!(
            f,
            "distinct starts  {} (the commonest {:.3} %); openings {} built in, {} of records",
            self.starts,
            percent(self.most_of_one_start),
            self.openings[0],
            self.openings[1]
        )?;
        let a_row = self.bytes as f64 / self.rows.max(1) as f64;
        writeln!(f, "bytes            {} ({a_row:.2} a row)", self.bytes)?;
        writeln!(f, "damaged          {}", self.damaged.len())?;
        for line in &self.damaged {
            writeln!(f, "  {line}")?;
        }
        if let Some(check) = &self.check {
            writeln!(f, "moves replayed   {}", check.moves)?;
            writeln!(f, "games twice      {} (numbers twice {})", check.same, check.numbers)?;
            writeln!(f, "games wrong      {}", check.wrong)?;
            for line in &check.faults {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// Lines about games that are wrong.
const MOST_FAULTS: usize = 100;
