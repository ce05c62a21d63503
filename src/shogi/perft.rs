//! Counting legal move sequences, to check the move generators and measure their speed.

use super::{Move, Position};

/// How many sequences of `depth` legal moves there are. The last ply is counted, not made.
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => {
            let mut nodes = 0;
            for mv in position.legal_moves() {
                let undo = position.do_move(mv);
                nodes += perft(position, depth - 1);
                position.undo_move(mv, undo);
            }
            nodes
        }
    }
}

/// The count for each first move, in the order of generation; empty at depth 0.
pub fn divide(position: &mut Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let moves = position.legal_moves();
    let count = |mv: Move| {
        let undo = position.do_move(mv);
        let nodes = perft(position, rest);
        position.undo_move(mv, undo);
        (mv, nodes)
    };
    moves.into_iter().map(count).collect()
}
