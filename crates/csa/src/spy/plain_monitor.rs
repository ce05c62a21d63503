//! The monitor of rshogi: `##[MONITOR2] BEGIN <id>`, what is known of the game so far, `##[MONITOR2] END`, and from
//! then on the lines of the game without a prefix. A connection watches one game at a time.
//!
//! What comes between `BEGIN` and `END` is a game summary and the moves so far, or nothing. The lines are turned into
//! those that a [`WatchedGame`](super::watched::WatchedGame) reads.

/// The result of a line of a watched game.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlainLine {
    /// Nothing for the record.
    Nothing,
    /// These lines, in the form with a prefix, belong to the record.
    Record(Vec<String>),
}

/// The game that a connection watches in the form of rshogi.
#[derive(Debug)]
pub(super) struct PlainMonitor {
    id: String,
    /// Black's and white's name by the list of games, for a server that sends no summary.
    names: [String; 2],
    state: State,
}

#[derive(Debug)]
enum State {
    /// Before the `END` of the answer.
    Snapshot(Snapshot),
    /// The lines of the running game.
    Live,
}

/// The content of an answer so far.
#[derive(Debug, Default)]
struct Snapshot {
    /// The header of a record, in CSA notation.
    header: Vec<String>,
    /// The start position and the moves that led to the present one, from the summary.
    position: Vec<String>,
    /// The moves after the summary.
    moves: Vec<String>,
    block: Block,
    /// Number of bytes kept.
    size: usize,
}

/// The part of a summary in which a line stands.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum Block {
    #[default]
    Outside,
    Summary,
    Time,
    Position,
}

impl PlainMonitor {
    /// After `BEGIN <id>`.
    pub(super) fn new(id: &str, names: [String; 2]) -> Self {
        Self { id: id.to_owned(), names, state: State::Snapshot(Snapshot::default()) }
    }

    /// The id of the game.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// `END`: the lines of the record so far.
    pub(super) fn end_of_answer(&mut self) -> PlainLine {
        match std::mem::replace(&mut self.state, State::Live) {
            State::Snapshot(snapshot) => PlainLine::Record(snapshot.lines(&self.names)),
            State::Live => PlainLine::Nothing,
        }
    }

    /// A line without a prefix.
    pub(super) fn line(&mut self, line: &str) -> PlainLine {
        match &mut self.state {
            State::Snapshot(snapshot) => {
                snapshot.push(line);
                PlainLine::Nothing
            }
            State::Live => PlainLine::Record(live(line)),
        }
    }
}

/// The lines for one line of a running game. An end word is complete by itself.
fn live(line: &str) -> Vec<String> {
    match line.as_bytes() {
        [b'#', ..] if RESULTS.contains(&line) => Vec::new(),
        [b'#', ..] => vec![line.to_owned(), DONE.to_owned()],
        [b'+' | b'-' | b'\'' | b'%', ..] => vec![line.to_owned()],
        _ => Vec::new(),
    }
}

impl Snapshot {
    fn push(&mut self, line: &str) {
        let block = match (self.block, line) {
            (_, "BEGIN Game_Summary")
            | (Block::Time, "END Time")
            | (Block::Position, "END Position") => Some(Block::Summary),
            (Block::Summary, "END Game_Summary") => Some(Block::Outside),
            (Block::Summary, "BEGIN Time") => Some(Block::Time),
            (Block::Summary, "BEGIN Position") => Some(Block::Position),
            _ => None,
        };
        if let Some(block) = block {
            self.block = block;
            return;
        }
        let kept = match self.block {
            Block::Time => return,
            Block::Summary => {
                if let Some(line) = header(line).filter(|_| self.header.len() < MOST_HEADER_LINES) {
                    self.header.push(line);
                }
                return;
            }
            Block::Position => &mut self.position,
            Block::Outside => &mut self.moves,
        };
        if self.size + line.len() < LONGEST_SNAPSHOT {
            self.size += line.len() + 1;
            kept.push(line.to_owned());
        }
    }

    /// The lines of a record with a prefix, `+OK` after the record so far.
    fn lines(mut self, names: &[String; 2]) -> Vec<String> {
        if self.header.is_empty() {
            let [black, white] = names;
            self.header = vec![format!("N+{black}"), format!("N-{white}")];
        }
        if self.position.is_empty() {
            self.position = vec!["PI".to_owned(), "+".to_owned()];
        }
        let mut lines = self.header;
        lines.extend(self.position);
        lines.push(DONE.to_owned());
        lines.extend(self.moves.iter().flat_map(|line| live(line)));
        lines
    }
}

/// The line of a record for a line of a summary; `None` if it has none.
fn header(line: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    match key {
        "Name+" => Some(format!("N+{value}")),
        "Name-" => Some(format!("N-{value}")),
        "Game_ID" => Some(format!("$EVENT:{value}")),
        "Max_Moves" => Some(format!("'Max_Moves:{value}")),
        _ => None,
    }
}

const DONE: &str = "+OK";
/// The result lines that follow an end line.
const RESULTS: [&str; 4] = ["#WIN", "#LOSE", "#DRAW", "#CENSORED"];
/// Further lines of a header are not kept.
const MOST_HEADER_LINES: usize = 16;
/// Lines beyond this number of bytes are not kept.
const LONGEST_SNAPSHOT: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor() -> PlainMonitor {
        PlainMonitor::new("g1", ["a".to_owned(), "b".to_owned()])
    }

    fn record(line: PlainLine) -> Vec<String> {
        match line {
            PlainLine::Record(lines) => lines,
            PlainLine::Nothing => Vec::new(),
        }
    }

    #[test]
    fn a_summary_with_moves_becomes_a_record() {
        let mut monitor = monitor();
        let text = "BEGIN Game_Summary\nProtocol_Version:1.2\nGame_ID:g1\nName+:alice\nName-:bob\nTo_Move:+\n\
            BEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nEND Time\nBEGIN Position\nPI\n+\n+7776FU,T1\nEND Position\n\
            Black_Time_Remaining_Ms:59000\nEND Game_Summary\n-3334FU,T2\n'** 30 +2726FU\n#RESIGN";
        for line in text.lines() {
            assert_eq!(monitor.line(line), PlainLine::Nothing);
        }
        let lines = record(monitor.end_of_answer());
        let whole = [
            "$EVENT:g1",
            "N+alice",
            "N-bob",
            "PI",
            "+",
            "+7776FU,T1",
            "+OK",
            "-3334FU,T2",
            "'** 30 +2726FU",
            "#RESIGN",
            "+OK",
        ];
        assert_eq!(lines, whole);
    }

    #[test]
    fn without_a_summary_the_names_are_those_of_the_list() {
        let mut monitor = monitor();
        assert_eq!(record(monitor.end_of_answer()), ["N+a", "N-b", "PI", "+", "+OK"]);
        assert_eq!(record(monitor.line("+7776FU,T0")), ["+7776FU,T0"]);
        assert_eq!(record(monitor.line("##")), ["##", "+OK"]);
        assert_eq!(record(monitor.line("#TIME_UP")), ["#TIME_UP", "+OK"]);
        assert_eq!(record(monitor.line("#WIN")), [""; 0]);
        assert_eq!(record(monitor.line("x")), [""; 0]);
        assert_eq!(monitor.end_of_answer(), PlainLine::Nothing);
    }

    #[test]
    fn an_endless_answer_is_not_kept() {
        let mut monitor = monitor();
        let line = "+".repeat(100_000);
        for _ in 0..100 {
            monitor.line(&line);
        }
        let kept: usize = record(monitor.end_of_answer()).iter().map(String::len).sum();
        assert!(kept < 2 * LONGEST_SNAPSHOT, "{kept}");
    }
}
