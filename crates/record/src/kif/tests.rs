//! What is read, what is refused, and that written records are read unchanged.

use std::time::Duration;

use super::*;
use crate::testing::{
    Kept, any_record, clean_record, end_of_kif, moves, only_game, read_back, shown_header,
    usi_moves,
};
use crate::{
    Analysis, Encoding, End, EndKind, Format, Header, Omissions, Place, ReadRecord, Record,
    RecordError, Variation, Winner,
};
use kyomi_shogi::{Color, HANDICAPS, Position, Score};

mod odd;
mod people;
mod random;

fn one(text: &str) -> ReadRecord {
    only_game(Format::Kif, text)
}

fn record(text: &str) -> Record {
    clean_record(Format::Kif, text)
}

fn error(text: &str) -> RecordError {
    let mut games: Vec<_> = read_each(text.as_bytes()).collect();
    let error = games.remove(0).expect_err(text);
    assert_eq!(error.to_string().lines().count(), 1);
    error
}

fn fault(text: &str) -> (usize, String) {
    let game = one(text);
    let fault = game.fault.expect(text);
    assert_eq!(fault.to_string().lines().count(), 1);
    (game.record.moves.len(), fault.to_string())
}

fn written(record: &Record) -> String {
    write(record, Encoding::Utf8, &mut Omissions::new())
}

#[test]
fn a_record_is_written_in_the_expected_form() {
    let mut record = Record::new(
        Header {
            note: Some("two\nlines".into()),
            other: vec![("表題".into(), "決勝".into())],
            ..shown_header()
        },
        Position::startpos(),
    );
    record.moves = usi_moves("7g7f 3c3d 8h2b+ 3a2b B*5e");
    for (made, seconds) in record.moves.iter_mut().zip([3, 12, 60, 3600, 1]) {
        made.time = Some(Duration::from_secs(seconds));
    }
    record.moves[0].time = Some(Duration::from_millis(3_120));
    record.moves[2].analysis = Some(Analysis {
        score: Some(Score::Loss(Some(8))),
        pv: usi_moves("3a2b B*5e").iter().map(|made| made.mv).collect(),
        pv_rest: String::new(),
        nodes: Some(1234),
        depth: Some(7),
    });
    record.moves[2].comments = vec!["why?".into(), "&mark".into()];
    record.end = Some(End { time: Some(Duration::from_secs(2)), ..End::new(EndKind::IllegalMove) });
    record.variations = vec![
        Variation {
            parent: None,
            ply: 3,
            moves: usi_moves("2g2f 8c8d"),
            end: Some(End::new(EndKind::Interrupted)),
        },
        Variation { parent: Some(0), ply: 4, moves: usi_moves("4a3b"), end: None },
        Variation { parent: None, ply: 3, moves: usi_moves("6g6f"), end: None },
    ];
    let mut omissions = Omissions::new();
    let text = write(&record, Encoding::Utf8, &mut omissions);
    expect_test::expect![[r#"
        #KIF version=2.0 encoding=UTF-8
        開始日時：2026/08/01 09:00:00
        棋戦：LAN cup, final
        持ち時間：5分 1手10秒加算
        最大手数：256
        手合割：平手
        先手：kyomi
        後手：other
        表題：決勝
        備考：two
        備考：lines
        手数----指手---------消費時間--
        *a comment
           1 ７六歩(77)   ( 0:03/00:00:03)
           2 ３四歩(33)   ( 0:12/00:00:12)
           3 ２二角成(88) ( 1:00/00:01:03)+
        **対局 深さ 7 ノード数 1234 評価値 -30000 読み筋 ▲２二角成(88) △同　銀(31) ▲５五角打
        **詰み=後手勝ち:8手
        *why?
        &mark
           4 同　銀(31)   (60:00/01:00:12)
           5 ５五角打     ( 0:01/00:01:04)
           6 反則負け     ( 0:02/01:00:14)
        まで5手で後手の反則負け

        変化：3手
           3 ２六歩(27)+
           4 ８四歩(83)+
           5 中断

        変化：4手
           4 ３二金(41)

        変化：3手
           3 ６六歩(67)
    "#]]
    .assert_eq(&text);
    assert_eq!(omissions.to_string(), "1 fraction of a second");
    record.moves[0].time = Some(Duration::from_secs(3));
    assert_eq!(self::record(&text), record);
}

const HEADING: &str = "手数----指手---------消費時間--\n";

#[test]
fn all_widths_and_missing_parts_are_read() {
    for text in [
        "   1 ７六歩(77)   ( 0:16/00:00:16)\n   2 ３四歩(33)   ( 0:01/00:00:01)\n   3 ２二角成(88) ( 0:02/00:00:18)\n   4 同　銀(31)   ( 0:00/00:00:01)\n",
        "1 76歩(77)\n2 34歩(33)\n3 22角成(88)\n4 同銀(31)\n",
        "１　７六歩（７７）\r\n２　３四歩（３３）\r\n３　２二角成（８８）\r\n４　同　銀（３１）\r\n",
        "▲７六歩(77)\n△３四歩(33)\n▲２二角成(88)\n△２二同銀(31)\n",
        "７六歩(77)\n\n３四歩(33)\n２二角成(88)\n同銀(31)\n",
        "1 ７六歩\n2 ３四歩\n3 ２二角成\n4 同銀\n",
        "\u{feff}1 ▲７六歩(77)\n2 △３四歩(33)\n3 ▲２二角成(88)\n4 △同　銀(31)\n\u{1a}",
        "手合割：平手　\n手数----指手--\n   1 ７六歩(77) (1:00:16)\n   2 ３四歩(33) (0:01.5/)\n   3 ２二角成(88)\n   4 同　銀(31) (/00:00:01)\n",
    ] {
        let record = record(text);
        assert_eq!(moves(&record.moves), "7g7f 3c3d 8h2b+ 3a2b", "{text}");
        assert_eq!(record.start, Position::startpos());
    }
}

#[test]
fn times_are_those_of_the_moves() {
    let record = record(
        "1 ７六歩(77) ( 1:16/00:01:16)\n2 ３四歩(33) (1:00:01.25/1:00:01)\n3 投了 (0:05/0:1:21)\n",
    );
    let times: Vec<_> = record.moves.iter().map(|made| made.time.unwrap().as_millis()).collect();
    assert_eq!(times, [76_000, 3_601_250]);
    assert_eq!(record.end.unwrap().time, Some(Duration::from_secs(5)));
}

#[test]
fn unusual_lines_are_ignored_with_a_warning() {
    for (text, many) in [
        ("1 ７六歩(77)\n3 ３四歩(33)\n", 1),
        ("21 ７六歩(77)\n22 ３四歩(33)\n", 1),
        ("1 ７六歩(77) (x:y)\n2 ３四歩(33)\n", 1),
        ("1 △７六歩(77)\n2 ３四歩(33)\n", 1),
        ("1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n4 ２六歩(27)\n5 中断\n", 2),
        ("1 ７六歩(77)\n2 ３四歩(33)\nsomething else\n手合割：平手\n", 1),
        ("1 ７六歩(77)\n2 ３四歩(33)\n後手番\n後手の持駒：なし\n|x|\n手数＝3\n", 4),
    ] {
        let games: Vec<_> = read_each(text.as_bytes()).collect();
        let game = games[0].as_ref().unwrap();
        assert_eq!(moves(&game.record.moves), "7g7f 3c3d", "{text}");
        assert_eq!((&game.fault, game.warnings.len()), (&None, many), "{:?}", game.warnings);
    }
}

#[test]
fn every_end_word_is_read_with_its_winner() {
    // Black to move at the end.
    let black = Some(Winner::Side(Color::Black));
    let white = Some(Winner::Side(Color::White));
    for (word, winner) in [
        ("投了", white),
        ("中断", None),
        ("千日手", Some(Winner::Draw)),
        ("持将棋", Some(Winner::Draw)),
        ("切れ負け", white),
        ("反則負け", white),
        ("反則勝ち", black),
        ("入玉勝ち", black),
        ("勝ち宣言", black),
        ("引き分け", Some(Winner::Draw)),
        ("引分", Some(Winner::Draw)),
        ("待った", None),
        ("詰み", white),
        ("不詰", None),
        ("最大手数", Some(Winner::Draw)),
        ("エラー", None),
        ("先手の勝ち", black),
        ("後手の勝ち", white),
        ("不戦敗", white),
        ("不戦勝", black),
        ("不戦勝ち", black),
    ] {
        let text = format!("1 ７六歩(77)\n2 ３四歩(33)\n3 {word} ( 0:04/00:00:04)\n*why\n");
        let record = record(&text);
        let end = record.end.clone().unwrap();
        assert!(!matches!(end.kind, EndKind::Unknown(_)), "{word}");
        assert_eq!((end.time, end.comments), (Some(Duration::from_secs(4)), vec!["why".into()]));
        assert_eq!(record.winner(), winner, "{word}");
        let mut omissions = Omissions::new();
        assert_eq!(self::record(&write(&record, Encoding::Utf8, &mut omissions)), record);
        assert!(omissions.is_empty(), "{word}");
    }
    for word in ["封じ手", "トライ"] {
        let game = one(&format!("1 ７六歩(77)\n2 {word}\n"));
        assert_eq!(game.record.end.as_ref().unwrap().kind, EndKind::Unknown(word.into()));
        assert_eq!(game.warnings.len(), 1);
        assert_eq!(one(&written(&game.record)).record, game.record);
    }
}

#[test]
fn a_result_line_alone_is_an_end() {
    let record = record("1 ７六歩(77)\nまで1手で先手の勝ち\n*why\n");
    let end = record.end.unwrap();
    assert_eq!((end.kind, end.comments), (EndKind::Resign, vec!["why".to_owned()]));
}

#[test]
fn a_sealed_move_ends_the_day_and_not_the_game() {
    let game = one("1 ７六歩(77)\n2 封じ手\n2 ３四歩(33)\n3 投了\n");
    assert_eq!(moves(&game.record.moves), "7g7f 3c3d");
    assert_eq!(game.record.moves[0].comments, ["封じ手"]);
    assert_eq!(game.record.end.unwrap().kind, EndKind::Resign);
}

#[test]
fn an_offence_that_cannot_be_played_still_loses() {
    let game = one("1 ７六歩(77)\n2 ３四歩(33)\n3 ５五\n4 反則勝ち\n");
    assert!(game.fault.is_some());
    assert_eq!(game.record.winner(), Some(Winner::Side(Color::White)));
    let game = one("1 ７六歩(77)\n2 ３四歩(33)\n3 ５五歩打\n4 ８四歩(83)\n5 投了\n");
    assert_eq!(game.record.end, None, "whose end it is cannot be known");
}

#[test]
fn headers_have_their_fields() {
    let header = record(
        "開始日時：2026/08/01(土) 9:00\n終了日時：2026年8月2日\n棋戦: 名人戦　\n場所：東京\n\
         持ち時間：各25分\n秒読み：30秒\n戦型：矢倉\n手合割：平手\n先手：甲　乙　\n後手：丙\n備考：良い\n\
         消費時間：124▲233△212\n対局日：2026/08/01\n先手省略名：甲\n最大手数：256手\n表題：\n\
         作品番号：3\n手数----指手---------消費時間--\n*a\n&b\n",
    )
    .header;
    assert_eq!(header.black.as_deref(), Some("甲　乙"));
    assert_eq!(header.white.as_deref(), Some("丙"));
    assert_eq!(header.event.as_deref(), Some("名人戦"));
    assert_eq!(header.site.as_deref(), Some("東京"));
    assert_eq!(header.opening.as_deref(), Some("矢倉"));
    assert_eq!(header.note.as_deref(), Some("良い"));
    assert_eq!(header.start_time.unwrap().to_string(), "2026/08/01 09:00:00");
    assert_eq!(header.end_time.unwrap().to_string(), "2026/08/02");
    assert_eq!(header.controls.unwrap().to_string(), "1500,byoyomi=30");
    assert_eq!(header.max_moves, Some(256));
    let keys: Vec<_> = header.other.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["消費時間", "先手省略名", "作品番号"]);
    assert_eq!(header.comments, ["a", "&b"]);
}

#[test]
fn handicaps_are_read_and_written_by_name() {
    for handicap in HANDICAPS {
        let start = record(&format!("手合割：{}\n{HEADING}", handicap.japanese)).start;
        assert_eq!(start, handicap.position());
        let text = written(&Record::new(Header::default(), start));
        assert!(text.contains(&format!("手合割：{}\n", handicap.japanese)), "{text}");
        assert_eq!(text.contains("下手："), handicap.japanese != "平手");
    }
    let game =
        record("手合割：香落ち\n下手：甲\n上手：乙\n1 ３四歩(33)\n2 投了\nまで1手で上手の勝ち\n");
    assert_eq!(game.header.black.as_deref(), Some("甲"));
    assert_eq!(game.winner(), Some(Winner::Side(Color::White)));
}

const BOARD: &str = "後手の持駒：飛　角二　歩十八　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n\
    +---------------------------+\n|v香 ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n\
    | ・ ・ 龍 ・ ・ ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n\
    | ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| ・ ・ ・ ・ ・v圭 ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n\
    | ・ ・ ・ ・ 王 ・ ・ ・ 杏|九\n+---------------------------+\n先手の持駒：銀\n";

#[test]
fn boards_are_read_and_written() {
    let sfen = "l3k4/9/2+R6/9/9/9/5+n3/9/4K3+L b Sr2b18p 1";
    assert_eq!(record(BOARD).start.to_sfen(), sfen);
    let white = format!("{BOARD}手数＝33  △３三角  まで\n後手番\n");
    let start = record(&white).start;
    assert_eq!(start.to_sfen(), "l3k4/9/2+R6/9/9/9/5+n3/9/4K3+L w Sr2b18p 34");
    for start in [start, Position::from_sfen(sfen).unwrap()] {
        let text = written(&Record::new(Header::default(), start.clone()));
        assert_eq!(record(&text).start, start, "{text}");
    }
    for (old, new) in [
        ("飛　角二　歩十八　", "飛角2歩18"),
        ("飛　角二　歩十八　", "歩１８、飛 角 角"),
        ("後手の持駒：", "上手の持ち駒:"),
        ("後手の持駒：", "手合割：その他\n後手の持駒："),
        ("  ９ ８ ７ ６ ５ ４ ３ ２ １", "  9 8 7 6 5 4 3 2 1"),
    ] {
        assert_eq!(record(&BOARD.replace(old, new)).start.to_sfen(), sfen, "{new}");
    }
    let problem = BOARD.replace("飛　角二　歩十八　", "残り全部");
    assert_eq!(
        record(&problem).start.to_sfen(),
        "l3k4/9/2+R6/9/9/9/5+n3/9/4K3+L b Sr2b4g3s3n2l18p 1"
    );
}

#[test]
fn an_invalid_start_position_is_refused_with_its_place() {
    let board = |old: &str, new: &str| {
        let error = error(&BOARD.replace(old, new));
        (error.place, error.to_string())
    };
    for (old, new, place, text) in [
        ("角二", "角三", (4, 1), "there are 3 bishops"),
        ("歩十八", "歩255", (4, 1), "there are 255 pawns"),
        ("歩十八", "歩99999999999999999999999999", (4, 1), "there are 255 pawns"),
        ("飛　", "玉　", (1, 1), "'玉' is not a piece of a hand"),
        (" 王", "v玉", (4, 1), "white has a second king"),
        ("龍", "駒", (6, 1), "'駒' is not a piece of a board"),
        ("|一", " ・|一", (4, 1), "more than nine"),
        ("|v香 ・", "|v香", (4, 1), "rank 1 of the board has fewer"),
        ("|六\n", "|六\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n", (13, 1), "more than nine"),
        ("| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n", "", (4, 1), "rank 9 of the board is missing"),
    ] {
        let (found, message) = board(old, new);
        let place = Place::text(place.0, place.1);
        assert!(message.contains(text), "{new}: {message}");
        assert_eq!(found.line(), place.line(), "{message}");
    }
    let unknown = error("手合割：歩三兵\n1 ７六歩(77)\n");
    assert_eq!(unknown.place, Place::text(1, 1));
    assert!(unknown.to_string().contains("'歩三兵' is not a known handicap"));
    assert_eq!(error("no game\n").place, Place::text(1, 1));
    assert_eq!(error("").place, Place::text(1, 1));
}

#[test]
fn a_move_that_cannot_be_played_ends_its_line_with_one_clear_fault() {
    for (line, expected) in [
        ("2 ３三歩(34)", "line 3, column 3: ply 2: ３三歩(34) is illegal"),
        ("2 ５五角打", "line 3, column 3: ply 2: ５五角打 is illegal"),
        ("2 ３四銀(33)", "line 3, column 3: ply 2: the piece on 33 is not that of"),
        ("2 ３四", "line 3, column 3: ply 2: '３四' is not a move"),
        ("2 ３十歩(33)", "line 3, column 3: ply 2: '３十歩(33)' is not a move"),
        ("   2 ▲", "line 3, column 6: ply 2: '▲' is not a move"),
    ] {
        let text = format!("{HEADING}1 ７六歩(77)\n{line}\n*lost\n3 ２六歩(27)\n4 投了\n");
        let (made, fault) = fault(&text);
        assert_eq!(made, 1);
        assert!(fault.starts_with(expected), "{fault}");
    }
}

#[test]
fn a_variation_leaves_the_last_line_that_began_before() {
    let text = "1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 ８四歩(83)\n\
        変化：4手\n4 ４四歩(43)\n5 ２五歩(26)\n\n変化：5手\n5 ４八銀(39)\n*c\n6 投了\n\n\
        変化 3手\n*pending\n3 ６六歩(67)\n変化：4手\n変化：3手\n3 １六歩(17)\n変化：1手\n1 ２六歩(27)\n";
    let record = record(text);
    let lines: Vec<_> =
        record.variations.iter().map(|line| (line.parent, line.ply, moves(&line.moves))).collect();
    assert_eq!(
        lines,
        [
            (None, 4, "4c4d 2f2e".to_owned()),
            (Some(0), 5, "3i4h".to_owned()),
            (None, 3, "6g6f".to_owned()),
            (None, 3, "1g1f".to_owned()),
            (None, 1, "2g2f".to_owned()),
        ]
    );
    assert_eq!(record.variations[1].moves[0].comments, ["c"]);
    assert_eq!(record.variations[1].end.as_ref().unwrap().kind, EndKind::Resign);
    assert_eq!(record.variations[2].moves[0].comments, ["pending"]);
    assert_eq!(self::record(&written(&record)), record);
}

#[test]
fn a_variation_of_nothing_is_a_fault_and_the_others_are_read() {
    for number in ["9", "0", "x", "99999999999999999999999"] {
        let text = format!(
            "1 ７六歩(77)\n2 ３四歩(33)\n変化：{number}手\n3 ２六歩(27)\n*lost\n変化：2手\n2 ８四歩(83)\n"
        );
        let game = one(&text);
        assert!(game.fault.unwrap().to_string().starts_with("line 3, column 1: no line that"));
        assert_eq!(game.record.variations.len(), 1);
    }
    // A fault in a variation does not affect the others.
    let game = one("1 ７六歩(77)\n変化：1手\n1 ２六歩(27)\n2 ５五歩打\n変化：1手\n1 １六歩(17)\n");
    assert_eq!((game.record.variations.len(), game.fault.is_some()), (2, true));
}

#[test]
fn concatenated_games_are_read_one_by_one() {
    let game = "#KIF version=2.0 encoding=UTF-8\n# ----  a program  ----\n手合割：平手\n先手：甲\n手数----指手--\n1 ７六歩(77)\n2 投了\nまで1手で先手の勝ち\n終了日時：2026/08/01\n";
    let broken = "手合割：歩三兵\n先手：甲\n1 ７六歩(77)\n";
    let text = [game, broken, game].concat();
    let games: Vec<_> = read_each(text.as_bytes()).collect();
    assert_eq!(games.len(), 3);
    assert_eq!(games[0].as_ref().unwrap().version.as_deref(), Some("2.0"));
    assert_eq!(games[0].as_ref().unwrap().record, games[2].as_ref().unwrap().record);
    assert_eq!(games[1].as_ref().unwrap_err().place, Place::text(10, 1));
}

#[test]
fn foreign_text_cannot_add_lines() {
    let header = Header {
        black: Some("evil\n1 投了".into()),
        comments: vec!["x\n1 投了\r".into()],
        other: vec![("BAD\nKEY".into(), "v".into()), ("変化".into(), "1手".into())],
        note: Some("\u{1b}[2J".into()),
        ..Header::default()
    };
    let mut record = Record::new(header, Position::startpos());
    record.end = Some(End::new(EndKind::Unknown("X\n1 ７六歩(77)".into())));
    let mut omissions = Omissions::new();
    let text = write(&record, Encoding::Utf8, &mut omissions);
    let again = one(&text).record;
    assert!(again.moves.is_empty(), "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    assert_eq!(omissions.iter().map(|(_, count)| count).sum::<usize>(), 7, "{omissions}");
}

#[test]
fn unplayable_moves_and_unreachable_variations_are_not_written() {
    let mut record = Record::new(Header::default(), Position::startpos());
    record.moves = usi_moves("7g7f 7g7f 3c3d");
    let leave = |parent, ply| Variation { parent, ply, moves: usi_moves("3c3d"), end: None };
    record.variations = vec![leave(None, 3), leave(Some(0), 4), leave(None, 2)];
    let mut omissions = Omissions::new();
    let text = write(&record, Encoding::Utf8, &mut omissions);
    let again = self::record(&text);
    assert_eq!((again.moves.len(), again.variations.len()), (1, 1), "{text}");
    assert_eq!(omissions.to_string(), "2 variations, 2 moves");
    record.variations = vec![leave(None, 9)];
    let mut omissions = Omissions::new();
    write(&record, Encoding::Utf8, &mut omissions);
    assert_eq!(omissions.to_string(), "1 variation, 2 moves");
}

/// The samples of all dialects, written by hand.
#[test]
fn samples_of_all_dialects_round_trip() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/kif");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for game in read_each(&bytes) {
            let game = game.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!((&game.fault, &game.warnings), (&None, &vec![]), "{}", path.display());
            assert!(!game.record.moves.is_empty(), "{}", path.display());
            for encoding in Encoding::ALL {
                let mut omissions = Omissions::new();
                let bytes = Format::Kif.write(&game.record, encoding, &mut omissions);
                let again = Format::Kif.read_each(&bytes).next().unwrap().unwrap();
                assert_eq!(again.record, game.record, "{}", path.display());
                assert!(omissions.is_empty(), "{}: {omissions}", path.display());
            }
            count += 1;
        }
    }
    assert!(count >= 10, "{count}");
}
