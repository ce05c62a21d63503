//! How well the scores that the players of a match report predict the results of their games, by ply.

use std::{collections::BTreeMap, path::Path};

use serde::Serialize;

use super::super::{
    folder::{StoreError, read_lines},
    logistic::{best_unit, loss},
    outcome::{PlayedGame, half_points_of_black},
};
use kyomi_shogi::Winner;

/// Scores beyond this count as this, in centipawns.
const LARGEST_SCORE: i32 = 3000;

/// The tables of `kyomi lab calibration`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationStudy {
    /// The scores of each player, by its name.
    pub players: BTreeMap<String, PlayerScores>,
}

/// The scores of one player.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayerScores {
    /// A row for each range of plies with scores, and one for all of them.
    pub rows: Vec<ScoresAtPlies>,
}

/// The scores that a player reported within a range of plies, and the results of their games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoresAtPlies {
    /// The range; `None` for all plies.
    pub plies: Option<PlyRange>,
    /// The number of scores.
    pub scores: usize,
    /// Their mean in centipawns; scores beyond 3,000 count as 3,000.
    pub mean_score: f64,
    /// The mean number of points, 0 to 1, that the player won in the games of these scores.
    pub points: f64,
    /// The logistic unit in centipawns with which the scores predict the results best. `None` if there is none: the
    /// scores predict all results, nothing, or the opposite.
    pub unit: Option<f64>,
    /// The mean cross-entropy between the results and the scores in this unit. `None` without a unit.
    pub loss: Option<f64>,
}

/// A range of plies: numbers of moves played before the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PlyRange {
    /// The first ply.
    pub first: usize,
    /// The last ply.
    pub last: usize,
}

/// A score from the view of the player that reported it.
#[derive(Debug, Clone, Copy)]
struct Scored {
    ply: usize,
    score: f32,
    points: f32,
}

/// Reads the scores of matches.
#[derive(Debug, Default)]
pub(crate) struct CalibrationReader {
    players: BTreeMap<String, Vec<Scored>>,
}

impl CalibrationReader {
    /// Adds the games of a match that did not end by the clock, an illegal move or a fault of a program.
    ///
    /// # Errors
    /// The folder has no results, or a line of them is wrong.
    pub(crate) fn add_match(&mut self, folder: &Path) -> Result<(), StoreError> {
        read_lines(&folder.join("results.jsonl"), |game: PlayedGame| {
            game.check()?;
            self.add(&game);
            Ok(())
        })?;
        Ok(())
    }

    fn add(&mut self, game: &PlayedGame) {
        if game.result != Winner::Draw && game.end.0.is_fault() {
            return;
        }
        let black_points = f32::from(half_points_of_black(game.result)) / 2.0;
        for (at, turn) in game.turns.iter().enumerate() {
            let Some(score) = turn.score else { continue };
            let (name, points) = match turn.side {
                'b' => (&game.black, black_points),
                _ => (&game.white, 1.0 - black_points),
            };
            let score = score.clamp(-LARGEST_SCORE, LARGEST_SCORE) as f32;
            let scored = Scored { ply: game.opening_plies + at, score, points };
            self.players.entry(name.clone()).or_default().push(scored);
        }
    }

    /// The tables, with this number of plies in each row.
    pub(crate) fn finish(self, step: usize) -> CalibrationStudy {
        let players = self.players.into_iter();
        CalibrationStudy { players: players.map(|(name, all)| (name, table(&all, step))).collect() }
    }
}

fn table(all: &[Scored], step: usize) -> PlayerScores {
    let mut by_range: BTreeMap<usize, Vec<Scored>> = BTreeMap::new();
    for scored in all {
        by_range.entry(scored.ply / step).or_default().push(*scored);
    }
    let ranges = by_range.iter().map(|(number, scores)| {
        let plies = PlyRange { first: number * step, last: (number + 1) * step - 1 };
        row(Some(plies), scores)
    });
    let rows = ranges.chain((!all.is_empty()).then(|| row(None, all))).collect();
    PlayerScores { rows }
}

fn row(plies: Option<PlyRange>, scores: &[Scored]) -> ScoresAtPlies {
    let mean = |value: fn(&Scored) -> f32| {
        scores.iter().map(|scored| f64::from(value(scored))).sum::<f64>() / scores.len() as f64
    };
    let triples = scores.iter().map(|scored| (scored.score, scored.points, 1.0));
    // A negative unit means that the scores predict the opposite, a very large one that they predict nothing.
    let unit = best_unit(&triples).filter(|unit| (1.0..100_000.0).contains(unit));
    let mean_loss = |unit: f32| {
        let losses =
            scores.iter().map(|scored| f64::from(loss(scored.score / unit, scored.points)));
        losses.sum::<f64>() / scores.len() as f64
    };
    ScoresAtPlies {
        plies,
        scores: scores.len(),
        mean_score: mean(|scored| scored.score),
        points: mean(|scored| scored.points),
        unit: unit.map(f64::from),
        loss: unit.map(mean_loss),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::test_folder::TestFolder;

    #[test]
    fn scores_that_predict_the_results_have_a_small_loss() {
        let scored = |ply, score, points| Scored { ply, score, points };
        // Three quarters of the games with +600 are won, and as many of those with -600 are lost.
        let certain: Vec<_> = (0..40)
            .map(|at| {
                scored(
                    at,
                    if at % 2 == 0 { 600.0 } else { -600.0 },
                    f32::from(u8::from((at % 2 == 0) != (at % 8 < 2))),
                )
            })
            .collect();
        let table = table(&certain, 20);
        let whole = table.rows.last().unwrap();
        assert_eq!((table.rows.len(), whole.plies, whole.scores), (3, None, 40));
        assert_eq!((whole.mean_score, whole.points), (0.0, 0.5));
        // e^(600 / unit) is 3.
        assert!((whole.unit.unwrap() - 600.0 / 3.0_f64.ln()).abs() < 1.0, "{whole:?}");
        assert!((whole.loss.unwrap() - 0.5623).abs() < 1e-3, "{whole:?}");
        assert_eq!(table.rows[1].plies, Some(PlyRange { first: 20, last: 39 }));
        // These scores predict the opposite.
        let against = [scored(3, 500.0, 0.0), scored(4, -500.0, 1.0)];
        let row = row(None, &against);
        assert_eq!((row.unit, row.loss), (None, None));
    }

    #[test]
    fn games_that_end_by_the_clock_do_not_count() {
        let line = |end: &str| {
            let turns = r#"[{"side":"b","answer":"7g7f","sent_us":0,"received_us":1,"score":5000},{"side":"w","answer":"3c3d","sent_us":0,"received_us":1,"score":-40}]"#;
            format!(
                r#"{{"game":3,"opening":1,"black":"a","white":"b","result":"black","end":"{end}","words":"","plies":27,"opening_plies":25,"began":"","preparing_us":0,"wall_us":0,"ponders":[0,0],"ponder_hits":[0,0],"record":"games/x.csa","turns":{turns}}}"#
            )
        };
        let folder = TestFolder::new("calibration");
        let lines = ["resignation", "agreed_win", "time_loss"].map(line).join("\n") + "\n";
        std::fs::write(folder.path().join("results.jsonl"), lines).unwrap();
        let mut reader = CalibrationReader::default();
        reader.add_match(folder.path()).unwrap();
        assert!(reader.add_match(&folder.path().join("none")).is_err());
        let study = reader.finish(20);
        let row = |name: &str| {
            let row = &study.players[name].rows[0];
            (row.plies, row.scores, row.mean_score, row.points)
        };
        let plies = Some(PlyRange { first: 20, last: 39 });
        assert_eq!(row("a"), (plies, 2, 3000.0, 1.0));
        assert_eq!(row("b"), (plies, 2, -40.0, 0.0));
    }
}
