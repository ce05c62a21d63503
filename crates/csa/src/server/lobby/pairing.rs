//! Pairing of players, and what happens to them when their game is over.

use super::super::saved_game::{SavedBoard, SavedGame};
use super::{
    Account, Action, AfterGame, ClientId, ClientState, Color, Duration, Effect, GameEnd,
    GameHeader, GameNumber, GameRequest, GameRules, HostedGame, Lobby, LobbyGame, Move, Now, REST,
    REST_AFTER_REJECT, RecordEvent, Rejected, TimerKey,
};
use crate::text::unguessable_word;
use kyomi_shogi::Winner;

impl Lobby {
    /// Pairs a player with a compatible opponent, or adds it to its pool.
    pub(super) fn wait_for_game(&mut self, now: Now, id: ClientId) {
        if self.finishing {
            return self.disconnect(now, id, Some("the server is shutting down"));
        }
        self.timers.set(TimerKey::Client(id), None);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let Some(account) = &client.account else { return };
        client.state = ClientState::Waiting;
        if self.arbiter.is_some() {
            return;
        }
        let game_name = account.request.game_name.clone();
        if let Some(opponent) = self.find_opponent(id) {
            self.leave_pool(opponent);
            self.offer_game(now, id, opponent);
        } else {
            self.pools.entry(game_name).or_default().push(id);
        }
    }

    /// The compatible player that has waited longest, preferably not the last opponent.
    pub(super) fn find_opponent(&self, id: ClientId) -> Option<ClientId> {
        let account = self.account(id)?;
        let fits = |opponent: &&ClientId| {
            **opponent != id
                && self
                    .account(**opponent)
                    .is_some_and(|opponent| account.request.fits(&opponent.request))
        };
        let is_new = |opponent: &&ClientId| {
            self.account(**opponent).map(|opponent| &opponent.name)
                != account.last_opponent.as_ref()
        };
        if self.buoys.is_missing(&account.request.game_name) {
            return None;
        }
        let pool = self.pools.get(&account.request.game_name)?;
        pool.iter().filter(fits).find(is_new).or_else(|| pool.iter().find(fits)).copied()
    }

    pub(super) fn offer_game(&mut self, now: Now, one: ClientId, other: ClientId) {
        let players = if self.first_is_black(one, other) { [one, other] } else { [other, one] };
        let (Some(black), Some(white)) = (self.account(players[0]), self.account(players[1]))
        else {
            return;
        };
        let request = black.request.clone();
        let names = [black.name.clone(), white.name.clone()];
        let setup = self.buoys.take(&request.game_name).unwrap_or_default();
        let rules = self.settings.rules;
        self.offer(now, players, &names, (&request, setup), rules);
    }

    /// Offers a game with the clocks and the start of a request, after moves that are already made.
    pub(super) fn offer(
        &mut self,
        now: Now,
        players: [ClientId; 2],
        names: &[String; 2],
        (request, setup): (&GameRequest, Vec<Move>),
        rules: GameRules,
    ) -> GameNumber {
        let id = self.last_ids.issue(&self.settings.event, &request.game_name, names, now.wall);
        tracing::info!(game = id, black = names[0], white = names[1], "offered");
        let until = now.instant + self.settings.limits.agree_time;
        let game = HostedGame::new(
            id,
            names.clone(),
            request.controls,
            request.start.clone(),
            rules,
            until,
        )
        .with_setup(setup);
        let game = if self.settings.resume_time.is_zero() {
            game
        } else {
            game.with_tokens([unguessable_word(), unguessable_word()])
        };
        let number = GameNumber(self.next_game);
        self.next_game += 1;
        for color in Color::ALL {
            let player = players[color.index()];
            if let Some(client) = self.clients.get_mut(&player) {
                client.state = ClientState::InGame(number, color);
                if let Some(account) = &mut client.account {
                    account.last_opponent = Some(names[(!color).index()].clone());
                }
            }
            let lines = game.offer_lines(color);
            self.actions.extend(lines.into_iter().map(|line| Action::Send(player, line)));
        }
        self.timers.set(TimerKey::Game(number), game.wake_at());
        self.games.insert(number, LobbyGame::new(game, players));
        number
    }

    /// By the requested colours; else the player with fewer games as black; else at random.
    fn first_is_black(&mut self, one: ClientId, other: ClientId) -> bool {
        let (Some(first), Some(second)) = (self.account(one), self.account(other)) else {
            return true;
        };
        match (first.request.color, second.request.color) {
            (Some(color), _) => color == Color::Black,
            (None, Some(color)) => color == Color::White,
            (None, None) if first.color_balance != second.color_balance => {
                first.color_balance < second.color_balance
            }
            (None, None) => self.rng.bool(),
        }
    }

    pub(super) fn leave_pool(&mut self, id: ClientId) {
        let Some(game_name) = self.account(id).map(|account| account.request.game_name.clone())
        else {
            return;
        };
        if let Some(pool) = self.pools.get_mut(&game_name) {
            pool.retain(|waiting| *waiting != id);
            if pool.is_empty() {
                self.pools.remove(&game_name);
            }
        }
    }

    pub(super) fn account(&self, id: ClientId) -> Option<&Account> {
        self.clients.get(&id)?.account.as_ref()
    }

    /// Carries out the effects of a game.
    pub(super) fn carry_out(&mut self, now: Now, id: GameNumber, effects: Vec<Effect>) {
        let Some(entry) = self.games.get(&id) else { return };
        let players = entry.players;
        self.timers.set(TimerKey::Game(id), entry.game.wake_at());
        self.keep_end(now, id, &effects);
        for effect in effects {
            match effect {
                Effect::Send(color, line) => self.send_in_game(id, color, line),
                Effect::Begin => self.begin(now, id),
                Effect::Move { mv, word, spent, comment } => {
                    let event = RecordEvent::Move { mv, spent: spent.time, comment };
                    self.actions.push(Action::Record(id, event));
                    self.show_move(id, &word, spent.time);
                    if self.games.get(&id).is_some_and(|it| it.game.is_clock_stopped()) {
                        self.actions.push(Action::Record(id, RecordEvent::ClockStopped));
                    }
                }
                Effect::Over { end, illegal_line, spent, plies } => {
                    let spent = spent.map(|spent| spent.time);
                    self.show_end(id, &end, spent);
                    self.event_game_over(now, id, &end);
                    let rematch = self.rematch(id, &end);
                    let event = RecordEvent::End { end, illegal_line, spent, plies, at: now.wall };
                    self.actions.push(Action::Record(id, event));
                    self.send_queued_lines(id);
                    self.remove_game(id);
                    if let Some(rematch) = rematch {
                        self.offer_rematch(now, players, rematch);
                        continue;
                    }
                    let rest = match self.settings.after_game {
                        AfterGame::Stay => After::Rest(REST),
                        AfterGame::Close => After::Leave,
                    };
                    self.release_players(now, players, [rest; 2]);
                }
                Effect::Rejected(why) => {
                    self.event_game_rejected(now, id, why);
                    self.remove_game(id);
                    let after = self.after_rejection(why);
                    self.release_players(now, players, after);
                }
            }
        }
    }

    /// The game that the players of a drawn one are offered next, if the rules say so and both are there.
    fn rematch(&self, id: GameNumber, end: &GameEnd) -> Option<Rematch> {
        let LobbyGame { game, players, rematches, .. } = self.games.get(&id)?;
        let mut rules = *game.rules();
        let is_there = |player: &ClientId| {
            let state = self.clients.get(player).map(|client| client.state);
            matches!(state, Some(ClientState::InGame(..)))
        };
        let is_due = rules.rematch_on_draw && end.winner == Some(Winner::Draw) && !self.finishing;
        if !is_due || !players.iter().all(is_there) {
            return None;
        }
        let rematches = rematches.saturating_add(1);
        rules.rematch_on_draw = rematches < MOST_REMATCHES;
        let [black, white] = game.names().clone();
        let request = GameRequest {
            game_name: game.id().split('+').nth(1).unwrap_or_default().to_owned(),
            color: None,
            controls: *game.controls(),
            start: game.start().clone(),
        };
        let names = [white, black];
        Some(Rematch { names, request, setup: game.setup().to_vec(), rules, rematches })
    }

    fn offer_rematch(&mut self, now: Now, [black, white]: [ClientId; 2], rematch: Rematch) {
        let Rematch { names, request, setup, rules, rematches } = rematch;
        let number = self.offer(now, [white, black], &names, (&request, setup), rules);
        if let Some(entry) = self.games.get_mut(&number) {
            entry.rematches = rematches;
        }
    }

    fn begin(&mut self, now: Now, id: GameNumber) {
        let Some(LobbyGame { game, players, .. }) = self.games.get(&id) else { return };
        let (players, rules) = (*players, *game.rules());
        let [black, white] = game.names();
        tracing::info!(game = game.id(), black, white, "started");
        let header = GameHeader {
            saved: self.saved(id).map(Box::new),
            game_id: game.id().to_owned(),
            names: game.names().clone(),
            controls: *game.controls(),
            start: game.start().clone(),
            setup: game.record_moves(),
            max_moves: rules.max_moves,
            began: now.wall,
        };
        let record_header = header.record_header(&rules);
        if let Some(entry) = self.games.get_mut(&id) {
            entry.header = Some(record_header);
        }
        self.actions.push(Action::Record(id, RecordEvent::Begin(Box::new(header))));
        for (player, step) in players.iter().zip([1, -1]) {
            let account = self.clients.get_mut(player).and_then(|client| client.account.as_mut());
            if let Some(account) = account {
                account.color_balance = account.color_balance.saturating_add(step);
            }
        }
    }

    /// The data that the next process needs to restore a game if the server is killed; `None` if players may not come
    /// back.
    fn saved(&self, id: GameNumber) -> Option<SavedGame> {
        let LobbyGame { game, players, board, rematches, .. } = self.games.get(&id)?;
        let accounts = [self.account(players[0])?, self.account(players[1])?];
        let event = self.arbiter.as_ref().map(|arbiter| arbiter.event().name.as_str());
        let mut offer = game.offer_lines(Color::Black);
        offer.retain(|line| !line.starts_with("Reconnect_Token:"));
        let saved = SavedGame {
            address: Some(self.settings.address),
            offer,
            tokens: game.tokens()?.clone(),
            passwords: accounts.map(|account| account.password.clone()),
            extended: accounts.map(|account| account.extended),
            repetition_counts_start: game.rules().repetition_counts_start,
            rematches: *rematches,
            board: event.zip(*board).map(|(event, board)| SavedBoard::new(event, board)),
        };
        // A game that cannot be described by an offer cannot be restored.
        let summary = saved.summary()?;
        (summary.times == *game.controls() && summary.start == *game.start()).then_some(saved)
    }

    /// Removes a game that is over; its players rest.
    fn remove_game(&mut self, id: GameNumber) {
        self.timers.set(TimerKey::Game(id), None);
        let Some(LobbyGame { players, .. }) = self.games.remove(&id) else { return };
        for player in players {
            if let Some(client) = self.clients.get_mut(&player)
                && client.state.is_in_game()
            {
                let is_absent = matches!(client.state, ClientState::Absent(..));
                client.state = ClientState::Resting;
                if is_absent {
                    self.forget_absent(player);
                }
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

    fn release_players(&mut self, now: Now, players: [ClientId; 2], after: [After; 2]) {
        for (player, after) in players.into_iter().zip(after) {
            self.release_player(now, player, after);
        }
    }

    /// Releases a player whose game is over.
    pub(super) fn release_player(&mut self, now: Now, player: ClientId, after: After) {
        // The player that ended the game by leaving is already being disconnected.
        if self.clients.get(&player).is_none_or(|client| client.state != ClientState::Resting) {
            return;
        }
        let is_extended = self.account(player).is_some_and(|account| account.extended);
        match after {
            _ if self.finishing => self.disconnect(now, player, None),
            _ if is_extended => self.set_idle(now, player),
            After::Leave => self.disconnect(now, player, None),
            After::Rest(time) => {
                self.timers.set(TimerKey::Client(player), now.instant.checked_add(time));
            }
        }
    }
}

/// A game that is offered after a draw.
#[derive(Debug)]
struct Rematch {
    names: [String; 2],
    request: GameRequest,
    setup: Vec<Move>,
    rules: GameRules,
    rematches: u32,
}

/// After this number of draws in a row the players rest as after any other game.
const MOST_REMATCHES: u32 = 3;

/// What happens to a player when its game is over.
#[derive(Debug, Clone, Copy)]
pub(super) enum After {
    Rest(Duration),
    Leave,
}
