//! The keys of an offer outside of all sections.

/// Whether a line with this key, outside of all sections, would be read into
/// [`GameSummary::other`](super::GameSummary::other).
pub(super) fn is_other_key(key: &str) -> bool {
    let is_frame = key.starts_with("BEGIN ") || key.starts_with("END ");
    !is_frame && !key.contains(':') && !FIELD_KEYS.contains(&key)
}

/// The keys that decide which game it is and which side is ours. Two different values would leave that open.
pub(super) const DECISIVE_KEYS: [&str; 3] = ["Game_ID", "Your_Turn", "To_Move"];

/// The keys that have a separate field.
pub(super) const FIELD_KEYS: [&str; 13] = [
    "Protocol_Version",
    "Protocol_Mode",
    "Format",
    "Declaration",
    "Game_ID",
    "Name+",
    "Name-",
    "Your_Turn",
    "Rematch_On_Draw",
    "To_Move",
    "Max_Moves",
    "Entering_King_Rule",
    "Reconnect_Token",
];

/// The value of `Declaration` for the 27-point rule.
pub(super) const JISHOGI: &str = "Jishogi 1.1";
