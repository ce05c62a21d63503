//! What one thread knows when it searches by plies: what it has learned, and the data of the plies of its line.

mod tables;

use std::cell::RefCell;

use crate::search::interest::InterestList;

pub(in crate::search) use tables::{BACK, CorrectionPlaces, Learned, PerPlace, Place, pawn_key};

/// The data of one ply of the line.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct PlyData {
    /// The piece that the move of this ply has put on its target.
    pub(in crate::search) place: Place,
    /// The corrected evaluation of the node; in check, that of two plies before.
    pub(in crate::search) eval: i32,
    pub(in crate::search) in_check: bool,
    /// Whether the node is or was on the principal variation, or failed below such a node.
    pub(in crate::search) pv: bool,
    /// Whether the table knew the node.
    pub(in crate::search) was_found: bool,
    /// The move of this ply.
    pub(in crate::search) made: Made,
    /// The number of nodes of this ply that were cut since the node two plies before began.
    pub(in crate::search) cuts: i32,
}

/// What later nodes have to know about a move.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::search) struct Made {
    pub(in crate::search) quiet: bool,
    /// Its place in the order, from 1; 0 for a pass.
    pub(in crate::search) number: i32,
    /// Its histories, summed.
    pub(in crate::search) history: i32,
}

impl PlyData {
    const NEW: Self = Self {
        place: Place::NONE,
        eval: 0,
        in_check: false,
        pv: false,
        was_found: false,
        made: Made { quiet: false, number: 0, history: 0 },
        cuts: 0,
    };
}

/// What one thread knows when it searches by plies.
pub(in crate::search) struct Plies {
    pub(in crate::search) learned: Learned,
    pub(in crate::search) stack: Vec<PlyData>,
    /// The moves of a node with their interest, while they are listed.
    pub(in crate::search) interest: RefCell<InterestList>,
    /// The depth of the iteration.
    pub(in crate::search) root_depth: i32,
    /// The width of the window of the root.
    pub(in crate::search) root_width: i32,
}

impl Plies {
    /// Empty tables if they are `used`, no tables if not.
    pub(in crate::search) fn new(used: bool) -> Self {
        Self {
            learned: if used { Learned::new() } else { Learned::default() },
            stack: vec![PlyData::NEW; if used { crate::search::MAX_PLY + 4 } else { 0 }],
            interest: RefCell::default(),
            root_depth: 1,
            root_width: 1,
        }
    }

    /// The data of the ply this number of plies before, if the search has it.
    pub(in crate::search) fn back(&self, ply: usize, by: usize) -> Option<PlyData> {
        ply.checked_sub(by).map(|at| self.stack[at])
    }

    /// The places of the moves one to six plies before.
    pub(in crate::search) fn before(&self, ply: usize) -> [Place; 6] {
        std::array::from_fn(|at| self.back(ply, at + 1).map_or(Place::NONE, |data| data.place))
    }
}
