//! Numbers beyond 64 bits, wherever a number is read.

use crate::checks::TARGETS;
use crate::{seeds, watched};

/// Just beyond each type, and far beyond all.
fn numbers() -> Vec<String> {
    let beyond = [
        u128::from(u8::MAX) + 1,
        u128::from(u16::MAX) + 1,
        u128::from(u32::MAX) + 1,
        i64::MAX as u128 + 1,
        u128::from(u64::MAX) + 1,
        u128::MAX,
    ];
    let mut numbers: Vec<String> = beyond.iter().map(u128::to_string).collect();
    numbers.push("9".repeat(400));
    numbers.push("0".repeat(400) + "7");
    numbers.push(format!("-{}", i128::MIN.unsigned_abs()));
    numbers
}

/// The ranges of the numbers in a text.
fn places(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut places: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match places.last_mut() {
            _ if !byte.is_ascii_digit() => {}
            Some(last) if last.end == at => last.end = at + 1,
            _ => places.push(at..at + 1),
        }
    }
    places
}

/// Replaces each number of each seed in turn, and all of them at once.
#[test]
fn numbers_beyond_all_types_are_refused_or_read_correctly() {
    for target in TARGETS {
        for (name, seed) in seeds(target.name) {
            let what = format!("{}: {name}", target.name);
            let check = target.check;
            watched(&what.clone(), move || {
                for number in numbers() {
                    let mut all = Vec::new();
                    let mut from = 0;
                    for place in places(&seed) {
                        let (before, after) = (&seed[..place.start], &seed[place.end..]);
                        check(&[before, number.as_bytes(), after].concat());
                        all.extend_from_slice(&seed[from..place.start]);
                        all.extend_from_slice(number.as_bytes());
                        from = place.end;
                    }
                    all.extend_from_slice(&seed[from..]);
                    check(&all);
                }
            });
        }
    }
}
