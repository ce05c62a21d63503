//! A request that is not answered yet, and the best move known for it.

use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::engine::{Answer, Choice, SearchInfo, ThinkRequest};
use crate::search::{any_move, quick_move};
use crate::shogi::Move;

/// The request that is not answered yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) request: ThinkRequest,
    /// The last state of the engine's search with a PV.
    pub(super) known: Option<Box<SearchInfo>>,
    /// The answer of the engine that stands by.
    pub(super) held: Option<Answer>,
    /// The best move by captures alone, if nothing else may be known at the last moment.
    quick: Option<JoinHandle<Option<Move>>>,
    /// When to wake the engine that stands by if no move is known.
    pub(super) alarm_at: Option<Instant>,
    /// When to play the best move known.
    pub(super) last_moment: Option<Instant>,
}

impl Pending {
    pub(super) fn new(request: ThinkRequest) -> Self {
        let last_moment = last_moment(&request);
        let alarm_at = last_moment.map(|at| {
            let left = at.saturating_duration_since(request.turn_started);
            at.checked_sub((left / 4).min(LONGEST_ALARM)).unwrap_or(at)
        });
        Self { request, known: None, held: None, quick: None, alarm_at, last_moment }
    }

    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.alarm_at.or(self.last_moment)
    }

    /// Looks for the best move by captures alone, in a thread of its own.
    pub(super) fn look_for_a_quick_move(&mut self) {
        let game = self.request.game.clone();
        self.quick = Some(spawn_blocking(move || quick_move(&game)));
    }

    /// The best move known, with what is known about it, and whether it is more than any legal move. `declaration`:
    /// whether the game allows to declare a win.
    pub(super) fn best_known(&mut self, declaration: bool) -> (Answer, bool) {
        let position = self.request.game.position();
        let fits = |answer: &&Answer| match answer.choice {
            Choice::Move(mv) => position.is_legal(mv),
            Choice::Declare => declaration && position.can_declare(),
            Choice::Resign => !position.has_legal_move(),
        };
        // An answer is held only while the engine itself is still waited for.
        if let Some(info) = &self.known
            && let Some(best) = info.pv.first().filter(|mv| position.is_legal(**mv))
        {
            let answer = Answer {
                score: info.score,
                pv: info.pv.clone(),
                depth: Some(info.depth),
                nodes: Some(info.nodes),
                ..Answer::plain(Choice::Move(*best))
            };
            return (answer, true);
        }
        if let Some(answer) = self.held.as_ref().filter(fits) {
            return (answer.clone(), true);
        }
        let now = tokio::time::Instant::now().into_std();
        let has_time = self.last_moment.is_none_or(|at| now + QUICK_MOVE < at);
        let quick = match self.quick.take() {
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

/// Time for our own work between the last moment and the line to the server. Engines answer to `stop` before that, the
/// built-in one 30 ms before the flag.
const MARGIN: Duration = Duration::from_millis(25);

/// The longest time that [`quick_move`] takes on a busy machine.
const QUICK_MOVE: Duration = Duration::from_millis(200);

/// How long before the last moment the engine that stands by is woken at the earliest.
const LONGEST_ALARM: Duration = Duration::from_secs(2);
