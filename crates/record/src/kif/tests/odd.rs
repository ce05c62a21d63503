//! Unusual records, and what is kept of them.

use super::*;

/// The game, which has this number of warnings and no fault.
pub(super) fn warned(text: &str, many: usize) -> Record {
    let game = one(text);
    assert_eq!((&game.fault, game.warnings.len()), (&None, many), "{:?}", game.warnings);
    game.record
}

fn lines(record: &Record) -> Vec<(Option<usize>, usize, String)> {
    let lines = record.variations.iter();
    lines.map(|line| (line.parent, line.ply, moves(&line.moves))).collect()
}

#[test]
fn an_unknown_word_does_not_cut_the_game() {
    let record = warned("1 ７六歩(77)\n2 休憩 (0:05/)\n*tea\n2 ３四歩(33)\n3 投了\n", 2);
    assert_eq!(moves(&record.moves), "7g7f 3c3d");
    assert_eq!(record.moves[0].comments, ["休憩 (0:05)", "tea"]);
    assert_eq!(record.end.unwrap().kind, EndKind::Resign);
    let record = warned("1 ７六歩(77)\n2 休憩\n2 投了\n", 2);
    assert_eq!(record.end.unwrap().kind, EndKind::Resign);
    // A pass is not a move: the moves after it would be another game.
    let record = warned("1 ７六歩(77)\n2 パス\n3 ２六歩(27)\n4 ３四歩(33)\n", 3);
    assert_eq!(moves(&record.moves), "7g7f");
    assert_eq!(record.end.unwrap().kind, EndKind::Unknown("パス".into()));
}

#[test]
fn a_number_and_words_among_the_headers_are_no_end() {
    for heading in ["", HEADING] {
        let text = format!("手合割：平手\n2 games played\n先手：甲\n{heading}1 ７六歩(77)\n");
        let record = warned(&text, 1);
        assert_eq!((moves(&record.moves), record.end), ("7g7f".to_owned(), None));
        assert_eq!(record.header.black.as_deref(), Some("甲"));
    }
    let record =
        warned(&format!("{HEADING}2 games played\n1 ７六歩(77)\n変化：1手\n1 ２六歩(27)\n"), 3);
    assert_eq!(lines(&record), [(None, 1, "2g2f".to_owned())]);
    assert_eq!((moves(&record.moves), record.end), ("7g7f".to_owned(), None));
    assert_eq!(record.header.comments, ["games played"]);
    assert_eq!(record_of_end("1 投了\n"), EndKind::Resign);
}

fn record_of_end(text: &str) -> EndKind {
    record(text).end.unwrap().kind
}

#[test]
fn a_sealed_move_keeps_its_time_and_comments_and_the_count() {
    let text = "1 ７六歩(77)\n2 封じ手 (1:30/00:01:30)\n*pause\n3 ３四歩(33)\n4 ２六歩(27)\n\
        変化：4手\n4 ６六歩(67)\n変化：3手\n3 ８四歩(83)\n";
    let record = warned(text, 1);
    assert_eq!(moves(&record.moves), "7g7f 3c3d 2g2f");
    assert_eq!(record.moves[0].comments, ["封じ手 (1:30)", "pause"]);
    assert_eq!(lines(&record), [(None, 3, "6g6f".to_owned()), (None, 2, "8c8d".to_owned())]);
    assert_eq!(self::record(&written(&record)), record);
}

#[test]
fn analyses_are_the_same_after_repeated_conversion() {
    for comments in [
        "**対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 ▲７六歩(77) △３四歩(33)\n",
        "**この局面の 評価値 88\n",
        "*x\n**評価値=82\n**深さ=22/28\n",
        "*#評価値=31000\n**詰み=先手勝ち:15手\n*#深さ=5\n",
        "*info\n**評価値=31000\n**深さ=5\n*y\n",
        "*#形勢[88]△３四歩\n*#指し手[80]△３四歩\n",
        "**読み筋=\n**対局 読み筋 ▲７六歩(77)\n",
        "** 31000 -3334FU #5\n",
    ] {
        for text in [
            format!("{HEADING}1 ７六歩(77)\n{comments}"),
            format!("{HEADING}1 ２六歩(27)\n変化：1手\n{comments}1 ７六歩(77)\n"),
        ] {
            let record = record(&text);
            let again = written(&record);
            assert_eq!(self::record(&again), record, "{again}");
            assert_eq!(written(&self::record(&again)), again);
        }
    }
    let text = "   1 ７六歩(77)\n**対局 時間 00:00.8 評価値 88\n*why\n";
    assert!(written(&record(text)).ends_with(text), "as it was");
}

#[test]
fn byoyomi_may_precede_the_time_it_adds_to() {
    let text = format!("秒読み：30秒\n持ち時間：1時間\n{HEADING}1 ７六歩(77)\n");
    let record = record(&text);
    assert_eq!(record.header.controls.unwrap().to_string(), "3600,byoyomi=30");
    assert_eq!(record.header.other, []);
    assert_eq!(self::record(&written(&record)), record);
    for odd in ["秒読み：0秒\n秒読み：0秒\n", "秒読み：x\n秒読み：5秒\n秒読み：6秒\n"]
    {
        let record = self::record(&format!("{odd}{text}"));
        assert_eq!(self::record(&written(&record)), record, "{odd}");
    }
}

#[test]
fn control_characters_become_blanks_and_are_reported() {
    let text = format!("先手：a\tb\n{HEADING}*c\td\n1 ７六歩(77)\n*e\tf\n");
    let mut record = record(&text);
    assert_eq!(self::record(&written(&record)), record);
    record.header.black = Some("a\tb".into());
    record.header.comments = vec!["c\td".into()];
    record.moves[0].comments = vec!["e\tf".into()];
    let mut omissions = Omissions::new();
    let again = self::record(&write(&record, Encoding::Utf8, &mut omissions));
    assert_eq!(omissions.to_string(), "3 characters");
    assert_eq!(again.header.black.as_deref(), Some("a b"));
    assert_eq!((&again.header.comments[0][..], &again.moves[0].comments[0][..]), ("c d", "e f"));
    assert_eq!(self::record(&written(&again)), again);
}

const MAIN: &str =
    "1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 ８四歩(83)\n5 ２五歩(26)\n6 ８五歩(84)\n";

#[test]
fn a_variation_after_a_short_one_leaves_the_nearest_line_that_is_long_enough() {
    let record = warned(&format!("{MAIN}変化：3手\n3 ６六歩(67)\n変化：6手\n6 ３二金(41)\n"), 1);
    assert_eq!(lines(&record), [(None, 6, "4a3b".to_owned()), (None, 3, "6g6f".to_owned())]);
    assert_eq!(self::record(&written(&record)), record);
    let record = warned(
        &format!(
            "{MAIN}変化：2手\n2 ８四歩(83)\n3 ２六歩(27)\n4 ８五歩(84)\n5 ２五歩(26)\n\
             変化：4手\n4 ３四歩(33)\n変化：6手\n6 ３二金(41)\n変化：2手\n変化：5手\n5 ６六歩(67)\n"
        ),
        1,
    );
    assert_eq!(
        lines(&record),
        [
            (None, 5, "6g6f".to_owned()),
            (None, 2, "8c8d 2g2f 8d8e 2f2e".to_owned()),
            (Some(1), 6, "4a3b".to_owned()),
            (Some(1), 4, "3c3d".to_owned()),
        ]
    );
    // After a line with missing moves it may belong to one of those.
    let game = one(&format!("{MAIN}変化：3手\n3 ５五歩打\n変化：6手\n6 ３二金(41)\n"));
    assert_eq!((game.fault.is_some(), game.record.variations.len()), (true, 0));
    let text =
        "変化：3手\n3 ６六歩(67)\n4 ５五歩打\n変化：3手\n3 １六歩(17)\n変化：6手\n6 ３二金(41)\n";
    let game = one(&format!("{MAIN}{text}"));
    assert_eq!((game.fault.is_some(), game.record.variations.len()), (true, 3));
    let text = "変化：3手\n3 ６六歩(67)\n4 ８四歩(83)\n5 ５五歩打\n変化：4手\n4 ４四歩(43)\n変化：6手\n6 ３二金(41)\n";
    let game = one(&format!("{MAIN}{text}"));
    assert_eq!((game.fault.is_some(), game.record.variations.len()), (true, 2));
}

#[test]
fn the_end_of_a_variation_of_nothing_is_not_the_end_of_the_game() {
    let game = one(&format!("{MAIN}変化：500手\n 500 反則勝ち\n"));
    assert!(game.fault.is_some());
    assert_eq!(game.record.end, None);
}

#[test]
fn a_result_line_names_the_winner() {
    for (line, winner) in [
        ("時間切れにより後手の勝ち", Color::White),
        ("時間切れにより先手の勝ち", Color::Black),
        ("先手の入玉勝ち", Color::Black),
        ("後手の宣言勝ち", Color::White),
        ("先手の切れ負け", Color::White),
        ("後手投了", Color::Black),
        ("先手の勝", Color::Black),
    ] {
        let record = record(&format!("{HEADING}1 ７六歩(77)\nまで1手で{line}\n"));
        assert_eq!(record.winner(), Some(Winner::Side(winner)), "{line}");
    }
}
