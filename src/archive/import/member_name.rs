//! The names of members of archives.

use encoding_rs::SHIFT_JIS;

/// The name of a member as text: UTF-8, else `Shift_JIS` as Japanese programs write it, else with every byte beyond
/// ASCII as `\\x8a`, so that different names stay different.
pub(super) fn member_name(raw: &[u8]) -> String {
    if let Ok(name) = std::str::from_utf8(raw) {
        return name.to_owned();
    }
    match SHIFT_JIS.decode_without_bom_handling_and_without_replacement(raw) {
        Some(name) => name.into_owned(),
        None => raw.escape_ascii().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_encoding_stay_different() {
        assert_eq!(member_name("竜王戦.csa".as_bytes()), "竜王戦.csa");
        assert_eq!(member_name(&SHIFT_JIS.encode("竜王戦.csa").0), "竜王戦.csa");
        assert_eq!(member_name(b"\xff\xfe.csa"), r"\xff\xfe.csa");
    }
}
