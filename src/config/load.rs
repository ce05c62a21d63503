//! Loads a [`Config`] from a file, the environment and the command line.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use kyomi_csa::text::nearest_word;
use kyomi_shogi::clock::GameTime;

use super::{
    Config, ConfigError, ConfigWarning, Loaded,
    document::Document,
    error::Fault,
    field::{NotSet, Table as _, dotted},
    file::read_file,
    keys::Raw,
    suggest, validate,
};

/// One setting of the command line, which overrides file and environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    flag: String,
    key: String,
    value: String,
}

impl Override {
    /// A setting. `flag` is its name in errors (`--time`), `key` the dotted key (`view.style`, or `time` for a whole
    /// time control such as `60+1`), `value` the text of its value.
    pub fn new(flag: &str, key: &str, value: &str) -> Self {
        Self { flag: flag.to_owned(), key: key.to_owned(), value: value.to_owned() }
    }

    /// Those of flags, keys and values whose value is given.
    pub fn given<const N: usize>(flags: [(&str, &str, Option<&String>); N]) -> Vec<Self> {
        let given =
            |(flag, key, value): (_, _, Option<&String>)| Some(Self::new(flag, key, value?));
        flags.into_iter().filter_map(given).collect()
    }
}

impl Config {
    /// Reads `path` (by default `config/local.toml`, if there is one), then the environment, then `overrides`.
    ///
    /// The configuration has a server if the file or an override has a `[server]` table, or if the environment names a
    /// host. A password in the environment alone does not select a server.
    ///
    /// # Errors
    /// The first fault of syntax, key or type; otherwise all values that are out of range.
    pub fn load(
        path: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        overrides: &[Override],
    ) -> Result<Loaded, ConfigError> {
        Self::from_layers(&read(path)?, environment, overrides)
    }

    /// The same for a text; `name` is its name in errors.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn from_text(
        name: &str,
        text: &str,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        overrides: &[Override],
    ) -> Result<Loaded, ConfigError> {
        let document = Document::new(name.to_owned(), text.to_owned());
        Self::from_layers(&document, environment, overrides)
    }

    fn from_layers(
        document: &Document,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        overrides: &[Override],
    ) -> Result<Loaded, ConfigError> {
        let mut raw = document.parse().map_err(ConfigError::Form)?;
        let mut warnings = Vec::new();
        let mut faults = Vec::new();
        let variables = variables_of_keys(environment, &mut warnings, &mut faults);
        let server_wanted = raw.server.is_some()
            || !raw.account.is_empty()
            || variables.iter().any(|variable| variable.key == "server.host")
            || overrides.iter().any(|it| it.key.starts_with("server."));
        for Variable { name, key, value } in &variables {
            if key.starts_with("server.") && !server_wanted {
                continue;
            }
            let source = format!("environment variable {name}");
            set(&mut raw, key, value, &source, &mut faults);
        }
        for Override { flag, key, value } in overrides {
            set(&mut raw, key, value, flag, &mut faults);
        }
        validate::check(raw, document, faults, warnings)
    }
}

fn read(path: Option<&Path>) -> Result<Document, ConfigError> {
    let local = Path::new("config/local.toml");
    let wanted = path.unwrap_or(local);
    match read_file(wanted) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|error| {
                let good = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..good].split(|byte| *byte == b'\n').count();
                ConfigError::Form(Fault {
                    place: format!("{}:{line}", wanted.display()),
                    key: String::new(),
                    problem: "the file is no UTF-8 text; save it as UTF-8".to_owned(),
                })
            })?;
            Ok(Document::new(wanted.display().to_string(), text))
        }
        Err(error) if path.is_none() && error.kind() == io::ErrorKind::NotFound => {
            Ok(Document::new("the built-in defaults".to_owned(), String::new()))
        }
        Err(source) => Err(ConfigError::Read { path: PathBuf::from(wanted), source }),
    }
}

struct Variable {
    name: String,
    key: String,
    value: String,
}

/// The environment variables that set a key, in the order of their names. Empty variables count as absent.
fn variables_of_keys(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    warnings: &mut Vec<ConfigWarning>,
    faults: &mut Vec<Fault>,
) -> Vec<Variable> {
    let mut variables = Vec::new();
    for (name, value) in environment {
        let Ok(name) = name.into_string() else { continue };
        let Some(short) = name.strip_prefix("KYOMI_") else { continue };
        if OTHER_VARIABLES.contains(&name.as_str()) || value.is_empty() {
            continue;
        }
        let Some(key) = key_of_variable(short) else {
            let near = nearest_word(&name, all_variables().iter().map(String::as_str))
                .map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let warning = format!("unknown environment variable {name} is ignored{near}");
            warnings.push(warning.into());
            continue;
        };
        match value.into_string() {
            Ok(value) => variables.push(Variable { name, key, value }),
            Err(_) => faults.push(Fault {
                place: format!("environment variable {name}"),
                key,
                problem: "the value is no UTF-8 text".to_owned(),
            }),
        }
    }
    variables.sort_by(|a, b| a.name.cmp(&b.name));
    variables
}

/// Variables that set no key: the folder of the data sets for the tests, and those of a command of `[notify]`.
const OTHER_VARIABLES: [&str; 7] = [
    "KYOMI_TEST_DATA",
    "KYOMI_REQUIRE_BROWSER",
    "KYOMI_REQUIRE_NATS",
    "KYOMI_BROWSER",
    "KYOMI_PICTURES",
    "KYOMI_EVENT",
    "KYOMI_TEXT",
];

fn key_of_variable(short: &str) -> Option<String> {
    all_keys().find(|key| variable_of_key(key) == short)
}

fn all_variables() -> Vec<String> {
    all_keys().map(|key| format!("KYOMI_{}", variable_of_key(&key))).collect()
}

fn all_keys() -> impl Iterator<Item = String> {
    let tables = suggest::tables().filter(|(table, _)| !suggest::LISTS.contains(table));
    tables.flat_map(|(table, keys)| keys.iter().map(move |key| dotted(table, key)))
}

fn variable_of_key(key: &str) -> String {
    key.replace('.', "_").to_ascii_uppercase()
}

/// Sets one key from outside the file. The key `time` sets a whole time control.
fn set(raw: &mut Raw, key: &str, text: &str, source: &str, faults: &mut Vec<Fault>) {
    let source: Arc<str> = Arc::from(source);
    let fault = |problem: String| Fault { place: source.to_string(), key: key.to_owned(), problem };
    if key == "time" {
        match text.parse::<GameTime>() {
            Ok(time) => {
                for (key, value) in [
                    ("total", time.total),
                    ("byoyomi", time.byoyomi),
                    ("increment", time.increment),
                ] {
                    let text = format!("{}ms", value.as_millis());
                    // This cannot fail: the keys exist, and a duration accepts any text here.
                    let _ = raw.time.set(key, &text, &source);
                }
            }
            Err(problem) => {
                faults.push(Fault {
                    place: source.to_string(),
                    key: String::new(),
                    problem: problem.to_string(),
                });
            }
        }
        return;
    }
    match raw.set(key, text, &source) {
        Ok(()) => {}
        Err(NotSet::UnknownKey) => {
            faults.push(fault(format!("unknown key; {}", suggest::for_path(key))));
        }
        Err(NotSet::Expected(expected)) => faults.push(fault(format!("expected {expected}"))),
    }
}
