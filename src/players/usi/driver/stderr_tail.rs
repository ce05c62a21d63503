//! The engine's output on standard error. Its last lines are kept for error messages, without control characters and
//! with limited length.

use std::collections::VecDeque;

/// The last lines of standard error.
#[derive(Debug, Default)]
pub(super) struct StderrTail(VecDeque<String>);

impl StderrTail {
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

    /// Writes the lines to the log.
    pub(super) fn log(&self) {
        for line in &self.0 {
            tracing::info!(line, "the engine's standard error");
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Converts untrusted text for logs and messages: without control characters and shortened.
pub(super) fn printable(text: &str) -> String {
    kyomi_csa::text::printable(text).chars().take(LONGEST_TEXT).collect()
}

/// Number of lines of standard error that are kept.
const KEPT: usize = 10;

/// Maximum number of characters of untrusted text in logs and messages.
const LONGEST_TEXT: usize = 400;
