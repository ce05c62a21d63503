//! Opening books.

use std::io::Write as _;

use kyomi_record::book::{Book, BookFaults, BookRules, BookTable, OpeningBook};
use kyomi_shogi::{Game, Position};

use super::{fit_to_print, same};

/// Any bytes are a book, perhaps an empty one. Its moves are legal, its faults have a line and fit to print. Written
/// and read again it is the same.
pub(super) fn book(data: &[u8]) {
    let (table, faults) = BookTable::read(data).unwrap();
    let lines = data.split(|byte| *byte == b'\n').count();
    assert!(faults.first.len() == faults.count.min(BookFaults::KEPT));
    for fault in &faults.first {
        assert!((1..=lines).contains(&fault.line), "{fault}");
        fit_to_print(fault);
    }
    let merged = table.clone().merged();
    let text = merged.write(&[]);
    let (again, faults) = BookTable::read(text.as_bytes()).unwrap();
    assert_eq!(faults.count, 0, "{text}");
    same(&again, &merged, &text);
    let commented = merged.write(&["a\ncomment".to_owned()]);
    assert_eq!(commented.lines().count(), text.lines().count() + 1, "{commented}");
    for entry in merged.entries() {
        let position = Position::from_sfen(&format!("{} 1", entry.sfen)).unwrap();
        let moves = table.moves(&position, None);
        assert_eq!(moves, entry.moves);
        assert!(moves.iter().all(|it| position.is_legal(it.mv)), "{}", entry.sfen);
    }
    let rules = BookRules { seed: Some(1), ..BookRules::default() };
    let game = Game::default();
    if let Some(chosen) = OpeningBook::new(Book::Table(table.clone()), rules).choose(&game) {
        assert!(game.position().is_legal(chosen.mv));
    }
    on_disk(data, &table);
}

/// On disk a book gives legal moves too, and those of memory if it is sorted.
fn on_disk(data: &[u8], table: &BookTable) {
    let name = format!("kyomi-fuzz-book-{}-{:?}", std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(name);
    std::fs::File::create(&path).unwrap().write_all(data).unwrap();
    if let Ok((book, _)) = Book::open_file(&path, 0) {
        for entry in table.entries().iter().take(3) {
            let position = Position::from_sfen(&format!("{} 1", entry.sfen)).unwrap();
            let moves = book.moves(&position, None).unwrap_or_default();
            assert!(moves.iter().all(|it| position.is_legal(it.mv)), "{}", entry.sfen);
            let position = position.rotated();
            let moves = book.flipped_moves(&position, None).unwrap_or_default();
            assert!(moves.iter().all(|it| position.is_legal(it.mv)), "{}", entry.sfen);
        }
    }
    let _ = std::fs::remove_file(&path);
}
