//! The window of a node, and the bound that a score within it is.

use super::score_rules::ExactWindow;
use super::table::Bound;
use super::value::{INFINITE, is_mate};

/// The window of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    /// It was not narrowed to a null window.
    on_pv: bool,
}

impl Window {
    /// Every score is exact.
    pub(crate) const fn open() -> Self {
        Self::on_pv(-INFINITE, INFINITE)
    }

    /// A window that the principal variation may lie in.
    pub(crate) const fn on_pv(alpha: i32, beta: i32) -> Self {
        Self { alpha, beta, on_pv: true }
    }

    /// A null window: whether the score is above `alpha`.
    pub(crate) const fn null(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1, on_pv: false }
    }

    /// The same node, with the limits of one of its moves.
    pub(crate) const fn narrowed(self, exact: ExactWindow) -> Self {
        Self { alpha: exact.alpha, beta: exact.beta, ..self }
    }

    /// From this lower limit on.
    pub(crate) const fn raised(self, alpha: i32) -> Self {
        Self { alpha, ..self }
    }

    /// The part of it between these limits.
    pub(crate) fn within(self, least: i32, most: i32) -> Self {
        Self { alpha: self.alpha.max(least), beta: self.beta.min(most), ..self }
    }

    /// As the other side sees it.
    pub(crate) const fn turned(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha, ..self }
    }

    /// Not a null window.
    pub(crate) const fn is_wide(self) -> bool {
        self.beta - self.alpha > 1
    }

    /// The node may lie on the principal variation. (Score rules that compare moves make other windows wide, too.)
    pub(crate) const fn is_pv(self) -> bool {
        self.on_pv && self.is_wide()
    }
}

/// The bound that a score within a window is. Scores that repetitions decide, between evaluations and mates, are none:
/// they hold on this path only.
pub(crate) fn bound_of(score: i32, window: Window) -> Bound {
    if score.abs() > crate::eval::MAX && !is_mate(score) {
        Bound::None
    } else if score >= window.beta {
        Bound::Lower
    } else if score > window.alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}
