//! Checks of `[schedule]`.

use std::time::Duration;

use super::super::{ScheduleConfig, Window, raw::RawSchedule};
use super::{Check, between, whole};

impl Check<'_> {
    pub(super) fn schedule(&mut self, raw: RawSchedule) -> ScheduleConfig {
        ScheduleConfig {
            windows: self.take("schedule.windows", raw.windows, Vec::new, |windows| {
                windows.iter().map(|window| Window::parse(window)).collect()
            }),
            games: self.take("schedule.games", raw.games, || 0, |n| whole(n, 0..=1_000_000_000)),
            pause: self.take(
                "schedule.pause",
                raw.pause,
                || Duration::ZERO,
                |text| between(&text, Duration::ZERO, Duration::from_secs(7 * 24 * 3600)),
            ),
        }
    }
}
