//! Writes the record of the running game, move by move.

use std::{iter::repeat, path::PathBuf, sync::Arc};

use crate::{
    archive::{Indexer, Journal, JournalError, PrivateFile},
    config::RecordsConfig,
};
use kyomi_csa::text::printable;
use kyomi_csa::{GameStart, GameSummary};
use kyomi_record::{End, Header, RecordMove, RecordTime};
use kyomi_shogi::Color;
use kyomi_shogi::clock::Controls;

use super::saved_game::save_offer;

/// Writes the journals of successive games.
///
/// Each write is a few dozen bytes, which the operating system has received when the call returns, so that a
/// later crash of the program cannot lose them.
#[derive(Debug)]
pub(super) struct RecordWriter {
    pub(super) settings: RecordsConfig,
    journal: Option<Journal>,
    /// The running game if its journal could not be created yet.
    unwritten: Option<Box<UnwrittenGame>>,
    /// The server's address and our name there, for games that a later process may continue.
    server: Option<(String, String)>,
    /// The offer of the running game.
    offer: Option<PrivateFile>,
    /// Whether a move of this game could not be written.
    failing: bool,
    /// Adds the finished records to the database.
    indexer: Option<Indexer>,
}

/// A game that is only in memory.
#[derive(Debug)]
struct UnwrittenGame {
    /// The number of the game in this run.
    number: u32,
    summary: Arc<GameSummary>,
    header: Header,
    moves: Vec<RecordMove>,
}

impl RecordWriter {
    /// A writer without a game. With the address of a server and our name there, the offers of running games are kept,
    /// so that a later process can continue them.
    pub(super) fn new(settings: RecordsConfig, server: Option<(String, String)>) -> Self {
        let indexer = settings.index.as_deref().map(|path| Indexer::start(path, &settings.dir));
        Self {
            settings,
            journal: None,
            unwritten: None,
            server,
            offer: None,
            failing: false,
            indexer,
        }
    }

    /// Continues the record of a game of an earlier process.
    pub(super) fn continue_record(&mut self, journal: Journal, offer: PrivateFile) {
        (self.journal, self.unwritten) = (Some(journal), None);
        (self.offer, self.failing) = (Some(offer), false);
    }

    /// Starts the journal of a game, with the moves of the offer. `number` is that of the game in this run, `at` the
    /// time of its start.
    ///
    /// # Errors
    /// The journal cannot be written now; [`Self::push`] and [`Self::finish`] try again.
    pub(super) fn start(
        &mut self,
        number: u32,
        start: &GameStart,
        at: RecordTime,
    ) -> Result<(), JournalError> {
        (self.journal, self.unwritten) = (None, None);
        self.failing = false;
        let summary = Arc::clone(&start.summary);
        let times = start.move_times.iter().copied().chain(repeat(None));
        let moves = summary.moves.iter().zip(times);
        let moves =
            moves.map(|(setup, time)| RecordMove { time, ..RecordMove::new(setup.mv) }).collect();
        let header = header(&summary, at);
        self.unwritten = Some(Box::new(UnwrittenGame { number, summary, header, moves }));
        self.create_journal().inspect_err(|_| self.failing = true)
    }

    /// Creates the journal of a game that has none yet, and writes what has been played.
    fn create_journal(&mut self) -> Result<(), JournalError> {
        let Some(game) = self.unwritten.take() else { return Ok(()) };
        let UnwrittenGame { number, summary, header, moves } = &*game;
        let created =
            Journal::create(&self.settings.dir, &self.settings.name, header, &summary.start);
        let mut journal = match created {
            Ok(journal) => journal,
            Err(error) => {
                self.unwritten = Some(game);
                return Err(error);
            }
        };
        // The journal keeps a move that it cannot write, and writes it at the end.
        let mut written = Ok(());
        for mv in moves {
            let done = journal.push(mv);
            written = written.and(done);
        }
        if let Some((address, name)) = &self.server {
            match save_offer(journal.path(), address, name, (*number, summary)) {
                Ok(offer) => self.offer = Some(offer),
                Err(error) => {
                    tracing::warn!(%error, "a killed client could not continue this game");
                }
            }
        }
        self.journal = Some(journal);
        written
    }

    /// Writes a move. A game without a journal gets one if that is possible now.
    ///
    /// # Errors
    /// The journal cannot be written now; [`Self::finish`] tries to write all of it. Only the first
    /// failure of a game is returned.
    pub(super) fn push(&mut self, written: RecordMove) -> Result<(), JournalError> {
        let done = match (&mut self.journal, &mut self.unwritten) {
            (Some(journal), _) => journal.push(&written),
            (None, Some(game)) => {
                game.moves.push(written);
                self.create_journal().inspect(|()| tracing::info!("the game is recorded now"))
            }
            (None, None) => Ok(()),
        };
        match done {
            Err(error) if !std::mem::replace(&mut self.failing, true) => Err(error),
            _ => Ok(()),
        }
    }

    /// Adds a comment to the last move, or to the header before the first one.
    pub(super) fn comment(&mut self, text: String) {
        if let Some(journal) = &mut self.journal {
            if let Err(error) = journal.comment(&text) {
                tracing::debug!(%error, "event not written");
            }
        } else if let Some(game) = &mut self.unwritten {
            match game.moves.last_mut() {
                Some(last) => last.comments.push(text),
                None => game.header.comments.push(text),
            }
        }
    }

    /// Finishes the record of the game, which ended at this time, and returns its path.
    ///
    /// # Errors
    /// The journal cannot be finished; it is recovered at the next start.
    pub(super) fn finish(
        &mut self,
        end: &End,
        at: RecordTime,
    ) -> Result<Option<PathBuf>, JournalError> {
        if let Some(offer) = self.offer.take() {
            offer.remove();
        }
        let created = self.create_journal();
        let Some(mut journal) = self.journal.take() else {
            self.unwritten = None;
            return created.map(|()| None);
        };
        journal.set_end_time(at);
        let path = journal.finish(end)?;
        if let Some(indexer) = &self.indexer {
            indexer.add(&path);
        }
        Ok(Some(path))
    }
}

/// The header of the record, with the server's texts as they are shown: a viewer of the record may not clean them.
fn header(summary: &GameSummary, at: RecordTime) -> Header {
    let controls: Controls = summary.times;
    let text = |text: &str| Some(printable(text).into_owned());
    let mut header = Header {
        black: text(summary.name(Color::Black)),
        white: text(summary.name(Color::White)),
        event: text(&summary.game_id),
        start_time: Some(at),
        controls: Some(controls),
        max_moves: summary.max_moves,
        ..Header::default()
    };
    header.set_entering_king_rule(summary.entering_king());
    header
}
