//! `kyomi serve --event` with real clients; the server is killed in the middle and continues.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStdout, Stdio},
};

use crate::common::{connection::Peer, folder::Folder};

const EVENT: &str = "name = \"autumn\"\nformat = \"swiss\"\nrounds = 3\nmax_moves = 20\n\
    openings = [\"startpos moves 7g7f 3c3d\", \"sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1\"]\n\
    [time]\ntotal = \"60s\"\n[schedule]\npause = \"1s\"\n\
    [[player]]\nname = \"p0\"\npassword = \"secret\"\n[[player]]\nname = \"p1\"\n\
    [[player]]\nname = \"p2\"\n[[player]]\nname = \"p3\"\n[[player]]\nname = \"p4\"\n";

/// A server that runs the event.
struct Host {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Host {
    fn start(folder: &Folder, port: &str) -> Self {
        let address = format!("listen.address=127.0.0.1:{port}");
        let arguments = ["serve", "--set", &address, "--event", "league.toml"];
        let mut child = folder.kyomi(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, stdout, address }
    }

    fn port(&self) -> String {
        self.address.rsplit_once(':').unwrap().1.to_owned()
    }

    fn until(&mut self, text: &str) {
        let mut line = String::new();
        while !line.starts_with(text) {
            line.clear();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "no line {text}");
        }
    }
}

#[test]
fn an_event_of_five_survives_a_killed_server() {
    let folder = Folder::new();
    folder.write("league.toml", EVENT);
    let mut host = Host::start(&folder, "0");
    let mut stranger = Peer::connect(&host.address);
    stranger.send("LOGIN p0 wrong");
    assert_eq!(stranger.line(), "LOGIN:incorrect");
    assert_eq!(stranger.line(), "##[ERROR] the password is wrong");
    stranger.send("LOGIN p9 x");
    assert_eq!(stranger.line(), "LOGIN:incorrect");
    let homes: Vec<Folder> = (0..5).map(|_| Folder::new()).collect();
    let players: Vec<_> = homes
        .iter()
        .enumerate()
        .map(|(n, home)| {
            let mode = if n % 2 == 0 { "plain" } else { "extended" };
            home.play(&format!(
                "games = 0\n[server]\nhost = \"127.0.0.1\"\nport = {}\nname = \"p{n}\"\n\
                 password = \"secret\"\nprofile = \"kyomi\"\nmode = \"{mode}\"\n\
                 [engine]\nkind = \"random\"\n",
                host.port()
            ))
        })
        .collect();
    host.until("round 2 of 3");
    host.child.kill().unwrap();
    host.child.wait().unwrap();
    let mut host = Host::start(&folder, &host.port());
    let mut rest = String::new();
    host.stdout.read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with("continuing the event\n"), "{rest}");
    assert!(host.child.wait().unwrap().success());
    for player in &players {
        player.signal("TERM");
    }
    for player in players {
        player.finish();
    }
    let dir = folder.path().join("logs/league/autumn");
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&read("table.json")).unwrap();
    assert_eq!(json["over"], true);
    assert_eq!(json["rounds"].as_array().unwrap().len(), 3);
    let table = json["table"].as_array().unwrap();
    let points: f64 = table.iter().map(|row| row["points"].as_f64().unwrap()).sum();
    // Two games and a bye in each round.
    assert!((points - 9.0).abs() < 1e-9, "{table:?}");
    assert!(rest.contains(&read("table.txt")), "{rest}");
    assert!(read("table.html").contains("<h1>autumn</h1>"));
    let records = fs::read_dir(folder.path().join("logs/server")).unwrap();
    let text: Vec<_> =
        records.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert!(text.len() >= 6, "{}", text.len());
    assert!(text.iter().any(|it| it.contains("\n+7776FU\nT0\n-3334FU\nT0\n")), "{text:?}");
}

#[test]
fn an_event_with_passwords_that_others_can_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    // The state cannot be read, so the run ends at once.
    folder.write("logs/league/autumn/state.json", "{}");
    let without = EVENT.replace("password = \"secret\"\n", "");
    for (event, mode, warned) in
        [(EVENT, 0o644, true), (EVENT, 0o600, false), (&without, 0o644, false)]
    {
        folder.write("league.toml", event);
        let path = folder.path().join("league.toml");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let failed = folder.run(&["serve", "--event", "league.toml"]).exited(2);
        let warning = "league.toml contains passwords, and other users can read it (mode 644)";
        assert_eq!(failed.stderr.contains(warning), warned, "{}", failed.stderr);
    }
}

#[test]
fn a_wrong_file_is_one_clear_error() {
    let folder = Folder::new();
    folder.write("league.toml", EVENT.replace("swiss", "swis"));
    let failed = folder.run(&["serve", "--event", "league.toml"]).exited(2);
    assert!(failed.error().starts_with("error: league.toml: format: "), "{failed:?}");
    folder.write("league.toml", EVENT);
    fs::create_dir_all(folder.path().join("logs/league/autumn")).unwrap();
    folder.write("logs/league/autumn/state.json", "{}");
    let failed = folder.run(&["serve", "--event", "league.toml"]).exited(2);
    assert!(failed.error().contains("state.json: it is no state of an event"), "{failed:?}");
    let missing = folder.run(&["serve", "--event", "missing.toml"]).exited(2);
    assert!(missing.error().contains("reading missing.toml"), "{missing:?}");
}
