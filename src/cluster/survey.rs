//! A look at a room: who is there, and how long messages take.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{
    Room, SharedTransport, Subscription, Transport,
    message::{FromWorker, MessageError, ToWorker, WorkerCard},
    subject::random_name,
};

/// What a look at a room has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Survey {
    /// The times that messages took to the broker and back, sorted. Empty: no message came back.
    pub round_trips: Vec<Duration>,
    /// The number of messages that did not come back.
    pub lost: usize,
    /// The workers that answered, by name.
    pub workers: Vec<WorkerCard>,
    /// Why messages of workers were not read, each reason once.
    pub unread: Vec<String>,
}

impl Survey {
    /// A time within which this part of the messages came back, 0 to 1.
    pub fn quantile(&self, part: f64) -> Option<Duration> {
        let last = self.round_trips.len().checked_sub(1)?;
        self.round_trips.get((last as f64 * part).ceil() as usize).copied()
    }
}

/// Looks at a room for about two seconds. The transport is connected.
pub async fn survey(transport: &SharedTransport, room: &Room) -> Survey {
    let me = random_name();
    let mut answers = transport.subscribe(&room.workers());
    // A coordinator reads what workers send it; that it may do so is tried here too.
    let _found = transport.subscribe(&room.to_coordinator(&me));
    let mut echoes = transport.subscribe(&room.echo(&me));
    let (round_trips, lost) = round_trips(transport.as_ref(), &room.echo(&me), &mut echoes).await;
    transport.publish(&room.call(), ToWorker::Call { coordinator: me.clone() }.write());
    // Nobody has this name: it is only about the permission.
    transport.publish(&room.to_worker(&me), ToWorker::Release { coordinator: me }.write());
    let mut workers = BTreeMap::new();
    let mut unread = Vec::new();
    let until = Instant::now() + LISTEN;
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
            Ok(FromWorker::Found(_)) => {}
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

/// Sends messages to itself, one after the other. Returns the times of those that came back, and how many did not.
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
        // The first one waits for the subscription, and is no sample.
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
            // The subscription may have come after the message.
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
    /// A coordinator's words to itself.
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
/// Workers say who they are once a second.
const LISTEN: Duration = Duration::from_millis(1500);
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
