//! Sums of earlier positions for each square of a king. After a move of the king, all inputs of its side are others.
//! Most pieces then stand where they stood when the king was last on this square, so that few rows change.

use arrayvec::ArrayVec;

use super::{
    architecture::InputFeatures,
    pieces::{MISSING, PieceNumber, SET, SET_WITH_KINGS},
    view::View,
    weights::{Block, NnueWeights},
};
use kyomi_shogi::{Color, Hand, Piece, PieceKind, Position, Square};

/// The sums of the last position with the king on each square, for one search thread.
#[derive(Debug)]
pub(super) struct RefreshCache {
    /// `[color][king's square]`; one of each color if the inputs do not hang on the king.
    entries: Vec<Entry>,
    /// `[entry][block]`.
    sums: Vec<Block>,
}

/// The pieces whose rows are in the sums.
#[derive(Debug, Clone)]
struct Entry {
    board: [Option<Piece>; Square::COUNT],
    hands: [Hand; 2],
    /// The number of pieces that the game lacks.
    missing: usize,
}

/// Rows of inputs.
pub(super) type Rows = ArrayVec<u32, { 2 * SET_WITH_KINGS }>;

/// Sums, and the rows that make them those of the present position.
pub(super) struct Refresh<'a> {
    pub(super) sums: &'a mut [Block],
    pub(super) removed: Rows,
    pub(super) added: Rows,
}

impl RefreshCache {
    pub(super) fn new(weights: &NnueWeights) -> Self {
        let empty = Entry { board: [None; Square::COUNT], hands: [Hand::EMPTY; 2], missing: 0 };
        let squares =
            if weights.architecture.features.hang_on_king() { Square::COUNT + 1 } else { 1 };
        let count = 2 * squares;
        Self { entries: vec![empty; count], sums: weights.biases.repeat(count) }
    }

    /// What must be done to the sums that are kept for the square of a side's king. They must be changed so then.
    pub(super) fn refresh(
        &mut self,
        features: InputFeatures,
        position: &Position,
        color: Color,
        view: View,
    ) -> Refresh<'_> {
        let squares = self.entries.len() / 2;
        // The last place is that of a missing king.
        let king = position.king_square(color).map_or(Square::COUNT, Square::index);
        let at = color.index() * squares + king.min(squares - 1);
        let blocks = self.sums.len() / self.entries.len();
        let entry = &mut self.entries[at];
        let mut removed = Rows::new();
        let mut added = Rows::new();
        let mut count = 0;
        let push_row = |rows: &mut Rows, piece: PieceNumber| {
            if let Some(row) = view.row(features, color, piece) {
                // No position has more pieces than a set.
                let _ = rows.try_push(row);
            }
        };
        for square in Square::all() {
            let (before, now) = (entry.board[square.index()], position.piece_on(square));
            count += usize::from(now.is_some_and(|piece| features.counts(piece)));
            if before != now {
                entry.board[square.index()] = now;
                if let Some(piece) = before {
                    push_row(&mut removed, PieceNumber::on_board(piece, square));
                }
                if let Some(piece) = now {
                    push_row(&mut added, PieceNumber::on_board(piece, square));
                }
            }
        }
        for side in Color::ALL {
            let (before, now) = (entry.hands[side.index()], position.hand(side));
            count += now.total() as usize;
            if before != now {
                entry.hands[side.index()] = now;
                for kind in PieceKind::HAND {
                    let (before, now) = (before.count(kind), now.count(kind));
                    for n in now + 1..=before {
                        push_row(&mut removed, PieceNumber::in_hand(side, kind, n));
                    }
                    for n in before + 1..=now {
                        push_row(&mut added, PieceNumber::in_hand(side, kind, n));
                    }
                }
            }
        }
        let missing = features.set().saturating_sub(count);
        for _ in missing..entry.missing {
            push_row(&mut removed, PieceNumber([MISSING; 2]));
        }
        for _ in entry.missing..missing {
            push_row(&mut added, PieceNumber([MISSING; 2]));
        }
        entry.missing = missing;
        Refresh { sums: &mut self.sums[at * blocks..][..blocks], removed, added }
    }
}

impl InputFeatures {
    /// The number of pieces of a whole set that count as missing if they are not there.
    const fn set(self) -> usize {
        if matches!(self, Self::HalfKaMirrored) { SET_WITH_KINGS } else { SET }
    }

    /// Whether a piece on the board belongs to that set.
    fn counts(self, piece: Piece) -> bool {
        matches!(self, Self::HalfKaMirrored) || piece.kind() != PieceKind::King
    }
}
