//! Whether the processor has the instructions that the program was built with (`.cargo/config.toml`).

/// The instructions of x86-64-v3 that this processor lacks, if the program was built with them.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(super) fn lacks() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count, __get_cpuid_max};
    if __get_cpuid_max(0).0 < 7 {
        return Some("AVX2");
    }
    missing(__cpuid(1).ecx, __cpuid_count(7, 0).ebx)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(super) fn lacks() -> Option<&'static str> {
    None
}

/// The first set of instructions that is missing from register ECX of leaf 1 and EBX of leaf 7 of CPUID.
#[cfg_attr(not(target_feature = "avx2"), allow(dead_code, reason = "there is nothing to miss"))]
fn missing(ecx: u32, ebx: u32) -> Option<&'static str> {
    let has = |register: u32, bit: u32| register >> bit & 1 != 0;
    [
        ("POPCNT", has(ecx, 23)),
        ("FMA", has(ecx, 12)),
        // The operating system keeps the wide registers.
        ("AVX", has(ecx, 28) && has(ecx, 27)),
        ("AVX2", has(ebx, 5)),
        ("BMI", has(ebx, 3) && has(ebx, 8)),
    ]
    .into_iter()
    .find_map(|(name, is_there)| (!is_there).then_some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_runs_the_tests_lacks_nothing() {
        assert_eq!(lacks(), None);
    }

    #[test]
    fn what_is_missing_is_named() {
        let (ecx, ebx) = (1 << 23 | 1 << 12 | 1 << 28 | 1 << 27, 1 << 5 | 1 << 3 | 1 << 8);
        assert_eq!(missing(ecx, ebx), None);
        assert_eq!(missing(ecx, ebx & !(1 << 5)), Some("AVX2"));
        assert_eq!(missing(ecx & !(1 << 27), ebx), Some("AVX"));
        assert_eq!(missing(ecx, 1 << 5 | 1 << 3), Some("BMI"));
    }
}
