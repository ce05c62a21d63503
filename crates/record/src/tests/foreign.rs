//! What other programs write, in every format that can hold it.

use std::time::Duration;

use super::*;
use crate::testing::{clean_record, only_game};
use kyomi_shogi::{Color, Score};

const WHITE_WON: Option<Winner> = Some(Winner::Side(Color::White));
const CSA3: Format = Format::Csa3;
const TEXTS: [Format; 4] = [Format::Csa2, CSA3, Format::Kif, Format::Jkf];

fn written(format: Format, record: &Record) -> (String, Omissions) {
    let mut omissions = Omissions::new();
    let bytes = format.write(record, Encoding::Utf8, &mut omissions);
    (String::from_utf8(bytes).unwrap(), omissions)
}

/// The game up to the second pawn of black on the third file.
fn foul_in_csa(end: &str) -> String {
    let moves =
        ["+2726FU", "-8384FU", "+2625FU", "-8485FU", "+2524FU", "-2324FU", "+2824HI", "-8586FU"];
    format!("V2.2\nN+a\nN-b\nPI\n+\n{},T1\n+0035FU\nT7\n'*nifu\n{end}", moves.join(",T1\n"))
}

#[test]
fn the_illegal_move_that_ended_the_game_is_kept_in_every_format() {
    for (end, comments) in [
        ("%ILLEGAL_MOVE\n'game over\n", &["game over"][..]),
        ("%+ILLEGAL_ACTION\n'*game over\n", &["game over"]),
        ("#ILLEGAL_MOVE\n'game over\n", &["game over"]),
        ("'summary:illegal move:a lose:b win\n", &["summary:illegal move:a lose:b win"]),
    ] {
        let record = clean_record(Format::Csa2, &foul_in_csa(end));
        assert_eq!((record.winner(), record.moves.len()), (WHITE_WON, 8), "{end}");
        let ending = record.end.as_ref().unwrap();
        assert_eq!(ending.comments, comments, "{end}");
        let foul = ending.foul.as_ref().unwrap();
        assert_eq!(
            (foul.mv.to_string().as_str(), foul.time),
            ("+0035FU", Some(Duration::from_secs(7)))
        );
        assert_eq!(foul.comments, ["nifu"]);
        for format in TEXTS {
            let (text, omissions) = written(format, &record);
            assert_eq!(clean_record(format, &text), record, "{text}");
            assert!(omissions.is_empty(), "{omissions}");
        }
        let (text, omissions) = written(Format::Ki2, &record);
        let mut again = clean_record(Format::Ki2, &text);
        assert_eq!(omissions.to_string(), "9 times of moves", "{text}");
        let kept = again.end.as_mut().unwrap();
        kept.foul.as_mut().unwrap().time = foul.time;
        assert_eq!(
            (again.end.as_ref(), again.winner()),
            (record.end.as_ref(), WHITE_WON),
            "{text}"
        );
        let (text, omissions) = written(Format::Usi, &record);
        assert!(!text.contains("P*3e"), "{text}");
        assert!(
            omissions.to_string().contains("1 illegal move that ended the game"),
            "{omissions}"
        );
    }
}

#[test]
fn a_record_that_stops_at_an_illegal_move_is_lost_by_it() {
    let csa = foul_in_csa("");
    let kif = "1 ２六歩(27)\n2 ８四歩(83)\n3 ２五歩(26)\n4 ８五歩(84)\n5 ２四歩(25)\n6 同　歩(23)\n7 同　飛(28)\n\
        8 ８六歩(85)\n9 ３五歩打 ( 0:07/00:00:07)\n*nifu\n";
    let ki2 = "▲２六歩△８四歩▲２五歩△８五歩▲２四歩△同　歩▲同　飛△８六歩▲３五歩打\n*nifu\n";
    let usi = "startpos moves 2g2f 8c8d 2f2e 8d8e 2e2d 2c2d 2h2d 8e8f P*3e\n";
    for (format, text) in
        [(Format::Csa2, csa.as_str()), (Format::Kif, kif), (Format::Ki2, ki2), (Format::Usi, usi)]
    {
        let game = only_game(format, text);
        assert!(game.fault.is_some(), "it may be a mistake in the file");
        assert_eq!((game.record.winner(), game.record.moves.len()), (WHITE_WON, 8));
        assert!(game.warnings.is_empty(), "{:?}", game.warnings);
        let jkf = written(Format::Jkf, &game.record).0;
        let bare = jkf.replace(",\n{\"special\":\"+ILLEGAL_ACTION\"}", "");
        let again = only_game(Format::Jkf, &bare);
        assert_eq!((&again.record.end, again.fault.is_some()), (&game.record.end, true), "{bare}");
    }
}

#[test]
fn the_words_after_an_illegal_move_are_of_either_side() {
    let kif = |end: &str| {
        format!("先手：a\n後手：b\n1 ７六歩(77)\n2 ３四歩(33)\n3 ５五歩打 (0:07/)\n*nifu\n{end}")
    };
    for end in [
        "4 反則勝ち\n*why\nまで3手で後手の勝ち\n",
        "4 反則負け\n",
        "4 Illegal move ( 0:01/)\n",
        "反則負け\n",
        "まで3手で後手の勝ち\n",
        "まで3手で後手の反則勝ち\n",
        "まで3手で先手の反則負け\n",
        "まで3手で反則負け\n",
        "まで3手で反則勝ち\n",
    ] {
        // The pawn is not in hand, so only the words make it an offence.
        let record = clean_record(Format::Kif, &kif(end));
        assert_eq!(record.winner(), WHITE_WON, "{end}");
        let foul = record.end.as_ref().unwrap().foul.as_ref().unwrap();
        assert_eq!((foul.mv.to_string().as_str(), foul.comments.len()), ("+0055FU", 1), "{end}");
    }
    for end in [
        "",
        "4 投了\n",
        "4 ８四歩(83)\n",
        "まで3手で先手の勝ち\n",
        "まで3手で中断\n",
        "まで3手で後手の反則負け\n",
    ] {
        let game = only_game(Format::Kif, &kif(end));
        assert_eq!((game.record.moves.len(), game.record.end), (2, None), "{end}");
        assert!(game.fault.is_some(), "{end}");
        let lost = "the time and 1 comment of +0055FU not kept, because it cannot be played";
        assert!(game.warnings.iter().any(|warning| warning.text == lost), "{end}");
    }
    let game = only_game(Format::Csa2, "PI\n+\n+7776FU\n+2726FU,T3\n%-ILLEGAL_ACTION\n");
    assert!(game.fault.is_some(), "black moved twice, but white is said to have offended");
    let twice = clean_record(Format::Csa2, "PI\n+\n+7776FU\n+2726FU,T3\n%+ILLEGAL_ACTION\n");
    assert_eq!(clean_record(Format::Kif, &written(Format::Kif, &twice).0), twice);
}

#[test]
fn fouls_of_every_kind_survive() {
    for (moves, foul) in [
        ("+7776FU,-3334FU,", "+8811KA"),
        ("+7776FU,-3334FU,+8833UM,", "-2255KA"),
        ("+7776FU,-3334FU,", "+8822RY"),
        ("+7776FU,-3334FU,", "+0055OU"),
        ("+7776FU,-3334FU,", "+7677FU"),
        ("+7776FU,-3334FU,", "+5556FU"),
        ("+7776FU,", "+2726FU"),
    ] {
        let record =
            clean_record(CSA3, &format!("PI\n+\n{moves}{foul}\n%{}ILLEGAL_ACTION\n", &foul[..1]));
        assert_eq!(record.end.as_ref().unwrap().foul.as_ref().unwrap().mv.to_string(), foul);
        for format in [CSA3, Format::Kif, Format::Ki2, Format::Jkf] {
            let text = written(format, &record).0;
            assert_eq!(clean_record(format, &text), record, "{text}");
        }
    }
}

#[test]
fn a_variation_may_end_with_an_illegal_move() {
    let text = "1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n\n変化：2手\n2 ８四歩(83)\n3 ２二角成(88)\n4 反則勝ち\n\n\
        変化：2手\n2 ４四歩(43)\n3 ５五歩打\n";
    let game = only_game(Format::Kif, text);
    let ends: Vec<_> = game.record.variations.iter().map(|line| line.end.is_some()).collect();
    assert_eq!((ends, game.fault.is_some()), (vec![true, false], true));
    for format in [Format::Kif, Format::Ki2, Format::Jkf] {
        let text = written(format, &game.record).0;
        assert_eq!(clean_record(format, &text), game.record, "{text}");
    }
}

#[test]
fn one_start_time_is_made_of_a_day_and_a_time() {
    for head in [
        "対局日：2026/08/06\n開始日時：2026/08/06 15:33:54\n",
        "開始日時：2026/08/06 15:33:54\n対局日：2026/08/06\n",
        "対局日：2026年8月6日(木)\n開始日時：2026-08-06T15:33:54\n対局日：2026/08/06\n",
    ] {
        let record = clean_record(
            Format::Kif,
            &format!("{head}終了日時：2026/08/06 15:40:02\n手合割：平手\n1 投了\n"),
        );
        for format in [Format::Csa2, CSA3, Format::Kif, Format::Ki2, Format::Jkf] {
            let text = written(format, &record).0;
            let header = clean_record(format, &text).header;
            assert_eq!(header.start_time.unwrap().to_string(), "2026/08/06 15:33:54", "{text}");
            assert_eq!(
                (header.other.len(), text.matches("2026/08/06 15:33:54").count()),
                (0, 1),
                "{text}"
            );
        }
    }
    let other =
        clean_record(Format::Kif, "開始日時：2026/08/06 15:33\n対局日：2026/08/05\n1 投了\n")
            .header;
    assert_eq!(other.other, [("対局日".to_owned(), "2026/08/05".to_owned())], "the days differ");
    let csa =
        clean_record(CSA3, "$START_TIME:2026/08/06 15:33:54\n$START_TIME:2026/08/06\nPI\n+\n")
            .header;
    assert_eq!(csa.start_time.unwrap().to_string(), "2026/08/06 15:33:54");
}

#[test]
fn controls_are_what_the_file_says() {
    for (head, controls, text) in [
        ("持ち時間：６時間\n", None, Some(("持ち時間", "６時間"))),
        ("持ち時間：各1時間30分\n", None, Some(("持ち時間", "各1時間30分"))),
        ("秒読み：30秒\n", None, Some(("秒読み", "30秒"))),
        ("持ち時間：0分\n秒読み：10秒\n", Some("0,byoyomi=10"), None),
        ("秒読み：10秒\n持ち時間：６時間\n", Some("21600,byoyomi=10"), None),
        ("持ち時間：各15分\n秒読み：0秒\n", Some("900"), None),
        ("持ち時間：10分切れ負け\n", Some("600"), None),
        ("持ち時間：10分切れ負け\n秒読み：30秒\n", Some("600"), Some(("秒読み", "30秒"))),
        ("持ち時間：5:00+10\n", Some("300,byoyomi=10"), None),
        ("持ち時間：30+0+5\n", Some("30+5"), None),
        ("持ち時間：10分+30秒\n", Some("600,byoyomi=30"), None),
    ] {
        let record = clean_record(Format::Kif, &format!("{head}手合割：平手\n1 投了\n"));
        for format in [Format::Csa2, CSA3, Format::Kif, Format::Ki2, Format::Jkf] {
            let written = written(format, &record).0;
            let header = clean_record(format, &written).header;
            let read = header.controls.map(|controls| controls.to_string());
            assert_eq!(read.as_deref(), controls, "{written}");
            let other: Vec<_> =
                header.other.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            assert_eq!(other, text.into_iter().collect::<Vec<_>>(), "{written}");
        }
    }
    let record = clean_record(Format::Kif, "持ち時間：0分\n秒読み：10秒\n1 投了\n");
    assert!(written(CSA3, &record).0.contains("\n$TIME:0+10+0\n"));
}

#[test]
fn comments_of_other_programs_in_csa_have_no_star() {
    let engine = "評価値=-35\n読み筋=▲２五歩△８五歩\n深さ=8\nノード数=12345\nエンジン=foo";
    for mark in ["**", "*#"] {
        let lines = format!("'{mark}{}\n", engine.replace('\n', &format!("\n'{mark}")));
        let record = clean_record(
            CSA3,
            &format!(
                "PI\n+\n'*at the start\n+2726FU\n-8384FU\n'*互角\n'* spaced\n{lines}+2625FU\n%TORYO\n'*well played\n"
            ),
        );
        assert_eq!(record.header.comments, ["at the start"]);
        assert_eq!(record.end.as_ref().unwrap().comments, ["well played"]);
        let made = &record.moves[1];
        let left = format!("{}エンジン=foo", &mark[1..]);
        assert_eq!(made.comments, ["互角", "spaced", left.as_str()]);
        let analysis = made.analysis.as_ref().unwrap();
        assert_eq!(analysis.score, Some(Score::Cp(-35)));
        assert_eq!((analysis.depth, analysis.nodes, analysis.pv.len()), (Some(8), Some(12345), 2));
        for format in TEXTS {
            let text = written(format, &record).0;
            assert_eq!(clean_record(format, &text), record, "{text}");
        }
    }
    let floodgate = clean_record(CSA3, "PI\n+\n+2726FU\n'* 30 -8384FU +2625FU\n");
    let analysis = floodgate.moves[0].analysis.as_ref().unwrap();
    assert_eq!((analysis.score, analysis.pv.len()), (Some(Score::Cp(30)), 2));
    let note = clean_record(CSA3, "PI\n+\n+2726FU\n'* 30 moves later\n");
    assert_eq!(note.moves[0].comments, ["30 moves later"]);
}

#[test]
fn english_ends_are_known() {
    for (word, kind) in [
        ("Time-up", EndKind::TimeUp),
        ("Time up", EndKind::TimeUp),
        ("TIMEUP", EndKind::TimeUp),
        ("Resign", EndKind::Resign),
        ("Illegal move", EndKind::IllegalMove),
        ("Repetition", EndKind::Sennichite),
        ("Checkmate", EndKind::Mate),
        ("Impasse", EndKind::Jishogi),
        ("Draw", EndKind::DrawDeclared),
        ("Suspended", EndKind::Interrupted),
        ("Black wins", EndKind::Decided(Winner::Side(Color::Black))),
    ] {
        for line in [format!("2   {word}   (0:0/)"), word.replace(' ', "-")] {
            let record = clean_record(
                Format::Kif,
                &format!("手合割：平手\n手数----指手--\n1 ７六歩(77)\n{line}\n"),
            );
            assert_eq!(record.end.as_ref().map(|end| &end.kind), Some(&kind), "{line}");
            let csa = written(CSA3, &record).0;
            assert_eq!(clean_record(CSA3, &csa).winner(), record.winner(), "{csa}");
        }
    }
}

#[test]
fn the_side_that_gave_perpetual_check_has_lost() {
    let start = "手合割：その他\n後手の持駒：なし\n|v玉 ・ ・ ・ ・ ・ ・ ・ ・|\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n\
        | 飛 ・ ・ ・ ・ ・ ・ ・ ・|\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n| ・ ・ ・ ・ 玉 ・ ・ ・ ・|\n先手の持駒：なし\n後手番\n手数----指手--\n";
    for (moves, side) in [
        ("1 連続王手の千日手\n", Color::Black),
        ("1 ８一玉(91)\n2 連続王手の千日手\n", Color::Black),
    ] {
        let record = clean_record(Format::Kif, &format!("{start}{moves}"));
        assert_eq!(record.end.unwrap().kind, EndKind::IllegalAction(side), "{moves}");
    }
}

#[test]
fn an_end_without_a_word_never_leaves_the_words_of_a_format() {
    const SPECIALS: [&str; 14] = [
        "TORYO",
        "CHUDAN",
        "SENNICHITE",
        "TIME_UP",
        "ILLEGAL_MOVE",
        "+ILLEGAL_ACTION",
        "-ILLEGAL_ACTION",
        "JISHOGI",
        "KACHI",
        "HIKIWAKE",
        "MATTA",
        "TSUMI",
        "FUZUMI",
        "ERROR",
    ];
    let decided = [Winner::Side(Color::Black), Winner::Side(Color::White), Winner::Draw];
    let unknown = ["封じ手", "Abandoned", "FOO_BAR", "two words"]
        .map(|word| EndKind::Unknown(word.to_owned()));
    let kinds = EndKind::known().chain(decided.map(EndKind::Decided)).chain(unknown);
    for kind in kinds {
        let mut record = Record::new(Header::default(), kyomi_shogi::Position::startpos());
        let comments = vec!["a comment".to_owned(), "*end draw".to_owned()];
        record.end =
            Some(End { time: Some(Duration::from_secs(70)), comments, ..End::new(kind.clone()) });
        let jkf = written(Format::Jkf, &record).0;
        let json: serde_json::Value = serde_json::from_str(&jkf).unwrap();
        let special = json["moves"][1]["special"].as_str().unwrap().to_owned();
        assert!(SPECIALS.contains(&special.as_str()), "{special}");
        let again = only_game(Format::Jkf, &jkf).record.end.unwrap();
        assert_eq!((&again.kind, again.time), (&kind, Some(Duration::from_secs(70))), "{jkf}");
        for format in [Format::Csa2, CSA3] {
            let csa = written(format, &record).0;
            let word = csa.lines().find_map(|line| line.strip_prefix('%')).unwrap_or("TORYO");
            assert!(!matches!(EndKind::from_word(word.trim()), EndKind::Unknown(_)), "{csa}");
            let again = only_game(format, &csa).record.end.unwrap();
            assert_eq!((&again.kind, again.time), (&kind, Some(Duration::from_secs(70))), "{csa}");
        }
    }
}

#[test]
fn a_result_line_decides_what_an_unknown_end_leaves_open() {
    let game =
        only_game(Format::Kif, "1 ７六歩(77)\n2 Left the table\n*sad\nまで1手で先手の勝ち\n");
    let end = game.record.end.unwrap();
    assert_eq!(end.kind, EndKind::Decided(Winner::Side(Color::Black)));
    assert_eq!(end.comments, ["Left the table", "sad"]);
    assert_eq!(game.warnings.len(), 1);
}

const DIAGRAM: &str = "後手：b\n後手の持駒：飛　角　金　銀　桂　香　歩四　\n+---------------------------+\n\
    |v香v桂 ・ ・ ・ ・ ・ ・ ・|一\n| ・ ・ ・ 馬 ・ ・ 龍 ・ ・|二\n| ・ ・v玉 ・v歩 ・ ・ ・ ・|三\n\
    |v歩 ・ ・ ・v金 ・ ・ ・ ・|四\n| ・ ・v銀 ・ ・ ・v歩 ・ ・|五\n| ・ ・ ・ ・ 玉 ・ ・ ・ ・|六\n\
    | 歩 歩 ・ 歩 歩v歩 歩 ・ 歩|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n| 香 桂v金 ・v金 ・ ・ 桂 香|九\n\
    +---------------------------+\n先手：a\n先手の持駒：銀二　歩四　\n手数＝171  ▲６二角成  まで\n*第1局\n後手番\n";

#[test]
fn the_line_below_a_diagram_is_kept() {
    let record = clean_record(Format::Kif, DIAGRAM);
    assert_eq!(record.start.ply(), 172);
    assert_eq!(record.header.comments, ["手数＝171  ▲６二角成  まで", "第1局"]);
    assert_eq!(clean_record(Format::Kif, &written(Format::Kif, &record).0), record);
    let plain = clean_record(Format::Kif, &DIAGRAM.replace("  ▲６二角成  まで", ""));
    assert_eq!((plain.start.ply(), plain.header.comments.len()), (172, 1));
}

#[test]
fn a_start_with_two_pawns_on_a_file_is_converted_with_a_warning() {
    let text =
        DIAGRAM.replace("| ・ ・v銀 ・ ・ ・v歩 ・ ・|五", "| 歩 ・v銀 ・ ・ ・ ・ ・ ・|五");
    let game = only_game(Format::Kif, &text);
    assert!(game.record.start.check_playable().is_err());
    for format in
        [Format::Csa2, CSA3, Format::Kif, Format::Ki2, Format::Jkf, Format::Usi, Format::Sfen]
    {
        let text = written(format, &game.record).0;
        let again = only_game(format, &text);
        let [warning] = &again.warnings[..] else { panic!("{:?} {text}", again.warnings) };
        assert!(
            warning.text.starts_with(
                "the start position cannot be played: black has a second pawn on file 9"
            )
        );
        let board = |record: &Record| record.start.to_sfen().rsplit_once(' ').unwrap().0.to_owned();
        assert_eq!(board(&again.record), board(&game.record), "{text}");
    }
}

#[test]
fn the_winner_of_the_result_line_counts() {
    let game = |end: &str, result: &str| {
        only_game(
            Format::Kif,
            &format!("先手：a\n後手：b\n1 ７六歩(77)\n2 ３四歩(33)\n3 {end}\nまで2手で{result}\n"),
        )
    };
    for (end, result, winner) in [
        ("反則勝ち", "後手の反則勝ち", Color::White),
        ("切れ負け", "時間切れにより先手の勝ち", Color::Black),
        ("入玉勝ち", "後手の勝ち", Color::White),
        ("投了", "先手の勝ち", Color::Black),
        ("投了", "aの勝ち", Color::Black),
    ] {
        let game = game(end, result);
        assert_eq!(game.record.winner(), Some(Winner::Side(winner)), "{end} {result}");
        let [warning] = &game.warnings[..] else { panic!("{:?}", game.warnings) };
        assert!(
            warning.text.starts_with(&format!("the result line contradicts '{end}'")),
            "{warning}"
        );
        let text = written(Format::Kif, &game.record).0;
        assert_eq!(clean_record(Format::Kif, &text).winner(), game.record.winner(), "{text}");
    }
    for (end, result) in
        [("投了", "後手の勝ち"), ("千日手", "千日手"), ("中断", "中断"), ("投了", "千日手")]
    {
        assert_eq!(game(end, result).warnings, [], "{end} {result}");
    }
    let cut = only_game(Format::Kif, "1 ７六歩(77)\nまで5手で先手の勝ち\n");
    assert_eq!(cut.warnings[0].text, "the result line counts 5 moves; the record has 1");
    let more =
        only_game(Format::Kif, "1 ７六歩(77)\nまで1手で後手の宣言勝ち\n").record.end.unwrap();
    assert_eq!(more.comments, [] as [&str; 0], "white is to move");
    let more =
        only_game(Format::Kif, "1 ７六歩(77)\nまで1手で先手の入玉勝ち\n").record.end.unwrap();
    assert_eq!(more.comments, ["まで1手で先手の入玉勝ち"]);
}

#[test]
fn the_mark_of_the_last_move_below_a_diagram_gives_the_side_to_move() {
    let plain = DIAGRAM.replace("後手番\n", "");
    assert_eq!(clean_record(Format::Kif, &plain).start.side_to_move(), Color::White);
    assert_eq!(
        clean_record(Format::Kif, &plain.replace("▲", "△")).start.side_to_move(),
        Color::Black
    );
    assert_eq!(
        clean_record(Format::Kif, &DIAGRAM.replace("▲", "△")).start.side_to_move(),
        Color::White
    );
}

#[test]
fn headers_may_begin_with_a_digit() {
    let record = clean_record(
        Format::Kif,
        "持ち時間：5分\n1手ごと加算：5秒\n手合い割り：平手\n1 ７六歩(77)\n2 投了\n",
    );
    assert_eq!(record.header.controls, None);
    let other = [("持ち時間", "5分"), ("1手ごと加算", "5秒")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(record.header.other, other);
    for format in [CSA3, Format::Kif, Format::Ki2, Format::Jkf] {
        let text = written(format, &record).0;
        assert_eq!(clean_record(format, &text).header.other, other, "{text}");
    }
}

#[test]
fn a_short_year_is_not_read_as_one_of_antiquity() {
    let record = clean_record(Format::Kif, "開始日時：26/08/06\n1 投了\n");
    assert_eq!((record.header.start_time, record.header.other.len()), (None, 1));
}

#[test]
fn totals_of_times_contain_the_fractions() {
    let text = "PI\n+\n+7776FU,T3.5\n-3334FU\n+2726FU,T4.125\n-8384FU\n+2625FU,T2.75\n";
    let record = clean_record(CSA3, text);
    assert!(written(Format::Kif, &record).0.contains("( 0:02/00:00:10)"));
    assert!(written(Format::Jkf, &record).0.contains(r#""total":{"h":0,"m":0,"s":10}"#));
}

#[test]
fn numbers_with_a_colon_and_times_with_a_unit_are_read() {
    let text = "手合い割り：平手\n開始日時：2011/05/04 09:00:00\n手数----指手---------消費時間--\n  1: ▲７六歩         6s\n  2: △３四歩         12s\n";
    let record = clean_record(Format::Kif, text);
    let times: Vec<_> = record.moves.iter().map(|made| made.time.unwrap().as_secs()).collect();
    assert_eq!(times, [6, 12]);
}

#[test]
fn a_promotion_that_does_not_exist_is_no_illegal_move_of_a_game() {
    for (format, text) in [
        (Format::Kif, "1 ５八金成(49)\n2 反則負け\n"),
        (Format::Usi, "startpos moves 4i5h+\n"),
        (
            Format::Jkf,
            r#"{"header":{},"moves":[{},{"move":{"from":{"x":4,"y":9},"to":{"x":5,"y":8},"piece":"KI","promote":true}},{"special":"ILLEGAL_MOVE"}]}"#,
        ),
    ] {
        let game = only_game(format, text);
        assert!(game.fault.is_some() && game.record.moves.is_empty(), "{text}");
        let foul = game.record.end.and_then(|end| end.foul);
        assert_eq!(foul, None, "{text}");
    }
}

#[test]
fn what_follows_a_move_that_cannot_be_played_is_named_as_lost() {
    let csa = only_game(CSA3, "PI\n+\n+2624XX\n'*a\n'*b\n%ILLEGAL_MOVE\n");
    let kif = only_game(Format::Kif, "1 ５五\n*a\n*b\n2 反則勝ち\n");
    for game in [csa, kif] {
        let lost = "2 comments after a move that cannot be played not kept";
        assert_eq!(game.warnings.last().unwrap().text, lost);
    }
}

#[test]
fn the_servers_end_time_has_no_star_and_may_precede_the_result() {
    let head = "N+a\nN-b\nPI\n+\n+2726FU\n";
    let own = clean_record(CSA3, &format!("{head}'*$END_TIME:2026/01/01 10:00:00\n"));
    assert_eq!((own.header.end_time, own.moves[0].comments.len()), (None, 1));
    assert_eq!(clean_record(CSA3, &written(CSA3, &own).0), own);
    let line = "'$END_TIME:2026/01/01 10:00:00\n";
    let early = clean_record(CSA3, &format!("{head}{line}'summary:time up:a win:b lose\n"));
    assert!(early.header.end_time.is_some() && early.moves[0].comments.is_empty());
    let noted = "手合割：平手\n手数----指手--\n*summary:toryo:a win:b lose\n1 ７六歩(77)\n";
    let noted = clean_record(Format::Kif, noted);
    assert_eq!(clean_record(CSA3, &written(CSA3, &noted).0), noted);
}

#[test]
fn a_variation_beside_the_illegal_move_leaves_it_in_jkf() {
    let text = "1 ７六歩(77)\n2 ３四歩(33)\n3 ５五歩打\n4 反則勝ち\n\n変化：3手\n3 ２六歩(27)\n";
    let record = clean_record(Format::Kif, text);
    let jkf = written(Format::Jkf, &record).0;
    let json: serde_json::Value = serde_json::from_str(&jkf).unwrap();
    assert!(json["moves"][3]["forks"].is_array() && json["moves"][4]["forks"].is_null(), "{jkf}");
    assert_eq!(clean_record(Format::Jkf, &jkf), record);
}

#[test]
fn ends_of_several_words_are_read_whole() {
    for (words, kind, comments) in [
        ("Draw by repetition", EndKind::Sennichite, &[][..]),
        ("Illegal Move 二歩", EndKind::IllegalMove, &["Move 二歩"]),
        ("千日手成立", EndKind::Sennichite, &[]),
    ] {
        let end =
            clean_record(Format::Kif, &format!("1 ７六歩(77)\n2 {words} (0:01/)\n")).end.unwrap();
        assert_eq!((end.kind, end.time.is_some()), (kind, true), "{words}");
        assert_eq!(end.comments, comments, "{words}");
    }
    let game = only_game(CSA3, "PI\n+\n+7776FU\n%TIMEUP\n");
    assert_eq!((game.record.end.unwrap().kind, game.warnings.len()), (EndKind::TimeUp, 1));
}

#[test]
fn a_time_of_day_that_cannot_be_read_stays_beside_its_day() {
    let record =
        clean_record(Format::Kif, "対局日：2026/08/06\n開始日時：2026/08/06 24:10\n1 投了\n");
    let text = written(Format::Kif, &record).0;
    assert_eq!(text.matches("開始日時").count(), 1, "{text}");
    for format in [Format::Kif, Format::Jkf, CSA3] {
        let text = written(format, &record).0;
        assert_eq!(clean_record(format, &text).header, record.header, "{text}");
    }
}
