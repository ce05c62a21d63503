//! Shortening of input text for messages.

/// The beginning of a text, without control characters and short enough for a message.
pub(super) fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(24).filter(|c| !c.is_control()).collect();
    if text.chars().nth(24).is_some() {
        clipped.push('…');
    }
    clipped
}
