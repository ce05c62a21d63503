//! The line in which shogi-server and its relatives state the result: `'summary:time up:a lose:b win`.

use crate::{EndKind, Winner};
use kyomi_shogi::{Color, EndReason, GameEnd};

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
        // Names may contain colons and results.
        let (mut winners, mut is_summary) = (Vec::new(), false);
        for (at, _) in results.match_indices(':').take(MOST_COLONS) {
            let Some(first) = Player::parse(&results[..at]) else { continue };
            let Some(second) = Player::parse(&results[at + 1..]) else { continue };
            let (is_draw, first_wins) = match (first.result, second.result) {
                (Result::Win, Result::Lose) => (false, true),
                (Result::Lose, Result::Win) => (false, false),
                (Result::Draw, Result::Draw) => (true, false),
                _ => continue,
            };
            is_summary = true;
            for (black, white, black_wins) in
                [(&first, &second, first_wins), (&second, &first, !first_wins)]
            {
                if is_draw {
                    winners.push(Winner::Draw);
                } else if black.may_be(names[0]) && white.may_be(names[1]) {
                    let side = if black_wins { Color::Black } else { Color::White };
                    winners.push(Winner::Side(side));
                }
            }
        }
        winners.dedup();
        match winners[..] {
            [winner] => Some(Ok(Self { reason, winner })),
            _ => is_summary.then_some(Err(OtherNames)),
        }
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
        let is_offence = matches!(reason, EndReason::IllegalMove | EndReason::PerpetualCheck);
        let end = GameEnd { winner: Some(self.winner), reason, side_to_move: to_move };
        match EndKind::of(&end) {
            // The word of the reason would name the other side, and no offence is stated.
            EndKind::IllegalAction(_) if !is_offence => EndKind::Decided(self.winner),
            kind => kind,
        }
    }

    /// Whether this end says the same. The resignation of a player whose connection was lost does.
    pub(super) fn agrees_with(&self, kind: &EndKind, to_move: Color) -> bool {
        kind.winner(to_move) == Some(self.winner)
            && (*kind == self.kind(to_move)
                || [kind, &self.kind(to_move)].iter().any(|it| matches!(it, EndKind::Decided(_)))
                || matches!(kind, EndKind::IllegalAction(_)) && self.is_offence())
    }

    fn is_offence(&self) -> bool {
        ["illegal move", "uchifuzume", "oute_kaihimore", "oute_sennichite", "illegal kachi"]
            .contains(&self.reason)
    }

    /// Whether servers write this end word before such a summary, although the summary says something else: the
    /// declaration that they refused, and the words that stand for a lost connection.
    pub(super) fn corrects(&self, kind: &EndKind) -> bool {
        match self.reason {
            "illegal kachi" => *kind == EndKind::Declaration,
            "abnormal" => matches!(kind, EndKind::Resign | EndKind::Interrupted),
            _ => false,
        }
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

/// A player and the result, as `name lose`.
struct Player<'a> {
    name: &'a str,
    result: Result,
}

impl<'a> Player<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (name, result) = text.rsplit_once(' ')?;
        Some(Self { name, result: Result::parse(result)? })
    }

    /// Whether this is the player with this name; `None` for a name that is not known.
    fn may_be(&self, name: Option<&str>) -> bool {
        name.is_none_or(|name| name.trim() == self.name.trim())
    }
}

/// Real names have none.
const MOST_COLONS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    /// `None` for a text that is not a summary, `Err` for one of other players.
    fn winner(comment: &str, black: &str, white: &str) -> Option<std::result::Result<Winner, ()>> {
        let summary = Summary::read(comment, [Some(black), Some(white)])?;
        Some(summary.map(|summary| summary.winner).map_err(|OtherNames| ()))
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
            assert_eq!(winner(comment, first, second), Some(Ok(expected)), "{comment}");
        }
    }

    #[test]
    fn other_names_leave_the_winner_open_and_other_texts_are_no_summary() {
        assert_eq!(winner("summary:toryo:c:d lose:e win", "a", "b"), Some(Err(())));
        assert_eq!(winner("summary:toryo:a win:a lose", "a", "a"), Some(Err(())));
        let one = |black, white| {
            let summary = Summary::read("summary:toryo:b win:a lose", [black, white])?;
            summary.ok().map(|summary| summary.winner)
        };
        assert_eq!(one(Some("a "), None), Some(Winner::Side(Color::White)), "one name is enough");
        assert_eq!((one(None, None), one(Some("x"), Some("b"))), (None, None));
        assert_eq!(winner("summary:toryo: win: lose", "", ""), Some(Err(())));
        assert_eq!(winner("summary:x:c draw:d draw", "a", "b"), Some(Ok(Winner::Draw)));
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
