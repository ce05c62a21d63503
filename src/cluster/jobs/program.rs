//! A hash that differs between programs that search differently.

use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use kyomi_engine::search::{
    SearcherError,
    bench::{self, Task},
};

/// The hash of this program. Programs with the same hash search alike and get the same results from the same jobs.
///
/// # Errors
/// There is not enough memory for a short search.
pub fn program_hash() -> Result<String, SearcherError> {
    static KNOWN: OnceLock<String> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return Ok(known.clone());
    }
    let task = Task { depth: DEPTH, ..Task::default() };
    let total = bench::run::<SearcherError>(&task, |_| Ok(()))?;
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(total.nodes.to_le_bytes());
    let digest = hash.finalize();
    let number = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    Ok(KNOWN.get_or_init(|| format!("{number:016x}")).clone())
}

/// The depth of the short searches.
const DEPTH: u32 = 6;
