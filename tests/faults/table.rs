//! `docs/faults.md`: the list of all cases, made from their comments.

use std::fmt::Write;

use expect_test::expect_file;

/// The files with cases, in the order of the page, and their titles.
const FILES: [(&str, &str, &str); 6] = [
    ("connections", "Connections and logins", include_str!("connections.rs")),
    ("offers", "Offers", include_str!("offers.rs")),
    ("lines", "Lines", include_str!("lines.rs")),
    ("moves", "Moves, times and results", include_str!("moves.rs")),
    ("engines", "Answers of engines", include_str!("engines.rs")),
    ("crashes", "Engines that end or hang", include_str!("crashes.rs")),
];

const INTRO: &str = "\
# Faulty servers and engines

The tests of `tests/faults` run `kyomi play` against servers and engines that misbehave, over real sockets and pipes. This
page is made from their comments: after a change, run `UPDATE_EXPECT=1 cargo test --test faults table`. A case alone:
`cargo test --test faults offers::no_id`.

In every case the program must end by itself with the right exit code, and

- write no file outside its folder, and no control character to its output, its log or a record;
- leave a complete record of each game, which can be read and has an end;
- use less than 72 MiB of memory, and little processor time while it waits;
- leave no process behind, neither of an engine nor of its children.

After most faults of a server it must play the next game as if nothing had happened. In most cases with an engine the
random player stands behind it as `[[fallback]]`.

Limits of time that are too long for these tests (a login that is never answered, an offer that never ends, a start that never
comes, a connection that is dead) are tested on simulated time, in the files `*_unanswered`, `*_never_*`, `*_half_open*` and
`*_silent_*` of [`tests/dialogues`](../tests/dialogues/README.md) and in `src/players/usi/driver/tests`.
";

/// The cases of a file: names, and what its comment says.
fn cases(source: &str) -> Vec<(String, String)> {
    let (mut comment, mut is_test, mut found) = (String::new(), false, Vec::new());
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment.push_str(text);
            continue;
        }
        if line.starts_with("#[") {
            is_test |= line == "#[test]";
            continue;
        }
        let comment = std::mem::take(&mut comment);
        let name = match (std::mem::take(&mut is_test), line.strip_prefix("fn ")) {
            (true, Some(function)) => function.split_once('(').map(|(name, _)| name),
            // A row of a table; the tables take none without a comment.
            (false, None) if !comment.is_empty() => line.split_once(": ").map(|(name, _)| name),
            _ => None,
        };
        let is_name = |name: &&str| {
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_, ".contains(c))
        };
        if let Some(name) = name.filter(is_name) {
            assert!(!comment.is_empty(), "{name} has no comment");
            found.push((name.to_owned(), comment));
        }
    }
    found
}

/// The page lists all cases.
#[test]
fn the_page_lists_all_cases() {
    let mut page = INTRO.to_owned();
    for (module, title, source) in FILES {
        writeln!(page, "\n## {title}\n\n| case | what the program does |\n|---|---|").unwrap();
        for (names, comment) in cases(source) {
            let names: Vec<_> =
                names.split(", ").map(|name| format!("`{module}::{name}`")).collect();
            writeln!(page, "| {} | {comment} |", names.join(", ")).unwrap();
        }
    }
    expect_file!["../../docs/faults.md"].assert_eq(&page);
}
