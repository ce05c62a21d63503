//! End words, lines of a server's log, and the server's summary.

use super::*;

#[test]
fn every_end_word_is_read_with_its_winner() {
    // Black to move at the end.
    let black = Some(Winner::Side(Color::Black));
    let white = Some(Winner::Side(Color::White));
    for (word, winner) in [
        ("TORYO", white),
        ("CHUDAN", None),
        ("SENNICHITE", Some(Winner::Draw)),
        ("TIME_UP", white),
        ("ILLEGAL_MOVE", white),
        ("+ILLEGAL_ACTION", white),
        ("-ILLEGAL_ACTION", black),
        ("JISHOGI", Some(Winner::Draw)),
        ("KACHI", black),
        ("HIKIWAKE", Some(Winner::Draw)),
        ("MATTA", None),
        ("TSUMI", white),
        ("FUZUMI", None),
        ("MAX_MOVES", Some(Winner::Draw)),
        ("ERROR", None),
    ] {
        let record = record(&format!("PI\n+\n+7776FU\n-3334FU\n%{word},T4\n'why\n"));
        let end = record.end.as_ref().unwrap();
        assert_eq!(end.kind.word(), word);
        assert!(!matches!(end.kind, EndKind::Unknown(_)), "{word}");
        assert_eq!(end.time, Some(Duration::from_secs(4)));
        assert_eq!(end.comments, ["why"]);
        assert_eq!(record.winner(), winner, "{word}");
    }
}

#[test]
fn an_unknown_end_is_kept_with_a_warning() {
    let game = one("PI\n+\n%SOMETHING\n");
    assert_eq!(game.record.end.unwrap().kind, EndKind::Unknown("SOMETHING".into()));
    assert_eq!(game.warnings.len(), 1);
}

#[test]
fn the_servers_summary_is_the_result() {
    let (black, white) = (Some(Winner::Side(Color::Black)), Some(Winner::Side(Color::White)));
    let draw = Some(Winner::Draw);
    for (end, word, winner) in [
        ("'summary:time up:a lose:b win", "TIME_UP", white),
        ("'summary:time up:b lose:a win", "", black),
        ("'summary:illegal move:a lose:b win", "ILLEGAL_MOVE", white),
        ("'summary:uchifuzume:a win:b lose", "-ILLEGAL_ACTION", black),
        ("'summary:sennichite:a draw:b draw", "SENNICHITE", draw),
        ("'summary:oute_sennichite:a win:b lose", "-ILLEGAL_ACTION", black),
        ("'summary:max_moves:a draw:b draw", "MAX_MOVES", draw),
        ("%TORYO\n'summary:abnormal:a win:b lose", "", black),
        ("%TORYO\n'summary:abnormal:a lose:b win", "TORYO", white),
        ("%KACHI\n'summary:kachi:a win:b lose", "KACHI", black),
        ("%KACHI\n'summary:illegal kachi:a lose:b win", "ILLEGAL_MOVE", white),
        ("'summary:try:a win:b lose", "", black),
    ] {
        let text = format!(
            "N+a\nN-b\nPI\n+\n+7776FU\n-3334FU\n'P1-KY\n{end}\n'$END_TIME:2026/01/01 12:00:10\n"
        );
        let record = record(&text);
        assert_eq!(record.winner(), winner, "{end}");
        assert_eq!(record.end.as_ref().unwrap().kind.word(), word, "{end}");
        assert_eq!(record.moves[1].comments, ["P1-KY"]);
        let ended = record.header.end_time.map(|time| time.to_string());
        assert_eq!(ended.as_deref(), Some("2026/01/01 12:00:10"), "{end}");
        assert_eq!(self::record(&write(&record)), record, "{end}");
    }
}

#[test]
fn a_summary_that_contradicts_the_end_or_the_names_counts_and_is_reported() {
    let game = one("N+a\nN-b\nPI\n+\n+7776FU\n%TORYO\n'summary:toryo:a lose:b win\n");
    assert_eq!(game.record.winner(), Some(Winner::Side(Color::White)));
    assert!(game.warnings[0].text.contains("contradicts %TORYO"), "{:?}", game.warnings);
    let game = one("N+x\nPI\n+\n'summary:abnormal:a lose:b win\n");
    assert_eq!((game.record.winner(), game.warnings.len()), (None, 1));
    let game =
        one("N+a\nN-b\nPI\n+\n+7776FU\n%SENNICHITE\n'summary:oute_sennichite:a lose:b win\n");
    assert_eq!(game.record.winner(), Some(Winner::Side(Color::White)));
    let game = one("N+a\nN-b\nPI\n+\n+7776FU\n%CHUDAN\n'summary:abnormal:a lose:b win\n");
    assert_eq!(game.record.winner(), Some(Winner::Side(Color::White)));
    // The game goes on, so it is only a comment.
    let game = one("N+a\nN-b\nPI\n+\n+7776FU\n'summary:toryo:a lose:b win\n-3334FU\n%CHUDAN\n");
    assert_eq!(game.record.moves[0].comments, ["summary:toryo:a lose:b win"]);
    assert_eq!((game.record.winner(), game.warnings.len()), (None, 1));
    // A move in between that cannot be played changes nothing about the result.
    let game = one("N+a\nN-b\nPI\n+\n+7775FU\n-3334FU\n'summary:toryo:a win:b lose\n");
    assert_eq!(game.record.winner(), Some(Winner::Side(Color::Black)));
    assert!(game.fault.is_some());
}

#[test]
fn lines_of_a_servers_log_end_a_game() {
    for (line, word) in [
        ("#RESIGN", "TORYO"),
        ("#TIME_UP", "TIME_UP"),
        ("#SENNICHITE", "SENNICHITE"),
        ("#JISHOGI", "KACHI"),
        ("#OUTE_SENNICHITE", "-ILLEGAL_ACTION"),
        ("%-TIME_UP", "TIME_UP"),
        ("%+TORYO", ""),
    ] {
        let game = one(&format!("PI\n+\n+7776FU\n{line}\n#WIN\n"));
        assert_eq!(game.record.end.unwrap().kind.word(), word);
    }
}

#[test]
fn the_end_time_may_follow_moves_without_an_end() {
    let record = record("PI\n+\n+7776FU\n'$END_TIME:2026/01/01 12:00:10\n");
    assert!(record.header.end_time.is_some() && record.moves[0].comments.is_empty());
}

#[test]
fn an_end_without_a_word_is_kept_in_a_comment() {
    for winner in [Winner::Side(Color::Black), Winner::Side(Color::White), Winner::Draw] {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.end = Some(End::new(EndKind::Decided(winner)));
        assert_eq!(self::record(&write(&record)), record);
        assert_eq!(record.winner(), Some(winner));
    }
    for word in ["封じ手", "不戦勝", "two words"] {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.end = Some(End::new(EndKind::Unknown(word.into())));
        assert_eq!(self::record(&write(&record)), record, "{word}");
    }
    // The game continues, so the comment is not its end.
    let game = one("PI\n+\n+7776FU\n'*end draw\n'so they say\n-3334FU\n");
    assert_eq!((game.record.moves.len(), game.record.end, game.warnings.len()), (2, None, 1));
    assert_eq!(game.record.moves[0].comments, ["*end draw", "so they say"]);
    // An unknown word makes an ordinary comment.
    assert_eq!(record("PI\n+\n+7776FU\n'*end nothing\n").end, None);
}
