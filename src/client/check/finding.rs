//! The result of one check.

use serde::Serialize;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The account that was checked, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// What was checked: `config`, `records`, `log`, `clock`, `load`, `memory`, `huge pages`, `sleep`, `notify`,
    /// `broker`, `permissions`, `jobs`, `worker`, `workers`, `accounts`, `cores`, `schedule`, `server`, `login`, `round
    /// trip`, `engine`, `search`, `book`, `fallback`, `opponent`; in a rehearsal `rehearsal`, `answers`, `speed`,
    /// `record`.
    pub what: &'static str,
    /// Whether it works. The JSON key is an older name.
    #[serde(rename = "verdict")]
    pub status: CheckStatus,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// The status of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It works.
    Ok,
    /// It works, but perhaps not as intended.
    Warning,
    /// It does not work.
    Failed,
}

impl Finding {
    /// A successful check.
    pub fn ok(what: &'static str, detail: impl Into<String>) -> Self {
        Self { account: None, what, status: CheckStatus::Ok, detail: detail.into(), remedy: None }
    }

    /// A check that found a possible problem.
    pub fn warning(what: &'static str, detail: impl Into<String>) -> Self {
        Self { status: CheckStatus::Warning, ..Self::ok(what, detail) }
    }

    /// A check that failed.
    pub fn failed(what: &'static str, detail: impl Into<String>) -> Self {
        Self { status: CheckStatus::Failed, ..Self::ok(what, detail) }
    }

    /// The same finding with a remedy.
    #[must_use]
    pub fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}
