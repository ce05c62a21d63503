//! What both forms begin with, and their comments.

use crate::record::{Omission, Omissions, Record};
use crate::shogi::{HANDICAPS, Handicap};

use super::one_line::one_line;
use super::{board, header};

/// The headers and the start position.
pub(in crate::record) fn write_head(record: &Record, omissions: &mut Omissions) -> String {
    let (mut text, behind) = header::write(&record.header, is_handicap(record), omissions);
    board::write(&mut text, &record.start);
    text.push_str(&behind);
    text
}

/// Whether the game begins as a handicap game with a name: its sides have other names.
pub(in crate::record) fn is_handicap(record: &Record) -> bool {
    HANDICAPS
        .into_iter()
        .any(|handicap| handicap != Handicap::EVEN && handicap.position() == record.start)
}

/// Comments, a line for each, and for each line of one; those of a bookmark as such.
pub(in crate::record) fn write_comments(
    text: &mut String,
    comments: &[String],
    omissions: &mut Omissions,
) {
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
