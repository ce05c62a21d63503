//! `kyomi check --rehearse`: one whole game before the tournament.
//!
//! On the embedded server the game has a shorter clock than on the configured server. A game against the practice
//! opponent of a server has that server's clock.

use std::{fs::File, path::Path, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep, timeout};

use crate::{
    client::{
        Account, Shutdown,
        login::profile,
        run::{ReadConfig, run},
    },
    config::{
        Config, ControlConfig, EngineConfig, EngineKind, OpponentConfig, RecordsConfig,
        ScheduleConfig, ServerConfig,
    },
    watch::{Report, Reports},
};
use kyomi_csa::{GameName, MoveEvent, Profile};
use kyomi_record::read_detected;
use kyomi_shogi::clock::GameTime;
use kyomi_shogi::{Color, EndReason, GameEnd, Outcome};

use super::{Finding, server::clock_text};

/// Where the rehearsal is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rehearsal {
    /// On the embedded server, against the configured opponent, or otherwise the built-in engine.
    Local,
    /// On the configured server, against its practice opponent.
    Server,
}

/// Plays one game with the first account and calls `report` with each finding. `nps`: nodes/s of the engine outside a
/// game, if known. The record is written to the folder `rehearsal` in that of the records.
pub async fn rehearse(
    config: &Config,
    place: Rehearsal,
    nps: Option<u64>,
    mut report: impl FnMut(Finding),
) {
    let Some(account) = Account::all(config).0.into_iter().next() else { return };
    let played = match place {
        Rehearsal::Local => local_game(&account.config),
        Rehearsal::Server => match server_game(&account.config) {
            Ok(config) => config,
            Err(finding) => return report(finding),
        },
    };
    let reports = account.watchers.subscribe();
    let shutdown = Shutdown::default();
    let mut played_game = PlayedGame { nps, ..PlayedGame::default() };
    let began = Instant::now();
    let limit = match place {
        Rehearsal::Local => LOCAL_LIMIT,
        Rehearsal::Server => SERVER_LIMIT,
    };
    let watchdog = async {
        sleep(limit).await;
        shutdown.leave.cancel();
        std::future::pending::<()>().await;
    };
    let (time, control) = (played.time, played.control.clone());
    let account = Account { label: None, config: played, ..account };
    let read_config: ReadConfig = Arc::new(|| Err("a rehearsal keeps its engines".to_owned()));
    let mut playing = Box::pin(run(vec![account], &control, read_config, shutdown.clone()));
    let finished = async { tokio::join!(&mut playing, played_game.follow(reports, &shutdown)).0 };
    let done = tokio::select! {
        done = finished => done,
        () = watchdog => Ok(()),
    };
    if let Err(error) = done {
        report(Finding::failed("rehearsal", error.to_string()));
    }
    let clock = (place == Rehearsal::Local).then_some(time);
    played_game.findings(clock, began.elapsed()).into_iter().for_each(report);
}

/// The game on the embedded server.
fn local_game(config: &Config) -> Config {
    let opponent = config.opponent.clone().or_else(|| {
        let engine = EngineConfig { hash: OPPONENT_HASH, ..EngineConfig::default() };
        let name = "builtin".to_owned();
        (config.engine.kind == EngineKind::Usi).then_some(OpponentConfig { name, engine })
    });
    Config { games: 1, server: None, time: scaled(clock_of(config)), opponent, ..apart(config) }
}

/// The game on the configured server.
fn server_game(config: &Config) -> Result<Config, Finding> {
    let failed = |text: String| {
        Finding::failed("rehearsal", text)
            .remedy("`--rehearse` without `server` plays on the embedded server")
    };
    let Some(server) = &config.server else {
        return Err(failed("the configuration names no server".to_owned()));
    };
    let profile = profile(server);
    if !profile.has_practice_opponent() {
        return Err(failed(format!("servers of the profile {profile} have no practice opponent")));
    }
    let server = ServerConfig { practice_opponent: true, ..server.clone() };
    Ok(Config { games: 1, server: Some(server), ..apart(config) })
}

/// The configuration with a folder of records of its own, and without a socket.
fn apart(config: &Config) -> Config {
    let dir = config.records.dir.join("rehearsal");
    Config {
        records: RecordsConfig { dir, index: None, ..config.records.clone() },
        control: ControlConfig { socket: None },
        schedule: ScheduleConfig::default(),
        ..config.clone()
    }
}

/// The clock of the real games: that of the game name or the profile, otherwise `[time]`.
fn clock_of(config: &Config) -> GameTime {
    let Some(server) = &config.server else { return config.time };
    let password = server.login_password();
    let head = password.expose().split(',').next().unwrap_or_default();
    if let Some(time) = GameName::parse(head).and_then(|name| name.time()) {
        return time;
    }
    match profile(server) {
        Profile::Wcsc => GameTime {
            total: Duration::from_secs(900),
            byoyomi: Duration::ZERO,
            increment: Duration::from_secs(5),
        },
        _ => config.time,
    }
}

/// The same form of clock with a main time of [`MAIN_TIME`] at most.
fn scaled(time: GameTime) -> GameTime {
    let longest =
        time.total.max(time.byoyomi.saturating_mul(20)).max(time.increment.saturating_mul(20));
    let scale = (MAIN_TIME.as_secs_f64() / longest.as_secs_f64().max(1e-3)).min(1.0);
    let part = |part: Duration, least: Duration| {
        if part.is_zero() {
            return part;
        }
        let tenths = (part.as_secs_f64() * scale * 10.0).round() as u64;
        Duration::from_millis(tenths.saturating_mul(100)).max(least)
    };
    GameTime {
        total: part(time.total, Duration::from_secs(1)),
        byoyomi: part(time.byoyomi, Duration::from_millis(500)),
        increment: part(time.increment, Duration::from_millis(100)),
    }
}

/// The data that is collected during the game.
#[derive(Debug, Default)]
struct PlayedGame {
    nps: Option<u64>,
    own: Option<Color>,
    moves: usize,
    own_moves: Vec<OwnMove>,
    warnings: Vec<String>,
    end: Option<GameEnd>,
    record: Option<std::path::PathBuf>,
    lost: u32,
}

#[derive(Debug, Clone, Copy)]
struct OwnMove {
    ply: u32,
    charged: Duration,
    measured: Duration,
    nodes: Option<u64>,
}

impl PlayedGame {
    /// Follows the game to its end. A game that does not begin in time is not waited for.
    async fn follow(&mut self, mut reports: Reports, shutdown: &Shutdown) {
        let begun = async {
            while let Some(report) = reports.next().await {
                let has_begun = matches!(report, Report::GameStarted { .. });
                self.note(report);
                if has_begun {
                    return;
                }
            }
        };
        if timeout(BEGIN_LIMIT, begun).await.is_err() {
            self.warnings.push(format!("no game began within {} s", BEGIN_LIMIT.as_secs()));
            shutdown.leave.cancel();
        }
        while let Some(report) = reports.next().await {
            self.note(report);
        }
    }

    fn note(&mut self, report: Report) {
        match report {
            Report::GameStarted { own, game, .. } => {
                self.own = own;
                self.moves = game.len();
            }
            Report::Moved { event, .. } => self.moved(&event),
            Report::GameEnded { end, record, .. } => {
                self.end = Some(end);
                self.record = record;
            }
            Report::Disconnected { .. } => self.lost += 1,
            Report::Warning(text) => self.warnings.push(text),
            _ => {}
        }
    }

    fn moved(&mut self, event: &MoveEvent) {
        self.moves = event.ply as usize;
        if self.own.is_none_or(|own| own == event.color) {
            self.own_moves.push(OwnMove {
                ply: event.ply,
                charged: event.spent,
                measured: event.measured,
                nodes: event.analysis.as_ref().and_then(|analysis| analysis.nodes),
            });
        }
    }

    fn findings(self, clock: Option<GameTime>, took: Duration) -> Vec<Finding> {
        let mut findings: Vec<_> =
            self.warnings.iter().map(|text| Finding::warning("rehearsal", text)).collect();
        let Some(end) = &self.end else {
            findings.push(Finding::failed("rehearsal", "no game was finished"));
            return findings;
        };
        let clock = clock.map_or_else(String::new, |time| format!(", clock {}", clock_text(time)));
        let detail = format!(
            "{} moves in {:.0} s{clock}, {}: {}",
            self.moves,
            took.as_secs_f64(),
            end.result_word(),
            end.reason
        );
        let lost = self.own.is_some_and(|own| end.outcome_for(own) == Outcome::Loss);
        findings.push(match end.reason {
            EndReason::Interrupted => Finding::failed("rehearsal", detail)
                .remedy("the game was broken off: see the log"),
            EndReason::TimeUp if lost => Finding::failed("rehearsal", detail)
                .remedy("a busy machine? an engine that ignores its clock? see the log and budget.network_delay"),
            EndReason::IllegalMove | EndReason::IllegalAction if lost => {
                Finding::failed("rehearsal", detail)
                    .remedy("the engine made a move that the server refused: see the log and the record")
            }
            _ => Finding::ok("rehearsal", detail),
        });
        findings.extend(self.times());
        findings.extend(self.speed());
        findings.push(self.written());
        findings
    }

    /// Checks the slowest answer, and the time that was not spent by the engine.
    fn times(&self) -> Option<Finding> {
        let slowest = self.own_moves.iter().max_by_key(|own| own.measured)?;
        let number = self.own_moves.len() as u32;
        let over: Duration =
            self.own_moves.iter().map(|own| own.measured.abs_diff(own.charged)).sum();
        Some(Finding::ok(
            "answers",
            format!(
                "{number} of our moves, the slowest {:.2} s (move {}); our watch and the server's differ by {:.1} ms a move \
                 (network and rounding); {} connections lost",
                slowest.measured.as_secs_f64(),
                slowest.ply,
                (over / number.max(1)).as_secs_f64() * 1000.0,
                self.lost
            ),
        ))
    }

    /// Checks the speed of the search in the game.
    fn speed(&self) -> Option<Finding> {
        let searched = self.own_moves.iter().filter_map(|own| Some((own.nodes?, own.measured)));
        let (nodes, time) = searched
            .filter(|(nodes, _)| *nodes > 0)
            .fold((0_u64, Duration::ZERO), |(nodes, time), own| {
                (nodes.saturating_add(own.0), time.saturating_add(own.1))
            });
        if nodes == 0 || time.is_zero() {
            return None;
        }
        let in_game = (nodes as f64 / time.as_secs_f64()) as u64;
        let Some(alone) = self.nps else {
            return Some(Finding::ok("speed", format!("{in_game} nodes/s in the game")));
        };
        let detail = format!("{in_game} nodes/s in the game, {alone} in the start position");
        Some(if in_game < alone / 2 {
            Finding::warning("speed", detail)
                .remedy("other programs on this machine? more threads than cores?")
        } else {
            Finding::ok("speed", detail)
        })
    }

    /// Checks whether the record can be read.
    fn written(&self) -> Finding {
        let Some(path) = &self.record else {
            return Finding::failed("record", "no record was written").remedy("see the log");
        };
        match moves_in(path) {
            Ok(moves) if moves == self.moves => {
                Finding::ok("record", format!("{} holds all {moves} moves", path.display()))
            }
            Ok(moves) => Finding::failed(
                "record",
                format!("{} holds {moves} of {} moves", path.display(), self.moves),
            ),
            Err(error) => Finding::failed("record", format!("{}: {error}", path.display())),
        }
    }
}

fn moves_in(path: &Path) -> Result<usize, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let (format, bytes) = read_detected(Some(path), file).map_err(|error| error.to_string())?;
    let format = format.ok_or("the format is not recognized")?;
    match format.read_each(&bytes).next() {
        Some(Ok(read)) => match read.fault {
            None => Ok(read.record.moves.len()),
            Some(fault) => Err(fault.to_string()),
        },
        Some(Err(error)) => Err(error.to_string()),
        None => Err("it is empty".to_owned()),
    }
}

/// The main time of the game on the embedded server, at most.
const MAIN_TIME: Duration = Duration::from_secs(10);

/// Table of the built-in engine as the opponent, in bytes.
const OPPONENT_HASH: u64 = 16 << 20;

/// The longest wait for the game to begin.
const BEGIN_LIMIT: Duration = Duration::from_secs(300);

const LOCAL_LIMIT: Duration = Duration::from_secs(15 * 60);
const SERVER_LIMIT: Duration = Duration::from_secs(2 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    fn config(server: &str) -> Config {
        Config::from_text("test", &format!("[server]\npassword = \"x\"\n{server}"), [], &[])
            .unwrap()
            .config
    }

    fn milliseconds(time: GameTime) -> [u128; 3] {
        [time.total, time.byoyomi, time.increment].map(|time| time.as_millis())
    }

    #[test]
    fn the_clock_has_the_form_of_the_servers() {
        for (server, expected) in [
            ("game = \"floodgate-300-10F\"\n", [10_000, 0, 300]),
            ("game = \"test-600-10-B\"\n", [10_000, 500, 0]),
            ("game = \"test-0-10\"\n", [0, 500, 0]),
            ("game = \"test-5-1F\"\n", [2500, 0, 500]),
            ("profile = \"wcsc\"\n", [10_000, 0, 100]),
            ("[time]\ntotal = \"8s\"\n", [8000, 0, 0]),
        ] {
            assert_eq!(milliseconds(local_game(&config(server)).time), expected, "{server}");
        }
    }

    #[test]
    fn a_usi_engine_meets_the_built_in_one() {
        let usi = config("[engine]\nkind = \"usi\"\npath = \"engine\"\n");
        assert_eq!(local_game(&usi).local_opponent().engine.kind, EngineKind::Builtin);
        let own = config("");
        assert_eq!(local_game(&own).opponent, None);
        assert!(local_game(&own).records.dir.ends_with("games/rehearsal"));
    }

    #[test]
    fn only_the_wcsc_has_a_practice_opponent() {
        let game = server_game(&config("profile = \"wcsc\"\n")).unwrap();
        assert!(game.server.is_some_and(|server| server.practice_opponent));
        let error = server_game(&config("profile = \"kyomi\"\n")).unwrap_err();
        assert!(error.detail.contains("no practice opponent"), "{}", error.detail);
        assert!(server_game(&Config::default()).is_err());
    }
}
