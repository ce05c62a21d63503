//! The rights of the files that server and client make, if the system would let everybody read and write them.

use std::{
    fs,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::common::connection::{PATIENCE, Peer};
use crate::common::folder::Folder;

const PASSWORDS: [&str; 3] = ["hunter2-Zq9", "hunter3-Zq9", "page-token-0123456789"];

/// Starts the program under `umask 000`.
fn start(folder: &Folder, arguments: &str) -> Killed {
    let program = crate::common::PROGRAM;
    let script = format!("umask 000; exec {program} {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null());
    Killed(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// All files and sockets below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Waits until there is a file with this ending.
fn await_file(folder: &Folder, ending: &str) -> PathBuf {
    loop {
        let is_it = |path: &PathBuf| path.to_string_lossy().ends_with(ending);
        if let Some(path) = files(folder.path()).into_iter().find(is_it) {
            return path;
        }
        std::thread::yield_now();
    }
}

#[test]
fn files_with_secrets_are_for_their_owner_whatever_the_umask() {
    let folder = Folder::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let [password, other, token] = PASSWORDS;
    folder.write(
        "kyomi.toml",
        format!(
            "games = 0\n[listen]\naddress = \"127.0.0.1:{port}\"\n\
             [server]\nhost = \"127.0.0.1\"\nport = {port}\nprofile = \"kyomi\"\n\
             name = \"kyomi\"\ngame = \"files-600-0-B\"\npassword = \"{password}\"\n\
             [engine]\nkind = \"random\"\n[log]\nlevel = \"trace\"\n\
             [dashboard]\naddress = \"127.0.0.1:0\"\ntoken = \"{token}\"\n"
        ),
    );
    let _server = start(&folder, "serve --config kyomi.toml");
    let started = std::time::Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed() < PATIENCE, "the server does not start");
        std::thread::yield_now();
    }
    let _client = start(&folder, "play --config kyomi.toml --events events.jsonl");
    let mut opponent = Peer::connect(("127.0.0.1", port));
    opponent.send(&format!("LOGIN opponent files-600-0-W,{other}"));
    opponent.expect("LOGIN:opponent OK");
    let offer = opponent.read_offer();
    opponent.send("AGREE");
    opponent.line_with("+");
    // The running game is saved by both, each for its own next start.
    for ending in [".part.game", ".part.offer", "kyomi.sock"] {
        await_file(&folder, ending);
    }
    let secrets = [password, other, token, offer.reconnect_token.as_ref().unwrap().expose()];
    let (mut private, mut open) = (0, 0);
    for path in files(folder.path()) {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o777;
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let is_secret = secrets.iter().any(|secret| text.contains(secret));
        let name = path.strip_prefix(folder.path()).unwrap().display().to_string();
        println!("{mode:o} {name}");
        let is_saved_game = path.extension().is_some_and(|it| it == "game" || it == "offer");
        if metadata.file_type().is_socket() || is_saved_game {
            assert_eq!(mode, 0o600, "{name}");
            private += 1;
        } else {
            assert!(name == "kyomi.toml" || !is_secret, "{name} contains a secret");
            open += 1;
        }
    }
    assert!(private == 3 && open >= 5, "{private} private files, {open} others");
}
