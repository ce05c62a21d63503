//! The messages that wait for one receiver.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::message::Message;

/// A queue of limited size: when it is full, the oldest message is dropped. Clones share one queue.
#[derive(Debug, Clone, Default)]
pub(super) struct Outbox(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Message>,
    /// The number of messages dropped since one was taken.
    lost: u64,
    closed: bool,
}

impl Outbox {
    /// Adds a message. Never waits.
    pub(super) fn push(&self, message: Message) {
        let mut state = self.0.state.lock();
        if state.waiting.len() >= MOST_WAITING {
            state.waiting.pop_front();
            state.lost += 1;
        }
        state.waiting.push_back(message);
        drop(state);
        self.0.changed.notify_one();
    }

    /// No more messages follow.
    pub(super) fn close(&self) {
        self.0.state.lock().closed = true;
        self.0.changed.notify_one();
    }

    /// Waits for the oldest message, which states how many messages before it were lost; `None` after the last one.
    pub(super) async fn next(&self) -> Option<Message> {
        loop {
            {
                let mut state = self.0.state.lock();
                if let Some(mut message) = state.waiting.pop_front() {
                    let lost = std::mem::take(&mut state.lost);
                    if lost > 0 {
                        tracing::warn!(
                            lost,
                            "notifications were lost: they are delivered too slowly"
                        );
                        message.note_lost(lost);
                    }
                    return Some(message);
                }
                if state.closed {
                    return None;
                }
            }
            self.0.changed.notified().await;
        }
    }
}

/// The largest number of waiting messages.
const MOST_WAITING: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_outbox_drops_the_oldest_and_says_so() {
        let outbox = Outbox::default();
        for number in 0..1000 {
            outbox.push(Message::new(None, None, &number.to_string()));
        }
        outbox.close();
        let first = outbox.next().await.unwrap();
        assert_eq!(first.text(), "936\n(936 messages before this one were lost)");
        let mut rest = Vec::new();
        while let Some(message) = outbox.next().await {
            rest.push(message.text());
        }
        assert_eq!((rest.len(), rest.last().unwrap().as_str()), (63, "999"));
    }
}
