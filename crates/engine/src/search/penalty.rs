//! Negative plausibility: moves that were searched without a cut, before another move of the node cut, lose interest
//! for a while (docs/search.md, section 2).
//!
//! Invariants: points change only after a cut; the move that cuts gains no points; each thread has its own table. Cuts
//! at the root are not counted, since they come only from a narrow window.

use super::history::{LEAST_MEAN, MOST_MEANS, add_points, mean_points};
use super::parameters::Parameters;
use super::see::kind_after;
use kyomi_shogi::{Color, Move, PieceKind, Position};

/// The penalty points of one thread.
pub(crate) struct InterestPenalties {
    rules: PenaltySettings,
    /// `[side][slot]`; empty while penalties are off.
    points: [Box<[u16]>; 2],
    /// Mean of the points that are not 0, at the start of the iteration.
    mean: i32,
    /// The number of nodes of the thread when the points were last halved.
    halved_at: u64,
}

/// How penalties are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PenaltyMode {
    Off,
    /// Relative to their mean, with exemptions.
    On,
    /// Exactly as in the paper: subtracted, without cap or exemptions.
    Paper,
}

/// The parameters of penalties.
#[derive(Debug, Clone, Copy)]
struct PenaltySettings {
    mode: PenaltyMode,
    /// In percent.
    lambda: i32,
    /// The most points of one move at one cut.
    cap: usize,
    /// Moves of the same kind of piece to the same square share their points.
    by_piece: bool,
    /// Points are halved when the thread's nodes have doubled, not at every iteration.
    by_doubling: bool,
    /// The points of a cut are multiplied by the depth of its node.
    by_depth: bool,
}

impl InterestPenalties {
    pub(crate) fn new(p: &Parameters) -> Self {
        let mode = match p.penalties {
            0 => PenaltyMode::Off,
            1 => PenaltyMode::On,
            _ => PenaltyMode::Paper,
        };
        let paper = mode == PenaltyMode::Paper;
        let rules = PenaltySettings {
            mode,
            lambda: p.penalty_lambda,
            cap: if paper { usize::MAX } else { p.penalty_cap as usize },
            by_piece: p.penalty_index != 0,
            by_doubling: p.penalty_aging != 0 && !paper,
            by_depth: p.penalty_weight != 0,
        };
        let slots = match (mode, rules.by_piece) {
            (PenaltyMode::Off, _) => 0,
            (_, false) => ORIGINS * SQUARES * 2,
            (_, true) => PIECES * SQUARES,
        };
        let points = std::array::from_fn(|_| vec![0; slots].into_boxed_slice());
        Self { rules, points, mean: LEAST_MEAN, halved_at: 0 }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.rules.mode != PenaltyMode::Off
    }

    /// Whether some iterations may ignore the penalties.
    pub(crate) fn may_pause(&self) -> bool {
        self.rules.mode == PenaltyMode::On
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for side in &mut self.points {
            side.fill(0);
        }
        self.mean = LEAST_MEAN;
        self.halved_at = 0;
    }

    /// Prepares for a new root: halves the points. Exactly as in the paper they are halved between iterations only.
    pub(crate) fn new_root(&mut self) {
        self.halved_at = 0;
        if self.rules.mode == PenaltyMode::On {
            self.halve();
        }
    }

    /// Begins an iteration. `nodes` are those of this thread in this search, 0 for the first iteration.
    pub(crate) fn next_iteration(&mut self, nodes: u64) {
        if !self.is_on() {
            return;
        }
        let due = nodes > 0 && (!self.rules.by_doubling || nodes >= 2 * self.halved_at);
        if due {
            self.halve();
            self.halved_at = nodes;
        }
        self.mean = mean_points(self.points.iter().flat_map(|side| side.iter().copied()));
    }

    /// Gives points to the moves `tried` after another move has cut a node of this depth. They are in the order in
    /// which they were searched.
    pub(crate) fn update_after_cut(&mut self, position: &Position, tried: &[Move], depth: i32) {
        if !self.is_on() {
            return;
        }
        let weight = if self.rules.by_depth { depth.max(1) as usize } else { 1 };
        for (at, &mv) in tried.iter().enumerate() {
            let points = (tried.len() - at).min(self.rules.cap) * weight;
            let slot = self.slot(position, mv);
            if let Some(value) = self.points_mut(position.side_to_move()).get_mut(slot) {
                add_points(value, points);
            }
        }
    }

    /// The interest of a move of the side to move after its penalty. An `exempt` move has no penalty, except in the
    /// mode `paper`.
    pub(crate) fn apply(&self, interest: i32, position: &Position, mv: Move, exempt: bool) -> i32 {
        let side = position.side_to_move().index();
        let points = self.points[side].get(self.slot(position, mv)).copied().map_or(0, i32::from);
        match self.rules.mode {
            PenaltyMode::On if !exempt => divided(interest, points, self.mean, self.rules.lambda),
            PenaltyMode::Paper => subtracted(interest, points),
            _ => interest,
        }
    }

    fn points_mut(&mut self, side: Color) -> &mut [u16] {
        &mut self.points[side.index()]
    }

    fn halve(&mut self) {
        for value in self.points.iter_mut().flat_map(|side| side.iter_mut()) {
            *value /= 2;
        }
    }

    fn slot(&self, position: &Position, mv: Move) -> usize {
        let (to, kind) = (mv.to().index(), kind_after(position, mv).index());
        if self.rules.by_piece {
            let piece = if mv.from().is_none() { PieceKind::COUNT + kind } else { kind };
            piece * SQUARES + to
        } else {
            (super::history::origin(mv) * SQUARES + to) * 2 + usize::from(mv.is_promotion())
        }
    }
}

/// Interest divided by `1 + lambda · ratio`, where `ratio` is the points divided by their mean, at most [`MOST_MEANS`].
fn divided(interest: i32, points: i32, mean: i32, lambda: i32) -> i32 {
    // In sixteenths, so that fractions of the mean count.
    let over = (16 * points / mean.max(1)).min(16 * MOST_MEANS);
    let left = i64::from(interest) * 1600 / (1600 + i64::from(lambda) * i64::from(over));
    (left as i32).max(1)
}

/// Interest minus a sixteenth of a point for each point of penalty. Interest is stored in sixteenths.
fn subtracted(interest: i32, points: i32) -> i32 {
    (interest - points).max(1)
}

const SQUARES: usize = 81;
/// The origins of moves: squares and kinds in hand.
const ORIGINS: usize = SQUARES + 7;
/// Pieces of moves: kinds on the board, then kinds dropped.
const PIECES: usize = PieceKind::COUNT + 7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::MOST_POINTS;
    use kyomi_shogi::notation::usi::parse_move;

    fn on() -> Parameters {
        Parameters { penalties: 1, ..Parameters::interest() }
    }

    fn start() -> (Position, Vec<Move>) {
        let position = Position::startpos();
        let moves = position.legal_moves().iter().copied().collect();
        (position, moves)
    }

    fn points(penalties: &InterestPenalties, position: &Position, mv: Move) -> u16 {
        penalties.points[position.side_to_move().index()][penalties.slot(position, mv)]
    }

    fn sum(penalties: &InterestPenalties) -> u64 {
        penalties.points.iter().flat_map(|side| side.iter()).map(|value| u64::from(*value)).sum()
    }

    #[test]
    fn points_grow_with_the_distance_from_the_cut() {
        let (position, moves) = start();
        let mut penalties = InterestPenalties::new(&on());
        // The twentieth move cuts.
        penalties.update_after_cut(&position, &moves[..19], 4);
        assert_eq!(points(&penalties, &position, moves[0]), 19);
        assert_eq!(points(&penalties, &position, moves[17]), 2);
        assert_eq!(points(&penalties, &position, moves[19]), 0);
        assert_eq!(sum(&penalties), 20 * 19 / 2);
    }

    #[test]
    fn a_cut_by_the_first_move_changes_nothing() {
        let (position, _) = start();
        let mut penalties = InterestPenalties::new(&on());
        penalties.update_after_cut(&position, &[], 4);
        assert_eq!(sum(&penalties), 0);
    }

    #[test]
    fn only_moves_of_the_side_to_move_get_points() {
        let (mut position, moves) = start();
        let mut penalties = InterestPenalties::new(&on());
        penalties.update_after_cut(&position, &moves[..5], 4);
        position.do_move(moves[0]);
        let other = penalties.points[position.side_to_move().index()].iter();
        assert!(other.copied().all(|value| value == 0));
    }

    #[test]
    fn the_cap_holds_and_points_saturate() {
        let (position, moves) = start();
        let mut penalties = InterestPenalties::new(&Parameters { penalty_cap: 4, ..on() });
        penalties.update_after_cut(&position, &moves[..20], 4);
        assert_eq!(points(&penalties, &position, moves[0]), 4);
        for _ in 0..20_000 {
            penalties.update_after_cut(&position, &moves[..20], 4);
        }
        assert_eq!(usize::from(points(&penalties, &position, moves[0])), MOST_POINTS);
    }

    #[test]
    fn points_are_multiplied_by_the_depth_on_request() {
        let (position, moves) = start();
        let mut penalties = InterestPenalties::new(&Parameters { penalty_weight: 1, ..on() });
        penalties.update_after_cut(&position, &moves[..2], 3);
        assert_eq!(points(&penalties, &position, moves[0]), 6);
    }

    #[test]
    fn an_iteration_and_a_root_halve_and_round_down() {
        let (position, moves) = start();
        let mut penalties = InterestPenalties::new(&on());
        penalties.update_after_cut(&position, &moves[..19], 4);
        penalties.next_iteration(0);
        assert_eq!(points(&penalties, &position, moves[0]), 19);
        penalties.next_iteration(1000);
        assert_eq!(points(&penalties, &position, moves[0]), 9);
        penalties.new_root();
        assert_eq!(points(&penalties, &position, moves[0]), 4);
        penalties.clear();
        assert_eq!(sum(&penalties), 0);
    }

    #[test]
    fn points_are_halved_when_the_nodes_have_doubled() {
        let (position, moves) = start();
        let mut penalties = InterestPenalties::new(&Parameters { penalty_aging: 1, ..on() });
        penalties.update_after_cut(&position, &moves[..16], 4);
        let mut after = |nodes| {
            penalties.next_iteration(nodes);
            points(&penalties, &position, moves[0])
        };
        assert_eq!([0, 1000, 1350, 1999, 2000, 3999, 4000].map(&mut after), [16, 8, 8, 8, 4, 4, 2]);
    }

    #[test]
    fn interest_falls_with_the_points_over_their_mean() {
        assert_eq!(divided(1600, 0, 8, 10), 1600);
        // The divisor is 1.1 at the mean, and 2.2 at twelve times the mean and above.
        assert_eq!(divided(1600, 8, 8, 10), 1600 * 10 / 11);
        assert_eq!(divided(1600, 96, 8, 10), 1600 * 10 / 22);
        assert_eq!(divided(1600, 60_000, 8, 10), divided(1600, 96, 8, 10));
        assert_eq!(divided(1, 60_000, 8, 200), 1);
        assert_eq!((subtracted(160, 32), subtracted(160, 60_000)), (128, 1));
        assert_eq!(mean_points([0, 0, 30, 10].into_iter()), 20);
        assert_eq!((mean_points([3].into_iter()), mean_points(std::iter::empty())), (8, 8));
    }

    #[test]
    fn exempt_moves_keep_their_interest_but_not_as_in_the_paper() {
        let (position, moves) = start();
        for (mode, kept) in [(1, true), (2, false)] {
            let mut penalties =
                InterestPenalties::new(&Parameters { penalties: mode, ..Parameters::interest() });
            penalties.update_after_cut(&position, &moves[..20], 4);
            penalties.next_iteration(0);
            let left = |exempt| penalties.apply(1600, &position, moves[0], exempt);
            assert!(left(false) < 1600);
            assert_eq!(left(true) == 1600, kept);
        }
        let off = InterestPenalties::new(&Parameters::interest());
        assert_eq!(off.apply(1600, &position, moves[0], false), 1600);
    }

    #[test]
    fn all_moves_of_a_kind_to_a_square_can_share_their_points() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/4S4/9/3G1G2K b S2P 1").unwrap();
        let read = |text: &str| parse_move(text).unwrap();
        let (left, right, drop, step) = (read("6i5h"), read("4i5h"), read("S*5f"), read("5g5f"));
        let shared = InterestPenalties::new(&Parameters { penalty_index: 1, ..on() });
        let apart = InterestPenalties::new(&on());
        assert_eq!(shared.slot(&position, left), shared.slot(&position, right));
        assert_ne!(apart.slot(&position, left), apart.slot(&position, right));
        assert_ne!(shared.slot(&position, drop), shared.slot(&position, step));
        for mv in position.legal_moves().iter().copied() {
            assert!(shared.slot(&position, mv) < PIECES * SQUARES);
            assert!(apart.slot(&position, mv) < ORIGINS * SQUARES * 2);
        }
    }
}
