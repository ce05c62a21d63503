//! Scores, depths and counts that a book does not have.

use super::*;

/// A book as ShogiHome writes it.
const NONE: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f 3c3d none none 12
2g2f 8c8d 30 none 7
5g5f none
9g9f none none none none
";

fn values(line: &str) -> (Option<i32>, Option<u32>, u64) {
    let (book, faults) = read(format!("sfen {START} 1\n{line}\n"));
    assert_eq!(faults, BookFaults::default(), "{line}");
    let moves = book.moves(&Position::startpos(), None);
    (moves[0].score, moves[0].depth, moves[0].count)
}

#[test]
fn no_line_is_lost_and_counts_stay() {
    let (book, faults) = read(NONE);
    assert_eq!(faults, BookFaults::default());
    let moves = book.moves(&Position::startpos(), None);
    let counts: Vec<(String, u64)> = moves.iter().map(|it| (it.mv.to_string(), it.count)).collect();
    assert_eq!(counts[..2], [("2g2f".to_owned(), 7), ("7g7f".to_owned(), 12)]);
    assert_eq!(moves.len(), 4);
    // What is not known is written so.
    let written = book.merged().write(&[]);
    assert!(written.contains("\n7g7f 3c3d none none 12\n"), "{written}");
    assert!(written.contains("\n2g2f 8c8d 30 none 7\n"), "{written}");
}

#[test]
fn every_way_to_leave_a_value_out_is_read() {
    for (line, expected) in [
        ("7g7f none None NONE 5", (None, None, 5)),
        ("7g7f - - - -", (None, None, 0)),
        ("7g7f resign 10 2 3", (Some(10), Some(2), 3)),
        ("7g7f win +10 2 3", (Some(10), Some(2), 3)),
        // Empty columns between single blanks.
        ("7g7f 3c3d   12", (None, None, 12)),
        ("7g7f 3c3d  9 12", (None, Some(9), 12)),
        ("7g7f 3c3d 30  12", (Some(30), None, 12)),
        ("7g7f 3c3d  9 ", (None, Some(9), 0)),
        // Columns that are aligned.
        ("7g7f  3c3d  30  9  12", (Some(30), Some(9), 12)),
        ("7g7f 3c3d   30  9    12", (Some(30), Some(9), 12)),
        ("7g7f\t3c3d\t30\t9\t12", (Some(30), Some(9), 12)),
    ] {
        assert_eq!(values(line), expected, "{line}");
    }
}

#[test]
fn a_move_without_a_score_is_even_and_within_every_margin() {
    let text =
        format!("sfen {START} 1\n7g7f none none none 12\n2g2f none 500 9 7\n5g5f none -9 9 99\n");
    let chosen = |rules| opening(&text, rules).choose(&Game::default()).unwrap().mv;
    let rules = |seed| BookRules { seed: Some(seed), ..BookRules::default() };
    let mut drawn: Vec<String> = (0..200).map(|seed| chosen(rules(seed)).to_string()).collect();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn, ["2g2f", "7g7f"]);
    assert_eq!(chosen(BookRules { narrow: true, ..rules(0) }), mv("2g2f"));
    // Its depth is not enough for any limit.
    assert_eq!(chosen(BookRules { min_depth: 1, ..rules(0) }), mv("2g2f"));
    let kept = read(&text).0.filtered(&BookFilter { margin: Some(30), ..BookFilter::default() });
    assert_eq!(names(&kept.moves(&Position::startpos(), None)), ["2g2f", "7g7f"]);
}
