//! Searches of many positions by several engines, each line by line. `kyomi-lab agreement` and `kyomi-lab growth` are
//! made of them.
//!
//! [`run_courses`] lets the engines search, and keeps one line for each search in a folder. A run that was interrupted goes on
//! where it stopped. Engines are built-in or any that speak USI; only built-in ones count where their nodes go.

mod engine;
mod references;
mod run;

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use kyomi::matches::StoreError;

pub(crate) use references::References;
pub(crate) use run::{CourseRequest, CourseRow, Courses, run_courses};

/// One search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Course {
    /// The move it chose, in USI notation; `None` if it chose none.
    pub(crate) best: Option<String>,
    /// The number of nodes of the whole search.
    pub(crate) nodes: u64,
    /// The time of the whole search, in microseconds.
    pub(crate) us: u64,
    /// What it reported, in order.
    pub(crate) lines: Vec<CourseLine>,
    /// Where its nodes went: the numbers of each table of [`NodeCounts`](kyomi_engine::search::explain::NodeCounts); none if it did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) counts: Vec<Vec<u64>>,
}

/// The state of a search when it reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CourseLine {
    pub(crate) depth: u32,
    /// The longest line; 0 if not stated.
    pub(crate) seldepth: u32,
    pub(crate) nodes: u64,
    /// Microseconds since the search began.
    pub(crate) us: u64,
    /// The used part of the table, in permille.
    pub(crate) hashfull: Option<u32>,
    /// The best move, in USI notation.
    pub(crate) best: Option<String>,
    /// Whether the depth was completed.
    pub(crate) completed: bool,
}

impl Course {
    /// The state when a depth was first completed.
    pub(super) fn at_depth(&self, depth: u32) -> Option<&CourseLine> {
        self.lines.iter().find(|line| line.completed && line.depth >= depth)
    }

    /// The largest depth that was completed within this number of nodes; 0 if none was.
    pub(super) fn depth_within(&self, nodes: u64) -> u32 {
        let within = self.lines.iter().filter(|line| line.completed && line.nodes <= nodes);
        within.map(|line| line.depth).max().unwrap_or(0)
    }

    /// The number of nodes after which the reports name this move until the end, if it is the one that was chosen.
    pub(super) fn kept_after(&self, mv: &str) -> Option<u64> {
        if self.best.as_deref() != Some(mv) {
            return None;
        }
        let stated = self.lines.iter().rev().filter_map(|line| Some((line.best.as_deref()?, line)));
        let kept = stated.take_while(|(best, _)| *best == mv).last();
        Some(kept.map_or(self.nodes, |(_, line)| line.nodes).max(1))
    }
}

/// Why engines cannot search positions.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CourseError {
    /// The table cannot be read.
    #[error("reading {}: {source}", path.display())]
    Read {
        /// The table.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The table has a fault.
    #[error("{}, line {line}: {reason}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// An engine cannot be used as the user has described it.
    #[error("engine {name}: {reason}")]
    Settings {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// An engine failed.
    #[error("engine {name}: {reason}")]
    Engine {
        /// Its name.
        name: String,
        /// What is known.
        reason: String,
    },
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(best: &str, lines: &[(u32, u64, &str, bool)]) -> Course {
        let line = |&(depth, nodes, best, completed): &(u32, u64, &str, bool)| CourseLine {
            depth,
            nodes,
            best: Some(best.to_owned()).filter(|best| !best.is_empty()),
            completed,
            ..CourseLine::default()
        };
        let lines = lines.iter().map(line).collect();
        Course { best: Some(best.to_owned()), nodes: 999, lines, ..Course::default() }
    }

    #[test]
    fn a_move_is_kept_from_the_last_time_that_it_became_the_best() {
        let lines = [(1, 10, "a", true), (2, 20, "b", true), (3, 50, "a", true), (3, 60, "", true)];
        assert_eq!(course("a", &lines).kept_after("a"), Some(50));
        assert_eq!(course("b", &lines).kept_after("a"), None);
        // It became the best after the last report.
        assert_eq!(course("b", &lines).kept_after("b"), Some(999));
        assert_eq!(course("a", &[]).kept_after("a"), Some(999));
    }

    #[test]
    fn depths_count_when_they_are_completed() {
        let course = course("a", &[(1, 10, "a", true), (4, 80, "a", true), (9, 99, "a", false)]);
        let nodes = |depth| course.at_depth(depth).map(|line| line.nodes);
        assert_eq!([1, 2, 4, 5].map(nodes), [Some(10), Some(80), Some(80), None]);
        assert_eq!([9, 10, 100].map(|nodes| course.depth_within(nodes)), [0, 1, 4]);
    }
}
