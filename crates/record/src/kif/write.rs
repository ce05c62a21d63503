//! Writes KIF records.

use std::fmt::Write as _;
use std::time::Duration;

use crate::japanese::{
    CommentStyle, EndContext, LineWriter, MoveContext, begins_move, end_word, engine_comments,
    foul_word, is_handicap, move_word, read_word, result, write_comments, write_head, write_lines,
    write_time,
};
use crate::{Encoding, EndKind, Omission, Omissions, Record};

/// Writes the record with all variations, each line ended by LF. The text names the encoding. Omitted are fractions
/// of seconds, headers whose keys cannot be written in a line, control characters, and the difference between ends
/// that share a word of the format.
pub fn write(record: &Record, encoding: Encoding, omissions: &mut Omissions) -> String {
    let mut text = format!("#KIF version=2.0 encoding={encoding}\n");
    text.push_str(&write_head(record, omissions));
    text.push_str("手数----指手---------消費時間--\n");
    write_comments(&mut text, &record.header.comments, omissions);
    let mut kif = Kif { text, is_handicap: is_handicap(record) };
    write_lines(record, &mut kif, omissions);
    kif.text
}

struct Kif {
    text: String,
    is_handicap: bool,
}

impl Kif {
    /// Writes a line with a number: the move or the end, its time, and whether a variation replaces it.
    fn line(
        &mut self,
        ply: usize,
        what: &str,
        time: Option<(Duration, Duration)>,
        has_other: bool,
    ) {
        let _ = write!(self.text, "{ply:4} {what}");
        if let Some((time, total)) = time {
            // All other characters that occur are two columns wide.
            let width: usize = what.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
            let _ = write!(self.text, "{:1$}", "", 13_usize.saturating_sub(width).max(1));
            write_time(&mut self.text, time.as_secs(), total.as_secs());
        }
        if has_other {
            self.text.push('+');
        }
        self.text.push('\n');
    }
}

impl LineWriter for Kif {
    fn begin_variation(&mut self, ply: usize) {
        let _ = writeln!(self.text, "\n変化：{ply}手");
    }

    fn write_move(&mut self, context: &MoveContext<'_>, omissions: &mut Omissions) {
        let made = context.made;
        let what = move_word(context.position, made.mv, context.before);
        omit_fraction(made.time, omissions);
        self.line(
            context.ply,
            &what,
            made.time.map(|time| (time, context.spent)),
            context.has_other,
        );
        let (analysis, comments) =
            engine_comments(context.position, made, CommentStyle::Kif, omissions);
        write_comments(&mut self.text, &analysis, omissions);
        write_comments(&mut self.text, &comments, omissions);
    }

    fn write_end(&mut self, context: &EndContext<'_>, omissions: &mut Omissions) {
        let (end, mut to_move, mut ply) = (context.end, context.to_move, context.ply);
        let mut has_other = context.has_other;
        if let Some(foul) = &end.foul {
            // The other side's line follows, with the word that it won.
            let what = foul_word(context.position, foul.mv);
            omit_fraction(foul.time, omissions);
            self.line(ply, &what, foul.time.map(|time| (time, context.foul_spent)), has_other);
            write_comments(&mut self.text, &foul.comments, omissions);
            (to_move, ply, has_other) = (!foul.mv.color, ply + 1, false);
        }
        let kind = end.kind_after_foul();
        let word = end_word(&kind, to_move);
        let (read, words) = read_word(&word, to_move);
        let is_word = words.len() == word.len() && stands_alone(&word);
        if read != kind || !is_word {
            omissions.add(Omission::End);
        }
        if is_word {
            omit_fraction(end.time, omissions);
            self.line(ply, &word, end.time.map(|time| (time, context.spent)), has_other);
            write_comments(&mut self.text, &end.comments, omissions);
        } else {
            omissions.add_many(Omission::Comments, end.comments.len());
            omissions.add_many(Omission::Times, usize::from(end.time.is_some()));
        }
        if context.is_main && is_word && !matches!(end.kind, EndKind::Unknown(_)) {
            let result = result(&kind, to_move, self.is_handicap);
            let _ = writeln!(self.text, "まで{}手で{result}", ply - 1);
        }
    }
}

/// Whether an end word can be written alone: it is neither a move nor a remark, and begins no result line.
fn stands_alone(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with("まで")
        && !word.starts_with(|c| c == '#' || begins_move(c))
}

fn omit_fraction(time: Option<Duration>, omissions: &mut Omissions) {
    let has_fraction = time.is_some_and(|time| time.subsec_nanos() != 0);
    omissions.add_many(Omission::TimeFractions, usize::from(has_fraction));
}
