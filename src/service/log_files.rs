//! A log in files of limited age and size.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use jiff::{Timestamp, ToSpan as _, civil::Date, tz::TimeZone};

/// Writes a log to `DIR/kyomi.DATE.log` (the date in UTC) and removes the oldest files.
///
/// When a day's file has reached a quarter of the allowed size the next one is `kyomi.DATE.2.log`, then `.3.log`. Files
/// are removed when a new one is begun: those that are too old, then the oldest until three quarters of the allowed
/// size remain. Other files in the folder are left alone. Several processes may write to the same folder; each keeps to
/// the limits.
#[derive(Debug)]
pub struct LogFiles {
    dir: PathBuf,
    limits: Limits,
    today: fn() -> Date,
    file: File,
    name: Name,
    /// Bytes written since the size of the file was last checked.
    unseen: u64,
}

/// The limits of a log.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Number of days that are kept, with today; 0: all.
    days: u32,
    /// Bytes of all files; 0: no limit.
    bytes: u64,
}

impl LogFiles {
    /// Opens the last file of today, or begins one. Files are kept for `days` days (0: for ever), as long as all of
    /// them together have at most `bytes` bytes (0: no limit).
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub fn open(dir: &Path, days: u32, bytes: u64) -> io::Result<Self> {
        Self::open_on(dir, Limits { days, bytes }, today)
    }

    fn open_on(dir: &Path, limits: Limits, today: fn() -> Date) -> io::Result<Self> {
        fs::create_dir_all(dir)?;
        let date = today();
        let all = files(dir)?;
        let last = all.iter().map(|(name, _)| *name).filter(|name| name.date == date).max();
        let name = last.unwrap_or(Name { date, part: 1 });
        let file = append(&dir.join(name.text()))?;
        let log = Self { dir: dir.to_owned(), limits, today, file, name, unseen: SIZE_CHECK_BYTES };
        log.remove_old()?;
        Ok(log)
    }

    /// Begins the next file if a new day has begun or the file has reached its size.
    fn rotate(&mut self) -> io::Result<()> {
        let date = (self.today)();
        let mut next = self.name;
        if date > self.name.date {
            next = Name { date, part: 1 };
        } else if self.unseen >= SIZE_CHECK_BYTES || self.limits.bytes / 4 < SIZE_CHECK_BYTES {
            self.unseen = 0;
            match fs::metadata(self.dir.join(self.name.text())) {
                Ok(metadata)
                    if self.limits.bytes == 0 || metadata.len() < self.limits.bytes / 4 => {}
                Ok(_) => next.part += 1,
                // Another process has removed it.
                Err(_) => self.file = append(&self.dir.join(next.text()))?,
            }
        }
        if next != self.name {
            self.file = append(&self.dir.join(next.text()))?;
            self.name = next;
            self.remove_old()?;
        }
        Ok(())
    }

    /// Removes files that are too old, then the oldest while there are too many bytes. Files that cannot be removed
    /// stay.
    fn remove_old(&self) -> io::Result<()> {
        let Limits { days, bytes } = self.limits;
        let first = i64::from(days).checked_sub(1).and_then(|before| {
            (days > 0).then(|| self.name.date.checked_sub(before.days()).ok()).flatten()
        });
        let mut all = files(&self.dir)?;
        all.retain(|(name, _)| *name != self.name);
        all.sort_by_key(|(name, _)| *name);
        let mut kept: u64 = all.iter().map(|(_, length)| length).sum();
        for (name, length) in all {
            let is_old = first.is_some_and(|first| name.date < first);
            let is_too_much = bytes > 0 && kept > bytes / 4 * 3;
            if is_old || is_too_much {
                let _ = fs::remove_file(self.dir.join(name.text()));
                kept -= length;
            }
        }
        Ok(())
    }
}

impl Write for LogFiles {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // If rotation fails, the line goes to the old file, so that it is not lost.
        let _ = self.rotate();
        let written = self.file.write(bytes)?;
        self.unseen += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file of the log, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    date: Date,
    /// From 1.
    part: u32,
}

impl Name {
    fn text(self) -> String {
        match self {
            Self { date, part: 1 } => format!("kyomi.{date}.log"),
            Self { date, part } => format!("kyomi.{date}.{part}.log"),
        }
    }

    /// `None` for every other file.
    fn parse(text: &str) -> Option<Self> {
        let middle = text.strip_prefix("kyomi.")?.strip_suffix(".log")?;
        let (date, part) = middle.split_once('.').unwrap_or((middle, "1"));
        let name = Self { date: date.parse().ok()?, part: part.parse().ok()? };
        (name.text() == text).then_some(name)
    }
}

/// The files of the log with their sizes.
fn files(dir: &Path) -> io::Result<Vec<(Name, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_str().and_then(Name::parse);
        if let (Some(name), Ok(metadata)) = (name, entry.metadata())
            && metadata.is_file()
        {
            found.push((name, metadata.len()));
        }
    }
    Ok(found)
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// The size of the file is checked after this number of bytes, since other processes may write to it too.
const SIZE_CHECK_BYTES: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI8, Ordering};

    use jiff::civil::date;

    use super::*;

    /// A folder that is removed at the end.
    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn names(&self) -> Vec<String> {
            let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names
        }

        fn bytes(&self) -> u64 {
            files(self.0.path()).unwrap().iter().map(|(_, length)| length).sum()
        }
    }

    const fn a_day() -> Date {
        date(2026, 3, 10)
    }

    const KIB: u64 = 1 << 10;

    #[test]
    fn a_new_day_has_a_new_file_and_old_days_go() {
        static DAY: AtomicI8 = AtomicI8::new(1);
        let folder = Folder::new();
        let mut log = LogFiles::open_on(folder.0.path(), Limits { days: 3, bytes: 0 }, || {
            date(2026, 3, DAY.load(Ordering::Relaxed))
        })
        .unwrap();
        for day in 1..=9 {
            DAY.store(day, Ordering::Relaxed);
            writeln!(log, "day {day}").unwrap();
        }
        let last: Vec<_> = (7..=9).map(|day| format!("kyomi.2026-03-0{day}.log")).collect();
        assert_eq!(folder.names(), last);
        // A clock that goes back does not.
        DAY.store(1, Ordering::Relaxed);
        writeln!(log, "still").unwrap();
        assert_eq!(fs::read_to_string(folder.0.path().join(&last[2])).unwrap(), "day 9\nstill\n");
    }

    #[test]
    fn the_files_never_exceed_their_size_by_more_than_a_line() {
        let folder = Folder::new();
        let mut log =
            LogFiles::open_on(folder.0.path(), Limits { days: 0, bytes: 8 * KIB }, a_day).unwrap();
        let line = "x".repeat(99);
        for _ in 0..1000 {
            writeln!(log, "{line}").unwrap();
            assert!(folder.bytes() <= 8 * KIB + 100, "{}", folder.bytes());
        }
        assert!(folder.bytes() > 5 * KIB);
        assert!(
            folder.names().len() > 2 && !folder.names().contains(&"kyomi.2026-03-10.log".into())
        );
    }

    #[test]
    fn it_goes_on_in_the_last_file_of_the_day_and_touches_no_others() {
        let folder = Folder::new();
        let others = ["kyomi.log", "kyomi.2026-01-01.log.gz", "kyomi.2026-1-1.log", "game.csa"];
        for name in others {
            fs::write(folder.0.path().join(name), [b'x'; 5000]).unwrap();
        }
        for name in ["kyomi.2026-01-01.log", "kyomi.2026-03-10.log", "kyomi.2026-03-10.2.log"] {
            fs::write(folder.0.path().join(name), "before\n").unwrap();
        }
        let limits = Limits { days: 30, bytes: 4 * KIB };
        let mut log = LogFiles::open_on(folder.0.path(), limits, a_day).unwrap();
        writeln!(log, "after").unwrap();
        let text = fs::read_to_string(folder.0.path().join("kyomi.2026-03-10.2.log")).unwrap();
        assert_eq!(text, "before\nafter\n");
        let names = folder.names();
        assert_eq!(names.len(), others.len() + 2, "{names:?}");
        assert!(others.iter().all(|name| names.iter().any(|found| found == name)), "{names:?}");
    }

    #[test]
    fn a_file_that_another_process_has_removed_is_made_again() {
        let folder = Folder::new();
        let limits = Limits { days: 0, bytes: 4 * KIB };
        let mut log = LogFiles::open_on(folder.0.path(), limits, a_day).unwrap();
        fs::remove_file(folder.0.path().join("kyomi.2026-03-10.log")).unwrap();
        writeln!(log, "here").unwrap();
        assert_eq!(folder.bytes(), 5);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error() {
        let folder = Folder::new();
        fs::write(folder.0.path().join("file"), "").unwrap();
        LogFiles::open(&folder.0.path().join("file/logs"), 1, 0).unwrap_err();
    }
}
