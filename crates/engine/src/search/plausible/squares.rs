//! Learned squares: points of a move by piece, target and origin, and by the target relative to both kings
//! (docs/search.md, section 3.2 b). Mirrored squares share their points. They are fitted to games together with the
//! values of merits.

use super::context::NodeContext;
use super::move_data::MoveData;
use kyomi_shogi::{Color, PieceKind, Square};

/// The number of weights.
pub const SQUARES: usize = FROM_ENEMY_KING + CLASSES * OFFSETS;

/// The indexes of the weights of a move: those of its target, of its origin, and of its target relative to the own king
/// and to the enemy's. [`SQUARES`] means none.
pub type Places = [u16; 4];

/// The indexes of the weights of a move.
#[inline]
pub(super) fn places(context: &NodeContext, m: &MoveData) -> Places {
    places_of(context, m.from, m.to, m.before, m.after)
}

/// The same for a move of a piece that is of these kinds before and after the move.
#[inline]
pub(super) fn places_of(
    context: &NodeContext,
    from: Option<Square>,
    to: Square,
    before: PieceKind,
    after: PieceKind,
) -> Places {
    let us = context.us;
    let class = match from {
        Some(_) => after.index(),
        None => PieceKind::COUNT + before.index(),
    };
    let from_king = |base: usize, king: Option<Square>| {
        king.map_or(SQUARES, |king| base + class * OFFSETS + offset(us, to, king))
    };
    [
        class * FOLDED + folded(us, to),
        from.map_or(SQUARES, |from| FROM + before.index() * FOLDED + folded(us, from)),
        from_king(FROM_OWN_KING, context.king),
        from_king(FROM_ENEMY_KING, context.enemy_king),
    ]
    .map(|place| place as u16)
}

/// The sum of the weights of a move, in points.
#[inline]
pub(super) fn points(places: Places) -> i32 {
    let of = |place: u16| WEIGHTS.get(usize::from(place)).map_or(0, |byte| i32::from(*byte as i8));
    UNIT * places.into_iter().map(of).sum::<i32>()
}

/// The current weights, in points.
#[cfg(feature = "fit")]
pub fn present_squares() -> impl Iterator<Item = f64> {
    WEIGHTS.iter().map(|byte| f64::from(UNIT * i32::from(*byte as i8)))
}

/// Converts weights in points to the bytes of `squares.bin`.
#[cfg(feature = "fit")]
pub fn squares_file(points: &[f64]) -> Vec<u8> {
    let byte = |points: &f64| (points / f64::from(UNIT)).round().clamp(-127.0, 127.0) as i8 as u8;
    points.iter().map(byte).collect()
}

/// The index of a square, from the view of a side, on a board folded along the middle file.
fn folded(us: Color, square: Square) -> usize {
    usize::from(square.rank_for(us) - 1) * 5 + usize::from(square.file().abs_diff(5))
}

/// The index of a square relative to a king: the distance in files, and the ranks ahead.
fn offset(us: Color, square: Square, king: Square) -> usize {
    let ahead = usize::from(square.rank_for(us) + 8 - king.rank_for(us));
    ahead * 9 + usize::from(square.file().abs_diff(king.file()))
}

/// Squares of a folded board.
const FOLDED: usize = 45;
/// Squares relative to a king.
const OFFSETS: usize = 17 * 9;
/// Classes of moves: the kind after a move on the board, or the kind dropped.
const CLASSES: usize = PieceKind::COUNT + 7;
const FROM: usize = CLASSES * FOLDED;
const FROM_OWN_KING: usize = FROM + PieceKind::COUNT * FOLDED;
const FROM_ENEMY_KING: usize = FROM_OWN_KING + CLASSES * OFFSETS;

/// A move with at least this number of points is usual, which counts as development (P6).
pub(super) const DEVELOPS_FROM: i32 = -120;

/// A move with fewer points is unusual: slow generators do not make it.
pub(super) const RARE_BELOW: i32 = -240;

/// Points for one unit of a stored weight.
const UNIT: i32 = 2;

/// The stored weights, for a checksum.
pub fn move_weight_bytes() -> &'static [u8] {
    WEIGHTS
}

/// `kyomi-lab train merits --squares FILE` writes them.
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
        // A drop has no origin square, and its class differs from that of a move on the board.
        let drop = of("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5h");
        assert_eq!(usize::from(drop[1]), SQUARES);
        let step = of("4k4/9/9/9/9/9/9/9/3GK4 b - 1", "6i5h");
        assert!(drop[0] != step[0] && drop[2] != step[2] && drop[3] != step[3]);
        // The parts of the table are contiguous.
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
    fn a_weight_file_round_trips() {
        let present: Vec<f64> = present_squares().collect();
        assert_eq!(present.len(), SQUARES);
        assert_eq!(squares_file(&present), WEIGHTS);
        assert_eq!(squares_file(&[-4.0, 3.1, 1e9, -1e9]), [254, 2, 127, 129]);
    }
}
