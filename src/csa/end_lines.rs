//! How the end of a game is told to players: the `#` lines of the server.

use crate::shogi::{Color, EndReason, GameEnd, Outcome};

/// The reason of an end as a `#` line.
pub fn reason_line(end: &GameEnd) -> &'static str {
    match end.reason {
        EndReason::TimeUp => "#TIME_UP",
        EndReason::IllegalMove | EndReason::WrongDeclaration => "#ILLEGAL_MOVE",
        EndReason::Sennichite => "#SENNICHITE",
        EndReason::PerpetualCheck => "#OUTE_SENNICHITE",
        EndReason::Declaration => "#JISHOGI",
        EndReason::MaxMoves => "#MAX_MOVES",
        EndReason::Suspended => "#CHUDAN",
        EndReason::Resignation => "#RESIGN",
        // Whoever leaves in its own turn has resigned; in the other side's it has done what is not allowed.
        EndReason::Disconnected if end.loser() == Some(end.side_to_move) => "#RESIGN",
        _ => "#ILLEGAL_ACTION",
    }
}

/// The result of an end as a `#` line for one side; `None` where the reason says it all.
pub fn result_line(end: &GameEnd, color: Color) -> Option<&'static str> {
    match end.outcome_for(color) {
        Outcome::Win => Some("#WIN"),
        Outcome::Loss => Some("#LOSE"),
        Outcome::Draw if end.reason == EndReason::MaxMoves => Some("#CENSORED"),
        Outcome::Draw => Some("#DRAW"),
        Outcome::None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_leaves_in_its_own_turn_has_resigned() {
        let (black, white) = (Color::Black, Color::White);
        for (side_to_move, line) in [(black, "#RESIGN"), (white, "#ILLEGAL_ACTION")] {
            let end = GameEnd::lost(black, EndReason::Disconnected, side_to_move);
            assert_eq!(reason_line(&end), line);
            assert_eq!(
                (result_line(&end, black), result_line(&end, white)),
                (Some("#LOSE"), Some("#WIN"))
            );
        }
    }
}
