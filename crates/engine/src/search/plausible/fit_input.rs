//! The moves of a position, for the fit of merits.

use arrayvec::ArrayVec;

use super::classify::generators_of;
use super::context::NodeContext;
use super::feature_reader::FeatureReader;
use super::generator::{Generator, Generators};
use super::merit::{rows, sacrifice};
use super::squares::{Places, places, points};
use super::values::MERITS;
use kyomi_shogi::{Move, Position, Square};

/// The legal moves of a position with the data that the fit of merits needs.
#[derive(Debug, Clone)]
pub struct MeritViews {
    /// Whether a threat is so strong that positional generators are off.
    pub dominated: bool,
    /// In the order in which they are generated.
    pub moves: Vec<MeritView>,
}

/// A legal move with the data that the fit of merits needs. Its merit is the sum of its rows, the sacrifice and its
/// squares.
#[derive(Debug, Clone)]
pub struct MeritView {
    /// The move.
    pub mv: Move,
    /// Whether it loses nothing by exchange. Then the good points of its rows count.
    pub good: bool,
    generators: Generators,
    /// Its rows, as indexes in [`MERITS`](super::MERITS).
    pub rows: ArrayVec<u8, 32>,
    /// The points subtracted for a loss by exchange, as a negative number.
    pub sacrifice: i32,
    /// Indexes of its weights among the learned squares.
    pub squares: Places,
}

impl MeritView {
    /// Whether a generator makes it.
    pub fn is_plausible(&self) -> bool {
        self.generators.any()
    }

    /// The generators that make it, as indexes in [`GENERATORS`].
    pub fn generators(&self) -> impl Iterator<Item = usize> {
        self.generators.iter().map(|generator| generator as usize)
    }

    /// The merit by the current tables, in points.
    pub fn merit(&self) -> i32 {
        let of = |row: &u8| {
            let value = &MERITS[usize::from(*row)];
            if self.good { value.good } else { value.bad }
        };
        self.rows.iter().map(of).sum::<i32>() + self.sacrifice + points(self.squares)
    }
}

/// Letter and number, and name, of each generator.
pub const GENERATORS: [(&str, &str); Generator::ALL.len()] = {
    let mut labels = [("", ""); Generator::ALL.len()];
    let mut at = 0;
    while at < labels.len() {
        labels[at] = Generator::ALL[at].label();
        at += 1;
    }
    labels
};

/// All legal moves of a position. `last_to` is the target of the other side's last move. A threat of `strong_threat`, a
/// capture value in centipawns, switches positional generators off.
pub fn merit_views(position: &Position, last_to: Option<Square>, strong_threat: i32) -> MeritViews {
    let context = NodeContext::new(position, last_to, strong_threat);
    let mut reader = FeatureReader::new(&context);
    let view = |mv: &Move| {
        let features = reader.read(*mv);
        let generators = generators_of(&context, &features);
        let mut found = ArrayVec::new();
        rows(&context, &features, generators, |row| {
            let _ = found.try_push(row as u8);
        });
        MeritView {
            mv: *mv,
            good: features.good,
            generators,
            rows: found,
            sacrifice: sacrifice(&context, &features, generators),
            squares: places(&context, &features),
        }
    };
    let moves = position.legal_moves().iter().map(view).collect();
    MeritViews { dominated: context.dominated, moves }
}

#[cfg(test)]
mod tests {
    use super::super::{PlausibleRules, Selection};
    use super::*;
    use crate::search::Parameters;

    #[test]
    fn rows_and_sacrifice_sum_up_to_the_merit() {
        let mut parameters = Parameters::interest();
        parameters.set("Plausible_Mode", "all").unwrap();
        let rules = PlausibleRules::new(&parameters).unwrap();
        let mut random = fastrand::Rng::with_seed(5);
        let (mut position, mut last_to) = (Position::startpos(), None);
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let selection =
                Selection { position: &position, moves: &moves, last_to, exempt: [0; 5] };
            let plausibilities = rules.classify(&selection);
            let views = merit_views(&position, last_to, parameters.plausible_threat).moves;
            assert_eq!(views.len(), plausibilities.len());
            for (view, plausibility) in views.iter().zip(&plausibilities) {
                assert_eq!(view.merit(), plausibility.merit, "{}", view.mv);
                assert_eq!(view.is_plausible(), plausibility.generators.any());
                let labels: Vec<_> = view.generators().map(|at| GENERATORS[at]).collect();
                assert_eq!(labels, plausibility.labels().collect::<Vec<_>>());
            }
            let mv = moves[random.usize(..moves.len())];
            last_to = Some(mv.to());
            position.do_move(mv);
        }
    }
}
