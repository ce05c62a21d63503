//! The history tables of one thread: killers, counter moves, continuations, history of quiet moves.

mod tables;

use super::{MAX_PLY, parameters::Parameters};
use crate::eval::BetterSquares;
use kyomi_shogi::{Bitboard, Color, Move, PieceKind, Square};
#[cfg(test)]
pub(crate) use tables::MOST_POINTS;
use tables::{BySide, HistoryPenalties, MoveSlot, ReplyVotes, zeroed};
pub(crate) use tables::{HISTORY_MAX, LEAST_MEAN, MOST_MEANS, add_points, mean_points, origin};

/// Move codes by side, piece (origin square, or kind dropped) and target: 0 for none.
type MoveTable = BySide<u16>;

/// The history tables of one thread.
pub(crate) struct HistoryTables {
    killers: [[u16; 2]; MAX_PLY + 2],
    counter_move: MoveTable,
    /// The counter move is the one with most votes, not the last one.
    votes: Option<ReplyVotes>,
    continuation: MoveTable,
    /// The history of quiet moves, less their penalties.
    quiet: BySide<i16>,
    /// Penalty points of quiet moves.
    penalties: Option<Box<HistoryPenalties>>,
    /// Quiet moves searched before a cut lose history by the depth of the node.
    has_malus: bool,
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
            votes: None,
            continuation: zeroed(),
            quiet: zeroed(),
            penalties: None,
            has_malus: true,
            dropped: [[Bitboard::EMPTY; 7]; 2],
            better_squares: BetterSquares::default(),
        }
    }

    /// Tables of a search with these parameters.
    pub(crate) fn with(p: &Parameters) -> Self {
        let penalties = (p.penalty_malus != 0)
            .then(|| Box::new(HistoryPenalties::new(p.penalty_malus, p.penalty_cap as usize)));
        let votes = (p.reply_votes != 0).then(ReplyVotes::default);
        let has_malus = penalties.is_none() || p.penalty_keep_malus != 0 && p.history_malus != 0;
        Self { votes, penalties, has_malus, ..Self::new() }
    }

    /// Prepares for a new root: clears the killers, whose plies have shifted, and halves the history.
    pub(crate) fn new_root(&mut self) {
        self.killers = [[0; 2]; MAX_PLY + 2];
        if let Some(penalties) = &mut self.penalties {
            penalties.halve_history();
            return self.next_iteration();
        }
        for value in self.quiet.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
        self.find_drops_with_history();
    }

    /// Begins an iteration that is not the first of a root: halves the penalties.
    pub(crate) fn next_iteration(&mut self) {
        let Some(penalties) = &mut self.penalties else { return };
        penalties.halve();
        penalties.fill(&mut self.quiet);
        self.find_drops_with_history();
    }

    /// Finds the drops whose history is not 0.
    fn find_drops_with_history(&mut self) {
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

    /// Updates all tables after a quiet move has cut a node of this depth, and the quiet moves `tried` had not.
    pub(crate) fn update_after_cut(
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
            let reply = &mut self.counter_move[side.index()][origin(last)][last.to().index()];
            let is_best =
                |votes: &mut ReplyVotes| votes.vote(MoveSlot::of(side, last), code, *reply);
            if self.votes.as_mut().is_none_or(is_best) {
                *reply = code;
            }
        }
        if let Some(own) = own {
            self.continuation[side.index()][origin(own)][own.to().index()] = code;
        }
        let bonus = (16 * depth * depth).clamp(8, 1600);
        self.add_bonus(side, cutter, bonus);
        self.penalize(side, tried);
        if self.has_malus {
            for &mv in tried {
                self.add_bonus(side, mv, -bonus);
            }
        }
    }

    /// Gives penalty points to the quiet moves that were searched before a cut, if there are penalties of history.
    pub(crate) fn penalize(&mut self, side: Color, tried: &[Move]) {
        for (at, &mv) in tried.iter().enumerate() {
            let Some(penalties) = &mut self.penalties else { return };
            let slot = MoveSlot::of(side, mv);
            penalties.add(slot, tried.len() - at);
            let value = penalties.after_points(slot);
            self.set(side, mv, value);
        }
    }

    /// Adds a bonus or malus with gravity, so that the value stays in range.
    fn add_bonus(&mut self, side: Color, mv: Move, bonus: i32) {
        let slot = MoveSlot::of(side, mv);
        let with_bonus = |value: &mut i16| {
            let old = i32::from(*value);
            *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
            *value
        };
        let value = match &mut self.penalties {
            Some(penalties) => {
                with_bonus(penalties.history_before_points(slot));
                penalties.after_points(slot)
            }
            None => with_bonus(&mut self.quiet[slot.side][slot.origin][slot.to]),
        };
        self.set(side, mv, value);
    }

    fn set(&mut self, side: Color, mv: Move, value: i16) {
        self.quiet[side.index()][origin(mv)][mv.to().index()] = value;
        if let Some(kind) = mv.dropped() {
            let squares = &mut self.dropped[side.index()][kind.index()];
            *squares = if value == 0 { squares.without(mv.to()) } else { squares.with(mv.to()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn a_cut_updates_every_table() {
        let mut history = HistoryTables::new();
        let [cutter, tried, last, own] =
            ["7g7f", "P*5e", "3c3d", "2g2f"].map(|text| parse_move(text).unwrap());
        history.update_after_cut(Color::Black, 3, 4, cutter, &[tried], Some(last), Some(own));
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
    fn the_reply_with_most_votes_is_suggested() {
        let [reply, other, last] = ["7g7f", "P*5e", "3c3d"].map(|text| parse_move(text).unwrap());
        let suggested = |votes: i32, cuts: &[Move]| {
            let p = Parameters { reply_votes: votes, ..Parameters::interest() };
            let mut history = HistoryTables::with(&p);
            for &cutter in cuts {
                history.update_after_cut(Color::Black, 3, 4, cutter, &[], Some(last), None);
            }
            history.suggest(Color::Black, 3, Some(last), None).counter_move
        };
        let cuts = [reply, reply, other];
        assert_eq!((suggested(1, &cuts), suggested(0, &cuts)), (reply.to_bits(), other.to_bits()));
        let cuts = [reply, reply, other, other, other];
        assert_eq!(suggested(1, &cuts), other.to_bits());
    }

    #[test]
    fn history_stays_in_range() {
        let mut history = HistoryTables::new();
        let mv = parse_move("7g7f").unwrap();
        for _ in 0..1000 {
            history.update_after_cut(Color::White, 0, 50, mv, &[], None, None);
        }
        assert!((HISTORY_MAX * 9 / 10..=HISTORY_MAX).contains(&history.quiet(Color::White, mv)));
    }

    #[test]
    fn penalties_may_stand_beside_the_malus() {
        let [cutter, tried] = ["7g7f", "9g9f"].map(|text| parse_move(text).unwrap());
        let lost = |penalty_malus, penalty_keep_malus| {
            let p = Parameters { penalty_malus, penalty_keep_malus, ..Parameters::interest() };
            let mut history = HistoryTables::with(&p);
            history.update_after_cut(Color::Black, 3, 4, cutter, &[tried], None, None);
            -history.quiet(Color::Black, tried)
        };
        assert_eq!([lost(0, 0), lost(0, 1), lost(400, 0), lost(400, 1)], [256, 256, 50, 306]);
    }

    #[test]
    fn penalties_replace_the_malus() {
        let p = Parameters {
            penalty_malus: 400,
            penalty_keep_malus: 0,
            penalty_cap: 2,
            ..Parameters::interest()
        };
        let mut history = HistoryTables::with(&p);
        let [cutter, first, second, third] =
            ["7g7f", "9g9f", "P*5e", "1g1f"].map(|text| parse_move(text).unwrap());
        let black = Color::Black;
        history.update_after_cut(black, 3, 4, cutter, &[first, second, third], None, None);
        let lost = |history: &HistoryTables, mv| -history.quiet(black, mv);
        // By the distance from the move that cut, up to the cap. With few points their mean counts as 8.
        assert_eq!([first, second, third].map(|mv| lost(&history, mv)), [100, 100, 50]);
        assert_eq!(history.quiet(black, cutter), 16 * 4 * 4);
        assert!(history.dropped(black, PieceKind::Pawn).contains(parse_move("P*5e").unwrap().to()));
        // A cut by a capture counts too.
        history.penalize(black, &[third]);
        assert_eq!(lost(&history, third), 100);
        // They fade; what a move has earned does not.
        history.next_iteration();
        assert_eq!(lost(&history, first), 50);
        history.next_iteration();
        assert_eq!((lost(&history, first), history.quiet(black, cutter)), (0, 16 * 4 * 4));
        assert!(history.dropped(black, PieceKind::Pawn).is_empty());
    }
}
