//! Wins by an entered king, by each rule.

use kyomi_shogi::EnteringKingRule;

use super::*;

/// Positions in which a declaration lacks one piece, or the king is two steps away. The other king is well guarded.
const ENTERING: [&str; 2] = [
    "1KRRBB3/PPPPP4/9/9/3sgs3/3gkg3/3sgs3/9/9 b 4P4L4N 1",
    "2RRBB3/PPPPPP3/9/1p7/1K4sgs/6gkg/6sgs/9/9 b 2P2L2N 1",
];

#[test]
fn an_entered_king_is_seen_as_a_win() {
    // One step into the camp and the win can be declared.
    let sfen = "2RRBB3/PPPPPPPPP/9/1K7/9/9/9/9/4k4 b 4G4S 1";
    let with = search(sfen, &nodes(20_000));
    assert!(matches!(with.score, Score::Win(_)), "{with:?}");
}

#[test]
fn a_declaration_a_few_moves_away_is_played_for() {
    let mut seen = 0;
    for sfen in ENTERING {
        let black = Position::from_sfen(sfen).unwrap();
        let white = black.rotated();
        for position in [black, white] {
            let mut game = Game::new(position);
            let side = game.position().side_to_move();
            let mut searcher = searcher(1);
            for _ in 0..8 {
                if game.position().side_to_move() == side
                    && game.position().can_declare(EnteringKingRule::default())
                {
                    break;
                }
                let limits = nodes(40_000);
                let result = searcher.search(&game, &limits, &StopFlag::new(), |_| {});
                let won = matches!(result.score, Score::Win(_));
                assert_eq!(won, game.position().side_to_move() == side, "{result:?}");
                game.push(result.best.unwrap()).unwrap();
            }
            assert!(game.position().can_declare(EnteringKingRule::default()), "{game:?}");
            seen += game.len();
        }
    }
    assert!(seen >= 12, "they were no more than {seen} moves away in all");
}

#[test]
fn without_the_rule_no_side_plays_for_a_declaration() {
    let rules = crate::search::GameRules { entering_king: EnteringKingRule::None, max_moves: None };
    for sfen in ENTERING {
        let result = search(sfen, &SearchLimits { rules, ..nodes(40_000) });
        assert!(matches!(result.score, Score::Cp(_)), "{result:?}");
    }
}

#[test]
fn a_try_is_seen_as_a_win_at_the_root_and_further_away() {
    let rules = crate::search::GameRules { entering_king: EnteringKingRule::Try, max_moves: None };
    let limits = SearchLimits { rules, ..nodes(20_000) };
    for (sfen, plies) in [
        ("9/4K4/9/9/9/9/9/8k/9 b - 1", 1),
        ("9/9/4K4/9/9/9/9/8k/9 b - 1", 3),
        // The other side is one step from its square, and on the move.
        ("9/4K4/9/9/9/9/9/3k5/9 w - 1", 1),
    ] {
        let result = search(sfen, &limits);
        assert_eq!(result.score, Score::Win(Some(plies)), "{sfen}: {result:?}");
        // By the other rules it is no win.
        let usual = search(sfen, &nodes(20_000));
        assert!(matches!(usual.score, Score::Cp(_)), "{sfen}: {usual:?}");
    }
    let threatened = search("9/9/4K4/9/9/9/9/3k5/9 b - 1", &limits);
    assert!(matches!(threatened.score, Score::Loss(_)), "{threatened:?}");
}

#[test]
fn a_declaration_counts_in_the_search_by_the_points_of_the_rule() {
    // One step into the camp, and black has 29 points. There is no time for a mate.
    let sfen = "2RRBB3/PPPPPPPPP/9/1K7/9/9/9/9/4k4 b - 1";
    for entering_king in EnteringKingRule::ALL {
        let rules = crate::search::GameRules { entering_king, max_moves: Some(3) };
        let score = search(sfen, &SearchLimits { rules, ..nodes(5000) }).score;
        let wins = entering_king.points(kyomi_shogi::Color::Black) == Some(28);
        assert_eq!(matches!(score, Score::Win(_)), wins, "{entering_king:?}: {score:?}");
    }
}
