//! Learned squares: what a move is worth by its piece, where it goes and where it comes from, also as seen from both
//! kings, left and right alike (docs/search.md, section 3.2 b). Fitted to games together with the values of merits.

use super::context::NodeContext;
use super::facts::Facts;
use crate::shogi::{Color, PieceKind, Square};

/// How many weights there are.
pub(crate) const SQUARES: usize = FROM_ENEMY_KING + CLASSES * OFFSETS;

/// The weights a move has: those of its target square, of the square it leaves, of its target as seen from the own king
/// and from the enemy's; [`SQUARES`] stands for none.
pub(crate) type Places = [u16; 4];

/// The weights that a move has.
#[inline]
pub(super) fn places(context: &NodeContext<'_>, m: &Facts) -> Places {
    let us = context.us;
    let class = match m.from {
        Some(_) => m.after.index(),
        None => PieceKind::COUNT + m.before.index(),
    };
    let from_king = |base: usize, king: Option<Square>| {
        king.map_or(SQUARES, |king| base + class * OFFSETS + offset(us, m.to, king))
    };
    [
        class * FOLDED + folded(us, m.to),
        m.from.map_or(SQUARES, |from| FROM + m.before.index() * FOLDED + folded(us, from)),
        from_king(FROM_OWN_KING, context.king),
        from_king(FROM_ENEMY_KING, context.enemy_king),
    ]
    .map(|place| place as u16)
}

/// What the weights of a move add up to, in points.
#[inline]
pub(super) fn points(places: Places) -> i32 {
    let of = |place: u16| WEIGHTS.get(usize::from(place)).map_or(0, |byte| i32::from(*byte as i8));
    UNIT * places.into_iter().map(of).sum::<i32>()
}

/// The weights as they stand, in points.
pub(crate) fn present_squares() -> impl Iterator<Item = f64> {
    WEIGHTS.iter().map(|byte| f64::from(UNIT * i32::from(*byte as i8)))
}

/// Weights in points as the bytes of the file they are kept in.
pub(crate) fn squares_file(points: &[f64]) -> Vec<u8> {
    let byte = |points: &f64| (points / f64::from(UNIT)).round().clamp(-127.0, 127.0) as i8 as u8;
    points.iter().map(byte).collect()
}

/// A square on the side's own half of a board folded along the middle file.
fn folded(us: Color, square: Square) -> usize {
    usize::from(square.rank_for(us) - 1) * 5 + usize::from(square.file().abs_diff(5))
}

/// A square as seen from a king: files apart, ranks ahead.
fn offset(us: Color, square: Square, king: Square) -> usize {
    let ahead = usize::from(square.rank_for(us) + 8 - king.rank_for(us));
    ahead * 9 + usize::from(square.file().abs_diff(king.file()))
}

/// Squares of a folded board.
const FOLDED: usize = 45;
/// Squares as seen from a king.
const OFFSETS: usize = 17 * 9;
/// Pieces on the board after the move, and droppable ones in hand.
const CLASSES: usize = PieceKind::COUNT + 7;
const FROM: usize = CLASSES * FOLDED;
const FROM_OWN_KING: usize = FROM + PieceKind::COUNT * FOLDED;
const FROM_ENEMY_KING: usize = FROM_OWN_KING + CLASSES * OFFSETS;

/// What moves of usual pieces to usual squares reach: that alone is development (P6).
pub(super) const USUAL: i32 = -120;

/// Below this hardly anybody moves there: no generator makes such a move whose point takes a further own move to show.
pub(super) const UNUSUAL: i32 = -240;

/// A step of a weight in points.
const UNIT: i32 = 2;

/// `kyomi train merits --squares FILE` writes them.
static WEIGHTS: &[u8; SQUARES] = include_bytes!("squares.bin");

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    fn of(sfen: &str, mv: &str) -> Places {
        Scene::new(sfen).read(mv, places)
    }

    #[test]
    fn a_move_has_the_weights_of_its_mirror_image_and_of_the_other_side() {
        let there = of("4k4/9/9/9/9/9/9/2G6/2K6 b P 1", "7h6g");
        assert_eq!(there, of("4k4/9/9/9/9/9/9/6G2/6K2 b P 1", "3h4g"));
        assert_eq!(there, of("6k2/6g2/9/9/9/9/9/9/4K4 w p 1", "3b4c"));
        assert!(there.iter().all(|place| usize::from(*place) < SQUARES));
        assert_ne!(there, of("4k4/9/9/9/9/9/9/2G6/2K6 b P 1", "7h8g"));
    }

    #[test]
    fn each_weight_has_one_meaning() {
        // A drop leaves no square; it is no move of the piece on the board.
        let drop = of("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5h");
        assert_eq!(usize::from(drop[1]), SQUARES);
        let step = of("4k4/9/9/9/9/9/9/9/3GK4 b - 1", "6i5h");
        assert!(drop[0] != step[0] && drop[2] != step[2] && drop[3] != step[3]);
        // The parts of the table follow one another.
        let bounds = [0, FROM, FROM_OWN_KING, FROM_ENEMY_KING, SQUARES];
        for (place, part) in step.iter().zip(bounds.windows(2)) {
            assert!((part[0]..part[1]).contains(&usize::from(*place)), "{step:?}");
        }
    }

    #[test]
    fn no_king_no_weight() {
        let places = of("4k4/9/9/9/9/9/9/9/3G5 b - 1", "6i5h");
        assert_eq!(usize::from(places[2]), SQUARES);
        assert_eq!(points([SQUARES as u16; 4]), 0);
    }

    #[test]
    fn a_file_of_weights_is_read_as_it_was_written() {
        let present: Vec<f64> = present_squares().collect();
        assert_eq!(present.len(), SQUARES);
        assert_eq!(squares_file(&present), WEIGHTS);
        assert_eq!(squares_file(&[-4.0, 3.1, 1e9, -1e9]), [254, 2, 127, 129]);
    }
}
