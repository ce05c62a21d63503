//! A short run of every fuzz target: seeds, past findings, and a fixed number of inputs derived from them.
//!
//! The long run is `fuzz/run.sh`. Both run the checks of `checks`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod checks;
mod mutate;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use checks::{TARGETS, Target};
use mutate::Random;

/// Runs one pass. For another pass: `KYOMI_FUZZ_SEED=$RANDOM KYOMI_FUZZ_TIMES=100 cargo test --test fuzz_short`.
fn pass(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = inputs(&folder("seeds").join(name));
    assert!(!seeds.is_empty(), "{name}: no seeds");
    let words = words(&folder("dictionaries").join(format!("{name}.dict")));
    for data in seeds.iter().chain(&inputs(&folder("regressions").join(name))) {
        run(target, data);
    }
    let variable = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let mut random = Random::new(variable("KYOMI_FUZZ_SEED").unwrap_or(1));
    for _ in 0..u64::from(target.executions) * variable("KYOMI_FUZZ_TIMES").unwrap_or(1) {
        run(target, &mutate::input(&mut random, &seeds, &words));
    }
}

/// Saves the input if the check fails, so that it can be added to `fuzz/regressions`.
fn run(target: &Target, data: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.check)(data))) {
        let found = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.found", target.name));
        fs::write(&found, data).unwrap();
        println!("{}: the input is in {}", target.name, found.display());
        std::panic::resume_unwind(panic);
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// The files of a folder in the order of their names; none if the folder does not exist.
fn inputs(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// The words of a dictionary in the format of libFuzzer: one quoted word on each line, with `\xNN` for other bytes.
fn words(file: &Path) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(file).unwrap();
    let quoted = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    quoted
        .map(|line| unquote(line).unwrap_or_else(|| panic!("{}: {line}", file.display())))
        .collect()
}

fn unquote(line: &str) -> Option<Vec<u8>> {
    let mut rest = line.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let mut word = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        (rest, word) = match (byte, after) {
            (b'\\', [b'x', digits @ ..]) => {
                let hex = std::str::from_utf8(digits.get(..2)?).ok()?;
                word.push(u8::from_str_radix(hex, 16).ok()?);
                (&digits[2..], word)
            }
            (b'\\', [quoted @ (b'\\' | b'"'), after @ ..]) => {
                word.push(*quoted);
                (after, word)
            }
            (b'\\', _) => return None,
            (byte, after) => {
                word.push(byte);
                (after, word)
            }
        };
    }
    Some(word)
}

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
    // Two of them are part of the table with the cargo feature `cluster` only.
    let of_cluster = 2 * usize::from(!cfg!(feature = "cluster"));
    assert_eq!(targets, TARGETS.len() + of_cluster, "fuzz targets and rows of the table");
}

macro_rules! passes {
    ($($name:ident,)*) => {
        $(#[test]
        fn $name() {
            pass(stringify!($name));
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
    selfplay,
    network,
    nnue,
}

#[cfg(feature = "cluster")]
passes! {
    cluster_message,
    job_message,
}
