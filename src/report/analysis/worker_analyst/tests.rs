//! Analyses on workers of this process, on virtual time.

use std::{collections::HashMap, num::NonZeroUsize, sync::Arc, thread, time::Duration};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::*;
use crate::{
    cluster::jobs::{FailingWorkers, Job as _},
    report::analysis::{AnalysisStore, GameAnalysis, NoStore, PositionLimit, analyse},
};
use kyomi_record::{Record, csa};
use kyomi_shogi::Position;

const GAME: &str = include_str!("../../../../tests/data/csa_samples/own_01_mate.csa");

fn settings() -> AnalystSettings {
    AnalystSettings {
        limit: PositionLimit::Nodes(300),
        threads: NonZeroUsize::MIN,
        lines: NonZeroUsize::new(2).unwrap(),
        hash_bytes: 1 << 20,
    }
}

fn record() -> Record {
    csa::read(GAME.as_bytes()).unwrap().remove(0).record
}

/// What was found, without the times that the searches took.
fn found(analysis: GameAnalysis) -> Vec<Option<Searched>> {
    let timeless = |found: Searched| Searched { time: Duration::ZERO, ..found };
    let all = analysis.positions.into_iter().chain(analysis.better);
    all.map(|found| found.map(timeless)).collect()
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<HashMap<(u64, String), String>>>);

impl AnalysisStore for Memory {
    fn get(&mut self, position: &Position, settings: &str) -> Option<String> {
        self.0.lock().get(&(position.key(), settings.to_owned())).cloned()
    }

    fn put(&mut self, position: &Position, settings: &str, text: &str) {
        let twice = self.0.lock().insert((position.key(), settings.to_owned()), text.to_owned());
        assert_eq!(twice, None, "a result is stored twice");
    }
}

#[tokio::test(start_paused = true)]
async fn an_analysis_on_workers_that_die_finds_the_same_and_is_resumed() {
    let mut analyst = BuiltinAnalyst::new(settings(), StopFlag::new()).unwrap();
    let alone = analyse(&record(), &mut analyst, &mut NoStore, |_| {}).unwrap();

    let failing = FailingWorkers::start::<PositionJob>();
    let store = Memory::default();
    let mut attempts = 0;
    let together = loop {
        attempts += 1;
        assert!(attempts < 100);
        let (mut store, runtime) = (store.clone(), Handle::current());
        let workers = Workers { queue: failing.queue(), lease: Duration::from_secs(30) };
        let (sender, done) = oneshot::channel();
        // Not a task that blocks, which would hold the virtual time.
        thread::spawn(move || {
            let finish = CancellationToken::new();
            let started = WorkerAnalyst::start(&workers, settings(), finish.clone(), runtime);
            let analysed = started.and_then(|mut analyst| {
                analyse(&record(), &mut analyst, &mut store, |progress| {
                    // The user stops it after some positions.
                    if progress.done > progress.stored && attempts < 4 {
                        finish.cancel();
                    }
                })
            });
            let _ = sender.send(analysed);
        });
        // It does not begin where the broker is away.
        if let Ok(analysis) = done.await.unwrap()
            && analysis.is_complete()
        {
            break analysis;
        }
    };
    assert_eq!(together.settings, alone.settings);
    assert_eq!(found(together), found(alone));
}

#[test]
fn results_that_cannot_be_are_refused() {
    let job = PositionJob::new(&Game::default(), &settings());
    assert_eq!(PositionJob::read(job.write()).unwrap(), job);
    let line = |moves: &str| format!(r#"{{"score":"+5","pv":"{moves}"}}"#);
    let with = |lines: &[String], nodes: u64, ms: u64| {
        let (lines, depth) = (lines.join(","), r#""depth":1,"seldepth":1"#);
        format!(r#"{{"lines":[{lines}],"nodes":{nodes},{depth},"ms":{ms}}}"#)
    };
    let text = |lines: &[String]| with(lines, 1, 1);
    let found = [line("7g7f")];
    let month_ms = 30 * 24 * 3600 * 1_000;
    assert!(job.result(&with(&found, 1 << 50, month_ms)).is_ok());
    assert!(job.result(&text(&[line("7g7f")])).is_ok());
    for wrong in [
        text(&[]),
        text(&[line("7g7e")]),
        text(&[line("7g7f"), line("2g2f"), line("1g1f")]),
        with(&found, (1 << 50) + 1, 1),
        with(&found, u64::MAX, 1),
        with(&found, 1, month_ms + 1),
        with(&found, 1, u64::MAX),
        "x".repeat(10_000),
    ] {
        assert!(job.result(&wrong).is_err(), "{wrong}");
    }
    let mut wrong = job.write();
    wrong["position"] = "position sfen 8k/9/9/9/9/9/9/9/9 b - 1".into();
    assert!(PositionJob::read(wrong).is_err());
    for (key, value) in [("nodes", 0.into()), ("threads", 100_000.into()), ("time_ms", 5.into())] {
        let mut wrong = job.write();
        wrong[key] = value;
        assert!(PositionJob::read(wrong).is_err(), "{key}");
    }
}
