//! `config/local.toml`, which is made from the table of the keys.

use std::fmt::Write as _;

use expect_test::expect_file;

use super::super::{
    keys::*,
    suggest,
    value::{DurationText, PonderText, SizeText, Texts},
};

/// A table with the texts of its keys.
pub(in super::super) trait Documented {
    const TEXT: &'static [&'static str];
    const KEYS: &'static [Key];
}

pub(in super::super) struct Key {
    pub(in super::super) name: &'static str,
    /// Its type in the file.
    pub(in super::super) kind: &'static str,
    /// `=`: a default is shown; `~`: an example; `|`: an example that excludes another key.
    pub(in super::super) mark: &'static str,
    pub(in super::super) shown: &'static str,
    pub(in super::super) text: &'static str,
    /// What is said about a value that is never right.
    pub(in super::super) refusal: fn() -> String,
}

/// A value that no range has.
pub(in super::super) trait Wrong {
    fn wrong() -> Self;
}

impl Wrong for String {
    fn wrong() -> Self {
        "\0".to_owned()
    }
}

impl Wrong for i64 {
    fn wrong() -> Self {
        Self::MIN
    }
}

impl Wrong for bool {
    fn wrong() -> Self {
        false
    }
}

impl Wrong for Texts {
    fn wrong() -> Self {
        Self::new()
    }
}

impl Wrong for DurationText {
    fn wrong() -> Self {
        Self("100000h".to_owned())
    }
}

impl Wrong for SizeText {
    fn wrong() -> Self {
        Self("1000TiB".to_owned())
    }
}

impl Wrong for PonderText {
    fn wrong() -> Self {
        Self("\0".to_owned())
    }
}

pub(in super::super) fn refusal<T: Wrong, U>(check: impl FnOnce(T) -> Result<U, String>) -> String {
    check(T::wrong()).err().unwrap_or_default()
}

impl Key {
    /// The values that are right, as the check of the key says it.
    fn right(&self) -> String {
        let refusal = (self.refusal)();
        let words = refusal.split_once("known are ").map(|(_, words)| words.to_owned());
        let range =
            refusal.split_once("out of range; ").map(|(_, rest)| rest.replace(" is right", ""));
        words.or(range).unwrap_or_default()
    }

    fn line(&self) -> String {
        let Self { name, kind, mark, shown, text, .. } = self;
        let hashes = if *mark == "|" { "##" } else { "#" };
        let quote = if ["String", "DurationText", "SizeText"].contains(kind) { "\"" } else { "" };
        let right = self.right();
        let is_shown = !right.is_empty() && !right.contains("000000") && !right.contains("775807");
        let right = if is_shown { format!(" ({right})") } else { String::new() };
        let mut line = format!("{hashes}{name} = {quote}{shown}{quote} ");
        let mut start = format!("{line:COLUMN$}#");
        line.clear();
        for word in format!("{text}{right}").split_whitespace() {
            if start.chars().count() + word.chars().count() >= WIDTH {
                writeln!(line, "{start}").unwrap();
                start = format!("{:COLUMN$}#", "");
            }
            write!(start, " {word}").unwrap();
        }
        writeln!(line, "{start}").unwrap();
        line
    }
}

const COLUMN: usize = 33;
const WIDTH: usize = 120;

/// The heading of a table, its text and its keys.
fn table<T: Documented>(heading: &str, more: &str) -> String {
    let mut section = "\n".to_owned();
    let mut line = "#".to_owned();
    for word in T::TEXT.iter().flat_map(|text| text.split_whitespace()) {
        if line.chars().count() + word.chars().count() >= WIDTH {
            writeln!(section, "{line}").unwrap();
            "#".clone_into(&mut line);
        }
        write!(line, " {word}").unwrap();
    }
    writeln!(section, "{line}\n{heading}").unwrap();
    section.extend(T::KEYS.iter().map(Key::line));
    section + more
}

const HEAD: &str = "\
# One game on this machine: an embedded CSA server on a free loopback port and two clients, over real TCP. This is what
# `kyomi play` does without --config and without this file.
#
# Every key of every table stands here; the keys of [opponent] are those of [engine]. The ones behind a single # show
# their default or an example. Durations carry a unit (\"60s\", \"5m\", \"1h 30m\"), sizes too (\"256MiB\"). Relative paths
# start at the working directory. Stronger than this file: the environment (KYOMI_<TABLE>_<KEY>, for instance
# KYOMI_ENGINE_THREADS), and stronger still the command line (--set engine.threads=2).
#
# Made from src/config/keys.rs by UPDATE_EXPECT=1 cargo test --lib local_toml.
";

const ACCOUNT: &str = "\
#[account.server]
#name = \"kyomi\"                  # and the other keys of [server]
#[account.engine]
#kind = \"builtin\"                # and the other keys of [engine]
#[account.budget]                # and [[account.fallback]], [account.book]
#resign_score = -3000
";

const OPTIONS: &str = "\
#[engine.options]                # any option of the engine by its USI name
#Threads = 2
#EvalDir = \"eval\"

# Engines that play on when [engine] breaks down twice in a game, in this order; the keys are those of [engine]. Without
# this table the built-in engine plays on for a USI engine; `fallback = []` at the top of the file means none.
#[[fallback]]
#kind = \"usi\"
#path = \"engines/my-engine-of-last-year\"
";

#[test]
fn local_toml_is_made_from_the_keys() {
    let top: String = <Raw as Documented>::KEYS.iter().map(Key::line).collect();
    let opponent = table::<RawOpponent>("#[opponent]", "");
    let opponent = opponent.split_inclusive('\n').take_while(|line| !line.starts_with("#kind"));
    let sections = [
        table::<RawServer>("#[server]", ""),
        table::<RawAccount>("#[[account]]", ACCOUNT),
        table::<RawTime>("[time]", ""),
        table::<RawBudget>("[budget]", ""),
        table::<RawEngine>("[engine]", OPTIONS),
        opponent.collect::<String>()
            + "#kind = \"random\"                 # and the other keys of [engine]\n",
        table::<RawBook>("[book]", ""),
        table::<RawRecords>("[records]", ""),
        table::<RawSchedule>("[schedule]", ""),
        table::<RawNotify>("[notify]", ""),
        table::<RawControl>("[control]", ""),
        table::<RawDashboard>("[dashboard]", ""),
        table::<RawCluster>("[cluster]", ""),
        table::<RawLog>("[log]", ""),
        table::<RawView>("[view]", ""),
        table::<RawListen>("[listen]", ""),
        table::<RawRules>("[rules]", ""),
    ];
    let page = format!("{HEAD}\n{top}{}", sections.concat().replace('`', ""));
    for (table, _) in suggest::tables() {
        assert!(page.contains(&format!("[{table}]")) || table.is_empty(), "[{table}] is missing");
    }
    expect_file!["../../../config/local.toml"].assert_eq(&page);
}
