//! Records that no game ever made: very deep, very long, with sets of pieces that do not exist.

use std::fmt::Write as _;

use kyomi::record::{Encoding, Format, Losses, ReadRecord, RecordError};

use crate::watched;

/// Rooks that go to and fro, in KIF, JKF (from, to) and USI.
const CYCLE: [(&str, [u8; 4]); 4] = [
    ("３八飛(28)", [2, 8, 3, 8]),
    ("７二飛(82)", [8, 2, 7, 2]),
    ("２八飛(38)", [3, 8, 2, 8]),
    ("８二飛(72)", [7, 2, 8, 2]),
];

fn read(format: Format, bytes: &[u8]) -> Vec<Result<ReadRecord, RecordError>> {
    format.read_each(bytes).collect()
}

/// One clear line for the only game of the file.
#[track_caller]
fn refused(format: Format, text: &str, words: &str) {
    let games = read(format, text.as_bytes());
    let [Err(error)] = games.as_slice() else { panic!("{games:?}") };
    let said = error.to_string();
    assert!(said.contains(words) && !said.contains(char::is_control), "{said}");
    assert!(said.chars().count() <= 400, "{said}");
}

#[test]
fn a_hundred_thousand_variations_in_each_other_are_read_from_kif() {
    let mut text = String::from("手合割：平手\n手数----指手---------消費時間--\n");
    let _ = writeln!(text, "1 {}\n2 {}", CYCLE[0].0, CYCLE[1].0);
    for ply in 2..100_002_usize {
        let (first, second) = (CYCLE[(ply - 1) % 4].0, CYCLE[ply % 4].0);
        let _ = writeln!(text, "変化：{ply}手\n{ply} {first}\n{} {second}", ply + 1);
    }
    let record = watched("kif", move || {
        let record = read(Format::Kif, text.as_bytes()).remove(0).unwrap().record;
        let mut losses = Losses::new();
        let written = Format::Kif.write(&record, Encoding::Utf8, &mut losses);
        assert!(losses.is_empty(), "{losses}");
        let again = read(Format::Kif, &written).remove(0).unwrap().record;
        assert!(again == record);
        record
    });
    assert_eq!(record.variations.len(), 100_000);
    for (index, variation) in record.variations.iter().enumerate() {
        let place = (variation.parent, variation.ply, variation.moves.len());
        assert_eq!(place, (index.checked_sub(1), index + 2, 2));
    }
}

#[test]
fn a_hundred_thousand_variations_in_each_other_are_read_from_jkf_or_one_clear_error() {
    let element = |ply: usize| {
        let [a, b, c, d] = CYCLE[(ply - 1) % 4].1;
        format!("{{\"move\":{{\"from\":{{\"x\":{a},\"y\":{b}}},\"to\":{{\"x\":{c},\"y\":{d}}}}}")
    };
    let mut text = format!("{{\"moves\":[{{}},{}}},", element(1));
    for ply in 2..100_002 {
        let _ = write!(text, "{},\"forks\":[[", element(ply));
    }
    let _ = write!(text, "{}}}", element(2));
    text += &"]]}".repeat(100_000);
    text += "]}";
    watched("jkf", move || match read(Format::Jkf, text.as_bytes()).remove(0) {
        Ok(game) => drop(game),
        Err(error) => assert!(error.to_string().chars().count() <= 400, "{error}"),
    });
    // Brackets alone.
    for text in ["[", "{\"a\":", "{\"moves\":[{\"forks\":[["] {
        let text = text.repeat(1_000_000);
        watched("brackets", move || {
            assert!(read(Format::Jkf, text.as_bytes()).remove(0).is_err());
        });
    }
}

/// Nine rows, of which the fifth is given.
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
    // A problem may lack a king, or both.
    let game = read(Format::Kif, kif("| ・ ・ ・ ・ ・ ・ ・ ・ ・|", "なし").as_bytes()).remove(0);
    assert!(!game.unwrap().record.start.has_legal_move());
}

#[test]
fn rows_of_any_bits_are_positions_or_one_clear_error_each() {
    for format in [Format::Psv, Format::Hcpe] {
        for byte in 0..=255 {
            for game in read(format, &[byte; 40 * 38]) {
                match game {
                    Ok(game) => assert!(game.record.start.count_legal_moves() <= 593),
                    Err(error) => assert_eq!(error.to_string().lines().count(), 1),
                }
            }
        }
    }
}

#[test]
fn lines_of_100_mb_are_read_or_one_clear_error() {
    for (format, before, text) in [
        (Format::Kif, "*", "x"),
        (Format::Kif, "1 ", "７六歩(77) "),
        (Format::Kif, "先手：", "あ"),
        (Format::Ki2, "", "▲７六歩△３四歩"),
        (Format::Ki2, "▲", "☗"),
        (Format::Jkf, "{\"header\":{\"a\":\"", "x"),
        (Format::Jkf, "{\"moves\":[", "{},"),
        (Format::Usi, "startpos moves ", "7g7f "),
        (Format::Sfen, "", "9/"),
    ] {
        let length = if before == "*" || format == Format::Usi { 100_000_000 } else { 4_000_000 };
        watched(&format!("{} {before}", format.name()), move || {
            let line = format!("{before}{}\n", text.repeat(length / text.len()));
            for game in read(format, line.as_bytes()) {
                if let Err(error) = game {
                    assert!(error.to_string().chars().count() <= 400);
                }
            }
        });
    }
}
