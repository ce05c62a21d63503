//! The lines of a game in the making: the main line, and the variations that leave it and each other.
//!
//! `変化：N手` leaves the last line that began before move N. One path of moves is made and taken
//! back on one board, so any number of variations within each other takes linear time and memory.

use crate::record::{End, Record, RecordMove, Variation};
use crate::shogi::{Move, Position, Square, Undo};

/// The lines of a game, and the board behind the last move read.
pub(super) struct Lines {
    record: Record,
    position: Position,
    path: Vec<(Move, Undo)>,
    /// The variations that a later one may leave, each leaving the one before.
    open: Vec<usize>,
    /// The line cannot be read on; what follows belongs to a move that is not there.
    is_broken: bool,
}

/// A line that a variation could leave is not there.
pub(super) struct NoLine;

impl Lines {
    pub(super) fn new(start: Position) -> Self {
        Self {
            position: start.clone(),
            record: Record::new(crate::record::Header::default(), start),
            path: Vec::new(),
            open: Vec::new(),
            is_broken: false,
        }
    }

    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// How many moves were made on the way here.
    pub(super) fn len(&self) -> usize {
        self.path.len()
    }

    /// Where the last move went.
    pub(super) fn before(&self) -> Option<Square> {
        self.path.last().map(|(mv, _)| mv.to())
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Nothing more of this line can be read.
    pub(super) fn break_off(&mut self) {
        self.is_broken = true;
    }

    pub(super) fn is_main(&self) -> bool {
        self.open.is_empty()
    }

    /// Makes a legal move.
    pub(super) fn push(&mut self, mv: Move) {
        let undo = self.position.do_move(mv);
        self.path.push((mv, undo));
        self.moves_mut().push(RecordMove::new(mv));
    }

    fn moves_mut(&mut self) -> &mut Vec<RecordMove> {
        match self.open.last() {
            None => &mut self.record.moves,
            Some(index) => &mut self.record.variations[*index].moves,
        }
    }

    /// The last move of this line.
    pub(super) fn last_mut(&mut self) -> Option<&mut RecordMove> {
        self.moves_mut().last_mut()
    }

    /// The last move, the board behind it, and the square it went to.
    pub(super) fn last_with_board(&mut self) -> Option<(&mut RecordMove, &Position)> {
        let last = match self.open.last() {
            None => self.record.moves.last_mut(),
            Some(index) => self.record.variations[*index].moves.last_mut(),
        }?;
        Some((last, &self.position))
    }

    /// The end of this line.
    pub(super) fn end_mut(&mut self) -> &mut Option<End> {
        match self.open.last() {
            None => &mut self.record.end,
            Some(index) => &mut self.record.variations[*index].end,
        }
    }

    /// Goes back to leave a line with this move, counted from 1.
    pub(super) fn leave(&mut self, ply: usize) -> Result<(), NoLine> {
        if ply == 0 || ply > self.path.len() + 1 {
            self.is_broken = true;
            return Err(NoLine);
        }
        self.drop_empty();
        while self.path.len() >= ply {
            if let Some((mv, undo)) = self.path.pop() {
                self.position.undo_move(mv, undo);
            }
        }
        while self.open.last().is_some_and(|index| self.record.variations[*index].ply >= ply) {
            self.open.pop();
        }
        let parent = self.open.last().copied();
        self.open.push(self.record.variations.len());
        self.record.variations.push(Variation { parent, ply, moves: Vec::new(), end: None });
        self.is_broken = false;
        Ok(())
    }

    /// Forgets a variation in which nothing stood. No other one can have left it.
    fn drop_empty(&mut self) {
        let is_empty = |line: &Variation| line.moves.is_empty() && line.end.is_none();
        if !self.open.is_empty() && self.record.variations.last().is_some_and(is_empty) {
            self.record.variations.pop();
            self.open.pop();
        }
    }

    /// The game, without its header.
    pub(super) fn finish(mut self) -> Record {
        self.drop_empty();
        self.record.sort_variations();
        self.record
    }
}
