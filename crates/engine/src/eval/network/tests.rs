use std::sync::Arc;

use super::*;
use crate::eval::{MAX, evaluate_from_scratch, tests::is_updated};
use kyomi_shogi::{Color, Piece, Position, PositionBuilder, Square};

/// A network with random weights, small enough that its output is not always clipped.
fn random_network(width: usize, zones: usize, seed: u64) -> Network {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut list = |length: usize, most: f32| -> Vec<f32> {
        (0..length).map(|_| (random.f32() * 2.0 - 1.0) * most).collect()
    };
    let zones = KingZones::with_count(zones).unwrap();
    let (first, biases) = (list(zones.count() * INPUTS * width, 0.3), list(width, 0.8));
    let second = list(2 * width, 0.5);
    Network::nearest(&FloatNetwork {
        width,
        zones,
        first: &first,
        biases: &biases,
        second: &second,
        bias: 0.3,
    })
}

fn random_game(seed: u64, plies: usize, mut visit: impl FnMut(&Position)) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut position = Position::startpos();
    for _ in 0..plies {
        visit(&position);
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.do_move(moves[random.usize(..moves.len())]);
    }
}

fn afresh(network: &Network, position: &Position) -> i32 {
    let value = evaluate_from_scratch(position) + network.centipawns(&NetworkInputs::of(position));
    value.clamp(-MAX, MAX)
}

#[test]
fn updated_values_equal_values_from_scratch() {
    for (width, zones, seed) in [(64, 1, 1), (128, 3, 2), (64, 9, 3)] {
        let network = Arc::new(random_network(width, zones, seed));
        let mut evaluator = SumAndNetwork::new(Arc::clone(&network));
        is_updated(&mut evaluator, |position| afresh(&network, position));
    }
}

#[test]
fn the_output_equals_its_definition() {
    let network = random_network(128, 3, 5);
    let mut different = std::collections::BTreeSet::new();
    for seed in 0..10 {
        random_game(seed, 150, |position| {
            let inputs = NetworkInputs::of(position);
            let mut total = i64::from(network.bias);
            for (rows, weights) in inputs.rows(network.zones).iter().zip(&network.second) {
                for unit in 0..network.width() {
                    let of = |block: &[weights::Block]| block[unit / LANES].0[unit % LANES];
                    let sum: i64 = i64::from(of(&network.biases))
                        + rows.iter().map(|row| i64::from(of(network.row(*row)))).sum::<i64>();
                    let active = sum.clamp(0, i64::from(ONE));
                    total += active * active * i64::from(of(weights));
                }
            }
            let expected = total * 200 / (255 * 255 * i64::from(network.output_one));
            assert_eq!(i64::from(network.centipawns(&inputs)), expected);
            different.insert(expected);
        });
    }
    assert!(different.len() > 300, "{}", different.len());
}

#[test]
fn rotating_the_board_changes_nothing() {
    let network = random_network(64, 9, 6);
    for seed in 0..20 {
        random_game(seed, 150, |position| {
            let mut builder = PositionBuilder::new();
            for square in Square::all() {
                if let Some(piece) = position.piece_on(square) {
                    builder.put(square.rotated(), Piece::new(!piece.color(), piece.kind()));
                }
            }
            for side in Color::ALL {
                for (kind, count) in position.hand(side).iter() {
                    builder.set_hand(!side, kind, count);
                }
            }
            builder.set_side(!position.side_to_move());
            let turned = builder.build().unwrap();
            let of = |position: &Position| network.centipawns(&NetworkInputs::of(position));
            assert_eq!(of(position), of(&turned), "{position:?}");
        });
    }
}

#[test]
fn each_piece_has_one_input_and_all_golds_share_one() {
    let of = |sfen: &str| NetworkInputs::of(&Position::from_sfen(sfen).unwrap());
    assert_eq!(NetworkInputs::of(&Position::startpos()).inputs.len(), 40);
    assert_eq!(of("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1").inputs.len(), 40);
    let (tokin, gold) = (of("4k4/4+P4/9/9/9/9/9/9/4K4 b - 1"), of("4k4/4G4/9/9/9/9/9/9/4K4 b - 1"));
    assert_eq!(tokin, gold);
    // Every row of every zone is below the number of rows.
    for zones in [1, 3, 9] {
        let zones = KingZones::with_count(zones).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for king in Square::all() {
            let sfen_king = PositionBuilder::new()
                .put(king, Piece::new(Color::Black, kyomi_shogi::PieceKind::King))
                .set_hand(Color::White, kyomi_shogi::PieceKind::Pawn, 1)
                .build();
            let Ok(position) = sfen_king else { continue };
            for rows in NetworkInputs::of(&position).rows(zones) {
                assert!(rows.iter().all(|row| (*row as usize) < zones.count() * INPUTS));
                seen.extend(rows);
            }
        }
        assert!(seen.len() >= 45 + zones.count(), "{}", seen.len());
    }
}

#[test]
fn the_checksum_differs_between_networks_of_equal_shape() {
    let [a, b] = [0.5, -0.5].map(Network::with_bias);
    assert_ne!(a.checksum(), b.checksum());
    for network in [a, b, random_network(64, 3, 7)] {
        let bytes = network.to_bytes();
        assert!(bytes.ends_with(&network.checksum().to_le_bytes()));
        // That of the whole file does not.
        assert_eq!(crc32fast::hash(&bytes), UNKNOWN_CHECKSUM);
    }
}

#[test]
fn a_network_file_round_trips_and_damage_is_found() {
    let network = random_network(64, 3, 7);
    let bytes = network.to_bytes();
    assert_eq!(Network::from_bytes(&bytes).unwrap(), network);
    let fault = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(fault(b"hello"), "is not a network file");
    assert!(fault(&bytes[..20]).contains("20 bytes"), "{}", fault(&bytes[..20]));
    assert!(fault(&bytes[..bytes.len() - 1]).contains("incomplete or damaged"));
    let damaged = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        bytes
    };
    assert_eq!(fault(&damaged(5000, !bytes[5000])), "is damaged: its checksum is wrong");
    assert!(fault(&damaged(8, 2)).starts_with("has version 2"));
    assert!(fault(&damaged(16, 65)).starts_with("has 65 hidden units and 3 king zones"));
    assert!(fault(&damaged(20, 4)).contains("4 king zones"));
    let sealed = |mut bytes: Vec<u8>| {
        let end = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&checksum);
        bytes
    };
    assert!(fault(&sealed(damaged(12, !bytes[12]))).starts_with("was trained for other"));
    let mut large = bytes.clone();
    large[32..34].copy_from_slice(&800_i16.to_le_bytes());
    assert_eq!(fault(&sealed(large)), "has a weight out of range");
    let error = Network::read(std::path::Path::new("/nonexistent/x")).unwrap_err().to_string();
    assert!(error.starts_with("cannot be read: "), "{error}");
}

#[test]
fn the_builtin_file_is_a_network_for_the_fitted_weights() {
    let network = Network::from_bytes(Network::builtin_bytes()).unwrap();
    assert_eq!(network, *Network::builtin());
    assert!(network.width() > 0);
    assert_eq!(network.to_bytes(), Network::builtin_bytes());
}
