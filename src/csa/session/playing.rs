//! The game itself: moves in, moves out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::Doubt;
use crate::shogi::Move;
use crate::shogi::notation::csa;

use super::super::codec::printable;
use super::super::event::{GameEvent, GameStart, MoveEvent, Warning};
use super::super::message::{ClientMessage, MoveWord, Special};
use super::super::summary::GameSummary;
use super::state::{Mind, Play, Relayed, Sent, State};
use super::{Action, Answer, Chosen, PonderMove, Session, When, clip, comment, set_up};

impl Session {
    /// `START` for the offer we agreed to.
    pub(super) fn start_game(&mut self, now: Instant, summary: Arc<GameSummary>) {
        if self.resume_game(now, &summary) {
            return;
        }
        let Ok(game) = summary.game() else {
            return self.unexpected("an offer whose moves cannot be made");
        };
        let ledger = set_up::ledger(&summary, self.behaviour, self.network);
        let side = summary.to_move();
        // It has begun after all, and is played to its end.
        self.leave_by = None;
        let color = summary.your_turn;
        let start = Arc::new(GameStart { summary, color });
        self.state = State::Playing(Box::new(Play {
            start: Arc::clone(&start),
            game,
            ledger,
            turn_started: now,
            mind: Mind::Idle,
            last_word: None,
            adrift: false,
            special: None,
            strange_reason: None,
            lines: Vec::new(),
            warned_time: false,
        }));
        self.out.save(GameEvent::Started(start));
        if side == color {
            self.think();
        }
    }

    /// Our turn begins: ask the player, unless the user wants to leave.
    pub(super) fn think(&mut self) {
        let State::Playing(play) = &mut self.state else { return };
        let id = self.next_request;
        self.next_request += 1;
        play.mind = Mind::Thinking { id };
        self.out.push(Action::Think(play.snapshot(id, play.game.clone())));
    }

    /// The player's answer. One to another request than the last, or after the turn is over, is dropped.
    pub(super) fn chosen(&mut self, now: Instant, chosen: &Chosen) {
        if let Some(suspended) = &mut self.suspended {
            return suspended.keep_answer(chosen);
        }
        let State::Playing(play) = &mut self.state else { return };
        if !matches!(play.mind, Mind::Thinking { id } if id == chosen.id) || !play.is_our_turn() {
            return;
        }
        let mv = match chosen.answer {
            Answer::Resign => return self.say(now, Special::Toryo),
            Answer::Declare => match declaration_fault(play) {
                None => return self.say(now, Special::Kachi),
                Some(fault) => {
                    let next = chosen.pv.first().filter(|mv| play.game.position().is_legal(**mv));
                    let instead = if next.is_some() { "playing on" } else { "resigning" };
                    self.out.warn(Warning::BadDeclaration { fault, instead });
                    match next {
                        Some(mv) => *mv,
                        None => return self.say(now, Special::Toryo),
                    }
                }
            },
            Answer::Move(mv) => mv,
        };
        let position = play.game.position();
        let word = position.is_legal(mv).then(|| csa::format_move(position, mv));
        let Some(word) = word.and_then(|word| MoveWord::parse(&word)) else {
            self.out.warn(Warning::IllegalAnswer { mv: mv.to_string() });
            return self.say(now, Special::Toryo);
        };
        let analysis = comment::analysis(&play.game, mv, chosen);
        let with_comment = self.settings.comments.unwrap_or(self.behaviour.comments);
        let comment =
            with_comment.then(|| comment::format(&play.game, mv, chosen, &analysis)).flatten();
        let ponder = chosen.ponder.or_else(|| match self.settings.ponder_move {
            PonderMove::Named => None,
            PonderMove::NamedOrPv => analysis.pv.first().copied(),
        });
        play.mind = Mind::Sent(Box::new(Sent { word, at: now, analysis, ponder }));
        self.out.send(now, ClientMessage::Move { word, comment });
    }

    /// Sends a `%` word in our own turn.
    fn say(&mut self, now: Instant, word: Special) {
        let State::Playing(play) = &mut self.state else { return };
        play.mind = Mind::Said(word.clone());
        self.out.send(now, ClientMessage::Special(word));
    }

    /// The user wants to leave now: resign, if it is our turn and nothing is sent yet.
    pub(super) fn resign_if_asked(&mut self, now: Instant) {
        let State::Playing(play) = &mut self.state else { return };
        if self.quit != Some(When::Now) || play.adrift || !play.is_our_turn() {
            return;
        }
        match play.mind {
            Mind::Thinking { .. } | Mind::Pondering => {
                self.out.push(Action::StopThinking);
                self.say(now, Special::Toryo);
            }
            Mind::Idle => self.say(now, Special::Toryo),
            Mind::Sent(_) | Mind::Said(_) => {}
        }
    }

    /// A move of either side, as the server has it.
    pub(super) fn move_line(&mut self, now: Instant, line: &str, relayed: Relayed<'_>) {
        let word = relayed.word;
        let play = match &self.state {
            State::Playing(play) => &**play,
            State::Ending(ending) => &ending.play,
            State::Offline
            | State::LoggingIn { .. }
            | State::Waiting(_)
            | State::Agreeing
            | State::Starting { .. }
            | State::Closing { .. }
            | State::Closed => return self.unexpected(line),
        };
        let repeated = word.color() != play.side_to_move() && play.last_word == Some(word);
        let readable = csa::RawMove::parse(word.as_str()).is_some();
        if !play.adrift && (repeated || !readable) {
            return self.unexpected(line);
        }
        self.resume_if_only_a_word();
        let play = match &mut self.state {
            State::Playing(play) => play,
            State::Ending(ending) => {
                if Self::move_is_missing(ending) && ending.play.can_follow(&[word]) {
                    return self.late_move(now, line, relayed);
                }
                return ending.play.note(line);
            }
            _ => return,
        };
        if play.adrift {
            play.note(line);
            return self.out.show(GameEvent::Notice(clip(line)));
        }
        self.supply_echo(word);
        let Some(made) = self.make_move(now, line, relayed) else { return };
        match made {
            Made::Theirs if self.quit == Some(When::Now) => self.resign_if_asked(now),
            Made::Theirs => self.think(),
            Made::Ours(None) => {}
            Made::Ours(Some(sent)) => {
                self.observe_echo(now, &sent);
                self.ponder(&sent);
            }
        }
    }

    /// Before a move of the opponent's that answers ours, which the server has never confirmed: ours counts, with the
    /// time that we measured.
    fn supply_echo(&mut self, reply: MoveWord) {
        let State::Playing(play) = &self.state else { return };
        let Mind::Sent(sent) = &play.mind else { return };
        let (word, at) = (sent.word, sent.at);
        if play.can_follow(&[reply]) || !play.can_follow(&[word, reply]) {
            return;
        }
        self.out.warn(Warning::NotEchoed { word: word.to_string() });
        self.make_move(at, word.as_str(), Relayed { word, spent: None, comment: None });
    }

    /// Makes a move on our board, or goes adrift where that is impossible.
    pub(super) fn make_move(
        &mut self,
        now: Instant,
        line: &str,
        relayed: Relayed<'_>,
    ) -> Option<Made> {
        let State::Playing(play) = &mut self.state else { return None };
        let word = relayed.word;
        let fault = match csa::parse_move(play.game.position(), word.as_str()) {
            Err(fault) => Err(fault.to_string()),
            Ok(_) if play.game.len() >= MOST_PLIES => Err("the game is too long".to_owned()),
            Ok(mv) => match play.game.push(mv) {
                Ok(()) => Ok(mv),
                Err(_) => Err("it is not legal".to_owned()),
            },
        };
        let mv = match fault {
            Ok(mv) => mv,
            Err(fault) => {
                self.go_adrift(line, &fault);
                return None;
            }
        };
        let ours = word.color() == play.color();
        let sent = if ours { self.settle_our_move(word) } else { None };
        let event = self.book_move(now, mv, relayed, sent.as_deref())?;
        self.out.save(GameEvent::Move(event));
        Some(if ours { Made::Ours(sent) } else { Made::Theirs })
    }

    /// The echo of our move tells how fast the line is.
    fn observe_echo(&mut self, now: Instant, sent: &Sent) {
        let State::Playing(play) = &mut self.state else { return };
        play.ledger.observe_round_trip(now.saturating_duration_since(sent.at));
        self.network = *play.ledger.network();
    }

    /// Our turn is over with this move: what we had sent, if it was this one. The server is followed if not.
    fn settle_our_move(&mut self, word: MoveWord) -> Option<Box<Sent>> {
        let State::Playing(play) = &mut self.state else { return None };
        let said = word.to_string();
        match std::mem::replace(&mut play.mind, Mind::Idle) {
            Mind::Sent(sent) if sent.word == word => return Some(sent),
            Mind::Sent(sent) => {
                let sent = sent.word.to_string();
                self.out.warn(Warning::OtherMove { sent, said });
            }
            Mind::Said(special) => {
                self.out.warn(Warning::OtherMove { sent: special.to_string(), said });
            }
            Mind::Thinking { .. } | Mind::Pondering => {
                self.out.push(Action::StopThinking);
                self.out.warn(Warning::OtherMove { sent: "nothing".to_owned(), said });
            }
            Mind::Idle => {}
        }
        None
    }

    /// Books the time of a move that is already on the board.
    fn book_move(
        &mut self,
        now: Instant,
        mv: Move,
        relayed: Relayed<'_>,
        sent: Option<&Sent>,
    ) -> Option<MoveEvent> {
        let Relayed { word, spent, comment } = relayed;
        let State::Playing(play) = &mut self.state else { return None };
        let side = word.color();
        let control = *play.summary().times.of(side);
        let unit = self.behaviour.spent_unit.length(&control);
        let stated = spent.map(|spent| spent.to_duration(unit));
        let ended = sent.map_or(now, |sent| sent.at);
        let measured = ended.saturating_duration_since(play.turn_started);
        let charge = play.ledger.charge(side, stated, measured);
        if sent.is_some() {
            play.ledger.observe_own_turn(&charge);
        }
        play.turn_started = now;
        play.last_word = Some(word);
        play.special = None;
        play.strange_reason = None;
        play.lines.clear();
        if let Some(doubt) = charge.doubt {
            let warned = std::mem::replace(&mut play.warned_time, true);
            if doubt == Doubt::Differs && control.unit != Duration::from_secs(1) {
                if !warned {
                    self.out.warn(Warning::OddUnit { unit: control.unit });
                }
            } else if doubt == Doubt::Impossible || !warned {
                self.out.warn(Warning::OddTime {
                    word: word.to_string(),
                    said: stated,
                    measured,
                    booked: charge.spent,
                });
            }
        }
        Some(MoveEvent {
            ply: u32::try_from(play.game.len()).unwrap_or(u32::MAX),
            mv,
            word: word.to_string(),
            color: side,
            spent: charge.spent,
            measured,
            remaining: (!control.is_unlimited()).then_some(charge.remaining),
            comment: comment.map(|text| printable(text).chars().take(MOST_COMMENT).collect()),
            analysis: sent.map(|sent| sent.analysis.clone()),
        })
    }

    /// Lets the player think on the reply it expects.
    fn ponder(&mut self, sent: &Sent) {
        let State::Playing(play) = &mut self.state else { return };
        let Some(reply) = sent.ponder.filter(|_| self.settings.ponder && self.quit.is_none())
        else {
            return;
        };
        let mut game = play.game.clone();
        if game.push(reply).is_err() {
            return;
        }
        let id = self.next_request;
        self.next_request += 1;
        play.mind = Mind::Pondering;
        let mut snapshot = play.snapshot(id, game);
        snapshot.clocks.turn = play.color();
        self.out.push(Action::Ponder(snapshot));
    }

    /// A line of the server's cannot be applied: stop, report, wait for the result.
    fn go_adrift(&mut self, line: &str, fault: &str) {
        let State::Playing(play) = &mut self.state else { return };
        play.adrift = true;
        play.note(line);
        if play.is_busy() {
            self.out.push(Action::StopThinking);
        }
        play.mind = Mind::Idle;
        self.out.warn(Warning::Adrift { line: clip(line), fault: fault.to_owned() });
    }
}

/// A move that is on the board now.
pub(super) enum Made {
    /// Ours; what we had sent, unless the server made another move for us.
    Ours(Option<Box<Sent>>),
    /// The opponent's.
    Theirs,
}

/// Why `%KACHI` would be wrong here; `None` when it is right.
fn declaration_fault(play: &Play) -> Option<String> {
    if !play.summary().has_declaration() {
        return Some("the offer knows no declaration".to_owned());
    }
    play.game.position().declaration().fault.map(|fault| fault.to_string())
}

/// No game of shogi is longer; a server that goes on for ever shall not fill our memory.
const MOST_PLIES: usize = 10_000;
const MOST_COMMENT: usize = 2000;
