//! Files of a network.

use std::sync::Arc;

use kyomi_engine::eval::{
    Evaluator as _, MAX,
    network::{INPUTS, Network, SumAndNetwork},
};
use kyomi_shogi::Position;

use super::fit_to_print;

/// A file is read or refused; what was read is the same file when it is written, and evaluates within the range. Random
/// bytes never have the right checksum, so that a file made of them is tried too.
pub(super) fn network(data: &[u8]) {
    read(data);
    if let Some(file) = sealed(data) {
        read(&file);
    }
}

fn read(data: &[u8]) {
    match Network::from_bytes(data) {
        Err(error) => fit_to_print(&error),
        Ok(network) => {
            assert_eq!(network.to_bytes(), data);
            let mut evaluator = SumAndNetwork::new(Arc::new(network));
            for sfen in POSITIONS {
                let position = Position::from_sfen(sfen).unwrap();
                evaluator.reset(&position);
                assert!(evaluator.value(&position).abs() <= MAX);
            }
        }
    }
}

const POSITIONS: [&str; 2] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nk/6g1l/2nppg1sb/prps1pppp/4P4/PBPS1PPPP/1PNP2NS1/5RGGL/L7K w P 1",
];

/// A file of the right length with the right checksums. The input has its other numbers; every second input has all
/// weights within their range.
fn sealed(data: &[u8]) -> Option<Vec<u8>> {
    const HEADER: usize = 32;
    let (header, weights) = data.split_at_checked(HEADER)?;
    let (width, zones) =
        (64 * (1 + usize::from(header[16]) % 2), [1, 3][usize::from(header[20]) % 2]);
    let mut file = Network::builtin_bytes()[..16].to_vec();
    file.extend((width as u32).to_le_bytes());
    file.extend((zones as u32).to_le_bytes());
    file.extend(&header[24..]);
    let mut bytes = weights.iter().copied().chain([0]).cycle();
    let (first, all) = (width * (zones * INPUTS + 1), width * (zones * INPUTS + 3));
    for number in 0..all {
        let weight = i16::from_le_bytes([bytes.next()?, bytes.next()?]);
        let most = if number < first { 791 } else { 128 };
        let kept = if header[17].is_multiple_of(2) { weight % most } else { weight };
        file.extend(kept.to_le_bytes());
    }
    let checksum = crc32fast::hash(&file);
    file.extend(checksum.to_le_bytes());
    Some(file)
}
