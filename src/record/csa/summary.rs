//! The line in which shogi-server and its relatives state the result: `'summary:time up:a lose:b win`.

use crate::record::{EndKind, Winner};
use crate::shogi::{Color, EndReason, GameEnd};

/// The result of a game in the server's words.
pub(super) struct Summary<'a> {
    /// The type: `time up`, `illegal move`, `max_moves`.
    reason: &'a str,
    pub(super) winner: Winner,
}

/// A summary that does not say which side won: its names are not those of the players, or both have the same.
pub(super) struct OtherNames;

impl<'a> Summary<'a> {
    /// Reads a comment (without `'`); `None` if it is not a summary. `names` are those of the players, black's first;
    /// the summary may have them in either order.
    pub(super) fn read(
        comment: &'a str,
        names: [Option<&str>; 2],
    ) -> Option<std::result::Result<Self, OtherNames>> {
        let (reason, results) = comment.strip_prefix(SUMMARY)?.split_once(':')?;
        let results = results.trim_end();
        let [black, white] = names.map(Option::unwrap_or_default);
        let in_order = named_results(results, black, white);
        let turned = || named_results(results, white, black).map(|[white, black]| [black, white]);
        let named = in_order.or_else(turned);
        let [black, white] = named.or_else(|| any_results(results))?;
        let winner = match (black, white) {
            (Result::Win, Result::Lose) => Winner::Side(Color::Black),
            (Result::Lose, Result::Win) => Winner::Side(Color::White),
            (Result::Draw, Result::Draw) => Winner::Draw,
            _ => return None,
        };
        let is_clear = winner == Winner::Draw || named.is_some() && names[0] != names[1];
        Some(if is_clear { Ok(Self { reason, winner }) } else { Err(OtherNames) })
    }

    /// The end of a game with `to_move` to move.
    pub(super) fn kind(&self, to_move: Color) -> EndKind {
        let reason = match self.reason.replace('_', " ").as_str() {
            "toryo" => EndReason::Resignation,
            "abnormal" => EndReason::Disconnected,
            "time up" => EndReason::TimeUp,
            "illegal move" | "uchifuzume" | "oute kaihimore" => EndReason::IllegalMove,
            "kachi" => EndReason::Declaration,
            "illegal kachi" => EndReason::WrongDeclaration,
            "sennichite" => EndReason::Sennichite,
            "oute sennichite" => EndReason::PerpetualCheck,
            "max moves" => EndReason::MaxMoves,
            _ => return EndKind::Decided(self.winner),
        };
        EndKind::of(&GameEnd { winner: Some(self.winner), reason, side_to_move: to_move })
    }

    /// Whether servers write this end word before such a summary, although the summary has another winner: the
    /// declaration that they refused, and the resignation that stands for a lost connection.
    pub(super) fn corrects(&self, kind: &EndKind) -> bool {
        matches!(
            (self.reason, kind),
            ("illegal kachi", EndKind::Declaration) | ("abnormal", EndKind::Resign)
        )
    }
}

/// How the line begins.
pub(super) const SUMMARY: &str = "summary:";

/// The result of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Result {
    Win,
    Lose,
    Draw,
}

impl Result {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "win" => Some(Self::Win),
            "lose" => Some(Self::Lose),
            "draw" => Some(Self::Draw),
            _ => None,
        }
    }
}

/// The results of the players with these names, in this order. Names may contain anything.
fn named_results(text: &str, first: &str, second: &str) -> Option<[Result; 2]> {
    let rest = text.strip_prefix(first)?.strip_prefix(' ')?;
    let (result, rest) = rest.split_once(':')?;
    let other = rest.strip_prefix(second)?.strip_prefix(' ')?;
    Some([Result::parse(result)?, Result::parse(other)?])
}

/// The results of two players whose names are not known.
fn any_results(text: &str) -> Option<[Result; 2]> {
    let result = |text: &str| Result::parse(text.rsplit_once(' ')?.1);
    text.match_indices(':').find_map(|(at, _)| Some([result(&text[..at])?, result(&text[at..])?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `None` for a text that is not a summary, `Some(None)` for one of other players.
    fn winner(comment: &str, black: &str, white: &str) -> Option<Option<Winner>> {
        let summary = Summary::read(comment, [Some(black), Some(white)])?;
        Some(summary.ok().map(|summary| summary.winner))
    }

    fn named(text: &str) -> Summary<'_> {
        Summary::read(text, [Some("a"), Some("b")]).and_then(std::result::Result::ok).unwrap()
    }

    #[test]
    fn the_players_stand_in_either_order_under_any_names() {
        let (black, white) = (Winner::Side(Color::Black), Winner::Side(Color::White));
        for (comment, names, expected) in [
            ("summary:time up:a lose:b win", ["a", "b"], white),
            ("summary:time up:b win:a lose", ["a", "b"], white),
            ("summary:toryo:a win:b lose ", ["a", "b"], black),
            ("summary:max_moves:a draw:b draw", ["a", "b"], Winner::Draw),
            ("summary:toryo:a:b win win:a: lose:x lose", ["a:b win", "a: lose:x"], black),
            ("summary:toryo:a: lose:x lose:a:b win win", ["a:b win", "a: lose:x"], black),
            ("summary:toryo:先 手 win:win lose", ["先 手", "win"], black),
        ] {
            let [first, second] = names;
            assert_eq!(winner(comment, first, second), Some(Some(expected)), "{comment}");
        }
    }

    #[test]
    fn other_names_leave_the_winner_open_and_other_texts_are_no_summary() {
        assert_eq!(winner("summary:toryo:c:d lose:e win", "a", "b"), Some(None));
        assert_eq!(winner("summary:toryo:a win:a lose", "a", "a"), Some(None));
        assert_eq!(winner("summary:toryo: win: lose", "", ""), Some(None));
        assert_eq!(winner("summary:x:c draw:d draw", "a", "b"), Some(Some(Winner::Draw)));
        for text in [
            "summary:toryo:a win:b win",
            "summary:toryo:a win",
            "summary:toryo",
            "summary:",
            "summary",
            "summary:toryo:a wins:b lose",
            " summary:toryo:a win:b lose",
        ] {
            assert_eq!(winner(text, "a", "b"), None, "{text}");
        }
    }

    #[test]
    fn every_type_has_an_end_with_its_winner() {
        let types = [
            ("toryo", "TORYO"),
            ("abnormal", "TORYO"),
            ("time up", "TIME_UP"),
            ("illegal move", "ILLEGAL_MOVE"),
            ("uchifuzume", "ILLEGAL_MOVE"),
            ("oute_kaihimore", "ILLEGAL_MOVE"),
            ("illegal kachi", "ILLEGAL_MOVE"),
            ("oute_sennichite", "+ILLEGAL_ACTION"),
            ("outori", ""),
        ];
        for (reason, word) in types {
            let text = format!("summary:{reason}:a lose:b win");
            let summary = named(&text);
            assert_eq!(summary.kind(Color::Black).word(), word, "{reason}");
            for to_move in Color::ALL {
                let white = Some(Winner::Side(Color::White));
                assert_eq!(summary.kind(to_move).winner(to_move), white, "{reason}");
            }
        }
        let kachi = named("summary:kachi:a lose:b win");
        assert_eq!(kachi.kind(Color::White), EndKind::Declaration);
    }
}
