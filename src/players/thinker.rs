//! All decisions about a move except the search itself: answers without a search, the time to think, the current
//! search, and the conversion of its result to an answer.
//!
//! [`Thinker`] does no I/O and owns no thread. It returns a [`SearchJob`], which
//! [`search_thread`](super::search_thread) runs. The built-in player (`play`, `match`) and the USI engine (`usi`) both
//! use it. The opening book answers here, before a search begins ([`Thinker::begin`]).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kyomi_engine::search::{
    GameRules, MateLimits, SearchLimits, SearchOptions, SearchResult, StopFlag, TimeLimit,
};
use kyomi_record::book::OpeningBook;
use kyomi_shogi::clock::{Budget, BudgetInput, Clocks, TimeOptions, budget};
use kyomi_shogi::{Finding, Game, Position};

use super::{
    Answer, Choice, MoveLimit, ResignRule, ThinkRequest,
    search_thread::{MateJob, SearchJob},
};

/// Makes all decisions about a move except the search; see the module.
#[derive(Debug)]
pub struct Thinker {
    resign: ResignRule,
    rules: GameRules,
    time_options: TimeOptions,
    book: Option<OpeningBook>,
    /// Number of successive moves with a hopeless score, `[color]`. Both sides occur: the coordinator also requests
    /// searches of the position after our move.
    hopeless: [u32; 2],
    /// Number of the last search.
    searches: u64,
    current: Option<Current>,
}

/// The current search.
#[derive(Debug)]
struct Current {
    number: u64,
    stop: StopFlag,
    purpose: Purpose,
    game: Arc<Game>,
    /// Whether its answer may be one that needs no search.
    instead: InsteadOfSearch,
}

/// What may answer in place of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InsteadOfSearch {
    /// The rules alone.
    Rules,
    /// The rules and the opening book.
    RulesAndBook,
}

/// The purpose of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To find a move.
    Move,
    /// To ponder; the last move of the game is the expected one.
    Ponder,
    /// To analyse the position until the search is stopped.
    Analysis,
}

/// The result of [`Thinker::begin`].
#[derive(Debug)]
pub enum Begun {
    /// No search is needed.
    Answered(Answer),
    /// The caller has to run this search.
    Search(Box<SearchJob>),
}

/// A search that is over.
#[derive(Debug, PartialEq)]
pub struct Finished {
    /// Its purpose at its end.
    pub purpose: Purpose,
    /// The resulting answer.
    pub answer: Answer,
    /// Whether the rules or the opening book gave the answer, and not the search.
    pub by_rule: bool,
}

impl Thinker {
    /// A thinker that resigns by this rule.
    pub fn new(resign: ResignRule) -> Self {
        Self {
            resign,
            rules: GameRules::default(),
            time_options: TimeOptions::default(),
            book: None,
            hopeless: [0; 2],
            searches: 0,
            current: None,
        }
    }

    /// A game begins. The current search is stopped.
    pub fn new_game(&mut self) {
        self.discard_search();
        self.hopeless = [0; 2];
        if let Some(book) = &mut self.book {
            book.new_game();
        }
    }

    /// Sets the opening book, which answers before the search.
    pub fn set_book(&mut self, book: Option<OpeningBook>) {
        self.book = book;
    }

    /// Sets the rules of the games.
    pub fn set_rules(&mut self, rules: GameRules) {
        self.rules = rules;
    }

    /// Sets when to resign.
    pub fn set_resign(&mut self, resign: ResignRule) {
        self.resign = resign;
    }

    /// Sets the user's options for the time of a move.
    pub fn set_time_options(&mut self, time_options: TimeOptions) {
        self.time_options = time_options;
    }

    /// The rules of the games.
    pub fn rules(&self) -> GameRules {
        self.rules
    }

    /// The answer without a search: a declaration, a resignation if there is no legal move, or a move of the
    /// opening book.
    pub fn without_search(&self, game: &Game) -> Option<Answer> {
        self.answer_by_rules(game.position()).or_else(|| self.answer_from_book(game))
    }

    fn answer_from_book(&self, game: &Game) -> Option<Answer> {
        self.book.as_ref()?.choose(game).map(|chosen| Answer::of_book(&chosen))
    }

    fn answer_instead(&self, game: &Game, instead: InsteadOfSearch) -> Option<Answer> {
        match instead {
            InsteadOfSearch::Rules => self.answer_by_rules(game.position()),
            InsteadOfSearch::RulesAndBook => self.without_search(game),
        }
    }

    /// The answer by the rules alone: a win by an entered king, or a resignation if there is no legal move.
    pub(crate) fn answer_by_rules(&self, position: &Position) -> Option<Answer> {
        let win = position.entering_king_win(self.rules.entering_king);
        if let Some(win) = win {
            Some(Answer::plain(win.into()))
        } else if !position.has_legal_move() {
            Some(Answer::plain(Choice::Resign))
        } else {
            None
        }
    }

    /// The time to think about the move after `game`, by the clocks of a turn that began at `started`.
    pub fn limit_from_clocks(&self, game: &Game, clocks: &Clocks, started: Instant) -> TimeLimit {
        let ply = game.len() as u32 + 1;
        let forced = game.position().count_legal_moves() == 1;
        let input = BudgetInput::new(clocks, ply, self.rules.max_moves).forced(forced);
        TimeLimit {
            started,
            budget: budget::plan(&input.time_options(self.time_options)),
            nodes_per_second: self.time_options.nodes_per_second,
        }
    }

    /// A time limit of exactly `time` from `started`.
    pub fn fixed_limit(time: Duration, started: Instant) -> TimeLimit {
        TimeLimit { started, budget: Budget::fixed(time), nodes_per_second: None }
    }

    /// The limits of a search for a request.
    pub(crate) fn limits(&self, request: &ThinkRequest) -> SearchLimits {
        let mut limits = SearchLimits::default();
        let ThinkRequest { game, clocks, turn_started, .. } = request;
        match request.limit {
            None => limits.time = Some(self.limit_from_clocks(game, clocks, *turn_started)),
            Some(MoveLimit::Time(time)) => {
                limits.time = Some(Self::fixed_limit(time, *turn_started));
            }
            Some(MoveLimit::Nodes(nodes)) => limits.nodes = Some(nodes),
            Some(MoveLimit::Depth(depth)) => limits.depth = Some(depth),
        }
        limits
    }

    /// Begins to think about the move after `game`. The current search is stopped. The rules in `limits` are replaced
    /// by those of the thinker. A search that is not for a move runs until it is stopped.
    pub fn begin(
        &mut self,
        game: impl Into<Arc<Game>>,
        purpose: Purpose,
        limits: SearchLimits,
        options: SearchOptions,
    ) -> Begun {
        self.discard_search();
        let game = game.into();
        let instead = if purpose == Purpose::Analysis || !limits.moves.is_empty() {
            InsteadOfSearch::Rules
        } else {
            InsteadOfSearch::RulesAndBook
        };
        if purpose == Purpose::Move
            && let Some(answer) = self.answer_instead(&game, instead)
        {
            return Begun::Answered(answer);
        }
        let limits = SearchLimits {
            rules: self.rules,
            hold: limits.hold || purpose != Purpose::Move,
            ..limits
        };
        let (number, stop) = self.next_search(purpose, Arc::clone(&game), instead);
        Begun::Search(Box::new(SearchJob { number, options, game, limits, stop }))
    }

    /// Begins a search for mate with a table of `table_bytes`. The current search is stopped.
    pub fn begin_mate(
        &mut self,
        game: impl Into<Arc<Game>>,
        limits: MateLimits,
        table_bytes: u64,
    ) -> Box<MateJob> {
        self.discard_search();
        let game = game.into();
        let position = game.position().clone();
        let (number, stop) = self.next_search(Purpose::Analysis, game, InsteadOfSearch::Rules);
        Box::new(MateJob { number, table_bytes, position, limits, stop })
    }

    fn next_search(
        &mut self,
        purpose: Purpose,
        game: Arc<Game>,
        instead: InsteadOfSearch,
    ) -> (u64, StopFlag) {
        self.searches += 1;
        let stop = StopFlag::new();
        self.current =
            Some(Current { number: self.searches, stop: stop.clone(), purpose, game, instead });
        (self.searches, stop)
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        self.current.is_some()
    }

    /// Whether the current search has this number.
    pub fn is_current(&self, number: u64) -> bool {
        self.current.as_ref().is_some_and(|current| current.number == number)
    }

    /// The game that is pondered on; its last move is the expected one.
    pub fn pondered(&self) -> Option<&Game> {
        let current = self.current.as_ref()?;
        (current.purpose == Purpose::Ponder).then_some(&current.game)
    }

    /// Handles a ponder hit: the current search becomes one for a move, within this time. Does nothing if no
    /// pondering is in progress.
    pub fn ponder_hit(&mut self, time: Option<TimeLimit>) {
        if let Some(current) = &mut self.current
            && current.purpose == Purpose::Ponder
        {
            current.purpose = Purpose::Move;
            current.stop.ponder_hit(time);
            let has_book = self.book.as_ref().is_some_and(|it| it.choose(&current.game).is_some());
            if has_book && current.instead == InsteadOfSearch::RulesAndBook {
                // The book answers when the search ends.
                current.stop.stop();
            }
        }
    }

    /// Stops the current search, which then returns its best move so far.
    pub fn stop(&self) {
        if let Some(current) = &self.current {
            current.stop.stop();
        }
    }

    /// Stops the current search and drops its result.
    pub fn discard_search(&mut self) {
        self.stop();
        self.current = None;
    }

    /// Handles the end of the search with this number. Returns `None` if it is not the current one.
    pub fn finish(&mut self, number: u64, result: &SearchResult) -> Option<Finished> {
        let Current { purpose, game, instead, .. } =
            self.current.take_if(|current| current.number == number)?;
        if let Some(answer) = self.answer_instead(&game, instead) {
            return Some(Finished { purpose, answer, by_rule: true });
        }
        // Only searches for a move count towards resigning.
        let hopeless = &mut self.hopeless[game.position().side_to_move().index()];
        if purpose == Purpose::Move {
            let is_hopeless = result.score.centipawns() <= self.resign.score;
            *hopeless = if is_hopeless { *hopeless + 1 } else { 0 };
        }
        let resigns =
            purpose == Purpose::Move && self.resign.moves > 0 && *hopeless >= self.resign.moves;
        let choice = match result.best {
            Some(mv) if !resigns => Choice::Move(mv),
            _ => Choice::Resign,
        };
        let finding = Finding {
            score: Some(result.score),
            pv: result.pv.clone(),
            depth: Some(result.depth),
            nodes: Some(result.nodes),
            from_book: false,
        };
        let answer = Answer { ponder: result.ponder, finding, ..Answer::plain(choice) };
        Some(Finished { purpose, answer, by_rule: false })
    }

    /// Handles the end of the mate search with this number. Returns whether it is the current one.
    pub fn finish_mate(&mut self, number: u64) -> bool {
        self.current.take_if(|current| current.number == number).is_some()
    }
}

#[cfg(test)]
mod tests;
