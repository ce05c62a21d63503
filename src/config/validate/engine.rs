//! `[engine]` and the opponent's table, and `[book]`.

use std::{num::NonZeroUsize, time::Duration};

use kyomi_record::book::BookRules;

use crate::config::{
    BookConfig, EngineConfig, EngineKind, EngineOption, Ponder, Restart, defaults,
    raw::{Origin, RawBook, RawEngine, RawOptions},
    value::PonderText,
};

use super::{Check, between, choice, file_path, table_size, whole, without_nul};

impl Check<'_> {
    pub(super) fn engine(&mut self, table: &str, raw: RawEngine) -> EngineConfig {
        let key = |name: &str| format!("{table}.{name}");
        let kind_place = raw.kind.as_ref().map(|field| self.place(&field.origin));
        let kind = self
            .take(&key("kind"), raw.kind, EngineKind::default, |text| choice(&text, ENGINE_KINDS));
        let path_place = raw.path.as_ref().map(|field| self.place(&field.origin));
        let path = self.take(&key("path"), raw.path, || None, |text| file_path(text).map(Some));
        match (kind, path_place) {
            (EngineKind::Usi, None) => {
                let place = kind_place.unwrap_or_else(|| self.document.label().to_owned());
                let problem = "it is missing; a USI engine needs the path of its program";
                self.fault(place, &key("path"), problem);
            }
            (EngineKind::Builtin | EngineKind::Random, Some(place)) => {
                let unused = key("path");
                let warning =
                    format!("{place}: {unused} is not used, since {table}.kind is not \"usi\"");
                self.warnings.push(warning.into());
            }
            _ => {}
        }
        if kind != EngineKind::Builtin
            && let Some(eval) = &raw.eval
        {
            let (place, unused) = (self.place(&eval.origin), key("eval"));
            let warning =
                format!("{place}: {unused} is not used, since {table}.kind is not \"builtin\"");
            self.warnings.push(warning.into());
        }
        EngineConfig {
            kind,
            threads: self.take(
                &key("threads"),
                raw.threads,
                || None,
                |n| whole::<usize>(n, 1..=1024).map(NonZeroUsize::new),
            ),
            hash: self.take(&key("hash"), raw.hash, defaults::hash, |text| table_size(&text)),
            ponder: self.take(&key("ponder"), raw.ponder, Ponder::default, |text: PonderText| {
                choice(&text.0, PONDERS)
            }),
            eval: self.take(&key("eval"), raw.eval, || None, |text| file_path(text).map(Some)),
            path,
            args: self.take(&key("args"), raw.args, Vec::new, |args| {
                args.into_iter().map(without_nul).collect()
            }),
            working_dir: self.take(
                &key("working_dir"),
                raw.working_dir,
                || None,
                |text| file_path(text).map(Some),
            ),
            ready_timeout: self.take(
                &key("ready_timeout"),
                raw.ready_timeout,
                defaults::ready_timeout,
                |text| between(&text, Duration::from_secs(1), Duration::from_secs(24 * 3600)),
            ),
            restart: self.take(&key("restart"), raw.restart, Restart::default, |text| {
                choice(&text, RESTARTS)
            }),
            options: self.options(table, raw.options),
        }
    }

    /// The options in the order of the file, which may matter to an engine.
    fn options(&mut self, table: &str, raw: RawOptions) -> Vec<EngineOption> {
        let mut fields: Vec<_> = raw.into_iter().collect();
        fields.sort_by_key(|(_, field)| match field.origin {
            Origin::File(offset) => offset,
            Origin::External(_) => usize::MAX,
        });
        let mut options = Vec::new();
        for (name, field) in fields {
            let key = format!("{table}.options.{name}");
            let option = self.take(
                &key,
                Some(field),
                || None,
                |text| {
                    if name.trim().is_empty() || name.contains(char::is_control) {
                        return Err("an option needs a name on one line".to_owned());
                    }
                    if text.0.contains(char::is_control) {
                        return Err(
                            "an option's value is one line without control characters".to_owned()
                        );
                    }
                    Ok(Some(EngineOption { name: name.clone(), value: text.0 }))
                },
            );
            options.extend(option);
        }
        options
    }

    pub(super) fn book(&mut self, raw: RawBook) -> BookConfig {
        let usual = BookRules::default();
        BookConfig {
            enabled: self.take("book.enabled", raw.enabled, || None, |on| Ok(Some(on))),
            file: self.take("book.file", raw.file, || None, |text| file_path(text).map(Some)),
            rules: BookRules {
                narrow: self.take(
                    "book.choice",
                    raw.choice,
                    || usual.narrow,
                    |text| choice(&text, BOOK_CHOICES),
                ),
                max_ply: self.take(
                    "book.max_ply",
                    raw.max_ply,
                    || usual.max_ply,
                    |n| whole(n, 0..=10_000),
                ),
                margin: self.take(
                    "book.margin",
                    raw.margin,
                    || usual.margin,
                    |n| whole(n, 0..=99_999),
                ),
                min_depth: self.take(
                    "book.min_depth",
                    raw.min_depth,
                    || usual.min_depth,
                    |n| whole(n, 0..=99_999),
                ),
                ignore_ply: self.take("book.ignore_ply", raw.ignore_ply, || usual.ignore_ply, Ok),
                flipped: self.take("book.flipped", raw.flipped, || usual.flipped, Ok),
                seed: self.take(
                    "book.seed",
                    raw.seed,
                    || None,
                    |n| whole(n, 0..=i64::MAX).map(Some),
                ),
            },
        }
    }
}

const RESTARTS: &[(&str, Restart)] =
    &[("on failure", Restart::OnFailure), ("each game", Restart::EachGame)];
const ENGINE_KINDS: &[(&str, EngineKind)] =
    &[("builtin", EngineKind::Builtin), ("usi", EngineKind::Usi), ("random", EngineKind::Random)];
/// Whether only the best move is played.
const BOOK_CHOICES: &[(&str, bool)] = &[("random", false), ("narrow", true)];
const PONDERS: &[(&str, Ponder)] = &[
    ("true", Ponder::Named),
    ("false", Ponder::Off),
    ("pv", Ponder::NamedOrPv),
    ("early", Ponder::Early),
];
