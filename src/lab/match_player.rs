//! One player of one slot: started, made ready for a game, asked for moves.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use crate::{
    clock::{Clocks, DelayEstimator, DelayPolicy},
    engine::{
        self, Answer, EngineError, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle, PlayerSpec,
        RandomSpec, ThinkRequest,
    },
    shogi::{Game, Outcome},
};

use super::Contestant;

/// One player of one slot. Between games it stays as it is.
pub(super) struct MatchPlayer {
    pub(super) contestant: Arc<Contestant>,
    player: Option<PlayerHandle>,
    next_request: u64,
    /// The number of the request that waits for an answer.
    asked: Option<u64>,
    /// What it pondered on last.
    pondered: Option<Game>,
    /// What its owner should know of it.
    notes: Vec<Note>,
}

/// What the owner of a player should know of it.
#[derive(Debug, Clone)]
pub(super) enum Note {
    /// For the report.
    Fact(String),
    /// For everybody, at once.
    Warning(String),
}

/// What became of a request.
#[derive(Debug)]
pub(super) enum Heard {
    /// It was answered.
    Answer(Answer),
    /// It never will be: the player broke down.
    Broke(EngineError),
}

/// Why a player cannot begin a game.
#[derive(Debug)]
pub(super) enum Unready {
    /// It does not start, though it was tried more than once.
    Broke(EngineError),
    /// It does not know an option that it was given.
    Option(String),
}

impl MatchPlayer {
    pub(super) fn new(contestant: Arc<Contestant>) -> Self {
        Self {
            contestant,
            player: None,
            next_request: 1,
            asked: None,
            pondered: None,
            notes: Vec::new(),
        }
    }

    /// With a player that was started elsewhere.
    #[cfg(test)]
    pub(super) fn with_player(contestant: Arc<Contestant>, player: PlayerHandle) -> Self {
        Self { player: Some(player), ..Self::new(contestant) }
    }

    /// Waits until the player can begin a game, starting it first if there is need. `seed` is what a random player of
    /// this game plays by.
    pub(super) async fn prepare(&mut self, info: GameInfo, seed: u64) -> Result<(), Unready> {
        if self.contestant.restart || matches!(self.contestant.spec, PlayerSpec::Random(_)) {
            self.discard().await;
        }
        let mut attempt = 1;
        loop {
            match self.try_to_prepare(info, seed).await {
                Ok(()) => return Ok(()),
                Err(Unready::Broke(error)) if attempt < ATTEMPTS => {
                    attempt += 1;
                    self.notes.push(Note::Warning(format!("{error}; started again")));
                    self.discard().await;
                }
                Err(unready) => {
                    self.discard().await;
                    return Err(unready);
                }
            }
        }
    }

    async fn try_to_prepare(&mut self, info: GameInfo, seed: u64) -> Result<(), Unready> {
        let player = if let Some(player) = &mut self.player {
            player
        } else {
            let mut player = engine::start(with_seed(&self.contestant.spec, seed));
            let (name, warnings) = ready(&mut player).await.map_err(Unready::Broke)?;
            // The built-in engine warns of nothing but options, and a match in which one of them does nothing is a
            // wrong one. USI engines may know more options than they announce.
            if let (PlayerSpec::Builtin(_), Some(warning)) =
                (&self.contestant.spec, warnings.first())
            {
                return Err(Unready::Option(warning.clone()));
            }
            self.notes.extend(warnings.into_iter().map(Note::Warning));
            if matches!(self.contestant.spec, PlayerSpec::Usi(_)) {
                self.notes.push(Note::Fact(format!("calls itself {name}")));
            }
            self.player.insert(player)
        };
        self.asked = None;
        self.pondered = None;
        player.send(PlayerCommand::NewGame(info));
        prepared(player).await.map_err(Unready::Broke)
    }

    /// Asks for a move; says whether the game is the one it pondered on.
    pub(super) fn think(&mut self, game: &Game, clocks: &Clocks, now: std::time::Instant) -> bool {
        let hit = self.pondered.take().is_some_and(|pondered| pondered.is_same_as(game));
        let request = self.request(game.clone(), clocks, now);
        self.asked = Some(request.id);
        self.send(PlayerCommand::Think(request));
        hit
    }

    /// Lets it think on the opponent's time.
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
            // It is told the clock as it is: what it keeps in reserve is its own business.
            PlayerSpec::Usi(_) => Duration::ZERO,
            _ => RESERVE,
        }));
        ThinkRequest { id, game, clocks, turn_started, limit: self.contestant.control.limit() }
    }

    /// What becomes of the request under way. Cancel-safe.
    pub(super) async fn heard(&mut self) -> Heard {
        let Some(player) = &mut self.player else { return Heard::Broke(gone()) };
        loop {
            match player.event().await {
                Some(PlayerEvent::Answer { id, answer }) if self.asked == Some(id) => {
                    self.asked = None;
                    return Heard::Answer(answer);
                }
                Some(
                    PlayerEvent::Restarted(error)
                    | PlayerEvent::GaveUp(error)
                    | PlayerEvent::Failed(error),
                ) => return Heard::Broke(error),
                Some(PlayerEvent::Warning(text)) => self.notes.push(Note::Warning(text)),
                Some(_) => {}
                None => return Heard::Broke(gone()),
            }
        }
    }

    /// The game is over.
    pub(super) fn game_over(&mut self, result: Outcome) {
        self.asked = None;
        self.pondered = None;
        self.send(PlayerCommand::GameOver(result));
    }

    /// What the player said that its owner should know; said once.
    pub(super) fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Lets the player go; the next game starts a new one.
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

/// Waits for `Ready`; returns its name and what it warned of on the way.
async fn ready(player: &mut PlayerHandle) -> Result<(String, Vec<String>), EngineError> {
    let mut warnings = Vec::new();
    loop {
        match player.event().await {
            Some(PlayerEvent::Ready { name }) => return Ok((name, warnings)),
            Some(PlayerEvent::Warning(text)) => warnings.push(text),
            Some(PlayerEvent::Failed(error) | PlayerEvent::Restarted(error)) => return Err(error),
            Some(_) => {}
            None => return Err(gone()),
        }
    }
}

/// Waits until it can begin the game.
async fn prepared(player: &mut PlayerHandle) -> Result<(), EngineError> {
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
                None => return Err(gone()),
            }
        }
    };
    // Players know their own limits; this one is for a player that forgot them.
    match timeout(PATIENCE, waiting).await {
        Ok(done) => done,
        Err(_) => Err(EngineError::Builtin { reason: "it never got ready for a game".to_owned() }),
    }
}

fn with_seed(spec: &PlayerSpec, seed: u64) -> PlayerSpec {
    match spec {
        PlayerSpec::Random(own) => PlayerSpec::Random(RandomSpec {
            seed: Some(own.seed.unwrap_or_default().wrapping_add(seed)),
        }),
        other => other.clone(),
    }
}

fn gone() -> EngineError {
    EngineError::Builtin { reason: "it ended by itself".to_owned() }
}

/// How often a player is started before the match is given up.
const ATTEMPTS: u32 = 3;

/// Longer than any player waits for its engine.
const PATIENCE: Duration = Duration::from_secs(1200);

/// What the built-in engine keeps of its clock for the way of its answer.
const RESERVE: Duration = Duration::from_millis(10);
