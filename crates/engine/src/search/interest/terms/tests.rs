//! Each term on small positions.

use super::super::{
    scored::{MoveFlags, ScoredMove},
    scorer::{Scorer, ScoringContext},
    term::{ROWS, Term},
};
use super::lists::of_interest;
use super::*;
use crate::eval::Placements;
use crate::search::{
    attack_maps::AttackMaps,
    history::{HISTORY_MAX, HistoryTables, SuggestedMoves},
    parameters::Parameters,
    weights::{POINT, TermWeight, Weights},
};
use kyomi_shogi::{Move, Position, Square, notation::usi::parse_move};

/// A position with the context of its node. All terms are on.
struct Scene {
    position: Position,
    parameters: Parameters,
    suggested: SuggestedMoves,
    last_to: Option<Square>,
    checked_before: bool,
}

impl Scene {
    fn new(sfen: &str) -> Self {
        Self {
            position: Position::from_sfen(sfen).unwrap(),
            parameters: Parameters { target: 100, ..Parameters::untuned() },
            suggested: SuggestedMoves::default(),
            last_to: None,
            checked_before: false,
        }
    }

    /// By the weights of the paper.
    fn of_paper(sfen: &str) -> Self {
        let mut scene = Self::new(sfen);
        scene.parameters.figures = 1;
        scene
    }

    fn weights(&self) -> Weights {
        Weights::new(&self.parameters)
    }

    /// The weight of a term for a legal move, in sixteenths of a point, good and bad.
    fn sixteenths(&self, mv: &str, term: Term) -> (i32, i32) {
        let mv = mv_of(mv);
        assert!(self.position.is_legal(mv), "{mv}");
        let (history, weights) = (HistoryTables::new(), self.weights());
        let context = ScoringContext {
            suggested: self.suggested,
            similar: true,
            ..ScoringContext::outside_search(&weights, &history, self.last_to, self.checked_before)
        };
        let maps = AttackMaps::of(&self.position);
        let count = self.position.count_legal_moves();
        let mut scorer = Scorer::new(&self.position, &maps, &context, count);
        let features = scorer.read(mv);
        let row = ROWS.iter().find(|row| row.term == term).unwrap();
        let holds = row.group.holds(&features);
        let weight = if holds { (row.weight)(&scorer, &features) } else { TermWeight::NONE };
        (weight.good, weight.bad)
    }

    /// The same in whole points.
    fn points(&self, mv: &str, term: Term) -> (i32, i32) {
        let (good, bad) = self.sixteenths(mv, term);
        (good / POINT, bad / POINT)
    }
}

fn mv_of(text: &str) -> Move {
    parse_move(text).unwrap()
}

#[test]
fn the_first_killer_counts_more() {
    let mut scene = Scene::new(&Position::startpos().to_sfen());
    scene.suggested.killers = [mv_of("7g7f").to_bits(), mv_of("2g2f").to_bits()];
    assert_eq!(scene.points("7g7f", Term::Killer), (100, 100));
    assert_eq!(scene.points("2g2f", Term::Killer), (60, 60));
    assert_eq!(scene.points("5g5f", Term::Killer), (0, 0));
    scene.parameters.figures = 1;
    assert_eq!(scene.points("2g2f", Term::Killer), (0, 0), "the paper has one killer");
}

#[test]
fn the_counter_move_has_its_own_weight() {
    let mut scene = Scene::new(&Position::startpos().to_sfen());
    scene.suggested.counter_move = mv_of("6i7h").to_bits();
    assert_eq!(scene.points("6i7h", Term::CounterMove), (100, 100));
    assert_eq!(scene.points("5g5f", Term::CounterMove), (0, 0));
    scene.parameters.figures = 1;
    assert_eq!(scene.points("6i7h", Term::CounterMove), (100, 100));
}

#[test]
fn the_continuation_has_its_own_weight() {
    let mut scene = Scene::new(&Position::startpos().to_sfen());
    scene.suggested.continuation = mv_of("6i7h").to_bits();
    assert_eq!(scene.points("6i7h", Term::Continuation), (60, 60));
    assert_eq!(scene.points("5g5f", Term::Continuation), (0, 0));
    scene.parameters.figures = 1;
    assert_eq!(scene.points("6i7h", Term::Continuation), (100, 100));
}

const SFEN: &str = "4k4/9/9/9/2p1r4/2P1P4/9/9/4K4 b - 1";

#[test]
fn dear_victims_count_more() {
    let scene = Scene::new(SFEN);
    assert_eq!(scene.points("7f7e", Term::Capture), (190, 1));
    assert_eq!(scene.points("5f5e", Term::Capture), (900, 60));
    assert_eq!(scene.points("5i5h", Term::Capture), (0, 0));
    assert_eq!(Scene::of_paper(SFEN).points("5f5e", Term::Capture), (175, 175));
}

#[test]
fn only_captures_of_the_piece_that_just_moved_count() {
    let mut scene = Scene::new("4k4/9/9/9/2p1r4/2P1P4/9/9/4K4 b - 1");
    scene.last_to = Some(mv_of("5f5e").to());
    assert_eq!(scene.points("5f5e", Term::Recapture), (350, 0));
    assert_eq!(scene.points("7f7e", Term::Recapture), (0, 0));
}

#[test]
fn only_the_checker_counts() {
    let scene = Scene::new("4k4/9/9/9/9/9/9/4g4/4K4 b - 1");
    assert_eq!(scene.points("5i5h", Term::CaptureChecker), (100, 100));
    let aside = Scene::new("4k4/9/9/4l4/9/9/9/5g3/4K4 b - 1");
    assert_eq!(aside.points("5i4h", Term::CaptureChecker), (100, 100));
    let lance = Scene::new("4k4/9/9/4l4/9/9/9/5p3/4K4 b - 1");
    assert_eq!(lance.points("5i4h", Term::CaptureChecker), (0, 0));
}

#[test]
fn direct_and_discovered_checks_count() {
    let sfen = "4k4/9/9/9/4S4/9/9/4L4/3K5 b G 1";
    let scene = Scene::new(sfen);
    assert_eq!(scene.points("G*5b", Term::Check), (400, 10));
    assert_eq!(scene.points("5e6d", Term::Check), (400, 10), "the lance behind the silver");
    assert_eq!(scene.points("5e5d", Term::Check), (0, 0));
    assert_eq!(Scene::of_paper(sfen).points("G*5b", Term::Check), (100, 100));
}

#[test]
fn only_a_check_after_a_check_counts() {
    let mut scene = Scene::new("4k4/9/9/9/4S4/9/9/4L4/3K5 b G 1");
    assert_eq!(scene.points("G*5b", Term::FurtherCheck), (0, 0));
    scene.checked_before = true;
    assert_eq!(scene.points("G*5b", Term::FurtherCheck), (100, 100));
    assert_eq!(scene.points("5e5d", Term::FurtherCheck), (0, 0));
}

#[test]
fn pawns_gain_most() {
    let sfen = "8k/9/9/P1B1S4/9/9/9/9/4K4 b - 1";
    let scene = Scene::new(sfen);
    assert_eq!(scene.points("9d9c+", Term::Promotion), (300, 50));
    assert_eq!(scene.points("7d8c+", Term::Promotion), (150, 10));
    assert_eq!(scene.points("5d5c+", Term::Promotion), (60, 10));
    assert_eq!(scene.points("5d5c", Term::Promotion), (0, 0));
    assert_eq!(Scene::of_paper(sfen).points("5d5c+", Term::Promotion), (100, 100));
}

#[test]
fn a_hanging_piece_counts_more_than_an_even_exchange() {
    // A pawn attacks the gold; the silver stands against a silver and is guarded.
    let sfen = "4k4/9/9/2p6/2G2s3/5S3/5G3/9/4K4 b - 1";
    let scene = Scene::new(sfen);
    assert_eq!(scene.points("7e8e", Term::UnderAttack), (380, 4));
    assert_eq!(scene.points("4f3e", Term::UnderAttack), (7, 0));
    assert_eq!(scene.points("5i5h", Term::UnderAttack), (0, 0));
    assert_eq!(Scene::of_paper(sfen).points("7e8e", Term::UnderAttack), (103, 103));
    assert_eq!(Scene::of_paper(sfen).points("4f3e", Term::UnderAttack), (86, 86));
    let in_check = Scene::of_paper("4r3k/9/9/9/9/9/9/9/4K4 b - 1");
    assert_eq!(in_check.points("5i4i", Term::UnderAttack), (0, 0), "a king is in check");
}

#[test]
fn only_a_better_square_counts() {
    let scene = Scene::new(&Position::startpos().to_sfen());
    let mut better = 0;
    for mv in scene.position.legal_moves().iter().copied() {
        let piece = scene.position.piece_on(mv.from().unwrap()).unwrap();
        let placements = Placements::of(&scene.position, piece);
        let gain = placements.at(mv.to()) - placements.at(mv.from().unwrap());
        let wanted = if gain > 0 { (12 * 16, 8) } else { (0, 0) };
        assert_eq!(scene.sixteenths(&mv.to_string(), Term::Development), wanted, "{mv}");
        better += usize::from(gain > 0);
    }
    assert!(better > 5, "{better}");
}

#[test]
fn pawns_are_dropped_sooner_than_others() {
    let scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b GP 1");
    assert_eq!(scene.sixteenths("P*5e", Term::Drops), (5 * 16, 0));
    assert_eq!(scene.sixteenths("G*5e", Term::Drops), (8, 0));
    assert_eq!(scene.sixteenths("5i5h", Term::Drops), (0, 0));
}

#[test]
fn the_piece_behind_a_pin_counts_by_its_value() {
    // The bishop's line goes through the silver to the rook.
    let sfen = "4k4/9/2b6/9/4S4/5R3/9/9/K8 b - 1";
    let mut scene = Scene::new(sfen);
    assert_eq!(scene.points("4f4h", Term::Target), (1750 / 40, 0));
    assert_eq!(scene.points("5e5d", Term::Target), (0, 0));
    assert_eq!(Scene::of_paper(sfen).points("4f4h", Term::Target), (175, 175));
    scene.parameters.target = 0;
    assert_eq!(scene.points("4f4h", Term::Target), (0, 0));
}

#[test]
fn the_piece_with_one_defender_counts() {
    let one = Scene::new("4k4/9/9/4r4/9/4S4/4G4/9/K8 b - 1");
    assert_eq!(one.points("5f6e", Term::Target), (860 / 40, 0));
    let two = Scene::new("4k4/9/9/4r4/9/4S4/3GG4/9/K8 b - 1");
    assert_eq!(two.points("5f6e", Term::Target), (0, 0));
}

#[test]
fn a_pawn_counts_by_what_it_attacks() {
    // Pawn steps up to a silver, or is dropped before a gold.
    let scene = Scene::new("4k4/9/9/2s3g2/9/2P6/9/9/4K4 b P 1");
    assert_eq!(scene.points("7f7e", Term::PawnAttacks), (160, 28));
    assert_eq!(scene.points("P*3e", Term::PawnAttacks), (220, 37));
    assert_eq!(scene.points("P*5e", Term::PawnAttacks), (0, 0));
    let paper = Scene::of_paper("4k4/9/9/2s3g2/9/2P6/9/9/4K4 b P 1");
    assert_eq!(paper.points("7f7e", Term::PawnAttacks), (86, 86));
}

#[test]
fn cheaper_guarded_pieces_do_not_count() {
    // The pawn is guarded by the gold.
    let scene = Scene::new("4k4/9/9/4g4/4p4/9/9/9/4K4 b S 1");
    assert_eq!(scene.points("S*5f", Term::Attacks), (0, 0));
    let open = Scene::new("4k4/9/9/9/4p4/9/9/9/4K4 b S 1");
    assert_eq!(open.points("S*5f", Term::Attacks), (2, 0));
    let paper = Scene::of_paper("4k4/9/9/4g4/4p4/9/9/9/4K4 b S 1");
    assert_eq!(paper.points("S*5f", Term::Attacks), (21, 21), "in the paper everything does");
}

#[test]
fn a_knight_forks_two_that_are_dearer() {
    // A gold and a silver.
    let fork = Scene::new("4k4/9/9/2s1g4/9/9/9/9/4K4 b N 1");
    assert_eq!(fork.points("N*6f", Term::Fork), (20, 0));
    assert_eq!(fork.points("N*6f", Term::Attacks), (50, 0), "the dearest counts");
    assert_eq!(fork.points("N*1g", Term::Fork), (0, 0));
    let paper = Scene::of_paper("4k4/9/9/2s1g4/9/9/9/9/4K4 b N 1");
    assert_eq!(paper.points("N*6f", Term::Attacks), (86 + 103, 86 + 103));
    assert_eq!(paper.points("N*6f", Term::Fork), (0, 0));
    let single = Scene::new("4k4/9/9/2s1g4/9/3n5/9/9/4K4 b N 1");
    assert_eq!(single.points("N*4f", Term::Attacks), (50, 0));
    assert_eq!(single.points("N*4f", Term::Fork), (0, 0));
}

#[test]
fn squares_next_to_the_king_count() {
    let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b G 1");
    assert_eq!(scene.sixteenths("G*5c", Term::KingZone), (19 * 8, 8));
    assert_eq!(scene.points("G*5e", Term::KingZone), (0, 0));
    scene.parameters.extra_terms = 0;
    assert_eq!(scene.points("G*5c", Term::KingZone), (0, 0));
}

#[test]
fn a_new_defender_counts_by_what_it_defends() {
    // The rook attacks a silver that nobody guards.
    let scene = Scene::new("4k4/9/9/9/r3S4/9/9/9/4K4 b GP 1");
    assert_eq!(scene.points("G*5f", Term::Guards), (27, 1));
    assert_eq!(scene.points("P*5f", Term::Guards), (27, 1));
    assert_eq!(scene.points("G*3f", Term::Guards), (0, 0));
    assert_eq!(scene.points("5e5d", Term::Guards), (0, 0), "a piece does not guard itself");
}

#[test]
fn all_moves_share_a_thousand_points() {
    let weights = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1").weights();
    assert_eq!(even(&weights, 50), TermWeight::both(20 * POINT));
    assert_eq!(even(&weights, 0), TermWeight::both(1000 * POINT));
}

#[test]
fn the_bonus_is_the_sum_over_the_root_of_the_count() {
    let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
    assert_eq!(evasion(&scene.weights(), 9000, 9), 3000);
    assert_eq!(evasion(&scene.weights(), 9000, 0), 144_000);
    assert_eq!(evasion(&scene.weights(), i64::MAX / 100_000, 1), 1 << 28);
    scene.parameters.in_check = 50;
    assert_eq!(evasion(&scene.weights(), 9000, 9), 1500);
    scene.parameters.figures = 1;
    assert_eq!(evasion(&scene.weights(), 9000, 9), 500 * POINT);
}

#[test]
fn captures_do_not_count_and_the_first_of_equals_stays() {
    let scored = |interest, capture| ScoredMove {
        mv: mv_of("7g7f"),
        flags: MoveFlags::default().with(MoveFlags::CAPTURE, capture),
        interest,
        bad: 1,
    };
    let mut best = BestQuiet::default();
    assert_eq!(best.place(), None);
    for (at, (interest, capture)) in
        [(100, false), (900, true), (300, false), (300, false), (200, false)].iter().enumerate()
    {
        best.update(&scored(*interest, *capture), at);
    }
    assert_eq!(best.place(), Some(2));
}

#[test]
fn in_the_paper_the_best_is_alone() {
    let place = |moves: &[Option<i32>]| single_best_quiet(moves.iter().copied());
    assert_eq!(place(&[Some(100), None, Some(300), Some(200)]), Some(2));
    assert_eq!(place(&[Some(300), None, Some(300), Some(200)]), None);
    assert_eq!(place(&[Some(300), Some(300), Some(301)]), Some(2));
    assert_eq!(place(&[None]), None);
}

#[test]
fn it_is_ahead_of_all_others_and_of_a_least() {
    let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
    let weights = scene.weights();
    assert_eq!(hash_move(&weights, 400 * POINT, Some(9 * POINT)), 425 * POINT);
    assert_eq!(hash_move(&weights, 4 * POINT, Some(9 * POINT)), 175 * POINT);
    scene.parameters.figures = 1;
    let paper = scene.weights();
    assert_eq!(hash_move(&paper, 400 * POINT, Some(9 * POINT)), 34 * POINT);
    assert_eq!(hash_move(&paper, 400 * POINT, None), 425 * POINT);
}

#[test]
fn good_history_adds_and_bad_history_takes_away() {
    let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
    let weights = scene.weights();
    assert_eq!(of_interest(&weights, 800, 0), 800);
    assert_eq!(of_interest(&weights, 800, 1600), 800 + 10 * POINT);
    assert_eq!(of_interest(&weights, 800, -HISTORY_MAX / 2), 400);
    assert_eq!(of_interest(&weights, 800, -HISTORY_MAX), 100);
    scene.parameters.history = 0;
    assert_eq!(of_interest(&scene.weights(), 800, -HISTORY_MAX), 800);
}

#[test]
fn only_moves_that_lose_by_exchange_are_reduced() {
    let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
    scene.parameters.bad_quiet = 40;
    let sum = TermWeight { good: 500, bad: 300 };
    assert_eq!(bad_quiet(&scene.weights(), sum), TermWeight { good: 500, bad: 120 });
}
