//! The window of a node, and the kind of bound of a score.

use super::score_rules::ExactWindow;
use super::table::EntryBound;
use super::value::{INFINITE, is_mate};

/// The window of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    /// Whether it was not narrowed to a null window.
    on_pv: bool,
}

impl Window {
    /// The full window, in which every score is exact.
    pub(crate) const fn full() -> Self {
        Self::on_pv(-INFINITE, INFINITE)
    }

    /// A window in which the principal variation may lie.
    pub(crate) const fn on_pv(alpha: i32, beta: i32) -> Self {
        Self { alpha, beta, on_pv: true }
    }

    /// A null window, which tests whether the score is above `alpha`.
    pub(crate) const fn null(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1, on_pv: false }
    }

    /// The window of the same node with the bounds of one of its moves.
    pub(crate) const fn with_bounds(self, exact: ExactWindow) -> Self {
        Self { alpha: exact.alpha, beta: exact.beta, ..self }
    }

    /// The same window with a raised lower limit.
    pub(crate) const fn with_alpha(self, alpha: i32) -> Self {
        Self { alpha, ..self }
    }

    /// The part of it between these limits.
    pub(crate) fn clamped(self, least: i32, most: i32) -> Self {
        Self { alpha: self.alpha.max(least), beta: self.beta.min(most), ..self }
    }

    /// The window from the view of the other side: both limits negated and exchanged.
    pub(crate) const fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha, ..self }
    }

    /// Whether it is wider than a null window.
    pub(crate) const fn is_wide(self) -> bool {
        self.beta - self.alpha > 1
    }

    /// Whether the node may lie on the principal variation. Score rules that compare moves make other windows wide as
    /// well.
    pub(crate) const fn is_pv(self) -> bool {
        self.on_pv && self.is_wide()
    }
}

/// Whether a score that a search with this window returned is exact or a bound. Scores between evaluations and mates
/// come from repetitions. They are valid on this path only, so that they are no bounds.
pub(crate) fn bound_of(score: i32, window: Window) -> EntryBound {
    if score.abs() > crate::eval::MAX && !is_mate(score) {
        EntryBound::None
    } else if score >= window.beta {
        EntryBound::Lower
    } else if score > window.alpha {
        EntryBound::Exact
    } else {
        EntryBound::Upper
    }
}
