//! Every rule, with and without handicaps.

use super::*;

/// Positions, and who wins in them by the rules of [`EnteringKingRule::ALL`]: `w` by a declaration, `t` by a try, `-`
/// not at all. YaneuraOu 9.70 answers the same.
const CASES: [(&str, &str, &str); 32] = [
    ("black 27 even", "-----t", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b R3Gbg4s4n4l9p 1"),
    ("white 27 even", "---wwt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w BG4S4N4L9Pr3g 1"),
    ("black 28 even", "---wwt", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b R4Gb4s4n4l9p 1"),
    ("white 28 even", "---wwt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w B4S4N4L9Pr4g 1"),
    ("black 30 even", "---wwt", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b RBG3g4s4n4l9p 1"),
    ("white 30 even", "---wwt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w 3G4S4N4L9Prbg 1"),
    ("black 31 even", "-wwwwt", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b RB2G2g4s4n4l9p 1"),
    ("white 31 even", "-wwwwt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w 2G4S4N4L9Prb2g 1"),
    ("white 26 even", "-----t", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w B2G4S4N4L9Pr2g 1"),
    ("white 16 two missing", "-----t", "4K4/9/9/9/9/9/ppppppppp/8r/5k3 w B2G4S4N4L9P2g 1"),
    ("black 16 two missing", "-----t", "3K5/R8/PPPPPPPPP/9/9/9/9/9/4k4 b 2Gb2g4s4n4l9p 1"),
    ("white 17 two missing", "----wt", "4K4/9/9/9/9/9/ppppppppp/8r/5k3 w BG4S4N4L9P3g 1"),
    ("black 17 two missing", "-----t", "3K5/R8/PPPPPPPPP/9/9/9/9/9/4k4 b 3Gbg4s4n4l9p 1"),
    ("white 20 two missing", "----wt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w 3G4S4N4L9Pg 1"),
    ("black 20 two missing", "-----t", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b G3g4s4n4l9p 1"),
    ("white 21 two missing", "--w-wt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w 2G4S4N4L9P2g 1"),
    ("black 21 two missing", "-----t", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b 2G2g4s4n4l9p 1"),
    ("white 27 two missing", "--wwwt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w 4N4L9P4g4s 1"),
    ("black 27 two missing", "-----t", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b 4G4S4n4l9p 1"),
    ("white 28 two missing", "--wwwt", "4K4/9/9/9/9/9/ppppppppp/6b1r/5k3 w 3N4L9P4g4sn 1"),
    ("black 28 two missing", "---wwt", "3K5/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b 4G4SN3n4l9p 1"),
    ("black try", "-----t", "9/4K4/9/9/9/9/9/8k/9 b - 1"),
    ("white try", "-----t", "9/K8/9/9/9/9/9/3k5/9 w - 1"),
    ("try guarded", "------", "3g5/4K4/9/9/9/9/9/8k/9 b - 1"),
    ("try own piece", "------", "4G4/4K4/9/9/9/9/9/8k/9 b - 1"),
    ("try capture", "-----t", "4g4/4K4/9/9/9/9/9/8k/9 b - 1"),
    ("try capture guarded", "------", "3gg4/4K4/9/9/9/9/9/8k/9 b - 1"),
    ("try in check", "-----t", "9/4K3r/9/9/9/9/9/8k/9 b - 1"),
    ("try far", "------", "9/9/4K4/9/9/9/9/8k/9 b - 1"),
    ("try on it", "------", "4K4/9/9/9/9/9/9/8k/9 b - 1"),
    ("few pieces", "-----t", "3K5/R1B6/PPPPPPP2/9/9/9/9/9/4k4 b RB4G4S4n4l11p 1"),
    ("in check", "------", "3K4r/R1B6/PPPPPPPPP/9/9/9/9/9/4k4 b B4G4s4n4l9p 1"),
];

/// Who wins by each of the rules.
fn wins(position: &Position) -> String {
    let win = |rule| match position.entering_king_win(rule) {
        None => '-',
        Some(EnteringKingWin::Declaration) => 'w',
        Some(EnteringKingWin::Try(_)) => 't',
    };
    EnteringKingRule::ALL.map(win).iter().collect()
}

#[test]
fn every_rule_has_its_points_its_handicaps_and_its_try() {
    for (name, expected, sfen) in CASES {
        let position = Position::from_sfen(sfen).unwrap();
        assert_eq!(wins(&position), expected, "{name}: {sfen}");
    }
}

#[test]
fn the_giver_of_a_handicap_has_the_points_of_the_missing_pieces() {
    for (handicap, missing) in [
        ("even", 0),
        ("lance", 1),
        ("rook", 5),
        ("two-pieces", 10),
        ("four-pieces", 12),
        ("ten-pieces", 18),
    ] {
        let position = crate::Handicap::by_name(handicap).unwrap().position();
        assert_eq!(position.missing_points(), missing, "{handicap}");
        if position.side_to_move() == Color::White {
            let needed = |rule| position.declaration(rule).needed;
            assert_eq!(needed(EnteringKingRule::Points27), 27);
            assert_eq!(needed(EnteringKingRule::Points27Handicap), 27 - missing);
            assert_eq!(needed(EnteringKingRule::Points24), 31);
            assert_eq!(needed(EnteringKingRule::Points24Handicap), 31 - missing);
        }
    }
}

#[test]
fn without_declarations_none_counts() {
    let position = Position::from_sfen(CASES[6].2).unwrap();
    for rule in [EnteringKingRule::None, EnteringKingRule::Try] {
        let declaration = position.declaration(rule);
        let fault = Some(DeclarationFault::NotAllowed);
        assert_eq!((declaration.points, declaration.needed, declaration.fault), (31, 0, fault));
    }
}

#[test]
fn only_a_move_of_the_king_to_its_square_is_a_try() {
    use crate::{Game, notation::usi::parse_position_line};
    let game = |line: &str| -> Game { parse_position_line(line).unwrap() };
    let start = "sfen 9/3GK4/9/9/9/9/9/8k/9 b - 1";
    let tried = game(&format!("{start} moves 5b5a"));
    for rule in EnteringKingRule::ALL {
        assert_eq!(tried.is_won_by_try(rule), rule == EnteringKingRule::Try, "{rule:?}");
    }
    for line in [
        format!("{start} moves 6b5a"),
        format!("{start} moves 5b5a 1h1g"),
        // A king that stood there from the start.
        "sfen 4K4/3G5/9/9/9/9/9/8k/9 b - 1 moves 6b6a".to_owned(),
        // The square of the own side.
        "sfen 9/9/9/9/9/9/9/4K3k/9 b - 1 moves 5h5i".to_owned(),
    ] {
        assert!(!game(&line).is_won_by_try(EnteringKingRule::Try), "{line}");
    }
    let white = game("sfen 8K/9/9/9/9/9/9/4k4/9 w - 1 moves 5h5i");
    assert!(white.is_won_by_try(EnteringKingRule::Try));
}

#[test]
fn rules_have_the_names_of_the_usi_option() {
    for rule in EnteringKingRule::ALL {
        assert_eq!(EnteringKingRule::from_name(rule.name()), Some(rule));
    }
    assert_eq!(EnteringKingRule::from_name("tryrule"), Some(EnteringKingRule::Try));
    for other in ["", "CSARule", "CSARule25", "27"] {
        assert_eq!(EnteringKingRule::from_name(other), None, "{other}");
    }
}
