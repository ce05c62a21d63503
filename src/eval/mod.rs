//! A position's value in centipawns for the side to move (floor 2).
