//! Clients that watch running games.
//!
//! Lines for a client that does not read are queued up to a limit; then the client is dropped (`hub`). A game never
//! waits for those who watch it.

use std::time::Duration;

use crate::{MonitorForm, reason_line};
use kyomi_shogi::{EndReason, GameEnd};

use super::{ClientId, GameNumber, Lobby, Now};

impl Lobby {
    /// `%%SHOW`. A game that is not running is shown by `+OK` alone.
    pub(super) fn show(&mut self, now: Now, id: ClientId, game_id: &str) {
        let number = self.game_of_id(game_id);
        let shown =
            number.and_then(|number| self.games.get(&number)).map(|it| it.game.show_lines());
        let shown = shown.unwrap_or_default();
        let mut lines: Vec<String> =
            shown.into_iter().map(|line| format!("##[SHOW] {line}")).collect();
        lines.push("##[SHOW] +OK".to_owned());
        self.send_long(now, id, lines);
    }

    /// `%%MONITORON` and `%%MONITOR2ON`.
    pub(super) fn watch(&mut self, now: Now, id: ClientId, form: MonitorForm, game_id: &str) {
        let watched = self.games.values().flat_map(|entry| &entry.monitors);
        if watched.filter(|(watcher, _)| *watcher == id).count() >= MOST_WATCHED {
            return self.send(id, "##[ERROR] you watch too many games");
        }
        let number = self.game_of_id(game_id);
        let Some(entry) = number.and_then(|number| self.games.get_mut(&number)) else {
            return self.send(id, "##[ERROR] the game to watch is not running");
        };
        let shown = match (form, &entry.header) {
            (MonitorForm::Moves, Some(header)) => entry.game.record_lines(header),
            _ => entry.game.show_lines(),
        };
        if !entry.monitors.contains(&(id, form)) {
            entry.monitors.push((id, form));
        }
        let lines = prefixed(form, entry.game.id(), shown);
        self.send_long(now, id, lines);
    }

    /// `%%MONITOROFF` and `%%MONITOR2OFF`.
    pub(super) fn unwatch(&mut self, id: ClientId, form: MonitorForm, game_id: &str) {
        let number = self.game_of_id(game_id);
        if let Some(entry) = number.and_then(|number| self.games.get_mut(&number)) {
            entry.monitors.retain(|monitor| *monitor != (id, form));
        }
    }

    /// Ends everything that a client watches.
    pub(super) fn stop_watching(&mut self, id: ClientId) {
        for entry in self.games.values_mut() {
            entry.monitors.retain(|(watcher, _)| *watcher != id);
        }
    }

    /// Sends a move to the watchers of the game.
    pub(super) fn show_move(&mut self, number: GameNumber, word: &str, spent: Duration) {
        let lines = vec![word.to_owned(), time_line(spent)];
        self.show_lines(number, &lines, true);
    }

    /// Sends the end to the watchers of the game.
    pub(super) fn show_end(&mut self, number: GameNumber, end: &GameEnd, spent: Option<Duration>) {
        let time = spent.map(time_line);
        match end.reason {
            EndReason::Declaration | EndReason::WrongDeclaration => {
                let lines: Vec<String> = ["%KACHI".to_owned()].into_iter().chain(time).collect();
                self.show_lines(number, &lines, false);
                if end.reason == EndReason::WrongDeclaration {
                    self.show_lines(number, &["#ILLEGAL_MOVE".to_owned()], false);
                }
            }
            _ => {
                let word = match reason_line(end) {
                    "#RESIGN" => "%TORYO",
                    word => word,
                };
                self.show_lines(number, &[word.to_owned()], false);
            }
        }
    }

    /// Sends lines of the record to the watchers of a game. Watchers in the form that shows the whole state get the
    /// state instead, if it has changed.
    fn show_lines(&mut self, number: GameNumber, lines: &[String], has_changed: bool) {
        let Some(entry) = self.games.get(&number) else { return };
        if entry.monitors.is_empty() {
            return;
        }
        let game_id = entry.game.id();
        let shown: Vec<(ClientId, Vec<String>)> = entry
            .monitors
            .iter()
            .map(|&(id, form)| {
                let lines = match form {
                    MonitorForm::Whole if has_changed => entry.game.show_lines(),
                    _ => lines.to_vec(),
                };
                (id, prefixed(form, game_id, lines))
            })
            .collect();
        for (id, lines) in shown {
            self.send_lines(id, lines);
        }
    }
}

/// `##[MONITOR2][id] line`, ended by `+OK`.
fn prefixed(form: MonitorForm, game_id: &str, lines: Vec<String>) -> Vec<String> {
    let lines = lines.into_iter().chain(["+OK".to_owned()]);
    lines.map(|line| format!("##[{}][{game_id}] {line}", form.word())).collect()
}

/// The time of a move in a record: seconds.
fn time_line(spent: Duration) -> String {
    let (seconds, millis) = (spent.as_secs(), spent.subsec_millis());
    if millis == 0 {
        format!("T{seconds}")
    } else {
        format!("T{}", format!("{seconds}.{millis:03}").trim_end_matches('0'))
    }
}

/// The largest number of games that a client may watch at a time.
const MOST_WATCHED: usize = 256;
