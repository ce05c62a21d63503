//! The bytes that wait to be written: to one peer, and to all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kyomi_csa::server::PeerLimits;

/// The bytes that wait for one peer, which are part of those of all peers.
#[derive(Debug)]
pub(super) struct Waiting {
    own: AtomicUsize,
    all: Arc<AtomicUsize>,
    limits: PeerLimits,
}

impl Waiting {
    /// Those of a new peer, as a part of `all`.
    pub(super) fn new(all: Arc<AtomicUsize>, limits: PeerLimits) -> Self {
        Self { own: AtomicUsize::new(0), all, limits }
    }

    /// More bytes wait. Returns false if they are too many: for this peer, or for all while this peer has more than
    /// its share. So those who do not read cannot fill the memory together, and those who read are not dropped.
    pub(super) fn add(&self, bytes: usize) -> bool {
        // These are counts: they order no other memory.
        let own = self.own.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let all = self.all.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        own <= self.limits.queued_bytes && (all <= self.limits.queued_bytes_of_all || own <= SHARE)
    }

    /// They are being written.
    pub(super) fn remove(&self, bytes: usize) {
        self.own.fetch_sub(bytes, Ordering::Relaxed);
        self.all.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.all.fetch_sub(*self.own.get_mut(), Ordering::Relaxed);
    }
}

/// The bytes that may wait for a peer at any time: some long answers.
const SHARE: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_who_do_not_read_are_dropped_before_one_who_reads() {
        let all = Arc::new(AtomicUsize::new(0));
        let limits = PeerLimits { queued_bytes_of_all: 1_000_000, ..PeerLimits::default() };
        let peer = || Waiting::new(Arc::clone(&all), limits);
        let deaf: Vec<_> = (0..100).map(|_| peer()).collect();
        let dropped = |peer: &&Waiting| (0..200).any(|_| !peer.add(10_000));
        assert_eq!(deaf.iter().filter(dropped).count(), 100);
        let held = all.load(Ordering::Relaxed);
        assert!(held < 1_000_000 + 100 * (SHARE + 10_000), "{held}");
        let reader = peer();
        for _ in 0..1000 {
            assert!(reader.add(50_000));
            reader.remove(50_000);
        }
        drop((deaf, reader));
        assert_eq!(all.load(Ordering::Relaxed), 0);
        assert!((0..90).all(|_| peer().add(10_000)));
    }

    #[test]
    fn one_peer_has_its_own_limit() {
        let limits = PeerLimits { queued_bytes: 100, ..PeerLimits::default() };
        let peer = Waiting::new(Arc::default(), limits);
        assert!(peer.add(100) && !peer.add(1));
    }
}
