//! Records of games, in every format.

use kyomi_record::{Encoding, Format, GameColumns, Omissions, ReadRecord, Record, RecordMove};
use kyomi_shogi::{Move, Position};

use super::{fit_to_print, is_one_line_of_at_most, notation, same};

pub(super) fn csa_record(data: &[u8]) {
    check(Format::Csa3, data);
}

pub(super) fn kif(data: &[u8]) {
    check(Format::Kif, data);
}

pub(super) fn ki2(data: &[u8]) {
    check(Format::Ki2, data);
}

pub(super) fn jkf(data: &[u8]) {
    check(Format::Jkf, data);
}

/// A list of games, or of positions only.
pub(super) fn usi_list(data: &[u8]) {
    check(Format::Usi, data);
}

/// A table of games. The result of a whole game survives its writing.
pub(super) fn game_rows(data: &[u8]) {
    let text = super::text(data);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(columns) = GameColumns::parse(first) else { return };
    for (index, line) in rest.split('\n').enumerate() {
        match columns.read(line, index + 2) {
            Some(Ok(game)) => {
                check_legal(&game.record);
                if let Some(fault) = &game.fault {
                    fit_to_print(fault);
                }
                let written =
                    Format::Csa3.write(&game.record, Encoding::Utf8, &mut Omissions::new());
                let again = Format::Csa3.read_each(&written).next();
                let winner = again.and_then(Result::ok).and_then(|again| again.record.winner());
                assert_eq!(winner, game.record.winner(), "{line}");
            }
            Some(Err(error)) => fit_to_print(&error),
            None => {}
        }
    }
}

/// A list of positions, one on each line.
pub(super) fn sfen_list(data: &[u8]) {
    check(Format::Sfen, data);
}

/// Rows of 40 bytes.
pub(super) fn psv(data: &[u8]) {
    check(Format::Psv, data);
}

/// Rows of 38 bytes.
pub(super) fn hcpe(data: &[u8]) {
    check(Format::Hcpe, data);
}

/// All moves of a game are legal, and the game is unchanged after writing and reading in its format. In another format
/// that reports no omissions, start and moves are unchanged.
fn check(format: Format, data: &[u8]) {
    let mut games = 0;
    for game in format.read_each(data) {
        games += 1;
        match game {
            Ok(game) => check_game(format, &game, data),
            Err(error) => fit_to_print(&error),
        }
    }
    assert!(games > 0, "neither a game nor an error");
    assert!(games <= 1 + data.len(), "{games} games in {} bytes", data.len());
}

fn check_game(format: Format, game: &ReadRecord, data: &[u8]) {
    let record = &game.record;
    if let Some(fault) = &game.fault {
        fit_to_print(fault);
    }
    for warning in &game.warnings {
        fit_to_print(warning);
    }
    assert!(game.warnings.len() <= 100);
    check_legal(record);

    check_written(record, format, format, Encoding::Utf8, data);
    let other = Format::ALL[data.len() % Format::ALL.len()];
    check_written(record, format, other, Encoding::Utf8, data);
    // The one format that always names its encoding, so that nothing is guessed.
    let encoding = Encoding::ALL[data.len() % Encoding::ALL.len()];
    check_written(record, format, Format::Csa3, encoding, data);
}

/// If the format reports no omissions, start, moves and headers are unchanged after reading; in the record's own format
/// everything is unchanged.
fn check_written(record: &Record, own: Format, format: Format, encoding: Encoding, data: &[u8]) {
    let mut omissions = Omissions::new();
    let bytes = format.write(record, encoding, &mut omissions);
    let name = format.name();
    // A move of two letters may be written with its rank, its number and its time.
    let most = 4_000 + 64 * data.len();
    assert!(bytes.len() <= most, "{name}: {} bytes of {}", bytes.len(), data.len());
    if omissions.is_empty() {
        let written = format!("{name}, {encoding}:\n{}", String::from_utf8_lossy(&bytes));
        let mut again: Vec<_> = format.read_each(&bytes).collect();
        assert_eq!(again.len(), 1, "{written}");
        let again = again.remove(0).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(again.fault, None, "{written}");
        if format == own && !(encoding != Encoding::Utf8 && has_twins(record, format)) {
            same(&again.record, record, &written);
        } else {
            same(&shape(&again.record), &shape(record), &written);
            if encoding == Encoding::Utf8 {
                same(&headers(&again.record), &headers(record), &written);
            }
        }
    } else {
        // Each header that is left out has its name in the list.
        is_one_line_of_at_most(2000, &omissions);
    }
}

/// Whether a text has characters with several codes in the JIS encodings, which are not lost but change.
fn has_twins(record: &Record, format: Format) -> bool {
    let bytes = format.write(record, Encoding::Utf8, &mut Omissions::new());
    String::from_utf8_lossy(&bytes).contains(|c| "〜‖—−¢£¬☗☖⛊⛉¥‾".contains(c))
}

/// The start and the moves of all lines, each with the line and the ply at which it branches off.
fn shape(record: &Record) -> (Position, Vec<Line>) {
    let moves = |line: &[RecordMove]| line.iter().map(|made| made.mv).collect();
    let main = (None, 1, moves(&record.moves));
    let others = record.variations.iter().map(|line| (line.parent, line.ply, moves(&line.moves)));
    (record.start.clone(), std::iter::once(main).chain(others).collect())
}

/// The header and the kind of end.
fn headers(record: &Record) -> (kyomi_record::Header, Option<kyomi_record::EndKind>) {
    (record.header.clone(), record.end.as_ref().map(|end| end.kind.clone()))
}

type Line = (Option<usize>, usize, Vec<Move>);

fn check_legal(record: &Record) {
    let game = record.game().expect("a record that was read is legal");
    notation::exercise(game.position());
    record.check_variations().expect("variations that were read leave their lines");
    // The positions of each line, from its first to the one after its last move.
    let mut lines = vec![replay(&record.start, &record.moves)];
    for variation in &record.variations {
        let first = record.first_ply(variation.parent);
        let parent = &lines[variation.parent.map_or(0, |parent| parent + 1)];
        lines.push(replay(&parent[variation.ply - first], &variation.moves));
    }
}

fn replay(start: &Position, moves: &[RecordMove]) -> Vec<Position> {
    let mut positions = vec![start.clone()];
    for record_move in moves {
        let mut position = positions[positions.len() - 1].clone();
        assert!(position.is_legal(record_move.mv), "{}", record_move.mv);
        position.do_move(record_move.mv);
        positions.push(position);
    }
    positions
}
