//! The window of the root from one search to the next within an iteration (docs/search.md, sections 1.6 and 6.1).

use crate::search::value::{INFINITE, is_mate};
use crate::search::window::Window;

/// The first window reaches this far to each side of the last score, in centipawns. A narrower one is missed more often,
/// and each miss costs a search.
const FIRST_MARGIN: i32 = 30;
/// The same in a search by plies, in which a miss costs less; a hundredth of the score is added.
const FIRST_MARGIN_BY_PLIES: i32 = 14;
/// A window that a score fell out of is widened this many times. After two misses it is wider than two pawns.
const GROWTH: i32 = 3;
/// A larger margin is no limit to speak of: the window is opened fully, so that no further search is needed.
const LARGEST_MARGIN: i32 = 1000;

/// The window of the searches of one iteration.
#[derive(Debug)]
pub(super) struct Aspiration {
    pub(super) window: Window,
    /// The score of the last iteration.
    pub(super) centre: i32,
    margin: i32,
    by_plies: bool,
    /// The number of searches in a row that exceeded the window.
    exceeded: i32,
}

impl Aspiration {
    /// The window around the score of the last iteration, or the full one if there is none to rely on.
    pub(super) fn new(centre: i32, is_known: bool, by_plies: bool) -> Self {
        let margin =
            if by_plies { FIRST_MARGIN_BY_PLIES + centre.abs() / 100 } else { FIRST_MARGIN };
        let window = if !is_known || is_mate(centre) {
            Window::full()
        } else {
            Window::on_pv(centre - margin, centre + margin)
        };
        Self { window, centre, margin, by_plies, exceeded: 0 }
    }

    /// The units by which the next search is less deep than the iteration: in a search by plies, a ply for each search
    /// in a row that exceeded the window.
    pub(super) const fn less(&self) -> i32 {
        100 * self.exceeded
    }

    /// Widens the window after a search with this score outside it. A search by plies moves the limit that failed and
    /// draws the other one after it.
    pub(super) fn widen(&mut self, score: i32) {
        if self.by_plies {
            let Window { alpha, beta, .. } = self.window;
            if score <= alpha {
                self.exceeded = 0;
                self.window = Window::on_pv((score - self.margin).max(-INFINITE), alpha);
            } else {
                self.exceeded += 1;
                let least = (beta - self.margin).max(alpha);
                self.window = Window::on_pv(least, (score + self.margin).min(INFINITE));
            }
            self.margin += self.margin / 3;
        } else {
            self.margin *= GROWTH;
            self.window = Window::on_pv(self.centre - self.margin, self.centre + self.margin);
        }
        if self.margin > LARGEST_MARGIN {
            self.window = Window::full();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn bounds(aspiration: &Aspiration) -> (i32, i32) {
        (aspiration.window.alpha, aspiration.window.beta)
    }

    #[test]
    fn both_limits_move_away_from_the_last_score() {
        let mut aspiration = Aspiration::new(100, true, false);
        assert_eq!(bounds(&aspiration), (70, 130));
        aspiration.widen(60);
        assert_eq!(bounds(&aspiration), (100 - 30 * GROWTH, 100 + 30 * GROWTH));
        assert_eq!(aspiration.less(), 0);
    }

    #[test]
    fn a_search_by_plies_follows_the_score() {
        let mut aspiration = Aspiration::new(100, true, true);
        assert_eq!(bounds(&aspiration), (85, 115));
        aspiration.widen(120);
        assert_eq!((bounds(&aspiration), aspiration.less()), ((100, 135), 100));
        aspiration.widen(90);
        assert_eq!((bounds(&aspiration), aspiration.less()), ((70, 100), 0));
    }

    #[test]
    fn the_window_opens_at_last() {
        for by_plies in [false, true] {
            let mut aspiration = Aspiration::new(0, true, by_plies);
            let mut searches = 0;
            while bounds(&aspiration) != (-INFINITE, INFINITE) {
                aspiration.widen(aspiration.window.alpha);
                searches += 1;
            }
            assert!((3..20).contains(&searches), "{searches}");
        }
        assert_eq!(bounds(&Aspiration::new(0, false, true)), (-INFINITE, INFINITE));
    }
}
