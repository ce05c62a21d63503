//! Written values are read back unchanged, and no text makes a reader panic.

mod common;

use std::collections::HashSet;

use common::positions::arbitrary;
use kyomi_shogi::notation::{csa, sfen, usi};
use kyomi_shogi::{EnteringKingRule, Game, Move, Position, PositionBuilder, Square};
use proptest::prelude::*;

/// Any position the builder accepts, with any number of the next move.
fn positions() -> impl Strategy<Value = Position> {
    (any::<u64>(), 1..=u16::MAX).prop_map(|(seed, ply)| {
        let position = arbitrary(&mut fastrand::Rng::with_seed(seed));
        PositionBuilder::from(&position).set_ply(ply).build().expect("it was a position before")
    })
}

/// Calls every function of a position that was read.
fn ask_everything(position: &Position) {
    let legal = position.legal_moves();
    assert_eq!(legal.len(), position.count_legal_moves());
    let mut after = position.clone();
    for mv in legal {
        position.gives_check(mv);
        let undo = after.do_move(mv);
        after.undo_move(mv, undo);
    }
    for rule in EnteringKingRule::ALL {
        position.declaration(rule);
    }
    let _ = position.check_playable();
    assert!(after == *position);
}

/// A text with a few characters removed, inserted or changed.
fn damaged(texts: Vec<String>) -> impl Strategy<Value = String> {
    let alphabet = "PLNSGBRKplnsgbrk+-*/ 0123456789abcdefghiFUKYKEGIKAHIOUTONYUMRYALPI'\t歩\u{1b}";
    let alphabet: Vec<char> = alphabet.chars().collect();
    let edit = (any::<prop::sample::Index>(), prop::sample::select(alphabet), 0..3);
    (prop::sample::select(texts), prop::collection::vec(edit, 0..6)).prop_map(|(text, edits)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, c, what) in edits {
            let at = at.index(chars.len().max(1));
            match what {
                0 => chars.insert(at.min(chars.len()), c),
                1 if at < chars.len() => chars[at] = c,
                _ if at < chars.len() => drop(chars.remove(at)),
                _ => {}
            }
        }
        chars.into_iter().collect()
    })
}

#[test]
fn moves_squares_and_positions_are_parsed_and_displayed() {
    for text in ["7g7f", "8h2b+", "P*5e"] {
        let mv: Move = text.parse().unwrap();
        assert_eq!(mv.to_string(), text);
        assert_eq!(usi::parse_move(text).unwrap(), mv);
    }
    let square: Square = "9i".parse().unwrap();
    assert_eq!((square.file(), square.rank(), square.to_string().as_str()), (9, 9, "9i"));
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let position: Position = sfen.parse().unwrap();
    assert_eq!(position.to_string(), sfen);
    for wrong in ["", "7g", "7g7", "7g7g", "7g7f-", "0a1a", "K*5e", "７g7f"] {
        let error = wrong.parse::<Move>().unwrap_err();
        assert!(error.to_string().contains("expected the form 7g7f"), "{error}");
    }
    for wrong in ["", "7", "0a", "1j", "7gg"] {
        let error = wrong.parse::<Square>().unwrap_err();
        assert!(error.to_string().contains("such as 7f"), "{error}");
    }
    assert!("9/9/9 b - 1".parse::<Position>().is_err());
}

#[test]
fn positions_that_are_equal_have_one_hash_and_the_number_of_the_move_counts() {
    let start = Position::startpos();
    let renumbered = PositionBuilder::from(&start).set_ply(3).build().unwrap();
    assert_eq!(start.key(), renumbered.key());
    assert_ne!(start, renumbered);
    let mut moved = start.clone();
    let mv = "7g7f".parse().unwrap();
    let undo = moved.do_move(mv);
    moved.undo_move(mv, undo);
    let all: HashSet<Position> = [start, renumbered, moved].into_iter().collect();
    assert_eq!(all.len(), 2);
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "7g7e is not legal in lnsgkgsnl/")]
fn a_move_that_is_not_legal_is_caught_with_debug_assertions() {
    Position::startpos().do_move("7g7e".parse().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_sfen_is_read_back(position in positions()) {
        let text = position.to_sfen();
        let again = Position::from_sfen(&text).unwrap();
        prop_assert_eq!(&again, &position);
        prop_assert_eq!(again.to_sfen(), text);
    }

    #[test]
    fn a_csa_position_is_read_back(position in positions(), trimmed in any::<bool>()) {
        let text = csa::format_position(&position);
        let lines = text.lines().map(|line| if trimmed { line.trim_end() } else { line });
        let again = csa::parse_position_block(lines).unwrap();
        let first = PositionBuilder::from(&position).set_ply(1).build().unwrap();
        prop_assert_eq!(again, first);
    }

    #[test]
    fn any_move_is_read_back_from_usi(bits in any::<u16>()) {
        if let Some(mv) = Move::from_bits(bits) {
            prop_assert_eq!(usi::parse_move(&mv.to_string()), Ok(mv));
            prop_assert_eq!(mv.to_bits(), bits);
        }
    }

    #[test]
    fn legal_moves_are_read_back_from_csa(position in positions()) {
        for mv in position.legal_moves() {
            let text = csa::format_move(&position, mv);
            prop_assert_eq!(csa::parse_move(&position, &text), Ok(mv), "{}", text);
        }
    }

    #[test]
    fn a_position_line_is_read_back(position in positions(), seed in any::<u64>()) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut game = Game::new(position);
        for _ in 0..random.usize(..20) {
            let legal = game.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            game.push(legal[random.usize(..legal.len())]).unwrap();
        }
        let line = usi::format_position_line(&game);
        let again = usi::parse_position_line(&line).unwrap();
        prop_assert_eq!(again.moves(), game.moves());
        prop_assert_eq!(again.position(), game.position());
        while game.pop().is_some() {}
        prop_assert_eq!(game.position(), game.start());
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,80}") {
        let _ = sfen::parse(&text);
        let _ = usi::parse_move(&text);
        let _ = usi::parse_position_line(&text);
        let _ = csa::parse_move(&Position::startpos(), &text);
        let _ = csa::parse_position_block(text.split('/'));
    }

    #[test]
    fn damaged_sfens_are_refused_or_safe(text in damaged(vec![
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1".into(),
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1".into(),
        "1s3+P1B+N/5P+N2/l2kp1KG1/pp1p5/P5+R1+R/2b1Gp2P/+s+n6N/g+s1PL1PPp/1+l1SPG2L w 4P 208".into(),
    ])) {
        if let Ok(position) = sfen::parse(&text) {
            ask_everything(&position);
            prop_assert_eq!(sfen::parse(&position.to_sfen()), Ok(position));
        }
    }

    #[test]
    fn damaged_csa_positions_are_refused_or_safe(text in damaged(vec![
        csa::format_position(&Position::startpos()),
        "PI82HI22KA\n+\n".into(),
        "P-51OU\nP+53FU00KI\nP-00AL\n+\n".into(),
    ])) {
        if let Ok(position) = csa::parse_position_block(text.lines()) {
            ask_everything(&position);
        }
    }

    #[test]
    fn damaged_position_lines_and_moves_are_refused_or_safe(text in damaged(vec![
        "position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e".into(),
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B2G2S2N2L9P2g2s2n2l9p 1 moves P*5b".into(),
        "+7776FU".into(),
    ])) {
        if let Ok(game) = usi::parse_position_line(&text) {
            ask_everything(game.position());
        }
        let _ = csa::parse_move(&Position::startpos(), &text);
    }
}
