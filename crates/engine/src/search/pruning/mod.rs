//! Rules that prune a node or a move (docs/search.md, sections 1.12 and 6.1). Each is a pure function of the data of
//! the node.
//!
//! No rule applies if the limit it is compared with is a mate, and none returns a mate.

mod futility;
mod late_moves;
mod null_move;
mod singular;
mod static_null;

pub(super) use futility::is_futile;
pub(super) use late_moves::{is_too_late, reduction};
pub(super) use null_move::{budgets as null_move_budgets, may_pass};
pub(super) use singular::singular_search;
pub(super) use static_null::static_null;
