//! What a terminal shows: the live board and its plain lines (floor 5).

/// Leaves the terminal as it was found: cursor shown, normal screen. Harmless when nothing was
/// changed, so that a panic hook and a signal handler may call it.
pub fn restore() {}
