mod entering_king;

use super::*;
use crate::search::{PARAMETERS, ParameterKind, Parameters, Preset, SharedEntry, TimeLimit};
use kyomi_shogi::{Move, Position, notation::usi};

fn nodes(count: u64) -> SearchLimits {
    SearchLimits { nodes: Some(count), ..SearchLimits::default() }
}

fn searcher(threads: usize) -> Searcher {
    Searcher::new(SearchOptions { threads, hash_bytes: 4 << 20, ..SearchOptions::default() })
        .unwrap()
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
        let limits = SearchLimits { depth: Some(6), ..SearchLimits::default() };
        let result = searcher.search(&game, &limits, &StopFlag::new(), |_| {});
        (result.best, result.score, result.nodes, result.pv)
    };
    assert_eq!(run(), run());
}

fn search(sfen: &str, limits: &SearchLimits) -> SearchResult {
    let game = Game::new(Position::from_sfen(sfen).unwrap());
    searcher(1).search(&game, limits, &StopFlag::new(), |_| {})
}

/// Whether the side to move can be mated within this number of plies whatever it plays; every move is tried.
fn is_mated_within(position: &mut Position, plies: u32) -> bool {
    let moves = position.legal_moves();
    moves.iter().all(|&mv| {
        plies >= 2 && {
            let undo = position.do_move(mv);
            let mated = mates_within(position, plies - 1);
            position.undo_move(mv, undo);
            mated
        }
    })
}

/// Whether the side to move can mate within this number of plies.
fn mates_within(position: &mut Position, plies: u32) -> bool {
    let moves = position.legal_moves();
    plies >= 1
        && moves.iter().any(|&mv| {
            let undo = position.do_move(mv);
            let mates = is_mated_within(position, plies - 1);
            position.undo_move(mv, undo);
            mates
        })
}

fn with(parameters: &Parameters) -> Searcher {
    let parameters = Arc::new(*parameters);
    Searcher::new(SearchOptions { hash_bytes: 1 << 20, parameters, ..SearchOptions::default() })
        .unwrap()
}

/// Plays random games and verifies every mate that the search reports. Returns the numbers of wins and of losses.
fn claimed_mates(searcher: &mut Searcher, games: usize) -> (usize, usize) {
    let mut random = fastrand::Rng::with_seed(5);
    let mut proven = |game: &Game| {
        searcher.new_game();
        let result = searcher.search(game, &nodes(500), &StopFlag::new(), |_| {});
        let mut position = game.position().clone();
        match result.score {
            Score::Win(Some(plies @ 1..=3)) => {
                assert!(mates_within(&mut position, plies), "{position:?} {result:?}");
                Some(result)
            }
            Score::Loss(Some(plies @ 0..=4)) => {
                assert!(is_mated_within(&mut position, plies), "{position:?} {result:?}");
                Some(result)
            }
            _ => None,
        }
    };
    let (mut given, mut suffered) = (0, 0);
    for _ in 0..games {
        // Random games often reach mates.
        let mut game = Game::default();
        for _ in 0..random.usize(40..160) {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.push(moves[random.usize(..moves.len())]).unwrap();
        }
        let Some(result) = proven(&game) else { continue };
        if result.score.centipawns() < 0 {
            suffered += 1;
            continue;
        }
        given += 1;
        game.push(result.best.unwrap()).unwrap();
        suffered += usize::from(proven(&game).is_some());
    }
    (given, suffered)
}

#[test]
fn claimed_mates_are_mates() {
    let (given, suffered) = claimed_mates(&mut searcher(1), 600);
    assert!(given > 4 && suffered > 8, "{given} {suffered}");
}

#[test]
fn a_move_that_the_mate_search_refutes_is_not_played() {
    let losing = "ln1g4l/6k2/p2pPp1pp/1p7/2r6/4pB3/PP2SP2P/4G1+n2/1+b1GK2NL b G3SNrl6p 67";
    let game = Game::new(Position::from_sfen(losing).unwrap());
    let refuted = usi::parse_move("5g6f").unwrap();
    let best = |mate_nodes: i32, limit: u64| {
        let mut searcher = with(&Parameters { mate_nodes, ..Parameters::default() });
        searcher.search(&game, &nodes(limit), &StopFlag::new(), |_| {}).best
    };
    // Without the mate search the iterations choose the move wherever they are stopped. The mate search refutes it at
    // once.
    let alone: Vec<_> = (2000..8000).step_by(500).map(|limit| best(0, limit)).collect();
    assert!(alone.contains(&Some(refuted)), "{alone:?}");
    let last = alone.iter().rposition(|mv| *mv == Some(refuted)).unwrap();
    let limit = 2000 + 500 * last as u64;
    assert_ne!(best(1_000_000, limit), Some(refuted), "{limit}");
}

#[test]
fn claimed_mates_are_mates_with_any_options() {
    let everything = Parameters {
        null_move: 1,
        penalties: 1,
        target: 100,
        mate_nodes: 1000,
        singular: 1,
        ..Parameters::interest()
    };
    let presets = [Preset::Tournament, Preset::Paper, Preset::Full, Preset::Lmr];
    let presets = presets.map(Parameters::preset);
    let staged = [5, 60].map(|staged| Parameters { staged, ..Parameters::interest() });
    for parameters in presets.into_iter().chain([everything]).chain(staged) {
        // The preset `paper` finds few.
        let games = if parameters.cost == 1 { 600 } else { 120 };
        let (given, suffered) = claimed_mates(&mut with(&parameters), games);
        assert!(given + suffered > 0, "{parameters:?}");
    }
}

#[test]
fn every_setting_searches_and_answers() {
    let line =
        "position sfen +R3g2nl/3g1sk2/5pg2/p3p2P1/1pPn1P2p/P2pP4/6N1P/2KBSGP2/LN5+rL w BSL4Psp 1";
    let games = [usi::parse_position_line(line).unwrap(), Game::default()];
    for parameter in PARAMETERS {
        let values = match parameter.kind {
            ParameterKind::Check => vec!["true".to_owned(), "false".to_owned()],
            ParameterKind::Spin(least, most) => vec![least.to_string(), most.to_string()],
            ParameterKind::Combo(words) => words.iter().map(ToString::to_string).collect(),
        };
        for (value, preset) in values.iter().flat_map(|value| Preset::ALL.map(|p| (value, p))) {
            let mut parameters = Parameters::preset(preset);
            parameters.set(parameter.name, value).unwrap();
            let mut searcher = with(&parameters);
            for game in &games {
                let result = searcher.search(game, &nodes(60), &StopFlag::new(), |_| {});
                let mut line = game.clone();
                assert!(!result.pv.is_empty(), "{} {value}", parameter.name);
                for &mv in &result.pv {
                    line.push(mv).unwrap();
                }
                // After a panic of a thread the number of nodes would be 0.
                assert!(result.nodes > 0, "{} {value}", parameter.name);
            }
        }
    }
}

#[test]
fn a_hanging_piece_is_taken_and_an_attacked_one_saved() {
    // The pawn can capture the rook, and nothing else matters.
    let result = search("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1", &nodes(3000));
    assert_eq!(result.best.unwrap().to_string(), "5f5e");
    // A gold attacked by a pawn goes away.
    let result =
        search("lnsgkgsnl/1r5b1/pppp1pppp/9/4p4/4G4/PPPP1PPPP/1B5R1/LNS1KGSNL b - 1", &nodes(5000));
    let saved = result.best.unwrap();
    assert_eq!(saved.from().map(|from| from.to_string()).as_deref(), Some("5f"), "{result:?}");
}

#[test]
fn a_lost_side_has_no_move_and_a_single_one_is_played() {
    let mated = search("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", &nodes(1000));
    assert_eq!((mated.best, mated.score), (None, Score::Loss(Some(0))));
    // In check with one way out.
    let forced = search("k8/9/1G7/9/9/9/9/9/L3K4 w - 1", &nodes(1000));
    assert!(forced.best.is_some());
}

#[test]
fn an_option_sets_the_value_of_a_draw() {
    let rules =
        crate::search::GameRules { max_moves: Some(1), ..crate::search::GameRules::default() };
    let limits = SearchLimits { rules, ..nodes(2000) };
    for value in [-300, 300] {
        let parameters = Parameters { draw_value: value, ..Parameters::default() };
        // After one more move the game is over, whatever is on the board.
        for sfen in ["4k4/9/9/9/9/9/9/9/4K3R b - 1", "4k3r/9/9/9/9/9/9/9/4K4 b - 1"] {
            let game = Game::new(Position::from_sfen(sfen).unwrap());
            let result = with(&parameters).search(&game, &limits, &StopFlag::new(), |_| {});
            assert_eq!(result.score, Score::Cp(value));
        }
    }
}

#[test]
fn repetition_is_preferred_when_behind() {
    // White is far behind, but its dragon can check without end between two squares. Otherwise black mates.
    let line = "position startpos moves 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h";
    let game = usi::parse_position_line(line).unwrap();
    let result = searcher(1).search(&game, &nodes(20_000), &StopFlag::new(), |_| {});
    // Going back would be a draw, and the value of the start position is about 0.
    assert!(matches!(result.score, Score::Cp(-200..=200)), "{result:?}");
}

/// A value at an end of the range, the default, or any other valid value.
fn any_value(kind: ParameterKind, now: i32, random: &mut fastrand::Rng) -> i32 {
    let (least, most) = match kind {
        ParameterKind::Check => (0, 1),
        ParameterKind::Spin(least, most) => (least, most),
        ParameterKind::Combo(words) => (0, words.len() as i32 - 1),
    };
    match random.u8(..5) {
        0 => least,
        1 => most,
        2 => random.i32(least..=most),
        _ => now,
    }
}

#[test]
fn any_valid_options_can_be_searched_with() {
    let mut random = fastrand::Rng::with_seed(23);
    let positions = crate::search::bench::POSITIONS;
    for round in 0..200 {
        let mut parameters = Parameters::preset(Preset::ALL[random.usize(..Preset::ALL.len())]);
        for parameter in PARAMETERS {
            let value = any_value(parameter.kind, (parameter.read)(&parameters), &mut random);
            (parameter.write)(&mut parameters, value);
        }
        let game = Game::new(Position::from_sfen(positions[round % positions.len()]).unwrap());
        let limits = SearchLimits { depth: Some(random.u32(1..=100)), ..nodes(400) };
        let result = with(&parameters).search(&game, &limits, &StopFlag::new(), |_| {});
        // A search that panicked reports no nodes.
        assert!(result.best.is_some(), "{parameters:?}");
        assert!((1..=400).contains(&result.nodes), "{} {parameters:?}", result.nodes);
    }
}

#[test]
fn extreme_costs_do_not_overflow_and_no_move_of_a_lost_node_is_left_out() {
    let position = Position::from_sfen(
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    );
    let middle = Game::new(position.unwrap());
    let cheap = "Interest_Protected=600 Interest_FirstLimit=2000 Interest_Beyond=1000 Interest_Learned=1000";
    let inherited = "Interest_PlyWeight=1000 Interest_PlyInherit=100 Interest_Protected=600 \
                     Interest_FirstLimit=50 Interest_CrossCharge=77 Penalty_Mode=paper Penalty_Cap=600 Penalty_Weight=depth \
                     Interest_Staged=1000 Interest_RootBest=1000 Interest_Check=0 Interest_FurtherCheck=0 \
                     Interest_Cost=paper Interest_CostK=30000 Interest_CostMax=2000 Penalty_Lambda=0";
    for (game, preset, options, depth) in
        [(&Game::default(), Preset::Paper, cheap, 1), (&middle, Preset::Interest, inherited, 3)]
    {
        let mut parameters = Parameters::preset(preset);
        for option in options.split_whitespace() {
            let (name, value) = option.split_once('=').unwrap();
            parameters.set(name, value).unwrap();
        }
        let limits = SearchLimits { depth: Some(depth), ..nodes(1_000_000) };
        let result = with(&parameters).search(game, &limits, &StopFlag::new(), |_| {});
        // A search that panicked reports no nodes.
        assert!(result.best.is_some() && result.nodes > 0, "{options}");
    }
}

#[test]
fn the_longest_game_is_a_draw() {
    let rules =
        crate::search::GameRules { max_moves: Some(1), ..crate::search::GameRules::default() };
    let limits = SearchLimits { rules, ..nodes(2000) };
    // A rook up, but after one more move the game is over.
    let result = search("4k4/9/9/9/9/9/9/9/4K3R b - 1", &limits);
    assert_eq!(result.score, Score::Cp(0));
}

#[test]
fn several_threads_answer_with_a_legal_line() {
    let mut searcher = searcher(4);
    let mut game = Game::default();
    for _ in 0..6 {
        let result = searcher.search(&game, &nodes(20_000), &StopFlag::new(), |_| {});
        let mut line = game.clone();
        for &mv in &result.pv {
            line.push(mv).unwrap();
        }
        game.push(result.best.unwrap()).unwrap();
    }
}

#[test]
fn every_line_on_the_way_is_legal() {
    let mut lines = 0;
    for sfen in crate::search::bench::POSITIONS {
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        let result = searcher(1).search(&game, &nodes(5000), &StopFlag::new(), |info| {
            lines += 1;
            let mut line = game.clone();
            for &mv in &info.pv {
                line.push(mv).unwrap();
            }
        });
        assert!(result.nodes <= 5000);
        if let (Some(best), Some(ponder)) = (result.best, result.ponder) {
            let mut line = game.clone();
            line.push(best).unwrap();
            line.push(ponder).unwrap();
        }
    }
    // The number of lines depends on the machine, since lines that follow too soon are not sent.
    assert!(lines > 0);
}

#[test]
fn a_held_search_answers_after_stop_only() {
    let mut searcher = searcher(2);
    let game = Game::new(Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap());
    let stop = StopFlag::new();
    let limits = SearchLimits { hold: true, ..SearchLimits::default() };
    // The mate is found at once. The search returns only after the report of that line has stopped it.
    let result = searcher.search(&game, &limits, &stop, |_| stop.stop());
    assert_eq!(result.score, Score::Win(Some(1)));
    assert!(stop.is_stopped());
}

#[test]
fn a_ponder_hit_turns_waiting_into_thinking() {
    use kyomi_shogi::clock::Budget;
    let mut searcher = searcher(1);
    let stop = StopFlag::new();
    let limits = SearchLimits { hold: true, ..SearchLimits::default() };
    let result = searcher.search(&Game::default(), &limits, &stop, |_| {
        let budget = Budget::fixed(Duration::from_millis(1));
        stop.ponder_hit(Some(TimeLimit {
            started: std::time::Instant::now(),
            budget,
            nodes_per_second: None,
        }));
    });
    assert!(result.best.is_some() && !stop.is_stopped());
}

#[test]
fn a_search_stopped_before_it_began_has_a_move() {
    let stop = StopFlag::new();
    stop.stop();
    let result = searcher(1).search(&Game::default(), &SearchLimits::default(), &stop, |_| {});
    assert!(result.best.is_some());
}

#[test]
fn positions_that_no_game_reaches_are_searched_too() {
    use kyomi_shogi::{Color, PieceKind, PositionBuilder, Square};
    let mut searcher = searcher(1);
    let mut random = fastrand::Rng::with_seed(11);
    for round in 0..60 {
        let mut position = Position::startpos();
        for _ in 0..random.usize(20..150) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.do_move(moves[random.usize(..moves.len())]);
        }
        // The wrong side to move, so that a king may be captured, or a missing king.
        let mut builder = PositionBuilder::new();
        for square in Square::all() {
            let piece = position.piece_on(square);
            let king = piece.is_some_and(|piece| piece.kind() == PieceKind::King);
            if let Some(piece) = piece.filter(|piece| {
                !king || round % 3 == 0 || (piece.color() == Color::Black) == (round % 3 == 1)
            }) {
                builder.put(square, piece);
            }
        }
        for color in Color::ALL {
            for (kind, count) in position.hand(color).iter() {
                builder.set_hand(color, kind, count);
            }
        }
        builder.set_side(!position.side_to_move());
        let Ok(position) = builder.build() else { continue };
        let result =
            searcher.search(&Game::new(position.clone()), &nodes(300), &StopFlag::new(), |_| {});
        assert_eq!(result.best.is_some(), position.has_legal_move(), "{position:?}");
        // After a panic of a thread the number of nodes would be 0.
        assert!(result.nodes > 0 || result.best.is_none(), "{position:?}");
    }
}

#[test]
fn only_the_requested_moves_are_searched() {
    let moves: Vec<Move> =
        ["1g1f", "9g9f", "5e5d"].iter().map(|text| usi::parse_move(text).unwrap()).collect();
    let limits = SearchLimits { moves: moves.clone(), ..nodes(3000) };
    let result = searcher(1).search(&Game::default(), &limits, &StopFlag::new(), |_| {});
    assert!(moves[..2].contains(&result.best.unwrap()), "{result:?}");
    // None of them is legal, so all moves are searched.
    let limits = SearchLimits { moves: moves[2..].to_vec(), ..nodes(3000) };
    let result = searcher(1).search(&Game::default(), &limits, &StopFlag::new(), |_| {});
    assert!(Game::default().position().is_legal(result.best.unwrap()));
}

#[test]
fn several_lines_begin_with_different_moves_the_best_first() {
    let limits = SearchLimits { depth: Some(5), lines: 4, ..SearchLimits::default() };
    let mut last: Vec<SearchInfo> = Vec::new();
    let result = searcher(1).search(&Game::default(), &limits, &StopFlag::new(), |info| {
        if info.multipv == Some(1) {
            last.clear();
        }
        last.push(info);
    });
    let numbers: Vec<_> = last.iter().filter_map(|info| info.multipv).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    let scores: Vec<_> = last.iter().map(|info| info.score.unwrap().centipawns()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let mut first: Vec<_> = last.iter().map(|info| info.pv[0]).collect();
    assert_eq!(result.depth, 5);
    first.sort_by_key(|mv| mv.to_bits());
    first.dedup();
    assert_eq!(first.len(), 4);
}

#[test]
fn more_lines_than_moves_are_as_many_as_moves() {
    let game = Game::new(Position::from_sfen("k8/9/1G7/9/9/9/9/9/L3K4 w - 1").unwrap());
    let limits = SearchLimits { depth: Some(3), lines: 9, ..SearchLimits::default() };
    let result = searcher(1).search(&game, &limits, &StopFlag::new(), |_| {});
    assert!(result.best.is_some());
}

#[test]
fn entries_of_another_machine_save_nodes() {
    let games = [
        "7g7f 3c3d 2g2f 8c8d",
        "7g7f 8c8d 7i6h 3c3d",
        "2g2f 3c3d 7g7f 4c4d 3i4h",
        "2g2f 8c8d 2f2e 8d8e 7g7f 4a3b",
        "7g7f 3c3d 6g6f 8c8d 7i6h",
        "7g7f 3c3d 5g5f 5c5d 2h5h",
        "3i4h 3c3d 7g7f 8c8d 2g2f 4c4d",
        "7g7f 3c3d 7f7e 8c8d 2h7h",
    ]
    .map(|moves| usi::parse_position_line(&format!("position startpos moves {moves}")).unwrap());
    let limits = SearchLimits { depth: Some(7), ..SearchLimits::default() };
    let options = || SearchOptions { threads: 1, hash_bytes: 4 << 20, ..SearchOptions::default() };
    let machine = |number: u32, entries: Vec<SharedEntry>| {
        let shared = Arc::new(SharedEntries::default());
        shared.give(number, entries);
        let searcher = Searcher::connected(options(), None, Some(Arc::clone(&shared))).unwrap();
        (searcher, shared)
    };
    let search = |searcher: &mut Searcher, game: &Game| {
        let result = searcher.search(game, &limits, &StopFlag::new(), |_| {});
        assert!(result.best.is_some_and(|mv| game.position().is_legal(mv)));
        result.nodes
    };
    let (mut nodes, mut fewer) = (0, 0);
    for game in &games {
        let (mut alone, shared) = machine(0, Vec::new());
        let taken = search(&mut alone, game);
        assert_eq!(taken, search(&mut searcher(1), game), "sharing alone changes nothing");
        let offered = shared.take_offered();
        assert!(offered.len() > 20, "{}", offered.len());
        let (mut helped, _) = machine(0, offered);
        fewer += search(&mut helped, game);
        nodes += taken;
        // Another machine begins with another limit.
        let (mut other, _) = machine(1, Vec::new());
        assert_ne!(search(&mut other, game), taken);
    }
    // In single positions they may cost nodes.
    assert!(fewer * 20 < nodes * 19, "{fewer} of {nodes} nodes");
}
