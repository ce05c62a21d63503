//! Checks every row of `rules.tsv`, and reads every position of the data sets.

mod common;

use kyomi_shogi::notation::usi;
use kyomi_shogi::{CountStart, DeclarationFault, EnteringKingRule, Game, Position, Repetition};

fn rows_of(kind: &str) -> Vec<Vec<String>> {
    let mut rows = common::data_rows("rules.tsv");
    rows.retain(|row| row[0] == kind);
    assert!(rows.len() > 50, "only {} rows of {kind}", rows.len());
    rows
}

#[test]
fn pawn_drops_that_mate_are_illegal_and_others_are_not() {
    for row in rows_of("uchifuzume") {
        let position = Position::from_sfen(&row[1]).unwrap();
        let mv = usi::parse_move(&row[2]).unwrap();
        assert_eq!(position.is_legal(mv), row[3] == "legal", "{row:?}");
        assert_eq!(position.legal_moves().contains(&mv), row[3] == "legal", "{row:?}");
    }
}

#[test]
fn repetitions_end_as_in_the_table() {
    for row in rows_of("repetition") {
        let mut game = Game::new(Position::from_sfen(&row[1]).unwrap());
        let moves: Vec<&str> = row[2].split_whitespace().collect();
        for (ply, text) in moves.iter().enumerate() {
            game.push(usi::parse_move(text).unwrap()).unwrap();
            if ply + 1 < moves.len() {
                let early = game.repetition(CountStart::Yes);
                assert_eq!(early, None, "ended early, at move {}: {row:?}", ply + 1);
            }
        }
        let found =
            match game.repetition(CountStart::Yes) {
                None => "continue",
                Some(Repetition::Sennichite) => "draw",
                Some(Repetition::PerpetualCheck { loser }) => {
                    if loser == kyomi_shogi::Color::Black { "lose:b" } else { "lose:w" }
                }
            };
        assert_eq!(found, row[3], "{row:?}");
        if row[4].contains("start position occurs the 4th time") {
            assert_eq!(game.repetition(CountStart::No), None, "{row:?}");
        }
    }
}

#[test]
fn declarations_are_judged_as_in_the_table() {
    for row in rows_of("declaration27") {
        let position = Position::from_sfen(&row[1]).unwrap();
        let declaration = position.declaration(EnteringKingRule::Points27);
        let found = match declaration.fault {
            None => "yes",
            Some(DeclarationFault::KingOutside) => "king_outside",
            Some(DeclarationFault::InCheck) => "in_check",
            Some(DeclarationFault::FewPieces) => "few_pieces",
            Some(DeclarationFault::PointsShort) => "points_short",
            Some(DeclarationFault::NotAllowed) => "not_allowed",
        };
        let counts = format!(
            "{found}; points {}, pieces in camp {}",
            declaration.points, declaration.pieces
        );
        assert!(row[4].starts_with(&counts), "{counts}: {row:?}");
        assert_eq!(position.can_declare(EnteringKingRule::Points27), row[3] == "win", "{row:?}");
    }
}

#[test]
fn every_position_of_the_data_sets_can_be_read() {
    for (name, column) in [
        ("rules.tsv", 1),
        ("mates.tsv", 0),
        ("mates_classic.tsv", 1),
        ("tactics.tsv", 1),
        ("bestmoves_engine.tsv", 0),
    ] {
        // The sample has no classical problems.
        if name == "mates_classic.tsv" && !common::data_dir().join(name).exists() {
            continue;
        }
        for row in common::data_rows(name) {
            // Some mate problems leave the side not to move in check: read, but not playable.
            let position = Position::from_sfen(&row[column])
                .unwrap_or_else(|error| panic!("{name}: {}: {error}", row[column]));
            let again = Position::from_sfen(&position.to_sfen()).unwrap();
            assert_eq!(again, position, "{name}: {}", row[column]);
        }
    }
    for line in common::data_text("openings.sfen").lines() {
        let game = usi::parse_position_line(line).unwrap();
        assert_eq!(usi::format_position_line(&game), format!("position {line}"));
    }
}

#[test]
fn the_first_moves_and_lines_of_the_mate_problems_are_checks_and_mate() {
    for row in common::data_rows("mates.tsv") {
        let position = Position::from_sfen(&row[0]).unwrap();
        for text in row[2].split_whitespace() {
            let mv = usi::parse_move(text).unwrap();
            assert!(position.is_legal(mv) && position.gives_check(mv), "{text}: {row:?}");
        }
        if row[3].is_empty() {
            continue;
        }
        let mut game = Game::new(position);
        for text in row[3].split_whitespace() {
            game.push(usi::parse_move(text).unwrap()).unwrap_or_else(|e| panic!("{e}: {row:?}"));
        }
        assert!(game.position().is_checkmate(), "{row:?}");
    }
}
