//! Rules that prune a node or a move: each a pure function of the node's data (docs/search.md, sections 1.12 and 6.1).
//!
//! No rule is tried where the limit it would be compared with is a mate, and none returns a mate.

mod futility;
mod late_moves;
mod null_move;
mod singular;
mod static_null;

pub(super) use futility::is_futile;
pub(super) use late_moves::{is_too_late, reduction};
pub(super) use null_move::{budgets as null_move_budgets, may_pass};
pub(super) use singular::question as singular_question;
pub(super) use static_null::static_null;
