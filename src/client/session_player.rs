//! The player of our side in a session: its pending request and its events.

use crate::watch::{Report, Watchers};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::players::{
    self, Choice, EngineError, FailoverSpec, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle,
    ThinkRequest,
};
use kyomi_csa::{self, Chosen, GameSnapshot, GameSummary};
use kyomi_shogi::{Color, Finding, Game, Move, Outcome};

/// The player of one side.
#[derive(Debug)]
pub(super) struct SessionPlayer {
    player: PlayerHandle,
    /// The player's name on the server.
    name: String,
    watchers: Watchers,
    ready: bool,
    /// Whether it was sent a new game and not yet its end.
    in_game: bool,
    /// Whether it has prepared for the game that it was sent, and [`SessionPlayer::take_prepared`] has not told so yet.
    prepared: bool,
    /// Why it failed for good.
    failed: Option<EngineError>,
    pending: Option<PendingRequest>,
    shared_analysis: SharedAnalysis,
}

/// The pending request.
#[derive(Debug)]
struct PendingRequest {
    id: u64,
    game: Arc<Game>,
    /// Whether its answer is used; false for pondering.
    think: bool,
}

/// The last analysis of each side of a local game, so that both can be shown.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedAnalysis(Arc<Mutex<[Option<MoveAnalysis>; 2]>>);

/// The analysis of a move at a ply.
type MoveAnalysis = (u32, Move, Finding);

impl SharedAnalysis {
    fn put(&self, color: Color, ply: u32, mv: Move, analysis: Finding) {
        if let Some(slot) = self.0.lock().get_mut(color.index()) {
            *slot = Some((ply, mv, analysis));
        }
    }

    /// The side's analysis of this move, if it was stored.
    pub(super) fn get(&self, color: Color, ply: u32, mv: Move) -> Option<Finding> {
        match self.0.lock().get(color.index()) {
            Some(Some((known_ply, known_mv, analysis))) if (*known_ply, *known_mv) == (ply, mv) => {
                Some(analysis.clone())
            }
            _ => None,
        }
    }
}

impl SessionPlayer {
    /// Starts the player; see [`SessionPlayer::ready`].
    pub(super) fn start(
        spec: FailoverSpec,
        name: String,
        watchers: Watchers,
        shared_analysis: SharedAnalysis,
    ) -> Self {
        watchers.report(Report::EngineStarting { player: name.clone() });
        Self::with_player(players::start_with_fallbacks(spec), name, watchers, shared_analysis)
    }

    /// Uses a player that has already been started.
    pub(super) fn with_player(
        player: PlayerHandle,
        name: String,
        watchers: Watchers,
        shared_analysis: SharedAnalysis,
    ) -> Self {
        Self {
            player,
            name,
            watchers,
            ready: false,
            in_game: false,
            prepared: false,
            failed: None,
            pending: None,
            shared_analysis,
        }
    }

    /// Waits, outside a game, until the player can play. Cancel-safe.
    ///
    /// # Errors
    /// The player failed.
    pub(super) async fn ready(&mut self) -> Result<(), EngineError> {
        while !self.ready {
            if let Some(error) = &self.failed {
                return Err(error.clone());
            }
            // A game that was offered and never began has no end. A player that gave up in between
            // waits for the end of its game before it restarts.
            if std::mem::take(&mut self.in_game) {
                self.player.send(PlayerCommand::GameOver(Outcome::None));
            }
            self.next_answer().await;
        }
        Ok(())
    }

    /// Handles the player's next event: reports it to the watchers, and returns the answer to the pending request
    /// if it is one. Never returns when the player has failed. Cancel-safe.
    pub(super) async fn next_answer(&mut self) -> Option<Chosen> {
        if self.failed.is_some() {
            std::future::pending::<()>().await;
        }
        let Some(event) = self.player.event().await else {
            let reason = "it ended unexpectedly".to_owned();
            return self.fail(EngineError::Player { reason });
        };
        match event {
            PlayerEvent::Ready { name } => {
                self.ready = true;
                let engine = kyomi_csa::text::printable(&name).into_owned();
                tracing::info!(player = self.name, "engine ready: {engine}");
                self.watchers.report(Report::EngineReady { player: self.name.clone(), engine });
            }
            PlayerEvent::Info { id, info } => {
                if let Some(request) = &self.pending
                    && request.id == id
                {
                    let color = request.game.position().side_to_move();
                    let game = Arc::clone(&request.game);
                    self.watchers.report(Report::Thinking { color, game, info });
                }
            }
            PlayerEvent::Prepared => self.prepared = true,
            PlayerEvent::Identified
            | PlayerEvent::Silent { .. }
            | PlayerEvent::Entries(_)
            | PlayerEvent::Helped(_) => {}
            PlayerEvent::Answer { id, answer } => return self.answer(id, answer),
            PlayerEvent::Restarted(error) => {
                self.ready = false;
                self.warn_failure(format!("{error}; it is started again"), true);
            }
            PlayerEvent::NotReady => self.ready = false,
            PlayerEvent::GaveUp(error) => {
                self.ready = false;
                self.warn_failure(
                    format!("{error}; it does not play in this game any more"),
                    false,
                );
            }
            PlayerEvent::EngineFailure { text, restarted } => self.warn_failure(text, restarted),
            PlayerEvent::Warning(text) => self.watchers.warn(text),
            PlayerEvent::Failed(error) => return self.fail(error),
        }
        None
    }

    /// Handles the player's failure: a game that waits for its answer is resigned.
    fn fail(&mut self, error: EngineError) -> Option<Chosen> {
        // Outside a game the run ends with this error.
        if self.pending.is_some() {
            self.warn_failure(error.to_string(), false);
        } else {
            self.report_failure(error.to_string(), false);
        }
        self.ready = false;
        self.failed = Some(error);
        self.resignation()
    }

    /// Warns that an engine has failed.
    fn warn_failure(&self, text: String, restarted: bool) {
        self.watchers.warn(text.clone());
        self.report_failure(text, restarted);
    }

    fn report_failure(&self, text: String, restarted: bool) {
        let player = self.name.clone();
        self.watchers.report(Report::EngineFailed { player, text, restarted });
    }

    fn resignation(&mut self) -> Option<Chosen> {
        let request = self.pending.take_if(|request| request.think)?;
        Some(Chosen::plain(request.id, kyomi_csa::Answer::Resign))
    }

    fn answer(&mut self, id: u64, answer: players::Answer) -> Option<Chosen> {
        let request = self.pending.take_if(|request| request.think && request.id == id)?;
        let color = request.game.position().side_to_move();
        if let Choice::Move(mv) = answer.choice {
            let pv = answer.finding.pv.get(1..).unwrap_or_default().to_vec();
            let analysis = Finding { pv, ..answer.finding.clone() }.from_black(color);
            let ply = request.game.moves().len() as u32 + 1;
            if let Some(known) = &answer.book {
                let (count, score) = (known.count, known.score);
                tracing::info!(ply, %mv, count, score, "move from the book");
            }
            self.shared_analysis.put(color, ply, mv, analysis);
        }
        let choice = match answer.choice {
            Choice::Move(mv) => kyomi_csa::Answer::Move(mv),
            Choice::Resign => kyomi_csa::Answer::Resign,
            // The session checks it.
            Choice::Declare => kyomi_csa::Answer::Declare,
        };
        Some(Chosen { id, answer: choice, ponder: answer.ponder, finding: answer.finding })
    }

    /// Whether the player has prepared for the game of [`SessionPlayer::new_game`]; true once for each game.
    pub(super) fn take_prepared(&mut self) -> bool {
        std::mem::take(&mut self.prepared)
    }

    /// Sends the player the game of an offer, before the offer is agreed to.
    pub(super) fn new_game(&mut self, summary: &GameSummary) {
        self.in_game = true;
        self.prepared = false;
        self.player.send(PlayerCommand::NewGame(GameInfo {
            color: summary.your_turn,
            entering_king: summary.entering_king(),
            max_moves: summary.max_moves,
        }));
    }

    /// Asks for a move. Returns a resignation if the player has failed.
    pub(super) fn think(&mut self, snapshot: GameSnapshot) -> Option<Chosen> {
        let request = self.ask(snapshot, true);
        self.player.send(PlayerCommand::Think(request));
        if self.failed.is_some() { self.resignation() } else { None }
    }

    /// Lets the player think on the opponent's time.
    pub(super) fn ponder(&mut self, snapshot: GameSnapshot) {
        let request = self.ask(snapshot, false);
        self.player.send(PlayerCommand::Ponder(request));
    }

    fn ask(&mut self, snapshot: GameSnapshot, think: bool) -> ThinkRequest {
        let request = ThinkRequest {
            id: snapshot.id,
            game: snapshot.game,
            clocks: snapshot.clocks,
            turn_started: snapshot.turn_started,
            limit: None,
        };
        self.pending =
            Some(PendingRequest { id: request.id, game: Arc::new(request.game.clone()), think });
        request
    }

    /// Stops the player; its answer is no longer used.
    pub(super) fn stop(&mut self) {
        self.pending = None;
        self.player.send(PlayerCommand::Stop);
    }

    /// Sends the player the end of the game.
    pub(super) fn game_over(&mut self, outcome: Outcome) {
        self.pending = None;
        self.in_game = false;
        self.player.send(PlayerCommand::GameOver(outcome));
    }

    /// Why the player failed for good.
    pub(super) fn failure(&self) -> Option<&EngineError> {
        self.failed.as_ref()
    }

    /// Ends the player.
    pub(super) async fn quit(self) {
        self.player.quit().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::{PlayerPort, pair};

    fn gone() -> EngineError {
        EngineError::Builtin { reason: "gone".to_owned() }
    }

    /// A player whose engine gave up after it was sent a game that never began.
    fn given_up() -> (SessionPlayer, PlayerPort) {
        let (player, port) = pair();
        let watchers = Watchers::new();
        let mut player = SessionPlayer::with_player(
            player,
            "own".to_owned(),
            watchers,
            SharedAnalysis::default(),
        );
        player.in_game = true;
        port.events.send(PlayerEvent::Ready { name: "Brave".to_owned() });
        port.events.send(PlayerEvent::GaveUp(gone()));
        (player, port)
    }

    #[tokio::test]
    async fn a_player_that_gave_up_before_the_game_began_is_restarted() {
        for recovers in [true, false] {
            let (mut player, mut port) = given_up();
            player.next_answer().await;
            player.next_answer().await;
            assert!(!player.ready);
            let engine = async {
                let command = port.commands.recv().await;
                assert!(matches!(command, Some(PlayerCommand::GameOver(Outcome::None))));
                port.events.send(if recovers {
                    PlayerEvent::Ready { name: "Brave".to_owned() }
                } else {
                    PlayerEvent::Failed(gone())
                });
            };
            let (ready, ()) = tokio::join!(player.ready(), engine);
            assert_eq!(ready.is_ok(), recovers);
            assert!(port.commands.try_recv().is_err(), "the end is sent only once");
        }
    }
}
