//! One player of one slot: starting it, preparing it for games, and requesting its moves.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use crate::players::{
    self, Answer, EngineError, GameInfo, HelpCounts, PlayerCommand, PlayerEvent, PlayerHandle,
    PlayerSpec, RandomSpec, ThinkRequest,
};
use kyomi_shogi::clock::{Clocks, DelayEstimator, DelayPolicy};
use kyomi_shogi::{Game, Outcome};

use super::Contestant;

/// One player of one slot. It keeps running between games.
pub(super) struct MatchPlayer {
    pub(super) contestant: Arc<Contestant>,
    player: Option<PlayerHandle>,
    next_request: u64,
    /// The id of the pending request.
    pending: Option<u64>,
    /// The game on which it pondered last.
    pondered: Option<Game>,
    /// What its workers have done in this game.
    help: Option<HelpCounts>,
    /// Messages about it for the report.
    notes: Vec<Note>,
}

/// A message about a player.
#[derive(Debug, Clone)]
pub(super) enum Note {
    /// For the report.
    Info(String),
    /// For the report and, immediately, for the user.
    Warning(String),
}

/// The outcome of a request.
#[derive(Debug)]
pub(super) enum RequestOutcome {
    /// The player answered.
    Answer(Answer),
    /// The player failed.
    Failed(EngineError),
}

/// The reason a player cannot begin a game.
#[derive(Debug)]
pub(super) enum PrepareError {
    /// It did not start in several attempts.
    Failed(EngineError),
    /// It does not support a given option.
    Option(String),
}

impl MatchPlayer {
    pub(super) fn new(contestant: Arc<Contestant>) -> Self {
        Self {
            contestant,
            player: None,
            next_request: 1,
            pending: None,
            pondered: None,
            help: None,
            notes: Vec::new(),
        }
    }

    /// Uses a player that has already been started.
    #[cfg(any(test, feature = "cluster"))]
    pub(super) fn with_player(contestant: Arc<Contestant>, player: PlayerHandle) -> Self {
        Self { player: Some(player), ..Self::new(contestant) }
    }

    /// Waits until the player can begin a game, starting it if necessary. `seed` is the seed of a random player in
    /// this game.
    pub(super) async fn prepare(&mut self, info: GameInfo, seed: u64) -> Result<(), PrepareError> {
        if self.contestant.restart || matches!(self.contestant.spec, PlayerSpec::Random(_)) {
            self.discard().await;
        }
        let mut attempt = 1;
        loop {
            match self.try_to_prepare(info, seed).await {
                Ok(()) => return Ok(()),
                Err(PrepareError::Failed(error)) if attempt < ATTEMPTS => {
                    attempt += 1;
                    self.notes.push(Note::Warning(format!("{error}; started again")));
                    self.discard().await;
                }
                Err(error) => {
                    self.discard().await;
                    return Err(error);
                }
            }
        }
    }

    async fn try_to_prepare(&mut self, info: GameInfo, seed: u64) -> Result<(), PrepareError> {
        let player = if let Some(player) = &mut self.player {
            player
        } else {
            let spec = with_seed(&self.contestant.spec, seed);
            let workers = self.contestant.workers.as_ref();
            let mut player = match workers {
                Some(workers) => workers.start(&spec),
                None => players::start(spec),
            };
            let (name, mut warnings) =
                wait_until_ready(&mut player).await.map_err(PrepareError::Failed)?;
            if let (PlayerSpec::Builtin(spec), Some(_)) = (&self.contestant.spec, workers) {
                // Some of the warnings are about the workers.
                let others = std::mem::take(&mut warnings);
                warnings.extend(spec.option_faults());
                let others = others.into_iter().filter(|text| !warnings.contains(text));
                self.notes.extend(others.map(Note::Warning));
            }
            // All warnings of the built-in engine are about options, and a match in which an option has no effect would
            // be wrong. USI engines may accept options that they do not announce.
            if let (PlayerSpec::Builtin(_), Some(warning)) =
                (&self.contestant.spec, warnings.first())
            {
                return Err(PrepareError::Option(warning.clone()));
            }
            self.notes.extend(warnings.into_iter().map(Note::Warning));
            if matches!(self.contestant.spec, PlayerSpec::Usi(_)) {
                self.notes.push(Note::Info(format!("reports the name {name}")));
            }
            self.player.insert(player)
        };
        self.pending = None;
        self.pondered = None;
        self.help = None;
        player.send(PlayerCommand::NewGame(info));
        wait_until_prepared(player).await.map_err(PrepareError::Failed)
    }

    /// Requests a move. Returns whether the position is a ponder hit.
    pub(super) fn think(&mut self, game: &Game, clocks: &Clocks, now: std::time::Instant) -> bool {
        let hit = self.pondered.take().is_some_and(|pondered| pondered.is_same_as(game));
        let request = self.request(game.clone(), clocks, now);
        self.pending = Some(request.id);
        self.send(PlayerCommand::Think(request));
        hit
    }

    /// Lets the player ponder on the last position of `game`.
    pub(super) fn ponder(&mut self, game: Game, clocks: &Clocks, now: std::time::Instant) {
        let request = self.request(game, clocks, now);
        self.pondered = Some(request.game.clone());
        self.send(PlayerCommand::Ponder(request));
    }

    fn request(
        &mut self,
        game: Game,
        clocks: &Clocks,
        turn_started: std::time::Instant,
    ) -> ThinkRequest {
        let id = self.next_request;
        self.next_request += 1;
        let mut clocks = *clocks;
        clocks.network = DelayEstimator::new(DelayPolicy::Fixed(match self.contestant.spec {
            // A USI engine receives the exact clock and keeps a reserve itself.
            PlayerSpec::Usi(_) => Duration::ZERO,
            _ => RESERVE,
        }));
        ThinkRequest { id, game, clocks, turn_started, limit: self.contestant.control.limit() }
    }

    /// Waits for the outcome of the pending request. Cancel-safe.
    pub(super) async fn outcome_of_request(&mut self) -> RequestOutcome {
        let Some(player) = &mut self.player else {
            return RequestOutcome::Failed(ended_unexpectedly());
        };
        loop {
            match player.event().await {
                Some(PlayerEvent::Answer { id, answer }) if self.pending == Some(id) => {
                    self.pending = None;
                    return RequestOutcome::Answer(answer);
                }
                Some(
                    PlayerEvent::Restarted(error)
                    | PlayerEvent::GaveUp(error)
                    | PlayerEvent::Failed(error),
                ) => return RequestOutcome::Failed(error),
                Some(PlayerEvent::Warning(text)) => self.notes.push(Note::Warning(text)),
                Some(PlayerEvent::Helped(counts)) => self.help = Some(counts),
                Some(_) => {}
                None => return RequestOutcome::Failed(ended_unexpectedly()),
            }
        }
    }

    /// Tells the player that the game is over, with its result.
    pub(super) fn game_over(&mut self, result: Outcome) {
        self.pending = None;
        self.pondered = None;
        self.send(PlayerCommand::GameOver(result));
    }

    /// Removes and returns what its workers have done in the last game; `None` if it has none.
    pub(super) fn take_help(&mut self) -> Option<HelpCounts> {
        self.help.take()
    }

    /// Removes and returns the messages about the player.
    pub(super) fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Drops the player; the next game starts a new one.
    pub(super) async fn discard(&mut self) {
        if let Some(player) = self.player.take() {
            player.quit().await;
        }
    }

    fn send(&self, command: PlayerCommand) {
        if let Some(player) = &self.player {
            player.send(command);
        }
    }
}

/// Waits for `Ready`. Returns the player's name and its warnings.
async fn wait_until_ready(player: &mut PlayerHandle) -> Result<(String, Vec<String>), EngineError> {
    let mut warnings = Vec::new();
    loop {
        match player.event().await {
            Some(PlayerEvent::Ready { name }) => return Ok((name, warnings)),
            Some(PlayerEvent::Warning(text)) => warnings.push(text),
            Some(PlayerEvent::Failed(error) | PlayerEvent::Restarted(error)) => return Err(error),
            Some(_) => {}
            None => return Err(ended_unexpectedly()),
        }
    }
}

/// Waits until the player can begin the game.
async fn wait_until_prepared(player: &mut PlayerHandle) -> Result<(), EngineError> {
    let waiting = async {
        loop {
            match player.event().await {
                Some(PlayerEvent::Prepared) => return Ok(()),
                Some(
                    PlayerEvent::Restarted(error)
                    | PlayerEvent::GaveUp(error)
                    | PlayerEvent::Failed(error),
                ) => return Err(error),
                Some(_) => {}
                None => return Err(ended_unexpectedly()),
            }
        }
    };
    // Players have time limits themselves; this one is a safeguard.
    match timeout(PATIENCE, waiting).await {
        Ok(done) => done,
        Err(_) => Err(EngineError::Player { reason: "it did not get ready for a game".to_owned() }),
    }
}

fn with_seed(spec: &PlayerSpec, seed: u64) -> PlayerSpec {
    match spec {
        PlayerSpec::Random(spec) => PlayerSpec::Random(RandomSpec {
            seed: Some(spec.seed.unwrap_or_default().wrapping_add(seed)),
        }),
        other => other.clone(),
    }
}

fn ended_unexpectedly() -> EngineError {
    EngineError::Player { reason: "it ended unexpectedly".to_owned() }
}

/// The number of attempts to start a player before the match ends.
const ATTEMPTS: u32 = 3;

/// The longest wait for a prepared player, longer than any player waits for its engine.
const PATIENCE: Duration = Duration::from_secs(1200);

/// The built-in engine's reserve for the delay of its answer.
const RESERVE: Duration = Duration::from_millis(10);
