//! Keeps the records of all games, on a thread of its own: a disk may be slow, a clock may not.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::{mpsc, oneshot};

use crate::archive::{Journal, JournalError};
use crate::clock::Ledger;
use crate::config::{DeclarationRule, RulesConfig};
use crate::csa::{Analysis, MoveEvent, reason_line};
use crate::record::csa::read_engine_comment;
use crate::record::{self, End as RecordEnd, Header, JishogiRule, Record, RecordMove, RecordTime};
use crate::shogi::notation::csa;
use crate::shogi::{Game, GameEnd, Move, Position};
use crate::watch::{Report, Watchers};

use super::lobby::{GameHeader, RecordEvent, TableId};

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
    /// Starts the thread. Without `dir` nothing is written, but the games are reported to `watchers`.
    pub(super) fn start(
        dir: Option<PathBuf>,
        rules: RulesConfig,
        watchers: Option<Watchers>,
    ) -> std::io::Result<Self> {
        let (orders, mut inbox) = mpsc::channel(BACKLOG);
        let (finished, done) = oneshot::channel();
        let writes = dir.is_some();
        std::thread::Builder::new().name("kyomi-records".to_owned()).spawn(move || {
            let mut clerk = Clerk { dir, rules, watchers, games: HashMap::new() };
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

/// The thread's own part.
struct Clerk {
    dir: Option<PathBuf>,
    rules: RulesConfig,
    watchers: Option<Watchers>,
    games: HashMap<TableId, Entry>,
}

/// A game that runs.
struct Entry {
    game_id: String,
    /// Number of moves so far.
    plies: u32,
    /// Behind the last move.
    position: Position,
    ledger: Ledger,
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
        let first = position.side_to_move();
        let ledger = Ledger::new(game.controls, first);
        self.report(|| Report::GameStarted {
            number: table.0,
            game_id: game_id.clone(),
            names,
            own: None,
            game: Arc::new(Game::new(position.clone())),
            clocks: *ledger.clocks(),
        });
        let plies = 0;
        let entry = Entry { game_id, plies, position, ledger, pages, is_faulty };
        self.games.insert(table, entry);
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
        let written = comment.as_ref().map(|text| match text.strip_prefix('*') {
            Some(_) => format!("*{text}"),
            None => format!(" {}", text.trim_start()),
        });
        let mut made = RecordMove::timed(mv, spent);
        let mut moved = None;
        // Always so: an illegal move is none for the record.
        if entry.position.is_legal(mv) {
            made.analysis =
                written.as_ref().and_then(|text| read_engine_comment(text, &entry.position, mv));
            moved = Some(entry.make(mv, spent, comment, made.analysis.as_ref()));
        }
        if made.analysis.is_none() {
            made.comments.extend(written);
        }
        entry.push(made);
        let clocks = *entry.ledger.clocks();
        if let Some(event) = moved {
            let event = Box::new(event);
            self.report(|| Report::Moved { number: table.0, event, clocks });
        }
    }

    fn end(
        &mut self,
        table: TableId,
        (end, offence): (GameEnd, Option<String>),
        spent: Option<Duration>,
        plies: usize,
        at: Timestamp,
    ) {
        let Some(entry) = self.games.remove(&table) else { return };
        if let Some(line) = &offence {
            tracing::info!(game = entry.game_id, line, "illegal move");
        }
        let offence = offence.map(|line| format!("illegal move: {line}"));
        let mut record_end = RecordEnd { time: spent, ..RecordEnd::of(&end) };
        record_end.comments.extend(offence);
        let reason = reason_line(&end).trim_start_matches('#');
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
        let result = end.result_word();
        tracing::info!(game = entry.game_id, result, reason, plies, "ended");
        self.report(|| Report::GameEnded { number: table.0, end, record });
    }

    fn report(&self, report: impl FnOnce() -> Report) {
        if let Some(watchers) = &self.watchers {
            watchers.report(report());
        }
    }
}

impl Entry {
    /// Makes a legal move on the board and on the clocks.
    fn make(
        &mut self,
        mv: Move,
        spent: Duration,
        comment: Option<String>,
        analysis: Option<&record::Analysis>,
    ) -> MoveEvent {
        let color = self.position.side_to_move();
        let word = csa::format_move(&self.position, mv);
        self.position.do_move(mv);
        self.plies = self.plies.saturating_add(1);
        let charge = self.ledger.charge(color, Some(spent), spent);
        let is_unlimited = self.ledger.clocks().of(color).control.is_unlimited();
        MoveEvent {
            ply: self.plies,
            mv,
            word,
            color,
            spent,
            measured: spent,
            remaining: (!is_unlimited).then_some(charge.remaining),
            comment,
            analysis: analysis.map(seen),
        }
    }

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

/// What a player said of its move, for watchers.
fn seen(analysis: &record::Analysis) -> Analysis {
    Analysis {
        score: analysis.score,
        pv: analysis.pv.clone(),
        depth: analysis.depth,
        nodes: analysis.nodes,
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
