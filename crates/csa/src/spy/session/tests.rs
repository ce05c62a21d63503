use super::*;

fn options() -> SpyOptions {
    SpyOptions {
        name: "spy".to_owned(),
        password: Secret::new("x"),
        game: None,
        once: false,
        every: Duration::from_secs(20),
    }
}

/// A session that is logged in and has asked for the first list.
fn logged_in(options: SpyOptions) -> (SpySession, Instant) {
    let now = Instant::now();
    let mut session = SpySession::new(options, true, HashSet::new(), now);
    assert_eq!(sent(&session.connected()), ["LOGIN spy x x1"]);
    assert_eq!(lines(&mut session, now, "LOGIN:spy OK\n##[LOGIN] +OK x1"), ["%%LIST"]);
    (session, now)
}

fn sent(actions: &[SpyAction]) -> Vec<String> {
    actions
        .iter()
        .filter_map(|action| match action {
            SpyAction::Send(message) => Some(message.to_line()),
            _ => None,
        })
        .collect()
}

fn all(session: &mut SpySession, now: Instant, text: &str) -> Vec<SpyAction> {
    text.lines().flat_map(|line| session.line(now, &Line::text(line))).collect()
}

fn lines(session: &mut SpySession, now: Instant, text: &str) -> Vec<String> {
    sent(&all(session, now, text))
}

#[test]
fn every_running_game_is_watched_once() {
    let (mut session, now) = logged_in(options());
    let list = "##[LIST] e+x-60-0+a+b+1\n##[LIST] e+x-60-0+c+d+1\n##[LIST] +OK";
    let watch = ["%%MONITOR2ON e+x-60-0+a+b+1", "%%MONITOR2ON e+x-60-0+c+d+1"];
    assert_eq!(lines(&mut session, now, list), watch);
    let later = now + Duration::from_secs(20);
    assert_eq!(session.wake_at(), later);
    assert_eq!(sent(&session.tick(later)), ["%%LIST"]);
    assert_eq!(lines(&mut session, later, list), [""; 0]);
    assert_eq!(session.watched(), 2);
    // A game that is over is not watched again while it is still listed.
    let text = "##[MONITOR2][e+x-60-0+a+b+1] PI\n##[MONITOR2][e+x-60-0+a+b+1] +\n\
        ##[MONITOR2][e+x-60-0+a+b+1] +OK\n##[MONITOR2][e+x-60-0+a+b+1] %TORYO\n\
        ##[MONITOR2][e+x-60-0+a+b+1] +OK";
    let actions = all(&mut session, later, text);
    assert!(matches!(
        actions[..],
        [SpyAction::Update(_, Update::Began(_)), SpyAction::Update(_, Update::Ended(_))]
    ));
    session.tick(later + Duration::from_secs(20));
    assert_eq!(lines(&mut session, later, list), [""; 0]);
    assert_eq!(session.watched(), 1);
}

#[test]
fn only_the_wanted_game_and_only_once() {
    let (mut session, now) = logged_in(SpyOptions { game: Some("b".to_owned()), ..options() });
    let list = "##[LIST] a\n##[LIST] b\n##[LIST] +OK";
    assert_eq!(lines(&mut session, now, list), ["%%MONITOR2ON b"]);
    let (mut session, now) = logged_in(SpyOptions { once: true, ..options() });
    assert_eq!(lines(&mut session, now, "##[LIST] a\n##[LIST] +OK"), ["%%MONITOR2ON a"]);
    session.tick(now + Duration::from_secs(20));
    assert_eq!(lines(&mut session, now, list), [""; 0]);
    assert!(!session.is_open() && !session.watches("b"));
    // After a lost connection the games of before are watched again.
    let known = HashSet::from(["b".to_owned()]);
    let mut session = SpySession::new(options(), false, known, now);
    lines(&mut session, now, "LOGIN:spy OK");
    assert_eq!(lines(&mut session, now, list), ["%%MONITOR2ON b"]);
}

#[test]
fn hostile_lists_are_harmless() {
    let (mut session, now) = logged_in(options());
    let ids: Vec<String> = (0..5000).map(|n| format!("##[LIST] g{n}\n")).collect();
    let mut list = ids.concat();
    list.push_str("##[LIST] \n##[LIST] ../../x\u{1b}[2J\n##[LIST] é\n##[LIST] +OK");
    let sent = lines(&mut session, now, &list);
    assert_eq!(sent.len(), MOST_WATCHED);
    // Games that nobody asked for, and lines without sense.
    for text in [
        "##[MONITOR2][other] PI\n##[MONITOR2][other] +OK",
        "##[MONITOR2] x",
        "##[MONITOR2][",
        "##[MONITOR2][g1]",
        "##[LIST] more",
        "BEGIN Game_Summary",
        "+7776FU,T1",
        "#WIN",
    ] {
        let actions = all(&mut session, now, text);
        assert!(!actions.iter().any(|it| matches!(it, SpyAction::Update(..))), "{text}");
    }
    assert!(matches!(all(&mut session, now, "##[MONITOR2][g1] +OK")[..], [SpyAction::Fault(..)]));
}

#[test]
fn what_others_say_loses_its_control_characters() {
    let (mut session, now) = logged_in(options());
    let actions = all(&mut session, now, "##[CHAT][eve] \u{1b}[31mhello\u{7}");
    let [SpyAction::Said(text)] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(text, "[CHAT] [eve] [31mhello");
}

#[test]
fn a_refused_login_ends_the_session() {
    let now = Instant::now();
    let mut session = SpySession::new(options(), true, HashSet::new(), now);
    session.connected();
    let actions = all(&mut session, now, "LOGIN:incorrect");
    assert!(matches!(actions[..], [SpyAction::Refused(_)]));
    assert!(session.is_dead(now + DEAD_AFTER));
}

#[test]
fn games_of_rshogi_are_watched_one_after_another() {
    let (mut session, now) = logged_in(options());
    let list = "##[LIST] g1 alice bob x 2026-01-01T00:00:00Z\n##[LIST] g2 c d x 2026-01-01T00:00:00Z\n##[LIST] END";
    assert_eq!(lines(&mut session, now, list), ["%%MONITOR2ON g1", "%%MONITOR2ON g2"]);
    let answer = "##[MONITOR2] BEGIN g1\n##[MONITOR2] END\n##[MONITOR2] BUSY g2\n##[MONITOR2] END";
    let actions = all(&mut session, now, answer);
    let [SpyAction::Update(id, Update::Began(record))] = &actions[..] else {
        panic!("{actions:?}")
    };
    assert_eq!((id.as_str(), record.header.black.as_deref()), ("g1", Some("alice")));
    assert_eq!(session.watched(), 1);
    // Chat and clocks between the moves; a move is complete when the next line of the game has come.
    let text =
        "+7776FU,T1\n'** 30 -3334FU\n##[CLOCK] 1 2\n##[CHAT] eve: hi\n-3334FU,T2\n#RESIGN\n#WIN";
    let actions = all(&mut session, now, text);
    let told: Vec<&SpyAction> =
        actions.iter().filter(|it| !matches!(it, SpyAction::Said(_))).collect();
    let [
        SpyAction::Update(_, Update::Move(first)),
        SpyAction::Update(_, Update::Move(_)),
        SpyAction::Update(_, Update::Ended(_)),
        SpyAction::Send(off),
    ] = &told[..]
    else {
        panic!("{told:?}")
    };
    assert!(first.analysis.is_some());
    assert_eq!(off.to_line(), "%%MONITOR2OFF g1");
    // The next list is asked for at once, and the other game is watched with all its moves so far.
    assert_eq!(sent(&session.tick(now)), ["%%LIST"]);
    assert_eq!(lines(&mut session, now, list), ["%%MONITOR2ON g2"]);
    let answer = "##[MONITOR2] BEGIN g2\nBEGIN Game_Summary\nName+:c\nName-:d\nBEGIN Position\nPI\n+\nEND Position\n\
        END Game_Summary\n+2726FU,T3\n-8384FU,T1\n##[MONITOR2] END";
    let actions = all(&mut session, now, answer);
    assert!(matches!(
        actions[..],
        [SpyAction::Update(_, Update::Began(_)), SpyAction::Update(_, Update::Move(_))]
    ));
    // A game that has gone, and one whose moves do not fit the start position.
    assert!(matches!(
        all(&mut session, now, "+2625FU,T1\n+2524FU,T1")[..],
        [.., SpyAction::Fault(..), _]
    ));
    session.tick(now + Duration::from_secs(20));
    lines(&mut session, now, "##[LIST] g3 e f x 2026\n##[LIST] END");
    assert_eq!(lines(&mut session, now, "##[MONITOR2] NOT_FOUND g3\n##[MONITOR2] END"), [""; 0]);
    assert_eq!(session.watched(), 0);
}
