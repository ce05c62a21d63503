//! The configuration: its TOML schema, defaults, loading and validation (layer 0).
//!
//! The layers above read a checked and complete [`Config`]. [`Config::load`] builds it from built-in defaults, a file,
//! the environment (`KYOMI_<TABLE>_<KEY>`) and the command line; each of these overrides the ones before.
//!
//! Internally a file becomes a `Raw`, in which every key is optional and every value has its place. Environment and
//! command line set keys of the `Raw`. Then `validate` turns it into a `Config`, or reports a list of faults.
//!
//! Not here: the effects of the settings. This module imports `text` and `time_text` only.

mod account;
mod cluster;
pub mod defaults;
mod document;
mod error;
mod exposure;
mod file;
mod load;
mod model;
mod notify;
mod raw;
mod schedule;
mod serving;
mod suggest;
mod validate;
mod value;
mod warning;

pub use cluster::{BrokerAddress, BrokerLogin, ClusterConfig};
pub use error::{ConfigError, Fault};
#[cfg(feature = "cluster")]
pub(crate) use file::read_file;
pub use load::Override;
pub use model::{
    AccountConfig, BookChoice, BookConfig, BudgetConfig, ColorChoice, Config, ControlConfig,
    DashboardConfig, EngineConfig, EngineKind, EngineOption, Loaded, LogConfig, LogLevel,
    NetworkDelay, OpponentConfig, Ponder, ProfileName, RecordsConfig, Restart, ServerConfig,
    ServerMode, TimeConfig, TlsConfig, ViewConfig, ViewStyle,
};
pub use notify::{HookConfig, HookForm, NotifyConfig, NotifyKind};
pub use schedule::{Days, ScheduleConfig, Window};
pub use serving::{AfterGame, DeclarationRule, ListenConfig, RulesConfig};
pub use warning::ConfigWarning;

#[cfg(test)]
mod tests;
