//! The contents of a login password: the pool of players to wait in, the clock, a colour, and the trip.
//!
//! As on the reference server, the text before the first comma is a game name if it has the form of one, and
//! the rest is the trip: `ladder-600-10`, `ladder-600-10F-B,secret`. Anything else is a plain password, and the
//! player waits in the default pool.

use std::time::Duration;

use crate::{GameName, GameSelection};
use kyomi_shogi::clock::{Controls, GameTime, Rounding, TimeControl, TimeUnit};
use kyomi_shogi::{Color, Handicap, Position};

use super::rules::GameRules;

/// The game that a player requests.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GameRequest {
    /// The pool: players of one pool are paired with each other.
    pub(super) game_name: String,
    /// The requested colour.
    pub(super) color: Option<Color>,
    /// The clocks.
    pub(super) controls: Controls,
    /// The position to start from.
    pub(super) start: Position,
}

/// Why the game that a password requests is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum GameRequestError {
    #[error("the game name is too long")]
    LongName,
    #[error("the game name asks for an absurdly long time")]
    TimeTooLong,
    #[error("bad game name")]
    BadName,
    #[error(
        "a handicap game needs a colour: -B or -W behind the game name, in extended mode + or -"
    )]
    HandicapWithoutColor,
}

impl GameRequest {
    /// Parses a password.
    pub(super) fn parse(
        password: &str,
        defaults: &Self,
        rules: &GameRules,
    ) -> Result<Self, GameRequestError> {
        let head = password.split_once(',').map_or(password, |(head, _)| head);
        let (name, color) = GameName::split_color(head);
        if name == defaults.game_name {
            return Ok(Self { color, ..defaults.clone() });
        }
        let Some(form) = GameName::parse(head) else { return Ok(defaults.clone()) };
        if form.name.len() > LONGEST_NAME {
            return Err(GameRequestError::LongName);
        }
        let start = match HANDICAP_PREFIXES.iter().find(|(prefix, _)| form.name.starts_with(prefix))
        {
            Some(_) if form.color.is_none() => return Err(GameRequestError::HandicapWithoutColor),
            Some((_, name)) => {
                Handicap::by_name(name).map_or_else(Position::startpos, Handicap::position)
            }
            None => defaults.start.clone(),
        };
        let start = if is_buoy(form.name) { Position::startpos() } else { start };
        let control = control_of(&form, rules).ok_or(GameRequestError::TimeTooLong)?;
        Ok(Self {
            game_name: form.name.to_owned(),
            color: form.color,
            controls: Controls::both(control),
            start,
        })
    }

    /// The request of a player in extended mode, from its command.
    pub(super) fn from_selection(
        selection: &GameSelection,
        defaults: &Self,
        rules: &GameRules,
    ) -> Result<Self, GameRequestError> {
        let suffix = match selection.color {
            Some(Color::Black) => "-B",
            Some(Color::White) => "-W",
            None => "",
        };
        if selection.game != defaults.game_name
            && (GameName::parse(&selection.game).is_none()
                || GameName::split_color(&selection.game).1.is_some())
        {
            return Err(GameRequestError::BadName);
        }
        Self::parse(&format!("{}{suffix}", selection.game), defaults, rules)
    }

    /// The request of players with a plain password: the clocks `[black, white]` and the start position of the server.
    pub(super) fn default_pool(time: [GameTime; 2], rules: &GameRules, start: Position) -> Self {
        let [black, white] = time;
        // One unit for both sides, so that `T` has the same meaning for both.
        let unit = TimeUnit::coarsest(
            time.iter()
                .flat_map(|time| [time.total, time.byoyomi, time.increment])
                .chain([rules.least_time]),
        );
        let control = |time| TimeControl { unit: unit.duration(), ..control(time, rules) };
        Self {
            game_name: default_name(black),
            color: None,
            controls: Controls { black: control(black), white: control(white) },
            start,
        }
    }

    /// Whether the two players can be paired.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.game_name == other.game_name && (self.color.is_none() || self.color != other.color)
    }
}

/// Whether this is the name of a game that begins with moves set up by a player.
pub(super) fn is_buoy(game_name: &str) -> bool {
    game_name.starts_with("buoy_")
        && GameName::parse(game_name).is_some_and(|it| it.color.is_none())
}

/// The clock of a game name under the server's rules; `None` if its times are too long.
fn control_of(form: &GameName<'_>, rules: &GameRules) -> Option<TimeControl> {
    let time = form.time()?;
    Some(if form.is_stop_watch() {
        stop_watch(time.total, time.byoyomi, rules)
    } else {
        control(time, rules)
    })
}

/// The time control of these settings under the server's rules. Its unit is the coarsest one that divides all
/// times.
fn control(time: GameTime, rules: &GameRules) -> TimeControl {
    let GameTime { total, byoyomi, increment } = time;
    let unit = TimeUnit::coarsest([total, byoyomi, increment, rules.least_time]);
    TimeControl {
        total: Some(total),
        byoyomi,
        increment,
        least: rules.least_time,
        unit: unit.duration(),
        rounding: if rules.round_up { Rounding::Up } else { Rounding::Down },
        ..TimeControl::UNLIMITED
    }
}

/// The stop-watch clock (`-1500-060`): time is charged in whole units of 60 s, always rounded down. Its offer
/// contains `Time_Unit:1min`, but its times and `T` are in seconds, as on the reference server.
fn stop_watch(total: Duration, unit: Duration, rules: &GameRules) -> TimeControl {
    TimeControl { least: rules.least_time, ..TimeControl::stop_watch(total, unit) }
}

/// `default-60-0`, `default-300-10F`; only `default` if whole seconds cannot express the clock.
pub(super) fn default_name(time: GameTime) -> String {
    let GameTime { total, byoyomi, increment } = time;
    let whole = [total, byoyomi, increment].iter().all(|time| time.subsec_nanos() == 0);
    match (byoyomi.is_zero(), increment.is_zero()) {
        (_, true) if whole => format!("default-{}-{}", total.as_secs(), byoyomi.as_secs()),
        (true, false) if whole => format!("default-{}-{}F", total.as_secs(), increment.as_secs()),
        _ => "default".to_owned(),
    }
}

/// Maximum length of a game name, including its clock.
const LONGEST_NAME: usize = 64;

/// Prefixes of game names that mean a handicap on the reference server, and our names of the positions. No
/// prefix begins with another, so their order does not matter.
const HANDICAP_PREFIXES: [(&str, &str); 9] = [
    ("hclance_", "lance"),
    ("hcbishop_", "bishop"),
    ("hcrook_", "rook"),
    ("hcrooklance_", "rook-lance"),
    ("hc2p_", "two-pieces"),
    ("hc4p_", "four-pieces"),
    ("hc6p_", "six-pieces"),
    ("hc8p_", "eight-pieces"),
    ("hc10p_", "ten-pieces"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameSummary, ReadOptions};
    use kyomi_shogi::clock::judge;

    fn defaults() -> GameRequest {
        GameRequest::default_pool(
            [GameTime::sudden_death(secs(60)); 2],
            &GameRules::default(),
            Position::startpos(),
        )
    }

    fn request(password: &str) -> GameRequest {
        GameRequest::parse(password, &defaults(), &GameRules::default()).unwrap()
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn a_plain_password_waits_in_the_default_pool() {
        for password in
            ["secret", "a,b", "x-1", "x-1-", "-1-1", "x-1-1G", "x y-1-1", "x-1-1-", "名-1-1"]
        {
            assert_eq!(request(password), defaults(), "{password}");
        }
        assert_eq!(defaults().game_name, "default-60-0");
        assert_eq!(defaults().controls.black.total, Some(secs(60)));
    }

    #[test]
    fn the_game_name_sets_pool_clock_and_colour() {
        let byoyomi = request("ladder-600-10,tr,ip");
        assert_eq!((byoyomi.game_name.as_str(), byoyomi.color), ("ladder-600-10", None));
        assert_eq!(byoyomi.controls.black, TimeControl::byoyomi(secs(600), secs(10)));
        let fischer = request("floodgate-300-10F-W");
        assert_eq!(
            (fischer.game_name.as_str(), fischer.color),
            ("floodgate-300-10F", Some(Color::White))
        );
        assert_eq!(fischer.controls.white, TimeControl::fischer(secs(300), secs(10)));
        assert_eq!(request("a-b-1-0-B").game_name, "a-b-1-0");
        assert!(request("x-0-0").controls.black.is_unlimited());
    }

    #[test]
    fn players_are_compatible_by_pool_and_colour() {
        let (any, black, white) = (request("x-60-0"), request("x-60-0-B"), request("x-60-0-W"));
        assert!(any.fits(&any) && any.fits(&black) && white.fits(&black));
        assert!(!black.fits(&black) && !any.fits(&request("y-60-0")));
    }

    #[test]
    fn a_leading_zero_is_the_stop_watch() {
        let control = request("x-1500-060").controls.black;
        assert_eq!(control, TimeControl::stop_watch(secs(1500), secs(60)));
        assert_eq!(
            request("x-1500-030-W").controls.white,
            TimeControl::stop_watch(secs(1500), secs(30))
        );
        // The flag falls when the whole units used reach 100 s: at the second minute.
        let control = request("x-100-060").controls.black;
        assert_eq!(judge::flag_after(&control, secs(100)), Some(secs(120)));
        assert!(request("x-60-00").controls.black.is_sudden_death());
    }

    #[test]
    fn a_clock_round_trips_through_its_offer() {
        for password in ["x-1500-060", "x-1500-030", "x-100-060-B", "x-60-00", "x-600-10", "x-9-1F"]
        {
            let GameRequest { game_name, controls, start, .. } = request(password);
            let id = format!("event+{game_name}+a+b+20260101000000");
            let offer = GameSummary { times: controls, start, ..GameSummary::new(&id, "a", "b") };
            let lines = offer.to_lines();
            if password.contains("-0") && !password.ends_with("00") {
                assert!(lines.contains(&"Time_Unit:1min".to_owned()), "{password}");
            }
            let lines = lines.iter().map(String::as_str);
            let read = GameSummary::parse(lines, ReadOptions::default()).unwrap();
            assert_eq!(read.times, controls, "{password}");
        }
    }

    #[test]
    fn the_unit_divides_the_least_time_too() {
        let rules = GameRules { least_time: Duration::from_millis(250), ..GameRules::default() };
        let control = GameRequest::parse("x-60-0", &defaults(), &rules).unwrap().controls.black;
        assert_eq!(control.unit, Duration::from_millis(10));
    }

    #[test]
    fn handicaps_need_a_colour() {
        let rules = GameRules::default();
        let parse = |password: &str| GameRequest::parse(password, &defaults(), &rules);
        assert_eq!(parse("hc2p_x-60-0"), Err(GameRequestError::HandicapWithoutColor));
        let start = parse("hc2p_x-60-0-B").unwrap().start;
        assert_eq!(start.side_to_move(), Color::White);
        assert_ne!(
            parse("hcrooklance_x-60-0-B").unwrap().start,
            parse("hclance_x-60-0-B").unwrap().start
        );
    }

    #[test]
    fn impossible_requests_are_refused() {
        let rules = GameRules::default();
        for password in ["x-99999999999999999999-0", "x-864001-0", "x-60-864001F"] {
            assert_eq!(
                GameRequest::parse(password, &defaults(), &rules),
                Err(GameRequestError::TimeTooLong)
            );
        }
        let long = format!("{}-60-0", "x".repeat(80));
        assert_eq!(GameRequest::parse(&long, &defaults(), &rules), Err(GameRequestError::LongName));
    }
}
