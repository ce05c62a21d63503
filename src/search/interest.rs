//! Interest: how much each legal move of a node deserves to be looked at.

use super::attack_maps::AttackMaps;
use super::memory::{HISTORY_MAX, Memory, Suggested};
use super::penalty::Penalties;
use super::see;
use super::weights::{POINT, Weights};
use crate::{
    eval::{placement, swing, victim_class},
    shogi::{Bitboard, Color, Move, Piece, PieceKind, Position, Square, attacks, line},
};

/// A legal move with its interest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) mv: Move,
    pub(crate) traits: Traits,
    /// Interest, optimistic while the exchange value is pending.
    pub(crate) interest: i32,
    /// Interest if the exchange value turns out to be negative.
    bad: i32,
}

/// What the rules about similar moves and about learning ask of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Traits(u8);

impl Traits {
    const CAPTURE: u8 = 1;
    const CHECK: u8 = 2;
    const PROMOTION: u8 = 4;
    const PENDING: u8 = 8;

    pub(crate) fn is_capture(self) -> bool {
        self.0 & Self::CAPTURE != 0
    }

    pub(crate) fn is_check(self) -> bool {
        self.0 & Self::CHECK != 0
    }

    /// Neither capture nor promotion.
    pub(crate) fn is_quiet(self) -> bool {
        self.0 & (Self::CAPTURE | Self::PROMOTION) == 0
    }
}

impl Scored {
    /// Computes the exchange value if that is still pending.
    pub(crate) fn settle(&mut self, position: &Position) {
        if self.traits.0 & Traits::PENDING != 0 {
            self.traits.0 &= !Traits::PENDING;
            if !see::is_good(position, self.mv) {
                self.interest = self.bad;
            }
        }
    }
}

/// All legal moves of a node with their interest. Kept and filled anew, so that nothing is allocated on the way.
#[derive(Debug, Default)]
pub(crate) struct InterestList {
    pub(crate) moves: Vec<Scored>,
    /// Set aside by a rule: searched only if everything else loses by force.
    pub(crate) reserve: Vec<Move>,
    /// How many legal moves there are.
    pub(crate) count: usize,
    /// The sum over all moves, fixed once the list is made.
    pub(crate) sum: i64,
    /// The interest of a hash move at this node.
    pub(crate) hash_interest: i32,
}

/// What interest depends on besides the position.
pub(crate) struct Surroundings<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) memory: &'a Memory,
    /// What moves that were searched in vain lose; `None` where that does not count.
    pub(crate) penalties: Option<&'a Penalties>,
    pub(crate) suggested: Suggested,
    /// The hash move.
    pub(crate) hash: Option<Move>,
    /// Where the other side's last move went.
    pub(crate) last_to: Option<Square>,
    /// The own move before it gave check.
    pub(crate) checked_before: bool,
    /// Moves like those already searched lose interest.
    pub(crate) similar: bool,
    /// Keep all moves in the list, reserve or not.
    pub(crate) whole: bool,
}

impl InterestList {
    /// Becomes the list of a position. The hash move is in it, first in interest.
    pub(crate) fn fill(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        around: &Surroundings<'_>,
    ) {
        let weights = around.weights;
        let moves = position.legal_moves();
        let in_check = position.in_check();
        let set_aside = !in_check && !around.whole;
        let mut eye = Eye::new(position, maps, around, moves.len());
        let list = self;
        list.moves.clear();
        list.reserve.clear();
        list.count = moves.len();
        list.sum = 0;
        list.hash_interest = weights.hash_least;
        let mut best_quiet = (0, usize::MAX);
        for &mv in &moves {
            if set_aside && Some(mv) != around.hash && is_needless(position, mv) {
                list.reserve.push(mv);
                continue;
            }
            let scored = eye.score(mv);
            list.sum += i64::from(scored.interest);
            if Some(mv) != around.hash {
                list.hash_interest = list.hash_interest.max(scored.interest);
                if scored.traits.is_quiet() && scored.interest > best_quiet.0 {
                    best_quiet = (scored.interest, list.moves.len());
                }
            }
            list.moves.push(scored);
        }
        if let Some(scored) = list.moves.get_mut(best_quiet.1) {
            scored.interest += weights.best_quiet;
            scored.bad += weights.best_quiet;
            list.sum += i64::from(weights.best_quiet);
            list.hash_interest = list.hash_interest.max(scored.interest);
        }
        list.hash_interest += weights.hash;
        if let Some(scored) = list.moves.iter_mut().find(|scored| Some(scored.mv) == around.hash) {
            list.sum += i64::from(list.hash_interest - scored.interest);
            scored.interest = list.hash_interest;
            scored.bad = list.hash_interest;
        }
        if in_check {
            list.add_evasion_bonus(weights.in_check);
        }
    }

    /// Term 2: added after the division by the sum, which stays as it is.
    fn add_evasion_bonus(&mut self, percent: i32) {
        let root = (256 * self.moves.len() as u64).isqrt().max(1) as i64;
        let bonus = (16 * self.sum / root) as i32 * percent / 100;
        for scored in &mut self.moves {
            scored.interest += bonus;
            scored.bad += bonus;
        }
    }
}

/// A move that promoting always beats but for drop-pawn mates: pawn, bishop or rook not promoting, a lance on the
/// second rank.
pub(crate) fn is_needless(position: &Position, mv: Move) -> bool {
    let (Some(from), false) = (mv.from(), mv.is_promotion()) else { return false };
    let Some(piece) = position.piece_on(from) else { return false };
    let camp = Bitboard::camp_against(piece.color());
    if !camp.contains(from) && !camp.contains(mv.to()) {
        return false;
    }
    match piece.kind() {
        PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook => true,
        PieceKind::Lance => mv.to().rank_for(piece.color()) == 2,
        _ => false,
    }
}

/// Everything about a node that the interest of its moves is read from.
struct Eye<'a> {
    /// The piece whose moves are being scored; they come together.
    mover: Origin,
    position: &'a Position,
    maps: &'a AttackMaps,
    around: &'a Surroundings<'a>,
    us: Color,
    occupied: Bitboard,
    enemies: Bitboard,
    /// Enemy pieces nobody guards.
    undefended: Bitboard,
    /// Own pieces that hang.
    hanging: Bitboard,
    enemy_king: Option<Square>,
    /// Squares next to the enemy's king.
    zone: Bitboard,
    /// `[kind]`: from where a piece of this kind gives check.
    checking: [Bitboard; PieceKind::COUNT],
    discoverers: Bitboard,
    checkers: Bitboard,
    /// Term 1.
    even: i32,
}

/// What all moves of one piece have in common.
#[derive(Default)]
struct Origin {
    square: Option<Square>,
    /// What it attacks.
    attacked: Bitboard,
    /// What it is worth where it stands.
    placement: i32,
}

impl Origin {
    fn new(position: &Position, square: Square, piece: Piece) -> Self {
        let attacked = attacks(piece.kind(), piece.color(), square, position.occupied());
        Self { square: Some(square), attacked, placement: placement(position, piece, square) }
    }
}

impl<'a> Eye<'a> {
    fn new(
        position: &'a Position,
        maps: &'a AttackMaps,
        around: &'a Surroundings<'a>,
        count: usize,
    ) -> Self {
        let us = position.side_to_move();
        let occupied = position.occupied();
        let enemy_king = position.king_square(!us);
        let mut checking = [Bitboard::EMPTY; PieceKind::COUNT];
        let mut zone = Bitboard::EMPTY;
        if let Some(king) = enemy_king {
            let from = |kind: PieceKind| attacks(kind, !us, king, occupied);
            zone = from(PieceKind::King);
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
        }
        let enemies = position.of_color(!us);
        Self {
            mover: Origin::default(),
            position,
            maps,
            around,
            us,
            occupied,
            enemies,
            undefended: enemies & !maps.them.all,
            hanging: maps.hanging(),
            enemy_king,
            zone,
            checking,
            discoverers: position.discoverers(us),
            checkers: position.checkers(),
            even: around.weights.even / (count.max(1) as i32),
        }
    }

    fn score(&mut self, mv: Move) -> Scored {
        let weights = self.around.weights;
        let (to, from) = (mv.to(), mv.from());
        let mover = from.and_then(|from| self.position.piece_on(from));
        if let (Some(from), Some(piece)) = (from, mover)
            && self.mover.square != Some(from)
        {
            self.mover = Origin::new(self.position, from, piece);
        }
        let before = match mover {
            Some(piece) => piece.kind(),
            None => mv.dropped().unwrap_or(PieceKind::Pawn),
        };
        let kind = if mv.is_promotion() { before.promoted().unwrap_or(before) } else { before };
        let captured = self.position.piece_on(to).map(Piece::kind);
        let check = self.gives_check(kind, from, to);
        let gain = captured.map_or(0, swing) + swing(kind) - swing(before);
        let pending =
            self.maps.them.all.contains(to) && gain < swing(kind) && before != PieceKind::King;

        let mut traits = if pending { Traits::PENDING } else { 0 };
        let (mut good, mut bad) = (0, 0);
        let mut add = |figure: super::weights::Figure| {
            good += figure.good;
            bad += figure.bad;
        };
        if let Some(captured) = captured {
            traits |= Traits::CAPTURE;
            add(weights.capture[victim_class(captured)]);
        }
        if check {
            traits |= Traits::CHECK;
            add(weights.check);
        }
        if mv.is_promotion() {
            traits |= Traits::PROMOTION;
            add(weights.promotion[match before {
                PieceKind::Pawn => 0,
                PieceKind::Bishop | PieceKind::Rook => 1,
                _ => 2,
            }]);
        }
        if before != PieceKind::King {
            let fresh = self.newly_attacked(kind, from, to);
            if before == PieceKind::Pawn {
                if let Some(class) = best_class(&self.maps.them.pieces, fresh) {
                    add(weights.pawn_attacks[class]);
                }
            } else {
                let worthwhile = fresh & (self.undefended | self.dearer_than(victim_class(kind)));
                if let Some(class) = best_class(&self.maps.them.pieces, worthwhile) {
                    add(weights.attacks[class]);
                    if worthwhile.more_than_one() {
                        good += weights.fork;
                    }
                }
            }
            let mut add = |good_figure: i32, bad_figure: i32| {
                good += good_figure;
                bad += bad_figure;
            };
            if (fresh & self.zone).any() {
                add(weights.king_zone.good, weights.king_zone.bad);
            }
            let guarded = fresh & self.hanging;
            if guarded.any()
                && let Some(class) = best_class(&self.maps.us.pieces, guarded)
            {
                add(weights.guards[class], weights.guards_bad);
            }
        }
        if let (Some(from), Some(piece)) = (from, mover) {
            if self.hanging.contains(from) {
                good += weights.hangs[victim_class(before)];
                bad += weights.hangs_bad;
            } else if self.maps.them.all.contains(from) {
                good += weights.even_exchange;
            }
            if traits & (Traits::CAPTURE | Traits::PROMOTION) == 0
                && placement(self.position, piece, to) > self.mover.placement
            {
                good += weights.development.good;
                bad += weights.development.bad;
            }
        }
        // What holds whatever the exchange value.
        let mut both = self.even;
        if check && self.around.checked_before {
            both += weights.further_check;
        }
        if captured.is_some() {
            if self.around.last_to == Some(to) {
                good += weights.recapture;
            }
            if self.checkers.contains(to) {
                both += weights.capture_checker;
            }
        }
        if from.is_none() {
            good += weights.drops[usize::from(before != PieceKind::Pawn)];
        }
        both += self.suggested(mv);
        let (mut good, mut bad) = (good + both, bad + both);
        if Traits(traits).is_quiet() {
            if !check {
                bad = bad * weights.bad_quiet / 100;
            }
            let history = self.around.memory.history(self.us, mv);
            good = with_history(weights, good, history);
            bad = with_history(weights, bad, history);
        }
        if let Some(penalties) = self.around.penalties {
            let recaptures = captured.is_some() && self.around.last_to == Some(to);
            let exempt = recaptures || Some(mv) == self.around.hash || self.checkers.any();
            good = penalties.left_of(good, self.position, mv, exempt);
            bad = penalties.left_of(bad, self.position, mv, exempt);
        }
        let good = good.max(1);
        Scored { mv, traits: Traits(traits), interest: good, bad: bad.clamp(1, good) }
    }

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

    /// What the moved piece attacks that it did not attack before.
    fn newly_attacked(&self, after: PieceKind, from: Option<Square>, to: Square) -> Bitboard {
        match from {
            None => attacks(after, self.us, to, self.occupied),
            Some(from) => {
                let now = attacks(after, self.us, to, self.occupied.without(from));
                now & !self.mover.attacked
            }
        }
    }

    /// Enemy pieces of a higher class.
    fn dearer_than(&self, class: usize) -> Bitboard {
        let mut dearer = Bitboard::EMPTY;
        for pieces in &self.maps.them.pieces[class + 1..] {
            dearer |= *pieces;
        }
        dearer & self.enemies
    }

    fn suggested(&self, mv: Move) -> i32 {
        let weights = self.around.weights;
        let code = mv.to_bits();
        let suggested = &self.around.suggested;
        let mut sum = 0;
        if code == suggested.killers[0] {
            sum += weights.killers[0];
        } else if code == suggested.killers[1] {
            sum += weights.killers[1];
        }
        if code == suggested.reply {
            sum += weights.reply;
        }
        if code == suggested.follow_on {
            sum += weights.follow_on;
        }
        sum
    }
}

/// Good history adds, bad history multiplies.
fn with_history(weights: &Weights, interest: i32, history: i32) -> i32 {
    let history = history * weights.history_percent / 100;
    if history >= 0 {
        interest + history * POINT / weights.history
    } else {
        let factor = (HISTORY_MAX + history).max(HISTORY_MAX / 8);
        (i64::from(interest) * i64::from(factor) / i64::from(HISTORY_MAX)) as i32
    }
}

/// The highest class among some squares; `None` if they hold none of the pieces.
fn best_class(pieces: &[Bitboard; 4], squares: Bitboard) -> Option<usize> {
    if squares.is_empty() {
        return None;
    }
    (0..4).rev().find(|&class| (pieces[class] & squares).any())
}
