//! The engines that analyse: the built-in search, and programs that speak USI.

use std::{
    num::NonZeroUsize,
    path::Path,
    sync::Arc,
    time::{Duration, Instant, UNIX_EPOCH},
};

use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;

use super::searched::{Searched, SearchedLine};
use crate::{
    clock::{Budget, Clocks, Controls, DelayEstimator, DelayPolicy, TimeControl},
    engine::{
        self, Choice, EngineError, GameInfo, MoveLimit, PlayerCommand, PlayerEvent, PlayerHandle,
        PlayerSpec, SearchInfo, ThinkRequest, UsiSpec,
    },
    eval::{self, network::Network},
    search::{
        self, GameRules, Parameters, SearchLimits, SearchOptions, Searcher, SearcherError,
        StopFlag, TimeLimit,
    },
    shogi::{Color, Game, Score},
};

/// Searches single positions. The result depends on the game and on the settings, not on earlier searches.
pub trait Analyst {
    /// Everything that the results depend on: engine, version, options, limits. Equal text means equal results.
    fn fingerprint(&self) -> &str;

    /// The display name of the engine.
    fn name(&self) -> &str;

    /// Searches the position that a game has reached, which has a legal move. `None` if it was stopped.
    ///
    /// # Errors
    /// The engine failed and cannot go on.
    fn search(&mut self, game: &Game) -> Result<Option<Searched>, EngineError>;

    /// Whether it searches several positions at once, if they are announced by [`Analyst::expect`].
    fn searches_ahead(&self) -> bool {
        false
    }

    /// Announces that the current position of a game, which has a legal move, will be searched later.
    fn expect(&mut self, _game: &Game) {}
}

/// How long each position is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionLimit {
    /// A number of positions.
    Nodes(u64),
    /// A time.
    Time(Duration),
}

impl std::fmt::Display for PositionLimit {
    /// `20000 nodes`, `1.5 s`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

/// The settings of an analysis that apply to every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalystSettings {
    /// How long each position is searched.
    pub limit: PositionLimit,
    /// Number of search threads.
    pub threads: NonZeroUsize,
    /// Number of lines to find.
    pub lines: NonZeroUsize,
    /// Size of the transposition table in bytes.
    pub hash_bytes: u64,
}

/// The built-in search.
#[derive(Debug)]
pub struct BuiltinAnalyst {
    searcher: Searcher,
    settings: AnalystSettings,
    stop: StopFlag,
    fingerprint: String,
}

impl BuiltinAnalyst {
    /// Starts the search threads. A set `stop` ends the running search and all later ones.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn new(settings: AnalystSettings, stop: StopFlag) -> Result<Self, SearcherError> {
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
            ..SearchOptions::default()
        };
        let searcher = Searcher::new(options.clone())?;
        let fingerprint = format!(
            "kyomi {} {:016x}; {}; threads {}; lines {}; table {}",
            env!("CARGO_PKG_VERSION"),
            model_checksum(&options.parameters),
            settings.limit,
            settings.threads,
            settings.lines,
            searcher.hash_bytes(),
        );
        Ok(Self { searcher, settings, stop, fingerprint })
    }
}

/// A checksum of the weights and the parameters, on which the results of the built-in search depend besides its
/// version.
pub(super) fn model_checksum(parameters: &Parameters) -> u64 {
    let mut hash = Sha256::new();
    for weights in [eval::weight_bytes(), Network::builtin_bytes(), search::move_weight_bytes()] {
        hash.update(weights);
    }
    hash.update(format!("{parameters:?}"));
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

    fn name(&self) -> &'static str {
        concat!("kyomi ", env!("CARGO_PKG_VERSION"))
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

fn whole_milliseconds(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// A program that speaks USI.
#[derive(Debug)]
pub struct UsiAnalyst {
    runtime: Handle,
    player: PlayerHandle,
    name: String,
    settings: AnalystSettings,
    stop: StopFlag,
    fingerprint: String,
    requests: u64,
}

impl UsiAnalyst {
    /// Starts the program and waits until it is ready. It gets `USI_Hash`, `Threads` and `MultiPV` from the settings
    /// before the options of `spec`.
    ///
    /// # Errors
    /// The program cannot be started or does not become ready.
    pub fn start(
        mut spec: UsiSpec,
        settings: AnalystSettings,
        stop: StopFlag,
        runtime: Handle,
    ) -> Result<Self, EngineError> {
        spec.hash_mib = (settings.hash_bytes >> 20).max(1);
        spec.ponder = false;
        spec.book = None;
        let option = |name: &str, value: usize| crate::config::EngineOption {
            name: name.to_owned(),
            value: value.to_string(),
        };
        let mut options = vec![
            option("Threads", settings.threads.get()),
            option("MultiPV", settings.lines.get()),
        ];
        options
            .retain(|own| !spec.options.iter().any(|it| it.name.eq_ignore_ascii_case(&own.name)));
        options.append(&mut spec.options);
        spec.options = options;
        let program = format!("{} {}", spec.path.display(), version_of(&spec.path));
        let set: Vec<String> =
            spec.options.iter().map(|it| format!("{}={}", it.name, it.value)).collect();
        let entered = runtime.enter();
        let mut player = engine::start(PlayerSpec::Usi(spec));
        drop(entered);
        let name = runtime.block_on(async {
            let name = player.ready().await?;
            let color = Color::Black;
            player.send(PlayerCommand::NewGame(GameInfo {
                color,
                declaration: true,
                max_moves: None,
            }));
            Ok::<_, EngineError>(name)
        })?;
        let fingerprint = format!(
            "usi {program}; {name}; {}; hash {}; {}",
            settings.limit,
            settings.hash_bytes,
            set.join(" "),
        );
        Ok(Self { runtime, player, name, settings, stop, fingerprint, requests: 0 })
    }

    /// Ends the program.
    pub fn quit(self) {
        let Self { runtime, player, .. } = self;
        runtime.block_on(player.quit());
    }
}

/// The size of a file and the time of its last change, so that another program under the same name is noticed. Empty if
/// the file cannot be found, as for a program on the search path.
fn version_of(file: &Path) -> String {
    let Ok(found) = file.metadata() else { return String::new() };
    let changed = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    format!("{} bytes of {} s", found.len(), changed.unwrap_or_default().as_secs())
}

impl Analyst for UsiAnalyst {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn search(&mut self, game: &Game) -> Result<Option<Searched>, EngineError> {
        self.requests += 1;
        let id = self.requests;
        let (limit, time) = match self.settings.limit {
            PositionLimit::Nodes(nodes) => (MoveLimit::Nodes(nodes), A_DAY),
            PositionLimit::Time(time) => (MoveLimit::Time(time), time),
        };
        self.player.send(PlayerCommand::Think(ThinkRequest {
            id,
            game: game.clone(),
            clocks: clocks(time, game.position().side_to_move()),
            turn_started: Instant::now(),
            limit: Some(limit),
        }));
        let (player, stop) = (&mut self.player, &self.stop);
        self.runtime.block_on(async {
            let started = Instant::now();
            let mut infos: Vec<Option<SearchInfo>> = Vec::new();
            loop {
                if stop.is_stopped() {
                    player.send(PlayerCommand::Stop);
                    return Ok(None);
                }
                let Ok(event) = tokio::time::timeout(STOP_POLL, player.event()).await else {
                    continue;
                };
                match event {
                    Some(PlayerEvent::Info { id: of, info }) if of == id => keep(&mut infos, *info),
                    Some(PlayerEvent::Answer { id: of, answer }) if of == id => {
                        let mut lines: Vec<SearchedLine> = infos
                            .iter()
                            .map_while(Option::as_ref)
                            .filter_map(|info| {
                                let moves = info.pv.clone();
                                info.score.map(|score| SearchedLine { score, moves })
                            })
                            .collect();
                        let score = answer.score.unwrap_or(match answer.choice {
                            Choice::Declare => Score::Win(None),
                            Choice::Resign => Score::Loss(None),
                            Choice::Move(_) => Score::Cp(0),
                        });
                        let best = match answer.choice {
                            Choice::Move(mv) => Some(mv),
                            Choice::Declare | Choice::Resign => None,
                        };
                        let first = lines.first().and_then(|line| line.moves.first().copied());
                        if lines.is_empty() || best.is_some() && first != best {
                            let moves = if answer.pv.first().copied() == best {
                                answer.pv
                            } else {
                                best.into_iter().collect()
                            };
                            lines.retain(|line| line.moves.first().copied() != best);
                            lines.insert(0, SearchedLine { score, moves });
                        }
                        let last = infos.first().and_then(Option::as_ref);
                        return Ok(Some(Searched {
                            nodes: answer
                                .nodes
                                .or_else(|| last.map(|info| info.nodes))
                                .unwrap_or(0),
                            depth: last.map_or(0, |info| info.depth),
                            seldepth: last.map_or(0, |info| info.seldepth),
                            time: whole_milliseconds(started.elapsed()),
                            lines,
                        }));
                    }
                    Some(PlayerEvent::GaveUp(error) | PlayerEvent::Failed(error)) => {
                        return Err(error);
                    }
                    Some(PlayerEvent::Restarted(error)) => tracing::warn!("{error}; started again"),
                    Some(PlayerEvent::Warning(text)) => tracing::warn!("{text}"),
                    Some(_) => {}
                    None => {
                        let reason = "it ended while it analysed".to_owned();
                        return Err(EngineError::Builtin { reason });
                    }
                }
            }
        })
    }
}

/// Keeps the last report of each line.
fn keep(infos: &mut Vec<Option<SearchInfo>>, info: SearchInfo) {
    let at = info.multipv.unwrap_or(1).saturating_sub(1) as usize;
    if info.score.is_none() || info.pv.is_empty() || at >= MOST_LINES {
        return;
    }
    if infos.len() <= at {
        infos.resize(at + 1, None);
    }
    infos[at] = Some(info);
}

/// Clocks on which a limited search never runs out of time.
fn clocks(time: Duration, turn: Color) -> Clocks {
    let controls = Controls::both(TimeControl::byoyomi(A_DAY, time.max(Duration::from_secs(1))));
    let network = DelayEstimator::new(DelayPolicy::Fixed(Duration::ZERO));
    Clocks::new(controls, A_DAY, A_DAY, turn, network)
}

const A_DAY: Duration = Duration::from_secs(86_400);
/// The interval at which a search by an external engine checks whether to stop.
const STOP_POLL: Duration = Duration::from_millis(100);
/// The largest number of lines that are kept of an external engine.
const MOST_LINES: usize = 100;
