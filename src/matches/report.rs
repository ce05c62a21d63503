//! The report of a match, as text and as JSON.
use std::fmt;

use serde::Serialize;

use crate::players::MoveLimit;

use super::{
    Contestant, HelpReport, MatchControl, MatchEnd, MatchSettings,
    histogram::Histogram,
    stats::{Estimate, Pairs, SprtDecision, SprtState, Wdl, p_better},
    tally::{PairingTally, PlayerTally, Tally},
};

/// The report of a match. Its `Display` text is for people, its JSON for programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The number of finished games.
    pub games: usize,
    /// The number of games of the whole match.
    pub planned: usize,
    /// The source of the openings.
    pub openings: String,
    /// The number of openings.
    pub openings_count: usize,
    /// The seed of the order of the openings.
    pub seed: u64,
    /// The pairings.
    pub pairings: Vec<PairingReport>,
    /// The players.
    pub players: Vec<PlayerReport>,
    /// The number of games for each kind of end.
    pub ends: Vec<(MatchEnd, u64)>,
    /// Results from black's side.
    pub black: Wdl,
    /// The mean length of a game in plies, including those of the opening.
    pub mean_plies: f64,
    /// The number of games by length in plies: `(least length of the bin, count)`.
    pub lengths: Vec<(u64, u64)>,
    /// The use of time.
    pub time: TimeReport,
    /// Games that ended by a fault, with explanations.
    pub faults: Vec<FaultReport>,
    /// Messages about the players.
    pub notes: Vec<String>,
}

/// One pairing, from the first player's view.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairingReport {
    /// The first player.
    pub first: String,
    /// The second player.
    pub second: String,
    /// The results of all games.
    pub wdl: Wdl,
    /// The results of the games in which the first player had black.
    pub with_black: Wdl,
    /// The results of the games in which the first player had white.
    pub with_white: Wdl,
    /// The number of pairs of games that scored 0, ½, 1, 1½ and 2 points.
    pub pairs: Pairs,
    /// Elo and related estimates; absent before the first game.
    pub estimate: Option<Estimate>,
    /// The probability, given the decided games, that the first player wins more of them (the table of *Negative
    /// Plausibility*).
    pub p_better: f64,
    /// The sequential test.
    pub sprt: Option<SprtReport>,
}

/// The state or the result of a sequential test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SprtReport {
    /// Its hypotheses and risks.
    pub test: String,
    /// Its current state.
    #[serde(flatten)]
    pub state: SprtState,
    /// The number of pairs that the test counted, in the order of the schedule.
    pub pairs: usize,
}

/// One player, over all its games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayerReport {
    /// Its name.
    pub name: String,
    /// Its definition.
    pub text: String,
    /// Its clock or limit.
    pub control: String,
    /// The results of all its games.
    pub wdl: Wdl,
    /// The number of its turns.
    pub moves: u64,
    /// The mean length of a turn in milliseconds.
    pub mean_ms: f64,
    /// The median length of a turn in milliseconds.
    pub median_ms: f64,
    /// The 95th percentile of the length of a turn, in milliseconds.
    pub p95_ms: f64,
    /// The length of the longest turn, in milliseconds.
    pub longest_ms: f64,
    /// The number of turns by length in microseconds: `(least length of the bin, count)`.
    pub times_us: Vec<(u64, u64)>,
    /// The number of turns longer than allowed.
    pub over: u64,
    /// The mean excess of these turns, in milliseconds.
    pub mean_over_ms: f64,
    /// The largest excess, in milliseconds.
    pub most_over_ms: f64,
    /// The mean number of nodes in a turn, as reported by the player; absent if not reported.
    pub nodes: Option<f64>,
    /// The largest number of nodes in a turn.
    pub most_nodes: u64,
    /// Nodes per second, by the referee's clock.
    pub nps: Option<f64>,
    /// The mean depth in plies.
    pub depth: Option<f64>,
    /// A comparison of its limit with its use, if it has no clock.
    pub kept: Option<String>,
    /// The number of moves it pondered on.
    pub ponders: u64,
    /// The number of these moves that were played.
    pub ponder_hits: u64,
    /// What its workers did; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<HelpReport>,
    /// The number of games lost on time.
    pub time_losses: u64,
    /// The number of games lost by failures of the player.
    pub crashes: u64,
    /// The number of games lost by illegal moves and wrong declarations.
    pub illegal_moves: u64,
}

/// The use of the time of all games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeReport {
    /// The total time of all games in seconds, including the players' preparations.
    pub seconds: f64,
    /// The share of time in which players were thinking in their turns.
    pub thinking: f64,
    /// The share of time in which players started or prepared.
    pub preparing: f64,
    /// The rest: the overhead of the match program.
    pub runner: f64,
}

/// A game that ended by a fault.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FaultReport {
    /// The number of the game, from 1.
    pub game: usize,
    /// The kind of end.
    pub end: MatchEnd,
    /// An explanation, with the clocks.
    pub words: String,
}

impl Report {
    pub(super) fn new(settings: &MatchSettings, tally: &Tally, notes: &[String]) -> Self {
        let lengths: Vec<(u64, u64)> = tally.lengths.iter().map(|(k, v)| (*k, *v)).collect();
        let plies: u64 = lengths.iter().map(|(length, count)| length * count).sum();
        let wall = tally.wall_us.max(1) as f64;
        let share = |part: u64| part as f64 / wall;
        let rest =
            tally.wall_us.saturating_sub(tally.thinking_us).saturating_sub(tally.preparing_us);
        Self {
            games: tally.games,
            planned: settings.schedule().games(),
            openings: settings.openings_name.clone(),
            openings_count: settings.openings.len(),
            seed: settings.seed,
            pairings: tally
                .pairings
                .iter()
                .map(|pairing| PairingReport::new(settings, pairing))
                .collect(),
            players: settings
                .players
                .iter()
                .zip(&tally.players)
                .map(|(player, tally)| PlayerReport::new(player, tally))
                .collect(),
            ends: tally.ends.iter().map(|(end, count)| (end.clone(), *count)).collect(),
            black: tally.black,
            mean_plies: plies as f64 / tally.games.max(1) as f64,
            lengths: Histogram::linear(&lengths, LENGTH_BIN).bins,
            time: TimeReport {
                seconds: tally.wall_us as f64 / 1e6,
                thinking: share(tally.thinking_us),
                preparing: share(tally.preparing_us),
                runner: share(rest),
            },
            faults: tally
                .faults
                .iter()
                .map(|(game, (end, words))| FaultReport {
                    game: game + 1,
                    end: end.clone(),
                    words: words.clone(),
                })
                .collect(),
            notes: notes.to_vec(),
        }
    }
}

impl PairingReport {
    fn new(settings: &MatchSettings, tally: &PairingTally) -> Self {
        let name = |player: usize| settings.players[player].name.clone();
        let sprt = settings.sprt.zip(tally.test).map(|(sprt, test)| SprtReport {
            test: sprt.to_string(),
            state: test.state,
            pairs: test.counted,
        });
        Self {
            first: name(tally.players[0]),
            second: name(tally.players[1]),
            wdl: tally.wdl,
            with_black: tally.with_black,
            with_white: tally.with_white,
            pairs: tally.pairs,
            estimate: Estimate::new_from(&tally.pairs, &tally.wdl),
            p_better: p_better(tally.wdl.wins, tally.wdl.losses),
            sprt,
        }
    }
}

impl PlayerReport {
    fn new(player: &Contestant, tally: &PlayerTally) -> Self {
        let mean = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
        let some = |sum: u64, count: u64| (count > 0).then(|| mean(sum, count));
        let times: Vec<(u64, u64)> = tally.times_us.iter().map(|(k, v)| (*k, *v)).collect();
        let nodes = some(tally.nodes, tally.nodes_turns);
        let depth = some(tally.depth, tally.depth_turns);
        Self {
            name: player.name.clone(),
            text: player.text.clone(),
            control: player.control.to_string(),
            wdl: tally.wdl,
            moves: tally.turns,
            mean_ms: mean(tally.thinking_us, tally.turns) / 1e3,
            median_ms: tally.percentile_us(0.5) as f64 / 1e3,
            p95_ms: tally.percentile_us(0.95) as f64 / 1e3,
            longest_ms: tally.longest_us as f64 / 1e3,
            times_us: Histogram::doubling(&times).bins,
            over: tally.over,
            mean_over_ms: mean(tally.over_us, tally.over) / 1e3,
            most_over_ms: tally.most_over_us as f64 / 1e3,
            nodes,
            most_nodes: tally.most_nodes,
            nps: some(tally.nodes, tally.nodes_us).map(|per_us| per_us * 1e6),
            depth,
            kept: kept(player, tally, nodes, depth),
            ponders: tally.ponders,
            ponder_hits: tally.ponder_hits,
            help: HelpReport::new(tally.helped_games, &tally.help),
            time_losses: tally.time_losses,
            crashes: tally.crashes,
            illegal_moves: tally.illegal,
        }
    }
}

/// Compares the limit of a player with its use.
fn kept(
    player: &Contestant,
    tally: &PlayerTally,
    nodes: Option<f64>,
    depth: Option<f64>,
) -> Option<String> {
    let MatchControl::Each(limit) = player.control else { return None };
    if player.kind() == "random" || tally.turns == 0 {
        return None;
    }
    Some(match limit {
        MoveLimit::Nodes(limit) => match nodes {
            None => format!("limit of {limit} nodes; it does not report its nodes"),
            Some(mean) if mean > limit as f64 * TOLERANCE => {
                format!("limit of {limit} nodes, {mean:.0} used on average: not kept")
            }
            Some(mean) => format!("limit of {limit} nodes, {mean:.0} used on average: kept"),
        },
        MoveLimit::Depth(limit) => match depth {
            None => format!("limit of depth {limit}; it does not report its depth"),
            Some(mean) if mean > f64::from(limit) * TOLERANCE => {
                format!("limit of depth {limit}, {mean:.1} reached on average: not kept")
            }
            Some(mean) => format!("limit of depth {limit}, {mean:.1} reached on average"),
        },
        MoveLimit::Time(_) => {
            let share = 100.0 * tally.over as f64 / tally.turns as f64;
            format!("longer than {} in {share:.1} % of its moves", player.control)
        }
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, planned, openings, openings_count, seed, .. } = self;
        writeln!(
            f,
            "{games} of {planned} games; openings: {openings} ({openings_count}), seed {seed}"
        )?;
        if self.pairings.len() > 1 {
            self.standings(f)?;
        }
        for pairing in &self.pairings {
            writeln!(f)?;
            pairing.fmt(f)?;
        }
        writeln!(f)?;
        let ends: Vec<String> =
            self.ends.iter().map(|(end, count)| format!("{} {count}", end.0.words())).collect();
        writeln!(f, "ends: {}", ends.join(", "))?;
        writeln!(f, "black: {}", in_words(&self.black))?;
        writeln!(f, "length: {:.1} plies on average", self.mean_plies)?;
        lines(f, &self.lengths, "plies")?;
        for player in &self.players {
            writeln!(f)?;
            player.fmt(f)?;
        }
        writeln!(f)?;
        let TimeReport { seconds, thinking, preparing, runner } = self.time;
        writeln!(
            f,
            "time: {seconds:.1} s of games: players thinking {:.2} %, preparing {:.2} %, overhead {:.2} %",
            thinking * 100.0,
            preparing * 100.0,
            runner * 100.0
        )?;
        for fault in self.faults.iter().take(SHOWN_FAULTS) {
            writeln!(f, "game {} ({}): {}", fault.game, fault.end.0.words(), fault.words)?;
        }
        if self.faults.len() > SHOWN_FAULTS {
            writeln!(f, "and {} more in report.json", self.faults.len() - SHOWN_FAULTS)?;
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}

impl Report {
    /// Whether a sequential test ended the match.
    pub fn is_decided(&self) -> bool {
        let tests = self.pairings.iter().filter_map(|pairing| pairing.sprt.as_ref());
        tests.into_iter().any(|test| test.state.decision != SprtDecision::Open)
    }

    fn standings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut players: Vec<&PlayerReport> = self.players.iter().collect();
        players.sort_by(|a, b| b.wdl.score().total_cmp(&a.wdl.score()));
        writeln!(f)?;
        let width = players.iter().map(|player| player.name.chars().count()).max().unwrap_or(0);
        for (player, place) in players.iter().zip(1..) {
            let pad = " ".repeat(width.saturating_sub(player.name.chars().count()));
            writeln!(f, "{place:>3}  {}{pad}  {}", player.name, in_words(&player.wdl))?;
        }
        Ok(())
    }
}

impl fmt::Display for PairingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, wdl, with_black, with_white, pairs, .. } = self;
        writeln!(f, "{first} against {second}: {}", in_words(wdl))?;
        writeln!(f, "  with black: {}", in_words(with_black))?;
        writeln!(f, "  with white: {}", in_words(with_white))?;
        let pairs = pairs.0.map(|count| count.to_string()).join(", ");
        writeln!(f, "  pairs with 0, ½, 1, 1½, 2 points: {pairs}")?;
        if let Some(estimate) = &self.estimate {
            let Estimate { los, samples, basis, .. } = estimate;
            let basis = match basis {
                super::stats::Basis::Pairs => "pairs",
                super::stats::Basis::Games => "single games",
            };
            writeln!(
                f,
                "  Elo {}, normalised {} (95 %, {samples} {basis})",
                estimate.elo_text(),
                estimate.nelo_text()
            )?;
            writeln!(
                f,
                "  likelihood of superiority {:.2} %; by the decided games alone {:.2} %",
                los * 100.0,
                self.p_better * 100.0
            )?;
        }
        if let Some(SprtReport { test, state, pairs }) = &self.sprt {
            let SprtState { llr, lower, upper, decision } = state;
            let verdict = match decision {
                SprtDecision::Open => "open",
                SprtDecision::H0 => "elo0 accepted: not better",
                SprtDecision::H1 => "elo1 accepted: better",
            };
            writeln!(
                f,
                "  SPRT {test}: LLR {llr:.3} ({lower:.3}, {upper:.3}) after {pairs} pairs: {verdict}"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for PlayerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, text, control, moves, mean_ms, median_ms, p95_ms, longest_ms, .. } = self;
        writeln!(f, "{name}: {text} ({control})")?;
        writeln!(
            f,
            "  {moves} moves, {mean_ms:.2} ms on average (half within {median_ms:.2} ms, 95 % within \
             {p95_ms:.2} ms, longest {longest_ms:.1} ms)"
        )?;
        if let Some(nodes) = self.nodes {
            let nps = self.nps.unwrap_or_default();
            write!(f, "  {nodes:.0} nodes a move, at most {}, {nps:.0} a second", self.most_nodes)?;
            match self.depth {
                Some(depth) => writeln!(f, ", depth {depth:.1}")?,
                None => writeln!(f)?,
            }
        }
        if let Some(kept) = &self.kept {
            writeln!(f, "  {kept}")?;
        }
        if self.over > 0 {
            writeln!(
                f,
                "  over its time in {} moves, by {:.1} ms on average, {:.1} ms at most",
                self.over, self.mean_over_ms, self.most_over_ms
            )?;
        }
        if self.ponders > 0 {
            let share = 100.0 * self.ponder_hits as f64 / self.ponders as f64;
            writeln!(f, "  pondered on {} moves, {share:.1} % of them were played", self.ponders)?;
        }
        if let Some(help) = &self.help {
            help.fmt(f)?;
        }
        writeln!(
            f,
            "  lost on time {}, by crashes {}, by illegal moves {}",
            self.time_losses, self.crashes, self.illegal_moves
        )?;
        lines(f, &self.times_us, "µs")
    }
}

fn lines(f: &mut fmt::Formatter<'_>, bins: &[(u64, u64)], unit: &str) -> fmt::Result {
    let histogram = Histogram { bins: bins.to_vec() };
    histogram.lines(unit).iter().try_for_each(|line| writeln!(f, "{line}"))
}

fn in_words(wdl: &Wdl) -> String {
    let Wdl { wins, draws, losses } = wdl;
    format!("+{wins} ={draws} -{losses}, {:.1} % of {}", wdl.score() * 100.0, wdl.games())
}

/// The width of a bin of the lengths, in plies.
const LENGTH_BIN: u64 = 20;

/// A limit counts as kept if it is exceeded by no more than a tenth.
const TOLERANCE: f64 = 1.1;

/// The largest number of faults in the text. The JSON has all of them.
const SHOWN_FAULTS: usize = 20;
