//! The lines of a game in the making: the main line, and the variations that leave it and each other.
//!
//! `変化：N手` leaves the last line that began before move N; if that one is too short, the nearest one
//! it leaves that is long enough. One path of moves is made and taken back on one board, so any number
//! of variations within each other takes linear time and memory.

use crate::record::{End, Record, RecordMove, Variation};
use crate::shogi::{Move, Position, Square, Undo};

/// The lines of a game, and the board behind the last move read.
pub(super) struct Lines {
    record: Record,
    position: Position,
    path: Vec<(Move, Undo)>,
    /// The variations that a later one may leave, each leaving the one before.
    open: Vec<Open>,
    /// The line cannot be read on; what follows belongs to a move that is not there.
    is_broken: bool,
    /// The line leaves none.
    is_nowhere: bool,
    /// How many moves were made once more, to go back to an earlier line.
    replayed: usize,
}

/// A variation that a later one may leave.
struct Open {
    index: usize,
    /// The last ply that the lines before this one reach.
    before: usize,
    /// Its moves are not all there.
    is_broken: bool,
}

/// A line that a variation could leave is not there.
pub(super) struct NoLine;

/// Which line a variation left.
pub(super) enum Left {
    /// The last that began before it.
    Before,
    /// An earlier one, as that is too short.
    Earlier,
}

impl Lines {
    pub(super) fn new(start: Position) -> Self {
        Self {
            position: start.clone(),
            record: Record::new(crate::record::Header::default(), start),
            path: Vec::new(),
            open: Vec::new(),
            is_broken: false,
            is_nowhere: false,
            replayed: 0,
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
        self.open.is_empty() && !self.is_nowhere
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
            Some(line) => &mut self.record.variations[line.index].moves,
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
            Some(line) => self.record.variations[line.index].moves.last_mut(),
        }?;
        Some((last, &self.position))
    }

    /// The end of this line.
    pub(super) fn end_mut(&mut self) -> &mut Option<End> {
        match self.open.last() {
            None => &mut self.record.end,
            Some(line) => &mut self.record.variations[line.index].end,
        }
    }

    /// Goes back to leave a line with this move, counted from 1.
    pub(super) fn leave(&mut self, ply: usize) -> Result<Left, NoLine> {
        if let Some(line) = self.open.last_mut() {
            line.is_broken |= self.is_broken;
        }
        let is_broken = std::mem::replace(&mut self.is_broken, true);
        self.is_nowhere = true;
        self.drop_empty();
        // Behind a line that is not all there, nobody knows which line is meant.
        let reach = if is_broken { self.path.len() } else { self.reach() };
        if ply == 0 || ply > reach.saturating_add(1) {
            return Err(NoLine);
        }
        let mut kept = self.path.len().min(ply - 1);
        let mut left = Left::Before;
        while let Some(line) = self.open.last() {
            let variation = &self.record.variations[line.index];
            let is_short = self.last_ply(Some(line.index)) + 1 < ply;
            if !is_short && variation.ply < ply {
                break;
            }
            if is_short {
                left = Left::Earlier;
            }
            kept = kept.min(variation.ply - 1);
            self.open.pop();
        }
        self.go_to(kept, ply)?;
        let before = self.reach();
        let parent = self.open.last().map(|line| line.index);
        let index = self.record.variations.len();
        self.open.push(Open { index, before, is_broken: false });
        self.record.variations.push(Variation { parent, ply, moves: Vec::new(), end: None });
        (self.is_broken, self.is_nowhere) = (false, false);
        Ok(left)
    }

    /// Takes back the moves behind the first `kept`, and makes those of this line before `ply`.
    fn go_to(&mut self, kept: usize, ply: usize) -> Result<(), NoLine> {
        while self.path.len() > kept {
            if let Some((mv, undo)) = self.path.pop() {
                self.position.undo_move(mv, undo);
            }
        }
        let line = self.open.last().map(|line| line.index);
        let first = self.record.first_ply(line);
        let moves = self.record.line(line).get((kept + 1).saturating_sub(first)..);
        for made in moves.unwrap_or_default().iter().take(ply - 1 - kept) {
            if self.replayed == MOST_REPLAYED {
                return Err(NoLine);
            }
            self.replayed += 1;
            let undo = self.position.do_move(made.mv);
            self.path.push((made.mv, undo));
        }
        Ok(())
    }

    /// The last ply of a line.
    fn last_ply(&self, line: Option<usize>) -> usize {
        self.record.first_ply(line) + self.record.line(line).len() - 1
    }

    /// The last ply of those lines that a variation may leave.
    fn reach(&self) -> usize {
        match self.open.last() {
            None => self.record.moves.len(),
            Some(line) if line.is_broken => self.last_ply(Some(line.index)),
            Some(line) => self.last_ply(Some(line.index)).max(line.before),
        }
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

/// Real records ask for a few moves. Without a bound, hostile ones take quadratic time.
const MOST_REPLAYED: usize = 1_000_000;
