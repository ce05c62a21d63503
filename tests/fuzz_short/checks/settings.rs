//! The configuration file.

use kyomi::config::Config;

use super::text;

/// A word that the seeds use as password; no message may show it.
const PASSWORD: &str = "Oogie8Ahsh";

/// Any text is a configuration or gives one clear error with a place in the file, the same every time.
pub(super) fn config_toml(data: &[u8]) {
    let text = text(data);
    let load = || Config::from_text("x.toml", &text, [], &[]);
    match (load(), load()) {
        (Ok(loaded), Ok(again)) => {
            assert!(loaded == again);
            for warning in loaded.warnings.iter().map(ToString::to_string) {
                assert!(!warning.contains('\n'), "{warning}");
                assert!(!warning.contains(PASSWORD), "{warning}");
            }
            assert!(!format!("{:?}", loaded.config).contains(PASSWORD) || !only_as_password(&text));
        }
        (Err(error), Err(again)) => {
            let message = error.to_string();
            assert_eq!(message, again.to_string());
            let place = message.strip_prefix("x.toml:").unwrap_or_else(|| panic!("{message}"));
            let lines = text.split('\n').count();
            // A missing key has no line.
            if !place.starts_with(' ') {
                let line = place.split(':').next().and_then(|line| line.parse::<usize>().ok());
                assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "{message}");
            }
            assert!(!message.contains(PASSWORD) || !only_as_password(&text), "{message}");
            // At most one fault for each value, each of bounded length except for quoted text.
            assert!(message.len() <= 400 * (1 + lines) + 4 * text.len(), "{message}");
        }
        (first, second) => panic!("{first:?} and then {second:?}"),
    }
}

/// Whether the word is only on lines that set our password. Options of an engine are not secret.
fn only_as_password(text: &str) -> bool {
    if text.contains("options") {
        return false;
    }
    let rest = text.split('\n').filter(|line| !line.trim_start().starts_with("password"));
    !rest.into_iter().any(|line| line.contains(PASSWORD))
}
