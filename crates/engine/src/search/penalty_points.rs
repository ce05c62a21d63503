//! What both forms of negative plausibility have in common: points of moves and their mean.

/// Points above this multiple of their mean have no further effect.
pub(super) const MOST_MEANS: i32 = 12;
/// The least mean. With few points in a table the mean is not reliable.
pub(super) const LEAST_MEAN: i32 = 8;
/// The largest number of points of a move.
pub(super) const MOST: usize = 60_000;

/// Adds points to those of a move.
pub(super) fn add(value: &mut u16, points: usize) {
    *value = (usize::from(*value) + points).min(MOST) as u16;
}

/// Mean of the points that are not 0, at least [`LEAST_MEAN`].
pub(super) fn mean(points: impl Iterator<Item = u16>) -> i32 {
    let (mut sum, mut count) = (0_u64, 0_u64);
    for value in points.filter(|value| *value != 0) {
        sum += u64::from(value);
        count += 1;
    }
    ((sum / count.max(1)) as i32).max(LEAST_MEAN)
}
