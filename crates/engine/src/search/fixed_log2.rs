//! Logarithms in integers, the same on every machine.

/// 256·log2 of 1 + i/256, rounded down.
const MANTISSA: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = fraction((1 << 30) + ((i as u64) << 22)) as u8;
        i += 1;
    }
    table
};

/// 256·log2 of `x / 2^30` for x from 2^30 to below 2^31: eight squarings give eight bits.
const fn fraction(mut x: u64) -> u32 {
    let mut bits = 0;
    let mut step = 0;
    while step < 8 {
        x = (x * x) >> 30;
        bits <<= 1;
        if x >= 1 << 31 {
            bits |= 1;
            x >>= 1;
        }
        step += 1;
    }
    bits
}

/// 256·log2(x), rounded down to within 2; 0 for 0 and 1.
pub(crate) const fn fixed_log2(x: u64) -> i32 {
    if x < 2 {
        return 0;
    }
    let exponent = x.ilog2();
    let mantissa = if exponent >= 8 { x >> (exponent - 8) } else { x << (8 - exponent) } & 255;
    (exponent * 256) as i32 + MANTISSA[mantissa as usize] as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_close_to_the_logarithm() {
        for x in (2..100_000u64).chain([1 << 40, u64::MAX]) {
            let exact = (x as f64).log2() * 256.0;
            let error = exact - f64::from(fixed_log2(x));
            assert!((-0.01..2.5).contains(&error), "{x}: {exact}");
        }
        assert_eq!(
            (fixed_log2(0), fixed_log2(1), fixed_log2(2), fixed_log2(1024)),
            (0, 0, 256, 2560)
        );
    }

    #[test]
    fn it_never_falls() {
        assert!((1..5000u64).all(|x| fixed_log2(x) <= fixed_log2(x + 1)));
    }
}
