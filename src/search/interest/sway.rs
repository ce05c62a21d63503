//! What makes helping threads look at other moves than the first one (docs/search.md, section 5).

use super::InterestList;
use crate::shogi::Move;

/// The first thread, and the second, see interest as it is.
const FIRST_SWAYED: usize = 2;
/// By how many thousandths a thread may see interest otherwise.
const MOST: u32 = 60;

/// Interest as a thread sees it: always the same for the same move, at most 6 % more or less.
fn swayed(interest: i32, thread: usize, mv: Move) -> i32 {
    let mixed = (u32::from(mv.to_bits()) | ((thread as u32) << 16)).wrapping_mul(0x9e37_79b9);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
    let thousandths = ((mixed >> 16) % (2 * MOST + 1)) as i32 - MOST as i32;
    interest + interest * thousandths / 1000
}

impl InterestList {
    /// Becomes the list as this thread sees it. Its sum stays: it is the measure of costs.
    pub(in crate::search) fn sway(&mut self, thread: usize) {
        if thread < FIRST_SWAYED {
            return;
        }
        // What was alike no longer is.
        for mut dull in self.dull.drain(..) {
            while let Some(scored) = dull.take() {
                self.moves.push(scored);
            }
        }
        for scored in &mut self.moves {
            scored.interest = swayed(scored.interest, thread, scored.mv);
            scored.bad = swayed(scored.bad, thread, scored.mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interest_sways_by_six_percent_and_evenly() {
        let moves = (1..60_000).filter_map(Move::from_bits);
        let seen: Vec<i32> = moves.map(|mv| swayed(10_000, 3, mv)).collect();
        assert!(seen.iter().all(|interest| (9400..=10_600).contains(interest)));
        assert!(seen.iter().any(|&interest| interest < 9450));
        assert!(seen.iter().any(|&interest| interest > 10_550));
        let mean = seen.iter().sum::<i32>() / seen.len() as i32;
        assert!((9970..=10_030).contains(&mean), "{mean}");
        let mv = Move::from_bits(0x1dba).unwrap();
        assert_ne!(swayed(10_000, 2, mv), swayed(10_000, 3, mv));
        assert_eq!(swayed(1, 2, mv), 1);
    }
}
