//! What fails when, by the seed.

use std::time::Duration;

use super::{DAY, world::ACCOUNTS};

/// Something that goes wrong.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    /// The server is killed. It comes back with its games, or without.
    ServerKilled { down: Duration, forgets: bool },
    /// The client is killed, and started again later.
    ClientKilled { down: Duration },
    /// The network of the client does not answer.
    Unreachable { for_time: Duration },
    /// The server refuses the logins of the client.
    LoginsRefused { for_time: Duration },
    /// The clock on the wall is set.
    WallClockSet { seconds: i64 },
    /// Both players of a game want to suspend it: this account, or the next one with a game.
    Suspension { account: usize },
}

impl Fault {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ServerKilled { forgets: false, .. } => "server killed",
            Self::ServerKilled { forgets: true, .. } => "server forgot",
            Self::ClientKilled { .. } => "client killed",
            Self::Unreachable { .. } => "unreachable",
            Self::LoginsRefused { .. } => "logins refused",
            Self::WallClockSet { .. } => "wall clock set",
            Self::Suspension { .. } => "suspension",
        }
    }
}

/// The faults of this number of days in their order. In the last hours of each day nothing fails, so that the days can
/// be compared.
pub(super) fn plan(seed: u64, days: u32) -> Vec<(Duration, Fault)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut plan = Vec::new();
    for day in 0..days {
        let mut add = |random: &mut fastrand::Rng, hours: std::ops::Range<u64>, fault| {
            let seconds = random.u64(hours.start * 3600..hours.end * 3600);
            plan.push((DAY * day + Duration::from_secs(seconds), fault));
        };
        for forgets in [false, false, true] {
            let down = seconds(&mut random, 1..600);
            add(&mut random, 0..21, Fault::ServerKilled { down, forgets });
        }
        for _ in 0..6 {
            let down = seconds(&mut random, 1..400);
            add(&mut random, 0..21, Fault::ClientKilled { down });
        }
        for _ in 0..3 {
            let for_time = seconds(&mut random, 5..1200);
            add(&mut random, 0..21, Fault::Unreachable { for_time });
            let for_time = seconds(&mut random, 60..480);
            add(&mut random, 0..21, Fault::LoginsRefused { for_time });
        }
        for _ in 0..8 {
            let account = random.usize(..ACCOUNTS);
            add(&mut random, 0..21, Fault::Suspension { account });
        }
        // Set forward and back, or back and forward.
        let seconds = if random.bool() { 3600 } else { -3600 };
        add(&mut random, 2..9, Fault::WallClockSet { seconds });
        add(&mut random, 11..18, Fault::WallClockSet { seconds: -seconds });
    }
    plan.sort_by_key(|(at, _)| *at);
    plan
}

/// A random time, short ones more often.
pub(super) fn seconds(random: &mut fastrand::Rng, range: std::ops::Range<u64>) -> Duration {
    let span = (range.end - range.start) as f64;
    let share = random.f64() * random.f64();
    Duration::from_secs(range.start) + Duration::from_secs_f64(span * share)
}
