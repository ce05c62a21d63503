//! Updates a snapshot by reports, and creates reports from a snapshot.

use std::{sync::Arc, time::Instant};

use kyomi_engine::search::SearchInfo;
use kyomi_shogi::clock::Clocks;
use kyomi_shogi::{Color, Game};

use super::{Connection, Line, LiveGame, LiveMove, Report, Snapshot};

impl Snapshot {
    /// Updates the state by a report.
    pub(super) fn apply(&mut self, report: &Report) {
        let before = self.connection.clone();
        self.update(report);
        if self.connection != before {
            self.connection_since = Some(Instant::now());
            self.agreed = None;
        }
    }

    fn update(&mut self, report: &Report) {
        match report {
            Report::Snapshot { snapshot, .. } => self.clone_from(snapshot),
            Report::ServerSaid(_)
            | Report::Warning(_)
            | Report::EngineFailed { restarted: true, .. }
            | Report::NoPairing { .. }
            | Report::ScheduleOpen { .. } => {}
            Report::EngineFailed { restarted: false, .. } => self.engine_starting = None,
            Report::EngineStarting { player } => {
                self.engine(player, None);
                self.engine_starting.get_or_insert_with(Instant::now);
            }
            Report::EngineReady { player, engine } => {
                self.engine(player, Some(engine.clone()));
                if self.engines.iter().all(|(_, engine)| engine.is_some()) {
                    self.engine_starting = None;
                }
            }
            Report::Connecting { server } => {
                self.connection = Connection::Connecting { server: server.clone() };
            }
            Report::Waiting { name, pairing } => {
                self.connection = Connection::Waiting { name: name.clone(), pairing: *pairing };
            }
            Report::Sleeping { until, reason } => {
                self.connection = Connection::Sleeping { until: *until, reason: *reason };
            }
            Report::Pausing { pause, reason } => {
                let until = Instant::now().checked_add(*pause);
                self.connection = Connection::Pausing { until, reason: reason.clone() };
            }
            Report::Disconnected { reason, .. } => {
                self.connection = Connection::Lost { reason: reason.clone() };
            }
            Report::Suspended { .. } => self.connection = Connection::Suspended,
            Report::Resumed { number, clocks } => {
                self.connection = Connection::Playing;
                if let Some(game) = self.game_mut(*number) {
                    game.begin_turn(clocks);
                }
            }
            Report::GameStarted {
                number,
                game_id,
                names,
                own,
                game,
                move_times,
                clocks,
                continued,
            } => {
                self.begin(LiveGame {
                    number: *number,
                    game_id: game_id.clone(),
                    names: names.clone(),
                    own: *own,
                    continued: *continued,
                    start: Arc::clone(game),
                    move_times: move_times.clone(),
                    start_clocks: *clocks,
                    moves: Vec::new(),
                    clocks: *clocks,
                    turn_began: Instant::now(),
                    lines: [None, None],
                    end: None,
                });
            }
            Report::Thinking { color, game, info } => self.set_line(*color, game, info),
            Report::Moved { number, event, clocks } => {
                if let Some(game) = self.game_mut(*number) {
                    game.moves.push(LiveMove { event: event.as_ref().clone(), clocks: *clocks });
                    game.begin_turn(clocks);
                }
            }
            Report::GameEnded { number, end, record } => {
                self.ended_games += 1;
                if let Some(game) = self.game_mut(*number) {
                    game.end = Some((end.clone(), record.clone()));
                }
            }
        }
    }

    fn begin(&mut self, game: LiveGame) {
        (self.connection, self.agreed) = (Connection::Playing, None);
        self.forget_old_games();
        self.games.push(game);
    }

    fn set_line(&mut self, color: Color, game: &Arc<Game>, info: &SearchInfo) {
        if let Some(live) = self.games.last_mut()
            && live.end.is_none()
            && info.is_best_line()
        {
            live.lines[color.index()] =
                Some(Line { game: Arc::clone(game), info: Box::new(info.clone()) });
        }
    }

    fn engine(&mut self, player: &str, engine: Option<String>) {
        match self.engines.iter_mut().find(|(known, _)| known == player) {
            Some((_, known)) => *known = engine,
            None => self.engines.push((player.to_owned(), engine)),
        }
    }

    fn game_mut(&mut self, number: u64) -> Option<&mut LiveGame> {
        self.games.iter_mut().rfind(|game| game.number == number)
    }

    fn forget_old_games(&mut self) {
        let ended = self.games.iter().filter(|game| game.end.is_some()).count();
        let mut surplus = (ended + 1).saturating_sub(MOST_ENDED_GAMES);
        self.games.retain(|game| {
            let goes = game.end.is_some() && surplus > 0;
            surplus -= usize::from(goes);
            !goes
        });
    }
}

impl LiveGame {
    fn begin_turn(&mut self, clocks: &Clocks) {
        self.clocks = *clocks;
        self.turn_began = Instant::now();
    }

    /// The reports of the game after its first `plies` moves, for a watcher that has seen those moves. With 0 the first
    /// report is [`Report::GameStarted`].
    pub fn reports_after(&self, plies: usize) -> Vec<Report> {
        let number = self.number;
        let mut reports = Vec::new();
        if plies == 0 {
            reports.push(Report::GameStarted {
                number,
                game_id: self.game_id.clone(),
                names: self.names.clone(),
                own: self.own,
                game: Arc::clone(&self.start),
                move_times: self.move_times.clone(),
                clocks: self.start_clocks,
                continued: self.continued,
            });
        }
        for LiveMove { event, clocks } in self.moves.iter().skip(plies) {
            let event = Box::new(event.clone());
            reports.push(Report::Moved { number, event, clocks: *clocks });
        }
        for (color, line) in Color::ALL.into_iter().zip(&self.lines) {
            if let Some(Line { game, info }) = line {
                let (game, info) = (Arc::clone(game), info.clone());
                reports.push(Report::Thinking { color, game, info });
            }
        }
        if let Some((end, record)) = &self.end {
            reports.push(Report::GameEnded { number, end: end.clone(), record: record.clone() });
        }
        reports
    }
}

/// Number of ended games that are kept. Older ones are removed.
const MOST_ENDED_GAMES: usize = 8;
