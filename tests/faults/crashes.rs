//! Engines that end, hang or cannot be started, in each phase.

use std::os::unix::fs::PermissionsExt;

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    engine::{
        LONG, SHORT, faulty, games, is_an_error, is_replaced, is_restarted, path_in, plays_on,
        shell,
    },
    game::{Board, leave, resign},
    trial::Trial,
};

/// Ends the engine once, at the first line of this kind.
fn once(line: &str, end: &str) -> String {
    format!("{line}) if [ -e died.mark ]; then BACK; else touch died.mark; {end}; fi;;")
}

/// An engine that ends in this way at the first line of this kind, and does `back` at the others.
fn ends_once(line: &str, end: &str, back: &str) -> String {
    faulty(&once(line, end).replace("BACK", back))
}

const GO: &str = "echo bestmove $m";
const POSITION: &str = "set -- $line; m=; case $# in 2) m=7g7f;; 5) m=2g2f;; 7) m=2f2e;; esac";

/// Cases of engines that cannot be used: an error before any login.
macro_rules! errors {
    ($($(#[doc = $doc:literal])+ $name:ident: $engine:expr, $words:literal;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            is_an_error(&Trial::new(), &$engine, 1, $words);
        }
    )+};
}

/// Cases of engines that end once in a game, are started again and go on: the engine, and the words of the warning.
macro_rules! restarts {
    ($($(#[doc = $doc:literal])+ $name:ident: $engine:expr, $words:literal;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            is_restarted(&$engine, $words);
        }
    )+};
}

errors! {
    /// An engine that ends at its start is one clear error.
    an_end_at_the_start: shell("exit 3"), "ended unexpectedly (exit code 3)";
    /// An engine that ends at `usi` is one clear error with its last words.
    an_end_at_usi: faulty("usi) echo no licence >&2; exit 4;;"), "no licence";
    /// An engine that ends at `isready` is one clear error with its last words.
    an_end_at_isready: faulty("isready) echo no network file >&2; exit 5;;"), "no network file";
    /// The last words of an engine do not control the terminal.
    last_words_with_control_characters: faulty("usi) printf '\\033[2J\\007gone\\n' >&2; exit 4;;"), "gone";
    /// An engine that is killed by a signal at its start is one clear error.
    a_signal_at_the_start: shell("kill -SEGV $$"), "killed by signal 11";
    /// An engine that closes its output is one clear error, even if it continues to run.
    output_closed_at_the_start: shell("exec >&-; while :; do sleep 0.1; done"), "its output ended";
    /// An engine that is never ready is one clear error after the configured time.
    never_ready: format!("{}ready_timeout = \"1s\"\n", faulty("isready) ;;")), "sent no 'readyok' within 1 s";
    /// A working folder that does not exist is one clear error.
    no_such_folder: format!("{}working_dir = \"nowhere\"\n", faulty("")), "nowhere";
    /// A program that does not exist is one clear error.
    no_such_program: "kind = \"usi\"\npath = \"no-such-engine-anywhere\"\n", "no-such-engine-anywhere";
}

restarts! {
    /// An engine that ends at `usinewgame` is started again.
    an_end_at_usinewgame: ends_once("usinewgame", "exit 3", ":"), "exit code 3";
    /// An engine that ends at `position` is started again in the same game.
    an_end_at_position: ends_once("position*", "exit 3", POSITION), "exit code 3";
    /// An engine that ends at `go` is started again in the same game.
    an_end_at_go: ends_once("go*", "exit 3", GO), "exit code 3";
    /// An engine that ends after half its answer is started again in the same game.
    an_end_in_the_answer: ends_once("go*", "printf 'bestmove 7g'; exit 3", GO), "answered '7g', which is not legal";
    /// An engine that is killed by a signal at `go` is started again in the same game.
    a_signal_at_go: ends_once("go*", "kill -ABRT $$", GO), "killed by signal 6";
    /// An engine that ends at `gameover` is started again before the next game.
    an_end_at_gameover: ends_once("gameover*", "exit 3", ":"), "exit code 3";
    /// An engine that closes its output in a game is started again, even if it continues to run.
    output_closed_in_the_game: ends_once("go*", "exec >&-; sleep 1000", GO), "its output ended";
    /// An engine that ends and leaves a child that holds its output open is started again, and the child is ended.
    an_end_with_a_child: ends_once("go*", "sleep 1000 & echo $! >> pids.mark; exit 3", GO), "exit code 3";
    /// An engine that ends while pondering is started again and not asked to ponder any more.
    an_end_while_pondering: format!("{}ponder = true\n",
        faulty("'go ponder'*) exit 3;; go*) echo bestmove $m ponder 3c3d;;")), "does not ponder any more";
    /// An engine that ends at `ponderhit` is started again in the same game.
    an_end_at_ponderhit: format!("{}ponder = true\n",
        faulty("ponderhit) exit 3;; 'go ponder'*) echo info depth 1 score cp 1 pv $m;; go*) echo bestmove $m ponder 3c3d;;")),
        "exit code 3";
    /// An engine that ends at `stop` is started again in the same game.
    an_end_at_stop: format!("{}ponder = true\n",
        faulty("stop) exit 3;; 'go ponder'*) ;; go*) echo bestmove $m ponder 1c1d;;")), "does not ponder any more";
}

/// An engine that ends while it waits for a game is started again before the game.
#[test]
fn an_end_while_waiting_for_a_game() {
    let (trial, client, mut peer) = Trial::logged_in(1, &faulty(""));
    let pid = std::fs::read_to_string(trial.mark("pids.mark")).unwrap();
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    trial.work.await_log("started again");
    peer.begin("g1", '+');
    assert_eq!(Board::new().echo(&mut peer), "+7776FU");
    resign(&mut peer);
    leave(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// An engine that ends after every `readyok` is not started without end: the next engine plays.
#[test]
fn an_end_after_every_readyok() {
    is_replaced(&faulty("isready) echo readyok; exit 3;;"), LONG, "exit code 3");
}

/// An engine that is stopped by a signal is killed.
#[test]
fn a_process_that_is_stopped() {
    is_replaced(&faulty("go*) kill -STOP $$;;"), SHORT, "no answer in time");
}

/// An engine that closes its input is ended.
#[test]
fn input_closed() {
    is_replaced(&faulty("usinewgame) exec <&-; sleep 1000;;"), SHORT, "no answer in time");
}

/// An engine that ends at every `go` is replaced by the next engine.
#[test]
fn an_end_at_every_go() {
    is_replaced(&faulty("go*) exit 3;;"), LONG, "started again");
}

/// An engine that ends at every `usinewgame` is replaced by the next engine.
#[test]
fn an_end_at_every_game() {
    is_replaced(&faulty("usinewgame) exit 3;;"), LONG, "started again");
}

/// An engine that ends and cannot be started again is replaced by the next engine.
#[test]
fn an_end_for_ever() {
    let engine = faulty("go*) touch broken.mark; exit 3;;");
    let engine = engine.replacen("echo $$", "if [ -e broken.mark ]; then exit 9; fi; echo $$", 1);
    is_replaced(&engine, LONG, "started again");
}

/// An engine that hangs when it is started again in the game is replaced by the next engine.
#[test]
fn a_hang_after_the_restart() {
    let engine = faulty("go*) touch broken.mark; exit 3;;");
    let engine = engine.replacen(
        "echo $$ >> pids.mark;",
        "echo $$ >> pids.mark; if [ -e broken.mark ]; then sleep 1000; fi;",
        1,
    );
    is_replaced(&engine, SHORT, "started again");
}

/// A program without the permission to run is one clear error.
#[test]
fn a_program_that_may_not_run() {
    let trial = Trial::new();
    trial.work.write("engine.mark", "#!/bin/sh\n");
    let mode = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(path_in(&trial, "engine.mark"), mode).unwrap();
    is_an_error(&trial, "kind = \"usi\"\npath = \"./engine.mark\"\n", 1, "engine.mark");
}

/// A folder as the program is one clear error.
#[test]
fn a_folder_as_the_program() {
    let trial = Trial::new();
    is_an_error(&trial, "kind = \"usi\"\npath = \"./logs\"\n", 1, "logs");
}

/// A file that is no program is one clear error.
#[test]
fn a_file_that_is_no_program() {
    let trial = Trial::new();
    trial.work.write("engine.mark", [0u8, 1, 2, 3]);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path_in(&trial, "engine.mark"), mode).unwrap();
    is_an_error(&trial, "kind = \"usi\"\npath = \"./engine.mark\"\n", 1, "engine.mark");
}

/// An engine that does not read its input is ended at the end.
#[test]
fn input_that_is_never_read() {
    let engine = shell("echo usiok; echo readyok; sleep 0.2; echo readyok; sleep 1000");
    let (_, finished) = games(&Trial::new(), &engine, SHORT, "");
    assert!(finished.stderr.contains("no answer in time"), "{}", finished.stderr);
}

/// An engine that ignores `quit` is killed.
#[test]
fn an_engine_that_ignores_quit() {
    plays_on(&faulty("quit) ;;"), LONG);
}

/// An engine that ignores `quit`, the end of its input and the signals that ask it to end is killed.
#[test]
fn an_engine_that_ignores_everything() {
    let engine = faulty("quit) trap '' TERM INT HUP; while :; do sleep 0.1; done;;");
    plays_on(&engine, LONG);
}

/// The children of an engine are ended with it.
#[test]
fn a_child_left_behind() {
    let engine = faulty("usinewgame) sleep 1000 & echo $! >> pids.mark;;");
    plays_on(&engine, LONG);
}

/// A child that holds the engine's output open does not delay the end.
#[test]
fn a_child_that_holds_the_output() {
    let engine = faulty("quit) sleep 1000 & echo $! >> pids.mark; exit 0;;");
    plays_on(&engine, LONG);
}
