//! What is read, what is refused, and that written records are read unchanged.

mod ends;
mod random;

use std::time::Duration;

use jiff::civil::date;

use super::*;
use crate::score::mate;
use crate::testing::{clean_record, only_game, shown_header};
use crate::{
    Analysis, Encoding, End, EndKind, Format, Header, JishogiRule, Omission, Omissions, Place,
    ReadRecord, Record, RecordMove, RecordTime, Variation, Winner,
};
use kyomi_shogi::clock::Controls;
use kyomi_shogi::{Color, HANDICAPS, Position, Score};

fn one(text: &str) -> ReadRecord {
    only_game(Format::Csa3, text)
}

fn record(text: &str) -> Record {
    clean_record(Format::Csa3, text)
}

/// What is wrong with the first game, or why there is none.
fn error(text: &str) -> String {
    let error = match read(text.as_bytes()) {
        Ok(mut games) => games.remove(0).fault.expect(text),
        Err(error) => error,
    };
    let error = error.to_string();
    assert_eq!(error.lines().count(), 1);
    error
}

#[test]
fn a_record_is_written_in_the_expected_form() {
    let mut record = Record::new(
        Header {
            end_time: Some(RecordTime { date: date(2026, 8, 1), time: None }),
            jishogi: Some(JishogiRule::Points27),
            note: Some("two\nlines \\ and more".into()),
            ..shown_header()
        },
        Position::startpos(),
    );
    let moves = ["7g7f", "3c3d"].map(|mv| kyomi_shogi::notation::usi::parse_move(mv).unwrap());
    record.moves = moves.map(RecordMove::new).to_vec();
    record.moves[0].time = Some(Duration::from_millis(3_120));
    record.moves[0].analysis = Some(Analysis {
        score: Some(Score::Cp(-35)),
        pv: vec![moves[1]],
        pv_rest: "%TORYO".into(),
        nodes: Some(1234),
        depth: Some(7),
    });
    record.moves[1].time = Some(Duration::from_secs(12));
    record.end = Some(End {
        kind: EndKind::IllegalAction(Color::White),
        time: Some(Duration::from_secs(2)),
        comments: vec!["perpetual check".into()],
        foul: None,
    });
    let expected = expect_test::expect![[r#"
        'CSA encoding=UTF-8
        V3.0
        N+kyomi
        N-other
        $EVENT:LAN cup, final
        $START_TIME:2026/08/01 09:00:00
        $END_TIME:2026/08/01
        $TIME:300+0+10
        $MAX_MOVES:256
        $JISHOGI:27
        $NOTE:two\nlines \\ and more
        PI
        +
        '*a comment
        +7776FU
        T3.12
        '** -35 -3334FU %TORYO #1234
        '*info depth 7
        -3334FU
        T12
        %-ILLEGAL_ACTION
        T2
        '*perpetual check
    "#]];
    expected.assert_eq(&write(&record));
    assert_eq!(one(&write(&record)).record, record);
    assert_eq!(record.winner(), Some(Winner::Side(Color::Black)));
}

#[test]
fn the_servers_own_records_are_understood() {
    let record = record(
        "V2\nN+a\nN-b\n'Max_Moves:256\n'Least_Time_Per_Move:1\n'Increment:10\n\
         $EVENT:wdoor+floodgate-300-10F+a+b+20260801090000\n$START_TIME:2026/08/01 09:00:00\n\
         PI\n+\n'rating:x:y\n'black_rate:x:3000.0\n+7776FU\nT1\n'** 30 -3334FU\n-3334FU\nT2\n\
         %KACHI\nT5\n%KACHI\n'summary:illegal kachi:a lose:b win\n'$END_TIME:2026/08/01 09:10:00\n",
    );
    let header = &record.header;
    assert_eq!(header.max_moves, Some(256));
    let control = header.controls.unwrap().black;
    assert_eq!(control.to_string(), "300+10,least=1");
    assert_eq!(header.end_time.unwrap().to_string(), "2026/08/01 09:10:00");
    assert_eq!(header.comments.len(), 4);
    assert_eq!(record.winner(), Some(Winner::Side(Color::White)), "the server refused it");
    let end = record.end.unwrap();
    assert_eq!((end.kind, end.time), (EndKind::IllegalMove, Some(Duration::from_secs(5))));
    assert_eq!(end.comments, ["summary:illegal kachi:a lose:b win"]);
}

#[test]
fn the_game_id_gives_the_time_control() {
    for (id, expected) in [
        ("wdoor+floodgate-300-10F+a+b+20260801", Some("300+10")),
        ("ev+test-600-10-B+a+b+20260801", Some("600,byoyomi=10")),
        ("d2+d-86400-060+a+b+20260801", Some("86400,unit=60,stopwatch")),
        ("ev+x-y-z+a+b+20260801", None),
        ("some cup", None),
    ] {
        let record = record(&format!("$EVENT:{id}\nPI\n+\n"));
        let controls = record.header.controls.map(|controls| controls.to_string());
        assert_eq!(controls.as_deref(), expected, "{id}");
    }
}

#[test]
fn clocks_of_all_versions_are_read() {
    let clock =
        |keys: &str| record(&format!("{keys}\nPI\n+\n")).header.controls.unwrap().to_string();
    assert_eq!(clock("$TIME_LIMIT:00:25+00"), "1500");
    assert_eq!(clock("$TIME_LIMIT:24:00+60"), "86400,byoyomi=60");
    assert_eq!(clock("$TIME:300+0+10"), "300+10");
    assert_eq!(clock("$TIME:0.5+1.25+0"), "0.5,byoyomi=1.25");
    assert_eq!(clock("$TIME+:60+0+0\n$TIME-:30+0+0"), "60/30");
    assert_eq!(clock("$TIMET+:60+0+0\n$TIME-:30+0+0"), "60/30");
    let limit = "$TIME_LIMIT:00:05+00\n'Increment:10\n'Least_Time_Per_Move:1";
    assert_eq!(clock(limit), "300+10,least=1");
    let game = one("$TIME:x+y\n$TIME_LIMIT:99999999999:00+1\nPI\n+\n");
    assert_eq!((game.record.header.controls, game.warnings.len()), (None, 2));
    assert_eq!(game.record.header.other.len(), 2, "kept as text");
}

#[test]
fn both_kinds_of_continuation_are_read() {
    let pv = |line: &str| {
        let record = record(&format!("PI\n+\n+7776FU\n'** 12 {line}\n"));
        let analysis = record.moves[0].analysis.clone().unwrap();
        (analysis.pv.len(), analysis.pv_rest, analysis.nodes)
    };
    assert_eq!(pv("-3334FU +2726FU"), (2, String::new(), None));
    assert_eq!(pv("+7776FU -3334FU +2726FU #99"), (2, String::new(), Some(99)));
    assert_eq!(pv("-3334FU +PASS -8384FU"), (1, "+PASS -8384FU".into(), None));
    assert_eq!(pv("%TORYO"), (0, "%TORYO".into(), None));
    assert_eq!(pv("-9999XX"), (0, "-9999XX".into(), None));
    assert_eq!(pv(""), (0, String::new(), None));
}

#[test]
fn keys_of_other_formats_are_kept() {
    let mut record = Record::new(Header::default(), Position::startpos());
    for (key, value) in [("表題", "決勝"), ("対局ID", "7: a, +7776FU"), ("X_KEY", "x")] {
        record.header.other.push((key.into(), value.into()));
    }
    assert_eq!(self::record(&write(&record)), record);
}

#[test]
fn the_winner_of_a_mate_in_0_is_kept() {
    for winner in Color::ALL {
        let mut record = record("PI\n+\n+7776FU\n");
        let score = Some(mate(winner, Some(0)));
        record.moves[0].analysis = Some(Analysis { score, ..Analysis::default() });
        let again = self::record(&write(&record));
        let score = again.moves[0].analysis.as_ref().unwrap().score;
        assert_eq!(score, Some(mate(winner, None)));
    }
}

#[test]
fn winning_scores_are_mates() {
    let score = |text: &str| {
        let record = record(&format!("PI\n+\n+7776FU\n'** {text}\n"));
        record.moves[0].analysis.as_ref().and_then(|analysis| analysis.score)
    };
    assert_eq!(score("-29999"), Some(Score::Cp(-29_999)));
    assert_eq!(score("30000"), Some(Score::Win(None)));
    assert_eq!(score("-100000"), Some(Score::Loss(None)));
    assert_eq!(score("99999999999999999999"), None, "no number: an ordinary comment");
}

#[test]
fn statements_share_lines_and_games_share_files() {
    let joined = record("V2.2,N+a,N-b,PI,+\n+7776FU,T3,-3334FU,T2\n'*x, y\n%TORYO,T1\n");
    assert_eq!(joined.moves.len(), 2);
    assert_eq!(joined.moves[1].comments, ["x, y"]);
    let games = read(b"PI\n+\n+7776FU\n/\n/\nPI\n-\n-3334FU\n/\n").unwrap();
    let sides: Vec<_> = games.iter().map(|game| game.record.start.side_to_move()).collect();
    assert_eq!(sides, [Color::Black, Color::White]);
}

#[test]
fn a_broken_game_does_not_hide_the_others() {
    let games = read_each(b"PI\n+\n+7776FU\n/\nP1xx\n+\n/\nPI\n+\n");
    assert_eq!(games.map(|game| game.is_ok()).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn long_lines_take_linear_time() {
    // Each would take hours if every statement examined the whole line, or every line the longest one.
    let sides = one(&format!("PI\n{}\n", "+,".repeat(2_500_000)));
    assert_eq!(sides.record.moves, []);
    let ends = one(&format!("PI\n+\n%{},{}\n", "X".repeat(2_500_000), "%A,".repeat(800_000)));
    assert!(matches!(ends.record.end.unwrap().kind, EndKind::Unknown(_)));
    let all = format!("P-51OU\nP+{}\n+\n", "00AL".repeat(1_250_000));
    assert!(error(&all).starts_with("line 2, column 7: '00AL' is not a "), "{}", error(&all));
    let long = "x ".repeat(1_250_000);
    let info = "'*info depth 1\n".repeat(200_000);
    let game = one(&format!("PI\n+\n+7776FU\n'** 0 {long}\n{info}"));
    let analysis = game.record.moves[0].analysis.as_ref().unwrap();
    assert_eq!((analysis.depth, analysis.pv_rest.len()), (Some(1), long.len() - 1));
}

#[test]
fn an_invalid_info_line_changes_nothing() {
    let record = record("PI\n+\n+7776FU\n'*info depth 3 pv -3334FU\n'*info depth 9 depth x\n");
    let analysis = record.moves[0].analysis.as_ref().unwrap();
    assert_eq!((analysis.depth, analysis.pv.len()), (Some(3), 1));
    assert_eq!(record.moves[0].comments, ["info depth 9 depth x"]);
}

#[test]
fn columns_of_a_shared_line_count_characters() {
    let text = "PI,+\n'あ\nN+あい,+7776FU,T1,-3334XX\n";
    assert!(error(text).starts_with("line 3, column 17: "), "{}", error(text));
}

#[test]
fn comments_among_the_moves_are_no_header() {
    let record = record(
        "'Max_Moves:256\n'*clock 300+10\nPI\n+\n+7776FU\n'Max_Moves:1\n'*clock 60\n\
         '$END_TIME:2001/01/01\n-3334FU\n%TORYO\n'Max_Moves:2\n'*clock 61\n\
         '$END_TIME:2026/08/01 09:10:00\n",
    );
    assert_eq!(record.header.max_moves, Some(256));
    assert_eq!(record.header.controls.unwrap().to_string(), "300+10");
    assert_eq!(record.header.end_time.unwrap().to_string(), "2026/08/01 09:10:00");
    assert_eq!(record.moves[0].comments, ["Max_Moves:1", "clock 60", "$END_TIME:2001/01/01"]);
    assert_eq!(record.end.unwrap().comments, ["Max_Moves:2", "clock 61"]);
}

#[test]
fn text_after_a_game_that_is_not_a_game_is_a_warning() {
    let game = "V2.2\nPI\n+\n+7776FU\n%TORYO\n";
    for (tail, warnings) in [
        ("/\n", 0),
        ("/\n\u{1a}", 0),
        ("\u{1a}", 0),
        ("/\nV2.2\n", 1),
        ("/\nV2.2\nN+a\n/\n\u{1a}\n", 1),
    ] {
        let read = one(&format!("{game}{tail}"));
        assert_eq!(read.warnings.len(), warnings, "{tail:?} {:?}", read.warnings);
        assert_eq!(read.record.end.unwrap().kind, EndKind::Resign, "{tail:?}");
    }
    let games = read(format!("{game}/\nV3.0\n/\n{game}").as_bytes()).unwrap();
    let warnings: Vec<_> = games.iter().map(|game| game.warnings.len()).collect();
    assert_eq!(warnings, [1, 0]);
    assert_eq!(games[0].warnings[0].place.line(), 7);
    assert!(error("V3.0\n\u{1a}").contains("no game here"));
    // A broken game is an error, not a warning of the game before.
    assert!(read(format!("{game}/\nP+00FU\n+\n").as_bytes()).is_err());
}

#[test]
fn faults_are_reported_with_their_place() {
    assert_eq!(
        error("V2.2\nPI\n+\n+7776FU,T1,-3334XX\n"),
        "line 4, column 12: ply 2: '-3334XX' is not a move; expected a sign, two squares and a piece, \
         as +7776FU"
    );
    assert!(error("").starts_with("line 1, column 1: no game here"));
    assert!(error("V2.2\nN+a\n").starts_with("line 1, column 1: no game here"));
    assert!(
        error("PI\nP+55XX\n+\n").starts_with("line 2, column 3: "),
        "{}",
        error("PI\nP+55XX\n+\n")
    );
    assert!(error("'x\nP1-KY-KE\n+\n+7776FU\n").contains("row P2"));
    assert!(
        error("V2.2,PI82XX\n+\n").starts_with("line 1, column 8: "),
        "{}",
        error("V2.2,PI82XX\n+\n")
    );
    let game = one("PI\n+\n+7776FU\n-3334FU\n+8899UM\n%TORYO\n");
    assert_eq!(game.record.moves.len(), 2);
    let fault = game.fault.unwrap();
    assert_eq!(fault.place, Place::text(5, 1));
    assert!(fault.to_string().starts_with("line 5, column 1: ply 3: +8899UM"), "{fault}");
    // The record does not say who resigned after it.
    assert_eq!((game.record.winner(), game.warnings.len()), (None, 1));
    let offence = one("PI\n+\n+7776FU\n-3334FU\n+8899UM\n%ILLEGAL_MOVE\n").record;
    assert_eq!(offence.winner(), Some(Winner::Side(Color::White)));
}

#[test]
fn oddities_are_ignored_with_a_warning() {
    for odd in [
        "PI\n+\nT5\n+7776FU\n",
        "PI\n+\n+7776FU\nT5\nT6\n",
        "PI\n+\n+7776FU\nTx\n",
        "PI\n+7776FU\n",
        "+\n+7776FU\n",
        "PI\n+\n+7776FU\n%TORYO\n-3334FU\n",
        "PI\n+\n+7776FU\n%TORYO\n%CHUDAN\n",
        "PI\n+\n+7776FU\nhello\n",
        "PI\n+\n+7776FU\n#WIN\n",
        "N+a\nN+b\nPI\n+\n+7776FU\n",
        "$TIME_LIMIT:06:00\nPI\n+\n+7776FU\n",
        "V9\nPI\n+\n+7776FU\n",
        "$lower:1\nPI\n+\n+7776FU\n",
        "$EVENT\nPI\n+\n+7776FU\n",
        "PI\n+\n+7776FU\nPI\n",
        "$JISHOGI:99\nPI\n+\n+7776FU\n",
        "PI\n+\n+7776FU\n% \n",
    ] {
        let game = one(odd);
        assert_eq!((game.record.moves.len(), game.warnings.len()), (1, 1), "{odd}");
        assert_eq!(game.fault, None, "{odd}");
    }
}

#[test]
fn encodings_are_found() {
    let text = "V2.2\nN+先手の能\nN-後手\nPI\n+\n+7776FU\n'コメント：表ソ\n%TORYO\n";
    let encoded = |encoding: &'static encoding_rs::Encoding| encoding.encode(text).0.into_owned();
    let bom = [b"\xEF\xBB\xBF".as_slice(), text.as_bytes()].concat();
    let lie = [b"'CSA encoding=UTF-8\n".as_slice(), &encoded(encoding_rs::SHIFT_JIS)].concat();
    for (bytes, encoding) in [
        (text.as_bytes().to_vec(), Encoding::Utf8),
        (bom, Encoding::Utf8),
        (encoded(encoding_rs::SHIFT_JIS), Encoding::ShiftJis),
        (encoded(encoding_rs::EUC_JP), Encoding::EucJp),
        (lie, Encoding::ShiftJis),
    ] {
        let game = read(&bytes).unwrap().remove(0);
        assert_eq!(game.encoding, Some(encoding));
        assert_eq!(game.record.header.black.as_deref(), Some("先手の能"));
        assert_eq!(game.record.moves[0].comments, ["コメント：表ソ"]);
    }
    read(b"PI\n+\n'\xff\xfe\x81 rubbish\n").unwrap();
}

#[test]
fn hostile_files_are_read_in_linear_time() {
    let many = 20_000;
    for text in [
        format!("PI\n+\n'{}\n+7776FU\n", "x,".repeat(100_000)),
        format!("N+{}\nPI\n+\n", "a,b".repeat(100_000)),
        format!("$EVENT:{}\nPI\n+\n", ",$".repeat(100_000)),
        format!("N+{}\nPI\n+\n", ",N+".repeat(many)),
        format!("PI\n+\n+7776FU\n'** 1 {}\n", "-3334FU +3334FU ".repeat(many)),
        "/\n".repeat(many) + "PI\n+\n",
        "x\n".repeat(many) + "PI\n+\n",
        "PI\n+\n+7776FU\n".to_owned() + &"'** 1 -3334FU\n".repeat(many),
        "PI\n+\n".to_owned() + &"P+00FU\n".repeat(many),
        "PI\n+\n".to_owned() + &"%TORYO\n".repeat(many),
    ] {
        for game in read_each(text.as_bytes()).flatten() {
            assert!(game.warnings.len() <= 100);
        }
    }
}

#[test]
fn an_invalid_continuation_is_ignored() {
    let mv = |text: &str| kyomi_shogi::notation::usi::parse_move(text).unwrap();
    let mut record = Record::new(Header::default(), Position::startpos());
    let analysis = Analysis {
        score: Some(Score::Cp(0)),
        pv: vec![mv("3c3d"), mv("5a5i"), mv("5i5a")],
        ..Analysis::default()
    };
    record.moves.push(RecordMove { analysis: Some(analysis), ..RecordMove::new(mv("7g7f")) });
    let text = write(&record);
    assert!(text.contains("'** 0 -3334FU\n"), "{text}");
}

#[test]
fn foreign_text_cannot_add_lines() {
    let header = Header {
        black: Some("evil\n%TORYO".into()),
        event: Some("a,%TORYO\r\nP1".into()),
        comments: vec!["x\n%TORYO".into()],
        other: vec![("BAD\nKEY".into(), "v\nw".into())],
        note: Some("\u{1b}[2J".into()),
        ..Header::default()
    };
    let mut record = Record::new(header, Position::startpos());
    record.end = Some(End::new(EndKind::Unknown("X\n+7776FU".into())));
    let text = write(&record);
    let again = one(&text).record;
    assert!(again.moves.is_empty(), "{text}");
    assert!(matches!(again.end.unwrap().kind, EndKind::Unknown(_)));
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
}

/// What 2.2 keeps.
fn in_whole_seconds(record: &Record) -> Record {
    let mut record = record.clone();
    let ends = record.end.iter_mut().flat_map(|end| {
        let of_foul = end.foul.as_mut().map(|foul| &mut foul.time);
        [Some(&mut end.time), of_foul].into_iter().flatten()
    });
    for time in record.moves.iter_mut().map(|made| &mut made.time).chain(ends) {
        *time = time.map(|time| Duration::from_secs(time.as_secs()));
    }
    record
}

#[test]
fn version_2_2_writes_values_without_a_key_as_comments() {
    let mut record = Record::new(
        Header {
            black: Some("a".into()),
            controls: Some(Controls::both("600,byoyomi=10".parse().unwrap())),
            max_moves: Some(256),
            jishogi: Some(JishogiRule::Points27),
            note: Some("two\nlines".into()),
            ..Header::default()
        },
        Position::startpos(),
    );
    let mv = kyomi_shogi::notation::usi::parse_move("7g7f").unwrap();
    record.moves.push(RecordMove::timed(mv, Duration::from_millis(1999)));
    record.end = Some(End::new(EndKind::MaxMoves));
    record.variations.push(Variation { parent: None, ply: 1, moves: vec![], end: None });
    let mut omissions = Omissions::new();
    let text = write_as(&record, Version::V22, &mut omissions);
    expect_test::expect![[r#"
        V2.2
        N+a
        $TIME_LIMIT:00:10+10
        '$MAX_MOVES:256
        '$JISHOGI:27
        '$NOTE:two\nlines
        PI
        +
        +7776FU
        T1
        %HIKIWAKE
        '*end MAX_MOVES
    "#]]
    .assert_eq(&text);
    assert_eq!(omissions.to_string(), "1 variation, 1 fraction of a second");
    record.variations.clear();
    assert_eq!(self::record(&text), in_whole_seconds(&record));
    assert!(omissions.iter().any(|(part, _)| *part == Omission::Variations));
}

#[test]
fn moves_before_a_line_that_is_not_a_move_are_kept() {
    let text = "PI\n+\n+7776FU\n-3334FU\n+2X26FU\n-8384FU\n%TORYO\n";
    let game = one(text);
    assert_eq!(game.record.moves.len(), 2);
    let reported = game.fault.unwrap().to_string();
    assert!(reported.starts_with("line 5, column 1: ply 3: '+2X26FU' is not a move"), "{reported}");
    // A comment after a move is read; other text there is ignored.
    let game = one("PI\n+\n+7776FU 'good\n-3334FU ,T5\n+2726FU !?\n");
    assert_eq!(game.record.moves.len(), 3);
    assert_eq!(game.record.moves[0].comments, ["good"]);
    assert_eq!(game.warnings.len(), 1);
}

#[test]
fn indented_lines_are_read_like_others() {
    let plain = "V2.2\nN+a\nPI\n+\n+7776FU\nT5\n'* 30\n-3334FU,T6\n%TORYO\n";
    let indented = format!("  \t{}", plain.replace('\n', "\n  \t"));
    assert_eq!(one(&indented).record, one(plain).record);
    let reported = error("V2.2\n PI\n +\n  +77X6FU\n");
    assert!(reported.starts_with("line 4, column 3: "), "{reported}");
}

#[test]
fn ambiguous_comments_get_a_leading_blank() {
    let mut record = record("PI\n+\n+7776FU\n-3334FU\n%TORYO\n");
    record.header.comments =
        ["*clock 60", "$TIME:60+0+0", "*end draw", "plain"].map(str::to_owned).to_vec();
    record.moves[0].comments =
        ["** 30", "* 30", "*info depth 3", "*end black"].map(str::to_owned).to_vec();
    record.end.as_mut().unwrap().comments = vec!["$END_TIME:2026/01/01".to_owned()];
    let mut omissions = Omissions::new();
    let written = write_as(&record, Version::V30(Encoding::Utf8), &mut omissions);
    assert_eq!(omissions.to_string(), "1 comment");
    let again = one(&written).record;
    assert_eq!(again.header.comments, ["*clock 60", "$TIME:60+0+0", "*end draw", "plain"]);
    assert_eq!(again.moves[0].comments, ["** 30", " * 30", "*info depth 3", "*end black"]);
    assert_eq!((&again.header.controls, &again.moves[0].analysis), (&None, &None));
    assert_eq!((again.end.unwrap().kind, again.header.end_time), (EndKind::Resign, None));
}

#[test]
fn an_encoding_line_precedes_ambiguous_names() {
    let record = record("N+ﾀﾅｶｼ\nN-ﾅﾏﾊﾕ\nPI\n+\n");
    let bytes = Format::Csa2.write(&record, Encoding::ShiftJis, &mut Omissions::new());
    assert!(bytes.starts_with(b"'CSA encoding=SHIFT_JIS\r\nV2.2\r\n"));
    let again = read(&bytes).unwrap().remove(0);
    assert_eq!((again.record, again.version.as_deref()), (record.clone(), Some("2.2")));
    let bytes = Format::Csa2.write(&record, Encoding::EucJp, &mut Omissions::new());
    assert!(bytes.starts_with(b"'CSA encoding=EUC-JP\r\nV2.2\r\n"));
    assert_eq!(read(&bytes).unwrap().remove(0).record, record);
    let bytes = Format::Csa2.write(&record, Encoding::Utf8, &mut Omissions::new());
    assert!(bytes.starts_with(b"V2.2\r\n"), "it is clear");
}
