//! Self-play on workers of this process, on virtual time.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::time::sleep;

use super::super::games_job::MOST_STARTS;
use super::*;
use crate::selfplay::tests::short_task;
use crate::selfplay::{Block, SelfplayError, SelfplayStatus, each_game, run};
use kyomi::cluster::jobs::{Abandon, FailingWorkers, Job as _, Workers};
use kyomi::matches::Stop;
use kyomi_shogi::Position;

fn task(dir: &Path, games: u32) -> SelfplayTask {
    short_task(dir, 7, games)
}

/// The games of the seed in the order of their numbers, without their times.
fn games(dir: &Path) -> Vec<SelfplayGame> {
    let mut games = Vec::new();
    each_game(&dir.join("7.kyg"), |_, game| {
        games.push(SelfplayGame { ended: 0, took_ms: 0, ..game.clone() });
    })
    .unwrap();
    games.sort_by_key(|game| game.number);
    games
}

/// Plays in one thread.
async fn play_alone(task: &SelfplayTask) {
    run(task, None, &Stop::default(), |_| {}).await.unwrap();
}

/// Lets workers play, with a kill of the coordinator after each of these seconds.
async fn play(task: &SelfplayTask, failing: &FailingWorkers, kills: &[u64]) {
    let workers = Workers { queue: failing.queue(), lease: Duration::from_secs(30) };
    fs::write(task.dir.join("7.run"), "run1\n").unwrap();
    let mut kills = kills.iter();
    loop {
        let kill = kills.next().copied().unwrap_or(u64::MAX / 1_000_000);
        failing.send_false_results("run1").await;
        let stop = Stop::default();
        tokio::select! {
            played = run(task, Some(&workers), &stop, |_| {}) => match played {
                Ok(_) => return,
                // A coordinator ends where the broker is away.
                Err(SelfplayError::Failed(_)) => sleep(Duration::from_secs(1)).await,
                Err(error) => panic!("{error}"),
            },
            () = sleep(Duration::from_secs(kill)) => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn workers_play_the_same_games_as_one_machine() {
    let [alone, together] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    play_alone(&task(alone.path(), 40)).await;
    // The starts of two games are those of other games already.
    let mut taken = games(alone.path());
    taken.truncate(2);
    let taken = taken.into_iter().map(|game| SelfplayGame { seed: 9, ..game });
    let blocks: Vec<u8> = taken.flat_map(|game| Block::Game(Box::new(game)).to_bytes()).collect();
    for folder in [&alone, &together] {
        let _ = fs::remove_file(folder.path().join("7.kyg"));
        fs::write(folder.path().join("9.kyg"), &blocks).unwrap();
    }
    play_alone(&task(alone.path(), 40)).await;
    let failing = FailingWorkers::start::<GamesJob>();
    play(&task(together.path(), 40), &failing, &[15, 25, 35, 60]).await;
    assert_eq!(games(together.path()), games(alone.path()));
    let status = SelfplayStatus::read(together.path(), true).unwrap();
    assert!(status.is_sound(), "{status}");
    assert_eq!(status.games, 42);
}

#[tokio::test(start_paused = true)]
async fn workers_continue_a_run_of_one_machine() {
    let [alone, together] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    play_alone(&task(alone.path(), 20)).await;
    play_alone(&task(together.path(), 3)).await;
    let failing = FailingWorkers::start::<GamesJob>();
    play(&task(together.path(), 20), &failing, &[]).await;
    assert_eq!(games(together.path()), games(alone.path()));
}

#[tokio::test]
async fn a_result_for_another_job_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), 3);
    play_alone(&task).await;
    let games = games(folder.path());
    let new = SelfplayTask { dir: folder.path().join("new"), ..task };
    let lists = SeedGames::open(&new, &Value::Null, Evaluation::builtin(), (1, 2)).unwrap();
    let fault = |change: fn(&mut SelfplayGame)| {
        let mut game = games[0].clone();
        change(&mut game);
        lists.check(&mut game).err()
    };
    assert_eq!(fault(|_| {}), None);
    assert!(fault(|game| game.seed = 8).is_some());
    assert!(fault(|game| game.number = 4).is_some());
    assert!(fault(|game| game.number = 2).is_some(), "another start");
    assert!(fault(|game| game.moves.clear()).is_some());
    assert!(fault(|game| game.moves.rotate_left(1)).is_some(), "an illegal move");
}

#[tokio::test]
async fn games_of_a_job_that_was_given_out_anew_are_stored() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), 40);
    let evaluation = task.settings.evaluation().unwrap();
    let mut games = SeedGames::open(&task, &Value::Null, evaluation, (2, MOST_STARTS)).unwrap();
    // An earlier process gave out this job.
    let id = games.next_job().unwrap();
    let job = games.job(id).unwrap();
    assert_eq!((id, games.jobs[&1].len()), (1, 2));
    let result = job.run(&mut job.tools().unwrap(), &Abandon::default()).unwrap();
    games.jobs.insert(1, vec![(1, 1)]);
    assert_eq!(games.take(id, result.clone()).unwrap(), Taken::Stored);
    assert_eq!(games.done, [1, 2].into());
    // It is no result of a job of which it has no game.
    let id = games.next_job().unwrap();
    assert_eq!(id, 3);
    let refused = Taken::Refused("other games came".to_owned());
    assert_eq!(games.take(id, result).unwrap(), refused);
    assert!(games.wants(id) && games.job(id).is_some());
}

#[test]
fn running_jobs_have_different_first_starts() {
    let folder = tempfile::tempdir().unwrap();
    let mut task = task(folder.path(), 40);
    task.settings.random_plies = (0, 0);
    let mut games = SeedGames::open(&task, &Value::Null, Evaluation::builtin(), (1, 2)).unwrap();
    let first_start = |games: &mut SeedGames<'_>, id| {
        let starts = games.job(id).unwrap().write()["games"][0]["starts"].clone();
        assert!((1..=2).contains(&starts.as_array().unwrap().len()), "{starts}");
        Position::from_sfen(starts[0].as_str().unwrap()).unwrap().key()
    };
    let mut firsts = BTreeSet::new();
    for _ in 0..40 {
        let id = games.next_job().unwrap();
        assert!(firsts.insert(first_start(&mut games, id)), "game {id}");
    }
    // A job that is given out again keeps its start; one whose result is taken has none.
    let first = first_start(&mut games, 1);
    assert_eq!(games.offered.get(&first), Some(&1));
    assert_eq!(games.take(1, vec![None]).unwrap(), Taken::Stored);
    assert!(!games.offered.contains_key(&first));
}
