//! Moves similar to those already searched at a node lose interest (docs/search.md, section 1.4). Each rule is a
//! factor; the factors multiply. The hash move is exempt.

use super::history::origin;
use super::interest::ScoredMove;
use kyomi_shogi::{Bitboard, Move, PieceKind, Position};

/// The moves searched at a node.
#[derive(Debug)]
pub(crate) struct SearchedMoves {
    /// `[kind]`
    drops: [u8; 7],
    checks: u8,
    /// Target squares of captures.
    captured_on: Bitboard,
    /// Origins of moves, `[square]`.
    movers: [u8; 81],
    /// In check: squares and kinds of the interpositions.
    interposed_on: Bitboard,
    interposed: u16,
}

impl Default for SearchedMoves {
    fn default() -> Self {
        Self {
            drops: [0; 7],
            checks: 0,
            captured_on: Bitboard::EMPTY,
            movers: [0; 81],
            interposed_on: Bitboard::EMPTY,
            interposed: 0,
        }
    }
}

impl SearchedMoves {
    /// Notes that a move has been searched.
    pub(crate) fn note(&mut self, position: &Position, mv: Move, capture: bool, check: bool) {
        self.checks = self.checks.saturating_add(u8::from(check));
        if capture {
            self.captured_on = self.captured_on.with(mv.to());
        }
        let kind = moving_kind(position, mv);
        match mv.dropped() {
            Some(kind) => self.drops[kind.index()] = self.drops[kind.index()].saturating_add(1),
            None => self.movers[origin(mv) % 81] = self.movers[origin(mv) % 81].saturating_add(1),
        }
        if position.in_check() && !capture && kind != PieceKind::King {
            self.interposed_on = self.interposed_on.with(mv.to());
            self.interposed |= 1 << kind.index();
        }
    }

    /// The interest of a move times the factors for similar moves.
    pub(crate) fn effective(&self, position: &Position, scored: &ScoredMove) -> i32 {
        let (mv, flags) = (scored.mv, scored.flags);
        let mut interest = scored.interest;
        let first_check = flags.is_check() && self.checks == 0;
        if let Some(kind) = mv.dropped()
            && !first_check
        {
            interest = drop_again(interest, self.drops[kind.index()]);
        }
        if flags.is_check() {
            interest = check_again(interest, self.checks);
        }
        if flags.is_capture() {
            interest = capture_again(interest, self.captured_on.contains(mv.to()));
        } else if mv.from().is_some() && flags.is_quiet() {
            interest = piece_again(interest, self.movers[origin(mv) % 81]);
        }
        if position.in_check() && !flags.is_capture() {
            let kind = moving_kind(position, mv);
            let again =
                self.interposed_on.contains(mv.to()) || self.interposed >> kind.index() & 1 != 0;
            interest = interpose_again(interest, again && kind != PieceKind::King);
        }
        interest.max(1)
    }

    /// The same for quiet drops that give no check.
    pub(crate) fn effective_drop(&self, kind: PieceKind, interest: i32) -> i32 {
        drop_again(interest, self.drops[kind.index()]).max(1)
    }
}

/// A drop after this number of drops of the same kind.
fn drop_again(interest: i32, before: u8) -> i32 {
    match before {
        0 => interest,
        1 => interest / 2,
        2 => interest / 3,
        _ => interest / 5,
    }
}

/// A check after this number of checks.
fn check_again(interest: i32, before: u8) -> i32 {
    match before {
        0 => interest,
        1 | 2 => interest * 7 / 10,
        _ => interest / 2,
    }
}

/// A capture, if `again` on a square on which another capture was searched.
fn capture_again(interest: i32, again: bool) -> i32 {
    if again { interest * 3 / 5 } else { interest }
}

/// A quiet move of a piece of which this number of moves was searched.
fn piece_again(interest: i32, before: u8) -> i32 {
    if before >= 2 { interest * 7 / 10 } else { interest }
}

/// An interposition, if `again` on the same square or by the same kind of piece as one before.
fn interpose_again(interest: i32, again: bool) -> i32 {
    if again { interest / 4 } else { interest }
}

fn moving_kind(position: &Position, mv: Move) -> PieceKind {
    match (mv.dropped(), mv.from().and_then(|from| position.piece_on(from))) {
        (Some(kind), _) => kind,
        (None, Some(piece)) => piece.kind(),
        (None, None) => PieceKind::Pawn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::picker::tests::list;
    use kyomi_shogi::notation::usi::parse_move;

    /// Asserts the effective interest of a move after others were searched, in percent of its interest, with a
    /// tolerance of one for rounding.
    #[track_caller]
    fn assert_left(sfen: &str, searched: &[&str], mv: &str, wanted: i32) {
        let position = Position::from_sfen(sfen).unwrap();
        let list = list(&position);
        let find = |text: &str| {
            let mv = parse_move(text).unwrap();
            *list.moves.iter().find(|scored| scored.mv == mv).unwrap()
        };
        let mut seen = SearchedMoves::default();
        for text in searched {
            let scored = find(text);
            seen.note(&position, scored.mv, scored.flags.is_capture(), scored.flags.is_check());
        }
        let scored = find(mv);
        let left = 100 * seen.effective(&position, &scored) / scored.interest;
        assert!((left - wanted).abs() <= 1, "{left} for {wanted}");
    }

    const QUIET: &str = "4k4/9/9/9/9/9/9/9/4K4 b GS 1";

    #[test]
    fn drops_of_the_same_kind() {
        for (searched, wanted) in [
            (&[][..], 100),
            (&["S*1e", "5i5h"], 100),
            (&["G*2e"], 50),
            (&["G*2e", "G*3e"], 33),
            (&["G*2e", "G*3e", "G*4e", "G*5e"], 20),
        ] {
            assert_left(QUIET, searched, "G*1e", wanted);
        }
    }

    #[test]
    fn checks_but_not_the_first_one() {
        for (searched, wanted) in [
            // Quiet drops of its kind do not reduce the interest of the first check.
            (&["G*2e"][..], 100),
            (&["S*4b"], 70),
            (&["S*4b", "S*6b", "G*4b"], 25),
            // A check and a drop of the same kind.
            (&["G*4b"], 35),
        ] {
            assert_left(QUIET, searched, "G*5b", wanted);
        }
    }

    #[test]
    fn captures_on_the_same_square() {
        let sfen = "4k4/9/9/9/2p6/9/1N1N5/9/4K4 b - 1";
        assert_left(sfen, &["8g7e"], "6g7e", 60);
        assert_left(sfen, &["5i5h"], "6g7e", 100);
    }

    #[test]
    fn quiet_moves_of_a_piece_that_moved_twice() {
        assert_left(QUIET, &["5i5h"], "5i4h", 100);
        assert_left(QUIET, &["5i5h", "5i6h"], "5i4h", 70);
    }

    #[test]
    fn interpositions() {
        // The rook checks along the file.
        let sfen = "4r3k/9/9/9/9/9/9/9/4K4 b GS 1";
        // On the same square; elsewhere with another piece; of the same kind, dropped a second time.
        assert_left(sfen, &["G*5e"], "S*5e", 25);
        assert_left(sfen, &["G*5e"], "S*5f", 100);
        assert_left(sfen, &["G*5e"], "G*5f", 12);
        // The king steps aside.
        assert_left(sfen, &["G*5e"], "5i4i", 100);
    }
}
