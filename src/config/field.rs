//! A value as written, with its place.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::value::{FromText, OptionText};

/// A value and its origin.
#[derive(Debug, Clone)]
pub(super) struct Field<T> {
    pub(super) value: T,
    pub(super) origin: Origin,
}

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The file, at this byte.
    File(usize),
    /// The environment or the command line, with the name of the variable or option for errors.
    External(Arc<str>),
}

impl<T: FromText> Field<T> {
    /// A value from outside the file.
    pub(super) fn external(text: &str, source: &Arc<str>) -> Result<Self, NotSet> {
        let value = T::from_text(text).ok_or(NotSet::Expected(T::EXPECTED))?;
        Ok(Self { value, origin: Origin::External(source.clone()) })
    }
}

impl<T> Field<T> {
    pub(super) fn is_in_file(&self) -> bool {
        matches!(self.origin, Origin::File(_))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        let origin = Origin::File(spanned.span().start);
        Ok(Self { value: spanned.into_inner(), origin })
    }
}

/// The reason a key could not be set from a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotSet {
    UnknownKey,
    /// A description of a valid text.
    Expected(&'static str),
}

/// A table as written.
pub(super) trait Table {
    /// The names of the keys.
    const KEYS: &'static [&'static str] = &[];
    /// The tables within, with their keys.
    const TABLES: &'static [(&'static str, &'static [&'static str])] = &[];

    /// Sets one key from a text outside the file. The tables of a list are set by the file alone.
    fn set(&mut self, _key: &str, _text: &str, _source: &Arc<str>) -> Result<(), NotSet> {
        Err(NotSet::UnknownKey)
    }

    /// Takes the keys that are missing here from another table of this kind.
    fn inherit(&mut self, _from: &Self) {}
}

impl<T: Table + Default> Table for Option<T> {
    const KEYS: &'static [&'static str] = T::KEYS;

    fn set(&mut self, key: &str, text: &str, source: &Arc<str>) -> Result<(), NotSet> {
        self.get_or_insert_default().set(key, text, source)
    }
}

impl<T: Table> Table for Vec<T> {
    const KEYS: &'static [&'static str] = T::KEYS;
}

/// The options of an engine by name.
pub(super) type RawOptions = BTreeMap<String, Field<OptionText>>;

impl Table for RawOptions {
    fn set(&mut self, key: &str, text: &str, source: &Arc<str>) -> Result<(), NotSet> {
        self.insert(key.to_owned(), Field::external(text, source)?);
        Ok(())
    }

    fn inherit(&mut self, from: &Self) {
        for (name, field) in from {
            self.entry(name.clone()).or_insert_with(|| field.clone());
        }
    }
}

/// The name of a file in errors, and the offsets of its line ends, so that the lines of many faults are found quickly.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    pub(super) label: String,
    ends: Vec<usize>,
}

impl Lines {
    pub(super) fn of(label: String, text: &str) -> Self {
        Self { label, ends: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    /// The number of the line of an offset, from 1.
    pub(super) fn number(&self, offset: usize) -> usize {
        self.ends.partition_point(|end| *end < offset) + 1
    }

    /// The name and the line of an offset: `config/local.toml:12`.
    pub(super) fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.label, self.number(offset))
    }
}

/// `table.key`, or the key alone.
pub(super) fn dotted(table: &str, key: &str) -> String {
    if table.is_empty() || key.is_empty() {
        format!("{table}{key}")
    } else {
        format!("{table}.{key}")
    }
}
