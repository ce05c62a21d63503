//! The one record type, its readers and writers; no I/O (floor 3).
