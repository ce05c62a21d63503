//! The moves of the scripted players.

use kyomi_shogi::{Color, Move, Position, notation::csa};

/// A legal move: a mate if one is seen, a repetition of the position if that is wanted, else any.
pub(super) fn choose(
    position: &Position,
    random: &mut fastrand::Rng,
    repeats: bool,
) -> Option<Move> {
    let moves = position.legal_moves();
    if repeats && let Some(mv) = back_and_forth(position) {
        return Some(mv);
    }
    if random.f64() < 0.2
        && let Some(mate) = moves.iter().find(|mv| mates(position, **mv))
    {
        return Some(*mate);
    }
    moves.get(random.usize(..moves.len().max(1))).copied()
}

fn mates(position: &Position, mv: Move) -> bool {
    let mut after = position.clone();
    after.do_move(mv);
    after.in_check() && !after.has_legal_move()
}

/// The rook goes a step aside, or back.
fn back_and_forth(position: &Position) -> Option<Move> {
    let words = match position.side_to_move() {
        Color::Black => ["+2838HI", "+3828HI"],
        Color::White => ["-8272HI", "-7282HI"],
    };
    let moves = words.iter().filter_map(|word| csa::parse_move(position, word).ok());
    moves.into_iter().find(|mv| position.is_legal(*mv))
}
