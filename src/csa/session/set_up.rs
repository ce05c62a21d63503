//! The clocks after the moves that an offer has made already.

use std::time::Duration;

use crate::clock::{DelayEstimator, Ledger};

use super::super::profile::{Behaviour, SetUpTimes};
use super::super::summary::GameSummary;

/// The clocks at the start of the game.
pub(super) fn ledger(
    summary: &GameSummary,
    behaviour: Behaviour,
    network: DelayEstimator,
) -> Ledger {
    let mut side = summary.start.side_to_move();
    let mut ledger = Ledger::with_network(summary.times, side, network);
    let times = times(summary, behaviour);
    let counted = match behaviour.set_up_times {
        SetUpTimes::Invented => false,
        SetUpTimes::Counted => true,
        SetUpTimes::Unknown => look_real(&times),
    };
    for time in times {
        if counted {
            ledger.resume(side, time.spent);
        } else {
            ledger.set_up(side, time.spent);
        }
        side = !side;
    }
    ledger
}

/// The time of a move set up.
struct Time {
    spent: Option<Duration>,
    /// What its side gets for each move.
    increment: Duration,
    /// It is the first move of its side.
    first: bool,
}

fn times(summary: &GameSummary, behaviour: Behaviour) -> Vec<Time> {
    let mut side = summary.start.side_to_move();
    let mut times = Vec::with_capacity(summary.moves.len());
    for (index, setup) in summary.moves.iter().enumerate() {
        let control = summary.time(side);
        let unit = behaviour.spent_unit.length(control);
        let spent = setup.spent.map(|spent| spent.to_duration(unit));
        times.push(Time { spent, increment: control.increment, first: index < 2 });
        side = !side;
    }
    times
}

/// Whether these are the times of a game that was broken off and is resumed. A server that sets up an opening writes
/// the same time with each move, or 0, 1 or the increment, but for a longer time with the first move of a side as a
/// handicap.
fn look_real(times: &[Time]) -> bool {
    let is_handicap = |time: &Time, spent: Duration| time.first && spent > time.increment;
    let plain: Vec<(Duration, Duration)> = times
        .iter()
        .filter_map(|time| Some((time.spent.filter(|spent| !is_handicap(time, *spent))?, time)))
        .map(|(spent, time)| (spent, time.increment))
        .collect();
    let differ = plain.windows(2).any(|pair| pair[0].0 != pair[1].0);
    let is_invented = |(spent, increment): &(Duration, Duration)| {
        [Duration::ZERO, Duration::from_secs(1), *increment].contains(spent)
    };
    differ && !plain.iter().all(is_invented)
}
