//! The local CSA server (floor 5).
