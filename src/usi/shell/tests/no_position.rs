//! A `go` after a `position` line that is not a game.

use super::*;

/// `position` lines that are not games.
const FAULTY: [&str; 9] = [
    "position startpos moves 7g7f 7g7d",
    "position startpos moves 7g7f 3c3d 8h3c 2b8h",
    "position startpos moves 7g7f x",
    "position startpos 7g7f",
    "position",
    "position nonsense",
    "position sfen 9/9/9/9/9/9/9/9 b - 1",
    "position sfen 4k4/9/4P4/4P4/9/9/9/9/4K4 b - 1",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x - 1",
];

fn shell_after(position: &str) -> Shell {
    let mut shell = shell();
    line(&mut shell, "position startpos moves 7g7f");
    let actions = line(&mut shell, position);
    let lines = printed(&actions);
    assert!(lines.len() == 1 && lines[0].starts_with("info string"), "{position}: {lines:?}");
    shell
}

#[test]
fn go_is_answered_by_none_without_a_search() {
    for position in FAULTY {
        for (go, answer) in [
            ("go nodes 5", "bestmove none"),
            ("go btime 1000 wtime 1000 byoyomi 1000", "bestmove none"),
            ("go", "bestmove none"),
            ("go mate 1000", "checkmate timeout"),
        ] {
            let mut shell = shell_after(position);
            let actions = line(&mut shell, go);
            assert!(actions.len() == 1 && printed(&actions) == [answer], "{position}; {go}");
            assert!(line(&mut shell, "stop").is_empty());
        }
    }
    let mut shell = shell();
    shell.handle(Instant::now(), Input::TooLong);
    assert_eq!(printed(&line(&mut shell, "go nodes 5")), ["bestmove none"]);
}

#[test]
fn go_infinite_and_go_ponder_wait_for_the_host() {
    for (go, end) in
        [("go infinite", "stop"), ("go ponder btime 9 wtime 9", "stop"), ("go ponder", "ponderhit")]
    {
        let mut shell = shell_after(FAULTY[0]);
        assert!(line(&mut shell, go).is_empty(), "{go}");
        assert_eq!(printed(&line(&mut shell, end)), ["bestmove none"], "{go}");
        assert!(line(&mut shell, end).is_empty(), "one answer");
    }
}

#[test]
fn the_next_position_is_searched() {
    for position in ["position startpos", "usinewgame"] {
        let mut shell = shell_after(FAULTY[0]);
        line(&mut shell, "go infinite");
        line(&mut shell, position);
        let go = work(line(&mut shell, "go nodes 5"));
        line(&mut shell, "stop");
        let done = shell.handle(Instant::now(), finished(go.number, found("2g2f", Score::Cp(0))));
        assert_eq!(printed(&done).last(), Some(&"bestmove 2g2f"));
    }
}

#[test]
fn go_before_any_position_searches_the_start() {
    assert_eq!(
        *work(line(&mut shell(), "go nodes 5")).game.position(),
        *Game::default().position()
    );
}
