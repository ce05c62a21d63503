//! Correction history: the mean error of the evaluation in positions with the same pawns, the same hands, or the same
//! pieces around the kings (docs/search.md, section 1.12).

use super::table::EntryBound;
use super::value::is_mate;
use kyomi_shogi::{Bitboard, Color, PieceKind, Position, attacks};

/// The corrections of one thread: `[side to move][feature][slot]`, empty if correction history is off.
pub(crate) struct Corrections {
    slots: [Vec<[i16; SLOTS]>; 2],
    /// In percent.
    weight: i32,
}

/// Pawns, hands, king zones.
const FEATURES: usize = 3;
const SLOTS: usize = 1 << 13;
/// A slot stays within `±LIMIT`.
const LIMIT: i32 = 1024;
/// The sum of slots that makes one centipawn. The largest correction is therefore about 100 centipawns.
const UNITS: i32 = 32;

impl Corrections {
    /// Correction history with this weight in percent. A weight of 0 switches it off.
    pub(crate) fn new(weight: i32) -> Self {
        let features = if weight == 0 { 0 } else { FEATURES };
        Self { slots: std::array::from_fn(|_| vec![[0; SLOTS]; features]), weight }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for slots in self.slots.iter_mut().flatten() {
            slots.fill(0);
        }
    }

    pub(crate) const fn is_on(&self) -> bool {
        self.weight != 0
    }

    /// The correction to add to the evaluation of a position, in centipawns for the side to move.
    pub(crate) fn of(&self, position: &Position) -> i32 {
        if !self.is_on() {
            return 0;
        }
        let slots = &self.slots[position.side_to_move().index()];
        let keys = keys(position);
        let sum: i32 = slots.iter().zip(keys).map(|(slots, key)| i32::from(slots[key])).sum();
        sum * self.weight / (100 * UNITS)
    }

    /// Updates the mean errors after a search of this depth that missed the evaluation by `error` centipawns.
    pub(crate) fn update(&mut self, position: &Position, error: i32, depth: i32) {
        let step = (error * (depth + 1) / 8).clamp(-LIMIT / 4, LIMIT / 4);
        let slots = &mut self.slots[position.side_to_move().index()];
        for (slots, key) in slots.iter_mut().zip(keys(position)) {
            let slot = &mut slots[key];
            let old = i32::from(*slot);
            *slot = (old + step - old * step.abs() / LIMIT) as i16;
        }
    }
}

/// The error of the evaluation, measured by a score. `None` for mates and for bounds that the evaluation satisfies.
pub(crate) fn error(eval: i32, score: i32, bound: EntryBound) -> Option<i32> {
    let tells = match bound {
        EntryBound::None => false,
        EntryBound::Exact => true,
        EntryBound::Lower => score > eval,
        EntryBound::Upper => score < eval,
    };
    (tells && !is_mate(score)).then_some(score - eval)
}

/// The margin to add where the evaluation was corrected by this amount, in centipawns.
pub(crate) const fn uncertainty_margin(correction: i32) -> i32 {
    correction.abs() / 2
}

/// The slot of each feature.
fn keys(position: &Position) -> [usize; FEATURES] {
    let board = |bits: Bitboard| {
        let bits = bits.to_bits();
        (bits as u64).wrapping_add(((bits >> 64) as u64).rotate_left(29))
    };
    let pawns = Color::ALL.map(|color| board(position.pieces(color, PieceKind::Pawn)));
    let hands = Color::ALL.map(|color| u64::from(position.hand(color).to_bits()));
    let mut zones = [0_u64; 2];
    for (zone, color) in zones.iter_mut().zip(Color::ALL) {
        let Some(king) = position.king_square(color) else { continue };
        *zone = king.index() as u64;
        let near = attacks(PieceKind::King, color, king, Bitboard::EMPTY) & position.occupied();
        for square in near {
            let piece = position.piece_on(square);
            let code = piece.map_or(0, |piece| {
                1 + piece.kind().index() as u64 + 16 * piece.color().index() as u64
            });
            *zone = (*zone ^ (code << 7 | square.index() as u64)).wrapping_mul(MIX);
        }
    }
    [pawns, hands, zones].map(|[black, white]| {
        let mixed = (black ^ white.rotate_left(32).wrapping_mul(MIX)).wrapping_mul(MIX);
        (mixed >> 48) as usize % SLOTS
    })
}

/// An odd number to mix keys with: 2^64 divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_counts_for_the_side_it_was_learned_for() {
        let mut corrections = Corrections::new(100);
        let mut position = Position::startpos();
        assert_eq!(corrections.of(&position), 0);
        for _ in 0..100 {
            corrections.update(&position, 80, 6);
        }
        let learnt = corrections.of(&position);
        assert!((50..=96).contains(&learnt), "{learnt}");
        position.do_null_move();
        assert_eq!(corrections.of(&position), 0);
        corrections.clear();
        assert_eq!(corrections.of(&Position::startpos()), 0);
    }

    #[test]
    fn positions_with_common_features_share_part_of_a_correction() {
        let mut corrections = Corrections::new(100);
        let position = Position::startpos();
        for _ in 0..100 {
            corrections.update(&position, -200, 8);
        }
        // A rook on another square changes neither pawns nor hands nor the surroundings of the kings.
        let rook = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B4R2/LNSGKGSNL b - 1";
        let pawn = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1";
        let of = |sfen: &str| corrections.of(&Position::from_sfen(sfen).unwrap());
        assert_eq!(of(rook), corrections.of(&position));
        assert!(of(pawn) < 0 && of(pawn) > of(rook));
    }

    #[test]
    fn bounds_that_agree_with_the_evaluation_give_no_error() {
        assert_eq!(error(50, 80, EntryBound::Lower), Some(30));
        assert_eq!(error(50, 20, EntryBound::Lower), None);
        assert_eq!(error(50, 20, EntryBound::Upper), Some(-30));
        assert_eq!(error(50, 20, EntryBound::Exact), Some(-30));
        assert_eq!(error(50, 32_000, EntryBound::Exact), None);
        assert_eq!((uncertainty_margin(-40), uncertainty_margin(41)), (20, 20));
    }

    #[test]
    fn a_weight_of_zero_allocates_and_corrects_nothing() {
        let mut corrections = Corrections::new(0);
        corrections.update(&Position::startpos(), 500, 9);
        assert!(!corrections.is_on());
        assert_eq!(corrections.of(&Position::startpos()), 0);
        assert!(corrections.slots.iter().all(Vec::is_empty));
    }
}
