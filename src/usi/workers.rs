//! The connection to the workers of a room: a thread in which the coordinator runs.
//!
//! The coordinator owns a local player, which is the engine itself. Its commands to that player arrive at the engine as
//! [`Input::CoordinatorCommand`], and its events for the host as [`Input::CoordinatorEvent`].

use std::sync::mpsc;

use super::shell::{Input, JoinRequest};
use crate::players::{PlayerCommand, PlayerEvent};

#[cfg(feature = "cluster")]
pub(super) use joined::Workers;

/// Cannot exist in a program without the feature.
#[cfg(not(feature = "cluster"))]
pub(super) enum Workers {}

#[cfg(not(feature = "cluster"))]
impl Workers {
    pub(super) fn join(
        _request: JoinRequest,
        _inputs: mpsc::SyncSender<Input>,
    ) -> Result<(Self, String), String> {
        Err("this kyomi was built without `cluster`".to_owned())
    }

    pub(super) fn command(&self, _command: PlayerCommand) {
        match *self {}
    }

    pub(super) fn report(&self, _event: PlayerEvent) {
        match *self {}
    }

    pub(super) fn release(self) -> std::thread::JoinHandle<()> {
        match self {}
    }
}

#[cfg(feature = "cluster")]
mod joined {
    use std::{
        sync::Arc,
        thread::{self, JoinHandle},
        time::Duration,
    };

    use tokio::sync::mpsc as tokio_mpsc;

    use super::{Input, JoinRequest, PlayerCommand, PlayerEvent, mpsc};
    use crate::cluster::{
        CoordinatorSpec, Help, LinkState, NatsTransport, Room, coordinate, subject::random_name,
    };
    use crate::players::{EventSender, PlayerHandle, pair};

    /// The coordinator of a room. It ends with this value.
    pub(in crate::usi) struct Workers {
        commands: tokio_mpsc::UnboundedSender<PlayerCommand>,
        events: EventSender,
        thread: JoinHandle<()>,
    }

    impl Workers {
        /// Joins a room. Waits up to [`CONNECT_LIMIT`] for the broker and returns a message about the connection. The
        /// attempts to connect continue in the background.
        ///
        /// # Errors
        /// The settings are not usable, or the thread cannot be started.
        pub(in crate::usi) fn join(
            request: JoinRequest,
            inputs: mpsc::SyncSender<Input>,
        ) -> Result<(Self, String), String> {
            let (result_sender, result) = mpsc::channel();
            let (commands, host_commands) = tokio_mpsc::unbounded_channel();
            let (player, port) = pair();
            let player_events = port.events;
            let mut player_commands = port.commands;
            let work = async move {
                let (transport, mut owner) = match coordinator(&request, player).await {
                    Ok((transport, owner, message)) => {
                        let _ = result_sender.send(Ok(message));
                        (transport, owner)
                    }
                    Err(error) => return drop(result_sender.send(Err(error))),
                };
                let ended = forward(&mut owner, host_commands, &mut player_commands, &inputs).await;
                if ended == Ended::ByCoordinator {
                    // The engine must continue a running search alone, because its clock runs. The send fails only
                    // after the engine has ended.
                    let _ = inputs.send(Input::CoordinatorEnded { join: request.number });
                }
                drop(player_commands);
                owner.quit().await;
                transport.flush(FLUSH_LIMIT).await;
            };
            let thread = thread::Builder::new()
                .name("usi-workers".to_owned())
                .spawn(move || {
                    let runtime = tokio::runtime::Builder::new_multi_thread()
                        .worker_threads(1)
                        .enable_all()
                        .build();
                    match runtime {
                        Ok(runtime) => runtime.block_on(work),
                        Err(error) => tracing::error!("no runtime for the workers: {error}"),
                    }
                })
                .map_err(|error| error.to_string())?;
            let message =
                result.recv().unwrap_or_else(|_| Err("it cannot be started".to_owned()))?;
            Ok((Self { commands, events: player_events, thread }, message))
        }

        /// Sends the coordinator a command of the host.
        pub(in crate::usi) fn command(&self, command: PlayerCommand) {
            let _ = self.commands.send(command);
        }

        /// Sends the coordinator an event of its local player.
        pub(in crate::usi) fn report(&self, event: PlayerEvent) {
            self.events.send(event);
        }

        /// Releases the workers. The returned thread ends at most [`FLUSH_LIMIT`] later.
        pub(in crate::usi) fn release(self) -> JoinHandle<()> {
            self.thread
        }
    }

    async fn coordinator(
        request: &JoinRequest,
        player: PlayerHandle,
    ) -> Result<(Arc<NatsTransport>, PlayerHandle, String), String> {
        let JoinRequest { cluster, search, .. } = request;
        let room: Room = cluster.room.parse().map_err(|error| format!("{error}"))?;
        let connected = NatsTransport::connect(cluster, "coordinator").await;
        let transport = connected.map_err(|error| error.to_string())?;
        let spec = CoordinatorSpec {
            room,
            name: random_name(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            search: search.checksum(),
            threads: search.threads,
            help: Help::default(),
        };
        let owner = coordinate(player, transport.shared(), spec);
        let room_name = format!("room {} at {}", cluster.room, cluster.shown_servers());
        let message = match transport.wait_while_connecting(CONNECT_LIMIT).await {
            LinkState::Connected => format!("the workers of {room_name} help"),
            LinkState::Connecting => format!("{room_name} is not reached yet; it is tried again"),
            LinkState::Lost(reason) => {
                format!("{room_name} is not reached: {reason}; it is tried again")
            }
        };
        Ok((transport, owner, message))
    }

    /// Which side has ended the forwarding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Ended {
        ByEngine,
        ByCoordinator,
    }

    /// Forwards commands and events between the engine and the coordinator until one of them ends.
    async fn forward(
        owner: &mut PlayerHandle,
        mut host_commands: tokio_mpsc::UnboundedReceiver<PlayerCommand>,
        player_commands: &mut tokio_mpsc::UnboundedReceiver<PlayerCommand>,
        inputs: &mpsc::SyncSender<Input>,
    ) -> Ended {
        loop {
            let input = tokio::select! {
                command = host_commands.recv() => match command {
                    Some(command) => {
                        owner.send(command);
                        continue;
                    }
                    None => return Ended::ByEngine,
                },
                command = player_commands.recv() => command.map(|it| Input::CoordinatorCommand(Box::new(it))),
                event = owner.event() => event.map(Input::CoordinatorEvent),
            };
            let Some(input) = input else { return Ended::ByCoordinator };
            // Blocks while the engine is slow. The connection has its own threads.
            if inputs.send(input).is_err() {
                return Ended::ByEngine;
            }
        }
    }

    /// The longest wait for the broker before `readyok`.
    const CONNECT_LIMIT: Duration = Duration::from_secs(2);
    /// The longest wait for the last messages to the broker.
    const FLUSH_LIMIT: Duration = Duration::from_millis(500);
}
