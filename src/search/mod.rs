//! Interest search (floor 3).
