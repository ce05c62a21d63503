//! The loss that threatens if two pieces hang, since one move saves only one of them (docs/search.md, section 1.10,
//! `Search_StaticThreats`). Quiescence search examines only captures, so it overestimates such a position.

use arrayvec::ArrayVec;

use super::see;
use kyomi_shogi::{MoveList, Position, Square};

/// The gain of the other side's second best capture, on another square than the best one, if it were to move; 0 if it
/// has none. The side to move must not be in check.
pub(crate) fn second_loss(position: &mut Position) -> i32 {
    let undo = position.do_null_move();
    let mut list = MoveList::new();
    position.captures_and_promotions(&mut list);
    let mut losses: ArrayVec<(Square, i32), 40> = ArrayVec::new();
    for &mv in list.iter().filter(|mv| position.is_capture(**mv)) {
        let loss = see(position, mv);
        if loss <= 0 {
            continue;
        }
        match losses.iter_mut().find(|(square, _)| *square == mv.to()) {
            Some((_, most)) => *most = loss.max(*most),
            // A side has never more than 40 pieces.
            None => drop(losses.try_push((mv.to(), loss))),
        }
    }
    position.undo_null_move(undo);
    second(losses.iter().map(|(_, loss)| *loss))
}

/// The second largest loss; 0 if there are fewer than two.
fn second(losses: impl Iterator<Item = i32>) -> i32 {
    let (mut first, mut second) = (0, 0);
    for loss in losses {
        if loss > first {
            (first, second) = (loss, first);
        } else {
            second = second.max(loss);
        }
    }
    second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_two_hanging_pieces_counts() {
        let loss = |sfen: &str| {
            let mut position = Position::from_sfen(sfen).unwrap();
            let before = position.clone();
            let loss = second_loss(&mut position);
            assert_eq!(position, before);
            loss
        };
        // Pawns attack a gold and a silver.
        assert_eq!(loss("4k4/9/9/2p3p2/2G3S2/9/9/9/4K4 b - 1"), 860);
        assert_eq!(loss("4k4/9/9/2p6/2G3S2/9/9/9/4K4 b - 1"), 0);
        // Two attackers of the same piece are a single threat.
        assert_eq!(loss("4k4/9/9/2p6/1rG6/9/9/9/4K4 b - 1"), 0);
    }

    #[test]
    fn the_largest_is_left_out() {
        assert_eq!(second([5, 9, 7].into_iter()), 7);
        assert_eq!(second([5, 5].into_iter()), 5);
        assert_eq!((second([5].into_iter()), second(std::iter::empty())), (0, 0));
    }
}
