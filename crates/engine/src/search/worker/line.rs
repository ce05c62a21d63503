//! The line that a thread searches: the position, the moves that led to it, and its evaluation.

use crate::eval::{AnyEvaluator, Evaluator};
use crate::search::{
    MAX_PLY, limits::GameRules, line::Line, picker::Picker, position_history::PositionHistory,
};
use kyomi_shogi::{Game, Move, MoveList, Position, Undo};

/// The data of one ply of the current line.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// The move made at this ply.
    pub(crate) mv: Option<Move>,
    /// Whether the move gave check.
    pub(crate) gave_check: bool,
    /// The best line found from this ply.
    pub(crate) pv: Line,
    /// The moves of this node. The memory is kept, so that the search allocates nothing.
    pub(crate) picker: Option<Box<Picker>>,
    /// The move that is left out of a search that tests whether it is singular.
    pub(crate) excluded: Option<Move>,
    /// The moves searched at this ply that did not cut, in order. Recorded only if penalties are on.
    pub(crate) tried: MoveList,
}

/// The line that a thread searches.
pub(crate) struct CurrentLine {
    pub(crate) position: Position,
    /// One for each ply, from the root.
    pub(crate) frames: Vec<Frame>,
    pub(crate) path: PositionHistory,
    evaluator: AnyEvaluator,
    pub(crate) rules: GameRules,
    /// Number of moves of the game before the root.
    pub(crate) game_moves: u32,
    /// The line that was being searched when the search was stopped.
    pub(crate) at_stop: Line,
}

impl CurrentLine {
    /// A line from the start position.
    pub(super) fn new(evaluator: AnyEvaluator) -> Self {
        Self {
            position: Position::startpos(),
            frames: (0..MAX_PLY + 2).map(|_| Frame::default()).collect(),
            path: PositionHistory::default(),
            evaluator,
            rules: GameRules::default(),
            game_moves: 0,
            at_stop: Line::new(),
        }
    }

    /// Sets up a new root.
    pub(super) fn set_root(&mut self, game: &Game, rules: GameRules) {
        self.set_position(game.position());
        self.path.restart(game);
        self.game_moves = game.len() as u32;
        self.rules = rules;
        self.at_stop.clear();
    }

    /// Sets up a position without a game.
    pub(crate) fn set_position(&mut self, position: &Position) {
        self.position = position.clone();
        self.evaluator.reset(position);
    }

    /// Makes a move of the main search.
    #[inline]
    pub(super) fn make(&mut self, ply: usize, mv: Move) -> Undo {
        let undo = self.make_in_quiescence(ply, mv);
        self.path.push(&self.position);
        undo
    }

    /// Takes back a move of the main search.
    #[inline]
    pub(crate) fn unmake(&mut self, mv: Move, undo: Undo) {
        self.path.pop();
        self.unmake_in_quiescence(mv, undo);
    }

    /// Passes the turn in the main search.
    pub(crate) fn make_null(&mut self, ply: usize) -> Undo {
        self.evaluator.push_null(&self.position);
        let undo = self.position.do_null_move();
        self.frames[ply].mv = None;
        self.frames[ply].gave_check = false;
        self.path.push(&self.position);
        undo
    }

    /// Takes back a passed turn.
    pub(crate) fn unmake_null(&mut self, undo: Undo) {
        self.path.pop();
        self.evaluator.pop();
        self.position.undo_null_move(undo);
    }

    /// Makes a move of quiescence, which does not detect repetitions.
    #[inline]
    pub(super) fn make_in_quiescence(&mut self, ply: usize, mv: Move) -> Undo {
        self.evaluator.push(&self.position, mv);
        let undo = self.position.do_move(mv);
        self.frames[ply].mv = Some(mv);
        self.frames[ply].gave_check = self.position.in_check();
        undo
    }

    /// Takes back a move of quiescence.
    #[inline]
    pub(crate) fn unmake_in_quiescence(&mut self, mv: Move, undo: Undo) {
        self.evaluator.pop();
        self.position.undo_move(mv, undo);
    }

    /// Prefetches what the evaluation has about a position.
    #[inline]
    pub(super) fn prefetch_eval(&self, key: u64) {
        self.evaluator.prefetch(key);
    }

    /// The evaluation of the position by the evaluator alone.
    #[inline]
    pub(super) fn plain_eval(&mut self) -> i32 {
        self.evaluator.value(&self.position)
    }

    /// Notes the line at which the search stops.
    pub(super) fn note_stop(&mut self) {
        let made = self.frames.iter().take(self.path.plies()).map_while(|frame| frame.mv);
        self.at_stop = made.collect();
    }

    /// Sets the best line of this ply to this move, followed by the best line of the next ply.
    pub(crate) fn set_pv(&mut self, ply: usize, mv: Move) {
        let (here, below) = self.frames.split_at_mut(ply + 1);
        let (Some(here), Some(below)) = (here.last_mut(), below.first()) else { return };
        here.pv.clear();
        here.pv.push(mv);
        for &next in &below.pv {
            if here.pv.try_push(next).is_err() {
                break;
            }
        }
    }

    /// The move made `back` plies before, if the search made it.
    pub(crate) fn earlier_move(&self, ply: usize, back: usize) -> Option<Move> {
        ply.checked_sub(back).and_then(|at| self.frames[at].mv)
    }
}
