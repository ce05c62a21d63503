//! A game that stands still, and that may be resumed.
//!
//! - A session that loses its connection during a game ends with
//!   [`SessionEnd::Disconnected`](super::SessionEnd::Disconnected) if the settings allow it, and returns the game by
//!   [`Session::take_unfinished`](super::Session::take_unfinished). A new session
//!   ([`Session::resuming`](super::Session::resuming)) logs in, with the game's token if it has one. The clocks run on
//!   without a connection. The game ends as interrupted with an offer of another game, or at the time by which the
//!   server must have ended it.
//! - A game that the server has suspended stands still until its session ends or another game is offered. Then it
//!   ends as adjourned. Its clocks stand still too.
//!
//! Both are resumed when the server offers the game again: with all its moves, or with the present position
//! (docs/csa-protocol.md, section 8). Moves that were made in between are added.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kyomi_shogi::clock::{Clocks, DelayEstimator};
use kyomi_shogi::notation::csa;
use kyomi_shogi::{EndReason, Game, GameEnd, Move, Outcome, Position};

use super::super::event::{EndEvent, GameStart, Standstill, Unfinished};
use super::super::profile::{Behaviour, Profile};
use super::super::summary::GameSummary;
use super::io::Chosen;
use super::running::{Activity, RunningGame};
use super::set_up;

/// A game that stands still, and that may be resumed.
#[derive(Debug)]
pub struct UnfinishedGame {
    pub(super) running: RunningGame,
    /// The player's answer since then.
    pub(super) answer: Option<Chosen>,
    /// Why it stands still.
    pub(super) why: Standstill,
    /// Since when.
    pub(super) since: Instant,
}

/// How an offer continues such a game.
pub(super) struct Continuation {
    /// The moves that were made during the loss, with their times if they are known.
    pub(super) added: Vec<(Move, Option<Duration>)>,
    /// The offer has all moves of the game with their times, so the clocks follow from it. Otherwise ours go on.
    pub(super) has_times: bool,
}

impl UnfinishedGame {
    pub(super) fn new(running: RunningGame, why: Standstill, since: Instant) -> Self {
        Self { running, answer: None, why, since }
    }

    /// Restores a game of an earlier process, as one whose connection was lost, from its offer, the moves since with their times, and the age of the last
    /// move. `handicap` is the time that the server subtracts from the clocks without a line in the offer, `[color]`.
    /// Also returns both clocks before the first of these moves and after each of them. `None` if a move is not legal.
    pub fn restored(
        summary: GameSummary,
        moves: &[(Move, Duration)],
        age: Duration,
        now: Instant,
        profile: Profile,
        handicap: [Duration; 2],
    ) -> Option<(Self, Vec<Clocks>)> {
        let mut game = summary.game().ok()?;
        let network = DelayEstimator::default();
        let mut game_clocks = set_up::game_clocks(&summary, profile.behaviour(), network, handicap);
        let mut clocks = vec![*game_clocks.clocks()];
        for (mv, spent) in moves {
            game_clocks.charge_earlier_move(game.position().side_to_move(), Some(*spent));
            game.push(*mv).ok()?;
            clocks.push(*game_clocks.clocks());
        }
        let turn_started = now.checked_sub(age).unwrap_or(now);
        let unit = profile.behaviour().spent_unit;
        let start = Arc::new(GameStart::new(Arc::new(summary), unit));
        let running = RunningGame::new(start, game, game_clocks, turn_started);
        Some((Self::new(running, Standstill::Disconnected, turn_started), clocks))
    }

    /// The offer of the game.
    pub fn summary(&self) -> &Arc<GameSummary> {
        self.running.summary()
    }

    /// The times of the moves of the offer, as far as it gives them.
    pub fn move_times(&self) -> &[Option<Duration>] {
        &self.running.start.move_times
    }

    /// The game's id.
    pub fn game_id(&self) -> &str {
        &self.running.summary().game_id
    }

    /// Since when the game stands still.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// Whether the server has suspended it.
    pub(super) fn is_suspended(&self) -> bool {
        self.why == Standstill::Suspended
    }

    /// The time by which the server must have ended a game whose connection was lost, whatever the opponent does.
    pub fn until(&self) -> Instant {
        self.since + self.longest_left() + LATE_RESULT
    }

    /// Until when to ask the server for the game. One that gave a token says itself when it holds the game no longer;
    /// its clocks stand while it is down, and the clock on the wall may have been set since the game was saved.
    pub fn ask_until(&self) -> Instant {
        self.until() + if self.has_token() { LONGEST_DOWN } else { Duration::ZERO }
    }

    /// Whether the offer gave a token for continuing the game.
    pub fn has_token(&self) -> bool {
        self.running.summary().reconnect_token.is_some()
    }

    /// The start position and all moves that the server has confirmed.
    pub fn game(&self) -> &Game {
        &self.running.game
    }

    /// Both clocks as of the last move.
    pub fn clocks(&self) -> &Clocks {
        self.running.game_clocks.clocks()
    }

    /// The longest time that the game can still run on the server without us.
    pub fn longest_left(&self) -> Duration {
        self.running.longest_left()
    }

    /// The time until our flag falls: of the running turn if it is ours, else of our next one.
    pub fn until_own_flag(&self, now: Instant) -> Duration {
        let left = self.running.longest_left_of(self.running.color());
        if self.running.is_our_turn() {
            left.saturating_sub(now.saturating_duration_since(self.running.turn_started))
        } else {
            left
        }
    }

    /// Keeps the player's answer until the game is resumed. An answer to another request is dropped.
    pub fn keep_answer(&mut self, chosen: &Chosen) {
        if matches!(self.running.activity, Activity::Thinking { id, .. } if id == chosen.id) {
            self.answer = Some(chosen.clone());
        }
    }

    /// The end of the game if it is not resumed: lost if we had resigned, else without a result, adjourned if it was
    /// suspended and interrupted otherwise.
    pub fn ended(self) -> EndEvent {
        let side_to_move = self.running.side_to_move();
        let (end, outcome) = if self.running.has_resigned() {
            let us = self.running.color();
            (GameEnd::lost(us, EndReason::Resignation, side_to_move), Outcome::Loss)
        } else if self.is_suspended() {
            (GameEnd::without_result(EndReason::Adjourned, side_to_move), Outcome::None)
        } else {
            (GameEnd::without_result(EndReason::Interrupted, side_to_move), Outcome::None)
        };
        let is_open = end.winner.is_none();
        let unfinished = is_open.then(|| Unfinished::new(self.why, &self.running.game_clocks));
        EndEvent {
            unfinished: unfinished.map(Box::new),
            end,
            outcome,
            spent: None,
            own_turn: None,
            analysis: self.running.last_analysis.filter(|_| !is_open),
            lines: self.running.lines,
        }
    }

    /// How this offer continues the game; `None` if it offers another game.
    pub(super) fn continuation(
        &self,
        summary: &GameSummary,
        behaviour: Behaviour,
    ) -> Option<Continuation> {
        let (own, game) = (self.running.summary(), &self.running.game);
        let same_players = summary.your_turn == self.running.color() && summary.names == own.names;
        let same_id = summary.game_id == own.game_id;
        // Two games of the same players without moves differ only in their id.
        if !same_players || !same_id && game.is_empty() {
            return None;
        }
        let offered = summary.game().ok()?;
        let has_same_moves =
            offered.start() == game.start() && offered.moves().starts_with(game.moves());
        if has_same_moves {
            let times = set_up::move_times(summary, behaviour);
            let added = summary.moves.iter().zip(times).skip(game.len());
            let added = added.map(|(setup, time)| (setup.mv, time.spent));
            let has_times = summary.moves.iter().take(game.len()).all(|it| it.spent.is_some());
            return Some(Continuation { added: added.collect(), has_times });
        }
        let moves = same_id.then(|| self.path_to(offered.position())).flatten()?;
        let added = moves.into_iter().map(|mv| (mv, None)).collect();
        Some(Continuation { added, has_times: false })
    }

    /// The moves from the last known position to this one: at most our move and the opponent's reply. The move that we
    /// have sent is tried first.
    fn path_to(&self, target: &Position) -> Option<Vec<Move>> {
        let mut position = self.running.game.position().clone();
        if is_same_position(&position, target) {
            return Some(Vec::new());
        }
        let mut first: Vec<Move> = position.legal_moves().to_vec();
        if let Activity::MoveSent(sent) = &self.running.activity
            && let Ok(mv) = csa::parse_move(&position, sent.word.as_str())
        {
            first.sort_by_key(|other| *other != mv);
        }
        for mv in &first {
            let undo = position.do_move(*mv);
            let reached = is_same_position(&position, target);
            position.undo_move(*mv, undo);
            if reached {
                return Some(vec![*mv]);
            }
        }
        for mv in first {
            let undo = position.do_move(mv);
            let replies = position.legal_moves();
            let reply = replies.iter().copied().find(|reply| {
                let undo = position.do_move(*reply);
                let reached = is_same_position(&position, target);
                position.undo_move(*reply, undo);
                reached
            });
            position.undo_move(mv, undo);
            if let Some(reply) = reply {
                return Some(vec![mv, reply]);
            }
        }
        None
    }
}

/// Whether board, hands and side to move are the same, whatever the number of the move.
fn is_same_position(position: &Position, other: &Position) -> bool {
    position.key() == other.key() && {
        let [one, other] = [position, other].map(Position::to_sfen);
        one.rsplit_once(' ').map(|(text, _)| text) == other.rsplit_once(' ').map(|(text, _)| text)
    }
}

/// How long a server may be down, and by how much the clock on the wall may be set.
const LONGEST_DOWN: Duration = Duration::from_secs(3660);

/// The longest delay between a fallen flag and the server's report of the end: the reference server checks the clocks
/// once a minute.
const LATE_RESULT: Duration = Duration::from_secs(60);
