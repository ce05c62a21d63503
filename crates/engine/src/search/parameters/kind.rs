//! The values of a parameter and their form as text, and the presets: named values of all parameters.

use thiserror::Error;

/// Former words of values, which are still accepted, and the words that replace them.
const OLD_WORDS: [(&str, &str); 1] = [("letter", "paper")];

/// The values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// 0 or 1, `false` or `true` in USI.
    Check,
    /// A whole number from the first to the second.
    Spin(i32, i32),
    /// One of these words; the value is its index.
    Combo(&'static [&'static str]),
}

impl ParameterKind {
    /// A value as USI writes it.
    pub(super) fn text(self, value: i32) -> String {
        match self {
            Self::Check => (value != 0).to_string(),
            Self::Spin(..) => value.to_string(),
            Self::Combo(words) => {
                usize::try_from(value).ok().and_then(|at| words.get(at)).unwrap_or(&"").to_string()
            }
        }
    }

    /// The rest of an `option` line after the name, with the default as it is written.
    pub(super) fn usi_type(self, default: &str) -> String {
        match self {
            Self::Check => format!("type check default {default}"),
            Self::Spin(least, most) => {
                format!("type spin default {default} min {least} max {most}")
            }
            Self::Combo(words) => {
                format!("type combo default {default} var {}", words.join(" var "))
            }
        }
    }

    /// The value that a text means.
    pub(super) fn parse(self, text: &str) -> Option<i32> {
        match self {
            Self::Check => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "1" => Some(1),
                "false" | "off" | "0" => Some(0),
                _ => None,
            },
            Self::Spin(least, most) => {
                text.parse().ok().filter(|value| (least..=most).contains(value))
            }
            Self::Combo(words) => {
                let at = |text: &str| words.iter().position(|word| word.eq_ignore_ascii_case(text));
                let old = OLD_WORDS.iter().find(|(old, _)| old.eq_ignore_ascii_case(text));
                at(text).or_else(|| at(old?.1)).map(|at| at as i32)
            }
        }
    }

    /// What `parse` expects.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Check => "true or false".to_owned(),
            Self::Spin(least, most) => format!("a whole number from {least} to {most}"),
            Self::Combo(words) => words.join(" or "),
        }
    }
}

/// Why a parameter was not set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParameterError {
    /// No parameter has this name.
    #[error("no option '{0}'")]
    Unknown(String),
    /// The parameter does not accept this value.
    #[error("{name}: '{found}' is not a valid value; expected {expected}")]
    Value {
        /// The parameter.
        name: &'static str,
        /// The value given.
        found: String,
        /// The values it accepts.
        expected: String,
    },
}

/// A whole set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The search for play: a search by plies with interest as the prior of the order and of the reductions.
    Tournament,
    /// Interest search with budgets of both sides, and all rules that won games in tests.
    Interest,
    /// *Interest Search* exactly as in the paper.
    Paper,
    /// Plain full-width search to a fixed depth: the baseline of the papers.
    Full,
    /// The search by plies that most strong programs share: the baseline of today.
    Lmr,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 5] =
        [Self::Tournament, Self::Interest, Self::Paper, Self::Full, Self::Lmr];

    /// Its name as an option's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tournament => "tournament",
            Self::Interest => "interest",
            Self::Paper => "paper",
            Self::Full => "full",
            Self::Lmr => "lmr",
        }
    }

    /// The preset of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name().eq_ignore_ascii_case(name))
    }
}
