//! Votes for replies: how often each move has cut after each move of the other side (docs/search.md, section 1.11).

use std::collections::HashMap;

use super::history_layout::{ORIGINS, Slot};

/// The votes of replies. A reply has one for each node that it has cut after the same last move.
#[derive(Debug, Default)]
pub(super) struct ReplyVotes {
    /// By the place of the last move and the code of the reply.
    votes: HashMap<u32, u32>,
}

/// The number of pairs of moves that are remembered.
const MOST: usize = 1 << 20;

impl ReplyVotes {
    /// Gives a reply a vote. Returns whether it now has more votes than another reply to the same move.
    pub(super) fn vote(&mut self, last: Slot, reply: u16, other: u16) -> bool {
        if self.votes.len() >= MOST {
            self.forget();
        }
        let votes = self.votes.entry(key(last, reply)).or_default();
        *votes = votes.saturating_add(1);
        let votes = *votes;
        votes > self.votes.get(&key(last, other)).copied().unwrap_or(0)
    }

    /// Halves all votes, and removes replies without any.
    fn forget(&mut self) {
        while self.votes.len() > MOST / 2 {
            self.votes.retain(|_, votes| {
                *votes /= 2;
                *votes > 0
            });
        }
    }
}

fn key(last: Slot, reply: u16) -> u32 {
    let place = (last.side * ORIGINS + last.origin) * 81 + last.to;
    (place as u32) << 16 | u32::from(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_with_most_votes_stays_until_another_has_more() {
        let last = Slot { side: 1, origin: 30, to: 40 };
        let mut votes = ReplyVotes::default();
        assert!(votes.vote(last, 7, 0));
        assert!(!votes.vote(last, 8, 7), "one each");
        assert!(votes.vote(last, 8, 7), "two against one");
        assert!(!votes.vote(last, 7, 8));
        // Replies to another move do not count.
        assert!(votes.vote(Slot { side: 0, ..last }, 7, 0));
        assert!(votes.vote(last, 7, 8));
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut votes = ReplyVotes::default();
        let last = Slot { side: 0, origin: 0, to: 0 };
        for _ in 0..9 {
            votes.vote(last, 1, 0);
        }
        for at in 0..MOST {
            let (origin, to) = (at >> 16 & 63, 1);
            votes.vote(Slot { origin, to, ..last }, at as u16, 0);
        }
        assert!(votes.votes.len() <= MOST);
        assert!(!votes.vote(last, 2, 1), "what has many votes is remembered");
    }
}
