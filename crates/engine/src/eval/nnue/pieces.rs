//! Numbers of pieces on their squares and in hand, the basis of all inputs.
//!
//! The numbers are those of the files, a tradition of shogi programs since Bonanza. From the view of a side:
//!
//! | numbers | what |
//! |---|---|
//! | 0 | a piece that the game lacks, as in handicap games |
//! | 1 to 89 | the n-th piece of a kind in the own hand, in the enemy's hand |
//! | 90 to 1547 | own, enemy pieces on squares: pawn, lance, knight, silver, gold, bishop, horse, rook, dragon |
//! | 1548 to 1628 | the own king |
//! | 1629 to 1709 | the enemy's king |
//!
//! A promoted pawn, lance, knight or silver counts as a gold.

use kyomi_shogi::{Color, Piece, PieceKind, Square};

/// The number of a piece that the game lacks.
pub(super) const MISSING: u16 = 0;
/// The first number of pieces on the board.
const BOARD: u16 = 90;
/// The first number of kings.
pub(super) const KINGS: u16 = 1548;
/// The first number of the enemy's king.
pub(super) const ENEMY_KING: u16 = KINGS + 81;
/// The numbers of a set of pieces without and with kings.
pub(super) const SET: usize = 38;
pub(super) const SET_WITH_KINGS: usize = 40;

/// A piece, seen by both sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PieceNumber(pub(super) [u16; 2]);

impl PieceNumber {
    /// A piece on a square.
    #[inline]
    pub(super) fn on_board(piece: Piece, square: Square) -> Self {
        let planes = PLANES[piece.index()];
        let index = square.index() as u16;
        Self([planes[0] + index, planes[1] + 80 - index])
    }

    /// The n-th piece of a kind in a hand, from 1.
    #[inline]
    pub(super) fn in_hand(color: Color, kind: PieceKind, n: u8) -> Self {
        let [own, enemy] = FIRST_IN_HAND[kind.index() & 7];
        let n = u16::from(n) - 1;
        Self(match color {
            Color::Black => [own + n, enemy + n],
            Color::White => [enemy + n, own + n],
        })
    }
}

/// The number with the board mirrored left to right.
#[inline]
pub(super) const fn mirrored(number: u16) -> u16 {
    if number < BOARD {
        return number;
    }
    let square = (number - BOARD) % 81;
    // The square's file is replaced by that of the other side.
    number + 72 - square / 9 * 18
}

/// `[piece][view]`: the number of the piece on the square with index 0 of the view.
const PLANES: [[u16; 2]; Piece::COUNT] = {
    let mut planes = [[0; 2]; Piece::COUNT];
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        let plane = 2 * plane(PieceKind::ALL[kind]);
        let (own, enemy) = (BOARD + 81 * plane, BOARD + 81 * (plane + 1));
        planes[Piece::new(Color::Black, PieceKind::ALL[kind]).index()] = [own, enemy];
        planes[Piece::new(Color::White, PieceKind::ALL[kind]).index()] = [enemy, own];
        kind += 1;
    }
    planes
};

/// The place of a kind on the board in the order of the numbers.
const fn plane(kind: PieceKind) -> u16 {
    match kind {
        PieceKind::Pawn => 0,
        PieceKind::Lance => 1,
        PieceKind::Knight => 2,
        PieceKind::Silver => 3,
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver => 4,
        PieceKind::Bishop => 5,
        PieceKind::Horse => 6,
        PieceKind::Rook => 7,
        PieceKind::Dragon => 8,
        PieceKind::King => 9,
    }
}

/// `[kind][own, enemy]`: the number of the first piece of a kind in hand. The last kind has none.
const FIRST_IN_HAND: [[u16; 2]; 8] =
    [[1, 20], [39, 44], [49, 54], [59, 64], [69, 74], [79, 82], [85, 88], [0, 0]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_have_different_numbers() {
        let mut seen = [[0; KINGS as usize + 162]; 2];
        let mut count = |number: PieceNumber| {
            for (view, number) in number.0.into_iter().enumerate() {
                seen[view][usize::from(number)] += 1;
            }
        };
        for color in Color::ALL {
            for square in Square::all() {
                for kind in PieceKind::ALL {
                    if !(kind.moves_as_gold() && kind != PieceKind::Gold) {
                        count(PieceNumber::on_board(Piece::new(color, kind), square));
                    }
                }
            }
            for kind in PieceKind::HAND {
                (1..=kind.total()).for_each(|n| count(PieceNumber::in_hand(color, kind, n)));
            }
        }
        for seen in seen {
            assert!(seen[usize::from(BOARD)..].iter().all(|times| *times == 1));
            assert_eq!(seen[..usize::from(BOARD)].iter().sum::<u32>(), 2 * 38);
            assert!(seen.iter().all(|times| *times <= 1));
        }
    }

    #[test]
    fn mirroring_changes_the_file_alone() {
        for number in 0..KINGS + 162 {
            assert_eq!(mirrored(mirrored(number)), number);
        }
        let pawn = |file, rank| {
            let square = Square::new(file, rank).unwrap();
            PieceNumber::on_board(Piece::new(Color::Black, PieceKind::Pawn), square).0
        };
        assert_eq!(pawn(2, 7).map(mirrored), pawn(8, 7));
        assert_eq!(mirrored(50), 50);
    }
}
