use std::time::{Duration, Instant};

use super::*;
use crate::players::MoveLimit;
use kyomi_engine::eval::network::Network;
use kyomi_shogi::clock::{Clocks, Controls, GameClocks, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, Game, Move, Position, notation::usi};

fn spec() -> BuiltinSpec {
    BuiltinSpec {
        threads: 1,
        hash_bytes: 1 << 20,
        resign: ResignRule { score: -3000, moves: 1 },
        options: Vec::new(),
        book: BookOptions::reproducible(),
        eval: EvalOptions::default(),
        preloaded: None,
    }
}

fn clocks(total: Duration, turn: Color) -> Clocks {
    *GameClocks::new(Controls::both(TimeControl::sudden_death(total)), turn).clocks()
}

fn request(id: u64, game: &Game) -> ThinkRequest {
    ThinkRequest {
        id,
        game: game.clone(),
        // So short that the search ends immediately.
        clocks: clocks(Duration::from_secs(1), game.position().side_to_move()),
        turn_started: Instant::now(),
        limit: None,
    }
}

async fn ready() -> PlayerHandle {
    let mut handle = start(&spec());
    let builtin = format!("kyomi ({})", Evaluation::builtin());
    assert_eq!(handle.ready().await.unwrap(), builtin);
    let info = GameInfo {
        color: Color::Black,
        entering_king: EnteringKingRule::Points27,
        max_moves: Some(256),
    };
    handle.send(PlayerCommand::NewGame(info));
    assert!(matches!(handle.event().await, Some(PlayerEvent::Prepared)));
    handle
}

async fn answer(handle: &mut PlayerHandle) -> (u64, Answer) {
    loop {
        match handle.event().await {
            Some(PlayerEvent::Answer { id, answer }) => return (id, answer),
            Some(PlayerEvent::Info { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn chosen(answer: &Answer) -> Move {
    match answer.choice {
        Choice::Move(mv) => mv,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_request_is_answered_with_a_legal_move() {
    let mut handle = ready().await;
    let game = Game::default();
    handle.send(PlayerCommand::Think(request(7, &game)));
    let (id, answer) = answer(&mut handle).await;
    assert_eq!(id, 7);
    assert!(game.position().is_legal(chosen(&answer)));
    assert_eq!(answer.finding.pv.first(), Some(&chosen(&answer)));
    handle.quit().await;
}

#[tokio::test]
async fn limits_of_a_move_are_respected() {
    let mut handle = ready().await;
    let game = Game::default();
    for (id, limit) in [
        (1, MoveLimit::Nodes(300)),
        (2, MoveLimit::Depth(2)),
        (3, MoveLimit::Time(Duration::from_millis(5))),
    ] {
        let request = ThinkRequest { limit: Some(limit), ..request(id, &game) };
        handle.send(PlayerCommand::Think(request));
        let (answered, answer) = answer(&mut handle).await;
        assert_eq!(answered, id);
        assert!(game.position().is_legal(chosen(&answer)));
        match limit {
            MoveLimit::Nodes(nodes) => assert_eq!(answer.finding.nodes, Some(nodes)),
            MoveLimit::Depth(depth) => assert_eq!(answer.finding.depth, Some(depth)),
            MoveLimit::Time(_) => {}
        }
    }
    handle.quit().await;
}

#[tokio::test]
async fn pondering_answers_only_after_the_hit_with_its_number() {
    let mut handle = ready().await;
    let game = usi::parse_position_line("position startpos moves 7g7f 3c3d").unwrap();
    handle.send(PlayerCommand::Ponder(request(1, &game)));
    // The first info shows that the search runs.
    let first = handle.event().await;
    assert!(matches!(first, Some(PlayerEvent::Info { id: 1, .. })), "{first:?}");
    handle.send(PlayerCommand::Think(request(2, &game)));
    let (id, answer) = answer(&mut handle).await;
    assert_eq!(id, 2);
    assert!(game.position().is_legal(chosen(&answer)));
    handle.quit().await;
}

#[tokio::test]
async fn after_a_ponder_miss_only_the_new_request_is_answered() {
    let mut handle = ready().await;
    let expected = usi::parse_position_line("position startpos moves 7g7f 3c3d").unwrap();
    let played = usi::parse_position_line("position startpos moves 7g7f 8c8d").unwrap();
    handle.send(PlayerCommand::Ponder(request(1, &expected)));
    handle.send(PlayerCommand::Think(request(2, &played)));
    let (id, found) = answer(&mut handle).await;
    assert_eq!(id, 2);
    assert!(played.position().is_legal(chosen(&found)));
    handle.send(PlayerCommand::Ponder(request(3, &expected)));
    handle.send(PlayerCommand::Stop);
    handle.send(PlayerCommand::Think(request(4, &expected)));
    assert_eq!(answer(&mut handle).await.0, 4);
    handle.quit().await;
}

#[tokio::test]
async fn a_mated_side_resigns_and_an_entering_king_declares() {
    let mut handle = ready().await;
    let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
    handle.send(PlayerCommand::Think(request(1, &Game::new(mated))));
    assert_eq!(answer(&mut handle).await, (1, Answer::plain(Choice::Resign)));
    let entered = "1KRRBB3/PPPPPPPPP/9/9/9/9/9/9/4k4 b 4G4S 1";
    let entered = Position::from_sfen(entered).unwrap();
    assert!(entered.can_declare(EnteringKingRule::Points27));
    handle.send(PlayerCommand::Think(request(2, &Game::new(entered))));
    assert_eq!(answer(&mut handle).await, (2, Answer::plain(Choice::Declare)));
    handle.quit().await;
}

#[tokio::test]
async fn a_hopeless_position_is_resigned_by_the_rule() {
    let mut handle = ready().await;
    let hopeless = "4k4/9/9/9/9/9/9/9/4K4 w RRBBGGGGSSSSNNNNLLLL 1";
    let hopeless = Position::from_sfen(hopeless).unwrap();
    handle.send(PlayerCommand::Think(request(1, &Game::new(hopeless))));
    let (_, found) = answer(&mut handle).await;
    assert_eq!(found.choice, Choice::Resign);
    assert!(found.finding.score.unwrap().centipawns() <= -3000);
    handle.quit().await;
}

#[tokio::test]
async fn unknown_options_and_wrong_values_cause_warnings() {
    let option = |name: &str, value: &str| EngineOption { name: name.into(), value: value.into() };
    let mut spec = spec();
    spec.options = vec![
        option("interest_killer", "0"),
        option("preset", "full"),
        option("Nonsense", "1"),
        option("Interest_CostMin", "many"),
    ];
    // A preset sets all parameters, at any position.
    let mut pending_request = Parameters::preset(kyomi_engine::search::Preset::Full);
    pending_request.set("Interest_Killer", "0").unwrap();
    assert_eq!(spec.parameters().0, pending_request);
    let mut handle = start(&spec);
    let mut warnings = Vec::new();
    loop {
        match handle.event().await {
            Some(PlayerEvent::Warning(text)) => warnings.push(text),
            Some(PlayerEvent::Ready { .. }) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("no option Nonsense"), "{warnings:?}");
    assert!(warnings[1].contains("Interest_CostMin: 'many'"), "{warnings:?}");
}

#[test]
fn an_unusable_evaluation_is_a_fault_of_the_options() {
    let with = |value: &str| BuiltinSpec {
        options: vec![EngineOption { name: "evalfile".into(), value: value.into() }],
        ..spec()
    };
    assert_eq!(with("<empty>").evaluation(), (Evaluation::builtin(), None));
    assert_eq!(with("").option_faults(), Vec::<String>::new());
    let faults = with("/nonexistent/x").option_faults();
    let start = "EvalFile: there is no file /nonexistent/x; ";
    assert!(faults.len() == 1 && faults[0].starts_with(start), "{faults:?}");
}

#[test]
fn a_preloaded_evaluation_does_not_change_with_its_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), Network::builtin_bytes()).unwrap();
    let value = file.path().to_str().unwrap().to_owned();
    let mut player = BuiltinSpec {
        options: vec![EngineOption { name: "EvalFile".to_owned(), value }],
        ..spec()
    };
    player.preload_evaluation();
    std::fs::write(file.path(), "something else").unwrap();
    assert_eq!(player.evaluation(), (Evaluation::builtin(), None));
}
