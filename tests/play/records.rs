//! What the record of a game contains.

use std::time::Duration;

use kyomi_record::{Record, csa};
use kyomi_shogi::Score;

use super::support::script_engine;
use crate::common::connection::{Desk, Peer};
use crate::common::folder::Folder;

/// The only record of a client that has finished.
fn only_record(folder: &Folder) -> Record {
    let records = folder.games(".csa");
    assert_eq!(records.len(), 1, "{records:?}");
    csa::read(&std::fs::read(&records[0]).unwrap()).unwrap().remove(0).record
}

fn win(mut peer: Peer) {
    peer.send("%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
}

#[test]
fn the_moves_of_an_offer_keep_their_times() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let engine = script_engine("go*) echo bestmove 2f2e;;");
    folder.write("kyomi.toml", desk.config(1, &engine));
    let running = folder.play_with(&["--events", "events"]);
    let mut peer = desk.welcome();
    // A handicap is given as a long time of a side's first move.
    peer.continue_with("g1", '+', &["+2726FU,T12", "-8384FU,T300"], "");
    assert_eq!(peer.line(), "+2625FU");
    peer.send("+2625FU,T7");
    win(peer);
    running.finish().exited(0);
    let times: Vec<_> = only_record(&folder).moves.iter().map(|made| made.time).collect();
    assert_eq!(times, [12, 300, 7].map(|secs| Some(Duration::from_secs(secs))));
    let events = std::fs::read_to_string(folder.path().join("events")).unwrap();
    assert!(events.contains(r#""moves_spent_ms":[12000,300000]"#), "{events}");
}

/// Whether evaluations are sent and whether they are recorded are two questions.
#[test]
fn comments_are_sent_and_recorded_as_configured() {
    let engine = script_engine(
        "go*) echo info depth 5 seldepth 7 nodes 900 nps 100 score cp 30 pv 7g7f 3c3d; echo bestmove 7g7f;;",
    );
    for (sent, recorded) in [(true, true), (true, false), (false, true), (false, false)] {
        let (folder, desk) = (Folder::new(), Desk::open());
        let config =
            desk.config(1, &engine).replace("[engine]", &format!("comments = {sent}\n[engine]"));
        let config = format!("{config}[records]\ncomments = {recorded}\n");
        let running = folder.play(&config);
        let mut peer = desk.welcome();
        peer.begin("g1", '+');
        assert_eq!(peer.line(), if sent { "+7776FU,'* 30 -3334FU" } else { "+7776FU" });
        peer.send("+7776FU,T1");
        win(peer);
        running.finish().exited(0);
        let made = &only_record(&folder).moves[0];
        let score = made.analysis.as_ref().and_then(|analysis| analysis.score);
        assert_eq!(score, recorded.then_some(Score::Cp(30)), "sent: {sent}");
        let figures = made.comments.iter().any(|comment| comment.starts_with("search: "));
        assert_eq!(figures, recorded, "{:?}", made.comments);
    }
}
