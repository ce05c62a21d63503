//! Evaluation files of other programs.

use kyomi_engine::eval::{
    AnyEvaluator, Evaluation, Evaluator as _, MAX,
    nnue::{Architecture, write_random},
};
use kyomi_shogi::Position;

use super::fit_to_print;

/// A file is read or refused with one line; what was read evaluates within the range. Few inputs are as long as a
/// network, so that a file with its header and its weights from the input is tried too.
pub(super) fn nnue(data: &[u8]) {
    read(data);
    if let Some(file) = filled(data) {
        read(&file);
    }
}

fn read(data: &[u8]) {
    match Evaluation::from_bytes(data) {
        Err(error) => fit_to_print(&error),
        Ok(evaluation) => {
            let mut evaluator = AnyEvaluator::of(&evaluation);
            for sfen in POSITIONS {
                let mut position = Position::from_sfen(sfen).unwrap();
                evaluator.reset(&position);
                assert!(evaluator.value(&position).abs() <= MAX);
                let mv = position.legal_moves()[0];
                evaluator.push(&position, mv);
                position.do_move(mv);
                let units = evaluator.units(&position);
                evaluator.reset(&position);
                assert_eq!(evaluator.units(&position), units);
            }
        }
    }
}

const POSITIONS: [&str; 2] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nk/6g1l/2nppg1sb/prps1pppp/4P4/PBPS1PPPP/1PNP2NS1/5RGGL/L7K w P 1",
];

/// A file of the smallest architecture, of the right length if the text of its header is. The input is written over its
/// header, or over its weights again and again.
fn filled(data: &[u8]) -> Option<Vec<u8>> {
    let (first, rest) = data.split_first()?;
    let mut file = Vec::new();
    write_random(Architecture::KNOWN[0], (*first).into(), &mut file).unwrap();
    let header = 12 + Architecture::KNOWN[0].header_text().len();
    if first.is_multiple_of(4) {
        let length = rest.len().min(file.len());
        file[..length].copy_from_slice(&rest[..length]);
    } else if !rest.is_empty() {
        let weights = file[header..].iter_mut().zip(rest.iter().cycle());
        weights.for_each(|(weight, byte)| *weight = *byte);
    }
    Some(file)
}
