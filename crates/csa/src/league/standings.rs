//! Scores and tie-breaks.
//!
//! A win is one point, a draw half a point; a win by forfeit is one point, and so is a bye in a Swiss event. Players
//! with equal points are ranked by these, in this order:
//!
//! 1. Buchholz: the sum of the points of all opponents met.
//! 2. Sonneborn-Berger: the points of the opponents beaten and half of those drawn with.
//! 3. Direct encounter: the points from the games among those who are still equal.
//!
//! Byes and forfeits count for none of these three. Players who are equal in all have the same rank.

use super::state::{EventState, GameResult};

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The rank, from 1.
    pub rank: usize,
    /// The player, by its index.
    pub player: usize,
    /// Half points.
    pub score: u32,
    /// Games won, drawn and lost, forfeits included, byes not.
    pub games: [u32; 3],
    /// Byes.
    pub byes: u32,
    /// Buchholz, in half points.
    pub buchholz: u32,
    /// Sonneborn-Berger, in quarter points.
    pub sonneborn_berger: u32,
    /// Direct encounter, in half points.
    pub direct: u32,
}

/// The table after the games so far, the first one first.
pub fn standings(state: &EventState) -> Vec<Row> {
    let players = state.players.len();
    let new = |player| Row {
        rank: 0,
        player,
        score: 0,
        games: [0; 3],
        byes: 0,
        buchholz: 0,
        sonneborn_berger: 0,
        direct: 0,
    };
    let mut rows: Vec<Row> = (0..players).map(new).collect();
    // Games played: player, opponent, half points.
    let mut played: Vec<(usize, usize, u32)> = Vec::new();
    for round in &state.rounds {
        if let Some(row) = round.bye.and_then(|bye| rows.get_mut(bye)) {
            row.score += 2;
            row.byes += 1;
        }
        for game in &round.games {
            let Some(result) = game.result else { continue };
            let points = result.half_points();
            for (side, &player) in game.players.iter().enumerate() {
                let Some(row) = rows.get_mut(player) else { continue };
                row.score += points[side];
                row.games[column(result, points[side])] += 1;
                if result.is_played() {
                    played.push((player, game.players[1 - side], points[side]));
                }
            }
        }
    }
    let scores: Vec<u32> = rows.iter().map(|row| row.score).collect();
    for (player, rival, points) in &played {
        rows[*player].buchholz += scores[*rival];
        // Half points times half points: a win counts the rival's score twice.
        rows[*player].sonneborn_berger += scores[*rival] * points;
    }
    let key = |row: &Row| (row.score, row.buchholz, row.sonneborn_berger);
    let keys: Vec<_> = rows.iter().map(key).collect();
    for (player, rival, points) in &played {
        if keys[*player] == keys[*rival] {
            rows[*player].direct += points;
        }
    }
    rows.sort_by_key(|row| {
        std::cmp::Reverse((row.score, row.buchholz, row.sonneborn_berger, row.direct))
    });
    for place in 0..rows.len() {
        let equals_last = place > 0
            && key(&rows[place - 1]) == key(&rows[place])
            && rows[place - 1].direct == rows[place].direct;
        rows[place].rank = if equals_last { rows[place - 1].rank } else { place + 1 };
    }
    rows
}

/// The column of won, drawn, lost.
fn column(result: GameResult, points: u32) -> usize {
    match (result, points) {
        (GameResult::Draw, _) => 1,
        (_, 2) => 0,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::state::{PairedGame, Round};
    use super::*;

    /// The games of a round as black, white, result; and who has a bye.
    type Played<'a> = (&'a [(usize, usize, GameResult)], Option<usize>);

    fn state(players: usize, rounds: &[Played<'_>]) -> EventState {
        let round = |(games, bye): &Played<'_>| Round {
            began: Timestamp::UNIX_EPOCH,
            ended: Some(Timestamp::UNIX_EPOCH),
            games: games
                .iter()
                .map(|&(black, white, result)| PairedGame {
                    players: [black, white],
                    result: Some(result),
                    reason: None,
                    game_id: None,
                })
                .collect(),
            bye: *bye,
        };
        EventState {
            version: 1,
            event: "x".to_owned(),
            players: (0..players).map(|it| format!("p{it}")).collect(),
            rounds: rounds.iter().map(round).collect(),
        }
    }

    #[test]
    fn points_and_tie_breaks_are_counted() {
        // p0 beats p1 and p2; p1 beats p2 and draws with p3; p3 has a bye.
        let rounds: [Played<'_>; 3] = [
            (&[(0, 1, GameResult::Black)], Some(3)),
            (&[(2, 0, GameResult::White), (1, 3, GameResult::Draw)], None),
            (&[(1, 2, GameResult::Black), (3, 0, GameResult::WhiteByForfeit)], None),
        ];
        let rows = standings(&state(4, &rounds));
        let row = |player: usize| rows.iter().find(|row| row.player == player).unwrap();
        assert_eq!((row(0).score, row(0).games), (6, [3, 0, 0]));
        assert_eq!((row(1).score, row(1).games), (3, [1, 1, 1]));
        assert_eq!((row(3).score, row(3).games, row(3).byes), (3, [0, 1, 1], 1));
        // The game by forfeit counts for no tie-break: p0 met p1 (3) and p2 (0).
        assert_eq!((row(0).buchholz, row(0).sonneborn_berger), (3, 6));
        assert_eq!((row(1).buchholz, row(3).buchholz), (9, 3));
        let order: Vec<_> = rows.iter().map(|row| (row.rank, row.player)).collect();
        assert_eq!(order, [(1, 0), (2, 1), (3, 3), (4, 2)]);
    }

    #[test]
    fn equal_players_share_a_rank_unless_they_have_met() {
        let rounds: [Played<'_>; 1] =
            [(&[(0, 1, GameResult::Draw), (2, 3, GameResult::Draw)], None)];
        let ranks: Vec<_> = standings(&state(4, &rounds)).iter().map(|row| row.rank).collect();
        assert_eq!(ranks, [1, 1, 1, 1]);
        // A circle of wins, and one pair among equals.
        let rounds: [Played<'_>; 2] = [
            (&[(0, 2, GameResult::White), (1, 3, GameResult::White)], None),
            (&[(0, 3, GameResult::Black), (1, 2, GameResult::Black)], None),
        ];
        let rows = standings(&state(4, &rounds));
        assert!(rows.iter().all(|row| row.score == 2));
        assert!(rows.iter().all(|row| row.direct == 2 && row.rank == 1), "{rows:?}");
    }
}
