//! One notification.

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::config::NotifyKind;
use kyomi_csa::text::printable;

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    /// What it is about; `None` for a test.
    kind: Option<NotifyKind>,
    /// The account, if there are several.
    account: Option<String>,
    /// The text, without control characters except line breaks.
    text: String,
    time: Timestamp,
}

impl Message {
    /// A message with the current time. Control characters are removed from the text.
    pub(super) fn new(kind: Option<NotifyKind>, account: Option<&str>, text: &str) -> Self {
        let lines: Vec<_> = text.lines().map(printable).collect();
        let text = lines.join("\n").chars().take(MOST_CHARACTERS).collect();
        Self { kind, account: account.map(str::to_owned), text, time: Timestamp::now() }
    }

    /// The name of its kind in the configuration, or `check`.
    pub(super) fn event(&self) -> &'static str {
        self.kind.map_or("check", NotifyKind::name)
    }

    /// The account, if there are several.
    pub(super) fn account(&self) -> Option<&str> {
        self.account.as_deref()
    }

    /// The text, with the account before it if there are several.
    pub(super) fn text(&self) -> String {
        match &self.account {
            Some(account) => format!("{account}: {}", self.text),
            None => self.text.clone(),
        }
    }

    /// When it was written.
    pub(super) fn time(&self) -> Timestamp {
        self.time
    }

    /// Adds a note that earlier messages were lost.
    pub(super) fn note_lost(&mut self, lost: u64) {
        let _ = write!(self.text, "\n({lost} messages before this one were lost)");
    }
}

/// Discord refuses more than 2000.
const MOST_CHARACTERS: usize = 1800;
