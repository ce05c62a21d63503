//! SFEN lists: one position a line. They hold positions, not games.
//!
//! A game is written as all positions of its main line, the start first, each with the number of its next move. The
//! connection between the lines is not written, so each line is read as a record without moves. The lines that are
//! read are those of a [USI list](super::usi_list), with `position` or `sfen` before the position or without,
//! because files with this extension have all of these.

use super::main_line::omit_all_but_moves;
use super::spec::{Certainty, FormatSpec, Recognize, Write};
use super::usi_list;
use super::{Omission, Omissions, Record};

pub(super) const SFEN: FormatSpec = FormatSpec {
    name: "sfen",
    summary: "a position a line, all of a game",
    omits: "all but the positions",
    extension: "sfen",
    utf8_extension: "sfen",
    recognize: Recognize::Line(recognize),
    write: Write::utf8(|record, _, omissions| write(record, omissions)),
    ..usi_list::USI
};

/// A position without moves.
fn recognize(line: &str) -> Option<Certainty> {
    (usi_list::bare_sfen(line) == Some(false)).then_some(Certainty::Certain)
}

/// Reads the positions of a list one by one, as records without moves; see [`usi_list::read_each`].
pub fn read_each(bytes: &[u8]) -> usi_list::Games<'_> {
    usi_list::read_each(bytes)
}

/// Writes the positions of the main line, the start first, each on a line that ends with LF. Everything else is
/// omitted, and so are the moves as such.
pub fn write(record: &Record, omissions: &mut Omissions) -> String {
    omit_all_but_moves(record, omissions);
    omissions.add_many(Omission::Moves, record.moves.len());
    let mut position = record.start.clone();
    let mut text = position.to_sfen();
    text.push('\n');
    for made in &record.moves {
        position.do_move(made.mv);
        text.push_str(&position.to_sfen());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Header, RecordMove, strategy};
    use kyomi_shogi::{Position, notation::usi};

    #[test]
    fn a_game_is_written_as_its_positions() {
        let mut record = Record::new(Header::default(), Position::startpos());
        let moves = ["7g7f", "3c3d"].map(|mv| RecordMove::new(usi::parse_move(mv).unwrap()));
        record.moves = moves.to_vec();
        let mut omissions = Omissions::new();
        let text = write(&record, &mut omissions);
        assert_eq!(
            text,
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
             lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n\
             lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3\n"
        );
        assert_eq!(omissions.to_string(), "2 moves");
        let read: Vec<_> = read_each(text.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(read.len(), 3);
        assert_eq!(read[2].record.start, *record.game().unwrap().position());
        assert!(read.iter().all(|game| game.record.moves.is_empty() && game.fault.is_none()));
    }

    proptest! {
        #[test]
        fn positions_are_read_as_they_were_written(
            choices in proptest::collection::vec((any::<u16>(), strategy::any_extras()), 0..40),
        ) {
            let record = strategy::build(Header::default(), Position::startpos(), &choices, None);
            let text = write(&record, &mut Omissions::new());
            let again: String = read_each(text.as_bytes())
                .map(|game| write(&game.unwrap().record, &mut Omissions::new()))
                .collect();
            prop_assert_eq!(again, text);
        }
    }
}
