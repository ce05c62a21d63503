//! A coordinator with a scripted engine and scripted workers, on virtual time. `false_messages` has the workers that
//! lie, `counts` what is counted of their part.

mod counts;
mod false_messages;

use std::sync::Arc;

use tokio::time::{timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::orders::{RENEW, RESEND};
use super::*;
use crate::cluster::message::{FromWorker, Report, WorkerCard, entries_text, game_of};
use crate::cluster::{NetworkFaults, Subscription, Transport, VirtualNetwork, serve};
use crate::players::{Choice, MoveLimit, PlayerPort, Score};
use kyomi_shogi::clock::{Clocks, Controls, DelayEstimator, DelayPolicy, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, Finding, Move, notation::usi::parse_move};

const NETWORK: NetworkFaults =
    NetworkFaults { latency: Duration::from_millis(1), loss: 0.0, doubled: 0.0, seed: 1 };

/// The checksum of the search of all machines.
const SEARCH: u32 = 9;

/// The coordinator, its engine and its network, all but the first played by the test.
struct Stage {
    owner: PlayerHandle,
    engine: PlayerPort,
    network: VirtualNetwork,
    room: Room,
}

impl Stage {
    fn new() -> Self {
        Self::with(Help::default())
    }

    fn with(help: Help) -> Self {
        let (player, engine) = pair();
        let network = VirtualNetwork::new(NETWORK);
        let room = Room::default();
        let spec = CoordinatorSpec {
            room: room.clone(),
            name: "boss".to_owned(),
            program: "1".to_owned(),
            search: SEARCH,
            threads: 2,
            help,
        };
        let owner = coordinate(player, Arc::new(network.clone()), spec);
        Self { owner, engine, network, room }
    }

    /// In a game, with a worker `a` whose orders are returned, and the request of our first turn.
    async fn in_first_turn() -> (Self, Subscription, ThinkRequest) {
        let mut stage = Self::new();
        stage.begin();
        let orders = stage.worker("a").await;
        stage.think("startpos");
        let request = stage.request().await;
        (stage, orders, request)
    }

    /// Starts a real worker with a scripted engine, which is returned. It ends with the token.
    async fn real_worker(&self) -> (PlayerPort, CancellationToken) {
        let (player, engine) = pair();
        let stop = CancellationToken::new();
        let network = Arc::new(self.network.clone());
        tokio::spawn(serve(network, player, self.room.clone(), card("w", "1"), stop.clone()));
        tokio::time::sleep(Duration::from_millis(10)).await;
        (engine, stop)
    }

    /// A worker that has said who it is, and its orders.
    async fn worker(&self, name: &str) -> Subscription {
        let orders = self.network.subscribe(&self.room.to_worker(name));
        self.say(name, "1");
        tokio::time::sleep(Duration::from_millis(10)).await;
        orders
    }

    fn say(&self, name: &str, program: &str) {
        let card = FromWorker::Here(card(name, program));
        self.network.publish(&self.room.workers(), card.write());
    }

    fn report(&self, worker: &str, job: u64, limit: u32, score: &str, pv: &str) {
        let report = Report {
            worker: worker.to_owned(),
            job,
            limit,
            depth: limit / 100,
            score: Some(score.to_owned()),
            nodes: 1000,
            nps: 1000,
            pv: pv.to_owned(),
        };
        let subject = self.room.to_coordinator("boss");
        self.network.publish(&subject, FromWorker::Found(report).write());
    }

    fn own(&self, limit: u32, score: i32, pv: &str) {
        let info = SearchInfo {
            depth: limit / 100,
            limit,
            score: Some(Score::Cp(score)),
            pv: moves(pv),
            ..SearchInfo::default()
        };
        self.engine.events.send(PlayerEvent::Info { id: 1, info: Box::new(info) });
    }

    fn answer(&self, id: u64, score: i32, pv: &str) {
        self.answer_with(id, Score::Cp(score), pv);
    }

    fn answer_with(&self, id: u64, score: Score, pv: &str) {
        let pv = moves(pv);
        let mut answer = Answer::plain(Choice::Move(pv[0]));
        answer.finding =
            Finding { score: Some(score), pv, depth: Some(8), nodes: Some(100), from_book: false };
        self.engine.events.send(PlayerEvent::Answer { id, answer });
    }

    /// The next request of the engine.
    async fn request(&mut self) -> ThinkRequest {
        loop {
            let wait = timeout(Duration::from_secs(5), self.engine.commands.recv());
            match wait.await.expect("a request").unwrap() {
                PlayerCommand::Think(request) | PlayerCommand::Ponder(request) => return request,
                _ => {}
            }
        }
    }

    async fn choice(&mut self) -> (Choice, Answer) {
        loop {
            let wait = timeout(Duration::from_secs(5), self.owner.event());
            if let PlayerEvent::Answer { id: 1, answer } = wait.await.expect("an answer").unwrap() {
                return (answer.choice, answer);
            }
        }
    }

    /// The next report of the search.
    async fn info(&mut self) -> Box<SearchInfo> {
        loop {
            let wait = timeout(Duration::from_secs(5), self.owner.event());
            if let PlayerEvent::Info { info, .. } = wait.await.expect("a report").unwrap() {
                return info;
            }
        }
    }

    /// Warnings so far.
    async fn warnings(&mut self) -> Vec<String> {
        let mut warnings = Vec::new();
        while let Ok(Some(event)) = timeout(Duration::from_secs(1), self.owner.event()).await {
            if let PlayerEvent::Warning(text) = event {
                warnings.push(text);
            }
        }
        warnings
    }

    fn begin(&self) {
        let info = GameInfo {
            color: Color::Black,
            entering_king: EnteringKingRule::Points27,
            max_moves: None,
        };
        self.owner.send(PlayerCommand::NewGame(info));
    }

    fn think(&self, line: &str) {
        self.owner.send(PlayerCommand::Think(ask(line)));
    }
}

fn card(name: &str, program: &str) -> WorkerCard {
    WorkerCard {
        worker: name.to_owned(),
        name: format!("host {name}"),
        program: program.to_owned(),
        engine: "kyomi".to_owned(),
        interest: true,
        search: SEARCH,
        threads: 1,
        hash: 1,
        nps: 1000,
        busy_for: None,
    }
}

fn ask(line: &str) -> ThinkRequest {
    let game = game_of(line).unwrap();
    let turn = game.position().side_to_move();
    let second = Duration::from_secs(1);
    let controls = Controls::both(TimeControl::byoyomi(Duration::ZERO, second));
    let network = DelayEstimator::new(DelayPolicy::Fixed(Duration::ZERO));
    let clocks = Clocks::new(controls, Duration::ZERO, Duration::ZERO, turn, network);
    ThinkRequest { id: 1, game, clocks, turn_started: std::time::Instant::now(), limit: None }
}

fn moves(line: &str) -> Vec<Move> {
    line.split(' ').map(|word| parse_move(word).unwrap()).collect()
}

/// The job and the position of the next order to search.
async fn order(orders: &mut Subscription) -> (u64, String) {
    loop {
        let message =
            timeout(Duration::from_secs(5), orders.recv()).await.expect("an order").unwrap();
        if let ToWorker::Search { job, position, .. } = ToWorker::read(&message.payload).unwrap() {
            return (job, position);
        }
    }
}

/// Two workers search the start position, in which we find `7g7f`. One of them agrees, the other one finds `2g2f` better,
/// with this score.
async fn with_a_better_move(stage: &mut Stage, score: &str) {
    stage.begin();
    let (mut a, mut b) = (stage.worker("a").await, stage.worker("b").await);
    stage.think("startpos");
    let request = stage.request().await;
    stage.own(600, 30, "7g7f 3c3d");
    let ((of_a, position), (of_b, same)) = (order(&mut a).await, order(&mut b).await);
    assert_eq!([position.as_str(), &same], ["startpos"; 2]);
    stage.report("a", of_a, 600, "cp 20", "7g7f 8c8d");
    stage.report("b", of_b, 700, score, "2g2f 8c8d");
    tokio::time::sleep(Duration::from_millis(20)).await;
    stage.answer(request.id, 30, "7g7f 3c3d");
}

#[tokio::test(start_paused = true)]
async fn a_better_move_is_played_when_our_own_search_confirms_it() {
    let mut stage = Stage::new();
    with_a_better_move(&mut stage, "cp 80").await;
    let check = stage.request().await;
    assert_eq!(check.limit, Some(MoveLimit::Depth(4)));
    assert_eq!(check.game.moves(), moves("2g2f"));
    stage.answer(check.id, -60, "3c3d");
    let (choice, answer) = stage.choice().await;
    assert_eq!(choice, Choice::Move(moves("2g2f")[0]));
    assert_eq!((answer.finding.score, answer.finding.pv.len()), (Some(Score::Cp(80)), 2));
    assert_eq!(answer.finding.nodes, Some(2100), "the nodes of both workers count");
}

#[tokio::test(start_paused = true)]
async fn a_move_that_our_own_search_does_not_confirm_in_time_is_not_played() {
    for says_no in [true, false] {
        let mut stage = Stage::new();
        with_a_better_move(&mut stage, "cp 80").await;
        let check = stage.request().await;
        if says_no {
            stage.answer(check.id, 400, "3c3d");
        }
        let began = Instant::now();
        assert_eq!(stage.choice().await.0, Choice::Move(moves("7g7f")[0]));
        assert!(began.elapsed() <= Help::default().reserve + Duration::from_millis(2));
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_that_was_stopped_before_it_began_confirms_nothing() {
    let mut stage = Stage::new();
    with_a_better_move(&mut stage, "cp 80").await;
    let check = stage.request().await;
    // The host wants its move now: the search has the score of the bare position.
    let choice = Choice::Move(moves("3c3d")[0]);
    let finding = Finding { score: Some(Score::Cp(-60)), depth: Some(0), ..Finding::default() };
    let answer = Answer { finding, ..Answer::plain(choice) };
    stage.engine.events.send(PlayerEvent::Answer { id: check.id, answer });
    assert_eq!(stage.choice().await.0, Choice::Move(moves("7g7f")[0]));
}

#[tokio::test(start_paused = true)]
async fn workers_go_on_after_our_move_although_the_player_is_stopped() {
    let (mut stage, mut orders, request) = Stage::in_first_turn().await;
    let (job, _) = order(&mut orders).await;
    stage.report("a", job, 0, "cp 0", "");
    stage.answer(request.id, 30, "7g7f");
    stage.choice().await;
    // Who plays with several engines stops all of them when one has answered.
    stage.owner.send(PlayerCommand::Stop);
    let next = timeout(Duration::from_millis(900), orders.recv()).await;
    assert!(next.is_err(), "{next:?}");
    // Without pondering they are free after a second.
    let next = timeout(Duration::from_millis(200), orders.recv()).await.expect("a word").unwrap();
    let stop = ToWorker::Stop { coordinator: "boss".to_owned(), job };
    assert_eq!(ToWorker::read(&next.payload), Ok(stop));
}

#[tokio::test(start_paused = true)]
async fn a_game_longer_than_a_message_may_hold_is_played_without_orders() {
    let (mut stage, mut orders, request) = Stage::in_first_turn().await;
    let (job, _) = order(&mut orders).await;
    stage.answer(request.id, 30, "7g7f");
    stage.choice().await;
    let mut longest = format!("startpos moves{}", " 2h3h 8b7b 3h2h 7b8b".repeat(1024));
    let mut long = ask(&longest);
    stage.owner.send(PlayerCommand::Think(long.clone()));
    let request = stage.request().await;
    while order(&mut orders).await.1 != longest {}
    stage.answer(request.id, 30, "2h3h");
    stage.choice().await;
    long.game.push(moves("2h3h")[0]).unwrap();
    longest.push_str(" 2h3h");
    stage.owner.send(PlayerCommand::Think(long));
    let request = stage.request().await;
    let mut words = Vec::new();
    while let Ok(Some(message)) = timeout(2 * TICK, orders.recv()).await {
        words.push(ToWorker::read(&message.payload).expect("a message that can be read"));
    }
    assert!(words.iter().all(|it| matches!(it, ToWorker::Stop { .. })), "{job}: {words:?}");
    assert!(stage.warnings().await.is_empty());
    stage.answer(request.id, 30, "8b7b");
    assert_eq!(stage.choice().await.0, Choice::Move(moves("8b7b")[0]));
}

#[tokio::test(start_paused = true)]
async fn a_real_worker_helps_in_each_turn_however_long_the_opponent_thinks() {
    let mut stage = Stage::new();
    let (_engine, stop) = stage.real_worker().await;
    stage.begin();
    for (line, mv) in [
        ("startpos", "7g7f"),
        ("startpos moves 7g7f 3c3d", "2g2f"),
        ("startpos moves 7g7f 3c3d 2g2f 8c8d", "2f2e"),
    ] {
        stage.think(line);
        let request = stage.request().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        stage.own(500, 20, mv);
        assert_eq!(stage.info().await.workers, 1, "{line}");
        stage.answer(request.id, 20, mv);
        stage.choice().await;
        // Longer than the workers are kept without pondering.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn nobody_votes_while_the_expected_reply_repeats_the_position() {
    let mut stage = Stage::new();
    stage.begin();
    let mut orders = stage.worker("a").await;
    stage.owner.send(PlayerCommand::Ponder(ask("startpos moves 2h3h 8b7b 3h2h 7b8b")));
    stage.request().await;
    stage.own(600, 30, "7g7f 3c3d");
    let next = timeout(Duration::from_secs(2), order(&mut orders)).await;
    assert!(next.is_err(), "{next:?}");
}

#[tokio::test(start_paused = true)]
async fn without_workers_it_is_the_player_alone() {
    let mut stage = Stage::new();
    stage.begin();
    stage.think("startpos");
    let request = stage.request().await;
    assert_eq!(request.clocks.network.bound(), Duration::ZERO, "no time is kept for a check");
    // The move came up after the last exact line.
    stage.own(600, 20, "2g2f 8c8d");
    stage.answer(request.id, 30, "7g7f");
    assert_eq!(stage.choice().await.0, Choice::Move(moves("7g7f")[0]));
}

#[tokio::test(start_paused = true)]
async fn workers_search_what_we_search_and_go_on_after_the_expected_reply() {
    let mut stage = Stage::new();
    stage.begin();
    let names = ["a", "b", "c"];
    let mut all = Vec::new();
    for name in names {
        all.push(stage.worker(name).await);
    }
    let expected = "startpos moves 7g7f 3c3d";
    stage.owner.send(PlayerCommand::Ponder(ask(expected)));
    stage.request().await;
    for (orders, name) in all.iter_mut().zip(names) {
        let (job, position) = order(orders).await;
        assert_eq!(position, expected);
        stage.report(name, job, 900, "cp 80", "2g2f 8c8d");
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    stage.think(expected);
    let request = stage.request().await;
    for orders in &mut all {
        let next = timeout(4 * TICK, order(orders)).await;
        assert!(next.is_err(), "the worker stays where it is: {next:?}");
    }
    let mut late = stage.worker("d").await;
    assert_eq!(order(&mut late).await.1, expected);
    // What they found while we pondered counts as votes.
    stage.own(700, 60, "6i7h 8c8d");
    stage.answer(request.id, 60, "6i7h");
    let check = stage.request().await;
    stage.answer(check.id, -70, "8c8d");
    assert_eq!(stage.choice().await.0, Choice::Move(moves("2g2f")[0]));
    // After another reply than the expected one all of them search the new position.
    stage.owner.send(PlayerCommand::Ponder(ask("startpos moves 7g7f 3c3d 2g2f 8c8d")));
    stage.request().await;
    let played = "startpos moves 7g7f 3c3d 2g2f 4c4d";
    stage.think(played);
    stage.request().await;
    for orders in all.iter_mut().chain([&mut late]) {
        while order(orders).await.1 != played {}
    }
}

#[tokio::test(start_paused = true)]
async fn an_order_that_is_not_confirmed_is_sent_again() {
    let (stage, mut orders, _) = Stage::in_first_turn().await;
    let began = Instant::now();
    let first = order(&mut orders).await;
    assert_eq!(order(&mut orders).await, first);
    assert!(began.elapsed() >= RESEND);
    stage.report("a", first.0, 0, "cp 0", "");
    while timeout(RENEW / 2, order(&mut orders)).await.is_ok() {
        // Copies that were under way.
    }
    assert_eq!(order(&mut orders).await, first, "the lease is renewed");
}

/// The text of entries that a search offers, with this key.
fn entries(key: u8) -> (Vec<SharedEntry>, String) {
    let mut bytes = [key; SharedEntry::BYTES];
    bytes[SharedEntry::BYTES - 1] = 2;
    let entries = vec![SharedEntry::from_bytes(bytes).unwrap()];
    let text = entries_text(&entries);
    (entries, text)
}

/// The game and the entries of the next order that has some; `None` if there is none soon.
async fn entries_ordered(orders: &mut Subscription) -> Option<(u64, String)> {
    let until = Instant::now() + 5 * TICK;
    while let Ok(Some(message)) = timeout_at(until, orders.recv()).await {
        if let ToWorker::Entries { game, entries, .. } = ToWorker::read(&message.payload).unwrap() {
            return Some((game, entries));
        }
    }
    None
}

#[tokio::test(start_paused = true)]
async fn machines_exchange_entries_of_their_tables() {
    let mut stage = Stage::new();
    stage.begin();
    let (mut of_a, mut of_b) = (stage.worker("a").await, stage.worker("b").await);
    stage.think("startpos");
    stage.request().await;
    let (job, _) = order(&mut of_a).await;
    // Our own search offers some: every worker gets them.
    let (own, text) = entries(1);
    stage.engine.events.send(PlayerEvent::Entries(own));
    let (game, to_a) = entries_ordered(&mut of_a).await.unwrap();
    assert_eq!((game, to_a), entries_ordered(&mut of_b).await.unwrap());
    assert_eq!(entries_ordered(&mut of_a).await, None);
    // A worker offers some: our own search and the other worker get them, not those of another game or job.
    let (found, found_text) = entries(2);
    for (game, job, entries) in
        [(game ^ 1, job, &text), (game, job + 1000, &text), (game, job, &found_text)]
    {
        let (worker, entries) = ("a".to_owned(), entries.clone());
        let message = FromWorker::Entries { worker, job, game, entries }.write();
        stage.network.publish(&stage.room.to_coordinator("boss"), message);
    }
    assert_eq!(entries_ordered(&mut of_b).await, Some((game, found_text)));
    assert_eq!(entries_ordered(&mut of_a).await, None, "not its own");
    let mut received = Vec::new();
    while let Ok(command) = stage.engine.commands.try_recv() {
        if let PlayerCommand::ShareEntries { first_thread, entries } = command {
            assert_eq!(first_thread, 0);
            received.extend(entries);
        }
    }
    assert_eq!(received, found);
}

#[tokio::test(start_paused = true)]
async fn without_sharing_no_entries_are_exchanged() {
    let mut stage = Stage::with(Help { share: false, ..Help::default() });
    stage.begin();
    let mut orders = stage.worker("a").await;
    stage.think("startpos");
    stage.request().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    while let Ok(command) = stage.engine.commands.try_recv() {
        assert!(!matches!(command, PlayerCommand::ShareEntries { .. }));
    }
    let message = orders.recv().await.unwrap();
    let order = ToWorker::read(&message.payload).unwrap();
    assert!(matches!(order, ToWorker::Search { share: None, .. }), "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn a_worker_with_another_engine_gets_no_work() {
    let mut stage = Stage::new();
    stage.begin();
    let mut orders = stage.network.subscribe(&stage.room.to_worker("u"));
    let card = WorkerCard { engine: "other".to_owned(), interest: false, ..card("u", "1") };
    stage.network.publish(&stage.room.workers(), FromWorker::Here(card).write());
    let warnings = stage.warnings().await;
    assert!(warnings.len() == 1 && warnings[0].contains("its engine other"), "{warnings:?}");
    stage.owner.send(PlayerCommand::Ponder(ask("startpos moves 7g7f 3c3d")));
    assert!(timeout(Duration::from_secs(2), order(&mut orders)).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_mate_that_others_have_seen_is_recorded_as_our_own_search_sees_it() {
    for (checked, recorded) in [
        (Score::Loss(Some(4)), Score::Win(Some(5))),
        (Score::Loss(None), Score::Win(None)),
        (Score::Cp(-31_985), Score::Cp(31_985)),
    ] {
        let mut stage = Stage::new();
        with_a_better_move(&mut stage, "mate 7").await;
        let check = stage.request().await;
        stage.answer_with(check.id, checked, "3c3d");
        assert_eq!(stage.choice().await.1.finding.score, Some(recorded));
    }
}

#[tokio::test(start_paused = true)]
async fn a_network_that_is_cut_costs_no_time() {
    let (mut stage, _orders, request) = Stage::in_first_turn().await;
    stage.network.set_connected(false);
    tokio::time::sleep(Duration::from_secs(20)).await;
    let began = Instant::now();
    stage.answer(request.id, 30, "7g7f");
    assert_eq!(stage.choice().await.0, Choice::Move(moves("7g7f")[0]));
    assert_eq!(began.elapsed(), Duration::ZERO);
    let warnings = stage.warnings().await;
    assert!(warnings.len() <= 1, "{warnings:?}");
    stage.network.set_connected(true);
    let mut orders = stage.worker("a").await;
    stage.think("startpos moves 7g7f 3c3d");
    stage.request().await;
    order(&mut orders).await;
}
