//! A game that the next start of the program can continue: its offer, in a file beside its journal.
//!
//! The journal has the moves, but not the token and the form of the offer. The file exists while the game runs, and is
//! readable by its owner alone, because the token lets others into the game.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use serde::{Deserialize, Serialize};

use crate::{
    archive::{Journal, PrivateFile},
    csa::{GameSummary, Profile, ReadOptions, SuspendedGame},
};

/// The extension of the file, after the name of the journal.
const EXTENSION: &str = ".offer";

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

fn first() -> u32 {
    1
}

/// Writes the offer of a game beside its journal.
///
/// # Errors
/// The file cannot be written.
pub(super) fn save_offer(
    journal: &Path,
    server: &str,
    name: &str,
    (number, summary): (u32, &GameSummary),
) -> io::Result<PrivateFile> {
    let saved = SavedOffer {
        server: server.to_owned(),
        name: name.to_owned(),
        offer: summary.to_lines(),
        number,
    };
    PrivateFile::write(journal, EXTENSION, &saved)
}

/// A game of a process that was killed.
#[derive(Debug)]
pub(super) struct SavedGame {
    pub(super) journal: Journal,
    pub(super) offer: PrivateFile,
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
        for offer in PrivateFile::find(dir, EXTENSION) {
            if !offer.journal().exists() {
                // Another program's file may have such a name.
                if offer.read::<SavedOffer>().is_ok() {
                    offer.remove();
                }
                continue;
            }
            let path = offer.path().to_owned();
            match Self::read(offer, server, name, profile) {
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
        offer: PrivateFile,
        server: &str,
        name: &str,
        profile: Profile,
    ) -> io::Result<Option<Self>> {
        let saved: SavedOffer = offer.read()?;
        if saved.server != server || saved.name != name {
            return Ok(None);
        }
        let lines = saved.offer.iter().map(String::as_str);
        let summary =
            GameSummary::parse(lines, ReadOptions::default()).map_err(io::Error::other)?;
        let written = fs::metadata(offer.journal())?.modified()?;
        let age = SystemTime::now().duration_since(written).unwrap_or_default();
        let Some(journal) = Journal::reopen(offer.journal()).map_err(io::Error::other)? else {
            return Ok(None);
        };
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
