//! The options that a host can set.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::worker_options::WorkerOptions;
use crate::players::{
    BookOptions, EvalOptions, LoadedEvaluation, ResignRule, set_time_option, time_option_lines,
};
use kyomi_engine::search::{GameRules, MAX_THREADS, ParameterError, Parameters, SearchOptions};
use kyomi_shogi::clock::{DelayPolicy, TimeOptions};
use kyomi_shogi::{EnteringKingRule, MAX_MOVES};

/// The engine's settings, initially the defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Search threads.
    pub threads: usize,
    /// Size of the transposition table in bytes.
    pub hash_bytes: u64,
    /// Time reserved in each move for the delay to the host and back.
    pub network_delay: Duration,
    /// Time reserved where a late move would lose the game, for the worst delay. At least `network_delay` is reserved.
    pub worst_network_delay: Duration,
    /// Least time for a move and share of the main time.
    pub time_options: TimeOptions,
    /// Least time between two lines of a search.
    pub pv_interval: Duration,
    /// Whether the answer to `usi` lists the parameters of the search. They can be set in any case.
    pub list_all_options: bool,
    /// A move with a score at or below this, in centipawns for the own side, counts towards resigning.
    pub resign_score: i32,
    /// Number of such moves in a row after which to resign; 0: never.
    pub resign_moves: u32,
    /// Number of moves after which the game ends without a winner; 0: no limit.
    pub max_moves: u32,
    /// Number of principal variations.
    pub lines: usize,
    /// How an entered king wins.
    pub entering_king: EnteringKingRule,
    /// The opening book.
    pub book: BookOptions,
    /// The choice of the evaluation.
    pub eval: EvalOptions,
    /// The evaluation in use, that of the last choice that could be read.
    pub loaded: LoadedEvaluation,
    /// The search parameters.
    pub parameters: Arc<Parameters>,
    /// The room whose workers share the search.
    pub workers: WorkerOptions,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 1,
            hash_bytes: 256 << 20,
            network_delay: Duration::from_millis(120),
            worst_network_delay: Duration::from_millis(120),
            time_options: TimeOptions::default(),
            pv_interval: Duration::ZERO,
            list_all_options: false,
            resign_score: -3000,
            resign_moves: 3,
            max_moves: 0,
            lines: 1,
            entering_king: EnteringKingRule::default(),
            book: BookOptions::new(),
            eval: EvalOptions::default(),
            loaded: LoadedEvaluation::default(),
            parameters: Arc::default(),
            workers: WorkerOptions::default(),
        }
    }
}

/// The largest table, in MiB.
const MAX_HASH_MIB: u64 = 1 << 20;
/// Resign values from this number on mean never.
const NEVER_RESIGN: i32 = 32_000;
const MAX_DELAY_MS: u64 = 60_000;
const MAX_INTERVAL_MS: u64 = 600_000;
const LONGEST_GAME: u32 = 100_000;
/// The option that makes `usi` list all options.
const LIST_ALL: &str = "ListAllOptions";

impl Settings {
    /// When to resign.
    pub(super) fn resign_rule(&self) -> ResignRule {
        ResignRule { score: self.resign_score, moves: self.resign_moves }
    }

    /// What is reserved for the delay to the host and back.
    pub(super) const fn delay_policy(&self) -> DelayPolicy {
        DelayPolicy::Given { usual: self.network_delay, worst: self.worst_network_delay }
    }

    /// The `option` lines of the answer to `usi`.
    pub(super) fn lines(&self) -> Vec<String> {
        let mib = (self.hash_bytes >> 20).clamp(1, MAX_HASH_MIB);
        let rule = self.entering_king.name();
        let rules = EnteringKingRule::ALL.map(EnteringKingRule::name).join(" var ");
        let resign = if self.resign_moves == 0 { NEVER_RESIGN } else { -self.resign_score };
        let resign = resign.clamp(0, NEVER_RESIGN);
        let ms = |time: Duration, most: u64| time.as_millis().min(u128::from(most));
        let delay = ms(self.network_delay, MAX_DELAY_MS);
        let worst = ms(self.worst_network_delay, MAX_DELAY_MS);
        let interval = ms(self.pv_interval, MAX_INTERVAL_MS);
        let mut lines = vec![
            format!(
                "option name Threads type spin default {} min 1 max {MAX_THREADS}",
                self.threads
            ),
            format!("option name USI_Hash type spin default {mib} min 1 max {MAX_HASH_MIB}"),
            format!("option name MultiPV type spin default {} min 1 max {MAX_MOVES}", self.lines),
            "option name USI_Ponder type check default false".to_owned(),
            format!("option name NetworkDelay type spin default {delay} min 0 max {MAX_DELAY_MS}"),
            format!("option name NetworkDelay2 type spin default {worst} min 0 max {MAX_DELAY_MS}"),
            format!(
                "option name PvInterval type spin default {interval} min 0 max {MAX_INTERVAL_MS}"
            ),
            format!("option name ResignValue type spin default {resign} min 0 max {NEVER_RESIGN}"),
            format!(
                "option name MaxMovesToDraw type spin default {} min 0 max {LONGEST_GAME}",
                self.max_moves
            ),
            format!("option name EnteringKingRule type combo default {rule} var {rules}"),
        ];
        lines.extend(time_option_lines(&self.time_options, self.list_all_options));
        lines.extend(self.book.usi_lines());
        lines.extend(self.workers.lines());
        lines.extend(self.eval.usi_lines());
        lines.push(format!("option name {LIST_ALL} type check default {}", self.list_all_options));
        // `Preset` is the first of them.
        let listed = if self.list_all_options { usize::MAX } else { 1 };
        lines.extend(self.parameters.usi_lines().into_iter().take(listed));
        lines
    }

    /// Sets one option.
    ///
    /// # Errors
    /// A message if it is unknown or the value is not valid. Nothing is changed then, except that a rule for entering
    /// kings that is not known leaves none.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let value = value.unwrap_or("").trim();
        if let Some(set) = self.book.set(name, value) {
            return set;
        }
        if let Some(set) = set_time_option(&mut self.time_options, name, value) {
            return set;
        }
        if let Some(set) = self.workers.set(name, value) {
            return set;
        }
        if let Some(set) = self.eval.set(name, value) {
            return set;
        }
        match name.to_ascii_lowercase().as_str() {
            "threads" => self.threads = number(name, value, 1, MAX_THREADS as u64)? as usize,
            "usi_hash" => self.hash_bytes = number(name, value, 1, MAX_HASH_MIB)? << 20,
            "multipv" => self.lines = number(name, value, 1, MAX_MOVES as u64)? as usize,
            // The host requests pondering by `go ponder`.
            "usi_ponder" => drop(check(name, value)?),
            "networkdelay" => {
                self.network_delay = Duration::from_millis(number(name, value, 0, MAX_DELAY_MS)?);
            }
            "networkdelay2" => {
                self.worst_network_delay =
                    Duration::from_millis(number(name, value, 0, MAX_DELAY_MS)?);
            }
            "pvinterval" => {
                self.pv_interval = Duration::from_millis(number(name, value, 0, MAX_INTERVAL_MS)?);
            }
            "listalloptions" => self.list_all_options = check(name, value)?,
            "resignvalue" => {
                let score = number(name, value, 0, NEVER_RESIGN as u64)? as i32;
                if score >= NEVER_RESIGN {
                    self.resign_moves = 0;
                } else {
                    self.resign_score = -score;
                    self.resign_moves = self.resign_moves.max(1);
                }
            }
            "maxmovestodraw" => {
                self.max_moves = number(name, value, 0, u64::from(LONGEST_GAME))? as u32;
            }
            "enteringkingrule" => {
                let rule = EnteringKingRule::from_name(value);
                // The rule before may be another one than the host has.
                self.entering_king = rule.unwrap_or(EnteringKingRule::None);
                if rule.is_none() {
                    let value = super::command::clip(value);
                    let rules = EnteringKingRule::ALL.map(EnteringKingRule::name).join(", ");
                    return Err(format!(
                        "{name}: the rule '{value}' is not known, so no win is declared; known are {rules}"
                    ));
                }
            }
            _ => Arc::make_mut(&mut self.parameters).set(name, value).map_err(
                |error| match error {
                    ParameterError::Unknown(_) => {
                        format!("no option {}", super::command::clip(name))
                    }
                    ParameterError::Value { .. } => error.to_string(),
                },
            )?,
        }
        Ok(())
    }

    /// The options of the searcher.
    pub(super) fn search(&self) -> SearchOptions {
        SearchOptions {
            threads: self.threads,
            hash_bytes: self.hash_bytes,
            parameters: Arc::clone(&self.parameters),
            evaluation: self.loaded.evaluation.clone(),
        }
    }

    /// Reads the evaluation if the options ask for another one than before. Returns what to tell the host. After a fault
    /// the evaluation before stays.
    pub(super) fn load_evaluation(&mut self) -> Option<String> {
        if self.eval == self.loaded.options {
            return None;
        }
        let started = Instant::now();
        match self.eval.reload(&self.loaded) {
            Ok(evaluation) => {
                let milliseconds = started.elapsed().as_millis();
                let text = format!("evaluation: {evaluation}; loaded in {milliseconds} ms");
                self.loaded = LoadedEvaluation { options: self.eval.clone(), evaluation };
                Some(text)
            }
            Err(fault) => {
                let LoadedEvaluation { options, evaluation } = &mut self.loaded;
                (self.eval.file, self.eval.dir) = (options.file.clone(), options.dir.clone());
                *evaluation = self.eval.scaled(evaluation.clone());
                *options = self.eval.clone();
                Some(format!("{fault}; the evaluation stays: {}", self.loaded.evaluation))
            }
        }
    }

    /// The rules that the search needs.
    pub(super) fn rules(&self) -> GameRules {
        let max_moves = (self.max_moves > 0).then_some(self.max_moves);
        GameRules { entering_king: self.entering_king, max_moves }
    }
}

fn number(name: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    match value.parse::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => {
            let value = super::command::clip(value);
            Err(format!("{name}: '{value}' is not a number from {least} to {most}"))
        }
    }
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        other => {
            let other = super::command::clip(other);
            Err(format!("{name}: '{other}' is neither true nor false"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_engine::eval::{Evaluation, network::Network};

    #[test]
    fn every_listed_option_can_be_set_to_its_default() {
        let all = Settings { list_all_options: true, ..Settings::default() };
        let mut settings = all.clone();
        for line in settings.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(
                (words[0], words[1], words[3], words[5]),
                ("option", "name", "type", "default")
            );
            settings.set(words[2], Some(words[6])).unwrap();
        }
        assert_eq!(settings.lines(), all.lines());
        // An unset book and a book that was switched off differ only for a book file that is set later.
        settings.book = BookOptions::new();
        assert_eq!(settings, all);
    }

    #[test]
    fn search_parameters_are_listed_on_request_and_always_accepted() {
        let mut settings = Settings::default();
        let lines = settings.lines();
        assert!(lines.len() <= 30, "{}", lines.len());
        let name = |line: &String| line.split_whitespace().nth(2).unwrap().to_owned();
        let names: Vec<_> = lines.iter().map(name).collect();
        for usual in [
            "Threads",
            "USI_Hash",
            "USI_Ponder",
            "MultiPV",
            "NetworkDelay",
            "NetworkDelay2",
            "MinimumThinkingTime",
            "SlowMover",
            "PvInterval",
            "ResignValue",
            "MaxMovesToDraw",
            "EnteringKingRule",
            "EvalDir",
            "EvalFile",
            "FV_SCALE",
            "ListAllOptions",
            "Preset",
        ] {
            assert!(names.iter().any(|name| name == usual), "{usual}");
        }
        assert!(!names.contains(&"Interest_CostK".to_owned()));
        settings.set("Interest_CostK", Some("8000")).unwrap();
        settings.set("listalloptions", Some("true")).unwrap();
        assert!(settings.lines().len() > 100);
        assert!(
            settings
                .lines()
                .iter()
                .any(|line| line.contains("Interest_CostK type spin default 8000"))
        );
    }

    #[test]
    fn the_options_of_time_are_in_milliseconds_and_percent() {
        let mut settings = Settings::default();
        for (name, value) in [
            ("NetworkDelay", "300"),
            ("NetworkDelay2", "1200"),
            ("MinimumThinkingTime", "2000"),
            ("SlowMover", "80"),
            ("PvInterval", "500"),
        ] {
            settings.set(name, Some(value)).unwrap();
        }
        let ms = Duration::from_millis;
        let given = DelayPolicy::Given { usual: ms(300), worst: ms(1200) };
        assert_eq!(settings.delay_policy(), given);
        assert_eq!(
            settings.time_options,
            TimeOptions { least: ms(2000), share_percent: 80, ..TimeOptions::default() }
        );
        assert_eq!(settings.pv_interval, ms(500));
    }

    #[test]
    fn an_evaluation_is_loaded_once_and_stays_after_a_bad_file() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let path = dir.join("some network.bin");
        let network = Network::with_bias(0.5);
        std::fs::write(&path, network.to_bytes()).unwrap();
        let network = Evaluation::Own(network.into());
        let mut settings = Settings::default();
        assert_eq!(settings.load_evaluation(), None);
        assert_eq!(settings.search().evaluation, Evaluation::builtin());
        settings.set("evalfile", path.to_str()).unwrap();
        let text = settings.load_evaluation().unwrap();
        assert!(text.starts_with(&format!("evaluation: {network}; loaded in ")), "{text}");
        assert_eq!(settings.load_evaluation(), None);
        assert_eq!(settings.search().evaluation, network);
        let line = format!("option name EvalFile type string default {}", path.display());
        assert!(settings.lines().contains(&line));
        std::fs::write(dir.join("nn.bin"), "nothing").unwrap();
        settings.set("EvalFile", dir.to_str()).unwrap();
        let text = settings.load_evaluation().unwrap();
        assert!(text.starts_with("EvalFile: the file ") && !text.contains('\n'), "{text}");
        assert_eq!(settings.search().evaluation, network);
        assert!(settings.lines().contains(&line));
        settings.set("EvalFile", Some("<empty>")).unwrap();
        assert!(settings.load_evaluation().is_some());
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn bad_values_are_refused_and_change_nothing() {
        let mut settings = Settings::default();
        for (name, value) in [
            ("Threads", Some("0")),
            ("Threads", Some("many")),
            ("USI_Hash", None),
            ("USI_Ponder", Some("yes")),
            ("Nonsense", Some("1")),
        ] {
            settings.set(name, value).unwrap_err();
        }
        assert_eq!(settings, Settings::default());
    }
}
