//! The end of a game: its reason and result, and their derivation when one of them is missing.

use std::time::{Duration, Instant};

use kyomi_shogi::clock::TimeControl;
use kyomi_shogi::{CountStart, EndReason, GameEnd, Outcome, Repetition, Winner};

use super::super::event::{EndEvent, GameEvent, Standstill, Unfinished, Warning};
use super::super::message::{ReasonWord, ResultWord, Special, WireTime};
use super::super::profile::LostConnection;
use super::running::{Activity, RunningGame, ServerMove};
use super::state::{Closing, Ending, GamePhase, Lobby, State, Waiting};
use super::{Action, Cause, Session, SessionEnd, UnfinishedGame, clip};

impl Session {
    /// Handles a `%` line that the server relays.
    pub(super) fn special_line(
        &mut self,
        now: Instant,
        line: &str,
        word: &Special,
        spent: Option<WireTime>,
    ) {
        let running = match &mut self.state {
            State::Game(GamePhase::Playing(running)) => &mut **running,
            State::Game(GamePhase::Ending(ending)) => &mut ending.running,
            State::Lobby(_) | State::Game(GamePhase::Suspended(_)) | State::Closing(_) => {
                return self.unexpected(line);
            }
        };
        running.record_end_line(line);
        self.out.show(GameEvent::Notice(clip(line)));
        if matches!(word, Special::Other(_)) {
            return;
        }
        // A declaration comes twice from the reference server, the second time without its time.
        match &mut running.special {
            None => running.special = Some((word.clone(), spent)),
            Some((_, first_spent)) => *first_spent = first_spent.or(spent),
        }
        // In our own turn only a result ends the game: if the game went on, we would lose on time.
        if !matches!(running.activity, Activity::Thinking { .. } | Activity::MoveSent(_)) {
            self.start_ending(now, RESULT_LIMIT);
        }
    }

    /// Handles a `#` line with a reason.
    pub(super) fn reason_line(&mut self, now: Instant, line: &str, word: ReasonWord) {
        match &mut self.state {
            State::Game(GamePhase::Playing(running)) => {
                running.record_end_line(line);
                if let ReasonWord::Other(word) = word {
                    // It may not be a reason at all; it counts as one only if a result follows.
                    running.unknown_reason = Some(clip(&word));
                    return self.out.show(GameEvent::Notice(clip(line)));
                }
                self.start_ending(now, result_limit(&word));
                if let Some(ending) = self.state.ending_mut() {
                    ending.reason = Some(word);
                }
            }
            State::Game(GamePhase::Ending(ending)) => {
                ending.running.record_end_line(line);
                if ending.reason.is_none() {
                    ending.until = now + result_limit(&word);
                    ending.reason = Some(word);
                }
                if ending.result.is_some() {
                    self.finish(now);
                }
            }
            // A late line about a game whose end has already been reported.
            State::Lobby(Lobby::Waiting(_))
            | State::Game(GamePhase::Suspended(_))
            | State::Closing(Closing::LoggingOut { .. }) => {
                self.out.show(GameEvent::Notice(clip(line)));
            }
            State::Lobby(_) | State::Closing(Closing::Closed) => self.unexpected(line),
        }
    }

    /// Handles a `#` line with the result.
    pub(super) fn result_line(&mut self, now: Instant, line: &str, word: ResultWord) {
        match &mut self.state {
            State::Game(GamePhase::Playing(running)) => {
                running.record_end_line(line);
                let complete = word == ResultWord::Chudan || running.unknown_reason.is_some();
                self.start_ending(now, LATE_LINE_LIMIT);
                if let Some(ending) = self.state.ending_mut() {
                    ending.result = Some(word);
                }
                if complete {
                    self.finish(now);
                }
            }
            State::Game(GamePhase::Ending(ending)) => {
                ending.running.record_end_line(line);
                ending.result.get_or_insert(word);
                if ending.reason.is_some() || word == ResultWord::Chudan {
                    self.finish(now);
                } else {
                    ending.until = ending.until.min(now + LATE_LINE_LIMIT);
                }
            }
            State::Lobby(Lobby::Waiting(_))
            | State::Game(GamePhase::Suspended(_))
            | State::Closing(Closing::LoggingOut { .. }) => {
                self.out.show(GameEvent::Notice(clip(line)));
            }
            State::Lobby(_) | State::Closing(Closing::Closed) => self.unexpected(line),
        }
    }

    /// Enters the state `Ending` and stops the player.
    fn start_ending(&mut self, now: Instant, limit: Duration) {
        let Some(mut running) = self.take_running() else { return };
        let own_turn = running.own_turn(now);
        if running.stop() {
            self.out.push(Action::StopThinking);
        }
        self.state =
            Ending { running, own_turn, reason: None, result: None, until: now + limit }.into();
    }

    /// Whether the last move of the game may still arrive: servers may send the reason or the result before the move
    /// that caused it.
    pub(super) fn final_move_may_follow(ending: &Ending) -> bool {
        match &ending.reason {
            Some(reason) => matches!(
                reason,
                // By the try rule the move of a king wins.
                ReasonWord::Sennichite
                    | ReasonWord::OuteSennichite
                    | ReasonWord::MaxMoves
                    | ReasonWord::Jishogi
            ),
            None => ending.result.is_some(),
        }
    }

    /// Records the last move of a game that is already ending.
    pub(super) fn late_move(&mut self, now: Instant, line: &str, server_move: ServerMove<'_>) {
        let Some(ending) = self.take_ending() else { return };
        let Ending { mut running, own_turn, reason, result, until } = ending;
        let lines = std::mem::take(&mut running.lines);
        self.state = running.into();
        self.make_move(now, line, server_move);
        let Some(mut running) = self.take_running() else { return };
        running.lines = lines;
        running.record_end_line(line);
        self.state = Ending { running, own_turn, reason, result, until }.into();
    }

    /// Returns to the game when a move follows a `%` line without a reason or result: the game has not ended.
    pub(super) fn resume_after_special(&mut self) {
        match std::mem::replace(&mut self.state, State::Closing(Closing::Closed)) {
            State::Game(GamePhase::Ending(ending))
                if ending.reason.is_none() && ending.result.is_none() =>
            {
                self.state = ending.running.into();
            }
            other => self.state = other,
        }
    }

    /// Finishes the game: all lines about its end have arrived or are no longer expected.
    pub(super) fn finish(&mut self, now: Instant) {
        if self.suspend(now) {
            return;
        }
        let ending = self.state.ending_mut();
        let offers_rematch =
            ending.is_some_and(|it| it.running.summary().rematch_on_draw == Some(true));
        let is_draw = self.report_end() == Some(Outcome::Draw);
        self.rematch_until = (offers_rematch && is_draw).then(|| now + REMATCH_LIMIT);
        self.after_game(now);
    }

    /// Reports the end of the game and enters the state `Waiting`. Returns the outcome.
    pub(super) fn report_end(&mut self) -> Option<Outcome> {
        let ending = self.take_ending()?;
        self.state = Lobby::Waiting(Waiting::default()).into();
        self.games_ended = self.games_ended.saturating_add(1);
        self.leave_by = None;
        let Ending { running, own_turn, reason, result, .. } = ending;
        let reason = end_reason(&running, reason, result);
        let outcome = match result {
            Some(ResultWord::Win) => Outcome::Win,
            Some(ResultWord::Lose) => Outcome::Loss,
            Some(ResultWord::Draw) => Outcome::Draw,
            Some(ResultWord::Censored) if reason == EndReason::MaxMoves => Outcome::Draw,
            Some(ResultWord::Censored | ResultWord::Chudan) => Outcome::None,
            None if reason == EndReason::Abnormal => Outcome::None,
            None => {
                let outcome = derived_outcome(&running, &reason);
                self.out.warn(Warning::ResultNotStated { outcome });
                outcome
            }
        };
        let unfinished = (reason == EndReason::Adjourned)
            .then(|| Box::new(Unfinished::new(Standstill::Suspended, &running.game_clocks)));
        let end = self.game_end(running, outcome, reason);
        self.out.save(GameEvent::Ended(EndEvent { own_turn, unfinished, ..end }));
        Some(outcome)
    }

    /// Handles the loss of the connection during a game.
    pub(super) fn connection_lost(&mut self, now: Instant, cause: Cause) {
        let Some(mut running) = self.take_running() else { return };
        let may_resume = self.behaviour.lost_connection == LostConnection::MayResume;
        let keeps_game = self.settings.keeps_disconnected_games
            && may_resume
            && cause != Cause::Left
            && !running.out_of_sync;
        let own_turn = running.own_turn(now);
        let game_left = running.longest_left();
        let resigned = running.has_resigned();
        // An unknown `#` line may be any notice: without a result it says nothing about the end.
        // A resignation may not have arrived. A server that gives tokens says so at the next login.
        let asks_again = keeps_game && running.summary().reconnect_token.is_some();
        let is_over = running.special.is_some() || resigned && !asks_again;
        // The player keeps thinking if the game may be resumed.
        if running.is_busy() && (is_over || !keeps_game) {
            self.out.push(Action::StopThinking);
        }
        if is_over {
            if resigned && running.special.is_none() {
                running.special = Some((Special::Toryo, None));
            }
            let until = running.turn_started;
            self.state = Ending { running, own_turn, reason: None, result: None, until }.into();
            self.report_end();
            let end = self.end_after_game();
            return self.close(end);
        }
        self.out.warn(match &cause {
            _ if keeps_game => Warning::GameDisconnected { cause: cause.text() },
            Cause::EndOfStream => Warning::GameCutOff { cause: "the server closed it".to_owned() },
            Cause::Broken(text) => Warning::GameCutOff { cause: clip(text) },
            Cause::Left => Warning::LeftGame,
        });
        if keeps_game {
            let game = UnfinishedGame::new(running, Standstill::Disconnected, now);
            self.unfinished = Some(Box::new(game));
            return self.close(SessionEnd::Disconnected { cause, game_left });
        }
        self.games_ended = self.games_ended.saturating_add(1);
        let why = if cause == Cause::Left { Standstill::Left } else { Standstill::Disconnected };
        let unfinished = Some(Box::new(Unfinished::new(why, &running.game_clocks)));
        let end = self.game_end(running, Outcome::None, EndReason::Interrupted);
        self.out.save(GameEvent::Ended(EndEvent { own_turn, unfinished, ..end }));
        self.close(match cause {
            Cause::Left => SessionEnd::Done,
            cause => SessionEnd::LostInGame { cause, game_left },
        });
    }

    fn game_end(&self, running: RunningGame, outcome: Outcome, reason: EndReason) -> EndEvent {
        let us = running.color();
        let side_to_move = running.side_to_move();
        let winner = match outcome {
            Outcome::Win => Some(Winner::Side(us)),
            Outcome::Loss => Some(Winner::Side(!us)),
            Outcome::Draw => Some(Winner::Draw),
            Outcome::None => None,
        };
        let unit = self.behaviour.spent_unit.length(running.summary().time(side_to_move));
        let spent = running.special.and_then(|(_, spent)| spent).map(|it| it.to_duration(unit));
        let spent = spent.filter(|spent| *spent <= TimeControl::LONGEST);
        let end = GameEnd { winner, reason, side_to_move };
        EndEvent {
            end,
            outcome,
            spent,
            own_turn: None,
            analysis: running.last_analysis,
            lines: running.lines,
            unfinished: None,
        }
    }

    /// Takes the running game out of the state.
    fn take_running(&mut self) -> Option<RunningGame> {
        match std::mem::replace(&mut self.state, State::Closing(Closing::Closed)) {
            State::Game(GamePhase::Playing(running)) => Some(*running),
            other => {
                self.state = other;
                None
            }
        }
    }

    /// Takes the game whose end is being reported out of the state.
    pub(super) fn take_ending(&mut self) -> Option<Ending> {
        match std::mem::replace(&mut self.state, State::Closing(Closing::Closed)) {
            State::Game(GamePhase::Ending(ending)) => Some(*ending),
            other => {
                self.state = other;
                None
            }
        }
    }
}

/// The time in which the result may follow this reason.
fn result_limit(reason: &ReasonWord) -> Duration {
    if *reason == ReasonWord::Abnormal { LATE_LINE_LIMIT } else { RESULT_LIMIT }
}

/// The reason that the server stated, or else the one derived from its other lines.
pub(super) fn end_reason(
    running: &RunningGame,
    reason: Option<ReasonWord>,
    result: Option<ResultWord>,
) -> EndReason {
    match reason {
        Some(ReasonWord::Resign) => EndReason::Resignation,
        Some(ReasonWord::TimeUp) => EndReason::TimeUp,
        Some(ReasonWord::IllegalMove) => EndReason::IllegalMove,
        Some(ReasonWord::IllegalAction) => EndReason::IllegalAction,
        Some(ReasonWord::Sennichite) => EndReason::Sennichite,
        Some(ReasonWord::OuteSennichite) => EndReason::PerpetualCheck,
        Some(ReasonWord::Jishogi) if running.game.is_won_by_try(running.entering_king()) => {
            EndReason::Try
        }
        Some(ReasonWord::Jishogi) => EndReason::Declaration,
        Some(ReasonWord::MaxMoves) => EndReason::MaxMoves,
        Some(ReasonWord::Abnormal) => EndReason::Abnormal,
        Some(ReasonWord::Other(word)) => EndReason::Unknown(clip(&word)),
        None => {
            let limit = running.summary().max_moves;
            let at_limit = limit.is_some_and(|limit| running.game.len() as u64 >= u64::from(limit));
            let mover_won = match result {
                Some(ResultWord::Win) => Some(running.is_our_turn()),
                Some(ResultWord::Lose) => Some(!running.is_our_turn()),
                _ => None,
            };
            match (&running.special, &running.unknown_reason, result) {
                (_, _, Some(ResultWord::Chudan)) => EndReason::Adjourned,
                (_, Some(word), _) => EndReason::Unknown(word.clone()),
                (Some((Special::Toryo, _)), ..) => EndReason::Resignation,
                (Some((Special::Kachi, _)), ..) if mover_won == Some(true) => {
                    EndReason::Declaration
                }
                (Some((Special::Kachi, _)), ..) if mover_won == Some(false) => {
                    EndReason::IllegalMove
                }
                (Some((Special::Chudan, _)), _, None) => EndReason::Adjourned,
                (_, _, Some(ResultWord::Censored)) if at_limit => EndReason::MaxMoves,
                _ => EndReason::Unstated,
            }
        }
    }
}

/// The outcome derived from the reason when the server never stated the result.
fn derived_outcome(running: &RunningGame, reason: &EndReason) -> Outcome {
    let lost_by = |us: bool| if us { Outcome::Loss } else { Outcome::Win };
    match reason {
        // Regardless of whose turn it is: if we did not resign, the opponent did.
        EndReason::Resignation => lost_by(running.has_resigned()),
        EndReason::TimeUp | EndReason::IllegalMove | EndReason::Try => {
            lost_by(running.is_our_turn())
        }
        EndReason::Declaration => lost_by(!running.is_our_turn()),
        EndReason::Sennichite | EndReason::MaxMoves => Outcome::Draw,
        EndReason::PerpetualCheck => match running.game.repetition(CountStart::No) {
            Some(Repetition::PerpetualCheck { loser }) => lost_by(loser == running.color()),
            _ => Outcome::None,
        },
        _ => Outcome::None,
    }
}

/// Usually the result immediately follows the reason, but a server that checks once a minute may take that long,
/// plus the network delay.
const RESULT_LIMIT: Duration = Duration::from_secs(90);
/// How long after a draw the offer of a rematch is awaited.
const REMATCH_LIMIT: Duration = Duration::from_secs(60);
/// How long after the result a reason may arrive, or a result after `#ABNORMAL`.
const LATE_LINE_LIMIT: Duration = Duration::from_secs(2);
