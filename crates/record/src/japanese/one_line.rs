//! Texts that are written in one line.

use std::borrow::Cow;

use crate::{Omission, Omissions};

/// Replaces line breaks and other control characters by spaces, which is counted as an omission.
pub(super) fn one_line<'a>(text: &'a str, omissions: &mut Omissions) -> Cow<'a, str> {
    let all = text.chars().filter(|c| c.is_control()).count();
    if all == 0 {
        return Cow::Borrowed(text);
    }
    let breaks = text.matches('\n').count();
    omissions.add_many(Omission::LineBreaks, breaks);
    omissions.add_many(Omission::Characters, all - breaks);
    Cow::Owned(text.replace(char::is_control, " "))
}
