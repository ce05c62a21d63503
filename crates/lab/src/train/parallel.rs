//! Work on several threads, with the same result for any number of them.

use std::thread;

/// Sums of losses over some items, for example positions.
pub(super) trait LossSums: Default + Copy + Send {
    /// Adds the sums over other items.
    fn add(&mut self, other: Self);

    /// The sum of the weights of the items.
    fn weight(&self) -> f64;
}

/// The losses of `count` items. `pass` computes those of the items with some indices.
pub(super) fn sum_losses<L: LossSums>(
    count: usize,
    threads: usize,
    pass: impl Fn(&[u32]) -> L + Sync,
) -> L {
    let numbers: Vec<u32> = (0..count as u32).collect();
    let chunks: Vec<&[u32]> = numbers.chunks(SUMMED_TOGETHER).collect();
    let mut done = vec![L::default(); chunks.len()];
    let mut jobs: Vec<_> = chunks.iter().zip(&mut done).collect();
    in_threads(&mut jobs, threads, |(numbers, done)| **done = pass(numbers));
    let mut sum = L::default();
    for losses in done {
        sum.add(losses);
    }
    sum
}

/// The number of items whose losses a thread sums at a time.
const SUMMED_TOGETHER: usize = 4096;

/// Applies `work` to all jobs, on several threads.
pub(super) fn in_threads<T: Send>(jobs: &mut [T], threads: usize, work: impl Fn(&mut T) + Sync) {
    let each = jobs.len().div_ceil(threads.max(1)).max(1);
    thread::scope(|scope| {
        let mut parts = jobs.chunks_mut(each);
        let own = parts.next();
        for part in parts {
            let work = &work;
            scope.spawn(move || part.iter_mut().for_each(work));
        }
        // The calling thread works too.
        own.into_iter().flatten().for_each(&work);
    });
}
