//! USI engines as `[engine]`: correct and faulty ones.

use super::support::script_engine;
use crate::common::folder::Folder;

/// A configuration for games against the random player, first with black.
fn config(engine: &str, more: &str) -> String {
    format!(
        "{more}\n[time]\ntotal = \"20s\"\n[engine]\n{engine}\n[opponent]\nname = \"other\"\nkind = \"random\"\n"
    )
}

/// The program itself as a USI engine.
fn kyomi_usi(ponder: bool) -> String {
    let path = env!("CARGO_BIN_EXE_kyomi");
    format!(
        "kind = \"usi\"\npath = '{path}'\nargs = [\"usi\"]\nponder = {ponder}\n\
         [engine.options]\nThreads = 1\nUSI_Hash = 16\n"
    )
}

#[test]
fn our_own_usi_engine_plays_with_and_without_pondering() {
    let opponents = ["kind = \"random\"", "kind = \"builtin\"\nthreads = 1\nhash = \"16MiB\""];
    for (ponder, opponent) in [(false, opponents[0]), (true, opponents[0]), (true, opponents[1])] {
        let folder = Folder::new();
        let finished = folder
            .play(&format!(
                "games = 2\n[time]\ntotal = \"2s\"\n[engine]\n{}[opponent]\nname = \"other\"\n\
                 ponder = {ponder}\n{opponent}\n",
                kyomi_usi(ponder)
            ))
            .finish()
            .exited(0);
        assert_eq!(finished.all("result").len(), 2);
        let stderr = &finished.stderr;
        for trouble in ["started again", "resigning", "does not quit", "did not end"] {
            assert!(!stderr.contains(trouble), "ponder {ponder}: {stderr}");
        }
        assert!(!finished.all("reason").iter().any(|word| word.contains("ILLEGAL")), "{stderr}");
        // Its scores are reported with its moves.
        let own: Vec<_> = finished.moves().into_iter().filter(|words| words[5] != "-").collect();
        assert!(!own.is_empty());
    }
}

#[test]
fn an_engine_that_crashes_while_pondering_continues_without_pondering() {
    let folder = Folder::new();
    let arms = "'go ponder'*) touch died; kill -ABRT $$;; \
                go*) if [ -e died ]; then echo info score mate -2; echo bestmove resign; \
                else echo bestmove 9i9h ponder 9a9b; fi;;";
    let engine = format!("{}ponder = true\n", script_engine(arms));
    let finished = folder.play(&config(&engine, "")).finish().exited(0);
    assert_eq!(finished.all("reason"), ["%TORYO"], "{}", finished.stderr);
    let stderr = &finished.stderr;
    assert!(stderr.contains("does not ponder") && !stderr.contains("resigning"), "{stderr}");
}

#[test]
fn an_engine_that_resigns_loses_and_the_run_is_done() {
    let folder = Folder::new();
    let engine = script_engine("go*) echo info score mate -2; echo bestmove resign;;");
    let finished = folder.play(&config(&engine, "games = 2")).finish().exited(0);
    assert_eq!(finished.all("result"), ["white", "black"]);
    assert_eq!(finished.all("reason"), ["%TORYO", "%TORYO"]);
}

#[test]
fn scores_without_lines_are_recorded_those_of_a_resignation_too() {
    let folder = Folder::new();
    let engine = script_engine(
        "go*) if [ -e moved ]; then echo info depth 9 score mate -2 nodes 50; echo bestmove resign; \
         else touch moved; echo info depth 5 score cp -12 nodes 900; echo bestmove 9i9h; fi;;",
    );
    let finished = folder.play(&config(&engine, "")).finish().exited(0);
    let moves = finished.moves();
    let own = moves.iter().find(|words| words.contains(&"+9998KY"));
    assert!(own.is_some_and(|words| words[5] != "-"), "{moves:?}");
    let record = std::fs::read_to_string(&folder.games(".csa")[0]).unwrap();
    for line in ["'** -12 #900", "'*info depth 5", "'search: score -30000 depth 9 nodes 50"] {
        assert!(record.lines().any(|it| it == line), "{line}: {record}");
    }
}

/// A short game in which the random player plays on for an engine that fails.
fn short_with_fallback(engine: &str) -> String {
    let fallback = "[[fallback]]\nkind = \"random\"\n";
    format!("{}{fallback}[rules]\nmax_moves = 10\n", config(engine, ""))
}

#[test]
fn another_engine_plays_on_for_one_that_crashes_again() {
    let folder = Folder::new();
    let engine = script_engine("go*) echo crash >> crashes; echo something broke >&2; exit 7;;");
    // The other engine answers after the second crash, so that the first one is asked again before.
    let other = script_engine(
        "go*) while [ \"$(wc -l < crashes)\" -lt 2 ]; do sleep 0.02; done; \
         echo info score mate -2; echo bestmove resign;;",
    );
    let config = format!("{}[[fallback]]\n{other}", config(&engine, ""));
    let finished = folder.play(&config).finish().exited(0);
    assert_eq!(finished.all("reason"), ["%TORYO"], "{}", finished.stderr);
    let stderr = &finished.stderr;
    for text in ["started again", "something broke", "the engine sh plays on"] {
        assert!(stderr.contains(text), "{stderr}");
    }
}

#[test]
fn the_built_in_engine_plays_on_by_default() {
    let folder = Folder::new();
    let engine = script_engine("go*) exit 7;;");
    let config = config(&engine, "").replace("20s", "1s") + "[rules]\nmax_moves = 6\n";
    let finished = folder.play(&config).finish().exited(0);
    assert_eq!(finished.moves().len(), 6, "{}", finished.stderr);
    assert!(finished.stderr.contains("started again"), "{}", finished.stderr);
}

#[test]
fn without_a_fallback_some_legal_move_is_played() {
    let folder = Folder::new();
    let engine = script_engine("go*) exit 7;;");
    let config = short_with_fallback(&engine).replace("[[fallback]]\nkind = \"random\"", "");
    let finished = folder.play(&format!("fallback = []\n{config}")).finish().exited(0);
    assert_eq!(finished.moves().len(), 10, "{}", finished.stderr);
    assert!(finished.stderr.contains("no engine is left"), "{}", finished.stderr);
}

#[test]
fn each_game_may_have_a_process_of_its_own() {
    let folder = Folder::new();
    let engine = script_engine("go*) echo info score mate -2; echo bestmove resign;;")
        .replace("while read", "echo started >> starts; while read")
        + "restart = \"each game\"\n";
    folder.play(&config(&engine, "games = 3")).finish().exited(0);
    let starts = std::fs::read_to_string(folder.path().join("starts")).unwrap();
    assert!(starts.lines().count() >= 3, "{starts}");
}

#[test]
fn an_engine_that_crashes_once_continues() {
    let folder = Folder::new();
    let engine = script_engine(
        "go*) if [ -e crashed ]; then echo info score mate -2; echo bestmove resign; \
         else touch crashed; exit 1; fi;;",
    );
    let finished = folder.play(&config(&engine, "games = 2")).finish().exited(0);
    assert_eq!(finished.all("reason"), ["%TORYO", "%TORYO"]);
    assert_eq!(finished.stderr.matches("started again").count(), 1, "{}", finished.stderr);
}

#[test]
fn an_illegal_move_never_reaches_the_server() {
    let folder = Folder::new();
    for word in ["5a5b", "nonsense", "", "9z9z", "P*5e", "win", "(none)"] {
        let engine = script_engine(&format!("go*) echo \"bestmove {word}\";;"));
        let finished = folder.play(&short_with_fallback(&engine)).finish().exited(0);
        assert_eq!(finished.moves().len(), 10, "{word}: {}", finished.stderr);
        assert_eq!(finished.all("result"), ["draw"], "{word}");
    }
}

#[test]
fn a_move_is_played_in_time_for_an_engine_that_never_answers() {
    let folder = Folder::new();
    let engine = script_engine("go*) echo info depth 1 score cp 5 pv 2g2f; : ;;");
    let config = short_with_fallback(&engine).replace("20s", "1s");
    let finished = folder.play(&config).finish().exited(0);
    let moves = finished.moves();
    assert_eq!(moves[0][1], "+2726FU", "{}\n{}", finished.stdout, finished.stderr);
    assert!(finished.stderr.contains("no answer in time"), "{}", finished.stderr);
    assert_ne!(finished.all("reason"), ["%TIME_UP"]);
}

#[test]
fn an_engine_may_be_kept_from_resigning() {
    let folder = Folder::new();
    let engine = script_engine("go*) echo info score mate -2; echo bestmove resign;;");
    let config = format!("{}[budget]\nresign_moves = 0\n", short_with_fallback(&engine));
    let finished = folder.play(&config).finish().exited(0);
    assert_eq!(finished.moves().len(), 10, "{}", finished.stderr);
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
fn a_program_that_is_not_an_engine_is_one_clear_error() {
    let folder = Folder::new();
    let finished = folder.play(&config("kind = \"usi\"\npath = \"true\"", "")).finish().exited(1);
    assert!(finished.error().contains("ended unexpectedly"), "{}", finished.error());
}

#[test]
fn check_prints_a_line_for_each_check() {
    let folder = Folder::new();
    folder.write("good.toml", config(&script_engine("go*) echo bestmove 7g7f;;"), ""));
    let finished = folder.run(&["check", "--config", "good.toml"]).exited(0);
    for what in ["config: ok: ", "records: ok: ", "server: ok: ", "engine: ok: ", "opponent: ok: "]
    {
        assert!(finished.stdout.lines().any(|line| line.starts_with(what)), "{}", finished.stdout);
    }

    let closed =
        crate::common::connection::Desk::open().config(1, "kind = \"usi\"\npath = \"false\"");
    folder.write("bad.toml", &closed);
    let finished = folder.run(&["check", "--config", "bad.toml"]).exited(1);
    for what in ["server: failed: cannot connect", "engine: failed: the engine false ended"] {
        assert!(finished.stdout.lines().any(|line| line.starts_with(what)), "{}", finished.stdout);
    }
    let finished = folder.run(&["check", "--config", "bad.toml", "--json"]).exited(1);
    let report: serde_json::Value = serde_json::from_str(finished.stdout.trim()).unwrap();
    assert_eq!(report["ok"], false);
    assert!(report["checks"].as_array().unwrap().iter().any(|check| check["verdict"] == "failed"));

    folder.write("wrong.toml", "gamez = 1\n");
    folder.run(&["check", "--config", "wrong.toml"]).exited(2);
}
