//! The faulty engine: a script that plays correctly except for what a case replaces, and what its games must look like.

use std::path::PathBuf;

use crate::{
    common::connection::Desk,
    game::{Board, leave, resign},
    support::{Finished, end_of, moves_of, script_engine},
    trial::{PIDS, RANDOM, Trial},
};

/// The moves of the engine, against [`REPLIES`].
pub(crate) const OWN: [&str; 3] = ["+7776FU", "+2726FU", "+2625FU"];

/// The opponent's moves.
pub(crate) const REPLIES: [&str; 2] = ["-3334FU", "-8384FU"];

/// An engine that plays [`OWN`], wherever it is in the game. These `case` arms come before its own ones; `$m` is the
/// move.
pub(crate) fn faulty(arms: &str) -> String {
    let plays = "position*) set -- $line; m=; case $# in 2) m=7g7f;; 5) m=2g2f;; 7) m=2f2e;; esac;; \
                 go*) echo info depth 3 score cp 5 pv $m; echo bestmove $m;;";
    let script = script_engine(plays);
    let script = script.replacen("in usi)", &format!("in {arms} usi)"), 1);
    script.replacen("while", &format!("echo $$ >> {PIDS}; while"), 1)
}

/// A clock on which the last safe moment comes soon.
pub(crate) const SHORT: &str = "Time_Unit:1msec\nTotal_Time:600\nByoyomi:0";

/// A clock on which it never comes.
pub(crate) const LONG: &str = "Time_Unit:1sec\nTotal_Time:600\nByoyomi:10";

/// Plays two games with this engine, behind which the random player stands. Returns the client's moves of both.
#[track_caller]
pub(crate) fn games(
    trial: &Trial,
    engine: &str,
    clock: &str,
    more: &str,
) -> (Vec<Vec<String>>, Finished) {
    let more = format!("{engine}[[fallback]]\n{RANDOM}\n{more}");
    games_with(trial, |desk| desk.config(2, &more), clock)
}

/// Plays two games with the engine of this configuration.
#[track_caller]
fn games_with(
    trial: &Trial,
    config: impl FnOnce(&Desk) -> String,
    clock: &str,
) -> (Vec<Vec<String>>, Finished) {
    let desk = Desk::open();
    let client = trial.play(&config(&desk));
    let mut peer = desk.welcome();
    let mut games = Vec::new();
    for id in ["g1", "g2"] {
        let offer = crate::common::connection::summary(id, '+', &[], "");
        peer.send(&offer.replacen(LONG, clock, 1));
        assert_eq!(peer.line(), format!("AGREE {id}"));
        peer.send(&format!("START:{id}"));
        let mut board = Board::new();
        let mut moves = vec![board.echo(&mut peer)];
        for reply in REPLIES {
            board.reply(&mut peer, &[reply]);
            moves.push(board.echo(&mut peer));
        }
        resign(&mut peer);
        games.push(moves);
    }
    leave(peer);
    let finished = client.end(trial, 0);
    assert_eq!(finished.all("result"), ["black", "black"]);
    let records = finished.all("record");
    for (record, moves) in records.iter().zip(&games) {
        let record = trial.work.path().join(record);
        let own: Vec<_> = moves_of(&record).into_iter().step_by(2).collect();
        assert_eq!((&own, end_of(&record).as_str()), (moves, "%TORYO"));
    }
    (games, finished)
}

/// The engine's own moves are played in both games, and nobody hears of a fault.
#[track_caller]
pub(crate) fn plays_on(engine: &str, clock: &str) {
    let (games, finished) = games(&Trial::of_a_flood(), engine, clock, "");
    assert_eq!(games, [OWN, OWN], "{}", finished.stderr);
    assert!(!finished.stderr.contains("started again"), "{}", finished.stderr);
}

/// Some legal moves are played in both games, and a warning has these words.
#[track_caller]
pub(crate) fn is_replaced(engine: &str, clock: &str, words: &str) {
    let (_, finished) = games(&Trial::new(), engine, clock, "");
    assert!(finished.stderr.contains(words), "{}", finished.stderr);
}

/// The engine's own moves are played in both games, though it has to be started again.
#[track_caller]
pub(crate) fn is_restarted(engine: &str, words: &str) {
    // Nobody stands by, who would be faster.
    let config = |desk: &Desk| format!("fallback = []\n{}", desk.config(2, engine));
    let (games, finished) = games_with(&Trial::new(), config, LONG);
    let stderr = &finished.stderr;
    assert_eq!(games, [OWN, OWN], "{stderr}");
    assert!(stderr.contains("started again") && stderr.contains(words), "{stderr}");
}

/// The client ends at once with one clear error, without a login.
#[track_caller]
pub(crate) fn is_an_error(trial: &Trial, engine: &str, code: i32, words: &str) {
    let desk = Desk::open();
    let client = trial.play(&desk.config(2, engine));
    let finished = client.end(trial, code);
    assert!(finished.error().contains(words), "{}", finished.error());
    assert!(finished.all("result").is_empty());
}

/// The script of an engine, for engines that are no shell scripts in the usual form.
pub(crate) fn shell(script: &str) -> String {
    format!("kind = \"usi\"\npath = \"sh\"\nargs = ['-c', '''echo $$ >> {PIDS}; {script}''']\n")
}

/// The path of a file in the folder of the trial.
pub(crate) fn path_in(trial: &Trial, name: &str) -> PathBuf {
    trial.work.path().join(name)
}
