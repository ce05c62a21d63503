//! Writes the records of all games, on a separate thread: a slow disk must not delay the clocks.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio_util::sync::CancellationToken;

use crate::archive::{DiskPace, DiskThread, Journal, JournalError, PrivateFile};
use crate::watch::{Report, Watchers};
use kyomi_csa::server::{GameHeader, GameNumber, GameRules, RecordEvent, SavedGame, StoredGame};
use kyomi_csa::{MoveEvent, reason_line};
use kyomi_record::csa::read_engine_comment;
use kyomi_record::{self, End as RecordEnd, Record, RecordMove, RecordTime};
use kyomi_shogi::clock::GameClocks;
use kyomi_shogi::notation::csa;
use kyomi_shogi::{EndReason, Finding, Game, GameEnd, Move, Position};

use super::saved_game::{self, HeldGame};

/// The handle of the thread that writes the records.
#[derive(Debug)]
pub(super) struct Recorder {
    thread: DiskThread<Request>,
    writes: bool,
}

/// A request to the thread.
#[derive(Debug)]
enum Request {
    Event(GameNumber, Box<RecordEvent>),
    /// Continue the record of a game of a killed server.
    Restore(GameNumber, Box<HeldGame>),
}

impl Recorder {
    /// Starts the thread. Without `dir` nothing is written, but the games are reported to `watchers`.
    pub(super) fn start(
        dir: Option<PathBuf>,
        rules: GameRules,
        watchers: Option<Watchers>,
    ) -> std::io::Result<Self> {
        let writes = dir.is_some();
        let mut writer = RecordWriter { dir, rules, watchers, games: HashMap::new() };
        let thread = DiskThread::start("kyomi-records", move |request| match request {
            Request::Event(number, event) => writer.handle(number, *event),
            Request::Restore(number, held) => writer.restore(number, *held),
        })?;
        Ok(Self { thread, writes })
    }

    /// Queues one event.
    pub(super) async fn record(&mut self, number: GameNumber, event: RecordEvent) {
        self.thread.send(Request::Event(number, Box::new(event))).await;
    }

    /// Continues the record of a game of a killed server.
    pub(super) async fn restore(&mut self, number: GameNumber, held: HeldGame) {
        self.thread.send(Request::Restore(number, Box::new(held))).await;
    }

    /// Waits until all events so far are written, so that what players receive is recorded even if the server is
    /// killed immediately after. A disk that hangs is waited for once, for [`WRITE_LIMIT`].
    pub(super) async fn wait_until_written(&mut self) {
        if self.writes && self.thread.wait(WRITE_LIMIT).await == DiskPace::Hangs {
            tracing::warn!("records are written slowly; the games do not wait for them");
        }
    }

    /// Waits until everything is written. Whoever ends the running games as well waits for a moment only.
    pub(super) async fn finish(mut self, abort: &CancellationToken) {
        if self.thread.wait(WRITE_LIMIT).await != DiskPace::UpToDate {
            tracing::warn!(
                "waiting for the disk of the records; another Ctrl-C ends the server without it"
            );
        }
        let end_of_patience = async {
            abort.cancelled().await;
            tokio::time::sleep(FINISH_LIMIT).await;
        };
        let is_written = tokio::select! {
            is_written = self.thread.finish() => is_written,
            () = end_of_patience => false,
        };
        if !is_written {
            tracing::warn!("the last moves may be missing in the records");
        }
    }
}

/// The state of the writing thread.
struct RecordWriter {
    dir: Option<PathBuf>,
    rules: GameRules,
    watchers: Option<Watchers>,
    games: HashMap<GameNumber, RecordedGame>,
}

/// A running game.
struct RecordedGame {
    game_id: String,
    /// Number of moves so far.
    plies: u32,
    /// The position after the last move.
    position: Position,
    game_clocks: GameClocks,
    storage: Storage,
    /// The file that the next process needs to restore the game if the server is killed.
    saved: Option<PrivateFile>,
    /// Whether a failed write was already logged.
    is_faulty: bool,
}

/// Where a record is stored. If the disk fails for a while, nothing is lost: the journal keeps everything in
/// memory and writes it at the end.
enum Storage {
    /// No records are written.
    None,
    Journal(Box<Journal>),
    /// The journal could not be created.
    Memory(Box<Record>),
}

impl RecordWriter {
    fn handle(&mut self, number: GameNumber, event: RecordEvent) {
        match event {
            RecordEvent::Begin(header) => self.begin(number, *header),
            RecordEvent::Move { mv, spent, comment } => {
                self.push(number, mv, spent, comment.as_deref());
            }
            RecordEvent::ClockStopped => self.clock_stopped(number),
            RecordEvent::ClockRuns => self.clock_runs(number),
            RecordEvent::End { end, illegal_line, spent, plies, at } => {
                self.end(number, (end, illegal_line), spent, plies, at);
            }
        }
    }

    fn begin(&mut self, number: GameNumber, game: GameHeader) {
        let header = game.record_header(&self.rules);
        let begun = |dir| {
            let mut journal = Journal::create(dir, FILE_NAME, &header, &game.start)?;
            for mv in &game.setup {
                match journal.push(mv) {
                    Ok(()) | Err(JournalError::Write { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(journal)
        };
        let (storage, is_faulty) = match self.dir.as_deref().map(begun) {
            None => (Storage::None, false),
            Some(Ok(journal)) => (Storage::Journal(Box::new(journal)), false),
            Some(Err(error)) => {
                tracing::error!(game = game.game_id, %error, "the record is written at the end of the game");
                let mut record = Record::new(header, game.start.clone());
                record.moves.clone_from(&game.setup);
                (Storage::Memory(Box::new(record)), true)
            }
        };
        let GameHeader { game_id, names, start, setup, saved, .. } = game;
        let saved = match (&storage, saved) {
            (Storage::Journal(journal), Some(saved)) => save(journal.path(), &saved),
            _ => None,
        };
        let mut begun = Game::new(start);
        for made in &setup {
            // The lobby has checked the moves.
            if begun.push(made.mv).is_err() {
                break;
            }
        }
        let position = begun.position().clone();
        let plies = begun.len() as u32;
        let game_clocks = GameClocks::new(game.controls, position.side_to_move());
        self.report(|| Report::GameStarted {
            number: number.0,
            game_id: game_id.clone(),
            names,
            own: None,
            game: Arc::new(begun),
            move_times: setup.iter().map(|made| made.time).collect(),
            clocks: *game_clocks.clocks(),
            continued: false,
        });
        let entry =
            RecordedGame { game_id, plies, position, game_clocks, storage, saved, is_faulty };
        self.games.insert(number, entry);
    }

    fn restore(&mut self, number: GameNumber, held: HeldGame) {
        let HeldGame { stored: StoredGame { summary, played, .. }, journal, file } = held;
        let moves = journal.record().moves.iter().take(summary.moves.len() + played.len());
        let move_times = moves.map(|made| made.time).collect();
        let Ok(mut game) = summary.game() else { return };
        let mut game_clocks = GameClocks::new(summary.times, game.position().side_to_move());
        for (mv, spent) in played {
            game_clocks.charge(game.position().side_to_move(), Some(spent), spent);
            // The lobby has checked the moves.
            if game.push(mv).is_err() {
                break;
            }
        }
        let entry = RecordedGame {
            game_id: summary.game_id.clone(),
            plies: game.len() as u32,
            position: game.position().clone(),
            game_clocks,
            storage: Storage::Journal(Box::new(journal)),
            saved: Some(file),
            is_faulty: false,
        };
        let clocks = *entry.game_clocks.clocks();
        self.games.insert(number, entry);
        self.report(|| Report::GameStarted {
            number: number.0,
            game_id: summary.game_id,
            names: summary.names,
            own: None,
            game: Arc::new(game),
            move_times,
            clocks,
            continued: true,
        });
        // No player has come back yet.
        self.clock_stopped(number);
    }

    fn clock_stopped(&self, number: GameNumber) {
        self.report(|| Report::Disconnected { number: number.0, reason: AWAY.to_owned() });
    }

    fn clock_runs(&self, number: GameNumber) {
        let Some(entry) = self.games.get(&number) else { return };
        let clocks = *entry.game_clocks.clocks();
        self.report(|| Report::Resumed { number: number.0, clocks });
    }

    fn push(&mut self, number: GameNumber, mv: Move, spent: Duration, comment: Option<&str>) {
        let Some(entry) = self.games.get_mut(&number) else { return };
        // In the protocol an evaluation comment begins with one asterisk, in a record with two. Any other text is
        // preceded by a blank, so that it is not taken for a header key when it is read back.
        let written = comment.map(|text| match text.strip_prefix('*') {
            Some(_) => format!("*{text}"),
            None => format!(" {}", text.trim_start()),
        });
        let mut made = RecordMove::timed(mv, spent);
        let mut moved = None;
        // Always true; an illegal move would not be recorded.
        if entry.position.is_legal(mv) {
            made.analysis =
                written.as_ref().and_then(|text| read_engine_comment(text, &entry.position, mv));
            moved = Some(entry.make(mv, spent, made.analysis.as_ref()));
        }
        if made.analysis.is_none() {
            made.comments.extend(written);
        }
        entry.push(made);
        let clocks = *entry.game_clocks.clocks();
        if let Some(event) = moved {
            let event = Box::new(event);
            self.report(|| Report::Moved { number: number.0, event, clocks });
        }
    }

    fn end(
        &mut self,
        number: GameNumber,
        (end, illegal_line): (GameEnd, Option<String>),
        spent: Option<Duration>,
        plies: usize,
        at: Timestamp,
    ) {
        let Some(entry) = self.games.remove(&number) else { return };
        if let Some(line) = &illegal_line {
            tracing::info!(game = entry.game_id, line, "illegal move");
        }
        let illegal_line = illegal_line.map(|line| format!("illegal move: {line}"));
        let mut record_end = RecordEnd { time: spent, ..RecordEnd::of(&end) };
        record_end.comments.extend(illegal_line);
        if end.reason == EndReason::Interrupted {
            record_end.comments.push(NOT_BACK.to_owned());
        }
        let reason = reason_line(&end).trim_start_matches('#');
        let finished = match (entry.storage, self.dir.as_deref()) {
            (Storage::Journal(journal), _) => Some(finish(*journal, &record_end, at)),
            (Storage::Memory(record), Some(dir)) => {
                let journal = rewrite(dir, &record);
                Some(journal.and_then(|journal| finish(journal, &record_end, at)))
            }
            (Storage::None | Storage::Memory(_), _) => None,
        };
        if let Some(saved) = entry.saved {
            saved.remove();
        }
        let record = finished.and_then(|finished| {
            finished
                .inspect_err(
                    |error| tracing::error!(game = entry.game_id, %error, "record not finished"),
                )
                .ok()
        });
        let result = end.result_word();
        tracing::info!(game = entry.game_id, result, reason, plies, "ended");
        self.report(|| Report::GameEnded { number: number.0, end, record });
    }

    fn report(&self, report: impl FnOnce() -> Report) {
        if let Some(watchers) = &self.watchers {
            watchers.report(report());
        }
    }
}

impl RecordedGame {
    /// Makes a legal move on the board and on the clocks.
    fn make(
        &mut self,
        mv: Move,
        spent: Duration,
        analysis: Option<&kyomi_record::Analysis>,
    ) -> MoveEvent {
        let color = self.position.side_to_move();
        let word = csa::format_move(&self.position, mv);
        self.position.do_move(mv);
        self.plies = self.plies.saturating_add(1);
        let charge = self.game_clocks.charge(color, Some(spent), spent);
        let is_unlimited = self.game_clocks.clocks().of(color).control.is_unlimited();
        MoveEvent {
            ply: self.plies,
            mv,
            word,
            color,
            spent,
            measured: spent,
            remaining: (!is_unlimited).then_some(charge.remaining),
            // It is in the record. Each watcher would keep a copy.
            comment: None,
            own_turn: None,
            analysis: analysis.cloned().map(Finding::from),
        }
    }

    fn push(&mut self, record_move: RecordMove) {
        let pushed = match &mut self.storage {
            Storage::None => Ok(()),
            // A move that cannot be written now is kept and written at the end.
            Storage::Journal(journal) => journal.push(&record_move),
            Storage::Memory(record) => {
                record.moves.push(record_move);
                Ok(())
            }
        };
        if let Err(error) = pushed
            && !self.is_faulty
        {
            tracing::error!(game = self.game_id, %error, "the record is written at the end of the game");
            self.is_faulty = true;
        }
    }
}

/// Creates the journal of a game that was stored only in memory.
fn rewrite(dir: &Path, record: &Record) -> Result<Journal, JournalError> {
    let mut journal = Journal::create(dir, FILE_NAME, &record.header, &record.start)?;
    for record_move in &record.moves {
        match journal.push(record_move) {
            // The journal keeps the move, and finishing tries to write it again.
            Ok(()) | Err(JournalError::Write { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(journal)
}

fn finish(mut journal: Journal, end: &RecordEnd, at: Timestamp) -> Result<PathBuf, JournalError> {
    journal.set_end_time(record_time(at));
    journal.finish(end)
}

/// Stores the data that the next process needs to restore a game if the server is killed.
fn save(journal: &Path, saved: &SavedGame) -> Option<PrivateFile> {
    saved_game::write(saved, journal)
        .inspect_err(|error| {
            tracing::warn!(%error, "a killed server could not go on with this game");
        })
        .ok()
}

fn record_time(at: Timestamp) -> RecordTime {
    RecordTime::from_zoned(&at.to_zoned(TimeZone::system()))
}

/// The longest time for which a move waits until it is recorded.
const WRITE_LIMIT: Duration = Duration::from_millis(250);

/// The longest time for which the end of a server that ends its running games waits for the disk.
const FINISH_LIMIT: Duration = Duration::from_secs(3);

/// The reason that watchers are told when the clock of a restored game is stopped.
const AWAY: &str = "the server was started again; the side to move is not back";

/// The comment of a restored game to which a player did not come back.
const NOT_BACK: &str = "interrupted: the server was started again, and a player did not come back";

const FILE_NAME: &str = "{datetime}_{black}_{white}";
