use super::lines::score_text;
use super::*;
use crate::players::{
    Answer, Choice, PlayerCommand, PlayerEvent,
    search_thread::{MateReport, SearchJob},
    testing::found,
};
use kyomi_engine::search::{MateOutcome, Score, SearchInfo, SearchResult};
use kyomi_shogi::{EnteringKingRule, Finding};

mod no_position;
mod stopped_go;

fn shell() -> Shell {
    Shell::new(Settings { resign_moves: 1, ..Settings::default() })
}

/// The lines that the actions write.
fn printed(actions: &[Action]) -> Vec<&str> {
    actions
        .iter()
        .filter_map(
            |action| if let Action::Print(line) = action { Some(line.as_str()) } else { None },
        )
        .collect()
}

fn line(shell: &mut Shell, text: &str) -> Vec<Action> {
    shell.handle(Instant::now(), Input::Line(text.to_owned()))
}

fn work(actions: Vec<Action>) -> SearchJob {
    let mut found = actions.into_iter().filter_map(|action| match action {
        Action::Task(SearchTask::Search(job)) => Some(*job),
        _ => None,
    });
    found.next().unwrap()
}

fn finished(number: u64, result: SearchResult) -> Input {
    Input::Search(SearchReport::Done(number, Box::new(result)))
}

#[test]
fn usi_is_answered_with_name_and_options() {
    let mut shell = shell();
    let actions = line(&mut shell, "usi");
    let lines = printed(&actions);
    assert!(lines[0].starts_with("id name kyomi"));
    assert!(lines.iter().any(|line| line.starts_with("option name USI_Hash type spin")));
    assert_eq!(lines.last(), Some(&"usiok"));
}

#[test]
fn a_search_that_was_dropped_does_not_answer_the_next_go() {
    let mut shell = shell();
    line(&mut shell, "position startpos");
    let first = work(line(&mut shell, "go nodes 10"));
    line(&mut shell, "usinewgame");
    assert!(first.stop.is_stopped());
    line(&mut shell, "position startpos moves 7g7f");
    let second = work(line(&mut shell, "go nodes 10"));
    let stale = shell.handle(Instant::now(), finished(first.number, found("2g2f", Score::Cp(0))));
    assert!(stale.is_empty());
    let fresh = shell.handle(Instant::now(), finished(second.number, found("3c3d", Score::Cp(0))));
    assert_eq!(printed(&fresh).last(), Some(&"bestmove 3c3d"));
    assert!(
        shell
            .handle(Instant::now(), finished(second.number, found("3c3d", Score::Cp(0))))
            .is_empty()
    );
}

#[test]
fn a_ponder_search_takes_the_clocks_of_the_ponder_hit() {
    let mut shell = shell();
    line(&mut shell, "position startpos moves 7g7f 3c3d");
    let work = work(line(&mut shell, "go ponder btime 60000 wtime 60000 byoyomi 0"));
    assert!(work.limits.hold && work.limits.time.is_some());
    line(&mut shell, "ponderhit btime 1000 wtime 60000 byoyomi 0");
    // A second hit changes nothing.
    line(&mut shell, "ponderhit btime 600000 wtime 60000 byoyomi 0");
    let done = shell.handle(Instant::now(), finished(1, found("2g2f", Score::Cp(0))));
    assert_eq!(printed(&done).last(), Some(&"bestmove 2g2f"));
}

#[test]
fn an_entering_king_declares_a_win_and_a_mated_king_resigns() {
    let mut shell = shell();
    line(&mut shell, "position sfen 1KRRBB3/PPPPPPPPP/9/9/9/9/9/9/4k4 b 4G4S 1");
    assert_eq!(printed(&line(&mut shell, "go byoyomi 1000")), ["bestmove win"]);
    line(&mut shell, "setoption name EnteringKingRule value NoEnteringKing");
    line(&mut shell, "setoption name MaxMovesToDraw value 256");
    let rules = work(line(&mut shell, "go byoyomi 1000")).limits.rules;
    assert_eq!((rules.entering_king, rules.max_moves), (EnteringKingRule::None, Some(256)));
    line(&mut shell, "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
    let actions = line(&mut shell, "go btime 0 wtime 0");
    assert_eq!(printed(&actions).last(), Some(&"bestmove resign"));
}

#[test]
fn each_rule_for_entering_kings_is_followed_and_no_other() {
    // 28 points, and a king that can try.
    let declared = "position sfen +P+P+P+PK+B+B+R+R/2+P+P5/9/9/9/9/9/9/4k4 b 2P 1";
    let tried = "position sfen 9/4K4/9/9/9/9/9/8k/9 b - 1";
    for (rule, position, answer) in [
        ("CSARule27", declared, Some("bestmove win")),
        ("CSARule27H", declared, Some("bestmove win")),
        ("CSARule24", declared, None),
        ("CSARule24H", declared, None),
        ("NoEnteringKing", declared, None),
        ("TryRule", declared, None),
        ("TryRule", tried, Some("bestmove 5b5a")),
        ("CSARule27", tried, None),
        // One that is not known is no reason to declare by another.
        ("CSARule28", declared, None),
        ("", declared, None),
    ] {
        let mut shell = shell();
        let actions = line(&mut shell, &format!("setoption name EnteringKingRule value {rule}"));
        let is_known = EnteringKingRule::from_name(rule).is_some();
        assert_eq!(printed(&actions).len(), usize::from(!is_known), "{rule}");
        line(&mut shell, position);
        let actions = line(&mut shell, "go nodes 5");
        assert_eq!(printed(&actions).last().copied(), answer, "{rule} {position}");
    }
}

#[test]
fn scores_at_the_resign_value_resign() {
    let mut shell = shell();
    line(&mut shell, "setoption name ResignValue value 500");
    let go = work(line(&mut shell, "go nodes 5"));
    let done = shell.handle(Instant::now(), finished(go.number, found("2g2f", Score::Cp(-500))));
    assert_eq!(printed(&done).last(), Some(&"bestmove resign"));
    line(&mut shell, "setoption name ResignValue value 32000");
    let go = work(line(&mut shell, "go nodes 5"));
    let done =
        shell.handle(Instant::now(), finished(go.number, found("2g2f", Score::Loss(Some(4)))));
    assert_eq!(printed(&done).last(), Some(&"bestmove 2g2f"));
}

#[test]
fn clocks_that_have_run_out_give_a_zero_budget() {
    let mut shell = shell();
    for go in ["go btime 0 wtime 0 byoyomi 0", "go btime -20 wtime 5000"] {
        let work = work(line(&mut shell, go));
        assert_eq!(work.limits.time.unwrap().budget.hard, Duration::ZERO, "{go}");
        line(&mut shell, "gameover lose");
    }
}

#[test]
fn the_hard_limit_is_less_than_the_remaining_time() {
    let mut shell = shell();
    for (go, most) in [
        ("go btime 60000 wtime 60000", 60_000),
        ("go btime 0 wtime 0 byoyomi 10000", 10_000),
        ("go btime 10000 wtime 10000 binc 10000 winc 10000", 10_000),
        ("go btime 300 wtime 300 binc 5000 winc 5000", 300),
        ("go movetime 777", 778),
    ] {
        let work = work(line(&mut shell, go));
        let budget = work.limits.time.unwrap().budget;
        assert!(budget.hard < Duration::from_millis(most), "{go}: {budget:?}");
        line(&mut shell, "gameover win");
    }
}

#[test]
fn go_without_limits_and_go_infinite_end_only_with_stop() {
    for go in ["go", "go infinite", "go infinite btime 100 wtime 100"] {
        let mut shell = shell();
        let work = work(line(&mut shell, go));
        assert!(work.limits.hold, "{go}");
        line(&mut shell, "stop");
        assert!(work.stop.is_stopped());
    }
}

#[test]
fn checkmate_is_followed_by_the_whole_line() {
    let mut shell = shell();
    line(&mut shell, "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    let mated = |number, outcome| {
        Input::Search(SearchReport::Mate(
            number,
            Box::new(MateReport { outcome, nodes: 7, time: Duration::from_millis(1) }),
        ))
    };
    let mut ask = |go: &str, outcome: MateOutcome| {
        let actions = line(&mut shell, go);
        let [Action::Task(SearchTask::Mate(work))] = &actions[..] else { panic!("{actions:?}") };
        assert_eq!(work.position.to_sfen(), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
        let limits = (work.limits.nodes, work.limits.deadline.is_some());
        let done = shell.handle(Instant::now(), mated(work.number, outcome));
        (limits, printed(&done).join("; "))
    };
    let found = MateOutcome::Mate {
        line: vec![usi::parse_move("G*5b").unwrap()],
        plies: 1,
        shortest: true,
    };
    let expected = "info depth 1 score mate 1 nodes 7 nps 7000 time 1 pv G*5b; checkmate G*5b";
    assert_eq!(ask("go mate 1000", found), ((None, true), expected.to_owned()));
    let (limits, lines) = ask("go mate infinite", MateOutcome::NoMate);
    assert!(limits == (None, false) && lines.ends_with("; checkmate nomate"), "{lines}");
    let (limits, lines) = ask("go mate infinite nodes 50", MateOutcome::Unknown);
    assert!(limits == (Some(50), false) && lines.ends_with("; checkmate timeout"), "{lines}");
}

#[test]
fn a_mate_search_can_be_stopped_and_dropped() {
    let mut shell = shell();
    let begin = |shell: &mut Shell| match line(shell, "go mate infinite").pop() {
        Some(Action::Task(SearchTask::Mate(work))) => *work,
        other => panic!("{other:?}"),
    };
    let work = begin(&mut shell);
    line(&mut shell, "stop");
    assert!(work.stop.is_stopped());
    let again = begin(&mut shell);
    line(&mut shell, "gameover draw");
    assert!(again.stop.is_stopped());
    let mated = MateReport { outcome: MateOutcome::Unknown, nodes: 0, time: Duration::ZERO };
    assert!(
        shell
            .handle(
                Instant::now(),
                Input::Search(SearchReport::Mate(again.number, Box::new(mated)))
            )
            .is_empty()
    );
}

#[test]
fn invalid_lines_are_reported_and_ignored() {
    let mut shell = shell();
    for text in [
        "xyzzy",
        "setoption",
        "setoption name Threads value -1",
        "go ponder fly",
        "position sfen x",
    ] {
        let actions = line(&mut shell, text);
        assert!(printed(&actions)[0].starts_with("info string"), "{text}");
    }
    for text in ["", "   ", "ponderhit", "stop", "stop"] {
        assert!(line(&mut shell, text).is_empty(), "{text}");
    }
    assert_eq!(printed(&line(&mut shell, "gameover draw")).len(), 1, "the stopped `go ponder`");
    assert!(line(&mut shell, "gameover draw").is_empty());
    assert!(matches!(line(&mut shell, "quit")[..], [Action::Quit]));
}

#[test]
fn isready_is_answered_during_an_infinite_search() {
    let mut shell = shell();
    let begun = work(line(&mut shell, "go infinite"));
    let actions = line(&mut shell, "isready");
    assert_eq!(printed(&actions), ["readyok"]);
    assert!(!begun.stop.is_stopped());
    line(&mut shell, "setoption name Threads value 2");
    let actions = line(&mut shell, "isready");
    assert!(
        matches!(&actions[..], [Action::Task(SearchTask::Prepare(options))] if options.threads == 2)
    );
    assert!(begun.stop.is_stopped());
}

#[test]
fn info_lines_have_their_multipv_number_and_info_string() {
    let mut shell = shell();
    line(&mut shell, "setoption name MultiPV value 2");
    line(&mut shell, "position startpos");
    let work = work(line(&mut shell, "go nodes 10 searchmoves 7g7f 2g2f"));
    assert_eq!((work.limits.lines, work.limits.moves.len()), (2, 2));
    let info = SearchInfo {
        depth: 3,
        score: Some(Score::Cp(12)),
        nodes: 9,
        multipv: Some(2),
        pv: vec![usi::parse_move("7g7f").unwrap()],
        text: Some("limit 225".to_owned()),
        ..SearchInfo::default()
    };
    let actions = shell
        .handle(Instant::now(), Input::Search(SearchReport::Info(work.number, Box::new(info))));
    assert_eq!(
        printed(&actions),
        [
            "info string limit 225",
            "info depth 3 multipv 2 score cp 12 nodes 9 nps 0 time 0 pv 7g7f"
        ]
    );
}

#[test]
fn pv_interval_suppresses_whole_iterations() {
    let mut shell = shell();
    line(&mut shell, "setoption name PvInterval value 300");
    line(&mut shell, "position startpos");
    let search = work(line(&mut shell, "go infinite"));
    let begin = Instant::now();
    let mut is_printed = |after_ms, multipv| {
        let info = SearchInfo { multipv, ..SearchInfo::default() };
        let input = Input::Search(SearchReport::Info(search.number, Box::new(info)));
        !shell.handle(begin + Duration::from_millis(after_ms), input).is_empty()
    };
    assert!(is_printed(0, None));
    assert!(!is_printed(299, None));
    assert!(is_printed(300, Some(1)) && is_printed(301, Some(2)) && is_printed(302, Some(3)));
    assert!(!is_printed(599, Some(1)) && !is_printed(601, Some(2)));
    assert!(is_printed(602, Some(1)));
    // The interval does not span two searches. The last line is written with the answer.
    line(&mut shell, "position startpos moves 7g7f");
    let next = work(line(&mut shell, "go nodes 10"));
    let info = |number| Input::Search(SearchReport::Info(number, Box::default()));
    let soon = begin + Duration::from_millis(603);
    assert_eq!(shell.handle(soon, info(next.number)).len(), 1);
    assert_eq!(shell.handle(soon, info(next.number)).len(), 0);
    let done = shell.handle(soon, finished(next.number, found("3c3d", Score::Cp(0))));
    assert_eq!(printed(&done).len(), 2);
}

#[test]
fn delay_and_time_options_change_the_budget() {
    let budget = |options: &[(&str, &str)]| {
        let mut shell = shell();
        for (name, value) in options {
            line(&mut shell, &format!("setoption name {name} value {value}"));
        }
        let go = "go btime 600000 wtime 600000 byoyomi 10000";
        let usual = work(line(&mut shell, go)).limits.time.unwrap().budget;
        let mut shell_in_byoyomi = shell;
        line(&mut shell_in_byoyomi, "gameover lose");
        let go = "go btime 0 wtime 0 byoyomi 10000";
        let last = work(line(&mut shell_in_byoyomi, go)).limits.time.unwrap().budget;
        (usual.soft, last.hard)
    };
    let (soft, hard) = budget(&[]);
    assert_eq!(hard, Duration::from_millis(10_000 - 120 - 30));
    assert_eq!(budget(&[("NetworkDelay2", "1120")]).1, Duration::from_millis(10_000 - 1120 - 30));
    assert_eq!(budget(&[("NetworkDelay", "500")]).1, Duration::from_millis(10_000 - 500 - 30));
    assert!(budget(&[("SlowMover", "300")]).0 > soft * 3 / 2);
    assert!(budget(&[("SlowMover", "30")]).0 < soft);
    let least = Duration::from_secs(17);
    assert_eq!(budget(&[("MinimumThinkingTime", "17000")]).0, least.max(soft));
}

#[test]
fn a_mate_of_unknown_length_is_written_as_a_sign() {
    let texts = [
        (Score::Win(Some(5)), "score mate 5"),
        (Score::Win(None), "score mate +"),
        (Score::Loss(Some(4)), "score mate -4"),
        (Score::Loss(Some(0)), "score mate 0"),
        (Score::Loss(None), "score mate -"),
    ];
    for (score, text) in texts {
        assert_eq!(score_text(score), text);
    }
}

/// A shell that has joined the workers of a room.
fn shell_with_workers() -> Shell {
    let mut shell = shell();
    shell.room_joined(Ok("joined".to_owned()));
    line(&mut shell, "usinewgame");
    line(&mut shell, "position startpos");
    shell
}

/// The commands for the coordinator, in order.
fn coordinator_commands(actions: Vec<Action>) -> Vec<PlayerCommand> {
    actions
        .into_iter()
        .filter_map(|action| {
            if let Action::CommandCoordinator(command) = action { Some(*command) } else { None }
        })
        .collect()
}

/// The request of the last `Think` or `Ponder` for the coordinator.
fn request(actions: Vec<Action>) -> ThinkRequest {
    match coordinator_commands(actions).pop() {
        Some(PlayerCommand::Think(request) | PlayerCommand::Ponder(request)) => request,
        other => panic!("{other:?}"),
    }
}

/// Number and choice of the answer that is reported to the coordinator.
fn reported_answer(actions: &[Action]) -> Option<(u64, Choice)> {
    actions.iter().find_map(|action| match action {
        Action::ReportToCoordinator(PlayerEvent::Answer { id, answer }) => {
            Some((*id, answer.choice))
        }
        _ => None,
    })
}

fn command_engine(shell: &mut Shell, command: PlayerCommand) -> Vec<Action> {
    shell.handle(Instant::now(), Input::CoordinatorCommand(Box::new(command)))
}

fn coordinator_answers(shell: &mut Shell, id: u64, best: &str) -> Vec<Action> {
    let mv = usi::parse_move(best).unwrap();
    let finding = Finding {
        score: Some(Score::Cp(7)),
        pv: vec![mv],
        depth: Some(9),
        nodes: Some(1000),
        from_book: false,
    };
    let answer = Answer { finding, ..Answer::plain(Choice::Move(mv)) };
    shell.handle(Instant::now(), Input::CoordinatorEvent(PlayerEvent::Answer { id, answer }))
}

#[test]
fn with_workers_the_coordinator_answers_and_the_engine_is_its_player() {
    let mut shell = shell_with_workers();
    let request = request(line(&mut shell, "go byoyomi 1000"));
    let id = request.id;
    let job = work(command_engine(&mut shell, PlayerCommand::Think(request.clone())));
    let done = finished(job.number, found("2g2f", Score::Cp(0)));
    let actions = shell.handle(Instant::now(), done);
    assert!(printed(&actions).is_empty(), "the coordinator decides");
    let mv = |text: &str| Choice::Move(usi::parse_move(text).unwrap());
    assert_eq!(reported_answer(&actions), Some((id, mv("2g2f"))));
    // The coordinator first requests a search of another move.
    let mut game = Game::default();
    game.push(usi::parse_move("7g7f").unwrap()).unwrap();
    let limit = Some(crate::players::MoveLimit::Depth(3));
    let check = ThinkRequest { id: u64::MAX, game, limit, ..request };
    let job = work(command_engine(&mut shell, PlayerCommand::Think(check)));
    assert_eq!((job.game.len(), job.limits.depth), (1, Some(3)));
    let done = finished(job.number, found("3c3d", Score::Cp(0)));
    assert_eq!(reported_answer(&shell.handle(Instant::now(), done)), Some((u64::MAX, mv("3c3d"))));
    let actions = coordinator_answers(&mut shell, id, "7g7f");
    let lines = printed(&actions);
    assert!(lines[0].starts_with("info depth 9 score cp 7 nodes 1000"), "{lines:?}");
    assert_eq!(lines[1], "bestmove 7g7f");
    assert!(coordinator_answers(&mut shell, id, "7g7f").is_empty(), "one answer");
}

#[test]
fn with_workers_a_ponder_hit_is_a_new_request() {
    let mut shell = shell_with_workers();
    line(&mut shell, "position startpos moves 7g7f 3c3d");
    let ponder = request(line(&mut shell, "go ponder byoyomi 1000"));
    let job = work(command_engine(&mut shell, PlayerCommand::Ponder(ponder.clone())));
    let hit = request(line(&mut shell, "ponderhit"));
    assert!(hit.id > ponder.id && hit.game.is_same_as(&ponder.game));
    // An older request comes too late.
    assert!(command_engine(&mut shell, PlayerCommand::Ponder(ponder)).is_empty());
    let id = hit.id;
    assert!(command_engine(&mut shell, PlayerCommand::Think(hit)).is_empty(), "its search goes on");
    let done = finished(job.number, found("2g2f", Score::Cp(0)));
    assert_eq!(reported_answer(&shell.handle(Instant::now(), done)).map(|(id, _)| id), Some(id));
    assert_eq!(
        printed(&coordinator_answers(&mut shell, id, "2g2f")).last(),
        Some(&"bestmove 2g2f")
    );
}

#[test]
fn with_workers_a_stopped_ponder_search_answers_at_once() {
    let mut shell = shell_with_workers();
    line(&mut shell, "position startpos moves 7g7f 3c3d");
    let ponder = request(line(&mut shell, "go ponder byoyomi 1000"));
    // `stop` arrives before the request of the coordinator.
    line(&mut shell, "stop");
    let job = work(command_engine(&mut shell, PlayerCommand::Ponder(ponder)));
    assert!(job.stop.is_stopped());
    let done = finished(job.number, found("2g2f", Score::Cp(0)));
    let actions = shell.handle(Instant::now(), done);
    assert_eq!(printed(&actions).last(), Some(&"bestmove 2g2f"));
    assert!(matches!(coordinator_commands(actions)[..], [PlayerCommand::Stop]));
}

#[test]
fn searches_that_cannot_be_distributed_run_locally() {
    let mut shell = shell_with_workers();
    for go in
        ["go infinite", "go", "go mate 100", "go searchmoves 7g7f nodes 9", "go nodes 9 depth 2"]
    {
        let actions = line(&mut shell, go);
        assert!(actions.iter().any(|action| matches!(action, Action::Task(_))), "{go}");
        // Commands about an older search change nothing.
        assert!(command_engine(&mut shell, PlayerCommand::Stop).is_empty());
        assert!(shell.thinker.is_searching(), "{go}");
    }
    line(&mut shell, "setoption name MultiPV value 2");
    work(line(&mut shell, "go nodes 9"));
}

#[test]
fn a_search_continues_locally_when_the_coordinator_ends() {
    let mut shell = shell_with_workers();
    let request = request(line(&mut shell, "go nodes 10"));
    work(command_engine(&mut shell, PlayerCommand::Think(request)));
    // The coordinator of a room that was left long ago.
    assert!(shell.handle(Instant::now(), Input::CoordinatorEnded { join: 1 }).is_empty());
    let job = work(
        shell.handle(Instant::now(), Input::CoordinatorEnded { join: shell.distributed.joins }),
    );
    assert_eq!(job.limits.nodes, Some(10));
    let done = finished(job.number, found("2g2f", Score::Cp(0)));
    assert_eq!(printed(&shell.handle(Instant::now(), done)).last(), Some(&"bestmove 2g2f"));
    work(line(&mut shell, "go nodes 10"));
}

#[cfg(feature = "cluster")]
#[test]
fn isready_joins_the_room() {
    let mut shell = shell();
    line(&mut shell, "setoption name Broker value nats://127.0.0.1:9");
    let joins = |actions: &[Action]| actions.iter().any(|it| matches!(it, Action::Join(..)));
    assert!(joins(&line(&mut shell, "isready")));
    let actions = shell.handle(Instant::now(), Input::Joined(Err("no\u{1b} way".to_owned())));
    assert_eq!(printed(&actions), ["info string no way; playing without workers"]);
    assert!(!joins(&line(&mut shell, "isready")), "once");
    work(line(&mut shell, "go nodes 10"));
    line(&mut shell, "setoption name Room value evening");
    assert!(joins(&line(&mut shell, "isready")));
    shell.handle(Instant::now(), Input::Joined(Ok("joined".to_owned())));
    line(&mut shell, "setoption name Broker value <empty>");
    assert!(line(&mut shell, "isready").iter().any(|it| matches!(it, Action::Leave)));
    work(line(&mut shell, "go nodes 10"));
}
