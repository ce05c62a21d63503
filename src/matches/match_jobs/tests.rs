//! Matches on workers of this process, on virtual time.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use serde_json::Value;
use tokio::time::sleep;

use super::*;
use crate::{
    cluster::jobs::{Abandon, FailingWorkers, Job as _},
    matches::{Contestant, Openings, PlayedGame, Rules, Shape, run},
};

fn settings(dir: &Path) -> MatchSettings {
    let player =
        |text, letter| Contestant::parse(text, Some("nodes=60".parse().unwrap()), letter).unwrap();
    MatchSettings {
        players: vec![player("builtin hash=1", "A"), player("random seed=3", "B")],
        shape: Shape::RoundRobin,
        pairs: 6,
        openings_name: String::new(),
        openings: Openings::built_in(),
        seed: 1,
        rules: Rules { max_moves: Some(40), ..Rules::default() },
        sprt: None,
        concurrency: 1,
        cores: Vec::new(),
        machines: None,
        dir: dir.to_owned(),
    }
}

/// The moves and the result of each game of a folder. No game is there twice.
fn games(dir: &Path) -> BTreeMap<usize, (Vec<String>, String)> {
    let text = fs::read_to_string(dir.join("results.jsonl")).unwrap();
    let games: Vec<PlayedGame> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = games.len();
    let of = |game: PlayedGame| {
        let moves = game.turns.into_iter().map(|turn| turn.answer).collect();
        (game.game, (moves, game.result.to_string()))
    };
    let games: BTreeMap<_, _> = games.into_iter().map(of).collect();
    assert_eq!(games.len(), number);
    games
}

#[tokio::test(start_paused = true)]
async fn a_match_on_failing_workers_gives_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let (alone, together) = (folder.path().join("alone"), folder.path().join("together"));
    run(settings(&alone), Stop::default(), |_| {}).await.unwrap();

    let failing = FailingWorkers::start::<PairJob>();
    let workers = Workers { queue: failing.queue(), lease: Duration::from_secs(30) };
    fs::create_dir_all(&together).unwrap();
    fs::write(together.join("run"), "run1\n").unwrap();
    let mut kills = 0;
    let report = loop {
        let played = run_on_workers(settings(&together), workers.clone(), Stop::default(), |_| {});
        tokio::select! {
            // A coordinator ends where the broker is away.
            played = played => match played {
                Ok(report) => break report,
                Err(LabError::Workers(_)) => sleep(Duration::from_secs(1)).await,
                Err(error) => panic!("{error}"),
            },
            () = sleep(Duration::from_secs(20 + kills * 10)) => kills += 1,
        }
        failing.send_false_results("run1").await;
    };
    assert!(kills > 0);
    assert_eq!(report.games, 12);
    assert_eq!(games(&together), games(&alone));
    assert_eq!(fs::read_dir(together.join("games")).unwrap().count(), 12);
}

/// The result of a pair, as a worker sends it.
fn played(pair: &PairJob) -> Value {
    serde_json::to_value(pair.run(&mut (), &Abandon::default()).unwrap()).unwrap()
}

fn result(pair: &PairJob, value: Value) -> Result<[PairedGame; 2], String> {
    pair.result(serde_json::from_value(value).map_err(|error| error.to_string())?)
}

#[test]
fn a_job_that_names_a_file_is_refused_unread() {
    let settings = settings(Path::new(""));
    let job = PairJob::new(&settings, settings.schedule().round(0)).write();
    assert!(PairJob::read(job.clone()).is_ok());
    for text in [
        "builtin EvalFile=/nowhere",
        "builtin hash=1 'evalfile=/nowhere'",
        "builtin book=/nowhere",
        "usi path=/bin/true",
    ] {
        let mut job = job.clone();
        job["players"][0]["text"] = text.into();
        let fault = PairJob::read(job).unwrap_err();
        assert!(fault.contains("names a file"), "{text}: {fault}");
    }
}

#[test]
fn a_result_that_the_moves_contradict_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    let round = settings.schedule().round(0);
    let pair = PairJob::new(&settings, round);
    let played = played(&pair);
    assert!(result(&pair, played.clone()).is_ok());
    let end = |game: &Value| game["game"]["end"].as_str().unwrap().to_owned();
    for (key, value) in
        [("result", "black"), ("result", "white"), ("result", "draw"), ("end", "mate")]
    {
        let mut changed = played.clone();
        let game = &mut changed[0];
        if game["game"][key] == value || end(game) == "crash" {
            continue;
        }
        game["game"][key] = value.into();
        let error = result(&pair, changed).unwrap_err();
        assert!(error.starts_with("game 1 cannot have ended so"), "{error}");
    }
}

#[test]
fn a_game_with_more_moves_than_the_match_allows_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path());
    let player = |letter| {
        Contestant::parse("random seed=3", Some("nodes=60".parse().unwrap()), letter).unwrap()
    };
    settings.players = vec![player("A"), player("B")];
    let pair_of_at_most = |max_moves| {
        let rules = Rules { max_moves, ..settings.rules };
        let settings = MatchSettings { rules, ..settings.clone() };
        PairJob::new(&settings, settings.schedule().round(0))
    };
    let played = played(&pair_of_at_most(Some(80)));
    assert!(result(&pair_of_at_most(Some(80)), played.clone()).is_ok());
    let plies = played[0]["game"]["plies"].as_u64().unwrap();
    assert!(plies > 40, "{plies}");
    let error = result(&pair_of_at_most(Some(40)), played.clone()).unwrap_err();
    assert_eq!(error, format!("game 1 has {plies} moves, more than 40"));
    // The folder of the match could not be opened with it.
    let mut endless = played;
    endless[1]["game"]["plies"] = 65_536.into();
    let error = result(&pair_of_at_most(Some(80)), endless).unwrap_err();
    assert_eq!(error, "game 2: plies 65536: no game is longer than 65535");
}

#[test]
fn a_result_with_impossible_numbers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    let pair = PairJob::new(&settings, settings.schedule().round(0));
    let played = played(&pair);
    let month_us = 30 * 24 * 3600 * 1_000_000_u64;
    for (key, most) in [("wall_us", month_us), ("preparing_us", month_us)] {
        let with = |value: u64| {
            let mut changed = played.clone();
            changed[1]["game"][key] = value.into();
            result(&pair, changed)
        };
        assert!(with(most).is_ok());
        let error = with(most + 1).unwrap_err();
        assert_eq!(error, "game 2 has an impossible time or number of nodes");
        assert!(with(u64::MAX).is_err(), "{key}");
    }
    for (key, most) in [
        ("sent_us", month_us),
        ("received_us", month_us),
        ("over_us", month_us),
        ("clock_ms", month_us / 1_000),
        ("spent_ms", month_us / 1_000),
        ("nodes", 1 << 50),
    ] {
        let with = |value: u64| {
            let mut changed = played.clone();
            changed[0]["game"]["turns"][0][key] = value.into();
            result(&pair, changed)
        };
        assert!(with(most).is_ok(), "{key}");
        assert!(with(most + 1).is_err() && with(u64::MAX).is_err(), "{key}");
    }
}
