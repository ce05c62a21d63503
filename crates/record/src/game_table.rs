//! Games from tables of games (`.tsv`, gzip or plain), whole and replayed.
//!
//! The first line names the columns and begins with `#`. The columns `moves` and `result` are required; `evals`,
//! `black`, `white` and the numbers `black_rating` and `white_rating` are optional. Moves are USI after
//! `startpos moves`. Evaluations are from black's side, one for each ply, with `-` for none.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use flate2::bufread::MultiGzDecoder;

use crate::GameColumns;
use kyomi_shogi::{
    Color, Move, Position, Winner,
    notation::usi::{self, UsiMoveError},
};

/// A game of a table, or of self-play. Its moves are legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingGame {
    /// The line of the table, from 1; for self-play the number of the game.
    pub line: usize,
    /// The start position; `None` for the standard one.
    pub start: Option<Box<Position>>,
    /// The moves.
    pub moves: Box<[Move]>,
    /// The result; `None` if it is not known.
    pub winner: Option<Winner>,
    /// The engines' scores from black's side by ply, roughly in centipawns. The list is empty, or as long as `moves`.
    pub evals: Box<[Option<i32>]>,
    /// The name of the black player; empty if the table has none.
    pub black: Box<str>,
    /// The name of the white player, likewise.
    pub white: Box<str>,
    /// The ratings of black and of white; `None` if the table has none.
    pub ratings: [Option<u32>; 2],
}

impl TrainingGame {
    /// The name of a side's player.
    pub fn player(&self, color: Color) -> &str {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The rating of a side's player, if the table has it.
    pub fn rating(&self, color: Color) -> Option<u32> {
        self.ratings[color.index()]
    }

    /// The side that makes the move of this index.
    pub fn side_to_move(&self, ply: usize) -> Color {
        let first = self.start.as_ref().map_or(Color::Black, |start| start.side_to_move());
        if ply.is_multiple_of(2) { first } else { !first }
    }

    /// Passes each position with its ply (0 before the first move) and the move played in it to `visit`.
    pub fn replay(&self, mut visit: impl FnMut(&Position, usize, Move)) {
        let mut position = self.start.as_deref().cloned().unwrap_or_else(Position::startpos);
        for (ply, &mv) in self.moves.iter().enumerate() {
            visit(&position, ply, mv);
            position.do_move(mv);
        }
    }
}

/// The reason a table cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// It cannot be read.
    #[error("reading games from {}: {source}", path.display())]
    Read {
        /// The table.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The first line does not name the columns.
    #[error(
        "{}, line 1: expected the names of the columns after '#', with '{missing}' among them",
        path.display()
    )]
    Columns {
        /// The table.
        path: PathBuf,
        /// A required column that is missing.
        missing: &'static str,
    },
    /// A row is wrong.
    #[error("{}, line {line}: {fault}", path.display())]
    Row {
        /// The table.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        fault: RowFault,
    },
}

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// Fewer columns than the first line has.
    #[error("only {0} columns")]
    Short(usize),
    /// The moves do not begin with `startpos moves`.
    #[error("moves begin with 'startpos moves'")]
    Start,
    /// A word is not a move.
    #[error("move {number}: {source}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// What is wrong with it.
        source: UsiMoveError,
    },
    /// A move is not legal.
    #[error("move {number}: {mv} is not legal")]
    Illegal {
        /// The number of the move, from 1.
        number: usize,
        /// The move.
        mv: Move,
    },
    /// The result is none of the four words.
    #[error("the result is one of 1-0, 0-1, 1/2 and ?")]
    Result,
    /// The evaluation with this number, from 1, is not a number.
    #[error("evaluation {0} is neither a whole number nor -")]
    Eval(usize),
    /// The number of evaluations is not the number of moves.
    #[error("{evals} evaluations for {moves} moves")]
    Count {
        /// The number of evaluations.
        evals: usize,
        /// The number of moves.
        moves: usize,
    },
    /// The row is not text.
    #[error("not UTF-8")]
    Text,
    /// The line is too long.
    #[error("longer than {} KiB", MOST_LINE >> 10)]
    Long,
}

/// Iterates over the games of a table. The iteration ends after an error.
pub struct Games {
    path: PathBuf,
    source: Box<dyn BufRead + Send>,
    columns: Columns,
    line: usize,
    buffer: Vec<u8>,
    failed: bool,
}

impl std::fmt::Debug for Games {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Games")
            .field("path", &self.path)
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

impl Games {
    /// Opens a table, plain or gzip, recognised by its first bytes.
    ///
    /// # Errors
    /// The table cannot be read, or its first line does not name the columns.
    pub fn open(path: &Path) -> Result<Self, GamesError> {
        let read = |source| GamesError::Read { path: path.to_owned(), source };
        let file = BufReader::with_capacity(1 << 16, File::open(path).map_err(read)?);
        Self::new(path, file)
    }

    /// Reads a table from a source; `path` is its name in errors.
    ///
    /// # Errors
    /// As [`Games::open`].
    pub fn new(path: &Path, mut source: impl BufRead + Send + 'static) -> Result<Self, GamesError> {
        let read = |source| GamesError::Read { path: path.to_owned(), source };
        let packed = source.fill_buf().map_err(read)?.starts_with(&GZIP);
        let source: Box<dyn BufRead + Send> = if packed {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(source)))
        } else {
            Box::new(source)
        };
        let mut games = Self {
            path: path.to_owned(),
            source,
            columns: Columns::default(),
            line: 0,
            buffer: Vec::new(),
            failed: false,
        };
        games.next_line()?;
        games.columns = Columns::of(&String::from_utf8_lossy(&games.buffer))
            .map_err(|missing| GamesError::Columns { path: path.to_owned(), missing })?;
        Ok(games)
    }

    /// Reads the next line into the buffer. Returns whether there was one.
    fn next_line(&mut self) -> Result<bool, GamesError> {
        self.buffer.clear();
        self.line += 1;
        let mut source = (&mut self.source).take(MOST_LINE as u64 + 1);
        let read = source.read_until(b'\n', &mut self.buffer);
        read.map_err(|source| GamesError::Read { path: self.path.clone(), source })?;
        if self.buffer.len() > MOST_LINE {
            return Err(self.row(RowFault::Long));
        }
        let there = !self.buffer.is_empty();
        while self.buffer.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            self.buffer.pop();
        }
        Ok(there)
    }

    fn row(&self, fault: RowFault) -> GamesError {
        GamesError::Row { path: self.path.clone(), line: self.line, fault }
    }

    fn next_game(&mut self) -> Result<Option<TrainingGame>, GamesError> {
        while self.next_line()? {
            if self.buffer.is_empty() || self.buffer.starts_with(b"#") {
                continue;
            }
            let Ok(text) = std::str::from_utf8(&self.buffer) else {
                return Err(self.row(RowFault::Text));
            };
            return self.columns.game(text, self.line).map(Some).map_err(|fault| self.row(fault));
        }
        Ok(None)
    }
}

impl Iterator for Games {
    type Item = Result<TrainingGame, GamesError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.next_game().transpose();
        self.failed = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The indices of the columns.
#[derive(Debug, Default)]
struct Columns {
    count: usize,
    moves: usize,
    result: usize,
    evals: Option<usize>,
    players: [Option<usize>; 2],
    ratings: [Option<usize>; 2],
}

impl Columns {
    /// Reads the first line. The error is the name of a missing column.
    fn of(line: &str) -> Result<Self, &'static str> {
        let columns = GameColumns::parse(line).ok_or("moves")?;
        let at = |name: &str| columns.at(name);
        Ok(Self {
            count: columns.count(),
            moves: at("moves").ok_or("moves")?,
            result: at("result").ok_or("result")?,
            evals: at("evals"),
            players: ["black", "white"].map(at),
            ratings: ["black_rating", "white_rating"].map(at),
        })
    }

    fn game(&self, text: &str, line: usize) -> Result<TrainingGame, RowFault> {
        let fields: Vec<&str> = text.split('\t').collect();
        if fields.len() < self.count {
            return Err(RowFault::Short(fields.len()));
        }
        let moves = moves(fields[self.moves])?;
        let winner = match fields[self.result] {
            "1-0" => Some(Winner::Side(Color::Black)),
            "0-1" => Some(Winner::Side(Color::White)),
            "1/2" => Some(Winner::Draw),
            "?" => None,
            _ => return Err(RowFault::Result),
        };
        let evals = evals(self.evals.map_or("", |at| fields[at]))?;
        if !evals.is_empty() && evals.len() != moves.len() {
            return Err(RowFault::Count { evals: evals.len(), moves: moves.len() });
        }
        let [black, white] = self.players.map(|at| at.map_or("", |at| fields[at]).into());
        let ratings = self.ratings.map(|at| at.and_then(|at| rating(fields[at])));
        Ok(TrainingGame { line, start: None, moves, winner, evals, black, white, ratings })
    }
}

/// A rating, with or without a fraction. Any other text is no rating: tables leave the field empty or write a dash.
fn rating(text: &str) -> Option<u32> {
    let rating: f32 = text.parse().ok()?;
    (0.0..100_000.0).contains(&rating).then_some(rating as u32)
}

fn moves(text: &str) -> Result<Box<[Move]>, RowFault> {
    let rest = text.strip_prefix("startpos moves").ok_or(RowFault::Start)?;
    let mut position = Position::startpos();
    let read = |(index, word): (usize, &str)| {
        let number = index + 1;
        let mv = usi::parse_move(word).map_err(|source| RowFault::Move { number, source })?;
        if !position.is_legal(mv) {
            return Err(RowFault::Illegal { number, mv });
        }
        position.do_move(mv);
        Ok(mv)
    };
    rest.split_ascii_whitespace().enumerate().map(read).collect()
}

fn evals(text: &str) -> Result<Box<[Option<i32>]>, RowFault> {
    let read = |(index, word): (usize, &str)| match word {
        "-" => Ok(None),
        number => number.parse().map(Some).map_err(|_| RowFault::Eval(index + 1)),
    };
    text.split_ascii_whitespace().enumerate().map(read).collect()
}

/// Whether a file is a table of games by its name: `.tsv` or `.tsv.gz`.
pub fn is_table(path: &Path) -> bool {
    let has = |path: &Path, expected: &str| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(expected))
    };
    has(path, "tsv")
        || has(path, "gz") && path.file_stem().is_some_and(|stem| has(Path::new(stem), "tsv"))
}

/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The largest length of a line in bytes, enough for a game of thirty thousand plies.
const MOST_LINE: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;

    use super::*;

    const TABLE: &str = "#moves\tresult\tblack\twhite\tevals\n\
        startpos moves 7g7f 3c3d 8h2b+\t1-0\tA\tB\t31 - -40\n\
        \n\
        startpos moves\t1/2\tC\tD\t\n\
        startpos moves 2g2f\t?\t\t\t-\r\n";

    fn read(table: impl Into<Vec<u8>>) -> Result<Vec<TrainingGame>, String> {
        let games = Games::new(Path::new("games.tsv"), Cursor::new(table.into()));
        games.and_then(Iterator::collect).map_err(|error: GamesError| error.to_string())
    }

    #[test]
    fn games_have_the_values_of_all_columns() {
        let games = read(TABLE).unwrap();
        assert_eq!(games.iter().map(|game| game.line).collect::<Vec<_>>(), [2, 4, 5]);
        assert_eq!(games[0].moves.len(), 3);
        assert_eq!(games[0].winner, Some(Winner::Side(Color::Black)));
        assert_eq!(*games[0].evals, [Some(31), None, Some(-40)]);
        assert_eq!((games[0].player(Color::Black), games[0].player(Color::White)), ("A", "B"));
        assert_eq!((games[1].winner, games[1].moves.len()), (Some(Winner::Draw), 0));
        assert_eq!((games[2].winner, &*games[2].evals), (None, &[None][..]));
        let mut seen = Vec::new();
        games[0].replay(|position, ply, mv| seen.push((position.is_legal(mv), ply)));
        assert_eq!(seen, [(true, 0), (true, 1), (true, 2)]);
    }

    #[test]
    fn gzip_files_read_like_plain_text() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(TABLE.as_bytes()).unwrap();
        let packed = packer.finish().unwrap();
        assert_eq!(read(packed.clone()), read(TABLE));
        let torn = read(&packed[..packed.len() / 2]).unwrap_err();
        assert!(torn.starts_with("reading games from games.tsv: "), "{torn}");
    }

    #[test]
    fn only_two_columns_are_required() {
        let games = read("#result\tmoves\n0-1\tstartpos moves 7g7f\n").unwrap();
        assert_eq!(games[0].winner, Some(Winner::Side(Color::White)));
        assert!(games[0].evals.is_empty());
        assert_eq!(games[0].ratings, [None, None]);
    }

    #[test]
    fn a_rating_is_a_number_or_missing() {
        let table = "#moves\tresult\tblack_rating\twhite_rating\nstartpos moves\t?\t2903.0\t-\n";
        let games = read(table).unwrap();
        assert_eq!(games[0].rating(Color::Black), Some(2903));
        assert_eq!(games[0].rating(Color::White), None);
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        let row = |row: &str| read(format!("#moves\tresult\tevals\n{row}\n")).unwrap_err();
        let cases = [
            ("startpos moves 7g7f", "only 1 columns"),
            ("7g7f\t?\t", "moves begin with 'startpos moves'"),
            (
                "startpos moves 7g7f x\t?\t",
                "move 2: 'x' is no move; expected the form 7g7f, 8h2b+ or P*5e",
            ),
            ("startpos moves 7g7e\t?\t", "move 1: 7g7e is not legal"),
            ("startpos moves 7g7f\t2-0\t", "the result is one of 1-0, 0-1, 1/2 and ?"),
            ("startpos moves 7g7f\t?\t1.5", "evaluation 1 is neither a whole number nor -"),
            ("startpos moves 7g7f\t?\t1 2", "2 evaluations for 1 moves"),
        ];
        for (text, fault) in cases {
            assert_eq!(row(text), format!("games.tsv, line 2: {fault}"));
        }
        assert_eq!(
            read("moves\n").unwrap_err(),
            "games.tsv, line 1: expected the names of the columns after '#', with 'moves' among them"
        );
        assert!(read("#moves\tresult\n\u{0}\t?\n").is_err());
        assert!(read(&b"#moves\tresult\n\xff\t?\n"[..]).unwrap_err().ends_with("not UTF-8"));
        let long = vec![b'#'; MOST_LINE + 2];
        assert!(read(long).unwrap_err().ends_with("longer than 1024 KiB"));
        let missing = Games::open(Path::new("no/such/file")).unwrap_err().to_string();
        assert!(missing.starts_with("reading games from no/such/file: "), "{missing}");
    }

    proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(bytes);
        }

        #[test]
        fn a_changed_table_does_not_panic(at in 0..TABLE.len(), byte in any::<u8>()) {
            let mut bytes = TABLE.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = read(bytes);
        }
    }
}
