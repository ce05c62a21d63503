//! What other machines have done for a player.

use serde::{Deserialize, Serialize};

/// What the workers of a player have done in a game, up to the player's last answer.
///
/// Nodes are as the workers report them. What a worker has searched between its last report and the moment at which it
/// hears that it is recalled is reckoned from its speed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HelpCounts {
    /// The player's turns.
    pub turns: u64,
    /// Turns in which it had pondered on a reply.
    pub pondered: u64,
    /// Of `pondered`, the turns in which that reply was played.
    pub own_hits: u64,
    /// Orders that the workers confirmed at the first sending.
    pub confirmed_orders: u64,
    /// The time of these orders on their way, in microseconds in sum: half of the time from each order to its
    /// confirmation.
    pub latency_us: u64,
    /// Nodes that the workers searched.
    pub nodes: u64,
    /// Of `nodes`, those that counted in a decision: at the end of a turn their position was on the board, and had a
    /// vote of theirs.
    pub counted_nodes: u64,
    /// Of `nodes`, those that were searched between a recall and the moment at which the worker heard it. None of them
    /// counted.
    pub late_nodes: u64,
    /// Moves of the workers that the player's own search began to check.
    pub checks: u64,
    /// Of `checks`, those without a sufficiently deep answer in time.
    pub cut_checks: u64,
    /// Of `checks`, those after which the move was played.
    pub overruled: u64,
}

impl HelpCounts {
    /// Adds the counts of another game.
    pub fn add(&mut self, other: &Self) {
        let Self {
            turns,
            pondered,
            own_hits,
            confirmed_orders,
            latency_us,
            nodes,
            counted_nodes,
            late_nodes,
            checks,
            cut_checks,
            overruled,
        } = self;
        for (sum, more) in [
            (turns, other.turns),
            (pondered, other.pondered),
            (own_hits, other.own_hits),
            (confirmed_orders, other.confirmed_orders),
            (latency_us, other.latency_us),
            (nodes, other.nodes),
            (counted_nodes, other.counted_nodes),
            (late_nodes, other.late_nodes),
            (checks, other.checks),
            (cut_checks, other.cut_checks),
            (overruled, other.overruled),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}
