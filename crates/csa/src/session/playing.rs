//! The running game: moves received and moves sent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kyomi_shogi::clock::{OwnTurn, TimeDiscrepancy};
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, EnteringKingWin, Game, Move, Position};

use super::super::event::{GameEvent, GameStart, MoveEvent, Warning};
use super::super::message::{ClientMessage, MoveWord, Special};
use super::super::profile::Suspension;
use super::super::reconnect::ReconnectState;
use super::super::summary::GameSummary;
use super::running::{Activity, RunningGame, SentMove, ServerMove};
use super::state::{GamePhase, State};
use super::{
    Action, Answer, Chosen, PonderMove, PonderStart, Session, When, clip, comment, set_up,
};
use crate::text::printable;

impl Session {
    /// Starts the game of the offer that we agreed to, or resumes the unfinished game if the offer is for that.
    pub(super) fn start_game(&mut self, now: Instant, summary: Arc<GameSummary>) {
        let state = ReconnectState::default();
        if !self.resume_game(now, &summary, &state) {
            self.start_game_from(now, summary, &state);
        }
    }

    /// Starts a game that is new to us, from the server's state of it if it already runs.
    pub(super) fn start_game_from(
        &mut self,
        now: Instant,
        summary: Arc<GameSummary>,
        state: &ReconnectState,
    ) {
        let Ok(game) = summary.game() else {
            return self.unexpected("an offer whose moves cannot be made");
        };
        self.network.begin_game();
        let handicap = self.settings.handicap;
        let mut game_clocks = set_up::game_clocks(&summary, self.behaviour, self.network, handicap);
        for color in Color::ALL {
            // The stated time includes the increment of the next move.
            if let Some(stated) = state.remaining[color.index()] {
                let increment = summary.time(color).increment;
                game_clocks.set_remaining(color, stated.saturating_sub(increment));
            }
        }
        let turn_spent = state.turn_spent.unwrap_or_default();
        let side = summary.to_move();
        self.leave_by = self.leave_game_by(now);
        let color = summary.your_turn;
        let start = Arc::new(GameStart::new(summary, self.behaviour.spent_unit));
        let turn_started = now.checked_sub(turn_spent).unwrap_or(now);
        let running = RunningGame::new(Arc::clone(&start), game, game_clocks, turn_started);
        self.state = running.into();
        self.out.save(GameEvent::Started(start));
        if side == color {
            self.think(None);
            self.resign_if_asked(now);
        }
    }

    /// Asks the player for a move in our turn. `ponder_hit`: whether the opponent played the reply that was pondered
    /// on.
    pub(super) fn think(&mut self, ponder_hit: Option<bool>) {
        let Some(running) = self.state.playing_mut() else { return };
        let id = self.next_request;
        self.next_request += 1;
        running.activity = Activity::Thinking { id, ponder_hit };
        self.out.push(Action::Think(running.snapshot(id, running.game.clone())));
    }

    /// Handles the player's answer. An answer to an outdated request, or after the turn is over, is dropped.
    pub(super) fn chosen(&mut self, now: Instant, chosen: &Chosen) {
        if let Some(game) = &mut self.unfinished {
            return game.keep_answer(chosen);
        }
        let Some(running) = self.state.playing_mut() else { return };
        let ponder_hit = match running.activity {
            Activity::Thinking { id, ponder_hit } if id == chosen.id => ponder_hit,
            _ => return,
        };
        if !running.is_our_turn() {
            return;
        }
        running.last_analysis = match chosen.answer {
            Answer::Move(_) => None,
            Answer::Resign | Answer::Declare => {
                comment::last_analysis(&running.game, &chosen.finding)
            }
        };
        let position = running.game.position();
        let mv = match chosen.answer {
            Answer::Resign => return self.send_special(now, Special::Toryo),
            Answer::Move(mv) if position.is_legal(mv) => Some(mv),
            Answer::Move(mv) => {
                let instead = known_move(position, chosen);
                let mv = mv.to_string();
                self.out.warn(Warning::IllegalAnswer { mv, instead: replacement_text(instead) });
                instead
            }
            Answer::Declare => match position.entering_king_win(running.entering_king()) {
                Some(EnteringKingWin::Declaration) => {
                    return self.send_special(now, Special::Kachi);
                }
                Some(EnteringKingWin::Try(mv)) => Some(mv),
                None => {
                    let fault = position.declaration(running.entering_king()).fault;
                    let fault = fault.map(|fault| fault.to_string()).unwrap_or_default();
                    let instead = known_move(position, chosen);
                    let text = replacement_text(instead);
                    self.out.warn(Warning::BadDeclaration { fault, instead: text });
                    instead
                }
            },
        };
        let word = mv.and_then(|mv| {
            let word = MoveWord::parse(&csa::format_move(position, mv))?;
            Some((mv, word))
        });
        // Without a legal move the game is lost.
        let Some((mv, word)) = word else { return self.send_special(now, Special::Toryo) };
        let analysis = comment::analysis(&running.game, mv, &chosen.finding);
        let with_comment = self.settings.comments.unwrap_or(self.behaviour.comments);
        let comment = with_comment.then(|| comment::format(&running.game, mv, &analysis)).flatten();
        let ponder = chosen.ponder.or_else(|| match self.settings.ponder_move {
            PonderMove::Named => None,
            PonderMove::NamedOrPv => analysis.pv.first().copied(),
        });
        let mut sent =
            Box::new(SentMove { word, at: now, analysis, ponder, is_pondering: false, ponder_hit });
        self.out.send(now, ClientMessage::Move { word, comment });
        if self.settings.ponder == PonderStart::WithMove {
            sent.is_pondering = self.ponder_after(Some(mv), sent.ponder).is_some();
        }
        if let Some(running) = self.state.playing_mut() {
            running.activity = Activity::MoveSent(sent);
        }
    }

    /// Sends a `%` line in our own turn.
    fn send_special(&mut self, now: Instant, word: Special) {
        let Some(running) = self.state.playing_mut() else { return };
        running.activity = Activity::SpecialSent(word.clone());
        self.out.send(now, ClientMessage::Special(word));
    }

    /// Proposes to the opponent to suspend the game. The clocks run on, and so does our search.
    pub(super) fn propose_to_suspend(&mut self, now: Instant) {
        let Some(running) = self.state.playing() else { return };
        if self.behaviour.suspension == Suspension::ByAgreement && !running.out_of_sync {
            self.out.send(now, ClientMessage::Special(Special::Chudan));
        }
    }

    /// Resigns if the user asked to leave now, it is our turn and nothing has been sent in it.
    pub(super) fn resign_if_asked(&mut self, now: Instant) {
        let Some(running) = self.state.playing_mut() else { return };
        if self.quit != Some(When::Now) || running.out_of_sync || !running.is_our_turn() {
            return;
        }
        match running.activity {
            Activity::Thinking { .. } | Activity::Pondering(_) => {
                self.out.push(Action::StopThinking);
                self.send_special(now, Special::Toryo);
            }
            Activity::Idle => self.send_special(now, Special::Toryo),
            Activity::MoveSent(_) | Activity::SpecialSent(_) => {}
        }
    }

    /// Handles a move of either side from the server.
    pub(super) fn move_line(&mut self, now: Instant, line: &str, server_move: ServerMove<'_>) {
        let word = server_move.word;
        let running = match &self.state {
            State::Game(GamePhase::Playing(running)) => &**running,
            State::Game(GamePhase::Ending(ending)) => &ending.running,
            State::Lobby(_) | State::Game(GamePhase::Suspended(_)) | State::Closing(_) => {
                return self.unexpected(line);
            }
        };
        let repeated = word.color() != running.side_to_move() && running.last_word == Some(word);
        let readable = csa::RawMove::parse(word.as_str()).is_some();
        if !running.out_of_sync && (repeated || !readable) {
            return self.unexpected(line);
        }
        self.resume_after_special();
        let running = match &mut self.state {
            State::Game(GamePhase::Playing(running)) => running,
            State::Game(GamePhase::Ending(ending)) => {
                if Self::final_move_may_follow(ending) && ending.running.are_legal_moves(&[word]) {
                    return self.late_move(now, line, server_move);
                }
                return ending.running.record_end_line(line);
            }
            _ => return,
        };
        if running.out_of_sync {
            running.record_end_line(line);
            return self.out.show(GameEvent::Notice(clip(line)));
        }
        self.assume_echo(word);
        let pondered_on = match self.state.playing().map(|running| &running.activity) {
            Some(Activity::Pondering(reply)) => Some(*reply),
            _ => None,
        };
        let Some(made) = self.make_move(now, line, server_move) else { return };
        match made {
            MoveMade::Opponents(_) if self.quit == Some(When::Now) => self.resign_if_asked(now),
            MoveMade::Opponents(reply) => self.think(pondered_on.map(|expected| expected == reply)),
            MoveMade::Ours(None) => {}
            MoveMade::Ours(Some(sent)) => {
                self.observe_echo(now, &sent);
                self.ponder(&sent);
            }
        }
    }

    /// If the opponent's reply arrives but the echo of our move never did, makes our move first, with the time that we
    /// measured.
    fn assume_echo(&mut self, reply: MoveWord) {
        let Some(running) = self.state.playing() else { return };
        let Activity::MoveSent(sent) = &running.activity else { return };
        let (word, at) = (sent.word, sent.at);
        if running.are_legal_moves(&[reply]) || !running.are_legal_moves(&[word, reply]) {
            return;
        }
        self.out.warn(Warning::NotEchoed { word: word.to_string() });
        self.make_move(at, word.as_str(), ServerMove { word, spent: None, comment: None });
    }

    /// Makes a move on our board. If that is impossible, marks the game as out of sync.
    pub(super) fn make_move(
        &mut self,
        now: Instant,
        line: &str,
        server_move: ServerMove<'_>,
    ) -> Option<MoveMade> {
        let running = self.state.playing_mut()?;
        let word = server_move.word;
        let fault = match csa::parse_move(running.game.position(), word.as_str()) {
            Err(fault) => Err(fault.to_string()),
            Ok(_) if running.game.len() >= Game::MAX_PLIES => {
                Err("the game is too long".to_owned())
            }
            Ok(mv) => match running.game.push(mv) {
                Ok(()) => Ok(mv),
                Err(_) => Err("it is not legal".to_owned()),
            },
        };
        let mv = match fault {
            Ok(mv) => mv,
            Err(fault) => {
                self.mark_out_of_sync(line, &fault);
                return None;
            }
        };
        let is_ours = word.color() == running.color();
        let sent = if is_ours { self.end_our_turn(word) } else { None };
        let event = self.charge_move(now, mv, server_move, sent.as_deref())?;
        self.out.save(GameEvent::Move(event));
        Some(if is_ours { MoveMade::Ours(sent) } else { MoveMade::Opponents(mv) })
    }

    /// Measures the round trip by the echo of our move.
    fn observe_echo(&mut self, now: Instant, sent: &SentMove) {
        let Some(running) = self.state.playing_mut() else { return };
        running.game_clocks.observe_round_trip(now.saturating_duration_since(sent.at));
        self.network = *running.game_clocks.network();
    }

    /// Ends our turn with the server's move. Returns what we sent if it is the same move; otherwise warns and follows
    /// the server.
    fn end_our_turn(&mut self, word: MoveWord) -> Option<Box<SentMove>> {
        let running = self.state.playing_mut()?;
        let stated = word.to_string();
        match std::mem::replace(&mut running.activity, Activity::Idle) {
            Activity::MoveSent(sent) if sent.word == word => return Some(sent),
            Activity::MoveSent(sent) => {
                if sent.is_pondering {
                    self.out.push(Action::StopThinking);
                }
                let sent = sent.word.to_string();
                self.out.warn(Warning::OtherMove { sent, stated });
            }
            Activity::SpecialSent(special) => {
                self.out.warn(Warning::OtherMove { sent: special.to_string(), stated });
            }
            Activity::Thinking { .. } | Activity::Pondering(_) => {
                self.out.push(Action::StopThinking);
                self.out.warn(Warning::OtherMove { sent: "nothing".to_owned(), stated });
            }
            Activity::Idle => {}
        }
        None
    }

    /// Charges the time of a move that is already on the board.
    fn charge_move(
        &mut self,
        now: Instant,
        mv: Move,
        server_move: ServerMove<'_>,
        sent: Option<&SentMove>,
    ) -> Option<MoveEvent> {
        let ServerMove { word, spent, comment } = server_move;
        let running = self.state.playing_mut()?;
        let side = word.color();
        let control = *running.summary().times.of(side);
        let unit = self.behaviour.spent_unit.length(&control);
        let stated = spent.map(|spent| spent.to_duration(unit));
        let ended = sent.map_or(now, |sent| sent.at);
        let measured = ended.saturating_duration_since(running.turn_started);
        let before = running.main_time_left(side);
        let charge = running.game_clocks.charge(side, stated, measured);
        if sent.is_some() {
            running.game_clocks.observe_own_turn(&charge);
        }
        running.turn_started = now;
        running.last_word = Some(word);
        running.forget_end();
        if let Some(discrepancy) = charge.discrepancy {
            let warned = std::mem::replace(&mut running.warned_time, true);
            if discrepancy == TimeDiscrepancy::Differs && control.unit != Duration::from_secs(1) {
                if !warned {
                    self.out.warn(Warning::OddUnit { unit: control.unit });
                }
            } else if discrepancy == TimeDiscrepancy::Impossible || !warned {
                self.out.warn(Warning::OddTime {
                    word: word.to_string(),
                    stated,
                    measured,
                    charged: charge.spent,
                });
            }
        }
        Some(MoveEvent {
            ply: u32::try_from(running.game.len()).unwrap_or(u32::MAX),
            mv,
            word: word.to_string(),
            color: side,
            spent: charge.spent,
            measured,
            remaining: running.main_time_left(side),
            comment: comment.map(|text| printable(text).chars().take(MAX_COMMENT_CHARS).collect()),
            analysis: sent.map(|sent| sent.analysis.clone()),
            own_turn: sent.map(|sent| OwnTurn {
                measured,
                echo: Some(now.saturating_duration_since(sent.at)),
                before,
                ponder_hit: sent.ponder_hit,
            }),
        })
    }

    /// Lets the player ponder on the reply that it expects, after the echo of our move.
    fn ponder(&mut self, sent: &SentMove) {
        let reply =
            if sent.is_pondering { sent.ponder } else { self.ponder_after(None, sent.ponder) };
        if let (Some(running), Some(reply)) = (self.state.playing_mut(), reply) {
            running.activity = Activity::Pondering(reply);
        }
    }

    /// Lets the player ponder on `reply` to `own_move`, or to the last move if that is ours. Returns the reply if it
    /// does.
    fn ponder_after(&mut self, own_move: Option<Move>, reply: Option<Move>) -> Option<Move> {
        let running = self.state.playing_mut()?;
        let reply = reply.filter(|_| self.quit.is_none())?;
        if self.settings.ponder == PonderStart::Never {
            return None;
        }
        let mut game = running.game.clone();
        for mv in own_move.into_iter().chain([reply]) {
            game.push(mv).ok()?;
        }
        let id = self.next_request;
        self.next_request += 1;
        let mut snapshot = running.snapshot(id, game);
        snapshot.clocks.turn = running.color();
        self.out.push(Action::Ponder(snapshot));
        Some(reply)
    }

    /// Marks the game as out of sync, because a line of the server cannot be applied. From then on only its result is
    /// awaited.
    fn mark_out_of_sync(&mut self, line: &str, fault: &str) {
        let Some(running) = self.state.playing_mut() else { return };
        running.out_of_sync = true;
        running.record_end_line(line);
        if running.is_busy() {
            self.out.push(Action::StopThinking);
        }
        running.activity = Activity::Idle;
        self.out.warn(Warning::OutOfSync { line: clip(line), fault: fault.to_owned() });
    }
}

/// A move that was made on our board.
pub(super) enum MoveMade {
    /// Our move, with what we had sent unless the server made another move for us.
    Ours(Option<Box<SentMove>>),
    /// The opponent's move.
    Opponents(Move),
}

/// The move to play in place of an answer that is refused: the first one of its PV, else any legal one. `None` without
/// legal moves.
fn known_move(position: &Position, chosen: &Chosen) -> Option<Move> {
    let first = chosen.finding.pv.first().copied().filter(|mv| position.is_legal(*mv));
    first.or_else(|| position.legal_moves().first().copied())
}

fn replacement_text(instead: Option<Move>) -> String {
    instead.map_or_else(|| "resigning".to_owned(), |mv| format!("playing {mv}"))
}

const MAX_COMMENT_CHARS: usize = 2000;
