//! A short run of every fuzz target: seeds, past findings, and a fixed number of inputs derived from them.
//!
//! The long run is `fuzz/run.sh`. Both run the checks of `checks`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod checks;
mod mutate;
mod pass;

use std::fs;

use checks::{TARGETS, Target};
use pass::{folder, pass};

#[test]
fn every_target_of_the_table_has_its_files_and_its_test() {
    let here = include_str!("main.rs");
    for Target { name, .. } in TARGETS {
        assert!(
            here.contains(&format!("passes!({name}")) || here.contains(&format!("    {name},"))
        );
        let source = folder("fuzz_targets").join(format!("{name}.rs"));
        let text = fs::read_to_string(&source).unwrap();
        assert!(text.contains(&format!("run(\"{name}\"")), "{}", source.display());
    }
    let targets = fs::read_dir(folder("fuzz_targets")).unwrap().count();
    // Two of them are part of the table with the cargo feature `cluster` only, and two are in `crates/lab`.
    let elsewhere = 2 + 2 * usize::from(!cfg!(feature = "cluster"));
    assert_eq!(targets, TARGETS.len() + elsewhere, "fuzz targets and rows of the tables");
}

macro_rules! passes {
    ($($name:ident,)*) => {
        $(#[test]
        fn $name() {
            pass(TARGETS, stringify!($name));
        })*
    };
}

passes! {
    codec,
    server_message,
    game_summary,
    reconnect_state,
    control_request,
    position_block,
    sfen,
    perft_suite,
    usi_line,
    usi_engine_output,
    config_toml,
    csa_record,
    kif,
    ki2,
    jkf,
    usi_list,
    game_rows,
    sfen_list,
    psv,
    hcpe,
    book,
    network,
    nnue,
}

#[cfg(feature = "cluster")]
passes! {
    cluster_message,
    job_message,
}
