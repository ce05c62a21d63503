//! Losses by a mate that was found late: the loser's score was above the limit `bearable`, and at its next move it was
//! mated or reported a mate.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::super::{
    folder::{StoreError, read_lines},
    outcome::PlayedGame,
};
use kyomi_shogi::{Color, EndReason, Winner};

/// A game that was lost by a mate seen late.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LateMate {
    /// The folder of the match.
    pub folder: PathBuf,
    /// The number of the game in the match.
    pub game: usize,
    /// The path of its record in the folder.
    pub record: String,
    /// The player that lost.
    pub loser: String,
    /// The number of moves before the loser's last move with a bearable score, those of the opening included.
    pub ply: usize,
    /// The score that the loser reported with this move, in centipawns.
    pub score: i32,
    /// The number of plies of the mate that it reported next; `None` if it was mated first.
    pub mate: Option<u32>,
}

/// The lost games of one player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PlayerLosses {
    /// The number of its games.
    pub games: usize,
    /// The number of games that it lost by mate or resignation, and for which it reported scores.
    pub lost: usize,
    /// The number of these that it lost by a mate seen late.
    pub late: usize,
}

/// The table of `kyomi lab latemates`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LateMateStudy {
    /// A score above this is bearable, in centipawns.
    pub bearable: i32,
    /// The losses of each player, by its name.
    pub players: BTreeMap<String, PlayerLosses>,
    /// The games with a mate seen late.
    pub games: Vec<LateMate>,
}

impl LateMateStudy {
    /// A study without games.
    pub fn new(bearable: i32) -> Self {
        Self { bearable, ..Self::default() }
    }

    /// Adds the finished games of a match. Returns their number.
    ///
    /// # Errors
    /// The folder has no results, or a line of them is wrong.
    pub fn add_match(&mut self, folder: &Path) -> Result<usize, StoreError> {
        let mut games = 0;
        read_lines(&folder.join("results.jsonl"), |game: PlayedGame| {
            game.check()?;
            games += 1;
            self.add(folder, &game);
            Ok(())
        })?;
        Ok(games)
    }

    fn add(&mut self, folder: &Path, game: &PlayedGame) {
        for name in [&game.black, &game.white] {
            self.players.entry(name.clone()).or_default().games += 1;
        }
        let Winner::Side(winner) = game.result else { return };
        if !matches!(game.end.0, EndReason::Mate | EndReason::Resignation) {
            return;
        }
        let (side, loser) = match winner {
            Color::White => ('b', &game.black),
            Color::Black => ('w', &game.white),
        };
        let own = game.turns.iter().enumerate().filter(|(_, turn)| turn.side == side);
        let scores: Vec<(usize, i32)> =
            own.filter_map(|(at, turn)| Some((game.opening_plies + at, turn.score?))).collect();
        if scores.is_empty() {
            return;
        }
        let losses = self.players.entry(loser.clone()).or_default();
        losses.lost += 1;
        let Some((ply, score, mate)) = last_move_above(&scores, self.bearable) else { return };
        losses.late += 1;
        self.games.push(LateMate {
            folder: folder.to_owned(),
            game: game.game,
            record: game.record.clone(),
            loser: loser.clone(),
            ply,
            score,
            mate,
        });
    }
}

/// The last bearable score with its ply, and the plies of the mate that the next score reports. `None` if the score
/// fell below `bearable` before it was a mate.
fn last_move_above(scores: &[(usize, i32)], bearable: i32) -> Option<(usize, i32, Option<u32>)> {
    let at = scores.iter().rposition(|(_, score)| *score > bearable)?;
    let (ply, score) = scores[at];
    match scores.get(at + 1) {
        None => Some((ply, score, None)),
        Some((_, next)) if *next <= -LEAST_MATE => {
            Some((ply, score, Some(next.saturating_add(MATE).max(0) as u32)))
        }
        Some(_) => None,
    }
}

/// The score of a mate at once. A mate in `n` plies has a score of `n` less.
const MATE: i32 = 32_000;

/// The least score of a mate in results: a mate in a thousand plies.
const LEAST_MATE: i32 = MATE - 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::test_folder::TestFolder;

    #[test]
    fn a_mate_is_late_if_the_score_before_it_was_above_the_limit() {
        let late = |scores: &[i32]| {
            let scores: Vec<_> = scores.iter().copied().enumerate().collect();
            last_move_above(&scores, -800)
        };
        assert_eq!(late(&[10, -300, -31_988, -31_990]), Some((1, -300, Some(12))));
        assert_eq!(late(&[10, -300]), Some((1, -300, None)));
        assert_eq!(late(&[10, -300, -900, -31_990]), None);
        assert_eq!(late(&[10, -800, -31_990]), None);
        // The score recovered once.
        assert_eq!(late(&[-900, 50, -31_990]), Some((1, 50, Some(10))));
        assert_eq!(late(&[-900]), None);
        // No score of an engine is that low.
        assert_eq!(late(&[10, i32::MIN]), Some((0, 10, Some(0))));
    }

    #[test]
    fn games_are_counted_by_their_loser() {
        let turn = |side: &str, score: i32| {
            format!(
                r#"{{"side":"{side}","answer":"7g7f","sent_us":0,"received_us":1,"score":{score}}}"#
            )
        };
        let line = |turns: [String; 4], end: &str| {
            format!(
                r#"{{"game":3,"opening":1,"black":"a","white":"b","result":"black","end":"{end}","words":"",
                "plies":10,"opening_plies":6,"began":"","preparing_us":0,"wall_us":0,"ponders":[0,0],
                "ponder_hits":[0,0],"record":"games/x.csa","turns":[{}]}}"#,
                turns.join(",")
            )
            .replace('\n', "")
        };
        let lost = [turn("b", 100), turn("w", -50), turn("b", 31_991), turn("w", -31_992)];
        let folder = TestFolder::new("latemates");
        let lines =
            [line(lost.clone(), "mate"), line(lost, "time_loss")].join("\n") + "\n{\"game\"";
        std::fs::write(folder.path().join("results.jsonl"), lines).unwrap();
        let mut study = LateMateStudy::new(-800);
        assert_eq!(study.add_match(folder.path()).unwrap(), 2);
        assert_eq!(study.players["a"], PlayerLosses { games: 2, lost: 0, late: 0 });
        assert_eq!(study.players["b"], PlayerLosses { games: 2, lost: 1, late: 1 });
        let found = &study.games[0];
        assert_eq!((found.ply, found.score, found.mate), (7, -50, Some(8)));
        assert!(study.add_match(&folder.path().join("none")).is_err());
        let whole = line([const { String::new() }; 4], "mate").replace(",,,", "");
        for (wrong, part) in [
            (
                "\"plies\":1000000000000",
                "line 2: plies 1000000000000: no game is longer than 65535",
            ),
            ("\"plies\":5", "line 2: opening_plies 6: the game has 5 plies"),
        ] {
            let wrong = whole.replace("\"plies\":10", wrong);
            let results = folder.path().join("results.jsonl");
            std::fs::write(&results, format!("{whole}\n{wrong}\n")).unwrap();
            let error = study.add_match(folder.path()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
