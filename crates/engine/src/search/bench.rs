//! A benchmark with fixed positions. A different number of nodes means that the search has changed; the time shows its
//! speed.

use std::time::{Duration, Instant};

use super::node_count::per_second;
use super::{Parameters, Score, SearchLimits, SearchOptions, Searcher, SearcherError, StopFlag};
use crate::eval::Evaluation;
use kyomi_shogi::{Game, Move, Position};

/// The default nominal depth of each search.
pub const DEPTH: u32 = 11;

/// Openings, castles, middle games, endgames with many drops, checks, an entering king.
pub const POSITIONS: [&str; 16] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgk1snl/1r4gb1/p1pppp1pp/1p4p2/9/2P4P1/PP1PPPP1P/1B1S3R1/LN1GKGSNL b - 1",
    "ln1g1k1nl/1r4gb1/p1spppspp/2p3p2/1p7/2P2PP2/PPSPPS2P/1BG4R1/LN2KG1NL w P 1",
    "ln1gr2nl/1ks3g2/1pp2pbpp/p2p1sp2/4p2P1/P1PS1SP2/1PBPPPN1P/2KG3R1/LN1G4L w - 1",
    "lr5nl/3gk1g2/2n1p1sp1/2pPs1p1p/P6P1/1SPpSPP1P/pP2P1N2/1KG2G3/LN5RL w BPbp 1",
    "ln1g3nl/1bk4r1/3p1ss1p/pppspp1p1/6R2/P1PG1P3/1P1PP3P/1BK1G4/LNS5L b G3Pn 1",
    "lnr3knl/1b1s1sg2/1G1p1g1p1/p1P1p1p1p/3P1p3/PS2PSPP1/1P1K1P2P/1B5R1/LN1G4L w 2Pn 1",
    "l1r3knl/1Psg2g2/2n1p1sp1/p2P1pp1p/4B4/PG6P/4PP3/1p1KG2R1/LN5NL b BS2Ps3p 1",
    "l4S1n1/1r4gk1/2N1Bp1pl/p3p1p1p/2p2N3/PP2G1P1P/1S1P5/2G6/L2K3+bL w GSNPrs5p 1",
    "l2g1kn1+R/2s1p1g2/p1np+bpp2/2p2s1P1/7+R1/1bP3P2/Pp1PPP2P/1SG2G3/L1K1+n3L b SL2Pnp 1",
    "+R3g2nl/3g1sk2/5pg2/p3p2P1/1pPn1P2p/P2pP4/6N1P/2KBSGP2/LN5+rL w BSL4Psp 1",
    "5g1nl/4g1sk1/1p2pp1pp/2r1s1p2/3p5/lPP1PPP2/N2SS1N1P/2GG3R1/2K5L b BN3Pbl2p 1",
    "ln7/1ks+P5/2pp5/1pn1p4/ps1Pb4/2P6/PPSG4P/1K1G5/LN7 w RN2LPrb2gs6p 1",
    "1S7/1g1k5/p1pplg3/3nLpr1p/4p1s2/1PP3P2/P1SPP2P1/2G1+bP3/LKL5R w GSN3Pb2np 1",
    "l6nk/6g1l/2nppg1sb/prps1pppp/4P4/PBPS1PPPP/1PNP2NS1/5RGGL/L7K w P 1",
    "ln5n1/5P2r/1p1kp+S1pl/2p4Pp/p2pP1P2/2P5P/PP7/LSGL2p2/KNG4r+b w GSbgsn2p 1",
];

/// The settings of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Number of search threads. With one thread the number of nodes is the same in every run.
    pub threads: usize,
    /// Size of the transposition table in bytes. It is cleared before each position.
    pub hash_bytes: u64,
    /// Nominal depth.
    pub depth: u32,
    /// The parameters of the search.
    pub parameters: Parameters,
    /// The evaluation.
    pub evaluation: Evaluation,
}

impl Default for Task {
    fn default() -> Self {
        let (parameters, evaluation) = (Parameters::default(), Evaluation::builtin());
        Self { threads: 1, hash_bytes: 16 << 20, depth: DEPTH, parameters, evaluation }
    }
}

/// The result of one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The position.
    pub sfen: &'static str,
    /// The move found.
    pub best: Option<Move>,
    /// Its score for the side to move.
    pub score: Score,
    /// Number of positions searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// The totals over all positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// Number of positions searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// Positions per second.
    pub nps: u64,
}

/// Searches all positions and reports the outcome of each.
///
/// # Errors
/// When the search threads cannot be started.
pub fn run<E: From<SearcherError>>(
    task: &Task,
    mut on_outcome: impl FnMut(Outcome) -> Result<(), E>,
) -> Result<Total, E> {
    let options = SearchOptions {
        threads: task.threads,
        hash_bytes: task.hash_bytes,
        parameters: task.parameters.into(),
        evaluation: task.evaluation.clone(),
    };
    let mut searcher = Searcher::new(options)?;
    let limits = SearchLimits { depth: Some(task.depth), ..SearchLimits::default() };
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for sfen in POSITIONS {
        // A test parses all of these constants. A position that cannot be parsed is skipped.
        let Ok(position) = Position::from_sfen(sfen) else { continue };
        searcher.new_game();
        let begun = Instant::now();
        let result = searcher.search(&Game::new(position), &limits, &StopFlag::new(), |_| {});
        let spent = begun.elapsed();
        nodes += result.nodes;
        time += spent;
        let (best, score) = (result.best, result.score);
        on_outcome(Outcome { sfen, best, score, nodes: result.nodes, time: spent })?;
    }
    Ok(Total { nodes, time, nps: per_second(nodes, time) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_can_be_played() {
        for sfen in POSITIONS {
            let position = Position::from_sfen(sfen).unwrap();
            position.check_playable().unwrap();
        }
    }

    #[test]
    fn one_thread_counts_the_same_nodes_every_time() {
        let task = Task { depth: 4, ..Task::default() };
        let count = || run::<SearcherError>(&task, |_| Ok(())).unwrap().nodes;
        assert_eq!(count(), count());
    }

    #[test]
    fn several_threads_finish_too() {
        let task = Task { depth: 4, threads: 3, ..Task::default() };
        let mut outcomes = 0;
        let total = run::<SearcherError>(&task, |outcome| {
            outcomes += 1;
            assert!(outcome.best.is_some());
            Ok(())
        });
        assert_eq!(outcomes, POSITIONS.len());
        assert!(total.unwrap().nodes > 0);
    }
}
