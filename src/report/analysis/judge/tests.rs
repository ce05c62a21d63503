use super::*;
use crate::report::analysis::SearchedLine;
use kyomi_record::{End, EndKind, Header, RecordMove};
use kyomi_shogi::{Position, notation::usi};

fn record(moves: &[&str]) -> Record {
    let mut record = Record::new(Header::default(), Position::startpos());
    record.moves =
        moves.iter().map(|text| RecordMove::new(usi::parse_move(text).unwrap())).collect();
    record
}

#[expect(clippy::unnecessary_wraps, reason = "the judge takes what may be missing")]
fn found(score: Score, best: &str) -> Option<Searched> {
    let moves = if best.is_empty() { Vec::new() } else { vec![usi::parse_move(best).unwrap()] };
    let lines = vec![SearchedLine { score, moves }];
    Some(Searched { lines, ..Searched::decided(score) })
}

#[test]
fn losses_are_those_of_the_mover_and_marked_by_their_size() {
    let record = record(&["7g7f", "3c3d"]);
    // Black gives away 600 centipawns, white then plays the best move.
    let positions = [
        found(Score::Cp(0), "2g2f"),
        found(Score::Cp(600), "3c3d"),
        found(Score::Cp(-600), "2g2f"),
    ];
    let judged = judge(&record, &positions, &[None, None]);
    let [black, white] = [0, 1].map(|at: usize| judged.moves[at].clone().unwrap());
    assert!((black.loss - 0.231).abs() < 0.001 && black.mark == Some(Mark::Mistake), "{black:?}");
    assert_eq!(black.better, usi::parse_move("2g2f").ok());
    assert!(white.loss.abs() < 1e-9 && white.mark.is_none() && white.better.is_none(), "{white:?}");
    assert_eq!(judged.sides[0].marks, [0, 0, 1, 0]);
    assert_eq!((judged.sides[1].accuracy, judged.sides[1].best), (Some(100.0), 1));
    assert_eq!(judged.critical, [1]);
    let chances: Vec<i32> =
        judged.chances.iter().map(|it| (it.unwrap() * 100.0).round() as i32).collect();
    assert_eq!(chances, [50, 27, 27]);
}

#[test]
fn a_second_opinion_can_only_make_a_loss_smaller() {
    let record = record(&["7g7f"]);
    let positions = [found(Score::Cp(300), "2g2f"), found(Score::Cp(0), "3c3d")];
    let loss = |better| judge(&record, &positions, &[better]).moves[0].clone().unwrap().loss;
    let first = loss(None);
    assert!(first > 0.1);
    assert!(loss(found(Score::Cp(-60), "3c3d")) < 0.03);
    assert!((loss(found(Score::Cp(-900), "3c3d")) - first).abs() < 1e-9);
}

#[test]
fn missed_and_allowed_mates_are_known() {
    let record = record(&["7g7f"]);
    let mate = |before, after| {
        let positions = [found(before, "2g2f"), found(after, "3c3d")];
        judge(&record, &positions, &[None]).moves[0].clone().unwrap()
    };
    let missed = mate(Score::Win(Some(5)), Score::Cp(-2000));
    assert_eq!(missed.mate, Some(MateFault::Missed(Some(5))));
    assert!(missed.mark.is_none() && missed.loss > 0.03, "{missed:?}");
    let slow = mate(Score::Win(Some(5)), Score::Loss(Some(8)));
    assert_eq!((slow.mate, slow.loss), (None, 0.0));
    let allowed = mate(Score::Cp(0), Score::Win(Some(3)));
    assert_eq!(
        (allowed.mate, allowed.mark),
        (Some(MateFault::Allowed(Some(3))), Some(Mark::Blunder))
    );
    assert_eq!(mate(Score::Loss(Some(4)), Score::Win(Some(1))).mate, None);
}

#[test]
fn unknown_positions_have_no_judgement_and_no_figures() {
    let record = record(&["7g7f", "3c3d"]);
    let judged = judge(&record, &[None, None, found(Score::Cp(9), "2g2f")], &[None, None]);
    assert_eq!(judged.moves, [None, None]);
    assert_eq!((judged.sides[0].accuracy, judged.sides[0].moves), (None, 0));
    assert_eq!(judged.turning_point, None);
}

#[test]
fn the_turning_point_is_the_move_after_which_the_winner_stayed_ahead() {
    let mut record = record(&["7g7f", "3c3d", "2g2f"]);
    record.end = Some(End::new(EndKind::Resign));
    // White to move resigns: black won.
    let positions = [
        found(Score::Cp(50), "7g7f"),
        found(Score::Cp(200), "8c8d"),
        found(Score::Cp(100), "2g2f"),
        found(Score::Cp(-400), "8c8d"),
    ];
    let judged = judge(&record, &positions, &[None, None, None]);
    assert_eq!(judged.turning_point, Some(2));
}
