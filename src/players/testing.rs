//! What the tests of several modules share.

use std::time::Duration;

use kyomi_engine::search::{Score, SearchResult};
use kyomi_shogi::notation::usi;

/// The result of a short search.
pub(crate) fn found(best: &str, score: Score) -> SearchResult {
    let best = usi::parse_move(best).unwrap();
    SearchResult {
        best: Some(best),
        ponder: None,
        score,
        pv: vec![best],
        lines: Vec::new(),
        nodes: 1,
        depth: 1,
        limit: 100,
        seldepth: 1,
        time: Duration::from_millis(1),
    }
}
