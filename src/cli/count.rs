//! Numbers of things in words.

use std::fmt;

/// `1 game`, `2 games`, `0 files`.
pub fn counted(number: impl fmt::Display, what: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_plural() {
        let words = [0, 1, 2, 11].map(|number| counted(number, "game"));
        assert_eq!(words, ["0 games", "1 game", "2 games", "11 games"]);
    }
}
