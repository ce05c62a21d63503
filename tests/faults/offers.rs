//! Servers that offer games in a faulty way.

use kyomi_csa::text::printable;

use crate::{
    common::connection::{Desk, Peer, summary},
    engine::faulty,
    game::{Board, last_game, leave, play_on, resign},
    support::end_of,
    trial::{Client, RANDOM, Trial},
};

/// The offer `g1` after a change. The text to be replaced must be in it.
fn changed(from: &str, to: &str) -> String {
    let offer = summary("g1", '+', &[], "");
    assert!(offer.contains(from), "{from:?} is not in the offer");
    format!("{}\n", offer.replacen(from, to, 1))
}

/// The offer is turned down with these words; the next game is played.
#[track_caller]
fn refused(offer: impl AsRef<[u8]>, answer: &str, words: &str) {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.send_bytes(offer.as_ref()).unwrap();
    assert_eq!(peer.line(), answer);
    peer.send("REJECT:g1 by kyomi");
    last_game(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["black"]);
    assert!(finished.stderr.contains(words), "{}", finished.stderr);
}

/// The offer is agreed to and played, and so is the next one.
#[track_caller]
fn played(offer: impl AsRef<[u8]>, agreement: &str) -> String {
    let id = agreement.strip_prefix("AGREE ").unwrap();
    played_as(offer, agreement, id.as_bytes())
}

/// The same with an id that the server writes in these bytes.
#[track_caller]
fn played_as(offer: impl AsRef<[u8]>, agreement: &str, id: &[u8]) -> String {
    let (trial, client, mut peer) = Trial::logged_in(2, RANDOM);
    peer.send_bytes(offer.as_ref()).unwrap();
    assert_eq!(peer.line(), agreement);
    peer.send_bytes(&[b"START:", id, b"\n"].concat()).unwrap();
    play_on(&mut peer);
    last_game(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["black", "black"]);
    for record in finished.all("record") {
        assert_eq!(end_of(&trial.work.path().join(record)), "%TORYO");
    }
    finished.stderr
}

/// Cases with an offer that is turned down: the change, and the words of the warning.
macro_rules! refused {
    ($($(#[doc = $doc:literal])+ $name:ident: $from:expr => $to:expr, $words:expr;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            refused(changed($from, $to), "REJECT g1", $words);
        }
    )+};
}

/// Cases with an offer that is played: the change.
macro_rules! played {
    ($($(#[doc = $doc:literal])+ $name:ident: $from:expr => $to:expr;)+) => {$(
        $(#[doc = $doc])+
        #[test]
        fn $name() {
            played(changed($from, $to), "AGREE g1");
        }
    )+};
}

refused! {
    /// An offer without the name of black is turned down.
    no_name_of_black: "Name+:a\n" => "", "the offer has no Name+";
    /// An offer without the name of white is turned down.
    no_name_of_white: "Name-:b\n" => "", "the offer has no Name-";
    /// An offer that does not say which side we play is turned down.
    no_side: "Your_Turn:+\n" => "", "the offer has no Your_Turn";
    /// An offer that gives us an unknown side is turned down.
    an_unknown_side: "Your_Turn:+" => "Your_Turn:*", "the offer says Your_Turn:*";
    /// An offer that gives us both sides is turned down.
    two_sides: "Your_Turn:+" => "Your_Turn:+\nYour_Turn:-", "Your_Turn";
    /// An offer whose side to move contradicts its position is turned down.
    the_wrong_side_to_move: "To_Move:+" => "To_Move:-", "the offer says To_Move:-";
    /// An offer without a position is turned down.
    no_position: "BEGIN Position" => "BEGIN Nothing", "the offer has no Position";
    /// An offer of another game than shogi is turned down.
    another_game: "Shogi 1.0" => "Chess 1.0", "the offer says Format:Chess";
    /// A position with two black kings is turned down.
    two_kings: "+KA *  *  *  *  *" => "+KA * +OU *  *  *", "the offer's position";
    /// A position without kings is turned down.
    no_king: "-KI-OU-KI" => "-KI * -KI", "the offer's position";
    /// A position with 19 pawns is turned down.
    nineteen_pawns: "P5 * " => "P5+FU", "the offer's position";
    /// A position with a piece that does not exist is turned down.
    an_unknown_piece: "-HI" => "-XX", "the offer's position";
    /// An opening that contains an illegal move is turned down.
    an_illegal_opening: "END Position" => "+7776FU,T1\n-3335FU,T1\nEND Position", "the offer's move 2";
    /// An opening that contains a move of the wrong side is turned down.
    an_opening_out_of_turn: "END Position" => "-3334FU,T1\nEND Position", "the offer's move 1";
    /// An opening that contains garbage is turned down.
    an_opening_of_garbage: "END Position" => "+NOTHING\nEND Position", "the offer's move 1";
    /// A negative time is turned down.
    a_negative_time: "Total_Time:600" => "Total_Time:-600", "the offer says Total_Time:-600";
    /// A time that is no number is turned down.
    a_time_in_words: "Total_Time:600" => "Total_Time:a while", "the offer says Total_Time:a while";
    /// A time past 64 bits is turned down.
    a_time_past_64_bits: "Total_Time:600" => "Total_Time:99999999999999999999", "the offer says Total_Time";
    /// A unit of zero seconds is turned down.
    a_unit_of_nothing: "1sec" => "0sec", "the offer says Time_Unit:0sec";
    /// A negative byoyomi is turned down.
    a_negative_byoyomi: "Byoyomi:10" => "Byoyomi:-10", "the offer says Byoyomi:-10";
}

played! {
    /// Unknown keys and sections are ignored.
    unknown_keys: "Protocol_Version" => "X\nY:\n:\n::\nBEGIN Weather\nRain:YES\nEND Weather\nProtocol_Version";
    /// Keys that are repeated with the same value are read once.
    repeated_keys: "Name+:a" => "Name+:a\nName+:a\nGame_ID:g1\nYour_Turn:+";
    /// Lines after the end of the offer are not part of it.
    keys_after_the_end: "END Game_Summary" => "END Game_Summary\nYour_Turn:-\nName+:z\nEND Position";
    /// An offer without a clock is played without one.
    no_clock: "BEGIN Time\nTime_Unit:1sec\nTotal_Time:600\nByoyomi:10\nEND Time\n" => "";
    /// A clock without any time is played as fast as possible.
    a_clock_of_zero: "Total_Time:600\nByoyomi:10" => "Total_Time:0\nByoyomi:0";
    /// A fraction of a second is a time.
    a_time_with_a_fraction: "Total_Time:600" => "Total_Time:600.5";
    /// The longest time that can be written is cut to a possible one.
    an_absurd_time: "Total_Time:600" => "Total_Time:999999999999\nIncrement:999999999999";
    /// A least time longer than the clock is played.
    an_absurd_least_time: "Byoyomi:10" => "Byoyomi:10\nLeast_Time_Per_Move:999999999999";
    /// A negative move limit means none.
    a_negative_move_limit: "Max_Moves:256" => "Max_Moves:-1";
    /// A move limit past 64 bits means a very large one.
    an_absurd_move_limit: "Max_Moves:256" => "Max_Moves:99999999999999999999999";
    /// Blanks around the values do not matter.
    blanks: "Game_ID:g1" => " Game_ID : g1 ";
    /// A declaration rule that is not known is no declaration rule.
    an_unknown_declaration: "Jishogi 1.1" => "\u{1b}[31mBy agreement";
    /// A player's name that is a path names no file outside the folder.
    a_name_that_is_a_path: "Name-:b" => "Name-:../../../../etc/b";
    /// A player's name with backslashes names no file outside the folder.
    a_name_with_backslashes: "Name-:b" => "Name-:..\\..\\C:\\b";
    /// A player's name with control characters reaches neither the terminal nor the record.
    a_name_with_control_characters: "Name-:b" => "Name-:\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{8}b\u{0}\u{7f}";
    /// A player's name that changes the direction of writing is shown without that.
    a_name_that_turns_the_line: "Name-:b" => "Name-:\u{202e}b\u{2066}\u{feff}\u{2028}";
    /// An empty name is a name.
    an_empty_name: "Name-:b" => "Name-:";
    /// A name of 10,000 characters is shortened in the name of the file.
    a_name_of_10_000_characters: "Name-:b" => &format!("Name-:{}", "b".repeat(10_000));
    /// A name that looks like a line of the record is only a name.
    a_name_like_a_line_of_the_record: "Name-:b" => "Name-:b,%TORYO,'*";
}

/// An offer without an id is turned down without an id.
#[test]
fn no_id() {
    refused(changed("Game_ID:g1\n", ""), "REJECT", "the offer has no Game_ID");
}

/// An empty id is none.
#[test]
fn an_empty_id() {
    refused(changed("Game_ID:g1\n", "Game_ID:\n"), "REJECT", "the offer has no Game_ID");
}

/// An id that is a path is repeated as it is, and names no file outside the folder.
#[test]
fn an_id_that_is_a_path() {
    for id in ["../../../../../x", "/etc/x", "..\\x", "~"] {
        played(changed("g1", id), &format!("AGREE {id}"));
    }
}

/// An id with control characters is repeated as it is, and reaches neither the terminal nor the record.
#[test]
fn an_id_with_control_characters() {
    let id = "\u{1b}[31mg\u{7}\u{9b}1\u{202e}";
    played(changed("g1", id), &format!("AGREE {id}"));
}

/// An id of 10,000 characters is repeated whole.
#[test]
fn an_id_of_10_000_characters() {
    let id = "g".repeat(10_000);
    played(changed("g1", &id), &format!("AGREE {id}"));
}

/// Names in `Shift_JIS` do not end the connection.
#[test]
fn names_in_shift_jis() {
    let (before, after) = ("Name+:a\nName-:b", "Name+:\u{0}");
    let offer = changed(before, after);
    let (head, tail) = offer.split_once('\u{0}').unwrap();
    // 激指 and 表, whose second byte is a backslash.
    let names = b"\x8c\x83\x8e\x77\nName-:\x95\x5c";
    let offer = [head.as_bytes(), names, tail.as_bytes()].concat();
    played(offer, "AGREE g1");
}

/// An id that is not UTF-8 cannot be repeated: the offer is agreed to without an id.
#[test]
fn an_id_in_shift_jis() {
    let offer = changed("Game_ID:g1", "Game_ID:\u{0}");
    let (head, tail) = offer.split_once('\u{0}').unwrap();
    let id = b"\x8c\x83\x8e\x77";
    let offer = [head.as_bytes(), id, tail.as_bytes()].concat();
    played_as(offer, "AGREE", id);
}

/// A whole game with CR LF at the end of each line is played.
#[test]
fn an_offer_with_crlf() {
    let offer = format!("{}\n", summary("g1", '+', &[], "")).replace('\n', "\r\n");
    played(offer, "AGREE g1");
}

/// An offer with NUL characters in its values is played.
#[test]
fn an_offer_with_nul() {
    played(changed("Name+:a\nName-:b", "Name+:a\0a\nName-:\0b"), "AGREE g1");
}

/// An offer that never ends is turned down after 4,096 lines.
#[test]
fn an_offer_without_end() {
    let offer = changed("END Game_Summary", &"X:1\n".repeat(4100));
    refused(offer, "REJECT g1", "the offer is too long");
}

/// An offer with a line of 1 MB is turned down.
#[test]
fn an_offer_with_a_giant_line() {
    let offer = changed("Max_Moves:256", &"9".repeat(1_000_000));
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.send_bytes(offer.as_bytes()).unwrap();
    assert_eq!(peer.line(), "REJECT g1");
    last_game(peer);
    let finished = client.end(&trial, 0);
    assert!(finished.stderr.contains("the offer is too long"), "{}", finished.stderr);
}

/// An offer that begins before the last one has ended replaces it; the first one is turned down.
#[test]
fn an_offer_inside_an_offer() {
    let whole = changed("g1", "g2");
    let half = changed("END Position", "\u{0}");
    let half = half.split('\u{0}').next().unwrap();
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.send_bytes(format!("{half}{whole}").as_bytes()).unwrap();
    assert_eq!((peer.line(), peer.line()), ("REJECT g1".into(), "AGREE g2".into()));
    peer.send("START:g2");
    play_on(&mut peer);
    leave(peer);
    let finished = client.end(&trial, 0);
    assert!(finished.stderr.contains("the offer was never finished"), "{}", finished.stderr);
}

/// An offer in the middle of a game is ignored, and the game continues.
#[test]
fn an_offer_during_a_game() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.begin("g1", '+');
    peer.offer("g2", '-', &["+7776FU"], "");
    play_on(&mut peer);
    leave(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["black"]);
}

/// A game that the opponent rejects ten times in a row is played the eleventh time.
#[test]
fn ten_rejections() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    for number in 0..10 {
        peer.offer(&format!("g{number}"), '+', &[], "");
        assert_eq!(peer.line(), format!("AGREE g{number}"));
        peer.send(&format!("REJECT:g{number} by b"));
    }
    last_game(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["black"]);
}

/// A thousand offers that cannot be played are turned down one by one; the next game is played.
#[test]
fn a_thousand_bad_offers() {
    let (trial, desk) = (Trial::of_a_flood(), Desk::open());
    let client = trial.play(&desk.config(1, RANDOM));
    let mut peer = desk.welcome();
    let offer = changed("Your_Turn:+", "Your_Turn:?");
    peer.send_bytes(offer.repeat(1000).as_bytes()).unwrap();
    for _ in 0..1000 {
        assert_eq!(peer.line(), "REJECT g1");
    }
    last_game(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// Of many offers that are never started the last one is played.
#[test]
fn offers_without_a_start() {
    let (trial, desk) = (Trial::of_a_flood(), Desk::open());
    let client = trial.play(&desk.config(1, &faulty("")));
    let mut peer = desk.welcome();
    for number in 0..200 {
        peer.offer(&format!("g{number}"), '+', &[], "");
        assert_eq!(peer.line(), format!("AGREE g{number}"));
    }
    last_game(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// Names with control characters are shown without them by `kyomi status` too.
#[test]
fn the_status_of_a_game_with_strange_names() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    let name = format!("Name-:\u{1b}[2Jb\u{202e}\0{}", "b".repeat(10_000));
    peer.send_bytes(changed("Name-:b", &name).as_bytes()).unwrap();
    assert_eq!(peer.line(), "AGREE g1");
    peer.send("START:g1");
    let mut board = Board::new();
    board.echo(&mut peer);
    trial.work.await_log("ply=1");
    let status = trial.work.run(&["status"]).exited(0).stdout;
    assert_eq!(printable(status.trim()), status.trim());
    assert!(status.lines().count() == 1 && status.len() < 1000, "{status}");
    resign(&mut peer);
    leave(peer);
    client.end(&trial, 0);
}

/// The rejection of a game that was not offered does not concern the one that was.
#[test]
fn a_rejection_of_another_game() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.offer("g1", '+', &[], "");
    assert_eq!(peer.line(), "AGREE g1");
    peer.send("REJECT:other by b\nSTART:g1");
    play_on(&mut peer);
    leave(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// The client has not begun a game and is still there: it agrees to the next offer and plays its game.
#[track_caller]
fn nothing_has_begun(trial: &Trial, client: Client, peer: Peer, warning: &str) {
    last_game(peer);
    let finished = client.end(trial, 0);
    assert_eq!(finished.all("result"), ["black"]);
    assert_eq!(finished.stderr.matches(warning).count(), 1, "{}", finished.stderr);
    assert_eq!(finished.stderr.matches("no game begins").count(), 1, "{}", finished.stderr);
}

/// A start that comes with the offer, before the client can agree, begins no game; the right one does.
#[test]
fn a_start_before_the_agreement() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.send(&format!("{}\nSTART:g1", summary("g1", '+', &[], "")));
    assert_eq!(peer.line(), "AGREE g1");
    nothing_has_begun(&trial, client, peer, "\"START:g1\" came before our AGREE");
}

/// The start of another game begins no game.
#[test]
fn a_start_with_another_id() {
    start_refused("START:other", "\"START:other\" is not for the game g1");
}

/// A start that names no game begins none.
#[test]
fn a_start_without_an_id() {
    start_refused("START:", "\"START:\" is not for the game g1");
    start_refused("START", "\"START:\" is not for the game g1");
}

/// A start with words after the id is the start of another game.
#[test]
fn a_start_with_words_after_the_id() {
    start_refused("START:g1 now", "\"START:g1 now\" is not for the game g1");
}

#[track_caller]
fn start_refused(line: &str, warning: &str) {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.offer("g1", '+', &[], "");
    assert_eq!(peer.line(), "AGREE g1");
    peer.send(line);
    nothing_has_begun(&trial, client, peer, warning);
}

/// After starts of other games the right one begins the game, and one that is repeated changes nothing.
#[test]
fn many_starts() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.send("START:g1\nSTART:");
    peer.offer("g1", '+', &[], "");
    assert_eq!(peer.line(), "AGREE g1");
    peer.send("START:g2\nSTART:\nSTART: g1 \nSTART:g1\nSTART:g2");
    play_on(&mut peer);
    leave(peer);
    assert_eq!(client.end(&trial, 0).all("result"), ["black"]);
}

/// The start of a game that was rejected begins no game.
#[test]
fn a_start_after_a_rejection() {
    let (trial, client, mut peer) = Trial::logged_in(1, RANDOM);
    peer.offer("g1", '+', &[], "");
    assert_eq!(peer.line(), "AGREE g1");
    peer.send("REJECT:g1 by b\nSTART:g1");
    last_game(peer);
    let finished = client.end(&trial, 0);
    assert_eq!(finished.all("result"), ["black"]);
    assert_eq!(finished.stderr.matches("\"START:g1\" makes no sense").count(), 1);
}
