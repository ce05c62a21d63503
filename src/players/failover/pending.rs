//! A request that is not answered yet, and the fallback move for it.

use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::players::{Answer, Choice, SearchInfo, ThinkRequest};
use kyomi_engine::search::{any_move, quick_move};
use kyomi_shogi::{EnteringKingRule, Finding, Move};

/// The request that is not answered yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) request: ThinkRequest,
    /// The last state of the engine's search with a PV.
    pub(super) best_info: Option<Box<SearchInfo>>,
    /// The answer of the standby engine.
    pub(super) standby_answer: Option<Answer>,
    /// The search for the best move by captures alone, for the case that no engine has shown a move.
    quick_move: Option<JoinHandle<Option<Move>>>,
    /// When to start the standby engine if no move is known.
    pub(super) standby_at: Option<Instant>,
    /// When to play the fallback move.
    pub(super) last_moment: Option<Instant>,
}

impl Pending {
    pub(super) fn new(request: ThinkRequest) -> Self {
        let last_moment = last_moment(&request);
        let standby_at = last_moment.map(|at| {
            let left = at.saturating_duration_since(request.turn_started);
            at.checked_sub((left / 4).min(EARLIEST_STANDBY)).unwrap_or(at)
        });
        Self {
            request,
            best_info: None,
            standby_answer: None,
            quick_move: None,
            standby_at,
            last_moment,
        }
    }

    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.standby_at.or(self.last_moment)
    }

    /// Starts a thread that looks for the best move by captures alone.
    pub(super) fn start_quick_move(&mut self) {
        let game = self.request.game.clone();
        self.quick_move = Some(spawn_blocking(move || quick_move(&game)));
    }

    /// The best move known with its analysis, and whether it is better than a random legal move. `rule`: how an entered
    /// king wins.
    pub(super) fn fallback_answer(&mut self, rule: EnteringKingRule) -> (Answer, bool) {
        let position = self.request.game.position();
        let fits = |answer: &&Answer| match answer.choice {
            Choice::Move(mv) => position.is_legal(mv),
            Choice::Declare => position.can_declare(rule),
            Choice::Resign => !position.has_legal_move(),
        };
        if let Some(info) = &self.best_info
            && let Some(best) = info.pv.first().filter(|mv| position.is_legal(**mv))
        {
            let finding = Finding {
                score: info.score,
                pv: info.pv.clone(),
                depth: Some(info.depth),
                nodes: Some(info.nodes),
                from_book: false,
            };
            let answer = Answer { finding, ..Answer::plain(Choice::Move(*best)) };
            return (answer, true);
        }
        if let Some(answer) = self.standby_answer.as_ref().filter(fits) {
            return (answer.clone(), true);
        }
        let now = tokio::time::Instant::now().into_std();
        let has_time = self.last_moment.is_none_or(|at| now + QUICK_MOVE_TIME < at);
        let quick = match self.quick_move.take() {
            Some(found) => found.now_or_never().and_then(Result::ok).flatten(),
            None if has_time => quick_move(&self.request.game),
            None => None,
        };
        let mv = quick.or_else(|| any_move(&self.request.game).best);
        (Answer::plain(mv.map_or(Choice::Resign, Choice::Move)), quick.is_some())
    }
}

/// The last moment at which a move is still in time; `None` without a clock.
fn last_moment(request: &ThinkRequest) -> Option<Instant> {
    if request.limit.is_some() {
        return None;
    }
    let side = request.game.position().side_to_move();
    let limit = request.clocks.of(side).flag_after()?;
    let ahead = request.clocks.network.bound().saturating_add(MARGIN).min(limit / 2);
    request.turn_started.checked_add(limit.saturating_sub(ahead))
}

/// Time from the last moment until our line is sent. Engines answer `stop` before that, the built-in one 30 ms before
/// the flag.
const MARGIN: Duration = Duration::from_millis(25);

/// The longest time that [`quick_move`] takes on a busy machine.
const QUICK_MOVE_TIME: Duration = Duration::from_millis(200);

/// The longest time before the last moment at which the standby engine is started.
const EARLIEST_STANDBY: Duration = Duration::from_secs(2);
