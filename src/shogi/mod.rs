//! The rules of shogi, pure: pieces, squares, positions, legal moves, repetition, declaration (floor 1).
