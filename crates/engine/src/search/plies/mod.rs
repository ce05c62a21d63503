//! The search by plies: one depth for both sides, moves in the order of what the search has learned about them, and
//! reductions that grow with the depth and with the place of a move. It is the search that most strong programs share
//! (docs/search.md, section 6.1), and the picture of them that interest search is compared with.
//!
//! [`node`] ends a node before its moves are listed, [`moves`] searches them, [`picker`] hands them out in order,
//! [`learning`] updates what [`ply_knowledge`](super::ply_knowledge) keeps.

mod checks;
mod learning;
mod moves;
mod node;
mod picker;
mod prior;
mod quiescence;

#[cfg(test)]
mod tests;
