//! Judges the moves of a game by their loss of winning chance.

use super::{chance::chance, searched::Searched};
use kyomi_record::{Record, Winner};
use kyomi_shogi::{Color, Move, Score};

/// The judgements of all moves, and the figures of both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameJudgement {
    /// Black's chance to win in each position, from 0 to 1, where it is known.
    pub chances: Vec<Option<f64>>,
    /// The judgement of each move, where the positions before and after it are known.
    pub moves: Vec<Option<MoveJudgement>>,
    /// The figures of black and white.
    pub sides: [SideFigures; 2],
    /// The plies (from 1) of the moves that mattered most, in order: at most [`MOST_CRITICAL`].
    pub critical: Vec<usize>,
    /// The ply of the move after which the winner was ahead to the end.
    pub turning_point: Option<usize>,
}

/// The judgement of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveJudgement {
    /// The side that moved.
    pub side: Color,
    /// The loss of winning chance, from 0 to 1.
    pub loss: f64,
    /// The mark for the loss.
    pub mark: Option<Mark>,
    /// A missed or allowed mate.
    pub mate: Option<MateFault>,
    /// The better move, if there is one.
    pub better: Option<Move>,
}

/// Names for losses of the chance to win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// 5 percentage points or more.
    Inaccuracy,
    /// 10 points or more.
    Dubious,
    /// 20 points or more.
    Mistake,
    /// 50 points or more.
    Blunder,
}

/// A mistake of a move that concerns a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateFault {
    /// The side could mate by force, in this number of plies if known, and after the move it cannot.
    Missed(Option<u32>),
    /// The side was not lost by force before, and after the move it is mated, in this number of plies if known.
    Allowed(Option<u32>),
}

/// The figures of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideFigures {
    /// Number of moves judged.
    pub moves: usize,
    /// The mean accuracy of its moves in percent; `None` without moves.
    pub accuracy: Option<f64>,
    /// The mean loss, from 0 to 1; `None` without moves.
    pub mean_loss: Option<f64>,
    /// Number of moves with each mark, the lightest first.
    pub marks: [usize; 4],
    /// Number of missed mates.
    pub missed_mates: usize,
    /// Number of moves that were the engine's best.
    pub best: usize,
}

impl Mark {
    /// All marks, the lightest first.
    pub const ALL: [Self; 4] = [Self::Inaccuracy, Self::Dubious, Self::Mistake, Self::Blunder];

    /// The least loss that has the mark.
    pub const fn threshold(self) -> f64 {
        match self {
            Self::Inaccuracy => LEAST_LOSS,
            Self::Dubious => 0.10,
            Self::Mistake => 0.20,
            Self::Blunder => 0.50,
        }
    }

    /// The mark of a loss.
    pub fn of(loss: f64) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|mark| loss >= mark.threshold())
    }

    /// Its name in English.
    pub const fn english(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Dubious => "dubious move",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// Its name in Japanese.
    pub const fn japanese(self) -> &'static str {
        match self {
            Self::Inaccuracy => "緩手",
            Self::Dubious => "疑問手",
            Self::Mistake => "悪手",
            Self::Blunder => "大悪手",
        }
    }

    /// The sign beside the move.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Dubious => "?",
            Self::Mistake => "??",
            Self::Blunder => "???",
        }
    }
}

/// The least loss that has a mark.
pub const LEAST_LOSS: f64 = 0.05;

/// The largest number of critical moments.
pub const MOST_CRITICAL: usize = 6;

/// How fast accuracy falls with the loss of a move: `e^(−5 · loss)`.
const ACCURACY_FALL: f64 = 5.0;

/// Judges the moves. `positions` has one entry more than the game has moves; `better` has, for some moves, the result
/// of a search after the best move instead of the played one.
pub(crate) fn judge(
    record: &Record,
    positions: &[Option<Searched>],
    better: &[Option<Searched>],
) -> GameJudgement {
    let first = record.start.side_to_move();
    let side_at = |ply: usize| if ply.is_multiple_of(2) { first } else { !first };
    let chances: Vec<Option<f64>> = positions
        .iter()
        .enumerate()
        .map(|(ply, found)| {
            let own = chance(found.as_ref()?.score());
            Some(if side_at(ply) == Color::Black { own } else { 1.0 - own })
        })
        .collect();
    let moves: Vec<Option<MoveJudgement>> = record
        .moves
        .iter()
        .enumerate()
        .map(|(ply, made)| {
            let before = positions.get(ply)?.as_ref()?;
            let after = positions.get(ply + 1)?.as_ref()?;
            let verified = better.get(ply).and_then(Option::as_ref);
            Some(judge_move(side_at(ply), made.mv, before, after, verified))
        })
        .collect();
    let sides = Color::ALL.map(|side| figures(side, &moves));
    let critical = critical(&moves);
    let turning_point = turning_point(record, &chances);
    GameJudgement { chances, moves, sides, critical, turning_point }
}

fn judge_move(
    side: Color,
    played: Move,
    before: &Searched,
    after: &Searched,
    verified: Option<&Searched>,
) -> MoveJudgement {
    let best = before.best();
    let after_score = -after.score();
    let is_best = best == Some(played);
    let mut loss = (chance(before.score()) - chance(after_score)).max(0.0);
    if let Some(verified) = verified {
        // The position after the best move was searched too, with the same limit as the one after the played move.
        loss = loss.min((chance(-verified.score()) - chance(after_score)).max(0.0));
    }
    let mate = match (before.score(), after_score) {
        (Score::Win(plies), Score::Cp(_) | Score::Loss(_)) if !is_best => {
            // A proven mate needs no verification.
            loss = 1.0 - chance(after_score);
            Some(MateFault::Missed(plies))
        }
        (Score::Cp(_), Score::Loss(plies)) if !is_best && loss >= LEAST_LOSS => {
            Some(MateFault::Allowed(plies))
        }
        _ => None,
    };
    // The engine's own choice is no mistake of the player, even if a later search sees more.
    let loss = if is_best { 0.0 } else { loss };
    let better = best.filter(|_| !is_best && loss > 0.0);
    MoveJudgement { side, loss, mark: Mark::of(loss), mate, better }
}

fn figures(side: Color, moves: &[Option<MoveJudgement>]) -> SideFigures {
    let mut figures = SideFigures::default();
    let (mut accuracy, mut loss) = (0.0, 0.0);
    for judged in moves.iter().flatten().filter(|judged| judged.side == side) {
        figures.moves += 1;
        accuracy += (-ACCURACY_FALL * judged.loss).exp() * 100.0;
        loss += judged.loss;
        if let Some(mark) = judged.mark {
            figures.marks[mark as usize] += 1;
        }
        figures.missed_mates += usize::from(matches!(judged.mate, Some(MateFault::Missed(_))));
        figures.best += usize::from(judged.better.is_none() && judged.loss == 0.0);
    }
    if figures.moves > 0 {
        figures.accuracy = Some(accuracy / figures.moves as f64);
        figures.mean_loss = Some(loss / figures.moves as f64);
    }
    figures
}

/// The moves with the largest losses of 10 points or more, and missed mates, in the order of the game.
fn critical(moves: &[Option<MoveJudgement>]) -> Vec<usize> {
    let mut found: Vec<(usize, f64)> = moves
        .iter()
        .enumerate()
        .filter_map(|(ply, judged)| {
            let judged = judged.as_ref()?;
            let counts = judged.loss >= Mark::Dubious.threshold()
                || matches!(judged.mate, Some(MateFault::Missed(_)));
            counts.then_some((ply + 1, judged.loss))
        })
        .collect();
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    found.truncate(MOST_CRITICAL);
    let mut plies: Vec<usize> = found.into_iter().map(|(ply, _)| ply).collect();
    plies.sort_unstable();
    plies
}

/// The ply of the move after which the winner's chance stayed above one half.
fn turning_point(record: &Record, chances: &[Option<f64>]) -> Option<usize> {
    let Some(Winner::Side(winner)) = record.winner() else { return None };
    let mut known = true;
    let ahead = chances.iter().rev().take_while(|chance| {
        known &= chance.is_some();
        chance.is_some_and(|black| {
            (black - 0.5) * if winner == Color::Black { 1.0 } else { -1.0 } > 0.0
        })
    });
    let plies = ahead.count();
    // There is no turning point if the winner was ahead from the start, or is not ahead at the end.
    (known && plies > 0 && plies < chances.len()).then(|| chances.len() - plies)
}

#[cfg(test)]
mod tests;
