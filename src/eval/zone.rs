//! How safe a king is: what attacks the squares around it, what guards them, where it can go, what the enemy could
//! drop there, and the castle of golds and silvers around it.
//!
//! The nine squares around a king and under it are nine bits, as its side sees them: the file to its right first,
//! from the front to the back. Squares off the board count as filled and guarded.

use crate::shogi::{Bitboard, Color, Hand, PieceKind, Position, Square};

use super::{
    layout::{COLUMNS, CROWDS, DANGER, DROPS, GOLDS, SILVERS, View},
    maps::Reach,
    terms::Sink,
};

/// The features of a king's surroundings.
#[allow(
    clippy::inline_always,
    reason = "what is not inlined into `evaluate` is compiled without the bit instructions that it asks for"
)]
#[inline(always)]
pub(super) fn add<S: Sink>(
    position: &Position,
    color: Color,
    king: Square,
    view: View,
    own: &Reach,
    enemy: &Reach,
    sink: &mut S,
) {
    let window = |squares: Bitboard| window(squares, king, view);
    let beyond = turned(usize::from(OFF_BOARD[king.index()]), view);
    let (attacked, crowded) = (window(enemy.once) & !beyond, window(enemy.twice) & !beyond);
    let guarded = window(own.once) & !beyond;
    let doubly = window(own.twice) & !beyond;
    let mine = window(position.of_color(color)) & !beyond;
    let theirs = window(position.of_color(!color)) & !beyond;

    let region = COLUMNS + view.rank_from_home().min(3) * 3 * 512;
    let (safe, filled) = (guarded | beyond, mine | beyond);
    for column in 0..3 {
        let three = |squares: usize| squares >> (3 * column) & 7;
        let key = three(attacked) | three(safe) << 3 | three(filled) << 6;
        sink.add(region + column * 512 + key);
        let key = three(crowded) | three(doubly) << 3 | three(attacked) << 6;
        sink.add(CROWDS + column * 512 + key);
    }

    let ring = !beyond & RING;
    let count = |squares: usize| usize::from(COUNT[squares & RING]);
    let held = attacked & !guarded;
    let escapes = count(ring & !mine & !attacked).min(5);
    let hand = position.hand(!color);
    let danger = (count(held).min(6) * 5 + count(crowded).min(4)) * 6 + escapes;
    sink.add(DANGER + danger * 6 + strength(hand));

    if !hand.is_empty() {
        let empty = ring & !mine & !theirs & !guarded;
        let (deadly, holes) = (count(empty & attacked).min(3), count(empty & !attacked).min(3));
        let key = (deadly * 5 + escapes.min(4)) * 4 + holes;
        for (kind, _) in hand.iter() {
            sink.add(DROPS + kind.index() * 80 + key);
        }
    }
    sink.add(GOLDS + (window(position.golds(color)) & !beyond));
    sink.add(SILVERS + (window(position.pieces(color, PieceKind::Silver)) & !beyond));
}

/// The squares around the king without its own.
const RING: usize = 0b1_1110_1111;

/// What an enemy's hand can do near a king, 0 to 5.
#[inline]
fn strength(hand: Hand) -> usize {
    let count = |kind: PieceKind| usize::from(hand.count(kind));
    let light = count(PieceKind::Lance) + count(PieceKind::Knight);
    let middle = count(PieceKind::Silver) + count(PieceKind::Gold);
    let heavy = count(PieceKind::Bishop) + count(PieceKind::Rook);
    ((usize::from(hand.has(PieceKind::Pawn)) + light + 2 * middle + 2 * heavy) / 2).min(5)
}

/// The nine bits of a set around a king.
#[inline]
fn window(squares: Bitboard, king: Square, view: View) -> usize {
    // The square before the one to the right of the king becomes bit 0; below the first there is room for ten more.
    let bits = (squares.to_bits() << 10 >> king.index()) as usize;
    turned(bits & 7 | bits >> 6 & 0o70 | bits >> 12 & 0o700, view)
}

/// Nine bits as black sees them unmirrored, as the side sees them.
#[inline]
fn turned(bits: usize, view: View) -> usize {
    usize::from(TURNED[view.symmetry()][bits])
}

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

/// How many of nine bits are set.
static COUNT: [u8; 512] = {
    let mut table = [0; 512];
    let mut bits = 0;
    while bits < 512 {
        table[bits] = (bits as u32).count_ones() as u8;
        bits += 1;
    }
    table
};

/// Those of the nine squares around a king's that are not on the board.
static OFF_BOARD: [u16; 81] = {
    let mut table = [0; 81];
    let mut square = 0;
    while square < 81 {
        let mut bit = 0;
        while bit < 9 {
            let (file, rank) = (square / 9 + bit / 3, square % 9 + bit % 3);
            if file < 1 || file > 9 || rank < 1 || rank > 9 {
                table[square] |= 1 << bit;
            }
            bit += 1;
        }
        square += 1;
    }
    table
};
