//! Turns an error into one line on standard error and an exit code.

use std::{error::Error, fmt, io, io::Write, process::ExitCode};

use clap::error::{ContextKind, ContextValue};

use crate::config::ConfigError;
use crate::terminal::speech;

use super::Output;

/// The cause of an error, which decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The user's input: exit code 2.
    UserInput,
    /// A problem while running: exit code 1.
    Running,
}

/// Adds information to an error.
pub trait ResultExt<T> {
    /// Marks the error as caused by the user's input (an argument, an SFEN): exit code 2.
    fn written_by_user(self) -> anyhow::Result<T>;
    /// Adds a hint, which is printed last as `hint: …`.
    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> ResultExt<T> for Result<T, E> {
    fn written_by_user(self) -> anyhow::Result<T> {
        self.map_err(|error| AnnotatedError::new_error(error, Some(Cause::UserInput), None))
    }

    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T> {
        self.map_err(|error| AnnotatedError::new_error(error, None, Some(hint.to_string())))
    }
}

/// An error with its cause and a hint. It has the message of the error inside it.
struct AnnotatedError {
    error: anyhow::Error,
    cause: Option<Cause>,
    hint: Option<String>,
}

impl AnnotatedError {
    fn new_error(
        error: impl Into<anyhow::Error>,
        cause: Option<Cause>,
        hint: Option<String>,
    ) -> anyhow::Error {
        anyhow::Error::new(Self { error: error.into(), cause, hint })
    }
}

impl fmt::Display for AnnotatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl fmt::Debug for AnnotatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl Error for AnnotatedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.error.as_ref())
    }
}

/// The error of a command that a signal has stopped, with what is done or left.
pub fn interrupted(rest: impl fmt::Display) -> anyhow::Error {
    anyhow::Error::msg(format!("interrupted; {rest}"))
}

/// Ends the program. Prints one line for an error, and nothing for success or a closed reader of standard output.
pub(super) fn conclude(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    let line = describe(&error);
    tracing::error!(target: FINAL_ERROR, "{line}");
    speech::say(format_args!("error: {line}"));
    match cause_of(&error) {
        Cause::UserInput => ExitCode::from(2),
        Cause::Running => ExitCode::from(1),
    }
}

/// Handles the messages of clap: help and version are printed, every error becomes one line.
pub(super) fn explain_arguments(
    refused: &clap::Error,
    program: &str,
    output: &Output,
) -> anyhow::Result<()> {
    if let Some(ContextValue::String(command)) = refused.get(ContextKind::InvalidSubcommand)
        && let Some((_, place)) = MOVED.iter().find(|(moved, _)| moved == command)
    {
        let text = format!("`kyomi {command}` is now `kyomi-{place}`, a program of its own");
        return Err(anyhow::Error::msg(text))
            .written_by_user()
            .hint(format!("`cargo run --release -p kyomi-{}`", place.replacen(' ', " -- ", 1)));
    }
    let mut output = output.clone();
    let text = refused.render();
    if !refused.use_stderr() {
        if output.is_terminal() && std::env::var_os("NO_COLOR").is_none() {
            write!(output, "{}", text.ansi())?;
        } else {
            write!(output, "{text}")?;
        }
        return Ok(output.flush()?);
    }
    let text = text.to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    let line = lines.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line).to_owned();
    Err(anyhow::Error::msg(line))
        .written_by_user()
        .hint(format!("`{program} help` and `{program} COMMAND --help`"))
}

/// Commands that moved to `kyomi-lab`, and what they are called there.
const MOVED: [(&str, &str); 2] = [("lab", "lab"), ("train", "lab train")];

/// The target of the log line that repeats the final error line of standard error.
pub(super) const FINAL_ERROR: &str = "kyomi::final_error";

/// The error and its causes, separated by colons, on one line, followed by the hint.
fn describe(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = one_line(&cause.to_string());
        // Some messages already contain that of their cause, and an annotated error repeats the message inside it.
        if line.contains(&text) {
            continue;
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&text);
    }
    let hint = annotations(error).find_map(|error| error.hint.as_deref());
    let config_hint = config_error(error).and_then(ConfigError::hint);
    if let Some(hint) = hint.map(str::to_owned).or(config_hint) {
        line.push_str("; hint: ");
        line.push_str(&one_line(&hint));
    }
    line
}

fn cause_of(error: &anyhow::Error) -> Cause {
    if let Some(cause) = annotations(error).find_map(|error| error.cause) {
        return cause;
    }
    if config_error(error).is_some() { Cause::UserInput } else { Cause::Running }
}

fn annotations(error: &anyhow::Error) -> impl Iterator<Item = &AnnotatedError> {
    error.chain().filter_map(<dyn Error>::downcast_ref)
}

fn config_error(error: &anyhow::Error) -> Option<&ConfigError> {
    error.chain().find_map(<dyn Error>::downcast_ref)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(<dyn Error>::downcast_ref::<io::Error>)
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Replaces line ends by blanks and removes control characters, since an error may quote any text.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r', '\t'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    fn no_file() -> io::Error {
        io::Error::new(io::ErrorKind::NotFound, "no such file")
    }

    #[test]
    fn causes_are_separated_by_colons_and_the_hint_is_last() {
        let error = Err::<(), _>(no_file())
            .context("starting the engine engines/nowhere")
            .hint("set engine.path")
            .context("playing")
            .unwrap_err();
        assert_eq!(
            describe(&error),
            "playing: starting the engine engines/nowhere: no such file; hint: set engine.path"
        );
        assert_eq!(cause_of(&error), Cause::Running);
    }

    #[test]
    fn the_cause_is_found_through_every_layer() {
        let error =
            Err::<(), _>(no_file()).written_by_user().hint("x").context("reading").unwrap_err();
        assert_eq!(cause_of(&error), Cause::UserInput);
    }

    #[test]
    fn an_error_is_one_line_with_any_quoted_text() {
        let error = anyhow::Error::msg("server said\r\n  \u{1b}[2Jhello\n");
        assert_eq!(describe(&error), "server said [2Jhello");
    }

    #[test]
    fn a_broken_pipe_is_found_below_other_errors() {
        let error = Err::<(), _>(io::Error::from(io::ErrorKind::BrokenPipe))
            .context("writing the table")
            .unwrap_err();
        assert!(is_broken_pipe(&error));
    }
}
