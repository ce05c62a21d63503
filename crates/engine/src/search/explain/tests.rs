use super::*;
use crate::eval::Evaluation;
use crate::search::bench::POSITIONS;
use crate::search::{Preset, Score, SearchOptions, Searcher};
use kyomi_shogi::{Position, notation::usi::parse_move};

fn request(nodes: u64) -> ExplainRequest {
    ExplainRequest {
        limits: SearchLimits { nodes: Some(nodes), ..SearchLimits::default() },
        parameters: Parameters::interest(),
        evaluation: Evaluation::builtin(),
        hash_bytes: 4 << 20,
        node: None,
    }
}

fn game(sfen: &str) -> Game {
    Game::new(Position::from_sfen(sfen).unwrap())
}

fn with(request: ExplainRequest, name: &str, value: &str) -> ExplainRequest {
    let mut request = request;
    request.parameters.set(name, value).unwrap();
    request
}

fn moves(text: &str) -> Vec<Move> {
    text.split(' ').map(|word| parse_move(word).unwrap()).collect()
}

/// Asserts that the shown data of each move add up to the values that the search used.
fn assert_sums(node: &NodeView) {
    for view in &node.moves {
        let sum: i32 = view.parts.iter().map(|part| view.amount(part)).sum();
        assert_eq!(sum, view.interest, "{}", view.mv);
        assert!(view.effective <= view.interest || view.cost.cost != view.cost.taken);
        if let (MoveStatus::Searched(_), Some(run)) = (view.status, view.runs.last()) {
            assert!(!run.steps.is_empty(), "{}", view.mv);
            assert_eq!(run.steps[0].charge, run.charge);
        }
    }
    let ranks: Vec<_> = node.moves.iter().map(|view| view.rank).collect();
    assert_eq!(ranks, (1..=node.moves.len()).collect::<Vec<_>>());
}

#[test]
fn the_search_that_is_explained_is_the_one_that_plays() {
    for preset in [Preset::Interest, Preset::Full] {
        let asked = ExplainRequest { parameters: Parameters::preset(preset), ..request(6000) };
        for sfen in &POSITIONS[6..9] {
            let game = game(sfen);
            let shown = explain(&game, &asked).unwrap().search;
            let options = SearchOptions {
                hash_bytes: asked.hash_bytes,
                parameters: asked.parameters.into(),
                ..SearchOptions::default()
            };
            let mut searcher = Searcher::new(options).unwrap();
            let played = searcher.search(&game, &asked.limits, &StopFlag::new(), |_| {});
            assert_eq!(
                (shown.nodes, shown.score, shown.pv),
                (played.nodes, played.score, played.pv)
            );
        }
    }
}

#[test]
fn every_root_move_is_shown_with_the_cost_that_was_used() {
    for preset in [Preset::Interest, Preset::Paper, Preset::Full] {
        let asked = ExplainRequest { parameters: Parameters::preset(preset), ..request(8000) };
        for sfen in [POSITIONS[4], POSITIONS[10], POSITIONS[12]] {
            let shown = explain(&game(sfen), &asked).unwrap();
            let node = &shown.node;
            assert_sums(node);
            assert_eq!(node.moves.len(), node.position.count_legal_moves());
            let best = &node.moves[0];
            if let Some(last) = shown.search.limits.last() {
                assert_eq!(Some(&best.mv), shown.search.pv.first());
                assert_eq!(node.limit, *last);
                for view in
                    node.moves.iter().filter(|view| view.status == MoveStatus::Searched(None))
                {
                    assert!(view.result().is_some());
                    let complete = view.runs.iter().rfind(|run| run.complete).unwrap();
                    // By the interest that is shown, including the cap of the root.
                    let cap = node.formula.cap.unwrap_or(i32::MAX);
                    if node.formula.kind != CostFormulaKind::Plain {
                        assert_eq!(view.cost.cost.min(cap), complete.cost, "{}", view.mv);
                    }
                    assert_eq!((view.cost.taken, complete.limit), (complete.cost, *last));
                }
            }
        }
    }
}

#[test]
fn an_inner_node_shows_which_moves_are_affordable() {
    let line = moves("7g7f 3c3d");
    let node = InnerNode { line, budgets: Some((300, 300)), pv: false };
    let shown = explain(
        &Game::new(Position::startpos()),
        &ExplainRequest { node: Some(node), ..request(8000) },
    );
    let node = shown.unwrap().node;
    assert_sums(&node);
    assert_eq!((node.budgets, node.line.len(), node.moves.len()), ((300, 300), 2, 39));
    let count = |wanted: fn(MoveStatus) -> bool| {
        node.moves.iter().filter(move |m| wanted(m.status)).count()
    };
    let searched = count(|status| matches!(status, MoveStatus::Searched(_)));
    assert!((1..39).contains(&searched));
    assert_eq!(count(|status| status == MoveStatus::NeedlessNonPromotion), 2);
    for view in &node.moves {
        match (view.status, view.runs.last()) {
            (MoveStatus::Searched(None), Some(run)) => {
                assert!(run.cost + run.sibling_surcharge <= 300);
            }
            (MoveStatus::Searched(Some(_)), Some(run)) => {
                assert!(run.cost + run.sibling_surcharge > 300);
            }
            (MoveStatus::Unaffordable { sibling_surcharge }, None) => {
                assert!(view.cost.taken + sibling_surcharge > 300, "{}", view.mv);
            }
            (_, None) => {}
            other => panic!("{}: {other:?}", view.mv),
        }
    }
}

#[test]
fn an_inner_node_has_the_budgets_that_its_line_leaves() {
    let node = InnerNode { line: moves("7g7f 3c3d"), ..InnerNode::default() };
    let shown = explain(
        &Game::new(Position::startpos()),
        &ExplainRequest { node: Some(node), ..request(8000) },
    );
    let shown = shown.unwrap();
    let limit = *shown.search.limits.last().unwrap();
    let (us, them) = shown.node.budgets;
    assert!(us < limit && them < limit, "{us} {them} of {limit}");
}

#[test]
fn proofs_of_the_mate_search_are_shown() {
    let asked = request(10_000);
    // Black mates in nine, which the iterations have not seen yet.
    let won = "l6nl/7k1/p1n2S3/2ppS1Gps/P8/1pnK5/3PP4/1PG1G2b1/LN5sL b R4Prbg5p 133";
    let shown = explain(&game(won), &asked).unwrap();
    assert!(shown.search.best_proven && !shown.search.best_unfinished);
    assert!(matches!(shown.search.score, Score::Win(Some(5..))), "{:?}", shown.search.score);
    assert_eq!(shown.node.moves[0].status, MoveStatus::Proven(shown.search.score));
    assert_eq!(Some(&shown.node.moves[0].mv), shown.search.pv.first());
    // The best move at first gets black mated; it is given up, and nothing of it is searched after that.
    let lost = "ln1g4l/6k2/p2pPp1pp/1p7/2r6/4pB3/PP2SP2P/4G1+n2/1+b1GK2NL b G3SNrl6p 67";
    let shown = explain(&game(lost), &asked).unwrap();
    assert!(!shown.search.best_proven);
    let last = shown.node.moves.last().unwrap();
    assert!(matches!(last.status, MoveStatus::Proven(Score::Loss(Some(4..)))), "{:?}", last.status);
    assert_ne!(Some(&last.mv), shown.search.pv.first());
    assert!(!last.runs.is_empty() && last.runs.iter().all(|run| !run.steps.is_empty()));
    assert_sums(&shown.node);
}

#[test]
fn a_leaf_and_a_node_of_the_principal_variation_differ() {
    let start = Game::new(Position::startpos());
    let ask = |budgets, pv| {
        let node = InnerNode { line: moves("7g7f"), budgets: Some(budgets), pv };
        explain(&start, &ExplainRequest { node: Some(node), ..request(4000) }).unwrap().node
    };
    let leaf = ask((62, 400), false);
    assert!(leaf.early.iter().any(|(early, _)| *early == EarlyCutoff::Leaf));
    assert!(leaf.moves.iter().all(|view| view.runs.is_empty()));
    let principal = ask((66, 400), true);
    let protected =
        |view: &&MoveView| view.status == MoveStatus::Searched(Some(Protection::Principal));
    assert!(principal.moves.iter().any(|view| protected(&view)));
    assert!(principal.score.is_some_and(|(_, bound)| bound == crate::search::Bound::Exact));
}

#[test]
fn plausible_moves_that_are_dropped_are_in_the_reserve() {
    let node = InnerNode { line: moves("7g7f"), budgets: Some((300, 300)), pv: false };
    let asked = with(ExplainRequest { node: Some(node), ..request(4000) }, "Plausible_Mode", "mma");
    let shown = explain(&Game::new(Position::startpos()), &asked).unwrap().node;
    let dropped = shown.moves.iter().filter(|view| view.status == MoveStatus::Implausible);
    assert!(dropped.clone().count() > 0);
    assert!(dropped.clone().all(|view| view.generators.is_empty() || view.merit < 0));
}

#[test]
fn evasions_and_single_moves_are_shown() {
    let check = "4k4/9/9/9/4r4/9/9/9/4K4 b P 1";
    let shown = explain(&game(check), &request(2000)).unwrap();
    assert_sums(&shown.node);
    assert!(shown.node.eval.is_none());
    assert!(
        shown.node.moves.iter().all(|view| {
            view.parts.iter().any(|part| part.term == crate::search::Term::InCheck)
        })
    );
    let shown = explain(&game("8k/9/9/9/9/9/9/7r1/8K b - 1"), &request(500)).unwrap();
    assert_eq!((shown.node.moves.len(), shown.node.moves[0].rank), (1, 1));
}

#[test]
fn positions_that_cannot_be_explained_are_errors() {
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    let error = explain(&game(mated), &request(100)).unwrap_err();
    assert_eq!(error.to_string(), "white has no legal move: there is nothing to explain");
    let node = InnerNode { line: moves("7g7f 7g7f"), ..InnerNode::default() };
    let asked = ExplainRequest { node: Some(node), ..request(100) };
    let error = explain(&Game::new(Position::startpos()), &asked).unwrap_err();
    assert_eq!(error.to_string(), "move 2 of the line, 7g7f, is not legal there");
}

#[test]
fn a_mate_is_counted_from_the_node() {
    // Gold drops mate.
    let node = InnerNode { line: moves("1i1h 9a9b"), budgets: Some((300, 300)), pv: true };
    let mate = "k8/9/1GP6/9/9/9/9/9/8K b G 1";
    let shown = explain(&game(mate), &ExplainRequest { node: Some(node), ..request(2000) });
    if let Ok(shown) = shown
        && let Some((Score::Win(Some(plies)), _)) = shown.node.score
    {
        assert!((1..10).contains(&plies), "{plies}");
    }
}

#[test]
fn line_at_stop_is_the_line_that_was_being_searched() {
    let start = Game::new(Position::startpos());
    let parameters = Parameters::interest();
    let mut longest = 0;
    for nodes in [700, 1500, 2900] {
        let line = line_at_stop(&start, &parameters, nodes);
        longest = longest.max(line.len());
        assert_eq!(line, line_at_stop(&start, &parameters, nodes));
        let mut game = start.clone();
        for mv in line {
            game.push(mv).unwrap();
        }
    }
    assert!(longest > 1, "{longest}");
    // Mate in one: the search ends without reaching a limit.
    assert_eq!(line_at_stop(&game("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), &parameters, 90_000), []);
}

#[test]
fn a_search_that_is_stopped_at_once_is_explained_as_far_as_it_went() {
    let stop = StopFlag::new();
    stop.stop();
    let game = Game::new(Position::startpos());
    let found = explain_until(&game, &request(u64::MAX), &stop).unwrap();
    assert!(found.search.nodes < 1000, "{}", found.search.nodes);
    let node = InnerNode { line: vec![found.node.moves[0].mv], budgets: None, pv: true };
    explain_until(&game, &ExplainRequest { node: Some(node), ..request(u64::MAX) }, &stop).unwrap();
}
