//! A game whose connection was lost, and which may be resumed over another one.
//!
//! A session that loses its connection during a game ends with [`SessionEnd::Suspended`] if the settings allow it, and
//! returns the game by [`Session::take_suspended`]. A new session ([`Session::resuming`]) logs in, with the game's token
//! if it has one, and resumes the game when the server offers it again: with all its moves, or with the present position
//! (docs/csa-protocol.md, section 8). Moves that were made in the meantime are added. The clocks are as stated by the
//! server; the time of the present turn goes on. An offer of another game ends the suspended one, and so does the time
//! after which the server must have ended it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::{Clocks, TimeControl};
use crate::config::Secret;
use crate::shogi::notation::csa;
use crate::shogi::{Color, EndReason, Game, GameEnd, Move, Outcome, Position};

use super::super::event::{EndEvent, GameEvent, GameStart, MoveEvent};
use super::super::message::{ClientMessage, LoginMode, MoveWord, ServerMessage};
use super::super::profile::SetUpTimes;
use super::super::reconnect::{ReconnectState, ReconnectStateReader};
use super::super::summary::{GameSummary, SetupMove};
use super::state::{Activity, RunningGame, State};
use super::{Action, Chosen, Session, SessionEnd, SessionSettings, When, set_up};

/// A game whose connection was lost.
#[derive(Debug)]
pub struct SuspendedGame {
    running: RunningGame,
    /// The player's answer in the meantime.
    answer: Option<Chosen>,
    /// When the connection was lost.
    lost_at: Instant,
}

/// How an offer continues a suspended game.
struct Continuation {
    /// The moves that were made in the meantime, with their times if they are known.
    added: Vec<(Move, Option<Duration>)>,
    /// The offer has all moves of the game, so the clocks follow from it. Otherwise it has the present position.
    has_all_moves: bool,
}

impl SuspendedGame {
    pub(super) fn new(running: RunningGame, lost_at: Instant) -> Self {
        Self { running, answer: None, lost_at }
    }

    /// The game's id.
    pub fn game_id(&self) -> &str {
        &self.running.summary().game_id
    }

    /// When the connection was lost.
    pub fn lost_at(&self) -> Instant {
        self.lost_at
    }

    /// When the server must have ended the game, whatever the opponent does.
    pub fn until(&self) -> Instant {
        self.lost_at + self.longest_left() + LATE_RESULT
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

    /// Keeps the player's answer until the game is resumed. An answer to another request is dropped.
    pub fn keep_answer(&mut self, chosen: &Chosen) {
        if matches!(self.running.activity, Activity::Thinking { id } if id == chosen.id) {
            self.answer = Some(chosen.clone());
        }
    }

    /// The end of the game if it is not resumed: interrupted, without a result.
    pub fn interrupted(self) -> EndEvent {
        let side_to_move = self.running.side_to_move();
        let clocks = Some(Box::new(*self.clocks()));
        EndEvent {
            clocks,
            end: GameEnd::without_result(EndReason::Interrupted, side_to_move),
            outcome: Outcome::None,
            spent: None,
            lines: self.running.lines,
        }
    }

    /// How this offer continues the game; `None` if it offers another game.
    fn continuation(&self, summary: &GameSummary) -> Option<Continuation> {
        let (known, game) = (self.running.summary(), &self.running.game);
        let same_players =
            summary.your_turn == self.running.color() && summary.names == known.names;
        let same_id = summary.game_id == known.game_id;
        // Of two games of the same players without moves only the id says whether they are the same.
        if !same_players || !(same_id || !game.is_empty()) {
            return None;
        }
        let offered = summary.game().ok()?;
        let begins_alike =
            offered.start() == game.start() && offered.moves().starts_with(game.moves());
        if begins_alike {
            let spent = |setup: &SetupMove, control: &TimeControl| {
                setup.spent.map(|spent| spent.to_duration(control.unit))
            };
            let added = summary.moves.iter().enumerate().skip(game.len()).map(|(ply, setup)| {
                let first = summary.start.side_to_move();
                let side = if ply.is_multiple_of(2) { first } else { !first };
                (setup.mv, spent(setup, summary.time(side)))
            });
            return Some(Continuation { added: added.collect(), has_all_moves: true });
        }
        let moves = same_id.then(|| self.path_to(offered.position())).flatten()?;
        let added = moves.into_iter().map(|mv| (mv, None)).collect();
        Some(Continuation { added, has_all_moves: false })
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

impl Session {
    /// A session over a new connection that resumes a game if the server offers it.
    pub fn resuming(settings: SessionSettings, game: SuspendedGame) -> Self {
        Self { suspended: Some(Box::new(game)), ..Self::new(settings) }
    }

    /// Takes out the game that was suspended when the connection was lost, or that was not resumed.
    pub fn take_suspended(&mut self) -> Option<SuspendedGame> {
        self.suspended.take().map(|game| *game)
    }

    /// Ends the suspended game if this offer is for another game.
    pub(super) fn end_suspended_unless(&mut self, summary: &GameSummary) {
        if self.suspended.as_ref().is_some_and(|game| game.continuation(summary).is_none()) {
            self.end_suspended();
        }
    }

    /// How to log in: with the token of the suspended game if it has one.
    pub(super) fn login_mode(&self) -> LoginMode {
        let known = self.suspended.as_ref().map(|game| game.running.summary());
        let token = known.and_then(|known| {
            let token = known.reconnect_token.as_deref()?;
            let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
            let usable = is_word(token) && is_word(&known.game_id) && !token.contains('+');
            usable.then(|| LoginMode::Reconnect {
                game_id: known.game_id.clone(),
                token: Secret::new(token),
            })
        });
        token.unwrap_or(if self.settings.extended { LoginMode::Extended } else { LoginMode::Plain })
    }

    /// When the suspended game is given up, if it has not been resumed.
    pub(super) fn suspended_until(&self) -> Option<Instant> {
        self.suspended.as_ref().filter(|_| !self.is_over()).map(|game| game.until())
    }

    /// Gives the suspended game up if the server must have ended it.
    pub(super) fn check_suspended(&mut self, now: Instant) {
        let resuming = matches!(self.state, State::Starting { .. } | State::Resuming { .. });
        if resuming || self.suspended_until().is_none_or(|until| now < until) {
            return;
        }
        self.end_suspended();
        let leaves = self.quit.is_some() || self.end_after_game() == SessionEnd::Done;
        if leaves && matches!(self.state, State::Waiting(_)) {
            self.log_out(now, SessionEnd::Done);
        }
    }

    /// Handles `BEGIN Reconnect_State`.
    pub(super) fn begin_reconnect_state(&mut self, line: &str) {
        if matches!(self.state, State::Resuming { .. }) {
            self.state_reader = Some(ReconnectStateReader::default());
        } else {
            self.unexpected(line);
        }
    }

    /// Resumes the game before a line that belongs to it, if the server has sent no state of it.
    pub(super) fn resume_before(&mut self, now: Instant, message: &ServerMessage) {
        let in_game = matches!(
            message,
            ServerMessage::Move { .. }
                | ServerMessage::Special { .. }
                | ServerMessage::Reason(_)
                | ServerMessage::Result(_)
        );
        if in_game {
            self.resume_running(now, &ReconnectState::default());
        }
    }

    /// Continues the game of an offer that needs no agreement.
    pub(super) fn resume_running(&mut self, now: Instant, state: &ReconnectState) {
        let State::Resuming { summary, .. } = &self.state else { return };
        let summary = Arc::clone(summary);
        self.state_reader = None;
        if !self.resume_game(now, &summary, state) {
            self.start_game(now, summary);
        }
    }

    /// Ends the suspended game as interrupted.
    fn end_suspended(&mut self) {
        let Some(game) = self.take_suspended() else { return };
        self.reconnecting = None;
        if game.running.is_busy() {
            self.out.push(Action::StopThinking);
        }
        self.games_ended = self.games_ended.saturating_add(1);
        self.out.save(GameEvent::Ended(game.interrupted()));
    }

    /// Resumes the suspended game if this offer is for it. Returns whether it did.
    pub(super) fn resume_game(
        &mut self,
        now: Instant,
        summary: &Arc<GameSummary>,
        state: &ReconnectState,
    ) -> bool {
        let Some(suspended) = self.suspended.take() else { return false };
        let Some(continuation) = suspended.continuation(summary) else {
            self.suspended = Some(suspended);
            self.end_suspended();
            return false;
        };
        let Continuation { added, has_all_moves } = continuation;
        let SuspendedGame { mut running, answer, lost_at } = *suspended;
        if has_all_moves {
            // The server has charged the times of a game that it resumes.
            let behaviour =
                super::Behaviour { set_up_times: SetUpTimes::Counted, ..self.behaviour };
            running.game_clocks = set_up::game_clocks(summary, behaviour, self.network);
        }
        let no_new_moves = added.is_empty();
        let mut events = Vec::with_capacity(added.len());
        for (mv, mut spent) in added {
            if !has_all_moves {
                let side = running.side_to_move();
                let control = running.summary().time(side);
                // The stated time includes the increment of this move; what is missing was spent.
                spent = state.remaining[side.index()].map(|stated| {
                    let before = running.game_clocks.remaining(side);
                    let full = before.saturating_add(control.increment.saturating_mul(2));
                    full.saturating_sub(stated)
                });
                running.game_clocks.resume(side, spent);
            }
            events.extend(make_resumed_move(&mut running, mv, spent));
        }
        for color in Color::ALL {
            if let Some(stated) = state.remaining[color.index()] {
                let increment = running.summary().time(color).increment;
                running.game_clocks.set_remaining(color, stated.saturating_sub(increment));
            }
        }
        // Clocks do not stop for a lost connection. A turn that began in the meantime began after the loss.
        if let Some(spent) = state.turn_spent {
            running.turn_started = now.checked_sub(spent).unwrap_or(now);
        } else if !no_new_moves {
            running.turn_started = lost_at;
        }
        running.start = Arc::new(GameStart {
            summary: Arc::new(GameSummary {
                reconnect_token: summary.reconnect_token.clone(),
                ..GameSummary::clone(running.summary())
            }),
            color: running.color(),
        });
        let activity = std::mem::replace(&mut running.activity, Activity::Idle);
        let clocks = Box::new(*running.game_clocks.clocks());
        self.state = State::Playing(Box::new(running));
        self.leave_by = None;
        self.out.show(GameEvent::Resumed { clocks });
        for event in events {
            self.out.save(GameEvent::Move(event));
        }
        self.go_on(now, activity, no_new_moves, answer);
        if self.quit == Some(When::Now) {
            self.resign_if_asked(now);
        }
        true
    }

    /// Continues with what our side was doing when the connection was lost.
    fn go_on(
        &mut self,
        now: Instant,
        activity: Activity,
        no_new_moves: bool,
        answer: Option<Chosen>,
    ) {
        let State::Playing(running) = &mut self.state else { return };
        match activity {
            // It is still searching the same position, or has already answered.
            activity @ (Activity::Thinking { .. } | Activity::Pondering) if no_new_moves => {
                running.activity = activity;
                if let Some(chosen) = answer {
                    self.chosen(now, &chosen);
                }
            }
            // The server has not received our move.
            Activity::MoveSent(mut sent) if no_new_moves => {
                sent.at = now;
                let word = sent.word;
                running.activity = Activity::MoveSent(sent);
                self.out.send(now, ClientMessage::Move { word, comment: None });
            }
            activity => {
                if matches!(activity, Activity::Thinking { .. } | Activity::Pondering) {
                    self.out.push(Action::StopThinking);
                }
                if running.is_our_turn() {
                    self.think();
                }
            }
        }
    }
}

/// Makes a move that the offer of a resumed game contains. The clocks already include its time.
fn make_resumed_move(
    running: &mut RunningGame,
    mv: Move,
    spent: Option<Duration>,
) -> Option<MoveEvent> {
    let color = running.side_to_move();
    let word = csa::format_move(running.game.position(), mv);
    running.game.push(mv).ok()?;
    running.last_word = MoveWord::parse(&word);
    let analysis = match &running.activity {
        Activity::MoveSent(sent) if Some(sent.word) == running.last_word => {
            Some(sent.analysis.clone())
        }
        _ => None,
    };
    let control = *running.summary().times.of(color);
    let spent = spent.unwrap_or_default();
    Some(MoveEvent {
        ply: u32::try_from(running.game.len()).unwrap_or(u32::MAX),
        mv,
        word,
        color,
        spent,
        measured: spent,
        remaining: (!control.is_unlimited()).then(|| running.game_clocks.remaining(color)),
        comment: None,
        analysis,
    })
}

/// How long after the last flag can have fallen the server may still report the end: the reference server looks at the
/// clocks once a minute.
const LATE_RESULT: Duration = Duration::from_secs(60);
