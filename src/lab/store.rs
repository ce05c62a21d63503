//! The folder of a match.
//!
//! ```text
//! match.json       what the match is: players, openings, rules; a resumed match must be the same
//! results.jsonl    one line for each finished game, with the ledger of every move
//! games/*.csa      the records
//! report.json      the last report
//! ```
//!
//! A record is written beside its name and renamed, then the line is appended in one piece: a process that is killed
//! at any moment loses no finished game, and at most the last line is torn, which is cut off and played again.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    archive,
    clock::Controls,
    record::{End, EndKind, Header, JishogiRule, Record, RecordTime, Winner, csa},
    shogi::Color,
};

use super::{
    Contestant, EndReason, MatchSettings, Outcome, PlayedGame,
    plan::{difference, plan},
    slot::Finished,
};

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Another process plays this match.
    #[error("another process is playing the match in {}", .0.display())]
    Busy(PathBuf),
    /// The folder holds another match.
    #[error("{} holds another match: {difference}; give another --out, or the settings it was begun with", dir.display())]
    Other {
        /// The folder.
        dir: PathBuf,
        /// The first difference.
        difference: String,
    },
    /// A file of the match is broken.
    #[error("{}, line {line}: {reason}; mend or remove the line", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// The folder of a match, open for this process alone.
#[derive(Debug)]
pub(super) struct Store {
    dir: PathBuf,
    results: File,
}

impl Store {
    /// Opens or makes the folder; `each` gets the games that were finished before.
    pub(super) fn open(
        settings: &MatchSettings,
        each: impl FnMut(PlayedGame),
    ) -> Result<Self, StoreError> {
        let dir = settings.dir.clone();
        let games = dir.join("games");
        fs::create_dir_all(&games).map_err(failed("making", &games))?;
        let path = dir.join("results.jsonl");
        let mut options = OpenOptions::new();
        let opened = options.create(true).read(true).append(true).open(&path);
        let results = opened.map_err(failed("opening", &path))?;
        match results.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(dir)),
            // Some file systems know no locks.
            Err(TryLockError::Error(error)) => tracing::debug!(%error, "the match is not locked"),
        }
        let store = Self { dir, results };
        store.check_plan(settings)?;
        store.finished(&path, each)?;
        Ok(store)
    }

    /// The plan must be that of before; a new folder gets it.
    fn check_plan(&self, settings: &MatchSettings) -> Result<(), StoreError> {
        let path = self.dir.join("match.json");
        let new = plan(settings);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let about = json!({
                    "kyomi": env!("CARGO_PKG_VERSION"),
                    "begun": jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S %z").to_string(),
                    "command": std::env::args().collect::<Vec<_>>(),
                    "games_planned": settings.schedule().games(),
                    "plan": new,
                });
                return self.write_whole("match.json", &format!("{about:#}\n"));
            }
            Err(source) => return Err(failed("reading", &path)(source)),
        };
        let old: Value = serde_json::from_str(&text).map_err(|error| StoreError::Broken {
            path: path.clone(),
            line: error.line(),
            reason: error.to_string(),
        })?;
        let old = old.get("plan").cloned().unwrap_or(Value::Null);
        match difference(&old, &new) {
            None => Ok(()),
            Some(difference) => Err(StoreError::Other { dir: self.dir.clone(), difference }),
        }
    }

    fn finished(&self, path: &Path, mut each: impl FnMut(PlayedGame)) -> Result<(), StoreError> {
        let bytes = fs::read(path).map_err(failed("reading", path))?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole < bytes.len() {
            tracing::warn!("the last line of {} is torn; its game is played again", path.display());
            self.results.set_len(whole as u64).map_err(failed("mending", path))?;
        }
        let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default());
        for (line, number) in text.lines().zip(1..) {
            each(serde_json::from_str(line).map_err(|error| StoreError::Broken {
                path: path.to_owned(),
                line: number,
                reason: error.to_string(),
            })?);
        }
        Ok(())
    }

    /// Keeps a finished game: its record first, then its line.
    pub(super) fn keep(
        &mut self,
        settings: &MatchSettings,
        finished: Finished,
    ) -> Result<PlayedGame, StoreError> {
        let [black, white] = finished.round.players.map(|player| &settings.players[player]);
        let began = RecordTime::from_zoned(&finished.began);
        let header = header(settings, [black, white], began);
        let stem = archive::file_stem("{black}_{white}", &header);
        let name = format!("games/{:06}_{stem}.csa", finished.round.game + 1);
        let mut record = Record::new(header, finished.game.start().clone());
        record.moves = finished.moves;
        let mut end = End::new(end_kind(finished.reason, finished.outcome));
        end.time = finished.last_time;
        end.comments = vec![finished.words.clone()];
        record.end = Some(end);
        self.write_whole(&name, &csa::write(&record))?;
        let played = PlayedGame {
            game: finished.round.game + 1,
            opening: finished.round.opening + 1,
            black: black.name.clone(),
            white: white.name.clone(),
            result: finished.outcome,
            end: finished.reason,
            words: finished.words,
            plies: finished.game.len(),
            opening_plies: settings.openings.get(finished.round.opening).len(),
            began: began.to_string(),
            preparing_us: finished.preparing_us,
            wall_us: finished.wall_us,
            ponders: finished.ponders,
            ponder_hits: finished.ponder_hits,
            record: name,
            turns: finished.turns,
        };
        let path = self.dir.join("results.jsonl");
        let mut line = serde_json::to_string(&played)
            .map_err(io::Error::from)
            .map_err(failed("writing", &path))?;
        line.push('\n');
        self.results.write_all(line.as_bytes()).map_err(failed("writing", &path))?;
        Ok(played)
    }

    /// Writes a file of the folder so that it is there whole or as it was before.
    pub(super) fn write_whole(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let path = self.dir.join(name);
        let draft = self.dir.join(format!("{name}.draft"));
        fs::write(&draft, text).map_err(failed("writing", &draft))?;
        fs::rename(&draft, &path).map_err(failed("writing", &path))
    }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { doing, path, source }
}

fn header(settings: &MatchSettings, [black, white]: [&Contestant; 2], began: RecordTime) -> Header {
    let clocks = [black, white].map(|player| player.control.clock());
    let controls = Controls { black: clocks[0], white: clocks[1] };
    let has_clock = clocks.iter().any(|clock| !clock.is_unlimited());
    Header {
        black: Some(black.name.clone()),
        white: Some(white.name.clone()),
        event: Some("kyomi match".to_owned()),
        start_time: Some(began),
        controls: has_clock.then_some(controls),
        max_moves: settings.rules.max_moves,
        jishogi: settings.rules.declaration.then_some(JishogiRule::Points27),
        comments: [black, white]
            .map(|player| format!("{}: {} ({})", player.name, player.text, player.control))
            .to_vec(),
        ..Header::default()
    }
}

/// Ends that the format has no word for are written as decided; the comment says why.
fn end_kind(reason: EndReason, outcome: Outcome) -> EndKind {
    let decided = match outcome {
        Outcome::Black => Winner::Side(Color::Black),
        Outcome::White => Winner::Side(Color::White),
        Outcome::Draw => Winner::Draw,
    };
    let loser = if outcome == Outcome::Black { Color::White } else { Color::Black };
    match reason {
        EndReason::Mate => EndKind::Mate,
        EndReason::Resignation => EndKind::Resign,
        EndReason::Declaration => EndKind::Declaration,
        EndReason::Repetition => EndKind::Sennichite,
        EndReason::PerpetualCheck => EndKind::IllegalAction(loser),
        EndReason::MaxMoves => EndKind::MaxMoves,
        EndReason::TimeLoss => EndKind::TimeUp,
        EndReason::IllegalMove | EndReason::IllegalDeclaration => EndKind::IllegalMove,
        EndReason::AgreedWin | EndReason::AgreedDraw | EndReason::Crash => {
            EndKind::Decided(decided)
        }
    }
}
