//! What made a result: the program, the time and the command.

use std::ffi::OsString;

use serde::Serialize;

/// The program, the time and the command that made a result. It is written into the file of the result.
#[derive(Debug, Clone, Serialize)]
pub struct Origin {
    /// The version of kyomi.
    pub kyomi: &'static str,
    /// The local time of the call, with the difference from UTC: for a training, its end.
    pub date: String,
    /// The words of the last command, the program first, with paths as they were given. The values of `--set` are left
    /// out, since they can be passwords.
    pub command: Vec<String>,
}

impl Origin {
    /// This program, now, with the command that started it.
    pub fn of_this_run() -> Self {
        Self {
            kyomi: env!("CARGO_PKG_VERSION"),
            date: jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S %z").to_string(),
            command: command_line(std::env::args_os()),
        }
    }
}

/// The words of a command line, without the values of `--set`. A name of a file need not be UTF-8.
fn command_line(words: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut is_setting = false;
    let shown = |word: OsString| {
        let word = word.to_string_lossy().into_owned();
        let setting = if is_setting { Some(word.as_str()) } else { word.strip_prefix("--set=") };
        let hidden = setting.map(|setting| {
            let key = setting.split_once('=').map_or("", |(key, _)| key);
            format!("{}{key}=***", if is_setting { "" } else { "--set=" })
        });
        is_setting = word == "--set";
        hidden.unwrap_or(word)
    };
    words.map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_command_line_that_is_not_utf8_is_kept() {
        use std::os::unix::ffi::OsStringExt as _;
        let words = [b"kyomi".to_vec(), b"--out".to_vec(), b"caf\xe9".to_vec()];
        let kept = command_line(words.into_iter().map(OsString::from_vec));
        assert_eq!(kept, ["kyomi", "--out", "caf\u{fffd}"]);
    }

    #[test]
    fn the_values_of_settings_are_hidden() {
        let words =
            "kyomi-lab train --set server.password=hush --set=server.password=hu=sh --set hush a=b";
        let kept = command_line(words.split(' ').map(OsString::from));
        let hidden =
            "kyomi-lab train --set server.password=*** --set=server.password=*** --set =*** a=b";
        assert_eq!(kept.join(" "), hidden);
    }

    #[test]
    fn this_run_has_its_program_and_a_date() {
        let origin = Origin::of_this_run();
        assert!(!origin.command.is_empty() && origin.date.starts_with("20"), "{origin:?}");
    }
}
