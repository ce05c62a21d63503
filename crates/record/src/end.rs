//! How the end of a game is written in its record: the one mapping from [`GameEnd`] to the end words of records.

use std::fmt::Write as _;

use kyomi_shogi::{Color, EndReason, GameEnd, Position, Winner};

use super::score::to_number;
use super::{Analysis, End, EndKind};

impl EndKind {
    /// The end word for this end of a game: the one for its reason if that word names the right winner, and else one
    /// that does.
    ///
    /// Words like `%TORYO`, `%TIME_UP` and `%ILLEGAL_MOVE` say that the side to move lost. Where the other side lost,
    /// `%+ILLEGAL_ACTION` or `%-ILLEGAL_ACTION` (the sign is the loser's) keeps the result right; a win or draw by
    /// agreed scores has no word (see [`EndKind::Decided`]).
    pub fn of(end: &GameEnd) -> Self {
        let loser = end.loser();
        let by_reason = match end.reason {
            EndReason::Mate => Some(Self::Mate),
            // The king that reached its square has no word of its own.
            EndReason::Resignation
            | EndReason::Try
            | EndReason::Disconnected
            | EndReason::Unstated => Some(Self::Resign),
            EndReason::Declaration if end.winner == Some(Winner::Draw) => Some(Self::Jishogi),
            EndReason::Declaration => Some(Self::Declaration),
            EndReason::Sennichite => Some(Self::Sennichite),
            EndReason::MaxMoves => Some(Self::MaxMoves),
            EndReason::TimeUp => Some(Self::TimeUp),
            EndReason::IllegalMove | EndReason::WrongDeclaration => Some(Self::IllegalMove),
            EndReason::Abnormal | EndReason::Crash => Some(Self::Error),
            EndReason::Adjourned | EndReason::Interrupted => Some(Self::Interrupted),
            // Players resign where both agree.
            EndReason::AgreedWin if loser == Some(end.side_to_move) => Some(Self::Resign),
            EndReason::AgreedWin | EndReason::AgreedDraw => end.winner.map(Self::Decided),
            EndReason::PerpetualCheck | EndReason::IllegalAction | EndReason::Unknown(_) => None,
        };
        // At the move limit some servers name no result; the word is right all the same.
        let is_right = |kind: &Self| {
            kind.winner(end.side_to_move) == end.winner
                || end.winner.is_none() && *kind == Self::MaxMoves
        };
        if let Some(kind) = by_reason.filter(is_right) {
            return kind;
        }
        match (loser, end.winner) {
            (Some(loser), _) => Self::IllegalAction(loser),
            (None, Some(_)) => Self::DrawDeclared,
            (None, None) => match end.reason {
                EndReason::Abnormal | EndReason::Crash => Self::Error,
                _ => Self::Interrupted,
            },
        }
    }
}

impl EndKind {
    /// The end by the fourth occurrence of this position, if one side gave check with every move. That side loses: it
    /// has just moved, or it is to move again.
    pub(super) fn perpetual_check(position: &Position) -> Self {
        let to_move = position.side_to_move();
        Self::IllegalAction(if position.in_check() { !to_move } else { to_move })
    }
}

/// The comment of this program for an end that has no word in a format: `*end 封じ手`, `*end black`.
pub(super) const END_NOTE: &str = "*end ";

/// The word of a note for a result without a reason.
pub(super) const fn decided_word(winner: Winner) -> &'static str {
    match winner {
        Winner::Side(Color::Black) => "black",
        Winner::Side(Color::White) => "white",
        Winner::Draw => "draw",
    }
}

/// The end that the word of a note names.
pub(super) fn noted_end(word: &str) -> EndKind {
    let decided = [Winner::Side(Color::Black), Winner::Side(Color::White), Winner::Draw];
    let decided = decided.into_iter().find(|winner| decided_word(*winner) == word);
    decided.map_or_else(|| EndKind::from_word(word), EndKind::Decided)
}

/// The word of the note for an end that is not known; `None` for a word that would name a known one.
pub(super) fn unknown_note(word: &str) -> Option<&str> {
    matches!(noted_end(word.trim()), EndKind::Unknown(_)).then_some(word)
}

impl End {
    /// The end of a record for this end of a game. The reason is a comment (`reason: perpetual check`) where the end
    /// word alone does not say it.
    pub fn of(end: &GameEnd) -> Self {
        let kind = EndKind::of(end);
        let says_reason = matches!(
            (&end.reason, &kind),
            (EndReason::Mate, EndKind::Mate)
                | (EndReason::Resignation, EndKind::Resign)
                | (EndReason::Declaration, EndKind::Declaration | EndKind::Jishogi)
                | (EndReason::Sennichite, EndKind::Sennichite)
                | (EndReason::MaxMoves, EndKind::MaxMoves)
                | (EndReason::TimeUp, EndKind::TimeUp)
                | (EndReason::IllegalMove, EndKind::IllegalMove)
                | (EndReason::IllegalAction, EndKind::IllegalAction(_))
                | (EndReason::Adjourned | EndReason::Interrupted, EndKind::Interrupted)
                | (EndReason::Unstated, _)
        );
        let mut written = Self::new(kind);
        if !says_reason {
            written.comments.push(format!("reason: {}", end.reason.words()));
        }
        written
    }

    /// Adds what the player that ended the game said of its search, if that has a score:
    /// `search: score -3050 depth 12 nodes 900`. The score is from black's side, a mate ±30000.
    pub fn note_search(&mut self, analysis: &Analysis) {
        let Some(score) = analysis.score else { return };
        let mut text = format!("search: score {}", to_number(score));
        for (name, number) in [("depth", analysis.depth.map(u64::from)), ("nodes", analysis.nodes)]
        {
            if let Some(number) = number {
                let _ = write!(text, " {name} {number}");
            }
        }
        self.comments.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::EndReason as R;

    #[test]
    fn a_record_keeps_the_winner_and_the_reason_of_every_end() {
        let winners = [
            None,
            Some(Winner::Draw),
            Some(Winner::Side(Color::Black)),
            Some(Winner::Side(Color::White)),
        ];
        let reasons = || EndReason::KNOWN.into_iter().chain([EndReason::Unknown(String::new())]);
        for reason in reasons() {
            for winner in winners {
                for side_to_move in Color::ALL {
                    let end = GameEnd { winner, reason: reason.clone(), side_to_move };
                    let written = End::of(&end);
                    let read = written.kind.winner(side_to_move);
                    let named_draw = reason == EndReason::MaxMoves && winner.is_none();
                    assert!(read == winner || named_draw, "{end:?}: {written:?}");
                    // Two reasons that share a word differ in the comment.
                    for other in reasons() {
                        let same = End::of(&GameEnd { reason: other.clone(), ..end.clone() });
                        assert!(
                            other == reason
                                || same != written
                                || [&reason, &other].iter().any(|it| {
                                    matches!(it, EndReason::Unstated | EndReason::Interrupted)
                                }),
                            "{reason:?} {other:?} {written:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_usual_ends_have_their_words() {
        let (black, white) = (Color::Black, Color::White);
        let word = |end: GameEnd| EndKind::of(&end).word().to_owned();
        for (end, wanted) in [
            (GameEnd::won(black, R::Resignation, white), "TORYO"),
            (GameEnd::won(black, R::Resignation, black), "-ILLEGAL_ACTION"),
            (GameEnd::won(white, R::TimeUp, black), "TIME_UP"),
            (GameEnd::won(white, R::TimeUp, white), "+ILLEGAL_ACTION"),
            (GameEnd::won(white, R::IllegalMove, black), "ILLEGAL_MOVE"),
            (GameEnd::won(black, R::PerpetualCheck, white), "-ILLEGAL_ACTION"),
            (GameEnd::drawn(R::Sennichite, black), "SENNICHITE"),
            (GameEnd::won(black, R::Declaration, black), "KACHI"),
            (GameEnd::drawn(R::Declaration, black), "JISHOGI"),
            (GameEnd::drawn(R::MaxMoves, black), "MAX_MOVES"),
            (GameEnd::without_result(R::MaxMoves, black), "MAX_MOVES"),
            (GameEnd::without_result(R::Adjourned, black), "CHUDAN"),
            (GameEnd::without_result(R::Interrupted, black), "CHUDAN"),
            (GameEnd::without_result(R::Abnormal, black), "ERROR"),
            (GameEnd::won(white, R::Abnormal, black), "+ILLEGAL_ACTION"),
            (GameEnd::won(black, R::Unstated, white), "TORYO"),
            (GameEnd::drawn(R::Unknown("X".into()), white), "HIKIWAKE"),
            (GameEnd::won(black, R::AgreedWin, white), "TORYO"),
            (GameEnd::won(black, R::AgreedWin, black), ""),
        ] {
            assert_eq!(word(end.clone()), wanted, "{end:?}");
        }
    }
}
