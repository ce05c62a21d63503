//! Adds the workers on other machines to the engine that plays (`[cluster]`).

use crate::players::FailoverSpec;
use crate::{config::Config, watch::Watchers};

/// The engines; the first one uses the workers of `[cluster]`, if that is configured. If the broker cannot be reached,
/// the engine plays without them. Without the cargo feature `cluster` the configuration reports that `[cluster]` is not
/// supported.
#[cfg(feature = "cluster")]
pub(super) async fn with_workers(
    mut spec: FailoverSpec,
    config: &Config,
    watchers: &Watchers,
) -> FailoverSpec {
    use crate::cluster::{Help, NatsTransport, helped_by};
    use crate::players::PlayerSpec;

    let Some(cluster) = &config.cluster else { return spec };
    if !matches!(spec.engine, PlayerSpec::Builtin(_)) {
        watchers
            .warn("[cluster] helps the built-in engine only; playing without workers".to_owned());
        return spec;
    }
    let joined = match cluster.room.parse() {
        Ok(room) => NatsTransport::connect(cluster, "coordinator")
            .await
            .map(|transport| helped_by(transport.shared(), room, Help::default()))
            .map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match joined {
        Ok(wrapper) => spec.wrapper = Some(wrapper),
        Err(error) => watchers.warn(format!("[cluster]: {error}; playing without workers")),
    }
    spec
}

#[cfg(not(feature = "cluster"))]
#[allow(clippy::unused_async, reason = "with the feature it waits")]
pub(super) async fn with_workers(
    spec: FailoverSpec,
    _config: &Config,
    _watchers: &Watchers,
) -> FailoverSpec {
    spec
}
