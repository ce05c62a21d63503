//! One `go`: its request, the infos received since, and the resulting answer.

use std::time::{Duration, Instant};

use kyomi_shogi::{Finding, Move};

use super::super::{
    super::{Answer, Bound, Choice, Score, SearchInfo, ThinkRequest},
    parser::Info,
};

/// One `go`.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) request: ThinkRequest,
    /// The last PV for each first move.
    lines: Vec<(Move, Info)>,
    last: Info,
    /// The last scored info of the best line that came without a PV, unless one with a PV followed: some engines send
    /// none, or none with every score.
    bare: Option<Info>,
    /// Whether it began as `go ponder`.
    pondered: bool,
    /// Whether to send `stop` before the flag falls.
    stops_at_flag: bool,
    /// When to send `stop` because the flag is about to fall; `None`: never.
    flag_stop_at: Option<Instant>,
    /// When to send `stop` if the engine has printed nothing until then; `None`: never.
    silence_limit_at: Option<Instant>,
    /// When one of these `stop` was sent.
    pub(super) stop_sent_at: Option<Instant>,
}

impl Search {
    pub(super) fn new(request: ThinkRequest, clock_runs: bool, stops_at_flag: bool) -> Self {
        let mut search = Self {
            request,
            lines: Vec::new(),
            last: Info::default(),
            bare: None,
            pondered: !clock_runs,
            stops_at_flag,
            flag_stop_at: None,
            silence_limit_at: None,
            stop_sent_at: None,
        };
        if clock_runs {
            search.start_time_limits();
        }
        search
    }

    /// Whether the request is for the game that is pondered on.
    pub(super) fn is_hit(&self, request: &ThinkRequest) -> bool {
        self.request.game.is_same_as(&request.game)
    }

    /// The last score that the engine has sent for its best line.
    pub(super) fn last_score(&self) -> Option<Score> {
        self.last.score.map(|(score, _)| score)
    }

    /// Whether it began as `go ponder`.
    pub(super) fn has_pondered(&self) -> bool {
        self.pondered
    }

    /// Whether the engine has sent no info since `go ponder`.
    pub(super) fn is_silent_ponder(&self) -> bool {
        self.pondered && self.last.score.is_none() && self.last.depth.is_none()
    }

    /// Replaces the request at a ponder hit.
    pub(super) fn set_request(&mut self, request: ThinkRequest) {
        self.request = request;
        self.start_time_limits();
    }

    fn start_time_limits(&mut self) {
        self.flag_stop_at = self.flag_stop_at();
        self.output_received(self.request.turn_started);
    }

    /// Records that the engine has printed something at this time, so that it has not hung.
    pub(super) fn output_received(&mut self, now: Instant) {
        self.silence_limit_at = self.silence_limit().and_then(|longest| now.checked_add(longest));
    }

    /// How long an engine may print nothing. Otherwise an engine that hangs would use up the main time. Without main
    /// time only this turn is at stake, and `stop` is sent before the flag falls.
    fn silence_limit(&self) -> Option<Duration> {
        self.flag_stop_at?;
        let color = self.request.game.position().side_to_move();
        let clock = self.request.clocks.of(color);
        let main = clock.remaining;
        let own = clock.control.byoyomi.saturating_add(clock.control.increment);
        (!main.is_zero())
            .then(|| (main / 8).max(SHORTEST_SILENCE_LIMIT).min(main / 2).saturating_add(own))
    }

    /// When to send `stop`: before the flag falls, or after a long silence.
    pub(super) fn send_stop_at(&self) -> Option<Instant> {
        match (self.flag_stop_at, self.silence_limit_at) {
            (Some(flag), Some(silence)) => Some(flag.min(silence)),
            (flag, silence) => flag.or(silence),
        }
    }

    /// Whether the engine has been silent for too long at this time.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        self.silence_limit_at.is_some_and(|at| at <= now)
    }

    /// The time that the engine has to answer `stop`.
    pub(super) fn stop_timeout(&self) -> Duration {
        let color = self.request.game.position().side_to_move();
        let left = self.request.clocks.of(color).remaining / 8;
        match self.flag_stop_at {
            Some(_) => left.clamp(SHORTEST_STOP, STOP_TIMEOUT),
            None => STOP_TIMEOUT,
        }
    }

    /// When to send `stop` because our flag is about to fall.
    fn flag_stop_at(&self) -> Option<Instant> {
        if !self.stops_at_flag || self.request.limit.is_some() {
            return None;
        }
        let color = self.request.game.position().side_to_move();
        let limit = self.request.clocks.of(color).flag_after()?;
        let guard = (limit / 50).min(STOP_BEFORE_FLAG) + Duration::from_millis(50);
        let ahead = (self.request.clocks.network.bound().saturating_add(guard)).min(limit / 2);
        self.request.turn_started.checked_add(limit.saturating_sub(ahead))
    }

    /// Records an `info` line: the latest values, and the last PV for each first move.
    pub(super) fn record(&mut self, mut info: Info) {
        // A hostile engine may print endless lines, and any number of them.
        if info.pv.len() > LONGEST_LINE {
            info.pv.truncate(LONGEST_LINE);
            info.pv.shrink_to_fit();
        }
        let position = self.request.game.position();
        let has_pv = !info.pv.is_empty();
        if info.pv.first().is_some_and(|first| !position.is_legal(*first)) {
            info.pv.clear();
            info.pv.shrink_to_fit();
        }
        let last = &mut self.last;
        last.depth = info.depth.or(last.depth);
        last.nodes = info.nodes.or(last.nodes);
        last.nps = info.nps.or(last.nps);
        last.time = info.time.or(last.time);
        last.hashfull = info.hashfull.or(last.hashfull);
        last.seldepth = info.seldepth.or(last.seldepth);
        last.score = info.score.or(last.score);
        if !info.pv.is_empty() {
            last.pv.clone_from(&info.pv);
        }
        let is_news = self.bare.as_ref().is_none_or(|known| replaces(&info, known));
        let Some(&first) = info.pv.first() else {
            // A line of play that is not legal may be one of another position, and so may its score.
            if !has_pv && info.score.is_some() && is_news {
                self.bare = Some(info);
            }
            return;
        };
        if info.score.is_some() && is_news {
            self.bare = None;
        }
        let at = self.lines.iter().position(|(mv, _)| *mv == first);
        match at.and_then(|at| self.lines.get_mut(at)) {
            Some((_, known)) => {
                if replaces(&info, known) {
                    *known = info;
                }
            }
            None => self.lines.push((first, info)),
        }
    }

    /// The state of the search for watchers; `None` before the first score and the first PV.
    pub(super) fn search_info(&self) -> Option<SearchInfo> {
        let last = &self.last;
        if last.score.is_none() && last.pv.is_empty() {
            return None;
        }
        Some(SearchInfo {
            limit: 0,
            workers: 0,
            depth: last.depth.unwrap_or(0),
            seldepth: last.seldepth.unwrap_or(0),
            score: self.last_score(),
            bound: last.score.map_or(Bound::Exact, |(_, bound)| bound),
            nodes: last.nodes.unwrap_or(0),
            nps: last.nps.unwrap_or(0),
            time: last.time.unwrap_or_default(),
            hashfull: last.hashfull,
            multipv: last.multipv,
            pv: self.legal_prefix(&last.pv),
            text: None,
        })
    }

    /// The info for watchers of a line that is not the best one. It is not recorded. `None` without a score or a PV.
    pub(super) fn secondary_line_info(&self, info: &Info) -> Option<SearchInfo> {
        let (score, bound) = info.score?;
        let pv = self.legal_prefix(&info.pv);
        (!pv.is_empty()).then(|| SearchInfo {
            limit: 0,
            workers: 0,
            depth: info.depth.unwrap_or(0),
            seldepth: info.seldepth.unwrap_or(0),
            score: Some(score),
            bound,
            nodes: info.nodes.or(self.last.nodes).unwrap_or(0),
            nps: info.nps.or(self.last.nps).unwrap_or(0),
            time: info.time.or(self.last.time).unwrap_or_default(),
            hashfull: info.hashfull.or(self.last.hashfull),
            multipv: info.multipv,
            pv,
            text: None,
        })
    }

    /// The legal beginning of a PV.
    fn legal_prefix(&self, pv: &[Move]) -> Vec<Move> {
        let mut game = self.request.game.clone();
        pv.iter().copied().take(LONGEST_LINE).take_while(|mv| game.push(*mv).is_ok()).collect()
    }

    pub(super) fn into_answer(self, choice: Choice, ponder: Option<Move>) -> Answer {
        let Choice::Move(best) = choice else {
            let finding = Finding {
                score: self.last_score(),
                depth: self.last.depth,
                nodes: self.last.nodes,
                ..Finding::default()
            };
            return Answer { finding, ..Answer::plain(choice) };
        };
        let line = self.lines.iter().find(|(mv, _)| *mv == best).map(|(_, info)| info);
        // A score without a PV is that of the move which the engine then plays.
        let bare = self.bare.as_ref();
        let scored = bare.filter(|bare| line.is_none_or(|line| replaces(bare, line))).or(line);
        let pv = line.map(|info| self.legal_prefix(&info.pv)).unwrap_or_default();
        let ponder = ponder.filter(|reply| {
            let mut game = self.request.game.clone();
            game.push(best).is_ok() && game.position().is_legal(*reply)
        });
        let finding = Finding {
            score: scored.and_then(|info| info.score).map(|(score, _)| score),
            pv,
            depth: scored.and_then(|info| info.depth).or(self.last.depth),
            nodes: self.last.nodes,
            from_book: false,
        };
        Answer { ponder, finding, ..Answer::plain(choice) }
    }
}

/// Whether the score of an info replaces that of an earlier one. A bound does not replace an exact score unless it is
/// deeper.
fn replaces(info: &Info, known: &Info) -> bool {
    let Some((_, bound)) = info.score else { return false };
    let is_exact = known.score.is_some_and(|(_, bound)| bound == Bound::Exact);
    bound == Bound::Exact || !is_exact || info.depth > known.depth
}

/// The time limit from `stop` to `bestmove`.
pub(super) const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The time limit from `stop` to `bestmove` when there is little time left.
const SHORTEST_STOP: Duration = Duration::from_secs(1);

/// An engine may print nothing for this long, or an eighth of the main time if that is more.
const SHORTEST_SILENCE_LIMIT: Duration = Duration::from_secs(10);

/// `stop` is sent to an engine that still thinks at about this time before its flag falls.
const STOP_BEFORE_FLAG: Duration = Duration::from_millis(400);

/// Maximum number of PV moves that are used.
const LONGEST_LINE: usize = 128;
