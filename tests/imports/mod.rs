//! The modules of a crate and the paths in them, read from the sources.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Meta, UseTree, Visibility};

/// A module in a separate file.
#[derive(Default)]
pub(crate) struct Module {
    /// The path of its file below `src/`.
    pub(crate) file: String,
    /// Its path from the crate's root.
    pub(crate) path: Vec<String>,
    /// Its submodules, and whether they are public.
    children: BTreeMap<String, bool>,
    /// The names that it imports, with the paths they stand for.
    names: BTreeMap<String, Vec<String>>,
    uses: Vec<Use>,
    /// Whether it is for tests only.
    is_test: bool,
}

impl Module {
    /// A path of this module as a path from the crate's root; `None` for paths of other crates.
    fn rooted(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let start = if first == "crate" {
            Vec::new()
        } else if let Some(name) = self.names.get(first) {
            // The path begins at the root, in a submodule, or in another crate.
            let [top, names @ ..] = name.as_slice() else { return None };
            if top == "crate" {
                names.to_vec()
            } else if self.children.contains_key(top) {
                [&self.path, name.as_slice()].concat()
            } else {
                return None;
            }
        } else if self.children.contains_key(first) {
            [self.path.as_slice(), std::slice::from_ref(first)].concat()
        } else {
            return None;
        };
        Some([start.as_slice(), rest].concat())
    }
}

/// A path in a module.
struct Use {
    /// The path from the crate's root if that is known, otherwise as written.
    path: Vec<String>,
    in_test: bool,
    /// Whether it only re-exports a name.
    is_reexport: bool,
}

/// The modules of a crate by their names.
pub(crate) struct Sources(BTreeMap<Vec<String>, Module>);

impl Sources {
    /// Reads files: their names below `src/`, and their texts.
    pub(crate) fn read(files: &[(String, String)]) -> Self {
        let mut modules = BTreeMap::new();
        let mut test_modules = Vec::new();
        for (file, text) in files {
            let name = file.trim_end_matches(".rs").trim_end_matches("/mod");
            let path: Vec<String> = name.split('/').map(str::to_owned).collect();
            if file.contains('/') {
                let is_test = path.iter().any(|name| name == "tests");
                let module =
                    Module { file: file.clone(), path: path.clone(), is_test, ..Module::default() };
                let mut reader =
                    Reader { module, at: path.clone(), in_test: false, test_modules: Vec::new() };
                reader.visit_file(&syn::parse_file(text).unwrap());
                modules.insert(path, reader.module);
                test_modules.extend(reader.test_modules);
            }
        }
        for module in modules.values_mut() {
            module.is_test |= test_modules.iter().any(|path| module.path.starts_with(path));
        }
        Self(modules)
    }

    /// All paths that begin at the crate's root, with the module they are in.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&Module, &[String])> {
        let top = |path: &&Use| path.path.len() > 1 && path.path[0] == "crate";
        self.0.values().flat_map(move |module| {
            module.uses.iter().filter(top).map(move |path| (module, &path.path[1..]))
        })
    }

    /// Whether a path from the crate's root leads into a submodule that is not public.
    pub(crate) fn is_inside(&self, path: &[String]) -> bool {
        let top = self.0.get(&path[..1]);
        path.len() > 2 && top.is_some_and(|top| top.children.get(&path[1]) == Some(&false))
    }

    /// The imports outside of tests: a module, the module with what it imports, and the path to that.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (&Module, &[String], Vec<String>)> {
        let modules = self.0.values().filter(|module| !module.is_test);
        modules.flat_map(move |module| {
            let uses = module.uses.iter().filter(|path| !path.in_test && !path.is_reexport);
            uses.filter_map(move |path| {
                let path = module.rooted(&path.path)?;
                let (target, path) = self.definition(path)?;
                Some((module, target, path))
            })
        })
    }

    /// The module with the definition of what a path names, and the path to it there; `None` for a path that names a
    /// module.
    fn definition(&self, mut path: Vec<String>) -> Option<(&[String], Vec<String>)> {
        // A bound on the number of re-exports that a path passes through.
        for _ in 0..16 {
            let depth =
                (1..=path.len()).rev().find(|depth| self.0.contains_key(&path[..*depth]))?;
            let module = &self.0[&path[..depth]];
            let name = path.get(depth)?;
            if !module.names.contains_key(name) {
                return Some((&module.path, path));
            }
            path = module.rooted(&path[depth..])?;
        }
        None
    }
}

/// Reads one file.
struct Reader {
    module: Module,
    /// The module whose code is read, including inline modules.
    at: Vec<String>,
    in_test: bool,
    test_modules: Vec<Vec<String>>,
}

impl Reader {
    /// `super::x` and `self::x` become paths from the root, which begin with `crate`.
    fn add(&mut self, names: Vec<String>, is_reexport: bool) -> Vec<String> {
        let supers = names.iter().take_while(|name| *name == "super").count();
        let path = if names[0] == "self" || supers > 0 {
            let own = &self.at[..self.at.len().saturating_sub(supers)];
            [&["crate".to_owned()], own, &names[supers.max(1)..]].concat()
        } else {
            names
        };
        self.module.uses.push(Use { path: path.clone(), in_test: self.in_test, is_reexport });
        path
    }

    fn tree(&mut self, tree: &UseTree, mut prefix: Vec<String>, is_reexport: bool) {
        let (name, renamed) = match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                return self.tree(&path.tree, prefix, is_reexport);
            }
            UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|tree| self.tree(tree, prefix.clone(), is_reexport));
            }
            UseTree::Glob(_) => ("*".to_owned(), "*".to_owned()),
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(rename) => (rename.ident.to_string(), rename.rename.to_string()),
        };
        let renamed =
            if renamed == "self" { prefix.last().cloned().unwrap_or_default() } else { renamed };
        if name != "self" {
            prefix.push(name);
        }
        let path = self.add(prefix, is_reexport);
        if !self.in_test {
            self.module.names.insert(renamed, path);
        }
    }

    /// The paths in a macro's arguments, which are tokens and not parsed syntax.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut names, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons < 2 {
                        self.end_of_path(&mut names);
                    }
                    names.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.end_of_path(&mut names);
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.end_of_path(&mut names);
    }

    fn end_of_path(&mut self, names: &mut Vec<String>) {
        if names.len() > 1 {
            self.add(std::mem::take(names), false);
        }
        names.clear();
    }

    fn within(&mut self, attributes: &[Attribute], read: impl FnOnce(&mut Self)) {
        let before = self.in_test;
        self.in_test |= attributes.iter().any(is_for_tests);
        read(self);
        self.in_test = before;
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        self.within(&item.attrs, |reader| {
            reader.at.push(name.clone());
            if item.content.is_some() {
                reader.in_test |= name == "tests";
                visit::visit_item_mod(reader, item);
            } else if reader.in_test {
                reader.test_modules.push(reader.at.clone());
            }
            reader.at.pop();
        });
        if item.content.is_none() {
            self.module.children.insert(name, matches!(item.vis, Visibility::Public(_)));
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_reexport = !matches!(item.vis, Visibility::Inherited);
        self.within(&item.attrs, |reader| reader.tree(&item.tree, Vec::new(), is_reexport));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(&item.attrs, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.within(&item.attrs, |reader| visit::visit_item_impl(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(&item.attrs, |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|part| part.ident.to_string()).collect(), false);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(item.tokens.clone());
    }

    /// Attributes name no modules.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
