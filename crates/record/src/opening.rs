//! The name of a game's opening, derived from its moves and positions.
//!
//! Files and ranks are seen from the side's own view: its rook starts on file 2, and a rook on file 6 is a shikenbisha
//! whichever side plays it.

use std::fmt;
use std::str::FromStr;

use kyomi_shogi::{Color, Move, Piece, PieceKind, Position, Square};

/// The opening of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opening {
    /// Both sides keep their rook at home, and one builds the yagura castle (矢倉).
    Yagura,
    /// The bishops are exchanged (角換わり).
    Kakugawari,
    /// The rook pawns are exchanged while the bishops stay (相掛かり).
    Aigakari,
    /// A rook takes the pawn beside that of the other rook's file (横歩取り).
    Yokofudori,
    /// A rook goes to the third file, for an attack there (袖飛車).
    Sodebisha,
    /// A rook goes to the fourth file, for an attack there (右四間飛車).
    Migishikenbisha,
    /// Both sides play a ranging rook (相振り飛車).
    Aifuribisha,
    /// One side plays a ranging rook.
    Furibisha(Color, Range),
    /// None of these, with both rooks at home.
    Static,
    /// The game began elsewhere, or is too short.
    Unknown,
}

/// The file of a ranging rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Range {
    /// The central file (中飛車).
    Nakabisha,
    /// The fourth from the left (四間飛車).
    Shikenbisha,
    /// The third from the left (三間飛車).
    Sankenbisha,
    /// Opposite to the other rook (向かい飛車).
    Mukaibisha,
}

impl Range {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Nakabisha, Self::Shikenbisha, Self::Sankenbisha, Self::Mukaibisha];

    /// The ranging rook on this file.
    const fn of_file(file: u8) -> Option<Self> {
        match file {
            5 => Some(Self::Nakabisha),
            6 => Some(Self::Shikenbisha),
            7 => Some(Self::Sankenbisha),
            8 => Some(Self::Mukaibisha),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Nakabisha => "nakabisha",
            Self::Shikenbisha => "shikenbisha",
            Self::Sankenbisha => "sankenbisha",
            Self::Mukaibisha => "mukaibisha",
        }
    }

    const fn japanese(self) -> &'static str {
        match self {
            Self::Nakabisha => "中飛車",
            Self::Shikenbisha => "四間飛車",
            Self::Sankenbisha => "三間飛車",
            Self::Mukaibisha => "向かい飛車",
        }
    }
}

impl Opening {
    /// The openings without a side.
    const PLAIN: [Self; 9] = [
        Self::Yagura,
        Self::Kakugawari,
        Self::Aigakari,
        Self::Yokofudori,
        Self::Sodebisha,
        Self::Migishikenbisha,
        Self::Aifuribisha,
        Self::Static,
        Self::Unknown,
    ];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let ranging =
            |color| Range::ALL.into_iter().map(move |range| Self::Furibisha(color, range));
        Self::PLAIN.into_iter().chain(Color::ALL.into_iter().flat_map(ranging))
    }

    /// The opening of a game that began in `start`.
    ///
    /// The first thirty plies decide. A game of fewer than ten plies has no opening yet.
    pub fn of(start: &Position, moves: impl IntoIterator<Item = Move>) -> Self {
        if start.key() != Position::startpos().key() {
            return Self::Unknown;
        }
        let mut features = OpeningFeatures::new();
        let mut position = start.clone();
        let mut plies = 0;
        for mv in moves.into_iter().take(LAST_PLY) {
            features.update_by_move(&position, mv);
            position.do_move(mv);
            features.update_by_position(&position);
            plies += 1;
        }
        if plies < FIRST_PLY { Self::Unknown } else { features.opening() }
    }

    /// Its name in Japanese.
    pub fn japanese(self) -> String {
        let name = match self {
            Self::Yagura => "矢倉",
            Self::Kakugawari => "角換わり",
            Self::Aigakari => "相掛かり",
            Self::Yokofudori => "横歩取り",
            Self::Sodebisha => "袖飛車",
            Self::Migishikenbisha => "右四間飛車",
            Self::Aifuribisha => "相振り飛車",
            Self::Furibisha(color, range) => {
                let side = if color == Color::Black { "先手" } else { "後手" };
                return format!("{side}{}", range.japanese());
            }
            Self::Static => "居飛車",
            Self::Unknown => "",
        };
        name.to_owned()
    }
}

/// `yagura`, `black-nakabisha`.
impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Yagura => "yagura",
            Self::Kakugawari => "kakugawari",
            Self::Aigakari => "aigakari",
            Self::Yokofudori => "yokofudori",
            Self::Sodebisha => "sodebisha",
            Self::Migishikenbisha => "migishikenbisha",
            Self::Aifuribisha => "aifuribisha",
            Self::Furibisha(color, range) => return write!(f, "{color}-{}", range.name()),
            Self::Static => "static",
            Self::Unknown => "unknown",
        };
        f.write_str(name)
    }
}

/// A text that is no name of an opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no opening; known are {list}", list = known())]
pub struct NoOpening(String);

fn known() -> String {
    Opening::all().map(|opening| opening.to_string()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Opening {
    type Err = NoOpening;

    fn from_str(text: &str) -> Result<Self, NoOpening> {
        Self::all()
            .find(|opening| opening.to_string() == text)
            .ok_or_else(|| NoOpening(text.chars().take(40).collect()))
    }
}

/// What was seen in the first plies.
#[allow(clippy::struct_excessive_bools, reason = "each is a separate sign")]
struct OpeningFeatures {
    /// The last file on which each rook stood in its own camp.
    rook: [u8; 2],
    takes_side_pawn: bool,
    takes_rook_pawn: bool,
    bishops_exchanged: bool,
    yagura: bool,
}

impl OpeningFeatures {
    const fn new() -> Self {
        Self {
            rook: [2; 2],
            takes_side_pawn: false,
            takes_rook_pawn: false,
            bishops_exchanged: false,
            yagura: false,
        }
    }

    fn update_by_move(&mut self, before: &Position, mv: Move) {
        let color = before.side_to_move();
        let moved = mv.from().and_then(|from| before.piece_on(from));
        if moved.map(Piece::kind) != Some(PieceKind::Rook) {
            return;
        }
        let (file, rank) = (own_file(mv.to(), color), mv.to().rank_for(color));
        if rank >= 7 {
            self.rook[color.index()] = file;
        }
        if before.piece_on(mv.to()).map(Piece::kind) == Some(PieceKind::Pawn) {
            self.takes_side_pawn |= (file, rank) == (3, 4);
            self.takes_rook_pawn |= (file, rank) == (2, 4);
        }
    }

    fn update_by_position(&mut self, position: &Position) {
        self.bishops_exchanged |=
            Color::ALL.into_iter().all(|color| position.hand(color).has(PieceKind::Bishop));
        self.yagura |= Color::ALL.into_iter().any(|color| has_yagura(position, color));
    }

    fn opening(&self) -> Opening {
        match [Range::of_file(self.rook[0]), Range::of_file(self.rook[1])] {
            [Some(_), Some(_)] => return Opening::Aifuribisha,
            [Some(range), None] => return Opening::Furibisha(Color::Black, range),
            [None, Some(range)] => return Opening::Furibisha(Color::White, range),
            [None, None] => {}
        }
        if self.takes_side_pawn {
            Opening::Yokofudori
        } else if self.bishops_exchanged {
            Opening::Kakugawari
        } else if self.rook.contains(&4) {
            Opening::Migishikenbisha
        } else if self.rook.contains(&3) {
            Opening::Sodebisha
        } else if self.yagura {
            Opening::Yagura
        } else if self.takes_rook_pawn {
            Opening::Aigakari
        } else {
            Opening::Static
        }
    }
}

/// Whether a side has the wall of the yagura: the silver before the bishop's square, with the pawns before it.
fn has_yagura(position: &Position, color: Color) -> bool {
    let has = |file, rank, kind| {
        let square = Square::new(file, rank);
        let square = if color == Color::Black { square } else { square.map(Square::rotated) };
        square.and_then(|square| position.piece_on(square)) == Some(Piece::new(color, kind))
    };
    has(7, 7, PieceKind::Silver) && has(7, 6, PieceKind::Pawn)
}

/// The file as this side counts it.
const fn own_file(square: Square, color: Color) -> u8 {
    match color {
        Color::Black => square.file(),
        Color::White => 10 - square.file(),
    }
}

/// The number of plies that are examined.
const LAST_PLY: usize = 30;

/// The smallest number of plies that show an opening.
const FIRST_PLY: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::notation::usi;

    fn opening(moves: &str) -> String {
        let game = usi::parse_position_line(&format!("startpos moves {moves}")).unwrap();
        Opening::of(game.start(), game.moves().iter().copied()).to_string()
    }

    #[test]
    fn openings_have_their_names() {
        for (moves, name) in [
            ("7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 5g5f 5c5d 3i4h 3a4b 4i5h 4a3b 6g6f 5a4a", "yagura"),
            ("7g7f 8c8d 2g2f 8d8e 8h7g 3c3d 7i8h 2b7g+ 8h7g 3a4b", "kakugawari"),
            ("2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h", "aigakari"),
            (
                "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d",
                "yokofudori",
            ),
            ("7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b", "black-shikenbisha"),
            ("2g2f 3c3d 7g7f 5c5d 2f2e 8b5b 4i5h 5d5e 3i4h 5a6b", "white-nakabisha"),
            ("7g7f 3c3d 6g6f 8b4b 2h7h 5a6b 5i4h 6b7b 4h3h 7b8b", "aifuribisha"),
            ("7g7f 3c3d 7f7e 8c8d 2h7h 8d8e 5i4h 5a4b 4h3h 4b3b", "black-sankenbisha"),
            ("7g7f 3c3d 2g2f 4c4d 4i5h 2b3c 5i6h 8b2b 6h7h 5a6b", "white-mukaibisha"),
            ("7g7f 3c3d", "unknown"),
        ] {
            assert_eq!(opening(moves), name, "{moves}");
        }
    }

    #[test]
    fn a_game_with_odds_has_no_opening() {
        let line =
            "sfen lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 8c8d 7g7f";
        let game = usi::parse_position_line(line).unwrap();
        assert_eq!(Opening::of(game.start(), game.moves().iter().copied()), Opening::Unknown);
    }

    #[test]
    fn opening_names_round_trip() {
        for opening in Opening::all() {
            assert_eq!(opening.to_string().parse(), Ok(opening));
        }
        assert!("anaguma".parse::<Opening>().unwrap_err().to_string().contains("black-nakabisha"));
    }
}
