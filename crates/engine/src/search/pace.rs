//! A search at a set speed, for the simulation of several machines on one.
//!
//! [`Pace`] grants nodes. Every search thread waits when it has used them, so that the virtual time of the simulation
//! and the number of nodes stay in step on any machine.

use parking_lot::{Condvar, Mutex, MutexGuard};

/// The nodes that the threads of one search may search so far, and what the threads are doing.
#[derive(Debug)]
pub struct Pace {
    /// The number of nodes between two checks of the pace.
    interval: u64,
    state: Mutex<State>,
    /// The state changed.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Tasks that were sent to the search thread and are not reported as done yet.
    tasks: usize,
    /// Whether the search was stopped or its ponder move was played, so that its result is not held back.
    released: bool,
    threads: Vec<ThreadState>,
}

/// What one search thread does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ThreadState {
    /// It does not search.
    #[default]
    Idle,
    /// It searches, with this number of nodes left.
    Running { left: u64 },
    /// It has searched all nodes that it was given, and this number more.
    Waiting { over: u64 },
    /// Its search is over, and waits for `stop` or `ponderhit`.
    Holding,
}

impl Pace {
    /// A pace that threads check every `interval` nodes, at least one.
    pub fn new(interval: u64) -> Self {
        Self { interval: interval.max(1), state: Mutex::default(), changed: Condvar::new() }
    }

    /// The number of nodes between two checks of the pace.
    pub const fn interval(&self) -> u64 {
        self.interval
    }

    /// Grants `nodes` more to each thread that searches, and waits until all of them have used them or are done.
    /// Returns at once if no search runs.
    pub fn advance(&self, nodes: u64) {
        let mut state = self.state.lock();
        for thread in &mut state.threads {
            if let ThreadState::Waiting { over } = *thread {
                *thread = match nodes.checked_sub(over) {
                    Some(left) if left > 0 => ThreadState::Running { left },
                    _ => ThreadState::Waiting { over: over - nodes },
                };
            }
        }
        self.changed.notify_all();
        self.wait_while_running(state);
    }

    /// Waits until every thread has used its nodes or is done.
    pub fn wait(&self) {
        self.wait_while_running(self.state.lock());
    }

    fn wait_while_running(&self, mut state: MutexGuard<'_, State>) {
        while !state.is_paused() {
            self.changed.wait(&mut state);
        }
    }

    /// A task for the search thread is about to be sent.
    pub fn task_sent(&self) {
        self.state.lock().tasks += 1;
    }

    /// The search thread has done a task, and its reports are sent.
    pub fn task_done(&self) {
        let mut state = self.state.lock();
        state.tasks = state.tasks.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
    }

    /// The search is about to be stopped or to get a ponder hit, so that its result is not held back.
    pub fn release(&self) {
        self.state.lock().released = true;
    }

    /// A search by this number of threads begins. It has no nodes yet.
    pub(super) fn begin(&self, threads: usize) {
        let mut state = self.state.lock();
        state.released = false;
        state.threads.clear();
        state.threads.resize(threads, ThreadState::Running { left: 0 });
        drop(state);
        // Wake threads of the last search that still wait.
        self.changed.notify_all();
    }

    /// The thread begins to search.
    pub(super) fn enter(&self, thread: usize) {
        self.set(thread, ThreadState::Running { left: 0 });
    }

    /// The thread has searched `nodes` since its last check. Waits until it has nodes left.
    pub(super) fn spend(&self, thread: usize, nodes: u64) {
        let mut state = self.state.lock();
        let Some(ThreadState::Running { left }) = state.threads.get(thread).copied() else {
            return;
        };
        if left > nodes {
            state.threads[thread] = ThreadState::Running { left: left - nodes };
            return;
        }
        state.threads[thread] = ThreadState::Waiting { over: nodes - left };
        self.changed.notify_all();
        while matches!(state.threads.get(thread), Some(ThreadState::Waiting { .. })) {
            self.changed.wait(&mut state);
        }
    }

    /// The thread's search is over, but its result is held back.
    pub(super) fn hold(&self, thread: usize) {
        self.set(thread, ThreadState::Holding);
    }

    /// The thread's search is over.
    pub(super) fn leave(&self, thread: usize) {
        self.set(thread, ThreadState::Idle);
    }

    fn set(&self, thread: usize, to: ThreadState) {
        let mut state = self.state.lock();
        if let Some(state) = state.threads.get_mut(thread) {
            *state = to;
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl State {
    fn is_paused(&self) -> bool {
        if self.tasks == 0 {
            return true;
        }
        let is_waiting = |thread: &ThreadState| match thread {
            ThreadState::Running { .. } => false,
            ThreadState::Idle | ThreadState::Waiting { .. } => true,
            ThreadState::Holding => !self.released,
        };
        // Before the first thread begins and after it is done, the task has work left that takes no virtual time.
        let begun = self.threads.first().is_some_and(|it| *it != ThreadState::Idle);
        begun && self.threads.iter().all(is_waiting)
    }
}

#[cfg(test)]
mod tests {
    use std::{num::NonZeroU32, sync::Arc, thread, time::Instant};

    use super::*;
    use crate::search::{SearchLimits, SearchOptions, Searcher, StopFlag, TimeLimit};
    use kyomi_shogi::Game;
    use kyomi_shogi::clock::Budget;

    #[test]
    fn a_paced_search_has_the_same_nodes_and_result() {
        for threads in [1, 2] {
            let options =
                SearchOptions { threads, hash_bytes: 1 << 20, ..SearchOptions::default() };
            let pace = Arc::new(Pace::new(20));
            let mut searcher = Searcher::connected(options, Some(Arc::clone(&pace)), None).unwrap();
            pace.task_sent();
            let time = TimeLimit {
                started: Instant::now(),
                budget: Budget::fixed(std::time::Duration::from_millis(200)),
                nodes_per_second: NonZeroU32::new(20_000 * threads as u32),
            };
            let limits = SearchLimits { time: Some(time), ..SearchLimits::default() };
            let waiter = Arc::clone(&pace);
            let search = thread::spawn(move || {
                let found = searcher.search(&Game::default(), &limits, &StopFlag::new(), |_| {});
                waiter.task_done();
                found
            });
            while !search.is_finished() {
                pace.advance(100);
            }
            let found = search.join().unwrap();
            assert!(found.best.is_some());
            let wanted = 4000 * threads as u64;
            assert!((wanted..wanted + 300).contains(&found.nodes), "{} nodes", found.nodes);
        }
    }
}
