//! How a line ends: an end word, with or without a number, and the result line.

use crate::record::fault::clip;
use crate::record::{End, EndKind};

use super::super::cursor::Cursor;
use super::super::ends::{end_from_result, read_marked};
use super::super::numerals::is_blank;
use super::Reader;

impl Reader {
    /// Whether a line without a number is a known end, after the first move or the heading.
    pub(super) fn is_end(&self, text: &str) -> bool {
        let Some(lines) = self.lines.as_deref() else {
            return self.has_reached_moves && is_end(text);
        };
        !lines.is_broken() && is_end(text)
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
        let is_unknown = matches!(kind, EndKind::Unknown(_));
        let rest = &text[word.len()..];
        if lines.end_mut().is_some() && (is_unknown || !self.resume_after_end(at, true)) {
            return self.warn(at, || format!("{} is after the end; ignored", clip(word)));
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        *lines.end_mut() = Some(End::new(kind));
        if is_unknown {
            self.warn(at, || format!("the end '{}' is not known", clip(word)));
        }
        let rest = rest.trim_start_matches(is_blank);
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
        if lines.is_broken() || lines.end_mut().is_some() {
            return;
        }
        let Some(kind) = end_from_result(text, lines.position().side_to_move(), names) else {
            return;
        };
        let is_unknown = matches!(kind, EndKind::Unknown(_));
        *lines.end_mut() = Some(End::new(kind));
        if is_unknown {
            self.warn(at, || format!("the end '{}' is not known", clip(text)));
        }
    }
}

/// Whether a text is only a known end, with or without its time.
fn is_end(text: &str) -> bool {
    read_marked(text, crate::shogi::Color::Black).is_some_and(|(kind, word)| {
        let after = text[word.len()..].trim_start_matches(is_blank);
        !matches!(kind, EndKind::Unknown(_)) && (after.is_empty() || after.starts_with(['(', '（']))
    })
}
