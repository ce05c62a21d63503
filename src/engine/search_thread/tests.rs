use std::io;

use super::*;

fn no_threads(options: SearchOptions) -> Result<Searcher, SearcherError> {
    if options.threads == 1 {
        return Searcher::new(options);
    }
    Err(SearcherError::Threads { threads: options.threads, source: io::Error::other("no") })
}

#[test]
fn a_searcher_with_fewer_resources_is_used() {
    let options = SearchOptions { threads: 3, hash_bytes: 1 << 20, ..SearchOptions::default() };
    let mut searchers = Searchers::default();
    let Readiness::Reduced(less) = searchers.prepare(&options, no_threads) else { panic!() };
    assert!(less.ends_with("one thread is used"), "{less}");
    assert_eq!(searchers.prepare(&options, no_threads), Readiness::AsRequested);
    assert_eq!(searchers.searcher.unwrap().options().threads, 1);
}

#[test]
fn without_a_searcher_a_move_is_still_played() {
    let options = SearchOptions { threads: 3, hash_bytes: 1 << 20, ..SearchOptions::default() };
    let mut searchers = Searchers::default();
    let readiness = searchers.prepare(&options, |_| {
        Err(SearcherError::Threads { threads: 1, source: io::Error::other("no") })
    });
    assert!(matches!(readiness, Readiness::NoSearcher(_)), "{readiness:?}");
    let game = Game::default();
    let (limits, stop) = (SearchLimits::default(), StopFlag::new());
    let job = SearchJob { number: 1, options, game, limits, stop };
    assert!(searchers.search(&job, |_| {}).best.is_some());
}
