//! Resuming an unfinished game.
//!
//! [`Session::resume_game`] continues the game of an offer. It is called at `START`, for a game that was agreed to
//! again, and by [`Session::resume_running`] for one that needs no agreement: at the end of the server's state of the
//! game, or before the first line of the game if there is no such state ([`Session::resume_before`]).

use std::sync::Arc;
use std::time::{Duration, Instant};

use kyomi_shogi::clock::OwnTurn;
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, Move};

use super::super::event::{GameEvent, GameStart, MoveEvent};
use super::super::message::{ClientMessage, LoginMode, MoveWord, ServerMessage};
use super::super::profile::{Behaviour, LostConnection, SetUpTimes};
use super::super::reconnect::{ReconnectState, ReconnectStateReader};
use super::super::summary::GameSummary;
use super::running::{Activity, RunningGame};
use super::state::{Lobby, State, Waiting};
use super::unfinished::Continuation;
use super::{
    Action, Cause, Chosen, Session, SessionEnd, SessionSettings, UnfinishedGame, When, set_up,
};

impl Session {
    /// A session over a new connection that resumes a game if the server offers it.
    pub fn resuming(settings: SessionSettings, game: UnfinishedGame) -> Self {
        Self { unfinished: Some(Box::new(game)), ..Self::new(settings) }
    }

    /// A session over a new connection that first asks for the game of this offer. We agreed to it, and the connection
    /// was lost before `START`.
    pub fn after_agreement(settings: SessionSettings, agreed: Arc<GameSummary>) -> Self {
        Self { agreed: Some(agreed), ..Self::new(settings) }
    }

    /// Takes out the offer that was agreed to and has a token, if its game may have begun during the loss.
    pub fn take_agreed(&mut self) -> Option<Arc<GameSummary>> {
        self.agreed.take()
    }

    /// Keeps an offer that was agreed to when the connection is lost before `START`, which may be on its way.
    pub(super) fn keep_agreed(&mut self, summary: Arc<GameSummary>, cause: &Cause) {
        let may_resume = self.behaviour.lost_connection == LostConnection::MayResume;
        let keeps = self.settings.keeps_disconnected_games && may_resume && *cause != Cause::Left;
        if keeps && self.unfinished.is_none() && summary.reconnect_token.is_some() {
            self.agreed = Some(summary);
        }
    }

    /// Takes out the game whose connection was lost, or that was not resumed over this one.
    pub fn take_unfinished(&mut self) -> Option<UnfinishedGame> {
        self.unfinished.take().map(|game| *game)
    }

    /// Ends the unfinished game if this offer is for another game.
    pub(super) fn end_unfinished_if_other_game(&mut self, summary: &GameSummary) {
        let behaviour = self.behaviour;
        if self
            .unfinished
            .as_ref()
            .is_some_and(|game| game.continuation(summary, behaviour).is_none())
        {
            self.end_unfinished();
        }
    }

    /// How to log in: with the token of the unfinished game, or of the offer that was agreed to, if it has one.
    pub(super) fn login_mode(&self) -> LoginMode {
        let unfinished = self.unfinished.as_ref().map(|game| game.running.summary());
        let known = unfinished.or(self.agreed.as_ref());
        let token = known.and_then(|known| {
            let token = known.reconnect_token.clone()?;
            let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
            let usable =
                is_word(token.expose()) && is_word(&known.game_id) && !token.expose().contains('+');
            usable.then(|| LoginMode::Reconnect { game_id: known.game_id.clone(), token })
        });
        token.unwrap_or(if self.settings.extended { LoginMode::Extended } else { LoginMode::Plain })
    }

    /// The time at which a game whose connection was lost is given up.
    pub(super) fn unfinished_until(&self) -> Option<Instant> {
        let game = self.unfinished.as_ref().filter(|game| !game.is_suspended())?;
        let until = match &self.state {
            State::Lobby(Lobby::Waiting(Waiting { logged_in_at: Some(at), .. })) => {
                game.until().max(*at + OFFERED_AGAIN).min(game.ask_until())
            }
            State::Lobby(_) => game.ask_until(),
            _ => game.until(),
        };
        (!self.is_over()).then_some(until)
    }

    /// Gives up a game whose connection was lost if the server must have ended it.
    pub(super) fn check_unfinished(&mut self, now: Instant) {
        let resuming =
            matches!(self.state, State::Lobby(Lobby::Starting { .. } | Lobby::Resuming { .. }));
        if resuming || self.unfinished_until().is_none_or(|until| now < until) {
            return;
        }
        self.end_unfinished();
        let leaves = self.quit.is_some() || self.end_after_game() == SessionEnd::Done;
        if leaves && matches!(self.state, State::Lobby(Lobby::Waiting(_))) {
            self.log_out(now, SessionEnd::Done);
        } else {
            self.ask_for_game(now);
        }
    }

    /// Handles `BEGIN Reconnect_State`.
    pub(super) fn begin_reconnect_state(&mut self, line: &str) {
        if matches!(self.state, State::Lobby(Lobby::Resuming { .. })) {
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
        let State::Lobby(Lobby::Resuming { summary, .. }) = &self.state else { return };
        let summary = Arc::clone(summary);
        self.state_reader = None;
        if !self.resume_game(now, &summary, state) {
            self.start_game_from(now, summary, state);
        }
    }

    /// Ends the unfinished game, which was not resumed.
    pub(super) fn end_unfinished(&mut self) {
        let Some(game) = self.take_unfinished() else { return };
        self.reconnecting = None;
        if game.running.is_busy() {
            self.out.push(Action::StopThinking);
        }
        self.games_ended = self.games_ended.saturating_add(1);
        self.out.save(GameEvent::Ended(game.ended()));
    }

    /// Resumes the unfinished game if this offer is for it. Returns whether it did.
    pub(super) fn resume_game(
        &mut self,
        now: Instant,
        summary: &Arc<GameSummary>,
        state: &ReconnectState,
    ) -> bool {
        let Some(unfinished) = self.unfinished.take() else { return false };
        let Some(continuation) = unfinished.continuation(summary, self.behaviour) else {
            self.unfinished = Some(unfinished);
            self.end_unfinished();
            return false;
        };
        let Continuation { added, has_times } = continuation;
        let is_suspended = unfinished.is_suspended();
        let UnfinishedGame { mut running, answer, since, .. } = *unfinished;
        running.forget_end();
        if has_times {
            // The server has charged the times of a game that it resumes.
            let behaviour = Behaviour { set_up_times: SetUpTimes::Counted, ..self.behaviour };
            running.game_clocks =
                set_up::game_clocks(summary, behaviour, self.network, self.settings.handicap);
        }
        let no_new_moves = added.is_empty();
        let mut events = Vec::with_capacity(added.len());
        for (mv, mut spent) in added {
            if !has_times {
                let side = running.side_to_move();
                let control = running.summary().time(side);
                spent = spent.or_else(|| {
                    // The stated time includes the increments of this move and of the next one. The difference to
                    // the full time was spent.
                    let stated = state.remaining[side.index()]?;
                    let before = running.game_clocks.remaining(side);
                    let full = before.saturating_add(control.increment.saturating_mul(2));
                    Some(full.saturating_sub(stated))
                });
                running.game_clocks.charge_earlier_move(side, spent);
            }
            events.extend(make_resumed_move(&mut running, mv, spent));
        }
        for color in Color::ALL {
            if let Some(stated) = state.remaining[color.index()] {
                let increment = running.summary().time(color).increment;
                running.game_clocks.set_remaining(color, stated.saturating_sub(increment));
            }
        }
        // The clocks also run without a connection. A turn that began during the loss is counted from its beginning.
        // The turn of a suspended game begins anew.
        if let Some(spent) = state.turn_spent {
            running.turn_started = now.checked_sub(spent).unwrap_or(now);
        } else if is_suspended {
            running.turn_started = now;
        } else if !no_new_moves {
            running.turn_started = since;
        }
        running.start = Arc::new(GameStart {
            summary: Arc::new(GameSummary {
                reconnect_token: summary.reconnect_token.clone(),
                ..GameSummary::clone(running.summary())
            }),
            color: running.color(),
            move_times: running.start.move_times.clone(),
        });
        let activity = std::mem::replace(&mut running.activity, Activity::Idle);
        let clocks = Box::new(*running.game_clocks.clocks());
        self.state = running.into();
        self.leave_by = self.leave_game_by(now);
        self.out.show(GameEvent::Resumed { clocks });
        for event in events {
            self.out.save(GameEvent::Move(event));
        }
        self.continue_activity(now, activity, no_new_moves, answer);
        if self.quit == Some(When::Now) {
            self.resign_if_asked(now);
        }
        true
    }

    /// Continues the activity of our side from before the loss of the connection.
    fn continue_activity(
        &mut self,
        now: Instant,
        activity: Activity,
        no_new_moves: bool,
        answer: Option<Chosen>,
    ) {
        let Some(running) = self.state.playing_mut() else { return };
        match activity {
            // The player still searches the same position, or has already answered.
            activity @ (Activity::Thinking { .. } | Activity::Pondering(_)) if no_new_moves => {
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
            // Nor our resignation or declaration.
            Activity::SpecialSent(special) if no_new_moves => {
                running.activity = Activity::SpecialSent(special.clone());
                self.out.send(now, ClientMessage::Special(special));
            }
            activity => {
                if activity.is_busy() {
                    self.out.push(Action::StopThinking);
                }
                if running.is_our_turn() {
                    self.think(None);
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
    let sent = match &running.activity {
        Activity::MoveSent(sent) if Some(sent.word) == running.last_word => Some(sent),
        _ => None,
    };
    let analysis = sent.map(|sent| sent.analysis.clone());
    let own_turn = sent.map(|sent| OwnTurn {
        measured: sent.at.saturating_duration_since(running.turn_started),
        echo: None,
        before: None,
        ponder_hit: sent.ponder_hit,
    });
    let spent = spent.unwrap_or_default();
    Some(MoveEvent {
        ply: u32::try_from(running.game.len()).unwrap_or(u32::MAX),
        mv,
        word,
        color,
        spent,
        measured: spent,
        remaining: running.main_time_left(color),
        comment: None,
        analysis,
        own_turn,
    })
}

/// A server that has answered the login offers a game that it holds within this time, even if the game is over by our
/// clocks.
const OFFERED_AGAIN: Duration = Duration::from_secs(60);
