//! Castles by name.

use kyomi_shogi::{Color, Piece, PieceKind, Position, Square};

/// A castle: the formation of pieces around a king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Castle {
    /// Its name in Japanese.
    pub japanese: &'static str,
    /// Its name in English.
    pub english: &'static str,
}

/// One formation of a castle, of black: `K28 S38 G49`.
type Formation = &'static str;

/// All castles with their formations. A castle that contains another one comes before it.
const CASTLES: &[(&str, &str, &[Formation])] = &[
    // Against a static rook: the king castles to the right.
    ("銀冠", "silver crown", &["K28 S27 G38 G47", "K28 S27 G38 G58", "K28 S27 G38 G49"]),
    ("ダイヤモンド美濃", "diamond mino", &["K28 S38 G49 G58 S47"]),
    ("高美濃囲い", "high mino", &["K28 S38 G49 G47"]),
    ("木村美濃", "Kimura mino", &["K28 S47 G38 G49", "K28 S47 G38 G58"]),
    ("美濃囲い", "mino", &["K28 S38 G49 G58"]),
    ("片美濃囲い", "half mino", &["K28 S38 G49"]),
    ("金無双", "two golds", &["K38 S28 G48 G58"]),
    ("振り飛車穴熊", "ranging-rook anaguma", &["K19 L18 S28", "K19 L18 G28"]),
    (
        "右玉",
        "right king",
        &["K38 G48 S47 R29", "K38 G58 S47 R29", "K48 S47 R29 G58", "K38 G48 S47 R28"],
    ),
    // The king castles to the left.
    ("居飛車穴熊", "static-rook anaguma", &["K99 L98 S88", "K99 L98 G88"]),
    ("菊水矢倉", "kikusui yagura", &["K89 N77 S88 G78 G67"]),
    ("ミレニアム", "millennium", &["K89 N77 S88", "K89 N77 G79 S78", "K89 N77 G78 G79"]),
    ("居飛車銀冠", "left silver crown", &["K88 S87 G78"]),
    ("天守閣美濃", "tower mino", &["K87 S78 G69"]),
    ("左美濃", "left mino", &["K88 S78 G69", "K88 S78 G79"]),
    ("エルモ囲い", "elmo", &["K78 S68 G79"]),
    ("片矢倉", "half yagura", &["K78 S77 G68 G67"]),
    ("銀矢倉", "silver yagura", &["K88 S77 S67 G78"]),
    ("矢倉", "yagura", &["K88 S77 G78 G67"]),
    (
        "雁木囲い",
        "snowroof",
        &["S67 S57 G78 K69", "S67 S57 G78 K59", "S67 S57 G78 K68", "S67 S47 G78 G58 K69"],
    ),
    ("舟囲い", "boat", &["K78 G69 G58", "K78 G58 S79", "K78 G69 G59 S79"]),
    // The king stays in the middle.
    ("カニ囲い", "crab", &["K69 G78 G58 S68", "K69 G78 G58 S77"]),
    ("中原囲い", "Nakahara", &["K69 G78 G59 S48", "K69 G78 G59 S68"]),
    ("中住まい", "central house", &["K58 G78 G38"]),
];

/// The castle of one side in a position.
pub fn castle(position: &Position, side: Color) -> Option<Castle> {
    let king = position.king_square(side)?;
    let king = if side == Color::Black { king } else { king.rotated() };
    let king = format!("K{}{}", king.file(), king.rank());
    CASTLES.iter().find_map(|(japanese, english, formations)| {
        let stands = |formation: &&Formation| {
            formation.split(' ').any(|word| word == king)
                && formation.split(' ').all(|word| has(position, side, word))
        };
        formations.iter().any(|it| stands(&it)).then_some(Castle { japanese, english })
    })
}

/// Whether a piece like `S38` of black, or its reflection of white, is there.
fn has(position: &Position, side: Color, word: &str) -> bool {
    let found = || {
        let mut letters = word.chars();
        let kind = PieceKind::ALL
            .into_iter()
            .find(|kind| !kind.is_promoted() && letter(*kind) == word.chars().next())?;
        letters.next();
        let file = u8::try_from(letters.next()?.to_digit(10)?).ok()?;
        let rank = u8::try_from(letters.next()?.to_digit(10)?).ok()?;
        let square = Square::new(file, rank)?;
        let square = if side == Color::Black { square } else { square.rotated() };
        Some(position.piece_on(square) == Some(Piece::new(side, kind)))
    };
    found() == Some(true)
}

fn letter(kind: PieceKind) -> Option<char> {
    kyomi_shogi::notation::sfen::piece_letters(Piece::new(Color::Black, kind)).chars().next()
}

/// The castles that a side had in a game, each with the index of the first position that has it. A castle that stood
/// for less than four positions is a step to the next one and does not count, unless the game ends there.
pub fn castles(positions: &[Position], side: Color) -> Vec<(usize, Castle)> {
    let mut found: Vec<(usize, Castle)> = Vec::new();
    let mut current: Option<(usize, Castle)> = None;
    let names = positions.iter().map(|position| castle(position, side)).chain([None]);
    for (ply, castle) in names.enumerate() {
        if current.map(|(_, it)| it) == castle {
            continue;
        }
        if let Some((from, old)) = current {
            let is_last = ply == positions.len();
            if (ply - from >= LEAST_PLIES || is_last) && !found.iter().any(|(_, it)| *it == old) {
                found.push((from, old));
            }
        }
        current = castle.map(|castle| (ply, castle));
    }
    found
}

/// The least number of positions in which a castle must occur.
const LEAST_PLIES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::PositionBuilder;

    /// A position with the pieces of a formation for one side, and the other king far away.
    fn position(formation: &str, side: Color) -> Position {
        let mut builder = PositionBuilder::new();
        let at = |file: u8, rank: u8, side: Color| {
            let square = Square::new(file, rank).unwrap();
            if side == Color::Black { square } else { square.rotated() }
        };
        for word in formation.split(' ') {
            let mut letters = word.chars();
            let kind = PieceKind::ALL
                .into_iter()
                .find(|kind| !kind.is_promoted() && letter(*kind) == word.chars().next())
                .unwrap();
            letters.next();
            let mut digit = || letters.next().unwrap().to_digit(10).unwrap() as u8;
            let (file, rank) = (digit(), digit());
            builder.put(at(file, rank, side), Piece::new(side, kind));
        }
        builder.put(at(5, 1, side), Piece::new(!side, PieceKind::King));
        builder.build().unwrap()
    }

    #[test]
    fn every_formation_is_found_for_both_sides() {
        for (japanese, _, formations) in CASTLES {
            for formation in *formations {
                for side in Color::ALL {
                    let found = castle(&position(formation, side), side);
                    assert_eq!(found.map(|it| it.japanese), Some(*japanese), "{formation}");
                    assert_eq!(castle(&position(formation, side), !side), None);
                }
            }
        }
    }

    #[test]
    fn the_start_has_no_castle_and_a_passing_one_does_not_count() {
        assert_eq!(castle(&Position::startpos(), Color::Black), None);
        let [none, half, whole] = ["K28 S38", "K28 S38 G49", "K28 S38 G49 G58"]
            .map(|formation| position(formation, Color::Black));
        let many = |position: &Position, count: usize| vec![position.clone(); count];
        let game = [many(&none, 3), many(&half, 2), many(&whole, 5), many(&none, 2)].concat();
        let names: Vec<_> =
            castles(&game, Color::Black).iter().map(|(ply, it)| (*ply, it.english)).collect();
        assert_eq!(names, [(5, "mino")]);
        assert!(castles(&game, Color::White).is_empty());
    }
}
