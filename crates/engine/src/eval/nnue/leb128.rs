//! Signed LEB128 numbers of 16 bits: seven bits a byte from the lowest on, the top bit set in all bytes but the last.

/// Decodes exactly `count` numbers from all of `bytes`. `None` if there are fewer or more, or if one needs more than
/// 16 bits.
pub(super) fn decode(bytes: &[u8], mut into: impl FnMut(i16), count: usize) -> Option<()> {
    let mut bytes = bytes.iter();
    for _ in 0..count {
        let (mut value, mut shift) = (0_i32, 0);
        loop {
            let byte = *bytes.next()?;
            value |= i32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                // The sign is the highest bit given.
                let unused = 32 - shift;
                value = value << unused >> unused;
                break;
            }
            if shift > 14 {
                return None;
            }
        }
        into(i16::try_from(value).ok()?);
    }
    bytes.next().is_none().then_some(())
}

/// Encodes a number with the fewest bytes.
pub(super) fn encode(mut value: i16, into: &mut Vec<u8>) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        // All bits that are left equal the sign bit of this byte.
        if value == -i16::from(byte >> 6 & 1) {
            return into.push(byte);
        }
        into.push(byte | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_return() {
        let mut bytes = Vec::new();
        (i16::MIN..=i16::MAX).for_each(|value| encode(value, &mut bytes));
        let mut back = Vec::new();
        assert_eq!(decode(&bytes, |value| back.push(value), 1 << 16), Some(()));
        assert!(back.into_iter().eq(i16::MIN..=i16::MAX));
        assert_eq!(decode(&bytes, |_| {}, (1 << 16) - 1), None);
        assert_eq!(decode(&bytes, |_| {}, (1 << 16) + 1), None);
    }

    #[test]
    fn numbers_of_more_than_16_bits_are_refused() {
        for bytes in [&[0xff, 0xff, 0x03][..], &[0x80, 0x80, 0x80, 0x00], &[0x80], &[]] {
            assert_eq!(decode(bytes, |_| {}, 1), None, "{bytes:x?}");
        }
    }
}
