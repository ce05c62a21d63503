//! The games of the server, as it reports them, and what the client could know of their ends.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

/// All games of all servers, by their ids.
#[derive(Default)]
pub(super) struct HostedGames(BTreeMap<String, HostedGame>);

/// A game on the server.
#[derive(Debug, Clone)]
pub(super) struct HostedGame {
    pub(super) began: Instant,
    pub(super) end: HostedEnd,
    /// Since when it is the turn of its side to move.
    pub(super) turn_since: Instant,
    /// The client may take it for over while it runs: the clock on the wall was set, by which a journal may be too old
    /// to be continued, or the server was killed and went on with it, and its clocks stood still.
    pub(super) may_seem_over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostedEnd {
    /// It runs, or a server that was down for too long did not go on with it.
    Open,
    /// The server was killed and has forgotten it.
    Forgotten,
    /// It has ended, without a result if it was suspended, or if the opponent did not come back to a server that was
    /// started again. `away`: how long ago our player could have had a whole line; `None` if it had one.
    Ended { away: Option<Duration>, is_without_result: bool },
}

impl HostedGames {
    /// The server reports a game, which it may have continued. Returns whether it can be: the id of a game that is over
    /// belongs to no other.
    pub(super) fn begin(&mut self, game_id: &str) -> bool {
        if self.get(game_id).is_some_and(|game| game.end != HostedEnd::Open) {
            return false;
        }
        let entry = self.0.entry(game_id.to_owned());
        let known = entry.and_modify(|game| game.may_seem_over = true);
        known.or_insert_with(|| HostedGame {
            began: Instant::now(),
            end: HostedEnd::Open,
            turn_since: Instant::now(),
            may_seem_over: false,
        });
        true
    }

    pub(super) fn moved(&mut self, game_id: &str) {
        if let Some(game) = self.0.get_mut(game_id) {
            game.turn_since = Instant::now();
        }
    }

    pub(super) fn end(&mut self, game_id: &str, away: Option<Duration>, is_without_result: bool) {
        if let Some(game) = self.0.get_mut(game_id) {
            game.end = HostedEnd::Ended { away, is_without_result };
        }
    }

    /// The server forgets its running games.
    pub(super) fn forget(&mut self) {
        self.open().for_each(|game| game.end = HostedEnd::Forgotten);
    }

    pub(super) fn clock_is_set(&mut self) {
        self.open().for_each(|game| game.may_seem_over = true);
    }

    fn open(&mut self) -> impl Iterator<Item = &mut HostedGame> {
        self.0.values_mut().filter(|game| game.end == HostedEnd::Open)
    }

    pub(super) fn get(&self, game_id: &str) -> Option<&HostedGame> {
        self.0.get(game_id)
    }
}
