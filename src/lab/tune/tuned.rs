//! The numbers to be tuned: what the user wishes, and what the table of the search makes of it.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::search::{PARAMETERS, ParameterKind, Parameters};

/// A number that is tuned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// The option of the engine.
    pub name: String,
    /// Where it begins.
    pub start: f64,
    /// The least value it is given.
    pub min: i32,
    /// The largest.
    pub max: i32,
    /// By how much it is moved up and down at the end of the run.
    pub c_end: f64,
    /// How much is learnt at the end of the run: the ratio of `a` to the square of `c`.
    pub r_end: f64,
}

impl Tuned {
    /// The nearest value within the range.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(f64::from(self.min), f64::from(self.max))
    }
}

/// A parameter to be tuned, with the user's settings for it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// The option of the engine.
    #[serde(skip)]
    pub name: String,
    /// Where it begins; else where the player has it.
    pub start: Option<f64>,
    /// The least value; else a value's length below the start, or the least of the table.
    pub min: Option<i32>,
    /// The largest value, likewise.
    pub max: Option<i32>,
    /// By how much it is moved at the end; else a twentieth of the range.
    pub c_end: Option<f64>,
    /// How much is learnt at the end; else 0.002.
    pub r_end: Option<f64>,
}

/// Why a parameter cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TunedError {
    /// The file cannot be read.
    #[error("reading {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The file is not a list of parameters.
    #[error("{path}: {reason}")]
    Table {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// A word of the text.
    #[error(
        "'{0}' is none of start=, min=, max=, c_end=, r_end= with a number; write NAME,min=1,max=9"
    )]
    Word(String),
    /// The option does not exist.
    #[error("no option '{0}'; `kyomi usi` lists them in answer to `usi`")]
    Unknown(String),
    /// It is not a number.
    #[error("{0} is a switch; only whole numbers can be tuned")]
    Switch(String),
    /// It is given twice.
    #[error("{0} is named twice")]
    Twice(String),
    /// No number at all.
    #[error("nothing to tune: name numbers with --tune NAME or --file FILE")]
    Nothing,
    /// For a player whose options are not known everything must be given.
    #[error("{0}: the options of this player are not known; say start=, min= and max=")]
    Unsaid(String),
    /// The range is none, or beyond what the option takes.
    #[error("{name}: {min} to {max} is no range of it; it takes {least} to {most}")]
    Range {
        /// The option.
        name: String,
        /// What was given.
        min: i32,
        /// What was given.
        max: i32,
        /// What it takes.
        least: i32,
        /// What it takes.
        most: i32,
    },
    /// It begins outside its range.
    #[error("{name}: it begins at {start}, outside {min} to {max}")]
    Start {
        /// The option.
        name: String,
        /// Where.
        start: f64,
        /// The range.
        min: i32,
        /// The range.
        max: i32,
    },
    /// A step that is none.
    #[error("{name}: {key}={value} must be above 0, and c_end no more than the range")]
    Step {
        /// The option.
        name: String,
        /// Which.
        key: &'static str,
        /// What was given.
        value: f64,
    },
}

impl Wish {
    /// Reads `NAME[,start=N][,min=N][,max=N][,c_end=N][,r_end=N]`.
    ///
    /// # Errors
    /// The first word that is none of these.
    pub fn parse(text: &str) -> Result<Self, TunedError> {
        let mut words = text.split(',').map(str::trim);
        let mut wish =
            Self { name: words.next().unwrap_or_default().to_owned(), ..Self::default() };
        for word in words {
            let wrong = || TunedError::Word(word.chars().take(40).collect());
            let (key, value) = word.split_once('=').ok_or_else(wrong)?;
            let real = || value.parse().ok().filter(|value: &f64| value.is_finite());
            let whole = || value.parse::<i32>().ok();
            match key {
                "start" => wish.start = Some(real().ok_or_else(wrong)?),
                "min" => wish.min = Some(whole().ok_or_else(wrong)?),
                "max" => wish.max = Some(whole().ok_or_else(wrong)?),
                "c_end" => wish.c_end = Some(real().ok_or_else(wrong)?),
                "r_end" => wish.r_end = Some(real().ok_or_else(wrong)?),
                _ => return Err(wrong()),
            }
        }
        Ok(wish)
    }

    /// The parameter for these settings. `known` are the parameters of a built-in player, of which the table tells names and
    /// ranges.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn resolve(&self, known: Option<&Parameters>) -> Result<Tuned, TunedError> {
        let (name, start, [least, most]) = match known {
            Some(parameters) => in_table(&self.name, parameters)?,
            None => (self.name.as_str(), None, [i32::MIN, i32::MAX]),
        };
        let name = name.to_owned();
        let start = self.start.or(start).ok_or_else(|| TunedError::Unsaid(name.clone()))?;
        // As far as the value itself goes, and a little where that is next to nothing.
        let width = start.abs().max((f64::from(most) - f64::from(least)) / 20.0);
        let (low, high) = ((start - width).max(f64::from(least)), start + width);
        let said = |said: Option<i32>, value: f64| match (said, known) {
            (Some(said), _) => Ok(said),
            (None, Some(_)) => Ok(value.round() as i32),
            (None, None) => Err(TunedError::Unsaid(name.clone())),
        };
        let min = said(self.min, low)?;
        let max = said(self.max, high.min(f64::from(most)))?;
        if min >= max || min < least || max > most {
            return Err(TunedError::Range { name, min, max, least, most });
        }
        if !(f64::from(min)..=f64::from(max)).contains(&start) {
            return Err(TunedError::Start { name, start, min, max });
        }
        let range = f64::from(max) - f64::from(min);
        let c_end = self.c_end.unwrap_or_else(|| (range / 20.0).max(0.5));
        let r_end = self.r_end.unwrap_or(R_END);
        let step = |key, value| TunedError::Step { name: name.clone(), key, value };
        if c_end.is_nan() || c_end <= 0.0 || c_end > range {
            return Err(step("c_end", c_end));
        }
        if !r_end.is_finite() || r_end <= 0.0 {
            return Err(step("r_end", r_end));
        }
        Ok(Tuned { name, start, min, max, c_end, r_end })
    }

    /// All of them.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn resolve_all(
        wishes: &[Self],
        known: Option<&Parameters>,
    ) -> Result<Vec<Tuned>, TunedError> {
        let mut all: Vec<Tuned> = Vec::new();
        for wish in wishes {
            let tuned = wish.resolve(known)?;
            if all.iter().any(|other| other.name == tuned.name) {
                return Err(TunedError::Twice(tuned.name));
            }
            all.push(tuned);
        }
        if all.is_empty() { Err(TunedError::Nothing) } else { Ok(all) }
    }
}

/// Reads a file with a table for each number: `[Interest_CostK]`, then `min = 6000` and the like.
///
/// # Errors
/// What is wrong with the file.
pub fn read_wishes(path: &Path) -> Result<Vec<Wish>, TunedError> {
    let name = || path.display().to_string();
    let text =
        fs::read_to_string(path).map_err(|source| TunedError::Read { path: name(), source })?;
    let tables: BTreeMap<String, Wish> = toml::from_str(&text)
        .map_err(|error| TunedError::Table { path: name(), reason: error.to_string() })?;
    Ok(tables.into_iter().map(|(name, wish)| Wish { name, ..wish }).collect())
}

/// The name as the table spells it, the value now, and the range.
fn in_table(
    name: &str,
    parameters: &Parameters,
) -> Result<(&'static str, Option<f64>, [i32; 2]), TunedError> {
    let found = PARAMETERS.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name));
    let parameter = found.ok_or_else(|| TunedError::Unknown(name.chars().take(40).collect()))?;
    let ParameterKind::Spin(least, most) = parameter.kind else {
        return Err(TunedError::Switch(parameter.name.to_owned()));
    };
    Ok((parameter.name, parameter.value(parameters).parse().ok(), [least, most]))
}

/// What large testing sites use.
const R_END: f64 = 0.002;

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> Result<Tuned, TunedError> {
        Wish::parse(text)?.resolve(Some(&Parameters::untuned()))
    }

    #[test]
    fn what_is_not_said_follows_from_the_table() {
        let tuned = resolve("interest_costk").unwrap();
        assert_eq!((tuned.name.as_str(), tuned.start), ("Interest_CostK", 9000.0));
        assert_eq!((tuned.min, tuned.max, tuned.c_end, tuned.r_end), (1000, 18_000, 850.0, 0.002));
        // Of a value of nothing a little of the table's range is tried.
        let target = resolve("Interest_Target").unwrap();
        assert_eq!((target.min, target.max, target.c_end), (0, 50, 2.5));
        let said = resolve("Interest_CostMin,start=40,min=30,max=60,c_end=4,r_end=0.01").unwrap();
        assert_eq!((said.start, said.min, said.max), (40.0, 30, 60));
        assert_eq!((said.c_end, said.r_end), (4.0, 0.01));
        // Steps of less than half would often change nothing.
        let narrow = resolve("Interest_CostMin,min=48,max=52").unwrap();
        assert!((narrow.c_end - 0.5).abs() < 1e-9);
    }

    #[test]
    fn faults_are_one_clear_line() {
        for (text, part) in [
            ("Interest_Nothing", "no option 'Interest_Nothing'"),
            ("Interest_Cut", "Interest_Cut is a switch"),
            ("Interest_CostK,max=99999", "it takes 1000 to 30000"),
            ("Interest_CostK,min=9000,max=9000", "no range"),
            ("Interest_CostK,min=9500", "begins at 9000, outside 9500 to 18000"),
            ("Interest_CostK,c_end=0", "c_end=0 must be above 0"),
            ("Interest_CostK,r_end=-1", "r_end=-1 must be above 0"),
            ("Interest_CostK,step=3", "'step=3' is none of start="),
            ("Interest_CostK,min=low", "'min=low'"),
            ("Interest_CostK,start=NaN", "'start=NaN'"),
        ] {
            let error = resolve(text).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains('\n'), "{text}: {error}");
        }
        let twice = ["Interest_CostK", "interest_costk,min=5000"].map(|t| Wish::parse(t).unwrap());
        let error = Wish::resolve_all(&twice, Some(&Parameters::untuned())).unwrap_err();
        assert_eq!(error.to_string(), "Interest_CostK is named twice");
        assert!(Wish::resolve_all(&[], None).unwrap_err().to_string().contains("nothing to tune"));
        let foreign = Wish::parse("Contempt,start=5,min=0").unwrap().resolve(None).unwrap_err();
        assert!(foreign.to_string().contains("say start=, min= and max="), "{foreign}");
        assert!(Wish::parse("X,start=5,min=0,max=9").unwrap().resolve(None).is_ok());
    }
}
