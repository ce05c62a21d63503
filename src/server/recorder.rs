//! Keeps the records of all games, on a thread of its own: a disk may be slow, a clock may not.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::{mpsc, oneshot};

use crate::archive::{Journal, JournalError, Recovered, recover};
use crate::config::{DeclarationRule, RulesConfig};
use crate::record::csa::read_engine_comment;
use crate::record::{
    End as RecordEnd, EndKind, Header, JishogiRule, Record, RecordMove, RecordTime,
};
use crate::shogi::{Color, Move, Position};

use super::judge::{End, Reason};
use super::lobby::{GameHeader, RecordEvent, TableId};
use super::{Notice, ServerError};

/// The way to the thread that writes.
///
/// The channel holds [`BACKLOG`] events; were the disk ever so far behind, the games would wait
/// for it rather than go unrecorded.
#[derive(Debug)]
pub(super) struct Recorder {
    orders: mpsc::Sender<Order>,
    done: oneshot::Receiver<()>,
    writes: bool,
    /// A word that has not come in time: the disk is slow, and nobody waits for it until it comes.
    overdue: Option<oneshot::Receiver<()>>,
}

/// What the thread is told.
#[derive(Debug)]
enum Order {
    Event(TableId, Box<RecordEvent>),
    /// Say so when everything before is written.
    Tell(oneshot::Sender<()>),
}

impl Recorder {
    /// Starts the thread. Without `dir` nothing is written, but `notices` are given.
    pub(super) fn start(
        dir: Option<PathBuf>,
        rules: RulesConfig,
        notices: Option<mpsc::Sender<Notice>>,
    ) -> std::io::Result<Self> {
        let (orders, mut inbox) = mpsc::channel(BACKLOG);
        let (finished, done) = oneshot::channel();
        let writes = dir.is_some();
        std::thread::Builder::new().name("kyomi-records".to_owned()).spawn(move || {
            let mut clerk = Clerk { dir, rules, notices, games: HashMap::new() };
            while let Some(order) = inbox.blocking_recv() {
                match order {
                    Order::Event(table, event) => clerk.take(table, *event),
                    Order::Tell(asked) => {
                        // Whoever asked may have given up.
                        let _ = asked.send(());
                    }
                }
            }
            let _ = finished.send(());
        })?;
        Ok(Self { orders, done, writes, overdue: None })
    }

    /// Hands over one event.
    pub(super) async fn record(&self, table: TableId, event: RecordEvent) {
        self.order(Order::Event(table, Box::new(event))).await;
    }

    /// Waits until all events so far are written, so that what players see is on record even if
    /// we are killed the moment after. A slow disk is waited for once, for [`PATIENCE`], and not
    /// again before it has caught up.
    pub(super) async fn settle(&mut self) {
        if !self.writes {
            return;
        }
        if let Some(overdue) = &mut self.overdue {
            if matches!(overdue.try_recv(), Err(oneshot::error::TryRecvError::Empty)) {
                return;
            }
            self.overdue = None;
        }
        let (asked, mut answer) = oneshot::channel();
        self.order(Order::Tell(asked)).await;
        if tokio::time::timeout(PATIENCE, &mut answer).await.is_err() {
            tracing::warn!("records are written slowly; the games do not wait for them");
            self.overdue = Some(answer);
        }
    }

    async fn order(&self, order: Order) {
        if self.orders.send(order).await.is_err() {
            tracing::error!("the thread that keeps the records is gone");
        }
    }

    /// Waits until everything is written.
    pub(super) async fn finish(self) {
        drop(self.orders);
        // An error means that the thread is gone, which is as finished as it gets.
        let _ = self.done.await;
    }
}

/// Makes the folder, sees that it can be written, and turns journals of a server that was killed
/// into records.
pub(super) fn prepare(dir: &Path) -> Result<(), ServerError> {
    let fault = |source| ServerError::Records { dir: dir.to_owned(), source };
    std::fs::create_dir_all(dir).map_err(fault)?;
    let probe = dir.join(format!(".kyomi-{}.tmp", std::process::id()));
    std::fs::write(&probe, b"").map_err(fault)?;
    std::fs::remove_file(&probe).map_err(fault)?;
    match recover(dir) {
        Ok(found) => {
            for journal in found {
                match journal {
                    Recovered::Record { path, moves } => {
                        tracing::warn!(path = %path.display(), moves, "interrupted game recovered");
                    }
                    Recovered::SetAside { path } => {
                        tracing::warn!(path = %path.display(), "unreadable journal set aside");
                    }
                }
            }
        }
        Err(error) => tracing::error!(%error, "journals of an earlier run were not recovered"),
    }
    Ok(())
}

/// The thread's own part.
struct Clerk {
    dir: Option<PathBuf>,
    rules: RulesConfig,
    notices: Option<mpsc::Sender<Notice>>,
    games: HashMap<TableId, Entry>,
}

/// A game that runs.
struct Entry {
    game_id: String,
    names: [String; 2],
    /// Behind the last move.
    position: Position,
    pages: Pages,
    /// Whether a failed write was told; one line in the log is enough.
    is_faulty: bool,
}

/// Where a game is kept. A disk that fails for a while costs nothing: all is in memory too, and
/// written at the end.
enum Pages {
    /// No records are wanted.
    None,
    Journal(Box<Journal>),
    /// The journal could not be begun.
    Memory(Box<Record>),
}

impl Clerk {
    fn take(&mut self, table: TableId, event: RecordEvent) {
        match event {
            RecordEvent::Begin(header) => self.begin(table, *header),
            RecordEvent::Move { mv, spent, comment } => self.push(table, mv, spent, comment),
            RecordEvent::End { end, offence, spent, plies, at } => {
                self.end(table, (end, offence), spent, plies, at);
            }
        }
    }

    fn begin(&mut self, table: TableId, game: GameHeader) {
        let header = self.header(&game);
        let begun = |dir| Journal::create(dir, FILE_NAME, &header, &game.start);
        let (pages, is_faulty) = match self.dir.as_deref().map(begun) {
            None => (Pages::None, false),
            Some(Ok(journal)) => (Pages::Journal(Box::new(journal)), false),
            Some(Err(error)) => {
                tracing::error!(game = game.game_id, %error, "no record before the game's end");
                (Pages::Memory(Box::new(Record::new(header, game.start.clone()))), true)
            }
        };
        let GameHeader { game_id, names, start: position, .. } = game;
        let [black, white] = names.clone();
        self.tell(Notice::Started { game_id: game_id.clone(), black, white });
        self.games.insert(table, Entry { game_id, names, position, pages, is_faulty });
    }

    fn header(&self, game: &GameHeader) -> Header {
        let [black, white] = game.names.clone();
        Header {
            black: Some(black),
            white: Some(white),
            event: Some(game.game_id.clone()),
            start_time: Some(record_time(game.began)),
            controls: Some(game.controls),
            max_moves: Some(game.max_moves).filter(|limit| *limit > 0),
            jishogi: (self.rules.declaration == DeclarationRule::Points27)
                .then_some(JishogiRule::Points27),
            ..Header::default()
        }
    }

    fn push(&mut self, table: TableId, mv: Move, spent: Duration, comment: Option<String>) {
        let Some(entry) = self.games.get_mut(&table) else { return };
        // On the wire an evaluation begins with one asterisk, in a record with two. Any other text
        // has a blank in front, so that it is no key of the header when it is read back.
        let comment = comment.map(|text| match text.strip_prefix('*') {
            Some(_) => format!("*{text}"),
            None => format!(" {}", text.trim_start()),
        });
        let mut made = RecordMove::timed(mv, spent);
        // Always so: an illegal move is none for the record.
        if entry.position.is_legal(mv) {
            made.analysis =
                comment.as_ref().and_then(|text| read_engine_comment(text, &entry.position, mv));
            entry.position.do_move(mv);
        }
        if made.analysis.is_none() {
            made.comments.extend(comment);
        }
        entry.push(made);
    }

    fn end(
        &mut self,
        table: TableId,
        (end, offence): (End, Option<String>),
        spent: Option<Duration>,
        plies: usize,
        at: Timestamp,
    ) {
        let Some(entry) = self.games.remove(&table) else { return };
        if let Some(line) = &offence {
            tracing::info!(game = entry.game_id, line, "illegal move");
        }
        let offence = offence.map(|line| format!("illegal move: {line}"));
        let comments = remark(end).map(str::to_owned).into_iter().chain(offence).collect();
        let kind = end_kind(end);
        let reason = end.reason_line().trim_start_matches('#');
        let record_end = RecordEnd { kind, time: spent, comments };
        let finished = match (entry.pages, self.dir.as_deref()) {
            (Pages::Journal(journal), _) => Some(finish(*journal, &record_end, at)),
            (Pages::Memory(record), Some(dir)) => {
                let journal = rewrite(dir, &record);
                Some(journal.and_then(|journal| finish(journal, &record_end, at)))
            }
            (Pages::None | Pages::Memory(_), _) => None,
        };
        let record = finished.and_then(|finished| {
            finished
                .inspect_err(
                    |error| tracing::error!(game = entry.game_id, %error, "record not finished"),
                )
                .ok()
        });
        let result = match (end.winner, end.reason) {
            (Some(Color::Black), _) => "black",
            (Some(Color::White), _) => "white",
            (None, Reason::Aborted) => "none",
            (None, _) => "draw",
        };
        tracing::info!(game = entry.game_id, result, reason, plies, "ended");
        let [black, white] = entry.names;
        let game_id = entry.game_id;
        self.tell(Notice::Ended { game_id, black, white, result, reason, plies, record });
    }

    fn tell(&self, notice: Notice) {
        if let Some(notices) = &self.notices {
            // A full channel misses some, as its owner was told.
            let _ = notices.try_send(notice);
        }
    }
}

impl Entry {
    fn push(&mut self, record_move: RecordMove) {
        let pushed = match &mut self.pages {
            Pages::None => Ok(()),
            // What cannot be written now is kept and written at the end.
            Pages::Journal(journal) => journal.push(&record_move),
            Pages::Memory(record) => {
                record.moves.push(record_move);
                Ok(())
            }
        };
        if let Err(error) = pushed
            && !self.is_faulty
        {
            tracing::error!(game = self.game_id, %error, "the record waits for the game's end");
            self.is_faulty = true;
        }
    }
}

/// The journal of a game that was kept in memory alone.
fn rewrite(dir: &Path, record: &Record) -> Result<Journal, JournalError> {
    let mut journal = Journal::create(dir, FILE_NAME, &record.header, &record.start)?;
    for record_move in &record.moves {
        match journal.push(record_move) {
            // It has the move nevertheless, and finishing tries once more.
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

/// The end word of a record.
fn end_kind(end: End) -> EndKind {
    match (end.reason, end.winner) {
        (Reason::Resign | Reason::Disconnected, _) => EndKind::Resign,
        (Reason::TimeUp, _) => EndKind::TimeUp,
        (Reason::IllegalMove | Reason::WrongDeclaration, _) => EndKind::IllegalMove,
        (Reason::IllegalAction | Reason::Deserted | Reason::OuteSennichite, Some(winner)) => {
            EndKind::IllegalAction(!winner)
        }
        (Reason::Sennichite, _) => EndKind::Sennichite,
        (Reason::Jishogi, _) => EndKind::Declaration,
        (Reason::MaxMoves, _) => EndKind::MaxMoves,
        (Reason::IllegalAction | Reason::Deserted | Reason::OuteSennichite, None)
        | (Reason::Aborted, _) => EndKind::Interrupted,
    }
}

/// What the end word alone does not tell.
fn remark(end: End) -> Option<&'static str> {
    match end.reason {
        Reason::Disconnected | Reason::Deserted => Some("connection lost"),
        Reason::WrongDeclaration => Some("wrong declaration"),
        Reason::OuteSennichite => Some("perpetual check"),
        Reason::Aborted => Some("ended by the server"),
        _ => None,
    }
}

fn record_time(at: Timestamp) -> RecordTime {
    RecordTime::from_zoned(&at.to_zoned(TimeZone::system()))
}

/// How long a move may wait until it is on record.
const PATIENCE: Duration = Duration::from_millis(250);

/// Events that may wait to be written.
const BACKLOG: usize = 16 * 1024;

const FILE_NAME: &str = "{datetime}_{black}_{white}";
