use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    time::{Duration, Instant},
};

use jiff::Timestamp;

use crate::{
    config::{HookConfig, HookForm, NotifyConfig, NotifyKind},
    watch::{
        Report, SleepReason, Watchers,
        testing::{self, made},
    },
};
use kyomi_csa::MoveEvent;
use kyomi_csa::text::Secret;
use kyomi_shogi::{Color, EndReason, GameEnd, Position, notation::csa};

use super::{
    DeliveryError, digest::Digest, message::Message, outbox::Outbox, receiver::Receiver, send_test,
    start,
};

fn started(number: u64) -> Report {
    testing::started(number, ["a", "b\u{1b}[2J"], Color::White)
}

fn moved(number: u64) -> Report {
    let mv = csa::parse_move(&Position::startpos(), "+5958OU").unwrap();
    let spent = Duration::from_secs(3700);
    testing::moved(number, MoveEvent { spent, ..made(1, mv, Color::White) })
}

fn ended(number: u64, winner: Color) -> Report {
    let end = GameEnd::won(winner, EndReason::Resignation, !winner);
    Report::GameEnded { number, end, record: None }
}

fn pausing() -> Report {
    Report::Pausing { pause: Duration::from_secs(2), reason: "connection refused".to_owned() }
}

fn waiting() -> Report {
    Report::Waiting { name: "b".to_owned(), pairing: None }
}

#[test]
fn what_happens_is_told_once_and_counted() {
    let now = Timestamp::UNIX_EPOCH;
    let mut digest = Digest::new(now);
    let mut told = |report: &Report| digest.take(report, now).map(|(_, text)| text);
    let trouble = |restarted| Report::EngineFailed {
        player: "b".to_owned(),
        text: "it died".to_owned(),
        restarted,
    };
    assert_eq!(told(&waiting()), None);
    assert_eq!(told(&started(1)).unwrap(), "game 1 begins: a - b\u{1b}[2J, we are white");
    assert_eq!(told(&moved(1)), None);
    assert_eq!(told(&trouble(true)).unwrap(), "it died");
    told(&trouble(false)).unwrap();
    let lost = Report::Disconnected { number: 1, reason: "reset".to_owned() };
    assert_eq!(told(&lost).unwrap(), "connection lost in game 1: reset");
    assert_eq!((told(&pausing()), told(&pausing()), told(&waiting())), (None, None, None));
    let resumed = Report::Resumed { number: 1, clocks: testing::minute() };
    assert_eq!(told(&resumed).unwrap(), "game 1 goes on over a new connection");
    let end = told(&ended(1, Color::White)).unwrap();
    assert_eq!(end, "game 1 is won: a - b\u{1b}[2J, resignation, 1 moves");
    assert_eq!(told(&pausing()).unwrap(), "connection refused; trying again");
    assert_eq!(told(&pausing()), None);
    assert_eq!(told(&waiting()).unwrap(), "logged in again as b");
    assert_eq!(told(&Report::Warning("x".to_owned())), None);
    let waited = Duration::from_secs(3601);
    assert_eq!(told(&Report::NoPairing { waited }).unwrap(), "no game for 60 min");
    let sleeping = |reason| Report::Sleeping { until: None, reason };
    assert!(told(&sleeping(SleepReason::Closed)).unwrap().starts_with("no more games"));
    assert_eq!(told(&sleeping(SleepReason::Pause)), None);
    let mut again = started(2);
    if let Report::GameStarted { continued, .. } = &mut again {
        *continued = true;
    }
    assert_eq!(told(&again).unwrap(), "game 2 is taken up again: a - b\u{1b}[2J, we are white");
    assert!(told(&ended(2, Color::Black)).unwrap().starts_with("game 2 is lost"));
    let summary = digest.summary(now);
    assert!(
        summary.ends_with(
            ": 2 games (1 won, 1 lost, 0 drawn), 1 moves, time used 1:01:40, 1 engine restart, \
             1 failed engine, 2 reconnects"
        ),
        "{summary}"
    );
    assert!(digest.summary(now).contains(": 0 games, 0 moves"), "the count begins again");
}

fn command(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

fn hook(address: impl std::fmt::Display) -> NotifyConfig {
    let url = Secret::new(format!("http://{address}/hidden"));
    NotifyConfig { hook: Some(HookConfig { url, form: HookForm::Json }), ..Default::default() }
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_gets_the_text_and_none_of_our_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("told");
    let script =
        format!("{{ echo \"$KYOMI_EVENT|$KYOMI_TEXT\"; cat; env; }} >> {}", path.display());
    let config = NotifyConfig {
        command: command(&script),
        on: Some(vec![NotifyKind::Game, NotifyKind::Summary]),
        ..NotifyConfig::default()
    };
    let watchers = Watchers::new();
    let notifier = start(&config, vec![(Some("x".to_owned()), watchers.subscribe())]).unwrap();
    watchers.report(pausing());
    watchers.report(started(1));
    watchers.report(ended(1, Color::Black));
    drop(watchers);
    notifier.finish().await;
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("game|x: game 1 begins: a - b[2J, we are white\nx: game 1"), "{text}");
    assert!(text.contains("game|x: game 1 is lost: a - b[2J, resignation, 0 moves\n"), "{text}");
    assert!(text.contains("summary|x: summary since "), "{text}");
    assert!(!text.contains("refused") && !text.contains('\u{1b}'), "{text}");
    let names = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
    let ours: Vec<_> = names.filter(|name| name.starts_with("KYOMI_")).collect();
    assert!(ours.iter().all(|name| ["KYOMI_EVENT", "KYOMI_TEXT"].contains(name)), "{ours:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_fails_is_named_without_its_output() {
    for (command, error) in [
        (command("exit 3"), DeliveryError::Exit(Some(3))),
        (vec!["/nonexistent".to_owned()], DeliveryError::Start(std::io::ErrorKind::NotFound)),
    ] {
        let config = NotifyConfig { command, ..NotifyConfig::default() };
        assert_eq!(send_test(&config).await, [("notify.command", Err(error))]);
    }
}

/// The time is simulated, so that ten seconds pass as soon as nothing else happens.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_hung_command_is_ended_with_what_it_has_started() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("told");
    let script = format!("sleep 1000 & echo $! > {}; wait", path.display());
    let config = NotifyConfig { command: command(&script), ..NotifyConfig::default() };
    // Simulated time waits for no process: the script may not even have begun.
    let outcome = send_test(&config).await;
    assert_eq!(outcome, [("notify.command", Err(DeliveryError::Late))]);
    let began = Instant::now();
    if let Ok(pid) = fs::read_to_string(&path) {
        let process = PathBuf::from("/proc").join(pid.trim());
        while !pid.trim().is_empty() && process.exists() && began.elapsed().as_secs() < 60 {
            let status = fs::read_to_string(process.join("status")).unwrap_or_default();
            if status.contains("State:\tZ") {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    assert!(began.elapsed().as_secs() < 60, "a process was left behind");
}

/// Reads one request and answers it; returns its first line and its body.
fn answer(stream: &mut TcpStream, status: &str) -> (String, String) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(answer.as_bytes()).unwrap();
    (first.trim().to_owned(), String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn a_web_hook_gets_a_post_for_each_message() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = hook(listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let mut answers = Vec::new();
        for _ in 0..3 {
            let (mut stream, _) = listener.accept().unwrap();
            answers.push(answer(&mut stream, "204 No Content"));
        }
        answers
    });
    let watchers = Watchers::new();
    let notifier = start(&config, vec![(None, watchers.subscribe())]).unwrap();
    watchers.report(started(1));
    watchers.report(ended(1, Color::White));
    drop(watchers);
    notifier.finish().await;
    let posts = server.join().unwrap();
    let events: Vec<_> = posts
        .iter()
        .map(|(first, body)| {
            assert_eq!(first, "POST /hidden HTTP/1.1");
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            (body["event"].as_str().unwrap().to_owned(), body["text"].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(events[0].1, "game 1 begins: a - b[2J, we are white");
    let kinds: Vec<_> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["game", "game", "summary"]);
}

#[tokio::test]
async fn a_web_hook_that_refuses_or_redirects_is_named_without_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let config = hook(address);
    let server = std::thread::spawn(move || {
        for status in ["403 Forbidden", "302 Found\r\nLocation: http://127.0.0.1:1/", "nonsense"] {
            let (mut stream, _) = listener.accept().unwrap();
            answer(&mut stream, status);
        }
    });
    for expected in [Some(DeliveryError::Status(403)), Some(DeliveryError::Status(302)), None] {
        let outcomes = send_test(&config).await;
        let [(name, Err(error))] = outcomes.as_slice() else {
            panic!("a refused message counts as delivered")
        };
        assert!(*name == "notify.url" && expected.is_none_or(|expected| *error == expected));
        assert!(!error.to_string().contains("hidden") && !error.to_string().contains("127."));
    }
    server.join().unwrap();
    // Nobody listens any more.
    let gone = send_test(&config).await;
    assert!(matches!(gone.as_slice(), [(_, Err(DeliveryError::Connection(_)))]), "{gone:?}");
}

/// The pauses pass in simulated time, which stands still while a message is being posted.
#[tokio::test(start_paused = true)]
async fn a_message_that_a_web_hook_does_not_take_now_is_delivered_later() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = hook(listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        // The line is down at first.
        drop(listener.accept().unwrap());
        let taken = |status| answer(&mut listener.accept().unwrap().0, status).1;
        let statuses = [
            "429 Too Many Requests\r\nRetry-After: 30.5",
            "503 Service Unavailable\r\nRetry-After: soon",
            "204 No Content",
            "403 Forbidden",
        ];
        statuses.map(|status| taken(status).contains("first"))
    });
    let outbox = Outbox::default();
    outbox.push(Message::new(None, None, "first"));
    outbox.push(Message::new(None, None, "second"));
    outbox.close();
    let began = tokio::time::Instant::now();
    for receiver in Receiver::all(&config) {
        receiver.deliver_all(outbox.clone()).await;
    }
    // A refusal is final: the second message is posted once.
    assert_eq!(server.join().unwrap(), [true, true, true, false]);
    let took = began.elapsed().as_secs_f64();
    assert!((30.5..100.0).contains(&took), "{took} s");
}

#[tokio::test(start_paused = true)]
async fn a_dead_web_hook_is_given_up_after_ten_minutes() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let outbox = Outbox::default();
    outbox.push(Message::new(None, None, "lost"));
    outbox.close();
    let began = tokio::time::Instant::now();
    for receiver in Receiver::all(&hook(gone)) {
        receiver.deliver_all(outbox.clone()).await;
    }
    let took = began.elapsed().as_secs();
    assert!((500..=600).contains(&took), "{took} s");
}

/// A server that accepts and never answers holds no report up, and no more than one thread.
#[tokio::test(flavor = "multi_thread")]
async fn a_hung_web_hook_delays_nothing_and_drops_the_oldest() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = hook(listener.local_addr().unwrap());
    let watchers = Watchers::new();
    let notifier = start(&config, vec![(None, watchers.subscribe())]).unwrap();
    let began = Instant::now();
    for number in 0..5000 {
        watchers.report(started(number));
        watchers.report(ended(number, Color::Black));
    }
    assert!(began.elapsed() < Duration::from_secs(5), "reports waited for the hook");
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut byte = [0];
    stream.read_exact(&mut byte).unwrap();
    drop(watchers);
    drop(notifier);
}

#[test]
fn without_receivers_nothing_is_started() {
    assert!(start(&NotifyConfig::default(), Vec::new()).is_none());
}
