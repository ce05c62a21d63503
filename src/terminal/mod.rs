//! What a terminal shows: the live board and its plain lines (floor 5).
