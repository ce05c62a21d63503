//! Matches whose games other machines play: a pair of games is a job.
//!
//! A game depends on its number and on the settings only, so games of fixed nodes are the same whatever machine plays them.
//! The workers have the same version of the program, and a short search says whether they also search alike.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::{sync::oneshot, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Contestant, Fingerprint, LabError, MatchSettings, Openings, PlayedGame, Progress, Report,
    Round, Rules, Schedule, Shape, Stop, slot,
    store::{Store, rendered},
    tally::Tally,
};
use crate::{
    cluster::{
        jobs::{Collected, Collector, JobError, JobName, JobOutcome, Queue},
        subject::{is_token, random_name},
    },
    engine::PlayerSpec,
    record::csa,
    search::{
        SearcherError,
        bench::{self, Task},
    },
    shogi::notation::usi,
};

/// The kind of these jobs.
pub const PAIR: &str = "match";

/// A pair of games, as the broker keeps it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    /// The number of its first game, from 0.
    game: usize,
    /// The player with black in the first game, and the other one.
    players: [Player; 2],
    /// A `position` line.
    opening: String,
    seed: u64,
    max_moves: Option<u32>,
    declaration: bool,
    margin_ms: u64,
    patience_ms: u64,
    win: Option<String>,
    draw: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    name: String,
    text: String,
    control: String,
}

/// A game that was played, with its record in CSA.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Played {
    game: PlayedGame,
    record: String,
}

/// What this program is: others with the same word play the same games.
///
/// # Errors
/// There is not enough memory for a short search.
pub fn program_hash() -> Result<String, SearcherError> {
    let task = Task { depth: SIGNATURE_DEPTH, ..Task::default() };
    let total = bench::run::<SearcherError>(&task, |_| Ok(()))?;
    let mut hash = Fingerprint::new();
    hash.add(env!("CARGO_PKG_VERSION").as_bytes());
    hash.add(&total.nodes.to_le_bytes());
    Ok(format!("{:016x}", hash.value()))
}

/// Why players cannot play on other machines, if so.
pub fn unfit_for_workers(players: &[Contestant]) -> Option<String> {
    players.iter().find_map(|player| {
        fit(player).err().map(|reason| format!("player '{}': {reason}", player.name))
    })
}

/// Only players that name no program and no file of the machine.
fn fit(player: &Contestant) -> Result<(), String> {
    if player.room.is_some() {
        return Err("a player with workers of its own (room) does not play on workers".to_owned());
    }
    let PlayerSpec::Builtin(spec) = &player.spec else {
        return match player.spec {
            PlayerSpec::Random(_) => Ok(()),
            _ => Err("workers run builtin and random players only".to_owned()),
        };
    };
    if spec.book.spec_for_usi_engine().is_some() {
        return Err("a player with a book does not play on workers".to_owned());
    }
    if spec.hash_bytes > LARGEST_HASH || spec.threads > MOST_THREADS {
        return Err(format!(
            "a player on workers has at most {} MiB and {MOST_THREADS} threads",
            LARGEST_HASH >> 20
        ));
    }
    let names_a_file = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["file", "dir", "book", "path"].iter().any(|word| name.contains(word))
    };
    match spec.options.iter().find(|option| names_a_file(&option.name)) {
        Some(option) => {
            Err(format!("the option {} names a file, which workers do not have", option.name))
        }
        None => Ok(()),
    }
}

/// Plays the pair of games of a job. Dropping the future abandons them.
///
/// # Errors
/// Why it cannot be played.
pub async fn play_pair(work: Value) -> Result<Value, String> {
    let pair: Pair = serde_json::from_value(work).map_err(|error| error.to_string())?;
    let settings = pair.settings()?;
    let schedule = Schedule::new(Shape::RoundRobin, 2, 1);
    let rounds = [0, 1].map(|number| Round { game: pair.game + number, ..schedule.round(number) });
    let leave = CancellationToken::new();
    let _abandon = leave.clone().drop_guard();
    let (sender, done) = oneshot::channel();
    let thread = std::thread::Builder::new().name("match-job".to_owned());
    let of_thread = settings.clone();
    let started = thread.spawn(move || {
        let _ = sender.send(slot::play_rounds(of_thread, &rounds, leave));
    });
    started.map_err(|error| error.to_string())?;
    let finished = done.await.map_err(|_| "it ended unexpectedly".to_owned())?;
    let finished = finished.map_err(|error| error.to_string())?;
    let played = finished.into_iter().map(|finished| {
        let (game, record) = rendered(&settings, finished);
        Played { game, record }
    });
    serde_json::to_value(played.collect::<Vec<_>>()).map_err(|error| error.to_string())
}

impl Pair {
    fn new(settings: &MatchSettings, round: Round) -> Self {
        let rules = &settings.rules;
        Self {
            game: round.game,
            players: round.players.map(|number| {
                let player = &settings.players[number];
                let (name, text) = (player.name.clone(), player.text.clone());
                Player { name, text, control: player.control.to_string() }
            }),
            opening: usi::format_position_line(&settings.openings.get(round.opening)),
            seed: settings.seed,
            max_moves: rules.max_moves,
            declaration: rules.declaration,
            margin_ms: rules.margin.as_millis() as u64,
            patience_ms: rules.patience.as_millis() as u64,
            win: rules.win.map(|rule| rule.to_string()),
            draw: rules.draw.map(|rule| rule.to_string()),
        }
    }

    /// A match of this pair.
    fn settings(&self) -> Result<MatchSettings, String> {
        let mut players = Vec::new();
        for player in &self.players {
            let control = player.control.parse().map_err(|error| format!("{error}"))?;
            let read = Contestant::parse(&player.text, Some(control), &player.name);
            let read = read.map_err(|error| error.to_string())?;
            if player.name.is_empty() || player.name.len() > LONGEST_NAME {
                return Err("a name has 1 to 40 bytes".to_owned());
            }
            fit(&read)?;
            players.push(Contestant { name: player.name.clone(), control, ..read });
        }
        let opening = usi::parse_position_line(&self.opening).map_err(|error| error.to_string())?;
        let settings = MatchSettings {
            players,
            shape: Shape::RoundRobin,
            pairs: 1,
            openings: Openings::of_game(&opening),
            openings_name: String::new(),
            seed: self.seed,
            rules: Rules {
                max_moves: self.max_moves,
                declaration: self.declaration,
                margin: Duration::from_millis(self.margin_ms.min(LONGEST_WAIT_MS)),
                patience: Duration::from_millis(self.patience_ms.min(LONGEST_WAIT_MS)),
                win: self
                    .win
                    .as_deref()
                    .map(str::parse)
                    .transpose()
                    .map_err(|error| format!("{error}"))?,
                draw: self
                    .draw
                    .as_deref()
                    .map(str::parse)
                    .transpose()
                    .map_err(|error| format!("{error}"))?,
            },
            sprt: None,
            concurrency: 1,
            cores: Vec::new(),
            machines: None,
            dir: std::path::PathBuf::new(),
        };
        settings.check().map_err(|error| error.to_string())?;
        Ok(settings)
    }
}

/// Plays a match on the workers of a room, or resumes the one in its folder, and returns its report. Calls `show` as
/// [`run`](super::run) does. `lease` is the time after which the games of a silent worker go to another one.
///
/// # Errors
/// The reason the match could not be played to its end. Finished games are kept.
pub async fn run_on_workers(
    settings: MatchSettings,
    queue: Queue,
    lease: Duration,
    stop: Stop,
    mut show: impl FnMut(&Progress),
) -> Result<Report, LabError> {
    settings.check()?;
    if let Some(reason) = unfit_for_workers(&settings.players) {
        return Err(LabError::Workers(reason));
    }
    let hash = program_hash().map_err(|error| LabError::Workers(error.to_string()))?;
    let mut tally = Tally::new(&settings);
    let store = Store::open(&settings, |game| {
        tally.add(&game);
    })?;
    let name = JobName { kind: PAIR, hash, run: run_name(&settings, &store)? };
    let mut remote = Remote {
        schedule: settings.schedule(),
        settings: Arc::new(settings),
        store,
        tally,
        queue,
        name,
        new_games: 0,
        started: std::time::Instant::now(),
        failures: BTreeSet::new(),
        failed: BTreeMap::new(),
    };
    show(&remote.progress());
    let outcome = remote.play(lease, &stop, &mut show).await;
    let notes: Vec<String> = remote.failures.iter().cloned().collect();
    let report = Report::new(&remote.settings, &remote.tally, &notes);
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    remote.store.write_whole("report.json", &(text + "\n"))?;
    outcome.map(|()| report)
}

/// The name of the run, which a resumed match keeps, since results may wait for it.
fn run_name(settings: &MatchSettings, store: &Store) -> Result<String, LabError> {
    let old = fs::read_to_string(settings.dir.join("run")).unwrap_or_default();
    if is_token(old.trim()) {
        return Ok(old.trim().to_owned());
    }
    let name = random_name();
    store.write_whole("run", &format!("{name}\n"))?;
    Ok(name)
}

struct Remote {
    settings: Arc<MatchSettings>,
    schedule: Schedule,
    store: Store,
    tally: Tally,
    queue: Queue,
    name: JobName,
    new_games: usize,
    started: std::time::Instant,
    /// The failures of workers, in words and by pair.
    failures: BTreeSet<String>,
    failed: BTreeMap<usize, u32>,
}

impl Remote {
    fn progress(&self) -> Progress {
        Progress::new(&self.tally, self.schedule.games(), self.new_games, self.started.elapsed())
    }

    async fn play(
        &mut self,
        lease: Duration,
        stop: &Stop,
        show: &mut impl FnMut(&Progress),
    ) -> Result<(), LabError> {
        let queue = self.queue.clone();
        let collector =
            self.open(lease).await.map_err(|error| LabError::Workers(error.to_string()))?;
        // Results that came while nobody was here.
        while let Ok(Some(collected)) = collector.next(WAITING).await {
            // What failed is given out below.
            self.take(&collected).await?;
            show(&self.progress());
        }
        let mut left: Vec<usize> =
            (0..self.schedule.games() / 2).rev().filter(|pair| !self.is_played(*pair)).collect();
        let mut given_out = BTreeSet::new();
        let mut last_heard = Instant::now();
        let mut told = String::new();
        while !self.tally.is_decided() && (!left.is_empty() || !given_out.is_empty()) {
            let mut trouble = None;
            while given_out.len() < MOST_GIVEN_OUT
                && let Some(&pair) = left.last()
            {
                let work = Pair::new(&self.settings, self.schedule.round(2 * pair));
                let work = serde_json::to_value(work).unwrap_or_default();
                if let Err(error) = queue.submit(&self.name, pair as u64, work).await {
                    trouble = Some(error);
                    break;
                }
                left.pop();
                given_out.insert(pair);
            }
            let collected = tokio::select! {
                collected = collector.next(PATIENCE) => collected,
                () = stop.finish.cancelled() => break,
            };
            match collected {
                Ok(Some(collected)) => {
                    last_heard = Instant::now();
                    given_out.remove(&(collected.id as usize));
                    left.extend(self.take(&collected).await?);
                    show(&self.progress());
                }
                Ok(None) if last_heard.elapsed() >= SILENCE => {
                    last_heard = Instant::now();
                    tracing::warn!(
                        "no games have come for {} s; workers take them with `kyomi worker --jobs N`",
                        SILENCE.as_secs()
                    );
                }
                Ok(None) => {}
                Err(error) => trouble = Some(error),
            }
            if let Some(error) = trouble {
                let error = error.to_string();
                if error != told {
                    tracing::warn!("{error}; trying again");
                    told = error;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
        let is_whole = self.tally.is_decided() || (left.is_empty() && given_out.is_empty());
        let ended = if is_whole {
            queue.forget(&self.name).await
        } else {
            queue.withdraw(&self.name).await
        };
        if let Err(error) = ended {
            tracing::warn!("{error}; workers may still play games that nobody needs");
        }
        Ok(())
    }

    /// Makes the queue ready, without what an earlier attempt has left there.
    async fn open(&self, lease: Duration) -> Result<Collector, JobError> {
        self.queue.open(&self.name, lease).await?;
        self.queue.withdraw(&self.name).await?;
        self.queue.collect(&self.name.run).await
    }

    fn is_played(&self, pair: usize) -> bool {
        self.tally.has(2 * pair) && self.tally.has(2 * pair + 1)
    }

    /// Stores the games of a result, each of them once. Returns the pair if it must be given out again.
    async fn take(&mut self, collected: &Collected) -> Result<Option<usize>, LabError> {
        let pair = usize::try_from(collected.id).unwrap_or(usize::MAX);
        if pair >= self.schedule.games() / 2 || self.is_played(pair) {
            // It came twice, or belongs to nothing.
            collected.acknowledge().await;
            return Ok(None);
        }
        let games = match self.games(pair, &collected.outcome) {
            Ok(games) => games,
            Err(reason) => {
                collected.acknowledge().await;
                let reason: String =
                    reason.chars().filter(|it| !it.is_control()).take(300).collect();
                let reason = format!("the worker {}: {reason}", collected.worker);
                let failures = self.failed.entry(pair).or_insert(0);
                *failures += 1;
                if *failures >= MOST_FAILURES {
                    return Err(LabError::Workers(reason));
                }
                tracing::warn!(
                    "{reason}; games {} and {} are given out again",
                    2 * pair + 1,
                    2 * pair + 2
                );
                self.failures.insert(reason);
                return Ok(Some(pair));
            }
        };
        for (round, Played { game, record }) in games {
            if !self.tally.has(round.game) {
                let game = self.store.add_of_worker(&self.settings, round, game, &record)?;
                self.tally.add(&game);
                self.new_games += 1;
            }
        }
        collected.acknowledge().await;
        Ok(None)
    }

    /// The games of a pair, checked.
    fn games(&self, pair: usize, outcome: &JobOutcome) -> Result<Vec<(Round, Played)>, String> {
        let value = match outcome {
            JobOutcome::Done(value) => value.clone(),
            JobOutcome::Failed(reason) => return Err(reason.clone()),
        };
        let played: Vec<Played> =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        if played.len() != 2 {
            return Err("a pair is two games".to_owned());
        }
        let rounds = [2 * pair, 2 * pair + 1].map(|game| self.schedule.round(game));
        let games: Vec<_> = rounds.into_iter().zip(played).collect();
        for (round, played) in &games {
            self.check(&played.game, &played.record, *round)?;
        }
        Ok(games)
    }

    /// Whether these can be the game and the record of this round.
    fn check(&self, game: &PlayedGame, record: &str, round: Round) -> Result<(), String> {
        let [black, white] = round.players.map(|player| &self.settings.players[player].name);
        if game.game != round.game + 1 || game.black != *black || game.white != *white {
            return Err(format!("another game came instead of game {}", round.game + 1));
        }
        let records = csa::read(record.as_bytes()).map_err(|error| error.to_string())?;
        let [read] = records.as_slice() else { return Err("it is not one record".to_owned()) };
        let opening = self.settings.openings.get(round.opening);
        let moves = || read.record.moves.iter().map(|it| it.mv);
        let begins = opening.moves().iter().copied().eq(moves().take(opening.len()));
        if moves().count() != game.plies || !begins || game.turns.len() > game.plies + 1 {
            return Err(format!("the record of game {} does not fit", game.game));
        }
        Ok(())
    }
}

/// The depth of the searches that tell programs apart.
const SIGNATURE_DEPTH: u32 = 6;
const LARGEST_HASH: u64 = 4 << 30;
const MOST_THREADS: usize = 256;
const LONGEST_NAME: usize = 40;
const LONGEST_WAIT_MS: u64 = 24 * 3600 * 1000;
/// The number of failures of one pair that end the match.
const MOST_FAILURES: u32 = 3;
/// The number of pairs that wait or are played at a time.
const MOST_GIVEN_OUT: usize = 256;
/// The wait for a result that has already come.
const WAITING: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(5);
const SILENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(1);
