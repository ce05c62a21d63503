//! Moves that are written by what distinguishes them (`５八金右`): finds them on a board, and finds the words for a
//! move.
//!
//! The rule of the Japan Shogi Association: a direction (`上寄引`) if no other piece of the same name moves to the
//! square in that direction, else a side (`左右直`), else both. All pieces that could move there count, pinned ones
//! too. Two dragons, horses, rooks or bishops are left and right of each other; all other pieces are left or right
//! of the target square.

use crate::foul::kind_after;
use kyomi_shogi::notation::csa::RawMove;
use kyomi_shogi::{Color, Move, PieceKind, Position, Square};

use super::words::{Motion, Relative, WrittenMove};

/// Why no move was found for the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FindError {
    /// No piece can move so.
    Illegal,
    /// This square has another piece than the one named.
    Misnamed(Square),
    /// Pieces on these squares fit.
    Ambiguous(Vec<Square>),
}

/// Finds the legal move that was written. `before` is the target square of the move before it.
pub(super) fn find(
    position: &Position,
    written: &WrittenMove,
    before: Option<Square>,
) -> Result<Move, FindError> {
    let to = written.to.or(before).ok_or(FindError::Illegal)?;
    let side = position.side_to_move();
    if let Some(from) = written.from {
        let piece = position.piece_on(from).filter(|piece| piece.color() == side);
        let kind = piece.ok_or(FindError::Illegal)?.kind();
        if kind != written.kind {
            return Err(FindError::Misnamed(from));
        }
        return board_move(position, from, to, written.promote).ok_or(FindError::Illegal);
    }
    let drop = || {
        let drop = written.kind.is_droppable().then(|| Move::drop(written.kind, to));
        drop.filter(|mv| position.is_legal(*mv)).ok_or(FindError::Illegal)
    };
    if written.is_drop {
        return drop();
    }
    let says_little =
        written.relative.is_none() && written.motion.is_none() && written.promote != Some(true);
    let mut fitting = candidates(position, side, written.kind, to);
    narrow(&mut fitting, side, written.kind, to, written.relative, written.motion);
    let moves: Vec<Move> = fitting
        .iter()
        .filter_map(|from| board_move(position, *from, to, written.promote))
        .collect();
    match moves.as_slice() {
        [one] => Ok(*one),
        [] if says_little => drop(),
        [] => Err(FindError::Illegal),
        several => Err(FindError::Ambiguous(several.iter().filter_map(|mv| mv.from()).collect())),
    }
}

/// The squares and the piece of a written move that need not be legal; `None` if they are not clear.
pub(super) fn raw_move(
    position: &Position,
    written: &WrittenMove,
    before: Option<Square>,
) -> Option<RawMove> {
    let to = written.to.or(before)?;
    let color = written.mark.unwrap_or_else(|| position.side_to_move());
    let from = match written.from {
        None if !written.is_drop => {
            let attackers = position.attackers_of(color, to, position.occupied());
            let own = attackers & position.pieces(color, written.kind);
            let mut fitting: Vec<Square> = own.into_iter().collect();
            narrow(&mut fitting, color, written.kind, to, written.relative, written.motion);
            match fitting[..] {
                [one] => Some(one),
                [] if written.kind.is_droppable()
                    && position.hand(color).count(written.kind) > 0 =>
                {
                    None
                }
                _ => return None,
            }
        }
        from => from,
    };
    let kind = kind_after(written.kind, written.promote == Some(true))?;
    (from != Some(to)).then_some(RawMove { color, from, to, kind })
}

/// The words that must follow the name of the piece so that [`find`] finds this move: none, `打`, `右`, `左上`, … `None`
/// if no words distinguish it from others.
pub(crate) fn relative_words(position: &Position, mv: Move) -> Option<&'static str> {
    let (side, to) = (position.side_to_move(), mv.to());
    if let Some(kind) = mv.dropped() {
        return Some(if candidates(position, side, kind, to).is_empty() { "" } else { "打" });
    }
    let from = mv.from()?;
    let kind = position.piece_on(from)?.kind();
    let all = candidates(position, side, kind, to);
    let tells = |relative, motion| {
        let mut left = all.clone();
        narrow(&mut left, side, kind, to, relative, motion);
        left == [from]
    };
    if tells(None, None) {
        return Some("");
    }
    let motion = motion(side, from, to);
    if tells(None, Some(motion)) {
        return Some(motion_word(motion));
    }
    let places = [Relative::Straight, Relative::Left, Relative::Right];
    let places =
        || places.into_iter().filter(|relative| *relative != Relative::Straight || !is_long(kind));
    if let Some(relative) = places().find(|relative| tells(Some(*relative), None)) {
        return Some(match relative {
            Relative::Straight => "直",
            Relative::Left => "左",
            Relative::Right => "右",
        });
    }
    let relative = places().find(|relative| tells(Some(*relative), Some(motion)))?;
    Some(match (relative, motion) {
        (Relative::Left, Motion::Forward) => "左上",
        (Relative::Left, Motion::Sideways) => "左寄",
        (Relative::Left, Motion::Backward) => "左引",
        (Relative::Right, Motion::Forward) => "右上",
        (Relative::Right, Motion::Sideways) => "右寄",
        (Relative::Right, Motion::Backward) => "右引",
        (Relative::Straight, _) => return None,
    })
}

const fn motion_word(motion: Motion) -> &'static str {
    match motion {
        Motion::Forward => "上",
        Motion::Sideways => "寄",
        Motion::Backward => "引",
    }
}

/// The squares from which a piece of this name can move there, legally or leaving its own king in check.
fn candidates(position: &Position, side: Color, kind: PieceKind, to: Square) -> Vec<Square> {
    if position.piece_on(to).is_some_and(|piece| piece.color() == side) {
        return Vec::new();
    }
    let attackers = position.attackers_of(side, to, position.occupied());
    (attackers & position.pieces(side, kind)).into_iter().collect()
}

/// Keeps the squares that fit the words.
fn narrow(
    squares: &mut Vec<Square>,
    side: Color,
    kind: PieceKind,
    to: Square,
    relative: Option<Relative>,
    motion: Option<Motion>,
) {
    if let Some(motion) = motion {
        squares.retain(|from| self::motion(side, *from, to) == motion);
    }
    let file = |square: Square| match side {
        Color::Black => square.file(),
        Color::White => 10 - square.file(),
    };
    let outermost = |squares: &mut Vec<Square>, relative: Relative| {
        let files = squares.iter().map(|from| file(*from));
        let most = if relative == Relative::Left { files.max() } else { files.min() };
        squares.retain(|from| Some(file(*from)) == most);
    };
    match relative {
        None => {}
        Some(Relative::Straight) => squares.retain(|from| {
            from.file() == to.file() && self::motion(side, *from, to) == Motion::Forward
        }),
        Some(relative) if is_long(kind) => outermost(squares, relative),
        Some(relative) => {
            let is_there = |from: &Square| match relative {
                Relative::Left => file(*from) > file(to),
                _ => file(*from) < file(to),
            };
            if squares.iter().any(is_there) {
                squares.retain(is_there);
            } else {
                // Against the rule, but there is no other meaning.
                outermost(squares, relative);
            }
        }
    }
}

fn motion(side: Color, from: Square, to: Square) -> Motion {
    match from.rank_for(side).cmp(&to.rank_for(side)) {
        std::cmp::Ordering::Greater => Motion::Forward,
        std::cmp::Ordering::Equal => Motion::Sideways,
        std::cmp::Ordering::Less => Motion::Backward,
    }
}

/// Whether two pieces of this kind are left and right of each other.
const fn is_long(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Bishop | PieceKind::Rook | PieceKind::Horse | PieceKind::Dragon)
}

/// The legal move between two squares. Without a word about promotion it does not promote, unless the piece could
/// never move again.
fn board_move(
    position: &Position,
    from: Square,
    to: Square,
    promote: Option<bool>,
) -> Option<Move> {
    if from == to {
        return None;
    }
    let legal =
        |promote| Some(Move::normal(from, to, promote)).filter(|mv: &Move| position.is_legal(*mv));
    match promote {
        Some(promote) => legal(promote),
        None => legal(false).or_else(|| legal(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::scan;
    use super::*;
    use kyomi_shogi::notation::usi;

    /// The words for each of these moves in a position.
    fn words(sfen: &str, moves: &[&str]) -> Vec<&'static str> {
        let position = Position::from_sfen(sfen).unwrap();
        let word = |mv: &&str| relative_words(&position, usi::parse_move(mv).unwrap()).unwrap();
        moves.iter().map(word).collect()
    }

    #[test]
    fn a_direction_takes_precedence_over_a_side() {
        // Golds on 63, 62, 53, 43 go to 52.
        let golds = "4k4/3G5/3GGG3/9/9/9/9/9/4K4 b - 1";
        assert_eq!(
            words(golds, &["6c5b", "6b5b", "5c5b", "4c5b"]),
            ["左上", "寄", "直", "右"],
            "three golds of four go up"
        );
        let silvers = "4k4/9/9/9/9/9/6S1S/9/K5SS1 b - 1";
        assert_eq!(words(silvers, &["3g2h", "3i2h", "2i2h", "1g2h"]), ["左引", "左上", "直", "右"]);
    }

    #[test]
    fn white_sees_the_board_from_the_other_side() {
        let golds = "4k4/3g1g3/9/9/9/9/9/9/4K4 w - 1";
        assert_eq!(words(golds, &["6b5c", "4b5c"]), ["右", "左"]);
    }

    #[test]
    fn two_dragons_are_left_and_right_of_each_other() {
        let dragons = "4k4/9/9/9/9/9/9/2+R6/1+R2K4 b - 1";
        assert_eq!(words(dragons, &["7h8h", "8i8h"]), ["寄", "上"]);
        let level = "4k4/9/9/9/9/9/9/9/+R3+RK3 b - 1";
        assert_eq!(words(level, &["9i7i", "5i7i"]), ["左", "右"]);
        let below = "4k4/9/9/9/9/9/9/3+R5/4+RK3 b - 1";
        assert_eq!(words(below, &["6h5g", "5i5g"]), ["左", "右"], "never 直");
    }

    #[test]
    fn a_drop_is_marked_if_a_board_move_is_possible() {
        let position = "4k4/9/9/9/9/9/9/4G4/4K4 b G 1";
        assert_eq!(words(position, &["G*5g", "G*2b", "5h5g"]), ["打", "", ""]);
    }

    #[test]
    fn moves_are_found_by_their_words_or_refused() {
        let found = |sfen: &str, text: &str| {
            let position = Position::from_sfen(sfen).unwrap();
            find(&position, &scan(text).unwrap().0, None).map(|mv| mv.to_string())
        };
        let golds = "4k4/9/9/9/9/9/9/3G1G3/4K4 b - 1";
        let squares = |pairs: &[(u8, u8)]| {
            pairs.iter().map(|(file, rank)| Square::new(*file, *rank).unwrap()).collect()
        };
        assert_eq!(found(golds, "５七金左").as_deref(), Ok("6h5g"));
        assert_eq!(found(golds, "５七金右上").as_deref(), Ok("4h5g"));
        assert_eq!(found(golds, "５七金"), Err(FindError::Ambiguous(squares(&[(4, 8), (6, 8)]))));
        assert_eq!(found(golds, "５七金引"), Err(FindError::Illegal));
        assert_eq!(found(golds, "５七金打"), Err(FindError::Illegal));
        assert_eq!(found(golds, "同　金"), Err(FindError::Illegal), "nothing was before");
        assert_eq!(
            found(golds, "５七銀(48)"),
            Err(FindError::Misnamed(Square::new(4, 8).unwrap()))
        );
        let pawn = "4k4/P8/9/9/9/9/9/9/4K4 b - 1";
        assert_eq!(found(pawn, "９一歩").as_deref(), Ok("9b9a+"), "it could not move again");
        // The gold on 48 is pinned, so the other one is meant, although the rule asks for a word.
        let pinned = "5r3/9/9/4k4/9/9/9/3G1G3/5K3 b - 1";
        assert_eq!(found(pinned, "５七金").as_deref(), Ok("6h5g"));
    }
}
