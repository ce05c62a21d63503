//! The ids of the last games, so that all ids are different.

use std::collections::{HashSet, VecDeque};

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The ids of the last [`KEPT`] games.
///
/// The clock on the wall may be set back, and an hour is repeated where summer time ends.
#[derive(Debug, Default)]
pub(super) struct IssuedIds {
    issued: HashSet<String>,
    in_order: VecDeque<String>,
}

impl IssuedIds {
    /// Makes an id `event+gamename+black+white+yyyymmddhhmmss`, as on the reference server. A number is appended to
    /// the event if the same players have already met in this second.
    pub(super) fn issue(
        &mut self,
        event: &str,
        game: &str,
        names: &[String; 2],
        wall: Timestamp,
    ) -> String {
        let stamp = wall.to_zoned(TimeZone::system()).strftime("%Y%m%d%H%M%S");
        let [black, white] = names;
        let rest = format!("{game}+{black}+{white}+{stamp}");
        let mut id = format!("{event}+{rest}");
        let mut number = 2;
        while !self.issued.insert(id.clone()) {
            id = format!("{event}.{number}+{rest}");
            number += 1;
        }
        self.in_order.push_back(id.clone());
        if self.in_order.len() > KEPT {
            self.in_order.pop_front().map(|oldest| self.issued.remove(&oldest));
        }
        id
    }
}

/// More games than a server has in some hours.
const KEPT: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_not_made_again_when_the_clock_is_set_back() {
        let (mut ids, names) = (IssuedIds::default(), ["a".to_owned(), "b".to_owned()]);
        let noon: Timestamp = "2027-05-03T12:00:00Z".parse().unwrap();
        let mut issue = |minutes: i64| {
            ids.issue("e", "g", &names, noon + jiff::SignedDuration::from_mins(minutes))
        };
        let first = issue(0);
        assert_ne!(issue(1), first);
        let again = issue(0);
        assert!(again.starts_with("e.2+g+a+b+"), "{again}");
    }
}
