//! Visits all lines of a record in the order of KIF files, for the writers of KIF and KI2.

use std::time::Duration;

use crate::{End, Omission, Omissions, Record, RecordMove};
use kyomi_shogi::{Color, Move, Position, Undo};

/// Writes lines of moves in one format.
pub(crate) trait LineWriter {
    /// Begins a variation that replaces the move of this ply.
    fn begin_variation(&mut self, ply: usize);
    /// Writes a move.
    fn write_move(&mut self, context: &MoveContext<'_>, omissions: &mut Omissions);
    /// Writes the end of a line.
    fn write_end(&mut self, context: &EndContext<'_>, omissions: &mut Omissions);
}

/// A move, and where it is.
pub(crate) struct MoveContext<'a> {
    /// The board before it.
    pub(crate) position: &'a Position,
    /// The move before it.
    pub(crate) before: Option<Move>,
    /// Its number, counted from 1.
    pub(crate) ply: usize,
    pub(crate) made: &'a RecordMove,
    /// The time its side has used including this move.
    pub(crate) spent: Duration,
    /// Whether a variation that follows replaces it.
    pub(crate) has_other: bool,
}

/// The end of a line, and where it is.
pub(crate) struct EndContext<'a> {
    pub(crate) end: &'a End,
    /// The board after the last move.
    pub(crate) position: &'a Position,
    /// The ply of the next move.
    pub(crate) ply: usize,
    pub(crate) to_move: Color,
    /// The time the side to move has used including the end. After an illegal move it is the other
    /// side's turn.
    pub(crate) spent: Duration,
    /// The time the side to move has used including the illegal move.
    pub(crate) foul_spent: Duration,
    pub(crate) has_other: bool,
    pub(crate) is_main: bool,
}

/// Writes all lines. Illegal moves with all moves after them, and variations that leave no line, are omitted.
pub(crate) fn write_lines(
    record: &Record,
    writer: &mut impl LineWriter,
    omissions: &mut Omissions,
) {
    let lines = record.variations.len();
    let lists = match record.check_variations() {
        Ok(()) => record.variations_by_line(),
        Err(_) => vec![Vec::new(); lines + 1],
    };
    let mut path = Path {
        record,
        lists: &lists,
        position: record.start.clone(),
        made: Vec::new(),
        spent: vec![[Duration::ZERO; 2]],
    };
    path.line(None, false, writer, omissions);
    let mut waiting: Vec<usize> = lists[0].iter().rev().copied().collect();
    let mut written = 0;
    while let Some(index) = waiting.pop() {
        let variation = &record.variations[index];
        let Some(before) = variation.ply.checked_sub(1) else { continue };
        if path.made.len() < before {
            // The moves that it leaves were illegal. So were those of its own variations.
            continue;
        }
        path.back_to(before);
        let has_other = waiting.last().is_some_and(|next| {
            let next = &record.variations[*next];
            (next.parent, next.ply) == (variation.parent, variation.ply)
        });
        writer.begin_variation(variation.ply);
        path.line(Some(index), has_other, writer, omissions);
        waiting.extend(lists[index + 1].iter().rev());
        written += 1;
    }
    omissions.add_many(Omission::Variations, lines - written);
}

struct Path<'a> {
    record: &'a Record,
    lists: &'a [Vec<usize>],
    position: Position,
    made: Vec<(Move, Undo)>,
    /// The times both sides have used, before each move and after the last.
    spent: Vec<[Duration; 2]>,
}

impl Path<'_> {
    fn back_to(&mut self, length: usize) {
        while self.made.len() > length {
            if let Some((mv, undo)) = self.made.pop() {
                self.position.undo_move(mv, undo);
                self.spent.pop();
            }
        }
    }

    fn spend(&self, time: Option<Duration>) -> [Duration; 2] {
        self.spend_of(self.position.side_to_move(), time)
    }

    fn spend_of(&self, side: Color, time: Option<Duration>) -> [Duration; 2] {
        let mut spent = self.spent.last().copied().unwrap_or_default();
        let own = &mut spent[side.index()];
        *own = own.saturating_add(time.unwrap_or_default());
        spent
    }

    /// Writes one line from its beginning.
    fn line(
        &mut self,
        line: Option<usize>,
        first_has_other: bool,
        writer: &mut impl LineWriter,
        omissions: &mut Omissions,
    ) {
        let moves = self.record.line(line);
        let mut leaving =
            self.lists[line.map_or(0, |index| index + 1)].iter().rev().copied().peekable();
        let mut is_left = |record: &Record, ply: usize| {
            let ply_of = |index: &usize| record.variations[*index].ply;
            while leaving.next_if(|index| ply_of(index) < ply).is_some() {}
            leaving.peek().is_some_and(|index| ply_of(index) == ply)
        };
        for (index, made) in moves.iter().enumerate() {
            if !self.position.is_legal(made.mv) {
                omissions.add_many(Omission::Moves, moves.len() - index);
                return;
            }
            let ply = self.made.len() + 1;
            let spent = self.spend(made.time);
            let context = MoveContext {
                position: &self.position,
                before: self.made.last().map(|(mv, _)| *mv),
                ply,
                made,
                spent: spent[self.position.side_to_move().index()],
                has_other: is_left(self.record, ply) || index == 0 && first_has_other,
            };
            writer.write_move(&context, omissions);
            let undo = self.position.do_move(made.mv);
            self.made.push((made.mv, undo));
            self.spent.push(spent);
        }
        let end = match line {
            None => &self.record.end,
            Some(index) => &self.record.variations[index].end,
        };
        if let Some(end) = end {
            let (ply, to_move) = (self.made.len() + 1, self.position.side_to_move());
            let ends = if end.foul.is_some() { !to_move } else { to_move };
            let foul_time = end.foul.as_ref().and_then(|foul| foul.time);
            let context = EndContext {
                end,
                position: &self.position,
                ply,
                to_move,
                spent: self.spend_of(ends, end.time)[ends.index()],
                foul_spent: self.spend(foul_time)[to_move.index()],
                has_other: is_left(self.record, ply) || moves.is_empty() && first_has_other,
                is_main: line.is_none(),
            };
            writer.write_end(&context, omissions);
        }
    }
}
