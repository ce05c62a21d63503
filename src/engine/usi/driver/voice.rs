//! What an engine prints for people: shown without control characters, cut to a length, the last of it kept for the
//! message of a breakdown.

use std::collections::VecDeque;

/// The last lines of standard error.
#[derive(Debug, Default)]
pub(super) struct LastWords(VecDeque<String>);

impl LastWords {
    pub(super) fn push(&mut self, line: &str) {
        let line = printable(line);
        tracing::debug!(line, "engine's standard error");
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }

    pub(super) fn to_vec(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }

    /// Into the log.
    pub(super) fn tell(&self) {
        for line in &self.0 {
            tracing::info!(line, "the engine's standard error");
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Foreign text as it may reach a log or a message.
pub(super) fn printable(text: &str) -> String {
    crate::csa::printable(text).chars().take(LONGEST_TEXT).collect()
}

/// Lines of standard error that are kept.
const KEPT: usize = 10;

/// Characters of foreign text that reach a log or a message.
const LONGEST_TEXT: usize = 400;
