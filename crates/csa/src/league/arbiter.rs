//! Runs an event: decides when a round begins, which games to start, and who forfeits; without I/O.
//!
//! ```text
//!        start time, or all are present           all results
//! Waiting ----------------------------> Round ------------------> Waiting (a pause) ...
//! ```
//! An aborted game (the offer was rejected, or the game adjourned) is started again after [`RETRY`]. A player who has
//! rejected the offers of one game [`MOST_REJECTIONS`] times forfeits it, and so does one who has been absent for
//! `forfeit_after` since the round was due.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::event::{Event, Format, RoundStart};
use super::pairing::{Entrant, Pairing, round_robin, swiss};
use super::standings::{Row, standings};
use super::state::{EventState, GameResult, PairedGame, Round};

/// Runs one event.
#[derive(Debug)]
pub struct Arbiter {
    event: Event,
    state: EventState,
    /// Games that have been started, with the time from which they may be started again if they are not running.
    games: HashMap<BoardGame, Board>,
    /// Since when the next or the running round has been waiting for absent players.
    waits_since: Option<Timestamp>,
    /// Since when each player has been absent, by its index; `None` while it is present.
    absent_since: Vec<Option<Timestamp>>,
}

/// A game of an event: its round and its place in it, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoardGame {
    /// The round.
    pub round: usize,
    /// The board.
    pub board: usize,
}

#[derive(Debug, Default)]
struct Board {
    is_running: bool,
    retry_at: Option<Timestamp>,
    rejections: [u32; 2],
}

/// Whether a player can play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is not logged in.
    Absent,
    /// It is logged in, but cannot begin a game now.
    Busy,
    /// It can begin a game.
    Ready,
}

/// A game to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Which game.
    pub game: BoardGame,
    /// The names of the players, `[black, white]`.
    pub names: [String; 2],
}

impl Arbiter {
    /// Begins or continues an event.
    pub fn new(event: Event, state: EventState) -> Self {
        let absent_since = vec![None; state.players.len()];
        Self { event, state, games: HashMap::new(), waits_since: None, absent_since }
    }

    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The rounds so far.
    pub fn state(&self) -> &EventState {
        &self.state
    }

    /// Whether all games are over.
    pub fn is_over(&self) -> bool {
        self.state.is_over(&self.event)
    }

    /// The games to be started now, and whether the state has changed: a round has begun or games are forfeited. Call
    /// it whenever a player or a game has changed, and at [`Arbiter::wake_at`].
    pub fn next(
        &mut self,
        now: Timestamp,
        presence: impl Fn(&str) -> Presence,
    ) -> (Vec<Start>, bool) {
        self.note_absence(now, &presence);
        // A round whose last result was entered by hand is over.
        let mut changed = self.close_round(now);
        if self.open_round().is_none() && !self.is_over() && self.wait_for_players(now, &presence) {
            self.begin_round(now);
            changed = true;
        }
        let mut starts = Vec::new();
        let Some(round) = self.open_round() else { return (starts, changed) };
        self.waits_since.get_or_insert(now);
        for (board, players) in self.open_games(round) {
            let key = BoardGame { round, board };
            let entry = self.games.entry(key).or_default();
            if entry.is_running {
                continue;
            }
            let retry_at = entry.retry_at;
            let name = |player: usize| self.state.players.get(player).cloned().unwrap_or_default();
            let names = players.map(name);
            let late = players.map(|player| self.forfeits_at(player).is_some_and(|at| at <= now));
            let there = [presence(&names[0]), presence(&names[1])];
            if late != [false; 2] {
                let result = match late {
                    [true, true] => GameResult::DoubleForfeit,
                    [true, false] => GameResult::WhiteByForfeit,
                    _ => GameResult::BlackByForfeit,
                };
                self.set_result(key, result, "absent", None, now);
                changed = true;
            } else if there == [Presence::Ready; 2] && retry_at.is_none_or(|at| at <= now) {
                self.games.entry(key).or_default().is_running = true;
                starts.push(Start { game: key, names });
            }
        }
        (starts, changed)
    }

    /// When [`Arbiter::next`] is due if nothing else happens.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        let mut times: Vec<Timestamp> = Vec::new();
        if let Some(round) = self.open_round() {
            let players = self.open_games(round).into_iter().flat_map(|(_, players)| players);
            times.extend(players.filter_map(|player| self.forfeits_at(player)));
        } else if !self.is_over() {
            let limit = self.event.schedule.forfeit_after;
            times.extend(self.waits_since.zip(limit).map(|(since, limit)| later(since, limit)));
            times.extend(self.earliest());
        }
        times.extend(self.games.values().filter(|it| !it.is_running).filter_map(|it| it.retry_at));
        times.into_iter().filter(|at| *at > now).min()
    }

    /// Records the result of a game.
    pub fn game_over(
        &mut self,
        game: BoardGame,
        result: GameResult,
        reason: &str,
        game_id: &str,
        now: Timestamp,
    ) {
        self.set_result(game, result, reason, Some(game_id), now);
    }

    /// Notes that a game was aborted without a result. `[black, white]`: who has rejected it or not answered.
    pub fn game_aborted(&mut self, game: BoardGame, rejected: [bool; 2], now: Timestamp) {
        let entry = self.games.entry(game).or_default();
        entry.is_running = false;
        entry.retry_at = Some(later(now, RETRY));
        for (count, rejected) in entry.rejections.iter_mut().zip(rejected) {
            *count += u32::from(rejected);
        }
        let gives_up = entry.rejections.map(|count| count >= MOST_REJECTIONS);
        let result = match gives_up {
            [false, false] => return,
            [true, true] => GameResult::DoubleForfeit,
            [true, false] => GameResult::WhiteByForfeit,
            [false, true] => GameResult::BlackByForfeit,
        };
        self.set_result(game, result, "rejected", None, now);
    }

    /// Notes that a game of an earlier process is running again. Returns false if it does not belong to the open round,
    /// or has a result.
    pub fn game_resumed(&mut self, game: BoardGame, names: &[String; 2]) -> bool {
        let is_open = self.open_round() == Some(game.round)
            && self.open_games(game.round).into_iter().any(|(board, players)| {
                let are_those = |(player, name): (&usize, &String)| {
                    self.state.players.get(*player) == Some(name)
                };
                board == game.board && players.iter().zip(names).all(are_those)
            });
        if is_open {
            self.games.entry(game).or_default().is_running = true;
        }
        is_open
    }

    /// The round that has begun and is not over.
    fn open_round(&self) -> Option<usize> {
        let (last, round) = self.state.rounds.iter().enumerate().next_back()?;
        round.ended.is_none().then_some(last)
    }

    /// The games of a round without a result: the board and its players.
    fn open_games(&self, round: usize) -> Vec<(usize, [usize; 2])> {
        let games = self.state.rounds.get(round).into_iter().flat_map(|round| &round.games);
        let open = games.enumerate().filter(|(_, game)| game.result.is_none());
        open.map(|(board, game)| (board, game.players)).collect()
    }

    fn note_absence(&mut self, now: Timestamp, presence: &impl Fn(&str) -> Presence) {
        for (since, name) in self.absent_since.iter_mut().zip(&self.state.players) {
            *since = match presence(name) {
                Presence::Absent => Some(since.unwrap_or(now)),
                Presence::Busy | Presence::Ready => None,
            };
        }
    }

    /// When this player forfeits its game of the open round if it stays absent; `None` while it is present.
    fn forfeits_at(&self, player: usize) -> Option<Timestamp> {
        let absent_since = (*self.absent_since.get(player)?)?;
        let since = self.waits_since.map_or(absent_since, |due| due.max(absent_since));
        Some(later(since, self.event.schedule.forfeit_after?))
    }

    /// Ends the last round if all its games have results. Returns whether it did.
    fn close_round(&mut self, now: Timestamp) -> bool {
        let Some(round) = self.state.rounds.last_mut() else { return false };
        let is_over = round.games.iter().all(|game| game.result.is_some());
        if !is_over || round.ended.is_some() {
            return false;
        }
        round.ended = Some(now);
        self.waits_since = None;
        true
    }

    fn set_result(
        &mut self,
        game: BoardGame,
        result: GameResult,
        reason: &str,
        game_id: Option<&str>,
        now: Timestamp,
    ) {
        self.games.remove(&game);
        let Some(round) = self.state.rounds.get_mut(game.round) else { return };
        if let Some(paired) = round.games.get_mut(game.board).filter(|it| it.result.is_none()) {
            paired.result = Some(result);
            paired.reason = Some(reason.to_owned());
            paired.game_id = game_id.map(str::to_owned);
        }
        self.close_round(now);
    }

    /// The earliest time of the next round, whoever is present.
    fn earliest(&self) -> Option<Timestamp> {
        let number = self.state.rounds.len();
        let schedule = &self.event.schedule;
        let ended = self.state.rounds.last().and_then(|round| round.ended);
        let after_pause = ended.map(|ended| later(ended, schedule.pause));
        let set = match schedule.rounds.get(number) {
            Some(RoundStart::At(at)) => Some(*at),
            _ => None,
        };
        after_pause.max(set)
    }

    /// Waits for the players of the next round. Returns whether it is to begin.
    fn wait_for_players(&mut self, now: Timestamp, presence: &impl Fn(&str) -> Presence) -> bool {
        if self.earliest().is_some_and(|at| now < at) {
            return false;
        }
        let number = self.state.rounds.len();
        let schedule = &self.event.schedule;
        if let Some(RoundStart::At(_)) = schedule.rounds.get(number) {
            return true;
        }
        let since = *self.waits_since.get_or_insert(now);
        let is_late = schedule.forfeit_after.is_some_and(|limit| now >= later(since, limit));
        let all_there = self.state.players.iter().all(|name| presence(name) != Presence::Absent);
        all_there || is_late
    }

    fn begin_round(&mut self, now: Timestamp) {
        let number = self.state.rounds.len();
        let Pairing { games, bye } = match self.event.format {
            // Every player has the same number of byes, so they give no points and are not recorded.
            Format::RoundRobin { .. } => {
                Pairing { bye: None, ..round_robin(self.state.players.len(), number) }
            }
            Format::Swiss { .. } => {
                let mut rng = fastrand::Rng::with_seed(self.event.seed.wrapping_add(number as u64));
                swiss(&entrants(&self.state), rng.bool())
            }
        };
        let game = |players| PairedGame { players, result: None, reason: None, game_id: None };
        let games: Vec<PairedGame> = games.into_iter().map(game).collect();
        let ended = games.is_empty().then_some(now);
        self.state.rounds.push(Round { began: now, ended, games, bye });
        // The time that players were absent before the round counts.
        let waited = self.waits_since.filter(|_| self.starts_by_presence(number));
        self.waits_since = Some(waited.unwrap_or(now));
    }

    fn starts_by_presence(&self, round: usize) -> bool {
        !matches!(self.event.schedule.rounds.get(round), Some(RoundStart::At(_)))
    }
}

/// The data of all players that the Swiss pairing depends on.
fn entrants(state: &EventState) -> Vec<Entrant> {
    let mut entrants = vec![Entrant::default(); state.players.len()];
    for Row { player, score, byes, .. } in standings(state) {
        if let Some(entrant) = entrants.get_mut(player) {
            (entrant.score, entrant.byes) = (score, byes);
        }
    }
    for game in state.rounds.iter().flat_map(|round| &round.games) {
        let [black, white] = game.players;
        let is_played = game.result.is_some_and(GameResult::is_played);
        for (player, rival, color) in [(black, white, 1), (white, black, -1)] {
            let Some(entrant) = entrants.get_mut(player) else { continue };
            entrant.met.push(rival);
            // A game decided by forfeit does not count for the colours.
            if is_played {
                entrant.color_balance += color;
                entrant.last_color = color;
            }
        }
    }
    entrants
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    time.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// The pause before an aborted game is started again.
const RETRY: Duration = Duration::from_secs(10);

/// After this number of rejections a player forfeits the game.
const MOST_REJECTIONS: u32 = 3;

#[cfg(test)]
mod tests;
