//! Powers of two in integers, the same on every machine.

/// 65536 times 2 to the power of `n / 70`, for n below 70.
const POWERS: [u32; 70] = {
    // 2^(1/70), with 60 binary places.
    const STEP: u128 = 1_164_394_561_559_065_791;
    let mut table = [0; 70];
    let mut value: u128 = 1 << 60;
    let mut n = 0;
    while n < 70 {
        table[n] = ((value + (1 << 43)) >> 44) as u32;
        value = (value * STEP) >> 60;
        n += 1;
    }
    table
};

/// Interest in sixteenths of a point for this merit: one point doubled for each 70 points of merit
/// (docs/search.md, section 3.5). At least 1.
pub(super) fn interest_of(merit: i32) -> i32 {
    let merit = merit.clamp(-MOST, MOST);
    let whole = merit.div_euclid(70) + 4;
    let part = u64::from(POWERS[merit.rem_euclid(70) as usize]);
    let value = if whole >= 0 { (part << whole) >> 16 } else { part >> (16 - whole) };
    (value as i32).max(1)
}

/// The largest merit that counts: it gives 2^10 points.
const MOST: i32 = 700;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interest_doubles_with_every_seventy_points() {
        for merit in -900..900 {
            let wanted = 16.0 * (f64::from(merit.clamp(-700, 700)) / 70.0).exp2();
            let found = interest_of(merit);
            assert!((f64::from(found) - wanted).abs() <= 1.0 + wanted / 10_000.0, "{merit}");
            assert!(found <= interest_of(merit + 1));
        }
        assert_eq!([-70, 0, 70, 140].map(interest_of), [8, 16, 32, 64]);
    }
}
