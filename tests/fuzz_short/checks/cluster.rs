//! Messages between machines.

use kyomi::cluster::jobs::{Job as _, JobMessage, JobOutcome, ResultMessage};
use kyomi::cluster::message::{FromWorker, Report, ToWorker};
use kyomi::matches::PairJob;
use kyomi::report::analysis::PositionJob;
use kyomi_shogi::Game;

use super::{fit_to_print, same, text};

/// Any bytes are a message or give one clear error. What was read is the same after it is written and read again, and
/// holds nothing that could not be true.
pub(super) fn cluster_message(data: &[u8]) {
    match ToWorker::read(data) {
        Ok(order) => {
            let written = order.write();
            same(&ToWorker::read(&written).unwrap(), &order, &text(&written));
        }
        Err(error) => fit_to_print(&error),
    }
    match FromWorker::read(data) {
        Ok(message) => {
            let written = message.write();
            same(&FromWorker::read(&written).unwrap(), &message, &text(&written));
            match message {
                FromWorker::Here(card) => {
                    let texts = [&card.worker, &card.name, &card.program, &card.engine];
                    assert!(texts.into_iter().flat_map(|it| it.chars()).all(|it| !it.is_control()));
                    assert!((1..=4096).contains(&card.threads));
                }
                FromWorker::Bye { worker } => fit_to_print(&worker),
                FromWorker::Entries { worker, entries, .. } => {
                    fit_to_print(&worker);
                    assert!(
                        entries.chars().all(|it| it.is_ascii_alphanumeric() || "+/".contains(it))
                    );
                }
                FromWorker::Found(report) => check_report(&report),
            }
        }
        Err(error) => fit_to_print(&error),
    }
}

fn check_report(report: &Report) {
    assert!(report.score().is_none_or(|score| score.centipawns().abs() <= 32_000));
    let mut game = Game::default();
    match report.line(&game) {
        Ok(line) => {
            assert!(line.len() <= 128);
            for mv in line {
                game.push(mv).unwrap();
            }
        }
        Err(error) => fit_to_print(&error),
    }
}

/// Any bytes are a job or a result, or give one clear error. A job of any kind is the same after it is written and read
/// again, and its results are read or refused.
pub(super) fn job_message(data: &[u8]) {
    match JobMessage::read(data) {
        Ok(job) => {
            let again = JobMessage::read(&job.write().unwrap()).unwrap();
            assert_eq!((again.id, &again.run), (job.id, &job.run));
            if let Ok(pair) = PairJob::read(job.work.clone()) {
                same(&PairJob::read(pair.write()).unwrap(), &pair, &text(data));
            }
            if let Ok(position) = PositionJob::read(job.work) {
                same(&PositionJob::read(position.write()).unwrap(), &position, &text(data));
            }
        }
        Err(error) => fit_to_print(&error),
    }
    match ResultMessage::read(data) {
        Ok(result) => {
            fit_to_print(&result.worker);
            match result.outcome {
                JobOutcome::Failed(reason) => fit_to_print(&reason),
                JobOutcome::Done(value) => {
                    let work = |bytes| JobMessage::read(bytes).unwrap().work;
                    if let Some(text) = value.as_str() {
                        let _ = PositionJob::read(work(POSITION)).unwrap().result(text);
                    }
                    if let Ok(games) = serde_json::from_value(value) {
                        let _ = PairJob::read(work(PAIR)).unwrap().result(games);
                    }
                }
            }
        }
        Err(error) => fit_to_print(&error),
    }
}

const PAIR: &[u8] = include_bytes!("../../../fuzz/seeds/job_message/pair");
const POSITION: &[u8] = include_bytes!("../../../fuzz/seeds/job_message/position");
