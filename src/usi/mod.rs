//! kyomi as a USI engine on standard input and output (floor 5).
