//! What became of each game, from the reports of the client and the records of both sides.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use parking_lot::Mutex;
use tokio::time::Instant;

use kyomi_record::{EndKind, Record, csa};

use super::{
    host::SOON,
    hosted::HostedEnd,
    world::{ACCOUNTS, Shared},
};

/// What the client has reported.
#[derive(Default)]
pub(super) struct Ledger(Mutex<Reported>);

#[derive(Default)]
struct Reported {
    begun: BTreeSet<String>,
    /// The last ply of each game that was reported.
    plies: HashMap<String, usize>,
    finished: Vec<PathBuf>,
    /// The games of each account since the beginning of the day.
    today: [u32; ACCOUNTS],
    /// When the journal of an account was last written, by the clock on the wall.
    written: HashMap<usize, SystemTime>,
}

impl Ledger {
    pub(super) fn begun(&self, world: &Shared, account: usize, game_id: &str) {
        let mut reported = self.0.lock();
        reported.today[account] += u32::from(reported.begun.insert(game_id.to_owned()));
        drop(reported);
        self.wrote(world, account);
    }

    pub(super) fn moved(&self, world: &Shared, account: usize, game_id: &str, ply: usize) {
        let mut reported = self.0.lock();
        let last = reported.plies.entry(game_id.to_owned()).or_default();
        *last = ply.max(*last);
        drop(reported);
        self.wrote(world, account);
    }

    fn wrote(&self, world: &Shared, account: usize) {
        assert!(account < ACCOUNTS);
        self.0.lock().written.insert(account, world.clock.now().into());
    }

    pub(super) fn finished(&self, record: PathBuf) {
        self.0.lock().finished.push(record);
    }

    /// The finished records without these.
    pub(super) fn finished_records(&self, without: &HashSet<PathBuf>) -> Vec<PathBuf> {
        let mut reported = self.0.lock();
        reported.finished.retain(|record| !without.contains(record));
        reported.finished.clone()
    }

    /// At the end of a day each account has played.
    pub(super) fn close_day(&self, world: &Shared) {
        let today = std::mem::take(&mut self.0.lock().today);
        world.note(format!("games of the accounts: {today:?}"));
        if today.iter().any(|games| *games < LEAST_GAMES) {
            world.wrong(format!("an account has hardly played: {today:?}"));
        }
    }

    pub(super) fn last_written(&self, account: usize) -> SystemTime {
        self.0.lock().written.get(&account).copied().unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Compares the records of both sides, when nothing runs any more.
    pub(super) fn close(&self, world: &Shared) -> Summary {
        let ours = records(&world.folder.join("games"));
        let mut theirs = HashMap::new();
        for number in 1..=world.state().servers {
            theirs.extend(records(&world.folder.join(format!("server{number}"))));
        }
        let Reported { begun, plies, .. } = std::mem::take(&mut *self.0.lock());
        let mut summary = Summary { servers: theirs.len(), ..Summary::default() };
        for game_id in &begun {
            match (ours.get(game_id), theirs.get(game_id)) {
                (Some(own), Some(other)) => {
                    summary.compare(world, game_id, own, &other[0]);
                    let reported = plies.get(game_id).copied().unwrap_or(0);
                    if own.iter().all(|record| record.moves.len() < reported) {
                        world.wrong(format!("{game_id} is recorded without its move {reported}"));
                    }
                }
                (None, _) => world.wrong(format!("{game_id} has no record")),
                (_, None) => world.wrong(format!("the server does not know {game_id}")),
            }
        }
        for game_id in ours.keys().filter(|it| !begun.contains(*it)) {
            world.wrong(format!("{game_id} has a record, but has not begun"));
        }
        for game_id in theirs.keys().filter(|it| !begun.contains(*it)) {
            summary.unseen += 1;
            check_unseen(world, game_id);
        }
        summary
    }
}

/// Only a client that is killed in the moment of its beginning may not have seen a game of the server.
fn check_unseen(world: &Shared, game_id: &str) {
    let state = world.state();
    let was_killed = state.hosted.get(game_id).is_some_and(|game| {
        let apart = |kill: &Instant| kill.max(&game.began).duration_since(*kill.min(&game.began));
        state.kills.iter().any(|kill| apart(kill) <= BEGINNING)
    });
    drop(state);
    if !was_killed {
        world.wrong(format!("{game_id} has begun unseen"));
    }
}

/// A game is interrupted if it has no result, or if the client has missed its end, or if the server has forgotten it.
fn check_interrupted(world: &Shared, game_id: &str, is_whole: bool, text: &str) {
    let end = world.state().hosted.get(game_id).map(|game| game.end);
    let may_be = match end {
        Some(HostedEnd::Forgotten) => true,
        Some(HostedEnd::Ended { is_without_result: true, .. }) if is_whole => true,
        Some(HostedEnd::Ended { away, .. }) => away.is_some_and(|away| away <= SOON),
        Some(HostedEnd::Open) | None => false,
    };
    if !may_be {
        world.wrong(format!("{game_id} ended by {text}, whole: {is_whole}: {end:?}"));
    }
}

/// From its agreement to the beginning of its record.
const BEGINNING: Duration = Duration::from_secs(2);

/// The least number of games of each account in a day.
const LEAST_GAMES: u32 = 5;

/// The records of a folder by the ids of their games, with the journals that are left.
fn records(folder: &Path) -> HashMap<String, Vec<Record>> {
    let mut found: HashMap<String, Vec<Record>> = HashMap::new();
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let is_record = path.extension().is_some_and(|it| it == "csa" || it == "part");
        if !is_record {
            continue;
        }
        let games = csa::read(&fs::read(&path).unwrap()).unwrap();
        let record = games.into_iter().next().unwrap().record;
        let id = record.header.event.clone().unwrap_or_default();
        found.entry(id).or_default().push(record);
    }
    found
}

/// The figures of a week.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) games: u32,
    moves: usize,
    /// Games of the server, and those of them whose beginning did not reach the client.
    servers: usize,
    unseen: usize,
    /// Games with more than one record.
    split: u32,
    /// Games by their end for the client, and by that of the server.
    ends: BTreeMap<String, u32>,
}

impl Summary {
    fn compare(&mut self, world: &Shared, game_id: &str, own: &[Record], other: &Record) {
        self.games += 1;
        let most = own.iter().max_by_key(|record| record.moves.len()).unwrap();
        self.moves += most.moves.len();
        if own.len() > 1 {
            self.split += 1;
            let hosted = world.state().hosted.get(game_id).cloned();
            if !hosted.is_some_and(|game| game.may_seem_over) {
                world.wrong(format!("{game_id} has {} records", own.len()));
            }
        }
        let kind = |record: &Record| record.end.as_ref().map(|end| end.kind.clone());
        let whole = own.iter().filter(|it| kind(it) != Some(EndKind::Interrupted)).count();
        if own.iter().any(|it| it.end.is_none()) || whole > 1 {
            let ends: Vec<_> = own.iter().map(kind).collect();
            world.wrong(format!("{game_id} has records with the ends {ends:?}"));
        }
        let are_begin = most.moves.iter().zip(&other.moves).all(|(own, other)| own.mv == other.mv);
        if !are_begin || most.moves.len() > other.moves.len() {
            world.wrong(format!("{game_id} has other moves than on the server"));
        }
        let last = own.iter().find(|it| kind(it) != Some(EndKind::Interrupted)).unwrap_or(most);
        let ends = [kind(last), kind(other)];
        let text = format!("{:?}/{:?}", ends[0], ends[1]);
        if ends[0] == Some(EndKind::Interrupted) {
            let is_whole = last.moves.len() == other.moves.len();
            check_interrupted(world, game_id, is_whole, &text);
        } else {
            if last.moves.len() != other.moves.len() {
                world.wrong(format!("{game_id} ended by {text} without its last moves"));
            }
            if ends[0] != ends[1] {
                world.wrong(format!("{game_id} ended by {text}"));
            }
        }
        if own.len() > 1 || ends[0] != ends[1] {
            let records: Vec<_> = own.iter().map(|it| (kind(it), it.moves.len())).collect();
            world.note(format!("{game_id} has the records {records:?}, on the server {ends:?}"));
        }
        *self.ends.entry(text).or_default() += 1;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, moves, servers, unseen, split, ends } = self;
        write!(
            f,
            "{games} games, {moves} moves, {servers} on the server, {unseen} unseen, {split} in two records, ends {ends:?}"
        )
    }
}
