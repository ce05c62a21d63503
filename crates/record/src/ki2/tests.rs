//! What is read, what is refused, and that written records are read unchanged.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::write::format_move;
use super::*;
use crate::strategy::{cases, walk};
use crate::testing::{self, Kept, any_record, clean_record, end_of_kif, only_game, read_back};
use crate::{
    Encoding, End, EndKind, Format, Header, Omissions, Place, ReadRecord, Record, RecordMove,
    Winner,
};
use kyomi_shogi::notation::usi;
use kyomi_shogi::{Color, Piece, PieceKind, Position, PositionBuilder, Score, Square};

const KEPT: Kept = Kept {
    times: false,
    analyses: false,
    ply: true,
    // `まで7手で先手の勝ち` after a move of black is a resignation.
    end: |kind, to_move| match end_of_kif(kind, to_move) {
        EndKind::Decided(Winner::Side(winner)) if winner != to_move => EndKind::Resign,
        kind => kind,
    },
};

fn one(text: &str) -> ReadRecord {
    only_game(Format::Ki2, text)
}

fn moves(text: &str) -> String {
    testing::moves(&clean_record(Format::Ki2, text).moves)
}

#[test]
fn a_record_is_written_in_the_expected_form() {
    let text = "手合割：平手\n先手：甲\n▲７六歩 △３四歩 ▲２二角成 △同　銀 ▲８八銀 △３三銀 ▲５八金右 △８四歩\n\
        *なるほど\n▲４五角\n変化：7手\n▲５八金左\nまで7手で中断\n変化：4手\n△同　飛\nまで4手で時間切れにより後手の勝ち\n";
    let game = one(text);
    assert_eq!((&game.fault, &game.warnings), (&None, &vec![]));
    let mut record = game.record;
    record.moves[0].time = Some(std::time::Duration::from_secs(1));
    record.moves[0].analysis =
        Some(crate::Analysis { score: Some(Score::Cp(1)), ..Default::default() });
    record.end = Some(End::new(EndKind::Resign));
    let mut omissions = Omissions::new();
    let text = write(&record, &mut omissions);
    expect_test::expect![[r#"
        手合割：平手
        先手：甲
        後手：

        ▲７六歩    △３四歩    ▲２二角成    △同　銀    ▲８八銀    △３三銀
        ▲５八金右    △８四歩
        *なるほど
        ▲４五角
        まで9手で先手の勝ち

        変化：7手
        ▲５八金左
        まで7手で中断

        変化：4手
        △同　飛
        まで4手で時間切れにより後手の勝ち
    "#]]
    .assert_eq(&text);
    assert_eq!(omissions.to_string(), "1 time of a move, 1 score");
}

#[test]
fn all_marks_and_gaps_are_read() {
    let expected = "7g7f 3c3d 8h2b+ 3a2b";
    for text in [
        "▲７六歩 △３四歩 ▲２二角成 △同　銀",
        "▲７六歩△３四歩▲２二角成△同銀",
        "☗７六歩　☖３四歩　☗２二角成　☖同　銀",
        "▼76歩  ▽34歩\n▼22角成\n\n▽同 銀\n",
        "７六歩 ３四歩 ２二角成 同銀",
        "   ▲７六歩 △３四歩 ▲２二角成 △２二同銀上",
        "▲７六歩 △３四歩 ▲２二角成 △２二銀",
    ] {
        assert_eq!(moves(text), expected, "{text}");
    }
}

#[test]
fn an_ambiguous_move_is_refused_with_its_place() {
    let fault = |text: &str| {
        let game = one(text);
        let fault = game.fault.unwrap();
        assert_eq!(fault.to_string().lines().count(), 1);
        (fault.place, fault.to_string(), game.record.moves.len())
    };
    let (place, text, made) = fault("手合割：平手\n▲７六歩 △３四歩 ▲５八金 △８四歩\n");
    assert_eq!((place, made), (Place::text(2, 11), 2));
    assert!(text.contains("ply 3: ▲５八金 can be made by the pieces on 49 and 69"), "{text}");
    let (place, text, made) = fault("▲７六歩 △３四歩 ▲５八銀右直\n");
    assert_eq!((place, made), (Place::text(1, 11), 2));
    assert!(text.contains("ply 3: ▲５八銀右直 is illegal"), "{text}");
    let (place, text, _) = fault("▲７六歩 △３四歩 △３三\n");
    assert_eq!(place, Place::text(1, 11));
    assert!(text.contains("ply 3: '△３三' is not a move"), "{text}");
}

#[test]
fn ends_are_read_from_the_result_line() {
    let black = Winner::Side(Color::Black);
    for (line, kind, winner) in [
        ("先手の勝ち", EndKind::Resign, Some(black)),
        ("時間切れにより先手の勝ち", EndKind::TimeUp, Some(black)),
        ("後手の反則負け", EndKind::IllegalMove, Some(black)),
        ("後手の反則勝ち", EndKind::IllegalAction(Color::Black), Some(Winner::Side(Color::White))),
        ("千日手", EndKind::Sennichite, Some(Winner::Draw)),
        (
            "後手の勝ち",
            EndKind::Decided(Winner::Side(Color::White)),
            Some(Winner::Side(Color::White)),
        ),
    ] {
        let text = format!("▲７六歩\nまで1手で{line}\n*why\n");
        let game = one(&text);
        let end = game.record.end.clone().unwrap();
        assert_eq!((end.kind, end.comments), (kind, vec!["why".to_owned()]), "{line}");
        assert_eq!(game.record.winner(), winner);
        assert!(write(&game.record, &mut Omissions::new()).contains(&text), "{line}");
    }
}

#[test]
fn an_end_that_the_result_line_cannot_express_is_an_omission() {
    let mut record = Record::new(Header::default(), Position::startpos());
    record.moves = vec![RecordMove::new(usi::parse_move("7g7f").unwrap())];
    record.header.black = Some("甲".into());
    for (kind, lost) in [
        (EndKind::Decided(Winner::Side(Color::Black)), true),
        (EndKind::Decided(Winner::Draw), false),
        (EndKind::Declaration, false),
        (EndKind::Unknown("トライ".into()), false),
        (EndKind::Unknown("甲の勝ち".into()), true),
        (EndKind::Unknown("乙の勝ち".into()), false),
        (EndKind::Unknown(" ".into()), true),
    ] {
        record.end = Some(End::new(kind.clone()));
        let mut omissions = Omissions::new();
        let text = write(&record, &mut omissions);
        assert_eq!(!omissions.is_empty(), lost, "{text}");
    }
}

#[test]
fn an_end_may_be_alone_with_or_without_a_mark() {
    let won = |side| EndKind::Decided(Winner::Side(side));
    for (word, kind) in [
        ("投了", EndKind::Resign),
        ("▲投了", EndKind::Resign),
        ("△ 投了", won(Color::Black)),
        ("中断", EndKind::Interrupted),
        ("△中断", EndKind::Interrupted),
        ("先手の勝ち", won(Color::Black)),
    ] {
        for text in
            [format!("▲７六歩 △３四歩\n{word}\n*why\n"), format!("▲７六歩 △３四歩 {word}\n*why\n")]
        {
            let game = one(&text);
            assert_eq!((&game.fault, &game.warnings), (&None, &vec![]), "{text}");
            let end = game.record.end.unwrap();
            assert_eq!((end.kind, end.comments), (kind.clone(), vec!["why".to_owned()]), "{text}");
        }
    }
}

#[test]
fn names_may_follow_the_marks_of_their_sides() {
    for head in [
        "▲羽生善治　△渡辺明\n",
        "▲先手：羽生善治\n△後手：渡辺明\n",
        "▲：羽生善治\n△:渡辺明\n",
        "▲ 先手　羽生善治\n△ 後手　渡辺明\n",
        "☗羽生善治\n☖渡辺明\n",
        "▲下手：羽生善治 △上手：渡辺明\n",
    ] {
        let text = format!("{head}\n▲７六歩 △３四歩\n");
        let game = one(&text);
        assert_eq!((game.fault, game.record.moves.len()), (None, 2), "{head}");
        let reported: Vec<_> = game.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(reported.len(), 2, "{reported:?}");
        assert!(reported[0].ends_with("'羽生善治' is taken as the name of 先手"), "{reported:?}");
        let header = game.record.header;
        assert_eq!(header.black.as_deref(), Some("羽生善治"), "{head}");
        assert_eq!(header.white.as_deref(), Some("渡辺明"), "{head}");
    }
    let game = one("▲\n▲先手\n▲７六歩\n");
    assert_eq!((game.fault, game.warnings.len(), game.record.moves.len()), (None, 2, 1));
    let game = one("▲７六先\n△３四歩\n");
    assert!(game.fault.unwrap().to_string().contains("'▲７六先' is not a move"));
}

#[test]
fn moves_that_are_not_understood_are_not_names() {
    let named = "先手：甲\n後手：乙\n\n";
    for head in ["", named] {
        for line in [
            "▲７ 六歩　△３四歩",
            "▲七六歩　△三四歩",
            "▲P-7f △P-3d",
            "▲P7g-7f",
            "▲甲　△３四歩",
            "▲甲６七金右",
            "▲歩 △歩",
            "▲甲　▲乙",
        ] {
            let text = format!("{head}{line}\n▲２六歩　△８四歩\n");
            let game = one(&text);
            let fault = game.fault.unwrap().to_string();
            assert!(fault.contains("ply 1: '▲") && fault.contains("is not a move"), "{fault}");
            assert_eq!((game.record.moves.len(), game.warnings), (0, vec![]), "{text}");
            let name = game.record.header.white;
            assert_eq!(name.as_deref(), Some("乙").filter(|_| !head.is_empty()));
        }
    }
    let game = one(&format!("{named}▲丙　△丁\n▲７六歩\n"));
    assert!(game.fault.is_some(), "they have names");
    assert_eq!(moves("先手：都成 竜馬\n後手：北村桂香\n▲都成　△北村桂香\n▲７六歩\n"), "7g7f");
    let pieces = "▲都成竜馬　△北村桂香\n▲７六歩\n";
    let game = one(pieces);
    assert_eq!((game.fault, game.record.header.white.as_deref()), (None, Some("北村桂香")));
}

/// Checks that each legal move is found by its words.
fn tells_all_moves(position: &Position) -> Result<(), TestCaseError> {
    let moves = position.legal_moves();
    let mut record = Record::new(Header::default(), position.clone());
    let mut text = write(&record, &mut Omissions::new());
    for mv in &moves {
        let _ = write!(text, "変化：1手\n{}\n", format_move(position, *mv, None));
    }
    prop_assert!(!text.contains('('), "{}", text);
    let game = read_each(text.as_bytes()).next().unwrap();
    let game = game.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(game.fault, None, "{}", text);
    record = game.record;
    let read: Vec<_> = record.variations.iter().map(|line| line.moves[0].mv).collect();
    prop_assert_eq!(&read, moves.as_slice(), "{}", text);
    Ok(())
}

/// Positions with many pieces of which several can move to one square.
fn crowd() -> impl Strategy<Value = Position> {
    let kinds = [
        PieceKind::Gold,
        PieceKind::Silver,
        PieceKind::ProPawn,
        PieceKind::ProSilver,
        PieceKind::Dragon,
        PieceKind::Horse,
        PieceKind::Rook,
        PieceKind::Bishop,
        PieceKind::Knight,
        PieceKind::Lance,
        PieceKind::Pawn,
        PieceKind::King,
    ];
    let pieces = proptest::collection::vec((0..81usize, 0..kinds.len(), 0..3u8), 5..30);
    (pieces, any::<bool>(), 0..7usize).prop_map(move |(pieces, side, hand)| {
        let mut builder = PositionBuilder::new();
        builder.set_side(if side { Color::Black } else { Color::White });
        for (square, kind, color) in pieces {
            let color = if color == 0 { Color::White } else { Color::Black };
            let Some(square) = Square::from_index(square) else { continue };
            let before = builder.clone();
            builder.put(square, Piece::new(color, kinds[kind]));
            if builder.build().is_err() {
                builder = before;
            }
        }
        let before = builder.clone();
        builder.set_hand(Color::Black, PieceKind::HAND[hand], 1);
        builder.set_hand(Color::White, PieceKind::HAND[6 - hand], 1);
        builder.build().or_else(|_| before.build()).unwrap()
    })
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn what_is_written_is_read_again(record in any_record()) {
        let kept = KEPT.of(&record);
        for encoding in [Encoding::Utf8, Encoding::ShiftJis] {
            prop_assert_eq!(&read_back(Format::Ki2, &record, encoding)?, &kept);
        }
    }

    #[test]
    fn every_legal_move_of_a_game_is_found_by_its_words(
        choices in proptest::collection::vec(any::<u16>(), 0..200),
    ) {
        let mut position = Position::startpos();
        for mv in walk(&position.clone(), choices) {
            position.do_move(mv);
        }
        tells_all_moves(&position)?;
    }

    #[test]
    fn every_legal_move_of_a_crowd_is_found_by_its_words(position in crowd()) {
        tells_all_moves(&position)?;
    }
}

#[test]
fn a_result_may_follow_the_moves_and_have_spaces() {
    let text = "▲７六歩 △３四歩 ▲２二角成り △同銀 まで4手で先手の勝ち\n";
    let game = one(text);
    assert_eq!((game.fault, game.warnings), (None, vec![]));
    assert_eq!(game.record.moves.len(), 4);
    assert_eq!(game.record.end.unwrap().kind, EndKind::Decided(Winner::Side(Color::Black)));
    let game = one("▲７六歩\nまで1手でfoo bar\n");
    assert_eq!(game.record.end.as_ref().unwrap().kind, EndKind::Unknown("foo bar".into()));
    let mut omissions = Omissions::new();
    let again = write(&game.record, &mut omissions);
    assert!(again.ends_with("まで1手でfoo bar\n") && omissions.is_empty(), "{again}");
}

#[test]
fn comments_that_look_like_an_engines_stay_comments() {
    let text = "V3.0\nPI\n+\n+7776FU\n-3334FU\n'** 5 +2726FU\n";
    let mut record = only_game(Format::Csa3, text).record;
    let comments = ["評価値=3", "info", "*評価値=5", "* -30 -3334FU +2726FU #100", "*詰み=7手"];
    record.moves[0].comments = comments.map(str::to_owned).to_vec();
    record.moves[1].comments = ["*深さ=9", "*詰み=先手勝ち:3手"].map(str::to_owned).to_vec();
    for format in [Format::Kif, Format::Ki2, Format::Jkf] {
        let mut omissions = Omissions::new();
        let bytes = format.write(&record, Encoding::Utf8, &mut omissions);
        let again = format.read_each(&bytes).next().unwrap().unwrap().record;
        let expected =
            [" 評価値=3", "info", " *評価値=5", " * -30 -3334FU +2726FU #100", "*詰み=7手"];
        assert_eq!(again.moves[0].comments, expected, "{}", format.name());
        assert_eq!(again.moves[0].analysis, None);
        let lost = omissions.to_string();
        if format == Format::Ki2 {
            assert_eq!(
                (lost.as_str(), &again.moves[1].analysis),
                ("5 comments, 1 score, 1 continuation", &None)
            );
        } else {
            assert_eq!(lost, "3 comments", "{}", format.name());
            assert_eq!(again.moves[1], record.moves[1]);
        }
        // An analysis that comments contain is kept by them.
        let mut omissions = Omissions::new();
        let mut record = again.clone();
        record.moves[1].comments = vec!["*対局 時間 00:01 評価値 88".to_owned()];
        record.moves[1].analysis =
            Some(crate::Analysis { score: Some(Score::Cp(88)), ..Default::default() });
        let bytes = format.write(&record, Encoding::Utf8, &mut omissions);
        let again = format.read_each(&bytes).next().unwrap().unwrap().record;
        assert_eq!((again, omissions.is_empty()), (record, true), "{}", format.name());
    }
}
