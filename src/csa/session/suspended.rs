//! A game whose connection is lost, and which may go on over another one.
//!
//! The session that loses its connection in a game ends with [`Farewell::Suspended`] where the settings allow it, and
//! hands the game out ([`Session::take_suspended`]). A new session takes it over ([`Session::resuming`]), logs in, and
//! goes on with it when the server offers the same game again: position, moves and clocks are then as the server
//! states them, and moves that were made meanwhile are made here. An offer of another game ends the suspended one.
//! Servers that resume games at all offer them so (docs/csa-protocol.md, section 8).

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::{Clocks, TimeControl};
use crate::shogi::notation::csa;
use crate::shogi::{EndReason, Game, GameEnd, Move, Outcome};

use super::super::event::{EndEvent, GameEvent, MoveEvent};
use super::super::message::{ClientMessage, MoveWord};
use super::super::profile::SetUpTimes;
use super::super::summary::GameSummary;
use super::state::{Mind, Play, State};
use super::{Action, Chosen, Session, SessionSettings, set_up};

/// A game without a connection.
#[derive(Debug)]
pub struct SuspendedGame {
    play: Play,
    /// What the player answered meanwhile.
    answer: Option<Chosen>,
}

impl SuspendedGame {
    pub(super) fn new(play: Play) -> Self {
        Self { play, answer: None }
    }

    /// Start position and all moves that the server has confirmed.
    pub fn game(&self) -> &Game {
        &self.play.game
    }

    /// Both clocks as of the last move.
    pub fn clocks(&self) -> &Clocks {
        self.play.ledger.clocks()
    }

    /// The longest that the game can still run on the server without us.
    pub fn longest_left(&self) -> Duration {
        self.play.longest_left()
    }

    /// Keeps the player's answer until the game goes on; one to another request is dropped.
    pub fn keep_answer(&mut self, chosen: &Chosen) {
        if matches!(self.play.mind, Mind::Thinking { id } if id == chosen.id) {
            self.answer = Some(chosen.clone());
        }
    }

    /// The end of the game where it does not go on: interrupted, without a result.
    pub fn interrupted(self) -> EndEvent {
        let side_to_move = self.play.side_to_move();
        EndEvent {
            end: GameEnd::without_result(EndReason::Interrupted, side_to_move),
            outcome: Outcome::None,
            spent: None,
            lines: self.play.lines,
        }
    }

    /// The moves that this offer adds to the game; `None` where it offers another game.
    fn continuation(&self, summary: &GameSummary) -> Option<Vec<(Move, Option<Duration>)>> {
        let (known, game) = (self.play.summary(), &self.play.game);
        let same_players = summary.your_turn == self.play.color() && summary.names == known.names;
        let same_id = summary.game_id == known.game_id;
        // A new game of the same players begins like one that had no move yet.
        let is_same = same_players && (same_id || !game.is_empty());
        let moves = summary.moves.iter().map(|setup| setup.mv);
        let begins_alike = summary.start == *game.start()
            && summary.moves.len() >= game.len()
            && moves.zip(game.moves()).all(|(stated, known)| stated == *known);
        if !is_same || !begins_alike || summary.game().is_err() {
            return None;
        }
        let spent = |setup: &super::super::summary::SetupMove, control: &TimeControl| {
            setup.spent.map(|spent| spent.to_duration(control.unit))
        };
        let added = summary.moves.iter().enumerate().skip(game.len());
        Some(
            added
                .map(|(ply, setup)| {
                    let first = summary.start.side_to_move();
                    let side = if ply.is_multiple_of(2) { first } else { !first };
                    (setup.mv, spent(setup, summary.time(side)))
                })
                .collect(),
        )
    }
}

impl Session {
    /// A session over a new connection that goes on with a game if the server does.
    pub fn resuming(settings: SessionSettings, game: SuspendedGame) -> Self {
        Self { suspended: Some(Box::new(game)), ..Self::new(settings) }
    }

    /// The game that was running when the connection was lost, or that was not taken up again.
    pub fn take_suspended(&mut self) -> Option<SuspendedGame> {
        self.suspended.take().map(|game| *game)
    }

    /// Ends the suspended game if this offer is about another one.
    pub(super) fn end_suspended_unless(&mut self, summary: &GameSummary) {
        if self.suspended.as_ref().is_some_and(|game| game.continuation(summary).is_none()) {
            self.end_suspended();
        }
    }

    /// Ends the suspended game as interrupted.
    fn end_suspended(&mut self) {
        let Some(game) = self.take_suspended() else { return };
        if game.play.is_busy() {
            self.out.push(Action::StopThinking);
        }
        self.games_ended = self.games_ended.saturating_add(1);
        self.out.save(GameEvent::Ended(game.interrupted()));
    }

    /// Goes on with the suspended game if this offer is about it; whether it was.
    pub(super) fn resume_game(&mut self, now: Instant, summary: &Arc<GameSummary>) -> bool {
        let Some(suspended) = self.suspended.take() else { return false };
        let Some(added) = suspended.continuation(summary) else {
            self.suspended = Some(suspended);
            self.end_suspended();
            return false;
        };
        let SuspendedGame { mut play, answer } = *suspended;
        // A game that is resumed has been counted by the server as any other.
        let behaviour = super::Behaviour { set_up_times: SetUpTimes::Counted, ..self.behaviour };
        play.ledger = set_up::ledger(summary, behaviour, self.network);
        play.turn_started = now;
        let nothing_new = added.is_empty();
        let mut events = Vec::with_capacity(added.len());
        for (mv, spent) in added {
            events.extend(make_stated(&mut play, mv, spent));
        }
        let mind = std::mem::replace(&mut play.mind, Mind::Idle);
        let clocks = Box::new(*play.ledger.clocks());
        self.state = State::Playing(Box::new(play));
        self.leave_by = None;
        self.out.show(GameEvent::Resumed { clocks });
        for event in events {
            self.out.save(GameEvent::Move(event));
        }
        self.go_on(now, mind, nothing_new, answer);
        true
    }

    /// What our side does in the game that goes on.
    fn go_on(&mut self, now: Instant, mind: Mind, nothing_new: bool, answer: Option<Chosen>) {
        let State::Playing(play) = &mut self.state else { return };
        match mind {
            // It thinks about the same position still, or has an answer already.
            mind @ (Mind::Thinking { .. } | Mind::Pondering) if nothing_new => {
                play.mind = mind;
                if let Some(chosen) = answer {
                    self.chosen(now, &chosen);
                }
            }
            // The server has not got it.
            Mind::Sent(mut sent) if nothing_new => {
                sent.at = now;
                let word = sent.word;
                play.mind = Mind::Sent(sent);
                self.out.send(now, ClientMessage::Move { word, comment: None });
            }
            mind => {
                if matches!(mind, Mind::Thinking { .. } | Mind::Pondering) {
                    self.out.push(Action::StopThinking);
                }
                if play.is_our_turn() {
                    self.think();
                }
            }
        }
    }
}

/// Makes a move that the offer of a resumed game states. Its time is in the clocks of the offer already.
fn make_stated(play: &mut Play, mv: Move, spent: Option<Duration>) -> Option<MoveEvent> {
    let color = play.side_to_move();
    let word = csa::format_move(play.game.position(), mv);
    play.game.push(mv).ok()?;
    play.last_word = MoveWord::parse(&word);
    let analysis = match &play.mind {
        Mind::Sent(sent) if Some(sent.word) == play.last_word => Some(sent.analysis.clone()),
        _ => None,
    };
    let control = *play.summary().times.of(color);
    let spent = spent.unwrap_or_default();
    Some(MoveEvent {
        ply: u32::try_from(play.game.len()).unwrap_or(u32::MAX),
        mv,
        word,
        color,
        spent,
        measured: spent,
        remaining: (!control.is_unlimited()).then(|| play.ledger.remaining(color)),
        comment: None,
        analysis,
    })
}
