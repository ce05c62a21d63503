//! The table of the mate search: proof and disproof numbers by board and attacker's hand.

use super::super::ram;
use kyomi_shogi::{Hand, Move};

/// The proof number of a disproven position, and the disproof number of a proven one.
pub(super) const INFINITE: u32 = 1 << 30;
/// Value of `depends_on_ply`: the failure depends on no position before the node.
pub(super) const NO_PLY: i16 = i16::MAX;
/// Value of `depends_on_ply`: the failure comes from the limit of the length of a line, not from the position.
pub(super) const HORIZON: i16 = -1;

/// The known numbers of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProofEntry {
    /// Proof number: 0 for a mate.
    pub(super) pn: u32,
    /// Disproof number: 0 if it is no mate.
    pub(super) dn: u32,
    /// For a mate: the length of the proof in plies, which need not be the shortest.
    pub(super) length: u16,
    /// For a mate: the hand that it needs.
    pub(super) hand: Hand,
    /// For a failure: the earliest ply of the line on whose repetition it depends; [`NO_PLY`] for none.
    pub(super) depends_on_ply: i16,
    /// The move that mates, if the attacker is to move.
    pub(super) mv: Option<Move>,
}

impl ProofEntry {
    pub(super) const fn open(pn: u32, dn: u32) -> Self {
        Self { pn, dn, length: 0, hand: Hand::EMPTY, depends_on_ply: NO_PLY, mv: None }
    }

    pub(super) const fn mate(length: u16, hand: Hand, mv: Option<Move>) -> Self {
        Self { pn: 0, dn: INFINITE, length, hand, depends_on_ply: NO_PLY, mv }
    }

    pub(super) const fn failure(depends_on_ply: i16) -> Self {
        Self { pn: INFINITE, dn: 0, length: 0, hand: Hand::EMPTY, depends_on_ply, mv: None }
    }
}

/// A node of the search: a position on a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PathNode {
    /// Key of the board and the side to move.
    pub(super) key: u64,
    /// Hand of the attacker.
    pub(super) hand: Hand,
    /// Hash of the positions before it.
    pub(super) path: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    key: u64,
    hand: Hand,
    /// The path on which a failure is valid; 0 if it is valid on all paths.
    path: u32,
    pn: u32,
    dn: u32,
    /// Number of positions searched for it; 0 for an empty entry.
    work: u32,
    /// The length of a mate, or the ply on which a failure depends.
    extra: i16,
    mv: u16,
}

/// Number of entries of a bucket.
const WAYS: usize = 8;

#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

const _: () = assert!(size_of::<Bucket>() == 256);

/// A table of fixed size. The entry with the least work of a bucket is replaced.
#[derive(Debug)]
pub(super) struct ProofTable {
    buckets: Vec<Bucket>,
    used: bool,
}

impl ProofTable {
    /// Creates a table of this size in bytes, at least one bucket and at most half of the free memory.
    pub(super) fn new(bytes: u64) -> Self {
        let bytes = bytes.min(ram::available().map_or(u64::MAX, |left| left / 2));
        let count = (bytes / size_of::<Bucket>() as u64).max(1) as usize;
        Self { buckets: vec![Bucket::default(); count], used: false }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.buckets.len() * size_of::<Bucket>()) as u64
    }

    /// Clears the table.
    pub(super) fn clear(&mut self) {
        if self.used {
            self.buckets.fill(Bucket::default());
            self.used = false;
        }
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// The known numbers of a position. A mate with a smaller hand or a failure with a larger hand also counts.
    pub(super) fn probe(&self, node: PathNode) -> Option<ProofEntry> {
        let bucket = &self.buckets[self.index(node.key)];
        let mut open = None;
        for entry in bucket.0.iter().filter(|entry| entry.key == node.key && entry.work > 0) {
            let same = entry.hand == node.hand;
            if entry.pn == 0 {
                if same || node.hand.contains(entry.hand) {
                    let length = entry.extra as u16;
                    return Some(ProofEntry::mate(length, entry.hand, Move::from_bits(entry.mv)));
                }
            } else if entry.dn == 0 {
                let holds = if entry.path == 0 {
                    same || entry.hand.contains(node.hand)
                } else {
                    same && entry.path == node.path
                };
                if holds {
                    return Some(ProofEntry::failure(entry.extra));
                }
            } else if same {
                open = Some(ProofEntry::open(entry.pn, entry.dn));
            }
        }
        open
    }

    /// Stores the result of a position. `work` is the number of positions searched for it.
    pub(super) fn store(&mut self, node: PathNode, found: &ProofEntry, work: u64) {
        self.used = true;
        let index = self.index(node.key);
        let bucket = &mut self.buckets[index].0;
        let own = |entry: &Entry| {
            entry.work > 0 && entry.key == node.key && entry.hand == node.hand && entry.pn != 0
        };
        let slot = match bucket.iter().position(own) {
            Some(slot) => slot,
            None => least(bucket),
        };
        let work = work.clamp(1, u64::from(u32::MAX)) as u32;
        let (hand, extra, path) = match (found.pn, found.dn) {
            (0, _) => (found.hand, found.length as i16, 0),
            (_, 0) if found.depends_on_ply != NO_PLY => {
                (node.hand, found.depends_on_ply, node.path)
            }
            _ => (node.hand, found.depends_on_ply, 0),
        };
        let mv = found.mv.map_or(0, Move::to_bits);
        let PathNode { key, .. } = node;
        bucket[slot] = Entry { key, hand, path, pn: found.pn, dn: found.dn, work, extra, mv };
    }
}

/// The index of the entry with the least work.
fn least(bucket: &[Entry; WAYS]) -> usize {
    let mut least = 0;
    for (index, entry) in bucket.iter().enumerate() {
        if entry.work < bucket[least].work {
            least = index;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::PieceKind;

    fn node(key: u64, pawns: u8, path: u32) -> PathNode {
        PathNode { key, hand: Hand::EMPTY.with(PieceKind::Pawn, pawns), path }
    }

    #[test]
    fn a_mate_holds_with_more_in_hand_and_a_failure_with_less() {
        let mut table = ProofTable::new(1 << 12);
        let needed = node(7, 1, 0).hand;
        table.store(node(7, 3, 1), &ProofEntry::mate(5, needed, None), 10);
        assert_eq!(table.probe(node(7, 1, 9)).unwrap().length, 5);
        assert_eq!(table.probe(node(7, 9, 9)).unwrap().pn, 0);
        assert!(table.probe(node(7, 0, 9)).is_none());
        table.store(node(8, 3, 1), &ProofEntry::failure(NO_PLY), 10);
        assert_eq!(table.probe(node(8, 1, 9)).unwrap().dn, 0);
        assert!(table.probe(node(8, 4, 9)).is_none());
    }

    #[test]
    fn a_failure_by_repetition_holds_on_its_path_only() {
        let mut table = ProofTable::new(1 << 12);
        table.store(node(7, 3, 1), &ProofEntry::failure(2), 10);
        assert_eq!(table.probe(node(7, 3, 1)).unwrap().depends_on_ply, 2);
        assert!(table.probe(node(7, 3, 4)).is_none());
        assert!(table.probe(node(7, 2, 1)).is_none());
    }

    #[test]
    fn the_least_work_gives_way_and_the_size_stays() {
        let mut table = ProofTable::new(1);
        assert_eq!(table.bytes(), 256);
        for key in 1..=20 {
            table.store(node(key, 0, 0), &ProofEntry::open(2, 3), key);
        }
        assert!(table.probe(node(20, 0, 0)).is_some());
        assert!(table.probe(node(1, 0, 0)).is_none());
        table.clear();
        assert!(table.probe(node(20, 0, 0)).is_none());
    }
}
