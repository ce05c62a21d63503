//! Several machines in one process, on virtual time, as the players of a match.
//!
//! Every machine searches a set number of nodes in a virtual second, and messages take a set time. The code above the
//! transport is the same as with real machines.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::{Contestant, match_player::MatchPlayer};
use crate::cluster::{
    CoordinatorSpec, Help, NetworkFaults, Room, SharedTransport, VirtualNetwork, coordinate,
    message::WorkerCard, serve,
};
use crate::players::{self, BuiltinSpec, EngineError, PlayerHandle, PlayerSpec};
use kyomi_engine::search::Pace;

/// The machines of the two players of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct Machines {
    /// Those of the first player, and those of the second.
    pub sides: [Side; 2],
    /// The network between the machines of one player.
    pub network: NetworkFaults,
    /// The nodes that each search thread searches in a virtual second.
    pub nodes_per_second: u32,
}

/// The machines of one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// Number of machines, at least one. The first one is the coordinator.
    pub machines: usize,
    /// How the others help it.
    pub help: Help,
}

impl Machines {
    /// Starts the players. Call it inside a tokio runtime with virtual time.
    ///
    /// # Errors
    /// A player cannot be started.
    pub(super) async fn start(
        &self,
        contestants: &[Contestant],
    ) -> Result<Vec<MatchPlayer>, EngineError> {
        let mut clock = Clock::default();
        let mut unready = Vec::new();
        for (side, contestant) in self.sides.iter().zip(contestants) {
            let PlayerSpec::Builtin(spec) = &contestant.spec else {
                let reason = "only the built-in engine searches on virtual time".to_owned();
                return Err(EngineError::Builtin { reason });
            };
            let players: Vec<_> = (0..side.machines.max(1)).map(|_| clock.player(spec)).collect();
            unready.push((*side, contestant, spec, players));
        }
        tokio::spawn(clock.run(u64::from(self.nodes_per_second)));
        let mut match_players = Vec::new();
        for (number, (side, contestant, spec, players)) in unready.into_iter().enumerate() {
            let player = self.join(number, side, spec, players).await?;
            match_players.push(MatchPlayer::with_player(Arc::new(contestant.clone()), player));
        }
        Ok(match_players)
    }

    /// Makes one player of several machines.
    async fn join(
        &self,
        number: usize,
        side: Side,
        spec: &BuiltinSpec,
        players: Vec<PlayerHandle>,
    ) -> Result<PlayerHandle, EngineError> {
        let room: Room = format!("side{number}").parse().unwrap_or_else(|_| Room::default());
        let network: SharedTransport = Arc::new(VirtualNetwork::new(self.network));
        let mut players = players.into_iter();
        let Some(mut first) = players.next() else {
            return Err(EngineError::Builtin { reason: "a player without machines".to_owned() });
        };
        first.ready().await?;
        if players.len() == 0 {
            return Ok(first);
        }
        for (at, mut player) in players.enumerate() {
            player.ready().await?;
            let card = WorkerCard {
                worker: format!("{number}-{at}"),
                name: format!("machine {at}"),
                program: PROGRAM.to_owned(),
                engine: "kyomi".to_owned(),
                interest: true,
                search: spec.search_checksum(),
                threads: spec.threads as u32,
                hash: spec.hash_bytes,
                nps: u64::from(self.nodes_per_second) * spec.threads as u64,
                busy_for: None,
            };
            let (network, room) = (Arc::clone(&network), room.clone());
            tokio::spawn(async move {
                let served = serve(network, player, room, card, CancellationToken::new()).await;
                if let Err(error) = served {
                    tracing::error!("a virtual machine failed: {error}");
                }
            });
        }
        let spec = CoordinatorSpec {
            room,
            name: format!("c{number}"),
            program: PROGRAM.to_owned(),
            search: spec.search_checksum(),
            threads: spec.threads,
            help: side.help,
        };
        Ok(coordinate(first, network, spec))
    }
}

/// Drives the searches of all machines by the virtual time.
#[derive(Default)]
struct Clock {
    paces: Vec<Arc<Pace>>,
}

impl Clock {
    fn player(&mut self, spec: &BuiltinSpec) -> PlayerHandle {
        let pace = Arc::new(Pace::new(PACE_INTERVAL));
        self.paces.push(Arc::clone(&pace));
        players::start_paced(spec, Some(pace))
    }

    /// Lets all threads search for a step at a time, until the runtime ends.
    async fn run(self, nodes_per_second: u64) {
        let mut steps = interval(STEP);
        steps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let nodes = (nodes_per_second * STEP.as_millis() as u64 / 1000).max(1);
        loop {
            steps.tick().await;
            for pace in &self.paces {
                pace.advance(nodes);
            }
        }
    }
}

/// The program version of all virtual machines.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// The step of the virtual time: messages between machines take at least about as long.
const STEP: Duration = Duration::from_millis(5);
/// The number of nodes between two checks of the pace.
const PACE_INTERVAL: u64 = 20;
