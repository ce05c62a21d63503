//! Static exchange evaluation: the gain of a move if both sides then capture on its square as long as it pays.
//!
//! Gains are capture values (docs/search.md, section 0): the sum of board value and hand value of the captured piece.
//! Sliders behind pieces that have captured join in. A king captures only an unguarded piece. The promotion of the move
//! itself counts, later promotions do not. A piece that is pinned to its king after the move captures only along the
//! line of the pin.

use arrayvec::ArrayVec;

use crate::eval::capture_value;
use kyomi_shogi::{
    Bitboard, Color, Move, MoveList, Piece, PieceKind, Position, Square, line, lines_through,
};

/// The immediate gain of a legal move: the capture value of the captured piece, and that of its own promotion.
pub(crate) fn gain(position: &Position, mv: Move) -> i32 {
    let captured = position.piece_on(mv.to()).map_or(0, |piece| capture_value(piece.kind()));
    captured + promotion_gain(position, mv)
}

/// The increase of the capture value of the moved piece by promotion; 0 if the move does not promote.
pub(crate) fn promotion_gain(position: &Position, mv: Move) -> i32 {
    if !mv.is_promotion() {
        return 0;
    }
    let kind = mv.from().and_then(|from| position.piece_on(from)).map(Piece::kind);
    match kind.map(|kind| (kind, kind.promoted())) {
        Some((kind, Some(promoted))) => capture_value(promoted) - capture_value(kind),
        _ => 0,
    }
}

/// The kind of the piece on the target square after a legal move.
pub(crate) fn kind_after(position: &Position, mv: Move) -> PieceKind {
    match (mv.dropped(), mv.from().and_then(|from| position.piece_on(from))) {
        (Some(kind), _) => kind,
        (None, Some(piece)) if mv.is_promotion() => {
            piece.kind().promoted().unwrap_or_else(|| piece.kind())
        }
        (None, Some(piece)) => piece.kind(),
        (None, None) => PieceKind::Pawn,
    }
}

/// The exchange value of a legal move for its side.
pub fn see(position: &Position, mv: Move) -> i32 {
    let mut exchange = Exchange::new(position, mv);
    // gains[i]: the total gain of the side of the i-th capture if the exchange ends with it.
    let mut gains: ArrayVec<i32, 40> = ArrayVec::new();
    gains.push(gain(position, mv));
    let mut prey = capture_value(kind_after(position, mv));
    while let Some(kind) = exchange.take() {
        let last = gains[gains.len() - 1];
        if gains.try_push(prey - last).is_err() {
            break;
        }
        prey = capture_value(kind);
    }
    // From the last capture to the first: after the move itself, a side may also decline to capture.
    let mut value = gains.pop().unwrap_or(0);
    while let Some(before) = gains.pop() {
        value = before.min(-value);
    }
    value
}

/// Whether the side to move has a capture with an exchange value of at least `least`.
pub(crate) fn can_win(position: &Position, least: i32) -> bool {
    let mut list = MoveList::new();
    position.captures_and_promotions(&mut list);
    let mut captures = list.iter().filter(|mv| position.is_capture(**mv));
    // An exchange is worth no more than its first capture.
    captures.any(|&mv| gain(position, mv) >= least && see(position, mv) >= least)
}

/// Whether the exchange value of a legal move is at least 0. It stops earlier than [`see()`], as soon as the sign is
/// known.
pub fn is_good(position: &Position, mv: Move) -> bool {
    is_at_least(position, mv, 0)
}

/// Whether the exchange value of a legal move is at least this.
pub(crate) fn is_at_least(position: &Position, mv: Move, least: i32) -> bool {
    let surplus = gain(position, mv) - least;
    if surplus < 0 {
        return false;
    }
    // The total loss of the moving side if its piece is captured and the exchange ends there.
    let mut loss = capture_value(kind_after(position, mv)) - surplus;
    if loss <= 0 {
        return true;
    }
    // From here on `loss` is the total loss of the side that captured last, if its piece is captured.
    let mut exchange = Exchange::new(position, mv);
    // Whether the value is at least 0 if the exchange ends now.
    let mut good = true;
    while let Some(kind) = exchange.take() {
        good = !good;
        // The capturing side is now ahead by `loss`. The loss of its own piece is subtracted from that lead.
        loss = capture_value(kind) - loss;
        // A lead that remains after that decides. A lead of 0 suffices for the side that moved first.
        if loss < i32::from(good) {
            break;
        }
    }
    good
}

/// The captures on one square after a legal move, one by one.
struct Exchange<'a> {
    position: &'a Position,
    to: Square,
    from: Option<Square>,
    /// The occupied squares without the pieces that have captured, and before any of them had.
    occupied: Bitboard,
    after_move: Bitboard,
    side: Color,
}

impl<'a> Exchange<'a> {
    /// The exchange after a move.
    #[inline]
    fn new(position: &'a Position, mv: Move) -> Self {
        let (to, from) = (mv.to(), mv.from());
        let occupied = position.occupied().with(to);
        let occupied = from.map_or(occupied, |from| occupied.without(from));
        let side = !position.side_to_move();
        Self { position, to, from, occupied, after_move: occupied, side }
    }

    /// The pieces of a side that could capture now if none were pinned. Most exchanges end early, so that they are not
    /// kept from capture to capture.
    #[inline]
    fn takers(&self, side: Color) -> Bitboard {
        self.position.attackers_of(side, self.to, self.occupied) & self.occupied
    }

    /// Those of `takers` that are not pinned to the king of their side, or only along the line to the square.
    #[inline]
    fn free(&self, takers: Bitboard, king: Square) -> Bitboard {
        let lines = lines_through(king);
        let on_lines = takers & lines & !line(king, self.to);
        if on_lines.is_empty() {
            return takers;
        }
        // On these lines the move can only have removed a piece.
        let pinned = match self.from.filter(|&from| lines.contains(from)) {
            Some(from) => {
                let left = Bitboard::ALL.without(from);
                self.position.pinned_when(self.side, king, self.after_move, left)
            }
            None => self.position.pinned(self.side),
        };
        takers & !(pinned & on_lines)
    }

    /// The next side captures with its cheapest piece. Returns its kind, or `None` if no piece can capture.
    #[inline]
    fn take(&mut self) -> Option<PieceKind> {
        let (position, side) = (self.position, self.side);
        let mut own = self.takers(side);
        // A legal move leaves no capture of its own king, so that the king is where it was.
        if own.any()
            && let Some(king) = position.king_square(side)
        {
            own = self.free(own, king);
        }
        let kinds =
            own.iter().filter_map(|square| Some((position.piece_on(square)?.kind(), square)));
        // No piece is left if all of them are pinned.
        let (kind, square) = kinds.min_by_key(|&(kind, _)| capture_value(kind))?;
        // A king captures only an unguarded piece. A pinned piece guards as well.
        if kind == PieceKind::King && self.takers(!side).any() {
            return None;
        }
        self.occupied = self.occupied.without(square);
        self.side = !side;
        Some(kind)
    }
}

#[cfg(test)]
mod tests;
