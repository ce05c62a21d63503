//! The counts of the finished games.
use crate::players::HelpCounts;
use kyomi_shogi::EndReason;
use std::collections::BTreeMap;

use super::{
    MatchEnd, MatchSettings, PlayedGame, Schedule,
    outcome::half_points_of_black,
    stats::{Pairs, Sprt, SprtDecision, SprtState, Wdl},
};

/// The counts of the finished games, independent of the order in which they are added. Times and nodes are as the file
/// of the match states them, so their sums saturate.
#[derive(Debug)]
pub(super) struct Tally {
    schedule: Schedule,
    names: Vec<String>,
    pub(super) games: usize,
    pub(super) pairings: Vec<PairingTally>,
    pub(super) players: Vec<PlayerTally>,
    pub(super) ends: BTreeMap<MatchEnd, u64>,
    /// The number of games by length in plies, including those of the opening.
    pub(super) lengths: BTreeMap<u64, u64>,
    /// The results from black's side.
    pub(super) black: Wdl,
    pub(super) wall_us: u64,
    pub(super) preparing_us: u64,
    pub(super) thinking_us: u64,
    /// The games that ended by a fault, with explanations, by the number of the game.
    pub(super) faults: BTreeMap<usize, (MatchEnd, String)>,
    sprt: Option<Sprt>,
    counted: Vec<bool>,
}

/// One pairing, from the first player's view.
#[derive(Debug, Clone, Default)]
pub(super) struct PairingTally {
    pub(super) players: [usize; 2],
    pub(super) wdl: Wdl,
    pub(super) with_black: Wdl,
    pub(super) with_white: Wdl,
    pub(super) pairs: Pairs,
    /// The first player's half points in both games of each pair.
    halves: BTreeMap<usize, [Option<u8>; 2]>,
    pub(super) test: Option<PairingTest>,
}

/// The state of the sequential test of a pairing.
///
/// Pairs count in the order of the schedule, each as soon as all pairs before it are finished. If pairs counted in the
/// order in which they finish, short games would come first; the test would be biased, and its end would depend on the
/// machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairingTest {
    pairs: Pairs,
    pub(super) state: SprtState,
    /// The number of pairs counted so far. No more pairs are counted after the decision.
    pub(super) counted: usize,
}

/// One player, over all its games.
#[derive(Debug, Clone, Default)]
pub(super) struct PlayerTally {
    pub(super) wdl: Wdl,
    pub(super) turns: u64,
    /// The number of turns by length in microseconds, rounded down to about a hundredth.
    pub(super) times_us: BTreeMap<u64, u64>,
    pub(super) thinking_us: u64,
    pub(super) longest_us: u64,
    /// The number of turns longer than allowed, their total and their largest excess.
    pub(super) over: u64,
    pub(super) over_us: u64,
    pub(super) most_over_us: u64,
    /// The number of turns with known nodes, their total and largest number of nodes, and their time.
    pub(super) nodes_turns: u64,
    pub(super) nodes: u64,
    pub(super) most_nodes: u64,
    pub(super) nodes_us: u64,
    pub(super) depth_turns: u64,
    pub(super) depth: u64,
    pub(super) ponders: u64,
    pub(super) ponder_hits: u64,
    /// The number of games with counts of its workers, and the sums.
    pub(super) helped_games: u64,
    pub(super) help: HelpCounts,
    pub(super) time_losses: u64,
    pub(super) crashes: u64,
    pub(super) illegal: u64,
}

impl Tally {
    pub(super) fn new(settings: &MatchSettings) -> Self {
        let schedule = settings.schedule();
        let pairing = |players: &[usize; 2]| PairingTally {
            players: *players,
            test: settings.sprt.map(|sprt| PairingTest {
                pairs: Pairs::default(),
                state: sprt.state(&Pairs::default()),
                counted: 0,
            }),
            ..PairingTally::default()
        };
        Self {
            names: settings.players.iter().map(|player| player.name.clone()).collect(),
            games: 0,
            pairings: schedule.pairings().iter().map(pairing).collect(),
            players: vec![PlayerTally::default(); settings.players.len()],
            ends: BTreeMap::new(),
            lengths: BTreeMap::new(),
            black: Wdl::default(),
            wall_us: 0,
            preparing_us: 0,
            thinking_us: 0,
            faults: BTreeMap::new(),
            sprt: settings.sprt,
            counted: vec![false; schedule.games()],
            schedule,
        }
    }

    /// Whether a game has been counted.
    pub(super) fn has(&self, game: usize) -> bool {
        self.counted.get(game).copied().unwrap_or(false)
    }

    /// Whether the sequential test is over.
    pub(super) fn is_decided(&self) -> bool {
        self.pairings.iter().any(|pairing| {
            pairing.test.is_some_and(|test| test.state.decision != SprtDecision::Open)
        })
    }

    /// Counts a game. Returns false if the game was counted before or does not belong to this match.
    pub(super) fn add(&mut self, game: &PlayedGame) -> bool {
        let Some(number) = game.game.checked_sub(1) else { return false };
        let Some(counted) = self.counted.get_mut(number) else { return false };
        let round = self.schedule.round(number);
        let [black, white] = round.players;
        if *counted || self.names[black] != game.black || self.names[white] != game.white {
            return false;
        }
        *counted = true;
        self.games += 1;
        let half_points = half_points_of_black(game.result);
        self.black.add(half_points);
        *self.ends.entry(game.end.clone()).or_default() += 1;
        *self.lengths.entry(game.plies as u64).or_default() += 1;
        self.wall_us = self.wall_us.saturating_add(game.wall_us);
        self.preparing_us = self.preparing_us.saturating_add(game.preparing_us);
        if game.end.0.is_fault() {
            self.faults.insert(number, (game.end.clone(), game.words.clone()));
        }

        self.players[black].wdl.add(half_points);
        self.players[white].wdl.add(2 - half_points);
        for (side, player) in [('b', black), ('w', white)] {
            let player = &mut self.players[player];
            for turn in game.turns.iter().filter(|turn| turn.side == side) {
                player.add(turn);
                self.thinking_us = self.thinking_us.saturating_add(turn.took_us());
            }
        }
        for (side, player) in [(0, black), (1, white)] {
            self.players[player].ponders += u64::from(game.ponders[side]);
            self.players[player].ponder_hits += u64::from(game.ponder_hits[side]);
            if let Some(help) = &game.help[side] {
                self.players[player].helped_games += 1;
                self.players[player].help.add(help);
            }
        }
        // A fault is always committed by the side that lost.
        let loser = if half_points == 2 { white } else { black };
        let loser = &mut self.players[loser];
        match &game.end.0 {
            EndReason::TimeUp => loser.time_losses += 1,
            EndReason::Crash => loser.crashes += 1,
            EndReason::IllegalMove | EndReason::WrongDeclaration => loser.illegal += 1,
            _ => {}
        }
        let first_has_black = number.is_multiple_of(2);
        let pairing = &mut self.pairings[round.pairing];
        pairing.add(round.opening, first_has_black, half_points, self.sprt.as_ref());
        true
    }
}

impl PairingTally {
    fn add(&mut self, pair: usize, first_has_black: bool, black: u8, sprt: Option<&Sprt>) {
        let half_points = if first_has_black { black } else { 2 - black };
        self.wdl.add(half_points);
        let by_color = if first_has_black { &mut self.with_black } else { &mut self.with_white };
        by_color.add(half_points);
        let halves = self.halves.entry(pair).or_default();
        halves[usize::from(!first_has_black)] = Some(half_points);
        if let [Some(one), Some(other)] = *halves {
            self.pairs.add(one + other);
            self.update_test(sprt);
        }
    }

    fn update_test(&mut self, sprt: Option<&Sprt>) {
        let (Some(sprt), Some(test)) = (sprt, &mut self.test) else { return };
        while test.state.decision == SprtDecision::Open
            && let Some([Some(one), Some(other)]) = self.halves.get(&test.counted)
        {
            test.pairs.add(one + other);
            test.counted += 1;
            test.state = sprt.state(&test.pairs);
        }
    }
}

impl PlayerTally {
    fn add(&mut self, turn: &super::Turn) {
        let took = turn.took_us();
        self.turns += 1;
        *self.times_us.entry(round_down(took)).or_default() += 1;
        self.thinking_us = self.thinking_us.saturating_add(took);
        self.longest_us = self.longest_us.max(took);
        if let Some(over) = turn.over_us {
            self.over += 1;
            self.over_us = self.over_us.saturating_add(over);
            self.most_over_us = self.most_over_us.max(over);
        }
        if let Some(nodes) = turn.nodes {
            self.nodes_turns += 1;
            self.nodes = self.nodes.saturating_add(nodes);
            self.most_nodes = self.most_nodes.max(nodes);
            self.nodes_us = self.nodes_us.saturating_add(took);
        }
        if let Some(depth) = turn.depth {
            self.depth_turns += 1;
            self.depth += u64::from(depth);
        }
    }

    /// The percentile of the turns' lengths for this share, in microseconds, to about a hundredth.
    pub(super) fn percentile_us(&self, share: f64) -> u64 {
        let rank = (self.turns as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (time, count) in &self.times_us {
            seen += count;
            if seen >= rank {
                return *time;
            }
        }
        0
    }
}

/// A time rounded down to a few significant bits, so that the number of different values stays small.
fn round_down(time: u64) -> u64 {
    let shift = (u64::BITS - time.leading_zeros()).saturating_sub(KEPT_BITS);
    time >> shift << shift
}

/// The number of significant bits; seven bits are a precision of about a hundredth.
const KEPT_BITS: u32 = 7;

#[cfg(test)]
mod tests;
