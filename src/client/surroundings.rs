//! What a run takes from the world around it: connections, engines and the time of day. Tests put their own in place.

use std::{io, net::SocketAddr};

use crate::{config::ServerConfig, players::FailoverSpec, watch::WallClock};

use super::server_stream::ServerStream;

/// The surroundings of a run: by default the network, the engines of the configuration and the clock of the system.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    pub(super) clock: WallClock,
    #[cfg(test)]
    pub(super) simulated: Option<std::sync::Arc<dyn Simulated>>,
}

/// The network and the engines of a test.
#[cfg(test)]
pub(super) trait Simulated: std::fmt::Debug + Send + Sync {
    /// Connects the player with this name to the server.
    fn connect(
        &self,
        name: &str,
    ) -> futures_util::future::BoxFuture<'static, io::Result<tokio::io::DuplexStream>>;

    /// Puts an engine in the place of the first one of the configuration.
    fn engines(&self, spec: FailoverSpec) -> FailoverSpec;
}

impl Surroundings {
    /// As [`ServerStream::connect`].
    pub(super) async fn connect(
        &self,
        server: &ServerConfig,
        known: Option<SocketAddr>,
    ) -> io::Result<ServerStream> {
        #[cfg(test)]
        if let Some(simulated) = &self.simulated {
            return simulated.connect(&server.name).await.map(ServerStream::Memory);
        }
        ServerStream::connect(server, known).await
    }

    /// The engines that play.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "a test has engines of its own"))]
    pub(super) fn engines(&self, spec: FailoverSpec) -> FailoverSpec {
        #[cfg(test)]
        if let Some(simulated) = &self.simulated {
            return simulated.engines(spec);
        }
        spec
    }
}
