//! The 27-point declaration of a king that has entered the enemy's camp.

use super::{Bitboard, Color, PieceKind, Position};

/// Whether the side to move may declare a win, with the counts that decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Points of the pieces in the enemy's camp and in hand: rook and bishop (promoted or not) 5, others 1, king 0.
    pub points: u32,
    /// The points needed: 28 for black, 27 for white.
    pub needed: u32,
    /// Number of pieces in the enemy's camp without the king; 10 are needed.
    pub pieces: u32,
    /// The first condition that fails; `None` if the declaration wins.
    pub fault: Option<DeclarationFault>,
}

/// A condition of the declaration that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationFault {
    /// The king is missing or not in the enemy's camp.
    #[error("the king is outside the enemy's camp")]
    KingOutside,
    /// The declaring side is in check.
    #[error("the king is in check")]
    InCheck,
    /// Fewer than ten pieces besides the king are in the enemy's camp.
    #[error("fewer than 10 pieces besides the king are in the enemy's camp")]
    FewPieces,
    /// The points are not enough.
    #[error("too few points")]
    PointsShort,
}

impl Position {
    /// Checks a declaration of the side to move by the 27-point rule (CSA server protocol, `Jishogi 1.1`).
    ///
    /// Whether the clock has run out is not checked.
    pub fn declaration(&self) -> Declaration {
        let us = self.side;
        let camp = Bitboard::camp_against(us);
        let king = self.pieces(us, PieceKind::King);
        let in_camp = self.of_color(us) & camp & !king;
        let kind = |kind: PieceKind| self.of_kind(kind);
        let great = in_camp
            & (kind(PieceKind::Rook)
                | kind(PieceKind::Bishop)
                | kind(PieceKind::Dragon)
                | kind(PieceKind::Horse));
        let hand = self.hand(us);
        let great_in_hand =
            u32::from(hand.count(PieceKind::Rook)) + u32::from(hand.count(PieceKind::Bishop));
        let pieces = in_camp.count();
        let points = pieces + 4 * great.count() + hand.total() + 4 * great_in_hand;
        let needed = match us {
            Color::Black => 28,
            Color::White => 27,
        };
        let fault = if (king & camp).is_empty() {
            Some(DeclarationFault::KingOutside)
        } else if self.in_check() {
            Some(DeclarationFault::InCheck)
        } else if pieces < 10 {
            Some(DeclarationFault::FewPieces)
        } else if points < needed {
            Some(DeclarationFault::PointsShort)
        } else {
            None
        };
        Declaration { points, needed, pieces, fault }
    }

    /// Whether the side to move wins by declaring.
    pub fn can_declare(&self) -> bool {
        self.declaration().fault.is_none()
    }
}
