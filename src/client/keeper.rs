//! Keeps the record of the running game, move by move.

use std::{fs, path::PathBuf};

use crate::{
    archive::{Journal, JournalError, recover},
    clock::Controls,
    config::RecordsConfig,
    csa::{EndReason, GameEnd, GameStart, GameSummary, MoveEvent},
    record::{Analysis, End, EndKind, Header, JishogiRule, RecordMove, RecordTime, Winner},
    shogi::{Color, Game},
};

/// Writes the journal of one game after the other.
///
/// Each write is a few dozen bytes that the operating system has when the call returns, so that
/// nothing later can lose them; that is worth the microseconds on the network thread.
#[derive(Debug)]
pub(super) struct Keeper {
    settings: Option<RecordsConfig>,
    journal: Option<Journal>,
    /// A move of this game could not be written.
    failing: bool,
}

impl Keeper {
    /// Makes sure that records can be kept, and turns what a killed process left behind into
    /// records.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub(super) fn open(settings: &RecordsConfig) -> Result<Self, JournalError> {
        Self::probe(settings)?;
        match recover(&settings.dir) {
            Ok(found) => {
                for recovered in found {
                    tracing::warn!(?recovered, "a game left unfinished by an earlier run");
                }
            }
            Err(error) => tracing::warn!(%error, "looking for unfinished games"),
        }
        Ok(Self { settings: Some(settings.clone()), journal: None, failing: false })
    }

    /// Writes and removes a file, so that an unwritable folder is known before a game is.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub(super) fn probe(settings: &RecordsConfig) -> Result<(), JournalError> {
        let dir = &settings.dir;
        let fail = |source| JournalError::Folder { dir: dir.clone(), source };
        fs::create_dir_all(dir).map_err(fail)?;
        let path = dir.join(format!(".kyomi-{}-{}", std::process::id(), fastrand::u64(..)));
        fs::File::create_new(&path).map_err(fail)?;
        fs::remove_file(&path).map_err(fail)
    }

    /// Keeps nothing.
    pub(super) fn none() -> Self {
        Self { settings: None, journal: None, failing: false }
    }

    /// A game begins, with the moves that were set up.
    ///
    /// # Errors
    /// The journal cannot be written; the game goes on without.
    pub(super) fn start(&mut self, start: &GameStart) -> Result<(), JournalError> {
        self.journal = None;
        self.failing = false;
        let Some(settings) = &self.settings else { return Ok(()) };
        let summary = &start.summary;
        let header = header(summary);
        let mut journal = Journal::create(&settings.dir, &settings.name, &header, &summary.start)?;
        for setup in &summary.moves {
            journal.push(&RecordMove::new(setup.mv))?;
        }
        self.journal = Some(journal);
        Ok(())
    }

    /// A move was made. One that stands already (set up by the offer) is not written again.
    ///
    /// # Errors
    /// The journal cannot be written now; its end will try to write all of it. Only the first
    /// failure of a game is told.
    pub(super) fn push(&mut self, event: &MoveEvent) -> Result<(), JournalError> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        if journal.record().moves.len() as u64 >= u64::from(event.ply) {
            return Ok(());
        }
        let mut written = RecordMove::timed(event.mv, event.spent);
        written.analysis = event.analysis.as_ref().map(|analysis| Analysis {
            score: analysis.score,
            pv: analysis.pv.clone(),
            nodes: analysis.nodes,
            depth: analysis.depth,
            ..Analysis::default()
        });
        match journal.push(&written) {
            Err(error) if !std::mem::replace(&mut self.failing, true) => Err(error),
            _ => Ok(()),
        }
    }

    /// The game is over; says where its record is.
    ///
    /// # Errors
    /// The journal cannot be finished; it stays for the next start to recover.
    pub(super) fn finish(&mut self, end: &GameEnd) -> Result<Option<PathBuf>, JournalError> {
        let Some(mut journal) = self.journal.take() else { return Ok(None) };
        journal.set_end_time(RecordTime::from_zoned(&jiff::Zoned::now()));
        let mut last = End::new(end_kind(end));
        last.time = end.spent;
        if !end.lines.is_empty() {
            last.comments.push(format!("server: {}", end.lines.join(" ")));
        }
        journal.finish(&last).map(Some)
    }
}

/// How the end of a game stands in its record.
pub(super) fn end_kind(end: &GameEnd) -> EndKind {
    let kind = match end.reason {
        EndReason::Resign => EndKind::Resign,
        EndReason::TimeUp => EndKind::TimeUp,
        EndReason::IllegalMove => EndKind::IllegalMove,
        EndReason::Sennichite => EndKind::Sennichite,
        EndReason::Jishogi if end.winner.is_some() => EndKind::Declaration,
        EndReason::Jishogi => EndKind::Jishogi,
        EndReason::MaxMoves => EndKind::MaxMoves,
        EndReason::Suspended | EndReason::Interrupted => EndKind::Interrupted,
        EndReason::OuteSennichite | EndReason::IllegalAction => match end.winner {
            Some(winner) => EndKind::IllegalAction(!winner),
            None => EndKind::Error,
        },
        EndReason::Abnormal | EndReason::Unstated | EndReason::Unknown(_) => EndKind::Error,
    };
    // Most words say who won by whose turn it is; where that would be the wrong side (a peer that
    // was lost in our turn), the one word that names the loser is the truth.
    match (end.winner, kind.winner(end.side_to_move)) {
        (Some(winner), Some(Winner::Side(told))) if told != winner => {
            EndKind::IllegalAction(!winner)
        }
        _ => kind,
    }
}

fn header(summary: &GameSummary) -> Header {
    let controls: Controls = summary.times;
    Header {
        black: Some(summary.name(Color::Black).to_owned()),
        white: Some(summary.name(Color::White).to_owned()),
        event: Some(summary.game_id.clone()),
        start_time: Some(RecordTime::from_zoned(&jiff::Zoned::now())),
        controls: Some(controls),
        max_moves: summary.max_moves,
        jishogi: summary.has_declaration().then_some(JishogiRule::Points27),
        ..Header::default()
    }
}

/// The game as an offer begins it: the start position and the moves set up.
pub(super) fn game_of(summary: &GameSummary) -> Game {
    summary.game().unwrap_or_else(|_| Game::new(summary.start.clone()))
}
