use std::os::unix::net::UnixDatagram;

use super::{super::progress::Progress, *};
use crate::watch::{Report, Watchers};

/// A socket in the place of the service manager's, with its name.
fn client() -> Phases {
    Phases::one(Progress::of_client())
}

fn listen() -> (UnixDatagram, tempfile::TempPath) {
    let socket = tempfile::Builder::new().make(|path| UnixDatagram::bind(path)).unwrap();
    socket.into_parts()
}

fn environment(name: &OsStr, others: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    let others = others.iter().map(|(key, value)| (OsString::from(key), OsString::from(value)));
    std::iter::once(("NOTIFY_SOCKET".into(), name.to_owned())).chain(others).collect()
}

fn message(socket: &UnixDatagram) -> String {
    let mut bytes = [0; 4096];
    let length = socket.recv(&mut bytes).unwrap();
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

/// Messages until this one, which is not among them.
fn messages_until(socket: &UnixDatagram, last: &str) -> Vec<String> {
    std::iter::repeat_with(|| message(socket)).take_while(|text| text != last).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_told_when_the_work_is_ready_what_it_does_that_it_lives_and_that_it_ends() {
    let (socket, path) = listen();
    let limit = [("WATCHDOG_USEC", "20000")];
    let manager = ServiceManager::from_environment(&environment(path.as_os_str(), &limit)).unwrap();
    let watchers = Watchers::new();
    let reports = watchers.subscribe();
    let stopping = CancellationToken::new();
    let (stop, asked) = (stopping.clone(), stopping.clone());
    let heard = tokio::task::spawn_blocking(move || {
        let before = messages_until(&socket, "READY=1");
        let mut working =
            messages_until(&socket, "STATUS=waiting for a game as aREADY=1; 0 played");
        working.extend(messages_until(&socket, "WATCHDOG=1"));
        stop.cancel();
        working.extend(messages_until(&socket, "STOPPING=1"));
        (before, working)
    });
    let work = async {
        let (player, engine) = ("a".to_owned(), "b".to_owned());
        watchers.report(Report::EngineReady { player, engine });
        watchers.report(Report::Waiting { name: "a\nREADY=1".to_owned(), pairing: None });
        asked.cancelled().await;
        7
    };
    assert_eq!(
        manager.run_notified(work, client(), MergedReports::new([reports]), stopping).await,
        7
    );
    let (before, working) = heard.await.unwrap();
    assert!(
        !before.is_empty() && before.iter().all(|text| !text.contains("READY=1")),
        "{before:?}"
    );
    assert!(!working.contains(&"READY=1".to_owned()), "{working:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_abstract_name_is_reached_and_the_end_of_the_work_is_told() {
    use std::os::{linux::net::SocketAddrExt as _, unix::net::SocketAddr};
    let name = format!("kyomi-notify-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let socket = UnixDatagram::bind_addr(&address).unwrap();
    let named = OsString::from(format!("@{name}"));
    let manager = ServiceManager::from_environment(&environment(&named, &[])).unwrap();
    let reports = Watchers::new().subscribe();
    let progress = Phases::one(Progress::of_server("here"));
    let reports = MergedReports::new([reports]);
    manager
        .run_notified(tokio::task::yield_now(), progress, reports, CancellationToken::new())
        .await;
    let told = messages_until(&socket, "STOPPING=1");
    assert!(told.contains(&"READY=1".to_owned()), "{told:?}");
}

#[tokio::test]
async fn a_receiver_that_does_not_read_holds_nothing_up() {
    let (_socket, path) = listen();
    let manager = ServiceManager::from_environment(&environment(path.as_os_str(), &[])).unwrap();
    let watchers = Watchers::new();
    let reports = watchers.subscribe();
    let work = async {
        for number in 0..5000 {
            watchers.report(Report::Waiting { name: number.to_string(), pairing: None });
            tokio::task::yield_now().await;
        }
    };
    manager
        .run_notified(work, client(), MergedReports::new([reports]), CancellationToken::new())
        .await;
}

#[test]
fn no_name_means_no_manager_and_a_wrong_one_is_reported() {
    assert!(ServiceManager::from_environment(&[]).unwrap().socket.is_none());
    for wrong in ["vsock:2:1234", "relative/path", "/nowhere/at/all"] {
        let error = ServiceManager::from_environment(&environment(OsStr::new(wrong), &[]));
        assert!(error.unwrap_err().to_string().contains(wrong));
    }
    let (_socket, path) = listen();
    for (pid, limit, watched) in [("1", "1000", false), ("", "1000", true), ("", "soon", false)] {
        let variables = [("WATCHDOG_PID", pid), ("WATCHDOG_USEC", limit)];
        let environment = environment(path.as_os_str(), &variables);
        let manager = ServiceManager::from_environment(&environment).unwrap();
        assert_eq!(manager.watchdog.is_some(), watched, "{pid} {limit}");
    }
}
