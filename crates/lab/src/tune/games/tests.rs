//! Tuning on workers of this process, on virtual time.

use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use tokio::sync::oneshot;

use super::*;
use crate::tune::{Rounding, TuneReport, TuneSettings, TuneSpec, run};
use kyomi::cluster::jobs::FailingWorkers;
use kyomi::matches::{Openings, Rules, Shape};

fn player() -> Contestant {
    Contestant::parse("builtin hash=1", Some("nodes=20".parse().unwrap()), "tuned").unwrap()
}

fn tuning() -> TuneSettings {
    let specs = ["Interest_CostK", "Interest_Killer,min=0,max=300,r_end=0.05"]
        .map(|text| TuneSpec::parse(text).unwrap());
    let present = Games::parameters(&player()).unwrap();
    TuneSettings {
        parameters: TuneSpec::resolve_all(&specs, present.as_ref()).unwrap(),
        iterations: 5,
        pairs: 3,
        seed: 1,
        rounding: Rounding::Stochastic,
    }
}

fn games() -> MatchSettings {
    MatchSettings {
        players: vec![player()],
        shape: Shape::RoundRobin,
        pairs: 3,
        openings_name: String::new(),
        openings: Openings::built_in(),
        seed: 1,
        rules: Rules { max_moves: Some(24), ..Rules::default() },
        sprt: None,
        concurrency: 1,
        cores: Vec::new(),
        machines: None,
        dir: PathBuf::new(),
    }
}

/// The lines of a run in the order of the pairs: workers end them in any order.
fn lines(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("pairs.jsonl")).unwrap();
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        line["theta"] = Value::Null;
    }
    lines.sort_by_key(|line| (line["iteration"].as_u64(), line["pair"].as_u64()));
    lines
}

#[tokio::test(start_paused = true)]
async fn a_run_on_failing_workers_gives_the_same_result_and_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (alone, together) = (folder.path().join("alone"), folder.path().join("together"));
    let here = thread::spawn(move || {
        let stop = Stop::default();
        let mut player = Games::new(games(), stop.clone());
        let report = run(&tuning(), &alone, &mut player, &stop.finish, |_| {}).unwrap();
        (report, alone)
    });
    let (report, alone) = here.join().unwrap();

    let failing = FailingWorkers::start::<PairJob>();
    let workers = Workers { queue: failing.queue(), lease: Duration::from_secs(30) };
    fs::create_dir_all(&together).unwrap();
    fs::write(together.join("run"), "run1\n").unwrap();
    let mut attempts = 0;
    let again = loop {
        attempts += 1;
        failing.send_false_results("run1").await;
        let (workers, dir, runtime) = (workers.clone(), together.clone(), Handle::current());
        let (sender, done) = oneshot::channel();
        // Not a task that blocks, which would hold the virtual time.
        thread::spawn(move || {
            let stop = Stop::default();
            let player = Games::in_room(games(), workers, dir.clone(), stop.clone(), runtime);
            let mut player = player.unwrap();
            let mut pairs = 0;
            let report = run(&tuning(), &dir, &mut player, &stop.finish, |_| {
                pairs += 1;
                // The user stops it after some pairs.
                if pairs == 5 && attempts < 4 {
                    stop.finish.cancel();
                }
            });
            player.close(report.as_ref().is_ok_and(TuneReport::is_done));
            let _ = sender.send(report);
        });
        match done.await.unwrap() {
            Ok(report) if report.is_done() => break report,
            // It ends where the broker is away.
            Ok(_) | Err(LabError::Workers(_)) => assert!(attempts < 100),
            Err(error) => panic!("{error}"),
        }
    };
    assert!(attempts > 1);
    assert_eq!(again, report);
    assert_eq!(lines(&together), lines(&alone));
}
