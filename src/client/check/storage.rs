//! The folders of records and log, and the space on their disks.

use std::path::Path;

use crate::{
    archive::check_folder,
    config::{Config, LogLevel},
};

use super::{Finding, machine::mebibytes};

pub(super) fn check(config: &Config) -> Vec<Finding> {
    let records = match check_folder(&config.records.dir) {
        Ok(()) => with_space(
            "records",
            &config.records.dir,
            RECORDS_OF_A_DAY,
            "move records.dir to another disk, or make room",
        ),
        Err(error) => Finding::failed("records", error.to_string())
            .remedy("set records.dir to a folder that you may write to"),
    };
    // The command has opened the log already.
    let log = with_space(
        "log",
        &config.log.dir,
        log_of_a_day(config),
        "move log.dir to another disk, make room, or lower log.max_size",
    );
    vec![records, log]
}

fn with_space(what: &'static str, dir: &Path, needed: u64, remedy: &str) -> Finding {
    let place = format!("{} can be written", dir.display());
    let Some(free) = free_space(dir) else { return Finding::ok(what, place) };
    let detail = format!(
        "{place}; {} are free on its disk, a day needs about {}",
        mebibytes(free),
        mebibytes(needed)
    );
    if free < LEAST_SPACE {
        Finding::failed(what, detail).remedy(remedy)
    } else if free < needed.saturating_mul(DAYS) {
        Finding::warning(what, detail).remedy(remedy)
    } else {
        Finding::ok(what, detail)
    }
}

/// The largest size of the log of a day, in bytes.
fn log_of_a_day(config: &Config) -> u64 {
    let a_game = match config.log.level {
        LogLevel::Error | LogLevel::Warn => 10 << 10,
        LogLevel::Info => 100 << 10,
        LogLevel::Debug => 2 << 20,
        LogLevel::Trace => 4 << 20,
    };
    let a_day = a_game * GAMES_OF_A_DAY;
    match config.log.max_size {
        0 => a_day,
        limit => a_day.min(limit),
    }
}

/// Bytes that this user can still write to the disk of a folder.
fn free_space(dir: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(dir).ok()?;
        disk.f_bavail.checked_mul(disk.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = dir;
        None
    }
}

/// A game every fifteen minutes; floodgate pairs every thirty.
const GAMES_OF_A_DAY: u64 = 96;

/// A record takes some 20 KB, with comments twice as much.
const RECORDS_OF_A_DAY: u64 = GAMES_OF_A_DAY * (40 << 10);

/// Disk space for this number of days is enough.
const DAYS: u64 = 3;

/// With less than this a game could not be recorded.
const LEAST_SPACE: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{client::CheckStatus, config::LogConfig};

    #[test]
    fn a_full_disk_is_a_failure_and_a_small_one_a_warning() {
        let dir = std::env::temp_dir();
        let status = |needed| with_space("log", &dir, needed, "make room").status;
        assert_eq!(status(0), CheckStatus::Ok);
        if free_space(&dir).is_some() {
            assert_eq!(status(u64::MAX), CheckStatus::Warning);
        }
    }

    #[test]
    fn the_log_of_a_day_is_not_larger_than_its_limit() {
        let log = |level, max_size| {
            let log = LogConfig { level, max_size, ..LogConfig::default() };
            log_of_a_day(&Config { log, ..Config::default() })
        };
        assert!(log(LogLevel::Info, 0) < log(LogLevel::Debug, 0));
        assert_eq!(log(LogLevel::Trace, 1 << 20), 1 << 20);
    }
}
