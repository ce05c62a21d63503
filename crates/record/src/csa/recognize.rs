//! Lines that only CSA records have.

use crate::spec::Certainty;

pub(super) fn recognize(line: &str) -> Option<Certainty> {
    is_csa(line).then_some(Certainty::Certain)
}

fn is_csa(line: &str) -> bool {
    match line.as_bytes() {
        [b'\'', ..] => line.starts_with("'CSA encoding="),
        [b'V', b'1'..=b'9', rest @ ..] => {
            rest.len() < 4 && rest.iter().all(|byte| matches!(byte, b'.' | b'0'..=b'9'))
        }
        [b'N', b'+' | b'-', ..]
        | [b'P', b'+' | b'-', b'0'..=b'9', ..]
        | [b'P', b'I']
        | [b'P', b'I', b'1'..=b'9', ..]
        | [b'%', b'A'..=b'Z' | b'+' | b'-', ..] => true,
        [b'P', b'1'..=b'9', b' ' | b'+' | b'-', rest @ ..] => rest.len() >= 20,
        [b'$', b'A'..=b'Z', ..] => line.contains(':'),
        // A time and further moves may follow, separated by commas.
        [b'+' | b'-', moved @ ..] => {
            matches!(moved.get(6), None | Some(b','))
                && moved.len() >= 6
                && moved.iter().take(4).all(u8::is_ascii_digit)
                && moved.iter().skip(4).take(2).all(u8::is_ascii_uppercase)
        }
        _ => false,
    }
}
