//! A thread that writes to the disk, for games that must not wait for a disk that hangs.

use std::{
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};
use tokio::{
    sync::{mpsc, oneshot},
    task::spawn_blocking,
};

/// The handle of a thread that carries out orders one after the other.
///
/// A game waits after each order until it is carried out, so that a killed process loses nothing, but only for a limited
/// time, and not again until the thread has caught up. The queue has room for 16,384 orders; if it is full, the games
/// wait, so that nothing is lost.
#[derive(Debug)]
pub struct DiskThread<T> {
    orders: mpsc::Sender<T>,
    sent: u64,
    done: Arc<Done>,
    ended: oneshot::Receiver<()>,
    /// The orders that were not carried out in time.
    overdue: Option<Overdue>,
}

/// Orders that were not carried out in time.
#[derive(Debug)]
struct Overdue {
    since: Instant,
    /// The number of orders that must be carried out until the thread has caught up.
    orders: u64,
    /// Whether [`DiskPace::Hangs`] was returned.
    is_told: bool,
}

/// The number of orders that are carried out.
#[derive(Debug, Default)]
struct Done {
    orders: Mutex<u64>,
    more: Condvar,
}

/// Whether all orders are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskPace {
    /// They are.
    UpToDate,
    /// They are not. Once the thread is behind they are not waited for.
    Behind,
    /// They have not been for two seconds. Returned once until the thread has caught up.
    Hangs,
}

impl<T: Send + 'static> DiskThread<T> {
    /// Starts the thread, which calls `carry_out` with each order.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(name: &str, mut carry_out: impl FnMut(T) + Send + 'static) -> io::Result<Self> {
        let (orders, mut queue) = mpsc::channel(ROOM);
        let (end, ended) = oneshot::channel();
        let done = Arc::<Done>::default();
        let counts = Arc::clone(&done);
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            while let Some(order) = queue.blocking_recv() {
                carry_out(order);
                *counts.orders.lock() += 1;
                counts.more.notify_all();
            }
            // What it holds may have something left to do, too.
            drop(carry_out);
            let _ = end.send(());
        })?;
        Ok(Self { orders, sent: 0, done, ended, overdue: None })
    }

    /// Queues an order.
    pub async fn send(&mut self, order: T) {
        if self.orders.send(order).await.is_ok() {
            self.sent += 1;
        } else {
            tracing::error!("the thread that writes the records is gone");
        }
    }

    /// Waits until all orders are carried out, at most this long. The time is that of the system, even if the clock of
    /// the runtime is paused.
    pub async fn wait(&mut self, limit: Duration) -> DiskPace {
        let carried_out = *self.done.orders.lock();
        if let Some(overdue) = &mut self.overdue {
            if carried_out < overdue.orders {
                overdue.orders = self.sent;
                return overdue.pace();
            }
            tracing::info!(seconds = overdue.since.elapsed().as_secs(), "the disk has caught up");
            self.overdue = None;
        }
        let (since, sent, done) = (Instant::now(), self.sent, Arc::clone(&self.done));
        let wait = move || {
            let mut orders = done.orders.lock();
            done.more.wait_while_for(&mut orders, |orders| *orders < sent, limit);
            *orders >= sent
        };
        // A runtime that ends has no use for the answer.
        if carried_out >= sent || spawn_blocking(wait).await.unwrap_or(true) {
            return DiskPace::UpToDate;
        }
        self.overdue.insert(Overdue { since, orders: sent, is_told: false }).pace()
    }

    /// Waits until all orders are carried out and the thread has ended. Returns whether it did, and did not panic.
    pub async fn finish(self) -> bool {
        drop(self.orders);
        self.ended.await.is_ok()
    }
}

impl Overdue {
    fn pace(&mut self) -> DiskPace {
        if self.is_told || self.since.elapsed() < HANGS {
            return DiskPace::Behind;
        }
        self.is_told = true;
        DiskPace::Hangs
    }
}

/// A disk that has not answered for so long hangs. A slower one is only slow.
const HANGS: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 2 });

/// The largest number of orders that wait.
const ROOM: usize = 16 * 1024;

#[cfg(test)]
pub mod testing {
    //! A disk that hangs.

    use std::sync::Arc;

    use parking_lot::{Mutex, MutexGuard};

    /// A disk that hangs as long as [`Self::hang`] is held.
    #[derive(Debug, Clone, Default)]
    pub struct Disk(Arc<Mutex<()>>);

    impl Disk {
        /// Makes the disk hang until the guard is dropped.
        pub fn hang(&self) -> MutexGuard<'_, ()> {
            self.0.lock()
        }

        /// Returns when the disk does not hang.
        pub fn wait(&self) {
            drop(self.0.lock());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::{testing::Disk, *};

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(60);

    /// A thread that notes numbers on a disk, and what it has noted.
    fn notes(disk: &Disk) -> (DiskThread<u32>, Arc<Mutex<Vec<u32>>>) {
        let (disk, noted) = (disk.clone(), Arc::<Mutex<Vec<u32>>>::default());
        let notes = Arc::clone(&noted);
        let thread = DiskThread::start("test", move |number| {
            disk.wait();
            notes.lock().push(number);
        });
        (thread.unwrap(), noted)
    }

    #[tokio::test(start_paused = true)]
    async fn an_order_is_carried_out_when_the_wait_is_over() {
        let (mut thread, noted) = notes(&Disk::default());
        let start = tokio::time::Instant::now();
        for number in 0..100 {
            thread.send(number).await;
            assert_eq!(thread.wait(LONG).await, DiskPace::UpToDate);
            assert_eq!(noted.lock().last(), Some(&number));
        }
        assert_eq!(start.elapsed(), Duration::ZERO, "the paused clock does not run meanwhile");
    }

    #[tokio::test]
    #[expect(clippy::await_holding_lock, reason = "the disk hangs meanwhile")]
    async fn a_disk_that_hangs_is_waited_for_once_and_gets_everything_afterwards_in_order() {
        let disk = Disk::default();
        let (mut thread, noted) = notes(&disk);
        let hanging = disk.hang();
        thread.send(0).await;
        assert_eq!(thread.wait(SHORT).await, DiskPace::Hangs);
        for number in 1..1000 {
            thread.send(number).await;
            assert_eq!(thread.wait(LONG).await, DiskPace::Behind);
        }
        assert!(noted.lock().is_empty());
        drop(hanging);
        thread.send(1000).await;
        while thread.wait(LONG).await != DiskPace::UpToDate {
            tokio::task::yield_now().await;
        }
        assert!(noted.lock().iter().copied().eq(0..=1000));
        thread.send(1001).await;
        assert!(thread.finish().await);
        assert_eq!(noted.lock().len(), 1002);
    }
}
