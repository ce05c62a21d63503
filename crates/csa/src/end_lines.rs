//! The `#` lines by which a server reports the end of a game to the players.

use kyomi_shogi::{Color, EndReason, GameEnd, Outcome};

/// The reason of an end as a `#` line.
pub fn reason_line(end: &GameEnd) -> &'static str {
    match end.reason {
        EndReason::TimeUp => "#TIME_UP",
        EndReason::IllegalMove | EndReason::WrongDeclaration => "#ILLEGAL_MOVE",
        EndReason::Sennichite => "#SENNICHITE",
        EndReason::PerpetualCheck => "#OUTE_SENNICHITE",
        EndReason::Declaration | EndReason::Try => "#JISHOGI",
        EndReason::MaxMoves => "#MAX_MOVES",
        EndReason::Adjourned | EndReason::Interrupted => "#CHUDAN",
        EndReason::Resignation => "#RESIGN",
        // Leaving in one's own turn counts as a resignation, in the opponent's turn as an illegal action.
        EndReason::Disconnected if end.loser() == Some(end.side_to_move) => "#RESIGN",
        _ => "#ILLEGAL_ACTION",
    }
}

/// The result of an end as a `#` line for one side; `None` when no result follows the reason.
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
    fn leaving_in_the_own_turn_counts_as_a_resignation() {
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
