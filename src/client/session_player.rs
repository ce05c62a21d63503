//! Our player at the table: what it was asked last, and what it says.

use crate::watch::{Report, Watchers};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::{
    csa::{self, Analysis, Chosen, GameSnapshot, GameSummary},
    engine::{
        self, Choice, EngineError, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle, PlayerSpec,
        ThinkRequest,
    },
    shogi::{Color, Game, Move, Outcome},
};

/// A player, and who plays.
#[derive(Debug)]
pub(super) struct SessionPlayer {
    player: PlayerHandle,
    /// The name it plays under.
    name: String,
    watchers: Watchers,
    ready: bool,
    /// It has been told of a game, and not of its end.
    in_game: bool,
    /// Why it will never play again.
    failed: Option<EngineError>,
    pending: Option<PendingRequest>,
    shared_analysis: SharedAnalysis,
}

/// The request under way.
#[derive(Debug)]
struct PendingRequest {
    id: u64,
    game: Arc<Game>,
    /// Its answer is wanted.
    think: bool,
}

/// The last analysis of each side of a local game, for whoever shows both.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedAnalysis(Arc<Mutex<[Option<MoveAnalysis>; 2]>>);

/// What a side thought about its move at a ply.
type MoveAnalysis = (u32, Move, Analysis);

impl SharedAnalysis {
    fn put(&self, color: Color, ply: u32, mv: Move, analysis: Analysis) {
        if let Some(slot) = self.0.lock().get_mut(color.index()) {
            *slot = Some((ply, mv, analysis));
        }
    }

    /// What the side thought about this move, if it said so here.
    pub(super) fn get(&self, color: Color, ply: u32, mv: Move) -> Option<Analysis> {
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
        spec: PlayerSpec,
        name: String,
        watchers: Watchers,
        shared_analysis: SharedAnalysis,
    ) -> Self {
        watchers.report(Report::EngineStarting { player: name.clone() });
        Self::with_player(engine::start(spec), name, watchers, shared_analysis)
    }

    /// For a player that has been started.
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
            failed: None,
            pending: None,
            shared_analysis,
        }
    }

    /// Waits, outside a game, until the player can play. Cancel-safe.
    ///
    /// # Errors
    /// It cannot.
    pub(super) async fn ready(&mut self) -> Result<(), EngineError> {
        while !self.ready {
            if let Some(error) = &self.failed {
                return Err(error.clone());
            }
            // A game that was offered and never began has no end either; a player that gave up
            // in between waits for one to start anew.
            if std::mem::take(&mut self.in_game) {
                self.player.send(PlayerCommand::GameOver(Outcome::None));
            }
            self.next_answer().await;
        }
        Ok(())
    }

    /// Hears the player, reports what watchers should know of it, and returns with its answer to
    /// the request under way; never returns when the player is gone. Cancel-safe.
    pub(super) async fn next_answer(&mut self) -> Option<Chosen> {
        if self.failed.is_some() {
            std::future::pending::<()>().await;
        }
        let Some(event) = self.player.event().await else {
            let reason = "it ended without a word".to_owned();
            return self.fail(EngineError::Builtin { reason });
        };
        match event {
            PlayerEvent::Ready { name } => {
                self.ready = true;
                let engine = csa::printable(&name).into_owned();
                self.watchers.report(Report::EngineReady { player: self.name.clone(), engine });
            }
            PlayerEvent::Info { id, info } => {
                if let Some(asked) = &self.pending
                    && asked.id == id
                {
                    let color = asked.game.position().side_to_move();
                    let game = Arc::clone(&asked.game);
                    self.watchers.report(Report::Thinking { color, game, info });
                }
            }
            // It makes itself ready from the offer on, before the game begins.
            PlayerEvent::Prepared => {}
            PlayerEvent::Answer { id, answer } => return self.answer(id, answer),
            PlayerEvent::Restarted(error) => {
                self.ready = false;
                self.watchers.warn(format!("{error}; it is started again"));
            }
            PlayerEvent::GaveUp(error) => {
                self.ready = false;
                self.watchers.warn(format!("{error}; resigning this game"));
            }
            PlayerEvent::Warning(text) => self.watchers.warn(text),
            PlayerEvent::Failed(error) => return self.fail(error),
        }
        None
    }

    /// The player is gone: a game that waits for it is resigned.
    fn fail(&mut self, error: EngineError) -> Option<Chosen> {
        // Outside a game the run ends with this very error.
        if self.pending.is_some() {
            self.watchers.warn(error.to_string());
        }
        self.ready = false;
        self.failed = Some(error);
        self.resignation()
    }

    fn resignation(&mut self) -> Option<Chosen> {
        let asked = self.pending.take_if(|asked| asked.think)?;
        Some(Chosen::plain(asked.id, csa::Answer::Resign))
    }

    fn answer(&mut self, id: u64, answer: engine::Answer) -> Option<Chosen> {
        let asked = self.pending.take_if(|asked| asked.think && asked.id == id)?;
        let score = answer.score;
        let position = asked.game.position();
        let color = position.side_to_move();
        if let Choice::Move(mv) = answer.choice {
            let analysis = Analysis {
                score: score.map(|score| if color == Color::White { -score } else { score }),
                pv: answer.pv.get(1..).unwrap_or_default().to_vec(),
                depth: answer.depth,
                nodes: answer.nodes,
            };
            let ply = asked.game.moves().len() as u32 + 1;
            self.shared_analysis.put(color, ply, mv, analysis);
        }
        let choice = match answer.choice {
            Choice::Move(mv) => csa::Answer::Move(mv),
            Choice::Resign => csa::Answer::Resign,
            Choice::Declare if position.can_declare() => csa::Answer::Declare,
            Choice::Declare => {
                // A wrong declaration loses the game as surely, and looks worse.
                self.watchers.warn("the engine declares a win that is none; resigning".to_owned());
                csa::Answer::Resign
            }
        };
        Some(Chosen {
            id,
            answer: choice,
            score,
            pv: answer.pv,
            ponder: answer.ponder,
            depth: answer.depth,
            nodes: answer.nodes,
        })
    }

    /// An offer came: the player hears of the game before it is agreed to.
    pub(super) fn new_game(&mut self, summary: &GameSummary) {
        self.in_game = true;
        self.player.send(PlayerCommand::NewGame(GameInfo {
            color: summary.your_turn,
            declaration: summary.has_declaration(),
            max_moves: summary.max_moves,
        }));
    }

    /// Asks for a move; a resignation at once when there is nobody to ask.
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

    /// No answer is wanted any more.
    pub(super) fn stop(&mut self) {
        self.pending = None;
        self.player.send(PlayerCommand::Stop);
    }

    /// The game is over.
    pub(super) fn game_over(&mut self, outcome: Outcome) {
        self.pending = None;
        self.in_game = false;
        self.player.send(PlayerCommand::GameOver(outcome));
    }

    /// Why the player is gone for good.
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
    use crate::engine::{PlayerPort, pair};

    fn gone() -> EngineError {
        EngineError::Builtin { reason: "gone".to_owned() }
    }

    /// A player whose engine gave up after it was given a game that never began.
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
    async fn a_player_that_gave_up_before_the_game_began_is_woken() {
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
            assert!(port.commands.try_recv().is_err(), "one end of a game is enough");
        }
    }
}
