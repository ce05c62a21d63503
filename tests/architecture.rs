//! The order of the modules: no module imports from a layer above its own or from inside another top-level module, and
//! no modules of one folder import each other in a circle.
//!
//! Read from the tokens of the sources: the paths of `use` items and all paths in code, in macros too. A path is
//! followed through the names that a module imports or re-exports to the module with the definition. Calls of methods
//! have no path and are not seen.

#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use imports::Sources;

/// The packages of the libraries. Each counts as a top-level module.
const PACKAGES: [&str; 4] = ["shogi", "record", "engine", "csa"];

/// The packages and the top-level modules by layer, from the lowest, and in groups within a layer.
const LAYERS: [&[&[&str]]; 8] = [
    &[&["kyomi_shogi"]],
    &[&["kyomi_engine"], &["kyomi_record"]],
    &[&["kyomi_csa"]],
    &[&["config"]],
    &[&["players"], &["archive", "watch"]],
    &[&["cluster"]],
    &[&[
        "client",
        "server",
        "usi",
        "matches",
        "report",
        "terminal",
        "service",
        "notify",
        "dashboard",
    ]],
    &[&["cli"]],
];

/// The layer of a module and its group there.
fn place(name: &str) -> Option<(usize, usize)> {
    LAYERS.iter().enumerate().find_map(|(layer, groups)| {
        Some((layer, groups.iter().position(|names| names.contains(&name))?))
    })
}

/// The faults in the imports between top-level modules.
fn layer_faults(sources: &Sources) -> Vec<String> {
    let fault = |own: &str, path: &[String]| match (place(own), place(&path[0])) {
        (None, _) => Some(format!("{own} has no layer")),
        (_, None) => Some("not a module".to_owned()),
        (Some((from, _)), Some((to, _))) if to > from => {
            Some(format!("layer {to}, above layer {from}"))
        }
        (Some((from, group)), Some((to, other))) if to == from && group != other => {
            Some(format!("beside {own} in layer {from}"))
        }
        _ => sources.is_inside(path).then(|| "inside, not public in its mod.rs".to_owned()),
    };
    let between = sources.paths().filter(|(module, path)| module.path[0] != path[0]);
    let faults = between.filter_map(|(module, path)| {
        let fault = fault(&module.path[0], path)?;
        Some(format!("{}: crate::{}: {fault}", module.file, path.join("::")))
    });
    faults.collect()
}

/// The imports between modules of one folder from which other imports lead back, each with a path for it. `x/mod` is
/// the code in the `mod.rs` of the folder `x`.
fn circles(sources: &Sources) -> BTreeMap<String, String> {
    let mut edges: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (from, to, path) in sources.imports() {
        let common = from.path.iter().zip(to).take_while(|(a, b)| a == b).count();
        let folder = from.path[..common].join("/");
        let unit =
            |path: &[String]| format!("{folder}/{}", path.get(common).map_or("mod", |it| it));
        let (one, other) = (unit(&from.path), unit(to));
        if common > 0 && one != other {
            let place = format!("{}: crate::{}", from.file, path.join("::"));
            edges.entry(one).or_default().entry(other).or_insert(place);
        }
    }
    let leads = |from: &String, to: &String| {
        let (mut found, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(unit) = open.pop().filter(|_| !found.contains(to)) {
            let next = edges.get(unit).into_iter().flat_map(BTreeMap::keys);
            open.extend(next.filter(|next| found.insert((*next).clone())));
        }
        found.contains(to)
    };
    let all = edges.iter().flat_map(|(one, to)| to.iter().map(move |(other, at)| (one, other, at)));
    let round = all.filter(|(one, other, _)| leads(other, one));
    round.map(|(one, other, place)| (format!("{one} -> {other}"), place.clone())).collect()
}

/// The names of all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The sources of a package, as if it were a module of one crate: names and texts.
fn sources_of(src: &Path, package: &str) -> Vec<(String, String)> {
    let mut files = files(src);
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let (folder, own) = match package {
        "" => (String::new(), "crate::".to_owned()),
        _ => (format!("kyomi_{package}/"), format!("crate::kyomi_{package}::")),
    };
    let source = |path: &PathBuf| {
        let name = path.strip_prefix(src).unwrap().to_str().unwrap().replace('\\', "/");
        let name = if package.is_empty() { name } else { name.replace("lib.rs", "mod.rs") };
        let mut text = fs::read_to_string(path).unwrap().replace("crate::", "this package::");
        for other in PACKAGES {
            text = text.replace(&format!("kyomi_{other}::"), &format!("crate::kyomi_{other}::"));
        }
        (folder.clone() + &name, text.replace("this package::", &own))
    };
    files.iter().map(source).collect()
}

#[test]
fn the_modules_are_in_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = sources_of(&root.join("src"), "");
    for package in PACKAGES {
        all.extend(sources_of(&root.join("crates").join(package).join("src"), package));
    }
    assert!(all.len() > 30, "only {} sources found", all.len());
    let program = Sources::read(all);
    let faults = layer_faults(&program);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let circles = circles(&program);
    assert!(circles.is_empty(), "{circles:#?}");
}

fn sources(files: &[(&str, &str)]) -> Sources {
    Sources::read(files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())))
}

#[test]
fn what_is_above_or_inside_is_found_in_every_form() {
    let parent = "mod session; pub mod codec; pub(crate) mod summary; pub use session::S;";
    let above = "layer 6, above layer 4";
    for (text, fault) in [
        ("use crate::client::Limits;", above),
        ("use crate::{kyomi_shogi::Move, client::Limits};", above),
        ("fn f() { let x = crate::client::best(); }", above),
        ("use super::super::client::Limits;", above),
        ("mod tests { use super::super::super::client::Limits; }", above),
        ("pub use crate::client::best as deeper;", above),
        ("fn f() { println!(\"{}\", crate::client::best()); }", above),
        ("use crate::archive::session::S;", "inside"),
        ("use crate::archive::{codec, summary::Y};", "inside"),
        ("use crate::players::Player;", "beside watch"),
        ("use crate::attic::Limits;", "not a module"),
        ("use crate::{archive::{S, codec::LineCodec}, kyomi_shogi::Move};", ""),
    ] {
        let found = layer_faults(&sources(&[("archive/mod.rs", parent), ("watch/line.rs", text)]));
        assert_eq!(found.len(), usize::from(!fault.is_empty()), "{text}: {found:?}");
        assert!(found.iter().all(|it| it.contains(fault)), "{text}: {found:?}");
    }
    let attic = layer_faults(&sources(&[("attic/mod.rs", "use crate::kyomi_shogi::Move;")]));
    assert!(attic.len() == 1 && attic[0].contains("attic has no layer"), "{attic:?}");
}

#[test]
fn circles_are_found_and_re_exports_are_not_circles() {
    let declares = "mod a; mod b; pub use a::A; use b::B;";
    let defines = "mod a; mod b; use a::A; struct P(A);";
    let both = ["csa/a -> csa/b", "csa/b -> csa/a"];
    let with_parent = ["csa/a -> csa/mod", "csa/mod -> csa/a"];
    for (parent, a, b, circle) in [
        (declares, "use super::B;", "", &[][..]),
        (declares, "use super::B;", "use crate::csa::A;", &both),
        (declares, "fn f() { super::b::g() }", "use super::A;", &both),
        (declares, "use super::b; type T = b::B;", "use super::A;", &both),
        (declares, "use super::{b::{self as c}}; type T = c::B;", "use super::A;", &both),
        (declares, "use super::B;", "#[cfg(test)] mod tests { use super::super::A; }", &[]),
        (declares, "use super::B;", "#[cfg(test)] use super::A;", &[]),
        (declares, "use super::B;", "#[cfg(test)] fn f() {} type T = super::A;", &both),
        (defines, "", "use super::P;", &[]),
        (defines, "use super::P;", "", &with_parent),
        ("mod a; pub use a::A; struct P(A);", "use super::P;", "", &with_parent),
    ] {
        let files = sources(&[("csa/mod.rs", parent), ("csa/a.rs", a), ("csa/b/mod.rs", b)]);
        let found = circles(&files);
        assert!(found.keys().eq(circle), "{parent} {a} {b}: {found:?}");
    }
}
