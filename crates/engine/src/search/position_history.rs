//! The line from the start of the game to the node being searched, for repetitions.

use kyomi_shogi::{Color, Game, Hand, Position};

/// Positions of the game and of the current line.
#[derive(Debug, Default)]
pub(crate) struct PositionHistory {
    steps: Vec<Step>,
    /// Number of positions of the line whose key has these low bits. Before a new position is added it is nearly always
    /// 0; the position is no repetition then.
    filter: Vec<u8>,
    /// Number of steps that belong to the game, including the root.
    game: usize,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    /// Key of board and side to move.
    board: u64,
    /// Black's hand; with the board it determines white's.
    hand: Hand,
    /// 2 · n if the side to move was in check in each of its last n turns, including this one: the length in plies of
    /// the run of checks. A longer run than the type can hold has its largest value.
    checked: u16,
}

/// A repetition of an earlier position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundRepetition {
    /// What the repetition means for the side to move.
    pub(crate) result: RepetitionResult,
    /// Distance of the earlier position from the root, negative for positions of the game.
    pub(crate) ply: i32,
}

/// What a repetition means for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepetitionResult {
    /// The same position.
    Draw,
    /// It wins: the other side gave check with every move, or the board is the same and it has more in hand.
    Win,
    /// It loses, for the opposite reasons.
    Loss,
}

const FILTER: usize = 4096;

impl PositionHistory {
    /// Replaces the line by that of a game, whose last position is the root.
    pub(crate) fn restart(&mut self, game: &Game) {
        self.steps.clear();
        self.filter.clear();
        self.filter.resize(FILTER, 0);
        let mut position = game.start().clone();
        self.push(&position);
        for &mv in game.moves() {
            position.do_move(mv);
            self.push(&position);
        }
        self.game = self.steps.len();
    }

    /// Adds the position that a move has led to.
    pub(crate) fn push(&mut self, position: &Position) {
        let before = self.steps.len().checked_sub(2).map_or(0, |at| self.steps[at].checked);
        let checked = if position.in_check() { before.saturating_add(2) } else { 0 };
        let board = position.board_key();
        let slot = &mut self.filter[board as usize % FILTER];
        *slot = slot.saturating_add(1);
        self.steps.push(Step { board, hand: position.hand(Color::Black), checked });
    }

    /// Removes the last position.
    pub(crate) fn pop(&mut self) {
        if let Some(step) = self.steps.pop() {
            let slot = &mut self.filter[step.board as usize % FILTER];
            *slot = slot.saturating_sub(1);
        }
    }

    /// The distance of the last position from the root, in plies.
    pub(crate) fn plies(&self) -> usize {
        self.steps.len().saturating_sub(self.game)
    }

    /// Returns the repetition if the last position occurred before on the board. `side` is to move.
    pub(crate) fn repeated(&self, side: Color) -> Option<FoundRepetition> {
        let at = self.steps.len().checked_sub(1)?;
        let now = self.steps[at];
        if self.filter[now.board as usize % FILTER] < 2 {
            return None;
        }
        let mut earlier = at;
        while let Some(next) = earlier.checked_sub(2) {
            earlier = next;
            let then = self.steps[earlier];
            if then.board != now.board {
                continue;
            }
            let ply = earlier as i32 - (self.game as i32 - 1);
            let length = at - earlier;
            let result = if then.hand == now.hand {
                if usize::from(now.checked) >= length {
                    RepetitionResult::Win
                } else if usize::from(self.steps[at - 1].checked) >= length {
                    RepetitionResult::Loss
                } else {
                    RepetitionResult::Draw
                }
            } else if now.hand.contains(then.hand) == (side == Color::Black)
                && (now.hand.contains(then.hand) || then.hand.contains(now.hand))
            {
                RepetitionResult::Win
            } else if now.hand.contains(then.hand) || then.hand.contains(now.hand) {
                RepetitionResult::Loss
            } else {
                continue;
            };
            return Some(FoundRepetition { result, ply });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi;

    fn last(line: &str) -> Option<FoundRepetition> {
        let game = usi::parse_position_line(line).unwrap();
        let mut path = PositionHistory::default();
        path.restart(&game);
        path.repeated(game.position().side_to_move())
    }

    #[test]
    fn going_back_and_forth_is_a_draw() {
        let line = "position startpos moves 2h3h 8b7b 3h2h 7b8b";
        assert_eq!(last(line), Some(FoundRepetition { result: RepetitionResult::Draw, ply: -4 }));
        assert_eq!(last("position startpos moves 2h3h 8b7b 3h2h"), None);
    }

    #[test]
    fn perpetual_check_is_bad_for_the_checker() {
        let start = "position sfen 4k4/9/9/9/9/9/9/9/R3K4 b - 1 moves ";
        // White, in check at both occurrences, is to move: good for white.
        let to_white = last(&format!("{start} 9i9a 5a5b 9a9b 5b5a 9b9a"));
        assert_eq!(to_white, Some(FoundRepetition { result: RepetitionResult::Win, ply: -4 }));
        // Black to move: bad for black.
        let to_black = last(&format!("{start} 9i9a 5a5b 9a9b 5b5a 9b9a 5a5b"));
        assert_eq!(to_black, Some(FoundRepetition { result: RepetitionResult::Loss, ply: -4 }));
    }

    #[test]
    fn a_first_check_that_closes_a_cycle_is_no_perpetual_check() {
        let start = "position sfen 4k4/9/9/9/9/9/9/9/R3K4 b - 1 moves ";
        let quiet = last(&format!("{start} 9i9a 5a5b 9a9i 5b5a 9i9a"));
        assert_eq!(quiet.map(|found| found.result), Some(RepetitionResult::Draw));
    }

    #[test]
    fn a_run_of_checks_may_be_longer_than_its_counter() {
        let checked = Position::from_sfen("R3k4/9/9/9/9/9/9/9/4K4 w - 1").unwrap();
        let mut path = PositionHistory::default();
        path.restart(&Game::new(checked.clone()));
        for _ in 0..u32::from(u16::MAX) + 8 {
            path.push(&checked);
        }
        assert_eq!(path.steps.last().unwrap().checked, u16::MAX);
    }

    #[test]
    fn more_in_hand_on_the_same_board_is_good() {
        // Black gives a pawn away, and the board is the same as before.
        let line =
            "position sfen 4k4/9/9/9/4r4/9/9/9/K7R b P 1 moves P*5f 5e5f 1i1h 5f5g 1h1i 5g5e";
        assert_eq!(last(line), Some(FoundRepetition { result: RepetitionResult::Loss, ply: -6 }));
    }
}
