//! Packs and unpacks positions.

use super::code::{Code, CodeSet, OffBoard};
use crate::PackedFault;
use kyomi_shogi::{Color, Piece, PieceKind, Position, PositionBuilder, Square, Unplayable};

/// The length of a packed position.
pub(crate) const BYTES: usize = 32;

/// Packs a position. The pieces that are missing from a full set are put into the piece box.
///
/// # Errors
/// If a king is missing: the packed form has no code for that.
pub(crate) fn pack(codes: CodeSet, position: &Position) -> Result<[u8; BYTES], Unplayable> {
    let tables = codes.tables();
    let mut writer = Writer::default();
    writer.push(Code { bits: position.side_to_move().index() as u8, length: 1 });
    for color in Color::ALL {
        let king = position.king_square(color).ok_or(Unplayable::NoKing(color))?;
        writer.push(Code { bits: king.index() as u8, length: 7 });
    }
    let mut left = PieceKind::HAND.map(PieceKind::total);
    let mut take = |kind: PieceKind, count: u8| {
        if let Some(left) = left.get_mut(kind.unpromoted().index()) {
            *left = left.saturating_sub(count);
        }
    };
    for square in Square::all() {
        match position.piece_on(square) {
            None => writer.push(tables.empty),
            Some(piece) if piece.kind() == PieceKind::King => {}
            Some(piece) => {
                take(piece.kind(), 1);
                writer.push(tables.board[piece.index()]);
            }
        }
    }
    for color in Color::ALL {
        for (kind, count) in position.hand(color).iter() {
            take(kind, count);
            for _ in 0..count {
                writer.push(tables.hand[color.index()][kind.index()]);
            }
        }
    }
    for (code, count) in tables.boxed.into_iter().zip(left) {
        for _ in 0..count {
            writer.push(code);
        }
    }
    debug_assert_eq!(writer.at, BYTES * 8, "a full set fills the string");
    Ok(writer.bytes)
}

/// Unpacks a position, with this number of its next move.
pub(crate) fn unpack(
    codes: CodeSet,
    bytes: &[u8; BYTES],
    ply: u16,
) -> Result<Position, PackedFault> {
    let tables = codes.tables();
    let mut reader = Reader { bytes, at: 0 };
    let mut builder = PositionBuilder::new();
    builder.set_ply(ply);
    builder.set_side(if reader.take(1) == 0 { Color::Black } else { Color::White });
    for color in Color::ALL {
        let square = Square::from_index(usize::from(reader.take(7)))
            .filter(|square| builder.piece_on(*square).is_none())
            .ok_or(PackedFault::King(color))?;
        builder.put(square, Piece::new(color, PieceKind::King));
    }
    for square in Square::all() {
        if builder.piece_on(square).is_none()
            && let Some(piece) = reader.symbol(&tables.on_board)?
        {
            builder.put(square, piece);
        }
    }
    let mut boxed = [0; 7];
    while reader.at < BYTES * 8 {
        match reader.symbol(&tables.off_board)? {
            OffBoard::Hand(color, kind) => {
                builder.set_hand(color, kind, builder.hand_count(color, kind).saturating_add(1));
            }
            OffBoard::Boxed(kind) => boxed[kind.index()] += 1,
        }
    }
    for (kind, boxed) in PieceKind::HAND.into_iter().zip(boxed) {
        let count = builder.count(kind) + boxed;
        if count != u32::from(kind.total()) {
            return Err(PackedFault::Count { kind, count });
        }
    }
    builder.build().map_err(PackedFault::Setup)
}

#[derive(Default)]
struct Writer {
    bytes: [u8; BYTES],
    /// The number of bits written.
    at: usize,
}

impl Writer {
    /// Adds a code of at most eight bits. A legal position never overflows the string.
    fn push(&mut self, code: Code) {
        let [low, high] = (u16::from(code.bits) << (self.at % 8)).to_le_bytes();
        for (byte, bits) in [(self.at / 8, low), (self.at / 8 + 1, high)] {
            if let Some(byte) = self.bytes.get_mut(byte) {
                *byte |= bits;
            }
        }
        self.at += usize::from(code.length);
    }
}

struct Reader<'a> {
    bytes: &'a [u8; BYTES],
    /// The number of bits read.
    at: usize,
}

impl Reader<'_> {
    /// The next eight bits; those after the end are zero.
    fn peek(&self) -> u8 {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let both = u16::from_le_bytes([byte(self.at / 8), byte(self.at / 8 + 1)]);
        (both >> (self.at % 8)) as u8
    }

    fn take(&mut self, count: u8) -> u8 {
        let bits = self.peek() & ((1 << count) - 1);
        self.at += usize::from(count);
        bits
    }

    /// The meaning of the next code.
    fn symbol<T: Copy>(&mut self, table: &[Option<(T, u8)>; 256]) -> Result<T, PackedFault> {
        let bit = self.at;
        match table[usize::from(self.peek())] {
            Some((what, length)) if bit + usize::from(length) <= BYTES * 8 => {
                self.at += usize::from(length);
                Ok(what)
            }
            _ => Err(PackedFault::Bits { bit }),
        }
    }
}
