//! What is read, what is refused, and that what is written is read again.

use std::time::Duration;

use jiff::civil::{date, time};
use proptest::prelude::*;

use super::*;
use crate::clock::{Controls, TimeControl};
use crate::record::{
    Analysis, Encoding, End, EndKind, Header, JishogiRule, Record, RecordMove, RecordScore,
    RecordTime, Winner,
};
use crate::shogi::{Color, HANDICAPS, Position};

fn one(text: &str) -> ReadRecord {
    let mut games = read(text.as_bytes()).unwrap();
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

fn record(text: &str) -> Record {
    let game = one(text);
    assert_eq!((game.fault, game.warnings), (None, vec![]), "{text}");
    game.record
}

fn error(text: &str) -> String {
    let error = read(text.as_bytes()).expect_err(text).to_string();
    assert_eq!(error.lines().count(), 1);
    error
}

#[test]
fn a_record_is_written_like_this() {
    let mut record = Record::new(
        Header {
            black: Some("kyomi".into()),
            white: Some("other".into()),
            event: Some("LAN cup, final".into()),
            start_time: Some(RecordTime { date: date(2026, 8, 1), time: Some(time(9, 0, 0, 0)) }),
            end_time: Some(RecordTime { date: date(2026, 8, 1), time: None }),
            controls: Some(Controls::both(TimeControl::fischer(
                Duration::from_secs(300),
                Duration::from_secs(10),
            ))),
            max_moves: Some(256),
            jishogi: Some(JishogiRule::Points27),
            note: Some("two\nlines \\ and more".into()),
            comments: vec!["a comment".into()],
            ..Header::default()
        },
        Position::startpos(),
    );
    let moves = ["7g7f", "3c3d"].map(|mv| crate::shogi::notation::usi::parse_move(mv).unwrap());
    record.moves = moves.map(RecordMove::new).to_vec();
    record.moves[0].time = Some(Duration::from_millis(3_120));
    record.moves[0].analysis = Some(Analysis {
        score: Some(RecordScore::Cp(-35)),
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
    });
    let expected = expect_test::expect![[r"
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
        'a comment
        +7776FU
        T3.12
        '** -35 -3334FU %TORYO #1234
        '*info depth 7
        -3334FU
        T12
        %-ILLEGAL_ACTION
        T2
        'perpetual check
    "]];
    expected.assert_eq(&write(&record));
    assert_eq!(one(&write(&record)).record, record);
    assert_eq!(record.winner(), Some(Winner::Side(Color::Black)));
}

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
    assert_eq!(record.end.as_ref().unwrap().time, Some(Duration::from_secs(5)));
    assert_eq!(record.end.unwrap().comments, ["summary:illegal kachi:a lose:b win"]);
}

#[test]
fn the_game_id_tells_the_clock() {
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
    let game = one("$TIME:x+y\n$TIME_LIMIT:99999999999:00+1\nPI\n+\n");
    assert_eq!((game.record.header.controls, game.warnings.len()), (None, 2));
    assert_eq!(game.record.header.other.len(), 2, "kept as they stand");
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
fn scores_of_the_winning_are_mates() {
    let score = |text: &str| {
        let record = record(&format!("PI\n+\n+7776FU\n'** {text}\n"));
        record.moves[0].analysis.as_ref().and_then(|analysis| analysis.score)
    };
    let mate = |winner| Some(RecordScore::Mate { winner, plies: None });
    assert_eq!(score("-29999"), Some(RecordScore::Cp(-29_999)));
    assert_eq!(score("30000"), mate(Color::Black));
    assert_eq!(score("-100000"), mate(Color::White));
    assert_eq!(score("99999999999999999999"), None, "no number: an ordinary comment");
}

#[test]
fn statements_share_lines_and_games_share_files() {
    let joined = record("V2.2,N+a,N-b,PI,+\n+7776FU,T3,-3334FU,T2\n'*x, y\n%TORYO,T1\n");
    assert_eq!(joined.moves.len(), 2);
    assert_eq!(joined.moves[1].comments, ["*x, y"]);
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
    // Each would take hours if every statement looked at the whole line, or every line at the longest.
    let sides = one(&format!("PI\n{}\n", "+,".repeat(2_500_000)));
    assert_eq!(sides.record.moves, []);
    let ends = one(&format!("PI\n+\n%{},{}\n", "X".repeat(2_500_000), "%A,".repeat(800_000)));
    assert!(matches!(ends.record.end.unwrap().kind, EndKind::Unknown(_)));
    let all = format!("P-51OU\nP+{}\n+\n", "00AL".repeat(1_250_000));
    assert!(error(&all).starts_with("line 2, column 7: '00AL' is no "), "{}", error(&all));
    let long = "x ".repeat(1_250_000);
    let info = "'*info depth 1\n".repeat(200_000);
    let game = one(&format!("PI\n+\n+7776FU\n'** 0 {long}\n{info}"));
    let analysis = game.record.moves[0].analysis.as_ref().unwrap();
    assert_eq!((analysis.depth, analysis.pv_rest.len()), (Some(1), long.len() - 1));
}

#[test]
fn an_info_line_that_is_none_changes_nothing() {
    let record = record("PI\n+\n+7776FU\n'*info depth 3 pv -3334FU\n'*info depth 9 depth x\n");
    let analysis = record.moves[0].analysis.as_ref().unwrap();
    assert_eq!((analysis.depth, analysis.pv.len()), (Some(3), 1));
    assert_eq!(record.moves[0].comments, ["*info depth 9 depth x"]);
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
    assert_eq!(record.moves[0].comments, ["Max_Moves:1", "*clock 60", "$END_TIME:2001/01/01"]);
    assert_eq!(record.end.unwrap().comments, ["Max_Moves:2", "*clock 61"]);
}

#[test]
fn what_is_no_game_behind_a_game_is_a_warning() {
    let game = "V2.2\nPI\n+\n+7776FU\n%TORYO\n";
    for (tail, warnings) in [
        ("/\n", 0),
        ("/\n\u{1a}", 0),
        ("\u{1a}", 0),
        ("/\nV2.2\n", 1),
        ("/\nV2.2\nN+a\n/\n\u{1a}\n", 2),
    ] {
        let read = one(&format!("{game}{tail}"));
        assert_eq!(read.warnings.len(), warnings, "{tail:?} {:?}", read.warnings);
        assert_eq!(read.record.end.unwrap().kind, EndKind::Resign, "{tail:?}");
    }
    let games = read(format!("{game}/\nV3.0\n/\n{game}").as_bytes()).unwrap();
    let warnings: Vec<_> = games.iter().map(|game| game.warnings.len()).collect();
    assert_eq!(warnings, [1, 0]);
    assert_eq!(games[0].warnings[0].line, 7);
    assert!(error("V3.0\n\u{1a}").contains("no game here"));
    // A game that goes wrong is no such thing.
    assert!(read(format!("{game}/\nP+00FU\n+\n").as_bytes()).is_err());
}

#[test]
fn faults_are_told_with_their_place() {
    assert_eq!(
        error("V2.2\nPI\n+\n+7776FU,T1,-3334XX\n"),
        "line 4, column 12: ply 2: '-3334XX' is no move; expected a sign, two squares and a piece, \
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
    assert_eq!((fault.line, fault.column), (5, 1));
    assert!(fault.to_string().starts_with("line 5, column 1: ply 3: +8899UM"), "{fault}");
}

#[test]
fn oddities_are_passed_over_with_a_warning() {
    for odd in [
        "PI\n+\nT5\n+7776FU\n",
        "PI\n+\n+7776FU\nT5\nT6\n",
        "PI\n+\n+7776FU\nTx\n",
        "PI\n+7776FU\n",
        "+\n+7776FU\n",
        "PI\n+\n+7776FU\n%TORYO\n-3334FU\n",
        "PI\n+\n+7776FU\n%TORYO\n%CHUDAN\n",
        "PI\n+\n+7776FU\nhello\n",
        "PI\n+\n+7776FU\n#RESIGN\n",
        "V9\nPI\n+\n+7776FU\n",
        "$lower:1\nPI\n+\n+7776FU\n",
        "$EVENT\nPI\n+\n+7776FU\n",
        "PI\n+\n+7776FU\nPI\n",
        "$JISHOGI:99\nPI\n+\n+7776FU\n",
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
        assert_eq!(game.encoding, encoding);
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
fn a_continuation_of_somebody_elses_engine_may_be_rubbish() {
    let mv = |text: &str| crate::shogi::notation::usi::parse_move(text).unwrap();
    let mut record = Record::new(Header::default(), Position::startpos());
    let analysis = Analysis {
        score: Some(RecordScore::Cp(0)),
        pv: vec![mv("3c3d"), mv("5a5i"), mv("5i5a")],
        ..Analysis::default()
    };
    record.moves.push(RecordMove { analysis: Some(analysis), ..RecordMove::new(mv("7g7f")) });
    let text = write(&record);
    assert!(text.contains("'** 0 -3334FU\n"), "{text}");
}

#[test]
fn nothing_from_outside_breaks_out_of_its_line() {
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

/// Text of a name or key that stands as it is: no line ends, no blank edges.
fn plain() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9あ-ん歩 _@.:;!-]{0,20}[a-z歩]"
}

fn any_time() -> impl Strategy<Value = Duration> {
    prop_oneof![0..100_000u64, (0..5_000u64).prop_map(|s| s * 1000)].prop_map(Duration::from_millis)
}

fn any_record_time() -> impl Strategy<Value = RecordTime> {
    (1900..2100i16, 1..13i8, 1..29i8, proptest::option::of((0..24i8, 0..60i8, 0..60i8))).prop_map(
        |(year, month, day, clock)| RecordTime {
            date: date(year, month, day),
            time: clock.map(|(hour, minute, second)| time(hour, minute, second, 0)),
        },
    )
}

fn any_control() -> impl Strategy<Value = TimeControl> {
    let unit = prop_oneof![Just(1000), Just(1), Just(100)].prop_map(Duration::from_millis);
    let total = proptest::option::of(any_time());
    (total, any_time(), any_time(), any_time(), unit).prop_map(
        |(total, byoyomi, increment, least, unit)| match total {
            None => TimeControl::UNLIMITED,
            Some(total) => {
                TimeControl { increment, least, unit, ..TimeControl::byoyomi(total, byoyomi) }
            }
        },
    )
}

prop_compose! {
    fn any_header()(
        names in proptest::array::uniform2(proptest::option::of(plain())),
        texts in proptest::array::uniform3(proptest::option::of(plain())),
        times in proptest::array::uniform2(proptest::option::of(any_record_time())),
        controls in proptest::option::of((any_control(), any_control())),
        max_moves in proptest::option::of(1..2000u32),
        jishogi in proptest::option::of(any::<bool>()),
        note in proptest::option::of("[a-z\\\\\n, ]{0,30}"),
        comments in proptest::collection::vec("[a-z,%+ ]{0,30}", 0..4),
    ) -> Header {
        let [black, white] = names;
        let [event, site, opening] = texts;
        let [start_time, end_time] = times;
        Header {
            black, white, event, site, opening, start_time, end_time, max_moves, note, comments,
            controls: controls.map(|(black, white)| Controls { black, white }),
            jishogi: jishogi.map(|more| if more { JishogiRule::Points27 } else { JishogiRule::Points24 }),
            other: vec![("X_KEY".into(), "a value, with a comma".into())],
        }
    }
}

/// What goes with a move, before the move is known.
type Extras = (Option<Duration>, Option<(Option<i32>, u8, Option<u64>, Option<u32>)>, Vec<String>);

fn any_extras() -> impl Strategy<Value = Extras> {
    let analysis = (
        proptest::option::of(-31_000..31_000i32),
        any::<u8>(),
        proptest::option::of(0..u64::MAX / 2),
        proptest::option::of(0..200u32),
    );
    let comments = proptest::collection::vec("[a-z,%+:' ]{0,30}", 0..3);
    (proptest::option::of(any_time()), proptest::option::of(analysis), comments)
}

/// Legal moves from `position`, chosen by the numbers.
fn walk(position: &Position, choices: impl IntoIterator<Item = u16>) -> Vec<crate::shogi::Move> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        position.do_move(mv);
        line.push(mv);
    }
    line
}

fn build(
    header: Header,
    start: Position,
    choices: &[(u16, Extras)],
    end: Option<(usize, Option<Duration>)>,
) -> Record {
    let line = walk(&start, choices.iter().map(|(choice, _)| *choice));
    let mut record = Record::new(header, start.clone());
    let mut position = start;
    for (mv, (choice, (time, analysis, comments))) in line.into_iter().zip(choices) {
        position.do_move(mv);
        let analysis = analysis.map(|(score, length, nodes, depth)| {
            let score = score.map(|cp| match cp {
                -29_999..=29_999 => RecordScore::Cp(cp),
                _ => RecordScore::Mate {
                    winner: if cp < 0 { Color::White } else { Color::Black },
                    plies: Some(cp.unsigned_abs() - 29_999).filter(|plies| *plies > 3),
                },
            });
            let pv = walk(&position, (0..u16::from(length % 8)).map(|n| choice.wrapping_mul(n)));
            Analysis { score, pv, pv_rest: String::new(), nodes, depth }
        });
        // One that says nothing is not written.
        let analysis = analysis.filter(|analysis| *analysis != Analysis::default());
        record.moves.push(RecordMove { mv, time: *time, analysis, comments: comments.clone() });
    }
    let words = ["TORYO", "CHUDAN", "+ILLEGAL_ACTION", "MAX_MOVES", "KACHI", "TIME_UP"];
    record.end = end.map(|(word, time)| End {
        time,
        ..End::new(EndKind::from_word(words[word % words.len()]))
    });
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_written_is_read_again(
        header in any_header(),
        handicap in proptest::option::of(0..HANDICAPS.len()),
        choices in proptest::collection::vec((any::<u16>(), any_extras()), 0..60),
        end in proptest::option::of((any::<usize>(), proptest::option::of(any_time()))),
    ) {
        let start = handicap.map_or_else(Position::startpos, |index| HANDICAPS[index].position());
        let record = build(header, start, &choices, end);
        let text = write(&record);
        let games = read(text.as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(games.len(), 1);
        prop_assert_eq!(&games[0].warnings, &vec![], "{}", text);
        prop_assert_eq!(&games[0].record, &record, "{}", text);
    }

    #[test]
    fn the_pieces_put_together_are_the_whole(
        header in any_header(),
        choices in proptest::collection::vec((any::<u16>(), any_extras()), 0..20),
    ) {
        let record = build(header, Position::startpos(), &choices, Some((0, None)));
        let mut text = write_header(&record.header, &record.start);
        let mut position = record.start.clone();
        for record_move in &record.moves {
            text += &write_move(&position, record_move);
            position.do_move(record_move.mv);
        }
        text += &write_end(record.end.as_ref().unwrap());
        prop_assert_eq!(text, write(&record));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        prop_assert!(read_each(&bytes).count() > 0);
    }

    #[test]
    fn any_statements_are_read_or_refused(
        lines in proptest::collection::vec(
            prop_oneof![
                "PI|PI82HI|P[1-9+-][+*A-Z0-9 -]{0,30}|[+-]|/|%[A-Z+]{0,9}|V[0-9.]{0,4}|T[0-9.]{0,5}",
                "[+-][0-9]{4}[A-Z]{2}",
                "'\\*\\*? ?[0-9A-Z+#% -]{0,30}",
                "\\$[A-Z+_]{0,12}:[0-9:/+ ]{0,20}",
                "\\PC{0,20}",
            ],
            0..30,
        ),
        separator in prop_oneof![Just("\n"), Just(","), Just("\r\n")],
    ) {
        for game in read_each(lines.join(separator).as_bytes()).flatten() {
            let record = game.record;
            prop_assert!(record.game().is_ok());
            prop_assert!(read_each(write(&record).as_bytes()).count() > 0);
        }
    }
}
