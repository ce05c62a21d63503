use std::time::Duration;

use super::*;
use proptest::prelude::*;

fn word(text: &str) -> MoveWord {
    MoveWord::parse(text).unwrap()
}

fn moved(text: &str, spent: Option<WireTime>, comment: Option<&str>) -> ServerMessage {
    ServerMessage::Move { word: word(text), spent, comment: comment.map(str::to_owned) }
}

#[test]
fn server_lines_are_parsed() {
    use ServerMessage as M;
    let whole = |units| Some(WireTime::whole(units));
    for (line, message) in [
        ("LOGIN:kyomi OK", M::LoginOk { name: "kyomi".into() }),
        ("LOGIN:incorrect OK", M::LoginOk { name: "incorrect".into() }),
        ("LOGIN:incorrect", M::LoginIncorrect { reason: None }),
        (
            "LOGIN:incorrect rate_limited retry_after=30",
            M::LoginIncorrect { reason: Some("rate_limited retry_after=30".into()) },
        ),
        ("LOGIN:incorrect: no", M::LoginIncorrect { reason: Some(": no".into()) }),
        ("LOGOUT:completed", M::LogoutCompleted),
        ("##[LOGIN] +OK x1", M::Notice { topic: "LOGIN".into(), text: "+OK x1".into() }),
        ("##[CHAT][a] hi", M::Notice { topic: "CHAT".into(), text: "[a] hi".into() }),
        ("BEGIN Game_Summary", M::BeginSummary),
        ("START:a+b", M::Start { game_id: "a+b".into() }),
        ("START:", M::Start { game_id: String::new() }),
        ("START", M::Start { game_id: String::new() }),
        (
            "REJECT:a+b by the Server (timed out)",
            M::Reject { game_id: "a+b".into(), by: "the Server (timed out)".into() },
        ),
        ("+7776FU,T12", moved("+7776FU", whole(12), None)),
        ("-0045KA", moved("-0045KA", None, None)),
        ("+7776FU,T", moved("+7776FU", None, None)),
        ("+7776FU,T-3", moved("+7776FU", None, None)),
        ("+7776FU,Tx,T4", moved("+7776FU", whole(4), None)),
        ("+7776FU,T1.5", moved("+7776FU", Some(WireTime::from_thousandths(1500)), None)),
        ("+7776FU,T1.", moved("+7776FU", whole(1), None)),
        ("+7776FU,T4  ", moved("+7776FU", whole(4), None)),
        ("+7776FU, T4 ,x", moved("+7776FU", whole(4), None)),
        ("+7776FU,T4, '* 30", moved("+7776FU", whole(4), Some("* 30"))),
        ("+7776FU,T4\r", moved("+7776FU", whole(4), None)),
        ("+7776FU,'* 30 -3334FU,T4", moved("+7776FU", whole(4), Some("* 30 -3334FU"))),
        ("%TORYO", M::Special { word: Special::Toryo, spent: None }),
        ("%TORYO,T4", M::Special { word: Special::Toryo, spent: whole(4) }),
        ("%KACHI,T8", M::Special { word: Special::Kachi, spent: whole(8) }),
        ("%CHUDAN,T1", M::Special { word: Special::Chudan, spent: whole(1) }),
        ("%MATTA", M::Special { word: Special::Other("MATTA".into()), spent: None }),
        ("#WIN", M::Result(ResultWord::Win)),
        ("#LOSE\t", M::Result(ResultWord::Lose)),
        ("#CENSORED", M::Result(ResultWord::Censored)),
        ("#CHUDAN", M::Result(ResultWord::Chudan)),
        ("#SUSPEND", M::Result(ResultWord::Chudan)),
        ("#OUTE_SENNICHITE", M::Reason(ReasonWord::OuteSennichite)),
        ("#ABNORMAL", M::Reason(ReasonWord::Abnormal)),
        ("#NEW", M::Reason(ReasonWord::Other("NEW".into()))),
        ("", M::KeepAlive),
        (" ", M::KeepAlive),
    ] {
        assert_eq!(ServerMessage::parse(line), message, "{line}");
    }
}

#[test]
fn unknown_server_lines_are_kept() {
    for line in [
        "hello",
        "+",
        "-",
        "+7776",
        "+7776FUX",
        "+7776fu,T1",
        "#",
        "##",
        "##[",
        "%",
        "LOGIN:",
        "LOGIN:incorrectly",
        "START a+b",
        "STARTED",
        "あ",
    ] {
        assert_eq!(ServerMessage::parse(line), ServerMessage::Unknown(line.to_owned()), "{line}");
    }
}

#[test]
fn client_lines_are_parsed() {
    use ClientMessage as M;
    let login = |password: &str, mode| M::Login {
        name: "kyomi".into(),
        password: Secret::new(password),
        mode,
    };
    let reconnect = LoginMode::Reconnect { game_id: "a+b+c".into(), token: Secret::new("0f1e") };
    for (line, message) in [
        ("LOGIN kyomi floodgate-300-10F,trip", login("floodgate-300-10F,trip", LoginMode::Plain)),
        ("LOGIN kyomi secret x1", login("secret", LoginMode::Extended)),
        ("LOGIN kyomi secret reconnect:a+b+c+0f1e", login("secret", reconnect)),
        ("LOGIN kyomi a reconnect:b", M::Other("LOGIN kyomi a reconnect:b".into())),
        ("LOGIN kyomi a reconnect:b+", M::Other("LOGIN kyomi a reconnect:b+".into())),
        ("LOGIN kyomi", M::Other("LOGIN kyomi".into())),
        ("LOGIN kyomi a b", M::Other("LOGIN kyomi a b".into())),
        ("LOGOUT", M::Logout),
        ("AGREE", M::Agree { game_id: None }),
        ("AGREE a+b", M::Agree { game_id: Some("a+b".into()) }),
        ("REJECT a+b", M::Reject { game_id: Some("a+b".into()) }),
        ("+7776FU", M::Move { word: word("+7776FU"), comment: None }),
        (
            "+7776FU,'* 30 -3334FU",
            M::Move { word: word("+7776FU"), comment: Some("* 30 -3334FU".into()) },
        ),
        ("+7776FU '* 30", M::Other("+7776FU '* 30".into())),
        ("%TORYO", M::Special(Special::Toryo)),
        ("%FOO", M::Special(Special::Other("FOO".into()))),
        ("%%WHO", M::Extended(ExtendedCommand::Who)),
        ("%%WHAT", M::Other("%%WHAT".into())),
        ("", M::KeepAlive),
        ("\r", M::KeepAlive),
        (" ", M::Other(" ".into())),
    ] {
        assert_eq!(ClientMessage::parse(line), message, "{line}");
    }
}

#[test]
fn a_login_contains_its_password_only_in_the_line_to_send() {
    let login = ClientMessage::parse("LOGIN kyomi secret x1");
    assert_eq!(login.to_line(), "LOGIN kyomi secret x1");
    assert_eq!(login.to_string(), "LOGIN kyomi *** x1");
    assert!(!format!("{login:?}").contains("secret"));
}

#[test]
fn times_are_parsed_as_servers_write_them() {
    let second = Duration::from_secs(1);
    for (text, millis) in [("0", 0), ("12", 12_000), ("1.5", 1500), ("1.", 1000), (".5", 500)] {
        let time = WireTime::parse(text).unwrap();
        assert_eq!(time.to_duration(second), Duration::from_millis(millis), "{text}");
    }
    assert_eq!(WireTime::parse("2.123456").unwrap(), WireTime::from_thousandths(2123));
    for text in ["", ".", "-1", "1e3", "1,5", "٣", "1234567890123", "1.2.3", " 1"] {
        assert_eq!(WireTime::parse(text), None, "{text}");
    }
    let huge = WireTime::from_thousandths(u64::MAX);
    assert!(huge.to_duration(Duration::MAX) > Duration::from_secs(1 << 30));
    assert_eq!(
        WireTime::floor(Duration::from_millis(1999), second),
        WireTime::whole(1),
        "parts of a unit are dropped"
    );
    assert_eq!(WireTime::floor(second, Duration::ZERO), WireTime::whole(0));
}

fn any_word() -> impl Strategy<Value = MoveWord> {
    "[+-][0-9]{4}[A-Z]{2}".prop_map(|text| word(&text))
}

fn any_time() -> impl Strategy<Value = Option<WireTime>> {
    prop::option::of((0u64..1_000_000_000_000).prop_map(WireTime::from_thousandths))
}

fn any_special() -> impl Strategy<Value = Special> {
    "[A-Z]{1,8}".prop_map(|word| Special::parse(&word))
}

const TEXT: &str = "[!-~]([ -~]{0,20}[!-~])?";

fn server_message() -> impl Strategy<Value = ServerMessage> {
    use ServerMessage as M;
    prop_oneof![
        TEXT.prop_map(|name| M::LoginOk { name }),
        prop::option::of("[a-z=_]([a-z0-9=_ ]{0,20}[a-z0-9])?")
            .prop_map(|reason| M::LoginIncorrect { reason }),
        Just(M::LogoutCompleted),
        Just(M::BeginSummary),
        Just(M::KeepAlive),
        ("[A-Z0-9]{0,8}", prop_oneof![Just(String::new()), TEXT.prop_map(String::from)])
            .prop_map(|(topic, text)| M::Notice { topic, text }),
        "[!-~]{0,30}".prop_map(|game_id| M::Start { game_id }),
        ("[!-~]{0,30}", prop_oneof![Just(String::new()), TEXT.prop_map(String::from)])
            .prop_map(|(game_id, by)| M::Reject { game_id, by }),
        (any_word(), any_time(), prop::option::of("[!-+--~]([ -+--~]{0,20}[!-+--~])?"))
            .prop_map(|(word, spent, comment)| M::Move { word, spent, comment }),
        (any_special(), any_time()).prop_map(|(word, spent)| M::Special { word, spent }),
        "[A-Z_]{1,12}".prop_map(|word| parse_end(&word)),
        prop::sample::select(&RESULTS[..]).prop_map(|(_, result)| M::Result(result)),
        prop::sample::select(&REASONS[..]).prop_map(|(_, reason)| M::Reason(reason)),
    ]
}

fn any_login_mode() -> impl Strategy<Value = LoginMode> {
    prop_oneof![
        Just(LoginMode::Plain),
        Just(LoginMode::Extended),
        ("[!-~]{1,40}", "[!-*,-~]{1,32}").prop_map(|(game_id, token)| LoginMode::Reconnect {
            game_id,
            token: Secret::new(token)
        }),
    ]
}

fn client_message() -> impl Strategy<Value = ClientMessage> {
    use ClientMessage as M;
    let id = || prop::option::of("[!-~]([ -~]{0,20}[!-~])?");
    prop_oneof![
        ("[!-~]{1,32}", "[!-~]{1,40}", any_login_mode()).prop_map(|(name, password, mode)| {
            M::Login { name, password: Secret::new(password), mode }
        }),
        Just(M::Logout),
        Just(M::KeepAlive),
        id().prop_map(|game_id| M::Agree { game_id }),
        id().prop_map(|game_id| M::Reject { game_id }),
        (any_word(), prop::option::of("[ -~]{0,30}"))
            .prop_map(|(word, comment)| M::Move { word, comment }),
        any_special().prop_map(M::Special),
        "%%Q[A-Z]{1,8}( [!-~]{1,8})?".prop_map(M::Other),
    ]
}

#[test]
fn a_percent_sign_alone_is_an_unknown_line() {
    for line in ["%", "%,", "%,T3", "% ,T3", "%\u{a0},"] {
        assert_eq!(ServerMessage::parse(line), ServerMessage::Unknown(line.to_owned()));
    }
}

proptest! {
    #[test]
    fn server_messages_round_trip(message in server_message()) {
        prop_assert_eq!(ServerMessage::parse(&message.to_line()), message);
    }

    #[test]
    fn client_messages_round_trip(message in client_message()) {
        prop_assert_eq!(ClientMessage::parse(&message.to_line()), message);
    }

    #[test]
    fn any_line_can_be_parsed(line in "\\PC{0,40}|[+%#-]\\PC{0,20}|LOGIN[: ]\\PC{0,20}") {
        let server = ServerMessage::parse(&line);
        prop_assert_eq!(ServerMessage::parse(&server.to_line()), server);
        let client = ClientMessage::parse(&line);
        prop_assert_eq!(ClientMessage::parse(&client.to_line()), client);
    }
}
