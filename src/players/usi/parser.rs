//! Parser for the lines of an engine. No line is an error. Parts that cannot be parsed are ignored.

use std::time::Duration;

use kyomi_shogi::{Move, notation::usi};

use super::super::{Bound, Score};

/// One line of an engine.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineLine<'a> {
    /// `id name …`.
    Name(&'a str),
    /// `option name …`.
    Option(AnnouncedOption),
    /// `usiok`.
    UsiOk,
    /// `readyok`.
    ReadyOk,
    /// `bestmove …`.
    BestMove(BestMove),
    /// `info …` with numbers or a line of play.
    Info(Info),
    /// `info string …`.
    Text(&'a str),
    /// Anything else.
    Unknown,
}

/// An option announced by the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnouncedOption {
    /// Its name, which may contain spaces.
    pub name: String,
    /// The values it accepts.
    pub kind: OptionKind,
    /// Its default, if it was announced.
    pub default: Option<String>,
}

/// The values that an option accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check,
    /// An integer between optional bounds.
    Spin {
        /// The least value.
        min: Option<i64>,
        /// The greatest value.
        max: Option<i64>,
    },
    /// One of these values.
    Combo(Vec<String>),
    /// No value: setting it triggers an action.
    Button,
    /// Any text.
    Text,
}

impl AnnouncedOption {
    /// Why a value is not valid; `None` if it is valid.
    pub fn fault(&self, value: &str) -> Option<String> {
        match &self.kind {
            OptionKind::Check if value != "true" && value != "false" => {
                Some("it takes true or false".to_owned())
            }
            OptionKind::Spin { min, max } => match value.parse::<i64>() {
                Err(_) => Some("it takes a whole number".to_owned()),
                Ok(number) if min.is_some_and(|min| number < min) => {
                    Some(format!("its least value is {}", min.unwrap_or_default()))
                }
                Ok(number) if max.is_some_and(|max| number > max) => {
                    Some(format!("its greatest value is {}", max.unwrap_or_default()))
                }
                Ok(_) => None,
            },
            OptionKind::Combo(values) if !values.iter().any(|known| known == value) => {
                Some(format!("it takes one of: {}", values.join(" ")))
            }
            OptionKind::Check | OptionKind::Combo(_) | OptionKind::Button | OptionKind::Text => {
                None
            }
        }
    }
}

/// `bestmove`, not yet checked against the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestMove {
    /// The move or word as sent; empty if missing.
    pub word: String,
    /// The expected reply, if it is a move.
    pub ponder: Option<Move>,
}

/// The numbers of one `info` line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Depth of the longest line, in plies.
    pub seldepth: Option<u32>,
    /// Time since the search began, in whole milliseconds.
    pub time: Option<Duration>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Table use in thousandths.
    pub hashfull: Option<u32>,
    /// Number of the line of play, from 1.
    pub multipv: Option<u32>,
    /// The score for the side to move, at most ten million in absolute value. A win in 0 plies does not occur.
    pub score: Option<(Score, Bound)>,
    /// The principal variation up to the first malformed move; not checked for legality.
    pub pv: Vec<Move>,
}

/// Reads one line.
///
/// ```
/// # use kyomi::players::{Bound, Score, usi_line::{EngineLine, parse}};
/// let EngineLine::Info(info) = parse("info depth 12 score cp -35 pv 7g7f 3c3d") else { panic!() };
/// assert_eq!((info.depth, info.score), (Some(12), Some((Score::Cp(-35), Bound::Exact))));
/// assert_eq!(info.pv[1].to_string(), "3c3d");
/// ```
pub fn parse(line: &str) -> EngineLine<'_> {
    let line = line.trim();
    let (word, rest) = split_word(line);
    match word {
        "usiok" => EngineLine::UsiOk,
        "readyok" => EngineLine::ReadyOk,
        "bestmove" => EngineLine::BestMove(parse_best_move(rest)),
        "info" => match split_word(rest) {
            ("string", text) => EngineLine::Text(text),
            _ => EngineLine::Info(parse_info(rest)),
        },
        "id" => match split_word(rest) {
            ("name", name) => EngineLine::Name(name),
            _ => EngineLine::Unknown,
        },
        "option" => parse_option(rest).map_or(EngineLine::Unknown, EngineLine::Option),
        _ => EngineLine::Unknown,
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (text, ""),
    }
}

fn parse_best_move(rest: &str) -> BestMove {
    let mut words = rest.split_whitespace();
    let word = words.next().unwrap_or_default().to_owned();
    let ponder = match (words.next(), words.next()) {
        (Some("ponder"), Some(text)) => usi::parse_move(text).ok(),
        _ => None,
    };
    BestMove { word, ponder }
}

fn parse_info(rest: &str) -> Info {
    let mut info = Info::default();
    let mut bound = Bound::Exact;
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = next_number(&mut words),
            "seldepth" => info.seldepth = next_number(&mut words),
            "time" => info.time = next_number(&mut words).map(Duration::from_millis),
            "nodes" => info.nodes = next_number(&mut words),
            "nps" => info.nps = next_number(&mut words),
            "hashfull" => info.hashfull = next_number(&mut words),
            "multipv" => info.multipv = next_number(&mut words),
            "score" => {
                let kind = words.next();
                // Where the value is missing, the next word is a key.
                let read = words.peek().and_then(|value| score(kind?, value));
                if read.is_some() {
                    words.next();
                }
                info.score = read.map(|score| (score, Bound::Exact));
            }
            "lowerbound" => bound = Bound::Lower,
            "upperbound" => bound = Bound::Upper,
            "pv" => {
                while let Some(mv) = words.peek().and_then(|text| usi::parse_move(text).ok()) {
                    info.pv.push(mv);
                    words.next();
                }
            }
            "string" => break,
            _ => {}
        }
    }
    info.score = info.score.map(|(score, _)| (score, bound));
    info
}

fn next_number<'a, T: std::str::FromStr>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> Option<T> {
    let number = words.peek()?.parse().ok()?;
    words.next();
    Some(number)
}

/// `cp 30`, `mate 5`, `mate -3`, or `mate +` and `mate -` if the distance is not known.
fn score(kind: &str, value: &str) -> Option<Score> {
    match (kind, value) {
        ("cp", value) => Some(Score::Cp(clamped(value)?)),
        ("mate", "-") => Some(Score::Loss(None)),
        ("mate", "+") => Some(Score::Win(None)),
        ("mate", value) => Some(match clamped(value)? {
            // A win in 0 plies is impossible; without the plus sign the side to move is already mated.
            0 if value.starts_with('+') => Score::Win(None),
            plies if plies > 0 => Score::Win(Some(plies.unsigned_abs())),
            plies => Score::Loss(Some(plies.unsigned_abs())),
        }),
        _ => None,
    }
}

fn clamped(text: &str) -> Option<i32> {
    let number: i64 = text.parse().ok()?;
    Some(number.clamp(-LARGEST_SCORE, LARGEST_SCORE) as i32)
}

/// `name NAME type TYPE [default X] [min N] [max N] [var V]…`. Names and values may contain spaces.
fn parse_option(rest: &str) -> Option<AnnouncedOption> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let name_at = words.iter().position(|word| *word == "name")?;
    let type_at = words.iter().rposition(|word| *word == "type")?;
    let name = words.get(name_at + 1..type_at)?.join(" ");
    if name.is_empty() {
        return None;
    }
    let attributes = words.get(type_at + 2..).unwrap_or_default();
    let number = |key: &str| {
        let at = attributes.iter().position(|word| *word == key)?;
        attributes.get(at + 1)?.parse().ok()
    };
    let kind = match *words.get(type_at + 1)? {
        "check" => OptionKind::Check,
        "spin" => OptionKind::Spin { min: number("min"), max: number("max") },
        "combo" => OptionKind::Combo(
            attributes
                .split(|word| *word == "var")
                .skip(1)
                .map(|value| value.join(" "))
                .filter(|value| !value.is_empty())
                .collect(),
        ),
        "button" => OptionKind::Button,
        _ => OptionKind::Text,
    };
    let default = attributes.iter().position(|word| *word == "default").map(|at| {
        let rest = attributes.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|word| matches!(*word, "min" | "max" | "var"));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().join(" ")
    });
    Some(AnnouncedOption { name, kind, default })
}

/// Larger than any engine's score; prevents overflow in sums of scores.
const LARGEST_SCORE: i64 = 10_000_000;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn info(line: &str) -> Info {
        match parse(line) {
            EngineLine::Info(info) => info,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn moves(text: &str) -> Vec<Move> {
        text.split(' ').map(|word| usi::parse_move(word).unwrap()).collect()
    }

    #[test]
    fn info_keys_may_have_any_order() {
        let info = info(
            "info depth 12 seldepth 20 multipv 1 score cp -35 lowerbound nodes 123456 nps 99 \
             hashfull 7 time 1500 pv 7g7f 3c3d 8h2b+ P*5e",
        );
        assert_eq!((info.depth, info.seldepth, info.multipv), (Some(12), Some(20), Some(1)));
        assert_eq!(info.score, Some((Score::Cp(-35), Bound::Lower)));
        assert_eq!((info.nodes, info.nps, info.hashfull), (Some(123_456), Some(99), Some(7)));
        assert_eq!(info.time, Some(Duration::from_millis(1500)));
        assert_eq!(info.pv, moves("7g7f 3c3d 8h2b+ P*5e"));
    }

    #[test]
    fn mate_scores_may_be_a_sign_alone() {
        for (text, expected) in [
            ("5", Score::Win(Some(5))),
            ("-4", Score::Loss(Some(4))),
            ("+", Score::Win(None)),
            ("-", Score::Loss(None)),
            ("0", Score::Loss(Some(0))),
            ("+3", Score::Win(Some(3))),
            ("-0", Score::Loss(Some(0))),
            ("00", Score::Loss(Some(0))),
            ("+00", Score::Win(None)),
        ] {
            let info = info(&format!("info score mate {text} pv 7g7f"));
            assert_eq!(info.score, Some((expected, Bound::Exact)), "{text}");
        }
    }

    #[test]
    fn a_missing_or_odd_score_hides_no_other_value() {
        let pv = moves("7g7f");
        for line in ["score mate pv 7g7f", "score cp pv 7g7f", "score x pv 7g7f"] {
            let info = info(&format!("info depth 3 {line}"));
            assert_eq!((info.depth, info.score, &info.pv), (Some(3), None, &pv), "{line}");
        }
        let upper = info("info upperbound score cp 5");
        assert_eq!(upper.score, Some((Score::Cp(5), Bound::Upper)));
        assert_eq!(parse("info string score cp 5 pv 7g7f"), EngineLine::Text("score cp 5 pv 7g7f"));
        assert_eq!(info("info depth 2 string score cp 5").score, None);
    }

    #[test]
    fn a_pv_ends_at_the_first_word_that_is_no_move() {
        let info = info("info pv 7g7f 3c3d rep_draw score cp 12 depth x nodes 5");
        assert_eq!(info.pv, moves("7g7f 3c3d"));
        assert_eq!(info.score, Some((Score::Cp(12), Bound::Exact)));
        assert_eq!((info.depth, info.nodes), (None, Some(5)));
    }

    #[test]
    fn best_move_with_and_without_a_reply() {
        let best = |line| match parse(line) {
            EngineLine::BestMove(best) => best,
            other => panic!("{other:?}"),
        };
        assert_eq!(best("bestmove 7g7f").word, "7g7f");
        assert_eq!(best("bestmove 7g7f ponder 3c3d").ponder, usi::parse_move("3c3d").ok());
        assert_eq!(best("bestmove 7g7f ponder (none)").ponder, None);
        assert_eq!(best("bestmove resign").word, "resign");
        assert_eq!(best("bestmove").word, "");
    }

    #[test]
    fn option_names_keep_their_spaces() {
        let option = |line| match parse(line) {
            EngineLine::Option(option) => option,
            other => panic!("{other:?}"),
        };
        let skill = option("option name Skill Level type spin default 20 min 0 max 20");
        assert_eq!(skill.name, "Skill Level");
        assert_eq!(skill.default.as_deref(), Some("20"));
        assert_eq!(skill.fault("21").unwrap(), "its greatest value is 20");
        assert_eq!(skill.fault("-1").unwrap(), "its least value is 0");
        assert_eq!(skill.fault("x").unwrap(), "it takes a whole number");
        assert_eq!(skill.fault("7"), None);
        let rule = option("option name EnteringKingRule type combo default A var A var B b var C");
        assert_eq!(rule.kind, OptionKind::Combo(vec!["A".into(), "B b".into(), "C".into()]));
        assert_eq!(rule.default.as_deref(), Some("A"));
        assert_eq!(rule.fault("B b"), None);
        assert!(rule.fault("B").is_some());
        let ponder = option("option name USI_Ponder type check default false");
        assert!(ponder.fault("yes").is_some() && ponder.fault("true").is_none());
        assert_eq!(option("option name Clear Hash type button").kind, OptionKind::Button);
        assert_eq!(
            option("option name EvalDir type string default <empty>").kind,
            OptionKind::Text
        );
    }

    #[test]
    fn incomplete_options_are_ignored() {
        for line in
            ["option", "option name", "option name X", "option type spin", "option name type"]
        {
            assert_eq!(parse(line), EngineLine::Unknown, "{line}");
        }
    }

    #[test]
    fn text_and_names() {
        assert_eq!(parse("info string hello  there"), EngineLine::Text("hello  there"));
        assert_eq!(parse("id name My Engine 1.0\r"), EngineLine::Name("My Engine 1.0"));
        assert_eq!(parse("id author x"), EngineLine::Unknown);
        assert_eq!(parse("  usiok "), EngineLine::UsiOk);
        assert_eq!(parse(""), EngineLine::Unknown);
    }

    proptest! {
        #[test]
        fn any_line_can_be_parsed(line in "(info |bestmove |option |id )?(name |type |score |cp |mate |pv |depth |[a-z0-9+*-]{0,6} |\\PC{0,8} ){0,12}") {
            let _ = parse(&line);
        }
    }
}
