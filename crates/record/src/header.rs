//! What is known of a game besides its moves.

use std::fmt;

use jiff::civil::{Date, Time};

use kyomi_shogi::clock::Controls;
use kyomi_shogi::{Color, EnteringKingRule};

/// What is known of a game besides its moves. Any field may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Black's name.
    pub black: Option<String>,
    /// White's name.
    pub white: Option<String>,
    /// The event, or the server's game id.
    pub event: Option<String>,
    /// Where it was played.
    pub site: Option<String>,
    /// When it began.
    pub start_time: Option<RecordTime>,
    /// When it ended.
    pub end_time: Option<RecordTime>,
    /// The time controls of both sides.
    pub controls: Option<Controls>,
    /// The opening's name.
    pub opening: Option<String>,
    /// The game ends after this many plies.
    pub max_moves: Option<u32>,
    /// The rule for entering kings.
    pub jishogi: Option<JishogiRule>,
    /// Free text, line breaks allowed.
    pub note: Option<String>,
    /// Keys without a field of their own, in the order of the file (`("KEY", "value")` for `$KEY:value`).
    pub other: Vec<(String, String)>,
    /// Comments before the first move, without the leading `'`.
    pub comments: Vec<String>,
}

impl Header {
    /// The name of a side's player.
    pub fn player(&self, color: Color) -> Option<&str> {
        match color {
            Color::Black => self.black.as_deref(),
            Color::White => self.white.as_deref(),
        }
    }

    /// The rating of a side's player before the game: floodgate writes it as a comment, `black_rate:NAME+ID:2800.0`.
    pub fn rating(&self, color: Color) -> Option<f64> {
        let key = format!("{color}_rate:");
        let text = self.comments.iter().find_map(|comment| comment.strip_prefix(&key))?;
        let rating: f64 = text.rsplit(':').next()?.trim().parse().ok()?;
        (-100_000.0..100_000.0).contains(&rating).then_some(rating)
    }

    /// Adds the rating of a side's player, in the form that [`Self::rating`] reads.
    pub fn set_rating(&mut self, color: Color, rating: f64) {
        let name = self.player(color).unwrap_or_default();
        let comment = format!("{color}_rate:{name}:{rating:?}");
        self.comments.push(comment);
    }

    /// Sets the rule for entering kings. The name of one that [`JishogiRule`] does not tell apart is a comment.
    pub fn set_entering_king_rule(&mut self, rule: EnteringKingRule) {
        use EnteringKingRule as Rule;
        self.jishogi = match rule {
            Rule::Points27 | Rule::Points27Handicap => Some(JishogiRule::Points27),
            Rule::Points24 | Rule::Points24Handicap => Some(JishogiRule::Points24),
            Rule::None | Rule::Try => None,
        };
        if matches!(rule, Rule::Points27Handicap | Rule::Points24Handicap | Rule::Try) {
            self.comments.push(format!("{RULE}{}", rule.name()));
        }
    }

    /// The rule for entering kings; `None` if it is not stated, or not known.
    pub fn entering_king_rule(&self) -> Option<EnteringKingRule> {
        match self.comments.iter().find_map(|comment| comment.strip_prefix(RULE)) {
            Some(name) => EnteringKingRule::from_name(name.trim()),
            None => self.jishogi.map(EnteringKingRule::from),
        }
    }
}

/// The beginning of the comment that names a rule for entering kings.
const RULE: &str = "Entering_King_Rule:";

impl From<JishogiRule> for EnteringKingRule {
    fn from(rule: JishogiRule) -> Self {
        match rule {
            JishogiRule::Points27 => Self::Points27,
            JishogiRule::Points24 => Self::Points24,
        }
    }
}

/// The rule for entering kings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JishogiRule {
    /// 28 points for black, 27 for white win by declaration.
    Points27,
    /// 31 points win, 24 to 30 draw.
    Points24,
}

/// A day, with or without the time of day, in the local time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordTime {
    /// The day.
    pub date: Date,
    /// The time of day, whole seconds.
    pub time: Option<Time>,
}

impl RecordTime {
    /// This moment in the local time zone.
    pub fn from_zoned(now: &jiff::Zoned) -> Self {
        let time = now.time();
        let whole = Time::new(time.hour(), time.minute(), time.second(), 0).unwrap_or(time);
        Self { date: now.date(), time: Some(whole) }
    }

    /// Reads `YYYY/MM/DD` with or without ` HH:MM:SS`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, time) = text.split_once(' ').unwrap_or((text, ""));
        let mut numbers = date.split('/').map(|part| part.parse::<i16>().ok());
        let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
        if numbers.next().is_some() {
            return None;
        }
        if year < FIRST_YEAR {
            // A short form, such as 26/08/06.
            return None;
        }
        let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        let time = time.trim();
        if time.is_empty() {
            return Some(Self { date, time: None });
        }
        let mut numbers = time.split(':').map(|part| part.parse::<i8>().ok());
        let (hour, minute) = (numbers.next()??, numbers.next()??);
        let second = numbers.next().unwrap_or(Some(0))?;
        if numbers.next().is_some() {
            return None;
        }
        Some(Self { date, time: Some(Time::new(hour, minute, second, 0).ok()?) })
    }
}

/// Fills a field with a time that a file states, perhaps once more. A time of day completes a day that is already
/// known. Returns `false` for a time that contradicts the field, which is unchanged then.
pub(super) fn add_time(field: &mut Option<RecordTime>, time: RecordTime) -> bool {
    match field {
        Some(known) if known.date != time.date => false,
        Some(RecordTime { time: Some(known), .. }) => time.time.is_none_or(|time| time == *known),
        _ => {
            *field = Some(time);
            true
        }
    }
}

const FIRST_YEAR: i16 = 1000;

/// Prints `YYYY/MM/DD HH:MM:SS`, or the day alone.
impl fmt::Display for RecordTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date;
        write!(f, "{:04}/{:02}/{:02}", date.year(), date.month(), date.day())?;
        if let Some(time) = self.time {
            write!(f, " {:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
        }
        Ok(())
    }
}
