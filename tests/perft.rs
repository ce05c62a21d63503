//! Every row of `perft.csv` up to 20,000,000 nodes.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kyomi_shogi::perft;

/// Larger rows are left to `kyomi perft --suite`.
const MOST_NODES: u64 = 20_000_000;

#[test]
fn every_row_of_the_table_up_to_20_million_nodes_is_right() {
    let mut rows = perft::parse_suite(&common::data_text("perft.csv")).unwrap();
    rows.retain(|row| row.nodes <= MOST_NODES);
    assert!(rows.len() >= 50, "only {} rows", rows.len());
    // The largest rows come first, so that the threads finish at about the same time.
    rows.sort_by_key(|row| std::cmp::Reverse(row.nodes));
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = perft::perft(&mut row.position.clone(), row.depth);
                    if found != row.nodes {
                        wrong.lock().unwrap().push(format!("{found} instead of {row:?}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
