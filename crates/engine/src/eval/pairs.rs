//! Pairs of pieces near each other. Their sum is updated from move to move.
//!
//! Two pieces are near if they are at most two files and two ranks apart. Two pieces of a side are one feature of that
//! side; a piece of each side is a feature of both sides. The weight depends on both kinds, on the relative place of
//! the second piece and on the rank of the first. It does not depend on the files, nor on which piece is to the left.

use std::sync::LazyLock;

use kyomi_shogi::{Bitboard, Color, Piece, PieceKind, Position, Square};

use super::{
    layout::{OTHER_PIECES, PAIRS, RANKS, RELATIVE_PLACES},
    weights::TaperedWeight,
};

/// A piece and its square.
type Placed = (Piece, Square);

/// The sum over all pairs of a position, from black's view.
pub(super) fn of(position: &Position) -> TaperedWeight {
    let mut sum = TaperedWeight::default();
    visit_pairs(position, |one, other| sum += weight(one, other));
    sum
}

/// The sum over the pairs of `placed` with the pieces of a position near it, from black's view. Pieces on its own
/// square and on `excluded` do not count.
#[inline]
pub(super) fn sum_with_neighbors(
    position: &Position,
    placed: Placed,
    excluded: Square,
) -> TaperedWeight {
    let (piece, square) = placed;
    let weights = weights_of_first(piece, square);
    let mut sum = TaperedWeight::default();
    (position.occupied() & near(square)).without(excluded).iter().for_each(|neighbor| {
        if let Some(other) = position.piece_on(neighbor) {
            let offset = offset_index(square, neighbor);
            sum += TaperedWeight::of_halves(weights[offset][other.index()]);
        }
    });
    sum
}

/// The weight of a pair of pieces from black's view; 0 if they are not near each other.
#[inline]
pub(super) fn pair_weight(one: Placed, other: Placed) -> TaperedWeight {
    if near(one.1).contains(other.1) { weight(one, other) } else { TaperedWeight::default() }
}

/// Visits the pair features of a side.
#[cfg(feature = "fit")]
pub(super) fn visit_features(position: &Position, color: Color, mut visit: impl FnMut(usize)) {
    visit_pairs(position, |one, other| {
        for (side, feature) in pair_features(one, other).into_iter().flatten() {
            if side == color {
                visit(feature);
            }
        }
    });
}

/// Visits each pair of pieces near each other once.
fn visit_pairs(position: &Position, mut visit: impl FnMut(Placed, Placed)) {
    for square in position.occupied() {
        let Some(piece) = position.piece_on(square) else { continue };
        for other in position.occupied() & near(square) {
            if other.index() > square.index()
                && let Some(second) = position.piece_on(other)
            {
                visit((piece, square), (second, other));
            }
        }
    }
}

/// The weight of a pair of pieces near each other, from black's view.
#[inline]
fn weight(one: Placed, other: Placed) -> TaperedWeight {
    TaperedWeight::of_halves(
        weights_of_first(one.0, one.1)[offset_index(one.1, other.1)][other.0.index()],
    )
}

/// The weights of the pairs with a piece on a square: `[offset][other piece]`, see [`offset_index`].
#[inline]
fn weights_of_first(piece: Piece, square: Square) -> &'static FirstPieceWeights {
    &WEIGHTS[piece.index()][usize::from(square.rank() - 1)]
}

/// The index of the offset between two squares near each other, below 16.
#[inline]
fn offset_index(from: Square, to: Square) -> usize {
    // Two files are 18 squares.
    usize::from(OFFSET_INDEX[(20 + to.index() - from.index()) % OFFSET_INDEX.len()]) % 16
}

/// The number of files aside times 5, plus the number of ranks down plus 2. The index is the difference of the indices
/// of the two squares, plus 20.
static OFFSET_INDEX: [u8; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 25 {
        let (files, ranks) = (i / 5, i % 5);
        table[files * 9 + ranks] = (files.abs_diff(2) * 5 + ranks) as u8;
        i += 1;
    }
    table
};

/// Builds the table.
pub(super) fn prepare() {
    LazyLock::force(&WEIGHTS);
}

/// Weights from black's view, `[offset][other piece]`, in the form of [`TaperedWeight::halves`].
type FirstPieceWeights = [[i32; Piece::COUNT]; 16];

/// The weights of pairs for both sides together, `[piece][rank]`. This table needs a quarter of the look-ups, and the
/// weights of a piece are adjacent in memory. It is built once in a few milliseconds, by [`prepare`] or at its first
/// use.
static WEIGHTS: LazyLock<Vec<[FirstPieceWeights; RANKS]>> = LazyLock::new(|| {
    let mut table = vec![[[[0; Piece::COUNT]; 16]; RANKS]; Piece::COUNT];
    let pieces = || {
        let kinds = PieceKind::ALL.into_iter();
        kinds.flat_map(|kind| Color::ALL.map(|color| Piece::new(color, kind)))
    };
    for (rank, offset) in
        (0..RANKS).flat_map(|rank| (0..RELATIVE_PLACES).map(move |offset| (rank, offset)))
    {
        let from = Square::new(1, rank as u8 + 1);
        let to = (rank + offset % 5).checked_sub(1);
        let to = to.and_then(|to| Square::new((offset / 5) as u8 + 1, to as u8));
        let (Some(from), Some(to)) = (from, to) else { continue };
        for one in pieces() {
            for other in pieces() {
                let [first, second] = pair_features((one, from), (other, to)).map(signed);
                table[one.index()][rank][offset][other.index()] = (first + second).halves();
            }
        }
    }
    table
});

/// The weight of a feature of one side, from black's view.
fn signed(feature: Option<(Color, usize)>) -> TaperedWeight {
    match feature {
        Some((Color::Black, feature)) => TaperedWeight::of(feature),
        Some((Color::White, feature)) => TaperedWeight::default() - TaperedWeight::of(feature),
        None => TaperedWeight::default(),
    }
}

/// The features of two pieces near each other, each with its side.
fn pair_features(one: Placed, other: Placed) -> [Option<(Color, usize)>; 2] {
    let (color, other_color) = (one.0.color(), other.0.color());
    if color == other_color {
        // Of two pieces of a side, the one further ahead is the first.
        let in_order = key(one) <= key(other);
        return [
            Some((color, if in_order { feature(one, other) } else { feature(other, one) })),
            None,
        ];
    }
    [Some((color, feature(one, other))), Some((other_color, feature(other, one)))]
}

/// The key that orders two pieces of a side. The piece with the smaller key is the first.
fn key((piece, square): Placed) -> u32 {
    u32::from(square.rank_for(piece.color())) << 8 | piece.kind() as u32
}

/// The feature of a pair from the view of the side of its first piece.
fn feature((first, from): Placed, (second, to): Placed) -> usize {
    let color = first.color();
    let (rank, far) = (from.rank_for(color), to.rank_for(color));
    let offset = usize::from(from.file().abs_diff(to.file())) * 5 + usize::from(far + 2 - rank);
    let enemy = usize::from(second.color() != color) * PieceKind::COUNT;
    let row = (first.kind().index() * RELATIVE_PLACES + offset) * RANKS + usize::from(rank - 1);
    PAIRS + row * OTHER_PIECES + enemy + second.kind().index()
}

/// The squares near a square.
#[inline]
fn near(square: Square) -> Bitboard {
    NEAR[square.index()]
}

static NEAR: [Bitboard; 81] = {
    let mut table = [Bitboard::EMPTY; 81];
    let mut i = 0_usize;
    while i < 81 * 81 {
        let (one, other) = (i / 81, i % 81);
        let (files, ranks) = ((one / 9).abs_diff(other / 9), (one % 9).abs_diff(other % 9));
        if one != other
            && files <= 2
            && ranks <= 2
            && let Some(square) = Square::from_index(other)
        {
            table[one] = table[one].with(square);
        }
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn feature_counts(sfen: &str) -> [i32; 2] {
        let position = Position::from_sfen(sfen).unwrap();
        Color::ALL.map(|color| {
            let mut count = 0;
            visit_features(&position, color, |_| count += 1);
            count
        })
    }

    #[test]
    fn a_pair_of_one_side_is_one_feature_and_a_mixed_pair_is_two() {
        // A gold and a silver of black next to each other, far from the kings.
        assert_eq!(feature_counts("8k/9/9/9/3GS4/9/9/9/8K b - 1"), [1, 0]);
        assert_eq!(feature_counts("8k/9/9/9/3Gs4/9/9/9/8K b - 1"), [1, 1]);
        // Two files and two ranks away is near, three are not.
        assert_eq!(feature_counts("8k/9/9/3G5/9/5S3/9/9/8K b - 1"), [1, 0]);
        assert_eq!(feature_counts("8k/9/3G5/9/9/5S3/9/9/8K b - 1"), [0, 0]);
        assert_eq!(feature_counts("8k/9/9/3G5/9/6S2/9/9/8K b - 1"), [0, 0]);
        // Kings count as other pieces do. Pieces in hand have no pairs.
        assert_eq!(feature_counts("8k/9/9/9/9/9/9/7G1/8K b R 1"), [1, 0]);
    }

    #[test]
    fn each_offset_and_rank_has_its_own_feature_for_both_sides() {
        let square = |file, rank| Square::new(file, rank).unwrap();
        let piece = |color, kind| Piece::new(color, kind);
        let gold = piece(Color::Black, PieceKind::Gold);
        let pawn = piece(Color::White, PieceKind::Pawn);
        let number = |from: (u8, u8), to: (u8, u8)| {
            feature((gold, square(from.0, from.1)), (pawn, square(to.0, to.1)))
        };
        assert_ne!(number((5, 5), (5, 4)), number((5, 5), (5, 6)));
        assert_ne!(number((5, 5), (5, 4)), number((5, 6), (5, 5)));
        assert_ne!(number((5, 5), (6, 4)), number((5, 5), (7, 4)));
        // The mirror and the file do not matter.
        assert_eq!(number((5, 5), (6, 4)), number((2, 5), (1, 4)));
        // For white the board is turned.
        let turned = feature(
            (piece(Color::White, PieceKind::Gold), square(5, 3)),
            (piece(Color::Black, PieceKind::Pawn), square(4, 4)),
        );
        assert_eq!(turned, number((5, 7), (6, 6)));
    }

    #[test]
    fn the_weight_of_a_pair_does_not_depend_on_the_order_of_its_pieces() {
        let mut random = fastrand::Rng::with_seed(8);
        for _ in 0..2000 {
            let mut any = || {
                let kind = PieceKind::ALL[random.usize(..PieceKind::COUNT)];
                let color = Color::ALL[random.usize(..2)];
                (Piece::new(color, kind), Square::from_index(random.usize(..81)).unwrap())
            };
            let (one, other) = (any(), any());
            assert_eq!(pair_weight(one, other), pair_weight(other, one));
            let turned = |(piece, square): Placed| {
                (Piece::new(!piece.color(), piece.kind()), square.rotated())
            };
            let whole = pair_weight(one, other) + pair_weight(turned(one), turned(other));
            assert_eq!(whole, TaperedWeight::default());
        }
    }
}
