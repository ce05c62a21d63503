//! The choice of the evaluation, by the names that USI engines use: `EvalFile`, `EvalDir`, `FV_SCALE`, and `Eval_Scale`.

use std::{
    env,
    path::{Path, PathBuf},
    time::Instant,
};

use kyomi_engine::eval::{Evaluation, nnue::Scale};

/// The options of an evaluation. They are set in any order; [`EvalOptions::load`] reads the file that results.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvalOptions {
    /// A file, or a folder with `nn.bin`. It goes before `dir`.
    pub file: Option<NamedPath>,
    /// `EvalDir`: a folder with `nn.bin`.
    pub dir: Option<PathBuf>,
    /// `FV_SCALE`; `None`: 16.
    pub fv_scale: Option<u8>,
    /// `Eval_Scale`, centipawns for 100 units; `None`: 95.
    pub percent: Option<u16>,
}

/// A path, and where the user has written it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath {
    /// The path.
    pub path: PathBuf,
    /// The option or the key.
    pub by: &'static str,
}

/// An evaluation and the options that it was read by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedEvaluation {
    /// The options.
    pub options: EvalOptions,
    /// The evaluation.
    pub evaluation: Evaluation,
}

impl Default for LoadedEvaluation {
    fn default() -> Self {
        Self { options: EvalOptions::default(), evaluation: Evaluation::builtin() }
    }
}

impl EvalOptions {
    /// The options as `[engine] eval` gives them.
    pub fn of_config(file: Option<&Path>) -> Self {
        let named = |path: &Path| NamedPath { path: path.to_owned(), by: KEY };
        Self { file: file.map(named), ..Self::default() }
    }

    /// Whether an option has this name.
    pub fn has(name: &str) -> bool {
        NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Sets the option of this name; `None` if it is not one of the evaluation's.
    ///
    /// # Errors
    /// The fault of the value, as a message. Nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        let value = value.trim();
        let path = Some(value).filter(|it| !it.is_empty() && *it != EMPTY).map(PathBuf::from);
        let set = match name.to_ascii_lowercase().as_str() {
            "evalfile" => {
                self.file = path.map(|path| NamedPath { path, by: "EvalFile" });
                Ok(())
            }
            "evaldir" => {
                // The host's folder goes before the key of the configuration.
                if path.is_some() && self.file.as_ref().is_some_and(|file| file.by == KEY) {
                    self.file = None;
                }
                self.dir = path;
                Ok(())
            }
            "fv_scale" => number(value, 1, 128).map(|scale| {
                self.fv_scale = Some(scale as u8).filter(|scale| *scale != Scale::USUAL_FV_SCALE);
            }),
            "eval_scale" => number(value, 0, MOST_PERCENT)
                .map(|percent| self.percent = Some(percent).filter(|percent| *percent > 0)),
            _ => return None,
        };
        Some(set.map_err(|fault| {
            let value: String = value.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("{name}: '{value}' {fault}")
        }))
    }

    /// The `option` lines of the answer to `usi`.
    pub fn usi_lines(&self) -> Vec<String> {
        let shown = |path: Option<&PathBuf>| {
            path.map_or_else(|| EMPTY.to_owned(), |path| path.display().to_string())
        };
        let file = shown(self.file.as_ref().map(|named| &named.path));
        let dir = shown(self.dir.as_ref());
        let fv_scale = self.fv_scale.unwrap_or(Scale::USUAL_FV_SCALE);
        let percent = self.percent.unwrap_or(0);
        vec![
            format!("option name EvalDir type string default {dir}"),
            format!("option name EvalFile type string default {file}"),
            format!("option name FV_SCALE type spin default {fv_scale} min 1 max 128"),
            format!("option name Eval_Scale type spin default {percent} min 0 max {MOST_PERCENT}"),
        ]
    }

    /// Whether a file or a folder is named.
    pub const fn is_named(&self) -> bool {
        self.file.is_some() || self.dir.is_some()
    }

    /// The length of the file; `None` without one.
    pub fn file_length(&self) -> Option<u64> {
        let path = match (&self.file, &self.dir) {
            (Some(NamedPath { path, by }), _) => found(by, path).ok()?,
            (None, Some(path)) => found(DIR, path).ok()?,
            (None, None) => return None,
        };
        path.metadata().ok().map(|metadata| metadata.len())
    }

    /// The evaluation: that of the file, else that of the folder, else the built-in one.
    ///
    /// # Errors
    /// One line on why the file cannot be used, and what to do.
    pub fn load(&self) -> Result<Evaluation, String> {
        let evaluation = match (&self.file, &self.dir) {
            (None, None) => return Ok(Evaluation::builtin()),
            (Some(NamedPath { path, by }), _) => read(by, path, &found(by, path)?)?,
            (None, Some(path)) => {
                let read = read(DIR, path, &found(DIR, path)?)?;
                if let Evaluation::Own(_) = read {
                    let path = path.display();
                    return Err(format!(
                        "EvalDir: the file nn.bin in {path} has kyomi's own format; give it to the option EvalFile"
                    ));
                }
                read
            }
        };
        Ok(self.scaled(evaluation))
    }

    /// The same if `before` are the options before, whose evaluation is known. It is not read again if only the scale
    /// has changed.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn reload(&self, before: &LoadedEvaluation) -> Result<Evaluation, String> {
        if (&self.file, &self.dir) == (&before.options.file, &before.options.dir) {
            return Ok(self.scaled(before.evaluation.clone()));
        }
        self.load()
    }

    /// The same evaluation with the scale of these options.
    pub fn scaled(&self, evaluation: Evaluation) -> Evaluation {
        match evaluation {
            Evaluation::Own(_) => evaluation,
            Evaluation::Nnue(weights, _) => {
                let usual = Scale::usual();
                let scale = Scale {
                    fv_scale: self.fv_scale.unwrap_or(usual.fv_scale),
                    percent: self.percent.unwrap_or(usual.percent),
                };
                Evaluation::Nnue(weights, scale)
            }
        }
    }
}

/// The file that a path leads to: from the working directory, else from the folder of the program. In a folder it is
/// `nn.bin`.
fn found(option: &str, path: &Path) -> Result<PathBuf, String> {
    let program = env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let candidates = [Some(path.to_owned()), folder.map(|folder| folder.join(path))];
    let existing = candidates.into_iter().flatten().find(|path| path.exists());
    let shown = path.display();
    let Some(existing) = existing else {
        let what = if option == DIR { "folder" } else { "file" };
        let elsewhere = match folder {
            Some(folder) if path.is_relative() => {
                format!(" in the working directory or in {}", folder.display())
            }
            _ => String::new(),
        };
        return Err(format!(
            "{option}: there is no {what} {shown}{elsewhere}; give its whole path"
        ));
    };
    if !existing.is_dir() {
        return match option {
            DIR => Err(format!(
                "EvalDir: {shown} is no folder; give the folder of nn.bin, or a file to the option EvalFile"
            )),
            _ => Ok(existing),
        };
    }
    let file = existing.join(FILE);
    if file.exists() {
        return Ok(file);
    }
    let existing = existing.display();
    Err(format!(
        "{option}: the folder {existing} has no {FILE}; copy the network into it under this name"
    ))
}

fn read(option: &str, given: &Path, path: &Path) -> Result<Evaluation, String> {
    let shown = if path.ends_with(given) || given == path { given } else { path };
    let started = Instant::now();
    let read = Evaluation::read(path);
    if let Ok(evaluation) = &read {
        let milliseconds = started.elapsed().as_millis();
        tracing::info!("evaluation {evaluation} from {}: {milliseconds} ms", path.display());
    }
    read.map_err(|error| format!("{option}: the file {} {error}", shown.display()))
}

fn number(value: &str, least: u16, most: u16) -> Result<u16, String> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("is not a number from {least} to {most}"))
}

/// The key of the configuration that names a file.
const KEY: &str = "the key eval";
const NAMES: [&str; 4] = ["EvalFile", "EvalDir", "FV_SCALE", "Eval_Scale"];
/// The option that names a folder.
const DIR: &str = "EvalDir";
/// The file of a network in a folder.
const FILE: &str = "nn.bin";
/// The value of a path that means none, besides an empty one.
const EMPTY: &str = "<empty>";
const MOST_PERCENT: u16 = 1000;

#[cfg(test)]
mod tests;
