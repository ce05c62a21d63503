//! A player of a match, given by one line of text.

use std::{num::NonZeroU32, path::PathBuf, time::Duration};

use crate::players::EngineOption;
use crate::players::{
    BookOptions, BuiltinSpec, EvalOptions, PlayerSpec, PlayerWrapper, RandomSpec, ResignRule,
    UsiSpec,
};
use kyomi_shogi::clock::{TimeControlError, parse_duration};

use super::{ControlError, MatchControl};

/// A player of a match.
///
/// ```
/// use kyomi::matches::Contestant;
/// let text = "builtin name=new nodes=2000 hash=16 Plies_Prior=0";
/// let player = Contestant::parse(text, None, "A").unwrap();
/// assert_eq!((player.name.as_str(), player.threads), ("new", 1));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Contestant {
    /// Its name in reports and records; unique in the match.
    pub name: String,
    /// The player to start.
    pub spec: PlayerSpec,
    /// Its clock or limit.
    pub control: MatchControl,
    /// Whether it ponders.
    pub ponder: bool,
    /// Whether it is restarted for each game.
    pub restart: bool,
    /// The number of its search threads, as far as known from its options.
    pub threads: usize,
    /// How many nodes count as a second of its clock, if its clock is counted in nodes.
    pub nodes_per_second: Option<NonZeroU32>,
    /// The room whose workers help it.
    pub room: Option<String>,
    /// These workers; `None` until they are joined.
    pub workers: Option<PlayerWrapper>,
    /// The text from which it was parsed.
    pub text: String,
}

/// An error in the text of a player, with the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("player '{player}': {fault}")]
pub struct ContestantError {
    /// The beginning of the text.
    pub player: String,
    /// What is wrong.
    pub fault: ContestantFault,
}

/// What is wrong with the text of a player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContestantFault {
    /// The first word is no kind of player.
    #[error("begins with '{0}'; a player begins with builtin, usi or random")]
    Kind(String),
    /// A word without `=`.
    #[error("'{0}' is not KEY=VALUE; put quotes around values with blanks")]
    Word(String),
    /// A quotation mark that is not closed.
    #[error("a quotation mark is not closed")]
    Quote,
    /// A value that is not valid.
    #[error("{key}={value}: {expected}")]
    Value {
        /// The key.
        key: String,
        /// The given value.
        value: String,
        /// A description of valid values.
        expected: &'static str,
    },
    /// A USI engine without a program.
    #[error("a USI engine needs its program: path=engines/my-engine")]
    NoPath,
    /// A key that this kind of player does not have.
    #[error("{key}= has no effect on a {kind} player")]
    Meaningless {
        /// The key.
        key: String,
        /// The kind.
        kind: &'static str,
    },
    /// The control cannot be read.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// No clock or limit is given.
    #[error(
        "it has no clock or limit; give it nodes=N, depth=N, movetime=TIME or tc=CLOCK, or all players --tc"
    )]
    NoControl,
}

impl Contestant {
    /// Reads `KIND [KEY=VALUE]...`, where the kind is `builtin`, `usi` or `random`. `control` and `name` apply if the
    /// text gives none.
    ///
    /// Our keys are in lower case: `name`, `tc`, `nodes`, `depth`, `limit`, `movetime`, `ponder`, `restart`, `hash`
    /// (MiB), `book` (a file, or `builtin`); `threads`, `resign`, `resign_moves` and `room` of the built-in engine;
    /// `path`, `args`, `dir` and `ready_timeout` of a USI engine; `seed` of the random player. Every other key is an
    /// option of the engine. Values with blanks must be quoted.
    ///
    /// # Errors
    /// The text and its error.
    pub fn parse(
        text: &str,
        control: Option<MatchControl>,
        name: &str,
    ) -> Result<Self, ContestantError> {
        read(text, control, name)
            .map_err(|fault| ContestantError { player: text.chars().take(80).collect(), fault })
    }

    /// The time that a search counts on its clock, if its clock is counted in nodes.
    pub fn time_by_nodes(&self, nodes: u64) -> Option<Duration> {
        self.nodes_per_second.map(|speed| kyomi_engine::search::time_of(nodes, speed))
    }

    /// The kind of player: `builtin`, `usi` or `random`.
    pub const fn kind(&self) -> &'static str {
        match self.spec {
            PlayerSpec::Builtin(_) => "builtin",
            PlayerSpec::Usi(_) => "usi",
            PlayerSpec::Random(_) => "random",
        }
    }
}

fn read(
    text: &str,
    control: Option<MatchControl>,
    name: &str,
) -> Result<Contestant, ContestantFault> {
    let words = words(text)?;
    let mut words = words.into_iter();
    let kind = words.next().unwrap_or_default();
    let mut keys = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() => keys.push((key.to_owned(), value.to_owned())),
            _ => return Err(ContestantFault::Word(word.chars().take(40).collect())),
        }
    }
    let room = room(&kind, &mut keys)?;
    let mut common = Common::take(&mut keys)?;
    if let Some(name) = &common.name
        && (name.trim().is_empty() || name.chars().any(char::is_control) || name.len() > 40)
    {
        return Err(value_fault("name", name, "a name of 1 to 40 bytes"));
    }
    let (spec, threads) = match kind.as_str() {
        "builtin" => builtin(keys, &common)?,
        "usi" => usi(keys, &common)?,
        "random" => random(keys)?,
        other => return Err(ContestantFault::Kind(other.chars().take(40).collect())),
    };
    let nodes_per_second = match &spec {
        PlayerSpec::Builtin(spec) => spec.time_options().0.nodes_per_second,
        PlayerSpec::Usi(_) | PlayerSpec::Random(_) => None,
    };
    let untimed = matches!(spec, PlayerSpec::Random(_)).then(|| MatchControl::Each(RANDOM_LIMIT));
    let control = common.control.take().or(control).or(untimed);
    Ok(Contestant {
        name: common.name.unwrap_or_else(|| name.to_owned()),
        control: control.ok_or(ContestantFault::NoControl)?,
        spec,
        ponder: common.ponder,
        restart: common.restart,
        threads,
        nodes_per_second,
        room,
        workers: None,
        text: text.trim().to_owned(),
    })
}

/// Removes the key `room`, which is for built-in players, and reads it.
fn room(kind: &str, keys: &mut Vec<(String, String)>) -> Result<Option<String>, ContestantFault> {
    let Some(at) = keys.iter().position(|(key, _)| key == "room") else { return Ok(None) };
    let (key, room) = keys.remove(at);
    let kind = match kind {
        "usi" => "usi",
        "random" => "random",
        _ => {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            let is_room = (1..=32).contains(&room.len()) && room.bytes().all(fits);
            let expected = "a room: 1 to 32 letters, digits, - and _";
            return if is_room { Ok(Some(room)) } else { Err(value_fault(&key, &room, expected)) };
        }
    };
    Err(ContestantFault::Meaningless { key, kind })
}

/// The limit sent to a random player, which ignores it.
const RANDOM_LIMIT: crate::players::MoveLimit = crate::players::MoveLimit::Nodes(1);

/// The keys that all kinds of players have.
struct Common {
    name: Option<String>,
    control: Option<MatchControl>,
    ponder: bool,
    restart: bool,
    hash_mib: u64,
    book: BookOptions,
}

impl Common {
    /// Removes the common keys from `keys` and reads them.
    fn take(keys: &mut Vec<(String, String)>) -> Result<Self, ContestantFault> {
        let mut common = Self {
            name: None,
            control: None,
            ponder: false,
            restart: false,
            hash_mib: HASH_MIB,
            book: BookOptions::reproducible(),
        };
        let mut rest = Vec::new();
        for (key, value) in keys.drain(..) {
            match key.as_str() {
                "name" => common.name = Some(value),
                "tc" => common.control = Some(value.parse()?),
                "nodes" | "depth" | "limit" | "movetime" => {
                    common.control = Some(format!("{key}={value}").parse()?);
                }
                "ponder" => common.ponder = yes_or_no(&key, &value)?,
                "restart" => common.restart = yes_or_no(&key, &value)?,
                "book" => common.book = BookOptions::named(&value),
                "hash" => common.hash_mib = number(&key, &value, 1..=1 << 24, "MiB, 1 or more")?,
                _ => rest.push((key, value)),
            }
        }
        *keys = rest;
        Ok(common)
    }
}

fn builtin(
    keys: Vec<(String, String)>,
    common: &Common,
) -> Result<(PlayerSpec, usize), ContestantFault> {
    let standard = crate::config::BudgetConfig::default();
    let mut resign = ResignRule { score: standard.resign_score, moves: standard.resign_moves };
    let mut threads = 1;
    let mut options = Vec::new();
    for (key, value) in keys {
        match key.as_str() {
            "threads" => threads = number(&key, &value, 1..=1024, "threads, 1 to 1024")?,
            "resign" => {
                let score = value.parse().ok().filter(|score: &i32| *score < 0);
                resign.score =
                    score.ok_or_else(|| value_fault(&key, &value, "centipawns below 0"))?;
            }
            "resign_moves" => resign.moves = number(&key, &value, 0..=1000, "moves; 0: never")?,
            "path" | "args" | "dir" | "ready_timeout" | "seed" => {
                return Err(ContestantFault::Meaningless { key, kind: "builtin" });
            }
            _ => options.push(EngineOption { name: key, value }),
        }
    }
    let hash_bytes = common.hash_mib << 20;
    let book = common.book.clone();
    let mut spec = BuiltinSpec {
        threads,
        hash_bytes,
        resign,
        options,
        book,
        eval: EvalOptions::default(),
        preloaded: None,
    };
    spec.preload_evaluation();
    Ok((PlayerSpec::Builtin(spec), threads))
}

fn usi(
    keys: Vec<(String, String)>,
    common: &Common,
) -> Result<(PlayerSpec, usize), ContestantFault> {
    let mut spec = UsiSpec {
        path: PathBuf::new(),
        args: Vec::new(),
        working_dir: None,
        ready_timeout: Duration::from_secs(120),
        ponder: common.ponder,
        clocks_at_ponder_hit: false,
        hash_mib: common.hash_mib,
        options: Vec::new(),
        stop_at_flag: false,
        resign: None,
        book: common.book.spec_if_requested(),
    };
    let mut threads = 1;
    for (key, value) in keys {
        match key.as_str() {
            "path" => spec.path = value.into(),
            "args" => spec.args = words(&value)?,
            "dir" => spec.working_dir = Some(value.into()),
            "ready_timeout" => {
                let time: Result<_, TimeControlError> = parse_duration(&value);
                spec.ready_timeout =
                    time.map_err(|_| value_fault(&key, &value, "a time, such as 120s"))?;
            }
            "seed" | "resign" | "resign_moves" => {
                return Err(ContestantFault::Meaningless { key, kind: "usi" });
            }
            _ => {
                if key.eq_ignore_ascii_case("threads") {
                    threads = number(&key, &value, 1..=1024, "threads, 1 to 1024")?;
                }
                spec.options.push(EngineOption { name: key, value });
            }
        }
    }
    if spec.path.as_os_str().is_empty() {
        return Err(ContestantFault::NoPath);
    }
    Ok((PlayerSpec::Usi(spec), threads))
}

fn random(keys: Vec<(String, String)>) -> Result<(PlayerSpec, usize), ContestantFault> {
    let mut seed = None;
    for (key, value) in keys {
        match key.as_str() {
            "seed" => seed = Some(number(&key, &value, 0..=u64::MAX, "a whole number")?),
            _ => return Err(ContestantFault::Meaningless { key, kind: "random" }),
        }
    }
    Ok((PlayerSpec::Random(RandomSpec { seed }), 1))
}

fn yes_or_no(key: &str, value: &str) -> Result<bool, ContestantFault> {
    match value {
        "true" | "yes" | "on" => Ok(true),
        "false" | "no" | "off" => Ok(false),
        _ => Err(value_fault(key, value, "true or false")),
    }
}

fn number<T: std::str::FromStr + PartialOrd>(
    key: &str,
    value: &str,
    range: std::ops::RangeInclusive<T>,
    expected: &'static str,
) -> Result<T, ContestantFault> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| value_fault(key, value, expected))
}

fn value_fault(key: &str, value: &str, expected: &'static str) -> ContestantFault {
    let value = value.chars().take(40).collect();
    ContestantFault::Value { key: key.to_owned(), value, expected }
}

/// Splits a line into words. Blanks within `'…'` or `"…"` do not separate words; the quotation marks are removed.
fn words(text: &str) -> Result<Vec<String>, ContestantFault> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(ContestantFault::Quote);
    }
    words.extend(word);
    Ok(words)
}

/// The default hash size of each engine in MiB. It is small so that a new game is prepared quickly.
const HASH_MIB: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::MoveLimit;

    fn parse(text: &str) -> Result<Contestant, ContestantError> {
        Contestant::parse(text, Some("nodes=100".parse().unwrap()), "A")
    }

    #[test]
    fn a_usi_engine_with_all_keys() {
        let player = parse(
            "usi name='GPS Shogi' path=/usr/games/gpsusi args=\"-v 0\" dir=/tmp tc=0,byoyomi=1 \
             Threads=2 USI_Hash=64 ponder=true ready_timeout=10s restart=yes",
        )
        .unwrap();
        assert_eq!((player.name.as_str(), player.threads), ("GPS Shogi", 2));
        assert!(player.ponder && player.restart);
        assert_eq!(player.control.to_string(), "0,byoyomi=1");
        let PlayerSpec::Usi(spec) = &player.spec else { panic!("{player:?}") };
        assert_eq!(spec.args, ["-v", "0"]);
        assert!(!spec.stop_at_flag);
        let options: Vec<_> = spec.options.iter().map(|option| option.name.as_str()).collect();
        assert_eq!(options, ["Threads", "USI_Hash"]);
        assert_eq!(spec.ready_timeout, Duration::from_secs(10));
    }

    #[test]
    fn the_common_control_applies_to_players_without_one() {
        assert_eq!(parse("builtin").unwrap().control, MatchControl::Each(MoveLimit::Nodes(100)));
        let own = parse("builtin nodes=2000").unwrap();
        assert_eq!(own.control, MatchControl::Each(MoveLimit::Nodes(2000)));
        let error = Contestant::parse("builtin", None, "A").unwrap_err().to_string();
        assert!(error.contains("it has no clock or limit"), "{error}");
        assert!(Contestant::parse("random seed=1", None, "A").is_ok());
    }

    #[test]
    fn options_of_the_builtin_engine_are_parsed() {
        let player = parse("builtin preset=full hash=4 resign=-900 resign_moves=0").unwrap();
        let PlayerSpec::Builtin(spec) = &player.spec else { panic!("{player:?}") };
        assert_eq!((spec.hash_bytes, spec.resign.score, spec.resign.moves), (4 << 20, -900, 0));
        assert_eq!(
            (spec.options[0].name.as_str(), spec.options[0].value.as_str()),
            ("preset", "full")
        );
    }

    #[test]
    fn faults_are_reported() {
        for (text, part) in [
            ("", "builtin, usi or random"),
            ("stockfish path=x", "'stockfish'"),
            ("builtin fast", "'fast' is not KEY=VALUE"),
            ("usi Threads=1", "needs its program"),
            ("builtin path=x", "has no effect on a builtin"),
            ("builtin hash=0", "hash=0: MiB"),
            ("builtin name='x", "not closed"),
            ("random depth=0", "above 0"),
            ("usi path=x ponder=maybe", "true or false"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
