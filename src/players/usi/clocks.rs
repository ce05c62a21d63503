//! Formats clocks for USI.

use std::time::Duration;

use super::super::MoveLimit;
use kyomi_shogi::Color;
use kyomi_shogi::clock::{Clocks, judge::allowance};

/// `btime B wtime W` with `binc I winc J` or `byoyomi Y`, never both.
///
/// Main times do not include the increment of this turn, which engines add themselves. The time `elapsed` in the turn
/// and the network delay are subtracted from the main time of the side to move, and the rest of them from its byoyomi
/// or increment. At most half of the available time is subtracted for the network, since an engine without any time may
/// not answer sensibly.
pub(super) fn go_arguments(clocks: &Clocks, side_to_move: Color, elapsed: Duration) -> String {
    let own = clocks.of(side_to_move);
    if own.control.is_unlimited() {
        return format!("btime 0 wtime 0 byoyomi {}", WITHOUT_A_CLOCK.as_millis());
    }
    let most = allowance(&own.control, own.remaining).saturating_sub(elapsed) / 2;
    let margin = clocks.network.bound().min(most).saturating_add(elapsed);
    let main = own.remaining.saturating_sub(margin);
    let uncovered = margin.saturating_sub(own.remaining);
    let left = |color: Color| {
        if color == side_to_move { main } else { clocks.of(color).remaining }.as_millis()
    };
    let times = format!("btime {} wtime {}", left(Color::Black), left(Color::White));
    // Both byoyomi and increment may be set, but USI can express only one. The increment takes precedence, since unused
    // increments add up.
    if own.control.increment.is_zero() {
        let byoyomi = own.control.byoyomi.saturating_sub(uncovered);
        return format!("{times} byoyomi {}", byoyomi.as_millis());
    }
    let increment = |color: Color| {
        let whole = clocks.of(color).control.increment;
        if color == side_to_move { whole.saturating_sub(uncovered) } else { whole }.as_millis()
    };
    format!("{times} binc {} winc {}", increment(Color::Black), increment(Color::White))
}

/// `nodes N`, `depth N` or `movetime N`: not part of USI itself, but supported by most engines.
pub(super) fn limit_arguments(limit: MoveLimit) -> String {
    match limit {
        MoveLimit::Nodes(nodes) => format!("nodes {nodes}"),
        MoveLimit::Depth(plies) => format!("depth {plies}"),
        MoveLimit::Time(time) => format!("movetime {}", time.as_millis().max(1)),
    }
}

/// The time for a move in games without a clock, so that the engine answers.
const WITHOUT_A_CLOCK: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::clock::{Controls, DelayEstimator, DelayPolicy, GameClocks, TimeControl};

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn clocks(control: TimeControl) -> Clocks {
        *GameClocks::new(Controls::both(control), Color::Black).clocks()
    }

    fn arguments(control: TimeControl, own_left: Duration, delay: Duration) -> String {
        let mut clocks = clocks(control);
        clocks.black.remaining = own_left;
        clocks.network = DelayEstimator::new(DelayPolicy::Fixed(delay));
        go_arguments(&clocks, Color::Black, Duration::ZERO)
    }

    #[test]
    fn sudden_death_is_sent_as_byoyomi_0() {
        let control = TimeControl::sudden_death(seconds(60));
        let text = arguments(control, seconds(50), Duration::from_millis(250));
        assert_eq!(text, "btime 49750 wtime 60000 byoyomi 0");
    }

    #[test]
    fn the_increment_of_this_turn_is_not_in_btime() {
        let control = TimeControl::fischer(seconds(300), seconds(10));
        let text = arguments(control, seconds(300), seconds(1));
        assert_eq!(text, "btime 299000 wtime 300000 binc 10000 winc 10000");
    }

    #[test]
    fn a_margin_beyond_the_main_time_is_subtracted_from_the_byoyomi() {
        let control = TimeControl::byoyomi(seconds(600), seconds(10));
        let text = arguments(control, Duration::from_millis(300), seconds(1));
        assert_eq!(text, "btime 0 wtime 600000 byoyomi 9300");
        let text = arguments(control, Duration::ZERO, seconds(20));
        assert_eq!(text, "btime 0 wtime 600000 byoyomi 5000");
    }

    #[test]
    fn time_already_used_in_the_turn_is_subtracted() {
        let clocks = clocks(TimeControl::byoyomi(seconds(2), seconds(10)));
        let text = go_arguments(&clocks, Color::Black, seconds(30));
        assert_eq!(text, "btime 0 wtime 2000 byoyomi 0");
    }

    #[test]
    fn a_margin_beyond_the_main_time_is_subtracted_from_the_increment() {
        let control = TimeControl::fischer(Duration::ZERO, seconds(1));
        let text = arguments(control, Duration::ZERO, Duration::from_millis(300));
        assert_eq!(text, "btime 0 wtime 0 binc 700 winc 1000");
    }

    #[test]
    fn byoyomi_and_increment_are_never_both_sent() {
        let control =
            TimeControl { byoyomi: seconds(5), ..TimeControl::fischer(seconds(60), seconds(2)) };
        let text = arguments(control, seconds(60), Duration::ZERO);
        assert_eq!(text, "btime 60000 wtime 60000 binc 2000 winc 2000");
    }

    #[test]
    fn without_a_limit_a_finite_time_is_sent() {
        let text = arguments(TimeControl::UNLIMITED, Duration::ZERO, seconds(3));
        assert_eq!(text, "btime 0 wtime 0 byoyomi 10000");
    }
}
