//! The memory that can still be used before the system ends the program, and pages of 2 MiB for the transposition
//! table.
//!
//! A system may let programs reserve more memory than it has, so a successful reservation proves nothing. Only memory
//! that is written to counts.

use std::{fs, mem::MaybeUninit, path::Path};

/// Bytes that can be used now: the available memory of the machine, or less if a control group sets a limit. `None` if
/// the system does not report it.
pub fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    let group = fs::read_to_string("/proc/self/cgroup").ok().and_then(|text| of_groups(&text));
    match (machine, group) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (machine, group) => machine.or(group),
    }
}

/// The available memory by `/proc/meminfo`.
fn of_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The available memory by `/proc/self/cgroup`: the tightest limit of the group of this process and its parent groups,
/// in version 1 or 2.
fn of_groups(cgroup: &str) -> Option<u64> {
    let mut least = None;
    for line in cgroup.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, files) = if controllers.is_empty() {
            ("/sys/fs/cgroup", ["memory.max", "memory.current"])
        } else if controllers.split(',').any(|name| name == "memory") {
            ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes"])
        } else {
            continue;
        };
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            let read = |file: &str| fs::read_to_string(Path::new(root).join(group).join(file)).ok();
            let (Some(limit), Some(used)) = (read(files[0]), read(files[1])) else { continue };
            let left = left_in_group(&limit, &used, &read("memory.stat").unwrap_or_default());
            least = [least, left].into_iter().flatten().min();
        }
    }
    least
}

/// The memory that a limit leaves. Cached files count as used, but are released when memory is needed.
fn left_in_group(limit: &str, used: &str, stat: &str) -> Option<u64> {
    let limit: u64 = limit.trim().parse().ok()?;
    let used: u64 = used.trim().parse().ok()?;
    let cached: u64 = stat
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file "))
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

/// The size of a huge page on x86-64, and the usual one on `AArch64`, in bytes.
const HUGE_PAGE: usize = 2 << 20;

/// With pages of 4 KiB almost every probe of a large table also misses the processor's cache of addresses. Asks the
/// system to back `memory`, which nothing has been written to yet, with huge pages. The system may ignore it, or only
/// use them for a part.
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "`madvise` has no safe form; `kyomi bench` takes 0.97 of the processor time with it"
)]
pub(super) fn ask_for_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    // Whole huge pages only: no other memory is affected.
    let skipped = start.align_offset(HUGE_PAGE);
    let length = bytes.saturating_sub(skipped) / HUGE_PAGE * HUGE_PAGE;
    if length == 0 {
        return;
    }
    // SAFETY: the range is a part of `memory`, which is borrowed exclusively. This advice changes the size of pages and
    // neither the contents of memory nor the access to it.
    let advised = unsafe { madvise(start.add(skipped).cast(), length, Advice::LinuxHugepage) };
    if let Err(error) = advised {
        tracing::debug!(%error, "no huge pages for the hash table");
    }
}

/// There is no such advice on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_huge_pages<T>(_: &mut [MaybeUninit<T>]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_from_meminfo() {
        let text = "MemTotal:  2000 kB\nMemFree:  1 kB\nMemAvailable:   1000 kB\n";
        assert_eq!(of_machine(text), Some(1_024_000));
        assert_eq!(of_machine("MemTotal: 2000 kB\n"), None);
        assert_eq!(of_machine("MemAvailable: 99999999999999999999 kB\n"), None);
    }

    #[test]
    fn a_control_group_leaves_its_limit_minus_uncached_memory() {
        let stat = "anon 50\ninactive_file 30\n";
        assert_eq!(left_in_group("100\n", "80\n", stat), Some(50));
        assert_eq!(left_in_group("100\n", "180\n", ""), Some(0));
        assert_eq!(left_in_group("max\n", "80\n", stat), None);
    }
}
