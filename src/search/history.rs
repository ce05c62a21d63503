//! The history tables of one thread: killers, counter moves, continuations, history of quiet moves.

use crate::{
    eval::BetterSquares,
    shogi::{Bitboard, Color, Move, PieceKind, Square},
};

use super::MAX_PLY;

/// Move codes by side, piece (origin square, or kind dropped) and target: 0 for none.
type MoveTable = BySide<u16>;
/// `[side][origin][target]`, with a separate allocation for each side.
type BySide<T> = [Box<[[T; 81]; ORIGINS]>; 2];
/// 81 squares and seven kinds in hand.
const ORIGINS: usize = 88;
/// History values stay within `±HISTORY_MAX`.
pub(crate) const HISTORY_MAX: i32 = 16_384;

/// The history tables of one thread.
pub(crate) struct HistoryTables {
    killers: [[u16; 2]; MAX_PLY + 2],
    counter_move: MoveTable,
    continuation: MoveTable,
    quiet: BySide<i16>,
    /// `[side][kind]`: targets of drops whose history is not 0.
    dropped: [[Bitboard; 7]; 2],
    better_squares: BetterSquares,
}

/// The moves that the tables suggest at a node, as codes; 0 for none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SuggestedMoves {
    pub(crate) killers: [u16; 2],
    pub(crate) counter_move: u16,
    pub(crate) continuation: u16,
}

impl SuggestedMoves {
    /// The codes of all moves that are suggested.
    #[inline]
    pub(crate) const fn codes(self) -> [u16; 4] {
        let [first, second] = self.killers;
        [first, second, self.counter_move, self.continuation]
    }
}

impl HistoryTables {
    pub(crate) fn new() -> Self {
        Self {
            killers: [[0; 2]; MAX_PLY + 2],
            counter_move: zeroed(),
            continuation: zeroed(),
            quiet: zeroed(),
            dropped: [[Bitboard::EMPTY; 7]; 2],
            better_squares: BetterSquares::default(),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Prepares for a new root: clears the killers, whose plies have shifted, and halves the history.
    pub(crate) fn new_root(&mut self) {
        self.killers = [[0; 2]; MAX_PLY + 2];
        for value in self.quiet.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
        for (dropped, history) in self.dropped.iter_mut().zip(&self.quiet) {
            for (squares, values) in dropped.iter_mut().zip(&history[81..]) {
                *squares = Square::all().filter(|square| values[square.index()] != 0).collect();
            }
        }
    }

    /// The moves that the tables suggest at a node, given the other side's last move and the own move before it.
    pub(crate) fn suggest(
        &self,
        side: Color,
        ply: usize,
        last: Option<Move>,
        own: Option<Move>,
    ) -> SuggestedMoves {
        let look = |table: &MoveTable, mv: Option<Move>| {
            mv.map_or(0, |mv| table[side.index()][origin(mv)][mv.to().index()])
        };
        SuggestedMoves {
            killers: self.killers[ply.min(MAX_PLY)],
            counter_move: look(&self.counter_move, last),
            continuation: look(&self.continuation, own),
        }
    }

    /// Whether a move is a killer of this ply.
    pub(crate) fn is_killer(&self, ply: usize, mv: Move) -> bool {
        self.killers[ply.min(MAX_PLY)].contains(&mv.to_bits())
    }

    /// The history of a quiet move.
    #[inline]
    pub(crate) fn quiet(&self, side: Color, mv: Move) -> i32 {
        i32::from(self.quiet[side.index()][origin(mv)][mv.to().index()])
    }

    /// The history of all moves from one [`origin`], by target.
    #[inline]
    pub(crate) fn quiet_from(&self, side: Color, origin: usize) -> &[i16; 81] {
        &self.quiet[side.index()][origin]
    }

    /// The targets of drops of a kind whose history is not 0.
    #[inline]
    pub(crate) fn dropped(&self, side: Color, kind: PieceKind) -> Bitboard {
        self.dropped[side.index()][kind.index()]
    }

    /// The squares that are better for each piece by the evaluation.
    #[inline]
    pub(crate) fn better_squares(&self) -> &BetterSquares {
        &self.better_squares
    }

    /// Learns that a quiet move has cut a node of this depth, after the quiet moves `tried` had not.
    pub(crate) fn learn(
        &mut self,
        side: Color,
        ply: usize,
        depth: i32,
        cutter: Move,
        tried: &[Move],
        last: Option<Move>,
        own: Option<Move>,
    ) {
        let code = cutter.to_bits();
        let killers = &mut self.killers[ply.min(MAX_PLY)];
        if killers[0] != code {
            *killers = [code, killers[0]];
        }
        if let Some(last) = last {
            self.counter_move[side.index()][origin(last)][last.to().index()] = code;
        }
        if let Some(own) = own {
            self.continuation[side.index()][origin(own)][own.to().index()] = code;
        }
        let bonus = (16 * depth * depth).clamp(8, 1600);
        self.credit(side, cutter, bonus);
        for &mv in tried {
            self.credit(side, mv, -bonus);
        }
    }

    /// Adds a bonus with gravity, so that the value stays in range.
    fn credit(&mut self, side: Color, mv: Move, bonus: i32) {
        let value = &mut self.quiet[side.index()][origin(mv)][mv.to().index()];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
        if let Some(kind) = mv.dropped() {
            let squares = &mut self.dropped[side.index()][kind.index()];
            *squares = if *value == 0 { squares.without(mv.to()) } else { squares.with(mv.to()) };
        }
    }
}

fn zeroed<T: Default + Copy>() -> BySide<T> {
    std::array::from_fn(|_| Box::new([[T::default(); 81]; ORIGINS]))
}

/// The origin of a move: a square, or 81 and more for a kind in hand.
#[inline]
pub(crate) fn origin(mv: Move) -> usize {
    usize::from(mv.to_bits() >> 7 & 127)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::notation::usi::parse_move;

    #[test]
    fn a_cut_is_remembered_in_every_table() {
        let mut history = HistoryTables::new();
        let [cutter, tried, last, own] =
            ["7g7f", "P*5e", "3c3d", "2g2f"].map(|text| parse_move(text).unwrap());
        history.learn(Color::Black, 3, 4, cutter, &[tried], Some(last), Some(own));
        let found = history.suggest(Color::Black, 3, Some(last), Some(own));
        let code = cutter.to_bits();
        assert_eq!(
            (found.killers, found.counter_move, found.continuation),
            ([code, 0], code, code)
        );
        assert!(history.quiet(Color::Black, cutter) > 0 && history.quiet(Color::Black, tried) < 0);
        assert_eq!(history.quiet(Color::White, cutter), 0);
    }

    #[test]
    fn history_stays_in_range() {
        let mut history = HistoryTables::new();
        let mv = parse_move("7g7f").unwrap();
        for _ in 0..1000 {
            history.learn(Color::White, 0, 50, mv, &[], None, None);
        }
        assert!((HISTORY_MAX * 9 / 10..=HISTORY_MAX).contains(&history.quiet(Color::White, mv)));
    }
}
