use std::time::Duration;

use expect_test::expect;
use proptest::prelude::*;

use kyomi_shogi::EnteringKingRule;
use kyomi_shogi::notation::csa::{self, sign};

use super::*;
use kyomi_shogi::clock::Rounding;

/// An offer with other `Time` sections and other keys.
fn offer(times: &str, position: &str, keys: &str) -> String {
    let position = if position.is_empty() { "PI\n+" } else { position };
    format!(
        "Game_ID:id\nName+:a\nName-:b\nYour_Turn:+\nTo_Move:+\n{keys}\n{times}\n\
         BEGIN Position\n{position}\nEND Position"
    )
}

fn parse(text: &str) -> Result<GameSummary, SummaryError> {
    GameSummary::parse(text.lines(), ReadOptions::default())
}

/// The lines of an offer, without the rows of the board of an even game.
pub(crate) fn without_board(lines: &[String]) -> String {
    let board = csa::format_position(&Position::startpos());
    format!("{}\n", lines.join("\n")).replace(board.trim_end_matches("+\n"), "(the board)\n")
}

fn time(section: &str) -> TimeControl {
    parse(&offer(&format!("BEGIN Time\n{section}\nEND Time"), "", "")).unwrap().times.black
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn an_offer_is_written_as_in_the_specification() {
    let mut summary = GameSummary::new("id", "black", "white");
    summary.max_moves = Some(256);
    summary.times = Controls::both(TimeControl::byoyomi(seconds(600), seconds(10)));
    let mv = csa::parse_move(&summary.start, "+7776FU").unwrap();
    summary.moves.push(SetupMove { mv, spent: Some(WireTime::whole(1)) });
    expect![[r#"
        BEGIN Game_Summary
        Protocol_Version:1.2
        Protocol_Mode:Server
        Format:Shogi 1.0
        Declaration:Jishogi 1.1
        Game_ID:id
        Name+:black
        Name-:white
        Your_Turn:+
        Rematch_On_Draw:NO
        To_Move:-
        Max_Moves:256
        BEGIN Time
        Time_Unit:1sec
        Total_Time:600
        Byoyomi:10
        Least_Time_Per_Move:0
        END Time
        BEGIN Position
        (the board)
        P+
        P-
        +
        +7776FU,T1
        END Position
        END Game_Summary
    "#]]
    .assert_eq(&without_board(&summary.to_lines()));
}

#[test]
fn the_moves_of_an_offer_have_the_times_that_it_gives() {
    let unit = "BEGIN Time\nTime_Unit:100msec\nTotal_Time:6000\nEND Time";
    let moves = "PI\n+\n+2726FU,T12\n-8384FU,T0\n+2625FU\n-8485FU,T99999999999999\n+7776FU,T1.5";
    let text = offer(unit, moves, "").replace("To_Move:+", "To_Move:-");
    let summary = parse(&text).unwrap();
    let in_units = |millis: u64| Some(Duration::from_millis(millis));
    assert_eq!(
        summary.move_times(SpentUnit::Second),
        [in_units(12_000), in_units(0), None, None, in_units(1500)]
    );
    assert_eq!(
        summary.move_times(SpentUnit::TimeUnit),
        [in_units(1200), in_units(0), None, None, in_units(150)]
    );
}

#[test]
fn optional_keys_have_their_defaults() {
    let summary = parse(&offer("", "", "")).unwrap();
    assert_eq!(summary.max_moves, None);
    assert_eq!(summary.entering_king(), EnteringKingRule::None);
    assert_eq!(summary.times, Controls::both(TimeControl::UNLIMITED));
    assert_eq!(summary.to_move(), Color::Black);
}

#[test]
fn the_rule_for_entering_kings_is_that_of_the_offer_or_none() {
    use EnteringKingRule as Rule;
    for (keys, rule, fault) in [
        ("Declaration:Jishogi 1.1", Rule::Points27, None),
        ("Declaration:", Rule::None, None),
        ("Declaration:Jishogi 2.0", Rule::None, Some("Declaration:Jishogi 2.0")),
        ("Declaration:Jishogi 1.1\nEntering_King_Rule:CSARule24", Rule::Points24, None),
        ("Entering_King_Rule:CSARule24H", Rule::Points24Handicap, None),
        ("Entering_King_Rule:CSARule27H", Rule::Points27Handicap, None),
        ("Entering_King_Rule:TryRule", Rule::Try, None),
        ("Declaration:Jishogi 1.1\nEntering_King_Rule:NoEnteringKing", Rule::None, None),
        (
            "Declaration:Jishogi 1.1\nEntering_King_Rule:CSARule28",
            Rule::None,
            Some("Entering_King_Rule:CSARule28"),
        ),
        ("Entering_King_Rule:", Rule::None, Some("Entering_King_Rule:")),
    ] {
        let mut reader = SummaryReader::new(ReadOptions::default());
        let text = format!("{}\nEND Game_Summary", offer("", "", keys));
        let summary = text.lines().find_map(|line| reader.push(line)).unwrap().unwrap();
        assert_eq!(summary.entering_king(), rule, "{keys}");
        let warnings: Vec<String> = reader.warnings().iter().map(ToString::to_string).collect();
        let expected: Vec<String> = fault
            .iter()
            .map(|fault| {
                format!("the offer says {fault}, a rule that is not known; no win will be declared")
            })
            .collect();
        assert_eq!(warnings, expected, "{keys}");
    }
    for rule in Rule::ALL {
        let mut summary = GameSummary::new("game", "a", "b");
        summary.set_entering_king(rule);
        let lines = summary.to_lines();
        let again = GameSummary::parse(lines.iter().map(String::as_str), ReadOptions::default());
        assert_eq!(again.unwrap().entering_king(), rule);
        // Only a declaration by 27 points may be read as one.
        let declares = lines.iter().any(|line| line.starts_with("Declaration:"));
        assert_eq!(declares, rule == Rule::Points27, "{lines:?}");
    }
}

#[test]
fn the_unit_also_applies_to_keys_before_it() {
    let control = time("Total_Time:600\nByoyomi:50\nIncrement:7\nTime_Unit:100msec");
    assert_eq!(control.total, Some(seconds(60)));
    assert_eq!(control.byoyomi, seconds(5));
    assert_eq!(control.increment, Duration::from_millis(700));
    assert_eq!(control.unit, Duration::from_millis(100));
}

#[test]
fn units_may_have_any_number() {
    for (unit, millis) in
        [("1sec", 1000), ("200msec", 200), ("10sec", 10_000), ("1min", 60_000), ("sec", 1000)]
    {
        let control = time(&format!("Time_Unit:{unit}\nTotal_Time:3"));
        assert_eq!(control.total, Some(Duration::from_millis(3 * millis)), "{unit}");
    }
}

#[test]
fn all_time_keys_are_read() {
    let control = time(
        "Time_Unit:1sec\nTotal_Time:900\nByoyomi:10\nIncrement:5\nDelay:2\n\
         Least_Time_Per_Move:1\nTime_Roundup:YES",
    );
    let expected = TimeControl {
        total: Some(seconds(900)),
        byoyomi: seconds(10),
        increment: seconds(5),
        delay: seconds(2),
        least: seconds(1),
        unit: seconds(1),
        rounding: Rounding::Up,
        stop_watch: false,
    };
    assert_eq!(control, expected);
}

#[test]
fn a_missing_total_time_with_a_byoyomi_is_zero() {
    assert_eq!(time("Byoyomi:10").total, Some(Duration::ZERO));
    assert_eq!(time("Increment:10").total, Some(Duration::ZERO));
    assert_eq!(time("Time_Unit:1sec").total, None);
    assert!(time("Total_Time:0\nByoyomi:0\nIncrement:0").is_unlimited());
}

#[test]
fn side_sections_override_the_common_one() {
    let times = "BEGIN Time-\nTotal_Time:100\nEND Time-\n\
                 BEGIN Time\nTime_Unit:1sec\nTotal_Time:600\nByoyomi:10\nEND Time";
    let summary = parse(&offer(times, "", "")).unwrap();
    assert_eq!(summary.times.black, TimeControl::byoyomi(seconds(600), seconds(10)));
    assert_eq!(summary.times.white, TimeControl::byoyomi(seconds(100), seconds(10)));
}

#[test]
fn a_stop_watch_clock_counts_in_seconds() {
    let section = "BEGIN Time\nTime_Unit:1min\nTotal_Time:1500\nByoyomi:60\nEND Time";
    let watch = TimeControl::stop_watch(seconds(1500), seconds(60));
    let plain = TimeControl {
        unit: seconds(60),
        ..TimeControl::byoyomi(seconds(1500 * 60), seconds(60 * 60))
    };
    let by_option = ReadOptions { minute_is_stop_watch: true };
    let text = offer(section, "", "");
    assert_eq!(GameSummary::parse(text.lines(), by_option).unwrap().times.white, watch);
    assert_eq!(parse(&text).unwrap().times.white, plain);
    for (id, control) in [
        ("event+x-1500-060+a+b+2026", watch),
        ("event+x-1500-060-B+a+b+2026", watch),
        ("event+x-1500-60+a+b+2026", plain),
        ("event+x-1500-0+a+b+2026", plain),
        ("event+1500-060+a+b+2026", plain),
        ("x-1500-060", plain),
        ("event+x-1500-00+a+b+2026", watch),
    ] {
        let text = text.replace("Game_ID:id", &format!("Game_ID:{id}"));
        assert_eq!(parse(&text).unwrap().times.white, control, "{id}");
    }
}

#[test]
fn large_numbers_never_overflow() {
    let longest = time("Time_Unit:9999min\nTotal_Time:999999999999\nIncrement:999999999999");
    assert_eq!(longest.total, Some(TimeControl::LONGEST));
    assert_eq!(longest.increment, TimeControl::LONGEST);
    for bad in ["Total_Time:-1", "Total_Time:9999999999999", "Time_Unit:0sec", "Time_Unit:1hour"] {
        let section = format!("BEGIN Time\n{bad}\nEND Time");
        let result = parse(&offer(&section, "", ""));
        assert!(matches!(result, Err(SummaryError::BadValue { .. })), "{bad}");
    }
    let moves = |value: &str| {
        parse(&offer("", "", &format!("Max_Moves:{value}"))).map(|summary| summary.max_moves)
    };
    assert_eq!(moves("256"), Ok(Some(256)));
    assert_eq!(moves("0"), Ok(None));
    assert_eq!(moves("99999999999"), Ok(Some(u32::MAX)));
    assert_eq!(moves(&"9".repeat(30)), Ok(Some(u32::MAX)));
}

#[test]
fn keys_come_in_any_order_and_unknown_ones_are_kept() {
    let text = "Last_Move:none\nBEGIN Position\nPI\n+\nEND Position\nBEGIN Odd\nx:1\nEND Odd\n\
                To_Move:+\nName-:b\nName+:a\nYour_Turn:-\nGame_ID:i:d\nEntering_King_Rule:CSARule27\n\
                Reconnect_Token:0123";
    let summary = parse(text).unwrap();
    assert_eq!(summary.game_id, "i:d");
    assert_eq!(summary.your_turn, Color::White);
    assert_eq!(summary.entering_king_rule.as_deref(), Some("CSARule27"));
    assert_eq!(summary.reconnect_token, Some(Secret::new("0123")));
    let kept = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(summary.other, [kept("Last_Move", "none"), kept("Odd", "x:1")]);
}

#[test]
fn to_move_is_the_side_after_the_moves() {
    let moves = "PI\n+\n+7776FU,T1\n-3334FU\n+2726FU,T3,'a comment";
    let text = offer("", moves, "").replace("To_Move:+", "To_Move:-");
    let summary = parse(&text).unwrap();
    assert_eq!(summary.to_move(), Color::White);
    let spent: Vec<_> = summary.moves.iter().map(|setup| setup.spent).collect();
    assert_eq!(spent, [Some(WireTime::whole(1)), None, Some(WireTime::whole(3))]);
    assert_eq!(summary.game().unwrap().len(), 3);
    assert_eq!(
        parse(&offer("", moves, "")),
        Err(SummaryError::ToMove { stated: '+' }),
        "never guess which of the two is right"
    );
}

#[test]
fn positions_are_read_as_servers_write_them() {
    let trimmed = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA\n\
                   P3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4\nP5 * * * * * * * * *\nP6 *\n\
                   P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI\n\
                   P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n'a comment\nP+\nP-";
    let summary = parse(&offer("", trimmed, "")).unwrap();
    assert_eq!(summary.start, Position::startpos(), "To_Move says whose turn it is");
    let moves = " PI\n +\n+7776FU\nT12\n-3334FU,T1,\n";
    let spread = parse(&offer("", moves, "")).unwrap();
    let spent: Vec<_> = spread.moves.iter().map(|setup| setup.spent).collect();
    assert_eq!(spent, [Some(WireTime::whole(12)), Some(WireTime::whole(1))]);
    let handicap = offer("", "PI82HI22KA\n-\n-5142OU,T5,+7776FU,T2", "");
    let handicap = parse(&handicap.replace("To_Move:+", "To_Move:-")).unwrap();
    assert_eq!(handicap.moves.len(), 2);
    assert_eq!(handicap.moves[1].spent, Some(WireTime::whole(2)));
}

/// The offer and the warnings about it.
fn warned(text: &str) -> (GameSummary, Vec<String>) {
    let mut reader = SummaryReader::new(ReadOptions::default());
    assert!(text.lines().all(|line| reader.push(line).is_none()));
    let summary = reader.push("END Game_Summary").unwrap().unwrap();
    (summary, reader.warnings().iter().map(ToString::to_string).collect())
}

#[test]
fn an_invalid_move_limit_means_no_limit() {
    for value in ["-5", "-0", "many", "", "256.5", "0x10", "+"] {
        let (summary, warnings) = warned(&offer("", "", &format!("Max_Moves:{value}")));
        assert_eq!(summary.max_moves, None, "{value}");
        let expected = format!(
            "the offer says Max_Moves:{value}, which is no number of moves; playing without a limit"
        );
        assert_eq!(warnings, [expected]);
    }
    for (value, limit) in [("0", None), ("256", Some(256))] {
        let (summary, warnings) = warned(&offer("", "", &format!("Max_Moves:{value}")));
        assert_eq!((summary.max_moves, warnings.len()), (limit, 0), "{value}");
    }
}

#[test]
fn an_invalid_rematch_counts_as_missing() {
    for value in ["MAYBE", "", "yes", "1"] {
        let (summary, warnings) = warned(&offer("", "", &format!("Rematch_On_Draw:{value}")));
        assert_eq!(summary.rematch_on_draw, None, "{value}");
        let expected =
            format!("the offer says Rematch_On_Draw:{value}; expected YES or NO, taking it as NO");
        assert_eq!(warnings, [expected]);
    }
    for (value, rematch) in [("YES", true), ("NO", false)] {
        let (summary, warnings) = warned(&offer("", "", &format!("Rematch_On_Draw:{value}")));
        assert_eq!((summary.rematch_on_draw, warnings.len()), (Some(rematch), 0));
    }
}

#[test]
fn without_to_move_the_position_gives_the_side_to_move() {
    let pieces = "PI82HI22KA";
    for (position, side) in [
        ("+", Color::Black),
        ("-", Color::White),
        ("+\n+7776FU,T1", Color::White),
        ("-\n-5142OU,T5", Color::Black),
        ("-\n-5142OU,T5\n+7776FU,T2", Color::White),
        ("+7776FU", Color::White),
        ("-5142OU", Color::Black),
        ("-5142OU,+7776FU", Color::White),
    ] {
        let text = offer("", &format!("{pieces}\n{position}"), "").replace("To_Move:+\n", "");
        let (summary, warnings) = warned(&text);
        assert_eq!(summary.to_move(), side, "{position}");
        let expected = format!(
            "the offer has no To_Move; by its position it is {side}'s turn, playing on that"
        );
        assert_eq!(warnings, [expected]);
    }
}

#[test]
fn without_a_turn_line_the_first_move_or_to_move_gives_the_side_before_the_moves() {
    for (position, to_move, before) in [
        ("PI", '+', Color::Black),
        ("PI", '-', Color::White),
        ("PI\n+7776FU", '-', Color::Black),
        ("PI\n-3334FU", '+', Color::White),
        ("PI\n-3334FU\n+7776FU,T3", '-', Color::White),
    ] {
        let text = offer("", position, "").replace("To_Move:+", &format!("To_Move:{to_move}"));
        let (summary, warnings) = warned(&text);
        assert_eq!(summary.start.side_to_move(), before, "{position} {to_move}");
        assert_eq!((sign(summary.to_move()), warnings.len()), (to_move, 0));
    }
    let refused = |position: &str, to_move: &str| {
        let text = offer("", position, "").replace("To_Move:+\n", to_move);
        parse(&text).unwrap_err()
    };
    assert_eq!(refused("PI", ""), SummaryError::NoSide);
    assert_eq!(refused("PI\n-3334FU", "To_Move:-\n"), SummaryError::ToMove { stated: '-' });
    assert_eq!(refused("PI\n+", "To_Move:-\n"), SummaryError::ToMove { stated: '-' });
    assert!(matches!(refused("PI\n-\n+7776FU", ""), SummaryError::SetupMove { number: 1, .. }));
    assert_eq!(refused("PI", "To_Move:\n"), SummaryError::NoSide);
    assert!(matches!(refused("PI\n+", "To_Move:x\n"), SummaryError::BadValue { .. }));
}

#[test]
fn errors_of_offers_have_readable_messages() {
    let error = |text: String| parse(&text).unwrap_err().to_string();
    assert_eq!(error(offer("", "", "Game_ID: ")), "the offer has no Game_ID");
    assert_eq!(
        error(offer("", "", &format!("To_Move:\u{1b}[2J{}", "x".repeat(999)))),
        format!("the offer says To_Move:[2J{}", "x".repeat(117))
    );
    for key in ["Game_ID", "Name+", "Name-", "Your_Turn"] {
        assert_eq!(
            error(offer("", "", "").replace(key, "Other")),
            format!("the offer has no {key}")
        );
    }
    let position = |position: &str| error(offer("", position, ""));
    let no_position = offer("", "", "").replace("Position", "Posture");
    expect!["the offer has no Position"].assert_eq(&error(no_position));
    expect!["the offer's position: the position has no board; expected PI or P1 to P9"]
        .assert_eq(&position("+"));
    expect!["the offer's position cannot be played: black has no king; a game needs both"]
        .assert_eq(&position("P-51OU\n+"));
    expect!["the offer's position: line 2, column 7: there are 3 kings on the board and in hand; a set has 2"]
        .assert_eq(&position("P-51OU\nP+59OU11OU\n+"));
    expect!["the offer's position cannot be played: white is in check but it is not its turn; the king could be captured"]
        .assert_eq(&position("P-51OU\nP+59OU52KI\n+"));
    expect!["the offer's move 2: -3335FU: white has no piece on 3c"]
        .assert_eq(&position("PI33FU\n+\n+7776FU\n-3335FU"));
    expect!["the offer's move 1, +7775FU, is not legal"].assert_eq(&position("PI\n+\n+7775FU"));
    expect!["the offer's move 1: '+7776' is no move; expected a sign, two squares and a piece, as +7776FU"]
        .assert_eq(&position("PI\n+\n+7776"));
    expect!["the offer gives Your_Turn twice, with different values"].assert_eq(&error(offer(
        "",
        "",
        "Your_Turn:-",
    )));
    assert_eq!(parse(&offer("", "", "Your_Turn:+")).unwrap().your_turn, Color::Black);
    expect!["the offer says Format:Go 1.0"].assert_eq(&error(offer("", "", "Format:Go 1.0")));
}

#[test]
fn an_endless_offer_is_rejected() {
    let mut reader = SummaryReader::new(ReadOptions::default());
    let rejected_at = (1..9999).find(|_| reader.push("Key:value").is_some());
    assert_eq!(rejected_at, Some(SummaryReader::MAX_LINES + 1));
    let mut reader = SummaryReader::new(ReadOptions::default());
    let long = "x".repeat(crate::text::MAX_LINE);
    assert_eq!((1..9999).find(|_| reader.push(&long).is_some()), Some(5));
}

#[test]
fn an_offer_keeps_at_most_10000_moves() {
    let offer_of = |moves: usize| {
        let round = ["+2838HI", "-8272HI", "+3828HI", "-7282HI"].join(",");
        let lines = vec![round; moves / 4];
        parse(&offer("", &format!("PI\n+\n{}", lines.join("\n")), ""))
    };
    assert_eq!(offer_of(Game::MAX_PLIES).unwrap().moves.len(), Game::MAX_PLIES);
    let error = offer_of(Game::MAX_PLIES + 4).unwrap_err();
    assert_eq!(error.to_string(), "the offer has more than 10000 moves");
}

#[test]
fn a_long_section_name_is_shortened_and_kept_once() {
    let name = "s".repeat(65_000);
    let section = format!("BEGIN {name}\n{}END {name}", "x\n".repeat(1_000));
    let (summary, warnings) = warned(&offer(&section, "", ""));
    assert_eq!(summary.other.len(), 1_000);
    assert!(summary.other.iter().all(|(key, line)| *key == "s".repeat(64) && line == "x"));
    let written: usize = summary.to_lines().iter().map(|line| line.len() + 1).sum();
    assert!(written < section.len() + 4_096, "{written} bytes");
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    let start = "the offer has a section with a very long name; only its beginning is kept: ss";
    assert!(warning.starts_with(start), "{warning}");
    // A name of 64 characters that have four bytes each is kept, and counts with each line.
    let name = "\u{20bb7}".repeat(64);
    let lines_until_too_long = |line: &str| {
        let mut reader = SummaryReader::new(ReadOptions::default());
        assert!(reader.push(&format!("BEGIN {name}")).is_none());
        (1..9_999).find(|_| reader.push(line) == Some(Err(SummaryError::TooLong)))
    };
    assert_eq!(lines_until_too_long("x"), Some(SummaryReader::MAX_BYTES / (256 + 2)));
    assert_eq!(lines_until_too_long(""), Some(SummaryReader::MAX_LINES));
}

fn any_control() -> impl Strategy<Value = TimeControl> {
    let unit = prop::sample::select(vec![1u64, 10, 100, 200, 1000, 10_000, 60_000]);
    let numbers = prop::array::uniform4(prop_oneof![Just(0u64), 0u64..5000]);
    (unit, prop::option::of(0u64..100_000), numbers, any::<bool>()).prop_map(
        |(unit, total, [byoyomi, increment, delay, least], up)| {
            let length = |count: u64| Duration::from_millis(count * unit);
            let none = byoyomi == 0 && increment == 0;
            TimeControl {
                total: if none { total } else { total.or(Some(0)) }.map(length),
                byoyomi: length(byoyomi),
                increment: length(increment),
                delay: length(delay),
                least: length(least),
                unit: Duration::from_millis(unit),
                rounding: if up { Rounding::Up } else { Rounding::Down },
                stop_watch: false,
            }
        },
    )
}

/// A random game, split into the start position of the offer and the moves of the offer.
fn any_moves() -> impl Strategy<Value = (Position, Vec<SetupMove>)> {
    let steps =
        prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(0u64..99)), 0..60);
    (steps, 0usize..60).prop_map(|(steps, before)| {
        let mut game = Game::new(Position::startpos());
        let mut moves = Vec::new();
        for (index, spent) in steps {
            let legal = game.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[index.index(legal.len())];
            game.push(mv).unwrap();
            moves.push(SetupMove { mv, spent: spent.map(WireTime::whole) });
        }
        let rest = moves.split_off(before.min(moves.len()));
        let mut start = Position::startpos();
        for setup in &moves {
            start.do_move(setup.mv);
        }
        let lines = csa::format_position(&start);
        (csa::parse_position_block(lines.lines()).unwrap(), rest)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn offers_round_trip(
        (start, moves) in any_moves(),
        (black, white, same) in (any_control(), any_control(), any::<bool>()),
        texts in prop::array::uniform3("[!-~]([ -~]{0,20}[!-~])?"),
        (white_to_play, rematch, max_moves) in
            (any::<bool>(), prop::option::of(any::<bool>()), prop::option::of(1u32..)),
        optional in prop::array::uniform3(prop::option::of("[A-Za-z0-9.]([A-Za-z0-9. ]{0,9}[A-Za-z0-9])?")),
        other in prop::collection::vec(("x[A-Za-z_]{1,8}", "[!-~]{0,9}"), 0..4),
    ) {
        let [game_id, black_name, white_name] = texts;
        prop_assume!(!game_id.contains("-0"));
        let [version, rule, token] = optional;
        let summary = GameSummary {
            protocol_version: version,
            entering_king_rule: rule,
            reconnect_token: token.map(Secret::new),
            your_turn: if white_to_play { Color::White } else { Color::Black },
            rematch_on_draw: rematch,
            max_moves,
            times: Controls { black, white: if same { black } else { white } },
            start,
            moves,
            other,
            ..GameSummary::new(game_id, black_name, white_name)
        };
        let lines = summary.to_lines();
        let read = GameSummary::parse(lines.iter().map(String::as_str), ReadOptions::default());
        prop_assert_eq!(read, Ok(summary));
    }

    #[test]
    fn any_offer_can_be_parsed_without_a_panic(
        lines in prop::collection::vec(
            prop_oneof![
                prop::sample::select(offer("BEGIN Time\nTotal_Time:9\nEND Time", "", "").lines()
                    .map(str::to_owned).collect::<Vec<_>>()),
                "(BEGIN|END) (Time[+-]?|Position|X)",
                "P[1-9+-]\\PC{0,30}",
                "[+-][0-9]{4}[A-Z]{2}(,T[0-9.]{0,20})?",
                "\\PC{0,30}",
            ],
            0..40,
        ),
    ) {
        let _ = GameSummary::parse(lines.iter().map(String::as_str), ReadOptions::default());
    }
}
