//! What must hold of every reader for any bytes: one check for each fuzz target.
//!
//! The targets in `fuzz/` and the short pass of `cargo test` run the same functions. Each asserts more
//! than that nothing panics: what was read is in range, and written and read again it is the same.

mod book;
mod engine;
mod notation;
mod protocol;
mod record;
mod selfplay;
mod settings;

use std::borrow::Cow;

/// One reader under test.
pub(crate) struct Target {
    /// The name of the fuzz target and of its folders in `fuzz/seeds` and `fuzz/regressions`.
    pub(crate) name: &'static str,
    /// Panics if something does not hold.
    pub(crate) check: fn(&[u8]),
    /// Executions of the short pass, chosen for about half a second.
    #[allow(dead_code, reason = "the fuzz targets go on until they are stopped")]
    pub(crate) executions: u32,
}

/// All readers.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "codec", check: protocol::codec, executions: 8_000 },
    Target { name: "server_message", check: protocol::server_message, executions: 40_000 },
    Target { name: "game_summary", check: protocol::game_summary, executions: 6_000 },
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
    Target { name: "sfen_list", check: record::sfen_list, executions: 2_000 },
    Target { name: "psv", check: record::psv, executions: 2_000 },
    Target { name: "hcpe", check: record::hcpe, executions: 2_000 },
    Target { name: "book", check: book::book, executions: 2_000 },
    Target { name: "selfplay", check: selfplay::selfplay, executions: 8_000 },
];

/// The check of this name.
///
/// # Panics
/// If there is none, or if it fails.
#[allow(dead_code, reason = "the short pass walks the whole table")]
pub(crate) fn run(target: &str, data: &[u8]) {
    let found = TARGETS.iter().find(|it| it.name == target);
    (found.unwrap_or_else(|| panic!("no target {target}")).check)(data);
}

fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// The two are equal; if not, only the lines where they differ are worth reading.
fn same<T: PartialEq + std::fmt::Debug>(again: &T, first: &T, written: &str) {
    if again == first {
        return;
    }
    let (again, first) = (format!("{again:#?}"), format!("{first:#?}"));
    let differ = again.lines().zip(first.lines()).filter(|(again, first)| again != first);
    let differ: Vec<String> =
        differ.take(10).map(|(again, first)| format!("{first} became {again}")).collect();
    panic!("{}\nwritten as:\n{written}", differ.join("\n"));
}

/// The message of an error is one line of bounded length without control characters.
fn fit_to_print(said: &impl ToString) {
    let said = said.to_string();
    assert!(!said.is_empty() && !said.chars().any(char::is_control), "{said:?}");
    assert!(said.chars().count() <= 400, "{} characters: {said:?}", said.chars().count());
}
