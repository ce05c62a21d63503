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

/// The captures on one square after a move, one by one.
struct Exchange<'a> {
    position: &'a Position,
    mv: Move,
    to: Square,
    /// The occupied squares without the pieces that have captured, and before any of them had.
    occupied: Bitboard,
    after_move: Bitboard,
    /// Pieces of both sides that can capture now.
    takers: Bitboard,
    /// Sliders that aim at the square, but whose lines are blocked.
    hidden: Bitboard,
    /// `[color]`: pieces that are pinned after the move and cannot go to the square. They are computed when a side
    /// first has a piece on a line of its king that could capture.
    pinned_off_square: [Option<Bitboard>; 2],
    side: Color,
}

impl<'a> Exchange<'a> {
    /// The exchange after a move.
    fn new(position: &'a Position, mv: Move) -> Self {
        let to = mv.to();
        let mut occupied = position.occupied().with(to);
        let mut left = Bitboard::ALL.without(to);
        if let Some(from) = mv.from() {
            occupied = occupied.without(from);
            left = left.without(from);
        }
        let sliders = position.all_sliders_aiming(to) & left;
        let open = Position::open_to(to, sliders, occupied);
        let takers = (position.all_step_attackers(to) & left) | open;
        let (hidden, side) = (sliders & !open, !position.side_to_move());
        let pinned_off_square = [None; 2];
        Self {
            position,
            mv,
            to,
            occupied,
            after_move: occupied,
            takers,
            hidden,
            pinned_off_square,
            side,
        }
    }

    /// The square of a side's king after the move.
    fn king(&self, color: Color) -> Option<Square> {
        let king = self.position.king_square(color);
        if king.is_some() && king == self.mv.from() { Some(self.to) } else { king }
    }

    /// The pieces of a side that are pinned to its king and cannot go to the square.
    fn pinned_off_square(&self, color: Color, king: Square) -> Bitboard {
        let (position, to, from) = (self.position, self.to, self.mv.from());
        let lines = lines_through(king);
        // The move pins or unpins a piece only on a line of the king, which may be the piece that moved.
        let meets = king == to || lines.contains(to);
        let pinned = if meets || from.is_some_and(|from| lines.contains(from)) {
            let mut left = Bitboard::ALL.without(to);
            if let Some(from) = from {
                left = left.without(from);
            }
            position.pinned_when(color, king, self.after_move, left)
        } else {
            position.pinned(color)
        };
        pinned.iter().filter(|&square| !line(king, square).contains(to)).collect()
    }

    /// The next side captures with its cheapest piece. Returns its kind, or `None` if no piece can capture.
    fn take(&mut self) -> Option<PieceKind> {
        let position = self.position;
        let mut own = self.takers & position.of_color(self.side);
        if own.is_empty() {
            return None;
        }
        if let Some(king) = self.king(self.side)
            && (own & lines_through(king)).any()
        {
            let side = self.side.index();
            let pinned_off_square = self.pinned_off_square[side]
                .unwrap_or_else(|| self.pinned_off_square(self.side, king));
            self.pinned_off_square[side] = Some(pinned_off_square);
            own &= !pinned_off_square;
        }
        // No piece is left if all of them are pinned.
        let first = own.first()?;
        let (kind, square) = if own.more_than_one() {
            let cheapest = |kind: &PieceKind| (own & position.of_kind(*kind)).any();
            let kind = BY_CAPTURE_VALUE.into_iter().find(cheapest)?;
            (kind, (own & position.of_kind(kind)).first()?)
        } else {
            (position.piece_on(first)?.kind(), first)
        };
        // A king captures only an unguarded piece. A pinned piece guards as well.
        if kind == PieceKind::King && (self.takers & position.of_color(!self.side)).any() {
            return None;
        }
        self.occupied = self.occupied.without(square);
        self.takers = self.takers.without(square);
        if self.hidden.any() {
            let open = Position::open_to(self.to, self.hidden, self.occupied);
            self.takers |= open;
            self.hidden &= !open;
        }
        self.side = !self.side;
        Some(kind)
    }
}

/// All kinds of pieces by capture value, cheapest first. The king is last.
pub(super) const BY_CAPTURE_VALUE: [PieceKind; PieceKind::COUNT] = [
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
    PieceKind::King,
];

#[cfg(test)]
mod tests;
