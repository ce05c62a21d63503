//! One `go`: its request, the infos received since, and the resulting answer.

use std::time::{Duration, Instant};

use crate::shogi::Move;

use super::super::{
    super::{Answer, Bound, Choice, SearchInfo, ThinkRequest},
    parser::Info,
};

/// One `go`.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) request: ThinkRequest,
    /// The last PV for each first move.
    lines: Vec<(Move, Info)>,
    last: Info,
    /// It began as `go ponder`.
    pondered: bool,
    /// Whether to send `stop` before the flag falls.
    guards_flag: bool,
    /// When to send `stop` because the flag is about to fall; `None`: never.
    pub(super) overtime_at: Option<Instant>,
    /// When that `stop` was sent.
    pub(super) overtime: Option<Instant>,
}

impl Search {
    pub(super) fn new(request: ThinkRequest, clock_runs: bool, guards_flag: bool) -> Self {
        let mut search = Self {
            request,
            lines: Vec::new(),
            last: Info::default(),
            pondered: !clock_runs,
            guards_flag,
            overtime_at: None,
            overtime: None,
        };
        if clock_runs {
            search.overtime_at = search.flag_warning();
        }
        search
    }

    /// Whether the request is for the game that is pondered on.
    pub(super) fn is_hit(&self, request: &ThinkRequest) -> bool {
        self.request.game.is_same_as(&request.game)
    }

    /// Whether the engine has shown nothing since it was told to ponder.
    pub(super) fn is_silent_ponder(&self) -> bool {
        self.pondered && self.last.score.is_none() && self.last.depth.is_none()
    }

    /// Replaces the request at a ponder hit.
    pub(super) fn set_request(&mut self, request: ThinkRequest) {
        self.request = request;
        self.overtime_at = self.flag_warning();
    }

    /// When to send `stop` because our flag is about to fall.
    fn flag_warning(&self) -> Option<Instant> {
        if !self.guards_flag || self.request.limit.is_some() {
            return None;
        }
        let color = self.request.game.position().side_to_move();
        let limit = self.request.clocks.of(color).flag_after()?;
        let guard = (limit / 50).min(STOP_BEFORE_FLAG) + Duration::from_millis(50);
        let ahead = (self.request.clocks.network.bound().saturating_add(guard)).min(limit / 2);
        self.request.turn_started.checked_add(limit.saturating_sub(ahead))
    }

    pub(super) fn note(&mut self, mut info: Info) {
        // An engine may print endless lines, and one for each move that can be written.
        if info.pv.len() > LONGEST_LINE {
            info.pv.truncate(LONGEST_LINE);
            info.pv.shrink_to_fit();
        }
        let position = self.request.game.position();
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
        if info.score.is_some() {
            last.score = info.score;
            last.pv.clone_from(&info.pv);
        }
        let Some(&first) = info.pv.first() else { return };
        let at = self.lines.iter().position(|(mv, _)| *mv == first);
        match at.and_then(|at| self.lines.get_mut(at)) {
            // A bound does not replace an exact score unless it is deeper.
            Some((_, known)) => {
                let bound = info.score.is_some_and(|(_, bound)| bound != Bound::Exact);
                let exact = known.score.is_some_and(|(_, bound)| bound == Bound::Exact);
                if !(info.score.is_none() || bound && exact && info.depth <= known.depth) {
                    *known = info;
                }
            }
            None => self.lines.push((first, info)),
        }
    }

    /// The info for watchers; `None` before the first one.
    pub(super) fn shown(&self) -> Option<SearchInfo> {
        let last = &self.last;
        let (score, bound) = last.score?;
        Some(SearchInfo {
            limit: 0,
            workers: 0,
            depth: last.depth.unwrap_or(0),
            seldepth: last.seldepth.unwrap_or(0),
            score: Some(score),
            bound,
            nodes: last.nodes.unwrap_or(0),
            nps: last.nps.unwrap_or(0),
            time: last.time.unwrap_or_default(),
            hashfull: last.hashfull,
            multipv: last.multipv,
            pv: self.legal(&last.pv),
            text: None,
        })
    }

    /// The info for watchers of a line that is not the best one; it counts for nothing else. `None` if it is no line.
    pub(super) fn other_line(&self, info: &Info) -> Option<SearchInfo> {
        let (score, bound) = info.score?;
        let pv = self.legal(&info.pv);
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
    fn legal(&self, pv: &[Move]) -> Vec<Move> {
        let mut game = self.request.game.clone();
        pv.iter().copied().take(LONGEST_LINE).take_while(|mv| game.push(*mv).is_ok()).collect()
    }

    pub(super) fn into_answer(self, choice: Choice, ponder: Option<Move>) -> Answer {
        let Choice::Move(best) = choice else { return Answer::plain(choice) };
        let line = self.lines.iter().find(|(mv, _)| *mv == best).map(|(_, info)| info);
        let pv = line.map(|info| self.legal(&info.pv)).unwrap_or_default();
        let ponder = ponder.filter(|reply| {
            let mut game = self.request.game.clone();
            game.push(best).is_ok() && game.position().is_legal(*reply)
        });
        Answer {
            choice,
            score: line.and_then(|info| info.score).map(|(score, _)| score),
            pv,
            ponder,
            depth: line.and_then(|info| info.depth).or(self.last.depth),
            nodes: self.last.nodes,
            book: None,
        }
    }
}

/// `stop` is sent to an engine that still thinks at about this time before its flag falls.
const STOP_BEFORE_FLAG: Duration = Duration::from_millis(400);

/// Maximum number of PV moves that are used.
const LONGEST_LINE: usize = 128;
