//! The loop over an in-memory stream, in simulated time, with a scripted server and player.

use std::{
    path::PathBuf,
    task::{Poll, Waker},
};

use parking_lot::Mutex;

use crate::watch::{Report, Reports, Watchers};
use kyomi_shogi::{EndReason, GameEnd};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

use super::*;
use crate::players::{Answer, Choice, PlayerCommand, PlayerEvent, PlayerPort, pair};
use crate::{
    client::{
        control::ClientControl,
        recorder::GameRecorder,
        session_player::{SessionPlayer, SharedAnalysis},
    },
    config::RecordsConfig,
};
use kyomi_csa::Profile;
use kyomi_csa::text::Secret;
use kyomi_shogi::notation::usi;

/// The far end of the connection.
struct Server(BufReader<DuplexStream>);

impl Server {
    async fn send(&mut self, lines: &str) {
        self.0.get_mut().write_all(format!("{lines}\n").as_bytes()).await.unwrap();
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        assert!(line.ends_with('\n'), "the stream ended in {line:?}");
        line.trim_end().to_owned()
    }

    async fn expect_end_of_stream(&mut self) {
        let mut line = String::new();
        assert_eq!(self.0.read_line(&mut line).await.unwrap(), 0, "{line:?}");
    }

    /// Accepts the login and begins a game in which the client is black.
    async fn begin(&mut self) {
        self.offer().await;
        assert_eq!(self.line().await, "AGREE g");
        self.send("START:g").await;
    }

    /// Accepts the login and offers that game.
    async fn offer(&mut self) {
        assert_eq!(self.line().await, "LOGIN kyomi secret");
        self.send("LOGIN:kyomi OK").await;
        let position =
            kyomi_shogi::notation::csa::format_position(&kyomi_shogi::Position::startpos());
        self.send(&format!(
            "BEGIN Game_Summary\nGame_ID:g\nName+:kyomi\nName-:b\nYour_Turn:+\nTo_Move:+\n\
             BEGIN Time\nTotal_Time:600\nByoyomi:10\nEND Time\nBEGIN Position\n{}\nEND Position\n\
             END Game_Summary",
            position.trim_end()
        ))
        .await;
    }
}

/// A scripted server and player; the client runs as a task.
struct Harness {
    server: Server,
    player: PlayerPort,
    reports: Reports,
    shutdown: Shutdown,
    sleep: Arc<Sleep>,
    client: tokio::task::JoinHandle<SessionEnd>,
}

/// Lets the client's task stand still, as when the machine sleeps or the process is stopped.
#[derive(Default)]
struct Sleep(Mutex<(bool, Option<Waker>)>);

impl Sleep {
    /// Runs the future, except in sleeps.
    async fn around<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        std::future::poll_fn(|context| {
            let (asleep, waker) = &mut *self.0.lock();
            if *asleep {
                *waker = Some(context.waker().clone());
                return Poll::Pending;
            }
            future.as_mut().poll(context)
        })
        .await
    }

    fn begin(&self) {
        self.0.lock().0 = true;
    }

    fn end(&self) {
        let (asleep, waker) = &mut *self.0.lock();
        *asleep = false;
        if let Some(waker) = waker.take() {
            waker.wake();
        }
    }
}

fn harness() -> Harness {
    harness_with(ClientControl::default())
}

fn harness_with(control: ClientControl) -> Harness {
    harness_after(0, control)
}

/// A client that has begun this number of games.
fn harness_after(begun: u32, control: ClientControl) -> Harness {
    harness_recording(begun, control, None)
}

/// A client that keeps records in this folder.
fn harness_recording(begun: u32, control: ClientControl, records: Option<PathBuf>) -> Harness {
    let settings = SessionSettings {
        games: 1,
        ..SessionSettings::new("kyomi", Secret::new("secret"), Profile::Wcsc)
    };
    harness_of(begun, control, records, settings)
}

fn harness_of(
    begun: u32,
    control: ClientControl,
    records: Option<PathBuf>,
    settings: SessionSettings,
) -> Harness {
    let (near, far) = duplex(64 * 1024);
    let (handle, player) = pair();
    player.events.send(PlayerEvent::Ready { name: "scripted".to_owned() });
    let watchers = Watchers::new();
    let reports = watchers.subscribe();
    let shutdown = Shutdown::default();
    let asked = shutdown.clone();
    let sleep = Arc::<Sleep>::default();
    let sleeper = Arc::clone(&sleep);
    let running = async move {
        let shared_analysis = SharedAnalysis::default();
        let player = SessionPlayer::with_player(
            handle,
            "kyomi".to_owned(),
            watchers.clone(),
            shared_analysis.clone(),
        );
        let recorder = records.map_or_else(GameRecorder::none, |dir| {
            let settings = RecordsConfig { dir, index: None, ..RecordsConfig::default() };
            GameRecorder::open(&settings, None, &watchers).unwrap()
        });
        let mut client = ClientState::new(player, recorder, watchers, shared_analysis);
        client.control = control;
        client.begun = begun;
        client.pairing = Some(Duration::from_secs(1800));
        run_session(near, settings, &mut client, &asked).await.end
    };
    let client = tokio::spawn(async move { Box::pin(sleeper.around(running)).await });
    Harness { server: Server(BufReader::new(far)), player, reports, shutdown, sleep, client }
}

impl Harness {
    /// The next request for a move.
    async fn asked(&mut self) -> u64 {
        loop {
            if let PlayerCommand::Think(request) = self.player.commands.recv().await.unwrap() {
                return request.id;
            }
        }
    }

    fn answer(&self, id: u64, mv: &str) {
        let answer = Answer::plain(Choice::Move(usi::parse_move(mv).unwrap()));
        self.player.events.send(PlayerEvent::Answer { id, answer });
    }

    /// The machine sleeps for two minutes, in which the server sends these lines.
    async fn asleep(&mut self, lines: &str) {
        self.sleep.begin();
        self.server.send(lines).await;
        tokio::time::sleep(Duration::from_secs(120)).await;
        self.sleep.end();
    }

    /// The end that was reported to the watchers.
    async fn end(mut self) -> (GameEnd, SessionEnd) {
        let session_end = self.client.await.unwrap();
        while let Some(report) = self.reports.next().await {
            if let Report::GameEnded { end, .. } = report {
                return (end, session_end);
            }
        }
        panic!("no end was reported");
    }
}

#[tokio::test(start_paused = true)]
async fn the_number_of_a_game_stays_at_the_highest() {
    let mut harness = harness_after(u32::MAX, ClientControl::default());
    harness.server.begin().await;
    let number = loop {
        if let Report::GameStarted { number, .. } = harness.reports.next().await.unwrap() {
            break number;
        }
    };
    assert_eq!(number, u64::from(u32::MAX));
}

#[tokio::test(start_paused = true)]
async fn the_preparations_of_the_player_do_not_use_up_its_clock() {
    let settings = SessionSettings {
        games: 1,
        agree_when_prepared: true,
        ..SessionSettings::new("kyomi", Secret::new("secret"), Profile::Wcsc)
    };
    let Harness { mut server, mut player, .. } =
        harness_of(0, ClientControl::default(), None, settings);
    let begun = Instant::now();
    let engine = async {
        let command = player.commands.recv().await;
        assert!(matches!(command, Some(PlayerCommand::NewGame(_))), "{command:?}");
        tokio::time::sleep(Duration::from_secs(5)).await;
        player.events.send(PlayerEvent::Prepared);
        let command = player.commands.recv().await;
        assert!(matches!(command, Some(PlayerCommand::Think(_))), "{command:?}");
    };
    // It ends when `AGREE` has come and `START` is sent.
    let game = async {
        server.begin().await;
        assert_eq!(begun.elapsed(), Duration::from_secs(5));
    };
    tokio::join!(engine, game);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_has_arrived_when_the_player_is_prepared_came_before_our_agree() {
    // The loop takes what is ready in random order.
    for _ in 0..20 {
        let settings = SessionSettings {
            games: 1,
            agree_when_prepared: true,
            ..SessionSettings::new("kyomi", Secret::new("secret"), Profile::Wcsc)
        };
        let mut harness = harness_of(0, ClientControl::default(), None, settings);
        harness.server.offer().await;
        let command = harness.player.commands.recv().await;
        assert!(matches!(command, Some(PlayerCommand::NewGame(_))), "{command:?}");
        harness.player.events.send(PlayerEvent::Prepared);
        harness.server.send("START:g").await;
        assert_eq!(harness.server.line().await, "AGREE g");
        harness.server.send("REJECT:g by b").await;
        loop {
            match harness.reports.next().await.unwrap() {
                Report::GameStarted { .. } => panic!("a game has begun"),
                Report::Warning(text) if text.contains("rejected") => break,
                _ => {}
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_with_keep_alives_and_a_very_late_result() {
    let mut harness = harness();
    harness.server.begin().await;
    let id = harness.asked().await;
    harness.answer(id, "7g7f");
    assert_eq!(harness.server.line().await, "+7776FU");
    harness.server.send("+7776FU,T1").await;
    // While the opponent thinks, only keep-alives are sent, and never early.
    let mut last = Instant::now();
    for _ in 0..17 {
        assert_eq!(harness.server.line().await, "");
        assert!(last.elapsed() >= Duration::from_secs(35));
        last = Instant::now();
        harness.server.send("").await;
    }
    harness.server.send("#TIME_UP\n#WIN").await;
    assert_eq!(harness.server.line().await, "LOGOUT");
    harness.server.send("LOGOUT:completed").await;
    let (end, session_end) = harness.end().await;
    assert_eq!((end.result_word(), end.reason), ("black", EndReason::TimeUp));
    assert_eq!(session_end, SessionEnd::Done);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_after_the_result_is_not_sent() {
    let mut harness = harness();
    harness.server.begin().await;
    let id = harness.asked().await;
    harness.server.send("#CHUDAN").await;
    // The player receives `Stop` and answers nevertheless.
    while !matches!(harness.player.commands.recv().await, Some(PlayerCommand::Stop)) {}
    harness.answer(id, "7g7f");
    assert_eq!(harness.server.line().await, "LOGOUT");
    harness.server.send("LOGOUT:completed").await;
    harness.server.expect_end_of_stream().await;
    assert_eq!(harness.end().await.0.reason, EndReason::Adjourned);
}

#[tokio::test(start_paused = true)]
async fn result_and_end_of_stream_in_one_packet() {
    let mut harness = harness();
    harness.server.begin().await;
    let id = harness.asked().await;
    harness.answer(id, "7g7f");
    assert_eq!(harness.server.line().await, "+7776FU");
    harness.server.send("+7776FU,T1\n%TORYO,T1\n#RESIGN\n#WIN").await;
    drop(std::mem::replace(&mut harness.server, Server(BufReader::new(duplex(1).0))));
    let (end, _) = harness.end().await;
    assert_eq!((end.result_word(), end.reason), ("black", EndReason::Resignation));
}

#[tokio::test(start_paused = true)]
async fn a_game_is_resigned_when_its_player_is_gone() {
    let mut harness = harness();
    harness.server.begin().await;
    harness.asked().await;
    harness.player = pair().1;
    assert_eq!(harness.server.line().await, "%TORYO");
    harness.server.send("%TORYO,T1\n#RESIGN\n#LOSE").await;
    assert_eq!(harness.server.line().await, "LOGOUT");
    let (end, _) = harness.end().await;
    assert_eq!(end.result_word(), "white");
}

#[tokio::test(start_paused = true)]
async fn a_warning_stands_in_the_record_before_the_move_that_comes_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let records = Some(dir.path().to_owned());
    let mut harness = harness_recording(0, ClientControl::default(), records);
    harness.server.begin().await;
    let id = harness.asked().await;
    harness.answer(id, "7g7f");
    assert_eq!(harness.server.line().await, "+7776FU");
    // The reply comes without an echo of our move, which is thus known to be made.
    harness.server.send("-3334FU,T1\n%TORYO,T1\n#RESIGN\n#WIN").await;
    harness.asked().await;
    harness.end().await;
    let record = std::fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(record).unwrap();
    let place = |words: &str| text.find(words).expect(words);
    assert!(place("'event: warning") < place("+7776FU"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_came_in_a_sleep_of_the_machine_keeps_the_connection() {
    // The loop takes what is ready in random order.
    for _ in 0..20 {
        let mut harness = harness();
        harness.server.begin().await;
        let id = harness.asked().await;
        harness.answer(id, "7g7f");
        assert_eq!(harness.server.line().await, "+7776FU");
        harness.server.send("+7776FU,T1").await;
        // From the first answer on, silence means that the connection is dead.
        assert_eq!(harness.server.line().await, "");
        harness.server.send("").await;
        assert_eq!(harness.server.line().await, "");
        harness.asleep("").await;
        harness.server.send("-3334FU,T190").await;
        let id = harness.asked().await;
        harness.answer(id, "2g2f");
        let mut line = String::new();
        while line.is_empty() {
            line = harness.server.line().await;
        }
        assert_eq!(line, "+2726FU");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_began_in_a_sleep_of_the_machine_is_timed_from_before_it() {
    for (echo, lines) in [("+7776FU,T1", "-3334FU,T10"), ("", "+7776FU,T1\n-3334FU,T10")].repeat(20)
    {
        let mut harness = harness();
        harness.server.begin().await;
        let id = harness.asked().await;
        harness.answer(id, "7g7f");
        assert_eq!(harness.server.line().await, "+7776FU");
        harness.server.send(echo).await;
        tokio::time::sleep(Duration::from_millis(10_500)).await;
        // The player may say something before it is stopped itself.
        harness.player.events.send(PlayerEvent::Ready { name: "a".to_owned() });
        harness.asleep(lines).await;
        let (waited, turn) = loop {
            if let PlayerCommand::Think(request) = harness.player.commands.recv().await.unwrap() {
                break (Instant::now(), Instant::from_std(request.turn_started));
            }
        };
        let waited = waited.duration_since(turn).as_secs();
        assert!((119..=122).contains(&waited), "{waited}");
    }
}

/// A server that neither answers nor closes the connection cannot prevent leaving.
#[tokio::test(start_paused = true)]
async fn leaving_works_when_the_server_is_dead() {
    let mut harness = harness();
    harness.server.begin().await;
    harness.asked().await;
    harness.shutdown.leave.cancel();
    assert_eq!(harness.server.line().await, "%TORYO");
    let (end, _) = harness.end().await;
    assert_eq!(end.result_word(), "white");
}

/// A window of ten minutes, which has just begun.
fn ten_minutes() -> ClientControl {
    let text = "[schedule]\nwindows = [\"2027-05-03 9:00-9:10\"]\n";
    let config = crate::config::Config::from_text("test", text, [], &[]).unwrap().config;
    let start = jiff::civil::date(2027, 5, 3).at(9, 0, 0, 0);
    let start = start.to_zoned(jiff::tz::TimeZone::system()).unwrap().timestamp();
    ClientControl::simulated(&config.schedule, start)
}

#[tokio::test(start_paused = true)]
async fn a_game_that_runs_at_the_end_of_the_window_is_finished() {
    let mut harness = harness_with(ten_minutes());
    harness.server.begin().await;
    let id = harness.asked().await;
    tokio::time::sleep(Duration::from_secs(560)).await;
    harness.answer(id, "7g7f");
    let mut line = String::new();
    while line != "+7776FU" {
        line = harness.server.line().await;
    }
    harness.server.send("+7776FU,T560").await;
    tokio::time::sleep(Duration::from_secs(300)).await;
    harness.server.send("%TORYO,T1\n#RESIGN\n#WIN").await;
    while line != "LOGOUT" {
        line = harness.server.line().await;
    }
    harness.server.send("LOGOUT:completed").await;
    let (end, session_end) = harness.end().await;
    assert_eq!((end.result_word(), session_end), ("black", SessionEnd::Done));
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_game_logs_out_at_the_end_of_the_window() {
    let mut harness = harness_with(ten_minutes());
    assert_eq!(harness.server.line().await, "LOGIN kyomi secret");
    let began = Instant::now();
    harness.server.send("LOGIN:kyomi OK").await;
    let mut line = String::new();
    while line != "LOGOUT" {
        line = harness.server.line().await;
    }
    let waited = began.elapsed().as_secs();
    assert!((600..=610).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn every_hour_without_a_pairing_is_reported() {
    let mut harness = harness_with(ClientControl::default());
    assert_eq!(harness.server.line().await, "LOGIN kyomi secret");
    harness.server.send("LOGIN:kyomi OK").await;
    let began = Instant::now();
    let mut waits = Vec::new();
    while waits.len() < 3 {
        tokio::select! {
            line = harness.server.line() => assert_eq!(line, ""),
            report = harness.reports.next() => match report {
                Some(Report::NoPairing { waited }) => waits.push(waited.as_secs() / 60),
                Some(Report::Waiting { pairing, .. }) => {
                    assert_eq!(pairing, Some(Duration::from_secs(1800)));
                }
                Some(_) => {}
                None => panic!("the client is gone"),
            },
        }
    }
    assert_eq!((waits, began.elapsed().as_secs()), (vec![60, 120, 180], 3 * 3600));
}
