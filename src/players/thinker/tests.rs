use super::*;
use crate::players::testing::found;
use kyomi_engine::search::Score;
use kyomi_shogi::clock::{Controls, DelayEstimator, DelayPolicy, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, notation::usi};

fn thinker() -> Thinker {
    Thinker::new(ResignRule { score: -3000, moves: 2 })
}

fn begin(thinker: &mut Thinker, game: &Game, purpose: Purpose) -> SearchJob {
    let (limits, options) = (SearchLimits::default(), SearchOptions::default());
    match thinker.begin(game.clone(), purpose, limits, options) {
        Begun::Search(job) => *job,
        Begun::Answered(answer) => panic!("{answer:?}"),
    }
}

fn result(score: i32) -> SearchResult {
    found("7g7f", Score::Cp(score))
}

#[test]
fn a_new_search_stops_the_current_one_and_drops_its_answer() {
    let mut thinker = thinker();
    let game = Game::default();
    let first = begin(&mut thinker, &game, Purpose::Move);
    let second = begin(&mut thinker, &game, Purpose::Move);
    assert!(first.stop.is_stopped() && !second.stop.is_stopped());
    assert!(thinker.is_current(second.number) && !thinker.is_current(first.number));
    assert_eq!(thinker.finish(first.number, &result(0)), None);
    let finished = thinker.finish(second.number, &result(0)).unwrap();
    assert!(matches!(finished.answer.choice, Choice::Move(_)));
    assert!(!thinker.is_searching());
    assert_eq!(thinker.finish(second.number, &result(0)), None, "one answer for one question");
}

#[test]
fn only_moves_count_towards_resigning_and_a_new_game_resets_the_count() {
    let mut thinker = thinker();
    let game = Game::default();
    let ask = |thinker: &mut Thinker, purpose, score| {
        let job = begin(thinker, &game, purpose);
        thinker.finish(job.number, &result(score)).unwrap().answer.choice == Choice::Resign
    };
    assert!(!ask(&mut thinker, Purpose::Move, -3000));
    assert!(!ask(&mut thinker, Purpose::Analysis, -3000));
    assert!(!ask(&mut thinker, Purpose::Move, -2999), "one in between is hopeful");
    assert!(!ask(&mut thinker, Purpose::Move, -3000));
    assert!(ask(&mut thinker, Purpose::Move, -9000));
    thinker.new_game();
    assert!(!ask(&mut thinker, Purpose::Move, -3000));
}

#[test]
fn searches_for_the_other_side_do_not_count_towards_resigning() {
    let mut thinker = thinker();
    let ours = Game::default();
    let mut theirs = ours.clone();
    theirs.push(usi::parse_move("7g7f").unwrap()).unwrap();
    let ask = |thinker: &mut Thinker, game: &Game, score| {
        let job = begin(thinker, game, Purpose::Move);
        thinker.finish(job.number, &result(score)).unwrap().answer.choice == Choice::Resign
    };
    assert!(!ask(&mut thinker, &ours, -3000));
    // A search of the position after our move, before it is played.
    assert!(!ask(&mut thinker, &theirs, 3000));
    assert!(ask(&mut thinker, &ours, -3000));
}

#[test]
fn a_ponder_hit_turns_pondering_into_a_move_once() {
    let mut thinker = thinker();
    let game = usi::parse_position_line("position startpos moves 7g7f 3c3d").unwrap();
    let job = begin(&mut thinker, &game, Purpose::Ponder);
    assert!(job.limits.hold);
    assert_eq!(thinker.pondered().map(Game::moves), Some(game.moves()));
    thinker.ponder_hit(None);
    assert_eq!(thinker.pondered().map(Game::moves), None);
    assert!(!job.stop.is_stopped());
    let finished = thinker.finish(job.number, &result(0)).unwrap();
    assert_eq!(finished.purpose, Purpose::Move);
    thinker.ponder_hit(None);
    assert!(!thinker.is_searching());
}

#[test]
fn answers_by_rule_are_immediate_for_a_move_and_at_the_end_of_other_searches() {
    let mut thinker = thinker();
    let entered = "1KRRBB3/PPPPPPPPP/9/9/9/9/9/9/4k4 b 4G4S 1";
    let entered = Game::new(Position::from_sfen(entered).unwrap());
    let begun = thinker.begin(
        entered.clone(),
        Purpose::Move,
        SearchLimits::default(),
        SearchOptions::default(),
    );
    assert!(matches!(begun, Begun::Answered(Answer { choice: Choice::Declare, .. })));
    let job = begin(&mut thinker, &entered, Purpose::Analysis);
    let finished = thinker.finish(job.number, &result(0)).unwrap();
    assert!(finished.by_rule && finished.answer.choice == Choice::Declare);
    thinker.set_rules(GameRules { entering_king: EnteringKingRule::None, max_moves: None });
    begin(&mut thinker, &entered, Purpose::Move);
}

#[test]
fn by_the_try_rule_the_king_moves_at_once() {
    let mut thinker = thinker();
    thinker.set_rules(GameRules { entering_king: EnteringKingRule::Try, max_moves: None });
    let game = Game::new(Position::from_sfen("9/4K4/9/9/9/9/9/8k/9 b - 1").unwrap());
    let answer = thinker.without_search(&game).unwrap();
    assert_eq!(answer.choice, Choice::Move(usi::parse_move("5b5a").unwrap()));
}

#[test]
fn a_forced_move_gets_less_time() {
    let thinker = thinker();
    let control = TimeControl::sudden_death(Duration::from_secs(1200));
    let time = |sfen: &str| {
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        let network = DelayEstimator::new(DelayPolicy::Fixed(Duration::from_millis(100)));
        let left = Duration::from_secs(1200);
        let side = game.position().side_to_move();
        let clocks = Clocks::new(Controls::both(control), left, left, side, network);
        assert_eq!(side, Color::Black);
        thinker.limit_from_clocks(&game, &clocks, Instant::now()).budget.soft
    };
    // A position with a single legal move, and one with many.
    let forced = time("4k4/9/9/9/9/9/9/r8/8K b r2b4g4s4n4l18p 1");
    let free = time("4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1");
    assert!(forced < free, "{forced:?} {free:?}");
}
