//! The order of the moves of a node: the move of the table, captures that win or break even, quiet moves by their
//! histories, captures that lose, and last the quiet moves with a bad history.

use arrayvec::ArrayVec;

use super::checks::Checks;
use super::prior::{Listed, Listing, Prior, Priors};
use crate::eval::capture_value;
use crate::search::ply_knowledge::{Learned, PerPlace, Place};
use crate::search::{promotion::is_needless_non_promotion, see};
use kyomi_shogi::{Color, MAX_MOVES, Move, MoveList, Piece, PieceKind, Position};

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

impl Orders<'_> {
    /// What a prior counts.
    fn by_prior(&self, prior: i16) -> i32 {
        i32::from(prior) * self.prior_weight / 256
    }
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
    moves: Listing,
    /// Those of them that were not taken yet.
    queue: OrderQueue,
    losing: ArrayVec<Move, MAX_MOVES>,
    /// The number of losing captures handed out.
    lost: usize,
    /// Promotions that count as quiet moves.
    promotions: ArrayVec<Move, MAX_MOVES>,
    /// Needless moves, which are searched only if all others lose.
    pub(super) needless: ArrayVec<Move, MAX_MOVES>,
    /// Only captures that win at least this by exchange, for tests of a node by captures alone.
    least: Option<i32>,
    /// Quiet moves are left out from now on, unless they are evasions.
    pub(super) skip_quiets: bool,
}

impl Picker {
    /// All moves of a node. The move of the table is legal.
    pub(super) fn new(table: Option<Move>, in_check: bool) -> Self {
        let after_table = if in_check { Stage::ListEvasions } else { Stage::ListCaptures };
        Self {
            stage: if table.is_some() { Stage::Table } else { after_table },
            table,
            moves: Listing::new(),
            queue: OrderQueue::new(),
            losing: ArrayVec::new(),
            lost: 0,
            promotions: ArrayVec::new(),
            needless: ArrayVec::new(),
            least: None,
            skip_quiets: false,
        }
    }

    /// The captures that win at least `least` by exchange.
    pub(super) fn winning(table: Option<Move>, least: i32) -> Self {
        Self { least: Some(least), ..Self::new(table, false) }
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
                    list.retain(|mv| {
                        let is_tactical = is_tactical(position, mv);
                        if !is_tactical {
                            self.promotions.push(mv);
                        }
                        is_tactical
                    });
                    self.take(&list, |mv| capture_order(position, orders, mv));
                    self.queue.settle();
                    self.stage = Stage::Captures;
                }
                Stage::Captures => {
                    let Some((Picked { mv, .. }, order)) =
                        self.take_best(position, orders, i32::MIN)
                    else {
                        self.stage =
                            if self.least.is_some() { Stage::Done } else { Stage::ListQuiets };
                        continue;
                    };
                    let least = self.least.unwrap_or(-order / 10);
                    if see::is_at_least(position, mv, least) {
                        return Some(Picked::without_prior(mv));
                    }
                    if self.least.is_none() {
                        self.losing.push(mv);
                    }
                }
                Stage::ListQuiets => {
                    self.moves.clear();
                    if !self.skip_quiets {
                        self.list_quiets(position, orders);
                        self.queue.settle();
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if let Some(next) = self.take_best_quiet(position, orders, BAD_QUIET) {
                        return Some(next);
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
                    if let Some(next) = self.take_best_quiet(position, orders, i32::MIN) {
                        return Some(next);
                    }
                    self.stage = Stage::Done;
                }
                Stage::ListEvasions => {
                    let order = |mv, prior| {
                        orders.by_prior(prior)
                            + if is_tactical(position, mv) {
                                (1 << 28) + capture_order(position, orders, mv)
                            } else {
                                evasion_order(position, orders, mv)
                            }
                    };
                    if let Some(priors) = orders.priors {
                        priors(&mut self.moves);
                        for (at, &Listed { mv, prior }) in self.moves.iter().enumerate() {
                            self.queue.push(order(mv, prior.value), at);
                        }
                    } else {
                        let mut list = MoveList::new();
                        position.evasions(&mut list);
                        self.take(&list, |mv| order(mv, 0));
                    }
                    self.queue.settle();
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => {
                    if let Some((next, _)) = self.take_best(position, orders, i32::MIN) {
                        return Some(next);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Lists moves without a prior.
    fn take(&mut self, list: &MoveList, order: impl Fn(Move) -> i32) {
        for &mv in list {
            self.queue.push(order(mv), self.moves.len());
            self.moves.push(Listed { mv, prior: Prior::default() });
        }
    }

    /// Lists the quiet moves with their order.
    fn list_quiets(&mut self, position: &Position, orders: &Orders<'_>) {
        let order = QuietOrder::new(position, orders);
        if let Some(priors) = orders.priors {
            priors(&mut self.moves);
            for (at, &Listed { mv, prior }) in self.moves.iter().enumerate() {
                if !is_tactical(position, mv) {
                    self.queue.push(order.of(mv) + orders.by_prior(prior.value), at);
                }
            }
        } else {
            let mut list = MoveList::new();
            position.quiets(&mut list);
            position.drops(&mut list);
            self.promotions.iter().for_each(|&mv| list.push(mv));
            self.take(&list, |mv| order.of(mv));
        }
    }

    /// Takes the best quiet move, if its order is above this and quiet moves are not left out.
    fn take_best_quiet(
        &mut self,
        position: &Position,
        orders: &Orders<'_>,
        above: i32,
    ) -> Option<Picked> {
        if self.skip_quiets {
            return None;
        }
        self.take_best(position, orders, above).map(|(next, _)| next)
    }

    /// Takes the move of highest order, with its order, if that is above this. The move of the table has had its turn,
    /// and needless moves are kept apart.
    fn take_best(
        &mut self,
        position: &Position,
        orders: &Orders<'_>,
        above: i32,
    ) -> Option<(Picked, i32)> {
        loop {
            let (order, at) = self.queue.first().filter(|&(order, _)| order > above)?;
            let Listed { mv, prior: Prior { value, if_bad } } = self.moves[at];
            let is_out = Some(mv) == self.table || is_needless_non_promotion(position, mv);
            if !is_out && if_bad < value && !see::is_good(position, mv) {
                self.moves[at].prior = Prior { value: if_bad, if_bad };
                self.queue.lower_first(order + orders.by_prior(if_bad) - orders.by_prior(value));
                continue;
            }
            self.queue.remove_first();
            if !is_out {
                return Some((Picked { mv, prior: value.into() }, order));
            }
            if Some(mv) != self.table {
                self.needless.push(mv);
            }
        }
    }
}

/// Indexes by their order, the largest first: a heap, since few moves of a long list are searched.
struct OrderQueue(ArrayVec<i64, MAX_MOVES>);

impl OrderQueue {
    const fn new() -> Self {
        Self(ArrayVec::new_const())
    }

    const fn pack(order: i32, at: usize) -> i64 {
        // Of equal ones the first.
        (order as i64) << 16 | (0xffff - at as i64)
    }

    /// Adds an index. Before the next look at the first, the queue has to [settle](Self::settle).
    fn push(&mut self, order: i32, at: usize) {
        self.0.push(Self::pack(order, at));
    }

    fn settle(&mut self) {
        for at in (0..self.0.len() / 2).rev() {
            self.sink(at);
        }
    }

    /// The order and the index that come first.
    fn first(&self) -> Option<(i32, usize)> {
        self.0.first().map(|&first| ((first >> 16) as i32, 0xffff - (first & 0xffff) as usize))
    }

    /// Lowers the order of the first.
    fn lower_first(&mut self, order: i32) {
        if let Some((_, at)) = self.first() {
            self.0[0] = Self::pack(order, at);
            self.sink(0);
        }
    }

    fn remove_first(&mut self) {
        if !self.0.is_empty() {
            self.0.swap_remove(0);
            self.sink(0);
        }
    }

    /// Moves an entry down until none below it is larger.
    fn sink(&mut self, mut at: usize) {
        let heap = self.0.as_mut_slice();
        let Some(&sinking) = heap.get(at) else { return };
        loop {
            let left = 2 * at + 1;
            let below = match heap.get(left..left + 2) {
                // No branch here: it would often be mispredicted.
                Some(&[first, second]) => left + usize::from(second > first),
                _ if left < heap.len() => left,
                _ => break,
            };
            if sinking >= heap[below] {
                break;
            }
            heap[at] = heap[below];
            at = below;
        }
        heap[at] = sinking;
    }
}

/// The order of the quiet moves of a node by their histories, and by checks that lose little.
struct QuietOrder<'a> {
    position: &'a Position,
    orders: &'a Orders<'a>,
    side: Color,
    by_pawns: &'a PerPlace,
    /// After the moves 1, 2, 3, 4 and 6 plies before.
    after: [&'a PerPlace; 5],
}

impl<'a> QuietOrder<'a> {
    fn new(position: &'a Position, orders: &'a Orders<'a>) -> Self {
        let learned = orders.learned;
        Self {
            position,
            orders,
            side: position.side_to_move(),
            by_pawns: learned.by_pawns(orders.pawns),
            after: [0, 1, 2, 3, 5].map(|at| learned.after(orders.before[at])),
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a call takes longer than the sum")]
    fn of(&self, mv: Move) -> i32 {
        let Self { position, orders, side, by_pawns, after: [first, second, third, fourth, sixth] } =
            self;
        let kind = see::kind_after(position, mv);
        let at = Place::new(Piece::new(*side, kind), mv.to()).index();
        let of = |table: &PerPlace| i32::from(table[at]);
        let order = 2 * (orders.learned.plain(*side, mv) + of(by_pawns))
            + of(first)
            + of(second)
            + of(third)
            + of(fourth)
            + of(sixth)
            + orders.learned.near_root(orders.ply, mv);
        let checks =
            orders.checks.given_with(position, mv, kind) && see::is_at_least(position, mv, -75);
        order + if checks { 16_384 } else { 0 }
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
