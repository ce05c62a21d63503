//! The modules of a crate and the paths in them, read from the tokens of the sources.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

type Names = Vec<String>;

/// A module in a separate file.
#[derive(Default)]
pub(crate) struct Module {
    /// The path of its file below `src/`.
    pub(crate) file: String,
    /// Its path from the crate's root.
    pub(crate) path: Names,
    /// Its submodules, and whether they are public.
    children: BTreeMap<String, bool>,
    /// Modules in it that are for tests only.
    tests: Vec<Names>,
    /// The names that it imports, with the paths they stand for.
    names: BTreeMap<String, Names>,
    /// The paths in it, from `crate` instead of `self` and `super`, and whether the program imports something by them.
    /// Tests and re-exports do not count.
    paths: Vec<(Names, bool)>,
}

/// The modules of a crate by their names.
pub(crate) struct Sources(BTreeMap<Names, Module>);

impl Sources {
    /// Reads files, by their names below `src/` and their texts. The files of the crate's root are left out.
    pub(crate) fn read(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let files = files.into_iter().filter(|(file, _)| file.contains('/'));
        let modules = files.map(|(file, text)| {
            let name = file.trim_end_matches(".rs").trim_end_matches("/mod");
            let path: Names = name.split('/').map(str::to_owned).collect();
            let for_test = path.iter().any(|name| name == "tests");
            let scope = Scope { at: path.clone(), for_test, ..Scope::default() };
            let mut module = Module { file, path: path.clone(), ..Module::default() };
            module.read(text.parse().unwrap(), &scope);
            (path, module)
        });
        Self(modules.collect())
    }

    /// All paths that begin at the crate's root, with the module they are in.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&Module, &[String])> {
        self.0.values().flat_map(|module| {
            let rooted = |(path, _): &&(Names, bool)| path.len() > 1 && path[0] == "crate";
            module.paths.iter().filter(rooted).map(move |(path, _)| (module, &path[1..]))
        })
    }

    /// Whether a path from the crate's root leads into a submodule that is not public.
    pub(crate) fn is_inside(&self, path: &[String]) -> bool {
        let top = self.0.get(&path[..1]);
        path.len() > 2 && top.is_some_and(|top| top.children.get(&path[1]) == Some(&false))
    }

    /// The imports outside of tests: a module, the module with what it imports, and the path to that.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (&Module, &[String], Names)> {
        let tests: Vec<_> = self.0.values().flat_map(|module| &module.tests).collect();
        let is_test = move |path: &Names| tests.iter().any(|test| path.starts_with(test));
        self.0.values().filter(move |module| !is_test(&module.path)).flat_map(move |module| {
            let imports = module.paths.iter().filter(|(_, is_import)| *is_import);
            let found = imports.filter_map(|(path, _)| self.definition(module, path, 16));
            found.map(move |(target, path)| (module, target, path))
        })
    }

    /// The module with the definition of what a path in a module names, at most `steps` imported names away, and the
    /// path to it from the crate's root. `None` for a path that names a module or leads out of the crate.
    fn definition(&self, at: &Module, path: &[String], steps: u32) -> Option<(&[String], Names)> {
        let path = match (path[0].as_str(), at.names.get(&path[0])) {
            ("crate", _) => path[1..].to_vec(),
            // A function and a module may have the same name.
            (first, _) if path.len() > 1 && at.children.contains_key(first) => {
                [&at.path, path].concat()
            }
            (_, name) => {
                return self.definition(at, &[name?, &path[1..]].concat(), steps.checked_sub(1)?);
            }
        };
        let depth = (1..=path.len()).rev().find(|depth| self.0.contains_key(&path[..*depth]))?;
        let module = &self.0[&path[..depth]];
        if module.names.contains_key(path.get(depth)?) {
            return self.definition(module, &path[depth..], steps.checked_sub(1)?);
        }
        Some((&module.path, path))
    }
}

/// What some tokens belong to.
#[derive(Clone, Default)]
struct Scope {
    /// The module: that of the file, or one inside it.
    at: Names,
    for_test: bool,
    /// Whether an item is public, if it says `pub` at all.
    visibility: Option<bool>,
    is_use: bool,
    /// What paths within the braces of a `use` item have before them.
    prefix: Names,
}

impl Module {
    fn read(&mut self, tokens: TokenStream, outer: &Scope) {
        let mut tokens = tokens.into_iter().peekable();
        let (mut scope, mut path, mut colons, mut alias) = (outer.clone(), Names::new(), 0, None);
        while let Some(token) = tokens.next() {
            let is_group = matches!(token, TokenTree::Group(_));
            let word = if is_group { String::new() } else { token.to_string() };
            let goes_on = colons == 2;
            colons = if word == ":" { colons + 1 } else { 0 };
            if colons > 0 {
                continue;
            }
            if !goes_on && !(scope.is_use && (is_group || word == "as")) {
                self.add(&std::mem::take(&mut path), &scope, alias.take());
            }
            let next = tokens.peek().map(ToString::to_string).unwrap_or_default();
            match (token, word.as_str()) {
                (TokenTree::Group(group), _) => {
                    let prefix = [&scope.prefix[..], &std::mem::take(&mut path)].concat();
                    let visibility = scope.visibility.filter(|_| scope.is_use);
                    self.read(group.stream(), &Scope { visibility, prefix, ..scope.clone() });
                    if group.delimiter() == Delimiter::Brace && !scope.is_use {
                        scope = outer.clone();
                    }
                }
                (_, "," | ";") => scope = outer.clone(),
                (_, "use") => scope.is_use = true,
                (_, "as") if scope.is_use => alias = tokens.next().map(|_| next),
                (_, "pub") => scope.visibility = Some(!next.starts_with('(')),
                (_, "#") => scope.for_test |= next == "[cfg (test)]",
                (_, "mod") => {
                    scope.at.push(next.clone());
                    scope.for_test |= next == "tests";
                    tokens.next();
                    if tokens.peek().is_some_and(|next| next.to_string() == ";") {
                        self.tests.extend(scope.for_test.then(|| scope.at.clone()));
                        self.children.insert(next, scope.visibility == Some(true));
                    }
                }
                (TokenTree::Ident(_), _) => path.push(word),
                (_, "*") if scope.is_use => path.push(word),
                _ => {}
            }
        }
        self.add(&path, &scope, alias);
    }

    /// Adds a path as it is written, and the name that it gives to what it names.
    fn add(&mut self, path: &[String], scope: &Scope, alias: Option<String>) {
        let Some(last) = path.last().cloned() else { return };
        let mut path = [&scope.prefix, path].concat();
        path.truncate(path.len() - usize::from(scope.is_use && last == "self" && path.len() > 1));
        let supers = path.iter().take_while(|name| *name == "super").count();
        if supers > 0 || path[0] == "self" {
            let own = &scope.at[..scope.at.len().saturating_sub(supers)];
            path = [&["crate".to_owned()], own, &path[supers.max(1)..]].concat();
        }
        if scope.is_use && !scope.for_test {
            let name = alias.or_else(|| path.last().cloned()).unwrap_or(last);
            self.names.insert(name, path.clone());
        }
        if path.len() > 1 || self.names.contains_key(&path[0]) {
            let is_reexport = scope.is_use && scope.visibility.is_some();
            self.paths.push((path, !scope.for_test && !is_reexport));
        }
    }
}
