//! The journal of the running game and finished records (floor 4).
