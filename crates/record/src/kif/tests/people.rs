//! What people and old programs write differently.

use super::odd::warned;
use super::*;
use crate::encode;

const MOVES: &str = "1 ７六歩(77)\n2 ３四歩(33)\n";

#[test]
fn the_number_of_moves_is_a_header() {
    for line in ["手数：113手", "手数: 100", "手数：100"] {
        let text = format!("手合割：平手\n{line}\n{HEADING}{MOVES}");
        let record = record(&text);
        assert_eq!(record.start, Position::startpos(), "{line}");
        assert_eq!(record.header.other.len(), 1);
        let again = written(&record);
        assert!(again.contains("手合割：平手\n"), "{again}");
        assert_eq!(self::record(&again), record);
    }
    let record = warned(&format!("手数＝33\n{HEADING}{MOVES}"), 1);
    assert_eq!(record.start.ply(), 1, "there is no board");
}

#[test]
fn moves_after_a_board_may_be_counted_from_the_beginning_of_the_game() {
    let text = format!("{BOARD}手数＝1\n後手番\n");
    let record = record(&format!("{text}2 ５二玉(51)\n3 ６八玉(59)\n変化：3手\n3 ６九玉(59)\n"));
    assert_eq!((record.start.ply(), moves(&record.moves)), (2, "5a5b 5i6h".to_owned()));
    assert_eq!((record.variations[0].ply, record.variations.len()), (2, 1));
    assert_eq!(self::record(&written(&record)), record);
    warned(&format!("{text}3 ５二玉(51)\n"), 1);
}

#[test]
fn an_origin_may_follow_a_space() {
    for gap in [" ", "　", "  "] {
        let record = record(&format!(
            "1 ７六歩{gap}(77)\n2 ３四歩{gap}（33） ( 0:02/)\n3 ２二角成り(88) (0:03/)\n\
             4 同　銀(31)\n5 ５八金{gap}(49)\n"
        ));
        assert_eq!(moves(&record.moves), "7g7f 3c3d 8h2b+ 3a2b 4i5h");
        let times: Vec<_> =
            record.moves.iter().map(|made| made.time.map(|it| it.as_secs())).collect();
        assert_eq!(times, [None, Some(2), Some(3), None, None]);
    }
}

#[test]
fn times_may_be_in_full_width() {
    let record = record(
        "1 ７六歩(77)　（０：０１／００：００：０１）\n2 ３四歩(33) （／００：００：０１）\n",
    );
    assert_eq!(record.moves[0].time, Some(Duration::from_secs(1)));
    assert_eq!(record.moves[1].time, None);
}

#[test]
fn an_end_needs_no_number() {
    let won = |side| EndKind::Decided(Winner::Side(side));
    for (word, kind) in [
        ("投了", EndKind::Resign),
        ("　投了　( 0:05/)", EndKind::Resign),
        ("▲投了", EndKind::Resign),
        ("△投了", won(Color::Black)),
        ("3 △投了", won(Color::Black)),
        ("中断", EndKind::Interrupted),
        ("まで2手で先手の不戦敗", won(Color::White)),
        ("まで2手で千日手成立", EndKind::Sennichite),
        ("まで2手で持将棋成立", EndKind::Jishogi),
        ("まで2手で羽生の勝ち", won(Color::Black)),
        ("まで2手で渡辺　明の勝ち", EndKind::Resign),
    ] {
        let record = record(&format!("先手：羽生\n後手：渡辺明\n{HEADING}{MOVES}{word}\n"));
        assert_eq!(record.end.clone().unwrap().kind, kind, "{word}");
        assert_eq!(self::record(&written(&record)), record);
    }
    assert_eq!(record(&format!("{HEADING}投了\n")).end.unwrap().kind, EndKind::Resign);
    let game = warned(&format!("投了\n{MOVES}まで2手で誰かの勝ち\n"), 2);
    assert_eq!(game.end.unwrap().kind, EndKind::Unknown("誰かの勝ち".into()));
}

#[test]
fn remarks_before_the_first_move_are_not_ends() {
    let text = "0 === 開始局面 ===\n1 ７六歩(77) # good\n# a remark\n  # another\n\
        2 ３四歩(33) (0:01/) # x (y)\n3 # note\n3 ２六歩(27)\n";
    for heading in ["", HEADING] {
        let record = record(&format!("{heading}{text}"));
        assert_eq!((moves(&record.moves), &record.end), ("7g7f 3c3d 2g2f".to_owned(), &None));
    }
    let mut odd = record(MOVES);
    odd.end = Some(End::new(EndKind::Unknown("# x".into())));
    let mut omissions = Omissions::new();
    assert_eq!(record(&write(&odd, Encoding::Utf8, &mut omissions)).end, None);
    assert_eq!(omissions.to_string(), "1 end");
}

#[test]
fn handicaps_have_more_names() {
    let start = |line: &str| record(&format!("{line}\n{HEADING}")).start.to_sfen();
    let two = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert_eq!((start("手合：二枚落ち"), start("手合い：2枚落")), (two.into(), two.into()));
    let seven = "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert_eq!(
        (start("手合割：七枚落ち"), start("手合割：右七枚落ち")),
        (seven.into(), seven.into())
    );
    for name in ["左七枚落ち", "七枚落ち", "トンボ"] {
        let record = record(&format!("手合割：{name}\n{HEADING}1 ５二玉(51)\n"));
        assert_eq!(self::record(&written(&record)), record);
    }
    let other = record(&format!("手合：研究会\n{HEADING}"));
    assert_eq!((other.start.clone(), other.header.other.len()), (Position::startpos(), 1));
    let mut odd = other;
    odd.header.other[0].1 = "二枚落ち".into();
    let mut omissions = Omissions::new();
    assert_eq!(record(&write(&odd, Encoding::Utf8, &mut omissions)).start, Position::startpos());
    assert_eq!(omissions.to_string(), "header '手合'");
}

#[test]
fn lines_of_old_programs_end_with_cr_alone() {
    let text = format!("先手：甲\n*c\n{MOVES}3 ５五歩打\n");
    for (end, line) in [("\r", 5), ("\r\n", 5), ("\n", 5), ("\r\r\n", 9)] {
        let game = one(&text.replace('\n', end));
        assert_eq!((moves(&game.record.moves).as_str(), game.warnings), ("7g7f 3c3d", vec![]));
        assert_eq!(game.fault.unwrap().place, Place::text(line, 3), "{end:?}");
    }
    let mixed = one("先手：甲\r手合割：平手\r\n1 ７六歩(77)\n2 ５五歩打\r");
    assert_eq!(mixed.fault.unwrap().place.line(), 4);
    assert_eq!(Format::detect(None, "先手：甲\r1 ７六歩(77)\r".as_bytes()), Some(Format::Kif));
}

#[test]
fn broken_characters_are_reported_once_with_the_first_place() {
    let second = |text: &str, bytes: &[u8]| [text.as_bytes(), bytes, b"\n*\xff\n"].concat();
    let games: Vec<_> =
        read_each(&second("手合割：平手\n1 ７六歩(77)\n手合割：平手\n*a", b"\xff")).collect();
    let reported: Vec<_> =
        games.iter().map(|game| game.as_ref().unwrap().warnings.clone()).collect();
    assert_eq!((reported[0].len(), reported[1].len()), (0, 1));
    assert_eq!(
        reported[1][0].to_string(),
        "line 4, column 3: a character that is not UTF-8, read as �"
    );
    let jis = encode("先手：歩\n1 投了\n*歩", Encoding::ShiftJis, &mut Omissions::new());
    let game = read_each(&jis[..jis.len() - 1]).next().unwrap().unwrap();
    assert_eq!(
        game.warnings[0].to_string(),
        "line 3, column 2: a character that is not Shift_JIS, read as �"
    );
    assert_eq!(game.record.header.black.as_deref(), Some("歩"));
}

#[test]
fn a_note_of_a_person_is_not_read_as_a_score() {
    let record = record(&format!("{MOVES}** 3 手目が疑問だった\n*** 3\n** 3 good moves here\n"));
    assert_eq!(record.moves[1].analysis, None);
    assert_eq!(record.moves[1].comments.len(), 3);
    assert_eq!(self::record(&written(&record)), record);
}
