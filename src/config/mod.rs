//! The configuration: its keys and defaults, loading and validation.
//!
//! Whoever uses it reads a checked and complete [`Config`]. [`Config::load`] builds it from built-in defaults, a file,
//! the environment (`KYOMI_<TABLE>_<KEY>`) and the command line; each of these overrides the ones before.
//!
//! Internally a file becomes a `Raw`, in which every key is optional and every value has its place. Environment and
//! command line set keys of the `Raw`. Then `validate` turns it into a `Config`, or reports a list of faults. Each key
//! stands in `keys`, with all that is to say about it.
//!
//! It is plain data, and the types in it that others own come from below. Not here: the effects of the settings. What a
//! part of the program needs is built from a [`Config`] in the layers above, so that players, protocol and clocks know
//! nothing of it.

mod check;
mod choices;
mod cluster;
mod document;
mod error;
mod event;
mod exposure;
mod field;
mod file;
mod keys;
mod load;
mod model;
mod schedule;
mod suggest;
mod validate;
mod value;
mod warning;

pub use choices::{
    BookChoice, EngineKind, HookForm, LogLevel, NotifyKind, Ponder, Restart, ServerMode, ViewStyle,
};
pub use cluster::{BrokerAddress, BrokerLogin};
pub use error::{ConfigError, Fault};
pub use event::{EventError, read_event};
pub use exposure::exposure;
#[cfg(feature = "cluster")]
pub(crate) use file::read_file;
pub use keys::{
    AccountConfig, BookConfig, BudgetConfig, ClusterConfig, Config, ControlConfig, DashboardConfig,
    EngineConfig, EngineOption, HookConfig, ListenConfig, LogConfig, NotifyConfig, OpponentConfig,
    RecordsConfig, ScheduleConfig, ServerConfig, ViewConfig,
};
pub use load::Override;
pub use model::Loaded;
pub use schedule::{Days, Window};
pub use warning::ConfigWarning;

#[cfg(test)]
mod tests;
