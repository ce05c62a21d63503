//! Rows against known ones, against themselves, and against random bytes.

use proptest::prelude::*;

use super::*;
use crate::{
    Analysis, End, EndKind, Format, Header, Omissions, PackedFault, ReadRecord, Record,
    RecordError, RecordMove, Winner, hcpe, psv, strategy,
};
use kyomi_shogi::{
    Color, HANDICAPS, Piece, PieceKind, Position, PositionBuilder, Score, Square, notation::usi,
};

/// Position, move, and the rows that other programs make of them. The score is -123 for the side to move, which
/// lost.
const KNOWN: [(&str, &str, &str, &str); 3] = [
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "7g7f",
        "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c85ff3b1e0100ff00",
        "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c85ff3b1e0200",
    ),
    (
        "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "5a4b",
        "5924126120113f0b897090088f4420111e12e120111f0b8930a4d4da5a7bbf7e85ff1c120100ff00",
        "59240a61a0103f0785b050088f42a0101e0a61a1101f078530a4b4566bbd3f5e85ff1c120100",
    ),
    (
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 121",
        "P*8a",
        "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc85ffbf407900ff00",
        "2381490986eb1565014b3cbee40200a0c417b84a0004c744113fc3f9912467bd85ffbf280100",
    ),
];

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn scored(mv: &str, cp: i32) -> RecordMove {
    let analysis = Some(Analysis { score: Some(Score::Cp(cp)), ..Analysis::default() });
    RecordMove { analysis, ..RecordMove::new(usi::parse_move(mv).unwrap()) }
}

fn read_all(format: Format, bytes: &[u8]) -> Vec<Result<ReadRecord, RecordError>> {
    format.read_each(bytes).collect()
}

/// What is read: each record as a line of USI, each error as its text.
fn reported(format: Format, bytes: &[u8]) -> Vec<String> {
    let line = |game: Result<ReadRecord, RecordError>| match game {
        Ok(game) => crate::usi_list::write(&game.record, &mut Omissions::new()),
        Err(error) => error.to_string(),
    };
    format.read_each(bytes).map(line).map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn known_rows_are_written_and_read_bit_by_bit() {
    for (sfen, mv, psv_row, hcpe_row) in KNOWN {
        let start = Position::from_sfen(sfen).unwrap();
        let side = start.side_to_move();
        let cp = if side == Color::Black { -123 } else { 123 };
        let mut record = Record::new(Header::default(), start);
        record.moves.push(scored(mv, cp));
        record.end = Some(End::new(EndKind::Decided(Winner::Side(!side))));
        let mut omissions = Omissions::new();
        assert_eq!(psv::write(&record, &mut omissions), bytes(psv_row), "{sfen}");
        assert!(omissions.is_empty(), "{omissions}");
        assert_eq!(hcpe::write(&record, &mut omissions), bytes(hcpe_row), "{sfen}");
        let read = read_all(Format::Psv, &bytes(psv_row)).remove(0).unwrap();
        assert_eq!((read.record, read.encoding), (record.clone(), None));
        let read = read_all(Format::Hcpe, &bytes(hcpe_row)).remove(0).unwrap();
        assert_eq!(read.record.moves, record.moves);
        assert_eq!(read.record.end, record.end);
        assert_eq!(read.record.start.key(), record.start.key());
        assert_eq!(read.record.start.ply(), 1);
    }
}

/// Two short games that share their beginning.
fn two_games() -> [Record; 2] {
    [["7g7f", "3c3d", "8h2b+", "3a2b"], ["7g7f", "8c8d", "2g2f", "P*5e"]].map(|moves| {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.moves = moves.iter().take(4).map(|mv| scored(mv, 10)).collect();
        record.moves.retain(|made| !made.mv.is_drop());
        record.end = Some(End::new(EndKind::Decided(Winner::Draw)));
        record
    })
}

#[test]
fn rows_that_follow_on_are_one_game() {
    for format in [Format::Psv, Format::Hcpe] {
        let mut file = Vec::new();
        for record in two_games() {
            file.extend(format.write(&record, crate::Encoding::Utf8, &mut Omissions::new()));
        }
        let read = read_all(format, &file);
        let read: Vec<Record> = read.into_iter().map(|game| game.unwrap().record).collect();
        assert_eq!(read, two_games(), "{format:?}");
    }
}

#[test]
fn another_number_or_result_begins_another_game() {
    let record = &two_games()[0];
    let rows = psv::write(record, &mut Omissions::new());
    let mut changed = rows.clone();
    changed[2 * 40 + 36] = 9;
    assert_eq!(read_all(Format::Psv, &changed).len(), 3);
    let mut changed = rows;
    changed[3 * 40 + 38] = 1;
    let read = read_all(Format::Psv, &changed);
    let lengths = read.iter().map(|game| game.as_ref().unwrap().record.moves.len());
    assert_eq!(lengths.collect::<Vec<_>>(), [3, 1]);
    let mut changed = hcpe::write(record, &mut Omissions::new());
    changed[3 * 38 + 36] = 2;
    let read = read_all(Format::Hcpe, &changed);
    assert_eq!(read[1].as_ref().unwrap().record.start.ply(), 1);
}

#[test]
fn a_broken_row_is_reported_with_its_place_and_does_not_affect_others() {
    let record = &two_games()[0];
    let rows = psv::write(record, &mut Omissions::new());
    let broken = |at: usize, byte: u8| {
        let mut rows = rows.clone();
        rows[40 + at] = byte;
        reported(Format::Psv, &rows)
    };
    for (at, byte, error) in [
        (
            0,
            0xff,
            "row 2, byte 1: black's king has no square; expected the index of a square of its own, below 81",
        ),
        (34, 0xff, "row 2, byte 35: the row's move 0x1e7f is illegal in its position"),
        (35, 0x40, "row 2, byte 35: the row's move 0x407f is illegal in its position"),
        (
            38,
            7,
            "row 2, byte 39: 7 is not a result; expected 1 (the side to move won), 0 (drawn) or -1 (it lost)",
        ),
    ] {
        let reported = broken(at, byte);
        assert_eq!(reported.len(), 3, "{reported:?}");
        assert_eq!(reported[0], "startpos moves 7g7f");
        assert!(reported[1].starts_with(&error[..error.find(": ").unwrap()]), "{reported:?}");
        if at == 38 || at == 0 {
            assert_eq!(reported[1], error);
        }
        assert!(reported[2].ends_with(" 3 moves 8h2b+ 3a2b"), "{reported:?}");
    }
    let cut = reported(Format::Psv, &rows[..2 * 40 + 7]);
    assert_eq!(cut[1], "row 3, byte 8: the file ends after 7 of the row's 40 bytes");
    assert_eq!(cut.len(), 2);
}

#[test]
fn a_file_without_rows_is_one_error() {
    for (format, size) in [(Format::Psv, 40), (Format::Hcpe, 38)] {
        let errors = reported(format, b"");
        assert_eq!(errors.len(), 1);
        assert!(errors[0].starts_with("row 1, byte 1: no game here"), "{errors:?}");
        assert!(errors[0].contains(&size.to_string()), "{errors:?}");
    }
}

#[test]
fn wrong_counts_of_pieces_are_reported() {
    for codes in [CodeSet::Psv, CodeSet::Hcp] {
        let kings = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 4L4N 1").unwrap();
        let packed = pack(codes, &kings).unwrap();
        assert_eq!(unpack(codes, &packed, 1).unwrap(), kings);
        // The codes of lance and knight have the same length: a flip of one bit turns the first lance in hand into a
        // knight.
        let wrong = (15 + 79 + 1..15 + 79 + 4).filter_map(|bit| {
            let mut packed = packed;
            packed[bit / 8] ^= 1 << (bit % 8);
            unpack(codes, &packed, 1).err()
        });
        let wrong: Vec<_> = wrong.collect();
        assert!(
            wrong.iter().any(|fault| matches!(
                fault,
                PackedFault::Count { kind: PieceKind::Lance, count: 3 }
            )),
            "{wrong:?}"
        );
        let no_king = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 b - 1").unwrap();
        assert!(pack(codes, &no_king).is_err());
        assert_eq!(unpack(codes, &[0xff; 32], 1), Err(PackedFault::King(Color::Black)));
        // Both kings on one square.
        assert_eq!(unpack(codes, &[0; 32], 1), Err(PackedFault::King(Color::White)));
    }
}

#[test]
fn omissions_are_reported() {
    let mut record = two_games()[0].clone();
    record.end = Some(End::new(EndKind::Interrupted));
    record.moves[1].analysis = None;
    record.moves[2].analysis.as_mut().unwrap().nodes = Some(3);
    let mut omissions = Omissions::new();
    assert_eq!(psv::write(&record, &mut omissions).len(), 160);
    assert_eq!(
        omissions.to_string(),
        "1 number of nodes, 1 end, 1 move without a score (written as 0), 1 game without a result (written as a draw)"
    );
    let mut omissions = Omissions::new();
    record.start = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 b P 1").unwrap();
    record.moves = vec![scored("P*5e", 1)];
    assert!(psv::write(&record, &mut omissions).is_empty());
    assert_eq!(omissions.to_string(), "1 start position, 1 end, 1 move");
}

#[test]
fn a_game_without_moves_has_no_rows_and_is_reported_as_omitted() {
    let record = Record::new(Header::default(), Position::startpos());
    for format in [Format::Psv, Format::Hcpe] {
        let mut omissions = Omissions::new();
        let rows = format.write(&record, crate::Encoding::Utf8, &mut omissions);
        assert!(rows.is_empty());
        assert_eq!(omissions.to_string(), "1 start position");
    }
}

#[test]
fn mates_are_scores_close_to_32000() {
    for (score, number) in [
        (Score::Cp(29_999), 29_999),
        (Score::Win(Some(1)), 31_999),
        (Score::Win(Some(2_000)), 30_000),
        (Score::Loss(Some(5)), -31_995),
        (Score::Loss(None), -32_000),
    ] {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.moves = ["7g7f", "3c3d"].map(|mv| scored(mv, 0)).to_vec();
        record.end = Some(End::new(EndKind::Decided(Winner::Draw)));
        for made in &mut record.moves {
            made.analysis.as_mut().unwrap().score = Some(score);
        }
        let mut omissions = Omissions::new();
        let rows = psv::write(&record, &mut omissions);
        assert!(omissions.is_empty(), "{omissions}");
        let stored = |row: usize| i16::from_le_bytes([rows[row * 40 + 32], rows[row * 40 + 33]]);
        assert_eq!((stored(0), stored(1)), (number, -number));
        assert_eq!(read_all(Format::Psv, &rows).remove(0).unwrap().record, record);
        record.moves[0].analysis.as_mut().unwrap().score = Some(Score::Win(Some(2_001)));
        psv::write(&record, &mut omissions);
        assert_eq!(omissions.to_string(), "1 length of a mate");
    }
}

#[test]
fn rows_are_read_only_when_asked_for() {
    let rows = psv::write(&two_games()[0], &mut Omissions::new()).repeat(20_000);
    assert_eq!(psv::read_each(&rows).take(2).flatten().count(), 2);
}

/// A full set placed at random on board and in hands; `None` where that is not a position.
fn thrown(seed: u64) -> Option<Position> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut builder = PositionBuilder::new();
    let mut squares: Vec<Square> = Square::all().collect();
    random.shuffle(&mut squares);
    for color in Color::ALL {
        builder.put(squares.pop()?, Piece::new(color, PieceKind::King));
    }
    for kind in PieceKind::HAND {
        for _ in 0..kind.total() {
            let color = Color::ALL[random.usize(..2)];
            let promoted = kind.promoted().filter(|_| random.bool());
            let square = squares.last().copied().filter(|_| random.u8(..3) > 0);
            let piece = Piece::new(color, promoted.unwrap_or(kind));
            let in_box = random.u8(..20) == 0;
            match square {
                _ if in_box => {}
                Some(square) if can_be_placed(&builder, piece, square) => {
                    builder.put(square, piece);
                    squares.pop();
                }
                _ => {
                    builder.set_hand(color, kind, builder.hand_count(color, kind) + 1);
                }
            }
        }
    }
    builder.set_side(Color::ALL[random.usize(..2)]);
    builder.build().ok()
}

fn can_be_placed(builder: &PositionBuilder, piece: Piece, square: Square) -> bool {
    let mut with = builder.clone();
    with.put(square, piece);
    with.build().is_ok()
}

proptest! {
    #[test]
    fn every_position_with_both_kings_is_packed_and_unpacked(seed in any::<u64>()) {
        let position = thrown(seed).expect("built step by step");
        for codes in [CodeSet::Psv, CodeSet::Hcp] {
            let packed = pack(codes, &position).unwrap();
            prop_assert_eq!(unpack(codes, &packed, 1).unwrap(), position.clone());
        }
    }

    #[test]
    fn what_is_written_is_read_again(
        choices in proptest::collection::vec((any::<u16>(), strategy::any_extras()), 1..60),
        end in proptest::option::of((any::<usize>(), Just(None))),
        from in 0..14usize,
    ) {
        let start = HANDICAPS[from].position();
        let mut record = strategy::build(Header::default(), start, &choices, end);
        let rows = psv::write(&record, &mut Omissions::new());
        let hcpe_rows = hcpe::write(&record, &mut Omissions::new());
        // What the formats keep.
        let winner = record.winner().unwrap_or(Winner::Draw);
        record.end = Some(End::new(EndKind::Decided(winner)));
        for made in &mut record.moves {
            let score = made.analysis.as_ref().and_then(|analysis| analysis.score);
            let score = match score {
                Some(Score::Win(plies)) => Score::Win(plies.map(|plies| plies.min(2000))),
                Some(Score::Loss(plies)) => Score::Loss(plies.map(|plies| plies.min(2000))),
                score => score.unwrap_or(Score::Cp(0)),
            };
            let analysis = Analysis { score: Some(score), ..Analysis::default() };
            *made = RecordMove { analysis: Some(analysis), ..RecordMove::new(made.mv) };
        }
        for (format, rows) in [(Format::Psv, rows), (Format::Hcpe, hcpe_rows)] {
            let read = read_all(format, &rows);
            prop_assert_eq!(read.len(), 1);
            prop_assert_eq!(&read[0].as_ref().unwrap().record, &record);
            let mut omissions = Omissions::new();
            let again = format.write(&record, crate::Encoding::Utf8, &mut omissions);
            prop_assert_eq!(again, rows);
            prop_assert!(omissions.is_empty());
        }
    }

    #[test]
    fn no_bytes_make_it_panic(
        noise in proptest::collection::vec(any::<u8>(), 0..300),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..6),
    ) {
        for format in [Format::Psv, Format::Hcpe] {
            let encoding = crate::Encoding::Utf8;
            let mut rows = format.write(&two_games()[0], encoding, &mut Omissions::new());
            for (at, byte) in &changes {
                let at = at % rows.len();
                rows[at] = *byte;
            }
            for bytes in [&noise, &rows] {
                for game in format.read_each(bytes) {
                    match game {
                        Ok(game) => prop_assert!(game.record.game().is_ok()),
                        Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
                    }
                }
            }
        }
    }
}
