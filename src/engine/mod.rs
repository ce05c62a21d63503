//! Players: given a game and clocks, they give a move (floor 4).
