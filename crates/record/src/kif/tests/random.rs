//! Random and hostile records are written and read unchanged, in linear time.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::strategy::cases;

/// Variations each within the one before: rooks move to and fro, and each variation replaces a pawn move.
fn deep(many: usize) -> String {
    let rooks = ["３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)"];
    let pawns = ["１四歩(13)", "１六歩(17)"];
    let mut text = String::new();
    for ply in 1..=many {
        let (rook, pawn) = (rooks[(ply - 1) % 4], pawns[(ply - 1) % 2]);
        let _ = write!(text, "変化：{ply}手\n{ply} {rook}\n{} {pawn}\n", ply + 1);
    }
    text.split_off("変化：1手\n".len())
}

#[test]
fn a_hundred_thousand_variations_within_each_other_take_linear_time() {
    let text = deep(100_000);
    let game = one(&text);
    assert_eq!((&game.fault, game.record.variations.len()), (&None, 99_999));
    let again = written(&game.record);
    assert_eq!(one(&again).record, game.record);
}

#[test]
fn going_back_to_a_long_line_again_and_again_ends_in_a_fault() {
    let rooks = ["３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)"];
    let mut text = String::new();
    for ply in 1..=4000 {
        let _ = writeln!(text, "{ply} {}", rooks[(ply - 1) % 4]);
    }
    text += &"変化：1手\n1 １六歩(17)\n変化：3999手\n3999 １六歩(17)\n".repeat(3000);
    let game = one(&text);
    assert!(game.fault.unwrap().to_string().contains("no line that this variation could leave"));
    assert_eq!(game.record.moves.len(), 4000);
}

#[test]
fn any_repeated_line_takes_linear_time() {
    let many = 30_000;
    for text in [
        "1 ７六歩(77)\n変化：1手\n".repeat(many),
        "1 ７六歩(77) ".repeat(many),
        "▲７六歩".repeat(many),
        format!("1 {}", "７六".repeat(many)),
        format!("1 ７六歩(77) {}", "(0:01)".repeat(many)),
        format!("1 ７六歩(77) {}", "(".repeat(many)),
        format!("{} ７六歩(77)", "9".repeat(many)),
        format!("1 ７六歩(77) ({}:00)", "9".repeat(many)),
        format!("変化：{}手", "9".repeat(many)),
        format!("1 ７六歩(77)\n*対局 読み筋 {}", "△３四歩 △３三歩 ".repeat(many)),
        "1 ７六歩(77)\n".to_owned() + &"**評価値=1\n".repeat(many),
        "1 ７六歩(77)\n".to_owned() + &"**対局 評価値 1 読み筋 △３四歩(33)\n".repeat(many),
        "1 ７六歩(77)\n".to_owned() + &"*\n".repeat(many),
        "備考：x\n".repeat(many),
        "先手：x\n".repeat(many),
        "後手の持駒：飛\n".repeat(many),
        "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n".repeat(many),
        "1 投了\n".repeat(many),
        "手合割：平手\n1 投了\n".repeat(2000),
        "：".repeat(many),
        "x\n".repeat(many),
        "+".repeat(many),
        "９".repeat(many),
        "まで".repeat(many),
        "1 ７六歩(77)\n".to_owned() + &"2 雨\n".repeat(many),
        "1 ７六歩(77)\n2 雨\n2 ３四歩(33)\n".repeat(many),
        "1 ７六歩(77)\n".to_owned() + &"2 封じ手\n*x\n".repeat(many),
        "\u{1}".repeat(many) + "\n",
    ] {
        for game in read_each(text.as_bytes()).flatten() {
            assert!(game.warnings.len() <= 100);
            written(&game.record);
        }
    }
}

const KEPT: Kept = Kept { times: true, analyses: true, ply: true, end: end_of_kif };

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn what_is_written_is_read_again(record in any_record()) {
        let kept = KEPT.of(&record);
        for encoding in [Encoding::Utf8, Encoding::ShiftJis] {
            let read = read_back(Format::Kif, &record, encoding)?;
            prop_assert_eq!(&read, &kept);
            // The totals of both sides contain the fractions of seconds, which are not read again.
            let again = Format::Kif.write(&read, encoding, &mut Omissions::new());
            let read = Format::Kif.read_each(&again).next().unwrap().unwrap();
            prop_assert!(Format::Kif.write(&read.record, encoding, &mut Omissions::new()) == again);
        }
    }

    #[test]
    fn comments_with_stars_and_numbers_stay_what_they_are(
        comments in proptest::collection::vec(
            "[*#&]{0,3} ?[-+]?[0-9]{0,3}( #[0-9]{1,3}| %?[A-Z]{1,6}| [a-z0-9*#]{1,5}){0,3}",
            0..4,
        ),
    ) {
        let mut record = record("1 ７六歩(77)\n");
        record.moves[0].comments = comments;
        let text = written(&record);
        prop_assert_eq!(&one(&text).record, &record, "{}", text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        prop_assert!(read_each(&bytes).count() > 0);
    }

    #[test]
    fn any_lines_are_read_or_refused(
        lines in proptest::collection::vec(
            prop_oneof![
                " {0,3}[0-9０-９]{0,4}[ 　][▲△]?[1-9１-９同][一二三四五六七八九1-9　][歩香桂銀金角飛玉と成龍馬][左右直上寄引打成不]{0,3}\\([1-9]{2}\\)",
                "[0-9]{1,3} (投了|中断|千日手|反則勝ち|雨)( ?\\([0-9:/ .]{0,12}\\))?\\+?",
                "変化：[0-9]{0,3}手",
                "まで[0-9]{0,3}手?で?(先手|後手)?の?(勝ち|反則勝ち|千日手)?",
                "(先手|後手|上手|手合割|棋戦|持ち時間|備考|先手の持駒|手番|手数|開始日時)[：:＝][0-9一二平手落ち枚飛角歩秒分：/ 　]{0,12}",
                "\\|[v ・歩香桂銀金角飛玉龍]{0,27}\\|?[一二三]?",
                "[*&#][*#]?(評価値|対局|解析|読み筋|詰み|深さ|指し手\\[)?[= ]?[-+0-9評価値読み筋 ▲△７六歩３四]{0,20}",
                "(▲７六歩 ?|△３四歩 ?|▲２二角成 ?|△同　銀 ?|▲[1-9][1-9][銀金飛]右? ?){1,6}",
                "\\PC{0,20}",
            ],
            0..30,
        ),
        separator in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        for game in read_each(lines.join(separator).as_bytes()).flatten() {
            let record = game.record;
            prop_assert!(record.game().is_ok());
            prop_assert!(record.check_variations().is_ok());
            let text = written(&record);
            let again = read_each(text.as_bytes()).next().unwrap();
            let again = again.map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(again.fault, None, "{}", text);
            let moves = |lines: &Record| lines.moves.iter().map(|m| m.mv).collect::<Vec<_>>();
            prop_assert_eq!(moves(&again.record), moves(&record), "{}", text);
        }
    }
}
