//! A survey of a room: which workers are there, and how long messages take.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{
    Room, SharedTransport, Subscription, Transport,
    message::{FromWorker, MessageError, ToWorker, WorkerCard},
    subject::random_name,
};

/// The result of a survey of a room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Survey {
    /// The round-trip times of messages to the broker, sorted. Empty: no message came back.
    pub round_trips: Vec<Duration>,
    /// The number of messages that did not come back.
    pub lost: usize,
    /// The workers that answered, by name.
    pub workers: Vec<WorkerCard>,
    /// Why messages of workers were not read, each reason once.
    pub unread: Vec<String>,
}

impl Survey {
    /// The round-trip time at this quantile, from 0 to 1.
    pub fn quantile(&self, part: f64) -> Option<Duration> {
        let last = self.round_trips.len().checked_sub(1)?;
        self.round_trips.get((last as f64 * part).ceil() as usize).copied()
    }
}

/// Surveys a room for about two seconds. The transport must be connected.
pub async fn survey(transport: &SharedTransport, room: &Room) -> Survey {
    let me = random_name();
    let mut answers = transport.subscribe(&room.workers());
    // A coordinator subscribes to the reports of workers: this checks that the server permits it.
    let _reports = transport.subscribe(&room.to_coordinator(&me));
    let mut echoes = transport.subscribe(&room.echo(&me));
    let (round_trips, lost) = round_trips(transport.as_ref(), &room.echo(&me), &mut echoes).await;
    transport.publish(&room.call(), ToWorker::Call { coordinator: me.clone() }.write());
    // No worker has this name: this only checks the permission to publish.
    transport.publish(&room.to_worker(&me), ToWorker::Release { coordinator: me }.write());
    let mut workers = BTreeMap::new();
    let mut unread = Vec::new();
    let until = Instant::now() + LISTEN_TIME;
    while let Ok(Some(message)) = timeout_at(until, answers.recv()).await {
        match FromWorker::read(&message.payload) {
            Ok(FromWorker::Here(card)) => {
                if workers.len() < MOST_WORKERS || workers.contains_key(&card.worker) {
                    workers.insert(card.worker.clone(), card);
                }
            }
            Ok(FromWorker::Bye { worker }) => {
                workers.remove(&worker);
            }
            Ok(FromWorker::Found(_) | FromWorker::Entries { .. }) => {}
            Err(error) => note(&mut unread, &error),
        }
    }
    let mut workers: Vec<_> = workers.into_values().collect();
    workers.sort_by(|a, b| a.name.cmp(&b.name));
    Survey { round_trips, lost, workers, unread }
}

fn note(unread: &mut Vec<String>, error: &MessageError) {
    let text = error.to_string();
    if unread.len() < MOST_REASONS && !unread.contains(&text) {
        unread.push(text);
    }
}

/// Sends messages to itself, one after the other. Returns the round-trip times, sorted, and the number of lost
/// messages.
async fn round_trips(
    transport: &dyn Transport,
    subject: &str,
    echoes: &mut Subscription,
) -> (Vec<Duration>, usize) {
    let (mut times, mut lost) = (Vec::new(), 0);
    let end = Instant::now() + PROBE_TIME;
    for number in 0..PROBES {
        let payload = number.to_string().into_bytes();
        let began = Instant::now();
        if began >= end {
            break;
        }
        transport.publish(subject, payload.clone());
        // The first message waits for the subscription to be in effect, so it is not a sample.
        let limit = began + if number == 0 { FIRST_LIMIT } else { PROBE_LIMIT };
        let came = loop {
            match timeout_at(limit, echoes.recv()).await {
                Ok(Some(echo)) if echo.payload == payload => break true,
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break false,
            }
        };
        match came {
            true if number > 0 => times.push(began.elapsed()),
            true => {}
            // The subscription may have taken effect after the message.
            false if number == 0 => {}
            false => lost += 1,
        }
        if times.is_empty() && lost >= MOST_LOST {
            break;
        }
    }
    times.sort();
    (times, lost)
}

impl Room {
    /// The subject on which a coordinator sends messages to itself.
    pub(super) fn echo(&self, coordinator: &str) -> String {
        format!("kyomi.{self}.echo.{coordinator}")
    }
}

/// The number of messages that are timed.
const PROBES: usize = 201;
/// The time for all of them.
const PROBE_TIME: Duration = Duration::from_secs(3);
const FIRST_LIMIT: Duration = Duration::from_millis(500);
const PROBE_LIMIT: Duration = Duration::from_secs(1);
/// After this number of lost messages without one that came back, no more are sent.
const MOST_LOST: usize = 2;
/// Workers announce themselves once a second.
const LISTEN_TIME: Duration = Duration::from_millis(1500);
const MOST_WORKERS: usize = 1024;
const MOST_REASONS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_of_the_samples() {
        let round_trips = (1..=100).map(Duration::from_millis).collect();
        let survey = Survey { round_trips, ..Survey::default() };
        assert_eq!(survey.quantile(0.5), Some(Duration::from_millis(51)));
        assert_eq!(survey.quantile(1.0), Some(Duration::from_millis(100)));
        assert_eq!(Survey::default().quantile(0.5), None);
    }
}
