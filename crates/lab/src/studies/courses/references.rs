//! Positions with the best move of a deep search, from a table.

use std::path::Path;

use super::CourseError;
use kyomi::matches::Fingerprint;
use kyomi_shogi::Position;
use kyomi_shogi::notation::usi::parse_move;

/// The positions of a table.
#[derive(Debug, Clone)]
pub(crate) struct References {
    pub(super) rows: Vec<Reference>,
    /// Of the whole table.
    pub(super) fingerprint: u64,
}

/// A position and its best move.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) position: Position,
    /// In USI notation.
    pub(super) best: String,
}

impl References {
    /// Reads a table with the columns `sfen` and `best`. Only its first `most` rows are used.
    ///
    /// # Errors
    /// The table cannot be read, or has a fault.
    pub(crate) fn read(path: &Path, most: usize) -> Result<Self, CourseError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| CourseError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, most).map_err(|(line, reason)| CourseError::Table {
            path: path.to_owned(),
            line,
            reason,
        })
    }

    /// The number of positions.
    pub(crate) const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Parses a table. A fault is returned with the number of its line.
    fn parse(text: &str, most: usize) -> Result<Self, (usize, String)> {
        let names: Vec<&str> = text.lines().next().unwrap_or_default().split('\t').collect();
        let column = |name: &str| {
            let is_it = |known: &&str| known.trim_start_matches(['#', ' ']) == name;
            let missing = || {
                (1, format!("no column '{name}'; expected a line of names, such as '# sfen\tbest'"))
            };
            names.iter().position(is_it).ok_or_else(missing)
        };
        let (sfen, best) = (column("sfen")?, column("best")?);
        let lines = text.lines().enumerate().skip(1);
        let rows = lines.filter(|(_, line)| !line.trim().is_empty()).take(most);
        let rows: Vec<_> = rows
            .map(|(at, line)| {
                let fields: Vec<&str> = line.split('\t').collect();
                let field = |at: usize| fields.get(at).copied().unwrap_or_default();
                reference(field(sfen), field(best)).map_err(|reason| (at + 1, reason))
            })
            .collect::<Result<_, _>>()?;
        if rows.is_empty() {
            return Err((1, "no positions; give a table with at least one".to_owned()));
        }
        Ok(Self { rows, fingerprint: Fingerprint::of(text.as_bytes()) })
    }
}

fn reference(sfen: &str, best: &str) -> Result<Reference, String> {
    let position = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
    let mv = parse_move(best).map_err(|error| error.to_string())?;
    if !position.is_legal(mv) {
        return Err(format!("{mv} is not legal in {sfen}"));
    }
    Ok(Reference { position, best: mv.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[test]
    fn columns_are_found_by_name() {
        let text = format!("# score\tsfen\tbest\n5\t{START}\t7g7f\n\n6\t{START}\t2g2f\n");
        let all = References::parse(&text, 9).unwrap();
        assert_eq!(all.rows.iter().map(|row| &row.best).collect::<Vec<_>>(), ["7g7f", "2g2f"]);
        assert_eq!(References::parse(&text, 1).unwrap().rows.len(), 1);
    }

    #[test]
    fn faults_have_their_line() {
        for (text, line, words) in [
            ("", 1, "no column 'sfen'"),
            ("# sfen\tmove\n", 1, "no column 'best'"),
            ("# sfen\tbest\n", 1, "no positions"),
            (&format!("# sfen\tbest\n\n{START}\t7g7e\n"), 3, "7g7e is not legal"),
            (&format!("# sfen\tbest\n{START}\n"), 2, ""),
            ("# sfen\tbest\nnonsense\t7g7f\n", 2, ""),
        ] {
            let (at, reason) = References::parse(text, 9).unwrap_err();
            assert!(at == line && reason.contains(words), "{at}: {reason}");
        }
    }
}
