//! The order of the moves of a node: the move of the table, captures that win or break even, quiet moves by their
//! histories, captures that lose, and last the quiet moves with a bad history.

use arrayvec::ArrayVec;

use super::checks::Checks;
use super::prior::Priors;
use crate::eval::capture_value;
use crate::search::ply_knowledge::{Learned, Place};
use crate::search::{promotion::is_needless_non_promotion, see};
use kyomi_shogi::{MAX_MOVES, Move, MoveList, Piece, PieceKind, Position};

/// A move that the picker hands out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Picked {
    pub(super) mv: Move,
    /// The logarithm of its interest in relation to the mean of all moves, 256 for a factor of two; 0 if the moves have
    /// no prior.
    pub(super) prior: i32,
}

impl Picked {
    const fn without_prior(mv: Move) -> Self {
        Self { mv, prior: 0 }
    }
}

/// A move and its place in the order: the largest number comes first.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    order: i32,
    prior: i16,
    mv: Move,
}

impl Ordered {
    const fn picked(self) -> Picked {
        Picked { mv: self.mv, prior: self.prior as i32 }
    }
}

/// What the order of quiet moves depends on besides the position.
pub(super) struct Orders<'a> {
    pub(super) learned: &'a Learned,
    pub(super) checks: &'a Checks,
    /// The places of the moves one to six plies before.
    pub(super) before: [Place; 6],
    pub(super) pawns: u64,
    pub(super) ply: usize,
    pub(super) priors: Priors<'a>,
    /// What twice the mean interest counts.
    pub(super) prior_weight: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    ListCaptures,
    Captures,
    ListQuiets,
    Quiets,
    LosingCaptures,
    BadQuiets,
    ListEvasions,
    Evasions,
    Done,
}

/// Quiet moves of this order and below come after the captures that lose.
const BAD_QUIET: i32 = -14_000;

/// Hands out the moves of a node, each once.
pub(super) struct Picker {
    stage: Stage,
    table: Option<Move>,
    moves: ArrayVec<Ordered, MAX_MOVES>,
    at: usize,
    losing: ArrayVec<Move, 128>,
    /// The number of losing captures handed out.
    lost: usize,
    /// Promotions that count as quiet moves.
    promotions: ArrayVec<Move, 64>,
    /// Needless moves, which are searched only if all others lose.
    pub(super) needless: ArrayVec<Move, 64>,
    /// Only captures that win at least this by exchange, for tests of a node by captures alone.
    least: Option<i32>,
    /// Quiet moves are left out from now on, unless they are evasions.
    pub(super) skip_quiets: bool,
    depth: i32,
}

impl Picker {
    /// All moves of a node. The move of the table is legal.
    pub(super) fn new(table: Option<Move>, in_check: bool, depth: i32) -> Self {
        let after_table = if in_check { Stage::ListEvasions } else { Stage::ListCaptures };
        Self {
            stage: if table.is_some() { Stage::Table } else { after_table },
            table,
            moves: ArrayVec::new(),
            at: 0,
            losing: ArrayVec::new(),
            lost: 0,
            promotions: ArrayVec::new(),
            needless: ArrayVec::new(),
            least: None,
            skip_quiets: false,
            depth,
        }
    }

    /// The captures that win at least `least` by exchange.
    pub(super) fn winning(table: Option<Move>, least: i32) -> Self {
        Self { least: Some(least), ..Self::new(table, false, 0) }
    }

    /// The next move.
    pub(super) fn next(&mut self, position: &Position, orders: &Orders<'_>) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage =
                        if position.in_check() { Stage::ListEvasions } else { Stage::ListCaptures };
                    return self.table.map(Picked::without_prior);
                }
                Stage::ListCaptures => {
                    let mut list = MoveList::new();
                    position.captures_and_promotions(&mut list);
                    let quiet = &mut self.promotions;
                    list.retain(|mv| is_tactical(position, mv) || quiet.try_push(mv).is_err());
                    self.take(position, &list, |mv| capture_order(position, orders, mv));
                    self.stage = Stage::Captures;
                }
                Stage::Captures => {
                    let Some(Ordered { order, mv, .. }) = self.take_best() else {
                        self.stage =
                            if self.least.is_some() { Stage::Done } else { Stage::ListQuiets };
                        continue;
                    };
                    let least = self.least.unwrap_or(-order / 10);
                    if see::is_at_least(position, mv, least) {
                        return Some(Picked::without_prior(mv));
                    }
                    // There are never too many, but none may be lost.
                    if self.least.is_none() && self.losing.try_push(mv).is_err() {
                        return Some(Picked::without_prior(mv));
                    }
                }
                Stage::ListQuiets => {
                    self.moves.clear();
                    self.at = 0;
                    if !self.skip_quiets {
                        self.list_quiets(position, orders);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(&next) = self.moves.get(self.at)
                        && next.order > BAD_QUIET
                    {
                        self.at += 1;
                        return Some(next.picked());
                    }
                    self.stage = Stage::LosingCaptures;
                }
                Stage::LosingCaptures => {
                    if let Some(&mv) = self.losing.get(self.lost) {
                        self.lost += 1;
                        return Some(Picked::without_prior(mv));
                    }
                    self.stage = Stage::BadQuiets;
                }
                Stage::BadQuiets => {
                    if !self.skip_quiets
                        && let Some(&next) = self.moves.get(self.at)
                    {
                        self.at += 1;
                        return Some(next.picked());
                    }
                    self.stage = Stage::Done;
                }
                Stage::ListEvasions => {
                    let order = |mv, prior| {
                        if is_tactical(position, mv) {
                            (1 << 28) + capture_order(position, orders, mv)
                        } else {
                            evasion_order(position, orders, mv) + prior * orders.prior_weight / 256
                        }
                    };
                    if let Some(priors) = orders.priors {
                        priors(&mut |mv, prior| {
                            if !self.is_left_out(position, mv) {
                                let (order, prior) = (order(mv, prior), prior as i16);
                                self.moves.push(Ordered { order, prior, mv });
                            }
                        });
                    } else {
                        let mut list = MoveList::new();
                        position.evasions(&mut list);
                        self.take(position, &list, |mv| order(mv, 0));
                    }
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => {
                    let Some(best) = self.take_best() else {
                        self.stage = Stage::Done;
                        continue;
                    };
                    return Some(best.picked());
                }
                Stage::Done => return None,
            }
        }
    }

    /// Takes the moves of a list, except that of the table and needless ones.
    fn take(&mut self, position: &Position, list: &MoveList, order: impl Fn(Move) -> i32) {
        for &mv in list {
            if self.is_left_out(position, mv) {
                continue;
            }
            self.moves.push(Ordered { order: order(mv), prior: 0, mv });
        }
    }

    /// Whether a move does not belong into the list: the move of the table, and needless ones, which are kept apart.
    fn is_left_out(&mut self, position: &Position, mv: Move) -> bool {
        if Some(mv) == self.table {
            return true;
        }
        // If ever there were more than have room, the rest is searched like other moves: none may be lost.
        is_needless_non_promotion(position, mv) && self.needless.try_push(mv).is_ok()
    }

    /// Lists the quiet moves and sorts them.
    fn list_quiets(&mut self, position: &Position, orders: &Orders<'_>) {
        if let Some(priors) = orders.priors {
            priors(&mut |mv, prior| {
                if !is_tactical(position, mv) && !self.is_left_out(position, mv) {
                    self.moves.push(Ordered { order: 0, prior: prior as i16, mv });
                }
            });
        } else {
            let mut list = MoveList::new();
            position.quiets(&mut list);
            position.drops(&mut list);
            for at in 0..self.promotions.len() {
                list.push(self.promotions[at]);
            }
            self.take(position, &list, |_| 0);
        }
        self.order_quiets(position, orders);
        // Moves with little history are in no order worth the time.
        let threshold = -3500 * self.depth;
        let mut front = 0;
        for at in 0..self.moves.len() {
            if self.moves[at].order >= threshold {
                self.moves.swap(at, front);
                front += 1;
            }
        }
        self.moves[..front]
            .sort_unstable_by_key(|next| (std::cmp::Reverse(next.order), next.mv.to_bits()));
    }

    /// The order of quiet moves, by their histories and their priors.
    fn order_quiets(&mut self, position: &Position, orders: &Orders<'_>) {
        let side = position.side_to_move();
        let learned = orders.learned;
        let [first, second, third, fourth, _, sixth] = orders.before.map(|at| learned.after(at));
        let by_pawns = learned.by_pawns(orders.pawns);
        for &mut Ordered { ref mut order, prior, mv } in &mut self.moves {
            let at = Place::of(position, mv).index();
            let of = |table: &[i16]| i32::from(table[at]);
            *order = 2 * learned.plain(side, mv)
                + 2 * of(by_pawns)
                + of(first)
                + of(second)
                + of(third)
                + of(fourth)
                + of(sixth)
                + learned.near_root(orders.ply, mv)
                + i32::from(prior) * orders.prior_weight / 256;
            if orders.checks.given_by(position, mv) && see::is_at_least(position, mv, -75) {
                *order += 16_384;
            }
        }
    }

    /// Takes the move of highest order.
    fn take_best(&mut self) -> Option<Ordered> {
        let best = (0..self.moves.len()).max_by_key(|&at| {
            let Ordered { order, mv, .. } = self.moves[at];
            (order, u16::MAX - mv.to_bits())
        })?;
        Some(self.moves.swap_remove(best))
    }
}

/// Whether a move captures or promotes a pawn. A rook in the enemy's camp has so many promotions that they would leave no
/// room for other moves.
pub(super) fn is_tactical(position: &Position, mv: Move) -> bool {
    let moves_pawn = |mv: Move| {
        let piece = mv.from().and_then(|from| position.piece_on(from));
        piece.is_some_and(|piece| piece.kind() == PieceKind::Pawn)
    };
    position.is_capture(mv) || mv.is_promotion() && moves_pawn(mv)
}

/// Captures by the most valuable victim and what the search has learned of them.
fn capture_order(position: &Position, orders: &Orders<'_>, mv: Move) -> i32 {
    let victim = position.piece_on(mv.to()).map(Piece::kind);
    let place = Place::of(position, mv);
    3 * victim.map_or(0, capture_value)
        + 3 * see::promotion_gain(position, mv)
        + orders.learned.capture(place, victim)
}

fn evasion_order(position: &Position, orders: &Orders<'_>, mv: Move) -> i32 {
    let at = Place::of(position, mv).index();
    orders.learned.plain(position.side_to_move(), mv)
        + i32::from(orders.learned.after(orders.before[0])[at])
}
