//! The safety of a king: attackers and guards of the squares around it, its escapes, drops by the enemy, and the castle
//! of golds and silvers around it.
//!
//! The king's square and the eight around it are nine bits, from the view of its side: the file to its right first,
//! each file from the front to the back. Squares off the board count as filled and guarded. In the sets of a [`Window`]
//! the three files are nine bits apart, so that shifted sets can be combined into keys of the squares of one file.

use kyomi_shogi::{Bitboard, Color, PieceKind, Position, Square};

use super::{
    hands::Summary,
    layout::{COLUMNS, DANGER, DOUBLE_ATTACKS, GOLDS, SILVERS, View},
    maps::AttackedSquares,
    weights::Sink,
};

/// The features of a king's surroundings.
#[inline(always)]
pub(super) fn add<S: Sink>(
    position: &Position,
    color: Color,
    king: Square,
    view: View,
    own: &AttackedSquares,
    enemy: &AttackedSquares,
    sink: &mut S,
) {
    let window = Window::new(king, view);
    let off_board = window.off_board;
    let (attacked, attacked_twice) = (window.of(enemy.once), window.of(enemy.twice));
    let (guarded, guarded_twice) = (window.of(own.once), window.of(own.twice));
    let (own_pieces, enemy_pieces) =
        (window.of(position.of_color(color)), window.of(position.of_color(!color)));

    let region = COLUMNS + view.rank_from_home().min(3) * 3 * 512;
    let columns = attacked | (guarded | off_board) << 3 | (own_pieces | off_board) << 6;
    let double_attacks = attacked_twice | guarded_twice << 3 | attacked << 6;
    for column in 0..3 {
        let key = |columns: u32| (columns >> (9 * column)) as usize % 512;
        sink.add(region + column * 512 + key(columns));
        sink.add(DOUBLE_ATTACKS + column * 512 + key(double_attacks));
    }

    let ring = RING & !off_board;
    let count = |squares: u32| squares.count_ones() as usize;
    let unguarded = count(ring & attacked & !guarded).min(6);
    let twice = count(ring & attacked_twice).min(4);
    let escapes = count(ring & !(own_pieces | attacked)).min(5);
    let hand = Summary::of(position.hand(!color));
    sink.add(DANGER + ((unguarded * 5 + twice) * 6 + escapes) * 6 + hand.strength());

    let empty = ring & !(own_pieces | enemy_pieces | guarded);
    let (attacked_holes, other_holes) =
        (count(empty & attacked).min(3), count(empty & !attacked).min(3));
    sink.add_drops(hand.kinds(), (attacked_holes * 5 + escapes.min(4)) * 4 + other_holes);

    sink.add(GOLDS + window.packed(position.golds(color)));
    sink.add(SILVERS + window.packed(position.pieces(color, PieceKind::Silver)));
}

/// The king's square and the eight around it, from the view of its side.
#[derive(Debug, Clone, Copy)]
struct Window {
    around: Around,
    symmetry: usize,
    /// Squares off the board.
    off_board: u32,
}

impl Window {
    #[inline]
    fn new(king: Square, view: View) -> Self {
        let (around, symmetry) = (AROUND[king.index()], view.symmetry());
        Self { around, symmetry, off_board: APART[symmetry][usize::from(around.off_board)] }
    }

    /// The squares of a set, with the files nine bits apart.
    #[inline]
    fn of(self, squares: Bitboard) -> u32 {
        APART[self.symmetry][self.around.unturned(squares)]
    }

    /// The same, in nine bits.
    #[inline]
    fn packed(self, squares: Bitboard) -> usize {
        usize::from(TURNED[self.symmetry][self.around.unturned(squares)])
    }
}

/// The squares around the king without its own, with the files nine bits apart.
const RING: u32 = apart(0b1_1110_1111);

/// Nine bits with the files nine bits apart.
const fn apart(bits: u16) -> u32 {
    let bits = bits as u32;
    bits & 7 | (bits & 0o70) << 6 | (bits & 0o700) << 12
}

/// The places of the nine squares around a king in the bits of a set.
#[derive(Debug, Clone, Copy)]
struct Around {
    /// The squares that exist, after `first` bits are shifted out.
    mask: u64,
    first: u8,
    /// The place of the nine bits after the files are brought together.
    place: u8,
    /// The squares off the board, as nine bits.
    off_board: u16,
}

impl Around {
    /// The nine bits of a set, from black's view without mirroring.
    #[inline]
    fn unturned(self, squares: Bitboard) -> usize {
        let bits = squares.to_bits();
        let (low, high) = (bits as u64, (bits >> 64) as u64);
        // Two shifts of the upper half, since it may be shifted out completely.
        let near = low >> self.first | high << 1 << (63 - self.first);
        // The files are nine bits apart. Copies shifted by six and twelve bits bring them together and overlap no other
        // bits.
        (((near & self.mask) * COPIES) >> self.place) as usize % 512
    }
}

/// A factor that adds copies shifted by six and twelve bits.
const COPIES: u64 = 1 << 12 | 1 << 6 | 1;

static AROUND: [Around; 81] = {
    let mut table = [Around { mask: 0, first: 0, place: 0, off_board: 0 }; 81];
    let mut king = 0;
    while king < 81 {
        // The bit of the square in front and to the right of the king, which may not exist.
        let corner = king as i32 - 10;
        let first = if corner < 0 {
            0
        } else if corner > 63 {
            63
        } else {
            corner
        };
        let (mut mask, mut off_board) = (0, 0);
        let mut bit = 0;
        while bit < 9 {
            let (file, rank) = (king as i32 / 9 + bit / 3, king as i32 % 9 + bit % 3);
            if file < 1 || file > 9 || rank < 1 || rank > 9 {
                off_board |= 1 << bit;
            } else {
                mask |= 1 << (corner - first + bit / 3 * 9 + bit % 3);
            }
            bit += 1;
        }
        let place = (12 + corner - first) as u8;
        table[king] = Around { mask, first: first as u8, place, off_board };
        king += 1;
    }
    table
};

/// Converts nine bits from black's unmirrored view to the view of the side: `[turned, mirrored][bits]`.
static TURNED: [[u16; 512]; 4] = {
    let mut table = [[0; 512]; 4];
    let mut i = 0;
    while i < 4 * 512 {
        let (symmetry, bits) = (i / 512, i % 512);
        let mut bit = 0;
        while bit < 9 {
            if bits >> bit & 1 != 0 {
                let (file, rank) = (bit / 3, bit % 3);
                let (file, rank) = if symmetry >= 2 { (2 - file, 2 - rank) } else { (file, rank) };
                let file = if symmetry % 2 == 1 { 2 - file } else { file };
                table[symmetry][bits] |= 1 << (file * 3 + rank);
            }
            bit += 1;
        }
        i += 1;
    }
    table
};

/// The same with the files nine bits apart.
static APART: [[u32; 512]; 4] = {
    let mut table = [[0; 512]; 4];
    let mut i = 0;
    while i < 4 * 512 {
        table[i / 512][i % 512] = apart(TURNED[i / 512][i % 512]);
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_the_squares_around_a_king() {
        let mut random = fastrand::Rng::with_seed(9);
        for king in Square::all() {
            let view = View::new(Color::Black, Some(king));
            let window = Window::new(king, view);
            let files = if king.file() <= 5 { [-1, 0, 1] } else { [1, 0, -1] };
            for _ in 0..50 {
                let set: Bitboard = Square::all().filter(|_| random.bool()).collect();
                let mut bit = 0;
                for file in files {
                    for rank in -1..=1 {
                        let square = king.offset(file, rank);
                        let there = square.is_some_and(|square| set.contains(square));
                        assert_eq!(window.packed(set) >> bit & 1 == 1, there, "{king} {bit}");
                        assert_eq!(window.off_board & apart(1 << bit) != 0, square.is_none());
                        bit += 1;
                    }
                }
                assert_eq!(window.of(set), apart(window.packed(set) as u16));
            }
        }
    }
}
