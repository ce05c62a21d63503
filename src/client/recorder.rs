//! The record of the running game: what goes into it, and how long the game waits until it is written.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::{
    sync::{
        mpsc::{self, UnboundedReceiver, UnboundedSender},
        oneshot,
    },
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use crate::{
    archive::{DiskPace, DiskThread, Journal, JournalError, PrivateFile, open_folder},
    config::RecordsConfig,
    watch::Watchers,
};
use kyomi_csa::{EndEvent, GameStart, GameSummary, MoveEvent, Standstill, Unfinished};
use kyomi_record::{Analysis, BOOK_MOVE, End, RecordMove, RecordTime};
use kyomi_shogi::{Color, Game};

use super::{game_notes::GameNotes, record_writer::RecordWriter};

/// Passes what happens in a game to the thread that writes its record.
///
/// Each method returns when the system has received the text, so that a killed process loses nothing. A disk that hangs
/// is waited for once, for a moment: the game goes on, and its record is written when the disk answers again.
#[derive(Debug)]
pub(super) struct GameRecorder {
    /// `None`: no records are written.
    disk: Option<RecordDisk>,
    /// The number of moves in the record of the running game.
    plies: u64,
    notes: GameNotes,
}

#[derive(Debug)]
struct RecordDisk {
    thread: DiskThread<Order>,
    /// What could not be written, for the watchers.
    faults: UnboundedReceiver<String>,
    watchers: Watchers,
    /// Whether what the players reported of their searches goes into the records.
    comments: bool,
}

/// An order to the thread.
#[derive(Debug)]
enum Order {
    Start { number: u32, start: Arc<GameStart>, at: RecordTime },
    Continue(Box<(Journal, PrivateFile)>),
    Move(Box<RecordMove>),
    Comment(String),
    Finish { end: Box<End>, at: RecordTime, record: oneshot::Sender<Option<PathBuf>> },
}

impl GameRecorder {
    /// Checks that records can be written, and converts the journals of a killed process into records. With the address
    /// of a server and our name there, the offers of running games are kept too, so that a later process can continue
    /// them. The figures of the search and the events that `watchers` hear of go into the records as comments.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub(super) fn open(
        settings: &RecordsConfig,
        server: Option<(String, String)>,
        watchers: &Watchers,
    ) -> Result<Self, JournalError> {
        open_folder(&settings.dir)?;
        let mut writer = RecordWriter::new(settings.clone(), server);
        Self::started(settings.comments, watchers, move |order, faults| {
            carry_out(&mut writer, order, faults);
        })
    }

    /// A recorder whose thread calls `carry_out`.
    fn started(
        comments: bool,
        watchers: &Watchers,
        mut carry_out: impl FnMut(Order, &UnboundedSender<String>) + Send + 'static,
    ) -> Result<Self, JournalError> {
        let (fault, faults) = mpsc::unbounded_channel();
        let thread = DiskThread::start("kyomi-records", move |order| carry_out(order, &fault))
            .map_err(JournalError::Thread)?;
        let disk = RecordDisk { thread, faults, watchers: watchers.clone(), comments };
        Ok(Self { disk: Some(disk), plies: 0, notes: GameNotes::of(watchers.subscribe()) })
    }

    /// A recorder that writes no records.
    pub(super) fn none() -> Self {
        Self { disk: None, plies: 0, notes: GameNotes::default() }
    }

    /// Continues the record of a game of an earlier process.
    pub(super) async fn continue_record(&mut self, journal: Journal, offer: PrivateFile) {
        self.plies = journal.record().moves.len() as u64;
        if let Some(disk) = &mut self.disk {
            disk.thread.send(Order::Continue(Box::new((journal, offer)))).await;
        }
    }

    /// Starts the record of a game, with the moves of the offer. `number` is that of the game in this run.
    pub(super) async fn start(&mut self, number: u32, start: &Arc<GameStart>) {
        self.notes.begin();
        self.plies = start.summary.moves.len() as u64;
        if let Some(disk) = &mut self.disk {
            disk.thread.send(Order::Start { number, start: Arc::clone(start), at: now() }).await;
            disk.wait(WRITE_LIMIT).await;
        }
    }

    /// Records a move, unless it is one of the offer.
    pub(super) async fn push(&mut self, event: &MoveEvent) {
        let Some(disk) = &mut self.disk else { return };
        if self.plies >= u64::from(event.ply) {
            return;
        }
        // Events before this move become comments on the previous one.
        for event in self.notes.events() {
            disk.thread.send(Order::Comment(event)).await;
        }
        let mut played = RecordMove::timed(event.mv, event.spent);
        let reported = event.analysis.as_ref().filter(|_| disk.comments);
        played.analysis = reported.cloned().map(Analysis::from);
        let search = self.notes.search(event.color, event.ply);
        if event.analysis.as_ref().is_some_and(|analysis| analysis.from_book) {
            played.comments.push(BOOK_MOVE.to_owned());
        }
        played.comments.extend(event.own_turn.map(|turn| turn.to_string()));
        played.comments.extend(search.filter(|_| reported.is_some()));
        self.plies += 1;
        disk.thread.send(Order::Move(Box::new(played))).await;
        disk.wait(WRITE_LIMIT).await;
    }

    /// Finishes the record of the game, and returns its path if it is written.
    pub(super) async fn finish(&mut self, event: &EndEvent) -> Option<PathBuf> {
        let disk = self.disk.as_mut()?;
        let mut end = End::of(&event.end);
        end.time = event.spent;
        if !event.lines.is_empty() {
            end.comments.push(format!("server: {}", event.lines.join(" ")));
        }
        end.comments.extend(event.own_turn.map(|turn| turn.to_string()));
        if let Some(own) = event.analysis.as_ref().filter(|_| disk.comments) {
            end.note_search(&own.clone().into());
        }
        end.comments.extend(event.unfinished.as_deref().map(unfinished));
        end.comments.extend(self.notes.events());
        let (record, mut written) = oneshot::channel();
        disk.thread.send(Order::Finish { end: Box::new(end), at: now(), record }).await;
        disk.wait(FINISH_LIMIT).await;
        written.try_recv().ok().flatten()
    }

    /// Waits until everything is written, or until the user leaves. One who has left waits for a moment only.
    pub(super) async fn close(&mut self, leave: &CancellationToken) {
        let Some(mut disk) = self.disk.take() else { return };
        let has_left = leave.is_cancelled();
        if !disk.wait(WRITE_LIMIT).await {
            disk.watchers.warn(WAITING.to_owned());
        }
        let is_written = tokio::select! {
            is_written = disk.thread.finish() => is_written,
            () = leave.cancelled(), if !has_left => false,
            () = sleep(FINISH_LIMIT), if has_left => false,
        };
        if !is_written {
            tracing::warn!("the last moves may be missing in the record");
        }
    }
}

impl RecordDisk {
    /// Waits until everything is written, at most this long, and returns whether it is.
    async fn wait(&mut self, limit: Duration) -> bool {
        let pace = self.thread.wait(limit).await;
        if pace == DiskPace::Hangs {
            self.watchers.warn(HANGS.to_owned());
        }
        while let Ok(fault) = self.faults.try_recv() {
            self.watchers.warn(fault);
        }
        pace == DiskPace::UpToDate
    }
}

fn carry_out(writer: &mut RecordWriter, order: Order, faults: &UnboundedSender<String>) {
    let fault = |text| {
        // The receiver may be gone.
        let _ = faults.send(text);
    };
    match order {
        Order::Start { number, start, at } => {
            if let Err(error) = writer.start(number, &start, at) {
                fault(format!(
                    "this game is not recorded yet: {error}; it is tried again at each move"
                ));
            }
        }
        Order::Continue(game) => writer.continue_record(game.0, game.1),
        Order::Move(played) => {
            if let Err(error) = writer.push(*played) {
                fault(format!("the record of this game is in danger: {error}"));
            }
        }
        Order::Comment(text) => writer.comment(text),
        Order::Finish { end, at, record } => {
            let path = writer.finish(&end, at).unwrap_or_else(|error| {
                fault(format!("the record is not finished: {error}"));
                None
            });
            let _ = record.send(path);
        }
    }
}

/// Why the game did not go on, who was to move, and the time that both sides had left.
fn unfinished(unfinished: &Unfinished) -> String {
    let Unfinished { why, clocks } = unfinished;
    let why = match why {
        Standstill::Disconnected => "connection lost",
        Standstill::Left => "left by the user",
        Standstill::Suspended => "suspended",
    };
    let left = |color| {
        let clock = clocks.of(color);
        if clock.control.is_unlimited() {
            return format!("{color} without a clock");
        }
        format!("{color} {:.1} s left", clock.remaining.as_secs_f64())
    };
    let turn = clocks.turn;
    format!("{why}, {turn} to move, {}, {}", left(Color::Black), left(Color::White))
}

/// The game after the moves of the offer.
pub(super) fn game_of(summary: &GameSummary) -> Game {
    summary.game().unwrap_or_else(|_| Game::new(summary.start.clone()))
}

fn now() -> RecordTime {
    RecordTime::from_zoned(&jiff::Zoned::now())
}

const HANGS: &str = "the disk of the records does not answer; games go on, and what it missed is written when it \
                     answers again";

const WAITING: &str =
    "waiting for the disk of the records; another Ctrl-C ends the program without it";

/// The longest time for which a game waits until a move is recorded. Its clock may run.
const WRITE_LIMIT: Duration = Duration::from_millis(250);

/// The same for the whole record, when no clock runs: a slow disk needs more time to finish a file.
const FINISH_LIMIT: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests;
