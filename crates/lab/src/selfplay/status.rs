//! Statistics of a folder of games.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::path::Path;

use serde::Serialize;

use kyomi_record::Winner;
use kyomi_shogi::Color;

use super::game::{ENDS, end_name};
use super::store::{begins_with_magic, describe, each_block, failed, files};
use super::{Block, FilePart, OpeningSource, SelfplayGame, SelfplayStoreError};

/// Statistics of a folder or a file of games.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SelfplayStatus {
    /// The number of files, one for each seed.
    pub files: u64,
    /// The number of runs: starts of a process that played games.
    pub runs: u64,
    /// The number of games.
    pub games: u64,
    /// The number of positions with their moves.
    pub rows: u64,
    /// The number of rows whose search did not complete its first iteration, so that the score is unreliable.
    pub rows_of_limit_0: u64,
    /// The mean number of rows per hour of one thread.
    pub rows_an_hour: f64,
    /// The number of rows per hour of all threads and processes together, over the hour before the last game's end.
    pub rows_in_the_last_hour: f64,
    /// The number of games won by black, won by white, and drawn.
    pub results: [u64; 3],
    /// The number of games for each kind of end.
    pub endings: BTreeMap<&'static str, u64>,
    /// The number of games that began with a built-in line, and with a recorded game.
    pub openings: [u64; 2],
    /// The mean number of moves of a game.
    pub mean_length: f64,
    /// The number of moves of the shortest and of the longest game.
    pub lengths: [u64; 2],
    /// The number of different start positions.
    pub starts: u64,
    /// The number of games with the most frequent start.
    pub most_of_one_start: u64,
    /// The size of the files in bytes.
    pub bytes: u64,
    /// A line about each damaged part.
    pub damaged: Vec<String>,
    /// The number of files that are damaged at their end, or that are damaged and lack numbers of games.
    pub lossy: u64,
    /// A line about each block that this version does not understand.
    pub not_understood: Vec<String>,
    /// The result of replaying every game, if requested.
    pub check: Option<SelfplayCheck>,
    #[serde(skip)]
    counts: Counts,
}

/// The result of replaying all games.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SelfplayCheck {
    /// The number of replayed moves of valid games.
    pub moves: u64,
    /// The number of games that equal an earlier one, with the same start and moves.
    pub same: u64,
    /// The number of games whose seed and number occurred before.
    pub numbers: u64,
    /// A line about each of the first hundred wrong games.
    pub faults: Vec<String>,
    /// The number of wrong games.
    pub wrong: u64,
}

/// Intermediate counts.
#[derive(Debug, Clone, Default, PartialEq)]
struct Counts {
    took_ms: u64,
    starts: HashMap<u64, u32>,
    /// The number of rows by the second in which their game ended.
    rows_by_second: BTreeMap<u64, u64>,
    games: HashSet<u64>,
    /// The numbers of the games in the current file, by seed.
    numbers: BTreeMap<u64, HashSet<u32>>,
    /// The seeds and numbers of the games in all earlier files.
    numbers_before: HashSet<(u64, u32)>,
}

impl SelfplayStatus {
    /// Reads a folder, or one file. With `check` every game is replayed.
    ///
    /// # Errors
    /// A file cannot be read, there are no files, or `path` is not a file of games.
    pub fn read(path: &Path, check: bool) -> Result<Self, SelfplayStoreError> {
        let mut status = Self { check: check.then(SelfplayCheck::default), ..Self::default() };
        for file in files(path)? {
            status.files += 1;
            status.bytes += file.metadata().map_err(failed("reading", &file))?.len();
            let (mut damaged, mut torn) = (false, false);
            each_block::<SelfplayStoreError>(&file, |located| {
                let line = describe(&file, &located).into_iter();
                match located.part {
                    FilePart::Block(Block::Run(_)) => status.runs += 1,
                    FilePart::Block(Block::Game(game)) => status.add(&file, &game),
                    FilePart::Unread(_) => status.not_understood.extend(line),
                    FilePart::Damaged(_) => {
                        damaged = true;
                        status.damaged.extend(line);
                    }
                    FilePart::Truncated(_) => {
                        if located.offset == 0 && file == path && is_foreign(&file)? {
                            return Err(SelfplayStoreError::Foreign(file.clone()));
                        }
                        torn = true;
                        status.damaged.extend(line);
                    }
                }
                Ok(())
            })?;
            let missing = status.finish_file();
            status.lossy += u64::from(torn || damaged && missing);
        }
        if status.files == 0 {
            return Err(SelfplayStoreError::Nothing(path.to_owned()));
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
        self.rows_of_limit_0 += game.moves.iter().filter(|played| played.limit == 0).count() as u64;
        self.results[result] += 1;
        *self.endings.entry(end_name(&game.end)).or_default() += 1;
        self.openings[usize::from(game.source == OpeningSource::Record)] += 1;
        let counts = &mut self.counts;
        counts.took_ms += u64::from(game.took_ms);
        *counts.starts.entry(game.start.key()).or_default() += 1;
        *counts.rows_by_second.entry(game.ended).or_default() += length;
        let is_new = counts.numbers.entry(game.seed).or_default().insert(game.number)
            && !counts.numbers_before.contains(&(game.seed, game.number));
        let Some(check) = &mut self.check else { return };
        let mut content = kyomi::matches::Fingerprint::new();
        content.add(&game.start.key().to_le_bytes());
        for played in &game.moves {
            content.add(&played.mv.to_bits().to_le_bytes());
        }
        check.same += u64::from(!counts.games.insert(content.value()));
        check.numbers += u64::from(!is_new);
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

    /// Finishes the current file. Returns whether a number below the largest is missing among its games.
    fn finish_file(&mut self) -> bool {
        let mut missing = false;
        for (seed, numbers) in std::mem::take(&mut self.counts.numbers) {
            missing |= numbers.iter().max().is_some_and(|most| (*most as usize) > numbers.len());
            self.counts.numbers_before.extend(numbers.into_iter().map(|number| (seed, number)));
        }
        missing
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
            // The games of the first second are left out, since their start is not known.
            if let Some((&first, _)) = seconds.next() {
                let rows: u64 = seconds.map(|(_, rows)| rows).sum();
                self.rows_in_the_last_hour = rows as f64 * 3600.0 / (last - first).max(1) as f64;
            }
        }
    }

    /// Whether no game was lost to damage and, if checked, all games are valid.
    pub fn is_sound(&self) -> bool {
        let wrong = |check: &SelfplayCheck| check.wrong + check.same + check.numbers > 0;
        self.lossy == 0 && !self.check.as_ref().is_some_and(wrong)
    }
}

impl fmt::Display for SelfplayStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games.max(1) as f64;
        let percent = |count: u64| count as f64 * 100.0 / games;
        let [black, white, draws] = self.results;
        let Self { games: count, files, runs, .. } = self;
        if *count == 0 {
            writeln!(f, "no games yet ({files} files, {runs} runs)")?;
            return self.write_damage(f);
        }
        writeln!(f, "games            {count} ({files} files, {runs} runs)")?;
        let guessed = self.rows_of_limit_0 as f64 * 100.0 / self.rows.max(1) as f64;
        writeln!(f, "rows             {} ({guessed:.2} % with limit 0)", self.rows)?;
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
        let endings: Vec<String> = ENDS
            .iter()
            .filter_map(|(_, name)| {
                let count = *self.endings.get(name)?;
                Some(format!("{name} {count} ({:.1} %)", percent(count)))
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
        self.write_damage(f)?;
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

impl SelfplayStatus {
    fn write_damage(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "damaged          {}", self.damaged.len())?;
        if !self.damaged.is_empty() && self.lossy == 0 {
            write!(f, "; no number is missing: lost games were played again")?;
        }
        writeln!(f)?;
        for line in &self.damaged {
            writeln!(f, "  {line}")?;
        }
        if !self.not_understood.is_empty() {
            writeln!(f, "not understood   {}", self.not_understood.len())?;
        }
        for line in &self.not_understood {
            writeln!(f, "  {line}")?;
        }
        Ok(())
    }
}

/// Whether the file does not begin with the mark of a file of games.
fn is_foreign(path: &Path) -> Result<bool, SelfplayStoreError> {
    let begins = File::open(path).and_then(|file| begins_with_magic(&file));
    Ok(!begins.map_err(failed("reading", path))?)
}

/// The largest number of lines about wrong games.
const MOST_FAULTS: usize = 100;
