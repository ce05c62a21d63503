//! Pictures and diagrams of arbitrary positions with arbitrary names.

use kyomi::{
    report::{BoardOptions, Moment, Script, board_svg},
    terminal::{Surroundings, diagram},
};
use kyomi_record::{Header, Record, RecordMove};
use proptest::prelude::*;

use crate::{common::positions, xml};

/// The largest number of columns of a diagram's lines without names.
const COLUMNS: usize = 1 + 9 * 4 + 1 + 2;

/// Names that may come from a network.
fn name() -> impl Strategy<Value = Option<String>> {
    let hostile =
        "[<>&\"'/ \\-\\]\\[!\u{0}-\u{1f}\u{7f}-\u{9f}\u{202e}\u{fffe}\u{ffff}a-z歩]{0,60}";
    prop_oneof![Just(None), any::<String>().prop_map(Some), hostile.prop_map(Some)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_position_is_shown(
        seed: u64,
        names in [name(), name()],
        caption in name(),
        letters: bool,
        is_handicap: bool,
        width: Option<u32>,
    ) {
        let mut random = fastrand::Rng::with_seed(seed);
        let start = positions::arbitrary(&mut random);
        let moves = start.legal_moves();
        let script = if letters { Script::Letters } else { Script::Japanese };
        let [black, white] = names.clone();
        let comments = caption.iter().cloned().collect();
        let header = Header { black, white, comments, ..Header::default() };
        let mut record = Record::new(header, start);
        if !moves.is_empty() {
            record.moves.push(RecordMove::new(moves[random.usize(..moves.len())]));
        }
        let moment = Moment::at(&record, record.moves.len()).unwrap();
        let last = moment.last().map(|last| last.mv);

        let options = BoardOptions { script, names, is_handicap, caption, width };
        let svg = board_svg(moment.position(), last, &options);
        prop_assert_eq!(xml::fault(&svg), None);
        let of_moment = board_svg(moment.position(), last, &BoardOptions::of(&moment, script));
        prop_assert_eq!(xml::fault(&of_moment), None);

        let surroundings = Surroundings { terminal: false, colour: true };
        let text = diagram(&moment, script, surroundings);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{:?}", text);
        let board: Vec<_> = text.lines().filter(|line| line.starts_with(['|', '+'])).collect();
        // A comment may begin with anything, but is not at the edge.
        prop_assert!(board.len() == 11, "{}", text);
        let columns = |line: &str| -> usize {
            line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
        };
        let widths: Vec<_> = board[1..10].iter().map(|line| columns(line)).collect();
        let expected = if letters { 1 + 9 * 3 + 1 + 1 } else { COLUMNS };
        prop_assert!(widths.iter().all(|width| *width == expected), "{}", text);
    }
}
