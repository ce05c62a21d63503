//! A game whose connection was lost, and which may be resumed over another one.
//!
//! A session that loses its connection during a game ends with [`SessionEnd::Suspended`](super::SessionEnd::Suspended) if the settings allow it, and
//! returns the game by [`Session::take_suspended`](super::Session::take_suspended). A new session ([`Session::resuming`](super::Session::resuming)) logs in and resumes the game
//! when the server offers it again. Position, moves and clocks are then as stated by the server; moves that were made
//! in the meantime are added. An offer of another game ends the suspended one. Servers that resume games offer them
//! in this way (docs/csa-protocol.md, section 8).

use std::time::Duration;

use crate::clock::{Clocks, TimeControl};
use crate::shogi::{EndReason, Game, GameEnd, Move, Outcome};

use super::super::event::EndEvent;
use super::super::summary::{GameSummary, SetupMove};
use super::io::Chosen;
use super::state::{Activity, RunningGame};

/// A game whose connection was lost.
#[derive(Debug)]
pub struct SuspendedGame {
    pub(super) running: RunningGame,
    /// The player's answer in the meantime.
    pub(super) answer: Option<Chosen>,
}

impl SuspendedGame {
    pub(super) fn new(running: RunningGame) -> Self {
        Self { running, answer: None }
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
        EndEvent {
            end: GameEnd::without_result(EndReason::Interrupted, side_to_move),
            outcome: Outcome::None,
            spent: None,
            lines: self.running.lines,
        }
    }

    /// The moves that this offer adds to the game; `None` if it offers another game.
    pub(super) fn continuation(
        &self,
        summary: &GameSummary,
    ) -> Option<Vec<(Move, Option<Duration>)>> {
        let (known, game) = (self.running.summary(), &self.running.game);
        let same_players =
            summary.your_turn == self.running.color() && summary.names == known.names;
        let same_id = summary.game_id == known.game_id;
        // A new game of the same players cannot be told from a suspended game without moves, unless by its id.
        let is_same = same_players && (same_id || !game.is_empty());
        let moves = summary.moves.iter().map(|setup| setup.mv);
        let begins_alike = summary.start == *game.start()
            && summary.moves.len() >= game.len()
            && moves.zip(game.moves()).all(|(stated, known)| stated == *known);
        if !is_same || !begins_alike || summary.game().is_err() {
            return None;
        }
        let spent = |setup: &SetupMove, control: &TimeControl| {
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
