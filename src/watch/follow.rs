//! Updates a snapshot by reports, and creates reports from a snapshot.

use std::{sync::Arc, time::Instant};

use kyomi_engine::search::SearchInfo;
use kyomi_shogi::clock::Clocks;
use kyomi_shogi::{Color, Game};

use super::{Connection, Line, LiveEngine, LiveGame, LiveMove, Report, Snapshot};

impl Snapshot {
    /// Updates the state by a report.
    pub fn apply(&mut self, report: &Report) {
        if let Report::Snapshot { snapshot, .. } = report {
            return self.clone_from(snapshot);
        }
        let (before, now) = (self.connection.clone(), Instant::now());
        self.update(report, now);
        if self.connection != before {
            self.connection_since = Some(now);
            self.agreed = None;
        }
    }

    /// The game that runs, and began last.
    pub fn running(&self) -> Option<&LiveGame> {
        self.games.iter().rfind(|game| game.end.is_none())
    }

    /// The game with this number.
    pub fn game(&self, number: u64) -> Option<&LiveGame> {
        self.games.iter().rfind(|game| game.number == number)
    }

    fn update(&mut self, report: &Report, now: Instant) {
        match report {
            Report::Snapshot { .. }
            | Report::ServerSaid(_)
            | Report::Warning(_)
            | Report::NoPairing { .. }
            | Report::ScheduleOpen { .. } => {}
            Report::EngineFailed { player, text, restarted } => {
                self.engine(player).failure = Some(text.clone());
                if !restarted {
                    self.engine_starting = None;
                }
            }
            Report::EngineStarting { player } => {
                let engine = self.engine(player);
                (engine.name, engine.failure) = (None, None);
                self.engine_starting.get_or_insert(now);
            }
            Report::EngineReady { player, engine: name } => {
                let engine = self.engine(player);
                (engine.name, engine.failure) = (Some(name.clone()), None);
                if self.engines.iter().all(|engine| engine.name.is_some()) {
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
                let until = now.checked_add(*pause);
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

    fn engine(&mut self, player: &str) -> &mut LiveEngine {
        let known = self.engines.iter().position(|known| known.player == player);
        let at = known.unwrap_or_else(|| {
            self.engines.push(LiveEngine { player: player.to_owned(), ..LiveEngine::default() });
            self.engines.len() - 1
        });
        &mut self.engines[at]
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
    /// The number of moves, with those before its beginning.
    pub fn plies(&self) -> usize {
        self.start.len() + self.moves.len()
    }

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
