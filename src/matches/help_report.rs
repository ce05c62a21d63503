//! What the workers of a player did in a match, as text and as JSON.

use std::fmt;

use serde::Serialize;

use crate::players::HelpCounts;

/// What the workers of a player did in all its games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HelpReport {
    /// The number of games whose counts are known: those of older versions have none.
    pub games: u64,
    /// The sums over these games.
    pub counts: HelpCounts,
    /// The share of the workers' nodes that counted in no decision.
    pub wasted: f64,
    /// The share of the workers' nodes that were searched after a recall that the worker had not heard yet; a part of
    /// `wasted`.
    pub late: f64,
    /// The mean time that an order is on its way to a worker, in milliseconds.
    pub latency_ms: f64,
    /// The share of the turns after pondering in which the reply was played on which the player had pondered.
    pub own_hits: f64,
    /// The share of the checks of a worker's move without a sufficiently deep answer in time.
    pub cut_checks: f64,
}

impl HelpReport {
    /// The report of the sums of this number of games; `None` without a game.
    pub(super) fn new(games: u64, counts: &HelpCounts) -> Option<Self> {
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        (games > 0).then(|| Self {
            games,
            counts: *counts,
            wasted: share(counts.nodes.saturating_sub(counts.counted_nodes), counts.nodes),
            late: share(counts.late_nodes, counts.nodes),
            latency_ms: share(counts.latency_us, counts.confirmed_orders) / 1e3,
            own_hits: share(counts.own_hits, counts.pondered),
            cut_checks: share(counts.cut_checks, counts.checks),
        })
    }
}

impl fmt::Display for HelpReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, counts, wasted, late, latency_ms, own_hits, .. } = self;
        let HelpCounts { nodes, confirmed_orders, pondered, checks, overruled, .. } = counts;
        let [wasted, late, own_hits, cut_checks] =
            [*wasted, *late, *own_hits, self.cut_checks].map(|share| share * 100.0);
        writeln!(
            f,
            "  workers (counted in {games} games): {nodes} nodes, {wasted:.1} % of them wasted, {late:.2} % by \
             latency"
        )?;
        writeln!(
            f,
            "  {latency_ms:.2} ms for an order on its way, the mean of {confirmed_orders} orders"
        )?;
        if *pondered > 0 {
            writeln!(f, "  the expected reply was played in {own_hits:.1} % of {pondered} turns")?;
        }
        writeln!(
            f,
            "  {checks} moves of workers checked, {cut_checks:.1} % of the checks cut short, {overruled} moves \
             played"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_shown_as_shares() {
        let counts = HelpCounts {
            turns: 110,
            pondered: 100,
            own_hits: 50,
            confirmed_orders: 4,
            latency_us: 22_000,
            nodes: 1000,
            counted_nodes: 600,
            late_nodes: 10,
            checks: 8,
            cut_checks: 2,
            overruled: 3,
        };
        assert_eq!(HelpReport::new(0, &counts), None);
        let text = HelpReport::new(2, &counts).unwrap().to_string();
        for part in [
            "counted in 2 games): 1000 nodes, 40.0 % of them wasted, 1.00 % by latency",
            "5.50 ms for an order on its way, the mean of 4 orders",
            "the expected reply was played in 50.0 % of 100 turns",
            "8 moves of workers checked, 25.0 % of the checks cut short, 3 moves played",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let none = HelpReport::new(1, &HelpCounts::default()).unwrap().to_string();
        assert!(none.contains("0 nodes, 0.0 % of them wasted"), "{none}");
        assert!(!none.contains("reply"), "without pondering there are no hits: {none}");
    }
}
