//! Positions of all sorts.

use kyomi::shogi::{Color, Piece, PieceKind, Position, PositionBuilder, Square};

/// Pieces thrown on the board: kings missing or exposed, many checkers, anything the builder lets through.
pub(crate) fn arbitrary(random: &mut fastrand::Rng) -> Position {
    loop {
        let mut builder = PositionBuilder::new();
        let pieces = random.usize(..=40);
        for _ in 0..pieces {
            let kind = PieceKind::ALL[random.usize(..14)];
            let color = Color::ALL[random.usize(..2)];
            let square = Square::from_index(random.usize(..81)).unwrap();
            if kind != PieceKind::King && builder.count(kind.unpromoted()) < kind.total().into() {
                builder.put(square, Piece::new(color, kind));
            }
        }
        for color in Color::ALL {
            if random.u8(..4) != 0 {
                let square = Square::from_index(random.usize(..81)).unwrap();
                builder.put(square, Piece::new(color, PieceKind::King));
            }
            for kind in PieceKind::HAND {
                let left = u32::from(kind.total()).saturating_sub(builder.count(kind));
                builder.set_hand(color, kind, random.u32(..=left) as u8);
            }
        }
        builder.set_side(Color::ALL[random.usize(..2)]);
        if let Ok(position) = builder.build() {
            return position;
        }
    }
}
