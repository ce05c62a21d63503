//! The error of a program without the cargo feature `cluster`.

use super::ResultExt as _;

/// The error for what needs several machines.
pub(super) fn built_without_cluster<T>(what: &str) -> anyhow::Result<T> {
    Err(anyhow::anyhow!("{what}: this kyomi was built without `cluster`"))
        .written_by_user()
        .hint("`cargo build --release --features cluster`")
}
