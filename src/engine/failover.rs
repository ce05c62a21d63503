//! A player made of several: the configured engine, and others that play on when it fails.
//!
//! The first engine of the list plays. The next one stands by from the moment when it may be needed:
//!
//! - The first engine failed and is being restarted. If it is ready again in time its answer counts. Otherwise the
//!   answer of the other one does.
//! - It failed again in the same game: the other one plays the rest of this game. The first one is started again for
//!   the next game.
//! - It has shown no move although the flag is about to fall.
//! - It has printed nothing for long and was sent `stop`: it may have hung.
//!
//! At the last safe moment before the flag falls the best move known is played: the first move of the last PV, the answer
//! of the engine that stands by, or the best move by captures alone. No game is resigned because a process failed.
//! In the next turns an engine that missed that moment is not waited for until it shows something: the one that stands by
//! answers at once.

mod pending;

use futures_util::future::OptionFuture;
use tokio::sync::mpsc;
use tokio::time::sleep_until;

use crate::config::{BookConfig, BudgetConfig, EngineConfig, EngineKind, Restart};

use pending::Pending;

use super::{
    Answer, Choice, EngineError, EventSender, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle,
    PlayerSpec, PlayerWrapper, SearchInfo, pair,
};

/// The engines of one player.
#[derive(Debug, Clone, PartialEq)]
pub struct FailoverSpec {
    /// The engine that plays.
    pub engine: PlayerSpec,
    /// The engines that play on when it fails, in this order.
    pub fallbacks: Vec<PlayerSpec>,
    /// Start the engine anew for each game.
    pub restart_each_game: bool,
    /// Play on where an engine resigns.
    pub never_resigns: bool,
    /// What is put around the engine that plays, and not around the others.
    pub wrapper: Option<PlayerWrapper>,
}

/// Starts a player that plays on when its engine fails. Its events are those of a single player, except that
/// [`PlayerEvent::GaveUp`] never occurs.
///
/// Call it inside a tokio runtime.
pub fn start_with_fallbacks(spec: FailoverSpec) -> PlayerHandle {
    let (wrapper, first) = (spec.wrapper.clone(), spec.engine.clone());
    let starter = move |asked: PlayerSpec| match &wrapper {
        Some(wrapper) if asked == first => wrapper.start(&asked),
        _ => super::start(asked),
    };
    with_starter(spec, Box::new(starter))
}

/// Starts one of the engines; tests have their own.
type Starter = Box<dyn FnMut(PlayerSpec) -> PlayerHandle + Send>;

fn with_starter(spec: FailoverSpec, mut starter: Starter) -> PlayerHandle {
    let (handle, port) = pair();
    let engine = Member::new(0, starter(spec.engine.clone()));
    let failover = Failover {
        spec,
        starter,
        events: port.events,
        engine,
        standby: None,
        game: None,
        pending: None,
        standby_asked: None,
        owner_waits: true,
        was_ready: false,
    };
    tokio::spawn(failover.run(port.commands));
    handle
}

/// One of the engines.
#[derive(Debug)]
struct Member {
    /// Its place in the list; 0 is the engine, the others are fallbacks.
    place: usize,
    player: PlayerHandle,
    state: MemberState,
    /// It has missed the last moment of an earlier turn, and shown nothing since.
    late: bool,
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberState {
    Starting,
    Ready,
    /// It does not play in this game any more.
    Out,
    /// Its task has ended.
    Ended,
}

struct Failover {
    spec: FailoverSpec,
    starter: Starter,
    events: EventSender,
    engine: Member,
    standby: Option<Member>,
    game: Option<GameInfo>,
    pending: Option<Pending>,
    /// The request that the engine that stands by was last sent.
    standby_asked: Option<u64>,
    /// The owner was sent no `Ready` since the start or the last restart.
    owner_waits: bool,
    was_ready: bool,
}

impl Member {
    fn new(place: usize, player: PlayerHandle) -> Self {
        Self { place, player, state: MemberState::Starting, late: false, name: String::new() }
    }

    /// Whether it plays in this game, at once or when it is ready.
    fn is_in(&self) -> bool {
        matches!(self.state, MemberState::Starting | MemberState::Ready)
    }

    /// Whether its answer can be waited for.
    fn is_dependable(&self) -> bool {
        self.state == MemberState::Ready && !self.late
    }

    /// The next event; never returns when its task has ended. Cancel-safe.
    async fn event(&mut self) -> PlayerEvent {
        if self.state == MemberState::Ended {
            return std::future::pending().await;
        }
        self.player.event().await.unwrap_or_else(|| {
            let reason = "it ended unexpectedly".to_owned();
            PlayerEvent::Failed(EngineError::Builtin { reason })
        })
    }

    /// Ends it in the background.
    fn dismiss(self) {
        if self.state != MemberState::Ended {
            tokio::spawn(self.player.quit());
        }
    }
}

impl Failover {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<PlayerCommand>) {
        loop {
            let wake = self.pending.as_ref().and_then(Pending::wake_at);
            tokio::select! {
                command = commands.recv() => match command {
                    None | Some(PlayerCommand::Quit) => break,
                    Some(command) => self.command(command),
                },
                event = self.engine.event() => {
                    if !self.engine_event(event) {
                        break;
                    }
                }
                event = standby_event(&mut self.standby) => self.standby_event(event),
                Some(()) = OptionFuture::from(wake.map(|at| sleep_until(at.into()))) => self.wake(),
            }
        }
        let quit = async {
            if self.engine.state != MemberState::Ended {
                self.engine.player.quit().await;
            }
        };
        let quit_standby = async {
            if let Some(standby) = self.standby.filter(|it| it.state != MemberState::Ended) {
                standby.player.quit().await;
            }
        };
        tokio::join!(quit, quit_standby);
    }

    // ---- commands of the owner ----

    fn command(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::NewGame(info) => {
                self.game = Some(info);
                self.pending = None;
                self.send_all(&PlayerCommand::NewGame(info));
            }
            PlayerCommand::Think(request) => {
                self.pending = Some(Pending::new(request.clone()));
                self.standby_asked = None;
                let think = PlayerCommand::Think(request);
                match self.engine.state {
                    MemberState::Ready if !self.engine.late => self.engine.player.send(think),
                    // Whichever is ready in time answers.
                    MemberState::Ready | MemberState::Starting => {
                        if self.engine.late {
                            self.call_standby();
                        } else {
                            self.ask_standby();
                        }
                        self.engine.player.send(think);
                    }
                    MemberState::Out | MemberState::Ended if self.standby.is_some() => {
                        self.ask_standby();
                    }
                    // Waiting would only use the clock up.
                    MemberState::Out | MemberState::Ended => {
                        self.play_best_known("no engine is left");
                    }
                }
            }
            PlayerCommand::Ponder(request) => {
                self.pending = None;
                let ponder = PlayerCommand::Ponder(request);
                if self.engine.is_in() {
                    self.engine.player.send(ponder);
                } else {
                    self.send_standby(&ponder);
                }
            }
            PlayerCommand::Stop => {
                self.pending = None;
                self.send_all(&PlayerCommand::Stop);
            }
            PlayerCommand::GameOver(outcome) => {
                self.game = None;
                self.pending = None;
                self.send_all(&PlayerCommand::GameOver(outcome));
                self.after_game();
            }
            // The engines that stand by are not helped by other machines.
            PlayerCommand::ShareEntries { .. } => self.engine.player.send(command),
            PlayerCommand::Quit => {}
        }
    }

    /// Starts the engine again for the next game if it failed in this one, or if each game gets a new one.
    fn after_game(&mut self) {
        match self.engine.state {
            // It restarts by itself when it is sent the end of the game.
            MemberState::Out => {
                self.engine.state = MemberState::Starting;
                self.wait_for_ready();
            }
            MemberState::Ended => self.start_again(),
            _ if self.spec.restart_each_game => self.start_again(),
            MemberState::Starting => self.wait_for_ready(),
            MemberState::Ready => self.dismiss_standby(),
        }
    }

    fn start_again(&mut self) {
        let new = Member::new(0, (self.starter)(self.spec.engine.clone()));
        std::mem::replace(&mut self.engine, new).dismiss();
        self.wait_for_ready();
    }

    fn dismiss_standby(&mut self) {
        if let Some(standby) = self.standby.take() {
            standby.dismiss();
        }
    }

    fn wait_for_ready(&mut self) {
        if !std::mem::replace(&mut self.owner_waits, true) {
            self.events.send(PlayerEvent::NotReady);
        }
    }

    fn send_all(&self, command: &PlayerCommand) {
        if self.engine.state != MemberState::Ended {
            self.engine.player.send(command.clone());
        }
        self.send_standby(command);
    }

    fn send_standby(&self, command: &PlayerCommand) {
        if let Some(standby) = &self.standby {
            standby.player.send(command.clone());
        }
    }

    // ---- events of the engines ----

    /// Handles an event of the engine. Returns whether the player can go on.
    fn engine_event(&mut self, event: PlayerEvent) -> bool {
        match event {
            PlayerEvent::Ready { name } => {
                self.engine.name.clone_from(&name);
                if self.engine.state == MemberState::Starting {
                    self.engine.state = MemberState::Ready;
                }
                self.engine.late = false;
                self.was_ready = true;
                if self.game.is_none() {
                    self.dismiss_standby();
                }
                self.announce(name);
            }
            // An engine that gave up resigns at every request.
            PlayerEvent::Answer { id, answer } if self.engine.is_in() => {
                self.engine.late &= !self.is_pending(id);
                self.answered(id, answer);
            }
            PlayerEvent::Answer { .. } => {}
            PlayerEvent::Info { id, info } => {
                self.engine.late &= !self.is_pending(id);
                self.shown(id, info);
            }
            PlayerEvent::Restarted(error) if self.game.is_some() => {
                self.engine.state = MemberState::Starting;
                let text = format!("{error}; it is started again");
                self.events.send(PlayerEvent::Trouble { text, restarted: true });
                self.call_standby();
                self.give_held();
            }
            // It may have hung: the next one thinks while it has time to answer.
            PlayerEvent::Silent { id } => {
                if self.is_pending(id) {
                    self.call_standby();
                }
            }
            PlayerEvent::Restarted(error) => {
                self.engine.state = MemberState::Starting;
                self.owner_waits = true;
                self.events.send(PlayerEvent::Restarted(error));
            }
            PlayerEvent::GaveUp(error) => self.engine_is_out(MemberState::Out, &error),
            // Without a game an engine that cannot start is an error of the configuration.
            PlayerEvent::Failed(error)
                if (self.was_ready || self.game.is_some()) && self.can_go_on() =>
            {
                self.engine_is_out(MemberState::Ended, &error);
            }
            PlayerEvent::Failed(error) => {
                self.engine.state = MemberState::Ended;
                self.events.send(PlayerEvent::Failed(error));
                return false;
            }
            other @ (PlayerEvent::Introduced
            | PlayerEvent::Prepared
            | PlayerEvent::Warning(_)
            | PlayerEvent::Trouble { .. }
            | PlayerEvent::Entries(_)
            | PlayerEvent::NotReady) => self.events.send(other),
        }
        true
    }

    /// Whether another engine can take the place of the first one, or the running game needs a move in any case.
    fn can_go_on(&self) -> bool {
        self.game.is_some() || self.standby.is_some() || !self.spec.fallbacks.is_empty()
    }

    /// The engine does not play in this game any more: the next one does.
    fn engine_is_out(&mut self, state: MemberState, error: &EngineError) {
        self.engine.state = state;
        self.call_standby();
        let next = match &self.standby {
            Some(standby) => self.spec.title(standby.place),
            None => "the best move known is played at once".to_owned(),
        };
        let text = format!("{error}; {next} plays on");
        self.events.send(PlayerEvent::Trouble { text, restarted: false });
        match &self.standby {
            Some(standby) if standby.state == MemberState::Ready && self.game.is_none() => {
                let name = standby.name.clone();
                self.announce(name);
            }
            Some(_) => self.give_held(),
            None => self.play_best_known("no engine is left"),
        }
    }

    /// Gives the answer of the engine that stands by, if it has one: the first one is not waited for any more.
    fn give_held(&mut self) {
        let held = self.pending.as_mut().and_then(|it| Some((it.request.id, it.held.take()?)));
        if let Some((id, answer)) = held {
            self.answered(id, answer);
        }
    }

    fn standby_event(&mut self, event: PlayerEvent) {
        let Some(standby) = &mut self.standby else { return };
        match event {
            PlayerEvent::Ready { name } => {
                standby.state = MemberState::Ready;
                standby.name.clone_from(&name);
                if self.game.is_none() && !self.engine.is_in() {
                    self.announce(name);
                }
            }
            PlayerEvent::Answer { id, answer } => {
                if self.engine.is_dependable() {
                    if let Some(pending) = self.pending.as_mut().filter(|it| it.request.id == id) {
                        pending.held = Some(answer);
                    }
                } else {
                    self.answered(id, answer);
                }
            }
            PlayerEvent::Info { id, info } if !self.engine.is_dependable() => {
                self.shown(id, info);
            }
            other @ (PlayerEvent::Warning(_) | PlayerEvent::Trouble { .. }) => {
                self.events.send(other);
            }
            PlayerEvent::Restarted(error) => {
                standby.state = MemberState::Starting;
                let text = format!("{error}; it is started again");
                self.events.send(PlayerEvent::Trouble { text, restarted: true });
            }
            PlayerEvent::GaveUp(error) | PlayerEvent::Failed(error) => {
                let text = error.to_string();
                self.events.send(PlayerEvent::Trouble { text, restarted: false });
                let place = standby.place;
                if let Some(failed) = self.standby.take() {
                    failed.dismiss();
                }
                self.start_standby(place);
                if self.standby.is_none() && !self.engine.is_in() {
                    self.play_best_known("no engine is left");
                }
            }
            PlayerEvent::Introduced
            | PlayerEvent::Info { .. }
            | PlayerEvent::Prepared
            | PlayerEvent::Silent { .. }
            | PlayerEvent::Entries(_)
            | PlayerEvent::NotReady => {}
        }
    }

    /// Starts the engine that stands by, if it is not there yet, with what is going on.
    fn call_standby(&mut self) {
        if self.standby.is_none() {
            self.start_standby(0);
        } else {
            self.ask_standby();
        }
    }

    /// Sends the pending request to the engine that stands by, unless it has it.
    fn ask_standby(&mut self) {
        if let (Some(standby), Some(pending)) = (&self.standby, &self.pending)
            && self.standby_asked != Some(pending.request.id)
        {
            self.standby_asked = Some(pending.request.id);
            standby.player.send(PlayerCommand::Think(pending.request.clone()));
        }
    }

    /// Starts the engine after this place.
    fn start_standby(&mut self, after: usize) {
        let Some(spec) = self.spec.fallbacks.get(after) else { return };
        let standby = Member::new(after + 1, (self.starter)(spec.clone()));
        if let Some(game) = self.game {
            standby.player.send(PlayerCommand::NewGame(game));
        }
        self.standby = Some(standby);
        self.standby_asked = None;
        self.ask_standby();
    }

    /// Whether the request of this number waits for an answer.
    fn is_pending(&self, id: u64) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.request.id == id)
    }

    fn announce(&mut self, name: String) {
        if std::mem::take(&mut self.owner_waits) {
            self.events.send(PlayerEvent::Ready { name });
        }
    }

    fn shown(&mut self, id: u64, info: Box<SearchInfo>) {
        if let Some(pending) = self.pending.as_mut().filter(|it| it.request.id == id)
            && !info.pv.is_empty()
            && info.is_best_line()
        {
            pending.known = Some(info.clone());
        }
        self.events.send(PlayerEvent::Info { id, info });
    }

    /// Passes an answer on, unless the rules refuse it.
    fn answered(&mut self, id: u64, answer: Answer) {
        let Some(pending) = self.pending.as_ref().filter(|it| it.request.id == id) else { return };
        let position = pending.request.game.position();
        let may_declare = self.allows_declaration() && position.can_declare();
        let fault = match answer.choice {
            Choice::Move(mv) if !position.is_legal(mv) => Some("an illegal move"),
            Choice::Declare if !may_declare => Some("a declaration against the rules"),
            Choice::Resign if self.spec.never_resigns && position.has_legal_move() => {
                Some("resigning is switched off (budget.resign_moves)")
            }
            _ => None,
        };
        match fault {
            Some(fault) => self.play_best_known(fault),
            None => self.give(answer),
        }
    }

    fn allows_declaration(&self) -> bool {
        self.game.is_some_and(|game| game.declaration)
    }

    fn give(&mut self, answer: Answer) {
        let Some(pending) = self.pending.take() else { return };
        let id = pending.request.id;
        self.events.send(PlayerEvent::Answer { id, answer });
        // Whoever still thinks about it stops.
        self.send_all(&PlayerCommand::Stop);
    }

    fn play_best_known(&mut self, why: &str) {
        let declaration = self.allows_declaration();
        let Some(pending) = &mut self.pending else { return };
        let (answer, is_known) = pending.best_known(declaration);
        if let Choice::Move(mv) = answer.choice {
            let what = if is_known { "the best move known" } else { "a legal move" };
            let text = format!("{why}: playing {mv}, {what}");
            self.events.send(PlayerEvent::Warning(text));
        }
        self.give(answer);
    }

    /// The alarm or the last moment has come.
    fn wake(&mut self) {
        let now = tokio::time::Instant::now().into_std();
        let Some(pending) = &mut self.pending else { return };
        if pending.last_moment.is_some_and(|at| at <= now) {
            self.engine.late = true;
            return self.play_best_known("no answer in time");
        }
        if pending.alarm_at.is_some_and(|at| at <= now) {
            pending.alarm_at = None;
            if pending.known.is_none() && pending.held.is_none() {
                pending.look_for_a_quick_move();
                self.call_standby();
            }
        }
    }
}

impl FailoverSpec {
    /// The engine of a configuration with its fallbacks. By default the built-in engine plays on for a USI engine.
    /// `book` stands before each of them. `all_cores`: threads of the built-in engine where the configuration does not say.
    pub fn new(
        engine: &EngineConfig,
        fallbacks: Option<&[EngineConfig]>,
        budget: &BudgetConfig,
        book: &BookConfig,
        all_cores: usize,
    ) -> Self {
        let spec = |engine: &EngineConfig| PlayerSpec::new(engine, budget, book, all_cores);
        let default = || match engine.kind {
            EngineKind::Usi => {
                vec![spec(&EngineConfig { hash: DEFAULT_FALLBACK_HASH, ..EngineConfig::default() })]
            }
            EngineKind::Builtin | EngineKind::Random => Vec::new(),
        };
        Self {
            engine: spec(engine),
            fallbacks: fallbacks.map_or_else(default, |list| list.iter().map(spec).collect()),
            restart_each_game: engine.restart == Restart::EachGame,
            never_resigns: budget.resign_moves == 0,
            wrapper: None,
        }
    }

    /// The engine at this place, for messages.
    fn title(&self, place: usize) -> String {
        match place.checked_sub(1).map_or(Some(&self.engine), |place| self.fallbacks.get(place)) {
            Some(PlayerSpec::Usi(spec)) => format!("the engine {}", spec.title()),
            Some(PlayerSpec::Random(_)) => "the random player".to_owned(),
            Some(PlayerSpec::Builtin(_)) | None => "the built-in engine".to_owned(),
        }
    }
}

async fn standby_event(standby: &mut Option<Member>) -> PlayerEvent {
    match standby {
        Some(standby) => standby.event().await,
        None => std::future::pending().await,
    }
}

/// Table of the built-in engine where it is not configured as a fallback, in bytes.
const DEFAULT_FALLBACK_HASH: u64 = 64 << 20;

#[cfg(test)]
mod tests;
