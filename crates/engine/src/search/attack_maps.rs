//! The squares that both sides attack, by the piece class of the cheapest attacker.

use kyomi_shogi::{Bitboard, Color, PieceKind, Position, attacks_of_all};

/// The squares that one side attacks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SideAttacks {
    /// `[class]`: attacked by a piece of at most this piece class. The last map holds all attacks except those of the
    /// king.
    up_to: [Bitboard; 4],
    /// Attacked by any piece, including the king.
    pub(crate) all: Bitboard,
    /// Attacked by a slider.
    pub(crate) along_lines: Bitboard,
    /// Own pieces by piece class, without the king.
    pub(crate) pieces: [Bitboard; 4],
}

impl SideAttacks {
    /// The squares that a side attacks.
    pub(crate) fn of(position: &Position, color: Color) -> Self {
        use PieceKind::{
            Bishop, Dragon, Gold, Horse, King, Knight, Lance, Pawn, ProKnight, ProLance, ProPawn,
            ProSilver, Rook, Silver,
        };
        let of = |kind: PieceKind| position.pieces(color, kind);
        let reach = |kind: PieceKind, pieces: Bitboard| {
            attacks_of_all(kind, color, pieces, position.occupied())
        };
        // By piece class. Promoted pieces that move as a gold are grouped.
        let (small, other) = (of(ProPawn), of(ProLance) | of(ProKnight) | of(ProSilver));
        let (lances, knights, silvers, golds) = (of(Lance), of(Knight), of(Silver), of(Gold));
        let (bishops, rooks, horses, dragons) = (of(Bishop), of(Rook), of(Horse), of(Dragon));
        let from_lances = reach(Lance, lances);
        let from_dear = reach(Bishop, bishops)
            | reach(Rook, rooks)
            | reach(Horse, horses)
            | reach(Dragon, dragons);
        let by_class = [
            reach(Pawn, of(Pawn)),
            from_lances | reach(Knight, knights) | reach(Gold, small),
            reach(Silver, silvers) | reach(Gold, other),
            reach(Gold, golds) | from_dear,
        ];
        let pieces = [
            of(Pawn),
            lances | knights | small,
            silvers | other,
            golds | bishops | rooks | horses | dragons,
        ];
        let mut up_to = by_class;
        for class in 1..4 {
            up_to[class] |= up_to[class - 1];
        }
        let all = reach(King, of(King)) | up_to[3];
        Self { up_to, all, along_lines: from_lances | from_dear, pieces }
    }

    /// All own pieces except the king.
    #[inline]
    pub(crate) fn without_king(&self) -> Bitboard {
        let [a, b, c, d] = self.pieces;
        a | b | c | d
    }

    /// Squares attacked by a piece of a lower class than this one.
    pub(crate) fn by_cheaper(&self, class: usize) -> Bitboard {
        if class == 0 { Bitboard::EMPTY } else { self.up_to[class - 1] }
    }
}

/// Attacks of the side to move and of the other side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttackMaps {
    pub(crate) us: SideAttacks,
    pub(crate) them: SideAttacks,
}

impl AttackMaps {
    pub(crate) fn of(position: &Position) -> Self {
        let us = position.side_to_move();
        Self { us: SideAttacks::of(position, us), them: SideAttacks::of(position, !us) }
    }

    /// Own pieces that hang: attacked, and either not guarded or attacked by something cheaper.
    pub(crate) fn hanging(&self) -> Bitboard {
        let loose = self.them.all & !self.us.all;
        let mut hanging = Bitboard::EMPTY;
        for class in 0..4 {
            hanging |= self.us.pieces[class] & (loose | self.them.by_cheaper(class));
        }
        hanging
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::piece_class;
    use kyomi_shogi::attacks;

    #[test]
    fn the_classes_are_those_of_the_victims() {
        for seed in 0..10 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut position = Position::startpos();
            for _ in 0..150 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.do_move(moves[random.usize(..moves.len())]);
                for color in Color::ALL {
                    let (mut wanted, mut along_lines) = (SideAttacks::default(), Bitboard::EMPTY);
                    for square in position.of_color(color) {
                        let kind = position.piece_on(square).unwrap().kind();
                        let reached = attacks(kind, color, square, position.occupied());
                        wanted.all |= reached;
                        if kind.slides() {
                            along_lines |= reached;
                        }
                        if kind == PieceKind::King {
                            continue;
                        }
                        let class = piece_class(kind);
                        wanted.pieces[class] = wanted.pieces[class].with(square);
                        wanted.up_to[class..].iter_mut().for_each(|map| *map |= reached);
                    }
                    let found = SideAttacks::of(&position, color);
                    assert_eq!(found.up_to, wanted.up_to, "{position:?}");
                    assert_eq!(found.pieces, wanted.pieces, "{position:?}");
                    assert_eq!(found.all, wanted.all, "{position:?}");
                    assert_eq!(found.along_lines, along_lines, "{position:?}");
                }
            }
        }
    }
}
