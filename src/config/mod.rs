//! The configuration: its TOML schema, defaults, loading and validation.
//!
//! Whoever uses it reads a checked and complete [`Config`]. [`Config::load`] builds it from built-in defaults, a file,
//! the environment (`KYOMI_<TABLE>_<KEY>`) and the command line; each of these overrides the ones before.
//!
//! Internally a file becomes a `Raw`, in which every key is optional and every value has its place. Environment and
//! command line set keys of the `Raw`. Then `validate` turns it into a `Config`, or reports a list of faults.
//!
//! It is plain data, and the types in it that others own come from below. Not here: the effects of the settings. What a
//! part of the program needs is built from a [`Config`] in the layers above, so that players, protocol and clocks know
//! nothing of it.

mod account;
mod cluster;
pub mod defaults;
mod document;
mod error;
mod event;
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
pub use event::{EventError, read_event};
#[cfg(feature = "cluster")]
pub(crate) use file::read_file;
pub use load::Override;
pub use model::{
    AccountConfig, BookConfig, BudgetConfig, ColorChoice, Config, ControlConfig, DashboardConfig,
    EngineConfig, EngineKind, EngineOption, Loaded, LogConfig, LogLevel, NetworkDelay,
    OpponentConfig, Ponder, RecordsConfig, Restart, ServerConfig, ServerMode, TlsConfig,
    ViewConfig, ViewStyle,
};
pub use notify::{HookConfig, HookForm, NotifyConfig, NotifyKind};
pub use schedule::{Days, ScheduleConfig, Window};
pub use serving::ListenConfig;
pub use warning::ConfigWarning;

#[cfg(test)]
mod tests;
