//! The lines that a USI host sends.

use std::time::Duration;

use kyomi_shogi::{MAX_MOVES, Move, notation::usi::parse_move};

/// One line of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Usi,
    IsReady,
    /// Name and value; no value for a button.
    SetOption(String, Option<String>),
    NewGame,
    /// The whole line.
    Position(String),
    Go(Go),
    /// With the current clocks, if the host sends them.
    PonderHit(Times),
    Stop,
    GameOver,
    Quit,
    /// An empty line.
    Nothing,
}

/// The parameters of a `go`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub(super) times: Times,
    pub(super) movetime: Option<Duration>,
    pub(super) nodes: Option<u64>,
    pub(super) depth: Option<u32>,
    pub(super) infinite: bool,
    pub(super) ponder: bool,
    /// `go mate`: search for a mate; answered by `checkmate`.
    pub(super) mate: bool,
    /// The moves to choose from; empty: all moves.
    pub(super) moves: Vec<Move>,
}

/// The clocks of a `go`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) black: Option<Duration>,
    pub(super) white: Option<Duration>,
    pub(super) byoyomi: Option<Duration>,
    pub(super) black_increment: Option<Duration>,
    pub(super) white_increment: Option<Duration>,
}

impl Times {
    /// Whether any time was given.
    pub(super) fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// Parses a line. Returns the command and messages about the parts that were ignored.
pub(super) fn parse(line: &str) -> (Command, Vec<String>) {
    let mut messages = Vec::new();
    let mut words = line.split_whitespace();
    let command = match words.next() {
        None => Command::Nothing,
        Some("usi") => Command::Usi,
        Some("isready") => Command::IsReady,
        Some("setoption") => set_option(line, &mut messages),
        Some("usinewgame") => Command::NewGame,
        Some("position") => Command::Position(line.trim().to_owned()),
        Some("go") => Command::Go(go(words, &mut messages)),
        Some("ponderhit") => Command::PonderHit(go(words, &mut messages).times),
        Some("stop") => Command::Stop,
        Some("gameover") => Command::GameOver,
        Some("quit") => Command::Quit,
        Some(word) => {
            messages.push(format!("unknown command: {}", clip(word)));
            Command::Nothing
        }
    };
    (command, messages)
}

/// `setoption name NAME value VALUE`; both may contain spaces.
fn set_option(line: &str, messages: &mut Vec<String>) -> Command {
    let mut words = line.split_whitespace().skip(1);
    if words.next() != Some("name") {
        messages.push("setoption: expected name".to_owned());
        return Command::Nothing;
    }
    let (mut name, mut value) = (Vec::new(), None);
    for word in words {
        match &mut value {
            None if word == "value" => value = Some(Vec::new()),
            None => name.push(word),
            Some(words) => words.push(word),
        }
    }
    if name.is_empty() {
        messages.push("setoption: no name".to_owned());
        return Command::Nothing;
    }
    Command::SetOption(name.join(" "), value.map(|words| words.join(" ")))
}

fn go<'a>(words: impl Iterator<Item = &'a str>, messages: &mut Vec<String>) -> Go {
    let mut go = Go::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "mate" => {
                go.mate = true;
                // Its time limit, or `infinite`.
                match words.next() {
                    None | Some("infinite") => {}
                    Some(number) => {
                        go.movetime = milliseconds(number);
                        if go.movetime.is_none() {
                            messages.push(format!("mate: not a number: {}", clip(number)));
                        }
                    }
                }
            }
            "btime" | "wtime" | "byoyomi" | "binc" | "winc" | "movetime" | "nodes" | "depth" => {
                let number = words.next().unwrap_or("");
                if !set(&mut go, word, number) {
                    messages.push(format!("{word}: not a number: {}", clip(number)));
                }
            }
            "searchmoves" => {
                while let Some(mv) = words.peek().and_then(|word| parse_move(word).ok()) {
                    words.next();
                    if go.moves.len() < MAX_MOVES {
                        go.moves.push(mv);
                    }
                }
                if go.moves.is_empty() {
                    messages.push("searchmoves: expected moves".to_owned());
                }
            }
            other => messages.push(format!("unknown word in go: {}", clip(other))),
        }
    }
    go
}

/// Sets one number. Returns whether it was valid.
fn set(go: &mut Go, word: &str, number: &str) -> bool {
    let slot = match word {
        "nodes" => {
            go.nodes = number.parse().ok();
            return go.nodes.is_some();
        }
        "depth" => {
            go.depth = number.parse().ok();
            return go.depth.is_some();
        }
        "btime" => &mut go.times.black,
        "wtime" => &mut go.times.white,
        "byoyomi" => &mut go.times.byoyomi,
        "binc" => &mut go.times.black_increment,
        "winc" => &mut go.times.white_increment,
        _ => &mut go.movetime,
    };
    *slot = milliseconds(number);
    slot.is_some()
}

/// Hosts may send negative times when a clock has run out; they count as zero. Some compute with fractions, which are
/// dropped.
fn milliseconds(text: &str) -> Option<Duration> {
    const LONGEST_MS: f64 = 366.0 * 24.0 * 3_600_000.0;
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some(Duration::from_millis(number.clamp(0.0, LONGEST_MS) as u64))
}

/// The host's text, shortened and without control characters.
pub(super) fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
    if text.chars().count() > 40 {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn all_clocks_of_a_go_are_parsed() {
        let line = "go ponder btime 60000 wtime 50000 binc 1000 winc 2000";
        let (command, messages) = parse(line);
        let times = Times {
            black: Some(ms(60_000)),
            white: Some(ms(50_000)),
            byoyomi: None,
            black_increment: Some(ms(1000)),
            white_increment: Some(ms(2000)),
        };
        assert_eq!(command, Command::Go(Go { times, ponder: true, ..Go::default() }));
        assert!(messages.is_empty());
    }

    #[test]
    fn searchmoves_end_at_the_next_keyword() {
        let (command, messages) = parse("go searchmoves 7g7f 2g2f P*5e nodes 9");
        let Command::Go(go) = command else { panic!("{command:?}") };
        let moves: Vec<_> = go.moves.iter().map(ToString::to_string).collect();
        assert_eq!((moves.join(" ").as_str(), go.nodes), ("7g7f 2g2f P*5e", Some(9)));
        assert!(messages.is_empty());
        assert_eq!(parse("go searchmoves nodes 9").1, ["searchmoves: expected moves"]);
    }

    #[test]
    fn option_names_and_values_may_contain_spaces() {
        let (command, _) = parse("setoption name  Book File value my book.db ");
        assert_eq!(
            command,
            Command::SetOption("Book File".to_owned(), Some("my book.db".to_owned()))
        );
        assert_eq!(parse("setoption name Clear").0, Command::SetOption("Clear".to_owned(), None));
    }

    #[test]
    fn times_may_be_negative_or_have_fractions() {
        for (text, expected) in [
            ("60000.75", Some(60_000)),
            ("1e3", Some(1000)),
            ("-0.5", Some(0)),
            ("99999999999999999999", Some(366 * 24 * 3_600_000)),
            ("nan", None),
            ("inf", None),
            ("", None),
        ] {
            assert_eq!(milliseconds(text), expected.map(ms), "{text}");
        }
    }

    #[test]
    fn invalid_parts_are_ignored_and_reported() {
        let (command, messages) = parse("go btime x wtime -5 fly nodes 7 depth");
        let times = Times { white: Some(ms(0)), ..Times::default() };
        assert_eq!(command, Command::Go(Go { times, nodes: Some(7), ..Go::default() }));
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert_eq!(parse("fly me to the moon").1.len(), 1);
        assert_eq!(parse("  ").0, Command::Nothing);
    }

    proptest! {
        #[test]
        fn any_line_can_be_parsed(line in ".*") {
            let (_, messages) = parse(&line);
            let clean = messages.iter().all(|text| !text.chars().any(char::is_control));
            prop_assert!(clean);
        }

        #[test]
        fn any_go_can_be_parsed(words in prop::collection::vec("btime|wtime|binc|movetime|nodes|mate|infinite|ponder|-?[0-9]{1,25}|x", 0..12)) {
            let _ = parse(&format!("go {}", words.join(" ")));
        }
    }
}
