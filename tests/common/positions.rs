//! Random positions.

use kyomi_shogi::{Color, Piece, PieceKind, Position, PositionBuilder, Square};

/// A position with random pieces on random squares, as far as the builder accepts it: kings may be missing or exposed,
/// and many pieces may give check.
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
