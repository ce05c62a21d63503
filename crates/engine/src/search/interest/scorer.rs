//! The scorer of the moves of a node: the data that it computes once for the node.

use super::learned::{LearnedInterest, real_views};
use super::move_features::MoveFeatures;
use crate::eval::piece_class;
use crate::search::{
    attack_maps::AttackMaps,
    history::{HistoryTables, SuggestedMoves},
    penalty::InterestPenalties,
    plausible::PlausibleRules,
    weights::{Attack, TermWeight, Weights},
};
use kyomi_shogi::{Bitboard, Color, Move, Piece, PieceKind, Position, Square, attacks, line};

/// The data that interest depends on besides the position.
pub(in crate::search) struct ScoringContext<'a> {
    pub(in crate::search) weights: &'a Weights,
    /// Learned move probabilities; `None` if they are off.
    pub(in crate::search) learned: Option<&'a LearnedInterest>,
    pub(in crate::search) history: &'a HistoryTables,
    /// Penalties of moves that were searched without a cut; `None` if they are off.
    pub(in crate::search) penalties: Option<&'a InterestPenalties>,
    pub(in crate::search) suggested: SuggestedMoves,
    /// The hash move.
    pub(in crate::search) hash: Option<Move>,
    /// Target of the other side's last move.
    pub(in crate::search) last_to: Option<Square>,
    /// Whether the own move before it gave check.
    pub(in crate::search) checked_before: bool,
    /// Whether moves similar to those already searched lose interest.
    pub(in crate::search) similar: bool,
    /// Whether all moves stay in the list and none is set aside.
    pub(in crate::search) whole: bool,
    /// The rules of plausible moves; `None` if they are off.
    pub(in crate::search) plausible: Option<PlausibleRules>,
    /// The interest that is added to the hash move after the list is filled: term 4 at the root.
    pub(in crate::search) later_bonus: i32,
    /// Number of the thread. From the third thread on, interest is perturbed.
    pub(in crate::search) thread: usize,
}

#[cfg(feature = "fit")]
impl<'a> ScoringContext<'a> {
    /// The context of a position outside a search: no table suggests a move, and no move is set aside.
    pub(in crate::search) fn outside_search(
        weights: &'a Weights,
        history: &'a HistoryTables,
        last_to: Option<Square>,
        checked_before: bool,
    ) -> Self {
        Self {
            weights,
            learned: None,
            history,
            penalties: None,
            suggested: SuggestedMoves::default(),
            hash: None,
            last_to,
            checked_before,
            similar: false,
            whole: true,
            plausible: None,
            later_bonus: 0,
            thread: 0,
        }
    }
}

/// Scores the moves of a node one by one.
pub(super) struct Scorer<'a> {
    /// The piece whose moves are being scored. The moves of a piece are scored one after the other.
    pub(super) moved_piece: Origin,
    pub(super) position: &'a Position,
    pub(super) maps: &'a AttackMaps,
    pub(super) context: &'a ScoringContext<'a>,
    pub(super) us: Color,
    pub(super) occupied: Bitboard,
    pub(super) enemies: Bitboard,
    /// Enemy pieces that nothing guards.
    pub(super) undefended: Bitboard,
    /// `[piece class]`: enemy pieces of a higher class.
    dearer: [Bitboard; 4],
    /// Own pieces that hang.
    pub(super) hanging: Bitboard,
    pub(super) enemy_king: Option<Square>,
    /// Squares next to the enemy's king.
    pub(super) zone: Bitboard,
    /// `[kind]`: the squares from which a piece of this kind gives check.
    pub(super) checking: [Bitboard; PieceKind::COUNT],
    pub(super) discoverers: Bitboard,
    pub(super) checkers: Bitboard,
    /// Own pieces behind a pin, or attacked with a single defender; empty if term 16 is off.
    pub(super) targets: Bitboard,
    /// Term 1.
    pub(super) even: TermWeight,
    /// The numbers of the views of both kings, for learned probabilities.
    pub(super) king_views: [usize; 2],
}

/// The class of an attacking piece, as far as terms depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Attacker {
    /// A piece that was a pawn before the move.
    Pawn,
    /// Another piece, by the piece class that it has after the move.
    Piece(usize),
}

impl Attacker {
    /// The number of classes.
    pub(super) const COUNT: usize = 5;

    /// The class of the piece that makes a move.
    #[inline]
    pub(super) fn of(before: PieceKind, after: PieceKind) -> Self {
        match before {
            PieceKind::Pawn => Self::Pawn,
            _ => Self::Piece(piece_class(after)),
        }
    }

    /// A number below [`COUNT`](Self::COUNT).
    #[inline]
    pub(super) fn index(self) -> usize {
        match self {
            Self::Piece(class) => class,
            Self::Pawn => 4,
        }
    }
}

/// The data that all moves of one piece share.
#[derive(Default)]
pub(super) struct Origin {
    square: Option<Square>,
    /// Squares that it attacks.
    pub(super) attacked: Bitboard,
    /// Squares that are better for it by the evaluation.
    pub(super) better: Bitboard,
}

impl<'a> Scorer<'a> {
    /// The scorer for a position, without what terms have computed once.
    pub(super) fn without_terms(
        position: &'a Position,
        maps: &'a AttackMaps,
        context: &'a ScoringContext<'a>,
    ) -> Self {
        let us = position.side_to_move();
        let enemy_king = position.king_square(!us);
        let enemies = position.of_color(!us);
        let class = &maps.them.pieces;
        let mut scorer = Self {
            moved_piece: Origin::default(),
            position,
            maps,
            context,
            us,
            occupied: position.occupied(),
            enemies,
            undefended: enemies & !maps.them.all,
            dearer: [
                class[1] | class[2] | class[3],
                class[2] | class[3],
                class[3],
                Bitboard::EMPTY,
            ],
            hanging: maps.hanging(),
            enemy_king,
            zone: Bitboard::EMPTY,
            checking: [Bitboard::EMPTY; PieceKind::COUNT],
            discoverers: position.discoverers(us),
            checkers: position.checkers(),
            targets: Bitboard::EMPTY,
            even: TermWeight::NONE,
            king_views: real_views(position),
        };
        if let Some(king) = enemy_king {
            scorer.set_enemy_king(king);
        }
        scorer
    }

    fn set_enemy_king(&mut self, king: Square) {
        let (them, occupied) = (!self.us, self.occupied);
        let from = |kind: PieceKind| attacks(kind, them, king, occupied);
        let (zone, checking) = (from(PieceKind::King), &mut self.checking);
        for kind in [PieceKind::Pawn, PieceKind::Lance, PieceKind::Knight, PieceKind::Silver] {
            checking[kind.index()] = from(kind);
        }
        let gold = from(PieceKind::Gold);
        for kind in PieceKind::ALL {
            if kind.moves_as_gold() {
                checking[kind.index()] = gold;
            }
        }
        let (bishop, rook) = (from(PieceKind::Bishop), from(PieceKind::Rook));
        checking[PieceKind::Bishop.index()] = bishop;
        checking[PieceKind::Rook.index()] = rook;
        checking[PieceKind::Horse.index()] = bishop | zone;
        checking[PieceKind::Dragon.index()] = rook | zone;
        self.zone = zone;
    }

    /// The data of a move that terms read.
    #[inline]
    pub(super) fn read(&mut self, mv: Move) -> MoveFeatures {
        let (to, from) = (mv.to(), mv.from());
        let piece = from.and_then(|from| self.position.piece_on(from));
        if let (Some(from), Some(piece)) = (from, piece) {
            self.set_moved_piece(from, piece);
        }
        let m = MoveFeatures::new(mv, piece);
        MoveFeatures {
            captured: self.position.piece_on(to).map(Piece::kind),
            check: self.gives_check(m.after, from, to),
            new_attacks: self.newly_attacked(m.before, m.after, from, to),
            ..m
        }
    }

    /// Sets the piece whose moves are being scored.
    #[inline]
    pub(super) fn set_moved_piece(&mut self, square: Square, piece: Piece) {
        if self.moved_piece.square == Some(square) {
            return;
        }
        let moved_piece = &mut self.moved_piece;
        moved_piece.square = Some(square);
        moved_piece.attacked = attacks(piece.kind(), piece.color(), square, self.occupied);
        moved_piece.better = self.context.history.better_squares().of(self.position, piece, square);
    }

    #[inline]
    fn gives_check(&self, kind: PieceKind, from: Option<Square>, to: Square) -> bool {
        if self.checking[kind.index()].contains(to) {
            return true;
        }
        match (from, self.enemy_king) {
            (Some(from), Some(king)) => {
                self.discoverers.contains(from) && !line(king, from).contains(to)
            }
            _ => false,
        }
    }

    #[inline]
    fn newly_attacked(
        &self,
        before: PieceKind,
        after: PieceKind,
        from: Option<Square>,
        to: Square,
    ) -> Bitboard {
        match from {
            _ if before == PieceKind::King => Bitboard::EMPTY,
            None => attacks(after, self.us, to, self.occupied),
            Some(from) => {
                let now = attacks(after, self.us, to, self.occupied.without(from));
                now & !self.moved_piece.attacked
            }
        }
    }

    /// Both kings.
    #[inline]
    pub(super) fn kings(&self) -> Bitboard {
        self.position.of_kind(PieceKind::King)
    }

    /// Enemy pieces that are undefended or of a higher class than this kind.
    #[inline]
    pub(super) fn worth_attacking(&self, kind: PieceKind) -> Bitboard {
        self.worth_attacking_for(piece_class(kind))
    }

    /// The same for an attacker of a piece class.
    #[inline]
    pub(super) fn worth_attacking_for(&self, class: usize) -> Bitboard {
        self.undefended | self.dearer[class]
    }

    /// The weight of an attack on the pieces on these squares.
    #[inline]
    pub(super) fn attack_on(&self, attack: &Attack, squares: Bitboard) -> TermWeight {
        match attack {
            Attack::Dearest(weights) => best_class(&self.maps.them.pieces, squares)
                .map_or(TermWeight::NONE, |class| weights[class]),
            Attack::Each(weights) => {
                let mut sum = TermWeight::NONE;
                for square in squares & self.enemies {
                    if let Some(piece) = self.position.piece_on(square)
                        && piece.kind() != PieceKind::King
                    {
                        sum += weights[piece.kind().index()];
                    }
                }
                sum
            }
        }
    }
}

/// The highest piece class of the pieces on some squares; `None` if there are none.
#[inline]
pub(super) fn best_class(pieces: &[Bitboard; 4], squares: Bitboard) -> Option<usize> {
    if squares.is_empty() {
        return None;
    }
    (0..4).rev().find(|&class| (pieces[class] & squares).any())
}
