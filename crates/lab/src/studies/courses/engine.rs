//! An engine that searches positions, each without what it knows of the others.

use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::{Course, CourseError, CourseLine};
use kyomi::matches::Contestant;
use kyomi::players::{
    self, BuiltinSpec, Choice, GameInfo, MoveLimit, PlayerCommand, PlayerEvent, PlayerHandle,
    PlayerSpec, SearchInfo, ThinkRequest,
};
use kyomi_engine::search::explain::{ExplainRequest, Observed, count_nodes, observe};
use kyomi_engine::search::{Bound, SearchLimits, StopFlag};
use kyomi_shogi::clock::{Controls, GameClocks, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, Game, Move, Position};

/// An engine, ready to search.
pub(super) struct CourseEngine {
    name: String,
    kind: Kind,
}

enum Kind {
    /// The request has no limits yet.
    Builtin(Box<ExplainRequest>),
    Usi {
        player: PlayerHandle,
        runtime: Handle,
        requests: u64,
    },
}

impl CourseEngine {
    /// Tests what can be tested of an engine before anything is written.
    ///
    /// # Errors
    /// Its options are wrong, or it does not search.
    pub(super) fn check(contestant: &Contestant) -> Result<(), CourseError> {
        let checked = match &contestant.spec {
            PlayerSpec::Builtin(spec) => request(spec).map(|_| ()),
            PlayerSpec::Usi(_) => Ok(()),
            PlayerSpec::Random(_) => Err("a random player does not search".to_owned()),
        };
        let name = contestant.name.clone();
        checked.map_err(|reason| CourseError::Settings { name, reason })
    }

    /// Starts an engine and waits until it is ready or the run is stopped. It is called on a thread that may block.
    pub(super) fn start(
        contestant: &Contestant,
        runtime: &Handle,
        stop: &StopFlag,
    ) -> Result<Self, CourseError> {
        let name = contestant.name.clone();
        let settings = |reason: String| CourseError::Settings { name: name.clone(), reason };
        let kind = match &contestant.spec {
            PlayerSpec::Builtin(spec) => Kind::Builtin(Box::new(request(spec).map_err(settings)?)),
            PlayerSpec::Usi(_) => {
                let _entered = runtime.enter();
                let mut player = players::start(contestant.spec.clone());
                let ready = async {
                    tokio::select! {
                        ready = player.ready() => ready.map(|_| ()),
                        () = stopped(stop) => Ok(()),
                    }
                };
                runtime.block_on(ready).map_err(|error| failed(&name, &error))?;
                Kind::Usi { player, runtime: runtime.clone(), requests: 0 }
            }
            PlayerSpec::Random(_) => {
                return Err(settings("a random player does not search".to_owned()));
            }
        };
        Ok(Self { name, kind })
    }

    /// Searches a position as if it began a game, with this number of nodes.
    pub(super) fn search(
        &mut self,
        position: &Position,
        nodes: u64,
        counts: bool,
        stop: &StopFlag,
    ) -> Result<Course, CourseError> {
        let game = Game::new(position.clone());
        match &mut self.kind {
            Kind::Builtin(request) => {
                request.limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
                let observed = observe(&game, request, stop);
                let observed = observed.map_err(|error| failed(&self.name, &error))?;
                let mut course = course_of(&observed);
                if counts {
                    let counts = count_nodes(&game, request, stop);
                    let counts = counts.map_err(|error| failed(&self.name, &error))?;
                    course.counts = counts.tables().map(|table| table.numbers).to_vec();
                }
                Ok(course)
            }
            Kind::Usi { player, runtime, requests } => {
                *requests += 1;
                let asked = async {
                    tokio::select! {
                        course = ask(player, game, nodes, *requests) => course,
                        // It may never answer. Its course is not kept.
                        () = stopped(stop) => Ok(Course::default()),
                    }
                };
                runtime.block_on(asked).map_err(|reason| failed(&self.name, &reason))
            }
        }
    }

    /// Ends the engine.
    pub(super) fn quit(self) {
        if let Kind::Usi { player, runtime, .. } = self.kind {
            runtime.block_on(player.quit());
        }
    }
}

fn failed(name: &str, reason: &impl ToString) -> CourseError {
    CourseError::Engine { name: name.to_owned(), reason: reason.to_string() }
}

/// The request of a built-in engine, or what is wrong with its options.
fn request(spec: &BuiltinSpec) -> Result<ExplainRequest, String> {
    if let Some(fault) = spec.option_faults().into_iter().next() {
        return Err(fault);
    }
    if spec.threads > 1 {
        return Err(format!("threads={}; such a study searches with one thread", spec.threads));
    }
    Ok(ExplainRequest {
        limits: SearchLimits::default(),
        parameters: spec.parameters().0,
        evaluation: spec.faultless_evaluation()?,
        hash_bytes: spec.hash_bytes,
        node: None,
    })
}

/// The course of a built-in search from its iterations and its end.
fn course_of(observed: &[Observed]) -> Course {
    let written = |mv: Option<Move>| mv.map(|mv| mv.to_string());
    let mut lines: Vec<_> = observed
        .iter()
        .map(|state| CourseLine {
            depth: state.depth,
            seldepth: state.seldepth,
            nodes: state.nodes,
            us: state.time.as_micros() as u64,
            hashfull: Some(state.hashfull),
            best: written(state.best),
            completed: true,
        })
        .collect();
    if let Some(end) = lines.last_mut() {
        end.completed = false;
    }
    let end = observed.last();
    Course {
        best: end.and_then(|end| written(end.best)),
        nodes: end.map_or(0, |end| end.nodes),
        us: end.map_or(0, |end| end.time.as_micros() as u64),
        lines,
        counts: Vec::new(),
    }
}

/// Lets a USI engine begin a game at a position and choose a move.
async fn ask(
    player: &mut PlayerHandle,
    game: Game,
    nodes: u64,
    request: u64,
) -> Result<Course, String> {
    let color = game.position().side_to_move();
    let entering_king = EnteringKingRule::default();
    player.send(PlayerCommand::NewGame(GameInfo { color, entering_king, max_moves: None }));
    while !matches!(next(player).await?, PlayerEvent::Prepared) {}
    let clocks = *GameClocks::new(Controls::both(TimeControl::UNLIMITED), Color::Black).clocks();
    let turn_started = Instant::now();
    let limit = Some(MoveLimit::Nodes(nodes));
    let think = ThinkRequest { id: request, game, clocks, turn_started, limit };
    player.send(PlayerCommand::Think(think));
    let mut course = Course::default();
    loop {
        match next(player).await? {
            PlayerEvent::Info { id, info } if id == request && info.is_best_line() => {
                course.lines.extend(line(&info, nodes));
            }
            PlayerEvent::Answer { id, answer } if id == request => {
                if let Choice::Move(mv) = answer.choice {
                    course.best = Some(mv.to_string());
                }
                let last = course.lines.last();
                course.nodes = last.map_or(0, |line| line.nodes);
                course.us = turn_started.elapsed().as_micros() as u64;
                return Ok(course);
            }
            _ => {}
        }
    }
}

/// Waits until the user stops the run.
async fn stopped(stop: &StopFlag) {
    let mut look = tokio::time::interval(Duration::from_millis(50));
    while !stop.is_stopped() {
        look.tick().await;
    }
}

/// The next event of a player that works.
async fn next(player: &mut PlayerHandle) -> Result<PlayerEvent, String> {
    match player.event().await {
        Some(
            PlayerEvent::Restarted(error) | PlayerEvent::GaveUp(error) | PlayerEvent::Failed(error),
        ) => Err(error.to_string()),
        Some(event) => Ok(event),
        None => Err("it ended unexpectedly".to_owned()),
    }
}

/// A report of a USI engine. An exact score before the last node says that the depth is completed.
fn line(info: &SearchInfo, limit: u64) -> Option<CourseLine> {
    let best = info.pv.first().map(ToString::to_string);
    (info.depth > 0 && (best.is_some() || info.score.is_some())).then(|| CourseLine {
        depth: info.depth,
        seldepth: info.seldepth,
        nodes: info.nodes,
        // The engine states whole milliseconds, rounded down.
        us: (info.time + HALF_A_MILLISECOND).as_micros() as u64,
        hashfull: info.hashfull,
        best,
        completed: info.bound == Bound::Exact && info.nodes < limit,
    })
}

const HALF_A_MILLISECOND: Duration = Duration::from_micros(500);

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi::players::Score;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn only_exact_scores_before_the_limit_complete_a_depth() {
        let info = SearchInfo {
            depth: 5,
            nodes: 100,
            score: Some(Score::Cp(3)),
            pv: vec![parse_move("7g7f").unwrap()],
            ..SearchInfo::default()
        };
        let exact = line(&info, 101).unwrap();
        assert_eq!((exact.best.as_deref(), exact.us, exact.completed), (Some("7g7f"), 500, true));
        assert!(!line(&info, 100).unwrap().completed);
        let lower = SearchInfo { bound: Bound::Lower, ..info.clone() };
        assert!(!line(&lower, 101).unwrap().completed);
        assert_eq!(line(&SearchInfo { depth: 0, ..info }, 101), None);
    }

    #[test]
    fn options_without_effect_are_refused() {
        let spec = |text: &str| {
            let player = Contestant::parse(text, Some("nodes=1".parse().unwrap()), "A").unwrap();
            let PlayerSpec::Builtin(spec) = player.spec else { panic!("{text}") };
            request(&spec)
        };
        assert!(spec("builtin Preset=lmr hash=4").is_ok());
        for text in ["builtin Presett=lmr", "builtin threads=2", "builtin EvalFile=nowhere"] {
            assert!(spec(text).is_err(), "{text}");
        }
    }
}
