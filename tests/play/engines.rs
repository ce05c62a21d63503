//! USI engines as `[engine]`: good ones and bad ones.

use super::support::{Folder, end_of, script_engine};

/// Against the random player, black first.
fn config(engine: &str, more: &str) -> String {
    format!(
        "{more}\n[time]\ntotal = \"20s\"\n[engine]\n{engine}\n[opponent]\nname = \"other\"\nkind = \"random\"\n"
    )
}

#[test]
fn an_engine_that_resigns_loses_and_the_run_is_done() {
    let folder = Folder::new();
    let engine = script_engine("go*) echo bestmove resign;;");
    let finished = folder.play(&config(&engine, "games = 2")).finish().exited(0);
    assert_eq!(finished.all("result"), ["white", "black"]);
    assert_eq!(finished.all("reason"), ["%TORYO", "%TORYO"]);
}

#[test]
fn an_engine_that_crashes_is_started_again_once_and_then_resigns() {
    let folder = Folder::new();
    let engine = script_engine("go*) echo something broke >&2; exit 7;;");
    let finished = folder.play(&config(&engine, "games = 2")).finish().exited(0);
    assert_eq!(finished.all("result"), ["white", "black"]);
    let stderr = &finished.stderr;
    assert!(stderr.contains("started again") && stderr.contains("something broke"), "{stderr}");
}

#[test]
fn an_engine_that_crashes_once_goes_on_after_it() {
    let folder = Folder::new();
    let engine = script_engine(
        "go*) if [ -e crashed ]; then echo bestmove resign; else touch crashed; exit 1; fi;;",
    );
    let finished = folder.play(&config(&engine, "")).finish().exited(0);
    assert_eq!(finished.all("reason"), ["%TORYO"]);
    assert_eq!(finished.stderr.matches("started again").count(), 1, "{}", finished.stderr);
}

#[test]
fn an_illegal_move_never_reaches_the_server() {
    let folder = Folder::new();
    for word in ["5a5b", "nonsense", "", "9z9z", "P*5e", "win", "(none)"] {
        let engine = script_engine(&format!("go*) echo \"bestmove {word}\";;"));
        let finished = folder.play(&config(&engine, "")).finish().exited(0);
        assert_eq!(finished.all("reason"), ["%TORYO"], "{word}");
        assert!(finished.moves().is_empty(), "{word}");
    }
}

#[test]
fn an_engine_that_never_answers_loses_on_time_and_the_program_ends() {
    let folder = Folder::new();
    let engine = script_engine("go*) : ;;");
    let finished = folder.play(&config(&engine, "").replace("20s", "1s")).finish().exited(0);
    assert_eq!(finished.all("reason"), ["%TIME_UP"]);
    assert_eq!(finished.all("result"), ["white"]);
    let record = folder.path().join(finished.all("record")[0]);
    assert_eq!(end_of(&record), "%TIME_UP");
}

#[test]
fn a_wrong_path_is_one_clear_error() {
    let folder = Folder::new();
    let engine = "kind = \"usi\"\npath = \"no/such/engine\"";
    let finished = folder.play(&config(engine, "")).finish();
    let error = finished.error().to_owned();
    assert!(error.contains("no/such/engine"), "{error}");
    assert!([Some(1), Some(2)].contains(&finished.code), "{:?}", finished.code);
}

#[test]
fn what_is_no_engine_is_one_clear_error() {
    let folder = Folder::new();
    let finished = folder.play(&config("kind = \"usi\"\npath = \"true\"", "")).finish().exited(1);
    assert!(finished.error().contains("ended by itself"), "{}", finished.error());
}
