//! Properties of the readers that hold for any bytes: one check for each fuzz target.
//!
//! The targets in `fuzz/` and the short pass of `cargo test` run the same functions. They check that nothing panics,
//! that all values are in range, and that they are unchanged after writing and reading.

mod book;
#[cfg(feature = "cluster")]
mod cluster;
mod control;
mod engine;
mod network;
mod nnue;
mod notation;
mod protocol;
mod record;
mod settings;

#[path = "../target.rs"]
mod target;

pub(crate) use target::Target;
use target::{fit_to_print, is_one_line_of_at_most, same, text};

/// All readers.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "codec", check: protocol::codec, executions: 8_000 },
    Target { name: "server_message", check: protocol::server_message, executions: 40_000 },
    Target { name: "game_summary", check: protocol::game_summary, executions: 6_000 },
    Target { name: "reconnect_state", check: protocol::reconnect_state, executions: 20_000 },
    Target { name: "control_request", check: control::control_request, executions: 40_000 },
    Target { name: "position_block", check: notation::position_block, executions: 4_000 },
    Target { name: "sfen", check: notation::sfen, executions: 6_000 },
    Target { name: "perft_suite", check: notation::perft_suite, executions: 6_000 },
    Target { name: "usi_line", check: notation::usi_line, executions: 3_000 },
    Target { name: "usi_engine_output", check: engine::usi_engine_output, executions: 30_000 },
    Target { name: "config_toml", check: settings::config_toml, executions: 2_000 },
    Target { name: "csa_record", check: record::csa_record, executions: 3_000 },
    Target { name: "kif", check: record::kif, executions: 2_000 },
    Target { name: "ki2", check: record::ki2, executions: 2_000 },
    Target { name: "jkf", check: record::jkf, executions: 2_000 },
    Target { name: "usi_list", check: record::usi_list, executions: 2_000 },
    Target { name: "game_rows", check: record::game_rows, executions: 2_000 },
    Target { name: "sfen_list", check: record::sfen_list, executions: 2_000 },
    Target { name: "psv", check: record::psv, executions: 2_000 },
    Target { name: "hcpe", check: record::hcpe, executions: 2_000 },
    Target { name: "book", check: book::book, executions: 2_000 },
    Target { name: "network", check: network::network, executions: 100 },
    Target { name: "nnue", check: nnue::nnue, executions: 30 },
    #[cfg(feature = "cluster")]
    Target { name: "cluster_message", check: cluster::cluster_message, executions: 20_000 },
    #[cfg(feature = "cluster")]
    Target { name: "job_message", check: cluster::job_message, executions: 4_000 },
];

/// Runs the check with this name.
///
/// # Panics
/// If the check does not exist, or if it fails.
#[allow(dead_code, reason = "the short pass runs the whole table")]
pub(crate) fn run(target: &str, data: &[u8]) {
    let found = TARGETS.iter().find(|it| it.name == target);
    (found.unwrap_or_else(|| panic!("no target {target}")).check)(data);
}
