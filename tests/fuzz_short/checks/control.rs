//! Requests to a running client.

use kyomi::client::Request;

use super::{fit_to_print, text};

/// Any text is a request or gives one clear error. Blanks around the words do not matter.
pub(super) fn control_request(data: &[u8]) {
    let text = text(data);
    let words: Vec<&str> = text.split_whitespace().collect();
    let (first, second) = (text.parse::<Request>(), words.join(" ").parse::<Request>());
    match (first, second) {
        (Ok(request), Ok(again)) => {
            assert_eq!(request, again);
            assert!(words.len() <= 2);
            assert_ne!(request, Request::Games(0));
        }
        (Err(error), Err(_)) => fit_to_print(&error),
        (first, second) => panic!("{first:?} and then {second:?}"),
    }
}
