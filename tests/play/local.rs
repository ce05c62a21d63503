//! Local games: an embedded server, two clients.

use super::support::{Running, end_of, moves_of, script_engine};
use crate::common::folder::Folder;

const RANDOM: &str =
    "games = 4\n[engine]\nkind = \"random\"\n[opponent]\nname = \"other\"\nkind = \"random\"\n";

#[test]
fn whole_games_one_after_the_other() {
    let folder = Folder::new();
    let finished = folder.play(RANDOM).finish().exited(0);
    let results = finished.all("result");
    assert_eq!(results.len(), 4);
    assert!(results.iter().all(|word| ["black", "white", "draw"].contains(word)), "{results:?}");
    let known =
        ["%TORYO", "%MAX_MOVES", "%SENNICHITE", "%KACHI", "%+ILLEGAL_ACTION", "%-ILLEGAL_ACTION"];
    let reasons = finished.all("reason");
    assert!(reasons.iter().all(|word| known.contains(word)), "{reasons:?}");

    let records = finished.all("record");
    assert_eq!(records.len(), 4);
    assert_eq!(folder.games(".csa").len(), 4, "one record for each game");
    assert!(folder.games(".part").is_empty());
    let printed = finished.moves();
    let mut first = 0;
    for (number, (record, reason)) in records.iter().zip(&reasons).enumerate() {
        let path = folder.path().join(record);
        let moves = moves_of(&path);
        let shown: Vec<_> =
            printed[first..first + moves.len()].iter().map(|words| words[1]).collect();
        assert_eq!(moves, shown);
        first += moves.len();
        assert_eq!(end_of(&path).split(',').next().unwrap(), *reason);
        // Colours change after each game.
        let text = std::fs::read_to_string(&path).unwrap();
        let black = if number % 2 == 0 { "N+kyomi" } else { "N+other" };
        assert!(text.lines().any(|line| line == black), "{text}");
    }
    assert_eq!(first, printed.len());
}

#[test]
fn a_line_for_each_move() {
    let folder = Folder::new();
    let finished = folder.run(&["play", "--time", "30+1", "--set", "engine.kind=random"]).exited(0);
    for (number, words) in finished.moves().iter().enumerate() {
        let [ply, mv, spent, black, white, _score] = words[..] else { panic!("{words:?}") };
        assert_eq!(ply.parse(), Ok(number + 1));
        assert!(mv.starts_with(if number % 2 == 0 { '+' } else { '-' }), "{mv}");
        for time in [spent, black, white] {
            assert!(time.parse::<f64>().is_ok(), "{words:?}");
        }
    }
}

#[test]
fn every_form_of_time_control_plays() {
    let folder = Folder::new();
    for time in ["1200", "60+1", "600,byoyomi=10", "0,byoyomi=3", "20.5", "30.5+0.5"] {
        let arguments = ["play", "--time", time, "--set", "engine.kind=random"];
        let finished = folder.run(&arguments).exited(0);
        assert_eq!(finished.all("result").len(), 1, "{time}");
    }
}

#[test]
fn an_unwritable_folder_is_reported_before_the_game() {
    let folder = Folder::new();
    folder.write("taken", "a file where the folder should be");
    let finished =
        folder.run(&["play", "--set", "engine.kind=random", "--set", "records.dir=taken/games"]);
    let finished = finished.exited(1);
    assert!(finished.error().contains("taken/games"), "{}", finished.error());
    assert!(finished.moves().is_empty());
}

/// An engine that thinks until the file `enough` exists.
const THINKER: &str = "go*) touch thinking; while [ ! -e enough ]; do sleep 0.02; done; \
                       echo info score mate -2; echo bestmove resign;;";

fn thinking(folder: &Folder) -> Running {
    let engine = script_engine(THINKER);
    let config =
        format!("games = 0\n[engine]\n{engine}\n[opponent]\nname = \"other\"\nkind = \"random\"\n");
    let running = folder.play(&config);
    while !folder.path().join("thinking").exists() {
        std::thread::yield_now();
    }
    running
}

#[test]
fn an_interrupt_lets_the_local_game_end_and_no_other_begin() {
    let folder = Folder::new();
    let running = thinking(&folder);
    running.signal("INT");
    folder.await_log("interrupt: finishing");
    folder.write("enough", "");
    let finished = running.finish().exited(0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["white"], vec!["%TORYO"]));
}

#[test]
fn two_interrupts_resign_the_local_game() {
    let folder = Folder::new();
    let running = thinking(&folder);
    running.signal("INT");
    folder.await_log("interrupt: finishing");
    running.signal("INT");
    let finished = running.finish().exited(0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["white"], vec!["%TORYO"]));
}

#[test]
fn events_are_lines_of_json() {
    for file in ["-", "events.jsonl"] {
        let folder = Folder::new();
        let arguments = [
            &["play", "--games", "2", "--time", "1", "--events", file][..],
            &["--set", "engine.kind=random", "--set", "rules.max_moves=6"][..],
        ];
        let finished = folder.run(&arguments.concat()).exited(0);
        let text = match file {
            "-" => finished.stdout.clone(),
            file => std::fs::read_to_string(folder.path().join(file)).unwrap(),
        };
        let events: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let count = |event: &str| events.iter().filter(|line| line["event"] == event).count();
        assert_eq!((count("snapshot"), count("game_started"), count("move")), (1, 2, 12), "{text}");
        let ended = events.iter().rfind(|line| line["event"] == "game_ended").unwrap();
        assert_eq!((&ended["winner"], &ended["game"]), (&"draw".into(), &2.into()));
        assert!(folder.path().join(ended["record"].as_str().unwrap()).is_file());
        assert!(events.iter().all(|line| line["v"] == 1 && line["time"].is_string()));
    }
}
