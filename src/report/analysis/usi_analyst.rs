//! A USI engine as an analyst.

use std::{
    path::Path,
    time::{Duration, Instant, UNIX_EPOCH},
};

use tokio::runtime::Handle;

use super::{
    analyst::{Analyst, AnalystSettings, PositionLimit, whole_milliseconds},
    searched::{Searched, SearchedLine},
};
use crate::players::{
    self, Answer, Choice, EngineError, EngineOption, GameInfo, MoveLimit, PlayerCommand,
    PlayerEvent, PlayerHandle, PlayerSpec, SearchInfo, ThinkRequest, UsiSpec,
};
use kyomi_engine::search::StopFlag;
use kyomi_shogi::clock::{Clocks, Controls, DelayEstimator, DelayPolicy, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, Game, Score};

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
        let option = |name: &str, value: usize| EngineOption {
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
        let mut player = players::start(PlayerSpec::Usi(spec));
        drop(entered);
        let name = runtime.block_on(async {
            let name = player.ready().await?;
            let color = Color::Black;
            player.send(PlayerCommand::NewGame(GameInfo {
                color,
                entering_king: EnteringKingRule::default(),
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
                    Some(PlayerEvent::Info { id: of, info }) if of == id => {
                        store_info(&mut infos, *info);
                    }
                    Some(PlayerEvent::Answer { id: of, answer }) if of == id => {
                        return Ok(Some(searched(&infos, answer, started.elapsed())));
                    }
                    Some(PlayerEvent::GaveUp(error) | PlayerEvent::Failed(error)) => {
                        return Err(error);
                    }
                    Some(PlayerEvent::Restarted(error)) => tracing::warn!("{error}; started again"),
                    Some(PlayerEvent::Warning(text)) => tracing::warn!("{text}"),
                    Some(_) => {}
                    None => {
                        let reason = "it ended while it analysed".to_owned();
                        return Err(EngineError::Player { reason });
                    }
                }
            }
        })
    }
}

/// The result of a search from its last reports, one of each line, and its answer. The answer's move is the first line.
fn searched(infos: &[Option<SearchInfo>], answer: Answer, time: Duration) -> Searched {
    let mut lines: Vec<SearchedLine> = infos
        .iter()
        .map_while(Option::as_ref)
        .filter_map(|info| {
            let moves = info.pv.clone();
            info.score.map(|score| SearchedLine { score, moves })
        })
        .collect();
    let score = answer.finding.score.unwrap_or(match answer.choice {
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
        let moves = if answer.finding.pv.first().copied() == best {
            answer.finding.pv
        } else {
            best.into_iter().collect()
        };
        lines.retain(|line| line.moves.first().is_some_and(|first| Some(*first) != best));
        lines.insert(0, SearchedLine { score, moves });
    }
    let last = infos.first().and_then(Option::as_ref);
    Searched {
        nodes: answer.finding.nodes.or_else(|| last.map(|info| info.nodes)).unwrap_or(0),
        depth: last.map_or(0, |info| info.depth),
        seldepth: last.map_or(0, |info| info.seldepth),
        time: whole_milliseconds(time),
        lines,
    }
}

/// Stores the last report of each line. Only the best one may be without moves.
fn store_info(infos: &mut Vec<Option<SearchInfo>>, info: SearchInfo) {
    let at = info.multipv.unwrap_or(1).saturating_sub(1) as usize;
    if info.score.is_none() || info.pv.is_empty() && at > 0 || at >= MOST_LINES {
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
