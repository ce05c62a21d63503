//! Resuming a suspended game over a new connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::shogi::Move;
use crate::shogi::notation::csa;

use super::super::event::{GameEvent, MoveEvent};
use super::super::message::{ClientMessage, MoveWord};
use super::super::profile::{Behaviour, SetUpTimes};
use super::super::summary::GameSummary;
use super::state::{Activity, RunningGame, State};
use super::{Action, Chosen, Session, SessionSettings, SuspendedGame, set_up};

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

    /// Ends the suspended game as interrupted.
    fn end_suspended(&mut self) {
        let Some(game) = self.take_suspended() else { return };
        if game.running.is_busy() {
            self.out.push(Action::StopThinking);
        }
        self.games_ended = self.games_ended.saturating_add(1);
        self.out.save(GameEvent::Ended(game.interrupted()));
    }

    /// Resumes the suspended game if this offer is for it. Returns whether it did.
    pub(super) fn resume_game(&mut self, now: Instant, summary: &Arc<GameSummary>) -> bool {
        let Some(suspended) = self.suspended.take() else { return false };
        let Some(added) = suspended.continuation(summary) else {
            self.suspended = Some(suspended);
            self.end_suspended();
            return false;
        };
        let SuspendedGame { mut running, answer } = *suspended;
        // The server has charged the times of a game that it resumes.
        let behaviour = Behaviour { set_up_times: SetUpTimes::Counted, ..self.behaviour };
        running.game_clocks = set_up::game_clocks(summary, behaviour, self.network);
        running.turn_started = now;
        let no_new_moves = added.is_empty();
        let mut events = Vec::with_capacity(added.len());
        for (mv, spent) in added {
            events.extend(make_resumed_move(&mut running, mv, spent));
        }
        let activity = std::mem::replace(&mut running.activity, Activity::Idle);
        let clocks = Box::new(*running.game_clocks.clocks());
        self.state = State::Playing(Box::new(running));
        self.leave_by = None;
        self.out.show(GameEvent::Resumed { clocks });
        for event in events {
            self.out.save(GameEvent::Move(event));
        }
        self.go_on(now, activity, no_new_moves, answer);
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
