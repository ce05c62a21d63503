//! Several accounts in one process.

use super::support::Server;
use crate::common::connection::Desk;
use crate::common::folder::Folder;

const RANDOM: &str = "[engine]\nkind = \"random\"\n";

fn account(label: &str, port: u16, games: u32) -> String {
    format!(
        "[[account]]\nlabel = \"{label}\"\ngames = {games}\n[account.server]\nport = {port}\n\
         name = \"kyomi\"\npassword = \"secret\"\nprofile = \"wcsc\"\n"
    )
}

#[test]
fn two_accounts_play_each_other_with_one_record_each() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let (host, port) = server.address.rsplit_once(':').unwrap();
    let config = format!(
        "games = 1\n[server]\nhost = \"{host}\"\nport = {port}\npassword = \"test-600-10F,secret\"\n{RANDOM}\
         [[account]]\nlabel = \"one\"\n[account.server]\nname = \"a\"\n\
         [[account]]\n[account.server]\nname = \"b\"\n"
    );
    let finished = folder.play(&config).finish().exited(0);
    for label in ["one", "b"] {
        let ends = finished.stdout.lines().filter(|line| {
            line.strip_prefix(label).is_some_and(|line| line.starts_with(" result: "))
        });
        assert_eq!(ends.count(), 1, "{}", finished.stdout);
    }
    assert_eq!(folder.games(".csa").len(), 2);
}

#[test]
fn an_account_that_fails_stops_no_other_and_is_reported_at_the_end() {
    let (folder, good, bad) = (Folder::new(), Desk::open(), Desk::open());
    let events = folder.path().join("events.json");
    let config =
        format!("{RANDOM}{}{}", account("good", good.port(), 1), account("bad", bad.port(), 1));
    folder.write("kyomi.toml", &config);
    let running = folder.play_with(&["--events", "events.json"]);
    let mut refused = bad.accept();
    assert_eq!(refused.line(), "LOGIN kyomi secret");
    refused.send("LOGIN:incorrect");
    folder.await_log("this account plays no more");
    let mut peer = good.welcome();
    folder.await_log("logged in");
    let status = folder.run(&["status"]).exited(0).stdout;
    assert!(status.contains("good: ") && status.contains("bad: "), "{status}");
    let one = folder.run(&["ctl", "--account", "good", "games", "1"]).exited(0).stdout;
    assert!(one.starts_with("good: ") && one.lines().count() == 1, "{one}");
    let none = folder.run(&["status", "--account", "x"]).exited(1);
    assert!(none.error().contains("known are good, bad"), "{}", none.stderr);
    peer.begin("g1", '+');
    let first = peer.line();
    peer.send(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN"));
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(1);
    assert!(finished.stdout.contains("good result: black"), "{}", finished.stdout);
    let error = finished.error();
    assert!(error.contains("1 of 2 accounts failed: bad: "), "{error}");
    let events = std::fs::read_to_string(events).unwrap();
    let of = |label: &str| events.lines().filter(|line| line.contains(label)).count();
    assert!(of(r#""account":"good""#) > 3 && of(r#""account":"bad""#) > 0, "{events}");
    assert!(!events.contains("secret"));
}

#[test]
fn a_signal_ends_all_accounts_and_a_request_ends_one() {
    let (folder, first, second) = (Folder::new(), Desk::open(), Desk::open());
    let config =
        format!("{RANDOM}{}{}", account("a", first.port(), 0), account("b", second.port(), 0));
    let running = folder.play(&config);
    let (mut one, mut other) = (first.welcome(), second.welcome());
    while folder.run(&["status"]).exited(0).stdout.matches("waiting for a game").count() < 2 {}
    folder.run(&["ctl", "--account", "b", "finish"]).exited(0);
    assert_eq!(other.line(), "LOGOUT");
    drop(other);
    folder.await_log("this account has played its games");
    running.signal("TERM");
    assert_eq!(one.line(), "LOGOUT");
    drop(one);
    running.finish().exited(0);
}

#[test]
fn each_account_is_checked() {
    let (folder, first, second) = (Folder::new(), Desk::open(), Desk::open());
    let config =
        format!("{RANDOM}{}{}", account("a", first.port(), 0), account("b", second.port(), 0));
    folder.write("kyomi.toml", &config);
    let servers = [first, second].map(|desk| {
        std::thread::spawn(move || {
            let mut peer = desk.accept();
            assert!(peer.line().starts_with("LOGIN "));
            peer.send("LOGIN:kyomi OK");
            while peer.line_or_end().is_some_and(|line| line != "LOGOUT") {
                peer.send("");
            }
        })
    });
    let checked = folder.run(&["check", "--config", "kyomi.toml"]).exited(0).stdout;
    for server in servers {
        server.join().unwrap();
    }
    for line in ["a: login: ok: ", "b: login: ok: ", "a: engine: ok: ", "b: engine: ok: "] {
        assert!(checked.contains(line), "{checked}");
    }
}
