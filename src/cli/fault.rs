//! From an error to one line on standard error and an exit code.

use std::{error::Error, fmt, io, io::Write, process::ExitCode};

use crate::config::ConfigError;

use super::Output;

/// Whose doing an error is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The user wrote it: exit code 2.
    Written,
    /// It was met while running: exit code 1.
    Met,
}

/// Ways to say more about an error on its way up.
pub(crate) trait ResultExt<T> {
    /// The user wrote something wrong (an argument, an SFEN): exit code 2.
    fn written_by_user(self) -> anyhow::Result<T>;
    /// What would help, printed last as `hint: …`.
    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> ResultExt<T> for Result<T, E> {
    fn written_by_user(self) -> anyhow::Result<T> {
        self.map_err(|error| Remark::on(error, Some(Blame::Written), None))
    }

    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T> {
        self.map_err(|error| Remark::on(error, None, Some(hint.to_string())))
    }
}

/// An error that looks like the one inside it and carries what the edge wants to know.
struct Remark {
    error: anyhow::Error,
    blame: Option<Blame>,
    hint: Option<String>,
}

impl Remark {
    fn on(
        error: impl Into<anyhow::Error>,
        blame: Option<Blame>,
        hint: Option<String>,
    ) -> anyhow::Error {
        anyhow::Error::new(Self { error: error.into(), blame, hint })
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl fmt::Debug for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl Error for Remark {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.error.as_ref())
    }
}

/// Ends the program: nothing to say for success or a reader that went away, else one line.
pub(crate) fn conclude(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    let line = describe(&error);
    tracing::error!(target: LAST_WORD, "{line}");
    let _ = writeln!(io::stderr(), "error: {line}");
    match blame(&error) {
        Blame::Written => ExitCode::from(2),
        Blame::Met => ExitCode::from(1),
    }
}

/// What clap has to say: help and version are output, anything else becomes one line.
pub(crate) fn explain_arguments(refused: &clap::Error, output: &Output) -> anyhow::Result<()> {
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
    let told: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    let line = told.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line).to_owned();
    Err(anyhow::Error::msg(line)).written_by_user().hint("`kyomi help` and `kyomi COMMAND --help`")
}

/// Target of the log line that repeats the last word on standard error.
pub(crate) const LAST_WORD: &str = "kyomi::last_word";

/// The error and its causes after colons, on one line, then the hint.
fn describe(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = one_line(&cause.to_string());
        // Some error messages already contain that of their cause, and a remark repeats its error.
        if line.contains(&text) {
            continue;
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&text);
    }
    let hint = remarks(error).find_map(|remark| remark.hint.as_deref());
    let own = config_error(error).and_then(ConfigError::hint);
    if let Some(hint) = hint.map(str::to_owned).or(own) {
        line.push_str("; hint: ");
        line.push_str(&one_line(&hint));
    }
    line
}

fn blame(error: &anyhow::Error) -> Blame {
    if let Some(blame) = remarks(error).find_map(|remark| remark.blame) {
        return blame;
    }
    if config_error(error).is_some() { Blame::Written } else { Blame::Met }
}

fn remarks(error: &anyhow::Error) -> impl Iterator<Item = &Remark> {
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

/// Line ends become blanks and control characters vanish: what an error quotes may come from
/// anywhere.
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
    fn causes_follow_after_colons_and_the_hint_comes_last() {
        let error = Err::<(), _>(no_file())
            .context("starting the engine engines/nowhere")
            .hint("set engine.path")
            .context("playing")
            .unwrap_err();
        assert_eq!(
            describe(&error),
            "playing: starting the engine engines/nowhere: no such file; hint: set engine.path"
        );
        assert_eq!(blame(&error), Blame::Met);
    }

    #[test]
    fn what_the_user_wrote_is_known_through_every_layer() {
        let error =
            Err::<(), _>(no_file()).written_by_user().hint("x").context("reading").unwrap_err();
        assert_eq!(blame(&error), Blame::Written);
    }

    #[test]
    fn an_error_is_one_line_whatever_it_quotes() {
        let error = anyhow::Error::msg("server said\r\n  \u{1b}[2Jhello\n");
        assert_eq!(describe(&error), "server said [2Jhello");
    }

    #[test]
    fn a_broken_pipe_is_found_below_other_words() {
        let error = Err::<(), _>(io::Error::from(io::ErrorKind::BrokenPipe))
            .context("writing the table")
            .unwrap_err();
        assert!(is_broken_pipe(&error));
    }
}
