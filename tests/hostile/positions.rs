//! Impossible positions: hands of 255 pieces, boards without kings or with three.

use kyomi_csa::{GameSummary, ReadOptions};
use kyomi_record::csa as record;
use kyomi_shogi::notation::{csa, sfen, usi};
use kyomi_shogi::{Color, PieceKind, Position};

const NO_KINGS: &str = "9/9/9/9/9/9/9/9/9 b - 1";
const ROWS: &str = "P1\nP2\nP3\nP4\nP5\nP6\nP7\nP8\nP9\n";

/// Checks that an error is one clear line that contains these words.
#[track_caller]
fn refused<T, E: std::fmt::Display>(read: Result<T, E>, words: &str) {
    let Err(error) = read else { panic!("it was read") };
    let message = error.to_string();
    assert!(message.contains(words) && !message.contains(char::is_control), "{message}");
}

fn block(lines: &str) -> Result<Position, csa::CsaPositionError> {
    csa::parse_position_block(lines.lines())
}

#[test]
fn sfen_hands_of_255_pieces_are_refused() {
    for (hands, words) in [
        ("255P", "'255' is no count of pieces in hand"),
        ("19P", "'19' is no count of pieces in hand"),
        ("18446744073709551617P", "is no count of pieces in hand"),
        ("3R", "3 rooks on the board and in hand; a set has 2"),
        ("18Pp", "19 pawns on the board and in hand; a set has 18"),
        ("0P", "'0' is no count"),
        ("255", "'255' is no count"),
    ] {
        refused(sfen::parse(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1")), words);
        let line = format!("position sfen 4k4/9/9/9/9/9/9/9/4K4 b {hands} 1 moves 5i5h");
        refused(usi::parse_position_line(&line), words);
    }
    // The same number of pieces, given as repeated letters.
    refused(sfen::parse(&format!("4k4/9/9/9/9/9/9/9/4K4 b {} 1", "P".repeat(255))), "19 pawns");
    let most = sfen::parse("4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L9P9p 1").unwrap();
    assert_eq!(most.hand(Color::Black).count(PieceKind::Pawn), 9);
}

#[test]
fn csa_hands_of_255_pieces_are_refused() {
    let hand = format!("{ROWS}P+{}\n+", "00FU".repeat(255));
    refused(block(&hand), "19 pawns");
    let lines = format!("{ROWS}{}+", "P-00HI\n".repeat(255));
    refused(block(&lines), "3 rooks");
    refused(block(&format!("{ROWS}P+00OU\n+")), "can be in hand");
    refused(block(&format!("{ROWS}P+00255FU\n+")), "as 99KY or 00FU");
    let all = block(&format!("{ROWS}P+00AL\n+")).unwrap();
    assert_eq!(all.hand(Color::Black).total(), 38);
    refused(block(&format!("{ROWS}P+00AL00FU\n+")), "19 pawns");

    for games in [hand, lines] {
        refused(record::read(format!("V2.2\n{games}\n+7776FU\n").as_bytes()), "a set has");
    }
    let offer = |hand: &str| {
        let text = format!(
            "Game_ID:x\nName+:a\nName-:b\nYour_Turn:+\nTo_Move:+\nBEGIN Position\nPI\n{hand}\n+\nEND Position"
        );
        GameSummary::parse(text.lines(), ReadOptions::default())
    };
    refused(offer(&format!("P+{}", "00FU".repeat(255))), "19 pawns");
    offer("P+").unwrap();
}

#[test]
fn a_board_without_kings_is_read_and_moves_on_it() {
    let position = sfen::parse(NO_KINGS).unwrap();
    assert!(!position.has_legal_move() && !position.in_check());
    assert!(position.check_playable().is_err());
    let position = sfen::parse("9/9/9/9/9/9/9/9/R8 b P 1").unwrap();
    assert_eq!(position.count_legal_moves(), position.legal_moves().len());

    let games = record::read(format!("{ROWS}P+99HI\n+\n+9998HI\n").as_bytes()).unwrap();
    assert_eq!((games[0].record.moves.len(), &games[0].fault), (1, &None));
    // No game can begin from this position.
    let text = format!(
        "Game_ID:x\nName+:a\nName-:b\nYour_Turn:+\nTo_Move:+\nBEGIN Position\n{ROWS}+\nEND Position"
    );
    refused(GameSummary::parse(text.lines(), ReadOptions::default()), "king");
}

#[test]
fn three_kings_are_refused() {
    refused(sfen::parse("4k4/9/9/9/9/9/9/9/3KK4 b - 1"), "a second king");
    refused(sfen::parse("kkk6/9/9/9/9/9/9/9/4K4 b - 1"), "a second king");
    refused(block(&format!("{ROWS}P+59OU58OU\nP-51OU\n+")), "3 kings");
    refused(block("PI\nP+55OU\n+"), "3 kings");
    refused(record::read(b"PI\nP+55OU\n+\n+7776FU\n"), "3 kings");
    refused(
        usi::parse_position_line("position sfen 4k4/9/9/9/9/9/9/9/3KK4 b - 1"),
        "a second king",
    );
}
