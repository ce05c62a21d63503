//! A game that the next start of the program can continue: its offer, in a file beside its journal.
//!
//! The journal has the moves, but not the token and the form of the offer. The file exists while the game runs, and is
//! readable by its owner alone, because the token lets others into the game.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use serde::{Deserialize, Serialize};

use crate::{
    archive::Journal,
    csa::{GameSummary, Profile, ReadOptions, SuspendedGame},
};

/// The extension of the file, after the name of the journal.
const EXTENSION: &str = ".offer";

/// The extension of a journal.
const JOURNAL: &str = ".csa.part";

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
struct SavedOffer {
    /// `host:port`.
    server: String,
    /// Our name there.
    name: String,
    /// The lines of the offer.
    offer: Vec<String>,
    /// The number of the game in the run of its process, from 1.
    #[serde(default = "first")]
    number: u32,
}

impl SavedOffer {
    fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }
}

fn first() -> u32 {
    1
}

/// An offer on disk while its game runs. Removed when it is dropped by [`OfferFile::remove`] only, so that it survives
/// the process.
#[derive(Debug)]
pub(super) struct OfferFile(PathBuf);

impl OfferFile {
    /// Writes the offer beside the journal.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(
        journal: &Path,
        server: &str,
        name: &str,
        (number, summary): (u32, &GameSummary),
    ) -> io::Result<Self> {
        let path = beside(journal);
        let saved = SavedOffer {
            server: server.to_owned(),
            name: name.to_owned(),
            offer: summary.to_lines(),
            number,
        };
        let text = serde_json::to_vec(&saved).map_err(io::Error::other)?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?.write_all(&text)?;
        Ok(Self(path))
    }

    /// Removes it: the game is over.
    pub(super) fn remove(self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::debug!(path = %self.0.display(), %error, "offer not removed");
        }
    }
}

fn beside(journal: &Path) -> PathBuf {
    let mut name = journal.file_name().unwrap_or_default().to_owned();
    name.push(EXTENSION);
    journal.with_file_name(name)
}

/// A game of a process that was killed.
#[derive(Debug)]
pub(super) struct SavedGame {
    pub(super) journal: Journal,
    pub(super) offer: OfferFile,
    /// The number of the game in the run of its process, from 1.
    pub(super) number: u32,
    /// The game, as one whose connection was lost when the last move was written.
    pub(super) game: SuspendedGame,
}

impl SavedGame {
    /// The game in this folder that was played on this server under this name, and that the server may still hold; the
    /// latest of several. The offers of other games that are over are removed.
    pub(super) fn find(dir: &Path, server: &str, name: &str, profile: Profile) -> Option<Self> {
        let mut found: Option<Self> = None;
        for entry in fs::read_dir(dir).ok()?.flatten() {
            let path = entry.path();
            let journal = path.to_str().and_then(|path| path.strip_suffix(EXTENSION));
            let Some(journal) = journal.filter(|journal| journal.ends_with(JOURNAL)) else {
                continue;
            };
            if !Path::new(journal).exists() {
                // Another program's file may have such a name.
                if SavedOffer::read(&path).is_ok() {
                    OfferFile(path).remove();
                }
                continue;
            }
            match Self::read(&path, Path::new(journal), server, name, profile) {
                Ok(Some(saved)) => {
                    let known = found.as_ref().map(|known| known.game.lost_at());
                    if known.is_none_or(|known| saved.game.lost_at() > known) {
                        found = Some(saved);
                    }
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "a game cannot be continued");
                }
            }
        }
        found
    }

    fn read(
        path: &Path,
        journal: &Path,
        server: &str,
        name: &str,
        profile: Profile,
    ) -> io::Result<Option<Self>> {
        let saved = SavedOffer::read(path)?;
        if saved.server != server || saved.name != name {
            return Ok(None);
        }
        let lines = saved.offer.iter().map(String::as_str);
        let summary =
            GameSummary::parse(lines, ReadOptions::default()).map_err(io::Error::other)?;
        let written = fs::metadata(journal)?.modified()?;
        let age = SystemTime::now().duration_since(written).unwrap_or_default();
        let Some(journal) = Journal::reopen(journal).map_err(io::Error::other)? else {
            return Ok(None);
        };
        let offer = OfferFile(path.to_owned());
        let now = tokio::time::Instant::now().into_std();
        let game = continued(summary, &journal, age, now, profile);
        let Some(game) = game.filter(|game| now < game.until()) else {
            offer.remove();
            return Ok(None);
        };
        Ok(Some(Self { journal, offer, number: saved.number.max(1), game }))
    }
}

/// The game of a journal; `None` if its moves do not follow from the offer.
fn continued(
    summary: GameSummary,
    journal: &Journal,
    age: Duration,
    now: Instant,
    profile: Profile,
) -> Option<SuspendedGame> {
    let played = journal.record().moves.get(summary.moves.len()..)?;
    let moves: Vec<_> =
        played.iter().map(|played| (played.mv, played.time.unwrap_or_default())).collect();
    SuspendedGame::restored(summary, &moves, age, now, profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_offers_of_ended_games_are_removed() {
        let name = format!("kyomi-offers-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        // A killed run may have left one.
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).unwrap();
        let offer = r#"{"server":"host:4081","name":"a","offer":[]}"#;
        for (name, text) in [
            ("x.csa.part.offer", offer),
            ("notes.offer", offer),
            ("other.csa.part.offer", "a note"),
        ] {
            fs::write(dir.join(name), text).unwrap();
        }
        assert!(SavedGame::find(&dir, "host:4081", "a", Profile::Auto).is_none());
        let files = fs::read_dir(&dir).unwrap().map(|file| file.unwrap().file_name());
        let mut files: Vec<_> = files.map(|name| name.into_string().unwrap()).collect();
        files.sort();
        fs::remove_dir_all(&dir).unwrap();
        assert_eq!(files, ["notes.offer", "other.csa.part.offer"]);
    }
}
