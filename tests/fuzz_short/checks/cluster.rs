//! Messages between machines.

use kyomi::cluster::message::{FromWorker, Report, ToWorker};
use kyomi::shogi::Game;

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
