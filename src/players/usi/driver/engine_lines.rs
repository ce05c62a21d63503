//! The lines of the engine.

use std::time::Instant;

use kyomi_shogi::notation::usi::parse_move;

use super::{
    super::{
        super::{Answer, Choice, EngineError, PlayerEvent},
        parser::{self, BestMove, EngineLine, Info},
    },
    Driver, State,
    on_failure::OnFailure,
    search::Search,
    stderr_tail::printable,
};

impl Driver {
    /// Handles a line of the engine.
    pub(super) fn line(&mut self, now: Instant, line: &str) {
        match parser::parse(line) {
            EngineLine::Name(name) => self.name = printable(name),
            EngineLine::Option(option) if matches!(self.state, State::Booting { .. }) => {
                if self.options.len() < MAX_OPTIONS && line.len() <= LONGEST_OPTION {
                    self.options.push(option);
                }
            }
            EngineLine::UsiOk => self.usi_ok(now),
            EngineLine::ReadyOk => self.ready_ok(now),
            EngineLine::BestMove(best) => self.best_move(now, &best),
            EngineLine::Info(info) => self.info(now, info),
            EngineLine::Text(text) => tracing::debug!(text = printable(text), "engine says"),
            EngineLine::Option(_) | EngineLine::Unknown => {
                tracing::debug!(line = printable(line), "unexpected line of the engine");
            }
        }
    }

    fn usi_ok(&mut self, now: Instant) {
        if !matches!(self.state, State::Booting { .. }) {
            return;
        }
        if self.ready_unsent {
            self.event(PlayerEvent::Identified);
        }
        self.set_options();
        if let Some(info) = self.game {
            // The engine was restarted during a game.
            self.set_rules(info);
            self.new_game = Some(info);
        }
        self.send("isready");
        self.ready_for_new_game = true;
        self.state = State::Readying { since: now };
    }

    fn ready_ok(&mut self, now: Instant) {
        if !matches!(self.state, State::Readying { .. }) {
            return;
        }
        self.state = State::Idle;
        if std::mem::take(&mut self.ready_unsent) {
            self.up_since = Some(now);
            self.event(PlayerEvent::Ready { name: self.name.clone() });
        }
        if self.on_failure == OnFailure::FatalUntilReady {
            self.on_failure = OnFailure::Restart;
        }
        self.start_pending(now);
    }

    pub(super) fn begin_game(&mut self) {
        self.ready_for_new_game = false;
        self.send("usinewgame");
        self.event(PlayerEvent::Prepared);
    }

    /// Handles `bestmove`: the answer to a request, one before the ponder hit, or that of a stopped search.
    fn best_move(&mut self, now: Instant, best: &BestMove) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Thinking(search) => self.answer(now, *search, best),
            State::Pondering(search) => {
                tracing::debug!("the engine answered before the ponder hit");
                self.state = State::AnsweredEarly(search, best.clone());
            }
            State::Stopping { .. } => self.start_pending(now),
            State::Leaving { .. } => self.send_quit(),
            other => {
                tracing::debug!(best.word, "an unexpected bestmove");
                self.state = other;
            }
        }
    }

    /// Answers the request of a search by the engine's `bestmove`. A move or declaration against the rules is a
    /// failure.
    pub(super) fn answer(&mut self, now: Instant, search: Search, best: &BestMove) {
        self.state = State::Idle;
        let position = search.request.game.position();
        let choice = match best.word.as_str() {
            word if word.eq_ignore_ascii_case("resign") => Some(Choice::Resign),
            word if word.eq_ignore_ascii_case("win") => {
                let rule = self.game.map(|game| game.entering_king).unwrap_or_default();
                position.entering_king_win(rule).map(Choice::from)
            }
            word => match parse_move(word) {
                Ok(mv) if position.is_legal(mv) => Some(Choice::Move(mv)),
                Err(_) if !position.has_legal_move() => Some(Choice::Resign),
                _ => None,
            },
        };
        let Some(choice) = choice else {
            let (engine, stderr) = (self.spec.title(), self.stderr.to_vec());
            let answer = printable(&best.word);
            self.state = State::Thinking(Box::new(search));
            self.fail(now, EngineError::Illegal { engine, answer, stderr });
            return;
        };
        let id = search.request.id;
        self.count_score(search.last_score());
        let resign_fault = if choice == Choice::Resign { self.resign_fault(&search) } else { None };
        // The owner plays the first move of the PV instead, and does not know the infos from before the ponder hit.
        if resign_fault.is_some()
            && search.has_pondered()
            && let Some(info) = search.search_info()
        {
            self.event(PlayerEvent::Info { id, info: Box::new(info) });
        }
        let answer = Answer { resign_fault, ..search.into_answer(choice, best.ponder) };
        self.event(PlayerEvent::Answer { id, answer });
        self.start_pending(now);
    }

    /// Handles `info`: a sign of life, and news for the watchers.
    fn info(&mut self, now: Instant, info: Info) {
        let (State::Thinking(search) | State::Pondering(search)) = &mut self.state else { return };
        search.output_received(now);
        let news = if info.multipv.is_some_and(|number| number > 1) {
            search.secondary_line_info(&info)
        } else {
            search.record(info);
            search.search_info()
        };
        let id = search.request.id;
        if let Some(info) = news {
            self.event(PlayerEvent::Info { id, info: Box::new(info) });
        }
    }
}

/// Maximum number of options kept; no engine has a tenth of them.
const MAX_OPTIONS: usize = 2000;

/// The longest line of an option that is kept, in bytes; some list the names of many files.
const LONGEST_OPTION: usize = 8192;
