//! Rules for late moves (docs/search.md, section 6.1, `lmr`): they are first searched with less depth, and quiet ones
//! may be pruned.

use crate::search::fixed_log2::fixed_log2;

/// The reduction, in units, of a move after `searched` others at a node of this depth. `careful` halves it (captures
/// and promotions); `mild` makes it a ply less (principal variation, checks, killers).
pub(in crate::search) fn reduction(depth: i32, searched: usize, mild: bool, careful: bool) -> i32 {
    if depth < 3 || searched < 3 {
        return 0;
    }
    // 0.5 + ln D · ln i / 2.3 plies; lg is 256·log2, and ln x = 0.6931·log2 x.
    let logs = i64::from(fixed_log2(depth as u64)) * i64::from(fixed_log2(searched as u64 + 1));
    let plies = 50 + (logs * 48_045 * 10 / (65_536 * 1_000 * 23)) as i32;
    let plies = if careful { plies / 2 } else { plies };
    (plies - if mild { 100 } else { 0 }).max(0)
}

/// Whether a quiet move off the principal variation comes too late to be searched.
pub(in crate::search) fn is_too_late(depth: i32, searched: usize) -> bool {
    searched as i32 >= 4 + 3 * depth * depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_grow_with_depth_and_lateness() {
        assert_eq!(reduction(2, 30, false, false), 0);
        assert_eq!(reduction(8, 2, false, false), 0);
        let plain = |depth: i32, searched: usize| {
            let (depth, late) = (f64::from(depth), searched as f64 + 1.0);
            50 + (100.0 * depth.ln() * late.ln() / 2.3) as i32
        };
        for (depth, searched) in [(3, 3), (5, 10), (10, 40), (20, 200)] {
            let (found, wanted) =
                (reduction(depth, searched, false, false), plain(depth, searched));
            assert!((found - wanted).abs() <= 4, "{depth} {searched}: {found} for {wanted}");
        }
        assert!(reduction(10, 40, true, false) < reduction(10, 40, false, false));
        assert_eq!(reduction(10, 40, false, true), reduction(10, 40, false, false) / 2);
    }

    #[test]
    fn more_moves_are_searched_the_deeper_the_node() {
        assert!(is_too_late(1, 7) && !is_too_late(1, 6) && !is_too_late(3, 30));
    }
}
