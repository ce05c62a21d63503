use std::sync::Arc;

use super::*;
use crate::matches::Contestant;
use crate::players::{PlayerCommand, PlayerEvent, pair};
use kyomi_shogi::{EndReason, EnteringKingRule, Position, Winner, notation::usi::parse_move};

/// The action of a scripted player in one turn.
#[derive(Debug, Clone)]
enum Act {
    Choose(Choice),
    /// A choice with a score in centipawns.
    Scored(Choice, i32),
    Break,
}

/// A scripted player, which resigns after its last action.
fn scripted_player(name: &str, acts: Vec<Act>) -> MatchPlayer {
    let contestant = Contestant::parse("builtin nodes=1", None, name).unwrap();
    let (player, mut port) = pair();
    tokio::spawn(async move {
        let mut acts = acts.into_iter();
        while let Some(command) = port.commands.recv().await {
            let PlayerCommand::Think(request) = command else { continue };
            let id = request.id;
            let answer = match acts.next().unwrap_or(Act::Choose(Choice::Resign)) {
                Act::Choose(choice) => Answer::plain(choice),
                Act::Scored(choice, score) => {
                    let mut answer = Answer::plain(choice);
                    answer.finding.score = Some(Score::Cp(score));
                    answer
                }
                Act::Break => {
                    let reason = "out of memory".to_owned();
                    port.events.send(PlayerEvent::GaveUp(EngineError::Builtin { reason }));
                    continue;
                }
            };
            port.events.send(PlayerEvent::Answer { id, answer });
        }
    });
    MatchPlayer::with_player(Arc::new(contestant), player)
}

/// Plays the moves alternately, beginning with the side to move, then `last`; afterwards the player resigns.
async fn played(sfen: &str, moves: &str, last: Option<Act>, rules: Rules) -> RefereedEnd {
    let opening = Game::new(Position::from_sfen(sfen).unwrap());
    let acts = moves
        .split_whitespace()
        .map(|mv| Act::Choose(Choice::Move(parse_move(mv).unwrap())))
        .chain(last);
    let mut sides = [Vec::new(), Vec::new()];
    let mut side = opening.position().side_to_move().index();
    for act in acts {
        sides[side].push(act);
        side = 1 - side;
    }
    game_of(opening, sides, rules).await
}

async fn game_of(opening: Game, [black, white]: [Vec<Act>; 2], rules: Rules) -> RefereedEnd {
    let (mut black, mut white) = (scripted_player("B", black), scripted_player("W", white));
    let abandon = CancellationToken::new();
    play([&mut black, &mut white], &opening, &rules, &abandon).await.unwrap()
}

async fn end(sfen: &str, moves: &str, last: Option<Act>) -> (Winner, EndReason) {
    let ended = played(sfen, moves, last, Rules::default()).await;
    (ended.end.winner.unwrap(), ended.end.reason)
}

const EVEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

#[tokio::test]
async fn mate_wins_and_a_mating_pawn_drop_is_illegal() {
    let gold = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    assert_eq!(end(gold, "G*5b", None).await, (Winner::Side(Color::Black), EndReason::Mate));
    // The gold guards the pawn and its neighbours, the lances are in the way.
    let pawn = "3lkl3/9/4G4/9/9/9/9/9/4K4 b P 1";
    assert_eq!(end(pawn, "P*5b", None).await, (Winner::Side(Color::White), EndReason::IllegalMove));
}

#[tokio::test]
async fn fourfold_repetition_is_a_draw() {
    let ended = played(EVEN, &" 5i5h 5a5b 5h5i 5b5a".repeat(4), None, Rules::default()).await;
    assert_eq!(
        (ended.end.winner.unwrap(), ended.end.reason),
        (Winner::Draw, EndReason::Sennichite)
    );
    // The start counts as the first time.
    assert_eq!(ended.game.len(), 12);
}

#[tokio::test]
async fn the_score_before_a_resignation_is_kept() {
    let resigns = Some(Act::Scored(Choice::Resign, -3050));
    let ended = played(EVEN, "7g7f", resigns, Rules::default()).await;
    let score = ended.last_analysis.and_then(|analysis| analysis.score);
    assert_eq!(score, Some(Score::Cp(3050)), "from black's side");
}

#[tokio::test]
async fn perpetual_check_loses() {
    let chase = " 9c5c 5a4a 5c4c 4a5a 4c5c 5a4a 5c4c 4a5a 4c5c 5a4a 5c4c 4a5a 4c5c";
    let found = end("4k4/9/+R8/9/9/9/9/9/K8 b - 1", chase, None).await;
    assert_eq!(found, (Winner::Side(Color::White), EndReason::PerpetualCheck));
}

#[tokio::test]
async fn the_move_limit_ends_the_game() {
    let rules = Rules { max_moves: Some(3), ..Rules::default() };
    let ended = played(EVEN, "7g7f 3c3d 2g2f 8c8d", None, rules).await;
    assert_eq!(
        (ended.end.winner.unwrap(), ended.end.reason, ended.game.len()),
        (Winner::Draw, EndReason::MaxMoves, 3)
    );
}

#[tokio::test]
async fn mate_takes_precedence_over_the_move_limit() {
    let rules = Rules { max_moves: Some(1), ..Rules::default() };
    let ended = played("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b", None, rules).await;
    assert_eq!(ended.end.reason, EndReason::Mate);
}

#[tokio::test]
async fn declarations_are_judged() {
    // In the camp ten pieces, of them a dragon and a horse: 18 points, and 10 in hand.
    let entered = "K+R+B+P+P+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b RB 1";
    let position = Position::from_sfen(entered).unwrap();
    let declare = || Some(Act::Choose(Choice::Declare));
    assert!(position.can_declare(EnteringKingRule::Points27));
    assert_eq!(
        end(entered, "", declare()).await,
        (Winner::Side(Color::Black), EndReason::Declaration)
    );
    assert_eq!(
        end(EVEN, "", declare()).await,
        (Winner::Side(Color::White), EndReason::WrongDeclaration)
    );
    for (entering_king, why) in [
        (EnteringKingRule::None, "no win can be declared in this game"),
        (EnteringKingRule::Try, "no win can be declared in this game"),
        (EnteringKingRule::Points24, "too few points"),
    ] {
        let rules = Rules { entering_king, ..Rules::default() };
        let ended = played(entered, "", declare(), rules).await;
        assert_eq!(ended.end.reason, EndReason::WrongDeclaration);
        assert!(ended.explanation.ends_with(why), "{}", ended.explanation);
    }
}

#[tokio::test]
async fn a_king_that_reaches_its_square_wins_by_the_try_rule() {
    let tried = "9/4K4/9/9/9/9/9/8k/9 b - 1";
    let rules =
        Rules { entering_king: EnteringKingRule::Try, max_moves: Some(1), ..Rules::default() };
    let ended = played(tried, "5b5a", None, rules).await;
    assert_eq!(
        (ended.end.winner, ended.end.reason),
        (Some(Winner::Side(Color::Black)), EndReason::Try)
    );
    let ended = played(tried, "5b5a", None, Rules::default()).await;
    assert_eq!(ended.end.reason, EndReason::Resignation);
}

#[tokio::test]
async fn illegal_moves_and_resignations_lose() {
    assert_eq!(
        end(EVEN, "7g7f 7g7f", None).await,
        (Winner::Side(Color::Black), EndReason::IllegalMove)
    );
    assert_eq!(end(EVEN, "7g7f", None).await, (Winner::Side(Color::Black), EndReason::Resignation));
}

#[tokio::test]
async fn a_player_that_fails_loses_and_is_named() {
    let ended = played(EVEN, "7g7f", Some(Act::Break), Rules::default()).await;
    assert_eq!(
        (ended.end.winner.unwrap(), ended.end.reason),
        (Winner::Side(Color::Black), EndReason::Crash)
    );
    assert_eq!(ended.failed_side, Some(Color::White));
    assert!(ended.explanation.starts_with("W in move 2"), "{}", ended.explanation);
    assert!(ended.explanation.contains("out of memory"), "{}", ended.explanation);
}

#[tokio::test]
async fn adjudication_rules_end_the_game() {
    let scored = |mv: &str, score| Act::Scored(Choice::Move(parse_move(mv).unwrap()), score);
    let sides = || {
        [
            vec![scored("7g7f", 3000), scored("2g2f", 3100), scored("2f2e", 3200)],
            vec![scored("3c3d", -3000), scored("8c8d", -3300), scored("8d8e", -3300)],
        ]
    };
    let rules = Rules { win: Some("score=3000,plies=4".parse().unwrap()), ..Rules::default() };
    let ended = game_of(Game::default(), sides(), rules).await;
    assert_eq!(
        (ended.end.winner.unwrap(), ended.end.reason),
        (Winner::Side(Color::Black), EndReason::AgreedWin)
    );
    assert_eq!(ended.game.len(), 4);
    // Scores in records are black's.
    let scores: Vec<_> =
        ended.moves.iter().map(|made| made.analysis.as_ref().unwrap().score.unwrap()).collect();
    assert_eq!(scores, [3000, 3000, 3100, 3300].map(Score::Cp));
}

#[tokio::test]
async fn every_turn_is_recorded() {
    let ended = played(EVEN, "7g7f 3c3d", None, Rules::default()).await;
    let turns: Vec<_> = ended.turns.iter().map(|turn| (turn.side, turn.answer.as_str())).collect();
    assert_eq!(turns, [('b', "7g7f"), ('w', "3c3d"), ('b', "resign")]);
    assert!(ended.turns.windows(2).all(|two| two[0].received_us <= two[1].sent_us));
    assert_eq!(ended.moves.len(), 2);
}

#[tokio::test]
async fn an_abandoned_game_has_no_end() {
    let abandon = CancellationToken::new();
    abandon.cancel();
    // Black never answers: its script waits for a command that does not come.
    let contestant = Arc::new(Contestant::parse("builtin nodes=1", None, "B").unwrap());
    let (player, _port) = pair();
    let (mut black, mut white) =
        (MatchPlayer::with_player(contestant, player), scripted_player("W", Vec::new()));
    let game = Game::default();
    let played = play([&mut black, &mut white], &game, &Rules::default(), &abandon).await;
    assert!(played.is_none());
}
