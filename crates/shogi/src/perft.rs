//! Counting legal move sequences, to check the move generators and measure their speed.

use super::notation::sfen::SfenError;
use super::{Move, Position};

/// The largest depth. Each ply needs a list of moves on the stack, and no tree of this depth can be counted in
/// practice.
pub const MAX_DEPTH: u32 = 100;

/// The number of sequences of `depth` legal moves. The moves of the last ply are counted, not made.
///
/// `depth` should be at most [`MAX_DEPTH`].
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    perft_by(position, depth, Position::count_legal_moves)
}

/// The same with another function that counts the moves of the last ply, to compare such functions.
pub fn perft_by(
    position: &mut Position,
    depth: u32,
    count: impl Fn(&Position) -> usize + Copy,
) -> u64 {
    match depth {
        0 => 1,
        1 => count(position) as u64,
        _ => {
            let mut nodes = 0;
            for mv in position.legal_moves() {
                let undo = position.do_move(mv);
                nodes += perft_by(position, depth - 1, count);
                position.undo_move(mv, undo);
            }
            nodes
        }
    }
}

/// The count for each first move, in the order of generation; empty at depth 0.
pub fn divide(position: &mut Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let moves = position.legal_moves();
    let count = |mv: Move| {
        let undo = position.do_move(mv);
        let nodes = perft(position, rest);
        position.undo_move(mv, undo);
        (mv, nodes)
    };
    moves.into_iter().map(count).collect()
}

/// One row of a table of known counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteRow {
    /// The number of its line, from 1.
    pub line: usize,
    /// The position.
    pub position: Position,
    /// The depth in plies.
    pub depth: u32,
    /// The known number of sequences.
    pub nodes: u64,
}

/// Why a table is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SuiteError {
    /// A row does not have three fields.
    #[error("line {line}: expected sfen,depth,nodes, found {found} fields")]
    Fields {
        /// The number of the line.
        line: usize,
        /// The number of its fields.
        found: usize,
    },
    /// The position is not valid.
    #[error("line {line}: {source}")]
    Sfen {
        /// The number of the line.
        line: usize,
        /// What is wrong.
        source: SfenError,
    },
    /// The depth or the count is not a valid number.
    #[error("line {line}: '{found}' is no {field}; expected {expected}")]
    Number {
        /// The number of the line.
        line: usize,
        /// The field.
        field: &'static str,
        /// The text found there.
        found: String,
        /// The valid values.
        expected: &'static str,
    },
    /// The table has no row.
    #[error("there are no rows; expected lines of sfen,depth,nodes")]
    Empty,
}

/// Parses a table of known counts: lines of `sfen,depth,nodes`. A first line whose first field is `sfen` is a header.
/// Empty lines and lines that begin with `#` are ignored.
///
/// # Errors
/// The line of the first row that is not valid.
pub fn parse_suite(text: &str) -> Result<Vec<SuiteRow>, SuiteError> {
    let mut rows = Vec::new();
    for (text, line) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let &[sfen, depth, nodes] = &fields[..] else {
            return Err(SuiteError::Fields { line, found: fields.len() });
        };
        if rows.is_empty() && sfen == "sfen" {
            continue;
        }
        let position =
            Position::from_sfen(sfen).map_err(|source| SuiteError::Sfen { line, source })?;
        let number = |field, found: &str, expected| SuiteError::Number {
            line,
            field,
            found: super::text::clip(found),
            expected,
        };
        let depth = depth
            .parse()
            .ok()
            .filter(|&depth| depth <= MAX_DEPTH)
            .ok_or_else(|| number("depth", depth, "0 to 100"))?;
        let nodes =
            nodes.parse().map_err(|_| number("number of nodes", nodes, "a whole number"))?;
        rows.push(SuiteRow { line, position, depth, nodes });
    }
    if rows.is_empty() { Err(SuiteError::Empty) } else { Ok(rows) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_without_newer_instructions_count_the_same() {
        for (sfen, depth, nodes) in [
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 4, 719_731),
            ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 2, 28_684),
            ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 2, 105_677),
        ] {
            let mut position = Position::from_sfen(sfen).unwrap();
            let count = Position::count_legal_moves_plainly;
            assert_eq!(perft_by(&mut position, depth, count), nodes, "{sfen}");
            assert_eq!(perft(&mut position, depth), nodes, "{sfen}");
        }
    }

    #[test]
    fn a_table_is_read_with_or_without_its_header() {
        let row = "4k4/9/9/9/9/9/9/9/4K4 b - 1,2,25";
        for text in [format!("sfen,depth,nodes\n{row}\n"), format!("\r\n# mine\r\n{row}\r\n")] {
            let rows = parse_suite(&text).unwrap();
            assert_eq!((rows.len(), rows[0].depth, rows[0].nodes), (1, 2, 25));
            let mut position = rows[0].position.clone();
            assert_eq!(perft(&mut position, 2), 25);
        }
    }

    #[test]
    fn faults_of_a_table_are_reported_with_their_line() {
        let sfen = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
        let error = |text: &str| parse_suite(text).unwrap_err().to_string();
        assert_eq!(
            error(&format!("sfen,depth,nodes\n{sfen},3")),
            "line 2: expected sfen,depth,nodes, found 2 fields"
        );
        assert_eq!(error(&format!("{sfen},x,5")), "line 1: 'x' is no depth; expected 0 to 100");
        assert!(error(&format!("{sfen},1,-5")).starts_with("line 1: '-5' is no number of nodes"));
        assert!(error(&format!("{sfen},101,5")).starts_with("line 1: '101' is no depth"));
        assert!(error("4k4/9 b - 1,1,5").starts_with("line 1: column "));
        assert!(error("sfen,depth,nodes").starts_with("there are no rows"));
    }
}
