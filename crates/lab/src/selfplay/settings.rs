//! The settings of self-play, which are the same for all games of a seed.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use kyomi::matches::{WinRule, difference};
use kyomi::players::{BookOptions, BuiltinSpec, EngineOption, EvalOptions, ResignRule};
use kyomi_engine::eval::Evaluation;
use kyomi_engine::eval::network::UNKNOWN_CHECKSUM;
use kyomi_engine::search::{GameRules, ParameterError, SearchLimits, SearchOptions};

use super::{OpeningSource, Starts};

/// The settings of games of self-play.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfplaySettings {
    /// The number of nodes for each move.
    pub nodes: u64,
    /// The smallest and the largest number of random moves after an opening.
    pub random_plies: (u8, u8),
    /// The largest score of a start in centipawns, for either side.
    pub start_score: i32,
    /// The rule by which scores end a game.
    pub win: WinRule,
    /// The number of moves after which a game is drawn, including those of the opening.
    pub max_moves: u16,
    /// Size of the transposition table of each game, in MiB.
    pub hash_mib: u64,
    /// Options of the engine, by their USI names.
    pub options: Vec<EngineOption>,
}

impl Default for SelfplaySettings {
    fn default() -> Self {
        Self {
            nodes: 1500,
            random_plies: (4, 8),
            start_score: 200,
            win: WinRule { score: 2500, plies: 6, both: true },
            max_moves: 320,
            hash_mib: 8,
            options: Vec::new(),
        }
    }
}

/// An error in the settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsFault {
    /// A number is out of its range.
    #[error("{what} {found}; expected {} to {}", range.start(), range.end())]
    Range {
        /// The setting.
        what: &'static str,
        /// The number.
        found: i64,
        /// The valid range.
        range: RangeInclusive<i64>,
    },
    /// The move limit ends a game before it begins.
    #[error(
        "--max-moves {found}: an opening has at least {opening} moves{}, and at least {random} random moves follow \
         (--random-plies); expected {least} or more",
        if *origin == OpeningSource::Record { " (--record-plies)" } else { "" }
    )]
    Short {
        /// The move limit.
        found: u16,
        /// The least number of moves of an opening.
        opening: u16,
        /// The source of the openings.
        origin: OpeningSource,
        /// The smallest number of random moves.
        random: u8,
        /// The least move limit that leaves a move to play.
        least: u16,
    },
    /// The engine does not accept an option.
    #[error("engine option: {0}")]
    Option(String),
}

impl SelfplaySettings {
    /// Checks that games can be played with these settings.
    ///
    /// # Errors
    /// The first error.
    pub fn check(&self) -> Result<(), SettingsFault> {
        let (least, most) = (i64::from(self.random_plies.0), i64::from(self.random_plies.1));
        let nodes = i64::try_from(self.nodes).unwrap_or(i64::MAX);
        let hash = i64::try_from(self.hash_mib).unwrap_or(i64::MAX);
        for (what, found, range) in [
            ("nodes a move", nodes, 1..=1_000_000_000),
            ("random plies, at least", least, 0..=100),
            ("random plies, at most", most, least..=100),
            ("score of a start", i64::from(self.start_score), 0..=30_000),
            ("move limit", i64::from(self.max_moves), 1..=super::game::MOST_MOVES as i64),
            ("MiB of the table", hash, 1..=1 << 20),
        ] {
            if !range.contains(&found) {
                return Err(SettingsFault::Range { what, found, range });
            }
        }
        let spec = self.spec();
        match spec.parameters().1.first() {
            Some(ParameterError::Unknown(name)) => {
                Err(SettingsFault::Option(format!("there is no option '{name}'")))
            }
            Some(error) => Err(SettingsFault::Option(error.to_string())),
            None => self.evaluation().map(drop),
        }
    }

    /// Checks that the move limit leaves a move to play after some start.
    ///
    /// # Errors
    /// It leaves none.
    pub(super) fn check_starts(&self, starts: &Starts) -> Result<(), SettingsFault> {
        let (opening, origin) = starts.fewest_moves();
        let (found, random) = (self.max_moves, self.random_plies.0);
        let least = opening.saturating_add(u16::from(random) + 1);
        if found < least {
            return Err(SettingsFault::Short { found, opening, origin, random, least });
        }
        Ok(())
    }

    /// The evaluation of the options, or the built-in one.
    ///
    /// # Errors
    /// The file cannot be used.
    pub(super) fn evaluation(&self) -> Result<Evaluation, SettingsFault> {
        self.spec().faultless_evaluation().map_err(SettingsFault::Option)
    }

    /// Everything that games follow from, except seed and numbers. `evaluation` is that of these settings.
    pub(super) fn plan(&self, starts: &Starts, evaluation: &Evaluation) -> Value {
        let options =
            self.options.iter().map(|EngineOption { name, value }| format!("{name}={value}"));
        json!({
            "nodes": self.nodes,
            "random_plies": [self.random_plies.0, self.random_plies.1],
            "start_score": self.start_score,
            "win": self.win.to_string(),
            "max_moves": self.max_moves,
            "hash_mib": self.hash_mib,
            "options": options.collect::<Vec<_>>(),
            "network": checksum_text(evaluation.file_checksum()),
            "starts": starts.plan(),
        })
    }

    /// The first difference between the plan of a run and a new one.
    pub(super) fn plan_difference(old: &Value, new: &Value) -> Option<String> {
        let mut old = old.clone();
        // Runs of earlier versions do not know their network. The games of such a seed are continued, from now on with
        // one network.
        if old["network"] == checksum_text(UNKNOWN_CHECKSUM) {
            old["network"] = new["network"].clone();
        }
        difference(&old, new)
    }

    /// The options of a search with this evaluation.
    pub(super) fn search_options(&self, evaluation: &Evaluation) -> SearchOptions {
        let spec = self.spec();
        SearchOptions {
            threads: 1,
            hash_bytes: spec.hash_bytes,
            parameters: spec.parameters().0.into(),
            evaluation: evaluation.clone(),
        }
    }

    /// The limits of each search in a game that starts with move `ply`.
    pub(super) fn limits(&self, ply: u16) -> SearchLimits {
        let left = self.max_moves.saturating_sub(ply.saturating_sub(1)).max(1);
        SearchLimits {
            nodes: Some(self.nodes),
            rules: GameRules { max_moves: Some(u32::from(left)), ..GameRules::default() },
            ..SearchLimits::default()
        }
    }

    pub(super) fn spec(&self) -> BuiltinSpec {
        BuiltinSpec {
            threads: 1,
            hash_bytes: self.hash_mib << 20,
            resign: ResignRule { score: i32::MIN, moves: 0 },
            options: self.options.clone(),
            book: BookOptions::reproducible(),
            eval: EvalOptions::default(),
            preloaded: None,
        }
    }
}

fn checksum_text(checksum: u32) -> String {
    format!("{checksum:08x}")
}
