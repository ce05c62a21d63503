//! Derives inputs from the seeds, the same ones in every run.

/// The random number generator `SplitMix`.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// An index from 0 to `length`.
    fn place(&mut self, length: usize) -> usize {
        self.below(length + 1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }
}

/// The length of the longest input.
const LONGEST: usize = 4096;

/// A seed, changed one to six times.
pub(crate) fn input(random: &mut Random, seeds: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut data = random.pick(seeds).cloned().unwrap_or_default();
    for _ in 0..=random.below(6) {
        change(random, &mut data, seeds, words);
        data.truncate(LONGEST);
    }
    data
}

fn change(random: &mut Random, data: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[Vec<u8>]) {
    let at = random.place(data.len());
    let length = random.below(1 + (data.len() - at).min(64));
    match random.below(11) {
        0 => flip(random, data, at),
        1 => data.insert(at, random.next() as u8),
        2 => drop(data.drain(at..at + length)),
        3 => {
            // A repeated piece, at the same or another place.
            let piece = data[at..at + length].to_vec();
            let to = random.place(data.len());
            data.splice(to..to, piece);
        }
        4 => {
            // Some numbers overflow only if a piece is repeated very often.
            let piece = data[at..at + length.min(8)].to_vec();
            let piece = piece.repeat(1 + random.below(80));
            data.splice(at..at, piece);
        }
        5 => {
            // The beginning of this input and the end of another.
            let Some(other) = random.pick(seeds) else { return };
            let from = random.place(other.len());
            data.splice(at.., other[from..].iter().copied());
        }
        6 | 7 => {
            let Some(word) = random.pick(words) else { return };
            data.splice(at..at, word.iter().copied());
        }
        8 => {
            let Some(word) = random.pick(words) else { return };
            data.splice(at..at + length.min(8), word.iter().copied());
        }
        9 => number(random, data, at),
        _ => lines(random, data),
    }
}

fn flip(random: &mut Random, data: &mut [u8], at: usize) {
    let value = random.next();
    if let Some(byte) = data.get_mut(at) {
        *byte = if value & 1 == 0 { *byte ^ 1 << (value >> 1 & 7) } else { (value >> 8) as u8 };
    }
}

/// Replaces the next digits by another number, often by one at the limit of a type.
fn number(random: &mut Random, data: &mut Vec<u8>, at: usize) {
    let Some(begin) = data[at..].iter().position(u8::is_ascii_digit) else { return };
    let begin = at + begin;
    let digits = data[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let edge = [
        0,
        255,
        256,
        32_768,
        65_535,
        65_536,
        1 << 31,
        u128::from(u32::MAX) + 1,
        1 << 63,
        u128::from(u64::MAX),
        u128::from(u64::MAX) + 1,
        u128::MAX,
    ];
    let text = random.pick(&edge).map_or_else(String::new, u128::to_string);
    let text = if random.below(2) == 0 { text } else { random.below(300).to_string() };
    data.splice(begin..begin + digits, text.into_bytes());
}

/// Swaps two lines, or repeats one.
fn lines(random: &mut Random, data: &mut Vec<u8>) {
    let mut parts: Vec<Vec<u8>> = data.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (random.below(parts.len()), random.below(parts.len()));
    if random.below(2) == 0 {
        parts.swap(a, b);
    } else {
        let line = parts[a].clone();
        parts.insert(b, line);
    }
    *data = parts.join(&b'\n');
}
