//! Plays the games of a tuning run: two players that differ in the parameter values. Each game is played on a slot of a
//! match, or each pair of games by a worker of a room.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kyomi::cluster::jobs::{JobList, JobRun, JobRunError, Taken, Workers};
use kyomi::matches::{
    Contestant, ContestantError, LabError, MatchSettings, PairJob, PairedGame, PlayedGame, Round,
    Stop, StoreError, load_or_create_run_name, plan, play_pairs, unfit_for_workers,
};
use kyomi::players::PlayerSpec;
use kyomi_engine::search::Parameters;
use kyomi_shogi::{Color, Winner};
use serde_json::Value;
use tokio::runtime::Handle;

#[cfg(test)]
mod tests;

use super::{IterationGames, PairPlayer, PairResult, Tuned};

/// Plays the games of a tuning run.
#[derive(Debug)]
pub struct Games {
    /// The settings of a match. The first player is the one that is tuned.
    settings: MatchSettings,
    stop: Stop,
    /// `None` on this machine.
    room: Option<Room>,
}

/// The workers of a room for the games of a run.
#[derive(Debug)]
struct Room {
    workers: Workers,
    /// The folder of the run.
    dir: PathBuf,
    runtime: Handle,
    /// `None` before the first games.
    run: Option<JobRun>,
}

impl Games {
    /// Plays with the settings of a match. The first player is tuned: the two sides are copies of it that differ in the
    /// parameter values. Shape, pairs, test and folder of the settings are not used.
    pub const fn new(settings: MatchSettings, stop: Stop) -> Self {
        Self { settings, stop, room: None }
    }

    /// Lets the workers of a room play, or resume, the games of the run in the folder `dir`. They are those that
    /// [`Games::new`] plays. Do not play inside of a task of the runtime.
    ///
    /// # Errors
    /// The player does not play on workers.
    pub fn in_room(
        settings: MatchSettings,
        workers: Workers,
        dir: PathBuf,
        stop: Stop,
        runtime: Handle,
    ) -> Result<Self, LabError> {
        if let Some(reason) = unfit_for_workers(&settings.players) {
            return Err(LabError::Workers(reason));
        }
        Ok(Self { settings, stop, room: Some(Room { workers, dir, runtime, run: None }) })
    }

    /// Ends the run of jobs, which is complete or is to be resumed.
    pub fn close(self, is_whole: bool) {
        if let Some(Room { runtime, run: Some(run), .. }) = self.room {
            runtime.block_on(run.close(is_whole));
        }
    }

    /// The parameters of a built-in player before tuning; `None` for other players.
    ///
    /// # Errors
    /// An unknown option, or a value that is not valid.
    pub fn parameters(player: &Contestant) -> Result<Option<Parameters>, LabError> {
        let PlayerSpec::Builtin(spec) = &player.spec else { return Ok(None) };
        let mut parameters = Parameters::default();
        for option in &spec.options {
            let set = parameters.set(&option.name, &option.value);
            set.map_err(|error| LabError::Option {
                player: player.name.clone(),
                text: error.to_string(),
            })?;
        }
        Ok(Some(parameters))
    }
}

/// The match of the two sides of an iteration: copies of the first player of `settings` with their values.
fn sides(settings: &MatchSettings, games: &IterationGames<'_>) -> Result<MatchSettings, LabError> {
    let player = |name: &str, values: &[i32]| {
        side(settings, name, games.parameters, values)
            .map_err(|error| LabError::Option { player: name.to_owned(), text: error.to_string() })
    };
    let players = vec![player("plus", games.plus)?, player("minus", games.minus)?];
    Ok(MatchSettings { players, ..settings.clone() })
}

fn side(
    settings: &MatchSettings,
    name: &str,
    numbers: &[Tuned],
    values: &[i32],
) -> Result<Contestant, ContestantError> {
    let [base, ..] = settings.players.as_slice() else {
        return Contestant::parse("", None, name);
    };
    let options: Vec<String> = numbers
        .iter()
        .zip(values)
        .map(|(tuned, value)| format!("{}={value}", tuned.name))
        .collect();
    // If an option occurs twice, the last value applies.
    let text = format!("{} name={name} {}", base.text, options.join(" "));
    Contestant::parse(&text, Some(base.control), name)
}

impl PairPlayer for Games {
    fn plan(&self) -> Value {
        plan(&self.settings)
    }

    fn play(
        &mut self,
        games: &IterationGames<'_>,
        on_pair: &mut dyn FnMut(PairResult) -> Result<(), StoreError>,
    ) -> Result<(), LabError> {
        let settings = sides(&self.settings, games)?;
        let Some(room) = &mut self.room else {
            // Seeds and openings follow from the number of the pair in the whole run.
            let openings = games.pairs.iter().map(|pair| games.first + pair);
            return play_pairs(settings, openings, &self.stop, &mut |opening, played| {
                on_pair(result(opening - games.first, &played))
            });
        };
        let left: BTreeSet<usize> = games.pairs.iter().copied().collect();
        let awaited = left.clone();
        let mut pairs = IterationPairs { settings, first: games.first, left, awaited, on_pair };
        let run = if let Some(run) = &mut room.run {
            run
        } else {
            let name = load_or_create_run_name(&room.dir.join("run"))?;
            let opened = room.runtime.block_on(room.workers.open::<PairJob>(name));
            room.run.insert(opened.map_err(LabError::Workers)?)
        };
        let worked = room.runtime.block_on(run.work(&mut pairs, &self.stop.finish, |_| {}));
        worked.map_err(|error| match error {
            JobRunError::Failed(reason) => LabError::Workers(reason),
            JobRunError::List(error) => error.into(),
        })
    }
}

/// The pairs of an iteration. The number of a job is that of its pair in the whole run, from 0.
struct IterationPairs<'a> {
    settings: MatchSettings,
    first: usize,
    /// The pairs that were never given out.
    left: BTreeSet<usize>,
    /// The pairs whose results are still to come.
    awaited: BTreeSet<usize>,
    on_pair: &'a mut dyn FnMut(PairResult) -> Result<(), StoreError>,
}

impl IterationPairs<'_> {
    /// The awaited pair of a job.
    fn pair(&self, id: u64) -> Option<usize> {
        let pair = usize::try_from(id).ok()?.checked_sub(self.first)?;
        self.awaited.contains(&pair).then_some(pair)
    }
}

impl JobList for IterationPairs<'_> {
    type Job = PairJob;
    type Error = StoreError;

    fn next_job(&mut self) -> Option<u64> {
        self.left.pop_first().map(|pair| (self.first + pair) as u64)
    }

    fn job(&mut self, id: u64) -> Option<PairJob> {
        // Seeds and openings follow from the number of the pair in the whole run.
        let opening = self.first + self.pair(id)?;
        let round = Round { game: 2 * opening, pairing: 0, opening, players: [0, 1] };
        Some(PairJob::new(&self.settings, round))
    }

    fn wants(&self, id: u64) -> bool {
        self.pair(id).is_some()
    }

    fn take(&mut self, id: u64, games: Vec<PairedGame>) -> Result<Taken, StoreError> {
        let (Some(pair), Some(job)) = (self.pair(id), self.job(id)) else {
            return Ok(Taken::Stored);
        };
        let games = match job.result(games) {
            Ok(games) => games.map(|PairedGame { game, .. }| game),
            Err(reason) => return Ok(Taken::Refused(reason)),
        };
        (self.on_pair)(result(pair, &games))?;
        self.awaited.remove(&pair);
        Ok(Taken::Stored)
    }

    fn is_done(&self) -> bool {
        self.awaited.is_empty()
    }
}

/// The result of a pair from its two games, of which the plus values have black in the first.
fn result(pair: usize, games: &[PlayedGame; 2]) -> PairResult {
    let [with_black, with_white] = games;
    PairResult {
        pair,
        results: [score_of_plus(with_black.result, true), score_of_plus(with_white.result, false)],
        ends: games.iter().map(|game| game.end.clone()).collect(),
        plies: games.iter().map(|game| game.plies).collect(),
    }
}

/// 1 if the plus values won, -1 if they lost, 0 for a draw.
const fn score_of_plus(winner: Winner, plus_has_black: bool) -> i32 {
    match (winner, plus_has_black) {
        (Winner::Draw, _) => 0,
        (Winner::Side(Color::Black), true) | (Winner::Side(Color::White), false) => 1,
        (Winner::Side(Color::White), true) | (Winner::Side(Color::Black), false) => -1,
    }
}
