//! What is put around a player of the configuration: the coordinator of other machines is one.

use std::fmt;
use std::sync::Arc;

use super::{PlayerHandle, PlayerSpec};

/// Puts something around a player, such as the help of other machines.
#[derive(Clone)]
pub struct PlayerWrapper(Arc<Wrap>);

type Wrap = dyn Fn(&PlayerSpec, PlayerHandle) -> PlayerHandle + Send + Sync;

impl PlayerWrapper {
    /// A wrapper that calls `wrap` with every player that is started, and what it was started from, inside a tokio runtime.
    pub fn new(
        wrap: impl Fn(&PlayerSpec, PlayerHandle) -> PlayerHandle + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(wrap))
    }

    /// Starts a player with what is around it. Call it inside a tokio runtime.
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
