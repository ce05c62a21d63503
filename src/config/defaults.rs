//! The default values of keys.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use kyomi_shogi::clock::GameTime;

/// One game.
pub fn games() -> u32 {
    1
}

/// The customary port of CSA servers.
pub fn port() -> u16 {
    4081
}

/// This machine.
pub fn host() -> String {
    "127.0.0.1".to_owned()
}

/// Our name in a local game, and if the user gives none.
pub fn player_name() -> String {
    "kyomi".to_owned()
}

/// The other side's name in a local game.
pub fn opponent_name() -> String {
    "kyomi2".to_owned()
}

/// 40 s after our last line; servers require at least 30 s.
pub fn keep_alive() -> Duration {
    Duration::from_secs(40)
}

/// 60 s: the classic 20-minute budget at a scale of 1:20.
pub fn time() -> GameTime {
    GameTime::sudden_death(Duration::from_secs(60))
}

/// Thirty pawns down, in centipawns.
pub fn resign_score() -> i32 {
    -3000
}

/// Three hopeless moves in a row.
pub fn resign_moves() -> u32 {
    3
}

/// 256 MiB of transposition table, in bytes.
pub fn hash() -> u64 {
    256 << 20
}

/// Engines may load books and networks for a minute or more.
pub fn ready_timeout() -> Duration {
    Duration::from_secs(120)
}

/// `logs/games`.
pub fn records_dir() -> PathBuf {
    PathBuf::from("logs/games")
}

/// `{datetime}_{black}_{white}`.
pub fn record_name() -> String {
    "{datetime}_{black}_{white}".to_owned()
}

/// `logs`.
pub fn log_dir() -> PathBuf {
    PathBuf::from("logs")
}

/// A month of log files.
pub fn log_days() -> u32 {
    30
}

/// 1 GiB of log files, in bytes.
pub fn log_size() -> u64 {
    1 << 30
}

/// Every interface, the customary port.
pub fn listen_address() -> SocketAddr {
    SocketAddr::from(([0, 0, 0, 0], port()))
}

/// Long enough for a short loss of the connection. The opponent of a player who has left does not wait long.
pub(super) fn resume_time() -> Duration {
    Duration::from_secs(30)
}

/// `logs/kyomi.db`.
pub fn records_index() -> Option<PathBuf> {
    Some(PathBuf::from("logs/kyomi.db"))
}

/// `logs/server`.
pub fn server_records() -> PathBuf {
    PathBuf::from("logs/server")
}

/// Relative to the working directory, as the logs are.
pub(super) fn control_socket() -> PathBuf {
    PathBuf::from("logs/kyomi.sock")
}
