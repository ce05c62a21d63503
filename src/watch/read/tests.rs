use crate::watch::{Watchers, testing::made};

use super::*;

const AT: Timestamp = Timestamp::UNIX_EPOCH;

fn started() -> Report {
    let control = TimeControl::fischer(Duration::from_secs(60), Duration::from_secs(5));
    let mut game = Game::default();
    game.push(usi::parse_move("7g7f").unwrap()).unwrap();
    Report::GameStarted {
        number: 3,
        game_id: "id".to_owned(),
        names: ["a".to_owned(), "b".to_owned()],
        own: Some(Color::White),
        game: Arc::new(game),
        move_times: vec![Some(Duration::from_secs(12))],
        clocks: *GameClocks::new(Controls::both(control), Color::White).clocks(),
        continued: false,
    }
}

fn moved(ply: u32, word: &str, score: Score) -> Report {
    let Report::GameStarted { mut clocks, .. } = started() else { unreachable!() };
    clocks.black.remaining = Duration::from_millis(51_234);
    let mv = usi::parse_move(word).unwrap();
    let color = if ply.is_multiple_of(2) { Color::White } else { Color::Black };
    let csa = if ply == 2 { "-3334FU" } else { "+2726FU" };
    let analysis =
        Finding { score: Some(score), depth: Some(9), nodes: Some(77), ..Finding::default() };
    let event = MoveEvent {
        word: csa.to_owned(),
        spent: Duration::from_secs(2),
        measured: Duration::from_millis(2150),
        own_turn: (ply == 2).then(OwnTurn::default),
        analysis: Some(analysis),
        ..made(ply, mv, color)
    };
    Report::Moved { number: 3, event: Box::new(event), clocks }
}

fn thinking(side: Color, plies: &[&str]) -> Report {
    let mut game = Game::default();
    for word in plies {
        game.push(usi::parse_move(word).unwrap()).unwrap();
    }
    let info =
        SearchInfo { depth: 4, score: Some(Score::Loss(Some(6))), nps: 5, ..SearchInfo::default() };
    Report::Thinking { color: side, game: Arc::new(game), info: Box::new(info) }
}

fn reports() -> Vec<Report> {
    let end = GameEnd::lost(Color::White, EndReason::TimeUp, Color::White);
    vec![
        Report::Connecting { server: "x:1".to_owned() },
        Report::Waiting { name: "a".to_owned(), pairing: None },
        Report::EngineStarting { player: "a".to_owned() },
        Report::EngineReady { player: "a".to_owned(), engine: "e".to_owned() },
        Report::Warning("w".to_owned()),
        started(),
        thinking(Color::White, &["7g7f"]),
        moved(2, "3c3d", Score::Cp(-30)),
        thinking(Color::White, &["7g7f", "3c3d", "2g2f"]),
        moved(3, "2g2f", Score::Win(None)),
        Report::Disconnected { number: 3, reason: "gone".to_owned() },
        Report::Suspended { number: 3 },
        Report::GameEnded { number: 3, end, record: Some("x.csa".into()) },
        Report::Pausing { pause: Duration::from_secs(9), reason: "r".to_owned() },
    ]
}

#[test]
fn events_are_read_as_the_reports_that_they_were_written_from() {
    let mut reader = EventReader::default();
    for report in reports() {
        let event = event_json(&report, AT);
        let read = reader.read(&event).unwrap_or_else(|| panic!("{event}"));
        assert_eq!(event_json(&read, AT), event);
    }
}

#[test]
fn a_snapshot_leads_to_the_same_game() {
    let watchers = Watchers::new();
    for report in &reports()[..10] {
        watchers.report(report.clone());
    }
    let snapshot = watchers.snapshot();
    let event = attach_json(&snapshot, 2, AT);
    let mut reader = EventReader::default();
    let Some(Report::Snapshot { snapshot: read, missed: 2 }) = reader.read(&event) else {
        panic!("{event}")
    };
    let shown = |snapshot: &Snapshot| {
        let mut event = attach_json(snapshot, 2, AT);
        event["turn_ms"] = Value::Null;
        event
    };
    assert_eq!(shown(&read), shown(&snapshot));
    assert!(read.games[0].turn_began <= Instant::now());
    // It goes on from there.
    assert!(reader.read(&event_json(&reports()[11], AT)).is_some());
}

#[test]
fn what_contradicts_itself_is_left_out() {
    let mut reader = EventReader::default();
    for event in
        [json!({}), json!({ "event": "dance" }), event_json(&moved(2, "3c3d", Score::Cp(0)), AT)]
    {
        assert!(reader.read(&event).is_none(), "{event}");
    }
    reader.read(&event_json(&started(), AT)).unwrap();
    assert!(
        reader.read(&event_json(&moved(3, "2g2f", Score::Cp(0)), AT)).is_none(),
        "not legal now"
    );
    assert!(
        reader
            .read(
                &json!({ "event": "snapshot", "reports": [{ "event": "snapshot", "reports": [] }] })
            )
            .is_some()
    );
}
