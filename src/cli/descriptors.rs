//! The number of files and connections that the process may have open at a time.
//!
//! Strangers decide how many connections a server has. Without descriptors it could not write the record of a new game.

/// Raises the limit as far as the system allows, up to what a server needs. Returns it.
#[cfg(unix)]
fn raised_limit() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH));
    let now = current.unwrap_or(ENOUGH).min(ENOUGH);
    if now >= wanted {
        return now as usize;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => wanted as usize,
        Err(error) => {
            tracing::debug!(%error, "the limit of open files stays");
            now as usize
        }
    }
}

#[cfg(not(unix))]
fn raised_limit() -> usize {
    ENOUGH as usize
}

/// The number of connections of players for which there are descriptors, beside those of the page and of files.
pub(super) fn most_connections(wanted: usize) -> usize {
    let limit = raised_limit();
    let most = wanted.min(limit.saturating_sub(FOR_OTHERS).max(limit / 4));
    if most < wanted {
        tracing::warn!(
            "only {most} connections are accepted: the system allows {limit} open files"
        );
    }
    most
}

/// What a server with all its connections and its page needs.
const ENOUGH: u64 = 4096;

/// The page has 256 connections, 64 are of those who are turned away, and each running game has a file.
const FOR_OTHERS: usize = 384;
