//! Restores the games of a killed server.
//!
//! Both players are absent at first and come back as after a lost connection ([`resuming`](super::resuming)), but the
//! time in which they cannot play is charged to neither side: the clock of a side is stopped until it has come back,
//! and its turn, if it is to move, begins then. If a player does not come back in time, or does not agree to continue,
//! the game ends without a result, since this may not be the player's fault. The time limit is the same for both
//! players, and a login does not extend it.

use kyomi_shogi::Color;

use super::super::saved_game::StoredGame;
use super::{
    Account, Action, Client, ClientId, ClientState, GameNumber, GameRequest, HostedGame, Lobby,
    LobbyGame, Now, RecordEvent, TimerKey, TokenBucket,
};

impl Lobby {
    /// Restores a game, which waits until its players come back. `None` if it cannot be continued here: a move ended
    /// it, a name is taken, or it belongs to an event that the server does not run.
    pub fn restore(&mut self, now: Now, held: &StoredGame) -> Option<GameNumber> {
        let StoredGame { saved, summary, header, played } = held;
        let names = summary.names.clone();
        if names.iter().any(|name| self.names.contains_key(name)) {
            return None;
        }
        let rules = saved.rules(summary);
        let setup = summary.moves.iter().map(|setup| setup.mv).collect();
        let game = HostedGame::new(
            summary.game_id.clone(),
            names.clone(),
            summary.times,
            summary.start.clone(),
            rules,
            now.instant,
        );
        let game = game.with_setup(setup).with_tokens(saved.tokens.clone());
        let game = game.restored(played, now.instant)?;
        let board = match (&saved.board, &mut self.arbiter) {
            (None, None) => None,
            (Some(board), Some(arbiter)) => {
                let place = board.place_in(&arbiter.event().name)?;
                arbiter.game_resumed(place, &names).then_some(Some(place))?
            }
            _ => return None,
        };
        let number = GameNumber(self.next_game);
        self.next_game += 1;
        let until = now.instant.checked_add(self.settings.resume_time);
        let players = Color::ALL.map(|color| {
            // Connections are numbered from 0.
            let id = ClientId(u64::MAX - 2 * number.0 - color.index() as u64);
            self.clients.insert(id, self.absent_player(now, held, number, color));
            self.names.insert(names[color.index()].clone(), id);
            self.timers.set(TimerKey::Client(id), until);
            id
        });
        tracing::info!(game = summary.game_id, moves = played.len(), "held for its players");
        let entry = LobbyGame {
            header: Some(header.clone()),
            board,
            rematches: saved.rematches,
            return_by: until,
            ..LobbyGame::new(game, players)
        };
        self.games.insert(number, entry);
        Some(number)
    }

    fn absent_player(
        &self,
        now: Now,
        held: &StoredGame,
        number: GameNumber,
        color: Color,
    ) -> Client {
        let StoredGame { saved, summary, .. } = held;
        let limits = &self.settings.limits;
        let account = Account {
            name: summary.name(color).to_owned(),
            password: saved.passwords[color.index()].clone(),
            request: self.default_request.clone(),
            extended: saved.extended[color.index()],
            color_balance: if color == Color::Black { 1 } else { -1 },
            last_opponent: Some(summary.name(!color).to_owned()),
        };
        Client {
            address: None,
            allowance: TokenBucket::new(limits.burst_lines, limits.lines_per_second, now.instant),
            last_line_at: now.instant,
            account: Some(account),
            state: ClientState::Absent(number, color),
        }
    }

    /// Handles the return of a player to a restored game: its clock runs again.
    pub(super) fn player_returned(&mut self, now: Now, number: GameNumber, color: Color) {
        if let Some(entry) = self.games.get_mut(&number) {
            if entry.game.player_returned(color, now.instant) {
                self.actions.push(Action::Record(number, RecordEvent::ClockRuns));
            }
            self.timers.set(TimerKey::Game(number), entry.game.wake_at());
        }
    }

    /// The game that a password requests, for a player who logged in to the killed server.
    pub(super) fn request_of(&self, password: &str, extended: bool) -> GameRequest {
        let default = self.default_request.clone();
        if extended || self.arbiter.is_some() {
            return default;
        }
        GameRequest::parse(password, &default, &self.settings.rules).unwrap_or(default)
    }
}
