//! Pairing, and what becomes of the players of a table.

use std::collections::HashSet;

use jiff::tz::TimeZone;

use super::{
    Account, Action, AfterGame, ClientId, Color, Duration, Effect, GameHeader, HostedGame, Lobby,
    Now, Place, REST, REST_AFTER_REJECT, RecordEvent, Rejected, Seating, Sleeper, TableId,
    Timestamp,
};

impl Lobby {
    /// Puts a player into its pool and pairs it if somebody fits.
    pub(super) fn wait_for_game(&mut self, now: Now, id: ClientId) {
        if self.finishing {
            return self.dismiss(now, id, Some("the server is shutting down"));
        }
        self.timers.set(Sleeper::Client(id), None);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(account) = &client.account else { return };
        client.place = Place::Waiting;
        let game_name = account.wish.game_name.clone();
        if let Some(rival) = self.find_rival(id) {
            self.leave_pool(rival);
            self.seat(now, id, rival);
        } else {
            self.pools.entry(game_name).or_default().push(id);
        }
    }

    /// The player that has waited longest, one that was not the last opponent first.
    fn find_rival(&self, id: ClientId) -> Option<ClientId> {
        let account = self.account(id)?;
        let fits = |rival: &&ClientId| {
            **rival != id
                && self.account(**rival).is_some_and(|rival| account.wish.fits(&rival.wish))
        };
        let fresh = |rival: &&ClientId| {
            self.account(**rival).map(|rival| &rival.name) != account.last_opponent.as_ref()
        };
        let pool = self.pools.get(&account.wish.game_name)?;
        pool.iter().filter(fits).find(fresh).or_else(|| pool.iter().find(fits)).copied()
    }

    fn seat(&mut self, now: Now, one: ClientId, other: ClientId) {
        let players = if self.first_is_black(one, other) { [one, other] } else { [other, one] };
        let (Some(black), Some(white)) = (self.account(players[0]), self.account(players[1]))
        else {
            return;
        };
        let wish = black.wish.clone();
        let names = [black.name.clone(), white.name.clone()];
        let id = self.last_ids.issue(&self.settings.event, &wish.game_name, &names, now.wall);
        tracing::info!(game = id, black = names[0], white = names[1], "offered");
        let until = now.instant + self.settings.limits.agree_time;
        let table = HostedGame::new(
            id,
            names.clone(),
            wish.controls,
            wish.start,
            self.settings.rules,
            until,
        );
        let table_id = TableId(self.next_table);
        self.next_table += 1;
        for color in Color::ALL {
            let player = players[color.index()];
            if let Some(client) = self.clients.get_mut(&player) {
                client.place = Place::Seated(table_id, color);
                if let Some(account) = &mut client.account {
                    account.last_opponent = Some(names[(!color).index()].clone());
                }
            }
            let lines = table.offer_lines(color);
            self.actions.extend(lines.into_iter().map(|line| Action::Send(player, line)));
        }
        self.timers.set(Sleeper::HostedGame(table_id), table.wake_at());
        self.tables.insert(table_id, Seating { table, players });
    }

    /// By their wishes; else whoever has had black less often; else by lot.
    fn first_is_black(&mut self, one: ClientId, other: ClientId) -> bool {
        let (Some(first), Some(second)) = (self.account(one), self.account(other)) else {
            return true;
        };
        match (first.wish.color, second.wish.color) {
            (Some(color), _) => color == Color::Black,
            (None, Some(color)) => color == Color::White,
            (None, None) if first.blacks != second.blacks => first.blacks < second.blacks,
            (None, None) => self.rng.bool(),
        }
    }

    pub(super) fn leave_pool(&mut self, id: ClientId) {
        let Some(game_name) = self.account(id).map(|account| account.wish.game_name.clone()) else {
            return;
        };
        if let Some(pool) = self.pools.get_mut(&game_name) {
            pool.retain(|waiting| *waiting != id);
            if pool.is_empty() {
                self.pools.remove(&game_name);
            }
        }
    }

    fn account(&self, id: ClientId) -> Option<&Account> {
        self.clients.get(&id)?.account.as_ref()
    }

    /// Does what a table wants done.
    pub(super) fn carry_out(&mut self, now: Now, id: TableId, effects: Vec<Effect>) {
        let Some(seating) = self.tables.get(&id) else { return };
        let players = seating.players;
        self.timers.set(Sleeper::HostedGame(id), seating.table.wake_at());
        for effect in effects {
            match effect {
                Effect::Say(color, line) => {
                    self.actions.push(Action::Send(players[color.index()], line));
                }
                Effect::Begin => self.begin(now, id),
                Effect::Move { mv, spent, comment } => {
                    let event = RecordEvent::Move { mv, spent, comment };
                    self.actions.push(Action::Record(id, event));
                }
                Effect::Over { end, offence, spent, plies } => {
                    let event = RecordEvent::End { end, offence, spent, plies, at: now.wall };
                    self.actions.push(Action::Record(id, event));
                    self.clear(id);
                    let rest = match self.settings.after_game {
                        AfterGame::Stay => After::Rest(REST),
                        AfterGame::Close => After::Leave,
                    };
                    self.settle(now, players, [rest; 2]);
                }
                Effect::Rejected(why) => {
                    self.clear(id);
                    let after = self.after_rejection(why);
                    self.settle(now, players, after);
                }
            }
        }
    }

    fn begin(&mut self, now: Now, id: TableId) {
        let Some(Seating { table, players }) = self.tables.get(&id) else { return };
        let [black, white] = table.names();
        tracing::info!(game = table.id(), black, white, "started");
        let header = GameHeader {
            game_id: table.id().to_owned(),
            names: table.names().clone(),
            controls: *table.controls(),
            start: table.start().clone(),
            max_moves: self.settings.rules.max_moves,
            began: now.wall,
        };
        self.actions.push(Action::Record(id, RecordEvent::Begin(Box::new(header))));
        for (player, step) in players.iter().zip([1, -1]) {
            let account = self.clients.get_mut(player).and_then(|client| client.account.as_mut());
            if let Some(account) = account {
                account.blacks = account.blacks.saturating_add(step);
            }
        }
    }

    /// The table is over: nobody sits there any more.
    fn clear(&mut self, id: TableId) {
        self.timers.set(Sleeper::HostedGame(id), None);
        let Some(Seating { players, .. }) = self.tables.remove(&id) else { return };
        for player in players {
            if let Some(client) = self.clients.get_mut(&player)
                && matches!(client.place, Place::Seated(table, _) if table == id)
            {
                client.place = Place::Resting;
            }
        }
    }

    fn after_rejection(&self, why: Rejected) -> [After; 2] {
        if self.settings.after_game == AfterGame::Close || why == Rejected::ByServer {
            return [After::Leave; 2];
        }
        let mut after = [After::Rest(REST); 2];
        match why {
            Rejected::By(color) => after[color.index()] = After::Rest(REST_AFTER_REJECT),
            Rejected::TimedOut(agreed) => {
                for color in Color::ALL.into_iter().filter(|color| !agreed[color.index()]) {
                    after[color.index()] = After::Leave;
                }
            }
            Rejected::Left(_) | Rejected::ByServer => {}
        }
        after
    }

    fn settle(&mut self, now: Now, players: [ClientId; 2], after: [After; 2]) {
        for (player, after) in players.into_iter().zip(after) {
            // Who caused the end by leaving is on its way out already.
            if self.clients.get(&player).is_none_or(|client| client.place != Place::Resting) {
                continue;
            }
            match after {
                _ if self.finishing => self.dismiss(now, player, None),
                After::Leave => self.dismiss(now, player, None),
                After::Rest(time) => {
                    self.timers.set(Sleeper::Client(player), now.instant.checked_add(time));
                }
            }
        }
    }
}

/// What becomes of a player when its table is over.
#[derive(Debug, Clone, Copy)]
enum After {
    Rest(Duration),
    Leave,
}

/// The game ids of one second.
#[derive(Debug, Default)]
pub(super) struct IssuedIds {
    stamp: String,
    issued: HashSet<String>,
}

impl IssuedIds {
    /// `event+gamename+black+white+yyyymmddhhmmss`, as on the reference server; a number joins the
    /// event when the same two meet again within the second.
    pub(super) fn issue(
        &mut self,
        event: &str,
        game: &str,
        names: &[String; 2],
        wall: Timestamp,
    ) -> String {
        let stamp = wall.to_zoned(TimeZone::system()).strftime("%Y%m%d%H%M%S").to_string();
        if stamp != self.stamp {
            self.stamp.clone_from(&stamp);
            self.issued.clear();
        }
        let [black, white] = names;
        let mut id = format!("{event}+{game}+{black}+{white}+{stamp}");
        let mut number = 2;
        while !self.issued.insert(id.clone()) {
            id = format!("{event}.{number}+{game}+{black}+{white}+{stamp}");
            number += 1;
        }
        id
    }
}
