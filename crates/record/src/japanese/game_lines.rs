//! Builds the lines of a game: the main line, and the variations that leave it and each other.
//!
//! `変化：N手` leaves the last line that began before move N; if that one is too short, its nearest ancestor that is
//! long enough. Moves are made and undone on one board, so any number of nested variations takes linear time and
//! memory.

use crate::foul::LastMove;
use crate::{End, Record, RecordMove, Variation};
use kyomi_shogi::{Move, Position, Square, Undo};

/// The lines of a game, and the board after the last move read.
pub(super) struct GameLines {
    record: Record,
    position: Position,
    path: Vec<(Move, Undo)>,
    /// The variations that a later one may leave, each leaving the one before it in this list.
    open: Vec<OpenVariation>,
    /// The rest of the line cannot be read: it follows a move that is missing.
    is_broken: bool,
    /// The move at which the line broke off. It may have ended the game.
    unplayable: Option<LastMove>,
    /// The variation has no parent, because it could not begin.
    has_no_parent: bool,
    /// The number of moves that were repeated to return to an earlier line.
    replayed: usize,
}

/// A variation that a later one may leave.
struct OpenVariation {
    index: usize,
    /// The last ply of the lines before this one.
    before: usize,
    /// Some of its moves are missing.
    is_broken: bool,
}

/// No line is long enough for the variation to leave it.
pub(super) struct NoParent;

/// Which line a variation leaves.
pub(super) enum Parent {
    /// The last one that began before it.
    Last,
    /// An earlier one, because that one is too short.
    Earlier,
}

impl GameLines {
    pub(super) fn new(start: Position) -> Self {
        Self {
            position: start.clone(),
            record: Record::new(crate::Header::default(), start),
            path: Vec::new(),
            open: Vec::new(),
            is_broken: false,
            unplayable: None,
            has_no_parent: false,
            replayed: 0,
        }
    }

    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// The number of moves up to here, from the start position.
    pub(super) fn len(&self) -> usize {
        self.path.len()
    }

    /// The target square of the last move.
    pub(super) fn last_target(&self) -> Option<Square> {
        self.path.last().map(|(mv, _)| mv.to())
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Ignores the rest of this line.
    pub(super) fn break_off(&mut self) {
        self.is_broken = true;
    }

    /// Ignores the rest of this line, unless it says that the game ended with this move.
    pub(super) fn break_off_at(&mut self, last: LastMove) {
        self.is_broken = true;
        self.unplayable = Some(last);
    }

    /// The move at which this line broke off, if nothing has followed it.
    pub(super) fn unplayable_mut(&mut self) -> &mut Option<LastMove> {
        &mut self.unplayable
    }

    /// Whether this line broke off at a move that may have ended the game.
    pub(super) fn has_unplayable(&self) -> bool {
        self.unplayable.is_some()
    }

    /// Ends this line with the move at which it broke off.
    pub(super) fn end_with(&mut self, last: LastMove) {
        self.is_broken = false;
        *self.end_mut() = Some(last.into_end());
    }

    pub(super) fn is_main(&self) -> bool {
        self.open.is_empty() && !self.has_no_parent
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

    /// The last move, and the board after it.
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

    /// Begins a variation with the move of this ply, counted from 1.
    pub(super) fn begin_variation(&mut self, ply: usize) -> Result<Parent, NoParent> {
        if let Some(line) = self.open.last_mut() {
            line.is_broken |= self.is_broken;
        }
        let is_broken = std::mem::replace(&mut self.is_broken, true);
        self.has_no_parent = true;
        self.drop_empty();
        // After a line with missing moves it is not clear which line is meant.
        let reach = if is_broken { self.path.len() } else { self.reach() };
        if ply == 0 || ply > reach.saturating_add(1) {
            return Err(NoParent);
        }
        let mut kept = self.path.len().min(ply - 1);
        let mut left = Parent::Last;
        while let Some(line) = self.open.last() {
            let variation = &self.record.variations[line.index];
            let is_short = self.last_ply(Some(line.index)) + 1 < ply;
            if !is_short && variation.ply < ply {
                break;
            }
            if is_short {
                left = Parent::Earlier;
            }
            kept = kept.min(variation.ply - 1);
            self.open.pop();
        }
        self.replay_to(kept, ply)?;
        let before = self.reach();
        let parent = self.open.last().map(|line| line.index);
        let index = self.record.variations.len();
        self.open.push(OpenVariation { index, before, is_broken: false });
        self.record.variations.push(Variation { parent, ply, moves: Vec::new(), end: None });
        (self.is_broken, self.has_no_parent) = (false, false);
        Ok(left)
    }

    /// Undoes the moves after the first `kept`, and repeats those of this line before `ply`.
    fn replay_to(&mut self, kept: usize, ply: usize) -> Result<(), NoParent> {
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
                return Err(NoParent);
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

    /// The last ply of the lines that a variation may leave.
    fn reach(&self) -> usize {
        match self.open.last() {
            None => self.record.moves.len(),
            Some(line) if line.is_broken => self.last_ply(Some(line.index)),
            Some(line) => self.last_ply(Some(line.index)).max(line.before),
        }
    }

    /// Removes a variation without content. No other one can have left it.
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

/// Real records need a few. Without a limit, hostile ones take quadratic time.
const MOST_REPLAYED: usize = 1_000_000;
