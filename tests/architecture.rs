//! The floors of the house: no room imports one above it, nor a neighbour's insides.
//!
//! Read from the sources: every path that begins with `crate::`, or climbs by `super::` to the crate's root, names a
//! room. Comments and literals do not count.

#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms by floor, from the ground.
const FLOORS: [&[&str]; 7] = [
    &["config"],
    &["shogi"],
    &["clock", "eval"],
    &["search", "record", "csa"],
    &["engine", "archive", "report", "watch"],
    &["client", "server", "usi", "lab", "terminal", "dashboard", "cluster"],
    &["cli"],
];

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

#[test]
fn imports_run_downwards() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: Vec<(String, String)> = sources(&src)
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
            (name, text)
        })
        .collect();
    assert!(files.len() > 30, "only {} sources found", files.len());
    let faults = check(&files);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What is wrong with the imports of these files (name below `src/`, text).
fn check(files: &[(String, String)]) -> Vec<String> {
    // What each room's front shows: its public modules, and the names it passes on.
    let mut shown: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut passed_on: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut inside: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, text) in files {
        let Some((room, rest)) = name.split_once('/') else { continue };
        let module = rest.trim_end_matches(".rs").split('/').next().unwrap_or_default();
        if rest == "mod.rs" {
            shown.insert(room, public_modules(&tokens(text)));
            passed_on.insert(room, public_uses(&tokens(text)));
        } else {
            inside.entry(room).or_default().push(module.to_owned());
        }
    }
    let mut faults = Vec::new();
    for (name, text) in files {
        let Some((room, _)) = name.split_once('/') else { continue };
        let Some(own) = floor(room) else {
            faults.push(format!("src/{name}: the room {room} has no floor"));
            continue;
        };
        for path in paths_from_root(name, &tokens(text)) {
            let target = path[0].as_str();
            if target == room {
                continue;
            }
            let place = format!("src/{name}: crate::{}", path.join("::"));
            match floor(target) {
                None => faults.push(format!("{place} is no room")),
                Some(other) if other > own => {
                    faults.push(format!("{place} is on floor {other}, above floor {own}"));
                }
                Some(_) => {
                    let Some(module) = path.get(1) else { continue };
                    let is_inside = inside.get(target).is_some_and(|all| all.contains(module));
                    let is_shown = shown.get(target).is_some_and(|all| all.contains(module));
                    // A function may bear the name of the file it is in.
                    let is_passed_on = path.len() == 2
                        && passed_on.get(target).is_some_and(|all| all.contains(module));
                    if is_inside && !is_shown && !is_passed_on {
                        faults.push(format!("{place} is inside {target}, not shown by its mod.rs"));
                    }
                }
            }
        }
    }
    faults
}

/// The words and marks of a source, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let starts =
        |at: usize, what: &str| chars[at..].iter().take(what.len()).copied().eq(what.chars());
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            let mut depth = 0;
            while at < chars.len() {
                if starts(at, "/*") {
                    (depth, at) = (depth + 1, at + 2);
                } else if starts(at, "*/") {
                    (depth, at) = (depth - 1, at + 2);
                    if depth == 0 {
                        break;
                    }
                } else {
                    at += 1;
                }
            }
        } else if c == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if c == '\'' {
            // A character literal, else a lifetime.
            if chars.get(at + 1) == Some(&'\\') {
                at += 3;
                while at < chars.len() && chars[at] != '\'' {
                    at += 1;
                }
                at += 1;
            } else {
                at += if chars.get(at + 2) == Some(&'\'') { 3 } else { 1 };
            }
        } else if c.is_alphanumeric() || c == '_' {
            let begin = at;
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                at += 1;
            }
            let word: String = chars[begin..at].iter().collect();
            let hashes = chars[at..].iter().take_while(|&&c| c == '#').count();
            if matches!(word.as_str(), "r" | "br") && chars.get(at + hashes) == Some(&'"') {
                let end: String = std::iter::once('"').chain((0..hashes).map(|_| '#')).collect();
                at += hashes + 1;
                while at < chars.len() && !starts(at, &end) {
                    at += 1;
                }
                at += end.len();
            } else {
                found.push(word);
            }
        } else if starts(at, "::") {
            found.push("::".to_owned());
            at += 2;
        } else {
            if !c.is_whitespace() {
                found.push(c.to_string());
            }
            at += 1;
        }
    }
    found
}

/// The names after `pub mod`.
fn public_modules(tokens: &[String]) -> Vec<String> {
    let triple =
        |three: &[String]| (three[0] == "pub" && three[1] == "mod").then(|| three[2].clone());
    tokens.windows(3).filter_map(triple).collect()
}

/// The last names of all paths after `pub use`.
fn public_uses(tokens: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for at in 2..tokens.len() {
        let public = tokens[at - 2] == "pub" || tokens[at - 2] == ")";
        if public && tokens[at - 1] == "use" {
            tree(tokens, &mut { at }, &[], &mut found);
        }
    }
    found.into_iter().filter_map(|path| path.last().cloned()).collect()
}

/// The paths of a file that begin at the crate's root, with at least their first two names.
fn paths_from_root(name: &str, tokens: &[String]) -> Vec<Vec<String>> {
    // How many `super` lead from the file's module to the root.
    let file_depth = name.split('/').count() - usize::from(name.ends_with("mod.rs"));
    let mut found = Vec::new();
    // For each open brace whether it is a module's.
    let mut braces: Vec<bool> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is = |at: usize, what: &str| tokens.get(at).is_some_and(|token| token == what);
        if is(at, "{") {
            braces.push(at >= 2 && is(at - 2, "mod"));
        } else if is(at, "}") {
            braces.pop();
        } else if is(at, "crate") && is(at + 1, "::") {
            tree(tokens, &mut (at + 2), &[], &mut found);
        } else if is(at, "super") && is(at + 1, "::") && !(at > 0 && is(at - 1, "::")) {
            let mut climbed = 0;
            let mut next = at;
            while is(next, "super") && is(next + 1, "::") {
                (climbed, next) = (climbed + 1, next + 2);
            }
            let depth = file_depth + braces.iter().filter(|&&module| module).count();
            if climbed >= depth {
                tree(tokens, &mut next, &[], &mut found);
            }
        }
        at += 1;
    }
    found
}

/// Reads a path, or a group of paths in braces, behind a `::`.
fn tree(tokens: &[String], at: &mut usize, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let is = |at: usize, what: &str| tokens.get(at).is_some_and(|token| token == what);
    if is(*at, "{") {
        *at += 1;
        while *at < tokens.len() && !is(*at, "}") {
            let before = *at;
            tree(tokens, at, prefix, found);
            // Past `as name`, the comma, and whatever else there may be.
            while *at < tokens.len() && !is(*at, ",") && !is(*at, "}") {
                *at += 1;
            }
            if is(*at, ",") || *at == before {
                *at += 1;
            }
        }
        *at += 1;
        return;
    }
    let Some(name) = tokens.get(*at) else { return };
    let path = [prefix, std::slice::from_ref(name)].concat();
    *at += 1;
    if is(*at, "::") {
        *at += 1;
        tree(tokens, at, &path, found);
    } else {
        found.push(path);
    }
}

fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let owned: Vec<_> = files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    check(&owned)
}

#[test]
fn an_import_from_above_is_found_in_every_form() {
    for text in [
        "use crate::search::SearchLimits;",
        "use crate::{shogi::Move, search::SearchLimits};",
        "use crate::{\n    shogi::{Move, Square as S},\n    search,\n};",
        "fn f() { let x = crate::search::best(); }",
        "use super::super::search::SearchLimits;",
        "mod tests { use super::super::super::search::SearchLimits; }",
        "pub use crate::search as deeper;",
        "const Q: char = '\"'; use crate::search::SearchLimits; const R: &str = \"\";",
    ] {
        let found = faults(&[("clock/budget.rs", text)]);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].contains("crate::search"), "{found:?}");
        assert!(found[0].contains("above floor 2"), "{found:?}");
    }
}

#[test]
fn imports_from_below_and_of_its_own_and_words_in_comments_are_right() {
    let text = r##"
        //! Used by [`crate::search`].
        /* crate::search /* nested */ crate::server */
        use crate::shogi::{Move, notation::csa};
        use crate::clock::ledger::Ledger;
        use super::control::TimeControl;
        pub(in crate::clock) fn f<'a>(x: &'a str) -> char { '\'' }
        const TEXT: &str = "crate::search \" crate::server";
        const RAW: &str = r#"crate::search " crate::server"#;
        mod tests { use super::super::control; }
    "##;
    assert_eq!(faults(&[("clock/budget.rs", text)]), [] as [String; 0]);
}

#[test]
fn a_neighbours_insides_are_found_and_what_it_shows_is_not() {
    let rooms = [
        ("csa/mod.rs", "mod session; pub mod codec; pub(crate) mod summary; pub use session::S;"),
        ("csa/session.rs", ""),
        ("csa/codec.rs", ""),
        ("csa/summary/mod.rs", ""),
    ];
    let with = |text| faults(&[&rooms[..], &[("record/csa.rs", text)]].concat());
    assert!(with("use crate::csa::{S, codec::LineCodec};").is_empty());
    assert_eq!(with("use crate::csa::session::S;").len(), 1);
    assert_eq!(with("use crate::csa::{codec, summary::Y};").len(), 1);
    assert_eq!(with("use crate::csa::session;").len(), 1);
}

#[test]
fn a_function_may_bear_the_name_of_the_file_it_is_in() {
    let rooms = [
        ("archive/mod.rs", "mod recover; pub use recover::{Recovered, recover};"),
        ("archive/recover.rs", ""),
    ];
    let with = |text| faults(&[&rooms[..], &[("server/mod.rs", text)]].concat());
    assert!(with("use crate::archive::recover;").is_empty());
    assert_eq!(with("use crate::archive::recover::Recovered;").len(), 1);
}

#[test]
fn a_room_without_a_floor_is_found() {
    assert_eq!(faults(&[("attic/mod.rs", "")]).len(), 1);
    assert_eq!(faults(&[("cli/mod.rs", "use crate::attic::X;")]).len(), 1);
}
