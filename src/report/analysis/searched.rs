//! The result of searching one position, and its text in the store.

use std::time::Duration;

use serde_json::{Value, json};

use kyomi_shogi::{Move, Position, Score, notation::usi};

/// The result of searching one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The lines found, best first; at least one.
    pub lines: Vec<SearchedLine>,
    /// Number of positions searched.
    pub nodes: u64,
    /// Depth in plies; 0 if not known.
    pub depth: u32,
    /// Length of the longest line searched, in plies; 0 if not known.
    pub seldepth: u32,
    /// The time that the search took, in whole milliseconds.
    pub time: Duration,
}

/// One line of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedLine {
    /// For the side to move.
    pub score: Score,
    /// The moves, legal one after the other; empty where the game is over.
    pub moves: Vec<Move>,
}

impl Searched {
    /// The result for a position that the rules decide, without a search.
    pub fn decided(score: Score) -> Self {
        Self {
            lines: vec![SearchedLine { score, moves: Vec::new() }],
            nodes: 0,
            depth: 0,
            seldepth: 0,
            time: Duration::ZERO,
        }
    }

    /// The score of the best line, for the side to move.
    pub fn score(&self) -> Score {
        self.lines.first().map_or(Score::Cp(0), |line| line.score)
    }

    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.lines.first()?.moves.first().copied()
    }

    /// The text for the store.
    pub fn to_text(&self) -> String {
        let lines: Vec<Value> = self
            .lines
            .iter()
            .map(|line| {
                let moves: Vec<String> = line.moves.iter().map(ToString::to_string).collect();
                json!({ "score": line.score.to_string(), "pv": moves.join(" ") })
            })
            .collect();
        json!({
            "lines": lines,
            "nodes": self.nodes,
            "depth": self.depth,
            "seldepth": self.seldepth,
            "ms": self.time.as_millis() as u64,
        })
        .to_string()
    }

    /// Reads what [`Searched::to_text`] wrote for this position; `None` if it is anything else.
    pub fn from_text(text: &str, position: &Position) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let mut lines = Vec::new();
        for line in value.get("lines")?.as_array()? {
            let score = read_score(line.get("score")?.as_str()?)?;
            let mut position = position.clone();
            let mut moves = Vec::new();
            for word in line.get("pv")?.as_str()?.split_whitespace() {
                let mv = usi::parse_move(word).ok().filter(|mv| position.is_legal(*mv))?;
                position.do_move(mv);
                moves.push(mv);
            }
            lines.push(SearchedLine { score, moves });
        }
        (!lines.is_empty()).then_some(())?;
        Some(Self {
            lines,
            nodes: number("nodes")?,
            depth: u32::try_from(number("depth")?).ok()?,
            seldepth: u32::try_from(number("seldepth")?).ok()?,
            time: Duration::from_millis(number("ms")?),
        })
    }
}

/// Reads a score as [`Score`] prints it.
fn read_score(text: &str) -> Option<Score> {
    let plies = |text: &str| match text {
        "" => Some(None),
        _ => text.parse().ok().map(Some),
    };
    if let Some(rest) = text.strip_prefix("+mate") {
        return plies(rest).map(Score::Win);
    }
    if let Some(rest) = text.strip_prefix("-mate") {
        return plies(rest).map(Score::Loss);
    }
    text.parse().ok().map(Score::Cp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_gives_back_what_was_put_in() {
        let moves = ["7g7f", "3c3d"].map(|text| usi::parse_move(text).unwrap()).to_vec();
        let scores = [Score::Cp(-62), Score::Win(Some(5)), Score::Loss(None), Score::Cp(0)];
        let lines = scores.map(|score| SearchedLine { score, moves: moves.clone() }).to_vec();
        let time = Duration::from_millis(1234);
        let searched = Searched { lines, nodes: 9, depth: 3, seldepth: 7, time };
        let start = Position::startpos();
        assert_eq!(Searched::from_text(&searched.to_text(), &start), Some(searched.clone()));
        let mated = Searched::decided(Score::Loss(Some(0)));
        assert_eq!(Searched::from_text(&mated.to_text(), &start), Some(mated));
    }

    #[test]
    fn damaged_texts_and_lines_of_another_position_are_not_read() {
        let start = Position::startpos();
        for text in [
            "",
            "{}",
            "[1]",
            r#"{"lines":[],"nodes":1,"depth":1,"seldepth":1,"ms":1}"#,
            r#"{"lines":[{"score":"+5","pv":"3c3d"}],"nodes":1,"depth":1,"seldepth":1,"ms":1}"#,
            r#"{"lines":[{"score":"x","pv":""}],"nodes":1,"depth":1,"seldepth":1,"ms":1}"#,
        ] {
            assert_eq!(Searched::from_text(text, &start), None, "{text}");
        }
    }
}
