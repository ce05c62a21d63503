//! Running games on disk, from which the next process restores them if the server is killed.
//!
//! The journal of a game has its moves. The other data (offer, tokens, players) is in a file beside it while the game
//! runs. Only its owner can read the file, because a token gives access to the game.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::archive::{Journal, JournalError, PrivateFile, open_folder};
use kyomi_csa::GameSummary;
use kyomi_csa::server::{SavedGame, StoredGame};
use kyomi_record::Record;
use kyomi_record::csa;
use kyomi_shogi::clock::{GameClocks, SideClock};
use kyomi_shogi::{Color, Move};

/// Writes it beside the journal of the game.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(saved: &SavedGame, journal: &Path) -> io::Result<PrivateFile> {
    PrivateFile::write(journal, EXTENSION, saved)
}

/// A running game of a killed server, with its files.
#[derive(Debug)]
pub(super) struct HeldGame {
    pub(super) stored: StoredGame,
    /// The journal, locked by this process.
    pub(super) journal: Journal,
    pub(super) file: PrivateFile,
}

impl HeldGame {
    /// The games in this folder that a server with this address has played and whose players may come back within
    /// `resume_time`, in the order of their names.
    pub(super) fn find(dir: &Path, address: SocketAddr, resume_time: Duration) -> Vec<Self> {
        let mut found = Vec::new();
        for file in PrivateFile::find(dir, EXTENSION) {
            if resume_time.is_zero() || !file.journal().exists() {
                continue;
            }
            let path = file.path().to_owned();
            match Self::read(file, address, resume_time) {
                Ok(held) => found.extend(held),
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "a running game cannot be continued");
                }
            }
        }
        found
    }

    /// `None` if it is over, or played by another server.
    fn read(
        file: PrivateFile,
        address: SocketAddr,
        resume_time: Duration,
    ) -> io::Result<Option<Self>> {
        let saved: SavedGame = file.read()?;
        if saved.is_foreign(address) {
            return Ok(None);
        }
        let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "its offer is unreadable");
        let summary = saved.summary().ok_or_else(unreadable)?;
        let written = fs::metadata(file.journal())?.modified()?;
        wait_while_locked(file.journal());
        let Some(journal) = Journal::reopen(file.journal()).map_err(io::Error::other)? else {
            return Ok(None);
        };
        let differs =
            || io::Error::new(io::ErrorKind::InvalidData, "its journal is of another game");
        let played = played_since(&summary, journal.record()).ok_or_else(differs)?;
        if !may_go_on(&summary, &played, written, resume_time) {
            return Ok(None);
        }
        let header = journal.record().header.clone();
        Ok(Some(Self { stored: StoredGame { saved, summary, header, played }, journal, file }))
    }
}

/// Checks the folder, and turns the journals of killed servers into records. Journals of servers with other addresses
/// are left alone as long as those servers may restore them.
///
/// # Errors
/// The folder cannot be made or written.
pub(super) fn recover_others(
    dir: &Path,
    address: SocketAddr,
    resume_time: Duration,
) -> Result<(), JournalError> {
    let foreign = lock_foreign(dir, address, resume_time);
    open_folder(dir)?;
    drop(foreign);
    remove_left_over(dir);
    Ok(())
}

/// Locks the journals that servers with other addresses may restore, so that they are not recovered, and returns the
/// locks.
fn lock_foreign(dir: &Path, address: SocketAddr, resume_time: Duration) -> Vec<File> {
    let lock = |saved: PrivateFile| {
        let mut file = File::open(saved.journal()).ok()?;
        let saved: SavedGame = saved.read().ok()?;
        let summary = saved.summary().filter(|_| saved.is_foreign(address))?;
        // If it cannot be locked, its server is running.
        file.try_lock().ok()?;
        let written = file.metadata().and_then(|it| it.modified()).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        let record = csa::read(&bytes).ok()?.into_iter().next()?.record;
        let played = played_since(&summary, &record).filter(|_| record.end.is_none())?;
        may_go_on(&summary, &played, written, resume_time).then_some(file)
    };
    PrivateFile::find(dir, EXTENSION).into_iter().filter_map(lock).collect()
}

/// Waits, for a limited time, while a server at another address starts and locks the journal ([`lock_foreign`]).
fn wait_while_locked(journal: &Path) {
    let is_locked = || {
        let locked = File::open(journal).map(|file| file.try_lock());
        matches!(locked, Ok(Err(TryLockError::WouldBlock)))
    };
    for _ in 0..LOCK_ATTEMPTS {
        if !is_locked() {
            return;
        }
        std::thread::sleep(LOCK_PAUSE);
    }
}

/// Removes the files of games whose journals are gone.
fn remove_left_over(dir: &Path) {
    for file in PrivateFile::find(dir, EXTENSION) {
        // Another program's file may have such a name.
        if !file.journal().exists() && file.read::<SavedGame>().is_ok() {
            file.remove();
        }
    }
}

/// The moves of the record since this offer, with the time charged for each; `None` if it is not the record of this
/// game, or a time is missing.
fn played_since(summary: &GameSummary, record: &Record) -> Option<Vec<(Move, Duration)>> {
    let header = &record.header;
    let is_same = record.start == summary.start
        && header.event.as_ref() == Some(&summary.game_id)
        && [&header.black, &header.white].map(Option::as_ref)
            == [Some(&summary.names[0]), Some(&summary.names[1])];
    let setup = record.moves.get(..summary.moves.len())?;
    let is_set_up = setup.iter().zip(&summary.moves).all(|(played, setup)| played.mv == setup.mv);
    let played = record.moves.get(summary.moves.len()..).filter(|_| is_same && is_set_up)?;
    played.iter().map(|played| Some((played.mv, played.time?))).collect()
}

/// Whether the players of a game may still wait for its server.
fn may_go_on(
    summary: &GameSummary,
    played: &[(Move, Duration)],
    written: SystemTime,
    resume_time: Duration,
) -> bool {
    let age = SystemTime::now().duration_since(written).unwrap_or_default();
    age <= longest_left(summary, played).saturating_add(resume_time)
}

/// The longest time for which players may assume that their game still runs: the sum of what both clocks had left.
fn longest_left(summary: &GameSummary, played: &[(Move, Duration)]) -> Duration {
    let Ok(game) = summary.game() else { return Duration::ZERO };
    let mut turn = game.position().side_to_move();
    let mut clocks = GameClocks::new(summary.times, turn);
    for (_, spent) in played {
        clocks.charge_earlier_move(turn, Some(*spent));
        turn = !turn;
    }
    let left = |clock: &SideClock| clock.flag_after().unwrap_or(UNLIMITED_LEFT);
    let [black, white] = Color::ALL.map(|color| left(clocks.clocks().of(color)));
    black.saturating_add(white)
}

/// The extension of the file, after the name of the journal.
const EXTENSION: &str = ".game";

/// The number of times that [`wait_while_locked`] tries the lock.
const LOCK_ATTEMPTS: u32 = 20;

/// The time between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// For games without a clock.
const UNLIMITED_LEFT: Duration = Duration::from_secs(24 * 60 * 60);
