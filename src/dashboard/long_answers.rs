//! The memory of long answers: the whole state, a game, an analysis.
//!
//! An answer is kept until its viewer has read it. Viewers who read nothing could fill the memory together, so the bytes
//! of all such answers are limited. An answer that has no place is not given; the page asks again.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory for the long answers of all viewers.
#[derive(Debug, Clone)]
pub(super) struct LongAnswers(Arc<Semaphore>);

impl LongAnswers {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST_KIB)))
    }

    /// An answer, which has its place until it is dropped; `None` if there is none.
    pub(super) fn hold(&self, answer: Vec<u8>) -> Option<Bytes> {
        let kib = answer.len().div_ceil(1024).min(MOST_KIB);
        let place = Arc::clone(&self.0).try_acquire_many_owned(kib as u32).ok()?;
        Some(Bytes::from_owner(Held { answer, _place: place }))
    }
}

struct Held {
    answer: Vec<u8>,
    _place: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.answer
    }
}

/// 32 MiB: those of 256 viewers with 128 KiB each, or one analysis.
const MOST_KIB: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_nobody_reads_take_bounded_memory() {
        let answers = LongAnswers::new();
        let mut held: Vec<_> = (0..).map_while(|_| answers.hold(vec![7; 1_000_000])).collect();
        assert!((30..=33).contains(&held.len()), "{}", held.len());
        let copy = held[0].clone();
        held.remove(0);
        assert!(answers.hold(vec![7; 1_000_000]).is_none(), "it is not read to its end");
        drop(copy);
        assert_eq!(answers.hold(vec![7; 1_000_000]).unwrap().len(), 1_000_000);
        drop(held);
        assert!(answers.hold(vec![7; 100_000_000]).is_some(), "one alone may be as long as it is");
    }
}
