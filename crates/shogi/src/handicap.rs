//! Start positions by name.

use super::Position;

/// A start position with its names. White gives the handicap and moves first, except in the even game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handicap {
    /// An English name in one word, as used on the command line: `two-pieces`.
    pub name: &'static str,
    /// The Japanese name, as in KIF files: `二枚落ち`.
    pub japanese: &'static str,
    /// The position.
    pub sfen: &'static str,
}

/// A handicap, given the first two ranks of its board and the side to move.
macro_rules! entry {
    ($name:literal, $japanese:literal, $ranks:literal, $side:literal) => {
        Handicap {
            name: $name,
            japanese: $japanese,
            sfen: concat!($ranks, "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL ", $side, " - 1"),
        }
    };
}

/// The even game and the usual handicaps, lightest first.
pub const HANDICAPS: [Handicap; 14] = [
    Handicap::EVEN,
    entry!("lance", "香落ち", "lnsgkgsn1/1r5b1", "w"),
    entry!("right-lance", "右香落ち", "1nsgkgsnl/1r5b1", "w"),
    entry!("bishop", "角落ち", "lnsgkgsnl/1r7", "w"),
    entry!("rook", "飛車落ち", "lnsgkgsnl/7b1", "w"),
    entry!("rook-lance", "飛香落ち", "lnsgkgsn1/7b1", "w"),
    entry!("two-pieces", "二枚落ち", "lnsgkgsnl/9", "w"),
    entry!("three-pieces", "三枚落ち", "lnsgkgsn1/9", "w"),
    entry!("four-pieces", "四枚落ち", "1nsgkgsn1/9", "w"),
    entry!("five-pieces", "五枚落ち", "2sgkgsn1/9", "w"),
    entry!("left-five-pieces", "左五枚落ち", "1nsgkgs2/9", "w"),
    entry!("six-pieces", "六枚落ち", "2sgkgs2/9", "w"),
    entry!("eight-pieces", "八枚落ち", "3gkg3/9", "w"),
    entry!("ten-pieces", "十枚落ち", "4k4/9", "w"),
];

impl Handicap {
    /// No handicap: the even game, black to move.
    pub const EVEN: Self = entry!("even", "平手", "lnsgkgsnl/1r5b1", "b");

    /// The handicap of an English or Japanese name.
    pub fn by_name(name: &str) -> Option<Self> {
        HANDICAPS.into_iter().find(|entry| entry.name == name || entry.japanese == name)
    }

    /// Its start position.
    pub fn position(self) -> Position {
        Position::from_sfen(self.sfen).expect("the table holds positions")
    }
}

impl Position {
    /// The start of an even game.
    pub fn startpos() -> Self {
        Handicap::EVEN.position()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handicap_is_playable_and_found_by_its_names() {
        for entry in HANDICAPS {
            assert_eq!(entry.position().check_playable(), Ok(()), "{}", entry.name);
            assert_eq!(entry.position().to_sfen(), entry.sfen);
            assert_eq!(Handicap::by_name(entry.name), Some(entry));
            assert_eq!(Handicap::by_name(entry.japanese), Some(entry));
        }
        assert_eq!(Handicap::by_name("seven"), None);
    }
}
