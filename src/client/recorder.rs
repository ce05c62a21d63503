//! Writes the record of the running game, move by move.

use std::path::PathBuf;

use crate::{
    archive::{Indexer, Journal, JournalError, PrivateFile, open_folder},
    clock::Controls,
    config::RecordsConfig,
    csa::{EndEvent, GameStart, GameSummary, Interruption, MoveEvent, printable},
    record::{Analysis, BOOK_MOVE, End, Header, JishogiRule, RecordMove, RecordTime},
    shogi::{Color, Game},
    watch::Reports,
};

use super::{game_notes::GameNotes, saved_game::save_offer};

/// Writes the journals of successive games.
///
/// Each write is a few dozen bytes, which the operating system has received when the call returns, so that a
/// later crash of the program cannot lose them. That justifies the microseconds on the network thread.
#[derive(Debug)]
pub(super) struct GameRecorder {
    settings: Option<RecordsConfig>,
    journal: Option<Journal>,
    /// The server's address and our name there, for games that a later process may continue.
    server: Option<(String, String)>,
    /// The offer of the running game.
    offer: Option<PrivateFile>,
    /// Whether a move of this game could not be written.
    failing: bool,
    /// Adds the finished records to the database.
    indexer: Option<Indexer>,
    notes: GameNotes,
}

impl GameRecorder {
    /// Checks that records can be written, and converts the journals of a killed process into
    /// records.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub(super) fn open(settings: &RecordsConfig) -> Result<Self, JournalError> {
        open_folder(&settings.dir)?;
        let indexer = settings.index.as_deref().map(|path| Indexer::start(path, &settings.dir));
        Ok(Self { settings: Some(settings.clone()), indexer, ..Self::none() })
    }

    /// Keeps the offers of running games too, so that a later process can continue them on this server.
    pub(super) fn for_server(self, address: &str, name: &str) -> Self {
        Self { server: Some((address.to_owned(), name.to_owned())), ..self }
    }

    /// Adds the figures of the search and the events of these reports to the records, as comments.
    pub(super) fn with_notes(self, reports: Reports) -> Self {
        Self { notes: GameNotes::of(reports), ..self }
    }

    /// Continues the record of a game of an earlier process.
    pub(super) fn continue_record(&mut self, journal: Journal, offer: PrivateFile) {
        (self.journal, self.offer, self.failing) = (Some(journal), Some(offer), false);
    }

    /// A recorder that writes no records.
    pub(super) fn none() -> Self {
        Self {
            settings: None,
            journal: None,
            server: None,
            offer: None,
            failing: false,
            indexer: None,
            notes: GameNotes::default(),
        }
    }

    /// Starts the journal of a game, with the moves of the offer. `number` is that of the game in this run.
    ///
    /// # Errors
    /// The journal cannot be written; the game continues without it.
    pub(super) fn start(&mut self, number: u32, start: &GameStart) -> Result<(), JournalError> {
        self.journal = None;
        self.failing = false;
        self.notes.begin();
        let Some(settings) = &self.settings else { return Ok(()) };
        let summary = &start.summary;
        let header = header(summary);
        let mut journal = Journal::create(&settings.dir, &settings.name, &header, &summary.start)?;
        for setup in &summary.moves {
            journal.push(&RecordMove::new(setup.mv))?;
        }
        if let Some((address, name)) = &self.server {
            match save_offer(journal.path(), address, name, (number, summary)) {
                Ok(offer) => self.offer = Some(offer),
                Err(error) => {
                    tracing::warn!(%error, "a killed client could not continue this game");
                }
            }
        }
        self.journal = Some(journal);
        Ok(())
    }

    /// Writes a move. A move that the journal already contains (from the offer) is not written again.
    ///
    /// # Errors
    /// The journal cannot be written now; [`Self::finish`] tries to write all of it. Only the first
    /// failure of a game is returned.
    pub(super) fn push(&mut self, event: &MoveEvent) -> Result<(), JournalError> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        if journal.record().moves.len() as u64 >= u64::from(event.ply) {
            return Ok(());
        }
        // Events before this move become comments on the previous one.
        for event in self.notes.events() {
            if let Err(error) = journal.comment(&event) {
                tracing::debug!(%error, "event not written");
            }
        }
        let mut written = RecordMove::timed(event.mv, event.spent);
        written.analysis = event.analysis.as_ref().map(|analysis| Analysis {
            score: analysis.score,
            pv: analysis.pv.clone(),
            nodes: analysis.nodes,
            depth: analysis.depth,
            ..Analysis::default()
        });
        let search = self.notes.search(event.color, event.ply);
        if event.analysis.as_ref().is_some_and(|analysis| analysis.from_book) {
            written.comments.push(BOOK_MOVE.to_owned());
        }
        written.comments.extend(event.own_turn.map(|turn| turn.to_string()));
        written.comments.extend(search.filter(|_| event.analysis.is_some()));
        match journal.push(&written) {
            Err(error) if !std::mem::replace(&mut self.failing, true) => Err(error),
            _ => Ok(()),
        }
    }

    /// Finishes the record of the game and returns its path.
    ///
    /// # Errors
    /// The journal cannot be finished; it is recovered at the next start.
    pub(super) fn finish(&mut self, end: &EndEvent) -> Result<Option<PathBuf>, JournalError> {
        if let Some(offer) = self.offer.take() {
            offer.remove();
        }
        let Some(mut journal) = self.journal.take() else { return Ok(None) };
        journal.set_end_time(RecordTime::from_zoned(&jiff::Zoned::now()));
        let mut last = End::of(&end.end);
        last.time = end.spent;
        if !end.lines.is_empty() {
            last.comments.push(format!("server: {}", end.lines.join(" ")));
        }
        last.comments.extend(end.own_turn.map(|turn| turn.to_string()));
        last.comments.extend(end.interruption.as_deref().map(interruption));
        last.comments.extend(self.notes.events());
        let path = journal.finish(&last)?;
        if let Some(indexer) = &self.indexer {
            indexer.add(&path);
        }
        Ok(Some(path))
    }
}

/// Why the game was interrupted, who was to move, and the time that both sides had left.
fn interruption(interruption: &Interruption) -> String {
    let Interruption { we_left, clocks } = interruption;
    let why = if *we_left { "left by the user" } else { "connection lost" };
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

/// The header of the record, with the server's texts as they are shown: a viewer of the record may not clean them.
fn header(summary: &GameSummary) -> Header {
    let controls: Controls = summary.times;
    let text = |text: &str| Some(printable(text).into_owned());
    Header {
        black: text(summary.name(Color::Black)),
        white: text(summary.name(Color::White)),
        event: text(&summary.game_id),
        start_time: Some(RecordTime::from_zoned(&jiff::Zoned::now())),
        controls: Some(controls),
        max_moves: summary.max_moves,
        jishogi: summary.has_declaration().then_some(JishogiRule::Points27),
        ..Header::default()
    }
}

/// The game after the moves of the offer.
pub(super) fn game_of(summary: &GameSummary) -> Game {
    summary.game().unwrap_or_else(|_| Game::new(summary.start.clone()))
}
