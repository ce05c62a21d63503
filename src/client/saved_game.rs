//! A game that the next start of the program can continue: its offer, in a file beside its journal.
//!
//! The journal has the moves, but not the token and the lines of the offer. The file exists while the game runs, and
//! only its owner can read it, because the token gives access to the game.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    archive::{Journal, PrivateFile},
    watch::LiveMove,
};
use kyomi_csa::{GameSummary, MoveEvent, Profile, ReadOptions, UnfinishedGame};
use kyomi_record::{BOOK_MOVE, RecordMove};
use kyomi_shogi::clock::{Clocks, OwnTurn};
use kyomi_shogi::{Finding, Game, Position, notation::csa};

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
    pub(super) game: UnfinishedGame,
    /// Both clocks before the moves that were made since the offer.
    pub(super) first_clocks: Clocks,
    /// These moves, with their comments and times from the journal.
    pub(super) earlier: Vec<LiveMove>,
}

impl SavedGame {
    /// The game in this folder that was played on this server under this name, and that the server may still hold; the
    /// latest of several. The offers of other games that are over are removed. `handicap` is the time that the server
    /// subtracts from the clocks without a line in the offer, `[color]`. `now`: the time of day.
    pub(super) fn find(
        dir: &Path,
        server: &str,
        name: &str,
        profile: Profile,
        handicap: [Duration; 2],
        now: Timestamp,
    ) -> Option<Self> {
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
            match Self::read(offer, server, name, profile, handicap, now) {
                Ok(Some(saved)) => {
                    let known = found.as_ref().map(|known| known.game.since());
                    if known.is_none_or(|known| saved.game.since() > known) {
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
        handicap: [Duration; 2],
        now: Timestamp,
    ) -> io::Result<Option<Self>> {
        let saved: SavedOffer = offer.read()?;
        if saved.server != server || saved.name != name {
            return Ok(None);
        }
        let lines = saved.offer.iter().map(String::as_str);
        let summary =
            GameSummary::parse(lines, ReadOptions::default()).map_err(io::Error::other)?;
        let written = fs::metadata(offer.journal())?.modified()?;
        let age = SystemTime::from(now).duration_since(written).unwrap_or_default();
        let Some(journal) = Journal::reopen(offer.journal()).map_err(io::Error::other)? else {
            return Ok(None);
        };
        let now = tokio::time::Instant::now().into_std();
        let continued = continued(summary, &journal, age, now, profile, handicap);
        let Some((game, clocks)) = continued.filter(|(game, _)| now < game.ask_until()) else {
            offer.remove();
            return Ok(None);
        };
        let Some((first_clocks, clocks)) = clocks.split_first() else { return Ok(None) };
        let (first_clocks, earlier) = (*first_clocks, earlier_moves(&game, &journal, clocks));
        let number = saved.number.max(1);
        Ok(Some(Self { journal, offer, number, game, first_clocks, earlier }))
    }
}

/// The game of a journal, with both clocks before its first move since the offer and after each; `None` if its moves do
/// not follow from the offer.
fn continued(
    summary: GameSummary,
    journal: &Journal,
    age: Duration,
    now: Instant,
    profile: Profile,
    handicap: [Duration; 2],
) -> Option<(UnfinishedGame, Vec<Clocks>)> {
    let played = journal.record().moves.get(summary.moves.len()..)?;
    let moves: Vec<_> =
        played.iter().map(|played| (played.mv, played.time.unwrap_or_default())).collect();
    UnfinishedGame::restored(summary, &moves, age, now, profile, handicap)
}

/// The moves of a game since its offer, with their comments and times from the journal and both clocks after each.
fn earlier_moves(game: &UnfinishedGame, journal: &Journal, clocks: &[Clocks]) -> Vec<LiveMove> {
    let game = game.game();
    let first = game.len().saturating_sub(clocks.len());
    let mut before = Game::new(game.start().clone());
    let mut earlier = Vec::with_capacity(clocks.len());
    for (index, mv) in game.moves().iter().enumerate() {
        let kept = index
            .checked_sub(first)
            .and_then(|at| Some((clocks.get(at)?, journal.record().moves.get(index)?)));
        if let Some((clocks, kept)) = kept {
            let event = kept_move(before.position(), kept, index, clocks);
            earlier.push(LiveMove { event, clocks: *clocks });
        }
        if before.push(*mv).is_err() {
            break;
        }
    }
    earlier
}

/// A move of a journal in this position, which has this number of moves before it. `clocks`: after the move.
fn kept_move(position: &Position, kept: &RecordMove, before: usize, clocks: &Clocks) -> MoveEvent {
    let color = position.side_to_move();
    let clock = clocks.of(color);
    let own_turn: Option<OwnTurn> =
        kept.comments.iter().find_map(|comment| comment.trim().parse().ok());
    let from_book = kept.comments.iter().any(|comment| comment == BOOK_MOVE);
    let found = kept.analysis.clone().map(Finding::from);
    let analysis = found.map(|found| Finding { from_book, ..found });
    let spent = kept.time.unwrap_or_default();
    MoveEvent {
        ply: u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1),
        mv: kept.mv,
        word: csa::format_move(position, kept.mv),
        color,
        spent,
        measured: own_turn.map_or(spent, |turn| turn.measured),
        remaining: clock.main_time_left(),
        comment: None,
        analysis,
        own_turn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RecordsConfig;
    use kyomi_record::{self, Header};
    use kyomi_shogi::{Score, notation::usi};

    fn find(dir: &Path) -> Option<SavedGame> {
        find_after(dir, Duration::ZERO)
    }

    /// What is found after this time.
    fn find_after(dir: &Path, time: Duration) -> Option<SavedGame> {
        let now = Timestamp::now() + time;
        SavedGame::find(dir, "host:4081", "a", Profile::Auto, [Duration::ZERO; 2], now)
    }

    #[test]
    fn only_offers_of_ended_games_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let offer = r#"{"server":"host:4081","name":"a","offer":[]}"#;
        for (name, text) in [
            ("x.csa.part.offer", offer),
            ("notes.offer", offer),
            ("other.csa.part.offer", "a note"),
        ] {
            fs::write(dir.join(name), text).unwrap();
        }
        assert!(find(dir).is_none());
        let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name());
        let mut files: Vec<_> = files.map(|name| name.into_string().unwrap()).collect();
        files.sort();
        assert_eq!(files, ["notes.offer", "other.csa.part.offer"]);
    }

    /// An offer of a game of ten minutes, with this line in it.
    fn offer(line: &str) -> GameSummary {
        let position = csa::format_position(&Position::startpos());
        let offer = format!(
            "BEGIN Game_Summary\nGame_ID:g\nName+:a\nName-:b\nYour_Turn:+\nTo_Move:-\n{line}\
             BEGIN Time\nTotal_Time:600\nByoyomi:10\nEND Time\nBEGIN Position\n{}\n+7776FU,T5\n\
             END Position\nEND Game_Summary",
            position.trim_end()
        );
        GameSummary::parse(offer.lines(), ReadOptions::default()).unwrap()
    }

    /// The journal of a game of this offer with these moves, in this folder.
    fn keep(dir: &Path, summary: &GameSummary, moves: &[RecordMove]) {
        let header = Header {
            black: Some("a".to_owned()),
            white: Some("b".to_owned()),
            ..Header::default()
        };
        let name = RecordsConfig::default().name;
        let mut journal = Journal::create(dir, &name, &header, &Position::startpos()).unwrap();
        for mv in moves {
            journal.push(mv).unwrap();
        }
        drop(save_offer(journal.path(), "host:4081", "a", (3, summary)).unwrap());
    }

    fn mv(text: &str) -> kyomi_shogi::Move {
        usi::parse_move(text).unwrap()
    }

    #[test]
    fn a_game_with_a_token_is_asked_for_though_the_clock_was_set_by_an_hour() {
        for (line, is_found) in [("Reconnect_Token:0123\n", true), ("", false)] {
            let folder = tempfile::tempdir().unwrap();
            let dir = folder.path();
            keep(dir, &offer(line), &[RecordMove::new(mv("7g7f"))]);
            assert!(find(dir).is_some());
            assert_eq!(find_after(dir, Duration::from_secs(3600 + 600)).is_some(), is_found);
        }
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), &offer("Reconnect_Token:0123\n"), &[RecordMove::new(mv("7g7f"))]);
        assert!(find_after(folder.path(), Duration::from_secs(3 * 3600)).is_none());
    }

    #[test]
    fn the_moves_of_the_earlier_process_keep_their_times_and_scores() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let own = RecordMove {
            analysis: Some(kyomi_record::Analysis {
                score: Some(Score::Cp(55)),
                pv: vec![mv("8c8d")],
                ..kyomi_record::Analysis::default()
            }),
            comments: vec!["turn: measured 2500".to_owned()],
            ..RecordMove::timed(mv("2g2f"), Duration::from_secs(3))
        };
        let theirs = RecordMove::timed(mv("3c3d"), Duration::from_secs(7));
        keep(dir, &offer(""), &[RecordMove::new(mv("7g7f")), theirs, own]);
        let saved = find(dir).unwrap();
        assert_eq!((saved.number, saved.game.game().len()), (3, 3));
        let [theirs, ours] = &saved.earlier[..] else { panic!("{:?}", saved.earlier) };
        assert_eq!((theirs.event.ply, theirs.event.word.as_str()), (2, "-3334FU"));
        assert_eq!((theirs.event.spent, &theirs.event.analysis), (Duration::from_secs(7), &None));
        assert_eq!(theirs.event.remaining, Some(Duration::from_secs(593)));
        assert_eq!((ours.event.ply, ours.event.spent), (3, Duration::from_secs(3)));
        assert_eq!(ours.event.measured, Duration::from_millis(2500));
        assert_eq!(ours.event.analysis.as_ref().unwrap().score, Some(Score::Cp(55)));
        assert_eq!(ours.clocks, *saved.game.clocks());
    }
}
