//! Reading an offer line by line.

use crate::text::Secret;
use kyomi_shogi::clock::Controls;
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, Game, Position};

use super::super::codec::clip;
use super::super::game_name::GameName;
use super::super::message::WireTime;
use super::fault::{SummaryError, SummaryWarning};
use super::keys::{DECISIVE_KEYS, FIELD_KEYS};
use super::time::TimeKeys;
use super::{GameSummary, SetupMove};

/// Options for what servers write differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// `Time_Unit:1min` means a stop-watch clock whose total time is in seconds. A game id of such a game
    /// (`..+name-1500-060+..`) has the same effect.
    pub minute_is_stop_watch: bool,
}

/// Collects the lines after `BEGIN Game_Summary`, up to a maximum number.
#[derive(Clone, Debug)]
pub struct SummaryReader {
    options: ReadOptions,
    section: Section,
    keys: Vec<(String, String)>,
    /// The names of the unknown sections.
    section_names: Vec<String>,
    /// The lines of unknown sections, each with the index of its section's name. They never set a key.
    section_lines: Vec<(usize, String)>,
    /// `Time`, `Time+`, `Time-`.
    times: [TimeKeys; 3],
    has_position: bool,
    position: Vec<String>,
    lines: usize,
    /// The bytes received, and those of the section names in [`GameSummary::other`], which has one with each line.
    bytes: usize,
    fault: Option<SummaryError>,
    warnings: Vec<SummaryWarning>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Section {
    None,
    Time(usize),
    Position,
    /// The index of its name.
    Other(usize),
}

impl SummaryReader {
    /// Maximum number of lines of an offer. The longest real offers have a few hundred.
    pub const MAX_LINES: usize = 4096;
    /// Maximum number of bytes of an offer. The name of an unknown section counts again with each of its lines.
    pub const MAX_BYTES: usize = 256 * 1024;

    /// A reader for the lines after `BEGIN Game_Summary`.
    pub fn new(options: ReadOptions) -> Self {
        Self {
            options,
            section: Section::None,
            keys: Vec::new(),
            section_names: Vec::new(),
            section_lines: Vec::new(),
            times: Default::default(),
            has_position: false,
            position: Vec::new(),
            lines: 0,
            bytes: 0,
            fault: None,
            warnings: Vec::new(),
        }
    }

    /// Reads the next line. Returns the offer or an error once it is complete or too long.
    pub fn push(&mut self, line: &str) -> Option<Result<GameSummary, SummaryError>> {
        self.lines += 1;
        self.bytes += line.len();
        if self.is_too_long() {
            return Some(Err(SummaryError::TooLong));
        }
        let text = line.trim_end_matches('\r');
        let word = text.trim();
        if word == "END Game_Summary" {
            return Some(self.finish());
        }
        if let Some(name) = word.strip_prefix("BEGIN ") {
            self.section = match name {
                "Time" => Section::Time(0),
                "Time+" => Section::Time(1),
                "Time-" => Section::Time(2),
                "Position" => {
                    self.has_position = true;
                    Section::Position
                }
                other => self.unknown_section(other.trim()),
            };
        } else if word.starts_with("END ") {
            self.section = Section::None;
        } else if let Err(fault) = self.read_line(text, word) {
            self.fault.get_or_insert(fault);
        }
        self.is_too_long().then_some(Err(SummaryError::TooLong))
    }

    fn is_too_long(&self) -> bool {
        self.lines > Self::MAX_LINES || self.bytes > Self::MAX_BYTES
    }

    /// Begins a section with this name, which is shortened if it is too long.
    fn unknown_section(&mut self, name: &str) -> Section {
        let kept: String = name.chars().take(LONGEST_SECTION_NAME).collect();
        if kept.len() < name.len() && !self.warnings.iter().any(SummaryWarning::is_section_name) {
            self.warnings.push(SummaryWarning::SectionName { name: clip(&kept) });
        }
        self.section_names.push(kept);
        Section::Other(self.section_names.len() - 1)
    }

    /// The game's id, if it has been read.
    pub fn game_id(&self) -> Option<&str> {
        self.key("Game_ID").filter(|id| !id.is_empty())
    }

    /// The irregularities of a complete offer that can still be played.
    pub fn warnings(&self) -> &[SummaryWarning] {
        &self.warnings
    }

    fn read_line(&mut self, text: &str, word: &str) -> Result<(), SummaryError> {
        if word.is_empty() {
            return Ok(());
        }
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        let (key, value) = (key.trim_end(), value.trim_start());
        match &self.section {
            Section::Position => self.position.push(text.to_owned()),
            Section::Time(side) => {
                if !self.times[*side].set(key, value)? {
                    self.keys.push((key.to_owned(), value.to_owned()));
                }
            }
            Section::Other(section) => {
                self.bytes += self.section_names[*section].len() + ":".len();
                self.section_lines.push((*section, word.to_owned()));
            }
            Section::None => self.keys.push((key.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    /// The lines of unknown sections, each with its section's name.
    fn lines_of_sections(&self) -> impl Iterator<Item = (String, String)> {
        let names = &self.section_names;
        self.section_lines.iter().map(|(section, line)| (names[*section].clone(), line.clone()))
    }

    fn key(&self, name: &str) -> Option<&str> {
        self.keys.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a key has two different values.
    fn is_contradictory(&self, name: &str) -> bool {
        let mut values = self.keys.iter().filter(|(key, _)| key == name).map(|(_, value)| value);
        values.next().is_some_and(|first| values.any(|value| value != first))
    }

    fn required(&self, name: &'static str) -> Result<String, SummaryError> {
        self.key(name).map(str::to_owned).ok_or(SummaryError::Missing(name))
    }

    fn color(&self, name: &'static str) -> Result<Option<Color>, SummaryError> {
        match self.key(name) {
            None | Some("") => Ok(None),
            Some("+") => Ok(Some(Color::Black)),
            Some("-") => Ok(Some(Color::White)),
            Some(value) => Err(SummaryError::bad_value(name, value)),
        }
    }

    /// The value of `Rematch_On_Draw`; an invalid one counts as missing.
    fn rematch_on_draw(&mut self) -> Option<bool> {
        match self.key("Rematch_On_Draw")? {
            "YES" => Some(true),
            "NO" => Some(false),
            value => {
                let value = clip(value);
                self.warnings.push(SummaryWarning::RematchOnDraw { value });
                None
            }
        }
    }

    /// The value of `Max_Moves`; an invalid one means no limit.
    fn max_moves(&mut self) -> Option<u32> {
        let value = self.key("Max_Moves")?;
        let Some(limit) = parse_limit(value) else {
            let value = clip(value);
            self.warnings.push(SummaryWarning::MaxMoves { value });
            return None;
        };
        (limit != 0).then_some(limit)
    }

    fn finish(&mut self) -> Result<GameSummary, SummaryError> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let game_id = self.game_id().ok_or(SummaryError::Missing("Game_ID"))?.to_owned();
        let names = [self.required("Name+")?, self.required("Name-")?];
        let your_turn = self.color("Your_Turn")?.ok_or(SummaryError::Missing("Your_Turn"))?;
        let to_move = self.color("To_Move")?;
        if !self.has_position {
            return Err(SummaryError::Missing("Position"));
        }
        let (start, moves) = read_position(&self.position, to_move)?;
        let rematch_on_draw = self.rematch_on_draw();
        let max_moves = self.max_moves();
        let stop_watch = self.options.minute_is_stop_watch || has_stop_watch_name(&game_id);
        let [common, black, white] = &self.times;
        let times = Controls {
            black: black.resolve(common, stop_watch),
            white: white.resolve(common, stop_watch),
        };
        let text = |name: &str| self.key(name).map(str::to_owned);
        let summary = GameSummary {
            protocol_version: text("Protocol_Version"),
            protocol_mode: text("Protocol_Mode"),
            format: text("Format"),
            declaration: text("Declaration"),
            game_id,
            names,
            your_turn,
            rematch_on_draw,
            max_moves,
            times,
            start,
            moves,
            entering_king_rule: text("Entering_King_Rule"),
            reconnect_token: text("Reconnect_Token").map(Secret::new),
            other: self
                .keys
                .iter()
                .filter(|(key, _)| !FIELD_KEYS.contains(&key.as_str()))
                .cloned()
                .chain(self.lines_of_sections())
                .collect(),
        };
        if let Some(format) = summary.format.as_deref().filter(|it| !it.starts_with("Shogi")) {
            return Err(SummaryError::bad_value("Format", format));
        }
        if let Some(key) = DECISIVE_KEYS.into_iter().find(|key| self.is_contradictory(key)) {
            return Err(SummaryError::Contradictory(key));
        }
        if let Err((key, value)) = summary.stated_rule() {
            let value = clip(value);
            self.warnings.push(SummaryWarning::EnteringKing { key, value });
        }
        let side = summary.to_move();
        match to_move {
            Some(stated) if stated != side => {
                Err(SummaryError::ToMove { stated: csa::sign(stated) })
            }
            Some(_) => Ok(summary),
            None => {
                self.warnings.push(SummaryWarning::NoToMove { side });
                Ok(summary)
            }
        }
    }
}

impl GameSummary {
    /// Parses an offer from its lines, with or without `BEGIN Game_Summary` and `END Game_Summary`.
    ///
    /// # Errors
    /// See [`SummaryError`].
    pub fn parse<'a>(
        lines: impl IntoIterator<Item = &'a str>,
        options: ReadOptions,
    ) -> Result<Self, SummaryError> {
        let mut reader = SummaryReader::new(options);
        for line in lines {
            if line == "BEGIN Game_Summary" {
                continue;
            }
            if let Some(result) = reader.push(line) {
                return result;
            }
        }
        reader.push("END Game_Summary").unwrap_or(Err(SummaryError::Unfinished))
    }
}

/// Parses the position and the moves after it. The turn line states the side to move before those moves. If it is
/// missing, the first move's sign or else `To_Move` gives the side.
fn read_position(
    lines: &[String],
    to_move: Option<Color>,
) -> Result<(Position, Vec<SetupMove>), SummaryError> {
    let mut block = csa::PositionBlock::new();
    let mut made: Vec<(String, Option<WireTime>)> = Vec::new();
    for line in lines {
        let text = line.trim();
        match text.as_bytes() {
            [b'\'', ..] => {}
            [b'+' | b'-', _, ..] => read_moves(text, &mut made),
            // In game records the time is on a line of its own.
            [b'T', ..] if !made.is_empty() => read_moves(text, &mut made),
            _ => block.push(line.trim_start())?,
        }
        if made.len() > Game::MAX_PLIES {
            return Err(SummaryError::TooManyMoves);
        }
    }
    let first_sign = made
        .first()
        .map(|(word, _)| if word.starts_with('+') { Color::Black } else { Color::White });
    let side = block.side().or(first_sign).or(to_move).ok_or(SummaryError::NoSide)?;
    let start = block.finish_with(side)?;
    start.check_playable()?;
    let mut game = Game::new(start.clone());
    let mut moves = Vec::with_capacity(made.len());
    for (index, (word, spent)) in made.into_iter().enumerate() {
        let number = index + 1;
        let mv = csa::parse_move(game.position(), &word)
            .map_err(|source| SummaryError::SetupMove { number, source })?;
        game.push(mv).map_err(|_| SummaryError::IllegalSetupMove { number, word })?;
        moves.push(SetupMove { mv, spent });
    }
    Ok((start, moves))
}

/// Parses `+2726FU,T12`; a line may contain several moves.
fn read_moves(line: &str, made: &mut Vec<(String, Option<WireTime>)>) {
    for field in line.split(',') {
        let field = field.trim();
        if field.starts_with('\'') {
            break;
        }
        match (field.strip_prefix('T'), made.last_mut()) {
            (Some(time), Some((_, spent))) => *spent = WireTime::parse(time),
            _ if field.is_empty() => {}
            _ => made.push((field.to_owned(), None)),
        }
    }
}

/// Most characters of the name of an unknown section; the rest is dropped.
const LONGEST_SECTION_NAME: usize = 64;

/// Parses a number of moves; one that is too large becomes the maximum.
fn parse_limit(value: &str) -> Option<u32> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(value.parse().unwrap_or(u32::MAX))
}

/// Whether a game id of the reference server (`event+name+black+white+date`) is that of a game with a stop-watch
/// clock: its byoyomi has a leading zero, as in `name-1500-060`. `00` counts too, since a clock that is wrongly read in
/// minutes would be 60 times too long.
fn has_stop_watch_name(game_id: &str) -> bool {
    let name = game_id.split('+').nth(1).and_then(GameName::parse);
    name.is_some_and(|name| !name.fischer && name.extra.len() > 1 && name.extra.starts_with('0'))
}
