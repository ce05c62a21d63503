//! The mate searches of one root, each of which continues where it stopped.

use std::time::Instant;

use super::{MateSearch, Proof};
use crate::search::StopFlag;
use kyomi_shogi::{Color, Move, PieceKind, Position};

/// The mate searches of one root.
#[derive(Debug, Default)]
pub(crate) struct MateSearches {
    /// For mates by the side to move.
    pub(crate) own_mate: ResumedSearch,
    /// For mates by the other side, after the best move.
    pub(crate) opponent_mate: ResumedSearch,
    /// For a mate by the other side after an unpromoted form of a move.
    pub(crate) unpromoted_form: ResumedSearch,
    /// Moves of this root after which the other side mates.
    pub(crate) refuted: Vec<Move>,
}

/// A mate search that can be continued.
#[derive(Debug, Default)]
pub(crate) struct ResumedSearch {
    /// Created when it is first needed.
    solver: Option<MateSearch>,
    /// The key of its position, if it has begun.
    key: Option<u64>,
    /// Whether its result is known.
    done: bool,
    /// The number of pieces of each kind that the table is about. Another position with these pieces can use it.
    pieces: Option<Inventory>,
    /// Whether the last result was a mate. The table is kept while this mate is played.
    won: bool,
    /// Number of positions searched for this root.
    pub(crate) nodes: u64,
}

/// Size of each table in bytes. If a table is full, less is proven.
const TABLE_BYTES: u64 = 1 << 20;

impl MateSearches {
    /// Forgets the last root.
    pub(crate) fn new_root(&mut self) {
        for search in [&mut self.own_mate, &mut self.opponent_mate, &mut self.unpromoted_form] {
            search.new_root();
        }
        self.refuted.clear();
    }

    /// Number of positions that count against the share of the mate search.
    pub(crate) const fn nodes(&self) -> u64 {
        self.own_mate.nodes + self.opponent_mate.nodes
    }
}

impl ResumedSearch {
    fn new_root(&mut self) {
        self.key = None;
        self.nodes = 0;
    }

    /// Continues for this number of positions.
    pub(crate) fn continue_search(
        &mut self,
        position: &Position,
        nodes: u64,
        deadline: Option<Instant>,
        stop: &StopFlag,
    ) -> Proof {
        let solver = self.solver.get_or_insert_with(|| MateSearch::new(TABLE_BYTES));
        if self.key != Some(position.key()) {
            // Proofs are stored by the board and one hand. The other hand follows from the number of pieces.
            let pieces = Some(inventory(position));
            if self.won && self.pieces == pieces {
                solver.set_next_position(position);
            } else {
                solver.begin(position);
            }
            self.pieces = pieces;
            self.key = Some(position.key());
            self.done = false;
            self.won = false;
        }
        if self.done {
            return Proof::Unknown;
        }
        let before = solver.nodes();
        let proof = solver.continue_search(position, nodes, deadline, stop);
        self.nodes += solver.nodes() - before;
        self.done = !matches!(proof, Proof::Unknown);
        self.won = matches!(proof, Proof::Mate { .. });
        proof
    }
}

/// Number of pieces of each kind on the board and in both hands. A promoted piece counts as its unpromoted kind.
type Inventory = [u32; 7];

fn inventory(position: &Position) -> Inventory {
    PieceKind::HAND.map(|kind| {
        let on_board = |color| {
            let kinds = PieceKind::ALL.into_iter().filter(|of| of.unpromoted() == kind);
            kinds.map(|of| position.pieces(color, of).count()).sum::<u32>()
        };
        let of = |color| on_board(color) + u32::from(position.hand(color).count(kind));
        of(Color::Black) + of(Color::White)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Black mates in five; it has no king.
    const BLACK: &str = "5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb4g4s3n4l16p 1";

    #[test]
    fn the_table_of_a_proven_mate_is_kept_while_it_is_played() {
        let stop = StopFlag::new();
        let mut search = ResumedSearch::default();
        let mut position = Position::from_sfen(BLACK).unwrap();
        let Proof::Mate { line, .. } = search.continue_search(&position, 5000, None, &stop) else {
            panic!("black mates");
        };
        let afresh = search.nodes;
        for &mv in &line[..2] {
            position.do_move(mv);
        }
        search.nodes = 0;
        let found = search.continue_search(&position, 5000, None, &stop);
        assert!(matches!(found, Proof::Mate { .. }));
        assert!(search.nodes < afresh / 2, "{} of {afresh}", search.nodes);
        // The same board with one gold less in white's hand is another mate problem.
        assert_eq!(inventory(&position), inventory(&Position::from_sfen(BLACK).unwrap()));
        let poorer = Position::from_sfen("5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb3g4s3n4l16p 1").unwrap();
        assert_ne!(inventory(&position), inventory(&poorer));
    }
}
