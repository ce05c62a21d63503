//! The built-in search as an analyst.

use std::{sync::Arc, time::Instant};

use sha2::{Digest as _, Sha256};

use super::{
    analyst::{Analyst, AnalystSettings, PositionLimit, whole_milliseconds},
    searched::{Searched, SearchedLine},
};
use crate::players::EngineError;
use kyomi_engine::eval::{self, Evaluation, network::Network};
use kyomi_engine::search::{
    self, GameRules, Parameters, SearchLimits, SearchOptions, Searcher, SearcherError, StopFlag,
    TimeLimit,
};
use kyomi_shogi::Game;
use kyomi_shogi::clock::Budget;

/// The built-in search.
#[derive(Debug)]
pub struct BuiltinAnalyst {
    searcher: Searcher,
    settings: AnalystSettings,
    stop: StopFlag,
    fingerprint: String,
    name: String,
}

impl BuiltinAnalyst {
    /// Starts the search threads. A set `stop` ends the running search and all later ones.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn new(settings: AnalystSettings, stop: StopFlag) -> Result<Self, SearcherError> {
        Self::with_evaluation(settings, Evaluation::builtin(), stop)
    }

    /// The same with another evaluation.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn with_evaluation(
        settings: AnalystSettings,
        evaluation: Evaluation,
        stop: StopFlag,
    ) -> Result<Self, SearcherError> {
        let hash_bytes = match settings.limit {
            // The table is cleared before each search, which takes longer than a short search in a large table.
            PositionLimit::Nodes(nodes) => settings
                .hash_bytes
                .min(nodes.saturating_mul(BYTES_PER_NODE).clamp(LEAST_TABLE, u64::MAX / 2)),
            PositionLimit::Time(_) => settings.hash_bytes,
        };
        let options = SearchOptions {
            threads: settings.threads.get(),
            hash_bytes,
            parameters: Arc::new(Parameters::default()),
            evaluation,
        };
        let searcher = Searcher::new(options.clone())?;
        let fingerprint = format!(
            "kyomi {} {:016x}; {}; threads {}; lines {}; table {}",
            env!("CARGO_PKG_VERSION"),
            model_checksum(&options.parameters, &options.evaluation),
            settings.limit,
            settings.threads,
            settings.lines,
            searcher.hash_bytes(),
        );
        let version = env!("CARGO_PKG_VERSION");
        let name = if options.evaluation.is_builtin() {
            format!("kyomi {version}")
        } else {
            format!("kyomi {version} ({})", options.evaluation)
        };
        Ok(Self { searcher, settings, stop, fingerprint, name })
    }
}

/// A checksum of the weights and the parameters, on which the results of the built-in search depend besides its
/// version.
pub(super) fn model_checksum(parameters: &Parameters, evaluation: &Evaluation) -> u64 {
    let mut hash = Sha256::new();
    for weights in [eval::weight_bytes(), Network::builtin_bytes(), search::move_weight_bytes()] {
        hash.update(weights);
    }
    hash.update(format!("{parameters:?}"));
    if !evaluation.is_builtin() {
        hash.update(evaluation.checksum().to_le_bytes());
    }
    let digest = hash.finalize();
    digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Table size in bytes for each node to be searched, so that the table is never full.
const BYTES_PER_NODE: u64 = 64;
const LEAST_TABLE: u64 = 1 << 20;

impl Analyst for BuiltinAnalyst {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn search(&mut self, game: &Game) -> Result<Option<Searched>, EngineError> {
        self.searcher.new_game();
        let (nodes, time) = match self.settings.limit {
            PositionLimit::Nodes(nodes) => (Some(nodes), None),
            PositionLimit::Time(time) => {
                let budget = Budget::fixed(time);
                let started = Instant::now();
                (None, Some(TimeLimit { started, budget, nodes_per_second: None }))
            }
        };
        let limits = SearchLimits {
            nodes,
            time,
            lines: self.settings.lines.get(),
            rules: GameRules::default(),
            ..SearchLimits::default()
        };
        let result = self.searcher.search(game, &limits, &self.stop, |_| {});
        if self.stop.is_stopped() {
            return Ok(None);
        }
        let mut lines = vec![SearchedLine { score: result.score, moves: result.pv }];
        let first = lines[0].moves.first().copied();
        let others = result.lines.into_iter().filter(|(_, moves)| moves.first().copied() != first);
        lines.extend(others.map(|(score, moves)| SearchedLine { score, moves }));
        lines.truncate(self.settings.lines.get());
        Ok(Some(Searched {
            lines,
            nodes: result.nodes,
            depth: result.depth,
            seldepth: result.seldepth,
            time: whole_milliseconds(result.time),
        }))
    }
}
