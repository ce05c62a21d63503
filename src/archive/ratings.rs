//! Bradley–Terry ratings from the results between players. Pure functions.

use std::collections::HashMap;

/// A rating with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// In Elo.
    pub elo: f64,
    /// Half the width of the 95 % interval; infinite where the results bound it on one side only.
    pub error: f64,
    /// Whether players of known rating fix the scale; else the mean of those who met is zero.
    pub is_anchored: bool,
}

/// The results between players, who are numbered from 0.
#[derive(Debug, Clone, Default)]
pub struct Pairings {
    players: usize,
    /// Points of the first player and number of games, by (lower, higher) number.
    pairs: HashMap<(usize, usize), (f64, f64)>,
}

impl Pairings {
    /// Adds a game: the points of `one` (0 to 1) against `other`. Games of a player against itself count nothing.
    pub fn add(&mut self, one: usize, other: usize, points: f64) {
        self.players = self.players.max(one + 1).max(other + 1);
        if one == other {
            return;
        }
        let (key, points) =
            if one < other { ((one, other), points) } else { ((other, one), 1.0 - points) };
        let entry = self.pairs.entry(key).or_default();
        entry.0 += points;
        entry.1 += 1.0;
    }

    /// The Bradley–Terry rating of each player; `None` for players without a game. `known` are ratings that fix the
    /// scale: the mean difference to them, weighted by games, becomes zero among all players who are connected by
    /// games.
    ///
    /// One drawn game is added for each player, spread over the player's opponents, so that a player who won every game
    /// has a finite rating too.
    pub fn ratings(&self, known: &[Option<f64>]) -> Vec<Option<Rating>> {
        let opponents = self.opponents();
        let strengths = strengths(&opponents);
        let components = self.components();
        let mut ratings = vec![None; self.players];
        for component in components {
            let errors = errors(&component, &opponents, &strengths);
            let mut shift = Mean::default();
            let mut centre = Mean::default();
            for &player in &component {
                let games: f64 = opponents[player].iter().map(|(_, _, games)| games).sum();
                let elo = strengths[player] * ELO;
                centre.add(elo, 1.0);
                if let Some(known) = known.get(player).copied().flatten() {
                    shift.add(known - elo, games);
                }
            }
            let is_anchored = shift.weight > 0.0;
            let by = if is_anchored { shift.value() } else { -centre.value() };
            for (&player, error) in component.iter().zip(errors) {
                let elo = strengths[player] * ELO + by;
                ratings[player] = Some(Rating { elo, error, is_anchored });
            }
        }
        ratings
    }

    /// The opponents of each player: number, points, games, with the added draws.
    fn opponents(&self) -> Vec<Vec<(usize, f64, f64)>> {
        let mut totals = vec![0.0; self.players];
        for (&(one, other), &(_, games)) in &self.pairs {
            totals[one] += games;
            totals[other] += games;
        }
        let mut opponents = vec![Vec::new(); self.players];
        for (&(one, other), &(points, games)) in &self.pairs {
            let added = games / totals[one] + games / totals[other];
            let (points, games) = (points + added / 2.0, games + added);
            opponents[one].push((other, points, games));
            opponents[other].push((one, games - points, games));
        }
        // A fixed order of summation makes the results reproducible to the last digit.
        for list in &mut opponents {
            list.sort_by_key(|(other, _, _)| *other);
        }
        opponents
    }

    /// The players in groups that are connected by games.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut group: Vec<usize> = (0..self.players).collect();
        let mut has_games = vec![false; self.players];
        for &(one, other) in self.pairs.keys() {
            (has_games[one], has_games[other]) = (true, true);
            let (one, other) = (root(&mut group, one), root(&mut group, other));
            group[one.max(other)] = one.min(other);
        }
        let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
        for player in (0..self.players).filter(|player| has_games[*player]) {
            groups.entry(root(&mut group, player)).or_default().push(player);
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort();
        groups
    }
}

/// The representative of this player's group.
fn root(group: &mut [usize], mut player: usize) -> usize {
    while group[player] != player {
        group[player] = group[group[player]];
        player = group[player];
    }
    player
}

/// The maximum-likelihood strengths (natural logarithm), by updating one player after the other until they converge.
fn strengths(opponents: &[Vec<(usize, f64, f64)>]) -> Vec<f64> {
    let mut strengths: Vec<f64> = vec![0.0; opponents.len()];
    for _ in 0..MOST_ROUNDS {
        let mut largest: f64 = 0.0;
        for player in 0..opponents.len() {
            let (mut slope, mut curve) = (0.0, 0.0);
            for &(other, points, games) in &opponents[player] {
                let expected = expectation(strengths[player] - strengths[other]);
                slope += points - games * expected;
                curve += games * expected * (1.0 - expected);
            }
            if curve > 0.0 {
                let step = (slope / curve).clamp(-1.0, 1.0);
                strengths[player] += step;
                largest = largest.max(step.abs());
            }
        }
        if largest < 1e-5 {
            break;
        }
    }
    strengths
}

/// The 95 % errors of the players of a group, against the mean of the group.
fn errors(
    component: &[usize],
    opponents: &[Vec<(usize, f64, f64)>],
    strengths: &[f64],
) -> Vec<f64> {
    let information = |player: usize, other: usize, games: f64| {
        let expected = expectation(strengths[player] - strengths[other]);
        games * expected * (1.0 - expected)
    };
    let size = component.len();
    if size > MOST_EXACT {
        // In a large group the errors of the opponents are neglected.
        let own = |player: &usize| {
            let sum: f64 = opponents[*player]
                .iter()
                .map(|&(other, _, n)| information(*player, other, n))
                .sum();
            1.96 * ELO / sum.sqrt()
        };
        return component.iter().map(own).collect();
    }
    let place: HashMap<usize, usize> =
        component.iter().enumerate().map(|(place, player)| (*player, place)).collect();
    // The information matrix is singular, since only differences of strengths matter. The added constant fixes their
    // mean.
    let mut matrix = vec![vec![1.0 / size as f64; size]; size];
    for (row, &player) in component.iter().enumerate() {
        for &(other, _, games) in &opponents[player] {
            let amount = information(player, other, games);
            matrix[row][row] += amount;
            matrix[row][place[&other]] -= amount;
        }
    }
    let Some(variances) = inverse_diagonal(matrix) else { return vec![f64::INFINITY; size] };
    let of_mean = 1.0 / size as f64;
    variances.iter().map(|variance| 1.96 * ELO * (variance - of_mean).max(0.0).sqrt()).collect()
}

/// The diagonal of the inverse of a symmetric positive matrix, by its Cholesky factor.
fn inverse_diagonal(mut matrix: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = matrix.len();
    for column in 0..size {
        let (above, rest) = matrix.split_at_mut(column);
        let _ = above;
        let pivot = rest[0][column] - rest[0][..column].iter().map(|x| x * x).sum::<f64>();
        if pivot <= 0.0 {
            return None;
        }
        let pivot = pivot.sqrt();
        let (first, below) = rest.split_at_mut(1);
        first[0][column] = pivot;
        for row in below {
            let dot: f64 = row[..column].iter().zip(&first[0][..column]).map(|(a, b)| a * b).sum();
            row[column] = (row[column] - dot) / pivot;
        }
    }
    // Column i of the inverse of the factor gives its sum of squares to the diagonal.
    let mut diagonal = vec![0.0; size];
    let mut solution = vec![0.0; size];
    for (column, sum) in diagonal.iter_mut().enumerate() {
        for row in column..size {
            let unit = if row == column { 1.0 } else { 0.0 };
            let dot: f64 = matrix[row][column..row]
                .iter()
                .zip(&solution[column..row])
                .map(|(a, b)| a * b)
                .sum();
            solution[row] = (unit - dot) / matrix[row][row];
            *sum += solution[row] * solution[row];
        }
    }
    Some(diagonal)
}

/// The expected points of a player whose strength is larger by this much.
pub(super) fn expectation(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

#[derive(Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weight += weight;
    }

    fn value(&self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }
}

/// Elo of one unit of strength.
pub(super) const ELO: f64 = 173.717_792_761_245_62;

const MOST_ROUNDS: usize = 2000;

/// The largest group whose errors are computed with those of all opponents.
const MOST_EXACT: usize = 600;

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64, by: f64) {
        assert!((one - other).abs() < by, "{one} {other}");
    }

    #[test]
    fn three_quarters_of_the_points_are_191_elo() {
        let mut pairings = Pairings::default();
        for game in 0..4000 {
            pairings.add(0, 1, if game % 4 == 0 { 0.0 } else { 1.0 });
        }
        let ratings = pairings.ratings(&[]);
        let [one, other] = [0, 1].map(|player| ratings[player].unwrap());
        close(one.elo - other.elo, 190.85, 0.5);
        close(one.elo + other.elo, 0.0, 1e-6);
        // Half the error of the difference: 1.96 · 173.7 / √(4000 · 3/16) = 12.43.
        close(one.error, 6.215, 0.05);
        assert!(!one.is_anchored);
    }

    #[test]
    fn a_known_rating_fixes_the_scale_of_those_who_met() {
        let mut pairings = Pairings::default();
        for (one, other, points) in [(0, 1, 1.0), (0, 1, 0.0), (1, 2, 0.5), (4, 5, 1.0)] {
            pairings.add(one, other, points);
        }
        let ratings = pairings.ratings(&[Some(2000.0)]);
        close(ratings[2].unwrap().elo, 2000.0, 0.01);
        assert!(ratings[2].unwrap().is_anchored && !ratings[4].unwrap().is_anchored);
        assert!(ratings[3].is_none());
        assert!(ratings[4].unwrap().elo > ratings[5].unwrap().elo);
        assert!(ratings[4].unwrap().elo.is_finite());
    }

    #[test]
    fn ratings_do_not_depend_on_the_order_of_the_games() {
        let games: Vec<_> =
            (0..60).map(|n| (n % 5, (n * 7 + 1) % 5, f64::from(n % 3) / 2.0)).collect();
        let of = |games: &[(i32, i32, f64)]| {
            let mut pairings = Pairings::default();
            for &(a, b, p) in games {
                pairings.add(a as usize, b as usize, p);
            }
            pairings.ratings(&[])
        };
        let mut turned = games.clone();
        turned.reverse();
        assert_eq!(of(&games), of(&turned));
    }
}
