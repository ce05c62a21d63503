//! A `go` that was stopped is answered, whatever comes next.

use super::*;

/// A report of a search whose best line begins with this move.
fn report_of(number: u64, best: &str) -> Input {
    let pv = vec![usi::parse_move(best).unwrap()];
    Input::Search(SearchReport::Info(number, Box::new(SearchInfo { pv, ..SearchInfo::default() })))
}

#[test]
fn a_stopped_go_is_answered_before_the_next_one() {
    let mut shell = shell();
    line(&mut shell, "setoption name PvInterval value 10000");
    let first = work(line(&mut shell, "go infinite"));
    shell.handle(Instant::now(), report_of(first.number, "7g7f"));
    // `PvInterval` keeps this one from being written.
    assert!(shell.handle(Instant::now(), report_of(first.number, "2g2f")).is_empty());
    line(&mut shell, "stop");
    assert!(line(&mut shell, "position startpos moves 7g7f").is_empty());
    let actions = line(&mut shell, "go nodes 2000");
    assert_eq!(printed(&actions), ["bestmove 2g2f"]);
    let second = work(actions);
    let late = finished(first.number, found("6i7h", Score::Cp(0)));
    assert!(shell.handle(Instant::now(), late).is_empty(), "one answer");
    // Without `stop` only the newer one is answered.
    shell.handle(Instant::now(), report_of(second.number, "3c3d"));
    let actions = line(&mut shell, "go nodes 2000");
    assert!(printed(&actions)[0].starts_with("info string go during a search"));
    assert_eq!(printed(&actions).len(), 1);
    let third = work(actions);
    line(&mut shell, "stop");
    let done = finished(third.number, found("8c8d", Score::Cp(0)));
    assert_eq!(printed(&shell.handle(Instant::now(), done)).last(), Some(&"bestmove 8c8d"));
    for text in ["stop", "go nodes 2000"] {
        assert!(printed(&line(&mut shell, text)).is_empty(), "it has been answered");
    }
}

#[test]
fn a_stopped_go_without_a_line_is_answered_by_the_rules_or_any_move() {
    let positions = [
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "bestmove 5i"),
        ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "bestmove resign"),
        ("1KRRBB3/PPPPPPPPP/9/9/9/9/9/9/4k4 b 4G4S 1", "bestmove win"),
    ];
    for (sfen, answer) in positions {
        let mut shell = shell();
        line(&mut shell, &format!("position sfen {sfen}"));
        work(line(&mut shell, "go infinite"));
        line(&mut shell, "stop");
        line(&mut shell, "position no game");
        let actions = line(&mut shell, "go nodes 5");
        let lines = printed(&actions);
        assert!(lines[0].starts_with(answer), "{lines:?}");
        assert_eq!(lines.last(), Some(&"bestmove none"));
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 2);
    }
}

#[test]
fn a_stopped_go_is_answered_whatever_ends_it() {
    for go in ["go infinite", "go ponder byoyomi 1000", "go nodes 5", "go mate infinite"] {
        for end in ["usinewgame", "gameover win", "isready", "go mate 100", "go byoyomi 1000"] {
            for is_stopped in [true, false] {
                let mut shell = shell();
                line(&mut shell, "position startpos moves 7g7f 3c3d");
                line(&mut shell, go);
                if is_stopped {
                    line(&mut shell, "stop");
                }
                line(&mut shell, "setoption name Threads value 2");
                let actions = line(&mut shell, end);
                let is_answer = |line: &&str| !line.starts_with("info") && *line != "readyok";
                let lines = printed(&actions).into_iter().filter(is_answer).collect::<Vec<_>>();
                match (is_stopped, go) {
                    (false, _) => assert!(lines.is_empty(), "{go}, {end}: {lines:?}"),
                    (true, "go mate infinite") => assert_eq!(lines, ["checkmate timeout"]),
                    (true, _) => {
                        assert_eq!(lines.len(), 1, "{go}, {end}");
                        assert!(lines[0].starts_with("bestmove ") && !lines[0].contains("resign"));
                    }
                }
            }
        }
    }
}

#[test]
fn with_workers_a_stopped_go_is_answered_before_the_next_one() {
    let mut shell = shell_with_workers();
    let first = request(line(&mut shell, "go byoyomi 1000"));
    let (id, info) = (first.id, SearchInfo::default());
    let pv = vec![usi::parse_move("2g2f").unwrap()];
    let info = Box::new(SearchInfo { pv, ..info });
    let event = PlayerEvent::Info { id, info };
    shell.handle(Instant::now(), Input::CoordinatorEvent(event));
    // The coordinator checks another move.
    let mut game = Game::default();
    game.push(usi::parse_move("7g7f").unwrap()).unwrap();
    let check = ThinkRequest { id: u64::MAX, game, ..first };
    let job = work(command_engine(&mut shell, PlayerCommand::Think(check)));
    shell.handle(Instant::now(), report_of(job.number, "3c3d"));
    line(&mut shell, "stop");
    let actions = line(&mut shell, "go byoyomi 1000");
    assert_eq!(printed(&actions), ["bestmove 2g2f"]);
    let commands = coordinator_commands(actions);
    assert!(matches!(commands[..], [PlayerCommand::Stop, PlayerCommand::Think(_)]));
    assert!(coordinator_answers(&mut shell, id, "7g7f").is_empty(), "one answer");
    assert_eq!(
        printed(&coordinator_answers(&mut shell, id + 1, "7g7f")).last(),
        Some(&"bestmove 7g7f")
    );
}
