//! Pages of 2 MiB for the transposition table.
//!
//! With pages of 4 KiB almost every probe of a large table also misses the processor's cache of addresses.

use std::mem::MaybeUninit;

/// The size of a huge page on x86-64, and the usual one on `AArch64`, in bytes.
const HUGE_PAGE: usize = 2 << 20;

/// Asks the system to back `memory`, which nothing has been written to yet, with huge pages. The system may ignore it,
/// or only use them for a part.
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "`madvise` has no safe form; `kyomi bench` takes 0.97 of the processor time with it"
)]
pub(super) fn ask_for<T>(memory: &mut [MaybeUninit<T>]) {
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
pub(super) fn ask_for<T>(_: &mut [MaybeUninit<T>]) {}
