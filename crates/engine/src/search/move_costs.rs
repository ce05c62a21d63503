//! The costs of the moves of a position outside a search, for a tree above several machines.

use std::sync::Arc;

use super::kind::{Experimental, Play, SearchKind};
use super::limits::{GameRules, StopFlag};
use super::node_count::NodeCounter;
use super::parameters::Parameters;
use super::table::TranspositionTable;
use super::worker::Worker;
use kyomi_shogi::{Game, Move};

/// A legal move with its cost at the root of a search (docs/search.md, section 1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveCost {
    /// The move.
    pub mv: Move,
    /// Its cost in units.
    pub cost: i32,
    /// By how many units the limit of a search of the position before the move exceeds that of one after it.
    pub limit_difference: i32,
    /// Its share of the interest of all moves, in thousandths.
    pub share: u32,
}

/// Computes the costs of moves as the root of a search does, with empty histories.
pub struct MoveCosts(Box<dyn RootCosts + Send>);

impl std::fmt::Debug for MoveCosts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MoveCosts").finish_non_exhaustive()
    }
}

impl MoveCosts {
    /// Costs by these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let table = Arc::new(TranspositionTable::new(1 << 12, 1));
        let counter = Arc::new(NodeCounter::default());
        Self(if parameters.suit_play_search() {
            Box::new(Worker::<Play>::new(0, table, counter, parameters))
        } else {
            Box::new(Worker::<Experimental>::new(0, table, counter, parameters))
        })
    }

    /// The legal moves of the position that a game has reached, the cheapest first. `best` is the best move known;
    /// `limit` is that of the search, in units.
    pub fn of(&mut self, game: &Game, limit: i32, best: Option<Move>) -> Vec<MoveCost> {
        let mut costs = self.0.root_costs(game, limit, best);
        costs.sort_by_key(|it| (Some(it.mv) != best, it.cost, it.mv.to_bits()));
        costs
    }
}

trait RootCosts {
    fn root_costs(&mut self, game: &Game, limit: i32, best: Option<Move>) -> Vec<MoveCost>;
}

impl<K: SearchKind> RootCosts for Worker<K> {
    fn root_costs(&mut self, game: &Game, limit: i32, best: Option<Move>) -> Vec<MoveCost> {
        self.set_root(game, GameRules::default(), StopFlag::new());
        self.limit = limit.max(1);
        self.costs_at_root(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Preset;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn the_hash_move_comes_first_and_shares_add_up() {
        for (preset, gap) in [(Preset::Tournament, 1), (Preset::Full, 0)] {
            let mut costs = MoveCosts::new(&Parameters::preset(preset));
            let best = parse_move("2g2f").unwrap();
            let found = costs.of(&Game::default(), 800, Some(best));
            assert_eq!(found.len(), 30);
            assert_eq!(found[0].mv, best);
            assert!(found[29].cost - found[0].cost >= gap);
            let sum: u32 = found.iter().map(|it| it.share).sum();
            assert!((970..=1000).contains(&sum), "{sum}");
            assert_eq!(costs.of(&Game::default(), 800, Some(best)), found, "nothing is learned");
        }
    }
}
