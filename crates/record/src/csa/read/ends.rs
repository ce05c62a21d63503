//! How a game ends: end words, lines of a server's log, the notes of this program, and the server's summary.

use crate::end::{END_NOTE, noted_end};
use crate::fault::clip;
use crate::foul::LastMove;
use crate::japanese::english_end;
use crate::{End, EndKind, Winner};
use kyomi_shogi::Color;

use super::super::summary::{OtherNames, Summary};
use super::{At, Reader, Stage};

impl Reader {
    /// Turns an end that only a comment shows into comments again. Returns whether there was one.
    pub(super) fn take_back_comment(&mut self) -> bool {
        let Stage::Moves(moves) = &mut self.stage else { return false };
        let Some(lines) = moves.if_continued.take() else { return false };
        let Some(end) = moves.end.take() else { return false };
        let lines = lines.into_iter().chain(end.comments);
        match moves.made.last_mut() {
            Some(last) => last.comments.extend(lines),
            None => self.header.comments.extend(lines),
        }
        true
    }

    pub(super) fn end(&mut self, place: At, word: &str) {
        let kind = match &self.stage {
            Stage::Moves(moves) => signed_end(word, moves.position.side_to_move()),
            Stage::Head(_) => None,
        };
        let kind = match kind.unwrap_or_else(|| EndKind::from_word(word)) {
            EndKind::Unknown(word) => match english_end(&word) {
                Some(kind) => {
                    self.warn(place, || format!("the end '%{word}' is read as %{}", kind.word()));
                    kind
                }
                None => EndKind::Unknown(word),
            },
            kind => kind,
        };
        // After a move that cannot be played it is not known whose turn it is. Most end words depend on that; those
        // that name an offence do not.
        let is_offence = matches!(kind, EndKind::IllegalMove | EndKind::IllegalAction(_));
        if self.fault.is_some() && !is_offence {
            return self.warn(place, || {
                format!("%{} is after a move that cannot be played; ignored", clip(word))
            });
        }
        let Some(moves) = self.moves(place) else { return };
        if let Some(last) = moves.unplayable.take() {
            if last.is_ended_by(&kind) {
                moves.end = Some(last.into_end());
            } else {
                self.leave_out(place, last);
                self.end(place, word);
            }
            return;
        }
        match &moves.end {
            None => {
                let is_unknown = matches!(kind, EndKind::Unknown(_));
                moves.end = Some(End::new(kind));
                if is_unknown {
                    self.warn(place, || format!("the end '%{}' is not known", clip(word)));
                }
            }
            // shogi-server writes a declaration twice.
            Some(first) if first.kind == kind => {}
            Some(_) => {
                self.warn(place, || format!("%{} is after the end; ignored", clip(word)));
            }
        }
    }

    /// A line of a server's log about the end, if no end word precedes it.
    pub(super) fn server_line(&mut self, place: At, word: &str) {
        let kind = match word.trim() {
            "RESIGN" => Some(EndKind::Resign),
            "TIME_UP" => Some(EndKind::TimeUp),
            "ILLEGAL_MOVE" => Some(EndKind::IllegalMove),
            "SENNICHITE" => Some(EndKind::Sennichite),
            "MAX_MOVES" => Some(EndKind::MaxMoves),
            "CHUDAN" => Some(EndKind::Interrupted),
            "JISHOGI" => Some(EndKind::Declaration),
            "OUTE_SENNICHITE" => match &self.stage {
                Stage::Moves(moves) => Some(EndKind::perpetual_check(&moves.position)),
                Stage::Head(_) => None,
            },
            _ => None,
        };
        let has_game = matches!(&self.stage, Stage::Moves(_));
        match kind.filter(|_| has_game && !self.has_ended()) {
            Some(kind) => self.end(place, kind.word()),
            None => self.warn(place, || format!("'#{}' ignored", clip(word))),
        }
    }

    /// Ends the game before a move that cannot be played and did not end it.
    pub(super) fn leave_out(&mut self, place: At, last: LastMove) {
        if let Some(text) = last.lost_warning() {
            self.warn(place, || text);
        }
        self.fault = Some(last.error);
    }

    /// Reads the line of this program for an end that has no word in the format. Returns whether it was one.
    pub(super) fn end_note(&mut self, place: At, comment: &str) -> bool {
        let Some(word) = comment.strip_prefix(END_NOTE).filter(|_| self.fault.is_none()) else {
            return false;
        };
        let Some(moves) = self.moves(place) else { return false };
        match (&mut moves.end, noted_end(word.trim())) {
            // A word of another format, after the CSA word that is nearest to it.
            (Some(end), EndKind::Unknown(_)) if end.kind != EndKind::Interrupted => return false,
            (Some(end), kind) => end.kind = kind,
            (None, kind @ EndKind::Decided(_)) => {
                moves.if_continued = Some(vec![comment.to_owned()]);
                moves.end = Some(End::new(kind));
            }
            (None, _) => return false,
        }
        true
    }

    /// Reads the line in which shogi-server states the result. It counts, whatever end word precedes it. The line
    /// itself stays a comment on the end. Returns whether it was one.
    pub(super) fn summary(&mut self, place: At, comment: &str) -> bool {
        let names = [self.header.black.as_deref(), self.header.white.as_deref()];
        let summary = match Summary::read(comment, names) {
            Some(Ok(summary)) => summary,
            Some(Err(OtherNames)) => {
                let text = "the summary does not name the two players; its result is not read";
                self.warn(place, || text.to_owned());
                return false;
            }
            None => return false,
        };
        let is_broken = self.fault.is_some();
        let Some(moves) = self.moves(place) else { return false };
        let to_move = moves.position.side_to_move();
        let kind = summary.kind(to_move);
        let last = moves.unplayable.take();
        let (mut contradicted, mut left_out) = (None, None);
        let mut end = match (moves.end.take(), last) {
            (Some(end), _) if summary.agrees_with(&end.kind, to_move) => end,
            (Some(mut end), _) => {
                if !summary.corrects(&end.kind) {
                    contradicted = Some(clip(end.kind.word()));
                }
                if let Some(foul) = end.foul.take() {
                    end.comments.insert(0, format!("illegal move: {}", foul.mv));
                    end.comments.splice(1..1, foul.comments);
                }
                End { kind, ..end }
            }
            (None, last) => {
                moves.if_continued = Some(Vec::new());
                match last {
                    Some(last) if last.is_ended_by(&kind) => last.into_end(),
                    None if !is_broken => End::new(kind),
                    last => {
                        left_out = last;
                        End::new(EndKind::Decided(summary.winner))
                    }
                }
            }
        };
        end.comments.push(comment.to_owned());
        moves.end = Some(end);
        if let Some(last) = left_out {
            self.leave_out(place, last);
        }
        if let Some(word) = contradicted {
            let text = || format!("the server's summary contradicts %{word}; the summary counts");
            self.warn(place, text);
        }
        true
    }
}

/// The end of a word that names the side that lost, as `%+TIME_UP` of some programs does.
fn signed_end(word: &str, to_move: Color) -> Option<EndKind> {
    let (loser, word) = match word.as_bytes().first()? {
        b'+' => (Color::Black, &word[1..]),
        b'-' => (Color::White, &word[1..]),
        _ => return None,
    };
    let kind = EndKind::from_word(word);
    match kind.winner(loser) {
        Some(Winner::Side(winner)) if winner != loser && loser == to_move => Some(kind),
        Some(winner @ Winner::Side(side)) if side != loser => Some(EndKind::Decided(winner)),
        _ => None,
    }
}
