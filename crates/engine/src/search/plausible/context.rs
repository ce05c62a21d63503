//! The data of a node that generators of plausible moves read, computed once.

use super::castle::{Castle, nearest_castle};
use super::counts::Counts;
use crate::eval::capture_value;
use kyomi_shogi::{Bitboard, Color, PieceKind, Position, Square, attacks, between};

/// The attacks of one side.
#[derive(Debug, Default)]
pub(super) struct AttackCounts {
    /// Number of pieces that attack each square.
    pub(super) counts: Counts,
    /// Squares attacked by any piece, including the king.
    pub(super) all: Bitboard,
    /// `[kind]`
    by_kind: [Bitboard; PieceKind::COUNT],
}

impl AttackCounts {
    fn add(&mut self, kind: PieceKind, reach: Bitboard) {
        self.counts.add(reach);
        self.by_kind[kind.index()] |= reach;
        self.all |= reach;
    }

    /// The capture value of the cheapest piece that attacks a square.
    fn cheapest(&self, square: Square) -> Option<i32> {
        let attacking = |kind: &PieceKind| self.by_kind[kind.index()].contains(square);
        PieceKind::ALL.into_iter().filter(attacking).map(capture_value).min()
    }
}

/// The data of a node that generators read. *Hanging*, *even* and *zone* are defined in docs/search.md, section 3.1.
/// Kings are in none of the sets of pieces.
#[derive(Debug)]
pub(super) struct NodeContext {
    pub(super) position: Position,
    pub(super) us: Color,
    pub(super) occupied: Bitboard,
    pub(super) own: Bitboard,
    pub(super) enemies: Bitboard,
    pub(super) in_check: bool,
    /// Target of the enemy's last move.
    pub(super) last_to: Option<Square>,
    pub(super) ours: AttackCounts,
    pub(super) theirs: AttackCounts,
    pub(super) king: Option<Square>,
    pub(super) enemy_king: Option<Square>,
    /// The own king's square and its neighbours; empty without a king.
    pub(super) zone: Bitboard,
    pub(super) enemy_zone: Bitboard,
    /// Number of own pieces that attack the enemy's zone.
    pub(super) attackers_of_zone: u32,
    /// Enemy pieces that attack the own zone.
    pub(super) zone_attackers: Bitboard,
    /// Own pieces that are attacked and undefended, or attacked by something cheaper.
    pub(super) hanging: Bitboard,
    /// Own pieces that are attacked, do not hang and can be exchanged.
    pub(super) even: Bitboard,
    /// Own pieces that are attacked and have one defender.
    pub(super) single_defender: Bitboard,
    /// Own pieces that no own piece guards.
    pub(super) undefended: Bitboard,
    /// Own pieces pinned to the king.
    pub(super) pinned: Bitboard,
    /// Squares between a hanging piece and the sliders that attack it.
    pub(super) interposition_squares: Bitboard,
    /// Own pieces except pawns that an enemy slider would attack if an enemy piece moved away.
    pub(super) discovered_attack_targets: Bitboard,
    /// Pieces of either side that are the only one between the own king and an enemy slider.
    pub(super) king_blockers: Bitboard,
    /// Squares where an enemy piece can promote with its next move and that no own piece guards.
    pub(super) promoting: Bitboard,
    /// Enemy pieces that no enemy piece guards.
    pub(super) loose: Bitboard,
    /// Enemy pieces with no more defenders than attackers.
    pub(super) weak: Bitboard,
    /// `[kind]`: enemy pieces with a larger capture value than this kind.
    dearer: [Bitboard; PieceKind::COUNT],
    /// Squares of the own camp that the enemy attacks at least as often as we do, or that we do not attack.
    pub(super) weak_camp: Bitboard,
    /// Squares of the enemy's camp that we do not attack.
    pub(super) free_camp: Bitboard,
    /// Squares outside the enemy's camp that enemy pawns, knights, silvers, bishops and rooks can move to and that we
    /// do not attack.
    pub(super) enemy_development_squares: Bitboard,
    /// Squares that enemy sliders attack.
    pub(super) lines: Bitboard,
    /// Enemy pieces to which a pin is worthwhile: gold and dearer, and the king.
    pub(super) pin_targets: Bitboard,
    /// The castle nearest to the own king.
    pub(super) castle: Option<&'static Castle>,
    /// Whether a threat is so strong that positional generators are off.
    pub(super) dominated: bool,
}

impl NodeContext {
    /// The context of a position. A piece that can be won for `strong_threat` (a capture value in centipawns; 0:
    /// never), or a king in danger, switches positional generators off.
    pub(super) fn new(position: &Position, last_to: Option<Square>, strong_threat: i32) -> Self {
        let us = position.side_to_move();
        let (king, enemy_king) = (position.king_square(us), position.king_square(!us));
        let mut context = Self {
            position: position.clone(),
            us,
            occupied: position.occupied(),
            own: position.of_color(us),
            enemies: position.of_color(!us),
            in_check: position.in_check(),
            last_to,
            ours: AttackCounts::default(),
            theirs: AttackCounts::default(),
            king,
            enemy_king,
            zone: zone_of(king),
            enemy_zone: zone_of(enemy_king),
            attackers_of_zone: 0,
            zone_attackers: Bitboard::EMPTY,
            hanging: Bitboard::EMPTY,
            even: Bitboard::EMPTY,
            single_defender: Bitboard::EMPTY,
            undefended: Bitboard::EMPTY,
            pinned: position.pinned(us),
            interposition_squares: Bitboard::EMPTY,
            discovered_attack_targets: Bitboard::EMPTY,
            king_blockers: position.pinned(us) | position.discoverers(!us),
            promoting: Bitboard::EMPTY,
            loose: Bitboard::EMPTY,
            weak: Bitboard::EMPTY,
            dearer: [Bitboard::EMPTY; PieceKind::COUNT],
            weak_camp: Bitboard::EMPTY,
            free_camp: Bitboard::EMPTY,
            enemy_development_squares: Bitboard::EMPTY,
            lines: Bitboard::EMPTY,
            pin_targets: Bitboard::EMPTY,
            castle: king.and_then(|king| nearest_castle(position, us, king)),
            dominated: false,
        };
        context.find_own_pieces();
        context.find_enemies();
        context.find_targets(position);
        context.find_slider_squares();
        context.dominated =
            strong_threat > 0 && !context.in_check && context.is_strong(strong_threat);
        context
    }

    /// Enemy pieces that are worth more than this kind.
    pub(super) fn dearer_than(&self, kind: PieceKind) -> Bitboard {
        self.dearer[kind.index()]
    }

    /// Both kings.
    pub(super) fn kings(&self) -> Bitboard {
        self.position.of_kind(PieceKind::King)
    }

    /// The squares where own pieces promote.
    pub(super) fn far_camp(&self) -> Bitboard {
        Bitboard::camp_against(self.us)
    }

    fn find_own_pieces(&mut self) {
        for kind in PieceKind::ALL {
            for square in self.position.pieces(self.us, kind) {
                let reach = attacks(kind, self.us, square, self.occupied);
                self.ours.add(kind, reach);
                self.attackers_of_zone += u32::from((reach & self.enemy_zone).any());
            }
        }
    }

    fn find_enemies(&mut self) {
        let (them, camp) = (!self.us, Bitboard::camp_against(!self.us));
        let mut grown = Bitboard::EMPTY;
        for kind in PieceKind::ALL {
            for square in self.position.pieces(them, kind) {
                let reach = attacks(kind, them, square, self.occupied);
                self.theirs.add(kind, reach);
                if (reach & self.zone).any() {
                    self.zone_attackers = self.zone_attackers.with(square);
                }
                if kind.promoted().is_some() {
                    self.promoting |= if camp.contains(square) { reach } else { reach & camp };
                }
                if develops(kind) {
                    grown |= reach;
                }
                if kind.slides() {
                    self.lines |= reach;
                }
            }
        }
        self.promoting &= !self.enemies & !self.ours.all;
        self.enemy_development_squares = grown & !self.enemies & !self.ours.all & !self.far_camp();
    }

    fn find_targets(&mut self, position: &Position) {
        let (own, enemies) = (self.own & !self.kings(), self.enemies & !self.kings());
        let us = self.us;
        self.undefended = own & !self.ours.all;
        self.single_defender = own & self.theirs.all & self.ours.counts.single();
        self.loose = enemies & !self.theirs.all;
        self.weak = enemies & self.ours.counts.at_least(&self.theirs.counts);
        let camp = Bitboard::camp_against(!us);
        let outnumbered = self.theirs.counts.at_least(&self.ours.counts);
        self.weak_camp = camp & (outnumbered | !self.ours.all);
        self.free_camp = self.far_camp() & !self.ours.all;
        // Pieces dearer than each kind, then own pieces that hang or stand even.
        let mut dearest = Bitboard::EMPTY;
        for &kind in ALL_BUT_KING.iter().rev() {
            self.dearer[kind.index()] = dearest;
            dearest |= position.pieces(!us, kind);
        }
        let mut cheaper = Bitboard::EMPTY;
        for &kind in ALL_BUT_KING {
            let attacked = position.pieces(us, kind) & self.theirs.all;
            if attacked.any() {
                let hanging = attacked & (cheaper | !self.ours.all);
                let alike = self.theirs.by_kind[kind.index()] | outnumbered;
                self.hanging |= hanging;
                self.even |= attacked & !hanging & alike;
            }
            cheaper |= self.theirs.by_kind[kind.index()];
        }
        for &kind in ALL_BUT_KING {
            if capture_value(kind) >= capture_value(PieceKind::Gold) {
                self.pin_targets |= position.pieces(!us, kind);
            }
        }
        self.pin_targets |= position.pieces(!us, PieceKind::King);
    }

    /// Computes the squares that matter for attacks of enemy sliders.
    fn find_slider_squares(&mut self) {
        let them = !self.us;
        for kind in PieceKind::ALL.into_iter().filter(|kind| kind.slides()) {
            for slider in self.position.pieces(them, kind) {
                let reach = |occupied| attacks(kind, them, slider, occupied);
                let seen = reach(self.occupied);
                for prey in seen & self.hanging {
                    self.interposition_squares |= between(slider, prey);
                }
                for blocker in seen & self.enemies {
                    self.discovered_attack_targets |= reach(self.occupied.without(blocker)) & !seen;
                }
            }
        }
        // Most pawns are in such a line from the start and need no defence.
        let pawns = self.position.of_kind(PieceKind::Pawn);
        self.discovered_attack_targets &= self.own & !self.kings() & !pawns;
    }

    /// Whether a piece of either side can be won for at least `threat`, or four squares of a king's zone are attacked
    /// at least as often as they are guarded (docs/search.md, section 3.1, dominance).
    fn is_strong(&self, threat: i32) -> bool {
        let danger = |zone: Bitboard, attack: &AttackCounts, guard: &AttackCounts| {
            (zone & attack.all & attack.counts.at_least(&guard.counts)).count() >= 4
        };
        if danger(self.zone, &self.theirs, &self.ours)
            || danger(self.enemy_zone, &self.ours, &self.theirs)
        {
            return true;
        }
        let won = |pieces: Bitboard, attack: &AttackCounts, guard: &AttackCounts| {
            (pieces & attack.all & !self.kings()).iter().any(|square| {
                let kind = self.position.piece_on(square).map(|piece| capture_value(piece.kind()));
                let prize = kind.unwrap_or(0);
                let price = if guard.all.contains(square) { attack.cheapest(square) } else { None };
                prize >= threat && prize - price.unwrap_or(0) >= threat
            })
        };
        won(self.own, &self.theirs, &self.ours) || won(self.enemies, &self.ours, &self.theirs)
    }
}

/// The square of a king and its neighbours.
fn zone_of(king: Option<Square>) -> Bitboard {
    king.map_or(Bitboard::EMPTY, |king| {
        attacks(PieceKind::King, Color::Black, king, Bitboard::EMPTY).with(king)
    })
}

/// Whether Q3 may hinder the development of this kind.
const fn develops(kind: PieceKind) -> bool {
    matches!(
        kind,
        PieceKind::Pawn
            | PieceKind::Knight
            | PieceKind::Silver
            | PieceKind::Bishop
            | PieceKind::Rook
    )
}

/// All kinds except the king, cheapest first by capture value.
const ALL_BUT_KING: &[PieceKind] = &[
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::ProPawn,
    PieceKind::Knight,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::Silver,
    PieceKind::ProSilver,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Horse,
    PieceKind::Rook,
    PieceKind::Dragon,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(text: &[(u8, u8)]) -> Bitboard {
        text.iter().map(|&(file, rank)| Square::new(file, rank).unwrap()).collect()
    }

    fn with<T>(sfen: &str, threat: i32, look: impl FnOnce(&NodeContext) -> T) -> T {
        look(&NodeContext::new(&Position::from_sfen(sfen).unwrap(), None, threat))
    }

    #[test]
    fn kinds_are_in_the_order_of_their_capture_values() {
        assert!(
            ALL_BUT_KING.windows(2).all(|pair| capture_value(pair[0]) < capture_value(pair[1]))
        );
    }

    #[test]
    fn pieces_hang_or_stand_even() {
        // A pawn attacks the gold; the silver stands against a silver and is guarded.
        with("4k4/9/9/2p6/2G2s3/5S3/5G3/9/4K4 b - 1", 0, |context| {
            assert_eq!(context.hanging, squares(&[(7, 5)]));
            assert_eq!(context.even, squares(&[(4, 6)]));
            assert_eq!(context.single_defender, squares(&[(4, 6)]));
            assert!(context.dearer_than(PieceKind::Pawn).contains(Square::new(4, 5).unwrap()));
            assert!(context.dearer_than(PieceKind::Silver).is_empty());
        });
    }

    #[test]
    fn lines_and_their_blockers() {
        // Behind its own silver the rook aims at the black gold, and behind the pawn at nothing.
        with("4k4/9/9/r1s1G4/4p4/9/9/9/4K4 b - 1", 0, |context| {
            assert_eq!(context.discovered_attack_targets, squares(&[(5, 4)]));
            assert!(context.lines.contains(Square::new(8, 4).unwrap()));
        });
        with("4k4/9/9/r3G4/9/9/9/9/4K4 b - 1", 0, |context| {
            assert_eq!(context.interposition_squares, squares(&[(8, 4), (7, 4), (6, 4)]));
        });
    }

    #[test]
    fn strong_and_weak_threats_differ() {
        let dominated = |sfen: &str| with(sfen, 800, |context| context.dominated);
        assert!(!dominated("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"));
        // A silver for nothing; a guarded gold for a pawn; a guarded silver for a pawn.
        assert!(dominated("4k4/9/9/9/r3S4/9/9/9/4K4 b - 1"));
        assert!(dominated("4k4/9/9/4p4/4G4/4P4/4L4/9/4K4 b - 1"));
        assert!(!dominated("4k4/9/9/4p4/4S4/9/4L4/9/4K4 b - 1"));
        // A piece that the own side can win counts as well; a pawn does not.
        assert!(dominated("4k4/9/9/9/R3s4/9/9/9/4K4 b - 1"));
        assert!(!dominated("4k4/9/9/9/R3p4/9/9/9/4K4 b - 1"));
        // The king is nearly surrounded.
        assert!(dominated("4k4/9/9/9/9/9/9/2+p3+p2/4K4 b - 1"));
        // Never in check, and never when switched off.
        assert!(!dominated("4k4/9/9/9/r3S4/9/9/4p4/4K4 b - 1"));
        assert!(!with("4k4/9/9/9/r3S4/9/9/9/4K4 b - 1", 0, |context| context.dominated));
    }
}
