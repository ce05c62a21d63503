//! How a line ends: an end word, with or without a number, and the result line.

use crate::fault::clip;
use crate::{End, EndKind, Winner};

use super::super::cursor::Cursor;
use super::super::ends::{
    end_from_result, end_word, is_perpetual_check, names_offence, names_side, number_of_moves,
    read_marked,
};
use super::super::numerals::{is_blank, trim};
use super::Reader;

impl Reader {
    /// Whether a line without a number is a known end, after the first move or the heading.
    pub(super) fn is_end(&self, text: &str) -> bool {
        let Some(lines) = self.lines.as_deref() else {
            return self.has_reached_moves && is_end(text);
        };
        (!lines.is_broken() || lines.has_unplayable()) && is_end(text)
    }

    /// Reads a word in place of a move: an end, with its time.
    pub(super) fn special(&mut self, at: &mut Cursor<'_>, text: &str) {
        // A line for programs.
        if text.starts_with('#') {
            return;
        }
        if text.starts_with("まで") {
            return self.result(at, text);
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        let Some((kind, word)) = read_marked(text, lines.position().side_to_move()) else {
            return self.bad(at, text);
        };
        let is_offence = matches!(kind, EndKind::IllegalMove | EndKind::IllegalAction(_));
        if let Some(last) = lines.unplayable_mut().take_if(|_| is_offence) {
            // After the offence, programs write the word for either side.
            lines.end_with(last);
            return self.end_time(at, text, word);
        }
        if lines.has_unplayable() {
            return self.leave_out();
        }
        if lines.is_broken() {
            // The word says that the move that cannot be played was an offence.
            let is_main = lines.is_main();
            if word == "反則勝ち" && is_main && lines.end_mut().is_none() {
                *lines.end_mut() = Some(End::new(EndKind::IllegalMove));
            }
            return;
        }
        if word.is_empty() {
            return;
        }
        let kind = match kind {
            EndKind::Unknown(word) if is_perpetual_check(&word) => {
                EndKind::perpetual_check(lines.position())
            }
            kind => kind,
        };
        let is_unknown = matches!(kind, EndKind::Unknown(_));
        if lines.end_mut().is_some() && (is_unknown || !self.resume_after_end(at, true)) {
            return self.warn(at, || format!("{} is after the end; ignored", clip(word)));
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        let comments = if names_offence(word) { vec![word.to_owned()] } else { Vec::new() };
        *lines.end_mut() = Some(End { comments, ..End::new(kind) });
        if is_unknown {
            self.warn(at, || format!("the end '{}' is not known", clip(word)));
        }
        self.end_time(at, text, word);
    }

    /// Reads the time after the word of an end.
    fn end_time(&mut self, at: &mut Cursor<'_>, text: &str, word: &str) {
        let mut rest = text[word.len()..].trim_start_matches(is_blank);
        let more = trim(&rest[..rest.find(['(', '（', '+']).unwrap_or(rest.len())]);
        if let Some(lines) = self.lines.as_deref_mut()
            && let Some(end) = lines.end_mut()
            && !more.is_empty()
        {
            end.comments.push(more.to_owned());
            rest = rest[more.len()..].trim_start_matches(is_blank);
        }
        at.skip(text.len() - rest.len());
        if rest.starts_with(['(', '（']) {
            self.time(at, rest);
        }
    }

    /// `まで113手で先手の勝ち`
    pub(super) fn result(&mut self, at: &mut Cursor<'_>, text: &str) {
        if self.lines(at).is_none() {
            return;
        }
        let names = [self.header.black.as_deref(), self.header.white.as_deref()];
        let Some(lines) = self.lines.as_deref_mut() else { return };
        let to_move = lines.position().side_to_move();
        let read = |to_move| end_from_result(text, to_move, names);
        let wins = |kind: &EndKind, to_move| match kind.winner(to_move) {
            Some(Winner::Side(side)) => Some(side),
            Some(Winner::Draw) | None => None,
        };
        if let Some(last) = lines.unplayable_mut().take_if(|last| {
            // The line counts the offence as a move.
            let offender = last.foul.mv.color;
            let kind = read(!offender);
            kind.is_some_and(|kind| {
                wins(&kind, !offender) == Some(!offender)
                    || kind == EndKind::IllegalMove && !names_side(text)
            })
        }) {
            return lines.end_with(last);
        }
        if lines.has_unplayable() {
            return self.leave_out();
        }
        if lines.is_broken() {
            return;
        }
        let has_foul = lines.end_mut().as_ref().is_some_and(|end| end.foul.is_some());
        let (made, is_main) = (lines.len() + usize::from(has_foul), lines.is_main());
        let before = usize::from(lines.position().ply()).saturating_sub(1);
        let mut warnings = Vec::new();
        if let Some(stated) = number_of_moves(text)
            && is_main
            && stated > made.max(before)
        {
            warnings.push(format!("the result line counts {stated} moves; the record has {made}"));
        }
        let kind = read(to_move);
        // Whoever is to move, the line names this winner.
        let named = kind.as_ref().and_then(|kind| kind.winner(to_move)).filter(|winner| {
            matches!(winner, Winner::Side(_))
                && read(!to_move).and_then(|kind| kind.winner(!to_move)) == Some(*winner)
        });
        match (lines.end_mut(), kind) {
            (Some(end), Some(kind)) => {
                if let EndKind::Unknown(word) = &end.kind
                    && let Some(winner) = kind.winner(to_move)
                {
                    end.comments.insert(0, word.clone());
                    end.kind = EndKind::Decided(winner);
                } else if named.is_some() && end.kind.winner(to_move) != named {
                    if end.foul.is_some() {
                        let text = "the result line contradicts the illegal move; ignored";
                        return self.warn(at, || text.to_owned());
                    }
                    let word = end_word(&end.kind, to_move).into_owned();
                    warnings.push(format!("the result line contradicts '{word}'; the line counts"));
                    end.comments.insert(0, word);
                    end.kind = kind;
                }
            }
            (end @ None, Some(kind)) => {
                if matches!(kind, EndKind::Unknown(_)) {
                    warnings.push(format!("the end '{}' is not known", clip(text)));
                }
                // How this winner won has no word.
                let has_more =
                    matches!(kind, EndKind::Decided(Winner::Side(_))) && !text.ends_with("の勝ち");
                let comments = if has_more { vec![text.to_owned()] } else { Vec::new() };
                *end = Some(End { comments, ..End::new(kind) });
            }
            (_, None) => {}
        }
        for text in warnings {
            self.warn(at, || text);
        }
    }
}

/// Whether a text is only a known end, with or without its time.
fn is_end(text: &str) -> bool {
    read_marked(text, kyomi_shogi::Color::Black).is_some_and(|(kind, word)| {
        let after = text[word.len()..].trim_start_matches(is_blank);
        !matches!(kind, EndKind::Unknown(_)) && (after.is_empty() || after.starts_with(['(', '（']))
    })
}
