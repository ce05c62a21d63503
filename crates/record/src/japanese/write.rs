//! The beginning of KIF and KI2 records, and their comments.

use crate::{Omission, Omissions, Record};
use kyomi_shogi::{HANDICAPS, Handicap};

use super::one_line::one_line;
use super::{board, header};

/// Writes the headers and the start position.
pub(crate) fn write_head(record: &Record, omissions: &mut Omissions) -> String {
    let (mut text, after) = header::write(&record.header, is_handicap(record), omissions);
    board::write(&mut text, &record.start);
    text.push_str(&after);
    text
}

/// Whether the start position is a named handicap. The sides have other names then.
pub(crate) fn is_handicap(record: &Record) -> bool {
    HANDICAPS
        .into_iter()
        .any(|handicap| handicap != Handicap::EVEN && handicap.position() == record.start)
}

/// Writes each line of each comment in a line of its own. Lines that begin with `&` are bookmarks and get no `*`.
pub(crate) fn write_comments(text: &mut String, comments: &[String], omissions: &mut Omissions) {
    for comment in comments {
        for (number, line) in comment.split('\n').enumerate() {
            omissions.add_many(Omission::LineBreaks, usize::from(number > 0));
            if !line.starts_with('&') {
                text.push('*');
            }
            text.push_str(&one_line(line, omissions));
            text.push('\n');
        }
    }
}
