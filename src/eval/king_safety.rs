//! Danger to a king: what attacks the squares around it, what guards them, where it can go, and what the enemy
//! could drop.

use crate::shogi::{Bitboard, Color, PieceKind, Position, Square, attacks};

/// Centipawns that the king of `color` is worse off by, never negative; 0 where it is missing.
pub(super) fn danger(position: &Position, color: Color) -> i32 {
    let Some(king) = position.king_square(color) else { return 0 };
    let occupied = position.occupied();
    let own = position.of_color(color);
    let zone = attacks(PieceKind::King, color, king, Bitboard::EMPTY);
    // Lines are looked along through the king: it cannot hide behind itself.
    let open = occupied.without(king);
    let attack = pressure(position, !color, zone, king, open);
    let guard = pressure(position, color, zone, king, open);
    let held = attack.squares & !guard.squares;
    let escapes = (zone & !own & !attack.squares).count() as i32;
    let units =
        attack.units + HELD * held.count() as i32 + CROWDED * (attack.twice & zone).count() as i32
            - GUARDED * (guard.squares & zone).count() as i32;
    let hand = arsenal(position, !color);
    let bare = (zone & !own & !guard.squares).count() as i32;
    let units = (units + hand * (2 + held.count() as i32 + bare / 2) / 4 - ESCAPE * escapes).max(0);
    // Two attackers are worth more than twice one.
    let units = units.min(LIMIT);
    units * units / 64 + units
}

/// An attacked square that no piece but the king guards.
const HELD: i32 = 7;
/// A square attacked twice.
const CROWDED: i32 = 3;
/// A guarded square.
const GUARDED: i32 = 2;
/// A square the king can go to.
const ESCAPE: i32 = 3;
/// Beyond this much danger nothing gets worse.
const LIMIT: i32 = 220;

/// How some pieces bear on the squares around a king.
struct Pressure {
    /// Squares attacked.
    squares: Bitboard,
    /// Squares attacked more than once.
    twice: Bitboard,
    /// Sum over the attackers.
    units: i32,
}

/// The pieces of `by`, other than its king, that attack squares of the zone.
fn pressure(
    position: &Position,
    by: Color,
    zone: Bitboard,
    king: Square,
    open: Bitboard,
) -> Pressure {
    let mut found = Pressure { squares: Bitboard::EMPTY, twice: Bitboard::EMPTY, units: 0 };
    let mut add = |kind: PieceKind, pieces: Bitboard, weight: i32| {
        for square in pieces {
            let hit = attacks(kind, by, square, open) & zone;
            if hit.any() {
                found.twice |= found.squares & hit;
                found.squares |= hit;
                found.units += weight + hit.count() as i32;
            }
        }
    };
    let pieces = |kind: PieceKind| position.pieces(by, kind);
    let near = NEAR[king.index()];
    add(PieceKind::Pawn, pieces(PieceKind::Pawn) & near, 2);
    add(PieceKind::Lance, pieces(PieceKind::Lance) & FILES[king.index()], 3);
    add(PieceKind::Knight, pieces(PieceKind::Knight) & near, 5);
    add(PieceKind::Silver, pieces(PieceKind::Silver) & near, 7);
    add(PieceKind::Gold, position.golds(by) & near, 8);
    add(PieceKind::Bishop, pieces(PieceKind::Bishop), 7);
    add(PieceKind::Rook, pieces(PieceKind::Rook), 8);
    add(PieceKind::Horse, pieces(PieceKind::Horse), 11);
    add(PieceKind::Dragon, pieces(PieceKind::Dragon), 12);
    found
}

/// How dangerous a hand is near a king.
fn arsenal(position: &Position, color: Color) -> i32 {
    const FIRST: [i32; 7] = [2, 5, 5, 10, 13, 9, 13];
    let hand = position.hand(color);
    hand.iter()
        .map(|(kind, count)| {
            let weight = FIRST[kind.index()];
            // The second of a kind adds half, more add nothing.
            weight + if count > 1 { weight / 2 } else { 0 }
        })
        .sum()
}

/// Squares within three files and ranks: no shorter-ranged piece beyond them reaches a king's neighbours.
static NEAR: [Bitboard; 81] = within(3);
/// The own file and its neighbours.
static FILES: [Bitboard; 81] = {
    let mut table = [Bitboard::EMPTY; 81];
    let mut index = 0usize;
    while index < 81 {
        let mut other = 0usize;
        while other < 81 {
            if (index / 9).abs_diff(other / 9) <= 1
                && let Some(square) = Square::from_index(other)
            {
                table[index] = table[index].with(square);
            }
            other += 1;
        }
        index += 1;
    }
    table
};

const fn within(distance: usize) -> [Bitboard; 81] {
    let mut table = [Bitboard::EMPTY; 81];
    let mut index = 0usize;
    while index < 81 {
        let mut other = 0usize;
        while other < 81 {
            if (index / 9).abs_diff(other / 9) <= distance
                && (index % 9).abs_diff(other % 9) <= distance
                && let Some(square) = Square::from_index(other)
            {
                table[index] = table[index].with(square);
            }
            other += 1;
        }
        index += 1;
    }
    table
}
