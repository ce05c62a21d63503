//! Compares the search on real positions with reference implementations: plain minimax, a plain depth-first search with
//! scouts, the value by all score rules, and the search without a table.

use std::sync::{Arc, atomic::AtomicI32};
use std::time::Instant;

use super::*;
use crate::search::kind::Experimental;
use crate::search::{
    GameRules, Parameters, Preset, SearchLimits, StopFlag,
    interest::InterestList,
    job::{Job, ResultSlot},
    node_count::NodeCounter,
    root::NoObserver,
    score_rules::ScoreRules,
    strict_table::StrictTable,
    table::TranspositionTable,
    trace::EvalCutoff,
    value::{INFINITE, MATE_BOUND, is_mate},
};
use kyomi_shogi::{Color, Game, Piece, PieceKind, Position, PositionBuilder, Square};

/// Full width, without rules that make a score depend on the window.
fn plain() -> Parameters {
    Parameters {
        needless_reserve: 0,
        quiescence_delta: 70_000,
        history_malus: 0,
        delayed_loss: 0,
        ..Parameters::preset(Preset::Full)
    }
}

fn worker(parameters: &Parameters, strict: StrictTable) -> Worker<Experimental> {
    let mut worker = Worker::new(
        0,
        Arc::new(TranspositionTable::new(1 << 12, 1)),
        Arc::new(NodeCounter::default()),
        parameters,
    );
    worker.strict = Some(strict);
    worker
}

fn set_up(worker: &mut Worker<Experimental>, position: &Position, limit: i32) {
    let game = Game::new(position.clone());
    worker.set_root(&game, GameRules::default(), StopFlag::new());
    worker.control.limit = limit;
}

/// Positions with few pieces and at most `most` moves, so that a full-width search is short.
fn small_positions(count: usize, most: usize) -> Vec<Position> {
    let mut random = fastrand::Rng::with_seed(17);
    let mut found = Vec::new();
    while found.len() < count {
        let mut builder = PositionBuilder::new();
        let mut free: Vec<Square> = Square::all().collect();
        random.shuffle(&mut free);
        for color in Color::ALL {
            builder.put(free.pop().unwrap(), Piece::new(color, PieceKind::King));
        }
        let kinds = [
            PieceKind::Pawn,
            PieceKind::Knight,
            PieceKind::Silver,
            PieceKind::Gold,
            PieceKind::Rook,
            PieceKind::ProPawn,
        ];
        for _ in 0..random.usize(2..=5) {
            let color = Color::ALL[random.usize(..2)];
            let piece = Piece::new(color, kinds[random.usize(..kinds.len())]);
            builder.put(free.pop().unwrap(), piece);
        }
        builder.set_side(Color::ALL[random.usize(..2)]);
        let Ok(position) = builder.build() else { continue };
        let (us, occupied) = (position.side_to_move(), position.occupied());
        let king = position.king_square(!us).unwrap();
        if !position.is_attacked(king, us, occupied) && position.legal_moves().len() <= most {
            found.push(position);
        }
    }
    found
}

/// The value of a node if position and budgets determine it without its moves.
fn value_without_moves(
    worker: &mut Worker<Experimental>,
    window: Window,
    budgets: Budgets,
    ply: usize,
) -> Option<i32> {
    worker.line.frames[ply].pv.clear();
    if let Some(value) = worker.decided_by_rules(ply) {
        return Some(value.score);
    }
    (budgets.us < 50).then(|| worker.quiescence(window, ply, 0, budgets.us).score)
}

fn after(budgets: Budgets, check: bool) -> Budgets {
    let charge = if check { 50 } else { 100 };
    Budgets { us: budgets.them - charge, them: budgets.us - charge }
}

/// The value by definition: all moves, no window, and the score rules of the parameters.
fn value_by_definition(worker: &mut Worker<Experimental>, budgets: Budgets, ply: usize) -> i32 {
    if let Some(value) = value_without_moves(worker, Window::full(), budgets, ply) {
        return value;
    }
    let (p, key) = (worker.settings.parameters, worker.line.position.key());
    let e = if p.bad_neighbourhood_source != 0 {
        worker.quiescence(Window::full(), ply, 0, 0).score
    } else {
        worker.evaluate()
    };
    let mut all: Vec<i32> = Vec::new();
    for &mv in &worker.line.position.legal_moves() {
        let bonus = ScoreRules::new(&p).bonus(key, mv);
        let check = worker.line.position.gives_check(mv);
        let undo = worker.make(ply, mv);
        let x = -value_by_definition(worker, after(budgets, check), ply + 1);
        worker.line.unmake(mv, undo);
        let banded = (x + bonus).clamp(1 - MATE_BOUND, MATE_BOUND - 1);
        all.push(if is_mate(x) { x } else { banded });
    }
    all.sort_unstable_by_key(|&y| std::cmp::Reverse(y));
    let Some(&best) = all.first() else { return mated_in(ply) };
    if is_mate(best) {
        return best;
    }
    let near = |margin: i32| {
        all[1..].iter().filter(|&&y| y >= best - margin && y > -MATE_BOUND).count() as i32
    };
    let mut s = best - ((-e - p.bad_neighbourhood_from) / 32).clamp(0, p.bad_neighbourhood);
    if budgets.depth() >= 2 {
        s += p.alternatives * near(p.alternatives_margin).min(p.alternatives_most);
        if all.len() > 1 && near(p.single_good_margin.max(p.single_good - 1)) == 0 {
            s -= p.single_good;
        }
    }
    let f = if s < 0 { (s + p.delayed_loss).min(0) } else { s };
    f.clamp(1 - MATE_BOUND, MATE_BOUND - 1)
}

/// A plain depth-first search with scouts.
fn plain_scout(
    worker: &mut Worker<Experimental>,
    alpha: i32,
    beta: i32,
    budgets: Budgets,
    ply: usize,
) -> i32 {
    if let Some(value) = worker.decided_by_rules(ply) {
        return value.score;
    }
    let (alpha, beta) = (alpha.max(mated_in(ply)), beta.min(mates_in(ply + 1)));
    if alpha >= beta {
        return alpha;
    }
    if let Some(value) = value_without_moves(worker, Window::on_pv(alpha, beta), budgets, ply) {
        return value;
    }
    let mut list = InterestList::default();
    let maps = AttackMaps::of(&worker.line.position);
    list.fill(&worker.line.position, &maps, &worker.scoring_context(ply, None, true, budgets));
    for scored in &mut list.moves {
        scored.resolve_exchange(&worker.line.position);
    }
    list.moves.sort_by_key(|scored| (std::cmp::Reverse(scored.interest), scored.mv.to_bits()));
    let mut best = mated_in(ply);
    for (at, scored) in list.moves.iter().enumerate() {
        let (mv, low) = (scored.mv, alpha.max(best));
        let left = after(budgets, worker.line.position.gives_check(mv));
        let undo = worker.make(ply, mv);
        let mut score = low + 1;
        if at > 0 {
            score = -plain_scout(worker, -low - 1, -low, left, ply + 1);
        }
        if score > low && (at == 0 || beta > low + 1) {
            score = -plain_scout(worker, -beta, -low, left, ply + 1);
        }
        worker.line.unmake(mv, undo);
        best = best.max(score);
        if best >= beta {
            if scored.flags.is_quiet() {
                let (last, own) =
                    (worker.line.earlier_move(ply, 1), worker.line.earlier_move(ply, 2));
                let side = worker.line.position.side_to_move();
                worker.knowledge.history.update_after_cut(
                    side,
                    ply,
                    budgets.depth(),
                    mv,
                    &[],
                    last,
                    own,
                );
            }
            break;
        }
    }
    best
}

#[test]
fn full_width_is_a_plain_search_with_scouts_node_for_node() {
    let parameters = Parameters { mate_in_one: 0, penalty_malus: 0, ..plain() };
    let positions = small_positions(30, 40);
    let games = crate::search::bench::POSITIONS[..4].iter();
    let games: Vec<_> = games.map(|sfen| Position::from_sfen(sfen).unwrap()).collect();
    let asked = positions.iter().map(|position| (position, 300));
    for (position, limit) in asked.chain(games.iter().map(|position| (position, 200))) {
        let budgets = Budgets::whole(limit);
        let mut by_hand = worker(&parameters, StrictTable::off());
        set_up(&mut by_hand, position, limit);
        let wanted = plain_scout(&mut by_hand, -INFINITE, INFINITE, budgets, 0);
        let mut searched = worker(&parameters, StrictTable::off());
        set_up(&mut searched, position, limit);
        let found = searched.search(Window::full(), budgets, 0).score;
        assert_eq!(
            (found, searched.control.nodes),
            (wanted, by_hand.control.nodes),
            "{position:?}"
        );
    }
}

#[test]
fn full_width_is_minimax() {
    let mut worker = worker(&plain(), StrictTable::off());
    let mut mates = 0;
    for position in small_positions(40, 45) {
        set_up(&mut worker, &position, 200);
        let budgets = Budgets::whole(200);
        let wanted = value_by_definition(&mut worker, budgets, 0);
        assert_eq!(worker.search(Window::full(), budgets, 0).score, wanted, "{position:?}");
        mates += usize::from(is_mate(wanted));
    }
    assert!(mates < 20, "{mates} of the positions are decided");
}

/// The rules one by one, in pairs, and all of them.
fn rules() -> Vec<Parameters> {
    let switches: [fn(&mut Parameters); 7] = [
        |p| p.delayed_loss = 1,
        |p| p.bad_neighbourhood = 8,
        |p| (p.bad_neighbourhood, p.bad_neighbourhood_source) = (8, 1),
        |p| p.alternatives = 2,
        |p| p.single_good = 5,
        |p| p.random_bonus = 40,
        |p| (p.tie_break, p.eval_noise) = (1, 9),
    ];
    let mut all = Vec::new();
    for (at, first) in switches.iter().enumerate() {
        for second in &switches[at..] {
            let mut p = plain();
            first(&mut p);
            second(&mut p);
            all.push(p);
        }
    }
    let mut everything = plain();
    for switch in switches {
        switch(&mut everything);
    }
    all.push(everything);
    all
}

#[test]
fn values_by_all_rules_are_those_without_windows() {
    let positions = small_positions(36, 30);
    for (at, parameters) in rules().iter().enumerate() {
        let mut worker = worker(parameters, StrictTable::off());
        for position in positions.iter().skip(at % 12).step_by(12) {
            set_up(&mut worker, position, 200);
            let budgets = Budgets::whole(200);
            let wanted = value_by_definition(&mut worker, budgets, 0);
            let mut windows = vec![Window::full()];
            for alpha in [wanted - 30, wanted - 1, wanted, wanted + 7] {
                windows.push(Window::null(alpha));
                windows.push(Window::on_pv(alpha, alpha + 20));
            }
            for window in windows {
                let found = worker.search(window, budgets, 0).score;
                let right = if wanted <= window.alpha {
                    wanted <= found && found <= window.alpha
                } else if wanted >= window.beta {
                    window.beta <= found && found <= wanted
                } else {
                    found == wanted
                };
                assert!(right, "{found} for {wanted} in {window:?}: {position:?} {parameters:?}");
            }
        }
    }
}

/// Score of the root after all iterations up to a depth.
fn at_root(worker: &mut Worker<Experimental>, position: &Position, depth: u32) -> i32 {
    set_up(worker, position, 0);
    let game = Game::new(position.clone());
    let job = Job {
        id: 1,
        game,
        limits: SearchLimits { depth: Some(depth), ..SearchLimits::default() },
        stop: StopFlag::new(),
        stop_others: StopFlag::new(),
        largest_limit: AtomicI32::new(0),
        last_score: None,
        started: Instant::now(),
    };
    worker.think(&job, &ResultSlot::default(), &mut NoObserver).score
}

#[test]
fn the_table_changes_no_score_at_the_root() {
    let rules = rules();
    let mut cuts = 0;
    for (at, position) in small_positions(200, 16).iter().enumerate() {
        let parameters = &rules[at % rules.len()];
        let mut with = worker(parameters, StrictTable::on());
        let mut without = worker(parameters, StrictTable::off());
        let found = at_root(&mut with, position, 3);
        let wanted = at_root(&mut without, position, 3);
        assert_eq!(found, wanted, "{position:?} {parameters:?}");
        cuts += with.strict.unwrap().cuts();
    }
    assert!(cuts > 0, "nothing was tested");
}

/// What null move says about a position whose limit is this far below its evaluation, with these budgets.
fn passed(sfen: &str, below: i32, budgets: i32, parameters: &Parameters) -> (Option<Value>, u64) {
    let mut worker = worker(parameters, StrictTable::off());
    set_up(&mut worker, &Position::from_sfen(sfen).unwrap(), budgets);
    let eval = worker.evaluate();
    let window = Window::null(eval - below - 1);
    let value = worker.cutoff_by_eval(eval, None, window, Budgets::whole(budgets), 0);
    assert!(value.is_none_or(|value| value.score >= window.beta));
    assert!(value.is_none() || matches!(worker.trace.eval_cutoff, EvalCutoff::NullMove));
    (value, worker.control.nodes)
}

#[test]
fn null_move_ends_nodes_that_reach_beta_by_passing() {
    let on = Parameters { static_null: 0, null_move: 1, ..Parameters::interest() };
    let quiet = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let (value, nodes) = passed(quiet, 200, 800, &on);
    assert!(value.is_some() && nodes > 1);
    // Off; below beta; without depth.
    assert_eq!(passed(quiet, 200, 800, &Parameters { null_move: 0, ..on }).0, None);
    assert_eq!(passed(quiet, -1, 800, &on), (None, 0));
    assert_eq!(passed(quiet, 200, 199, &on), (None, 0));
    // A rook takes the bishop after a pass, which is seen without a node.
    let threatened = "4k4/9/9/9/4b4/9/9/9/4R2K1 w - 1";
    assert_eq!(passed(threatened, 200, 800, &on), (None, 0));
    let bold = Parameters { null_move_threat: 70_000, ..on };
    assert!(passed(threatened, 200, 800, &bold).1 > 0);
}
