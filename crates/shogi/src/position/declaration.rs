//! Wins by a king that has entered the enemy's camp: the declaration and the try.

use super::{Bitboard, Color, Move, PieceKind, Position};
use crate::{EnteringKingRule, EnteringKingWin};

/// Whether the side to move may declare a win, with the counts that decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Points of the pieces in the enemy's camp and in hand: rook and bishop (promoted or not) 5, others 1, king 0.
    pub points: u32,
    /// The points needed; 0 if no win can be declared.
    pub needed: u32,
    /// Number of pieces in the enemy's camp without the king; 10 are needed.
    pub pieces: u32,
    /// The first condition that fails; `None` if the declaration wins.
    pub fault: Option<DeclarationFault>,
}

/// A condition of the declaration that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationFault {
    /// The rule of the game has no declarations.
    #[error("no win can be declared in this game")]
    NotAllowed,
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
    /// Checks a declaration of the side to move by this rule.
    ///
    /// Whether the clock has run out is not checked.
    pub fn declaration(&self, rule: EnteringKingRule) -> Declaration {
        let us = self.side;
        let camp = Bitboard::camp_against(us);
        let king = self.pieces(us, PieceKind::King);
        let in_camp = self.of_color(us) & camp & !king;
        let hand = self.hand(us);
        let great_in_hand =
            u32::from(hand.count(PieceKind::Rook)) + u32::from(hand.count(PieceKind::Bishop));
        let pieces = in_camp.count();
        let points =
            pieces + 4 * (in_camp & self.great_pieces()).count() + hand.total() + 4 * great_in_hand;
        let needed = self.points_to_declare(rule);
        let fault = if needed.is_none() {
            Some(DeclarationFault::NotAllowed)
        } else if (king & camp).is_empty() {
            Some(DeclarationFault::KingOutside)
        } else if self.in_check() {
            Some(DeclarationFault::InCheck)
        } else if pieces < 10 {
            Some(DeclarationFault::FewPieces)
        } else if needed.is_some_and(|needed| points < needed) {
            Some(DeclarationFault::PointsShort)
        } else {
            None
        };
        Declaration { points, needed: needed.unwrap_or(0), pieces, fault }
    }

    /// Whether the side to move wins by declaring.
    pub fn can_declare(&self, rule: EnteringKingRule) -> bool {
        self.declaration(rule).fault.is_none()
    }

    /// How the side to move wins at once by this rule; `None` if it does not.
    pub fn entering_king_win(&self, rule: EnteringKingRule) -> Option<EnteringKingWin> {
        if rule == EnteringKingRule::Try {
            return self.winning_try(rule).map(EnteringKingWin::Try);
        }
        self.can_declare(rule).then_some(EnteringKingWin::Declaration)
    }

    /// The move of the king to the square that wins.
    fn winning_try(&self, rule: EnteringKingRule) -> Option<Move> {
        let to = rule.try_square(self.side)?;
        let from = self.king_square(self.side).filter(|from| *from != to)?;
        Some(Move::normal(from, to, false)).filter(|mv| self.is_legal(*mv))
    }

    /// The points that the side to move needs; `None` if no win can be declared.
    fn points_to_declare(&self, rule: EnteringKingRule) -> Option<u32> {
        let needed = rule.points(self.side)?;
        let helped = rule.counts_missing_pieces() && self.side == Color::White;
        Some(if helped { needed.saturating_sub(self.missing_points()) } else { needed })
    }

    /// The points of the pieces that are neither on the board nor in a hand. They are the same in the whole game.
    fn missing_points(&self) -> u32 {
        let kings = self.of_kind(PieceKind::King);
        let on_board = (self.occupied() & !kings).count() + 4 * self.great_pieces().count();
        let in_hands = Color::ALL.map(|color| {
            let hand = self.hand(color);
            let great = hand.count(PieceKind::Rook) + hand.count(PieceKind::Bishop);
            hand.total() + 4 * u32::from(great)
        });
        ALL_POINTS.saturating_sub(on_board + in_hands[0] + in_hands[1])
    }

    /// Rooks and bishops, promoted or not.
    fn great_pieces(&self) -> Bitboard {
        self.of_kind(PieceKind::Rook)
            | self.of_kind(PieceKind::Bishop)
            | self.of_kind(PieceKind::Dragon)
            | self.of_kind(PieceKind::Horse)
    }
}

/// The points of all pieces of a set: 34 small ones and four great ones.
const ALL_POINTS: u32 = 34 + 4 * 5;

#[cfg(test)]
mod tests;
