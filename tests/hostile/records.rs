//! Unusual records: very deep, very long, with impossible sets of pieces.

use std::fmt::Write as _;

use kyomi_record::{Encoding, Format, Omissions, ReadRecord, RecordError};

use kyomi_shogi::MAX_MOVES;

use crate::watched;

struct Words {
    kif: &'static str,
    ki2: &'static str,
    /// File and rank of the origin, file and rank of the destination.
    squares: [u8; 4],
}

/// Moves of rooks to and fro.
const CYCLE: [Words; 4] = [
    Words { kif: "３八飛(28)", ki2: "▲３八飛", squares: [2, 8, 3, 8] },
    Words { kif: "７二飛(82)", ki2: "△７二飛", squares: [8, 2, 7, 2] },
    Words { kif: "２八飛(38)", ki2: "▲２八飛", squares: [3, 8, 2, 8] },
    Words { kif: "８二飛(72)", ki2: "△８二飛", squares: [7, 2, 8, 2] },
];

fn read(format: Format, bytes: &[u8]) -> Vec<Result<ReadRecord, RecordError>> {
    format.read_each(bytes).collect()
}

/// Checks that the error of the file's only game is one clear line.
#[track_caller]
fn refused(format: Format, text: &str, words: &str) {
    let games = read(format, text.as_bytes());
    let [Err(error)] = games.as_slice() else { panic!("{games:?}") };
    let message = error.to_string();
    assert!(message.contains(words) && !message.contains(char::is_control), "{message}");
    assert!(message.chars().count() <= 400, "{message}");
}

/// Nested variations: each branches off at the second move of the one before, and is two moves long.
const DEEP: usize = 100_000;

/// Checks that the record has `DEEP` nested variations, and that it is unchanged after writing and reading.
fn deep(format: Format, text: String) {
    let record = watched(format.name(), move || {
        let game = read(format, text.as_bytes()).remove(0).unwrap();
        assert_eq!((game.fault, game.warnings.len()), (None, 0), "{}", format.name());
        let mut omissions = Omissions::new();
        let written = format.write(&game.record, Encoding::Utf8, &mut omissions);
        assert!(omissions.is_empty(), "{omissions}");
        let again = read(format, &written).remove(0).unwrap();
        assert_eq!(again.fault, None, "{}", format.name());
        assert!(again.record == game.record, "{}", format.name());
        game.record
    });
    assert_eq!(record.variations.len(), DEEP);
    for (index, variation) in record.variations.iter().enumerate() {
        let place = (variation.parent, variation.ply, variation.moves.len());
        assert_eq!(place, (index.checked_sub(1), index + 2, 2));
    }
}

#[test]
fn a_hundred_thousand_nested_variations_are_read_from_kif() {
    let mut text = String::from("手合割：平手\n手数----指手---------消費時間--\n");
    let _ = writeln!(text, "1 {}\n2 {}", CYCLE[0].kif, CYCLE[1].kif);
    for ply in 2..DEEP + 2 {
        let (first, second) = (CYCLE[(ply - 1) % 4].kif, CYCLE[ply % 4].kif);
        let _ = writeln!(text, "変化：{ply}手\n{ply} {first}\n{} {second}", ply + 1);
    }
    deep(Format::Kif, text);
}

#[test]
fn a_hundred_thousand_variations_in_each_other_are_read_from_ki2() {
    let mut text = format!("手合割：平手\n\n{} {}\n", CYCLE[0].ki2, CYCLE[1].ki2);
    for ply in 2..DEEP + 2 {
        let (first, second) = (CYCLE[(ply - 1) % 4].ki2, CYCLE[ply % 4].ki2);
        let _ = writeln!(text, "\n変化：{ply}手\n{first} {second}");
    }
    deep(Format::Ki2, text);
}

#[test]
fn a_hundred_thousand_nested_variations_are_read_from_jkf() {
    let element = |ply: usize| {
        let [a, b, c, d] = CYCLE[(ply - 1) % 4].squares;
        format!("{{\"move\":{{\"from\":{{\"x\":{a},\"y\":{b}}},\"to\":{{\"x\":{c},\"y\":{d}}}}}")
    };
    // A fork is in the element of the move that it replaces.
    let mut text = String::from("{\"moves\":[{},");
    for ply in 1..=DEEP {
        let _ = write!(text, "{}}},{},\"forks\":[[", element(ply), element(ply + 1));
    }
    let _ = write!(text, "{}}},{}}}", element(DEEP + 1), element(DEEP + 2));
    text += &"]]}".repeat(DEEP);
    text += "]}";
    deep(Format::Jkf, text);
}

#[test]
fn unclosed_brackets_are_one_clear_error() {
    for text in ["[", "{\"a\":", "{\"moves\":[{\"forks\":[["] {
        let text = text.repeat(1_000_000);
        watched("brackets", move || refused(Format::Jkf, &text, ""));
    }
}

/// A board of nine rows with this fifth row.
fn kif(row: &str, hand: &str) -> String {
    let empty = "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n";
    let rows = format!("{}{row}\n{}", empty.repeat(4), empty.repeat(4));
    format!("後手の持駒：なし\n{rows}先手の持駒：{hand}\n手数----指手---------消費時間--\n")
}

#[test]
fn kif_hands_of_255_pieces_and_three_kings_are_refused() {
    let kings = "| ・v玉 ・ ・ ・ ・ ・ 玉 ・|";
    assert!(read(Format::Kif, kif(kings, "歩十八　金四").as_bytes()).remove(0).is_ok());
    for hand in ["歩二百五十五", "歩255", "歩十九", "金五", "歩18446744073709551617"] {
        let games = read(Format::Kif, kif(kings, hand).as_bytes());
        let Err(error) = &games[0] else { panic!("{hand} was read") };
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
    refused(Format::Kif, &kif("| ・v玉 玉 ・ ・ ・ ・ 玉 ・|", "なし"), "king");
    // A problem may lack one king or both.
    let game = read(Format::Kif, kif("| ・ ・ ・ ・ ・ ・ ・ ・ ・|", "なし").as_bytes()).remove(0);
    assert!(!game.unwrap().record.start.has_legal_move());
}

#[test]
fn rows_of_any_bits_are_positions_or_one_clear_error_each() {
    for format in [Format::Psv, Format::Hcpe] {
        for byte in 0..=255 {
            for game in read(format, &[byte; 40 * 38]) {
                match game {
                    Ok(game) => assert!(game.record.start.count_legal_moves() <= MAX_MOVES),
                    Err(error) => assert_eq!(error.to_string().lines().count(), 1),
                }
            }
        }
    }
}

#[test]
fn lines_of_4_mb_in_every_shape_are_read_or_one_clear_error_each() {
    for (format, before, text) in [
        (Format::Kif, "1 ", "７六歩(77) "),
        (Format::Kif, "先手：", "あ"),
        (Format::Ki2, "", "▲７六歩△３四歩"),
        (Format::Ki2, "▲", "☗"),
        (Format::Jkf, "{\"header\":{\"a\":\"", "x"),
        (Format::Jkf, "{\"moves\":[", "{},"),
        (Format::Usi, "startpos moves ", "7g7f "),
        (Format::Sfen, "", "9/"),
    ] {
        watched(&format!("{} {before}", format.name()), move || {
            let line = format!("{before}{}\n", text.repeat(4_000_000 / text.len()));
            for game in read(format, line.as_bytes()) {
                if let Err(error) = game {
                    assert!(error.to_string().chars().count() <= 400);
                }
            }
        });
    }
}

/// Tests the readers, which do not check the size; the program refuses such files beforehand (see `memory`).
#[test]
fn a_line_of_100_mb_is_read_in_every_text_format() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    for (format, before, filling, after) in [
        (Format::Csa3, "V2.2\nPI\n+\n+7776FU\n'", "x", "\n"),
        (Format::Kif, "手合割：平手\n1 ７六歩(77)\n*", "x", "\n"),
        (Format::Ki2, "手合割：平手\n\n▲７六歩\n*", "x", "\n"),
        (
            Format::Jkf,
            "{\"moves\":[{},",
            " ",
            "{\"move\":{\"from\":{\"x\":7,\"y\":7},\"to\":{\"x\":7,\"y\":6}}}]}",
        ),
        (Format::Usi, "startpos moves", " ", "7g7f\n"),
        (Format::Sfen, start, " ", "moves 7g7f\n"),
    ] {
        watched(format.name(), move || {
            let line = format!("{before}{}{after}", filling.repeat(100_000_000));
            let games = read(format, line.as_bytes());
            let [Ok(game)] = games.as_slice() else { panic!("{}: not read", format.name()) };
            assert_eq!((game.record.moves.len(), &game.fault), (1, &None), "{}", format.name());
        });
    }
}
