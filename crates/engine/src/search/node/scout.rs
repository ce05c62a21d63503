//! Scouts (docs/search.md, section 1.8): a move is searched with a null window first, and with the full window if it
//! raises the value.

use crate::search::{value::Value, window::Window};

/// Returns the value of a move, from calls of `search` with a window and a charge, and the charge that counts among its
/// siblings. A move that raised the value is charged at most `again`. Returns `None` if a search was stopped.
#[inline]
pub(crate) fn search_with_scout(
    window: Window,
    charge: i32,
    again: i32,
    first: bool,
    mut search: impl FnMut(Window, i32) -> Option<Value>,
) -> Option<(Value, i32)> {
    if first {
        return search(window, charge).map(|value| (value, charge));
    }
    let alpha = window.alpha;
    let null = Window::null(alpha);
    let mut charged = charge;
    let mut value = search(null, charge)?;
    if value.score > alpha && charge > again {
        if charge - again > 200 {
            value = search(null, i32::midpoint(charge, again))?;
        }
        if value.score > alpha {
            value = search(null, again)?;
            charged = again;
        }
    }
    if value.score > alpha && window.is_wide() {
        charged = charged.min(again);
        value = search(window, charged)?;
    }
    Some((value, charged))
}
