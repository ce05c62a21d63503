//! Writes the record of the running game, move by move.

use std::{iter::repeat, path::PathBuf, sync::Arc};

use crate::{
    archive::{Indexer, Journal, JournalError, PrivateFile, open_folder},
    config::RecordsConfig,
    watch::Reports,
};
use kyomi_csa::text::printable;
use kyomi_csa::{self, EndEvent, GameStart, GameSummary, MoveEvent, Standstill, Unfinished};
use kyomi_record::{Analysis, BOOK_MOVE, End, Header, RecordMove, RecordTime};
use kyomi_shogi::clock::Controls;
use kyomi_shogi::{Color, Game};

use super::{game_notes::GameNotes, saved_game::save_offer};

/// Writes the journals of successive games.
///
/// Each write is a few dozen bytes, which the operating system has received when the call returns, so that a
/// later crash of the program cannot lose them. That justifies the microseconds on the network thread.
#[derive(Debug)]
pub(super) struct GameRecorder {
    settings: Option<RecordsConfig>,
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
    notes: GameNotes,
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
        (self.journal, self.unwritten) = (Some(journal), None);
        (self.offer, self.failing) = (Some(offer), false);
    }

    /// A recorder that writes no records.
    pub(super) fn none() -> Self {
        Self {
            settings: None,
            journal: None,
            unwritten: None,
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
    /// The journal cannot be written now; [`Self::push`] and [`Self::finish`] try again.
    pub(super) fn start(&mut self, number: u32, start: &GameStart) -> Result<(), JournalError> {
        (self.journal, self.unwritten) = (None, None);
        self.failing = false;
        self.notes.begin();
        if self.settings.is_none() {
            return Ok(());
        }
        let summary = Arc::clone(&start.summary);
        let times = start.move_times.iter().copied().chain(repeat(None));
        let moves = summary.moves.iter().zip(times);
        let moves =
            moves.map(|(setup, time)| RecordMove { time, ..RecordMove::new(setup.mv) }).collect();
        let header = header(&summary);
        self.unwritten = Some(Box::new(UnwrittenGame { number, summary, header, moves }));
        self.create_journal().inspect_err(|_| self.failing = true)
    }

    /// Creates the journal of a game that has none yet, and writes what has been played.
    fn create_journal(&mut self) -> Result<(), JournalError> {
        let (Some(settings), Some(game)) = (&self.settings, self.unwritten.take()) else {
            return Ok(());
        };
        let UnwrittenGame { number, summary, header, moves } = &*game;
        let created = Journal::create(&settings.dir, &settings.name, header, &summary.start);
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

    /// Writes a move. A move that the journal already contains (from the offer) is not written again. A game without a
    /// journal gets one if that is possible now.
    ///
    /// # Errors
    /// The journal cannot be written now; [`Self::finish`] tries to write all of it. Only the first
    /// failure of a game is returned.
    pub(super) fn push(&mut self, event: &MoveEvent) -> Result<(), JournalError> {
        let known = match (&self.journal, &self.unwritten) {
            (Some(journal), _) => journal.record().moves.len(),
            (None, Some(game)) => game.moves.len(),
            (None, None) => return Ok(()),
        };
        if known as u64 >= u64::from(event.ply) {
            return Ok(());
        }
        // Events before this move become comments on the previous one.
        for event in self.notes.events() {
            self.comment(event);
        }
        let mut written = RecordMove::timed(event.mv, event.spent);
        let reported = event.analysis.as_ref().filter(|_| self.records_comments());
        written.analysis = reported.cloned().map(Analysis::from);
        let search = self.notes.search(event.color, event.ply);
        if event.analysis.as_ref().is_some_and(|analysis| analysis.from_book) {
            written.comments.push(BOOK_MOVE.to_owned());
        }
        written.comments.extend(event.own_turn.map(|turn| turn.to_string()));
        written.comments.extend(search.filter(|_| reported.is_some()));
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
    fn comment(&mut self, text: String) {
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

    /// Finishes the record of the game and returns its path.
    ///
    /// # Errors
    /// The journal cannot be finished; it is recovered at the next start.
    pub(super) fn finish(&mut self, end: &EndEvent) -> Result<Option<PathBuf>, JournalError> {
        if let Some(offer) = self.offer.take() {
            offer.remove();
        }
        let created = self.create_journal();
        let Some(mut journal) = self.journal.take() else {
            self.unwritten = None;
            return created.map(|()| None);
        };
        journal.set_end_time(RecordTime::from_zoned(&jiff::Zoned::now()));
        let mut last = End::of(&end.end);
        last.time = end.spent;
        if !end.lines.is_empty() {
            last.comments.push(format!("server: {}", end.lines.join(" ")));
        }
        last.comments.extend(end.own_turn.map(|turn| turn.to_string()));
        if let Some(own) = end.analysis.as_ref().filter(|_| self.records_comments()) {
            last.note_search(&own.clone().into());
        }
        last.comments.extend(end.unfinished.as_deref().map(unfinished));
        last.comments.extend(self.notes.events());
        let path = journal.finish(&last)?;
        if let Some(indexer) = &self.indexer {
            indexer.add(&path);
        }
        Ok(Some(path))
    }

    /// Whether what the players reported of their searches goes into the record.
    fn records_comments(&self) -> bool {
        self.settings.as_ref().is_none_or(|settings| settings.comments)
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

/// The header of the record, with the server's texts as they are shown: a viewer of the record may not clean them.
fn header(summary: &GameSummary) -> Header {
    let controls: Controls = summary.times;
    let text = |text: &str| Some(printable(text).into_owned());
    let mut header = Header {
        black: text(summary.name(Color::Black)),
        white: text(summary.name(Color::White)),
        event: text(&summary.game_id),
        start_time: Some(RecordTime::from_zoned(&jiff::Zoned::now())),
        controls: Some(controls),
        max_moves: summary.max_moves,
        ..Header::default()
    };
    header.set_entering_king_rule(summary.entering_king());
    header
}

/// The game after the moves of the offer.
pub(super) fn game_of(summary: &GameSummary) -> Game {
    summary.game().unwrap_or_else(|_| Game::new(summary.start.clone()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::watch::testing::made;
    use kyomi_csa::{GameSummary, SpentUnit};
    use kyomi_shogi::{EndReason, Finding, GameEnd, Outcome, Score, notation::csa};

    fn event(game: &mut Game, word: &str) -> MoveEvent {
        let mv = csa::parse_move(game.position(), word).unwrap();
        let color = game.position().side_to_move();
        game.push(mv).unwrap();
        let ply = u32::try_from(game.len()).unwrap();
        MoveEvent { word: word.to_owned(), ..made(ply, mv, color) }
    }

    fn end() -> EndEvent {
        EndEvent {
            end: GameEnd::without_result(EndReason::Interrupted, Color::Black),
            outcome: Outcome::None,
            spent: None,
            own_turn: None,
            analysis: None,
            lines: Vec::new(),
            unfinished: None,
        }
    }

    /// A recorder whose folder cannot be written, after two moves. Also returns the folder, in which a file has its
    /// place.
    fn without_folder(folder: &TempDir) -> (GameRecorder, Game, PathBuf) {
        let dir = folder.path().join("records");
        let settings = RecordsConfig { dir: dir.clone(), ..RecordsConfig::default() };
        let mut recorder = GameRecorder::open(&settings).unwrap();
        fs::remove_dir_all(&dir).unwrap();
        fs::write(&dir, "").unwrap();
        let summary = Arc::new(GameSummary::new("game", "a", "b"));
        assert!(recorder.start(1, &GameStart::new(summary, SpentUnit::Second)).is_err());
        let mut game = Game::default();
        for word in ["+7776FU", "-3334FU"] {
            assert!(recorder.push(&event(&mut game, word)).is_ok(), "there was a warning already");
        }
        (recorder, game, dir)
    }

    fn moves(text: &str) -> usize {
        text.lines().filter(|line| line.starts_with("+77") || line.starts_with("-33")).count()
    }

    #[test]
    fn the_score_before_a_resignation_is_recorded() {
        let folder = TempDir::new().unwrap();
        let (mut recorder, _, dir) = without_folder(&folder);
        fs::remove_file(&dir).unwrap();
        let score = Some(Score::Cp(-3050));
        let analysis = Finding { score, depth: Some(12), nodes: Some(900), ..Default::default() };
        let lost = GameEnd::lost(Color::Black, EndReason::Resignation, Color::Black);
        let event = EndEvent { end: lost, analysis: Some(analysis), ..end() };
        let record = recorder.finish(&event).unwrap().unwrap();
        let text = fs::read_to_string(record).unwrap();
        assert!(text.contains("%TORYO\n'search: score -3050 depth 12 nodes 900\n"), "{text}");
    }

    #[test]
    fn a_game_is_recorded_as_soon_as_its_folder_can_be_written() {
        let folder = TempDir::new().unwrap();
        let (mut recorder, mut game, dir) = without_folder(&folder);
        fs::remove_file(&dir).unwrap();
        recorder.push(&event(&mut game, "+2726FU")).unwrap();
        let journal = recorder.journal.as_ref().unwrap().path().to_owned();
        let text = fs::read_to_string(journal).unwrap();
        assert!(moves(&text) == 2 && text.contains("+2726FU"), "{text}");
        let record = recorder.finish(&end()).unwrap().unwrap();
        assert_eq!(moves(&fs::read_to_string(record).unwrap()), 2);
    }

    #[test]
    fn a_game_is_recorded_at_its_end_if_not_before() {
        let folder = TempDir::new().unwrap();
        let (mut recorder, _, dir) = without_folder(&folder);
        fs::remove_file(&dir).unwrap();
        let record = recorder.finish(&end()).unwrap().unwrap();
        assert_eq!(moves(&fs::read_to_string(record).unwrap()), 2);
        fs::remove_dir_all(&dir).unwrap();
        let (mut recorder, ..) = without_folder(&folder);
        assert!(recorder.finish(&end()).is_err());
        assert!(recorder.finish(&end()).unwrap().is_none());
    }
}
