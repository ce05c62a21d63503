//! Builds a book from games.

use std::collections::BTreeMap;

use kyomi_shogi::{Color, Move, Position, Winner};

use super::{BookEntry, BookMove, BookTable, combine, entry::key_of};

/// Selects the games and moves that enter the book.
#[derive(Debug, Clone, Copy)]
pub struct BuildRules {
    /// The number of the last move of a game that is counted.
    pub max_ply: u32,
    /// The least number of games of a move.
    pub min_games: u32,
    /// The least share of a move among the games of its position, in percent.
    pub min_share: u32,
    /// Count only moves of the side that won or drew.
    pub not_lost: bool,
    /// The least score of a move, in percent of the games that have a result, draws as halves.
    pub min_score: u32,
}

impl Default for BuildRules {
    fn default() -> Self {
        Self { max_ply: 40, min_games: 2, min_share: 0, not_lost: false, min_score: 0 }
    }
}

/// Counts the moves of games.
#[derive(Debug, Clone)]
pub struct BookBuilder {
    rules: BuildRules,
    positions: BTreeMap<Box<str>, Moves>,
    games: usize,
}

#[derive(Debug, Clone)]
struct Moves {
    ply: u16,
    moves: BTreeMap<u16, Tally>,
}

/// The games of one move.
#[derive(Debug, Clone)]
struct Tally {
    mv: Move,
    games: u32,
    /// Games with a result, and twice the points of the side that made the move.
    decided: u32,
    half_points: u32,
    replies: BTreeMap<u16, (u32, Move)>,
}

impl BookBuilder {
    /// Nothing is counted yet.
    pub fn new(rules: BuildRules) -> Self {
        Self { rules, positions: BTreeMap::new(), games: 0 }
    }

    /// Counts a game: its start, its moves, which must be legal, and who won. A position that occurs twice in it is
    /// counted at the first time.
    pub fn add(&mut self, start: &Position, moves: &[Move], winner: Option<Winner>) {
        self.games += 1;
        let mut position = start.clone();
        let mut seen: Vec<u64> = Vec::new();
        for (number, &mv) in moves.iter().enumerate() {
            if u32::from(position.ply()) > self.rules.max_ply {
                break;
            }
            let side = position.side_to_move();
            if !seen.contains(&position.key()) && self.takes(side, winner) {
                seen.push(position.key());
                self.count(&position, mv, moves.get(number + 1).copied(), side, winner);
            }
            position.do_move(mv);
        }
    }

    fn takes(&self, side: Color, winner: Option<Winner>) -> bool {
        !self.rules.not_lost
            || matches!(winner, Some(Winner::Draw))
            || winner == Some(Winner::Side(side))
    }

    fn count(
        &mut self,
        position: &Position,
        mv: Move,
        reply: Option<Move>,
        side: Color,
        winner: Option<Winner>,
    ) {
        let ply = position.ply();
        let known = self
            .positions
            .entry(key_of(position))
            .or_insert_with(|| Moves { ply, moves: BTreeMap::new() });
        known.ply = known.ply.min(ply);
        let tally = known.moves.entry(mv.to_bits()).or_insert_with(|| Tally {
            mv,
            games: 0,
            decided: 0,
            half_points: 0,
            replies: BTreeMap::new(),
        });
        tally.games = tally.games.saturating_add(1);
        if let Some(winner) = winner {
            tally.decided = tally.decided.saturating_add(1);
            tally.half_points = tally.half_points.saturating_add(match winner {
                Winner::Draw => 1,
                Winner::Side(won) if won == side => 2,
                Winner::Side(_) => 0,
            });
        }
        if let Some(reply) = reply {
            tally.replies.entry(reply.to_bits()).or_insert((0, reply)).0 += 1;
        }
    }

    /// The number of games that were counted.
    pub const fn games(&self) -> usize {
        self.games
    }

    /// The book: each move with the number of its games, the most frequent reply, and a score from the results of the
    /// side that made it. The depth is 0, since nothing was searched.
    pub fn finish(self) -> BookTable {
        let rules = self.rules;
        let entry = |(sfen, known): (Box<str>, Moves)| {
            let all: u64 = known.moves.values().map(|it| u64::from(it.games)).sum();
            let stays = |it: &&Tally| {
                it.games >= rules.min_games
                    && u64::from(it.games) * 100 >= all * u64::from(rules.min_share)
                    && u64::from(it.half_points) * 50
                        >= u64::from(it.decided) * u64::from(rules.min_score)
            };
            let moves = known.moves.values().filter(stays).map(Tally::book_move).collect();
            BookEntry { sfen, ply: known.ply, moves: combine(moves), comments: Vec::new() }
        };
        let entries = self.positions.into_iter().map(entry);
        BookTable::new(entries.filter(|entry| !entry.moves.is_empty()).collect())
    }
}

impl Tally {
    fn book_move(&self) -> BookMove {
        // The smallest of the most frequent replies.
        let frequent = |it: &&(u32, Move)| (it.0, std::cmp::Reverse(it.1.to_bits()));
        BookMove {
            mv: self.mv,
            reply: self.replies.values().max_by_key(frequent).map(|it| it.1),
            score: Some(self.score()),
            depth: Some(0),
            count: u64::from(self.games),
        }
    }

    /// The share of points in centipawns. [`PRIOR_DRAWS`] drawn games are added, so a score from few games is near 0.
    fn score(&self) -> i32 {
        let points = f64::from(self.half_points) / 2.0 + PRIOR_DRAWS / 2.0;
        let share = points / (f64::from(self.decided) + PRIOR_DRAWS);
        (SCALE * (share / (1.0 - share)).ln()).round() as i32
    }
}

/// The number of drawn games that are added to those of each move.
const PRIOR_DRAWS: f64 = 20.0;

/// Centipawns for which the odds to win grow by the factor e, as engines report scores.
const SCALE: f64 = 600.0;
