//! Moves told by what distinguishes them (`５八金右`), found on a board, and told so.
//!
//! The rule of the Japan Shogi Association: a direction (`上寄引`) if no other piece of the name moves
//! there in the same, else a side (`左右直`), else both. What counts is which pieces could move there,
//! pinned ones too. Two dragons or horses, rooks or bishops stand left and right of each other; all
//! other pieces left or right of the square they go to.

use crate::shogi::{Color, Move, PieceKind, Position, Square};

use super::words::{Motion, Said, Side};

/// Why a move that was told is none on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unfound {
    /// Nothing moves so by the rules.
    Illegal,
    /// Another piece than the one named stands on this square.
    Misnamed(Square),
    /// Pieces on these squares fit.
    Ambiguous(Vec<Square>),
}

/// The legal move that was told. `before` is where the move before it went.
pub(super) fn find(
    position: &Position,
    said: &Said,
    before: Option<Square>,
) -> Result<Move, Unfound> {
    let to = said.to.or(before).ok_or(Unfound::Illegal)?;
    let side = position.side_to_move();
    if let Some(from) = said.from {
        let piece = position.piece_on(from).filter(|piece| piece.color() == side);
        let kind = piece.ok_or(Unfound::Illegal)?.kind();
        if kind != said.kind {
            return Err(Unfound::Misnamed(from));
        }
        return board_move(position, from, to, said.promote).ok_or(Unfound::Illegal);
    }
    let drop = || {
        let drop = said.kind.is_droppable().then(|| Move::drop(said.kind, to));
        drop.filter(|mv| position.is_legal(*mv)).ok_or(Unfound::Illegal)
    };
    if said.is_drop {
        return drop();
    }
    let says_little = said.place.is_none() && said.motion.is_none() && said.promote != Some(true);
    let mut fitting = candidates(position, side, said.kind, to);
    narrow(&mut fitting, side, said.kind, to, said.place, said.motion);
    let moves: Vec<Move> =
        fitting.iter().filter_map(|from| board_move(position, *from, to, said.promote)).collect();
    match moves.as_slice() {
        [one] => Ok(*one),
        [] if says_little => drop(),
        [] => Err(Unfound::Illegal),
        several => Err(Unfound::Ambiguous(several.iter().filter_map(|mv| mv.from()).collect())),
    }
}

/// What has to be said behind the name of the piece for [`find`] to find this move: nothing, `打`,
/// `右`, `左上`, … `None` if no words tell it from others.
pub(in crate::record) fn relative_words(position: &Position, mv: Move) -> Option<&'static str> {
    let (side, to) = (position.side_to_move(), mv.to());
    if let Some(kind) = mv.dropped() {
        return Some(if candidates(position, side, kind, to).is_empty() { "" } else { "打" });
    }
    let from = mv.from()?;
    let kind = position.piece_on(from)?.kind();
    let all = candidates(position, side, kind, to);
    let tells = |place, motion| {
        let mut left = all.clone();
        narrow(&mut left, side, kind, to, place, motion);
        left == [from]
    };
    if tells(None, None) {
        return Some("");
    }
    let motion = motion(side, from, to);
    if tells(None, Some(motion)) {
        return Some(motion_word(motion));
    }
    let places = [Side::Straight, Side::Left, Side::Right];
    let places = || places.into_iter().filter(|place| *place != Side::Straight || !is_long(kind));
    if let Some(place) = places().find(|place| tells(Some(*place), None)) {
        return Some(match place {
            Side::Straight => "直",
            Side::Left => "左",
            Side::Right => "右",
        });
    }
    let place = places().find(|place| tells(Some(*place), Some(motion)))?;
    Some(match (place, motion) {
        (Side::Left, Motion::Forward) => "左上",
        (Side::Left, Motion::Sideways) => "左寄",
        (Side::Left, Motion::Backward) => "左引",
        (Side::Right, Motion::Forward) => "右上",
        (Side::Right, Motion::Sideways) => "右寄",
        (Side::Right, Motion::Backward) => "右引",
        (Side::Straight, _) => return None,
    })
}

const fn motion_word(motion: Motion) -> &'static str {
    match motion {
        Motion::Forward => "上",
        Motion::Sideways => "寄",
        Motion::Backward => "引",
    }
}

/// The squares from which a piece of this name could move there, were it not for its own king.
fn candidates(position: &Position, side: Color, kind: PieceKind, to: Square) -> Vec<Square> {
    if position.piece_on(to).is_some_and(|piece| piece.color() == side) {
        return Vec::new();
    }
    let attackers = position.attackers_of(side, to, position.occupied());
    (attackers & position.pieces(side, kind)).into_iter().collect()
}

/// Keeps what fits the words.
fn narrow(
    squares: &mut Vec<Square>,
    side: Color,
    kind: PieceKind,
    to: Square,
    place: Option<Side>,
    motion: Option<Motion>,
) {
    if let Some(motion) = motion {
        squares.retain(|from| self::motion(side, *from, to) == motion);
    }
    let file = |square: Square| match side {
        Color::Black => square.file(),
        Color::White => 10 - square.file(),
    };
    let outermost = |squares: &mut Vec<Square>, place: Side| {
        let files = squares.iter().map(|from| file(*from));
        let most = if place == Side::Left { files.max() } else { files.min() };
        squares.retain(|from| Some(file(*from)) == most);
    };
    match place {
        None => {}
        Some(Side::Straight) => squares.retain(|from| {
            from.file() == to.file() && self::motion(side, *from, to) == Motion::Forward
        }),
        Some(place) if is_long(kind) => outermost(squares, place),
        Some(place) => {
            let is_there = |from: &Square| match place {
                Side::Left => file(*from) > file(to),
                _ => file(*from) < file(to),
            };
            if squares.iter().any(is_there) {
                squares.retain(is_there);
            } else {
                // Not by the rule, but it can only be meant so.
                outermost(squares, place);
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

/// Whether a piece is one of those that stand left and right of each other.
const fn is_long(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Bishop | PieceKind::Rook | PieceKind::Horse | PieceKind::Dragon)
}

/// The legal move between two squares. Where nothing is said of promotion there is none, save where
/// the piece could never move again.
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
    use crate::shogi::notation::usi;

    /// Words of each of these moves in a position.
    fn words(sfen: &str, moves: &[&str]) -> Vec<&'static str> {
        let position = Position::from_sfen(sfen).unwrap();
        let word = |mv: &&str| relative_words(&position, usi::parse_move(mv).unwrap()).unwrap();
        moves.iter().map(word).collect()
    }

    #[test]
    fn a_direction_tells_before_a_side_does() {
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
    fn two_dragons_stand_left_and_right_of_each_other() {
        let dragons = "4k4/9/9/9/9/9/9/2+R6/1+R2K4 b - 1";
        assert_eq!(words(dragons, &["7h8h", "8i8h"]), ["寄", "上"]);
        let level = "4k4/9/9/9/9/9/9/9/+R3+RK3 b - 1";
        assert_eq!(words(level, &["9i7i", "5i7i"]), ["左", "右"]);
        let below = "4k4/9/9/9/9/9/9/3+R5/4+RK3 b - 1";
        assert_eq!(words(below, &["6h5g", "5i5g"]), ["左", "右"], "never 直");
    }

    #[test]
    fn a_drop_is_named_where_a_move_could_be_meant() {
        let position = "4k4/9/9/9/9/9/9/4G4/4K4 b G 1";
        assert_eq!(words(position, &["G*5g", "G*2b", "5h5g"]), ["打", "", ""]);
    }

    #[test]
    fn what_was_told_is_found_or_refused() {
        let told = |sfen: &str, text: &str| {
            let position = Position::from_sfen(sfen).unwrap();
            find(&position, &scan(text).unwrap().0, None).map(|mv| mv.to_string())
        };
        let golds = "4k4/9/9/9/9/9/9/3G1G3/4K4 b - 1";
        let squares = |pairs: &[(u8, u8)]| {
            pairs.iter().map(|(file, rank)| Square::new(*file, *rank).unwrap()).collect()
        };
        assert_eq!(told(golds, "５七金左").as_deref(), Ok("6h5g"));
        assert_eq!(told(golds, "５七金右上").as_deref(), Ok("4h5g"));
        assert_eq!(told(golds, "５七金"), Err(Unfound::Ambiguous(squares(&[(4, 8), (6, 8)]))));
        assert_eq!(told(golds, "５七金引"), Err(Unfound::Illegal));
        assert_eq!(told(golds, "５七金打"), Err(Unfound::Illegal));
        assert_eq!(told(golds, "同　金"), Err(Unfound::Illegal), "nothing was before");
        assert_eq!(told(golds, "５七銀(48)"), Err(Unfound::Misnamed(Square::new(4, 8).unwrap())));
        let pawn = "4k4/P8/9/9/9/9/9/9/4K4 b - 1";
        assert_eq!(told(pawn, "９一歩").as_deref(), Ok("9b9a+"), "it could not move again");
        // The gold on 48 is pinned, so the other one is meant, though not by the rule.
        let pinned = "5r3/9/9/4k4/9/9/9/3G1G3/5K3 b - 1";
        assert_eq!(told(pinned, "５七金").as_deref(), Ok("6h5g"));
    }
}
