//! How games end: reasons, results, and what can be said when one of them is missing.

use std::time::{Duration, Instant};

use crate::clock::TimeControl;
use crate::shogi::{CountStart, EndReason, GameEnd, Outcome, Repetition, Winner};

use super::super::event::{EndEvent, GameEvent, Warning};
use super::super::message::{ReasonWord, ResultWord, Special, WireTime};
use super::state::{Ending, Mind, Play, Relayed, State, Waiting};
use super::{Action, Cause, Farewell, Session, SuspendedGame, clip};

impl Session {
    /// A `%` word that the server relays.
    pub(super) fn special_line(
        &mut self,
        now: Instant,
        line: &str,
        word: &Special,
        spent: Option<WireTime>,
    ) {
        let play = match &mut self.state {
            State::Playing(play) => &mut **play,
            State::Ending(ending) => &mut ending.play,
            State::Offline
            | State::LoggingIn { .. }
            | State::Waiting(_)
            | State::Agreeing
            | State::Starting { .. }
            | State::Closing { .. }
            | State::Closed => return self.unexpected(line),
        };
        play.note(line);
        self.out.show(GameEvent::Notice(clip(line)));
        if matches!(word, Special::Other(_)) {
            return;
        }
        // A declaration comes twice from the reference server, the second time without its time.
        match &mut play.special {
            None => play.special = Some((word.clone(), spent)),
            Some((_, known)) => *known = known.or(spent),
        }
        // In our own turn only a result ends the game: we would lose on time if it went on.
        if !matches!(play.mind, Mind::Thinking { .. } | Mind::Sent(_)) {
            self.begin_end(now, RESULT_LIMIT);
        }
    }

    /// A `#` line with a reason.
    pub(super) fn reason_line(&mut self, now: Instant, line: &str, word: ReasonWord) {
        match &mut self.state {
            State::Playing(play) => {
                play.note(line);
                if let ReasonWord::Other(word) = word {
                    // It may be no reason at all; a result will tell.
                    play.strange_reason = Some(clip(&word));
                    return self.out.show(GameEvent::Notice(clip(line)));
                }
                self.begin_end(now, result_limit(&word));
                if let State::Ending(ending) = &mut self.state {
                    ending.reason = Some(word);
                }
            }
            State::Ending(ending) => {
                ending.play.note(line);
                if ending.reason.is_none() {
                    ending.until = now + result_limit(&word);
                    ending.reason = Some(word);
                }
                if ending.result.is_some() {
                    self.finish(now);
                }
            }
            // The last line of a game that is over for us.
            State::Waiting(_) | State::Closing { .. } => {
                self.out.show(GameEvent::Notice(clip(line)));
            }
            State::Offline
            | State::LoggingIn { .. }
            | State::Agreeing
            | State::Starting { .. }
            | State::Closed => self.unexpected(line),
        }
    }

    /// A `#` line with the result: the one that counts.
    pub(super) fn result_line(&mut self, now: Instant, line: &str, word: ResultWord) {
        match &mut self.state {
            State::Playing(play) => {
                play.note(line);
                let complete = word == ResultWord::Chudan || play.strange_reason.is_some();
                self.begin_end(now, LATE_LINE_LIMIT);
                if let State::Ending(ending) = &mut self.state {
                    ending.result = Some(word);
                }
                if complete {
                    self.finish(now);
                }
            }
            State::Ending(ending) => {
                ending.play.note(line);
                ending.result.get_or_insert(word);
                if ending.reason.is_some() || word == ResultWord::Chudan {
                    self.finish(now);
                } else {
                    ending.until = ending.until.min(now + LATE_LINE_LIMIT);
                }
            }
            State::Waiting(_) | State::Closing { .. } => {
                self.out.show(GameEvent::Notice(clip(line)));
            }
            State::Offline
            | State::LoggingIn { .. }
            | State::Agreeing
            | State::Starting { .. }
            | State::Closed => self.unexpected(line),
        }
    }

    /// From the game to its end: the player stops at once.
    fn begin_end(&mut self, now: Instant, limit: Duration) {
        let Some(mut play) = self.take_play() else { return };
        if play.is_busy() {
            self.out.push(Action::StopThinking);
            play.mind = Mind::Idle;
        }
        self.state = State::Ending(Box::new(Ending {
            play,
            reason: None,
            result: None,
            until: now + limit,
        }));
    }

    /// Whether a move may still come that belongs to the end: the reason that it brought about, or the result, came
    /// before it.
    pub(super) fn move_is_missing(ending: &Ending) -> bool {
        match &ending.reason {
            Some(reason) => matches!(
                reason,
                ReasonWord::Sennichite | ReasonWord::OuteSennichite | ReasonWord::MaxMoves
            ),
            None => ending.result.is_some(),
        }
    }

    /// That move: it belongs into the record, and nothing follows from it.
    pub(super) fn late_move(&mut self, now: Instant, line: &str, relayed: Relayed<'_>) {
        let ending = match std::mem::replace(&mut self.state, State::Closed) {
            State::Ending(ending) => *ending,
            other => {
                self.state = other;
                return;
            }
        };
        let Ending { mut play, reason, result, until } = ending;
        let lines = std::mem::take(&mut play.lines);
        self.state = State::Playing(Box::new(play));
        self.make_move(now, line, relayed);
        let Some(mut play) = self.take_play() else { return };
        play.lines = lines;
        play.note(line);
        self.state = State::Ending(Box::new(Ending { play, reason, result, until }));
    }

    /// A move after a mere `%` word: the word ended nothing.
    pub(super) fn resume_if_only_a_word(&mut self) {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Ending(ending) if ending.reason.is_none() && ending.result.is_none() => {
                self.state = State::Playing(Box::new(ending.play));
            }
            other => self.state = other,
        }
    }

    /// All lines about the end have come, or will not come any more.
    pub(super) fn finish(&mut self, now: Instant) {
        self.conclude();
        self.after_game(now);
    }

    /// Says how the game ended; the state afterwards is `Waiting`.
    pub(super) fn conclude(&mut self) {
        let ending = match std::mem::replace(&mut self.state, State::Closed) {
            State::Ending(ending) => *ending,
            other => {
                self.state = other;
                return;
            }
        };
        self.state = State::Waiting(Waiting::default());
        self.games_ended = self.games_ended.saturating_add(1);
        self.leave_by = None;
        let Ending { play, reason, result, .. } = ending;
        let reason = end_reason(&play, reason, result);
        let outcome = match result {
            Some(ResultWord::Win) => Outcome::Win,
            Some(ResultWord::Lose) => Outcome::Loss,
            Some(ResultWord::Draw) => Outcome::Draw,
            Some(ResultWord::Censored) if reason == EndReason::MaxMoves => Outcome::Draw,
            Some(ResultWord::Censored | ResultWord::Chudan) => Outcome::None,
            None if reason == EndReason::Abnormal => Outcome::None,
            None => {
                let outcome = derived_outcome(&play, &reason);
                self.out.warn(Warning::ResultNotStated { outcome });
                outcome
            }
        };
        let end = self.game_end(play, outcome, reason);
        self.out.save(GameEvent::Ended(end));
    }

    /// The line is lost in the game.
    pub(super) fn cut_off(&mut self, cause: Cause) {
        let Some(mut play) = self.take_play() else { return };
        let suspends = self.settings.suspends && cause != Cause::Left && !play.adrift;
        let game_left = play.longest_left();
        let resigned = play.has_resigned();
        let is_over = resigned || play.special.is_some() || play.strange_reason.is_some();
        // The player goes on thinking about a game that may go on.
        if play.is_busy() && (is_over || !suspends) {
            self.out.push(Action::StopThinking);
        }
        if is_over {
            if resigned && play.special.is_none() {
                play.special = Some((Special::Toryo, None));
            }
            let until = play.turn_started;
            self.state =
                State::Ending(Box::new(Ending { play, reason: None, result: None, until }));
            self.conclude();
            let farewell = self.farewell_after_game();
            return self.close(farewell);
        }
        self.out.warn(match &cause {
            _ if suspends => Warning::GameSuspended { cause: cause.words() },
            Cause::EndOfStream => Warning::GameCutOff { cause: "the server closed it".to_owned() },
            Cause::Broken(words) => Warning::GameCutOff { cause: clip(words) },
            Cause::Left => Warning::LeftGame,
        });
        if suspends {
            self.suspended = Some(Box::new(SuspendedGame::new(play)));
            return self.close(Farewell::Suspended { cause, game_left });
        }
        self.games_ended = self.games_ended.saturating_add(1);
        let end = self.game_end(play, Outcome::None, EndReason::Interrupted);
        self.out.save(GameEvent::Ended(end));
        self.close(match cause {
            Cause::Left => Farewell::Done,
            cause => Farewell::LostInGame { cause, game_left },
        });
    }

    fn game_end(&self, play: Play, outcome: Outcome, reason: EndReason) -> EndEvent {
        let us = play.color();
        let side_to_move = play.side_to_move();
        let winner = match outcome {
            Outcome::Win => Some(Winner::Side(us)),
            Outcome::Loss => Some(Winner::Side(!us)),
            Outcome::Draw => Some(Winner::Draw),
            Outcome::None => None,
        };
        let unit = self.behaviour.spent_unit.length(play.summary().time(side_to_move));
        let spent = play.special.and_then(|(_, spent)| spent).map(|it| it.to_duration(unit));
        let spent = spent.filter(|spent| *spent <= TimeControl::LONGEST);
        let end = GameEnd { winner, reason, side_to_move };
        EndEvent { end, outcome, spent, lines: play.lines }
    }

    fn take_play(&mut self) -> Option<Play> {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Playing(play) => Some(*play),
            other => {
                self.state = other;
                None
            }
        }
    }
}

/// How long the result may come behind this reason.
fn result_limit(reason: &ReasonWord) -> Duration {
    if *reason == ReasonWord::Abnormal { LATE_LINE_LIMIT } else { RESULT_LIMIT }
}

/// The reason by the server's word, or by what else it said.
fn end_reason(play: &Play, reason: Option<ReasonWord>, result: Option<ResultWord>) -> EndReason {
    match reason {
        Some(ReasonWord::Resign) => EndReason::Resignation,
        Some(ReasonWord::TimeUp) => EndReason::TimeUp,
        Some(ReasonWord::IllegalMove) => EndReason::IllegalMove,
        Some(ReasonWord::IllegalAction) => EndReason::IllegalAction,
        Some(ReasonWord::Sennichite) => EndReason::Sennichite,
        Some(ReasonWord::OuteSennichite) => EndReason::PerpetualCheck,
        Some(ReasonWord::Jishogi) => EndReason::Declaration,
        Some(ReasonWord::MaxMoves) => EndReason::MaxMoves,
        Some(ReasonWord::Abnormal) => EndReason::Abnormal,
        Some(ReasonWord::Other(word)) => EndReason::Unknown(clip(&word)),
        None => {
            let limit = play.summary().max_moves;
            let at_limit = limit.is_some_and(|limit| play.game.len() as u64 >= u64::from(limit));
            let mover_won = match result {
                Some(ResultWord::Win) => Some(play.is_our_turn()),
                Some(ResultWord::Lose) => Some(!play.is_our_turn()),
                _ => None,
            };
            match (&play.special, &play.strange_reason, result) {
                (_, _, Some(ResultWord::Chudan)) => EndReason::Suspended,
                (_, Some(word), _) => EndReason::Unknown(word.clone()),
                (Some((Special::Toryo, _)), ..) => EndReason::Resignation,
                (Some((Special::Kachi, _)), ..) if mover_won == Some(true) => {
                    EndReason::Declaration
                }
                (Some((Special::Kachi, _)), ..) if mover_won == Some(false) => {
                    EndReason::IllegalMove
                }
                (Some((Special::Chudan, _)), _, None) => EndReason::Suspended,
                (_, _, Some(ResultWord::Censored)) if at_limit => EndReason::MaxMoves,
                _ => EndReason::Unstated,
            }
        }
    }
}

/// What follows from the reason when the result was never said.
fn derived_outcome(play: &Play, reason: &EndReason) -> Outcome {
    let lost_by = |us: bool| if us { Outcome::Loss } else { Outcome::Win };
    match reason {
        // Whoever's turn it is: if it was not our word, it was the opponent's.
        EndReason::Resignation => lost_by(play.has_resigned()),
        EndReason::TimeUp | EndReason::IllegalMove => lost_by(play.is_our_turn()),
        EndReason::Declaration => lost_by(!play.is_our_turn()),
        EndReason::Sennichite | EndReason::MaxMoves => Outcome::Draw,
        EndReason::PerpetualCheck => match play.game.repetition(CountStart::No) {
            Some(Repetition::PerpetualCheck { loser }) => lost_by(loser == play.color()),
            _ => Outcome::None,
        },
        _ => Outcome::None,
    }
}

/// A reason is mostly followed by the result in the same breath, but a server that checks once a minute may take
/// that long, and the network some more.
const RESULT_LIMIT: Duration = Duration::from_secs(90);
/// How long a reason may come behind its result, or a result behind `#ABNORMAL`.
const LATE_LINE_LIMIT: Duration = Duration::from_secs(2);
