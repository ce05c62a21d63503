//! The commands of extended mode. The answers have the format of the reference server.

use crate::text::printable;
use crate::{ExtendedCommand, GameSelection};
use kyomi_shogi::Position;

use super::{ClientId, ClientState, GameNumber, GameRequest, Lobby, Now, TimerKey};

impl Lobby {
    /// Carries out a command of a client in extended mode.
    pub(super) fn command(&mut self, now: Now, id: ClientId, command: ExtendedCommand) {
        match command {
            ExtendedCommand::Game(selection) => self.want_game(now, id, selection, false),
            ExtendedCommand::Challenge(selection) => self.want_game(now, id, Some(selection), true),
            ExtendedCommand::Who => self.who(now, id),
            ExtendedCommand::List => self.list(now, id),
            ExtendedCommand::Show(game) => self.show(now, id, &game),
            ExtendedCommand::MonitorOn(form, game) => self.watch(now, id, form, &game),
            ExtendedCommand::MonitorOff(form, game) => self.unwatch(id, form, &game),
            ExtendedCommand::Chat(text) => self.chat(now, id, &text),
            ExtendedCommand::Rating => self.send(id, "##[RATING] +OK"),
            ExtendedCommand::Version => {
                let version = concat!("##[VERSION] kyomi ", env!("CARGO_PKG_VERSION"));
                self.send_lines(id, vec![version.to_owned(), "##[VERSION] +OK".to_owned()]);
            }
            ExtendedCommand::Help => self.send(id, HELP),
            ExtendedCommand::SetBuoy { name, moves, count } => {
                let Some(owner) = self.name_of(id) else { return };
                self.make_room_for_buoys(now);
                let set = self.buoys.set(&owner, &name, &moves, count, now.instant);
                self.answer_buoy_set(
                    now,
                    id,
                    &name,
                    set.map(|()| vec!["##[SETBUOY] +OK".to_owned()]),
                );
            }
            ExtendedCommand::DeleteBuoy(name) => {
                let Some(owner) = self.name_of(id) else { return };
                match self.buoys.delete(&owner, &name) {
                    Ok(()) => self.send(id, "##[DELETEBUOY] +OK"),
                    Err(error) => self.send(id, &format!("##[ERROR] {error}")),
                }
            }
            ExtendedCommand::BuoyCount(name) => {
                let count = self.buoys.count(&name).map_or(-1, i64::from);
                let lines =
                    [format!("##[GETBUOYCOUNT] {count}"), "##[GETBUOYCOUNT] +OK".to_owned()];
                self.send_lines(id, lines.into());
            }
            ExtendedCommand::Fork { game, name, plies } => {
                self.fork(now, id, &game, name, plies);
            }
        }
    }

    /// Makes a client in extended mode idle: it is in no queue.
    pub(super) fn set_idle(&mut self, now: Now, id: ClientId) {
        if self.finishing {
            return self.disconnect(now, id, Some("the server is shutting down"));
        }
        self.timers.set(TimerKey::Client(id), None);
        if let Some(client) = self.clients.get_mut(&id) {
            client.state = ClientState::Idle;
        }
    }

    /// `%%GAME` and `%%CHALLENGE`.
    fn want_game(
        &mut self,
        now: Now,
        id: ClientId,
        selection: Option<GameSelection>,
        challenge: bool,
    ) {
        match self.clients.get(&id).map(|client| client.state) {
            Some(ClientState::Waiting) => self.leave_pool(id),
            Some(ClientState::Idle | ClientState::Resting) => {}
            Some(state) => {
                let text = format!(
                    "##[ERROR] you are in {} status. GAME is valid in connected or game_waiting status",
                    self.status(state)
                );
                return self.send(id, &text);
            }
            None => return,
        }
        self.set_idle(now, id);
        let Some(selection) = selection else { return };
        if let Some(arbiter) = &self.arbiter {
            let name = self.account(id).map(|account| account.name.as_str());
            let plays = arbiter.event().players.iter().any(|player| Some(&*player.name) == name);
            if !plays || challenge {
                return self.send(id, "##[ERROR] the games here are paired by the event");
            }
            return self.wait_for_game(now, id);
        }
        let request =
            GameRequest::from_selection(&selection, &self.default_request, &self.settings.rules);
        let request = match request {
            Ok(request) => request,
            Err(error) => return self.send(id, &format!("##[ERROR] {error}")),
        };
        let game_name = request.game_name.clone();
        let account = self.clients.get_mut(&id).and_then(|client| client.account.as_mut());
        let Some(account) = account else { return };
        account.request = request;
        if challenge && self.find_opponent(id).is_none() {
            return self.send(id, &format!("##[ERROR] can't find rival for {game_name}"));
        }
        self.wait_for_game(now, id);
    }

    /// The status of a client, in the words of the reference server.
    pub(super) fn status(&self, state: ClientState) -> &'static str {
        match state {
            ClientState::Greeting | ClientState::Idle | ClientState::Resting => "connected",
            ClientState::Waiting => "game_waiting",
            ClientState::InGame(number, color) => {
                match self.games.get(&number).and_then(|entry| entry.game.agreed()) {
                    Some(agreed) if agreed[color.index()] => "start_waiting",
                    Some(_) => "agree_waiting",
                    None => "game",
                }
            }
            ClientState::Absent(..) | ClientState::Rejoining(..) => "game",
            ClientState::Removed | ClientState::Leaving => "finished",
        }
    }

    /// `%%WHO`: name, protocol, status, and the game with the requested colour.
    fn who(&mut self, now: Now, id: ClientId) {
        let mut lines: Vec<String> = Vec::new();
        for client in self.clients.values() {
            let Some(account) = &client.account else { continue };
            let (name, status) = (&account.name, self.status(client.state));
            let protocol = if account.extended { "x1" } else { "CSA" };
            let (game, color) = match client.state {
                ClientState::Waiting => {
                    let selection =
                        GameSelection { game: String::new(), color: account.request.color };
                    (Some(account.request.game_name.as_str()), selection.sign())
                }
                ClientState::InGame(number, color)
                | ClientState::Absent(number, color)
                | ClientState::Rejoining(number, color) => {
                    let game_id = self.games.get(&number).map(|entry| entry.game.id());
                    let selection = GameSelection { game: String::new(), color: Some(color) };
                    (game_id.and_then(|id| id.split('+').nth(1)), selection.sign())
                }
                _ => (None, '*'),
            };
            let game = game.map_or_else(String::new, |game| format!(" {game} {color}"));
            lines.push(format!("##[WHO] {name} {protocol} {status}{game}"));
        }
        lines.sort_unstable();
        lines.push("##[WHO] +OK".to_owned());
        self.send_long(now, id, lines);
    }

    fn list(&mut self, now: Now, id: ClientId) {
        let running = self.games.values().filter(|entry| entry.game.is_playing());
        let mut lines: Vec<String> =
            running.map(|entry| format!("##[LIST] {}", entry.game.id())).collect();
        lines.push("##[LIST] +OK".to_owned());
        self.send_long(now, id, lines);
    }

    /// Sends an answer whose length depends on other clients. It costs more allowance than its command alone. A client
    /// without enough allowance does not get it; there is no other penalty.
    pub(super) fn send_long(&mut self, now: Now, id: ClientId, lines: Vec<String>) {
        let cost = u32::try_from(lines.len() / LINES_FOR_ONE).unwrap_or(u32::MAX);
        let allowance = self.clients.get_mut(&id).map(|client| &mut client.allowance);
        if allowance.is_some_and(|allowance| allowance.take_all(cost, now.instant)) {
            self.send_lines(id, lines);
        } else {
            self.send(id, "##[ERROR] the answer is too long now; ask again later");
        }
    }

    /// `%%CHAT`: to all clients in extended mode, the sender too.
    fn chat(&mut self, now: Now, id: ClientId, text: &str) {
        for _ in 0..CHAT_COST {
            if !self.charge(now, id) {
                return;
            }
        }
        let Some(name) = self.name_of(id) else { return };
        let text: String = printable(text).chars().take(LONGEST_CHAT).collect();
        let line = format!("##[CHAT][{name}] {text}");
        let listens = |state| !matches!(state, ClientState::Removed | ClientState::Leaving);
        let mut to: Vec<ClientId> = self
            .clients
            .iter()
            .filter(|(_, client)| client.account.as_ref().is_some_and(|it| it.extended))
            .filter(|(_, client)| listens(client.state))
            .map(|(id, _)| *id)
            .collect();
        to.sort_unstable();
        for id in to {
            self.send(id, &line);
        }
    }

    fn name_of(&self, id: ClientId) -> Option<String> {
        self.account(id).map(|account| account.name.clone())
    }

    /// The running game with this id.
    pub(super) fn game_of_id(&self, game_id: &str) -> Option<GameNumber> {
        let is_it =
            |entry: &super::LobbyGame| entry.game.is_playing() && entry.game.id() == game_id;
        self.games.iter().find(|(_, entry)| is_it(entry)).map(|(number, _)| *number)
    }

    /// `%%FORK`: a buoy for one game that begins with the moves of a running game.
    fn fork(
        &mut self,
        now: Now,
        id: ClientId,
        game_id: &str,
        name: Option<String>,
        plies: Option<u32>,
    ) {
        let Some(owner) = self.name_of(id) else { return };
        let number = self.game_of_id(game_id);
        let Some(entry) = number.and_then(|number| self.games.get(&number)) else {
            return self.send(id, "##[ERROR] the game to fork is not running");
        };
        let (start, mut moves) = entry.game.moves();
        if *start != Position::startpos() {
            return self
                .send(id, "##[ERROR] only games from the usual start position can be forked");
        }
        moves.truncate(plies.map_or(usize::MAX, |plies| plies as usize));
        let name = name.unwrap_or_else(|| {
            // `event+NAME-600-10+black+white+time` becomes `buoy_NAME_PLIES-600-10`.
            let game_name = entry.game.id().split('+').nth(1).unwrap_or_default();
            let mut parts = game_name.rsplitn(3, '-');
            let (extra, total) =
                (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            format!("buoy_{}_{}-{total}-{extra}", parts.next().unwrap_or_default(), moves.len())
        });
        self.make_room_for_buoys(now);
        let set = self.buoys.set_moves(&owner, &name, moves, 1, now.instant);
        let answer =
            vec![format!("##[FORK] new buoy game name: {name}"), "##[FORK] +OK".to_owned()];
        self.answer_buoy_set(now, id, &name, set.map(|()| answer));
    }

    fn make_room_for_buoys(&mut self, now: Now) {
        let names = &self.names;
        self.buoys.make_room(now.instant, |owner| names.contains_key(owner));
    }

    /// Answers a command that sets up a buoy, and begins the game of players who have been waiting for it.
    fn answer_buoy_set(
        &mut self,
        now: Now,
        id: ClientId,
        name: &str,
        set: Result<Vec<String>, super::buoys::BuoyError>,
    ) {
        match set {
            Err(error) => self.send(id, &format!("##[ERROR] {error}")),
            Ok(answer) => {
                self.send_lines(id, answer);
                let waiting = self.pools.get(name).cloned().unwrap_or_default();
                for player in waiting {
                    let is_waiting = |client: &super::Client| client.state == ClientState::Waiting;
                    if self.clients.get(&player).is_some_and(is_waiting) {
                        self.leave_pool(player);
                        self.wait_for_game(now, player);
                    }
                }
            }
        }
    }
}

const HELP: &str = "##[HELP] available commands \"%%GAME name +|-|*\", \"%%GAME\", \
    \"%%CHALLENGE name +|-|*\", \"%%WHO\", \"%%LIST\", \"%%SHOW game\", \"%%MONITORON game\", \
    \"%%MONITOROFF game\", \"%%MONITOR2ON game\", \"%%MONITOR2OFF game\", \"%%CHAT text\", \
    \"%%RATING\", \"%%VERSION\", \"%%SETBUOY name moves count\", \"%%DELETEBUOY name\", \
    \"%%GETBUOYCOUNT name\", \"%%FORK game name plies\"";

/// The number of lines of an answer that cost as much allowance as one line of the client.
const LINES_FOR_ONE: usize = 50;

/// A chat message is passed to all clients, so it costs this much more allowance.
const CHAT_COST: usize = 10;

const LONGEST_CHAT: usize = 500;
