//! The subjects of a room.

use kyomi_csa::text::unguessable_word;

/// The name of a room: the machines that work together. Letters, digits, `-` and `_`, 1 to 32 of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Room(String);

/// Why a text is no name of a room.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no name of a room; use 1 to 32 letters, digits, '-' and '_'")]
pub struct RoomError(String);

impl std::str::FromStr for Room {
    type Err = RoomError;

    fn from_str(text: &str) -> Result<Self, RoomError> {
        if is_token(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(RoomError(text.chars().filter(|it| !it.is_control()).take(40).collect()))
        }
    }
}

impl Default for Room {
    /// The room `kyomi`.
    fn default() -> Self {
        Self("kyomi".to_owned())
    }
}

impl std::fmt::Display for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Room {
    /// The subject on which coordinators ask all workers to announce themselves.
    pub fn call(&self) -> String {
        format!("kyomi.{self}.call")
    }

    /// The subject on which workers announce themselves to all coordinators.
    pub fn workers(&self) -> String {
        format!("kyomi.{self}.worker")
    }

    /// The subject of messages from coordinators to one worker.
    pub fn to_worker(&self, worker: &str) -> String {
        format!("kyomi.{self}.do.{worker}")
    }

    /// The subject of messages from workers to one coordinator.
    pub fn to_coordinator(&self, coordinator: &str) -> String {
        format!("kyomi.{self}.found.{coordinator}")
    }

    /// The stream of the jobs.
    pub(super) fn jobs_stream(&self) -> String {
        format!("kyomi-{self}-jobs")
    }

    /// The stream of the results.
    pub(super) fn results_stream(&self) -> String {
        format!("kyomi-{self}-results")
    }

    /// The subject of the results of a run.
    pub(super) fn results(&self, run: &str) -> String {
        format!("kyomi.{self}.results.{run}")
    }

    /// The subject prefix of jobs of one kind for programs and options with this hash.
    pub fn jobs(&self, kind: &str, hash: &str) -> String {
        format!("kyomi.{self}.jobs.{kind}.{hash}")
    }
}

/// Whether a text may be one part of a subject: 1 to 32 letters, digits, `-` and `_`.
pub fn is_token(text: &str) -> bool {
    let fits = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    (1..=32).contains(&text.len()) && text.chars().all(fits)
}

/// Whether a subject matches the pattern of a subscription. The part `*` of a pattern matches any one part.
pub fn matches(pattern: &str, subject: &str) -> bool {
    let (mut pattern, mut subject) = (pattern.split('.'), subject.split('.'));
    loop {
        match (pattern.next(), subject.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one == "*" || one == other => {}
            _ => return false,
        }
    }
}

/// A name that no other machine has and that nobody can guess: 32 hexadecimal digits.
pub fn random_name() -> String {
    unguessable_word()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_one_part_of_a_subject() {
        let room: Room = "evening-1".parse().unwrap();
        assert_eq!(room.to_worker("ab"), "kyomi.evening-1.do.ab");
        for bad in ["", "a.b", "a b", "*", ">", "é", "x".repeat(33).as_str(), "a\u{1b}[31m"] {
            let error = bad.parse::<Room>().unwrap_err().to_string();
            assert!(!error.contains('\u{1b}'), "{error:?}");
        }
    }

    #[test]
    fn random_names_are_one_part_of_a_subject_and_do_not_follow_from_a_seed() {
        let names: std::collections::BTreeSet<_> = (0..100)
            .map(|_| {
                fastrand::seed(1);
                random_name()
            })
            .collect();
        assert_eq!(names.len(), 100);
        assert!(names.iter().all(|name| name.len() == 32 && is_token(name)), "{names:?}");
    }

    #[test]
    fn a_star_stands_for_one_part() {
        assert!(matches("kyomi.a.do.*", "kyomi.a.do.b"));
        assert!(
            !matches("kyomi.a.do.*", "kyomi.a.do.b.c") && !matches("kyomi.a.do.*", "kyomi.a.do")
        );
        assert!(matches("kyomi.a", "kyomi.a") && !matches("kyomi.a", "kyomi.b"));
    }
}
