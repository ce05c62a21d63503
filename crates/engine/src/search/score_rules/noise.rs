//! Small pseudo-random numbers: bonuses of moves, the order of ties, and noise on evaluations. They are the same in
//! every run and thread, and in every order of search.

use crate::eval::MAX;
use kyomi_shogi::Move;

/// A bonus from 0 to `range` − 1 for a move at the position of this key.
pub(super) fn random_bonus(key: u64, mv: Move, range: u32) -> i32 {
    below(tie_order(key, mv), range)
}

/// A number that orders moves of equal score.
pub(crate) fn tie_order(key: u64, mv: Move) -> u64 {
    scrambled(key ^ scrambled(u64::from(mv.to_bits())))
}

/// A hash from 0 to `range` − 1 by its high bits.
fn below(hash: u64, range: u32) -> i32 {
    ((u128::from(hash) * u128::from(range)) >> 64) as i32
}

/// Mixes the bits so that each depends on all others (the finalizer of `SplitMix64`).
const fn scrambled(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Noise, for variety: the evaluation with 0 to `range` − 1 added, by the key of its position.
pub(crate) fn noise(eval: i32, key: u64, range: u32) -> i32 {
    (eval + below(scrambled(key), range)).min(MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Position;

    #[test]
    fn bonuses_are_uniform_and_depend_on_move_and_position() {
        let position = Position::startpos();
        let moves = position.legal_moves();
        let mut counts = [0; 10];
        for key in 0..2000 {
            for &mv in &moves {
                counts[random_bonus(key, mv, 10) as usize] += 1;
            }
        }
        let mean = 2000 * moves.len() / 10;
        assert!(counts.iter().all(|&count: &usize| count.abs_diff(mean) * 50 < mean), "{counts:?}");
        let (key, first) = (position.key(), moves[0]);
        // These numbers must be the same in every run and on every machine.
        assert_eq!(tie_order(7, first), tie_order(7, first));
        assert!(
            moves.iter().any(|&mv| random_bonus(key, mv, 100) != random_bonus(key, first, 100))
        );
        assert!((0..20).any(|key| random_bonus(key, first, 100) != random_bonus(0, first, 100)));
        assert_eq!(random_bonus(key, first, 1), 0);
    }

    #[test]
    fn noise_stays_in_its_range_and_below_all_mates() {
        let seen: Vec<_> = (0..500).map(|key| noise(-20, key, 9)).collect();
        assert_eq!((seen.iter().min(), seen.iter().max()), (Some(&-20), Some(&-12)));
        assert!((0..500).all(|key| noise(MAX - 1, key, 50) <= MAX));
    }
}
