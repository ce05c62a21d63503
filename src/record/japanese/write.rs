//! What both forms begin with, and their comments.

use std::borrow::Cow;

use crate::record::{Losses, LostPart, Record};
use crate::shogi::{HANDICAPS, Handicap};

use super::{board, header};

/// The headers and the start position.
pub(in crate::record) fn write_head(record: &Record, losses: &mut Losses) -> String {
    let (mut text, behind) = header::write(&record.header, is_handicap(record), losses);
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
    losses: &mut Losses,
) {
    for comment in comments {
        for (number, line) in comment.split('\n').enumerate() {
            losses.add_many(LostPart::LineBreaks, usize::from(number > 0));
            if !line.starts_with('&') {
                text.push('*');
            }
            text.push_str(&one_line(line, losses));
            text.push('\n');
        }
    }
}

/// A text in one line: blanks instead of line breaks and other control characters, which are lost.
pub(super) fn one_line<'a>(text: &'a str, losses: &mut Losses) -> Cow<'a, str> {
    let all = text.chars().filter(|c| c.is_control()).count();
    if all == 0 {
        return Cow::Borrowed(text);
    }
    let breaks = text.matches('\n').count();
    losses.add_many(LostPart::LineBreaks, breaks);
    losses.add_many(LostPart::Characters, all - breaks);
    Cow::Owned(text.replace(char::is_control, " "))
}
