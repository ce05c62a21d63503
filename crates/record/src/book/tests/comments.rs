//! Comments are kept.

use super::*;

const SECOND: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";

fn commented() -> String {
    format!(
        "{HEADER}\n# my book\n//of 2024\nsfen {SECOND} 2\n3c3d none 0 0 1\n//x\nsfen {START} 1 # the start\n#互角\n\
         2g2f 8c8d 10 12 300 # played\n#often\n# by all\n7g7f none none none 5 best by test\n5g5f none\n"
    )
}

#[test]
fn a_book_is_written_with_its_comments() {
    let (book, faults) = read(commented());
    assert_eq!(faults, BookFaults::default());
    let expected = format!(
        "{HEADER}\n# my book\n#of 2024\nsfen {SECOND} 2\n3c3d none 0 0 1\n#x\nsfen {START} 1\n# the start\n#互角\n\
         2g2f 8c8d 10 12 300\n# played\n#often\n# by all\n7g7f none none none 5\n#best by test\n\
         5g5f none none none 0\n"
    );
    assert_eq!(book.write(&[]), expected);
    assert_eq!(book.clone().merged().write(&[]), expected);
    assert_eq!(read(&expected).0, book);
    let with_more = book.write(&["new".to_owned()]);
    assert!(with_more.starts_with(&format!("{HEADER}\n# new\n# my book\n")), "{with_more}");
}

#[test]
fn joined_books_have_all_comments_once() {
    let other = format!(
        "{HEADER}\n# another\nsfen {START} 1\n#互角\n7g7f none 1 1 1\n#solid\nsfen {START} 3\n7g7f none\n#solid\n"
    );
    let tables = [commented(), other, commented()].map(|text| read(text).0);
    let joined = BookTable::joined(tables.to_vec());
    let text = joined.write(&[]);
    assert!(text.starts_with(&format!("{HEADER}\n# another\n# my book\n#of 2024\n")), "{text}");
    assert_eq!(text.matches("#互角\n").count(), 1, "{text}");
    assert!(text.contains("\n7g7f none 1 1 11\n#best by test\n#solid\n"), "{text}");
    let again = BookTable::joined(tables.into_iter().rev().collect());
    assert_eq!(again.write(&[]), text, "the order of the books is of no account");
}

#[test]
fn a_filter_drops_the_comments_of_the_moves_that_it_drops() {
    let filter = BookFilter { min_count: 10, ..BookFilter::default() };
    let text = read(commented()).0.filtered(&filter).write(&[]);
    assert!(text.contains("#often\n") && text.contains("#互角\n"), "{text}");
    assert!(!text.contains("best by test"), "{text}");
}

#[test]
fn a_comment_of_a_line_that_is_skipped_stays_with_its_position() {
    let (book, faults) = read(format!("sfen {START} 1\n2g2f none\n7g7e none\n#odd\n"));
    assert_eq!(faults.count, 1);
    assert!(book.write(&[]).contains("b - 1\n#odd\n2g2f"));
}

#[test]
fn a_comment_that_looks_like_the_header_is_kept() {
    let (book, _) = read(format!("sfen {START} 1\n/{}\n7g7f none\n", HEADER.replace('#', "/")));
    let (again, _) = read(book.write(&[]));
    assert!(again == book && book.write(&[]).contains("//YANEURAOU"), "{}", book.write(&[]));
}

#[test]
fn comments_may_be_long_or_in_shift_jis() {
    let long = "字".repeat(5000);
    let mut bytes = format!("sfen {START} 1\n#{long}\n").into_bytes();
    bytes.extend_from_slice(b"2g2f none\n#\x8c\xdd\x8ap\x82\xcc\x8dU\x95\xfb\n");
    let (book, faults) = read(&bytes);
    let text = book.write(&[]);
    assert!(text.contains("#互角の攻方\n"), "{text}");
    let (again, more) = read(&text);
    assert_eq!((faults.count, more.count, again), (0, 0, book));
    // A comment that is too long is not taken for a position: the moves after it stay.
    let (book, faults) = read(format!("sfen {START} 1\n#{}\n2g2f none\n", "x".repeat(1 << 15)));
    assert_eq!((faults.count, book.moves(&Position::startpos(), None).len()), (1, 1));
}
