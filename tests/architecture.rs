//! The order of the modules: no module imports from a layer above its own or from inside another top-level module, and
//! no modules of one folder import each other in a circle.
//!
//! Read from the sources with `syn`: the paths of `use` items, and all paths in code, in macros too. A path is followed
//! through the names that a module imports or re-exports to the module with the definition. Calls of methods have no
//! path and are not seen.

#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use imports::Sources;

/// The top-level modules by layer, from the lowest.
const LAYERS: [&[&str]; 7] = [
    &["config", "time_text"],
    &["shogi"],
    &["clock", "eval"],
    &["search", "record", "csa"],
    &["engine", "archive", "report", "watch"],
    &["client", "server", "usi", "lab", "terminal", "dashboard", "cluster"],
    &["cli"],
];

/// The circles that exist: a folder, and its modules that import each other directly or indirectly; `mod` stands for
/// `mod.rs`. A circle that no longer exists must be removed from the list; none may be added.
const KNOWN: [(&str, &[&str]); 18] = [
    ("cli/explain", &["head", "json", "mod", "page", "table"]),
    ("client", &["local", "run"]),
    ("csa/session", &["mod", "silence", "suspended"]),
    ("csa/summary", &["mod", "reader", "time"]),
    ("engine/usi/driver", &["mod", "restart"]),
    ("lab", &["run", "slot", "store"]),
    ("lab", &["selfplay", "train"]),
    ("lab/tune", &["report", "run"]),
    (
        "search",
        &[
            "explain",
            "node",
            "root",
            "root_forms",
            "root_mate",
            "table_access",
            "team",
            "time_manager",
            "vote",
            "worker",
        ],
    ),
    ("search", &["history", "interest", "penalty"]),
    ("search/explain", &["mod", "probe"]),
    ("search/interest", &["drop_set", "scorer", "term", "terms"]),
    ("search/interest", &["list", "sweep"]),
    ("search/node", &["child", "mod", "scout"]),
    ("search/parameters", &["parameter", "table"]),
    ("search/plausible", &["context", "develop", "facts", "squares", "threats"]),
    ("server", &["connection", "gamename", "host", "hub", "lobby", "recorder", "settings"]),
    ("server/lobby", &["mod", "pairing"]),
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

/// The faults in the imports between top-level modules.
fn layer_faults(sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    for (module, path) in sources.paths() {
        let (own, target) = (&module.path[0], &path[0]);
        if own == target {
            continue;
        }
        let place = format!("{}: crate::{}", module.file, path.join("::"));
        match (layer(own), layer(target)) {
            (None, _) => faults.push(format!("{}: the module {own} has no layer", module.file)),
            (_, None) => faults.push(format!("{place} is not a module")),
            (Some(from), Some(to)) if to > from => {
                faults.push(format!("{place} is in layer {to}, above layer {from}"));
            }
            _ if sources.is_inside(path) => {
                faults.push(format!("{place} is inside {target}, not public in its mod.rs"));
            }
            _ => {}
        }
    }
    faults
}

/// Two modules of one folder, and a path with which the first imports from the second.
type Edges = BTreeMap<(String, String), String>;

/// The imports between the modules of each folder.
fn edges(sources: &Sources) -> BTreeMap<String, Edges> {
    let mut folders: BTreeMap<String, Edges> = BTreeMap::new();
    for (from, to, path) in sources.imports() {
        let common = from.path.iter().zip(to).take_while(|(a, b)| a == b).count();
        let unit =
            |path: &[String]| path.get(common).map_or_else(|| "mod".to_owned(), String::clone);
        let (one, other) = (unit(&from.path), unit(to));
        if common > 0 && one != other {
            let place = format!("{}: crate::{}", from.file, path.join("::"));
            let folder = folders.entry(from.path[..common].join("/")).or_default();
            folder.entry((one, other)).or_insert(place);
        }
    }
    folders
}

/// The sets of modules that import each other directly or indirectly.
fn circles(edges: &Edges) -> BTreeSet<Vec<String>> {
    let reached = |start: &String| {
        let (mut found, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(unit) = open.pop() {
            for (_, next) in edges.keys().filter(|(from, _)| from == unit) {
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    };
    let all: BTreeMap<_, _> = edges.keys().map(|(unit, _)| (unit, reached(unit))).collect();
    let circle = |unit: &String| {
        let members =
            all[unit].iter().filter(|other| all.get(*other).is_some_and(|r| r.contains(unit)));
        members.map(|unit| (*unit).clone()).collect::<Vec<_>>()
    };
    all.keys().map(|unit| circle(unit)).filter(|circle| !circle.is_empty()).collect()
}

/// The differences between the circles of these sources and a list of known ones.
fn circle_faults(sources: &Sources, known: &[(&str, &[&str])]) -> Vec<String> {
    let known: BTreeSet<(String, Vec<String>)> = known
        .iter()
        .map(|(folder, units)| {
            ((*folder).to_owned(), units.iter().map(|unit| (*unit).to_owned()).collect())
        })
        .collect();
    let (mut found, mut faults) = (BTreeSet::new(), Vec::new());
    for (folder, edges) in edges(sources) {
        for circle in circles(&edges) {
            if !known.contains(&(folder.clone(), circle.clone())) {
                faults.push(format!("circle in {folder}: {circle:?}"));
                let inside = |unit: &String| circle.contains(unit);
                let inner = edges.iter().filter(|((one, other), _)| inside(one) && inside(other));
                faults.extend(inner.map(|((one, other), at)| format!("  {one} -> {other}: {at}")));
            }
            found.insert((folder.clone(), circle));
        }
    }
    let gone = known.difference(&found);
    faults
        .extend(gone.map(|circle| format!("no circle any more, remove it from KNOWN: {circle:?}")));
    faults
}

fn program() -> Sources {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut open) = (Vec::new(), vec![src.clone()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(files.len() > 30, "only {} sources found", files.len());
    Sources::read(&files)
}

#[test]
fn imports_run_downwards() {
    let faults = layer_faults(&program());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn there_are_only_known_circles() {
    let faults = circle_faults(&program(), &KNOWN);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn sources(files: &[(&str, &str)]) -> Sources {
    let owned = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Sources::read(&owned.collect::<Vec<_>>())
}

#[test]
fn an_import_from_above_is_found_in_every_form() {
    for text in [
        "use crate::search::Limits;",
        "use crate::{shogi::Move, search::Limits};",
        "fn f() { let x = crate::search::best(); }",
        "use super::super::search::Limits;",
        "mod tests { use super::super::super::search::Limits; }",
        "pub use crate::search::best as deeper;",
        "fn f() { println!(\"{}\", crate::search::best()); }",
    ] {
        let found = layer_faults(&sources(&[("clock/budget.rs", text), ("search/mod.rs", "")]));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].contains("in layer 3, above layer 2"), "{found:?}");
    }
    let attic = sources(&[("attic/mod.rs", "use crate::shogi::Move;"), ("shogi/mod.rs", "")]);
    assert_eq!(layer_faults(&attic).len(), 1);
}

#[test]
fn private_submodules_are_not_imported_from_outside() {
    let with = |text| {
        layer_faults(&sources(&[
            (
                "csa/mod.rs",
                "mod session; pub mod codec; pub(crate) mod summary; pub use session::S;",
            ),
            ("csa/session.rs", ""),
            ("csa/codec.rs", ""),
            ("csa/summary/mod.rs", ""),
            ("record/csa.rs", text),
        ]))
    };
    assert!(with("use crate::csa::{S, codec::LineCodec};").is_empty());
    assert_eq!(with("use crate::csa::session::S;").len(), 1);
    assert_eq!(with("use crate::csa::{codec, summary::Y};").len(), 1);
}

#[test]
fn circles_are_found_and_re_exports_are_not_circles() {
    let with = |parent, a, b| {
        let files = sources(&[("csa/mod.rs", parent), ("csa/a.rs", a), ("csa/b/mod.rs", b)]);
        circle_faults(&files, &[]).first().cloned().unwrap_or_default()
    };
    let declares = "mod a; mod b; pub use a::A; use b::B;";
    assert_eq!(with(declares, "use super::B;", ""), "");
    assert_eq!(
        with(declares, "use super::B;", "use crate::csa::A;"),
        r#"circle in csa: ["a", "b"]"#
    );
    assert_eq!(
        with(declares, "fn f() { super::b::g() }", "use super::A;"),
        r#"circle in csa: ["a", "b"]"#
    );
    assert_eq!(
        with(declares, "use super::b; type T = b::B;", "use super::A;"),
        r#"circle in csa: ["a", "b"]"#
    );
    assert_eq!(
        with(declares, "use super::B;", "#[cfg(test)] mod tests { use super::super::A; }"),
        ""
    );
    let defines = "mod a; mod b; use a::A; struct P(A);";
    assert_eq!(with(defines, "", "use super::P;"), "");
    assert_eq!(with(defines, "use super::P;", ""), r#"circle in csa: ["a", "mod"]"#);
}

#[test]
fn a_known_circle_that_is_gone_is_reported() {
    let files = sources(&[("csa/mod.rs", "mod a;"), ("csa/a.rs", "")]);
    let faults = circle_faults(&files, &[("csa", &["a", "b"])]);
    assert!(faults.len() == 1 && faults[0].contains("remove it from KNOWN"), "{faults:?}");
}
