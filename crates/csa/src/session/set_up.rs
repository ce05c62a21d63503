//! The clocks after the moves that an offer already contains.

use std::time::Duration;

use kyomi_shogi::Color;
use kyomi_shogi::clock::{DelayEstimator, GameClocks};

use super::super::profile::{Behaviour, SetUpTimes};
use super::super::summary::GameSummary;

/// The clocks after the moves of the offer, less the handicap of each side, `[color]`.
pub(super) fn game_clocks(
    summary: &GameSummary,
    behaviour: Behaviour,
    network: DelayEstimator,
    handicap: [Duration; 2],
) -> GameClocks {
    let mut side = summary.start.side_to_move();
    let mut game_clocks = GameClocks::with_network(summary.times, side, network);
    let times = move_times(summary, behaviour);
    let counted = match behaviour.set_up_times {
        SetUpTimes::NotCounted => false,
        SetUpTimes::Counted => true,
        SetUpTimes::Unknown => are_played_times(&times),
    };
    for time in times {
        if counted {
            game_clocks.charge_earlier_move(side, time.spent);
        } else {
            game_clocks.charge_set_up_move(side, time.spent);
        }
        side = !side;
    }
    for color in Color::ALL {
        game_clocks.subtract(color, handicap[color.index()]);
    }
    game_clocks
}

/// The time of a move that the offer contains.
pub(super) struct MoveTime {
    pub(super) spent: Option<Duration>,
    /// The increment that its side gets for each move.
    increment: Duration,
    /// Whether it is the first move of its side.
    first: bool,
}

/// The times of the moves of the offer, in order.
pub(super) fn move_times(summary: &GameSummary, behaviour: Behaviour) -> Vec<MoveTime> {
    let mut side = summary.start.side_to_move();
    let time = |(index, spent)| {
        let increment = summary.time(side).increment;
        side = !side;
        MoveTime { spent, increment, first: index < 2 }
    };
    summary.move_times(behaviour.spent_unit).into_iter().enumerate().map(time).collect()
}

/// Whether these seem to be the times of played moves, from an interrupted game that is resumed. A server that sets up
/// an opening writes the same time with each move, or 0, 1 or the increment. Only the first move of a side may have a
/// longer time, as a handicap.
fn are_played_times(times: &[MoveTime]) -> bool {
    let is_handicap = |time: &MoveTime, spent: Duration| time.first && spent > time.increment;
    let without_handicap: Vec<(Duration, Duration)> = times
        .iter()
        .filter_map(|time| Some((time.spent.filter(|spent| !is_handicap(time, *spent))?, time)))
        .map(|(spent, time)| (spent, time.increment))
        .collect();
    let differ = without_handicap.windows(2).any(|pair| pair[0].0 != pair[1].0);
    let is_set_up_time = |(spent, increment): &(Duration, Duration)| {
        [Duration::ZERO, Duration::from_secs(1), *increment].contains(spent)
    };
    differ && !without_handicap.iter().all(is_set_up_time)
}
