//! Typed lines of servers and of clients. Both types can be parsed and formatted: the client parses server
//! lines, the local server parses client lines.
//!
//! Parsing never fails: an unrecognized line is kept as received (`Unknown`, `Other`).
//! Source: CSA server protocol 1.2.1.

use crate::text::Secret;

use std::fmt;

use super::extended::ExtendedCommand;

mod words;

pub use words::{MoveWord, ReasonWord, ResultWord, Special, WireTime};
use words::{REASONS, RESULTS};

/// Characters without meaning at the end of a server's line.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// A line from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerMessage {
    /// `LOGIN:<name> OK`
    LoginOk {
        /// The name of the logged-in player.
        name: String,
    },
    /// `LOGIN:incorrect`, with some servers followed by a reason.
    LoginIncorrect {
        /// The text after `incorrect`.
        reason: Option<String>,
    },
    /// `LOGOUT:completed`
    LogoutCompleted,
    /// `##[TOPIC] text`: a response, a notice or, with the topic `ERROR`, an error.
    Notice {
        /// The text in the brackets.
        topic: String,
        /// The text after the brackets.
        text: String,
    },
    /// `BEGIN Game_Summary`; the lines up to `END Game_Summary` are read by `SummaryReader`.
    BeginSummary,
    /// `BEGIN Reconnect_State`; the lines up to `END Reconnect_State` are read by `ReconnectStateReader`.
    BeginReconnectState,
    /// `START:<Game_ID>`
    Start {
        /// The game's id; empty when the server sent none.
        game_id: String,
    },
    /// `REJECT:<Game_ID> by <who>`
    Reject {
        /// The game's id.
        game_id: String,
        /// A player's name, or words like `the Server (timed out)`; empty when the server sent none.
        by: String,
    },
    /// A move with its time.
    Move {
        /// The move.
        word: MoveWord,
        /// The time charged by the server; `None` when missing or not a number.
        spent: Option<WireTime>,
        /// A comment that the server relays, without its apostrophe.
        comment: Option<String>,
    },
    /// A `%` line with its time.
    Special {
        /// The word.
        word: Special,
        /// The time charged by the server; the reference server sends none with `%TORYO`.
        spent: Option<WireTime>,
    },
    /// The result of the game for the recipient.
    Result(ResultWord),
    /// Why the game ended.
    Reason(ReasonWord),
    /// An empty line: the answer to our keep-alive line.
    KeepAlive,
    /// Any other line, as received.
    Unknown(String),
}

impl ServerMessage {
    /// Parses a line; an unrecognized one becomes [`ServerMessage::Unknown`].
    pub fn parse(line: &str) -> Self {
        let text = line.trim_end_matches(BLANKS);
        match text.as_bytes() {
            [] => Some(Self::KeepAlive),
            [b'+' | b'-', ..] => Self::parse_move(text),
            [b'%', ..] => Self::parse_special(text),
            [b'#', b'#', ..] => parse_notice(text),
            [b'#', _, ..] => Some(parse_end(&text[1..])),
            _ => Self::parse_keyword(text),
        }
        .unwrap_or_else(|| Self::Unknown(line.to_owned()))
    }

    /// The line without its line break.
    pub fn to_line(&self) -> String {
        self.to_string()
    }

    fn parse_move(text: &str) -> Option<Self> {
        let mut fields = text.split(',');
        let word = MoveWord::parse(fields.next()?.trim_end())?;
        let (mut spent, mut comment) = (None, None);
        for field in fields {
            let field = field.trim_start();
            if let Some(text) = field.strip_prefix('\'') {
                // A comment is written at the end of the line, where trailing blanks are dropped.
                comment.get_or_insert_with(|| text.trim_end_matches(BLANKS).to_owned());
            } else {
                spent = spent.or_else(|| parse_spent(field));
            }
        }
        Some(Self::Move { word, spent, comment })
    }

    fn parse_special(text: &str) -> Option<Self> {
        let mut fields = text.split(',');
        let word = fields.next()?.trim_end().strip_prefix('%').filter(|word| !word.is_empty())?;
        let word = Special::parse(word);
        let spent = fields.find_map(parse_spent);
        Some(Self::Special { word, spent })
    }

    fn parse_keyword(text: &str) -> Option<Self> {
        if let Some(login) = text.strip_prefix("LOGIN:") {
            return if let Some(name) = login.strip_suffix(" OK") {
                Some(Self::LoginOk { name: name.to_owned() })
            } else {
                let reason = login.strip_prefix("incorrect")?;
                if reason.starts_with(|c: char| c.is_ascii_alphanumeric()) {
                    return None;
                }
                let reason = reason.trim_start_matches(' ');
                let reason = (!reason.is_empty()).then(|| reason.to_owned());
                Some(Self::LoginIncorrect { reason })
            };
        }
        if let Some(game_id) = text.strip_prefix("START:") {
            return Some(Self::Start { game_id: game_id.to_owned() });
        }
        if let Some(rest) = text.strip_prefix("REJECT:") {
            let (game_id, by) = rest.split_once(" by ").unwrap_or((rest, ""));
            return Some(Self::Reject { game_id: game_id.to_owned(), by: by.to_owned() });
        }
        match text {
            "START" => Some(Self::Start { game_id: String::new() }),
            "LOGOUT:completed" => Some(Self::LogoutCompleted),
            "BEGIN Game_Summary" => Some(Self::BeginSummary),
            "BEGIN Reconnect_State" => Some(Self::BeginReconnectState),
            _ => None,
        }
    }
}

fn parse_end(word: &str) -> ServerMessage {
    // Another word for the same.
    let word = if word == "SUSPEND" { "CHUDAN" } else { word };
    if let Some((_, result)) = RESULTS.iter().find(|(name, _)| *name == word) {
        return ServerMessage::Result(*result);
    }
    let known = REASONS.iter().find(|(name, _)| *name == word).map(|(_, reason)| reason.clone());
    ServerMessage::Reason(known.unwrap_or_else(|| ReasonWord::Other(word.to_owned())))
}

fn parse_notice(text: &str) -> Option<ServerMessage> {
    let (topic, text) = text.strip_prefix("##[")?.split_once(']')?;
    let text = text.strip_prefix(' ').unwrap_or(text);
    Some(ServerMessage::Notice { topic: topic.to_owned(), text: text.to_owned() })
}

impl fmt::Display for ServerMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time =
            |spent: &Option<WireTime>| spent.map_or_else(String::new, |spent| format!(",T{spent}"));
        match self {
            Self::LoginOk { name } => write!(f, "LOGIN:{name} OK"),
            Self::LoginIncorrect { reason: None } => f.write_str("LOGIN:incorrect"),
            Self::LoginIncorrect { reason: Some(reason) } => write!(f, "LOGIN:incorrect {reason}"),
            Self::LogoutCompleted => f.write_str("LOGOUT:completed"),
            Self::Notice { topic, text } if text.is_empty() => write!(f, "##[{topic}]"),
            Self::Notice { topic, text } => write!(f, "##[{topic}] {text}"),
            Self::BeginSummary => f.write_str("BEGIN Game_Summary"),
            Self::BeginReconnectState => f.write_str("BEGIN Reconnect_State"),
            Self::Start { game_id } => write!(f, "START:{game_id}"),
            Self::Reject { game_id, by } if by.is_empty() => write!(f, "REJECT:{game_id}"),
            Self::Reject { game_id, by } => write!(f, "REJECT:{game_id} by {by}"),
            Self::Move { word, spent, comment } => {
                write!(f, "{word}{}", time(spent))?;
                comment.as_ref().map_or(Ok(()), |comment| write!(f, ",'{comment}"))
            }
            Self::Special { word, spent } => write!(f, "{word}{}", time(spent)),
            Self::Result(word) => word.fmt(f),
            Self::Reason(word) => word.fmt(f),
            Self::KeepAlive => Ok(()),
            Self::Unknown(line) => f.write_str(line),
        }
    }
}

/// What a login asks for: the third word of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginMode {
    /// No third word: games one by one.
    Plain,
    /// `x1`: the extended mode of shogi-server.
    Extended,
    /// `reconnect:<Game_ID>+<token>`: to continue a running game (rshogi, kyomi).
    Reconnect {
        /// The game's id.
        game_id: String,
        /// The `Reconnect_Token` of its offer.
        token: Secret,
    },
}

impl LoginMode {
    fn parse(word: &str) -> Option<Self> {
        if word == "x1" {
            return Some(Self::Extended);
        }
        // Game ids may contain `+`, tokens do not.
        let (game_id, token) = word.strip_prefix("reconnect:")?.rsplit_once('+')?;
        let complete = !game_id.is_empty() && !token.is_empty();
        complete.then(|| Self::Reconnect { game_id: game_id.to_owned(), token: Secret::new(token) })
    }

    /// The end of the login line, with a blank before it.
    fn suffix(&self, show: impl Fn(&Secret) -> String) -> String {
        match self {
            Self::Plain => String::new(),
            Self::Extended => " x1".to_owned(),
            Self::Reconnect { game_id, token } => format!(" reconnect:{game_id}+{}", show(token)),
        }
    }
}

/// A line from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    /// `LOGIN <name> <password>`, and what it asks for.
    Login {
        /// The player's name.
        name: String,
        /// The password; with the reference server it carries the game name and the trip.
        password: Secret,
        /// What the login asks for.
        mode: LoginMode,
    },
    /// `LOGOUT`
    Logout,
    /// `AGREE [<Game_ID>]`
    Agree {
        /// The id of the offer.
        game_id: Option<String>,
    },
    /// `REJECT [<Game_ID>]`
    Reject {
        /// The id of the offer.
        game_id: Option<String>,
    },
    /// A move, with a comment after a comma if the server accepts comments.
    Move {
        /// The move.
        word: MoveWord,
        /// The comment without its apostrophe, e.g. `* 30 -3334FU`.
        comment: Option<String>,
    },
    /// `%TORYO`, `%KACHI`, `%CHUDAN` or another `%` line.
    Special(Special),
    /// A command of extended mode.
    Extended(ExtendedCommand),
    /// An empty line, to keep the connection alive.
    KeepAlive,
    /// Any other line, unchanged.
    Other(String),
}

impl ClientMessage {
    /// Parses a line; an unrecognized one becomes [`ClientMessage::Other`]. A move followed by anything
    /// but a comma or the end of the line is not recognized, as in the reference server.
    pub fn parse(line: &str) -> Self {
        let text = line.trim_end_matches('\r');
        let id = |rest: &str| (!rest.is_empty()).then(|| rest.to_owned());
        if text.is_empty() {
            return Self::KeepAlive;
        }
        let (command, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (command, rest) {
            ("LOGIN", rest) => Self::parse_login(rest),
            ("LOGOUT", "") => Some(Self::Logout),
            ("AGREE", rest) => Some(Self::Agree { game_id: id(rest) }),
            ("REJECT", rest) => Some(Self::Reject { game_id: id(rest) }),
            _ if text.starts_with(['+', '-']) => {
                let (word, rest) = text.split_once(',').unwrap_or((text, ""));
                let comment = rest.strip_prefix('\'').map(str::to_owned);
                MoveWord::parse(word).map(|word| Self::Move { word, comment })
            }
            _ if text.starts_with('%') && !text.starts_with("%%") => {
                Some(Self::Special(Special::parse(&text[1..])))
            }
            _ if text.starts_with("%%") => ExtendedCommand::parse(text).map(Self::Extended),
            _ => None,
        }
        .unwrap_or_else(|| Self::Other(line.to_owned()))
    }

    /// The line without its line break. This is the only place where a login contains its password.
    pub fn to_line(&self) -> String {
        match self {
            Self::Login { name, password, mode } => {
                let mode = mode.suffix(|token| token.expose().to_owned());
                format!("LOGIN {name} {}{mode}", password.expose())
            }
            Self::Logout => "LOGOUT".to_owned(),
            Self::Agree { game_id } => with_id("AGREE", game_id.as_deref()),
            Self::Reject { game_id } => with_id("REJECT", game_id.as_deref()),
            Self::Move { word, comment: None } => word.to_string(),
            Self::Move { word, comment: Some(comment) } => format!("{word},'{comment}"),
            Self::Special(word) => word.to_string(),
            Self::Extended(command) => command.to_string(),
            Self::KeepAlive => String::new(),
            Self::Other(line) => line.clone(),
        }
    }

    fn parse_login(rest: &str) -> Option<Self> {
        let mut words = rest.split(' ').filter(|word| !word.is_empty());
        let (name, password) = (words.next()?, words.next()?);
        // A password that is a carriage return would be parsed as missing after a round trip.
        if rest.contains(char::is_control) {
            return None;
        }
        let mode = words.next().map_or(Some(LoginMode::Plain), LoginMode::parse)?;
        words.next().is_none().then(|| Self::Login {
            name: name.to_owned(),
            password: Secret::new(password),
            mode,
        })
    }
}

/// The line with a login's password and token masked, for logs.
impl fmt::Display for ClientMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Login { name, password, mode } => {
                write!(f, "LOGIN {name} {password}{}", mode.suffix(Secret::to_string))
            }
            other => f.write_str(&other.to_line()),
        }
    }
}

fn with_id(command: &str, game_id: Option<&str>) -> String {
    game_id.map_or_else(|| command.to_owned(), |id| format!("{command} {id}"))
}

/// Parses the field `T12` of a line.
fn parse_spent(field: &str) -> Option<WireTime> {
    WireTime::parse(field.trim().strip_prefix('T')?)
}

#[cfg(test)]
mod tests;
