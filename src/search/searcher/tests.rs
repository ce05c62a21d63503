use super::*;
use crate::shogi::notation::usi;

fn nodes(count: u64) -> Limits {
    Limits { nodes: Some(count), ..Limits::default() }
}

fn searcher(threads: usize) -> Searcher {
    Searcher::new(SearchOptions { threads, hash_bytes: 4 << 20 }).unwrap()
}

#[test]
fn it_finds_a_move_at_the_start() {
    let mut searcher = searcher(1);
    let game = Game::default();
    let result = searcher.search(&game, &nodes(20_000), &StopFlag::new(), |_| {});
    assert!(game.position().is_legal(result.best.unwrap()));
    assert!(result.nodes <= 20_000 && result.depth >= 3, "{result:?}");
}

#[test]
fn the_same_search_gives_the_same_nodes_twice() {
    let mut searcher = searcher(1);
    let line = "position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e";
    let game = usi::parse_position_line(line).unwrap();
    let mut run = || {
        searcher.new_game();
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let result = searcher.search(&game, &limits, &StopFlag::new(), |_| {});
        (result.best, result.score, result.nodes, result.pv)
    };
    assert_eq!(run(), run());
}
