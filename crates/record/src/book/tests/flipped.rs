//! Positions that a book has only from the other side.

use super::*;

/// A book that has each position with black to move.
const BLACK_ONLY: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3
2g2f 8d8e 40 20 1
";

/// The position of [`BLACK_ONLY`] with white to move.
const TURNED: &str = "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 4";

fn books(text: &str) -> [Book; 2] {
    let file = TestFile::new(text);
    [Book::Table(read(text).0), file.on_disk().unwrap()]
}

fn chosen(book: Book, rules: BookRules, position: &str) -> Option<BookAnswer> {
    OpeningBook::new(book, rules).choose(&game(position))
}

#[test]
fn a_book_for_black_answers_for_white() {
    for book in books(BLACK_ONLY) {
        let answer = chosen(book, BookRules::default(), TURNED).unwrap();
        assert_eq!((answer.mv, answer.reply), (mv("8c8d"), Some(mv("2f2e"))));
        assert_eq!((answer.entry.score, answer.entry.depth), (Some(40), Some(20)));
    }
    for book in books(BLACK_ONLY) {
        let rules = BookRules { flipped: false, ..BookRules::default() };
        assert_eq!(chosen(book, rules, TURNED), None);
    }
}

#[test]
fn a_book_for_white_answers_for_black() {
    let drop =
        "sfen 4k4/9/9/9/9/9/9/4r4/4K4 w p 1\n5h5i+ none 9 9 1\nP*5b none 8 9 1\n5a5b none 7 9 1\n";
    for book in books(drop) {
        let moves = book.flipped_moves(game("sfen 4k4/4R4/9/9/9/9/9/9/4K4 b P 1").position(), None);
        // A king is not captured in a legal game; the drop and the move of the king are turned.
        let moves = names(&moves.unwrap());
        assert!(
            moves.contains(&"P*5h".to_owned()) && moves.contains(&"5i5h".to_owned()),
            "{moves:?}"
        );
    }
}

#[test]
fn the_position_itself_goes_before_the_turned_one() {
    let second = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 4";
    let text = format!("{BLACK_ONLY}sfen {second}\n3d3e none -30 1 1\n");
    for book in books(&text) {
        assert_eq!(chosen(book, BookRules::default(), TURNED).unwrap().mv, mv("3d3e"));
    }
}

#[test]
fn the_number_of_the_move_counts_for_the_turned_position_too() {
    let rules = BookRules { ignore_ply: false, ..BookRules::default() };
    for (number, found) in [("4", false), ("3", true)] {
        let position = TURNED.replace(" 4", &format!(" {number}"));
        for book in books(BLACK_ONLY) {
            assert_eq!(chosen(book, rules, &position).is_some(), found, "{position}");
        }
    }
}

#[test]
fn the_option_is_on_and_can_be_switched_off() {
    let flipped = |options: &BookOptions| options.spec().unwrap().rules.flipped;
    let mut options = BookOptions::named("x.db");
    assert!(flipped(&options));
    assert!(
        options.usi_lines().contains(&"option name FlippedBook type check default true".to_owned())
    );
    options.set("FlippedBook", "false").unwrap().unwrap();
    assert!(!flipped(&options));
}

proptest! {
    #[test]
    fn turned_books_give_turned_moves(seed: u64) {
        let table = random_book(seed, 3);
        let turn = |entry: &BookEntry| {
            let position = Position::from_sfen(&format!("{} 1", entry.sfen)).unwrap().rotated();
            let turned = |it: &BookMove| BookMove {
                mv: it.mv.rotated(),
                reply: it.reply.map(Move::rotated),
                ..*it
            };
            BookEntry { moves: entry.moves.iter().map(turned).collect(), ..BookEntry::new(&position) }
        };
        let turned = BookTable::new(table.entries().iter().map(turn).collect());
        let (text, faults) = read(turned.write(&[]));
        prop_assert_eq!(faults.count, 0, "a legal move is legal when it is turned");
        let book = Book::Table(text);
        for entry in table.entries() {
            let position = Position::from_sfen(&format!("{} 1", entry.sfen)).unwrap();
            let found = book.flipped_moves(&position, None).unwrap();
            let mut expected: Vec<String> = names(&entry.moves);
            let mut found = names(&found);
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
