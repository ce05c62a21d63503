//! The TOML schema: plain data, its defaults, loading and validation (layer 0).
//!
//! [`Config`] is what the layers above read: checked and complete. It is put together from
//! built-in defaults, a file, the environment (`KYOMI_<TABLE>_<KEY>`) and the command line, each
//! stronger than the one before, by [`Config::load`].
//!
//! Inside, a file becomes a `Raw` (everything optional, every value with its place), the later
//! layers set keys of that, and `validate` makes the meaningful type of it, or a list of faults.
//!
//! Not here: what the settings do. This module imports `time_text` only.

pub mod defaults;
mod document;
mod error;
mod file;
mod load;
mod model;
mod raw;
mod secret;
mod suggest;
mod validate;
mod value;

pub use error::{ConfigError, Fault};
pub use load::Override;
pub use model::{
    AfterGame, BookChoice, BookConfig, BudgetConfig, Config, DeclarationRule, EngineConfig,
    EngineKind, EngineOption, ListenConfig, Loaded, LogConfig, LogLevel, NetworkDelay,
    OpponentConfig, Ponder, ProfileName, RecordsConfig, Restart, RulesConfig, ServerConfig,
    ServerMode, TimeConfig, ViewConfig, ViewStyle,
};
pub use secret::Secret;

#[cfg(test)]
mod tests;
