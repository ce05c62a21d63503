//! What the fit of merits is told of a position's moves.

use arrayvec::ArrayVec;

use super::context::NodeContext;
use super::facts::Reader;
use super::judge::generators_of;
use super::merit::{rows, sacrifice};
use crate::shogi::{Move, Position, Square};

/// A legal move as the fit of merits sees it: its merit is the sum of its rows and the sacrifice.
#[derive(Debug, Clone)]
pub(crate) struct MeritView {
    /// The move.
    pub(crate) mv: Move,
    /// It loses nothing by exchange: of its rows the good points count.
    pub(crate) good: bool,
    /// A generator makes it.
    pub(crate) plausible: bool,
    /// The rows it has, as places in [`MERITS`](super::MERITS).
    pub(crate) rows: ArrayVec<u8, 32>,
    /// What is taken off for a loss by exchange, in points.
    pub(crate) sacrifice: i32,
}

/// All legal moves of a position, in the order in which they are generated. `last_to` is where the other side's last move
/// went; a threat of `strong_threat`, a swing in centipawns, switches positional generators off.
pub(crate) fn merit_views(
    position: &Position,
    last_to: Option<Square>,
    strong_threat: i32,
) -> Vec<MeritView> {
    let context = NodeContext::new(position, last_to, strong_threat);
    let mut reader = Reader::new(&context);
    let view = |mv: &Move| {
        let facts = reader.read(*mv);
        let generators = generators_of(&context, &facts);
        let mut found = ArrayVec::new();
        rows(&context, &facts, generators, |row| {
            let _ = found.try_push(row as u8);
        });
        MeritView {
            mv: *mv,
            good: facts.good,
            plausible: generators.any(),
            rows: found,
            sacrifice: sacrifice(&context, &facts, generators),
        }
    };
    position.legal_moves().iter().map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{MERITS, Question, Rules};
    use super::*;
    use crate::search::Parameters;

    #[test]
    fn rows_and_sacrifice_sum_up_to_the_merit() {
        let mut parameters = Parameters::default();
        parameters.set("Plausible_Mode", "all").unwrap();
        let rules = Rules::new(&parameters).unwrap();
        let mut random = fastrand::Rng::with_seed(5);
        let (mut position, mut last_to) = (Position::startpos(), None);
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let question = Question { position: &position, moves: &moves, last_to, exempt: [0; 5] };
            let verdicts = rules.judge(&question);
            let views = merit_views(&position, last_to, parameters.plausible_threat);
            assert_eq!(views.len(), verdicts.len());
            for (view, verdict) in views.iter().zip(&verdicts) {
                let of = |row: &u8| {
                    let value = MERITS[usize::from(*row)];
                    if view.good { value.good } else { value.bad }
                };
                let sum: i32 = view.rows.iter().map(of).sum();
                assert_eq!(sum + view.sacrifice, verdict.merit, "{}", view.mv);
                assert_eq!(view.plausible, verdict.generators.any());
            }
            let mv = moves[random.usize(..moves.len())];
            last_to = Some(mv.to());
            position.do_move(mv);
        }
    }
}
