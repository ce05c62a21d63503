//! Bytes that nobody can guess.

/// Bytes of the system's source for keys. Numbers with a seed are no secrets: whoever sees one may calculate the next.
///
/// # Panics
/// The system has no random numbers. Without them no secret can be made.
///
/// ```
/// let [one, other] = [kyomi_csa::text::unguessable::<16>(), kyomi_csa::text::unguessable()];
/// assert_ne!(one, other);
/// ```
#[allow(clippy::expect_used, reason = "a secret that can be guessed would be worse")]
pub fn unguessable<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    getrandom::getrandom(&mut bytes).expect("the system has random numbers");
    bytes
}

/// A word of 32 hexadecimal digits: 128 bits that nobody can guess.
pub fn unguessable_word() -> String {
    format!("{:032x}", u128::from_le_bytes(unguessable()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unguessable_words_differ_in_all_their_bits() {
        // Each bit of the words is 0 in some of them and 1 in others; a seed does not repeat them.
        let (mut ones, mut zeros) = (0_u128, 0_u128);
        for _ in 0..64 {
            fastrand::seed(1);
            let word = unguessable_word();
            assert_eq!(word.len(), 32);
            let bits = u128::from_str_radix(&word, 16).unwrap();
            (ones, zeros) = (ones | bits, zeros | !bits);
        }
        assert_eq!((ones, zeros), (u128::MAX, u128::MAX));
    }
}
