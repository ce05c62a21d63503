//! A network inside one process, for a simulation and for tests: messages take a set time and may be lost or doubled.
//!
//! It uses tokio's clock, which may be paused.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};

use super::{
    subject,
    transport::{Incoming, LinkState, MOST_WAITING, Subscription, Transport},
};

/// The properties of a [`VirtualNetwork`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkFaults {
    /// The time that a message takes.
    pub latency: Duration,
    /// The part of the messages that is lost, from 0 to 1.
    pub loss: f64,
    /// The part of the messages that comes twice, from 0 to 1.
    pub doubled: f64,
    /// The seed of the faults.
    pub seed: u64,
}

/// A network inside one process. Call its methods inside a tokio runtime.
#[derive(Debug, Clone)]
pub struct VirtualNetwork(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    faults: NetworkFaults,
    random: Mutex<fastrand::Rng>,
    subscribers: Mutex<Vec<(String, mpsc::Sender<Incoming>)>>,
    state: watch::Sender<LinkState>,
}

impl VirtualNetwork {
    /// A network with these faults.
    pub fn new(faults: NetworkFaults) -> Self {
        Self(Arc::new(Inner {
            random: Mutex::new(fastrand::Rng::with_seed(faults.seed)),
            faults,
            subscribers: Mutex::default(),
            state: watch::Sender::new(LinkState::Connected),
        }))
    }

    /// Cuts all connections, or joins them again.
    pub fn set_connected(&self, connected: bool) {
        self.0.state.send_replace(if connected {
            LinkState::Connected
        } else {
            LinkState::Lost("the network was cut".to_owned())
        });
    }

    fn deliver(&self, message: &Incoming) {
        self.0.subscribers.lock().retain(|(pattern, reader)| {
            if !subject::matches(pattern, &message.subject) {
                return !reader.is_closed();
            }
            // A full queue loses the message.
            !matches!(reader.try_send(message.clone()), Err(mpsc::error::TrySendError::Closed(_)))
        });
    }
}

impl Transport for VirtualNetwork {
    fn publish(&self, subject: &str, payload: Vec<u8>) {
        let connected = *self.0.state.borrow() == LinkState::Connected;
        if !connected {
            return;
        }
        let NetworkFaults { latency, loss, doubled, .. } = self.0.faults;
        let copies = {
            let mut random = self.0.random.lock();
            let lost = random.f64() < loss;
            let twice = random.f64() < doubled;
            if lost { 0 } else { 1 + usize::from(twice) }
        };
        for copy in 1..=copies {
            let (network, message) = (self.clone(), Incoming::new(subject, &payload));
            tokio::spawn(async move {
                tokio::time::sleep(latency * copy as u32).await;
                network.deliver(&message);
            });
        }
    }

    fn subscribe(&self, subject: &str) -> Subscription {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        self.0.subscribers.lock().push((subject.to_owned(), sender));
        receiver
    }

    fn state(&self) -> watch::Receiver<LinkState> {
        self.0.state.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const NONE: NetworkFaults =
        NetworkFaults { latency: Duration::from_millis(5), loss: 0.0, doubled: 0.0, seed: 1 };

    #[tokio::test(start_paused = true)]
    async fn a_message_takes_its_time_to_those_who_asked_for_it() {
        let network = VirtualNetwork::new(NONE);
        let mut here = network.subscribe("a.*");
        let mut elsewhere = network.subscribe("b");
        let began = Instant::now();
        network.publish("a.x", b"hello".to_vec());
        let message = here.recv().await.unwrap();
        assert_eq!((message.subject.as_str(), message.payload.as_slice()), ("a.x", &b"hello"[..]));
        assert_eq!(began.elapsed(), NONE.latency);
        assert!(elsewhere.try_recv().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn messages_are_lost_and_doubled_as_often_as_wished() {
        let network = VirtualNetwork::new(NetworkFaults { loss: 0.5, doubled: 0.5, ..NONE });
        let mut reader = network.subscribe("a");
        let mut arrived = 0;
        for _ in 0..100 {
            network.publish("a", Vec::new());
            tokio::time::sleep(Duration::from_secs(1)).await;
            while reader.try_recv().is_ok() {
                arrived += 1;
            }
        }
        assert!((60..=90).contains(&arrived), "{arrived}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_cut_network_carries_nothing() {
        let network = VirtualNetwork::new(NONE);
        let mut reader = network.subscribe("a");
        network.set_connected(false);
        network.publish("a", Vec::new());
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(reader.try_recv().is_err());
        network.set_connected(true);
        network.publish("a", Vec::new());
        assert!(reader.recv().await.is_some());
    }
}
