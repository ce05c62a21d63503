//! Words of the input in messages.

/// The beginning of a word, short enough for a message and without control characters.
pub(super) fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(24).filter(|c| !c.is_control()).collect();
    if text.chars().nth(24).is_some() {
        clipped.push('…');
    }
    clipped
}
