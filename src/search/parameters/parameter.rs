//! Parameters: their names, values and descriptions, and the presets.

use thiserror::Error;

use super::Parameters;

/// A whole set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The search for play: interest search with all rules that won games in tests.
    Tournament,
    /// *Interest Search* by the letter of the paper.
    Paper,
    /// Plain full-width search to a fixed depth: the baseline of the papers.
    Full,
    /// A modern full-width search: null move, late-move reductions, futility.
    Lmr,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 4] = [Self::Tournament, Self::Paper, Self::Full, Self::Lmr];

    /// Its name as an option's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tournament => "tournament",
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

/// One parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its USI name.
    pub name: &'static str,
    /// Its values.
    pub kind: ParameterKind,
    /// Its description, with unit and section of docs/search.md.
    pub doc: &'static str,
    pub(in crate::search) read: fn(&Parameters) -> i32,
    pub(in crate::search) write: fn(&mut Parameters, i32),
}

impl Parameter {
    /// Its value as USI text.
    pub fn value(&self, parameters: &Parameters) -> String {
        let value = (self.read)(parameters);
        match self.kind {
            ParameterKind::Check => (value != 0).to_string(),
            ParameterKind::Spin(..) => value.to_string(),
            ParameterKind::Combo(words) => {
                usize::try_from(value).ok().and_then(|at| words.get(at)).unwrap_or(&"").to_string()
            }
        }
    }

    /// The `option` line with the value as default.
    pub fn usi_line(&self, parameters: &Parameters) -> String {
        let (name, value) = (self.name, self.value(parameters));
        match self.kind {
            ParameterKind::Check => format!("option name {name} type check default {value}"),
            ParameterKind::Spin(least, most) => {
                format!("option name {name} type spin default {value} min {least} max {most}")
            }
            ParameterKind::Combo(words) => {
                format!("option name {name} type combo default {value} var {}", words.join(" var "))
            }
        }
    }

    pub(super) fn parse(&self, value: &str) -> Result<i32, ParameterError> {
        let found = match self.kind {
            ParameterKind::Check => match value.to_ascii_lowercase().as_str() {
                "true" | "on" | "1" => Some(1),
                "false" | "off" | "0" => Some(0),
                _ => None,
            },
            ParameterKind::Spin(least, most) => {
                value.parse().ok().filter(|value| (least..=most).contains(value))
            }
            ParameterKind::Combo(words) => {
                words.iter().position(|word| word.eq_ignore_ascii_case(value)).map(|at| at as i32)
            }
        };
        found.ok_or_else(|| ParameterError::Value {
            name: self.name,
            found: value.chars().filter(|c| !c.is_control()).take(40).collect(),
            expected: self.expected(),
        })
    }

    fn expected(&self) -> String {
        match self.kind {
            ParameterKind::Check => "true or false".to_owned(),
            ParameterKind::Spin(least, most) => format!("a whole number from {least} to {most}"),
            ParameterKind::Combo(words) => words.join(" or "),
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
