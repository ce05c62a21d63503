//! The ids of the games of the current second, so that all ids are different.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The game ids made in the current second.
#[derive(Debug, Default)]
pub(super) struct IssuedIds {
    stamp: String,
    issued: HashSet<String>,
}

impl IssuedIds {
    /// Makes an id `event+gamename+black+white+yyyymmddhhmmss`, as on the reference server. A number is appended to
    /// the event if the same players meet again within a second.
    pub(super) fn issue(
        &mut self,
        event: &str,
        game: &str,
        names: &[String; 2],
        wall: Timestamp,
    ) -> String {
        let stamp = wall.to_zoned(TimeZone::system()).strftime("%Y%m%d%H%M%S").to_string();
        if stamp != self.stamp {
            self.stamp.clone_from(&stamp);
            self.issued.clear();
        }
        let [black, white] = names;
        let mut id = format!("{event}+{game}+{black}+{white}+{stamp}");
        let mut number = 2;
        while !self.issued.insert(id.clone()) {
            id = format!("{event}.{number}+{game}+{black}+{white}+{stamp}");
            number += 1;
        }
        id
    }
}
