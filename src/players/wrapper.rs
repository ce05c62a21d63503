//! A decorator for the players of the configuration, such as the coordinator of other machines.

use std::fmt;
use std::sync::Arc;

use super::{PlayerHandle, PlayerSpec};

/// Wraps each player that is started, for example in a coordinator that distributes its searches.
#[derive(Clone)]
pub struct PlayerWrapper(Arc<Wrap>);

type Wrap = dyn Fn(&PlayerSpec, PlayerHandle) -> PlayerHandle + Send + Sync;

impl PlayerWrapper {
    /// A wrapper that calls `wrap` with every player that is started and its spec, inside a tokio runtime.
    pub fn new(
        wrap: impl Fn(&PlayerSpec, PlayerHandle) -> PlayerHandle + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(wrap))
    }

    /// Starts a player and wraps it. Call it inside a tokio runtime.
    pub fn start(&self, spec: &PlayerSpec) -> PlayerHandle {
        (self.0)(spec, super::start(spec.clone()))
    }
}

impl fmt::Debug for PlayerWrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PlayerWrapper").finish_non_exhaustive()
    }
}

impl PartialEq for PlayerWrapper {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
