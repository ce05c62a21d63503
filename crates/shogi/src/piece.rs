//! Kinds of pieces, and pieces with their side.

use std::num::NonZeroU8;

use super::Color;

/// A kind of piece, including promoted kinds. The first seven can be in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum PieceKind {
    Pawn,
    Lance,
    Knight,
    Silver,
    Gold,
    Bishop,
    Rook,
    King,
    ProPawn,
    ProLance,
    ProKnight,
    ProSilver,
    Horse,
    Dragon,
}

use PieceKind::{
    Bishop, Dragon, Gold, Horse, King, Knight, Lance, Pawn, ProKnight, ProLance, ProPawn,
    ProSilver, Rook, Silver,
};

impl PieceKind {
    /// The number of kinds.
    pub const COUNT: usize = 14;

    /// All kinds by index.
    pub const ALL: [Self; 14] = [
        Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, King, ProPawn, ProLance, ProKnight,
        ProSilver, Horse, Dragon,
    ];

    /// The kinds that can be in hand, cheapest first.
    pub const HAND: [Self; 7] = [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook];

    /// 0 to 13: an index into `[_; 14]`.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The promoted kind; `None` for gold, king and promoted kinds.
    pub const fn promoted(self) -> Option<Self> {
        match self {
            Pawn => Some(ProPawn),
            Lance => Some(ProLance),
            Knight => Some(ProKnight),
            Silver => Some(ProSilver),
            Bishop => Some(Horse),
            Rook => Some(Dragon),
            _ => None,
        }
    }

    /// The unpromoted kind, which is the kind in hand after a capture.
    #[must_use]
    pub const fn unpromoted(self) -> Self {
        match self {
            ProPawn => Pawn,
            ProLance => Lance,
            ProKnight => Knight,
            ProSilver => Silver,
            Horse => Bishop,
            Dragon => Rook,
            other => other,
        }
    }

    /// Whether it is one of the six promoted kinds.
    pub const fn is_promoted(self) -> bool {
        (self as u8) > King as u8
    }

    /// Whether it moves along lines.
    pub const fn slides(self) -> bool {
        matches!(self, Self::Lance | Self::Bishop | Self::Rook | Self::Horse | Self::Dragon)
    }

    /// Whether it moves as a gold: the gold itself, and the promoted pawn, lance, knight and silver.
    pub const fn moves_as_gold(self) -> bool {
        matches!(self, Gold | ProPawn | ProLance | ProKnight | ProSilver)
    }

    /// Whether it can be in hand (unpromoted, no king).
    pub const fn is_droppable(self) -> bool {
        (self as u8) < King as u8
    }

    /// The number of pieces of the unpromoted kind in a full set.
    pub const fn total(self) -> u8 {
        match self.unpromoted() {
            Pawn => 18,
            Bishop | Rook | King => 2,
            _ => 4,
        }
    }

    /// The number of ranks at the far edge on which it is not allowed, because it could never move again.
    pub const fn dead_ranks(self) -> u8 {
        match self {
            Pawn | Lance => 1,
            Knight => 2,
            _ => 0,
        }
    }

    /// The English name, lower case: `pawn`, `promoted pawn`, `horse`.
    pub const fn name(self) -> &'static str {
        match self {
            Pawn => "pawn",
            Lance => "lance",
            Knight => "knight",
            Silver => "silver",
            Gold => "gold",
            Bishop => "bishop",
            Rook => "rook",
            King => "king",
            ProPawn => "promoted pawn",
            ProLance => "promoted lance",
            ProKnight => "promoted knight",
            ProSilver => "promoted silver",
            Horse => "horse",
            Dragon => "dragon",
        }
    }
}

/// A piece on the board: its kind and its side, in one byte (`Option<Piece>` too).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece(NonZeroU8);

impl Piece {
    /// The length of an array that can be indexed by [`Piece::index`].
    pub const COUNT: usize = 32;

    /// The piece of a kind and a side.
    #[inline]
    pub const fn new(color: Color, kind: PieceKind) -> Self {
        match NonZeroU8::new((color as u8) << 4 | (kind as u8 + 1)) {
            Some(byte) => Self(byte),
            None => unreachable!(),
        }
    }

    /// Its kind.
    pub const fn kind(self) -> PieceKind {
        // Indexed by the low four bits. The values 0 and 15 do not occur.
        const KINDS: [PieceKind; 16] = [
            Pawn, Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, King, ProPawn, ProLance,
            ProKnight, ProSilver, Horse, Dragon, Dragon,
        ];
        KINDS[(self.0.get() & 15) as usize]
    }

    /// The index of its kind plus 1, below 16. It needs no table.
    pub(super) const fn kind_bits(self) -> usize {
        self.0.get() as usize & 15
    }

    /// Whether it moves as a gold.
    pub(super) const fn moves_as_gold(self) -> bool {
        const GOLDS: u16 = {
            let (mut set, mut i) = (0, 0);
            while i < PieceKind::COUNT {
                if PieceKind::ALL[i].moves_as_gold() {
                    set |= 1 << (i + 1);
                }
                i += 1;
            }
            set
        };
        GOLDS >> self.kind_bits() & 1 != 0
    }

    /// Its side.
    pub const fn color(self) -> Color {
        if self.0.get() & 16 == 0 { Color::Black } else { Color::White }
    }

    /// A number below 32, different for each piece.
    pub const fn index(self) -> usize {
        self.0.get() as usize & 31
    }
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.color(), self.kind())
    }
}
