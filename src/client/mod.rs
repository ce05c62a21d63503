//! The tournament client (floor 5).
