//! Tables of games: tab-separated text, a game a line, with the names of the columns in the first line after `#`.
//!
//! The column `moves` (a USI list) is required. Further columns are read by name: `result` (`1-0`, `black` or `b`;
//! `0-1`, `white` or `w`; `1/2` or `draw`; `?`), `end`, `event`, `black`, `white`, `black_rating`, `white_rating`,
//! `start_time`, `evals` (from black's side, one for each ply, `-` for none), `seconds` (charged, one for each ply).
//! Others are ignored.

use std::time::Duration;

use kyomi_shogi::{Color, EndReason, GameEnd, Winner};

use super::csa::derive_controls;
use super::fault::clip;
use super::score::from_number;
use super::{
    Analysis, End, EndKind, Place, ReadRecord, RecordError, RecordFault, RecordTime, usi_list,
};

/// The columns of a table of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameColumns {
    names: Vec<String>,
    moves: usize,
}

impl GameColumns {
    /// The columns that the first line of a table names; `None` if the line is of another kind of file.
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
        let names: Vec<String> = line.strip_prefix('#')?.split('\t').map(str::to_owned).collect();
        let moves = names.iter().position(|name| name == "moves")?;
        Some(Self { names, moves })
    }

    /// The number of columns.
    pub const fn count(&self) -> usize {
        self.names.len()
    }

    /// The index of a column.
    pub fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Reads the game of a line; `number` is the number of the line in its file, from 1. `None` for an empty line and
    /// for a comment.
    ///
    /// # Errors
    /// The line is no game. One with an illegal move is read up to it, see [`ReadRecord::fault`].
    pub fn read(&self, line: &str, number: usize) -> Option<Result<ReadRecord, RecordError>> {
        let line = line.trim_end_matches(['\r', '\n']);
        if line.trim().is_empty() || line.starts_with('#') {
            return None;
        }
        Some(self.game(line, number))
    }

    fn game(&self, line: &str, number: usize) -> Result<ReadRecord, RecordError> {
        let fields: Vec<&str> = line.split('\t').collect();
        let Some(moves) = fields.get(self.moves).filter(|moves| !moves.trim().is_empty()) else {
            let fault = RecordFault::NoGame { expected: "the column 'moves' has a game" };
            return Err(Place::text(number, 1).error(fault));
        };
        let mut games = usi_list::read_each(moves.as_bytes());
        let at = |error: RecordError| Place::text(number, 1).error(error.fault);
        let Some(read) = games.next() else {
            let fault = RecordFault::NoGame { expected: "the column 'moves' has a game" };
            return Err(Place::text(number, 1).error(fault));
        };
        let mut read = read.map_err(at)?;
        read.fault = read.fault.map(at);
        let field = |name: &str| {
            fields.get(self.at(name)?).copied().map(str::trim).filter(|field| !field.is_empty())
        };
        let header = &mut read.record.header;
        header.black = field("black").map(str::to_owned);
        header.white = field("white").map(str::to_owned);
        header.event = field("event").map(str::to_owned);
        derive_controls(header);
        header.start_time = field("start_time").and_then(RecordTime::parse);
        for color in Color::ALL {
            let rating = field(&format!("{color}_rating")).and_then(rating);
            if let Some(rating) = rating {
                header.set_rating(color, rating);
            }
        }
        if read.fault.is_none() {
            match field("result").map(result).transpose() {
                Ok(winner) => {
                    if let Some(end) = winner.and_then(|it| end(&read, it, field("end"))) {
                        read.record.end = Some(end);
                    }
                }
                Err(fault) => read.fault = Some(Place::text(number, 1).error(fault)),
            }
            add_moves(&mut read, field("evals"), field("seconds"));
        }
        Ok(read)
    }
}

/// A rating, with or without a fraction.
fn rating(text: &str) -> Option<f64> {
    text.parse().ok().filter(|rating: &f64| (-100_000.0..100_000.0).contains(rating))
}

/// The winner that a result names; `None` for `?`.
fn result(word: &str) -> Result<Option<Winner>, RecordFault> {
    match word.to_ascii_lowercase().as_str() {
        "1-0" | "black" | "b" => Ok(Some(Winner::Side(Color::Black))),
        "0-1" | "white" | "w" => Ok(Some(Winner::Side(Color::White))),
        "1/2" | "1/2-1/2" | "draw" => Ok(Some(Winner::Draw)),
        "?" => Ok(None),
        _ => Err(RecordFault::Word { found: clip(word), expected: RESULTS }),
    }
}

const RESULTS: &str = "result; write 1-0 or black, 0-1 or white, 1/2 or draw, or ?";

/// The end of a game by its result and the word for its end. Of other words the result is kept.
fn end(read: &ReadRecord, winner: Option<Winner>, word: Option<&str>) -> Option<End> {
    let word = word.map(str::to_ascii_lowercase);
    let reason = match word.as_deref() {
        Some("toryo" | "resign_inferred") => EndReason::Resignation,
        Some("mate" | "tsumi") => EndReason::Mate,
        Some("sennichite") => EndReason::Sennichite,
        Some("time_up") => EndReason::TimeUp,
        Some("illegal_move") => EndReason::IllegalMove,
        Some("kachi" | "jishogi") => EndReason::Declaration,
        Some("max_moves") => EndReason::MaxMoves,
        Some("abnormal") => EndReason::Abnormal,
        _ if winner.is_none() => return None,
        _ => return winner.map(|winner| End::new(EndKind::Decided(winner))),
    };
    let side_to_move = read.record.side_to_move();
    Some(End::of(&GameEnd { winner, reason, side_to_move }))
}

/// Adds scores and times to the moves. A list of another length belongs to another game and is left out.
fn add_moves(read: &mut ReadRecord, evals: Option<&str>, seconds: Option<&str>) {
    let moves = &mut read.record.moves;
    let words = |text: Option<&str>| -> Vec<String> {
        let words: Vec<_> =
            text.unwrap_or("").split_ascii_whitespace().map(str::to_owned).collect();
        if words.len() == moves.len() { words } else { Vec::new() }
    };
    let (evals, seconds) = (words(evals), words(seconds));
    for (made, eval) in moves.iter_mut().zip(evals) {
        let score = eval.parse().ok().map(from_number);
        made.analysis = score.map(|score| Analysis { score: Some(score), ..Analysis::default() });
    }
    for (made, spent) in moves.iter_mut().zip(seconds) {
        let spent: Option<f64> = spent.parse().ok();
        made.time = spent
            .filter(|spent| (0.0..1e8).contains(spent))
            .map(|spent| Duration::from_millis((spent * 1000.0).round() as u64));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use kyomi_shogi::Score;

    const HEAD: &str = "#moves\tresult\tend\tevent\tblack\twhite\tblack_rating\twhite_rating\tstart_time\tevals\tseconds";

    fn read(row: &str) -> ReadRecord {
        GameColumns::parse(HEAD).unwrap().read(row, 7).unwrap().unwrap()
    }

    #[test]
    fn a_row_becomes_a_record() {
        let read = read(
            "startpos moves 7g7f 3c3d\t0-1\ttoryo\tcup\tA\tB\t2800.5\t-\t2016/03/24 00:00:02\t31 -\t0 1.5\r\n",
        );
        let record = &read.record;
        assert_eq!(record.header.black.as_deref(), Some("A"));
        assert_eq!(record.header.rating(Color::Black), Some(2800.5));
        assert_eq!(record.header.rating(Color::White), None);
        assert_eq!(record.header.start_time.unwrap().to_string(), "2016/03/24 00:00:02");
        assert_eq!(record.winner(), Some(Winner::Side(Color::White)));
        assert_eq!(record.end.as_ref().unwrap().kind, EndKind::Resign);
        assert_eq!(record.moves[0].analysis.as_ref().unwrap().score, Some(Score::Cp(31)));
        assert_eq!(record.moves[1].analysis, None);
        assert_eq!(record.moves[1].time, Some(Duration::from_millis(1500)));
    }

    #[test]
    fn faults_have_their_line_and_the_moves_before_are_kept() {
        let columns = GameColumns::parse(HEAD).unwrap();
        let error = columns.read("\t1-0", 7).unwrap().unwrap_err().to_string();
        assert!(error.starts_with("line 7, column 1: "), "{error}");
        let broken = read("startpos moves 7g7f 7g7f\t1-0\ttoryo");
        assert_eq!(broken.record.moves.len(), 1);
        assert!(broken.fault.unwrap().to_string().starts_with("line 7, "));
        assert_eq!(broken.record.end, None);
        assert!(columns.read("", 1).is_none() && columns.read("# a", 1).is_none());
        assert!(GameColumns::parse("#a\tb").is_none() && GameColumns::parse("moves").is_none());
    }

    #[test]
    fn a_result_against_the_side_to_move_keeps_its_winner() {
        let read = read("startpos moves 7g7f\t0-1\ttoryo");
        assert_eq!(read.record.winner(), Some(Winner::Side(Color::White)));
        let read = self::read("startpos moves 7g7f\t1/2\tlong");
        assert_eq!(read.record.winner(), Some(Winner::Draw));
    }

    #[test]
    fn results_have_several_words_and_any_other_is_a_fault() {
        let winner = |word: &str| {
            let read = read(&format!("startpos moves 7g7f\t{word}\ttime_up"));
            assert_eq!(read.fault, None, "{word}");
            read.record.winner()
        };
        for word in ["1-0", "black", "B"] {
            assert_eq!(winner(word), Some(Winner::Side(Color::Black)), "{word}");
        }
        for word in ["0-1", "White", "w"] {
            assert_eq!(winner(word), Some(Winner::Side(Color::White)), "{word}");
        }
        assert_eq!(winner("draw"), Some(Winner::Draw));
        assert_eq!((winner("?"), winner("")), (None, None));
        let read = read("startpos moves 7g7f 3c3d\t1/2 bogus\ttoryo");
        assert_eq!((read.record.moves.len(), &read.record.end), (2, &None));
        let fault = read.fault.unwrap().to_string();
        assert!(fault.starts_with("line 7, column 1: '1/2 bogus' is not a result; "), "{fault}");
    }

    proptest! {
        #[test]
        fn nothing_read_panics(head in "#moves\t[a-z\t]{0,20}", row in "\\PC{0,80}") {
            if let Some(columns) = GameColumns::parse(&head) {
                let _ = columns.read(&row, 1);
            }
        }
    }
}
