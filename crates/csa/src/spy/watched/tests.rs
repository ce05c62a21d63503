use proptest::prelude::*;

use super::*;

const HEAD: &str = "V2\nN+a\nN-b\n'Max_Moves:256\n$EVENT:wdoor+floodgate-300-10F+a+b+20260101000000\n\
    $START_TIME:2026/01/01 00:00:00\nPI\n+\n'rating:a+x:b+y\n";

/// Pushes lines until one fails. Returns all updates.
fn push(game: &mut WatchedGame, text: &str) -> Vec<Update> {
    let mut told = Vec::new();
    text.lines().for_each(|line| game.push(line, &mut told).unwrap());
    told
}

fn begun(moves: &str) -> WatchedGame {
    let mut game = WatchedGame::new();
    let updates = push(&mut game, &format!("{HEAD}{moves}+OK"));
    assert!(matches!(updates[..], [Update::Began(_)]), "{updates:?}");
    game
}

fn ended(game: &mut WatchedGame, text: &str) -> (EndKind, Option<Duration>) {
    let updates = push(game, text);
    let Some(Update::Ended(end)) = updates.last() else { panic!("{updates:?}") };
    (end.kind.clone(), end.time)
}

#[test]
fn the_record_so_far_and_the_moves_after_it_are_read() {
    let mut game = WatchedGame::new();
    let updates = push(&mut game, &format!("{HEAD}+7776FU\nT12\n'** 30 -3334FU\n-3334FU\nT3\n+OK"));
    let [Update::Began(record)] = &updates[..] else { panic!("{updates:?}") };
    assert_eq!(record.header.black.as_deref(), Some("a"));
    assert_eq!(record.header.max_moves, Some(256));
    assert_eq!(record.header.controls.unwrap().black.increment, Duration::from_secs(10));
    assert_eq!(record.moves.len(), 2);
    assert!(record.moves[0].analysis.is_some());
    assert_eq!(push(&mut game, "+2726FU\nT4"), []);
    let updates = push(&mut game, "+OK");
    let [Update::Move(made)] = &updates[..] else { panic!("{updates:?}") };
    assert_eq!(made.time, Some(Duration::from_secs(4)));
    // Both in one line, as other servers may write it.
    assert_eq!(push(&mut game, "-8384FU,T2.5\n+OK").len(), 1);
    assert_eq!(ended(&mut game, "%TORYO\n+OK"), (EndKind::Resign, None));
    // Whatever comes after the end changes nothing.
    assert_eq!(push(&mut game, "+2625FU\nT1\n+OK\n#TIME_UP\n+OK"), []);
}

#[test]
fn every_end_word_has_its_end() {
    for (line, kind) in [
        ("%TORYO", EndKind::Resign),
        ("#TIME_UP", EndKind::TimeUp),
        ("#ILLEGAL_MOVE", EndKind::IllegalMove),
        ("#ILLEGAL_ACTION", EndKind::IllegalAction(Color::White)),
        ("#SENNICHITE", EndKind::Sennichite),
        ("#MAX_MOVES", EndKind::MaxMoves),
        ("#CHUDAN", EndKind::Interrupted),
        ("#OUTE_SENNICHITE", EndKind::IllegalAction(Color::White)),
    ] {
        assert_eq!(ended(&mut begun(""), &format!("{line}\n+OK")).0, kind, "{line}");
    }
    // A declaration is judged by the rule, whether the server says more or not.
    for text in ["%KACHI\nT8\n+OK\n%KACHI\n+OK", "%KACHI\nT8\n#ILLEGAL_MOVE\n+OK"] {
        let (kind, time) = {
            let mut game = begun("");
            let updates = push(&mut game, text);
            let end = updates.iter().find_map(|it| match it {
                Update::Ended(end) => Some(end.clone()),
                _ => None,
            });
            let end = end.unwrap();
            (end.kind, end.time)
        };
        assert_eq!((kind, time), (EndKind::IllegalMove, Some(Duration::from_secs(8))), "{text}");
    }
    // Words that end nothing.
    assert_eq!(push(&mut begun(""), "%FOO\n+OK\n#WIN\n+OK\nrubbish\n\n+OK"), []);
}

#[test]
fn a_game_that_is_over_already_is_read_whole() {
    let mut game = WatchedGame::new();
    let updates = push(&mut game, &format!("{HEAD}+7776FU\nT1\n%TORYO\n+OK"));
    assert!(matches!(updates[..], [Update::Began(_), Update::Ended(_)]), "{updates:?}");
}

#[test]
fn what_cannot_be_followed_is_a_fault_once() {
    let mut game = WatchedGame::new();
    let mut told = Vec::new();
    assert!(matches!(game.push("+OK", &mut told), Err(WatchFault::Record(_))));
    assert_eq!(game.push("+OK", &mut told), Ok(()));
    for lines in ["+7775FU", "-3334FU", "+7776FU\n+7675FU", "+7776FU,T1\n+2726FU"] {
        let mut game = begun("");
        let lines: Vec<&str> = lines.lines().chain(["+OK"]).collect();
        let results: Vec<_> = lines.iter().map(|line| game.push(line, &mut told)).collect();
        assert!(results.iter().any(|it| matches!(it, Err(WatchFault::Move(_)))), "{lines:?}");
    }
    // A complete move before a faulty line is kept: twice 7g7f.
    assert!(matches!(told[..], [Update::Move(_), Update::Move(_)]), "{told:?}");
    let mut game = WatchedGame::new();
    let mut faults = 0;
    for _ in 0..LONGEST_RECORD / 1000 + 10 {
        faults += usize::from(game.push(&"'".repeat(1000), &mut told).is_err());
    }
    assert_eq!(faults, 1);
    let mut game = WatchedGame::new();
    push(&mut game, HEAD);
    push(&mut game, "+7776FU\n+1122OU");
    assert!(game.push("+OK", &mut told).is_err());
}

#[test]
fn times_and_comments_are_bounded() {
    let mut game = begun("");
    push(&mut game, "+7776FU\nT99999999999\nT-1\nTx");
    for _ in 0..1000 {
        push(&mut game, &format!("'{}", "x".repeat(5000)));
    }
    let updates = push(&mut game, "+OK");
    let [Update::Move(made)] = &updates[..] else { panic!("{updates:?}") };
    assert_eq!(made.time, None);
    assert_eq!(made.comments.len(), MOST_COMMENTS);
    assert!(made.comments.iter().all(|it| it.len() <= LONGEST_COMMENT));
}

proptest! {
    #[test]
    fn no_lines_are_fatal(
        lines in prop::collection::vec("(\\+OK|END|[+-][0-9]{4}(FU|OU|XX)|T[0-9.]{0,25}|[%#][A-Z_]{1,16}|'.{0,20}|.{0,30})", 0..60),
        whole in any::<bool>(),
    ) {
        let mut game = if whole { WatchedGame::new() } else { begun("+7776FU\nT1\n") };
        for line in lines {
            let _ = game.push(&line, &mut Vec::new());
        }
    }
}
