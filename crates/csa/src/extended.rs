//! The commands of extended mode (`LOGIN <name> <password> x1`): lines that begin with `%%`, and the lines by which a
//! server reports the moves of a game that is watched.
//!
//! See docs/csa-protocol.md, section 11.

use std::fmt;

use kyomi_shogi::Color;

/// The game that a player selects: a game name, which is also the clock, and a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSelection {
    /// The game name (`floodgate-300-10F`, `hcrook_x-600-10`, `buoy_x-900-0`).
    pub game: String,
    /// The requested colour; `None`: either (`*`).
    pub color: Option<Color>,
}

impl GameSelection {
    fn parse(rest: &str) -> Option<Self> {
        let mut words = rest.split_ascii_whitespace();
        let (game, color) = (words.next()?, words.next()?);
        let color = match color {
            "+" => Some(Color::Black),
            "-" => Some(Color::White),
            "*" => None,
            _ => return None,
        };
        words.next().is_none().then(|| Self { game: game.to_owned(), color })
    }

    /// The sign of the requested colour: `+`, `-` or `*`.
    pub fn sign(&self) -> char {
        match self.color {
            Some(Color::Black) => '+',
            Some(Color::White) => '-',
            None => '*',
        }
    }
}

impl fmt::Display for GameSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.sign())
    }
}

/// How a game is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MonitorForm {
    /// `MONITOR`: the whole state of the game after each move.
    Whole,
    /// `MONITOR2`: the record so far, then each move.
    Moves,
}

impl MonitorForm {
    /// The word in commands and answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Whole => "MONITOR",
            Self::Moves => "MONITOR2",
        }
    }
}

/// A command of extended mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtendedCommand {
    /// `%%GAME <name> <colour>`: wait for an opponent. Without a name: stop waiting.
    Game(Option<GameSelection>),
    /// `%%CHALLENGE <name> <colour>`: play if an opponent is waiting.
    Challenge(GameSelection),
    /// `%%WHO`: the players.
    Who,
    /// `%%LIST`: the running games.
    List,
    /// `%%SHOW <game>`: the state of a game.
    Show(String),
    /// `%%MONITORON <game>`, `%%MONITOR2ON <game>`: watch a game.
    MonitorOn(MonitorForm, String),
    /// `%%MONITOROFF <game>`, `%%MONITOR2OFF <game>`: watch it no longer.
    MonitorOff(MonitorForm, String),
    /// `%%CHAT <text>`: a text for all players in extended mode.
    Chat(String),
    /// `%%RATING`
    Rating,
    /// `%%VERSION`
    Version,
    /// `%%HELP`
    Help,
    /// `%%SETBUOY <name> <moves> [<count>]`: this number of games under this name begin with these moves.
    SetBuoy {
        /// The game name, which begins with `buoy_`.
        name: String,
        /// The moves, without anything between them.
        moves: String,
        /// The number of games.
        count: u32,
    },
    /// `%%DELETEBUOY <name>`
    DeleteBuoy(String),
    /// `%%GETBUOYCOUNT <name>`
    BuoyCount(String),
    /// `%%FORK <game> [<name> [<ply>]]`: a buoy from a running game.
    Fork {
        /// The id of the game.
        game: String,
        /// The name of the buoy.
        name: Option<String>,
        /// The number of moves to take; all by default.
        plies: Option<u32>,
    },
}

impl ExtendedCommand {
    /// Parses a line; `None` if it is no command of extended mode.
    pub fn parse(line: &str) -> Option<Self> {
        let text = line.trim_end().strip_prefix("%%")?;
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim();
        let id = || rest.split_ascii_whitespace().next().map(str::to_owned);
        match word {
            "GAME" if rest.is_empty() => Some(Self::Game(None)),
            "GAME" => GameSelection::parse(rest).map(|selection| Self::Game(Some(selection))),
            "CHALLENGE" => GameSelection::parse(rest).map(Self::Challenge),
            "WHO" => Some(Self::Who),
            "LIST" => Some(Self::List),
            "SHOW" => id().map(Self::Show),
            "MONITORON" => Some(Self::MonitorOn(MonitorForm::Whole, id()?)),
            "MONITOROFF" => Some(Self::MonitorOff(MonitorForm::Whole, id()?)),
            "MONITOR2ON" => Some(Self::MonitorOn(MonitorForm::Moves, id()?)),
            "MONITOR2OFF" => Some(Self::MonitorOff(MonitorForm::Moves, id()?)),
            "CHAT" if !rest.is_empty() => Some(Self::Chat(rest.to_owned())),
            "RATING" => Some(Self::Rating),
            "VERSION" => Some(Self::Version),
            "HELP" => Some(Self::Help),
            "SETBUOY" => {
                let mut words = rest.split_ascii_whitespace();
                let (name, moves) = (words.next()?.to_owned(), words.next()?.to_owned());
                let count = words.next().map_or(Some(1), |count| count.parse().ok())?;
                words.next().is_none().then_some(Self::SetBuoy { name, moves, count })
            }
            "DELETEBUOY" => id().map(Self::DeleteBuoy),
            "GETBUOYCOUNT" => id().map(Self::BuoyCount),
            "FORK" => {
                let mut words = rest.split_ascii_whitespace();
                let (game, name) = (words.next()?.to_owned(), words.next().map(str::to_owned));
                let plies = words.next().map(str::parse).transpose().ok()?;
                words.next().is_none().then_some(Self::Fork { game, name, plies })
            }
            _ => None,
        }
    }
}

impl fmt::Display for ExtendedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(None) => f.write_str("%%GAME"),
            Self::Game(Some(selection)) => write!(f, "%%GAME {selection}"),
            Self::Challenge(selection) => write!(f, "%%CHALLENGE {selection}"),
            Self::Who => f.write_str("%%WHO"),
            Self::List => f.write_str("%%LIST"),
            Self::Show(id) => write!(f, "%%SHOW {id}"),
            Self::MonitorOn(form, id) => write!(f, "%%{}ON {id}", form.word()),
            Self::MonitorOff(form, id) => write!(f, "%%{}OFF {id}", form.word()),
            Self::Chat(text) => write!(f, "%%CHAT {text}"),
            Self::Rating => f.write_str("%%RATING"),
            Self::Version => f.write_str("%%VERSION"),
            Self::Help => f.write_str("%%HELP"),
            Self::SetBuoy { name, moves, count } => write!(f, "%%SETBUOY {name} {moves} {count}"),
            Self::DeleteBuoy(name) => write!(f, "%%DELETEBUOY {name}"),
            Self::BuoyCount(name) => write!(f, "%%GETBUOYCOUNT {name}"),
            Self::Fork { game, name, plies } => {
                write!(f, "%%FORK {game}")?;
                if let Some(name) = name {
                    write!(f, " {name}")?;
                }
                plies.map_or(Ok(()), |plies| write!(f, " {plies}"))
            }
        }
    }
}

/// Splits moves that are written without anything between them (`+7776FU-3334FU`); `None` if they are not of that form.
pub fn split_moves(text: &str) -> Option<Vec<&str>> {
    const LENGTH: usize = 7;
    if !text.is_ascii() || !text.len().is_multiple_of(LENGTH) {
        return None;
    }
    let words = text.as_bytes().chunks(LENGTH).map(std::str::from_utf8);
    words.collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_are_read_and_written() {
        for line in [
            "%%GAME",
            "%%GAME x-600-10 +",
            "%%GAME x-600-10F *",
            "%%CHALLENGE x-600-10 -",
            "%%WHO",
            "%%LIST",
            "%%SHOW a+b+c+d+1",
            "%%MONITORON a+b",
            "%%MONITOROFF a+b",
            "%%MONITOR2ON a+b",
            "%%MONITOR2OFF a+b",
            "%%CHAT good luck, have fun",
            "%%RATING",
            "%%VERSION",
            "%%HELP",
            "%%SETBUOY buoy_x-900-0 +7776FU-3334FU 3",
            "%%DELETEBUOY buoy_x-900-0",
            "%%GETBUOYCOUNT buoy_x-900-0",
            "%%FORK a+b",
            "%%FORK a+b buoy_y-900-0",
            "%%FORK a+b buoy_y-900-0 12",
        ] {
            let command = ExtendedCommand::parse(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(command.to_string(), line);
        }
        let one = ExtendedCommand::parse("%%SETBUOY buoy_x-900-0 +7776FU");
        assert_eq!(one.unwrap().to_string(), "%%SETBUOY buoy_x-900-0 +7776FU 1");
    }

    #[test]
    fn invalid_commands_are_refused() {
        for line in [
            "",
            "%%",
            "%GAME",
            "%TORYO",
            "%%game",
            "%%GAME x-600-10",
            "%%GAME x-600-10 ?",
            "%%GAME x + -",
            "%%CHALLENGE",
            "%%SHOW",
            "%%MONITOR2ON",
            "%%CHAT",
            "%%CHAT  ",
            "%%SETBUOY x",
            "%%SETBUOY x +7776FU -1",
            "%%SETBUOY x +7776FU 99999999999999999999",
            "%%SETBUOY x +7776FU 1 2",
            "%%FORK",
            "%%FORK a b x",
        ] {
            assert_eq!(ExtendedCommand::parse(line), None, "{line}");
        }
    }

    #[test]
    fn moves_without_separators_are_split() {
        assert_eq!(split_moves("+7776FU-3334FU"), Some(vec!["+7776FU", "-3334FU"]));
        assert_eq!(split_moves(""), Some(vec![]));
        for bad in ["+7776F", "+7776FU,", "+7776FU-3334F", "ああああああa"] {
            assert_eq!(split_moves(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_line_is_fatal_and_a_command_is_read_back(line in "%%[A-Z0-9]{0,12}[ -~é]{0,40}") {
            if let Some(command) = ExtendedCommand::parse(&line) {
                prop_assert_eq!(ExtendedCommand::parse(&command.to_string()), Some(command));
            }
        }
    }
}
