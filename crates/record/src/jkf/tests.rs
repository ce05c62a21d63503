//! What is read, what is refused, and that written records are read unchanged.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::testing::{Kept, any_record, clean_record, moves, only_game, usi_moves};
use crate::{Analysis, End, EndKind, Format, Header, Omissions, ReadRecord, Record, Variation};
use kyomi_shogi::notation::usi;
use kyomi_shogi::{Color, HANDICAPS, Position, Score};

const KEPT: Kept = Kept { times: true, analyses: true, ply: false, end: |kind, _| kind };

fn one(text: &str) -> ReadRecord {
    only_game(Format::Jkf, text)
}

fn record(text: &str) -> Record {
    clean_record(Format::Jkf, text)
}

fn error(text: &str) -> String {
    let error = read_each(text.as_bytes()).next().unwrap().expect_err(text).to_string();
    assert_eq!(error.lines().count(), 1);
    error
}

/// A file with these elements after the start.
fn file(elements: &str) -> String {
    format!(r#"{{"header":{{}},"moves":[{{}},{elements}]}}"#)
}

#[test]
fn a_record_is_written_in_the_expected_form() {
    let mut record = Record::new(
        Header {
            black: Some("na\"me".into()),
            event: Some("cup".into()),
            max_moves: Some(256),
            comments: vec!["a comment".into()],
            ..Header::default()
        },
        Position::startpos(),
    );
    record.moves = usi_moves("7g7f 3c3d 8h2b+ 3a2b B*4e");
    record.moves[0].time = Some(Duration::from_millis(3_120));
    record.moves[2].time = Some(Duration::from_secs(3_725));
    record.moves[1].analysis = Some(Analysis {
        score: Some(Score::Cp(-35)),
        pv: usi_moves("2g2f").iter().map(|made| made.mv).collect(),
        nodes: Some(1234),
        ..Analysis::default()
    });
    record.moves[1].comments = vec!["why?".into()];
    record.end = Some(End { time: Some(Duration::from_secs(2)), ..End::new(EndKind::Resign) });
    record.variations = vec![
        Variation { parent: None, ply: 6, moves: usi_moves("8b4b"), end: None },
        Variation {
            parent: None,
            ply: 3,
            moves: usi_moves("2g2f 8c8d"),
            end: Some(End::new(EndKind::Interrupted)),
        },
        Variation { parent: Some(1), ply: 4, moves: usi_moves("4a3b"), end: None },
        Variation { parent: None, ply: 3, moves: usi_moves("6g6f"), end: None },
    ];
    let mut omissions = Omissions::new();
    let text = write(&record, &mut omissions);
    expect_test::expect![[r#"
        {"header":{
        "棋戦":"cup",
        "最大手数":"256",
        "先手":"na\"me"},
        "initial":{"preset":"HIRATE"},
        "moves":[
        {"comments":["a comment"]},
        {"move":{"color":0,"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},"time":{"now":{"m":0,"s":3},"total":{"h":0,"m":0,"s":3}}},
        {"move":{"color":1,"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},"comments":["*対局 ノード数 1234 評価値 -35 読み筋 △３四歩(33) ▲２六歩(27)","why?"]},
        {"move":{"color":0,"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true,"capture":"KA"},"time":{"now":{"h":1,"m":2,"s":5},"total":{"h":1,"m":2,"s":8}},"forks":[
        [{"move":{"color":0,"from":{"x":2,"y":7},"to":{"x":2,"y":6},"piece":"FU"}},
        {"move":{"color":1,"from":{"x":8,"y":3},"to":{"x":8,"y":4},"piece":"FU"},"forks":[
        [{"move":{"color":1,"from":{"x":4,"y":1},"to":{"x":3,"y":2},"piece":"KI"}}]]},
        {"special":"CHUDAN"}],
        [{"move":{"color":0,"from":{"x":6,"y":7},"to":{"x":6,"y":6},"piece":"FU"}}]]},
        {"move":{"color":1,"from":{"x":3,"y":1},"to":{"x":2,"y":2},"piece":"GI","same":true,"capture":"UM"}},
        {"move":{"color":0,"to":{"x":4,"y":5},"piece":"KA"}},
        {"special":"TORYO","time":{"now":{"m":0,"s":2},"total":{"h":0,"m":0,"s":2}},"forks":[
        [{"move":{"color":1,"from":{"x":8,"y":2},"to":{"x":4,"y":2},"piece":"HI"}}]]}
        ]}
    "#]].assert_eq(&text);
    assert_eq!(omissions.to_string(), "1 fraction of a second");
    record.moves[0].time = Some(Duration::from_secs(3));
    assert_eq!(self::record(&text), record);
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}

#[test]
fn of_a_move_the_squares_are_enough() {
    let text = file(
        r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}}},
        {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU","promote":null,"unknown":[{}]}},
        {"move":{"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"UM"},"time":null},
        {"move":{"from":{"x":3,"y":1},"same":true,"piece":"GI","color":1,"capture":"UM"}},
        {"move":{"to":{"x":4,"y":5},"piece":"KA"}},
        {"move":{"to":{"x":4,"y":2},"piece":"HI"}},{"special":"CHUDAN"}"#,
    );
    let record = record(&text);
    assert_eq!(moves(&record.moves), "7g7f 3c3d 8h2b+ 3a2b B*4e 8b4b");
    assert_eq!(record.end, Some(End::new(EndKind::Interrupted)));
}

#[test]
fn wrong_values_are_warnings() {
    let text = file(
        r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"color":1,"capture":"FU","same":true},
            "time":{"now":{"m":-1}}},{},{"special":"ODD"},{}"#,
    );
    let game = one(&text);
    let warnings: Vec<_> = game.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert_eq!(
        warnings,
        [
            "this is not a time of hours, minutes and seconds; ignored",
            "the color is that of the other side",
            "another piece is captured than the one named",
            "the move does not go where the one before went",
            "neither a move nor an end; ignored",
            "this end is not known",
            "an element after the end; ignored",
        ]
    );
    assert_eq!(game.record.end.unwrap().kind, EndKind::Unknown("ODD".into()));
}

#[test]
fn a_move_that_cannot_be_played_ends_the_game_there() {
    for (element, message) in [
        (
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":5},"piece":"FU","color":0}}"#,
            "line 1, column 34: ply 1: +7775FU is illegal; the moves before it are read",
        ),
        (
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"KI"}}"#,
            "line 1, column 34: ply 1: +7776KI is illegal; the moves before it are read",
        ),
        (
            r#"{"move":{"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"to":{"x":5,"y":5},"piece":"HI"}}"#,
            "line 1, column 77: ply 2: -0055HI is illegal; the moves before it are read",
        ),
        (
            r#"{"move":{"from":{"x":7,"y":17},"to":{"x":7,"y":6}}}"#,
            r#"line 1, column 42: '{"x":7,"y":17}' is not a square (x and y, 1 to 9)"#,
        ),
        (
            r#"{"move":{"from":{"x":99999999999999999999,"y":1},"to":{"x":7,"y":6}}}"#,
            r#"line 1, column 42: '{"x":99999999999999999999,"y":1}' is not a square (x and y, 1 to 9)"#,
        ),
        (
            r#"{"move":{"from":{"x":7,"y":7},"same":true}}"#,
            r#"line 1, column 34: '{"from":{"x":7,"y":7},"same":true}' is not a move (from and to, or to and piece)"#,
        ),
    ] {
        let more = format!(r#"{element},{{"move":{{"to":{{"x":5,"y":5}},"piece":"FU"}}}}"#);
        assert_eq!(one(&file(&more)).fault.expect(element).to_string(), message);
    }
}

/// A file with this first square and these other fields.
fn board(before: &str, square: &str, after: &str) -> String {
    let file = ["{}"; 9].join(",");
    let first = ["{}"; 8].join(",");
    let others = vec![format!("[{file}]"); 8].join(",");
    format!(
        r#"{{"initial":{{"data":{{{before}"board":[[{square},{first}],{others}]{after}}}}},"moves":[]}}"#
    )
}

#[test]
fn headers_are_read_and_written_as_in_kif() {
    let text = r#"{"header":{"対局日":"２０２６年８月１日(土)","持ち時間":"10分","秒読み":"30秒",
        "最大手数":"256手","持将棋規定":"27点法","手合割":"角落ち","上手":"a\nb","備考":"c\nd"},"moves":[{}]}"#;
    let record = record(text);
    let header = &record.header;
    assert_eq!(header.start_time.unwrap().to_string(), "2026/08/01");
    assert_eq!(header.controls.unwrap().to_string(), "600,byoyomi=30");
    assert_eq!((header.max_moves, header.white.as_deref()), (Some(256), Some("a b")));
    assert_eq!((header.note.as_deref(), header.other.len()), (Some("c\nd"), 0));
    assert_eq!(record.start.side_to_move(), Color::White);
    let written = write(&record, &mut Omissions::new());
    assert!(written.contains(r#""持ち時間":"10分 秒読み30秒""#), "{written}");
    assert!(written.contains(r#""上手":"a b""#), "{written}");
    assert_eq!(self::record(&written), record);
}

#[test]
fn the_words_of_kif_are_read() {
    let text = file(
        r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}}},
        {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4}},"comments":["*評価値=-88","*深さ=9"]},
        {"move":{"to":{"x":5,"y":8},"piece":"KI","relative":"R"}},{"special":"投了"}"#,
    );
    let record = record(&text);
    assert_eq!(moves(&record.moves), "7g7f 3c3d 4i5h");
    let analysis = record.moves[1].analysis.as_ref().unwrap();
    assert_eq!((analysis.score, analysis.depth), (Some(Score::Cp(-88)), Some(9)));
    assert_eq!(record.end, Some(End::new(EndKind::Resign)));
}

#[test]
fn a_fault_in_a_variation_is_one_of_the_record() {
    let bad = r#"[{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":1}}}]"#;
    let text = file(&format!(
        r#"{{"move":{{"from":{{"x":2,"y":7}},"to":{{"x":2,"y":6}}}},"forks":[{bad},{bad}]}}"#
    ));
    let game = one(&text);
    assert_eq!(
        game.fault.unwrap().to_string(),
        "line 1, column 94: ply 1: +7771 is illegal; the moves before it are read"
    );
    assert_eq!(moves(&game.record.moves), "2g2f");
    let warnings: Vec<_> = game.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|it| it.contains("in a variation: ply 1: +7771 is illegal")));
}

#[test]
fn comments_before_a_variation_stay_with_it() {
    let inner = r#"{"move":{"from":{"x":6,"y":7},"to":{"x":6,"y":6}},"comments":["b"]}"#;
    let text = file(&format!(
        r#"{{"move":{{"from":{{"x":2,"y":7}},"to":{{"x":2,"y":6}}}},"forks":[[{{"comments":["a"]}},{inner}],
            [{{"comments":["c"]}},{{"special":"CHUDAN"}}]]}}"#
    ));
    let record = record(&text);
    assert!(record.header.comments.is_empty());
    assert_eq!(record.variations[0].moves[0].comments, ["a", "b"]);
    assert_eq!(record.variations[1].end.as_ref().unwrap().comments, ["c"]);
}

/// These would take minutes if each place were counted from the beginning of the text.
#[test]
fn many_faults_on_one_line_take_linear_time() {
    for count in [20_000, 40_000] {
        let cycle = [((2, 8), (3, 8)), ((8, 2), (7, 2)), ((3, 8), (2, 8)), ((7, 2), (8, 2))];
        let mv = |number: usize| {
            let ((x, y), (to_x, to_y)) = cycle[number % 4];
            format!(
                r#"{{"move":{{"from":{{"x":{x},"y":{y}}},"to":{{"x":{to_x},"y":{to_y}}},"capture":"none"}}}}"#
            )
        };
        let game = one(&file(&(0..count).map(mv).collect::<Vec<_>>().join(",")));
        assert_eq!((game.record.moves.len(), game.warnings.len()), (count, 0));
        let bad = r#"[{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":1}}}]"#;
        let forks = vec![bad; count].join(",");
        let game = one(&file(&format!(r#"{{"special":"TORYO","forks":[{forks}]}}"#)));
        assert!(game.fault.is_some());
        assert_eq!((game.record.variations.len(), game.warnings.len()), (0, 100));
    }
}

#[test]
fn a_file_without_a_game_is_one_error() {
    for (text, message) in [
        ("", "line 1, column 1: expected a value, found the end of the file"),
        ("[]", "line 1, column 1: no game here; a JKF file is one object with a list of moves"),
        (
            "{\"moves\":1}",
            "line 1, column 1: no game here; a JKF file is one object with a list of moves",
        ),
        (
            r#"{"initial":{"preset":"9"},"moves":[]}"#,
            "line 1, column 22: '9' is not a handicap (HIRATE KY KY_R KA HI HIKY 2 3 4 5 5_L 6 7_L 7_R 8 10, or OTHER with data)",
        ),
        (
            r#"{"initial":{"preset":"OTHER","data":{}},"moves":[]}"#,
            "line 1, column 37: '{}' is not a board (nine lists of nine squares, file 1 first)",
        ),
        (
            &board(r#""color":0,"#, r#"{"color":0,"kind":"XX"}"#, ""),
            "line 1, column 59: 'XX' is not a piece (FU KY KE GI KI KA HI OU TO NY NK NG UM RY)",
        ),
        (
            &board("", r#"{"kind":"FU"}"#, ""),
            r#"line 1, column 31: '{"kind":"FU"}' is not a side (0 is black, 1 is white)"#,
        ),
        (
            &board("", "{}", r#","hands":[{"HI":255}]"#),
            "line 1, column 20: the start position is invalid: there are 255 rooks on the board and in hand; a set has 2",
        ),
        (
            &board("", "{}", r#","hands":[{"OU":1}]"#),
            "line 1, column 307: '1' is not a count of FU KY KE GI KI KA or HI in hand",
        ),
        (
            r#"{"initial":{"data":{"board":[]}},"moves":[]}"#,
            "line 1, column 29: '[]' is not a board (nine lists of nine squares, file 1 first)",
        ),
        (
            r#"{"initial":{"data":{"board":[[],[],[],[],[],[],[],[],[{}]]}},"moves":[]}"#,
            "line 1, column 30: '[]' is not a board (nine lists of nine squares, file 1 first)",
        ),
        (
            &board("", "7", ""),
            "line 1, column 31: '7' is not a board (nine lists of nine squares, file 1 first)",
        ),
        (
            r#"{"header":{"手合割":"八枚半落ち"},"moves":[]}"#,
            "line 1, column 11: '八枚半落ち' is not a known handicap and no board is drawn; write 平手, 香落ち, 右香落ち, 角落ち, 飛車落ち, 飛香落ち, 二枚落ち to 六枚落ち, 八枚落ち, 十枚落ち, or draw the board",
        ),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

#[test]
fn every_handicap_has_its_name() {
    for handicap in HANDICAPS {
        let record = Record::new(Header::default(), handicap.position());
        let text = write(&record, &mut Omissions::new());
        assert!(!text.contains("OTHER"), "{text}");
        assert_eq!(self::record(&text), record);
    }
    let seven = record(r#"{"initial":{"preset":"7_L"},"moves":[{}]}"#);
    assert_eq!(seven.start.count_legal_moves(), 22);
}

#[test]
fn variations_are_found_in_any_element() {
    let mv = |from: (u8, u8), to: (u8, u8), more: &str| {
        format!(
            r#"{{"move":{{"from":{{"x":{},"y":{}}},"to":{{"x":{},"y":{}}}}}{more}}}"#,
            from.0, from.1, to.0, to.1
        )
    };
    // 2g2f has an alternative to its first move, which therefore leaves the main line.
    let inner = mv((6, 7), (6, 6), "");
    let fork = mv((2, 7), (2, 6), &format!(r#","forks":[[{inner}]]"#));
    let after = mv((8, 3), (8, 4), "");
    let text = file(&format!(
        r#"{},{{"forks":[[{after}]]}}"#,
        mv((7, 7), (7, 6), &format!(r#","forks":[[{fork}],[],[{{"special":"TORYO"}}]]"#))
    ));
    let game = one(&text);
    assert_eq!(game.warnings.len(), 1);
    assert_eq!(game.warnings[0].text, "a variation without a move; ignored");
    let found: Vec<_> =
        game.record.variations.iter().map(|it| (it.parent, it.ply, moves(&it.moves))).collect();
    let expected = [(2, "8c8d"), (1, "2g2f"), (1, "6g6f"), (1, "")];
    assert_eq!(found, expected.map(|(ply, line)| (None, ply, line.to_owned())));
    assert_eq!(game.record.variations[3].end, Some(End::new(EndKind::Resign)));
    let again = record(&write(&game.record, &mut Omissions::new()));
    assert_eq!(again, game.record);
}

#[test]
fn a_hundred_thousand_nested_variations_are_read_and_written() {
    // Each replaces the second move of the one before it.
    let there = ["2h3h", "8b7b", "3h2h", "7b8b"];
    let other = ["2h4h", "8b6b", "4h2h", "6b8b"];
    let mut record = Record::new(Header::default(), Position::startpos());
    record.moves = usi_moves("2h3h 8b7b");
    record.variations = (0..100_000_usize)
        .map(|index| {
            // The rook goes out one way and returns the same way.
            let cycle = (index + 1) / 4 % 2;
            let line = if cycle == 0 { there } else { other };
            let (first, second) = ((index + 1) % 4, (index + 2) % 4);
            let mut moves = usi_moves(line[first]);
            let next = if second == 0 { there } else { line };
            moves.extend(usi_moves(next[second]));
            Variation { parent: index.checked_sub(1), ply: index + 2, moves, end: None }
        })
        .collect();
    let mut omissions = Omissions::new();
    let text = write(&record, &mut omissions);
    let read = one(&text);
    assert_eq!(read.fault, None);
    assert_eq!(omissions.to_string(), "");
    assert_eq!(read.record.variations.len(), 100_000);
    assert!(read.record == record);
}

#[test]
fn moves_are_written_with_their_distinguishing_words() {
    let words = |sfen: &str, moves: &[&str]| {
        let position = Position::from_sfen(sfen).unwrap();
        let word = |mv: &&str| {
            words::relative(&position, usi::parse_move(mv).unwrap()).unwrap_or_default()
        };
        moves.iter().map(word).collect::<Vec<_>>()
    };
    let golds = "4k4/3G5/3GGG3/9/9/9/9/9/4K4 b - 1";
    assert_eq!(words(golds, &["6c5b", "6b5b", "5c5b", "4c5b"]), ["LU", "M", "C", "R"]);
    let silvers = "4k4/9/9/9/9/9/6S1S/9/K5SS1 b - 1";
    assert_eq!(words(silvers, &["3g2h", "3i2h", "2i2h", "1g2h"]), ["LD", "LU", "C", "R"]);
    let white = "4k4/3g1g3/9/9/9/9/9/9/4K4 w g 1";
    assert_eq!(words(white, &["6b5c", "4b5c", "G*5c", "G*5e"]), ["R", "L", "H", ""]);
    let dragons = "4k4/9/9/9/9/9/9/3+R5/4+RK3 b - 1";
    assert_eq!(words(dragons, &["6h5g", "5i5g"]), ["L", "R"]);
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(record in any_record()) {
        let text = write(&record, &mut Omissions::new());
        let game = read_each(text.as_bytes()).next().unwrap().unwrap();
        prop_assert_eq!(&game.fault, &None, "{}", text);
        prop_assert_eq!(&game.record, &KEPT.of(&record), "{}", text);
        let odd = |text: &str| text.contains("not known");
        prop_assert!(game.warnings.iter().all(|warning| odd(&warning.text)));
        // The totals of both sides contain the fractions of seconds, which are not read again.
        let mut omissions = Omissions::new();
        let again = write(&game.record, &mut omissions);
        prop_assert!(omissions.is_empty(), "{}", omissions);
        let game = read_each(again.as_bytes()).next().unwrap().unwrap();
        prop_assert_eq!(write(&game.record, &mut omissions), again);
    }

    #[test]
    fn no_bytes_make_it_panic(
        noise in proptest::collection::vec(any::<u8>(), 0..200),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..6),
        cut in any::<usize>(),
    ) {
        let mut text = file(
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}},"comments":["** 3 -3334FU","*info depth 3"]},
            {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU","same":true},"time":{"now":{"h":1,"m":2,"s":3.5}},
            "forks":[[{"move":{"to":{"x":5,"y":5},"piece":"FU"}},{"special":"TORYO"}]]}"#,
        ).into_bytes();
        for (at, byte) in changes {
            let at = at % text.len();
            text[at] = byte;
        }
        let cut = cut % (text.len() * 2);
        text.truncate(cut);
        for bytes in [&noise, &text] {
            for game in read_each(bytes) {
                match game {
                    Ok(game) => {
                        prop_assert!(game.record.game().is_ok());
                        prop_assert!(game.record.check_variations().is_ok());
                        write(&game.record, &mut Omissions::new());
                    }
                    Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
                }
            }
        }
    }
}
