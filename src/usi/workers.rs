//! The workers that help, through a broker: a thread in which the coordinator runs.
//!
//! The coordinator is the owner of a player, which is the engine itself: what it asks of that player comes back as
//! [`Input::Asked`], and what it says to the host as [`Input::Helped`].

use std::sync::mpsc;

use super::shell::{Input, Joining};
use crate::engine::{PlayerCommand, PlayerEvent};

#[cfg(feature = "cluster")]
pub(super) use joined::Workers;

/// Nobody, in a program without the feature.
#[cfg(not(feature = "cluster"))]
pub(super) enum Workers {}

#[cfg(not(feature = "cluster"))]
impl Workers {
    pub(super) fn join(
        _wanted: Joining,
        _inputs: mpsc::SyncSender<Input>,
    ) -> Result<(Self, String), String> {
        Err("this kyomi was built without `cluster`".to_owned())
    }

    pub(super) fn ask(&self, _command: PlayerCommand) {
        match *self {}
    }

    pub(super) fn tell(&self, _event: PlayerEvent) {
        match *self {}
    }

    pub(super) fn end(self) -> std::thread::JoinHandle<()> {
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

    use super::{Input, Joining, PlayerCommand, PlayerEvent, mpsc};
    use crate::cluster::{
        CoordinatorSpec, Help, LinkState, NatsTransport, Room, coordinate, subject::random_name,
    };
    use crate::engine::{EventSender, PlayerHandle, pair};

    /// The coordinator of a room. It ends with this value.
    pub(in crate::usi) struct Workers {
        commands: tokio_mpsc::UnboundedSender<PlayerCommand>,
        events: EventSender,
        thread: JoinHandle<()>,
    }

    impl Workers {
        /// Joins a room. Returns in words how far the broker is reached; it is tried again until it is.
        ///
        /// # Errors
        /// The settings cannot be used.
        pub(in crate::usi) fn join(
            wanted: Joining,
            inputs: mpsc::SyncSender<Input>,
        ) -> Result<(Self, String), String> {
            let (told, joined) = mpsc::channel();
            let (commands, asked) = tokio_mpsc::unbounded_channel();
            let (player, port) = pair();
            let of_engine = port.events;
            let mut to_engine = port.commands;
            let work = async move {
                let (transport, mut owner) = match coordinator(&wanted, player).await {
                    Ok((transport, owner, words)) => {
                        let _ = told.send(Ok(words));
                        (transport, owner)
                    }
                    Err(error) => return drop(told.send(Err(error))),
                };
                let ended = pass_on(&mut owner, asked, &mut to_engine, &inputs).await;
                if ended == Ended::ByItself {
                    // A search that runs goes on alone, and its clock runs. Without an engine nobody needs to know.
                    let _ = inputs.send(Input::Left { join: wanted.number });
                }
                drop(to_engine);
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
            let words = joined.recv().unwrap_or_else(|_| Err("it cannot be started".to_owned()))?;
            Ok((Self { commands, events: of_engine, thread }, words))
        }

        /// Asks the coordinator, as the owner of a player does.
        pub(in crate::usi) fn ask(&self, command: PlayerCommand) {
            let _ = self.commands.send(command);
        }

        /// Tells the coordinator what the engine, its player, does.
        pub(in crate::usi) fn tell(&self, event: PlayerEvent) {
            self.events.send(event);
        }

        /// Releases the workers. The thread that is returned ends soon.
        pub(in crate::usi) fn end(self) -> JoinHandle<()> {
            self.thread
        }
    }

    async fn coordinator(
        wanted: &Joining,
        player: PlayerHandle,
    ) -> Result<(Arc<NatsTransport>, PlayerHandle, String), String> {
        let Joining { cluster, search, .. } = wanted;
        let room: Room = cluster.room.parse().map_err(|error| format!("{error}"))?;
        let connected = NatsTransport::connect(cluster, "coordinator").await;
        let transport = connected.map_err(|error| error.to_string())?;
        let spec = CoordinatorSpec {
            room,
            name: random_name(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            search: search.checksum(),
            parameters: *search.parameters,
            help: Help::default(),
        };
        let owner = coordinate(player, transport.shared(), spec);
        let place = format!("room {} at {}", cluster.room, cluster.shown_servers());
        let words = match transport.settled(CONNECT_LIMIT).await {
            LinkState::Connected => format!("the workers of {place} help"),
            LinkState::Connecting => format!("{place} is not reached yet; it is tried again"),
            LinkState::Lost(reason) => {
                format!("{place} is not reached: {reason}; it is tried again")
            }
        };
        Ok((transport, owner, words))
    }

    /// Who has ended the work with the workers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Ended {
        ByEngine,
        ByItself,
    }

    /// Passes on what the engine, its host and the coordinator say to each other, until one of them ends.
    async fn pass_on(
        owner: &mut PlayerHandle,
        mut asked: tokio_mpsc::UnboundedReceiver<PlayerCommand>,
        to_engine: &mut tokio_mpsc::UnboundedReceiver<PlayerCommand>,
        inputs: &mpsc::SyncSender<Input>,
    ) -> Ended {
        loop {
            let input = tokio::select! {
                command = asked.recv() => match command {
                    Some(command) => {
                        owner.send(command);
                        continue;
                    }
                    None => return Ended::ByEngine,
                },
                command = to_engine.recv() => command.map(|it| Input::Asked(Box::new(it))),
                event = owner.event() => event.map(Input::Helped),
            };
            let Some(input) = input else { return Ended::ByItself };
            // The thread waits if the engine is slow; the connection has threads of its own.
            if inputs.send(input).is_err() {
                return Ended::ByEngine;
            }
        }
    }

    /// The longest wait for the broker before `readyok`.
    const CONNECT_LIMIT: Duration = Duration::from_secs(2);
    /// The longest wait for the last words to the broker.
    const FLUSH_LIMIT: Duration = Duration::from_millis(500);
}
