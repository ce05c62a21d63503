use super::*;

/// The lines of an answer without its prefix and its `+OK`.
fn answer(lines: &[String], topic: &str) -> Vec<String> {
    assert_eq!(lines.last().unwrap(), &format!("##[{topic}] +OK"), "{lines:?}");
    let prefix = format!("##[{topic}] ");
    lines[..lines.len() - 1]
        .iter()
        .map(|line| line.strip_prefix(&prefix).unwrap().to_owned())
        .collect()
}

/// Black is 1, white is 2, both in extended mode, and their game has begun. Returns its id.
fn begin(harness: &mut Harness) -> String {
    harness.login(1, "black", "a x1");
    harness.login(2, "white", "b x1");
    assert_eq!(harness.send(1, "%%GAME x-60-10F +"), [""; 0]);
    agree(harness)
}

/// White asks for the game that black waits for, and both agree.
fn agree(harness: &mut Harness) -> String {
    let offer = harness.send(2, "%%GAME x-60-10F *");
    assert_eq!(value(&offer, "Your_Turn"), "-");
    let id = value(&offer, "Game_ID").to_owned();
    harness.send(1, "AGREE");
    harness.send(2, &format!("AGREE {id}"));
    assert_eq!(harness.received(1).last().unwrap(), &format!("START:{id}"));
    id
}

#[test]
fn one_login_is_enough_for_many_games() {
    let mut harness = Harness::new(close());
    assert_eq!(harness.login(1, "black", "a x1"), ["LOGIN:black OK", "##[LOGIN] +OK x1"]);
    harness.login(2, "white", "b x1");
    for _ in 0..3 {
        // Nobody is paired without a wish.
        harness.wait(100);
        assert_eq!(harness.received(1), [""; 0]);
        harness.send(1, "%%GAME x-60-10F +");
        agree(&mut harness);
        assert_eq!(harness.send(1, "%TORYO"), ["%TORYO", "#RESIGN", "#LOSE"]);
        harness.received(2);
        // A line that comes late changes nothing.
        assert_eq!(harness.send(2, "-3334FU"), [""; 0]);
    }
    assert_eq!(harness.closed, [0; 0]);
    assert_eq!(harness.send(1, "LOGOUT"), ["LOGOUT:completed"]);
}

#[test]
fn a_rejection_ends_the_offer_and_not_the_connection() {
    let mut harness = Harness::new(close());
    harness.login(1, "black", "a x1");
    harness.login(2, "white", "b x1");
    harness.send(1, "%%GAME x-60-0 *");
    harness.send(2, "%%GAME x-60-0 *");
    harness.received(1);
    assert!(harness.send(2, "REJECT")[0].ends_with(" by white"));
    harness.wait(100);
    assert_eq!(harness.closed, [0; 0]);
    let who = answer(&harness.send(1, "%%WHO")[1..], "WHO");
    assert_eq!(who, ["black x1 connected", "white x1 connected"]);
    // Nor does an offer that nobody answers.
    harness.send(1, "%%GAME x-60-0 *");
    harness.send(2, "%%GAME x-60-0 *");
    harness.wait(121);
    assert_eq!(harness.closed, [0; 0]);
}

#[test]
fn a_player_may_stop_waiting_and_change_its_wish() {
    let mut harness = Harness::open();
    harness.login(1, "a", "a x1");
    harness.login(2, "b", "b x1");
    harness.send(1, "%%GAME x-60-0 +");
    harness.send(1, "%%GAME y-60-0 -");
    assert_eq!(harness.send(2, "%%GAME x-60-0 -"), [""; 0]);
    let who = answer(&harness.send(2, "%%WHO"), "WHO");
    assert_eq!(who, ["a x1 game_waiting y-60-0 -", "b x1 game_waiting x-60-0 -"]);
    harness.send(1, "%%GAME");
    assert_eq!(harness.send(2, "%%GAME y-60-0 +"), [""; 0]);
    // Two with the same colour are not paired.
    assert_eq!(harness.send(1, "%%GAME y-60-0 +"), [""; 0]);
    assert!(is_offer(&harness.send(1, "%%GAME y-60-0 -")));
}

#[test]
fn a_challenge_needs_an_opponent_who_waits() {
    let mut harness = Harness::open();
    harness.login(1, "a", "a x1");
    // A player in plain mode is an opponent like any other.
    harness.login(2, "b", "x-60-0-W,b");
    let refused = harness.send(1, "%%CHALLENGE y-60-0 +");
    assert_eq!(refused, ["##[ERROR] can't find rival for y-60-0"]);
    assert!(harness.send(1, "%%CHALLENGE x-60-0 -")[0].starts_with("##[ERROR] can't find rival"));
    assert!(is_offer(&harness.send(1, "%%CHALLENGE x-60-0 +")));
    let in_game = harness.send(1, "%%GAME x-60-0 +");
    assert!(in_game[0].starts_with("##[ERROR] you are in agree_waiting status."), "{in_game:?}");
}

#[test]
fn bad_wishes_are_refused() {
    let mut harness = Harness::open();
    harness.login(1, "a", "a x1");
    for line in [
        "%%GAME x +",
        "%%GAME x-60-0-B +",
        "%%GAME x-60-0-W *",
        "%%GAME ../x-60-0 +",
        "%%GAME hcrook_x-60-0 *",
        "%%GAME x-99999999999999999999-0 *",
        "%%CHALLENGE x *",
        "%%FOO",
        "%%SHOW",
        "%%GAME x-60-0",
    ] {
        let answer = harness.send(1, line);
        assert!(answer.len() == 1 && answer[0].starts_with("##[ERROR] "), "{line}: {answer:?}");
    }
    // The default pool has a name too.
    assert_eq!(harness.send(1, "%%GAME default-60-0 *"), [""; 0]);
    harness.login(2, "b", "secret");
    assert!(is_offer(&harness.received(1)));
}

#[test]
fn plain_clients_have_no_commands() {
    let mut harness = Harness::open();
    harness.login(1, "a", "b");
    for line in ["%%WHO", "%%LIST", "%%CHAT x", "%%GAME x-60-0 +"] {
        assert!(harness.send(1, line)[0].starts_with("##[ERROR] unknown command"), "{line}");
    }
}

#[test]
fn questions_are_answered_in_a_game() {
    let mut harness = Harness::open();
    let id = begin(&mut harness);
    harness.login(3, "plain", "z-60-0,x");
    let who = answer(&harness.send(1, "%%WHO"), "WHO");
    let expected =
        ["black x1 game x-60-10F +", "plain CSA game_waiting z-60-0 *", "white x1 game x-60-10F -"];
    assert_eq!(who, expected);
    assert_eq!(answer(&harness.send(1, "%%LIST"), "LIST"), [id.as_str()]);
    assert_eq!(answer(&harness.send(1, "%%RATING"), "RATING"), [""; 0]);
    assert_eq!(answer(&harness.send(1, "%%VERSION"), "VERSION").len(), 1);
    assert!(harness.send(1, "%%HELP")[0].starts_with("##[HELP] "));
    assert!(harness.send(1, "%%GAME")[0].starts_with("##[ERROR] you are in game status."));
    assert_eq!(harness.send(1, "+7776FU"), ["+7776FU,T0"]);
    let shown = answer(&harness.send(1, &format!("%%SHOW {id}")), "SHOW");
    assert_eq!(shown[0], "BEGIN Game_Summary");
    assert_eq!(value(&shown, "Game_ID"), id);
    assert_eq!(value(&shown, "To_Move"), "-");
    assert_eq!(value(&shown, "Remaining_Time+"), "70");
    assert_eq!(value(&shown, "Last_Move"), "+7776FU,T0");
    assert!(!shown.iter().any(|line| line.starts_with("Your_Turn")));
    assert_eq!(answer(&harness.send(1, "%%SHOW nothing"), "SHOW"), [""; 0]);
}

#[test]
fn chat_reaches_extended_clients_without_control_characters() {
    let mut harness = Harness::open();
    begin(&mut harness);
    harness.login(3, "plain", "z-60-0,x");
    harness.login(4, "guest", "x x1");
    for id in 1..=3 {
        harness.received(id);
    }
    let said = "##[CHAT][guest] hello [31m!";
    assert_eq!(harness.send(4, "%%CHAT  hello \u{1b}[31m!\u{7}"), [said]);
    assert_eq!(harness.received(1), [said]);
    assert_eq!(harness.received(3), [""; 0]);
    // A chat costs more than another line.
    for _ in 0..30 {
        harness.send(4, "%%CHAT x");
    }
    assert_eq!(harness.closed, [4]);
}

#[test]
fn a_watched_game_is_shown_from_its_record_to_its_end() {
    let mut harness = Harness::open();
    let id = begin(&mut harness);
    harness.send(1, "+7776FU");
    harness.login(3, "spy", "x x1");
    let topic = format!("MONITOR2][{id}");
    let record = answer(&harness.send(3, &format!("%%MONITOR2ON {id}")), &topic);
    let text = record.join("\n");
    let read = kyomi_record::csa::read(text.as_bytes()).unwrap().remove(0);
    assert_eq!(read.fault, None, "{text}");
    assert_eq!(read.record.moves.len(), 1);
    assert_eq!(read.record.header.event.as_ref(), Some(&id));
    assert!(text.ends_with("+7776FU\nT0"), "{text}");
    harness.now += Duration::from_millis(2500);
    harness.send(2, "-3334FU");
    assert_eq!(answer(&harness.received(3), &topic), ["-3334FU", "T2"]);
    // Twice is once.
    harness.send(3, &format!("%%MONITOR2ON {id}"));
    harness.send(1, "+2726FU");
    assert_eq!(answer(&harness.received(3), &topic), ["+2726FU", "T0"]);
    harness.send(2, "%TORYO");
    assert_eq!(answer(&harness.received(3), &topic), ["%TORYO"]);
    assert_eq!(answer(&harness.send(3, "%%LIST"), "LIST"), [""; 0]);
    assert!(harness.send(3, &format!("%%MONITOR2ON {id}"))[0].starts_with("##[ERROR] "));
}

#[test]
fn the_old_form_shows_the_whole_state() {
    let mut harness = Harness::open();
    let id = begin(&mut harness);
    harness.login(3, "spy", "x x1");
    let topic = format!("MONITOR][{id}");
    let shown = answer(&harness.send(3, &format!("%%MONITORON {id}")), &topic);
    assert_eq!(shown[0], "BEGIN Game_Summary");
    harness.send(1, "+7776FU");
    let shown = answer(&harness.received(3), &topic);
    assert_eq!(value(&shown, "Last_Move"), "+7776FU,T0");
    harness.send(3, &format!("%%MONITOROFF {id}"));
    harness.send(2, "-3334FU");
    assert_eq!(harness.received(3), [""; 0]);
}

#[test]
fn who_watches_is_forgotten_with_its_connection() {
    let mut harness = Harness::open();
    let id = begin(&mut harness);
    harness.login(3, "spy", "x x1");
    harness.send(3, &format!("%%MONITOR2ON {id}"));
    harness.gone(3);
    harness.received(3);
    harness.send(1, "+7776FU");
    assert_eq!(harness.received(3), [""; 0]);
}

#[test]
fn a_declaration_and_a_flag_are_shown() {
    let mut harness = Harness::open();
    let id = begin(&mut harness);
    harness.login(3, "spy", "x x1");
    let topic = format!("##[MONITOR2][{id}] ");
    harness.send(3, &format!("%%MONITOR2ON {id}"));
    harness.send(1, "%KACHI");
    let lines = harness.received(3);
    let words: Vec<_> = lines.iter().map(|line| line.strip_prefix(&topic).unwrap()).collect();
    assert_eq!(words, ["%KACHI", "T0", "+OK", "#ILLEGAL_MOVE", "+OK"]);

    harness.send(1, "%%GAME x-60-10F +");
    harness.received(1);
    harness.received(2);
    let id = agree(&mut harness);
    let topic = format!("##[MONITOR2][{id}] ");
    harness.send(3, &format!("%%MONITOR2ON {id}"));
    harness.wait(100);
    let lines = harness.received(3);
    let words: Vec<_> = lines.iter().map(|line| line.strip_prefix(&topic).unwrap()).collect();
    assert_eq!(words, ["#TIME_UP", "+OK"]);
}

#[test]
fn games_begin_with_the_moves_of_a_buoy() {
    let mut harness = Harness::open();
    harness.login(1, "black", "a x1");
    harness.login(2, "white", "b x1");
    harness.login(3, "owner", "c x1");
    let game = "buoy_x-60-5F";
    // Players may wait before it is there.
    harness.send(1, &format!("%%GAME {game} +"));
    assert_eq!(harness.send(2, &format!("%%GAME {game} -")), [""; 0]);
    assert_eq!(
        harness.send(3, &format!("%%GETBUOYCOUNT {game}")),
        ["##[GETBUOYCOUNT] -1", "##[GETBUOYCOUNT] +OK"]
    );
    let set = harness.send(3, &format!("%%SETBUOY {game} +7776FU-3334FU 2"));
    assert_eq!(set, ["##[SETBUOY] +OK"]);
    let offer = harness.received(1);
    assert_eq!(value(&offer, "Your_Turn"), "+");
    let moves: Vec<_> = offer.iter().filter(|line| line.contains(",T")).collect();
    assert_eq!(moves, ["+7776FU,T5", "-3334FU,T5"]);
    harness.received(2);
    harness.send(1, "AGREE");
    harness.send(2, "AGREE");
    harness.received(1);
    assert_eq!(harness.send(1, "+2726FU"), ["+2726FU,T0"]);
    assert_eq!(harness.send(3, &format!("%%GETBUOYCOUNT {game}"))[0], "##[GETBUOYCOUNT] 1");
    harness.received(2);
    // Only its owner deletes it.
    assert!(harness.send(2, &format!("%%DELETEBUOY {game}"))[0].starts_with("##[ERROR] "));
    assert_eq!(harness.send(3, &format!("%%DELETEBUOY {game}")), ["##[DELETEBUOY] +OK"]);
    for line in [
        "%%SETBUOY x-60-0 +7776FU 1",
        "%%SETBUOY buoy_x-60-0 +7775FU 1",
        "%%SETBUOY buoy_x-60-0 +7776FU-3334F 1",
        "%%SETBUOY buoy_x-60-0 +7776FU 0",
        "%%SETBUOY buoy_x-60-0-B +7776FU 1",
        "%%SETBUOY buoy_x +7776FU 1",
        "%%DELETEBUOY buoy_y-60-0",
    ] {
        assert!(harness.send(3, line)[0].starts_with("##[ERROR] "), "{line}");
    }
}

#[test]
fn a_running_game_is_forked() {
    let mut harness = Harness::open();
    let id = begin(&mut harness);
    harness.send(1, "+7776FU");
    harness.send(2, "-3334FU");
    harness.login(3, "owner", "c x1");
    let name = "buoy_x_2-60-10F";
    let answered = [format!("##[FORK] new buoy game name: {name}"), "##[FORK] +OK".to_owned()];
    assert_eq!(harness.send(3, &format!("%%FORK {id}")), answered);
    assert_eq!(harness.send(3, &format!("%%FORK {id} buoy_y-60-0 1"))[1], "##[FORK] +OK");
    assert_eq!(harness.send(3, &format!("%%GETBUOYCOUNT {name}"))[0], "##[GETBUOYCOUNT] 1");
    assert!(harness.send(3, "%%FORK nothing")[0].starts_with("##[ERROR] "));
}

#[test]
fn a_game_is_resumed_in_extended_mode() {
    let settings =
        ServerSettings { resume_time: Duration::from_secs(30), ..ServerSettings::default() };
    let mut harness = Harness::new(settings);
    begin(&mut harness);
    harness.gone(1);
    let lines = harness.login(3, "black", "a x1");
    assert_eq!(lines[..2], ["LOGIN:black OK".to_owned(), "##[LOGIN] +OK x1".to_owned()]);
    assert!(is_offer(&lines));
    harness.send(3, "AGREE");
    assert_eq!(harness.send(3, "%TORYO").last().unwrap(), "#LOSE");
    assert_eq!(harness.send(3, "%%GAME x-60-10F +"), [""; 0]);
    harness.received(2);
    assert!(is_offer(&harness.send(2, "%%GAME x-60-10F *")));
}

#[test]
fn a_long_answer_costs_no_game() {
    let mut harness = Harness::new(close());
    begin(&mut harness);
    let now = Now { instant: harness.now, wall: Timestamp::UNIX_EPOCH };
    harness.lobby.send_long(now, ClientId(1), vec!["x".to_owned(); 1_000_000]);
    harness.input(Input::Tick);
    assert_eq!(harness.received(1), ["##[ERROR] the answer is too long now; ask again later"]);
    assert_eq!(harness.send(1, "%%VERSION").len(), 2);
    assert_eq!((harness.received(2), &harness.closed), (Vec::new(), &Vec::new()));
}
