//! `--room`: lets the workers of a room do the work of a command.

use crate::{
    cluster::{
        LinkState, NatsTransport, Room,
        jobs::{Queue, Workers},
    },
    config::{ClusterConfig, Config, Override},
};

use std::{sync::Arc, time::Duration};

use super::{ConfigArgs, Context, ResultExt as _};

/// The configuration of a command with `--room`.
///
/// # Errors
/// It cannot be read.
pub fn load(args: &ConfigArgs, room: Option<&str>, context: &Context) -> anyhow::Result<Config> {
    let room = room.map(|room| Override::new("--room", "cluster.room", room));
    context.load_config(args, room.into_iter().collect())
}

/// The workers of the room of a configuration, without which the command does not begin.
///
/// # Errors
/// There is no `[cluster]`, or the broker is not reached.
pub async fn workers(config: &Config) -> anyhow::Result<Workers> {
    let cluster = named(config, "--room")?;
    let room: Room = cluster.room.parse::<Room>().written_by_user()?;
    let transport = connected(cluster).await.map_err(anyhow::Error::msg)?;
    Ok(Workers { queue: Queue::of_room(transport, room), lease: LEASE })
}

/// The broker of a configuration, which `what` needs.
///
/// # Errors
/// There is no `[cluster]`.
pub fn named<'a>(config: &'a Config, what: &str) -> anyhow::Result<&'a ClusterConfig> {
    config
        .cluster
        .as_ref()
        .ok_or_else(|| anyhow::anyhow!("{what}: no broker is named"))
        .written_by_user()
        .hint("[cluster] with servers, or --set cluster.servers=nats://HOST:4222")
}

/// A connection to a broker.
///
/// # Errors
/// It is not reached.
pub async fn connected(cluster: &ClusterConfig) -> Result<Arc<NatsTransport>, String> {
    let transport = NatsTransport::connect(cluster, "coordinator").await;
    let transport = transport.map_err(|error| error.to_string())?;
    let reason = match transport.wait_while_connecting(CONNECT_LIMIT).await {
        LinkState::Connected => return Ok(transport),
        LinkState::Lost(reason) => reason,
        LinkState::Connecting => "no answer".to_owned(),
    };
    Err(format!("{}: {reason}", transport.servers()))
}

/// The longest wait for the broker at the start.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// The time after which the jobs of a silent worker go to another one.
const LEASE: Duration = Duration::from_secs(30);
