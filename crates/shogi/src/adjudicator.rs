//! The rules by which a game ends on the board.

use super::{Color, CountStart, EndReason, EnteringKingRule, Game, GameEnd, Repetition};

/// The rules by which a game ends on the board, of a server, a match or self-play.
///
/// A move is judged in this order: a king that wins by the try rule, mate, perpetual check, repetition, the move limit.
///
/// Not here: whether a move is legal ([`Game::push`]), clocks, resignations, agreements.
///
/// ```
/// use kyomi_shogi::{Adjudicator, EndReason, Game};
///
/// let rules = Adjudicator { max_moves: Some(1), ..Adjudicator::default() };
/// let mut game = Game::default();
/// assert_eq!(rules.end(&game), None);
/// let mv = game.position().legal_moves()[0];
/// game.push(mv).unwrap();
/// assert_eq!(rules.end(&game).map(|end| end.reason), Some(EndReason::MaxMoves));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudicator {
    /// How an entered king wins.
    pub entering_king: EnteringKingRule,
    /// Whether repetition counts the start position.
    pub count_start: CountStart,
    /// Whether a game ends when the side to move has no legal move. On servers that side loses by resignation, on time
    /// or by an illegal move.
    pub mate_ends: bool,
    /// The number of moves after which the game is drawn, those of an opening included.
    pub max_moves: Option<u32>,
}

impl Default for Adjudicator {
    /// The rules of shogi, without a move limit.
    fn default() -> Self {
        Self {
            entering_king: EnteringKingRule::default(),
            count_start: CountStart::Yes,
            mate_ends: true,
            max_moves: None,
        }
    }
}

impl Adjudicator {
    /// The end of the game by its last move; `None` if it goes on.
    pub fn end(&self, game: &Game) -> Option<GameEnd> {
        let side = game.position().side_to_move();
        let lost = |loser: Color, reason| Some(GameEnd::lost(loser, reason, side));
        if game.is_won_by_try(self.entering_king) {
            return lost(side, EndReason::Try);
        }
        if self.mate_ends && !game.position().has_legal_move() {
            return lost(side, EndReason::Mate);
        }
        match game.repetition(self.count_start) {
            Some(Repetition::PerpetualCheck { loser }) => {
                return lost(loser, EndReason::PerpetualCheck);
            }
            Some(Repetition::Sennichite) => {
                return Some(GameEnd::drawn(EndReason::Sennichite, side));
            }
            None => {}
        }
        self.max_moves
            .is_some_and(|most| game.len() >= most as usize)
            .then(|| GameEnd::drawn(EndReason::MaxMoves, side))
    }

    /// The end of the game by a declaration of the side to move, which wins or loses by it.
    pub fn declared(&self, game: &Game) -> GameEnd {
        let side = game.position().side_to_move();
        if game.position().can_declare(self.entering_king) {
            GameEnd::won(side, EndReason::Declaration, side)
        } else {
            GameEnd::lost(side, EndReason::WrongDeclaration, side)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Winner;
    use crate::notation::usi::parse_position_line;

    fn game(line: &str) -> Game {
        parse_position_line(line).unwrap()
    }

    fn end(rules: &Adjudicator, line: &str) -> Option<(EndReason, Winner)> {
        rules.end(&game(line)).and_then(|end| Some((end.reason, end.winner?)))
    }

    const WHITE: Winner = Winner::Side(Color::White);
    const BLACK: Winner = Winner::Side(Color::Black);

    #[test]
    fn mate_ends_a_game_unless_the_players_end_it() {
        let mated = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b";
        let rules = Adjudicator::default();
        assert_eq!(end(&rules, mated), Some((EndReason::Mate, BLACK)));
        assert_eq!(end(&Adjudicator { mate_ends: false, ..rules }, mated), None);
    }

    #[test]
    fn the_fourth_time_in_one_position_is_a_draw() {
        let cycle = " 2h3h 8b7b 3h2h 7b8b";
        let three = format!("startpos moves{}", cycle.repeat(3));
        let rules = Adjudicator::default();
        assert_eq!(end(&rules, &three), Some((EndReason::Sennichite, Winner::Draw)));
        let on_servers = Adjudicator { count_start: CountStart::No, ..rules };
        assert_eq!(end(&on_servers, &three), None);
    }

    #[test]
    fn repetition_comes_before_the_move_limit() {
        let cycle = " 2h3h 8b7b 3h2h 7b8b";
        let rules = Adjudicator { max_moves: Some(12), ..Adjudicator::default() };
        let repeated = end(&rules, &format!("startpos moves{}", cycle.repeat(3)));
        assert_eq!(repeated, Some((EndReason::Sennichite, Winner::Draw)));
        let limit = Adjudicator { max_moves: Some(4), ..rules };
        let reached = end(&limit, &format!("startpos moves{cycle}"));
        assert_eq!(reached, Some((EndReason::MaxMoves, Winner::Draw)));
    }

    #[test]
    fn a_declaration_wins_or_loses() {
        let rules = Adjudicator::default();
        let wrong = rules.declared(&Game::default());
        assert_eq!((wrong.reason, wrong.winner), (EndReason::WrongDeclaration, Some(WHITE)));
        let entered = "sfen 1K+R+R+B+BGGG/PPPPPPPPP/9/9/9/9/9/9/4k4 b 2S4L 1";
        let end = rules.declared(&game(entered));
        assert_eq!((end.reason, end.winner), (EndReason::Declaration, Some(BLACK)));
    }

    #[test]
    fn a_king_on_the_square_of_the_try_rule_wins() {
        let rules = Adjudicator { entering_king: EnteringKingRule::Try, ..Adjudicator::default() };
        let tried = "sfen 9/4K4/9/9/9/9/9/9/k8 b - 1 moves 5b5a";
        assert_eq!(end(&rules, tried), Some((EndReason::Try, BLACK)));
        assert_eq!(end(&Adjudicator::default(), tried), None);
    }
}
