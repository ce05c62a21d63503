//! Extended mode: two clients on a real server, one login for all their games.

use crate::{common::connection::Peer, common::folder::Folder, support::Server};

fn config(address: &str, name: &str, colour: &str) -> String {
    let port = address.rsplit_once(':').unwrap().1;
    format!(
        "games = 3\n[server]\nhost = \"127.0.0.1\"\nport = {port}\nname = \"{name}\"\n\
         password = \"secret\"\nprofile = \"kyomi\"\nmode = \"extended\"\ngame = \"x-60-0\"\n\
         colour = \"{colour}\"\n[engine]\nkind = \"random\"\n[log]\nlevel = \"debug\"\n"
    )
}

#[test]
fn three_games_are_played_on_one_login() {
    let folders = [Folder::new(), Folder::new(), Folder::new()];
    let server = Server::start(&folders[0], &["rules.max_moves=30"]);
    let mut guest = Peer::connect(&server.address);
    guest.send("LOGIN guest x x1");
    assert_eq!(guest.line(), "LOGIN:guest OK");
    assert_eq!(guest.line(), "##[LOGIN] +OK x1");
    let black = folders[1].play(&config(&server.address, "black", "black"));
    let white = folders[2].play(&config(&server.address, "white", "white"));
    for player in [black, white] {
        let finished = player.finish().exited(0);
        assert_eq!(finished.all("record").len(), 3, "{}", finished.stdout);
        assert_eq!(finished.all("reason").len(), 3, "{}", finished.stdout);
    }
    for folder in &folders[1..] {
        let log = folder.log();
        let sent = |line: &str| log.matches(&format!("to the server line={line}")).count();
        assert_eq!((sent("LOGIN"), sent("%%GAME"), sent("LOGOUT")), (1, 3, 1), "{log}");
        assert_eq!(folder.games(".csa").len(), 3);
    }
    guest.send("%%CHAT over");
    assert_eq!(guest.line(), "##[CHAT][guest] over");
}
