use proptest::prelude::*;

use super::*;
use crate::eval::nnue::{InputFeatures, write_random};

/// A file of the smallest network, and one of the SFNN family whose first layer is compressed.
fn small() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_random(Architecture::KNOWN[0], 1, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_written_network_is_read_back() {
    let bytes = small();
    let weights = NnueWeights::from_bytes(&bytes).unwrap();
    assert_eq!(weights.architecture(), Architecture::KNOWN[0]);
    assert_eq!(weights.architecture().features, InputFeatures::KingAndPiece);
    assert_eq!((weights.bytes(), weights.checksum()), (bytes.len(), crc32fast::hash(&bytes)));
    let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let first = 12 + Architecture::KNOWN[0].header_text().len() + 4;
    assert_eq!(weights.biases[0].0[0], number(first));
    assert_eq!(weights.rows[1].0[3], number(first + 2 * (256 + LANES + 3)));
    let last = &weights.stacks[0][2];
    assert_eq!(last.tiles[7].0[0][3], bytes[bytes.len() - 1] as i8);
}

#[test]
fn the_length_must_be_exact() {
    let mut bytes = small();
    let whole = bytes.len();
    for length in [0, 3, 11, 12, 100, whole / 2, whole - 1] {
        let error = NnueWeights::from_bytes(&bytes[..length]).unwrap_err();
        assert!(
            matches!(error, NnueFileError::CutShort { found, .. } if found == length),
            "{error}"
        );
    }
    bytes.push(0);
    let error = NnueWeights::from_bytes(&bytes).unwrap_err();
    let expected = format!("has {} bytes instead of {whole};", whole + 1);
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[test]
fn an_unknown_architecture_is_printed_on_one_line() {
    let mut bytes = small();
    bytes[12] = b'\n';
    let error = NnueWeights::from_bytes(&bytes).unwrap_err().to_string();
    assert!(
        error.starts_with("has the architecture \"?eatures=K+P[1710->256x2],Network="),
        "{error}"
    );
    assert!(error.ends_with("SFNN-1536-15-32; get a file of one of them"), "{error}");
    // A long text is not printed whole.
    bytes.splice(12..12, [b'x'; 1000]);
    bytes[8..12].copy_from_slice(&1100_u32.to_le_bytes());
    let error = NnueWeights::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.len() < 600, "{error}");
}

proptest! {
    #[test]
    fn no_bytes_cause_a_panic(at in 0_usize..200, byte: u8, cut in 0_usize..900_000) {
        let mut bytes = small();
        bytes[at] = byte;
        let _ = NnueWeights::from_bytes(&bytes);
        bytes.truncate(cut);
        let _ = NnueWeights::from_bytes(&bytes);
    }
}
