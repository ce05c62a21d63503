//! The state of a client that is kept between sessions: its player, its games and its reports.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::watch::{LiveMove, Report, Watchers};
use kyomi_csa::{EndEvent, GameSummary, UnfinishedGame};
use kyomi_shogi::EndReason;

use super::{
    control::ClientControl,
    recorder::{GameRecorder, game_of},
    saved_game::SavedGame,
    session_player::{SessionPlayer, SharedAnalysis},
};

/// The state of a run that is kept between sessions.
#[derive(Debug)]
pub(super) struct ClientState {
    pub(super) player: SessionPlayer,
    pub(super) recorder: GameRecorder,
    pub(super) watchers: Watchers,
    /// The analysis of both sides of a local game.
    pub(super) shared_analysis: SharedAnalysis,
    /// Number of the last game of this run.
    pub(super) begun: u32,
    /// Number of games ended in this run.
    pub(super) ended: u32,
    /// Whether the last game ended because its connection was lost.
    pub(super) interrupted: bool,
    /// The time between two pairings on this server, if it pairs at fixed times.
    pub(super) pairing: Option<Duration>,
    /// Since when it has been logged in, or trying to be, without a game.
    pub(super) waiting_since: Option<Instant>,
    /// The requests of the user.
    pub(super) control: ClientControl,
    /// The game whose connection was lost, until it is resumed or ends. The player goes on thinking about it.
    pub(super) disconnected: Option<UnfinishedGame>,
    /// The offer that we agreed to when the connection was lost before `START`. Its game may run.
    pub(super) agreed: Option<Arc<GameSummary>>,
}

impl ClientState {
    /// A run without games yet.
    pub(super) fn new(
        player: SessionPlayer,
        recorder: GameRecorder,
        watchers: Watchers,
        shared_analysis: SharedAnalysis,
    ) -> Self {
        Self {
            player,
            recorder,
            watchers,
            shared_analysis,
            begun: 0,
            ended: 0,
            interrupted: false,
            pairing: None,
            waiting_since: None,
            control: ClientControl::default(),
            disconnected: None,
            agreed: None,
        }
    }

    /// Resumes a game of an earlier process as a disconnected game, which the server may still hold.
    pub(super) async fn resume_saved(&mut self, saved: SavedGame) {
        let SavedGame { journal, offer, number, game, first_clocks, earlier } = saved;
        let summary = Arc::clone(game.summary());
        tracing::info!(id = summary.game_id, moves = game.game().len(), "resuming a saved game");
        self.recorder.continue_record(journal, offer).await;
        self.player.new_game(&summary);
        // Later games are numbered from there.
        self.begun = number;
        self.control.game_continues(number);
        self.watchers.report(Report::GameStarted {
            number: u64::from(self.begun),
            game_id: summary.game_id.clone(),
            names: summary.names.clone(),
            own: Some(summary.your_turn),
            game: Arc::new(game_of(&summary)),
            move_times: game.move_times().to_vec(),
            clocks: first_clocks,
            continued: true,
        });
        // The times and scores of the earlier process's moves come from its journal.
        for LiveMove { event, clocks } in earlier {
            let (number, event) = (u64::from(self.begun), Box::new(event));
            self.watchers.report(Report::Moved { number, event, clocks });
        }
        self.disconnected = Some(game);
    }

    /// Reports that another hour has passed without a game.
    pub(super) fn no_pairing(&self, since: Instant) {
        let waited = since.elapsed();
        self.watchers.report(Report::NoPairing { waited });
        let minutes = waited.as_secs() / 60;
        if self.pairing.is_some() {
            self.watchers.warn(format!(
                "no pairing for {minutes} min, although this server pairs every half hour; check server.game and \
                 server.password"
            ));
        } else {
            tracing::info!(minutes, "waiting for a game");
        }
    }

    /// Handles the player's next event outside a session: an answer is kept for the disconnected game. Cancel-safe.
    pub(super) async fn player_event(&mut self) {
        if let Some(chosen) = self.player.next_answer().await
            && let Some(game) = &mut self.disconnected
        {
            game.keep_answer(&chosen);
        }
    }

    /// Ends the disconnected game as interrupted, if there is one.
    pub(super) async fn give_up_disconnected(&mut self) {
        if let Some(game) = self.disconnected.take() {
            self.player.stop();
            self.game_ended(&game.ended()).await;
        }
    }

    /// Finishes the record of the game and reports its end.
    pub(super) async fn game_ended(&mut self, ended: &EndEvent) {
        self.player.game_over(ended.outcome);
        let record = self.recorder.finish(ended).await;
        self.ended += 1;
        self.control.game_ends();
        self.interrupted = ended.end.reason == EndReason::Interrupted;
        let end = ended.end.clone();
        tracing::info!(
            result = end.result_word(),
            reason = %end.reason,
            outcome = ?ended.outcome,
            ?record,
            "game over"
        );
        let number = u64::from(self.begun);
        self.watchers.report(Report::GameEnded { number, end, record });
    }
}
