//! A player of several engines: a primary engine and fallbacks that play when it fails.
//!
//! The next engine of the list becomes the standby engine, and gets the pending request as well, when
//!
//! - the primary engine failed and is being restarted. If it is ready again in time its answer counts, otherwise that
//!   of the standby engine;
//! - it failed again in the same game. The standby engine plays the rest of this game, and the primary engine is
//!   restarted for the next one;
//! - it has shown no move although the flag is about to fall;
//! - it has printed nothing for long and was sent `stop`, since it may have hung.
//!
//! At the last safe moment before the flag falls a fallback move is played: the first move of the last PV, the answer
//! of the standby engine, or the best move by captures alone. No game is resigned because a process failed. A primary
//! engine that missed that moment is unresponsive: until it sends something, the standby engine answers at once.

mod member;
mod pending;
mod spec;

use futures_util::future::OptionFuture;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use member::{Member, MemberState, standby_event};
use pending::Pending;
pub use spec::FailoverSpec;

use kyomi_shogi::EnteringKingRule;

use super::{
    Answer, Choice, EngineError, EventSender, GameInfo, PlayerCommand, PlayerEvent, PlayerHandle,
    PlayerSpec, SearchInfo, pair,
};

/// Starts a player with fallback engines. Its events are those of a single player, except that
/// [`PlayerEvent::GaveUp`] never occurs.
///
/// Call it inside a tokio runtime.
pub fn start_with_fallbacks(spec: FailoverSpec) -> PlayerHandle {
    let (wrapper, first) = (spec.wrapper.clone(), spec.engine.clone());
    let starter = move |spec: PlayerSpec| match &wrapper {
        Some(wrapper) if spec == first => wrapper.start(&spec),
        _ => super::start(spec),
    };
    with_starter(spec, Box::new(starter))
}

/// Starts one of the engines; tests have their own.
type Starter = Box<dyn FnMut(PlayerSpec) -> PlayerHandle + Send>;

fn with_starter(spec: FailoverSpec, mut starter: Starter) -> PlayerHandle {
    let (handle, port) = pair();
    let primary = Member::new(0, starter(spec.engine.clone()));
    let failover = Failover {
        spec,
        starter,
        events: port.events,
        primary,
        standby: None,
        ending: None,
        game: None,
        pending: None,
        standby_request: None,
        ready_unsent: true,
        was_ready: false,
    };
    tokio::spawn(failover.run(port.commands));
    handle
}

struct Failover {
    spec: FailoverSpec,
    starter: Starter,
    events: EventSender,
    primary: Member,
    standby: Option<Member>,
    /// The end of the primary engine's old process, after which a new one is started.
    ending: Option<JoinHandle<()>>,
    game: Option<GameInfo>,
    pending: Option<Pending>,
    /// The id of the last request sent to the standby engine.
    standby_request: Option<u64>,
    /// Whether `Ready` must still be sent to the owner since the start or the last restart.
    ready_unsent: bool,
    was_ready: bool,
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
                event = self.primary.event() => {
                    if !self.primary_event(event) {
                        break;
                    }
                }
                event = standby_event(&mut self.standby) => self.standby_event(event),
                Some(_) = OptionFuture::from(self.ending.as_mut()) => self.start_primary(),
                Some(()) = OptionFuture::from(wake.map(|at| sleep_until(at.into()))) => self.handle_deadline(),
            }
        }
        let quit = async {
            if let Some(ending) = self.ending {
                let _ = ending.await;
            } else if self.primary.state != MemberState::Ended {
                self.primary.player.quit().await;
            }
        };
        let quit_standby = async {
            if let Some(standby) = self.standby.filter(|it| it.state != MemberState::Ended) {
                standby.player.quit().await;
            }
        };
        tokio::join!(quit, quit_standby);
    }

    fn command(&mut self, command: PlayerCommand) {
        match command {
            PlayerCommand::NewGame(info) => {
                self.game = Some(info);
                self.pending = None;
                self.send_all(&PlayerCommand::NewGame(info));
            }
            PlayerCommand::Think(request) => {
                self.pending = Some(Pending::new(request.clone()));
                self.standby_request = None;
                let think = PlayerCommand::Think(request);
                match self.primary.state {
                    MemberState::Ready if !self.primary.unresponsive => {
                        self.primary.player.send(think);
                    }
                    // The first one that is ready answers.
                    MemberState::Ready | MemberState::Starting | MemberState::Replaced => {
                        if self.primary.unresponsive {
                            self.wake_standby();
                        } else {
                            self.forward_request();
                        }
                        self.primary.player.send(think);
                    }
                    MemberState::OutOfGame | MemberState::Ended if self.standby.is_some() => {
                        self.forward_request();
                    }
                    // Waiting would only use up the clock.
                    MemberState::OutOfGame | MemberState::Ended => {
                        self.play_fallback_move("no engine is left");
                    }
                }
            }
            PlayerCommand::Ponder(request) => {
                self.pending = None;
                let ponder = PlayerCommand::Ponder(request);
                if self.primary.is_playing() {
                    self.primary.player.send(ponder);
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
            PlayerCommand::ShareEntries { .. } => self.primary.player.send(command),
            PlayerCommand::Quit => {}
        }
    }

    /// Restarts the primary engine for the next game if it failed in this one, or if each game gets a new process.
    fn after_game(&mut self) {
        match self.primary.state {
            // The player restarts its process when it gets `GameOver`.
            MemberState::OutOfGame => {
                self.primary.state = MemberState::Starting;
                self.announce_not_ready();
            }
            MemberState::Replaced => {}
            MemberState::Ended => {
                self.start_primary();
                self.announce_not_ready();
            }
            // An engine may need the machine, such as its GPU, for itself: the old process ends before the new one
            // starts.
            _ if self.spec.restart_each_game => {
                let old = std::mem::replace(&mut self.primary, Member::replaced(0));
                self.ending = Some(tokio::spawn(old.player.quit()));
                self.announce_not_ready();
            }
            MemberState::Starting => self.announce_not_ready(),
            MemberState::Ready => self.quit_standby(),
        }
    }

    /// Starts the primary engine anew, in the running game if there is one.
    fn start_primary(&mut self) {
        self.ending = None;
        self.primary = Member::new(0, (self.starter)(self.spec.engine.clone()));
        if let Some(game) = self.game {
            self.primary.player.send(PlayerCommand::NewGame(game));
        }
        if let Some(pending) = &self.pending {
            self.primary.player.send(PlayerCommand::Think(pending.request.clone()));
        }
    }

    fn quit_standby(&mut self) {
        if let Some(standby) = self.standby.take() {
            standby.quit();
        }
    }

    fn announce_not_ready(&mut self) {
        if !std::mem::replace(&mut self.ready_unsent, true) {
            self.events.send(PlayerEvent::NotReady);
        }
    }

    fn send_all(&self, command: &PlayerCommand) {
        if self.primary.state != MemberState::Ended {
            self.primary.player.send(command.clone());
        }
        self.send_standby(command);
    }

    fn send_standby(&self, command: &PlayerCommand) {
        if let Some(standby) = &self.standby {
            standby.player.send(command.clone());
        }
    }

    /// Handles an event of the primary engine. Returns whether the player continues.
    fn primary_event(&mut self, event: PlayerEvent) -> bool {
        match event {
            PlayerEvent::Ready { name } => {
                self.primary.name.clone_from(&name);
                if self.primary.state == MemberState::Starting {
                    self.primary.state = MemberState::Ready;
                }
                self.primary.unresponsive = false;
                self.was_ready = true;
                if self.game.is_none() {
                    self.quit_standby();
                }
                self.announce_ready(name);
            }
            // After `GaveUp` every answer is a resignation, which is ignored.
            PlayerEvent::Answer { id, answer } if self.primary.is_playing() => {
                self.primary.unresponsive &= !self.is_pending(id);
                self.accept_answer(id, answer);
            }
            PlayerEvent::Answer { .. } => {}
            PlayerEvent::Info { id, info } => {
                self.primary.unresponsive &= !self.is_pending(id);
                self.record_info(id, info);
            }
            PlayerEvent::Restarted(error) if self.game.is_some() => {
                self.primary.state = MemberState::Starting;
                let text = format!("{error}; it is started again");
                self.events.send(PlayerEvent::EngineFailure { text, restarted: true });
                self.wake_standby();
                self.use_standby_answer();
            }
            // It may have hung. The standby engine starts to think while the primary one has time to answer.
            PlayerEvent::Silent { id } => {
                if self.is_pending(id) {
                    self.wake_standby();
                }
            }
            PlayerEvent::Restarted(error) => {
                self.primary.state = MemberState::Starting;
                self.ready_unsent = true;
                self.events.send(PlayerEvent::Restarted(error));
            }
            PlayerEvent::GaveUp(error) => self.drop_primary(MemberState::OutOfGame, &error),
            // If it was never ready and no game runs, an engine that cannot start is an error of the configuration.
            PlayerEvent::Failed(error)
                if (self.was_ready || self.game.is_some()) && self.can_continue() =>
            {
                self.drop_primary(MemberState::Ended, &error);
            }
            PlayerEvent::Failed(error) => {
                self.primary.state = MemberState::Ended;
                self.events.send(PlayerEvent::Failed(error));
                return false;
            }
            other @ (PlayerEvent::Identified
            | PlayerEvent::Prepared
            | PlayerEvent::Warning(_)
            | PlayerEvent::EngineFailure { .. }
            | PlayerEvent::Entries(_)
            | PlayerEvent::Helped(_)
            | PlayerEvent::NotReady) => self.events.send(other),
        }
        true
    }

    /// Whether a fallback exists, or a running game needs a move in any case.
    fn can_continue(&self) -> bool {
        self.game.is_some() || self.standby.is_some() || !self.spec.fallbacks.is_empty()
    }

    /// Takes the primary engine out of this game; the standby engine plays on.
    fn drop_primary(&mut self, state: MemberState, error: &EngineError) {
        self.primary.state = state;
        self.wake_standby();
        let next = match &self.standby {
            Some(standby) => self.spec.title(standby.index),
            None => "the best move known is played at once".to_owned(),
        };
        let text = format!("{error}; {next} plays on");
        self.events.send(PlayerEvent::EngineFailure { text, restarted: false });
        match &self.standby {
            Some(standby) if standby.state == MemberState::Ready && self.game.is_none() => {
                let name = standby.name.clone();
                self.announce_ready(name);
            }
            Some(_) => self.use_standby_answer(),
            // The owner need not wait for it before the game.
            None if self.pending.is_none() => self.events.send(PlayerEvent::Prepared),
            None => self.play_fallback_move("no engine is left"),
        }
    }

    /// Sends the answer of the standby engine, if it has one, without waiting for the primary engine.
    fn use_standby_answer(&mut self) {
        let answer =
            self.pending.as_mut().and_then(|it| Some((it.request.id, it.standby_answer.take()?)));
        if let Some((id, answer)) = answer {
            self.accept_answer(id, answer);
        }
    }

    fn standby_event(&mut self, event: PlayerEvent) {
        let Some(standby) = &mut self.standby else { return };
        match event {
            PlayerEvent::Ready { name } => {
                standby.state = MemberState::Ready;
                standby.name.clone_from(&name);
                if self.game.is_none() && !self.primary.is_playing() {
                    self.announce_ready(name);
                }
            }
            PlayerEvent::Answer { id, answer } => {
                if self.primary.is_responsive() {
                    if let Some(pending) = self.pending.as_mut().filter(|it| it.request.id == id) {
                        pending.standby_answer = Some(answer);
                    }
                } else {
                    self.accept_answer(id, answer);
                }
            }
            PlayerEvent::Info { id, info } if !self.primary.is_responsive() => {
                self.record_info(id, info);
            }
            other @ (PlayerEvent::Warning(_) | PlayerEvent::EngineFailure { .. }) => {
                self.events.send(other);
            }
            PlayerEvent::Prepared if !self.primary.is_responsive() => {
                self.events.send(PlayerEvent::Prepared);
            }
            PlayerEvent::Restarted(error) => {
                standby.state = MemberState::Starting;
                let text = format!("{error}; it is started again");
                self.events.send(PlayerEvent::EngineFailure { text, restarted: true });
            }
            PlayerEvent::GaveUp(error) | PlayerEvent::Failed(error) => {
                let text = error.to_string();
                self.events.send(PlayerEvent::EngineFailure { text, restarted: false });
                let index = standby.index;
                if let Some(failed) = self.standby.take() {
                    failed.quit();
                }
                self.start_standby(index);
                if self.standby.is_none() && !self.primary.is_playing() {
                    self.play_fallback_move("no engine is left");
                }
            }
            PlayerEvent::Identified
            | PlayerEvent::Info { .. }
            | PlayerEvent::Prepared
            | PlayerEvent::Silent { .. }
            | PlayerEvent::Entries(_)
            | PlayerEvent::Helped(_)
            | PlayerEvent::NotReady => {}
        }
    }

    /// Starts the standby engine if there is none, and sends it the pending request.
    fn wake_standby(&mut self) {
        if self.standby.is_none() {
            self.start_standby(0);
        } else {
            self.forward_request();
        }
    }

    /// Sends the pending request to the standby engine, unless it has it.
    fn forward_request(&mut self) {
        if let (Some(standby), Some(pending)) = (&self.standby, &self.pending)
            && self.standby_request != Some(pending.request.id)
        {
            self.standby_request = Some(pending.request.id);
            standby.player.send(PlayerCommand::Think(pending.request.clone()));
        }
    }

    /// Starts the engine after this index as the standby engine, in the running game.
    fn start_standby(&mut self, after: usize) {
        let Some(spec) = self.spec.fallbacks.get(after) else { return };
        let standby = Member::new(after + 1, (self.starter)(spec.clone()));
        if let Some(game) = self.game {
            standby.player.send(PlayerCommand::NewGame(game));
        }
        self.standby = Some(standby);
        self.standby_request = None;
        self.forward_request();
    }

    /// Whether the request with this id is not answered yet.
    fn is_pending(&self, id: u64) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.request.id == id)
    }

    fn announce_ready(&mut self, name: String) {
        if std::mem::take(&mut self.ready_unsent) {
            self.events.send(PlayerEvent::Ready { name });
        }
    }

    fn record_info(&mut self, id: u64, info: Box<SearchInfo>) {
        if let Some(pending) = self.pending.as_mut().filter(|it| it.request.id == id)
            && !info.pv.is_empty()
            && info.is_best_line()
        {
            pending.best_info = Some(info.clone());
        }
        self.events.send(PlayerEvent::Info { id, info });
    }

    /// Sends an answer to the owner. An answer against the rules is replaced by a fallback move.
    fn accept_answer(&mut self, id: u64, answer: Answer) {
        let Some(pending) = self.pending.as_ref().filter(|it| it.request.id == id) else { return };
        let position = pending.request.game.position();
        let may_declare = position.can_declare(self.entering_king());
        let fault = match answer.choice {
            Choice::Move(mv) if !position.is_legal(mv) => Some("an illegal move"),
            Choice::Declare if !may_declare => Some("a declaration against the rules"),
            Choice::Resign if self.spec.never_resigns && position.has_legal_move() => {
                Some("resigning is switched off (budget.resign_moves)")
            }
            Choice::Resign => answer.resign_fault,
            _ => None,
        };
        match fault {
            Some(fault) => self.play_fallback_move(fault),
            None => self.send_answer(answer),
        }
    }

    fn entering_king(&self) -> EnteringKingRule {
        self.game.map_or(EnteringKingRule::None, |game| game.entering_king)
    }

    fn send_answer(&mut self, answer: Answer) {
        let Some(pending) = self.pending.take() else { return };
        let id = pending.request.id;
        self.events.send(PlayerEvent::Answer { id, answer });
        // The other engine may still think.
        self.send_all(&PlayerCommand::Stop);
    }

    fn play_fallback_move(&mut self, why: &str) {
        let rule = self.entering_king();
        let Some(pending) = &mut self.pending else { return };
        let (answer, is_known) = pending.fallback_answer(rule);
        if let Choice::Move(mv) = answer.choice {
            let what = if is_known { "the best move known" } else { "a legal move" };
            let text = format!("{why}: playing {mv}, {what}");
            self.events.send(PlayerEvent::Warning(text));
        }
        self.send_answer(answer);
    }

    /// Handles the time of [`Pending::wake_at`].
    fn handle_deadline(&mut self) {
        let now = tokio::time::Instant::now().into_std();
        let Some(pending) = &mut self.pending else { return };
        if pending.last_moment.is_some_and(|at| at <= now) {
            self.primary.unresponsive = true;
            return self.play_fallback_move("no answer in time");
        }
        if pending.standby_at.is_some_and(|at| at <= now) {
            pending.standby_at = None;
            if pending.best_info.is_none() && pending.standby_answer.is_none() {
                pending.start_quick_move();
                self.wake_standby();
            }
        }
    }
}

#[cfg(test)]
mod tests;
