//! USI lists: one game a line.
//!
//! A line is read in every form of the arguments of USI's `position` command: `startpos moves 7g7f`, `position
//! startpos moves 7g7f`, `sfen BOARD SIDE HANDS NUMBER moves 7g7f`, the last without the word `sfen`, all of them
//! with or without moves, and moves alone. Text after a tab is ignored, so a table with the game in its first column
//! is a list too. Empty lines and lines that begin with `#` are ignored. A word such as `resign` or `win` may follow
//! the moves. A game whose last word is an illegal move of a piece that is there is lost by it. Each line is read independently: a broken line does not affect the others.

use super::fault::{Warnings, clip};
use super::foul::{LastMove, kind_after};
use super::main_line::omit_all_but_moves;
use super::spec::{Certainty, FormatSpec, Pieces, Recognize, Write};
use super::{
    Encoding, End, EndKind, Header, Omissions, Place, ReadRecord, Record, RecordError, RecordFault,
    RecordMove, Winner,
};
use kyomi_shogi::notation::csa::RawMove;
use kyomi_shogi::notation::usi::{self, PlacedMove, UsiError};
use kyomi_shogi::{Move, Position};

pub(super) const USI: FormatSpec = FormatSpec {
    name: "usi",
    summary: "a game a line, startpos moves 7g7f …",
    omits: "all but start and moves",
    extension: "usi",
    utf8_extension: "usi",
    other_extensions: &[],
    separator: Some(""),
    pieces: Pieces::Lines,
    largest_file: None,
    recognize: Recognize::Line(recognize),
    read: |bytes| Box::new(read_each(bytes)),
    write: Write::utf8(|record, _, omissions| write(record, omissions)),
};

/// A position with the words of USI, or with moves.
fn recognize(line: &str) -> Option<Certainty> {
    let first = line.split_ascii_whitespace().next()?;
    let is_usi = matches!(first, "position" | "startpos" | "sfen") || bare_sfen(line) == Some(true);
    is_usi.then_some(Certainty::Certain)
}

/// Whether moves follow, for a line that begins with the board and the side to move of an SFEN.
pub(super) fn bare_sfen(line: &str) -> Option<bool> {
    let mut words = line.split_ascii_whitespace();
    let is_board = words.next()?.bytes().filter(|byte| *byte == b'/').count() == 8;
    let has_side = matches!(words.next(), Some("b" | "w"));
    (is_board && has_side).then(|| words.any(|word| word == "moves"))
}

/// Reads the games of a list one by one. A line is read up to an illegal move or an unknown word, see
/// [`ReadRecord::fault`]. A line that is not of a list is an error, and so is a list without any game.
pub fn read_each(bytes: &[u8]) -> Games<'_> {
    let rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    // Programs on old Macintosh systems ended lines with CR alone.
    let has_cr_alone = !rest.contains(&b'\n') && rest.contains(&b'\r');
    let line_end = if has_cr_alone { b'\r' } else { b'\n' };
    Games { rest, line_end, number: 0, is_empty: true }
}

/// The games of a list, read on demand.
#[derive(Clone, Debug)]
pub struct Games<'a> {
    rest: &'a [u8],
    line_end: u8,
    /// The number of lines read.
    number: usize,
    /// Whether no game was found yet.
    is_empty: bool,
}

impl Iterator for Games<'_> {
    type Item = Result<ReadRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let mut parts = self.rest.splitn(2, |byte| *byte == self.line_end);
            let line = parts.next().unwrap_or_default();
            self.rest = parts.next().unwrap_or_default();
            self.number += 1;
            // Only the game is decoded: other columns may have names in any encoding.
            let game = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
            let is_comment = game.first() == Some(&b'#');
            if is_comment || game.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            self.is_empty = false;
            return Some(read_line(&String::from_utf8_lossy(game), self.number));
        }
        std::mem::replace(&mut self.is_empty, false)
            .then_some(Err(Place::text(1, 1).error(NO_GAME)))
    }
}

fn read_line(line: &str, number: usize) -> Result<ReadRecord, RecordError> {
    // Some programs write the moves alone.
    let first = line.split_whitespace().next().unwrap_or_default();
    if usi::parse_move(first).is_ok() {
        let whole = format!("{BEFORE_MOVES}{line}");
        let before = BEFORE_MOVES.len();
        return read_whole(&whole, number, |column| column.saturating_sub(before).max(1));
    }
    read_whole(line, number, |column| column)
}

/// Reads a complete line. `at` converts a column of `line` to a column of the file.
fn read_whole(
    line: &str,
    number: usize,
    at: impl Fn(usize) -> usize,
) -> Result<ReadRecord, RecordError> {
    let (start, mut placed) = usi::parse_start(line).map_err(|error| from_usi(error, number))?;
    let mut position = start.clone();
    let mut record = Record::new(Header::default(), start);
    let (mut fault, mut warnings) = (None, Warnings::default());
    warnings.add_start(Place::text(number, 1), &record.start);
    while let Some(next) = placed.next() {
        let PlacedMove { mv, number: ply, column } = match next {
            Ok(placed) => placed,
            Err(UsiError::Move { source, number: ply, column }) => {
                let place = Place::text(number, at(column));
                let found = source.token;
                let known = ENDS.into_iter().find(|(word, _)| *word == found);
                let is_word = found.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
                match known {
                    None if is_word && placed.clone().next().is_none() => {
                        warnings.add(place, || format!("the end '{}' is not known", clip(&found)));
                        record.end = Some(End::new(EndKind::Unknown(found)));
                    }
                    None => {
                        let found = clip(&found);
                        fault =
                            Some(place.error(RecordFault::NoMove { ply, found, expected: MOVE }));
                    }
                    Some((_, kind)) => {
                        record.end = Some(End::new(kind));
                        if placed.next().is_some() {
                            warnings.add(place, || format!("text after '{found}'; ignored"));
                        }
                    }
                }
                break;
            }
            Err(error) => return Err(from_usi(error, number)),
        };
        if !position.is_legal(mv) {
            let place = Place::text(number, at(column));
            let error = place.error(RecordFault::Illegal { ply, found: mv.to_string() });
            let is_last = placed.next().is_none();
            match LastMove::new(raw_move(&position, mv), &position, error) {
                Ok(last) if is_last && last.is_foul_alone() => {
                    fault = Some(last.error.clone());
                    record.end = Some(last.into_end());
                }
                Ok(LastMove { error, .. }) | Err(error) => fault = Some(error),
            }
            break;
        }
        position.do_move(mv);
        record.moves.push(RecordMove::new(mv));
    }
    let encoding = Some(Encoding::Utf8);
    let Warnings { kept: warnings, more: more_warnings } = warnings;
    Ok(ReadRecord { record, fault, warnings, more_warnings, version: None, encoding })
}

/// A move that need not be legal, with the piece that it moves.
fn raw_move(position: &Position, mv: Move) -> Option<RawMove> {
    let moved = || Some(position.piece_on(mv.from()?)?.kind());
    let kind = kind_after(mv.dropped().or_else(moved)?, mv.is_promotion())?;
    Some(RawMove { color: position.side_to_move(), from: mv.from(), to: mv.to(), kind })
}

/// Converts an error of the USI parser, with its column.
fn from_usi(error: UsiError, line: usize) -> RecordError {
    match error {
        UsiError::Expected { expected, found, column } => {
            let expected =
                if expected == "moves" { "keyword here; expected 'moves'" } else { START };
            Place::text(line, column).error(RecordFault::Word { found, expected })
        }
        UsiError::Sfen(error) => Place::text(line, error.column()).error(RecordFault::Sfen(error)),
        UsiError::Move { source, number: ply, column } => {
            let found = clip(&source.token);
            Place::text(line, column).error(RecordFault::NoMove { ply, found, expected: MOVE })
        }
        UsiError::Illegal { mv, number: ply, column } => {
            Place::text(line, column).error(RecordFault::Illegal { ply, found: mv.to_string() })
        }
    }
}

/// Writes the line of a game, ended by LF: `startpos moves 7g7f 3c3d`, or `sfen … moves …` for another start. Only
/// the start and the moves of the main line are kept.
pub fn write(record: &Record, omissions: &mut Omissions) -> String {
    omit_all_but_moves(record, omissions);
    let mut line = usi::format_line(&record.start, record.moves.iter().map(|made| made.mv));
    line.push('\n');
    line
}

const NO_GAME: RecordFault = RecordFault::NoGame {
    expected: "a list has a game or position on each line: startpos moves 7g7f …, or an SFEN",
};
/// The words that end a game.
const ENDS: [(&str, EndKind); 6] = [
    ("resign", EndKind::Resign),
    ("win", EndKind::Declaration),
    ("timeout", EndKind::TimeUp),
    ("draw", EndKind::Decided(Winner::Draw)),
    ("sennichite", EndKind::Sennichite),
    ("abort", EndKind::Interrupted),
];
/// The words before the moves of an even game.
const BEFORE_MOVES: &str = "startpos moves ";
const START: &str = "beginning of a game (startpos, sfen, or the board of an SFEN)";
const MOVE: &str = "the form 7g7f, 8h2b+ or P*5e";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy;

    fn lines(text: &str) -> Vec<String> {
        let lines = |game: Result<ReadRecord, RecordError>| match game {
            Ok(game) => {
                let line = write(&game.record, &mut Omissions::new());
                match game.fault {
                    Some(fault) => format!("{line}{fault}"),
                    None => line,
                }
            }
            Err(error) => error.to_string(),
        };
        read_each(text.as_bytes()).map(lines).collect()
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        let board = "4k4/9/9/9/9/9/9/9/4K4 b P 7";
        for (line, written) in [
            ("startpos".to_owned(), "startpos\n".to_owned()),
            ("position startpos moves".into(), "startpos\n".into()),
            ("position startpos moves 7g7f 3c3d\r".into(), "startpos moves 7g7f 3c3d\n".into()),
            ("  startpos moves  7g7f ".into(), "startpos moves 7g7f\n".into()),
            ("startpos moves 7g7f\tblack\twhite".into(), "startpos moves 7g7f\n".into()),
            (board.into(), format!("sfen {board}\n")),
            ("7g7f 3c3d".into(), "startpos moves 7g7f 3c3d\n".into()),
            (format!("position {board} moves P*5b"), format!("sfen {board} moves P*5b\n")),
            (format!("sfen {board}"), format!("sfen {board}\n")),
            (format!("position sfen {board} moves 5i5h"), format!("sfen {board} moves 5i5h\n")),
        ] {
            assert_eq!(lines(&line), [written], "{line}");
            assert_eq!(lines(&format!("\u{feff}# table\n\n{line}\n \n")).len(), 1, "{line}");
        }
    }

    #[test]
    fn a_broken_line_is_reported_with_its_place_and_does_not_affect_others() {
        let text = "startpos moves 7g7f 7g7f 3c3d\nhello world\nstartpos 7g7f\n\
            startpos moves 7g7f 3c3x\n9/9 b - 1\nstartpos moves 7g7f\n7g7f 3c3x\n";
        let expected = expect_test::expect![[r"
            startpos moves 7g7f
            line 1, column 21: ply 2: 7g7f is illegal; the moves before it are read
            line 2, column 1: 'hello' is not a beginning of a game (startpos, sfen, or the board of an SFEN)
            line 3, column 10: '7g7f' is not a keyword here; expected 'moves'
            startpos moves 7g7f
            line 4, column 21: ply 2: '3c3x' is not a move; expected the form 7g7f, 8h2b+ or P*5e
            line 5, column 4: the board has 2 rows instead of 9
            startpos moves 7g7f

            startpos moves 7g7f
            line 7, column 6: ply 2: '3c3x' is not a move; expected the form 7g7f, 8h2b+ or P*5e"]];
        expected.assert_eq(&lines(text).join("\n"));
    }

    #[test]
    fn a_game_may_end_with_a_word() {
        let game = |line: &str| read_each(line.as_bytes()).next().unwrap().unwrap();
        for (line, kind) in [
            ("startpos moves 7g7f 3c3d resign", EndKind::Resign),
            ("startpos moves 7g7f 3c3d win\r\n", EndKind::Declaration),
            ("7g7f 3c3d timeout", EndKind::TimeUp),
            ("startpos moves 7g7f 3c3d adjudicated", EndKind::Unknown("adjudicated".into())),
        ] {
            let read = game(line);
            let odd = usize::from(matches!(kind, EndKind::Unknown(_)));
            assert_eq!((read.fault, read.warnings.len()), (None, odd), "{line}");
            assert_eq!((read.record.moves.len(), read.record.end), (2, Some(End::new(kind))));
        }
        let read = game("startpos moves 7g7f resign 3c3d");
        assert_eq!((read.record.moves.len(), read.fault), (1, None));
        assert_eq!(read.warnings[0].to_string(), "line 1, column 21: text after 'resign'; ignored");
        let read = game("startpos moves 7g7f 3c3d resigned 2g2f");
        assert_eq!(read.record.moves.len(), 2);
        assert!(read.fault.unwrap().to_string().contains("'resigned' is not a move"));
    }

    #[test]
    fn lines_may_end_with_cr_alone() {
        let text = "startpos moves 7g7f\r\r# x\rstartpos 7g7f\r";
        let expected = [
            "startpos moves 7g7f\n",
            "line 4, column 10: '7g7f' is not a keyword here; expected 'moves'",
        ];
        assert_eq!(lines(text), expected);
    }

    #[test]
    fn a_file_without_a_game_is_one_error() {
        for text in ["", "\n\n", "# only\n", "\tx"] {
            let found = lines(text);
            assert_eq!(found.len(), 1, "{text:?}");
            assert!(found[0].starts_with("line 1, column 1: no game here"), "{found:?}");
        }
    }

    #[test]
    fn lines_are_read_only_when_asked_for() {
        let text = "startpos moves 7g7f\n".repeat(1_000_000);
        assert_eq!(read_each(text.as_bytes()).take(3).flatten().count(), 3);
    }

    #[test]
    fn other_columns_may_be_in_any_encoding() {
        let game = read_each(b"startpos moves 7g7f\t\x90\xe6\x8e\xe8\n").next().unwrap().unwrap();
        assert_eq!(game.record.moves.len(), 1);
        assert!(read_each(b"startpos\xff moves").next().unwrap().is_err());
    }

    #[test]
    fn omissions_are_reported() {
        let mut record = Record::new(Header::default(), Position::startpos());
        record.header.black = Some("a".into());
        record.end = Some(End::new(EndKind::Resign));
        let mut omissions = Omissions::new();
        assert_eq!(write(&record, &mut omissions), "startpos\n");
        assert_eq!(omissions.to_string(), "header 'black', 1 end");
    }

    proptest! {
        #[test]
        fn moves_are_read_as_they_were_written(
            header in strategy::any_header(),
            choices in proptest::collection::vec((any::<u16>(), strategy::any_extras()), 0..40),
            from in 0..14usize,
        ) {
            let start = kyomi_shogi::HANDICAPS[from].position();
            let record = strategy::build(header, start, &choices, None);
            let text = write(&record, &mut Omissions::new());
            let read: Vec<_> = read_each(text.as_bytes()).collect();
            prop_assert_eq!(read.len(), 1);
            let again = read[0].as_ref().unwrap();
            prop_assert_eq!(&again.fault, &None);
            prop_assert_eq!(&again.record.start, &record.start);
            let moves = |record: &Record| record.moves.iter().map(|made| made.mv).collect::<Vec<_>>();
            prop_assert_eq!(moves(&again.record), moves(&record));
            prop_assert_eq!(write(&again.record, &mut Omissions::new()), text);
        }

        #[test]
        fn no_bytes_make_it_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            text in "(position |startpos |sfen |moves |7g7f |\n|\t|[a-z1-9/+*]{1,5}|99999999999999999999| ){0,20}",
        ) {
            read_each(&bytes).for_each(drop);
            for game in read_each(text.as_bytes()) {
                if let Err(error) = game {
                    prop_assert_eq!(error.to_string().lines().count(), 1);
                }
            }
        }
    }
}
