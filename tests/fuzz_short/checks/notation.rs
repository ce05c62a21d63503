//! Positions and moves as text.

use std::fmt::Write as _;
use std::io;

use kyomi::usi::Settings;
use kyomi_shogi::notation::{csa, sfen as sfen_text, usi};
use kyomi_shogi::{EnteringKingRule, EnteringKingWin, Game, MAX_MOVES, MoveList, Position, perft};

use super::{fit_to_print, text};

/// Calls the functions of a position that a reader accepted; none may panic.
pub(super) fn exercise(position: &Position) {
    assert_eq!(position.key(), position.recomputed_key());
    let moves = position.legal_moves();
    assert!(moves.len() <= MAX_MOVES);
    assert_eq!(moves.len(), position.count_legal_moves());
    assert_eq!(moves.len(), position.count_legal_moves_plainly());
    assert_eq!(moves.is_empty(), !position.has_legal_move());
    let mut board = position.clone();
    for &mv in &moves {
        assert!(position.is_legal(mv), "{mv} in {}", position.to_sfen());
        let check = position.gives_check(mv);
        let undo = board.do_move(mv);
        assert_eq!(check, board.in_check(), "{mv} in {}", position.to_sfen());
        assert_eq!(board.key(), board.recomputed_key(), "{mv} in {}", position.to_sfen());
        assert!(!board.is_exposed(), "{mv} in {}", position.to_sfen());
        board.undo_move(mv, undo);
    }
    assert!(board == *position);
    let mut parts = 0;
    for part in [Position::captures_and_promotions, Position::quiets, Position::drops] {
        let mut list = MoveList::new();
        part(position, &mut list);
        parts += list.len();
    }
    assert_eq!(parts, moves.len(), "{}", position.to_sfen());
    let mut checks = MoveList::new();
    position.checks(&mut checks);
    assert!(checks.iter().all(|mv| position.is_legal(*mv) && position.gives_check(*mv)));
    for win in EnteringKingRule::ALL.map(|rule| position.entering_king_win(rule)) {
        assert!(!matches!(win, Some(EnteringKingWin::Try(mv)) if !position.is_legal(mv)));
    }
}

/// Checks that a column, from 1, is within a text or just after it.
fn check_column(column: usize, text: &str) {
    assert!((1..=text.chars().count() + 1).contains(&column), "column {column} of {text:?}");
}

/// The column in an error message, which all errors state in the same words.
fn named_column(message: &str) -> Option<usize> {
    // Only before the quoted text, which may contain the same words.
    let message = message.split('\'').next().unwrap_or_default();
    let (_, after) = message.split_once("column ")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// CSA: rows, single pieces, hands, side.
pub(super) fn position_block(data: &[u8]) {
    let text = text(data);
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    match csa::parse_position_block(lines.iter().copied()) {
        Ok(position) => {
            let written = csa::format_position(&position);
            let again = csa::parse_position_block(written.lines()).unwrap();
            assert!(again == position, "{written}");
            exercise(&position);
        }
        Err(error) => {
            fit_to_print(&error);
            let message = error.to_string();
            let line = message.strip_prefix("line ").and_then(|rest| {
                rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
            });
            let Some(line) = line else { return };
            assert!((1..=lines.len()).contains(&line), "{message}");
            if let Some(column) = named_column(&message) {
                check_column(column, lines[line - 1]);
            }
        }
    }
}

/// SFEN.
pub(super) fn sfen(data: &[u8]) {
    let text = text(data);
    match sfen_text::parse(&text) {
        Ok(position) => {
            let written = sfen_text::format(&position);
            assert!(sfen_text::parse(&written).unwrap() == position, "{written}");
            // The CSA form contains everything except the number of the move.
            let block = csa::format_position(&position);
            let again = csa::parse_position_block(block.lines()).unwrap();
            assert_eq!((again.key(), again.ply()), (position.key(), 1));
            exercise(&position);
        }
        Err(error) => {
            fit_to_print(&error);
            check_column(named_column(&error.to_string()).unwrap(), &text);
        }
    }
}

/// A table of known counts: its rows are unchanged after writing and reading, and the counts of depth 0 and 1 are those
/// of the position.
pub(super) fn perft_suite(data: &[u8]) {
    let text = text(data);
    let rows = match perft::parse_suite(&text) {
        Ok(rows) => rows,
        Err(error) => {
            fit_to_print(&error);
            let message = error.to_string();
            if let Some(place) = message.strip_prefix("line ") {
                let line = place.split(':').next().unwrap().parse::<usize>().unwrap();
                assert!((1..=text.lines().count()).contains(&line), "{message}");
            }
            return;
        }
    };
    assert!(!rows.is_empty());
    let mut written = String::from("sfen,depth,nodes\n");
    for row in &rows {
        assert!(row.depth <= perft::MAX_DEPTH);
        let _ = writeln!(written, "{},{},{}", row.position.to_sfen(), row.depth, row.nodes);
        exercise(&row.position);
        let mut position = row.position.clone();
        assert_eq!(perft::perft(&mut position, 0), 1);
        assert_eq!(perft::perft(&mut position, 1), position.legal_moves().len() as u64);
    }
    let again = perft::parse_suite(&written).unwrap();
    assert_eq!(again.len(), rows.len());
    for ((again, first), line) in again.into_iter().zip(rows).zip(2..) {
        assert!(again == perft::SuiteRow { line, ..first }, "{written}");
    }
}

/// USI: moves, `position` lines, and all lines from a host.
pub(super) fn usi_line(data: &[u8]) {
    let text = text(data);
    for line in text.split('\n') {
        match usi::parse_position_line(line) {
            Ok(game) => {
                let written = usi::format_position_line(&game);
                let again = usi::parse_position_line(&written).unwrap();
                assert!(again.start() == game.start() && again.moves() == game.moves());
                check_game(&game);
            }
            Err(error) => {
                fit_to_print(&error);
                check_column(named_column(&error.to_string()).unwrap(), line);
            }
        }
        for word in line.split_whitespace() {
            match usi::parse_move(word) {
                Ok(mv) => assert_eq!(mv.to_string(), word),
                Err(error) => fit_to_print(&error),
            }
        }
    }
    // A search would make the run depend on timing, and a table would take time.
    let quiet = |line: &&str| {
        let line = line.to_ascii_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        !matches!(words.first(), Some(&("go" | "isready" | "quit")))
    };
    let input: Vec<&str> = text.split('\n').filter(quiet).collect();
    let answers = talk(&(input.join("\n") + "\nusi\nquit\n"));
    assert!(answers.ends_with("usiok\n"), "{answers}");
    for answer in answers.lines() {
        fit_to_print(&answer);
        let word = answer.split(' ').next().unwrap_or_default();
        assert!(matches!(word, "info" | "id" | "option" | "usiok"), "{answer}");
    }
    // One list of options for each request; at most one error for each line, and one for each word of
    // `ponderhit`.
    let lists =
        1 + input.iter().filter(|line| line.split_whitespace().next() == Some("usi")).count();
    let most = lists * talk("usi\nquit\n").len() + 200 * text.len();
    assert!(answers.len() <= most, "{} bytes of answer", answers.len());
}

fn check_game(game: &Game) {
    let mut game = game.clone();
    let _ = game.repetition(kyomi_shogi::CountStart::Yes);
    let _ = game.repetition(kyomi_shogi::CountStart::No);
    exercise(game.position());
    while game.pop().is_some() {}
    assert!(game.position() == game.start());
}

/// All answers of the shell to these lines.
fn talk(input: &str) -> String {
    let mut answers = Vec::new();
    let input = io::Cursor::new(input.to_owned().into_bytes());
    kyomi::usi::run(input, &mut answers, Settings::default()).unwrap();
    String::from_utf8(answers).unwrap()
}
