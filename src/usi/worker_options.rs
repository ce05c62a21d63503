//! The options `Broker` and `Room`: the workers that share the search.

use crate::config::ClusterConfig;

/// The room whose workers share the search. By default there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerOptions {
    /// The broker and how to log in; `None`: no workers.
    cluster: Option<ClusterConfig>,
    /// The room, instead of that of `cluster`; empty: no workers.
    room: String,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self { cluster: None, room: DEFAULT_ROOM.to_owned() }
    }
}

impl WorkerOptions {
    /// The options of the section `[cluster]`.
    pub fn of_config(cluster: Option<ClusterConfig>) -> Self {
        let room = cluster.as_ref().map_or(DEFAULT_ROOM, |cluster| &cluster.room).to_owned();
        Self { cluster, room }
    }

    /// The broker and the room to join, if both are set.
    pub(super) fn cluster(&self) -> Option<ClusterConfig> {
        let mut cluster = self.cluster.clone()?;
        cluster.room.clone_from(&self.room);
        (!cluster.room.is_empty()).then_some(cluster)
    }

    /// The `option` lines of the answer to `usi`.
    #[cfg(feature = "cluster")]
    pub(super) fn lines(&self) -> Vec<String> {
        let servers = self.cluster.as_ref().map(ClusterConfig::shown_servers).unwrap_or_default();
        let shown =
            |text: &str| if text.is_empty() { EMPTY.to_owned() } else { text.replace(", ", ",") };
        vec![
            format!("option name {BROKER} type string default {}", shown(&servers)),
            format!("option name {ROOM} type string default {}", shown(&self.room)),
        ]
    }

    /// Without the feature there are no such options.
    #[cfg(not(feature = "cluster"))]
    #[allow(clippy::unused_self, reason = "with the feature it is used")]
    pub(super) fn lines(&self) -> Vec<String> {
        Vec::new()
    }

    /// Sets an option; `None` if it is another one.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let value = if value == EMPTY { "" } else { value };
        if name.eq_ignore_ascii_case(BROKER) {
            Some(self.set_broker(value))
        } else if name.eq_ignore_ascii_case(ROOM) {
            Some(self.set_room(value))
        } else {
            None
        }
    }

    #[cfg(feature = "cluster")]
    fn set_broker(&mut self, value: &str) -> Result<(), String> {
        use crate::config::{BrokerAddress, BrokerLogin};

        if value.contains('@') {
            // Hosts write options into files and logs that others can read.
            return Err(format!(
                "{BROKER}: a login does not belong into an option; write it into [cluster] (kyomi usi --config FILE)"
            ));
        }
        let words = value.split(|it: char| it == ',' || it.is_whitespace());
        let mut servers = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            servers
                .push(BrokerAddress::parse(word).map_err(|fault| format!("{BROKER}: {fault}"))?.0);
        }
        match &mut self.cluster {
            _ if servers.is_empty() => self.cluster = None,
            Some(cluster) => cluster.servers = servers,
            None => {
                self.cluster = Some(ClusterConfig {
                    servers,
                    room: self.room.clone(),
                    login: BrokerLogin::None,
                    tls_ca: None,
                    name: None,
                });
            }
        }
        Ok(())
    }

    #[cfg(feature = "cluster")]
    fn set_room(&mut self, value: &str) -> Result<(), String> {
        if !value.is_empty() {
            let room: Result<crate::cluster::Room, _> = value.parse();
            room.map_err(|error| format!("{ROOM}: {error}"))?;
        }
        value.clone_into(&mut self.room);
        Ok(())
    }

    #[cfg(not(feature = "cluster"))]
    #[allow(clippy::unused_self, reason = "with the feature it is used")]
    fn set_broker(&mut self, value: &str) -> Result<(), String> {
        without_feature(BROKER, value)
    }

    #[cfg(not(feature = "cluster"))]
    #[allow(clippy::unused_self, reason = "with the feature it is used")]
    fn set_room(&mut self, value: &str) -> Result<(), String> {
        without_feature(ROOM, value)
    }
}

#[cfg(not(feature = "cluster"))]
fn without_feature(name: &str, value: &str) -> Result<(), String> {
    if value.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{name}: this kyomi was built without `cluster` (`cargo build --release --features cluster`)"
    ))
}

const BROKER: &str = "Broker";
const ROOM: &str = "Room";
/// The room if none is named.
const DEFAULT_ROOM: &str = "kyomi";
/// How USI writes an empty value.
const EMPTY: &str = "<empty>";

#[cfg(all(test, feature = "cluster"))]
mod tests {
    use super::*;

    #[test]
    fn broker_and_room_can_be_set_and_cleared() {
        let mut options = WorkerOptions::default();
        let mut set = |name: &str, value: &str| options.set(name, value).unwrap();
        set("Broker", "nats://broker, tls://[::1]:4333").unwrap();
        set("room", "evening").unwrap();
        let cluster = options.cluster().unwrap();
        assert_eq!(cluster.shown_servers(), "nats://broker:4222, tls://[::1]:4333");
        assert_eq!(cluster.room, "evening");
        let lines = options.lines();
        assert!(lines[0].ends_with(" default nats://broker:4222,tls://[::1]:4333"), "{lines:?}");
        assert!(lines[1].ends_with("Room type string default evening"), "{lines:?}");
        options.set("Room", "<empty>").unwrap().unwrap();
        assert_eq!(options.cluster(), None);
        options.set("Room", "x").unwrap().unwrap();
        options.set("Broker", "").unwrap().unwrap();
        assert_eq!((options.cluster(), options.lines()[0].ends_with("<empty>")), (None, true));
    }

    #[test]
    fn an_invalid_broker_or_room_changes_nothing() {
        let mut options = WorkerOptions::default();
        for (name, value) in
            [("Broker", "http://x"), ("Broker", "nats://anna:hush@broker"), ("Room", "a b")]
        {
            let fault = options.set(name, value).unwrap().unwrap_err();
            assert!(fault.starts_with(name) && !fault.contains("hush"), "{fault}");
        }
        assert_eq!(options, WorkerOptions::default());
        assert!(options.set("Threads", "1").is_none());
    }
}
