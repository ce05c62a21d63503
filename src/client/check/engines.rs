//! The engines: how long they take to start, and how fast they search.

use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};

use crate::config::{BookConfig, Config, EngineConfig, EngineKind};
use crate::players::{
    self, Choice, EngineError, GameInfo, MoveLimit, PlayerCommand, PlayerEvent, PlayerHandle,
    ThinkRequest,
};
use kyomi_csa::text::printable;
use kyomi_shogi::clock::{Controls, GameClocks, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, Game, notation::usi::parse_move};

use super::{super::player_settings::player_spec, Finding, machine::mebibytes};

/// Starts every engine. The configured one searches the start position for a second; returns its nodes/s.
pub(super) async fn check(
    config: &Config,
    cores: usize,
    mut report: impl FnMut(Finding),
) -> Option<u64> {
    let (findings, nps) = one("engine", &config.engine, config, cores).await;
    findings.into_iter().for_each(&mut report);
    for fallback in config.fallback.iter().flatten() {
        one("fallback", fallback, config, cores).await.0.into_iter().for_each(&mut report);
    }
    if let (None, Some(opponent)) = (&config.server, &config.opponent) {
        one("opponent", &opponent.engine, config, cores).await.0.into_iter().for_each(&mut report);
    }
    nps
}

async fn one(
    what: &'static str,
    engine: &EngineConfig,
    config: &Config,
    cores: usize,
) -> (Vec<Finding>, Option<u64>) {
    let mut started = Started::new(what, engine, config, cores);
    started.wait(engine).await;
    let Started { mut player, mut findings, is_ready, .. } = started;
    let mut nps = None;
    if is_ready && what == "engine" && engine.kind != EngineKind::Random {
        match search_twice(&mut player, engine.ready_timeout).await {
            Ok(searched) => {
                nps = searched.nps;
                findings.push(searched.finding());
            }
            Err(finding) => findings.push(finding),
        }
    }
    player.quit().await;
    (findings, nps)
}

struct Started {
    what: &'static str,
    player: PlayerHandle,
    findings: Vec<Finding>,
    is_ready: bool,
}

impl Started {
    fn new(what: &'static str, engine: &EngineConfig, config: &Config, cores: usize) -> Self {
        // The book is checked by itself.
        let no_book = BookConfig { enabled: Some(false), ..BookConfig::default() };
        let spec = player_spec(engine, &config.budget, &no_book, cores);
        Self { what, player: players::start(spec), findings: Vec::new(), is_ready: false }
    }

    /// Waits until the engine is ready or has failed.
    async fn wait(&mut self, engine: &EngineConfig) {
        let what = self.what;
        let began = Instant::now();
        let mut identified = None;
        // The player has its own time limits; this one is a safeguard in case they fail.
        let limit = engine.ready_timeout.saturating_mul(2) + Duration::from_secs(30);
        loop {
            let finding = match timeout(limit, self.player.event()).await {
                Ok(Some(PlayerEvent::Identified)) => {
                    identified = Some(began.elapsed());
                    continue;
                }
                Ok(Some(PlayerEvent::Ready { name })) => {
                    self.is_ready = true;
                    ready(what, engine, &printable(&name), identified, began.elapsed())
                }
                Ok(Some(PlayerEvent::Failed(error))) => {
                    Finding::failed(what, error.to_string()).remedy(remedy(&error))
                }
                Ok(Some(PlayerEvent::Warning(text))) => {
                    self.findings.push(Finding::warning(what, text));
                    continue;
                }
                Ok(Some(_)) => continue,
                Ok(None) => Finding::failed(what, "it ended before it was ready"),
                Err(_) => {
                    Finding::failed(what, format!("it was not ready after {} s", limit.as_secs()))
                }
            };
            self.findings.push(finding);
            return;
        }
    }
}

fn ready(
    what: &'static str,
    engine: &EngineConfig,
    name: &str,
    identified: Option<Duration>,
    whole: Duration,
) -> Finding {
    let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
    match (engine.kind, identified) {
        (EngineKind::Usi, Some(identified)) => {
            let after = whole.saturating_sub(identified);
            let detail = format!(
                "{name} is ready: usiok after {}, readyok {} later",
                seconds(identified),
                seconds(after)
            );
            if after > engine.ready_timeout / 2 {
                let limit = engine.ready_timeout.as_secs();
                return Finding::warning(what, format!("{detail}, of at most {limit} s"))
                    .remedy("raise engine.ready_timeout: it is slower when the machine is busy");
            }
            Finding::ok(what, detail)
        }
        (EngineKind::Builtin, _) => Finding::ok(
            what,
            format!(
                "{name} is ready after {} (table of {})",
                seconds(whole),
                mebibytes(engine.hash)
            ),
        ),
        (EngineKind::Usi | EngineKind::Random, _) => {
            Finding::ok(what, format!("{name} is ready after {}", seconds(whole)))
        }
    }
}

fn remedy(error: &EngineError) -> &'static str {
    match error {
        EngineError::Start { .. } => {
            "check engine.path, engine.working_dir and the right to execute the file"
        }
        EngineError::Silent { expected: "readyok", .. } => {
            "raise engine.ready_timeout, or start the engine by hand, type `usi` and `isready`, and read its answers"
        }
        EngineError::Silent { .. } | EngineError::Ended { .. } | EngineError::Illegal { .. } => {
            "start the engine by hand in engine.working_dir, type `usi` and `isready`, and read its answers"
        }
        EngineError::Builtin { .. } => "lower engine.hash or engine.threads",
        EngineError::Player { .. } => "see the log",
    }
}

/// A search of the start position.
struct Searched {
    choice: Choice,
    /// The position, as text.
    place: &'static str,
    nps: Option<u64>,
    depth: Option<u32>,
    took: Duration,
}

/// Searches the start position. If the engine answers from its own book, searches a position that is in no book.
async fn search_twice(
    player: &mut PlayerHandle,
    ready_timeout: Duration,
) -> Result<Searched, Finding> {
    let first = search(player, 1, &[], ready_timeout).await?;
    if first.nps.is_some() || first.took > SEARCH_TIME / 2 {
        return Ok(first);
    }
    search(player, 2, &["9g9f", "1c1d", "9i9h", "1a1b"], ready_timeout).await
}

/// Searches the position after these moves for [`SEARCH_TIME`].
async fn search(
    player: &mut PlayerHandle,
    id: u64,
    moves: &[&str],
    ready_timeout: Duration,
) -> Result<Searched, Finding> {
    let mut game = Game::default();
    for mv in moves.iter().filter_map(|mv| parse_move(mv).ok()) {
        let _ = game.push(mv);
    }
    prepare(player, ready_timeout).await?;
    let clocks = GameClocks::new(Controls::both(TimeControl::UNLIMITED), Color::Black);
    let began = Instant::now();
    player.send(PlayerCommand::Think(ThinkRequest {
        id,
        game,
        clocks: *clocks.clocks(),
        turn_started: began.into_std(),
        limit: Some(MoveLimit::Time(SEARCH_TIME)),
    }));
    let until = began + SEARCH_LIMIT;
    let (mut nodes, mut nps, mut depth) = (None, None, None);
    loop {
        match timeout_at(until, player.event()).await {
            Ok(Some(PlayerEvent::Info { info, .. })) => {
                nodes = nodes.max(Some(info.nodes).filter(|&nodes| nodes > 0));
                nps = Some(info.nps).filter(|&nps| nps > 0).or(nps);
                depth = depth.max(Some(info.depth));
            }
            Ok(Some(PlayerEvent::Answer { answer, .. })) => {
                let took = began.elapsed();
                let nodes = answer.finding.nodes.or(nodes);
                let by_time = nodes.map(|nodes| (nodes as f64 / took.as_secs_f64()) as u64);
                let (nps, depth) = (by_time.or(nps), answer.finding.depth.or(depth));
                let place =
                    if moves.is_empty() { "in the start position" } else { "out of its book" };
                return Ok(Searched { choice: answer.choice, place, nps, depth, took });
            }
            Ok(Some(
                PlayerEvent::Failed(error)
                | PlayerEvent::GaveUp(error)
                | PlayerEvent::Restarted(error),
            )) => return Err(search_failed(error.to_string()).remedy(remedy(&error))),
            Ok(Some(_)) => {}
            Ok(None) => return Err(search_failed("the engine ended in its search")),
            Err(_) => return Err(no_answer(nps)),
        }
    }
}

/// Announces a game, and waits until the engine is ready for it.
async fn prepare(player: &mut PlayerHandle, ready_timeout: Duration) -> Result<(), Finding> {
    player.send(PlayerCommand::NewGame(GameInfo {
        color: Color::Black,
        entering_king: EnteringKingRule::default(),
        max_moves: None,
    }));
    let prepared = async {
        while let Some(event) = player.event().await {
            if matches!(event, PlayerEvent::Prepared) {
                return;
            }
        }
    };
    timeout(ready_timeout + SEARCH_LIMIT, prepared).await.map_err(|_| {
        search_failed("the engine does not get ready for a game")
            .remedy("raise engine.ready_timeout")
    })
}

fn search_failed(text: impl Into<String>) -> Finding {
    Finding::failed("search", text)
}

/// The finding for an engine that has not answered in time. `nps` is the speed that it has reported.
fn no_answer(nps: Option<u64>) -> Finding {
    let limit = SEARCH_LIMIT.as_secs();
    let text = format!("no answer to `go movetime` within {limit} s");
    match nps {
        Some(nps) => Finding::warning("search", format!("{nps} nodes/s, but {text}")),
        None => search_failed(text),
    }
    .remedy("rehearse a game: `kyomi check --rehearse`")
}

impl Searched {
    fn finding(&self) -> Finding {
        let Choice::Move(mv) = self.choice else {
            return Finding::failed("search", format!("the engine resigns {}", self.place));
        };
        let nps = match self.nps {
            Some(nps) => format!("{nps} nodes/s"),
            None => "it reports no nodes".to_owned(),
        };
        let depth = self.depth.map_or_else(String::new, |depth| format!(", depth {depth}"));
        let took = self.took.as_secs_f64();
        let detail = format!("{nps}{depth}, {mv} after {took:.2} s {}", self.place);
        if self.took > SEARCH_TIME.saturating_mul(2) {
            return Finding::warning("search", format!("{detail}; it was asked for a second"))
                .remedy("a busy machine? an engine that ignores `movetime`? it may lose on time");
        }
        Finding::ok("search", detail)
    }
}

const SEARCH_TIME: Duration = Duration::from_secs(1);

/// The longest wait for the answer.
const SEARCH_LIMIT: Duration = Duration::from_secs(10);
