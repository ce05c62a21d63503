//! The short pass of a fuzz target.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use crate::{
    checks::Target,
    mutate::{self, Random},
};

/// Runs one pass. For another pass: `KYOMI_FUZZ_SEED=$RANDOM KYOMI_FUZZ_TIMES=100 cargo test --workspace --test fuzz_short`.
pub(crate) fn pass(targets: &[Target], name: &str) {
    let target = targets.iter().find(|target| target.name == name).unwrap();
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

/// A folder of `fuzz`.
pub(crate) fn folder(name: &str) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.ancestors().find(|it| it.join("fuzz").is_dir());
    root.expect("the folder fuzz is in the repository").join("fuzz").join(name)
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
