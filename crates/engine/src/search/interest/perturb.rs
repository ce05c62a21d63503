//! Perturbed interest, which makes helper threads search other moves than the first thread (docs/search.md, section 5).

use super::InterestList;
use kyomi_shogi::Move;

/// The first thread with perturbed interest, counted from 0.
const FIRST_PERTURBED: usize = 2;
/// The largest change of interest, in thousandths.
const MOST: u32 = 60;

/// The interest of a move in a thread, changed by at most 6 %. The change is always the same for a thread and a move.
fn perturbed(interest: i32, thread: usize, mv: Move) -> i32 {
    let mixed = (u32::from(mv.to_bits()) | ((thread as u32) << 16)).wrapping_mul(0x9e37_79b9);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
    let thousandths = ((mixed >> 16) % (2 * MOST + 1)) as i32 - MOST as i32;
    interest + (i64::from(interest) * i64::from(thousandths) / 1000) as i32
}

impl InterestList {
    /// Perturbs the interest of all moves for a thread. The sum is left as it is, so that the
    /// scale of costs stays the same.
    pub(in crate::search) fn perturb(&mut self, thread: usize) {
        if thread < FIRST_PERTURBED {
            return;
        }
        // Drops of a set no longer have equal interest.
        for mut drops in self.drop_sets.drain(..) {
            while let Some(scored) = drops.take() {
                self.moves.push(scored);
            }
        }
        for scored in &mut self.moves {
            scored.interest = perturbed(scored.interest, thread, scored.mv);
            scored.bad = perturbed(scored.bad, thread, scored.mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interest_changes_by_at_most_six_percent_in_both_directions() {
        let moves = (1..60_000).filter_map(Move::from_bits);
        let seen: Vec<i32> = moves.map(|mv| perturbed(10_000, 3, mv)).collect();
        assert!(seen.iter().all(|interest| (9400..=10_600).contains(interest)));
        assert!(seen.iter().any(|&interest| interest < 9450));
        assert!(seen.iter().any(|&interest| interest > 10_550));
        let mean = seen.iter().sum::<i32>() / seen.len() as i32;
        assert!((9970..=10_030).contains(&mean), "{mean}");
        let mv = Move::from_bits(0x1dba).unwrap();
        assert_ne!(perturbed(10_000, 2, mv), perturbed(10_000, 3, mv));
        assert_eq!(perturbed(1, 2, mv), 1);
        // The most that the evasion of a check can have.
        let most = 1 << 28;
        assert!((perturbed(most, 3, mv) - most).abs() <= most / 16);
    }
}
