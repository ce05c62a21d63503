//! The parameters to tune: the user's specifications, completed from the table of search parameters.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use kyomi_engine::search::{PARAMETERS, ParameterKind, Parameters};
use kyomi_record::read_bounded;
use kyomi_shogi::text::settings;

/// A parameter that is tuned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// The option of the engine.
    pub name: String,
    /// The initial value.
    pub start: f64,
    /// The least value.
    pub min: i32,
    /// The largest value.
    pub max: i32,
    /// The distance by which it is moved up and down at the end of the run.
    pub c_end: f64,
    /// The learning rate at the end of the run: the ratio of `a` to the square of `c`, see [`Gains`](super::Gains).
    pub r_end: f64,
}

impl Tuned {
    /// Checks that the numbers fit together: the start is within a range, and the steps are.
    ///
    /// # Errors
    /// The first number that does not fit.
    pub(super) fn check(&self) -> Result<(), TunedError> {
        let Self { name, start, min, max, c_end, r_end } = self;
        let (name, start, min, max) = (name.clone(), *start, *min, *max);
        let length = name.chars().count();
        if length == 0 || length > LONGEST_NAME {
            return Err(TunedError::Name(length));
        }
        if min >= max {
            return Err(TunedError::Range { name, min, max, least: i32::MIN, most: i32::MAX });
        }
        if !(f64::from(min)..=f64::from(max)).contains(&start) {
            return Err(TunedError::Start { name, start, min, max });
        }
        let range = f64::from(max) - f64::from(min);
        if c_end.is_nan() || *c_end <= 0.0 || *c_end > range {
            return Err(TunedError::Step { name, key: "c_end", value: *c_end });
        }
        if !r_end.is_finite() || *r_end <= 0.0 {
            return Err(TunedError::Step { name, key: "r_end", value: *r_end });
        }
        Ok(())
    }

    /// The nearest value within the range.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(f64::from(self.min), f64::from(self.max))
    }
}

/// The largest number of characters of the name of an option.
const LONGEST_NAME: usize = 100;

/// The user's specification of a parameter to tune. A missing number follows from the table of search parameters.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneSpec {
    /// The option of the engine.
    #[serde(skip)]
    pub name: String,
    /// The initial value; by default the player's present value.
    pub start: Option<f64>,
    /// The least value; by default the start minus the larger of its absolute value and a twentieth of the option's
    /// range, but no less than the option allows.
    pub min: Option<i32>,
    /// The largest value; by default as far above the start, but no more than the option allows.
    pub max: Option<i32>,
    /// The step at the end of the run; by default a twentieth of the range, but at least 0.5.
    pub c_end: Option<f64>,
    /// The learning rate at the end of the run; by default 0.002.
    pub r_end: Option<f64>,
}

/// The reason a parameter cannot be tuned.
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
    /// A part of the text is not valid.
    #[error(
        "'{0}' is none of start=, min=, max=, c_end=, r_end= with a number; write NAME,min=1,max=9"
    )]
    Word(String),
    /// The option does not exist.
    #[error("no option '{0}'; `kyomi usi` lists them in answer to `usi`")]
    Unknown(String),
    /// The option is not a number.
    #[error("{0} is a switch; only whole numbers can be tuned")]
    Switch(String),
    /// The parameter is given twice.
    #[error("{0} is named twice")]
    Twice(String),
    /// The name of an option is too short or too long.
    #[error("a name of {0} characters; expected 1 to {LONGEST_NAME}")]
    Name(usize),
    /// The number of pairs of games in an iteration is out of range.
    #[error("{0} pairs of games in each iteration; expected 1 to {MOST_PAIRS}")]
    Pairs(usize),
    /// No parameter is given.
    #[error("nothing to tune: name parameters with --tune NAME or --file FILE")]
    Nothing,
    /// A number is missing for a player whose options are not known.
    #[error("{0}: the options of this player are not known; give start=, min= and max=")]
    Missing(String),
    /// The range is empty, or exceeds the range of the option.
    #[error("{name}: {min} to {max} is not a valid range; the option allows {least} to {most}")]
    Range {
        /// The option.
        name: String,
        /// The given least value.
        min: i32,
        /// The given largest value.
        max: i32,
        /// The option's least value.
        least: i32,
        /// The option's largest value.
        most: i32,
    },
    /// The initial value is outside the range.
    #[error("{name}: the start {start} is outside {min} to {max}")]
    Start {
        /// The option.
        name: String,
        /// The initial value.
        start: f64,
        /// The least value.
        min: i32,
        /// The largest value.
        max: i32,
    },
    /// A step or a rate is out of range.
    #[error("{name}: {key}={value} must be above 0, and c_end no more than the range")]
    Step {
        /// The option.
        name: String,
        /// `c_end` or `r_end`.
        key: &'static str,
        /// The given value.
        value: f64,
    },
}

impl TuneSpec {
    /// Reads `NAME[,start=N][,min=N][,max=N][,c_end=N][,r_end=N]`.
    ///
    /// # Errors
    /// A part of the text is not valid.
    pub fn parse(text: &str) -> Result<Self, TunedError> {
        let mut words = settings(text);
        let name = words.next().map_or("", |word| word.text);
        let mut spec = Self { name: name.to_owned(), ..Self::default() };
        for word in words {
            let wrong = || TunedError::Word(word.text.chars().take(40).collect());
            let value = word.value.ok_or_else(wrong)?;
            let real = || value.parse().ok().filter(|value: &f64| value.is_finite());
            let whole = || value.parse::<i32>().ok();
            match word.key {
                "start" => spec.start = Some(real().ok_or_else(wrong)?),
                "min" => spec.min = Some(whole().ok_or_else(wrong)?),
                "max" => spec.max = Some(whole().ok_or_else(wrong)?),
                "c_end" => spec.c_end = Some(real().ok_or_else(wrong)?),
                "r_end" => spec.r_end = Some(real().ok_or_else(wrong)?),
                _ => return Err(wrong()),
            }
        }
        Ok(spec)
    }

    /// Completes the specification. `parameters` are those of a built-in player, whose names and ranges are in the
    /// table of search parameters; `None` for another player.
    ///
    /// # Errors
    /// The parameter cannot be tuned, or a number is missing or not valid.
    pub fn resolve(&self, parameters: Option<&Parameters>) -> Result<Tuned, TunedError> {
        let (name, start, [least, most]) = match parameters {
            Some(parameters) => in_table(&self.name, parameters)?,
            None => (self.name.as_str(), None, [i32::MIN, i32::MAX]),
        };
        let name = name.to_owned();
        let start = self.start.or(start).ok_or_else(|| TunedError::Missing(name.clone()))?;
        // The absolute value of the start, but at least a twentieth of the range for starts near 0.
        let width = start.abs().max((f64::from(most) - f64::from(least)) / 20.0);
        let (low, high) = ((start - width).max(f64::from(least)), start + width);
        let given_or = |given: Option<i32>, default: f64| match (given, parameters) {
            (Some(given), _) => Ok(given),
            (None, Some(_)) => Ok(default.round() as i32),
            (None, None) => Err(TunedError::Missing(name.clone())),
        };
        let min = given_or(self.min, low)?;
        let max = given_or(self.max, high.min(f64::from(most)))?;
        if min >= max || min < least || max > most {
            return Err(TunedError::Range { name, min, max, least, most });
        }
        let range = f64::from(max) - f64::from(min);
        let c_end = self.c_end.unwrap_or_else(|| (range / 20.0).max(0.5));
        let r_end = self.r_end.unwrap_or(R_END);
        let tuned = Tuned { name, start, min, max, c_end, r_end };
        tuned.check()?;
        Ok(tuned)
    }

    /// Completes several specifications.
    ///
    /// # Errors
    /// The first error of [`resolve`](Self::resolve), a name that occurs twice, or an empty list.
    pub fn resolve_all(
        specs: &[Self],
        parameters: Option<&Parameters>,
    ) -> Result<Vec<Tuned>, TunedError> {
        let mut all: Vec<Tuned> = Vec::new();
        for spec in specs {
            let tuned = spec.resolve(parameters)?;
            if all.iter().any(|other| other.name == tuned.name) {
                return Err(TunedError::Twice(tuned.name));
            }
            all.push(tuned);
        }
        if all.is_empty() { Err(TunedError::Nothing) } else { Ok(all) }
    }
}

/// Reads a file with a table for each parameter: `[Interest_CostK]`, then lines such as `min = 6000`.
///
/// # Errors
/// The file cannot be read, or its content is not valid.
pub fn read_specs(path: &Path) -> Result<Vec<TuneSpec>, TunedError> {
    let name = || path.display().to_string();
    let bytes = File::open(path)
        .and_then(|file| read_bounded(file, LARGEST_FILE))
        .map_err(|source| TunedError::Read { path: name(), source })?;
    let tables: BTreeMap<String, TuneSpec> = toml::from_slice(&bytes)
        .map_err(|error| TunedError::Table { path: name(), reason: error.to_string() })?;
    Ok(tables.into_iter().map(|(name, spec)| TuneSpec { name, ..spec }).collect())
}

/// The name as spelt in the table of search parameters, the present value, and the range.
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

/// The largest number of pairs of games in each iteration. Iterations with more learn less from the same games.
pub(super) const MOST_PAIRS: usize = 1_000_000;
/// The size of the largest file of parameters that is read, in bytes.
const LARGEST_FILE: usize = 1 << 20;
/// The default learning rate, the same as on large public testing sites.
const R_END: f64 = 0.002;

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> Result<Tuned, TunedError> {
        TuneSpec::parse(text)?.resolve(Some(&Parameters::untuned()))
    }

    #[test]
    fn missing_numbers_are_those_of_the_parameter_table() {
        let tuned = resolve("interest_costk").unwrap();
        assert_eq!((tuned.name.as_str(), tuned.start), ("Interest_CostK", 9000.0));
        assert_eq!((tuned.min, tuned.max, tuned.c_end, tuned.r_end), (1000, 18_000, 850.0, 0.002));
        // For a start of 0 the range is a twentieth of the table's range.
        let target = resolve("Interest_Target").unwrap();
        assert_eq!((target.min, target.max, target.c_end), (0, 50, 2.5));
        let given = resolve("Interest_CostMin,start=40,min=30,max=60,c_end=4,r_end=0.01").unwrap();
        assert_eq!((given.start, given.min, given.max), (40.0, 30, 60));
        assert_eq!((given.c_end, given.r_end), (4.0, 0.01));
        // A step of less than a half would often change nothing.
        let narrow = resolve("Interest_CostMin,min=48,max=52").unwrap();
        assert!((narrow.c_end - 0.5).abs() < 1e-9);
    }

    #[test]
    fn faults_are_reported_in_one_line() {
        for (text, part) in [
            ("Interest_Nothing", "no option 'Interest_Nothing'"),
            ("Interest_Cut", "Interest_Cut is a switch"),
            ("Interest_CostK,max=99999", "the option allows 1000 to 30000"),
            ("Interest_CostK,min=9000,max=9000", "not a valid range"),
            ("Interest_CostK,min=9500", "the start 9000 is outside 9500 to 18000"),
            ("Interest_CostK,c_end=0", "c_end=0 must be above 0"),
            ("Interest_CostK,r_end=-1", "r_end=-1 must be above 0"),
            ("Interest_CostK,step=3", "'step=3' is none of start="),
            ("Interest_CostK,min=low", "'min=low'"),
            ("Interest_CostK,start=NaN", "'start=NaN'"),
        ] {
            let error = resolve(text).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains('\n'), "{text}: {error}");
        }
        let twice = ["Interest_CostK", "interest_costk,min=5000"]
            .map(|text| TuneSpec::parse(text).unwrap());
        let error = TuneSpec::resolve_all(&twice, Some(&Parameters::untuned())).unwrap_err();
        assert_eq!(error.to_string(), "Interest_CostK is named twice");
        let error = TuneSpec::resolve_all(&[], None).unwrap_err().to_string();
        assert!(error.contains("nothing to tune"), "{error}");
        let foreign = TuneSpec::parse("Contempt,start=5,min=0").unwrap().resolve(None).unwrap_err();
        assert!(foreign.to_string().contains("give start=, min= and max="), "{foreign}");
        assert!(TuneSpec::parse("X,start=5,min=0,max=9").unwrap().resolve(None).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_an_end_is_refused() {
        let error = read_specs(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(error, "reading /dev/zero: larger than 1 MiB");
    }
}
