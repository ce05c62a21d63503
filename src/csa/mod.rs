//! The CSA server protocol without I/O: lines in, events out; events in, lines out (floor 3).
