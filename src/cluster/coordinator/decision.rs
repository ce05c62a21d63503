//! The end of a turn: chooses the move from the results of our own search and of the workers.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

use super::{CHECK, Coordinator, Found, Phase, is_worth_searching};
use crate::players::{Answer, Choice, MoveLimit, PlayerCommand, PlayerEvent, Score, ThinkRequest};
use kyomi_shogi::Move;
use kyomi_shogi::clock::{DelayEstimator, DelayPolicy};

impl Coordinator {
    /// Takes the time for checking another move off a request. Returns whether there is enough.
    pub(super) fn keep_reserve(&self, request: &mut ThinkRequest) -> bool {
        let reserve = self.spec.help.reserve;
        match &mut request.limit {
            Some(MoveLimit::Time(time)) => {
                let enough = *time >= 4 * reserve;
                *time -= if enough { reserve } else { Duration::ZERO };
                enough
            }
            Some(MoveLimit::Nodes(_) | MoveLimit::Depth(_)) => true,
            None => {
                let network = &mut request.clocks.network;
                let (usual, worst) = (network.bound() + reserve, network.outlier_bound() + reserve);
                *network = DelayEstimator::new(DelayPolicy::Given { usual, worst });
                true
            }
        }
    }

    /// Handles the end of our own search: plays its move, or starts checking a better one that the workers suggest.
    pub(super) fn decide(&mut self, mut answer: Answer) {
        let now = Instant::now();
        let before = std::mem::replace(&mut self.phase, Phase::Idle(Some(now)));
        let Phase::Ours { request, began, has_reserve, .. } = before else { return };
        let helped = self.nodes_of_workers();
        let better = self.better_move(&answer).filter(|_| has_reserve);
        if has_reserve && !self.votes.is_empty() {
            let counted = std::mem::take(&mut self.uncounted);
            self.counts.counted_nodes = self.counts.counted_nodes.saturating_add(counted);
        }
        answer.finding.nodes = answer.finding.nodes.map(|nodes| nodes.saturating_add(helped));
        let until = now + self.spec.help.reserve;
        let until = last_moment(&request, began).map_or(until, |last| until.min(last));
        let Some((better, after)) = better.and_then(|better| {
            let mut after = request.game.clone();
            after.push(*better.line.first()?).ok()?;
            let is_useful = is_worth_searching(&after, self.entering_king());
            (is_useful && until > now).then_some((better, after))
        }) else {
            return self.answer(request.id, answer);
        };
        let depth = (answer.finding.depth.unwrap_or(2) / 2).max(1);
        let mut clocks = request.clocks;
        clocks.turn = after.position().side_to_move();
        self.player.send(PlayerCommand::Think(ThinkRequest {
            id: CHECK,
            game: after,
            clocks,
            turn_started: std::time::Instant::now(),
            limit: Some(MoveLimit::Depth(depth)),
        }));
        self.counts.checks += 1;
        self.phase = Phase::Checking { request, answer: Box::new(answer), better, depth, until };
    }

    /// What was found of a better move than that of our own search, by the votes of the workers.
    fn better_move(&mut self, answer: &Answer) -> Option<Found> {
        let Choice::Move(own_move) = answer.choice else { return None };
        let (Some(Score::Cp(score)), None) = (answer.finding.score, answer.book) else {
            return None;
        };
        if score <= RESIGNABLE {
            return None;
        }
        // The answer may be newer than the last PV with an exact score.
        let last = self.own.take()?;
        let own = if last.line.first() == Some(&own_move) {
            last
        } else {
            let line = if answer.finding.pv.is_empty() {
                vec![own_move]
            } else {
                answer.finding.pv.clone()
            };
            Found { score, limit: last.limit, line }
        };
        self.vote_winner(&own).filter(|found| found.line.first().is_some_and(|mv| *mv != own_move))
    }

    /// The move with the most votes of all searches of the current position. The weight of a vote is
    /// (score − lowest score + 10) · limit.
    fn vote_winner(&self, own: &Found) -> Option<Found> {
        let all: Vec<&Found> = std::iter::once(own).chain(self.votes.values()).collect();
        let least = all.iter().map(|found| found.score).min()?;
        let mut sums: BTreeMap<Move, (i64, &Found)> = BTreeMap::new();
        for found in &all {
            let weight = (i64::from(found.score) - i64::from(least) + 10) * i64::from(found.limit);
            let entry = sums.entry(*found.line.first()?).or_insert((0, *found));
            entry.0 += weight;
            if found.limit > entry.1.limit {
                entry.1 = found;
            }
        }
        let (_, best) = sums.into_values().max_by_key(|(votes, found)| (*votes, found.limit))?;
        Some(best.clone())
    }

    /// Ends the check of a better move. It is played if our own search answered in time, reached a sufficient depth and
    /// does not find it much worse than its own move.
    pub(super) fn finish_check(&mut self, checked: Option<&Answer>) {
        let Phase::Checking { request, mut answer, better, depth, .. } =
            std::mem::replace(&mut self.phase, Phase::Idle(Some(Instant::now())))
        else {
            return;
        };
        let own = answer.finding.score.map_or(0, Score::centipawns);
        let seen =
            checked.filter(|checked| is_deep(checked, depth)).and_then(|it| it.finding.score);
        self.counts.cut_checks += u64::from(seen.is_none());
        let fits =
            seen.is_some_and(|score| -score.centipawns() >= own.min(better.score) - MOST_WORSE);
        if fits && let Some(mv) = better.line.first() {
            self.counts.overruled += 1;
            answer.choice = Choice::Move(*mv);
            answer.finding.score = Some(match seen {
                // A mate score is only reported if our own search has found it.
                Some(after) if better.score.abs() >= LEAST_MATE => before_move(after),
                _ => Score::Cp(better.score),
            });
            answer.ponder = better.line.get(1).copied();
            answer.finding.pv = better.line;
        }
        self.answer(request.id, *answer);
    }

    fn answer(&self, id: u64, answer: Answer) {
        self.events.send(PlayerEvent::Helped(self.counts));
        self.events.send(PlayerEvent::Answer { id, answer });
    }
}

/// When the check of another move must be over, in a turn that began at this time; `None` without a clock.
fn last_moment(request: &ThinkRequest, began: Instant) -> Option<Instant> {
    let end = match request.limit {
        Some(MoveLimit::Time(time)) => time,
        Some(MoveLimit::Nodes(_) | MoveLimit::Depth(_)) => return None,
        None => {
            let flag = request.clocks.running().flag_after()?;
            flag.saturating_sub(request.clocks.network.bound() + MARGIN)
        }
    };
    began.checked_add(end)
}

/// Whether a search with this target depth was deep enough. A search that was stopped in its first iteration has no
/// depth, and its score is the static evaluation. The answer may come from a helper thread that has reached less depth
/// than the main thread.
fn is_deep(checked: &Answer, depth: u32) -> bool {
    let is_mate = checked.finding.score.is_some_and(|score| score.centipawns().abs() >= LEAST_MATE);
    is_mate || checked.finding.depth.is_some_and(|reached| reached >= depth.div_ceil(2))
}

/// The score of a position, from the score of the position after its best move.
fn before_move(after: Score) -> Score {
    match -after {
        Score::Win(plies) => Score::Win(plies.map(|plies| plies + 1)),
        Score::Loss(plies) => Score::Loss(plies.map(|plies| plies + 1)),
        Score::Cp(score) => Score::Cp(score),
    }
}

/// The lowest score in centipawns that represents a mate.
const LEAST_MATE: i32 = 30_000;
/// At this score or less, in centipawns, the game may be resigned soon, and no better move is looked for.
const RESIGNABLE: i32 = -2000;
/// The time before the flag falls that the check of another move never uses.
const MARGIN: Duration = Duration::from_millis(30);
/// A move of the workers is not played if our own search finds it worse by more than this, in centipawns.
const MOST_WORSE: i32 = 150;
