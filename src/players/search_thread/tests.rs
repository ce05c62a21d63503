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
    let game = Arc::default();
    let (limits, stop) = (SearchLimits::default(), StopFlag::new());
    let job = SearchJob { number: 1, options, game, limits, stop };
    assert!(searchers.search(&job, |_| {}).best.is_some());
}

fn job(number: u64, game: &Arc<Game>, is_stopped: bool) -> SearchTask {
    let options = SearchOptions { hash_bytes: 1 << 20, ..SearchOptions::default() };
    let stop = StopFlag::new();
    if is_stopped {
        stop.stop();
    }
    let limits = SearchLimits { nodes: Some(500), ..SearchLimits::default() };
    SearchTask::Search(Box::new(SearchJob {
        number,
        options,
        game: Arc::clone(game),
        limits,
        stop,
    }))
}

/// What the thread reports about these tasks, which all wait when it begins.
fn reports(tasks: impl IntoIterator<Item = SearchTask>) -> Vec<SearchReport> {
    let (sender, receiver) = mpsc::channel();
    for task in tasks {
        sender.send(task).unwrap();
    }
    drop(sender);
    let (report, reports) = mpsc::channel();
    run(&receiver, |it| report.send(it).unwrap(), None, None);
    drop(report);
    reports.iter().collect()
}

#[test]
fn a_search_that_another_one_has_replaced_is_not_begun() {
    let game = Arc::new(Game::default());
    let stop = StopFlag::new();
    stop.stop();
    let (position, limits) = (game.position().clone(), MateLimits::default());
    let mate = MateJob { number: 0, table_bytes: 1 << 20, position, limits, stop };
    let tasks = [SearchTask::Mate(Box::new(mate))].into_iter();
    let tasks =
        tasks.chain((1..50).flat_map(|number| [SearchTask::NewGame, job(number, &game, true)]));
    let reports = reports(tasks.chain([job(50, &game, false)]));
    let mut done = Vec::new();
    for report in &reports {
        match report {
            SearchReport::Done(number, result) => {
                assert!(result.best.is_some());
                assert_eq!(result.nodes == 0, *number < 50, "{number}");
                done.push(*number);
            }
            SearchReport::Info(number, _) => assert_eq!(*number, 50),
            SearchReport::Mate(0, found) => assert_eq!(found.outcome, MateOutcome::Unknown),
            SearchReport::Cleared => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(done.into_iter().eq(1..=50), "every search is answered");
    assert_eq!(reports.iter().filter(|it| matches!(it, SearchReport::Cleared)).count(), 49);
    assert_eq!(Arc::strong_count(&game), 1);
}

#[test]
fn a_stopped_search_that_nothing_follows_is_answered_by_the_search() {
    let game = Arc::new(Game::default());
    let reports = reports([job(1, &game, true)]);
    let Some(SearchReport::Done(1, result)) = reports.last() else { panic!("{reports:?}") };
    assert!(result.best.is_some() && result.nodes > 0);
}

#[test]
fn clear_tables_are_not_cleared_again() {
    let SearchTask::Search(job) = job(1, &Arc::default(), false) else { panic!() };
    let mut searchers = Searchers::default();
    assert!(!searchers.new_game());
    searchers.prepare(&job.options, Searcher::new);
    assert!(searchers.new_game() && !searchers.new_game());
    searchers.search(&job, |_| {});
    assert!(searchers.new_game() && !searchers.new_game());
}
