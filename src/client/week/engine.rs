//! The engine of the client: it thinks for a part of its clock, and sometimes fails.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use kyomi_shogi::EnteringKingRule;

use crate::players::{
    Answer, Choice, EngineError, PlayerCommand, PlayerEvent, PlayerHandle, PlayerPort, PlayerSpec,
    ThinkRequest, pair,
};

use super::{moves::choose, world::World};

/// Starts the engine. The seed in its options is the number of its account.
pub(super) fn start(world: &World, spec: &PlayerSpec) -> PlayerHandle {
    let PlayerSpec::Random(spec) = spec else { panic!("{spec:?}") };
    let account = spec.seed.and_then(|it| usize::try_from(it).ok()).expect("its account");
    let (handle, port) = pair();
    let engine = Engine {
        world: world.clone(),
        account,
        random: world.random_of_connection(),
        port,
        rule: EnteringKingRule::None,
        gave_up: false,
    };
    world.spawn("an engine", engine.run());
    handle
}

struct Engine {
    world: World,
    account: usize,
    random: fastrand::Rng,
    port: PlayerPort,
    rule: EnteringKingRule,
    /// It resigns until the end of the game.
    gave_up: bool,
}

/// What an engine does with a request.
enum Behaviour {
    Answers,
    Dies,
    Restarts,
    GivesUp,
    Hangs,
}

impl Engine {
    async fn run(mut self) {
        sleep(Duration::from_millis(self.random.u64(50..3000))).await;
        self.ready();
        let mut next = self.port.commands.recv().await;
        while let Some(command) = next {
            next = match command {
                PlayerCommand::NewGame(info) => {
                    self.rule = info.entering_king;
                    sleep(Duration::from_millis(self.random.u64(1..2000))).await;
                    self.port.events.send(PlayerEvent::Prepared);
                    self.port.commands.recv().await
                }
                PlayerCommand::Think(request) => match self.think(&request).await {
                    Ok(next) => next,
                    Err(Dead) => return,
                },
                PlayerCommand::GameOver(_) if std::mem::take(&mut self.gave_up) => {
                    sleep(Duration::from_secs(2)).await;
                    self.ready();
                    self.port.commands.recv().await
                }
                PlayerCommand::Quit => return,
                _ => self.port.commands.recv().await,
            };
        }
    }

    fn ready(&self) {
        self.port.events.send(PlayerEvent::Ready { name: "scripted".to_owned() });
    }

    /// Answers a request, unless another command comes first, which is returned.
    async fn think(&mut self, request: &ThinkRequest) -> Result<Option<PlayerCommand>, Dead> {
        let failure = || EngineError::Builtin { reason: "it was meant to fail".to_owned() };
        match self.behaviour() {
            _ if self.gave_up => self.answer(request, Choice::Resign),
            Behaviour::Answers => {}
            Behaviour::Dies => {
                self.world.count("engine died");
                self.port.events.send(PlayerEvent::Failed(failure()));
                return Err(Dead);
            }
            Behaviour::Restarts => {
                self.world.count("engine restarted");
                self.port.events.send(PlayerEvent::Restarted(failure()));
                sleep(Duration::from_secs(3)).await;
                self.ready();
            }
            Behaviour::GivesUp => {
                self.world.count("engine gave up");
                self.gave_up = true;
                self.port.events.send(PlayerEvent::GaveUp(failure()));
                self.answer(request, Choice::Resign);
            }
            Behaviour::Hangs => {
                self.world.count("engine hung");
                self.world.note(format!("the engine of own{} hangs", self.account));
                self.world.state().hung[self.account] = Some(Instant::now());
                return Ok(self.port.commands.recv().await);
            }
        }
        if !self.gave_up {
            let time = self.thinking_time(request);
            tokio::select! {
                command = self.port.commands.recv() => return Ok(command),
                () = sleep(time) => {}
            }
            let choice = self.choice(request);
            self.answer(request, choice);
        }
        Ok(self.port.commands.recv().await)
    }

    fn behaviour(&mut self) -> Behaviour {
        match self.random.u32(..1000) {
            0..2 => Behaviour::Dies,
            2..4 => Behaviour::Restarts,
            4..5 => Behaviour::GivesUp,
            5..7 => Behaviour::Hangs,
            _ => Behaviour::Answers,
        }
    }

    /// A few hundredths of what is left.
    fn thinking_time(&mut self, request: &ThinkRequest) -> Duration {
        let position = request.game.position();
        let clock = request.clocks.of(position.side_to_move());
        let left = clock.remaining + clock.control.increment;
        Duration::from_millis(20) + left.mul_f64(0.04 * self.random.f64() * self.random.f64())
    }

    fn choice(&mut self, request: &ThinkRequest) -> Choice {
        let position = request.game.position();
        let repeats = self.world.state().repeating[self.account];
        if position.can_declare(self.rule) {
            Choice::Declare
        } else if request.game.len() > 16 && !repeats && self.random.f64() < 0.03 {
            Choice::Resign
        } else {
            choose(position, &mut self.random, repeats).map_or(Choice::Resign, Choice::Move)
        }
    }

    fn answer(&self, request: &ThinkRequest, choice: Choice) {
        let answer = Answer::plain(choice);
        self.port.events.send(PlayerEvent::Answer { id: request.id, answer });
    }
}

/// The engine has ended.
struct Dead;
