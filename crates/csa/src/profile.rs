//! The differences between servers, as data.

use std::fmt;
use std::time::Duration;

use kyomi_shogi::clock::TimeControl;

use super::game_name::GameName;

/// The kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Unknown: use only what every server accepts.
    #[default]
    Auto,
    /// An instance of shogi-server, the reference server.
    Reference,
    /// shogi-server in floodgate mode.
    Floodgate,
    /// The server of the World Computer Shogi Championship.
    Wcsc,
    /// The fork of shogi-server that runs the Denryu-sen tournaments.
    Denryu,
    /// The rshogi servers.
    Rshogi,
    /// Our own server.
    Kyomi,
}

/// What to do with the connection after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AfterGame {
    /// Keep the connection, on which the next offer may arrive; `LOGOUT` ends it.
    Stay,
    /// The server does not reuse the connection: send `LOGOUT`, wait briefly, close.
    Logout,
    /// The server does not reuse the connection and does not answer `LOGOUT`: close.
    Close,
}

/// The unit of the time after `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpentUnit {
    /// Seconds, regardless of the offer's `Time_Unit`.
    Second,
    /// The offer's `Time_Unit`.
    TimeUnit,
}

impl SpentUnit {
    /// The length of the unit for a side with this clock. The times of a stop-watch clock are in seconds, regardless of
    /// what it rounds to.
    pub fn length(self, control: &TimeControl) -> Duration {
        match self {
            Self::TimeUnit if !control.stop_watch => control.unit,
            Self::TimeUnit | Self::Second => Duration::from_secs(1),
        }
    }
}

/// How to treat the times of the moves that an offer already contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetUpTimes {
    /// The server writes arbitrary times with the moves of an opening and starts with full clocks. Only a long time
    /// has a meaning, as a handicap.
    NotCounted,
    /// The moves were played, and the server has charged their times.
    Counted,
    /// Counted if they look like the times of a game that was played, otherwise not.
    Unknown,
}

/// The meaning of an error soon after the login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EarlyError {
    /// It does not affect the games to come.
    Nothing,
    /// The login did not join the queue, as it should have: no game will be offered.
    NoGame,
}

/// What becomes of a game when a player's connection is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LostConnection {
    /// The player loses it.
    Loses,
    /// The server may let the player continue it.
    MayResume,
}

/// Whether the players can suspend a game by `%CHUDAN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suspension {
    /// The line is not known, or loses the game.
    Never,
    /// The line is a proposal. The game is suspended when both players have sent it.
    ByAgreement,
}

/// How a kind of server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// What to do with the connection after a game in plain mode.
    pub after_game: AfterGame,
    /// The unit of the time after `T`.
    pub spent_unit: SpentUnit,
    /// How to treat the times of the moves that an offer already contains.
    pub set_up_times: SetUpTimes,
    /// The server accepts evaluation comments on moves.
    pub comments: bool,
    /// The server always answers an empty line with an empty line, so silence means that the connection is dead.
    pub answers_keep_alive: bool,
    /// The meaning of an error soon after a login in plain mode.
    pub early_error: EarlyError,
    /// `Time_Unit:1min` means a stop-watch clock whose total time is in seconds.
    pub minute_is_stop_watch: bool,
    /// What becomes of a game when a player's connection is lost.
    pub lost_connection: LostConnection,
    /// Whether the players can suspend a game.
    pub suspension: Suspension,
}

impl Profile {
    /// All profiles, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Reference,
        Self::Floodgate,
        Self::Wcsc,
        Self::Denryu,
        Self::Rshogi,
        Self::Kyomi,
    ];

    /// Guesses the profile from the host and the game name; [`Profile::Auto`] when neither is known.
    pub fn detect(host: &str, game_or_password: &str) -> Self {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let within = |domain: &str| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if within("wdoor.c.u-tokyo.ac.jp") || game_or_password.starts_with("floodgate-") {
            Self::Floodgate
        } else if within("gserver.computer-shogi.org") {
            Self::Wcsc
        } else if host.contains("denryu") {
            Self::Denryu
        } else {
            Self::Auto
        }
    }

    /// The reason for the result of [`Profile::detect`], as a text for users.
    pub fn reason_of_detection(host: &str, game_or_password: &str) -> &'static str {
        match Self::detect(host, game_or_password) {
            Self::Auto => {
                "neither the host nor the game name is known; only what every server accepts is used"
            }
            profile if Self::detect(host, "") == profile => "guessed from the host",
            _ => "guessed from the game name",
        }
    }

    /// Returns this profile, or the result of [`Profile::detect`] if this is [`Profile::Auto`].
    #[must_use]
    pub fn resolve(self, host: &str, game_or_password: &str) -> Self {
        if self == Self::Auto { Self::detect(host, game_or_password) } else { self }
    }

    /// How such a server behaves.
    pub fn behaviour(self) -> Behaviour {
        let common = Behaviour {
            after_game: AfterGame::Logout,
            spent_unit: SpentUnit::Second,
            set_up_times: SetUpTimes::Unknown,
            comments: false,
            answers_keep_alive: false,
            early_error: EarlyError::Nothing,
            minute_is_stop_watch: false,
            lost_connection: LostConnection::MayResume,
            suspension: Suspension::Never,
        };
        let shogi_server = Behaviour {
            after_game: AfterGame::Close,
            answers_keep_alive: true,
            set_up_times: SetUpTimes::NotCounted,
            early_error: EarlyError::NoGame,
            minute_is_stop_watch: true,
            lost_connection: LostConnection::Loses,
            ..common
        };
        match self {
            Self::Auto => common,
            Self::Reference => shogi_server,
            Self::Floodgate => Behaviour { comments: true, ..shogi_server },
            Self::Wcsc => Behaviour {
                after_game: AfterGame::Stay,
                set_up_times: SetUpTimes::Counted,
                comments: true,
                ..common
            },
            Self::Denryu => {
                Behaviour { after_game: AfterGame::Stay, comments: true, ..shogi_server }
            }
            Self::Rshogi => {
                Behaviour { set_up_times: SetUpTimes::Counted, comments: true, ..common }
            }
            Self::Kyomi => Behaviour {
                after_game: AfterGame::Stay,
                spent_unit: SpentUnit::TimeUnit,
                set_up_times: SetUpTimes::Counted,
                comments: true,
                answers_keep_alive: true,
                suspension: Suspension::ByAgreement,
                ..common
            },
        }
    }

    /// Whether such a server plays a practice game when it is asked (`CHALLENGE`).
    pub fn has_practice_opponent(self) -> bool {
        self == Self::Wcsc
    }

    /// The time between two pairings, counted from the full hour, of servers that pair the waiting players at fixed
    /// times.
    pub fn pairs_every(self) -> Option<Duration> {
        (self == Self::Floodgate).then_some(Duration::from_secs(30 * 60))
    }

    /// A warning about behaviour of the server that its offers do not state, unless the settings state it. `handicap`
    /// is [`SessionSettings::handicap`](super::SessionSettings::handicap).
    pub fn limitation(self, handicap: [Duration; 2]) -> Option<&'static str> {
        let is_given = handicap != [Duration::ZERO; 2];
        (self == Self::Denryu && !is_given).then_some(
            "profile denryu: if the organisers shorten a clock, set server.handicap_black or server.handicap_white; \
             the offer does not say it",
        )
    }

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Reference => "reference",
            Self::Floodgate => "floodgate",
            Self::Wcsc => "wcsc",
            Self::Denryu => "denryu",
            Self::Rshogi => "rshogi",
            Self::Kyomi => "kyomi",
        }
    }
}

/// Why floodgate would accept a login but never pair the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginWarning {
    /// No game name.
    #[error(
        "the password names no game: floodgate would never pair this player; \
         write floodgate-300-10F,<trip> or set `game`"
    )]
    NoGame,
    /// A game name but no trip.
    #[error(
        "the password has no trip: floodgate pairs no unrated player; \
         write a word of your own behind the game name and a comma"
    )]
    NoTrip,
    /// The game name requests a colour.
    #[error("the game name asks for a colour; floodgate takes no such wish")]
    ColorRequested,
}

/// Checks the password, as it will be sent, for a floodgate server. Returns `None` for other servers and when
/// nothing is wrong. In extended mode the password is only the trip.
pub fn login_warning(profile: Profile, extended: bool, password: &str) -> Option<LoginWarning> {
    if profile != Profile::Floodgate || extended {
        return None;
    }
    let (game, trip) = password.split_once(',').unwrap_or((password, ""));
    let Some(name) = GameName::parse(game) else { return Some(LoginWarning::NoGame) };
    if trip.trim().is_empty() {
        return Some(LoginWarning::NoTrip);
    }
    name.color.is_some().then_some(LoginWarning::ColorRequested)
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_servers_are_detected_from_host_and_game() {
        for (host, game, profile) in [
            ("wdoor.c.u-tokyo.ac.jp", "", Profile::Floodgate),
            ("WDOOR.c.u-tokyo.ac.jp.", "", Profile::Floodgate),
            ("127.0.0.1", "floodgate-300-10F,trip", Profile::Floodgate),
            ("gserver.computer-shogi.org", "secret", Profile::Wcsc),
            ("denryusen.example.org", "", Profile::Denryu),
            ("evilwdoor.c.u-tokyo.ac.jp", "", Profile::Auto),
            ("127.0.0.1", "test-600-10,x", Profile::Auto),
            ("", "", Profile::Auto),
        ] {
            assert_eq!(Profile::detect(host, game), profile, "{host} {game}");
            assert_eq!(Profile::Auto.resolve(host, game), profile);
            assert_eq!(Profile::Kyomi.resolve(host, game), Profile::Kyomi);
        }
    }

    #[test]
    fn a_floodgate_login_that_is_never_paired_is_warned_about() {
        let warning = |password| login_warning(Profile::Floodgate, false, password);
        for good in ["floodgate-300-10F,trip", "floodgate-600-10,a,b", "x-y-900-0,t"] {
            assert_eq!(warning(good), None, "{good}");
        }
        for bad in ["secret", "", "trip,floodgate-300-10F", "floodgate-300,t", "-300-10F,t"] {
            assert_eq!(warning(bad), Some(LoginWarning::NoGame), "{bad}");
        }
        for bad in ["floodgate-300-10F", "floodgate-300-10F,", "floodgate-300-10F, "] {
            assert_eq!(warning(bad), Some(LoginWarning::NoTrip), "{bad}");
        }
        assert_eq!(warning("floodgate-300-10F-B,t"), Some(LoginWarning::ColorRequested));
        assert_eq!(login_warning(Profile::Wcsc, false, "secret"), None);
        assert_eq!(login_warning(Profile::Floodgate, true, "trip"), None);
    }

    #[test]
    fn the_times_of_a_stop_watch_are_in_seconds() {
        let minute = Duration::from_secs(60);
        let plain = TimeControl { unit: minute, ..TimeControl::sudden_death(minute) };
        let watch = TimeControl::stop_watch(minute, minute);
        assert_eq!(SpentUnit::TimeUnit.length(&plain), minute);
        for length in [SpentUnit::TimeUnit.length(&watch), SpentUnit::Second.length(&plain)] {
            assert_eq!(length, Duration::from_secs(1));
        }
    }

    #[test]
    fn only_the_reference_server_and_its_forks_queue_at_the_login() {
        for profile in [Profile::Reference, Profile::Floodgate, Profile::Denryu] {
            assert_eq!(profile.behaviour().early_error, EarlyError::NoGame, "{profile}");
        }
        for profile in [Profile::Auto, Profile::Wcsc, Profile::Rshogi, Profile::Kyomi] {
            assert_eq!(profile.behaviour().early_error, EarlyError::Nothing, "{profile}");
        }
    }

    #[test]
    fn units_and_comments_depend_on_the_server() {
        assert!(
            !Profile::Auto.behaviour().comments,
            "a strict server takes them for illegal moves"
        );
        assert!(!Profile::Reference.behaviour().comments);
        assert!(Profile::Floodgate.behaviour().comments);
        for profile in [Profile::Auto, Profile::Reference, Profile::Floodgate, Profile::Wcsc] {
            assert_eq!(profile.behaviour().spent_unit, SpentUnit::Second);
            assert_eq!(profile.limitation([Duration::ZERO; 2]), None);
        }
        assert_eq!(Profile::Kyomi.behaviour().spent_unit, SpentUnit::TimeUnit);
        assert!(Profile::Denryu.limitation([Duration::ZERO; 2]).is_some());
        assert!(Profile::Denryu.limitation([Duration::from_secs(60), Duration::ZERO]).is_none());
    }
}
