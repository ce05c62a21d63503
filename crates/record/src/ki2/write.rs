//! Writes KI2 records.

use std::fmt::Write as _;

use crate::japanese::{
    CommentStyle, EndContext, LineWriter, MoveContext, end_from_result, engine_comments, foul_word,
    is_handicap, piece_word, relative_words, result, target_word, write_comments, write_head,
    write_lines,
};
use crate::{Omission, Omissions, Record};
use kyomi_shogi::notation::japanese::side_mark;
use kyomi_shogi::{Move, Position};

/// Writes the record with all variations, each line ended by LF. Omitted are times, analyses, headers whose keys
/// cannot be written in a line, control characters, and the difference between some ends.
pub fn write(record: &Record, omissions: &mut Omissions) -> String {
    let mut text = write_head(record, omissions);
    write_comments(&mut text, &record.header.comments, omissions);
    text.push('\n');
    let names = [record.header.black.as_deref(), record.header.white.as_deref()];
    let mut ki2 = Ki2 { text, on_line: 0, is_handicap: is_handicap(record), names };
    write_lines(record, &mut ki2, omissions);
    ki2.end_line();
    ki2.text
}

/// A move made in `position` as KI2 writes it: `▲７六歩`, `△同　銀右不成`. `last` is the move before it.
pub(super) fn format_move(position: &Position, mv: Move, last: Option<Move>) -> String {
    let mut text = side_mark(position.side_to_move()).to_owned();
    text.push_str(&target_word(mv, last));
    let from = mv.from();
    let piece = from.and_then(|from| position.piece_on(from));
    if let Some(kind) = mv.dropped().or_else(|| piece.map(kyomi_shogi::Piece::kind)) {
        text.push_str(piece_word(kind));
    }
    let words = relative_words(position, mv);
    text.push_str(words.unwrap_or_default());
    if let (Some(piece), Some(from)) = (piece, from) {
        let color = piece.color();
        let in_zone = from.rank_for(color) <= 3 || mv.to().rank_for(color) <= 3;
        if mv.is_promotion() {
            text.push('成');
        } else if piece.kind().promoted().is_some() && in_zone {
            text.push_str("不成");
        }
        if words.is_none() {
            let _ = write!(text, "({}{})", from.file(), from.rank());
        }
    }
    text
}

struct Ki2<'a> {
    text: String,
    /// The number of moves on the current line.
    on_line: usize,
    is_handicap: bool,
    names: [Option<&'a str>; 2],
}

impl Ki2<'_> {
    /// Writes what separates a move from the one before.
    fn begin_move(&mut self) {
        if self.on_line == MOST_ON_LINE {
            self.end_line();
        }
        if self.on_line > 0 {
            self.text.push_str("    ");
        }
        self.on_line += 1;
    }

    fn end_line(&mut self) {
        if self.on_line > 0 {
            self.text.push('\n');
        }
        self.on_line = 0;
    }
}

impl LineWriter for Ki2<'_> {
    fn begin_variation(&mut self, ply: usize) {
        self.end_line();
        let _ = writeln!(self.text, "\n変化：{ply}手");
    }

    fn write_move(&mut self, context: &MoveContext<'_>, omissions: &mut Omissions) {
        let made = context.made;
        self.begin_move();
        self.text.push_str(&format_move(context.position, made.mv, context.before));
        omissions.add_many(Omission::Times, usize::from(made.time.is_some()));
        let (_, comments) = engine_comments(context.position, made, CommentStyle::Ki2, omissions);
        if !comments.is_empty() {
            self.end_line();
            write_comments(&mut self.text, &comments, omissions);
        }
    }

    fn write_end(&mut self, context: &EndContext<'_>, omissions: &mut Omissions) {
        let (end, mut to_move, mut ply) = (context.end, context.to_move, context.ply);
        if let Some(foul) = &end.foul {
            self.begin_move();
            if foul.mv.color == to_move {
                self.text.push_str(side_mark(to_move));
            }
            self.text.push_str(&foul_word(context.position, foul.mv));
            omissions.add_many(Omission::Times, usize::from(foul.time.is_some()));
            if !foul.comments.is_empty() {
                self.end_line();
                write_comments(&mut self.text, &foul.comments, omissions);
            }
            (to_move, ply) = (!foul.mv.color, ply + 1);
        }
        self.end_line();
        let kind = end.kind_after_foul();
        let result = result(&kind, to_move, self.is_handicap);
        let line = format!("まで{}手で{result}", ply - 1);
        let read = end_from_result(&line, to_move, self.names);
        omissions.add_many(Omission::End, usize::from(read.as_ref() != Some(&kind)));
        omissions.add_many(Omission::Times, usize::from(end.time.is_some()));
        if read.is_some() {
            self.text.push_str(&line);
            self.text.push('\n');
            write_comments(&mut self.text, &end.comments, omissions);
        } else {
            omissions.add_many(Omission::Comments, end.comments.len());
        }
    }
}

/// The number of moves on a line.
const MOST_ON_LINE: usize = 6;
