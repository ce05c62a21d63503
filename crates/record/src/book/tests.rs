use std::fs;

use proptest::prelude::*;
use tempfile::NamedTempFile;

use kyomi_shogi::{Color, Game, Move, Position, Winner, notation::usi};

use super::source::BUILT_IN;
use super::*;

mod comments;
mod flipped;
mod unknown_values;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

fn mv(text: &str) -> Move {
    usi::parse_move(text).unwrap()
}

fn game(text: &str) -> Game {
    usi::parse_position_line(text).unwrap()
}

fn read(text: impl AsRef<[u8]>) -> (BookTable, BookFaults) {
    BookTable::read(text.as_ref()).unwrap()
}

fn names(moves: &[BookMove]) -> Vec<String> {
    moves.iter().map(|it| it.mv.to_string()).collect()
}

/// A temporary file that is removed after the test.
struct TestFile(NamedTempFile);

impl TestFile {
    fn new(bytes: impl AsRef<[u8]>) -> Self {
        let file = NamedTempFile::with_suffix(".db").unwrap();
        fs::write(file.path(), bytes).unwrap();
        Self(file)
    }

    /// The book, searched on disk.
    fn on_disk(&self) -> Result<Book, BookError> {
        Book::open_file(self.0.path(), 0).map(|(book, _)| book)
    }
}

/// A book of some positions of random games.
fn random_book(seed: u64, games: usize) -> BookTable {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut entries = Vec::new();
    for _ in 0..games {
        let mut game = Game::default();
        for _ in 0..random.usize(1..30) {
            let moves = game.position().legal_moves();
            let Some(&next) = moves.get(random.usize(..moves.len().max(1))) else { break };
            let mut entry = BookEntry::new(game.position());
            for number in 0..random.usize(1..4) {
                entry.moves.push(BookMove {
                    mv: moves[(random.usize(..moves.len()) + number) % moves.len()],
                    reply: random.bool().then(|| mv("8c8d")),
                    score: random.bool().then(|| random.i32(-500..500)),
                    depth: random.bool().then(|| random.u32(0..40)),
                    count: random.u64(0..1000),
                });
            }
            for of in [None, entry.moves.first().map(|it| it.mv)] {
                if random.bool() {
                    let text = format!(" {}\nan old line", random.u32(..)).into();
                    entry.comments.push(BookComment { of, text });
                }
            }
            entries.push(entry);
            game.push(next).unwrap();
        }
    }
    BookTable::new(entries).merged()
}

#[test]
fn all_line_forms_are_parsed() {
    let text = format!(
        "\u{feff}{HEADER}\r\n# a comment\r\n// another\r\nsfen {START} 1\r\n2g2f 8c8d 10 12 300 # played\r\n7g7f none\r\n\
         5g5f\r\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -\r\n3c3d none -20"
    );
    let (book, faults) = read(text);
    assert_eq!(faults, BookFaults::default());
    let moves = book.moves(Game::default().position(), None);
    assert_eq!(names(&moves), ["2g2f", "5g5f", "7g7f"]);
    let (score, depth) = (Some(10), Some(12));
    let known = BookMove { mv: mv("2g2f"), reply: Some(mv("8c8d")), score, depth, count: 300 };
    assert_eq!(moves[0], known);
    assert_eq!((moves[1].reply, moves[1].count), (None, 0));
    let second = game("startpos moves 7g7f");
    assert_eq!(book.moves(second.position(), None)[0].score, Some(-20));
    // Its entry has no number, so it fits any.
    assert_eq!(book.moves(second.position(), Some(2)).len(), 1);
}

#[test]
fn bad_lines_are_skipped_and_reported() {
    let text = format!(
        "{HEADER}\n7g7f none 0 0 1\nsfen {START} 1\n7g7e none\nxx none\n2g2f what 0 0 1\n7g7f none x\n7g7f none 1 1 -1\n\
         2g2f none 0 0 1\nsfen 9/9 b - 1\n7g7f\n5g5f\nsfen\n{}\n",
        "7".repeat(1 << 15)
    );
    let (book, faults) = read(text.as_bytes());
    assert_eq!(names(&book.moves(&Position::startpos(), None)), ["2g2f"]);
    let lines: Vec<usize> = faults.first.iter().map(|it| it.line).collect();
    assert_eq!(lines, [2, 4, 5, 6, 7, 8, 10, 13, 14]);
    let said: Vec<String> = faults.first.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "line 2: a move before the first position");
    assert_eq!(said[1], "line 4: 7g7e is not legal there");
    assert!(faults.summary().unwrap().starts_with("9 lines are skipped; the first: line 2: "));
    // What is no text at all.
    let (book, faults) = read(b"\xff\xfe\x00\n\x00sfen\n");
    assert!(book.is_empty() && faults.count == 2);
}

#[test]
fn positions_may_occur_twice_and_in_any_order() {
    let second = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let text = format!(
        "sfen {second}\n8c8d none 0 0 1\nsfen {START} 3\n7g7f none 5 4 10\nsfen {START} 1\n7g7f 3c3d 7 6 2\n2g2f none 6 1 1\n"
    );
    let (book, _) = read(text);
    let moves = book.moves(&Position::startpos(), None);
    assert_eq!(names(&moves), ["7g7f", "2g2f"]);
    assert_eq!((moves[0].count, moves[0].score, moves[0].reply), (12, Some(7), Some(mv("3c3d"))));
    let only_third = book.moves(&Position::startpos(), Some(3));
    assert_eq!((names(&only_third), only_third[0].score), (vec!["7g7f".to_owned()], Some(5)));
    let merged = book.merged();
    assert_eq!(merged.entries().len(), 2);
    assert_eq!(merged.moves(&Position::startpos(), Some(1)), moves);
}

#[test]
fn a_book_on_disk_gives_the_same_moves_as_in_memory() {
    let table = random_book(5, 60);
    let file = TestFile::new(table.write(&["random".to_owned()]));
    let disk = file.on_disk().unwrap();
    for entry in table.entries() {
        let position = Position::from_sfen(&format!("{} 1", entry.sfen)).unwrap();
        for ply in [None, Some(entry.ply), Some(entry.ply + 1)] {
            let in_memory = table.moves(&position, ply);
            assert_eq!(disk.moves(&position, ply).unwrap(), in_memory, "{}", entry.sfen);
        }
    }
    let unknown = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b G 1").unwrap();
    assert!(disk.moves(&unknown, None).unwrap().is_empty());
}

#[test]
fn equal_positions_on_disk_are_merged() {
    let text = format!(
        "{HEADER}\r\nsfen {START} 1\r\n7g7f none 0 0 3\r\n\r\nsfen {START} 3\r\nbroken\r\n2g2f none 0 0 9\r\n7g7f none 0 0 4\r\n"
    );
    let file = TestFile::new(&text);
    let moves = file.on_disk().unwrap().moves(&Position::startpos(), None).unwrap();
    assert_eq!(moves, read(&text).0.moves(&Position::startpos(), None));
    assert_eq!((names(&moves), moves[1].count), (vec!["2g2f".to_owned(), "7g7f".to_owned()], 7));
}

#[test]
fn a_large_book_must_be_sorted() {
    let table = random_book(9, 30);
    let mut entries = table.clone().into_entries();
    entries.reverse();
    let text: String =
        entries.into_iter().map(|entry| BookTable::new(vec![entry]).write(&[])).collect();
    let file = TestFile::new(&text);
    let error = file.on_disk().unwrap_err().to_string();
    assert!(error.contains("is not sorted") && error.contains("kyomi book merge"), "{error}");
    let (again, faults) = BookTable::open(file.0.path()).unwrap();
    assert_eq!((again, faults.count), (table, 0));
}

#[test]
fn other_files_are_refused() {
    let file = TestFile::new("Dear diary,\n");
    let error = Book::open_file(file.0.path(), 1 << 20).unwrap_err();
    assert!(matches!(error, BookError::Empty { .. }), "{error}");
    let error = Book::open(&BookSource::File("no/such/book.db".into())).unwrap_err().to_string();
    assert!(error.starts_with("reading the book no/such/book.db: "), "{error}");
    // No line end for megabytes: nothing is found, and nothing hangs.
    let file = TestFile::new(vec![b'x'; 6 << 20]);
    let disk = DiskBook::new(fs::File::open(file.0.path()).unwrap()).unwrap();
    assert!(disk.moves(&Position::startpos(), None).unwrap().is_empty());
    let file = TestFile::new("x\n".repeat(3 << 20));
    let disk = DiskBook::new(fs::File::open(file.0.path()).unwrap()).unwrap();
    disk.moves(&Position::startpos(), None).unwrap_err();
}

/// A source of bytes that has no end, as a device.
struct Endless<'a> {
    text: &'a [u8],
    at: usize,
}

impl std::io::Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let some = &self.text[self.at..];
        let count = some.len().min(buffer.len());
        buffer[..count].copy_from_slice(&some[..count]);
        self.at = (self.at + count) % self.text.len();
        Ok(count)
    }
}

#[test]
fn a_file_without_an_end_is_no_book() {
    let read = |text: &[u8]| {
        let source = std::io::BufReader::new(Endless { text, at: 0 });
        BookTable::read(source).map(|(table, _)| table.entries().len()).unwrap_err().to_string()
    };
    let problem = "no position within 4 MiB, so it is no book";
    for text in [&b"\0"[..], b"\n", b"a line\n", b"# a comment\n"] {
        assert_eq!(read(text), problem);
    }
    // A line without an end after a position.
    let book = format!("{HEADER}\nsfen {START} 1\n7g7f none 0 0 1\n");
    let then_zeros = std::io::Read::chain(book.as_bytes(), Endless { text: b"\0", at: 0 });
    let error = BookTable::read(std::io::BufReader::new(then_zeros)).unwrap_err().to_string();
    assert_eq!(error, problem);
    // A long comment is not the end of a book.
    let long = format!("#{}\n{book}", "x".repeat(1 << 20));
    let (table, faults) = BookTable::read(long.as_bytes()).unwrap();
    assert_eq!((table.entries().len(), faults.count), (1, 1));
}

fn opening(text: &str, rules: BookRules) -> OpeningBook {
    OpeningBook::new(Book::Table(read(text).0), rules)
}

#[test]
fn random_choices_follow_the_counts_within_the_margin() {
    let text = format!(
        "sfen {START} 1\n7g7f none 30 1 750\n2g2f none 10 1 250\n5g5f none 0 1 0\n9g9f none -1 1 9999\n"
    );
    let mut drawn = std::collections::BTreeMap::new();
    for seed in 0..2000 {
        let rules = BookRules { seed: Some(seed), ..BookRules::default() };
        let chosen = opening(&text, rules).choose(&Game::default()).unwrap();
        assert_eq!(opening(&text, rules).choose(&Game::default()), Some(chosen));
        *drawn.entry(chosen.mv.to_string()).or_insert(0) += 1;
    }
    assert_eq!(drawn.keys().collect::<Vec<_>>(), ["2g2f", "7g7f"]);
    assert!((1400..1600).contains(&drawn["7g7f"]), "{drawn:?}");
    let narrow = BookRules { narrow: true, ..BookRules::default() };
    assert_eq!(opening(&text, narrow).choose(&Game::default()).unwrap().mv, mv("7g7f"));
    let deep = BookRules { min_depth: 2, ..BookRules::default() };
    assert_eq!(opening(&text, deep).choose(&Game::default()), None);
}

#[test]
fn the_ply_matters_unless_it_is_ignored() {
    let text = format!("sfen {START} 5\n7g7f 3c3d 0 0 1\n");
    let start = Game::default();
    let chosen = opening(&text, BookRules::default()).choose(&start).unwrap();
    assert_eq!((chosen.mv, chosen.reply, chosen.candidates), (mv("7g7f"), Some(mv("3c3d")), 1));
    let strict = BookRules { ignore_ply: false, ..BookRules::default() };
    assert_eq!(opening(&text, strict).choose(&start), None);
    let none = BookRules { max_ply: 0, ..BookRules::default() };
    assert_eq!(opening(&text, none).choose(&start), None);
    let first = BookRules { max_ply: 1, ..BookRules::default() };
    assert!(opening(&text, first).choose(&start).is_some());
}

#[test]
fn no_move_repeats_a_position() {
    // After the rooks went and came back, the book's best move would repeat the first position.
    let line = "startpos moves 2h3h 8b7b 3h2h";
    let position = game(line).position().to_sfen();
    let text = format!("sfen {position}\n7b8b none 500 1 100\n3c3d 1a1b 0 1 1\n");
    let narrow = BookRules { narrow: true, ..BookRules::default() };
    let chosen = opening(&text, narrow).choose(&game(line)).unwrap();
    assert_eq!((chosen.mv, chosen.reply), (mv("3c3d"), None), "a reply must be legal");
    let fresh = game(&format!("sfen {position}"));
    assert_eq!(opening(&text, narrow).choose(&fresh).unwrap().mv, mv("7b8b"));
}

#[test]
fn a_book_is_built_from_games() {
    let mut builder = BookBuilder::new(BuildRules { max_ply: 2, ..BuildRules::default() });
    let games: [(&[&str], _); 4] = [
        (&["7g7f", "3c3d", "2g2f"], Some(Winner::Side(Color::Black))),
        (&["7g7f", "3c3d"], Some(Winner::Draw)),
        (&["7g7f", "8c8d"], None),
        (&["2g2f", "3c3d"], Some(Winner::Side(Color::White))),
    ];
    for (moves, winner) in games {
        let moves: Vec<Move> = moves.iter().map(|text| mv(text)).collect();
        builder.add(&Position::startpos(), &moves, winner);
    }
    assert_eq!(builder.games(), 4);
    let book = builder.finish();
    let first = book.moves(&Position::startpos(), Some(1));
    assert_eq!(names(&first), ["7g7f"]);
    assert_eq!((first[0].count, first[0].reply), (3, Some(mv("3c3d"))));
    // 21.5 of 42 points, with the twenty drawn games that are added: 11.5 of 22.
    assert_eq!(first[0].score, Some(55));
    let second = book.moves(game("startpos moves 7g7f").position(), None);
    assert_eq!((names(&second), second[0].score), (vec!["3c3d".to_owned()], Some(-55)));
    assert_eq!(book.entries().len(), 2);
}

#[test]
fn filters_keep_only_matching_moves() {
    let text = format!("sfen {START} 1\n7g7f none 30 1 75\n2g2f none 10 1 25\n5g5f none 0 1 3\n");
    let table = read(&text).0;
    let kept = |filter: BookFilter| {
        names(&table.clone().filtered(&filter).moves(&Position::startpos(), None))
    };
    let all = BookFilter::default();
    assert_eq!(kept(all), ["7g7f", "2g2f", "5g5f"]);
    assert_eq!(kept(BookFilter { min_count: 25, ..all }), ["7g7f", "2g2f"]);
    assert_eq!(kept(BookFilter { margin: Some(19), ..all }), ["7g7f"]);
    assert_eq!(kept(BookFilter { most: Some(2), ..all }), ["7g7f", "2g2f"]);
    assert!(kept(BookFilter { max_ply: Some(0), ..all }).is_empty());
}

#[test]
fn the_builtin_book_is_small_sorted_and_valid() {
    assert!(BUILT_IN.len() <= 200_000, "{} bytes", BUILT_IN.len());
    let (table, faults) = read(BUILT_IN);
    assert_eq!(faults, BookFaults::default());
    assert_eq!(table.clone().merged().write(&[]), BUILT_IN);
    let book = OpeningBook::new(Book::Table(table), BookRules::default());
    assert!(book.choose(&Game::default()).is_some());
}

#[test]
fn options_select_a_book() {
    let spec = |options: &[(&str, &str)]| {
        let mut all = BookOptions::reproducible();
        for (name, value) in options {
            assert!(BookOptions::has(name), "{name}");
            all.set(name, value).unwrap().unwrap();
        }
        all.spec()
    };
    assert_eq!(spec(&[]), None);
    assert_eq!(spec(&[("USI_OwnBook", "true")]).unwrap().source, BookSource::BuiltIn);
    let named = spec(&[("bookfile", "x.db"), ("BookMoves", "7"), ("NarrowBook", "true")]).unwrap();
    assert_eq!(named.source, BookSource::File("x.db".into()));
    assert_eq!((named.rules.max_ply, named.rules.narrow), (7, true));
    assert_eq!(spec(&[("BookFile", "x.db"), ("USI_OwnBook", "false")]), None);
    assert_eq!(spec(&[("BookFile", "no_book"), ("USI_OwnBook", "true")]), None);
    let mut options = BookOptions::new();
    let error = options.set("BookMoves", "many").unwrap().unwrap_err();
    assert_eq!(error, "BookMoves: 'many' is no number from 0 to 10000");
    assert!(options.set("Threads", "1").is_none());
    assert_eq!(options, BookOptions::new());
}

proptest! {
    #[test]
    fn a_written_book_round_trips(seed: u64, games in 1usize..6) {
        let table = random_book(seed, games);
        let text = table.write(&[]);
        let (again, faults) = read(&text);
        prop_assert_eq!(faults.count, 0);
        prop_assert_eq!(again.write(&[]), text);
        prop_assert_eq!(&again, &table);
        prop_assert_eq!(again.merged(), table);
    }

    #[test]
    fn merging_does_not_depend_on_the_order(seed: u64) {
        let mut moves: Vec<BookMove> =
            random_book(seed, 3).into_entries().into_iter().flat_map(|it| it.moves).collect();
        let joined = combine(moves.clone());
        fastrand::Rng::with_seed(seed).shuffle(&mut moves);
        prop_assert_eq!(combine(moves), joined);
    }

    #[test]
    fn damage_affects_only_the_damaged_lines(at in 0usize..4000, byte: u8) {
        let table = random_book(3, 4);
        let mut bytes = table.write(&[]).into_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        let (damaged, _) = read(&bytes);
        let same = table.entries().iter().filter(|it| damaged.entries().contains(it)).count();
        // A damaged line may become a position, which the following moves then belong to.
        prop_assert!(same + 2 >= table.entries().len());
        let file = TestFile::new(&bytes);
        if let Ok(disk) = file.on_disk() {
            for entry in damaged.entries() {
                let position = Position::from_sfen(&format!("{} 1", entry.sfen)).unwrap();
                let _ = disk.moves(&position, None);
            }
        }
    }
}
