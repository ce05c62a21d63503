//! Random records and lines are written and read unchanged, or refused.

use proptest::prelude::*;

use super::*;
use crate::strategy::{any_extras, any_header, any_time, build};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_written_is_read_again(
        header in any_header(),
        handicap in proptest::option::of(0..HANDICAPS.len()),
        choices in proptest::collection::vec((any::<u16>(), any_extras()), 0..60),
        end in proptest::option::of((any::<usize>(), proptest::option::of(any_time()))),
    ) {
        let start = handicap.map_or_else(Position::startpos, |index| HANDICAPS[index].position());
        let record = build(header, start, &choices, end);
        for (version, kept) in [
            (Version::V30(Encoding::Utf8), record.clone()),
            (Version::V22, in_whole_seconds(&record)),
        ] {
            let text = write_as(&record, version, &mut Omissions::new());
            let games =
                read(text.as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(games.len(), 1);
            prop_assert_eq!(&games[0].warnings, &vec![], "{}", text);
            prop_assert_eq!(&games[0].record, &kept, "{}", text);
        }
    }

    #[test]
    fn the_pieces_put_together_are_the_whole(
        header in any_header(),
        choices in proptest::collection::vec((any::<u16>(), any_extras()), 0..20),
    ) {
        let record = build(header, Position::startpos(), &choices, Some((0, None)));
        let mut text = write_header(&record.header, &record.start);
        let mut position = record.start.clone();
        for record_move in &record.moves {
            text += &write_move(&position, record_move);
            position.do_move(record_move.mv);
        }
        text += &write_end(record.end.as_ref().unwrap());
        prop_assert_eq!(text, write(&record));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        prop_assert!(read_each(&bytes).count() > 0);
    }

    #[test]
    fn any_statements_are_read_or_refused(
        lines in proptest::collection::vec(
            prop_oneof![
                "PI|PI82HI|P[1-9+-][+*A-Z0-9 -]{0,30}|[+-]|/|%[A-Z+]{0,9}|V[0-9.]{0,4}|T[0-9.]{0,5}",
                "[+-][0-9]{4}[A-Z]{2}",
                "'\\*\\*? ?[0-9A-Z+#% -]{0,30}",
                "\\$[A-Z+_]{0,12}:[0-9:/+ ]{0,20}",
                "\\PC{0,20}",
            ],
            0..30,
        ),
        separator in prop_oneof![Just("\n"), Just(","), Just("\r\n")],
    ) {
        for game in read_each(lines.join(separator).as_bytes()).flatten() {
            let record = game.record;
            prop_assert!(record.game().is_ok());
            prop_assert!(read_each(write(&record).as_bytes()).count() > 0);
        }
    }
}
