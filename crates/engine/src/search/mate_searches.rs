//! The mate searches of one root, each of which continues where it stopped, and what they leave for the next root.

use std::time::Instant;

use super::StopFlag;
use super::mate_search::{MateSearch, Proof};
use kyomi_shogi::{Color, Move, PieceKind, Position};

/// The mate searches of one root.
#[derive(Debug, Default)]
pub(super) struct MateSearches {
    /// For mates by the side to move.
    pub(super) own_mate: ResumedSearch,
    /// For mates by the other side, after the best move.
    pub(super) opponent_mate: ResumedSearch,
    /// For a mate by the other side after an unpromoted form of a move.
    pub(super) unpromoted_form: ResumedSearch,
    /// For a mate by the other side if the side to move passes.
    pub(super) after_pass: ResumedSearch,
    /// Whether the other side mates if the side to move passes; `None` if that is not known.
    pub(super) threat: Option<bool>,
    /// Whether the other side threatens mate in a position of a best line of this root in which the side of the root is
    /// to move.
    pub(super) line_threat: bool,
    /// Positions of best lines of this root in which the other side threatens mate.
    pub(super) threatened: Vec<ThreatenedPosition>,
    /// The keys of those in which it does not.
    pub(super) not_threatened: Vec<u64>,
    /// Moves of this root after which the other side mates.
    pub(super) refuted: Vec<Move>,
    /// Positions of best lines of this root, and after replies to threats in them, in which the side to move mates.
    pub(super) won: Vec<WonPosition>,
    /// The side to move at the last root.
    side: Option<Color>,
}

/// A position in which the side to move mates.
#[derive(Debug)]
pub(super) struct WonPosition {
    pub(super) key: u64,
    /// Within this number of plies.
    pub(super) plies: usize,
    pub(super) line: Vec<Move>,
}

/// A position in which the other side threatens mate.
#[derive(Debug)]
pub(super) struct ThreatenedPosition {
    pub(super) key: u64,
    /// The mate after a pass.
    pub(super) threat: Vec<Move>,
    /// The moves that do not avert a mate.
    pub(super) refuted: Vec<RefutedReply>,
}

/// A move after which the other side mates.
#[derive(Debug, Clone)]
pub(super) struct RefutedReply {
    pub(super) mv: Move,
    /// The number of plies of the mate after the move.
    pub(super) plies: usize,
    /// The mate after the move.
    pub(super) line: Vec<Move>,
}

/// A mate search that can be continued.
#[derive(Debug, Default)]
pub(super) struct ResumedSearch {
    /// Created when it is first needed.
    solver: Option<MateSearch>,
    /// The key of its position, if it has begun.
    key: Option<u64>,
    /// Whether its result is known.
    done: bool,
    /// The number of pieces of each kind that the table is about. Another position with these pieces can use it.
    pieces: Option<Inventory>,
    /// Whether the table is kept for every other position. Otherwise it is kept only while a proven mate is played.
    keeps_table: bool,
    /// Whether the last result was a mate.
    won: bool,
    /// Number of positions searched for this root.
    pub(super) nodes: u64,
}

/// Size of each table in bytes. If a table is full, less is proven.
const TABLE_BYTES: u64 = 1 << 20;
/// The same for a table that is kept for other positions.
const KEPT_TABLE_BYTES: u64 = 4 << 20;

impl MateSearches {
    /// Forgets the last root. With `keep`, the tables are kept.
    pub(super) fn new_root(&mut self, side: Color, keep: bool) {
        if keep && self.side.is_some_and(|last| last != side) {
            std::mem::swap(&mut self.own_mate, &mut self.opponent_mate);
        }
        self.side = Some(side);
        for search in [
            &mut self.own_mate,
            &mut self.opponent_mate,
            &mut self.unpromoted_form,
            &mut self.after_pass,
        ] {
            search.new_root(keep);
        }
        self.threat = None;
        self.line_threat = false;
        self.threatened.clear();
        self.not_threatened.clear();
        self.refuted.clear();
        self.won.clear();
    }

    /// Whether the other side threatens mate, at the root or on the best line.
    pub(super) fn is_threatened(&self) -> bool {
        self.threat == Some(true) || self.line_threat
    }

    /// The search for mates by the side to move at the root, or by the other side.
    pub(super) const fn attack_by(&mut self, root_side: bool) -> &mut ResumedSearch {
        if root_side { &mut self.own_mate } else { &mut self.opponent_mate }
    }

    /// Keeps the tables for other positions of this root.
    pub(super) const fn keep_for_this_root(&mut self) {
        self.own_mate.keeps_table = true;
        self.opponent_mate.keeps_table = true;
    }

    /// Number of positions that count against the share of the mate search.
    pub(super) const fn nodes(&self) -> u64 {
        self.own_mate.nodes + self.opponent_mate.nodes + self.after_pass.nodes
    }
}

impl ResumedSearch {
    fn new_root(&mut self, keep: bool) {
        self.key = None;
        self.nodes = 0;
        self.keeps_table = keep;
        if keep {
            if let Some(solver) = &mut self.solver {
                solver.age();
            }
        } else if !self.won {
            self.pieces = None;
        }
    }

    /// Continues for this number of positions.
    pub(super) fn continue_search(
        &mut self,
        position: &Position,
        nodes: u64,
        deadline: Option<Instant>,
        stop: &StopFlag,
    ) -> Proof {
        let bytes = if self.keeps_table { KEPT_TABLE_BYTES } else { TABLE_BYTES };
        let solver = self.solver.get_or_insert_with(|| MateSearch::new(bytes));
        if self.key != Some(position.key()) {
            // Proofs are stored by the board and one hand. The other hand follows from the number of pieces.
            let pieces = Some(inventory(position));
            if (self.keeps_table || self.won) && self.pieces == pieces {
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

    #[test]
    fn a_kept_table_is_valid_for_another_root() {
        let stop = StopFlag::new();
        let mut mates = MateSearches::default();
        mates.new_root(Color::Black, true);
        let position = Position::from_sfen(BLACK).unwrap();
        let mut passed = position.clone();
        passed.do_null_move();
        assert!(matches!(
            mates.own_mate.continue_search(&position, 5000, None, &stop),
            Proof::Mate { .. }
        ));
        let afresh = mates.nodes();
        // Of the other side's root this is the search of the other side.
        mates.new_root(Color::White, true);
        assert_eq!(mates.nodes(), 0);
        assert!(matches!(
            mates.opponent_mate.continue_search(&position, 5000, None, &stop),
            Proof::Mate { .. }
        ));
        assert!(mates.nodes() < afresh / 2, "{} of {afresh}", mates.nodes());
        mates.new_root(Color::White, false);
        mates.new_root(Color::White, false);
        assert!(mates.opponent_mate.pieces.is_some(), "a proven mate stays while it is played");
    }
}
