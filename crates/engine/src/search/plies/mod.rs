//! The search by plies: one depth for both sides, moves in the order of what the search has learned about them, and
//! reductions that grow with the depth and with the place of a move. It is the search that most strong programs share
//! (docs/search.md, section 6.1), and the picture of them that interest search is compared with.
//!
//! [`node`] ends a node before its moves are listed, [`moves`] searches them, [`picker`] hands them out in order,
//! [`learning`] updates what [`learned`] keeps.

mod learned;
mod learning;
mod moves;
mod node;
mod picker;
mod quiescence;

use learned::{Learned, Place};

/// The data of one ply of the line.
#[derive(Debug, Clone, Copy)]
struct PlyData {
    /// The piece that the move of this ply has put on its target.
    place: Place,
    /// The corrected evaluation of the node; in check, that of two plies before.
    eval: i32,
    in_check: bool,
    /// Whether the node is or was on the principal variation.
    pv: bool,
    /// The move of this ply.
    made: Made,
    /// The number of nodes of this ply that were cut since the node two plies before began.
    cuts: i32,
}

/// What later nodes have to know about a move.
#[derive(Debug, Clone, Copy, Default)]
struct Made {
    quiet: bool,
    /// Its place in the order, from 1; 0 for a pass.
    number: i32,
    /// Its histories, summed.
    history: i32,
}

impl PlyData {
    const NEW: Self = Self {
        place: Place::NONE,
        eval: 0,
        in_check: false,
        pv: false,
        made: Made { quiet: false, number: 0, history: 0 },
        cuts: 0,
    };
}

/// What one thread knows when it searches by plies.
pub(crate) struct Plies {
    learned: Learned,
    stack: Vec<PlyData>,
    /// The depth of the iteration.
    root_depth: i32,
    /// The width of the window of the root.
    root_width: i32,
}

impl Plies {
    /// Empty tables if they are `used`, no tables if not.
    pub(crate) fn new(used: bool) -> Self {
        Self {
            learned: if used { Learned::new() } else { Learned::default() },
            stack: vec![PlyData::NEW; if used { crate::search::MAX_PLY + 4 } else { 0 }],
            root_depth: 1,
            root_width: 1,
        }
    }

    /// The data of the ply this number of plies before, if the search has it.
    fn back(&self, ply: usize, by: usize) -> Option<PlyData> {
        ply.checked_sub(by).map(|at| self.stack[at])
    }

    /// The places of the moves one to six plies before.
    fn before(&self, ply: usize) -> [Place; 6] {
        std::array::from_fn(|at| self.back(ply, at + 1).map_or(Place::NONE, |data| data.place))
    }
}

#[cfg(test)]
mod tests;
