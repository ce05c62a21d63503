//! The games of a seed as jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use kyomi::cluster::jobs::{JobList, Taken};
use kyomi_engine::eval::Evaluation;

#[cfg(test)]
mod tests;

use super::games_job::{GameOfJob, GamesJob, MOST_GAMES};
use super::run::SelfplayTask;
use super::starts::SampledStart;
use super::store::{SelfplayStoreError, Store};
use super::{SelfplayGame, SelfplayProgress};

/// The games of a seed. The number of a job is that of its first game.
pub(super) struct SeedGames<'a> {
    task: &'a SelfplayTask,
    evaluation: Evaluation,
    pub(super) store: Store,
    /// The largest number of games of a job.
    most: usize,
    /// The largest number of starts that are drawn for a game of a job.
    most_starts: usize,
    /// The numbers of stored games.
    done: BTreeSet<u32>,
    /// The number of requested games that are missing; `None` without a limit.
    pub(super) left: Option<usize>,
    /// The first number that was never given out.
    next: u32,
    /// The numbers to give out again, each in a separate job.
    returned: BTreeSet<u32>,
    /// For each job that was given out its games, and how many starts of each were tried after it.
    jobs: BTreeMap<u64, Vec<(u32, usize)>>,
    /// The first start of each game of the running jobs, with its job. No other game gets it.
    offered: BTreeMap<u64, u64>,
    /// The number of starts of games that did not suit.
    tried: BTreeMap<u32, usize>,
    /// A game for which no start is left.
    pub(super) without_start: Option<u32>,
    pub(super) progress: SelfplayProgress,
    started: Instant,
}

impl<'a> SeedGames<'a> {
    /// The games of a seed, with those that are stored. A job has at most `most` games with at most `most_starts` starts
    /// each.
    pub(super) fn open(
        task: &'a SelfplayTask,
        plan: &Value,
        evaluation: Evaluation,
        (most, most_starts): (usize, usize),
    ) -> Result<Self, SelfplayStoreError> {
        let mut done = BTreeSet::new();
        let mut progress = SelfplayProgress { planned: task.games, ..SelfplayProgress::default() };
        let store = Store::open(&task.dir, task.seed, plan, |game| {
            done.insert(game.number);
            progress.games += 1;
            progress.rows += game.moves.len() as u64;
        })?;
        let missing = |games: u32| (1..=games).filter(|number| !done.contains(number)).count();
        let left = task.games.map(missing);
        Ok(Self {
            task,
            evaluation,
            store,
            most,
            most_starts,
            done,
            left,
            next: 1,
            returned: BTreeSet::new(),
            jobs: BTreeMap::new(),
            offered: BTreeMap::new(),
            tried: BTreeMap::new(),
            without_start: None,
            progress,
            started: Instant::now(),
        })
    }

    /// The number of games of a job for another machine: a few seconds of work, but of few games each a job.
    fn games_of_a_job(&self) -> usize {
        let few = self.task.games.map_or(usize::MAX, |games| games as usize / 16);
        let fitting = usize::try_from(NODES_OF_A_JOB / self.task.settings.nodes.max(1));
        fitting.unwrap_or(MOST_GAMES).min(few).min(self.most).max(1)
    }

    /// Takes the numbers of the games of the next job.
    fn next_numbers(&mut self) -> Vec<u32> {
        while let Some(number) = self.returned.pop_first() {
            if !self.done.contains(&number) {
                return vec![number];
            }
        }
        let (most, mut numbers) = (self.task.games.unwrap_or(u32::MAX - 1), Vec::new());
        while numbers.len() < self.games_of_a_job() && self.next <= most {
            if !self.done.contains(&self.next) {
                numbers.push(self.next);
            }
            self.next += 1;
        }
        numbers
    }

    /// The next starts to try for a game, and how many of all its starts are then tried.
    fn starts(&self, number: u32) -> (Vec<SampledStart>, usize) {
        let mut tried = self.tried.get(&number).copied().unwrap_or(0);
        let mut starts = Vec::new();
        for start in self.task.starts_of(number).skip(tried) {
            tried += 1;
            let key = start.position.key();
            if self.store.is_free(key) && !self.offered.contains_key(&key) {
                starts.push(start);
                if starts.len() == self.most_starts {
                    break;
                }
            }
        }
        (starts, tried)
    }

    /// Checks that a game can be the one with its number. Returns the source of its start.
    fn check(&self, game: &mut SelfplayGame) -> Result<(), String> {
        let number = game.number;
        if game.seed != self.task.seed || self.task.games.is_some_and(|most| number > most) {
            return Err(format!("it has not the game {number} of seed {}", game.seed));
        }
        let is_start = |start: &SampledStart| {
            start.position.key() == game.start.key() && start.position.ply() == game.start.ply()
        };
        let Some(start) = self.task.starts_of(number).find(is_start) else {
            return Err(format!("game {number} has another start"));
        };
        let most = usize::from(self.task.settings.max_moves);
        if game.moves.is_empty() || usize::from(start.position.ply()) - 1 + game.moves.len() > most
        {
            return Err(format!("game {number} has {} moves", game.moves.len()));
        }
        game.check().map_err(|fault| format!("game {number}: {fault}"))?;
        (game.start, game.source, game.random_plies) =
            (start.position, start.source, start.random_plies);
        game.ended = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Ok(())
    }

    /// Stores a game. Another one that has its start already stays the only one.
    fn store(&mut self, game: Box<SelfplayGame>) -> Result<(), SelfplayStoreError> {
        let (number, rows) = (game.number, game.moves.len() as u64);
        if self.done.contains(&number) || !self.store.claim(game.start.key()) {
            return Ok(());
        }
        if self.store.add(game)? {
            self.done.insert(number);
            self.left = self.left.map(|left| left.saturating_sub(1));
            self.progress.games += 1;
            self.progress.rows += rows;
            self.progress.new_games += 1;
            self.progress.new_rows += rows;
            self.progress.elapsed = self.started.elapsed();
        }
        Ok(())
    }
}

impl JobList for SeedGames<'_> {
    type Job = GamesJob;
    type Error = SelfplayStoreError;

    fn next_job(&mut self) -> Option<u64> {
        let numbers = self.next_numbers();
        let id = u64::from(*numbers.first()?);
        self.jobs.insert(id, numbers.into_iter().map(|number| (number, 0)).collect());
        Some(id)
    }

    fn job(&mut self, id: u64) -> Option<GamesJob> {
        let mut asked = self.jobs.get(&id)?.clone();
        asked.retain(|(number, _)| !self.done.contains(number));
        self.offered.retain(|_, job| *job != id);
        let mut games = Vec::new();
        for (number, tried) in &mut asked {
            let starts;
            (starts, *tried) = self.starts(*number);
            let Some(first) = starts.first() else {
                self.without_start = Some(*number);
                return None;
            };
            self.offered.insert(first.position.key(), id);
            games.push((*number, starts));
        }
        self.jobs.insert(id, asked);
        let games = games.iter().map(|(number, starts)| (*number, starts.as_slice()));
        let SelfplayTask { seed, settings, .. } = self.task;
        Some(GamesJob::new(*seed, settings, &self.evaluation, games))
    }

    fn wants(&self, id: u64) -> bool {
        let is_left = |number: u32| {
            (1..=self.task.games.unwrap_or(u32::MAX)).contains(&number)
                && !self.done.contains(&number)
        };
        let asked = self.jobs.get(&id).into_iter().flatten();
        u32::try_from(id).is_ok_and(is_left)
            || asked.into_iter().any(|(number, _)| is_left(*number))
    }

    fn take(
        &mut self,
        id: u64,
        games: Vec<Option<GameOfJob>>,
    ) -> Result<Taken, SelfplayStoreError> {
        let mut games: Vec<_> = games.into_iter().map(|game| game.map(|game| game.0)).collect();
        for game in games.iter_mut().flatten() {
            if let Err(reason) = self.check(game) {
                return Ok(Taken::Refused(reason));
            }
        }
        let is_asked = |(game, (number, _)): (&Option<Box<SelfplayGame>>, &(u32, usize))| {
            game.as_ref().is_none_or(|game| game.number == *number)
        };
        let asked = self.jobs.get(&id);
        let are_asked = asked.is_some_and(|asked| {
            games.len() == asked.len() && games.iter().zip(asked).all(is_asked)
        });
        // A job of an earlier process is not known here. A job that the broker has stored without an answer was given
        // out again with other games of its own. What such a job has played is as good.
        let is_new = |game: &SelfplayGame| !self.done.contains(&game.number);
        if !are_asked && asked.is_some() && !games.iter().flatten().any(|game| is_new(game)) {
            return Ok(Taken::Refused("other games came".to_owned()));
        }
        let asked = self.jobs.remove(&id).unwrap_or_default();
        self.offered.retain(|_, job| *job != id);
        if are_asked {
            for (game, (number, tried)) in games.iter().zip(&asked) {
                if game.is_none() {
                    self.tried.insert(*number, *tried);
                }
            }
        }
        for game in games.into_iter().flatten() {
            self.store(game)?;
        }
        let missing = asked.into_iter().map(|(number, _)| number);
        self.returned.extend(missing.filter(|number| !self.done.contains(number)));
        Ok(Taken::Stored)
    }

    fn is_done(&self) -> bool {
        self.left == Some(0) || self.without_start.is_some()
    }
}

/// The number of nodes of a move times the number of games of a job: about ten seconds of one thread.
const NODES_OF_A_JOB: u64 = 50_000;
